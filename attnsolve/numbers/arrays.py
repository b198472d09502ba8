"""Large float64 matrices as NumPy arrays, for problems with `numbers: float`: fast, and without any proof of digits.

A result that no quantity holds yet is `fresh`, and the next operation may write over it: a softmax of 4096 × 4096
scores takes one new matrix, not three. `kept` marks what a quantity holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnsolve.errors import UnsolvableError
from attnsolve.numbers.decimals import Decimal, round_fraction
from attnsolve.numbers.floats import to_float

Array = NDArray[np.float64]
ROUNDING = 1e-12
"""A sum that is smaller than this beside its terms is taken for 0."""
MOST_DIGITS = 17
"""Significant digits that tell any float64 from any other."""


class Arrays:
    """A matrix with the methods of the other tiers. What float64 can't hold becomes infinite, or nan."""

    def __init__(self, array: Array, *, fresh: bool = False) -> None:
        self.array = array
        self.fresh = fresh
        self.shape: tuple[int, int] = (array.shape[0], array.shape[1])

    @classmethod
    def of(cls, rows: Any) -> Arrays:
        """From the numbers of a problem, which are arrays already where it was read as floats."""
        return rows if isinstance(rows, Arrays) else cls(np.array([[to_float(x) for x in row] for row in rows]))

    def kept(self) -> Arrays:
        """The same, not to be written over."""
        return Arrays(self.array)

    @property
    def rows(self) -> Array:
        """The entries, row by row."""
        return self.array

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, row: int) -> Array:
        found: Array = self.array[row]
        return found

    @property
    def _out(self) -> Array | None:
        """Where a result of the same shape may go."""
        return self.array if self.fresh else None

    @property
    def T(self) -> Arrays:
        """The transpose."""
        return Arrays(self.array.T)

    def __matmul__(self, other: Arrays) -> Arrays:
        return Arrays(self.array @ other.array, fresh=True)

    def __add__(self, other: Arrays) -> Arrays:
        return Arrays(np.add(self.array, other.array, out=self._out), fresh=True)

    def divided(self, divisor: Any) -> Arrays:
        """Every entry divided by a number; −∞ stays what it is."""
        number = to_float(divisor)
        found = np.divide(self.array, number, out=self._out)
        if number < 0:
            found[np.isinf(found)] = -np.inf
        return Arrays(found, fresh=True)

    def finite(self) -> Arrays:
        """0 in place of −∞."""
        return Arrays(np.where(np.isinf(self.array), 0.0, self.array), fresh=True)

    def steadied(self, base: Any) -> Arrays:
        """Each row less its maximum, so that no power overflows."""
        return self.less_maximum()

    def less_maximum(self) -> Arrays:
        """Each row minus its greatest entry; a row of nothing but −∞ stays as it is."""
        top = self.array.max(axis=1, keepdims=True)
        top[np.isinf(top)] = 0.0
        return Arrays(np.subtract(self.array, top, out=self._out), fresh=True)

    def powers(self, base: Any) -> Arrays:
        """base^x for every entry, 0 for −∞ whatever the base."""
        logarithm = log(to_float(base))
        out = self._out
        exponents = self.array if logarithm == 1.0 else np.multiply(self.array, logarithm, out=out)
        return Arrays(np.exp(exponents, out=out), fresh=True)

    def exponentials(self, base: Any) -> Arrays:
        """base^x for every entry, to be worked with further."""
        return self.powers(base)

    def tanh(self) -> Arrays:
        """The hyperbolic tangent of every entry."""
        return Arrays(np.tanh(self.array, out=self._out), fresh=True)

    def norms(self) -> Arrays:
        """The length of every row, as one row."""
        return Arrays(np.linalg.norm(self.array, axis=1)[np.newaxis, :], fresh=True)

    def over(self, other: Arrays) -> Arrays:
        """Every entry divided by the one in the same place; nan where that is 0."""
        divisors = np.where(other.array == 0, np.nan, other.array)
        return Arrays(np.divide(self.array, divisors, out=self._out), fresh=True)

    def shares(self) -> Arrays:
        """Each entry over the sum of its row, −∞ counting as nothing; a row that sums to 0 has no shares, and float64
        doesn't tell 0 from what rounding leaves of it."""
        finite = self.finite()
        scale = abs(finite.array).max(axis=1)
        none = (abs(finite.array.sum(axis=1)) <= ROUNDING * scale) & np.isfinite(self.array).any(axis=1)
        if none.any():
            number = int(none.argmax()) + 1
            raise UnsolvableError(f"the scores of row {number} sum to 0, so they can't be divided by their sum")
        return finite.normalised()

    def normalised(self) -> Arrays:
        """Each row divided by its sum; a row of nothing but zeros stays as it is."""
        totals = self.array.sum(axis=1, keepdims=True)
        totals[totals == 0] = 1.0
        return Arrays(np.divide(self.array, totals, out=self._out), fresh=True)

    def beside(self, others: Sequence[Arrays]) -> Arrays:
        """Matrices set side by side."""
        return Arrays(np.hstack([self.array, *(other.array for other in others)]), fresh=True)

    def columns(self, start: int, stop: int) -> Arrays:
        """A block of columns."""
        return Arrays(self.array[:, start:stop])


def round_float(value: float, figures: int) -> Decimal:
    """A finite float64 to so many significant figures, ties away from zero; one that needs no more is given whole."""
    figures = min(figures, MOST_DIGITS)
    size = abs(value)
    if float(f"{size:.{figures}e}") == size or size.is_integer():  # it may be a tie, or whole with so many figures
        return round_fraction(Fraction(value), figures)
    mantissa, _, exponent = f"{size:.{figures - 1}e}".partition("e")
    return Decimal(value < 0, mantissa.replace(".", ""), int(exponent), False)


def decimal_text(value: float, figures: int | None = None) -> str:
    """A float64 as text: to so many figures, or (None) the shortest that reads back as the same float."""
    if figures is None or not np.isfinite(value):
        return repr(value)
    return str(round_float(value, figures))
