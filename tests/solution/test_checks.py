"""The float64 run says nothing where float64 can't hold the numbers, instead of calling a right answer wrong."""

from __future__ import annotations

import pytest

import attnsolve
from attnsolve.loading.files import parse
from attnsolve.narrate.view import SolutionView
from attnsolve.solution.checks import Checks
from attnsolve.solution.exact import Solution

SHEET = "queries: [[{0}, 2]]\nkeys: [[{1}, 2], [3, 1]]\nvalues: [[1], [2]]\nscaling: {2}\n"
SHARES = "scaling: none\nsoftmax: sum\ngiven: {{values: [[1], [2]], scores: [[{0}, {1}]]}}\n"


def checks(text: str) -> dict[str, bool]:
    (problem,) = parse(text, "sheet.yaml")
    solution = attnsolve.solve(problem)
    assert isinstance(solution, Solution)
    checked = Checks(solution, SolutionView(solution, solution.figures()))
    return {law.id: law.holds for q in solution.graph if not q.given for law in checked.of(q)}


@pytest.mark.parametrize("scaling", ["1e-400", "1e-320", "1e-310", "1e-300", "1e308", "1e309", "1e400"])
def test_any_divisor_can_be_checked_or_left_alone(scaling: str) -> None:
    assert all(checks(SHEET.format(1, 1, scaling)).values())


def test_digits_lost_below_the_range_of_float64_are_not_held_against_an_answer() -> None:
    sheet = "queries: [[1e-150]]\nkeys: [[1e-170], [2]]\nvalues: [[1], [2]]\nscaling: 1e-318\n"
    assert all(checks(sheet).values())


@pytest.mark.parametrize(("left", "right"), [("1e-400", "1e-400"), ("1e-400", "2e-400"), ("1e-320", "3e-323")])
def test_shares_of_what_float64_takes_for_nothing_have_no_second_opinion(left: str, right: str) -> None:
    found = checks(SHARES.format(left, right))
    assert all(found.values())
    assert "weights-agrees-with-float64" not in found


def test_where_float64_can_tell_it_still_does() -> None:
    assert checks(SHARES.format("1e-200", "3e-200"))["weights-agrees-with-float64"]
    assert checks(SHARES.format("-inf", "-inf"))["weights-agrees-with-float64"]
    assert checks(SHEET.format(1, 1, "1e-5"))["weights-agrees-with-float64"]
