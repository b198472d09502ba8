"""Error carried forward: what each quantity comes to from the answers written before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnsolve.check.answers import Answers
from attnsolve.check.judge import BITS, CREDITED, judge
from attnsolve.check.written import Written
from attnsolve.graph import Graph
from attnsolve.numbers.balls import Balls, at_precision, ball
from attnsolve.operations.formula import Formula, Key

Values = dict[Key, Balls]
Place = tuple[int, int]


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
            ours = [values for values in (true[key], followed[key]) if values is not None]
            if is_degenerate(written, quantity.shape) and not any(_agrees(written, values) for values in ours):
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


def is_degenerate(written: Mapping[Place, Written], shape: tuple[int, int]) -> bool:
    """Whether nothing but zeros was written, or the identity: there is nothing left to compute from such a matrix. One
    zero by itself is a slip like any other."""
    rows, columns = shape
    if len(written) > 1 or rows * columns == len(written) == 1:
        if all(w.value == 0 for w in written.values()):
            return True
        most = rows == columns > 1 and 2 * len(written) > rows * columns
        return most and all(w.value == int(i == j) for (i, j), w in written.items())
    return False


def _agrees(written: Mapping[Place, Written], values: Balls) -> bool:
    return all(judge(w, values.table[place]).verdict in CREDITED for place, w in written.items())
