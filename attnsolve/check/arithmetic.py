"""The numbers in which causes are looked for: balls, or exact forms where a problem has letters for numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from attnsolve.check.judge import BITS, judge, same_form
from attnsolve.check.written import Written
from attnsolve.key import Key
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import Ball, Balls, ball
from attnsolve.numbers.closed import cell_of
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.floats import to_float
from attnsolve.numbers.matrix import Matrix
from attnsolve.record import Record, record
from attnsolve.solution.exact import Solution

NEAR = 2.0
"""How many units of the last place a float may be off before a mistake is not looked at more closely."""
LOOSE = 1e-7
"""The share of a number by which floats may be off."""

Place = tuple[int, int]


@record
class Tier(Record):
    """How matrices are read, made and compared with what was written."""

    symbolic: bool
    kind: type[Matrix]
    true: Mapping[Key, Any]
    """The right values; None for what this tier can't hold."""

    def matrix(self, rows: Sequence[Sequence[Any]]) -> Any:
        """A matrix from numbers and from cells of other matrices."""
        if self.symbolic:
            return Exact([[cell_of(x) for x in row] for row in rows])
        from flint import arb, arb_mat

        return Balls(arb_mat([[x if isinstance(x, arb) else ball(x) for x in row] for row in rows]))

    def cell(self, matrix: Any, place: Place) -> Any:
        """One entry."""
        return matrix.rows[place[0]][place[1]] if self.symbolic else matrix.table[place]

    def reproduces(self, written: Written, value: Any) -> bool:
        """Whether a value is what was written, to the digits written."""
        if not self.symbolic:
            return reproduces(written, value)
        try:
            return reproduces(written, ball(value))
        except Unavailable:
            pass
        try:
            return same_form(written, value)
        except Unavailable:
            return False


def tier_of(solution: Solution) -> Tier:
    """Balls, unless the problem has symbols."""
    balls = solution.balls(BITS)
    if any(value is None for value in balls.values()):
        return Tier(True, Exact, solution.exact)
    return Tier(False, Balls, balls)


def reproduces(written: Written, value: Ball) -> bool:
    """Whether a ball is what was written, to the digits written."""
    if isinstance(written.value, float):
        return bool(value == ball(written.value))
    if not value.is_finite():
        return False
    if written.places is None:
        try:
            off = value - ball(written.value)
        except Unavailable:
            return False
        return bool(off.contains(0)) and bool(value.rad() < 1e-20 * (1 + abs(value)))
    sharp = bool(2 * value.rad() < ball(written.unit)) or bool(value.rad() < 1e-20 * abs(value))
    return sharp and judge(written, value).verdict in ("exact", "right")


def bounds(written: Written) -> tuple[float, float]:
    """Between which floats a value may be what was written."""
    if isinstance(written.value, float):
        return written.value, written.value
    try:
        value = to_float(written.value)
        slack = 0.0 if written.places is None else NEAR * float(written.unit)
    except (ArithmeticError, TypeError, ValueError):
        return math.inf, -math.inf
    slack = max(slack, LOOSE * max(abs(value), 1.0))
    return value - slack, value + slack
