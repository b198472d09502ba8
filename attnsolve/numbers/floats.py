"""Plain float64 matrices: the second opinion that every solution is held against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Floats:
    """A NumPy matrix with the methods of the other tiers."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.shape: tuple[int, int] = (array.shape[0], array.shape[1])

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]]) -> Floats:
        """From the numbers of a problem; symbols take their sample values."""
        return cls(np.array([[to_float(x) for x in row] for row in rows], dtype=np.float64))

    @property
    def T(self) -> Floats:
        """The transpose."""
        return Floats(self.array.T)

    def __matmul__(self, other: Floats) -> Floats:
        return Floats(self.array @ other.array)

    def __add__(self, other: Floats) -> Floats:
        return Floats(self.array + other.array)

    def divided(self, divisor: sympy.Expr) -> Floats:
        """Every entry divided by a number; −∞ stays what it is."""
        return Floats(np.where(np.isneginf(self.array), self.array, self.array / to_float(divisor)))

    def finite(self) -> Floats:
        """0 in place of −∞."""
        return Floats(np.where(np.isinf(self.array), 0.0, self.array))

    def steadied(self, base: sympy.Expr) -> Floats:
        """Each row less its maximum, so that no power overflows."""
        return self.less_maximum()

    def less_maximum(self) -> Floats:
        """Each row minus its greatest entry."""
        top = self.array.max(axis=1, keepdims=True)
        return Floats(self.array - np.where(np.isfinite(top), top, 0.0))

    def powers(self, base: sympy.Expr) -> Floats:
        """base^x for every entry, 0 for −∞ whatever the base."""
        powers = np.power(float(base), self.array) if base is not sympy.E else np.exp(self.array)
        return Floats(np.where(np.isneginf(self.array), 0.0, powers))

    def shares(self) -> Floats:
        """Each entry over the sum of its row, −∞ counting as nothing."""
        return self.finite().normalised()

    def normalised(self) -> Floats:
        """Each row divided by its sum; a row of nothing but zeros stays as it is."""
        total = self.array.sum(axis=1, keepdims=True)
        return Floats(self.array / np.where(total == 0, 1.0, total))

    def beside(self, others: Sequence[Floats]) -> Floats:
        """Matrices set side by side."""
        return Floats(np.hstack([self.array, *(other.array for other in others)]))

    def columns(self, start: int, stop: int) -> Floats:
        """A block of columns."""
        return Floats(self.array[:, start:stop])


def to_float(number: Any) -> float:
    """A number as a float; its symbols take their sample values."""
    if isinstance(number, sympy.Basic) and number.free_symbols:
        number = number.subs({symbol: sample(symbol) for symbol in number.free_symbols})
    try:
        return int(number.p) / int(number.q) if isinstance(number, sympy.Rational) else float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def sample(symbol: sympy.Symbol) -> sympy.Rational:
    """The value at which a symbolic result is tried out: arbitrary, but always the same for a name."""
    value = sympy.Rational(17 + sum(map(ord, symbol.name)) % 31, 16)
    return -value if symbol.is_negative else value
