"""Causes on sheets small enough to follow by hand: ties, pairs, every head, parts of answers, letters, no numbers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.check.answers import read_answers
from attnsolve.check.diagnose import Diagnosis, diagnose
from attnsolve.check.marking import Marking, mark
from attnsolve.check.report import report
from attnsolve.check.run import Checked, cause
from attnsolve.graph import run
from attnsolve.graph.mistakes import Slip, composed, slipped
from attnsolve.numbers.floats import Floats
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution
from attnsolve.spec import reader

Solve = Callable[[str], Solution]

PLAIN = """
inputs: [[1, 2], [0.5, -1], [2, 0.3]]
weights: {W_Q: [[1, 0.4], [0, 1]], W_K: [[0.7, 1], [1, 0.2]], W_V: [[1, 2], [0.3, 1]]}
"""
HEADS = """
inputs: [[1, 2, 0.5], [0.5, -1, 1]]
weights:
  - {W_Q: [[1, 0.4], [0, 1], [1, 1]], W_K: [[0.7, 1], [1, 0], [0, 1]], W_V: [[1, 2], [0.3, 1], [1, 0]]}
  - {W_Q: [[0, 0.4], [0.2, 1], [1, 0]], W_K: [[0.3, 1], [1, 1], [0, 2]], W_V: [[1, 0], [0.3, 2], [1, 1]]}
