"""Plain float64 matrices: the second opinion that every solution is held against.

Python's own floats are float64, and loading numpy for a few small products would take longer than the solution.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from operator import add, mul
from typing import TYPE_CHECKING, ClassVar

from attnsolve.numbers.balls import Ball, at_precision, ball
from attnsolve.numbers.closed import Base, Cell, Quotient, letters
from attnsolve.numbers.matrix import Function, Numeric, Reduction, fitted
from attnsolve.numbers.surds import Euler, Number, Rows, Surd

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from attnsolve.numbers.constant import Constant

    Array = NDArray[np.float64]

MANY_PRODUCTS = 500_000
"""Beyond this, loading NumPy takes less time than the product without it."""
ROUNDING = 1e-12
"""Numbers that differ by less are not told apart."""
BITS = 128
"""Precision at which a closed form is tried out."""


class Floats(Numeric):
    """A matrix of floats. What float64 can't hold becomes infinite, or nan."""

    rows: list[list[float]]

    def __init__(self, rows: Iterable[Iterable[float]]) -> None:
        self.rows = [list(row) for row in rows]
        self.shape: tuple[int, int] = len(self.rows), len(self.rows[0]) if self.rows else 0

    @classmethod
    def of(cls, rows: Rows) -> Floats:
        """From the numbers of a problem; symbols take their sample values."""
        return cls([to_float(x) for x in row] for row in rows)

    @classmethod
    def constant(cls, constant: Constant) -> Floats:
        """A number of a formula; kept, since a root takes longer than the matrix it divides."""
        return cls([[_constant(constant.value)]])

    @property
    def array(self) -> Array:
        """As a NumPy array."""
        import numpy as np

        return np.array(self.rows, dtype=np.float64)

    def _each(self, change: Callable[[float], float]) -> Floats:
        return Floats([change(x) for x in row] for row in self.rows)

    def _pairwise(self, combine: Callable[[float, float], float], other: Floats) -> Floats:
        shape = fitted(self.shape, other.shape)
        assert shape is not None
        pairs = zip(self.spread(shape).rows, other.spread(shape).rows, strict=True)
        return Floats(map(combine, a, b) for a, b in pairs)

    def spread(self, shape: tuple[int, int]) -> Floats:
        """Repeat a single row or column to a shape."""
        if self.shape == shape:
            return self
        rows = self.rows * shape[0] if self.shape[0] < shape[0] else self.rows
        return Floats(row * shape[1] if self.shape[1] < shape[1] else row for row in rows)

    # ── arithmetic ──────────────────────────────────────────────────────────────────────────────

    def __add__(self, other: Floats) -> Floats:
        return self._pairwise(add, other)

    def __mul__(self, other: Floats) -> Floats:
        return self._pairwise(_times, other)

    def divide(self, other: Floats, *, empty: bool = False) -> Floats:
        """Entry by entry; −∞ stays what it is."""
        return self._pairwise(_or_nothing if empty else _ratio, other)

    def __matmul__(self, other: Floats) -> Floats:
        if self.shape[0] * self.shape[1] * other.shape[1] > MANY_PRODUCTS:
            import numpy as np

            with np.errstate(all="ignore"):
                return Floats((self.array @ other.array).tolist())
        columns = list(zip(*other.rows, strict=True))
        return Floats([sum(map(mul, row, column)) for column in columns] for row in self.rows)

    def exp(self, base: Base) -> Floats:
        """base^x for every entry, 0 for −∞ whatever the base."""
        logarithm = math.log(_constant(base))
        return self._each(lambda x: 0.0 if x == -math.inf else _exp(x * logarithm))

    def apply(self, function: Function) -> Floats:
        """A function of every entry; nan where it has no value."""
        return self._each(partial(_applied, getattr(math, MATH[function])))

    def maximum(self, other: Floats) -> Floats:
        """The larger of two entries."""
        return self._pairwise(max, other)

    def exceeds(self, other: Floats) -> Floats:
        """1 where an entry is greater by more than what float64 rounds."""
        return self._pairwise(_exceeds, other)

    def reduce(self, how: Reduction) -> Floats:
        """Each row to its sum or its greatest entry."""
        return Floats([_REDUCED[how](row)] for row in self.rows)

    def finite(self) -> Floats:
        """0 in place of −∞."""
        return self._each(lambda x: 0.0 if x == -math.inf else x)

    # ── place ───────────────────────────────────────────────────────────────────────────────────

    @property
    def T(self) -> Floats:
        """The transpose."""
        return Floats(zip(*self.rows, strict=True))

    def beside(self, others: Sequence[Floats]) -> Floats:
        """Matrices set side by side."""
        return Floats(
            [x for part in parts for x in part] for parts in zip(self.rows, *(o.rows for o in others), strict=True)
        )

    def columns(self, start: int, stop: int) -> Floats:
        """A block of columns."""
        return Floats(row[start:stop] for row in self.rows)

    # ── in one go ───────────────────────────────────────────────────────────────────────────────

    def softmax(self, base: Base) -> Floats:
        """Powers over their sum, each row less its maximum first, so that no power overflows."""
        tops = (max((x for x in row if math.isfinite(x)), default=0.0) for row in self.rows)
        powers = Floats([x - top for x in row] for row, top in zip(self.rows, tops, strict=True)).exp(base)
        totals = (sum(row) for row in powers.rows)
        return Floats([x / total if total else x for x in row] for row, total in zip(powers.rows, totals, strict=True))

    def share(self) -> Floats:
        """Each entry over the sum of its row, −∞ counting as nothing; a row of nothing has zeros."""
        nothing = [all(x == -math.inf for x in row) for row in self.rows]
        rows = zip(nothing, self.finite().rows, strict=True)
        return Floats(row if empty else [_ratio(x, sum(row)) for x in row] for empty, row in rows)

    def sigmoid(self) -> Floats:
        """1/(1 + e^(−x)), which no power overflows in: 1/∞ is 0."""
        return self._each(lambda x: 1.0 / (1.0 + _exp(-x)))

    kernels: ClassVar = {"softmax": softmax, "share": share, "sigmoid": sigmoid}


