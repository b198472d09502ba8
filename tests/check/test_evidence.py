"""How much figures say for a cause: as many digits as they have, less what chance explains."""

from __future__ import annotations

import random

import pytest
from check.conftest import Marker, answers_to, solution_of

from attnsolve.check.diagnose import diagnose
from attnsolve.check.evidence import Support, digits_of
from attnsolve.check.marking import mark
from attnsolve.check.report import report
from attnsolve.check.written import read_written
from attnsolve.render.text import render

CAUSAL = "queries: [[1, 2], [2, 0.5]]\nkeys: [[1, 0], [2, 1]]\nvalues: [[1, 0], [2, 1]]\nmask: causal\n"


def test_chance_is_weighed_against_the_number_of_causes() -> None:
    assert Support(4.0, 100).is_enough
    assert not Support(2.0, 100).is_enough
    assert Support(4.0, 100).confidence() == pytest.approx(0.99)
    assert Support(4.0, 100).confidence(2) == pytest.approx(0.495)
    assert Support(0.0, 100).confidence() == 0


def test_a_row_of_two_shares_is_one_free_number() -> None:
    weights = next(q for q in solution_of(CAUSAL).graph if q.key.id == "weights")
    row = {(1, 0): read_written("0.36"), (1, 1): read_written("0.64")}
    assert digits_of(weights, row, list(row)) == pytest.approx(2, abs=0.1)


def test_shares_at_random_seldom_get_a_cause() -> None:
    solution, chance, named = solution_of(CAUSAL), random.Random(3), 0
    for _ in range(100):
        share = chance.randint(1, 99)
        found = diagnose(mark(solution, answers_to(solution, f"A: [[1, 0], [0.{share:02}, 0.{100 - share:02}]]")))
        named += any(diagnosis.mistakes for diagnosis in found)
    assert named <= 12


def test_broken_laws_are_said_first(marked: Marker) -> None:
    for answers, said in (
        ("A: [[1, 0], [0.36, 0.84]]", "sum to 1.2, not to 1."),
        ("A: [[1, 0], [-0.5, 1.5]]", "lies between 0 and 1"),
    ):
        marking = marked(CAUSAL, answers)
        text = " ".join(render(report(marking, diagnose(marking)), 100, True).split())
        assert said in text
        assert text.index(said) < text.index("You wrote")


def test_where_nothing_was_written_before_the_slip_is_somewhere_before(marked: Marker) -> None:
    marking = marked(CAUSAL, "context: [[17.31, 8.85], [3.37, -5.61]]")
    assert "Somewhere before C" in render(report(marking, diagnose(marking)), 100, True)