"""


def causes(solution: Solution, answers: str) -> list[Diagnosis]:
    return diagnose(marking_of(solution, answers))


def marking_of(solution: Solution, answers: str) -> Marking:
    (node,) = reader.read_documents(answers, "a.yaml")
    read = read_answers(node, solution.graph, "a.yaml", solution.problem.symbols)
    assert not read.faults
    return mark(solution, read)


def ids(diagnosis: Diagnosis) -> list[tuple[str, ...]]:
    return [tuple(slip.id for slip in group) for group in diagnosis.mistakes]


def sheet(solution: Solution, wanted: tuple[str, ...], *made: Slip) -> str:
    """The answers of somebody who makes these mistakes, to four places."""
    values = run(slipped(solution.graph, *made), Floats)
    lines = []
    for quantity in solution.graph:
        table = values[quantity.key]
        if quantity.key.id in wanted and not quantity.given and table is not None:
            lines.append(f"'{quantity.key}': {[[f'{x:.4f}' for x in row] for row in table.rows]}".replace("'", '"'))
    return "\n".join(lines)


def slips(solution: Solution, *names: str) -> list[Slip]:
    return [slip for name in names for slip in solution.slips if slip.id == name]


def test_right_answers_have_no_cause(solved: Solve) -> None:
    solution = solved(PLAIN)
    assert causes(solution, sheet(solution, ("queries", "scaled", "weights", "context"))) == []


def test_a_mistake_is_found_in_what_was_not_written(solved: Solve) -> None:
    solution = solved(PLAIN)
    (slip,) = slips(solution, "softmax-wrong-axis")
    (found,) = causes(solution, sheet(solution, ("context",), slip))
    assert ids(found) == [("softmax-wrong-axis",)]
    assert found.is_certain


def test_what_cannot_be_told_apart_is_a_tie(solved: Solve) -> None:
    solution = solved(PLAIN)
    (slip,) = slips(solution, "scale-missing")
    (found,) = causes(solution, sheet(solution, ("context",), slip))
    assert ids(found) == [("scale-missing",), ("softmax-of-unscaled",)]
    assert not found.is_certain


def test_the_same_slip_in_every_head_is_one_cause(solved: Solve) -> None:
    solution = solved(HEADS)
    made = slips(solution, "softmax-wrong-axis")
    assert len(made) == 2
    (found,) = causes(solution, sheet(solution, ("concat",), *made))
    assert found.mistakes == (tuple(made),)
    marking = marking_of(solution, sheet(solution, ("concat",), *made))
    said = "the softmax was applied down each column instead of along each row"
    text = " ".join(render(report(marking, [found]), 80, True).split())
    assert f"what you would get if {said}." in text
    assert cause(Checked(marking, (found,))) == "softmax-wrong-axis"


@pytest.mark.parametrize(
    "pair",
    [("softmax-base-2", "values-are-keys"), ("scale-missing", "softmax-wrong-axis"), ("scale-by-dk", "mask-zero")],
)
def test_two_mistakes_are_found_together(solved: Solve, pair: tuple[str, str]) -> None:
    solution = solved(PLAIN + "mask: causal\n" * ("mask-zero" in pair))
    first, second = slips(solution, *pair)
    (found,) = causes(solution, sheet(solution, ("context",), first, second))
    assert {first, second} in [set(group) for group in found.mistakes]


def test_two_mistakes_in_one_quantity_are_found(solved: Solve) -> None:
    solution = solved(PLAIN)
    first, second = slips(solution, "softmax-base-2", "softmax-wrong-axis")
    assert composed(solution.graph, first, second) is not None
    (found,) = causes(solution, sheet(solution, ("weights",), first, second))
    assert {first, second} in [set(group) for group in found.mistakes]


def test_one_row_of_an_answer_is_enough(solved: Solve) -> None:
    solution = solved(PLAIN)
    # Q = X W_Q, first row [1, 2.4]; with W_Qᵀ: 1·1 + 2·0.4 = 1.8 and 1·0 + 2·1 = 2
    (found,) = causes(solution, "q_1: [1.8, 2]")
    assert ids(found) == [("weight-transposed",)]


def test_a_row_written_and_the_rest_carried_on_have_one_cause(solved: Solve) -> None:
    solution = solved(PLAIN)
    (slip,) = slips(solution, "softmax-base-2")
    weights, context = sheet(solution, ("weights", "context"), slip).splitlines()
    row = weights.split("[[")[1].split("]")[0]
    found = causes(solution, f"weights[1]: [{row}]\n{context}")
    assert [ids(diagnosis) for diagnosis in found] == [[("softmax-base-2",)]]


def test_exact_answers_have_causes_too(solved: Solve) -> None:
    solution = solved("queries: [[1, 1], [0, 1]]\nkeys: [[1, 2], [2, 5]]\nvalues: [[1, 0], [0, 2]]\nscaling: none")
    (found,) = causes(solution, "weights: [[e^3, e^7], [e^2, e^5]]")
    assert ids(found) == [("softmax-not-normalised",)]
    (found,) = causes(solution, "weights: [[3/10, 7/10], [2/7, 5/7]]")
    assert ids(found) == [("softmax-sum",)]


def test_answers_in_letters_have_causes_too(solved: Solve) -> None:
    solution = solved(
        "symbols: {t: positive}\nqueries: [[t, 1], [0, 1]]\nkeys: [[1, 3], [2, t]]\nvalues: [[1, 0], [0, 2]]"
    )
    # Q Kᵀ = [[t + 3, 3t], [3, t]], but Q K = [[t + 2, 4t], [2, t]]
    (found,) = causes(solution, "scores: [[t + 2, 4*t], [2, t]]")
    assert ids(found) == [("keys-not-transposed",)]
    assert causes(solution, "scores: [[t + 3, 3*t], [3, t]]") == []
    (found,) = causes(solution, "scores: [[t + 5, 3*t], [3, t]]")
    assert not found.mistakes


def test_a_quantity_that_follows_from_a_named_mistake_is_not_blamed_again(solved: Solve) -> None:
    """Worked out from unrounded weights in the hundreds, the context is off by more than the last place."""
    solution = solved("queries: [[3, 1]]\nkeys: [[2, 1], [1, 2]]\nvalues: [[31, 7], [-9, 40]]\nscaling: none")
    (slip,) = slips(solution, "softmax-not-normalised")
    found = causes(solution, "weights: [[1096.6, 148.4]]\ncontext: [[32659.91, 13612.96]]")
    assert [ids(diagnosis) for diagnosis in found] == [[(slip.id,)]]


@pytest.mark.parametrize(
    "answers",
    [
        "weights: [[1, -1], [1, 0]]\ncontext: [[5, 5], [5, 5]]",  # rows that sum to 0
        "scores: [[1, -1], [0, 0]]\nweights: [[7, 7], [7, 7]]",  # scores that have no shares
        "scores: [[1e300, 1e300], [1, 2]]\nweights: [[1, 2], [3, 4]]\ncontext: [[1e308, 2], [3, 4]]",
        "context: [[0, 0], [0, 0]]",
        "scores: [[_, 3], [_, _]]\ncontext: [[_, 9], [_, _]]",
    ],
)
@pytest.mark.parametrize("softmax", ["sum", "{base: 2}", "{base: e}"])
def test_no_answer_is_too_odd(solved: Solve, answers: str, softmax: str) -> None:
    text = "queries: [[1, 1], [0, 1]]\nkeys: [[1, 2], [2, 5]]\nvalues: [[1, 0], [0, 2]]\nscaling: none\n"
    causes(solved(f"{text}softmax: {softmax}\n"), answers)


def test_every_cosine_without_a_direction_is_survived(solved: Solve) -> None:
    text = "kind: seq2seq\nscore: cosine\nstates: [[1, 2], [3, 4]]\nstate: [1, 2]\n"
    causes(solved(text), "norms: [0, 0]\nscores: [1, 9]\ncontext: [7, 7]")
