"""Error carried forward: what each quantity comes to from the answers written before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnsolve.check.answers import Answers
from attnsolve.check.judge import BITS
from attnsolve.graph import Graph
from attnsolve.numbers.balls import Balls, at_precision, ball
from attnsolve.operations.formula import Formula, Key

Values = dict[Key, Balls]


def carried_forward(
    graph: Graph, answers: Answers, true: Mapping[Key, Balls | None]
) -> tuple[Values, Values, list[Key]]:
    """Every quantity computed from the answers before it; what each then is (the answer, or what follows where it is
    blank); and which answers were not followed, since they are degenerate."""
    followed: Values = {}
    values: Values = {}
    refused: list[Key] = []
    with at_precision(BITS):
        for quantity in graph:
            key = quantity.key
            if quantity.given:
                followed[key] = values[key] = evaluated(quantity.formula, values)
                continue
            followed[key] = evaluated(quantity.formula, values)
            written = answers.of(key)
            theirs = put_in(followed[key], {place: w.value for place, w in written.items()})
            ours = true[key]
            if written and len(written) == quantity.shape[0] * quantity.shape[1] and is_degenerate(theirs, ours):
                refused.append(key)
                theirs = followed[key]
            values[key] = theirs
    return followed, values, refused


def evaluated(formula: Formula, values: Mapping[Key, Any]) -> Balls:
    """A formula on given values, in balls."""
    result: Balls = formula.evaluate(values, Balls.of)
    return result


def put_in(matrix: Balls, cells: Mapping[tuple[int, int], Any]) -> Balls:
    """A matrix with some entries replaced."""
    if not cells:
        return matrix
    rows = matrix.rows
    for (row, column), value in cells.items():
        rows[row][column] = ball(value)
    from flint import arb_mat

    return Balls(arb_mat(rows))


def is_degenerate(theirs: Balls, ours: Balls | None) -> bool:
    """Whether an answer is nothing but zeros, or the identity, though the true value is not: there is nothing left to
    compute from such a matrix."""
    for blank in (_all(theirs.shape, 0), _identity(theirs.shape)):
        if blank is not None and _is(theirs, blank) and (ours is None or not _is(ours, blank)):
            return True
    return False


def _all(shape: tuple[int, int], value: int) -> list[list[int]]:
    return [[value] * shape[1] for _ in range(shape[0])]


def _identity(shape: tuple[int, int]) -> list[list[int]] | None:
    return [[int(i == j) for j in range(shape[1])] for i in range(shape[0])] if shape[0] == shape[1] > 1 else None


def _is(matrix: Balls, wanted: list[list[int]]) -> bool:
    return all(x == y for row, other in zip(matrix.rows, wanted, strict=True) for x, y in zip(row, other, strict=True))
