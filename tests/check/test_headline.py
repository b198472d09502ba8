"""What is said first of marked answers, in one sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.check.diagnose import diagnose
from attnsolve.check.headline import headline, in_text
from attnsolve.check.marking import Marking

SHEET = """
inputs: [[1, 2], [3, 1]]
weights: {W_Q: [[1, 0], [1, 1]], W_K: [[1, 1], [0, 1]], W_V: [[2, 0], [0, 1]]}
parts: {a: {find: queries}, b: {find: scaled}}
"""
QUERIES = "Q: [[3, 2], [4, 1]]\n"


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (QUERIES + "scaled: [[6.364, 12.021], [4.950, 11.314]]", "Right throughout."),
        (QUERIES + "scaled: [[6.364, 12.021], [4.949, 11.313]]", "Right, but for a slip in rounding in 2 figures."),
        (QUERIES, "Right as far as it goes; 4 entries left blank."),
        ("Q: [[3, 2], [4, 2]]\nscaled: [[6.364, 12.021], [7.07, 14.14]]", "1 figure is wrong: q₂,₂ in part (a)."),
        ("Q: [[3, 3], [4, 2]]", "2 figures are wrong; the first is q₁,₂ in part (a)."),
        ("Q: [[_, _], [_, _]]", "Nothing is answered."),
    ],
)
def test_it_says_what_a_reader_wants(marked: Callable[..., Marking], answers: str, said: str) -> None:
    marking = marked(SHEET, answers)
    assert in_text(headline(marking, diagnose(marking))) == said


def test_rounding_on_the_way_is_no_error(marked: Callable[..., Marking]) -> None:
    marking = marked("queries: [[2, 1]]\nkeys: [[1, 1], [0, 1]]\n", "S': [[2.1, 0.7]]\nA: [[0.802, 0.198]]\n")
    assert in_text(headline(marking, diagnose(marking))) == "Right, but rounded on the way."


def test_a_cause_is_named_where_it_is_certain(marked: Callable[..., Marking]) -> None:
    marking = marked(SHEET.replace("scaled", "weights"), QUERIES + "A: [[0.0003, 0.9997], [0.0001, 0.9999]]\n")
    said = "4 figures are wrong; the first is a₁,₁ in part (b), because the scores were not scaled."
    assert in_text(headline(marking, diagnose(marking))) == said
