"""Error carried forward: what each quantity comes to from the answers written before it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from attnsolve.check.answers import Answers
from attnsolve.check.judge import BITS, CREDITED, judge, same_form
from attnsolve.check.written import Written
from attnsolve.graph import Graph
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import Ball, Balls, at_precision, ball, whole
from attnsolve.numbers.closed import cell_of
from attnsolve.numbers.exact import Exact
from attnsolve.operations.formula import Formula, Key
from attnsolve.spec.parts import Rounding

Values = dict[Key, Balls]
Place = tuple[int, int]


def carried_forward(
    graph: Graph,
    answers: Answers,
    true: Mapping[Key, Balls | None],
    rounding: Rounding | None = None,
    *,
    wide: bool = False,
) -> tuple[Values, Values, list[Key]]:
    """Every quantity computed from the answers before it; what each then is (the answer, or what follows where it is
    blank, rounded where the sheet rounds on the way); and the answers that were not followed, being degenerate.

    A decimal may have been carried on with more digits than it was written with: `wide` lets it be any number that
    rounds to it.
    """
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
            blank = _rounded(followed[key], rounding.places_of(key.id) if rounding else None)
            theirs = put_in(blank, {place: _meant(w) if wide else ball(w.value) for place, w in written.items()})
            ours = [values for values in (true[key], followed[key]) if values is not None]
            if is_degenerate(written, quantity.shape) and not any(_agrees(written, values) for values in ours):
                refused.append(key)
                theirs = blank
            values[key] = theirs
    return followed, values, refused


def carried_exactly(graph: Graph, answers: Answers) -> tuple[dict[Key, Exact | None], list[Key]]:
    """The same where there are letters: every quantity from the answers before it, as far as it has an exact form."""
    followed: dict[Key, Exact | None] = {}
    values: dict[Key, Exact | None] = {}
    refused: list[Key] = []
    for quantity in graph:
        key, written = quantity.key, answers.of(quantity.key)
        try:
            followed[key] = values[key] = found = quantity.formula.evaluate(values, Exact.of)
        except Unavailable:
            followed[key] = values[key] = None
            continue
        same = (same_form(w, found.rows[row][column]) for (row, column), w in written.items())
        if is_degenerate(written, quantity.shape) and not all(same):
            refused.append(key)
        elif written:
            rows = [list(row) for row in found.rows]
            for (row, column), w in written.items():
                rows[row][column] = cell_of(w.value)
            values[key] = Exact(rows)
    return followed, refused


def evaluated(formula: Formula, values: Mapping[Key, Any]) -> Balls:
    """A formula on given values, in balls."""
    result: Balls = formula.evaluate(values, Balls.of)
    return result


def _rounded(matrix: Balls, places: int | None) -> Balls:
    """Every entry to so many places, where that can be told."""
    if places is None:
        return matrix
    scale = Fraction(10) ** places
    nearest = {
        (i, j): whole((x * ball(scale) + ball(Fraction(1, 2))).floor())
        for i, row in enumerate(matrix.rows)
        for j, x in enumerate(row)
        if x.is_finite()
    }
    return put_in(matrix, {place: ball(Fraction(n) / scale) for place, n in nearest.items() if n is not None})


def _meant(written: Written) -> Ball:
    """All the numbers that round to what was written; a whole number is just that."""
    exact = ball(written.value)
    if written.places is None or written.whole or written.infinite:
        return exact
    from flint import arb

    return exact + arb(0, 1) * ball(written.unit) / 2


def put_in(matrix: Balls, cells: Mapping[tuple[int, int], Ball]) -> Balls:
    """A matrix with some entries replaced."""
    if not cells:
        return matrix
    rows = matrix.rows
    for (row, column), value in cells.items():
        rows[row][column] = value
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
