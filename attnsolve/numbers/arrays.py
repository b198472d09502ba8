"""Large float64 matrices as NumPy arrays, for problems with `numbers: float`: fast, and without any proof of digits.

No primitive writes over what it was given, since a definition may use that again. A kernel may write over what it has
made itself: a softmax of 4096 × 4096 scores takes one new matrix, not three.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import erf, log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from attnsolve.errors import UnsolvableError
from attnsolve.numbers.closed import Base
from attnsolve.numbers.decimals import Decimal, round_fraction
from attnsolve.numbers.floats import to_float
from attnsolve.numbers.matrix import Function, Numeric, Reduction
from attnsolve.numbers.surds import Rows

Array = NDArray[np.float64]
ROUNDING = 1e-12
"""A sum that is smaller than this beside its terms is taken for 0."""
MOST_DIGITS = 17
"""Significant digits that tell any float64 from any other."""


class Arrays(Numeric):
    """A matrix of floats as one array. What float64 can't hold becomes infinite, or nan."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.shape: tuple[int, int] = (array.shape[0], array.shape[1])

    @classmethod
    def of(cls, rows: Rows) -> Arrays:
        """From the numbers of a problem, which are arrays already where it was read as floats."""
        return rows if isinstance(rows, Arrays) else cls(np.array([[to_float(x) for x in row] for row in rows]))

    @property
    def rows(self) -> Array:
        """The entries, row by row."""
        return self.array

    def equals(self, other: Arrays) -> bool:
        """Whether every entry is the same."""
        return bool(np.array_equal(self.array, other.array))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, row: int) -> Array:
        found: Array = self.array[row]
        return found

    # ── arithmetic ──────────────────────────────────────────────────────────────────────────────

    def __add__(self, other: Arrays) -> Arrays:
        return Arrays(np.add(self.array, other.array))

    def __mul__(self, other: Arrays) -> Arrays:
        hidden = np.isneginf(self.array) | np.isneginf(other.array)
        nothing = (self.array == 0) | (other.array == 0)
        with np.errstate(invalid="ignore"):  # 0 times −∞ is put right below
            found = np.multiply(self.array, other.array)
        if hidden.any():
            found[hidden] = np.where(nothing, 0.0, -np.inf)[hidden]
        return Arrays(found)

    def divide(self, other: Arrays, *, empty: bool = False) -> Arrays:
        """Entry by entry; −∞ stays what it is, and what is divided by 0 is nan."""
        hidden = np.isneginf(self.array)
        divisors = np.where(other.array == 0, np.where(self.array == 0, 1.0, np.nan) if empty else np.nan, other.array)
        found = np.divide(self.array, divisors)
        if hidden.any():
            found[np.broadcast_to(hidden, found.shape)] = -np.inf
        return Arrays(found)

    def __matmul__(self, other: Arrays) -> Arrays:
        return Arrays(self.array @ other.array)

    def exp(self, base: Base) -> Arrays:
        """base^x for every entry, 0 for −∞ whatever the base."""
        logarithm = log(to_float(base))
        return Arrays(np.exp(self.array if logarithm == 1.0 else self.array * logarithm))

    def apply(self, function: Function) -> Arrays:
        """A function of every entry; nan where it has no value."""
        return Arrays(FUNCTIONS[function](self.array))

    def maximum(self, other: Arrays) -> Arrays:
        """The larger of two entries."""
        return Arrays(np.maximum(self.array, other.array))

    def exceeds(self, other: Arrays) -> Arrays:
        """1 where an entry is greater by more than what float64 rounds."""
        greater = self.array > other.array
        close = np.isclose(self.array, other.array, rtol=ROUNDING, atol=ROUNDING)
        return Arrays((greater & ~close).astype(np.float64))

    def reduce(self, how: Reduction) -> Arrays:
        """Each row to its sum or its greatest entry."""
        if how == "sum":
            return Arrays(self.array.sum(axis=1, keepdims=True))
        return Arrays(_tops(self.array))

    def finite(self) -> Arrays:
        """0 in place of −∞."""
        return Arrays(np.where(np.isneginf(self.array), 0.0, self.array))

    # ── place ───────────────────────────────────────────────────────────────────────────────────

    @property
    def T(self) -> Arrays:
        """The transpose."""
        return Arrays(self.array.T)

    def beside(self, others: Sequence[Arrays]) -> Arrays:
        """Matrices set side by side."""
        return Arrays(np.hstack([self.array, *(other.array for other in others)]))

    def columns(self, start: int, stop: int) -> Arrays:
        """A block of columns."""
        return Arrays(self.array[:, start:stop])

    # ── in one go ───────────────────────────────────────────────────────────────────────────────

    def softmax(self, base: Base) -> Arrays:
        """Powers over their sum, each row less its maximum first, so that no power overflows."""
        powers = np.subtract(self.array, _tops(self.array))
        if (logarithm := log(to_float(base))) != 1.0:
            np.multiply(powers, logarithm, out=powers)
        return _normalised(np.exp(powers, out=powers))

    def share(self) -> Arrays:
        """Each entry over the sum of its row, −∞ counting as nothing; a row that sums to 0 has no shares, and float64
        doesn't tell 0 from what rounding leaves of it."""
        finite = self.finite()
        scale = abs(finite.array).max(axis=1)
        none = (abs(finite.array.sum(axis=1)) <= ROUNDING * scale) & np.isfinite(self.array).any(axis=1)
        if none.any():
            number = int(none.argmax()) + 1
            raise UnsolvableError(f"the scores of row {number} sum to 0, so they can't be divided by their sum")
        return _normalised(finite.array)

    def sigmoid(self) -> Arrays:
        """1/(1 + e^(−x)), which no power overflows in: 1/∞ is 0."""
        with np.errstate(over="ignore"):
            return Arrays(1.0 / (1.0 + np.exp(-self.array)))

    kernels: ClassVar = {"softmax": softmax, "share": share, "sigmoid": sigmoid}


def _normalised(array: Array) -> Arrays:
    """Each row divided by its sum, in place; a row of nothing but zeros stays as it is."""
    totals = array.sum(axis=1, keepdims=True)
    totals[totals == 0] = 1.0
    return Arrays(np.divide(array, totals, out=array))


def _tops(array: Array) -> Array:
    """The greatest entry of each row; 0 where there is nothing but −∞."""
    top: Array = array.max(axis=1, keepdims=True)
    top[np.isinf(top)] = 0.0
    return top


def _erf(array: Array) -> Array:
    found: Array = np.vectorize(erf, otypes=[np.float64])(array)
    return found


FUNCTIONS: dict[Function, Callable[[Array], Array]] = {
    "ln": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "erf": _erf,
}


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
