"""Every quantity of a solution, exact and printed, tokens as rows whatever the layout: what laws are about."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from shared.written import Problem

import attnsolve
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.numbers import closed
from attnsolve.solution.exact import Solution, Value

Cells = list[list[Any]]


def solve(problem: Problem | str) -> Solution:
    (read,) = parse(problem if isinstance(problem, str) else problem.yaml(), "p.yaml")
    solution = attnsolve.solve(read)
    assert isinstance(solution, Solution)
    return solution


def quantities(solution: Solution) -> dict[Key, Value]:
    return {q.key: Value(solution, q) for q in solution.graph if not q.parameter}


def exactly(solution: Solution, columns: bool = False) -> dict[Key, Cells]:
    """The exact cells of every quantity, None where there is no closed form, tokens as rows again."""
    found = {key: solution.exact[key].rows for key in quantities(solution)}
    return {key: [list(row) for row in (zip(*rows, strict=True) if columns else rows)] for key, rows in found.items()}


def printed(solution: Solution, columns: bool = False) -> dict[Key, Cells]:
    """The decimals of every quantity, tokens as rows again."""
    found = {key: value.decimals(20) for key, value in quantities(solution).items()}
    return {key: [list(row) for row in zip(*rows, strict=True)] if columns else rows for key, rows in found.items()}


def forms(solution: Solution, columns: bool = False) -> dict[tuple[Key, str], Any]:
    """Exact cells and decimals together."""
    exact = {(key, "exact"): rows for key, rows in exactly(solution, columns).items()}
    return exact | {(key, "printed"): rows for key, rows in printed(solution, columns).items()}


def assert_same(one: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]]) -> None:
    """The same cells: texts letter by letter, closed forms by their difference being nothing, the unknown alike."""
    for row, others in zip(one, other, strict=True):
        for cell, same in zip(row, others, strict=True):
            if cell is None or same is None or isinstance(cell, str) or cell == same:
                assert cell == same
            else:
                assert closed.add([cell, closed.multiply(same, Fraction(-1))]) == 0