MATH: dict[Function, str] = {"ln": "log", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tanh": "tanh", "erf": "erf"}
_REDUCED: dict[Reduction, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "max": lambda row: max((x for x in row if x != -math.inf), default=0.0),
}


def _applied(function: Callable[[float], float], x: float) -> float:
    try:
        return function(x)
    except ValueError:
        return math.nan


def _times(x: float, y: float) -> float:
    """x · y, −∞ staying −∞ unless it is nothing times."""
    if -math.inf in (x, y):
        return 0.0 if 0.0 in (x, y) else -math.inf
    return x * y


def _exceeds(x: float, y: float) -> float:
    return float(x > y and not math.isclose(x, y, rel_tol=ROUNDING, abs_tol=ROUNDING))


def _or_nothing(x: float, y: float) -> float:
    return 0.0 if x == y == 0.0 else _ratio(x, y)


def _ratio(over: float, under: float) -> float:
    """over / under, −∞ staying −∞; nan where that is 0, or so near to it that float64 has lost digits of it."""
    if over == -math.inf:
        return over
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


def to_float(number: Cell | Euler) -> float:
    """A number as a float, infinite beyond its range; its symbols take their sample values."""
    if isinstance(number, Euler):
        return math.e
    if isinstance(number, Surd):
        return to_float(number.factor) * _root(number.inside)
    if isinstance(number, Quotient) or letters(number):
        number = _sampled(number)
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _root(number: int) -> float:
    try:
        return math.sqrt(number)
    except OverflowError:
        return math.inf


def _sampled(cell: Cell) -> Ball:
    """A number or closed form at the sample values of its symbols, to more digits than a float has."""
    symbols = letters(cell)
    point = {}
    if symbols:
        from attnsolve.numbers import symbolic

        point = symbolic.sample_point(symbols)
    with at_precision(BITS):
        return ball(cell, point).mid()
