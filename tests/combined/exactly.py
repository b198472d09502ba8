"""Every quantity of a solution, exact and printed, tokens as rows whatever the layout: what laws are about."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from combined.written import Problem

import attnsolve
from attnsolve.numbers import closed
from attnsolve.operations.formula import Key
from attnsolve.solution import Solution, Value
from attnsolve.spec.load import parse

Cells = list[list[Any]]


def solve(problem: Problem | str) -> Solution:
    (read,) = parse(problem if isinstance(problem, str) else problem.yaml(), "p.yaml")
    solution = attnsolve.solve(read)
    assert isinstance(solution, Solution)
    return solution


def quantities(solution: Solution) -> dict[Key, Value]:
    return {q.key: Value(solution, q) for q in solution.graph if not q.parameter}


def exactly(solution: Solution, columns: bool = False) -> dict[Key, Cells | None]:
    """The exact cells of every quantity, tokens as rows again."""
    found = {}
    for key in quantities(solution):
        exact = solution.exact[key]
        rows = None if exact is None else exact.rows
        found[key] = rows if rows is None else [list(row) for row in (zip(*rows, strict=True) if columns else rows)]
    return found


def printed(solution: Solution, columns: bool = False) -> dict[Key, Cells]:
    """The decimals of every quantity, tokens as rows again."""
    found = {key: value.decimals(20) for key, value in quantities(solution).items()}
    return {key: [list(row) for row in zip(*rows, strict=True)] if columns else rows for key, rows in found.items()}


def forms(solution: Solution, columns: bool = False) -> dict[tuple[Key, str], Any]:
    """Exact cells and decimals together."""
    exact = {(key, "exact"): rows for key, rows in exactly(solution, columns).items()}
    return exact | {(key, "printed"): rows for key, rows in printed(solution, columns).items()}


def assert_same(one: Sequence[Sequence[Any]] | None, other: Sequence[Sequence[Any]] | None) -> None:
    """The same cells: texts letter by letter, closed forms by their difference being nothing."""
    assert (one is None) == (other is None)
    for row, others in zip(one or (), other or (), strict=True):
        for cell, same in zip(row, others, strict=True):
            if isinstance(cell, str) or cell == same:
                assert cell == same
            else:
                assert closed.add([cell, closed.multiply(same, Fraction(-1))]) == 0
