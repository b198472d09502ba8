"""Plain float64 matrices: the second opinion that every solution is held against.

Python's own floats are float64, and loading numpy for a few small products would take longer than the solution.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import mul
from typing import TYPE_CHECKING, Any

from attnsolve.numbers.balls import Ball, at_precision, ball
from attnsolve.numbers.closed import Base, Cell, Number, PowerSum, Quotient, letters
from attnsolve.numbers.light import EULER, Surd

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

BITS = 128
"""Precision at which a closed form is tried out."""


class Floats:
    """A matrix of floats with the methods of the other tiers. What float64 can't hold becomes infinite, or nan."""

    def __init__(self, rows: Iterable[Iterable[float]]) -> None:
        self.rows = [list(row) for row in rows]
        self.shape: tuple[int, int] = len(self.rows), len(self.rows[0]) if self.rows else 0

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]]) -> Floats:
        """From the numbers of a problem; symbols take their sample values."""
        return cls([to_float(x) for x in row] for row in rows)

    @property
    def array(self) -> Array:
        """As a NumPy array."""
        import numpy as np

        return np.array(self.rows, dtype=np.float64)

    def _each(self, change: Callable[[float], float]) -> Floats:
        return Floats([change(x) for x in row] for row in self.rows)

    @property
    def T(self) -> Floats:
        """The transpose."""
        return Floats(zip(*self.rows, strict=True))

    def __matmul__(self, other: Floats) -> Floats:
        columns = list(zip(*other.rows, strict=True))
        return Floats([sum(map(mul, row, column)) for column in columns] for row in self.rows)

    def __add__(self, other: Floats) -> Floats:
        height, width = other.shape
        return Floats(
            [x + other.rows[i % height][j % width] for j, x in enumerate(row)] for i, row in enumerate(self.rows)
        )

    def divided(self, divisor: Number) -> Floats:
        """Every entry divided by a number; −∞ stays what it is."""
        number = _constant(divisor)
        return self._each(lambda x: x if x == -math.inf else _ratio(x, number))

    def finite(self) -> Floats:
        """0 in place of −∞."""
        return self._each(lambda x: 0.0 if math.isinf(x) else x)

    def steadied(self, base: Base) -> Floats:
        """Each row less its maximum, so that no power overflows."""
        return self.less_maximum()

    def less_maximum(self) -> Floats:
        """Each row minus its greatest entry."""
        tops = (max((x for x in row if math.isfinite(x)), default=0.0) for row in self.rows)
        return Floats([x - top for x in row] for row, top in zip(self.rows, tops, strict=True))

    def powers(self, base: Base) -> Floats:
        """base^x for every entry, 0 for −∞ whatever the base."""
        logarithm = math.log(_constant(base))
        return self._each(lambda x: 0.0 if x == -math.inf else _exp(x * logarithm))

    def exponentials(self, base: Base) -> Floats:
        """base^x for every entry, to be worked with further."""
        return self.powers(base)

    def tanh(self) -> Floats:
        """The hyperbolic tangent of every entry."""
        return self._each(math.tanh)

    def norms(self) -> Floats:
        """The length of every row, as one row."""
        return Floats([[math.hypot(*row) for row in self.rows]])

    def over(self, other: Floats) -> Floats:
        """Every entry divided by the one in the same place."""
        pairs = (zip(a, b, strict=True) for a, b in zip(self.rows, other.rows, strict=True))
        return Floats([_ratio(x, y) for x, y in row] for row in pairs)

    def shares(self) -> Floats:
        """Each entry over the sum of its row, −∞ counting as nothing; a row of nothing has zeros."""
        nothing = [all(x == -math.inf for x in row) for row in self.rows]
        rows = zip(nothing, self.finite().rows, strict=True)
        return Floats(row if empty else [_ratio(x, sum(row)) for x in row] for empty, row in rows)

    def normalised(self) -> Floats:
        """Each row divided by its sum; a row of nothing but zeros stays as it is."""
        totals = (sum(row) for row in self.rows)
        return Floats([x / total if total else x for x in row] for row, total in zip(self.rows, totals, strict=True))

    def beside(self, others: Sequence[Floats]) -> Floats:
        """Matrices set side by side."""
        return Floats(
            [x for part in parts for x in part] for parts in zip(self.rows, *(o.rows for o in others), strict=True)
        )

    def columns(self, start: int, stop: int) -> Floats:
        """A block of columns."""
        return Floats(row[start:stop] for row in self.rows)


def _ratio(over: float, under: float) -> float:
    """over / under; nan where that is 0, or so near to it that float64 has lost digits of it."""
    return over / under if abs(under) >= sys.float_info.min else math.nan


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


@lru_cache(256)
def _constant(number: Number) -> float:
    """A number of a formula; kept, since a root takes longer than the matrix it divides."""
    return to_float(number)


def to_float(number: Any) -> float:
    """A number as a float, infinite beyond its range; its symbols take their sample values."""
    if number is EULER:
        return math.e
    if isinstance(number, Surd):
        return to_float(number.factor) * math.sqrt(number.inside)
    if isinstance(number, PowerSum | Quotient) or letters(number):
        number = _sampled(number)
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _sampled(cell: Cell) -> Ball:
    """A number or closed form at the sample values of its symbols, to more digits than a float has."""
    symbols = letters(cell)
    point = {}
    if symbols:
        from attnsolve.numbers import symbolic

        point = symbolic.sample_point(symbols)
    with at_precision(BITS):
        return ball(cell, point).mid()
