"""float64 matrices that know how far off they can be: each operation carries a bound of its error along.

The bounds are those of a textbook on rounding errors (Higham, Accuracy and Stability of Numerical Algorithms, ch. 3): a
basic operation is off by half a unit in the last place at most, a dot product of n terms by n·u/(1 − n·u) of the sum of
the terms' sizes, and NumPy's exp, log and tanh by 4 units. EPS is a whole unit, twice what is needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from shared.written import Array, Matrix

EPS = 2.0**-52
FUNCTION = 4 * EPS
TINY = 1e-300
"""What vanishes below the smallest float."""


class Undecided(Exception):
    """float64 can't tell which way this goes, so there is nothing to compare with."""


class ZeroSum(Exception):
    """Scores that are divided by their sum have the sum 0."""


@dataclass(frozen=True)
class Bounded:
    """Values, and how far each may be from the truth."""

    value: Array
    error: Array

    @classmethod
    def of(cls, matrix: Matrix) -> Bounded:
        """Numbers as they are written; a surd is worked out in a few operations."""
        value = np.array([[number.value for number in row] for row in matrix])
        return cls(value, np.where(np.isfinite(value), 4 * EPS * np.abs(np.where(np.isfinite(value), value, 0)), 0.0))

    @property
    def T(self) -> Bounded:
        return Bounded(self.value.T, self.error.T)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def is_finite(self) -> Array:
        return np.isfinite(self.value)

    def __getitem__(self, place: object) -> Bounded:
        return Bounded(self.value[place], self.error[place])

    def __matmul__(self, other: Bounded) -> Bounded:
        size, length = np.abs(self.value) @ np.abs(other.value), self.shape[1]
        carried = np.abs(self.value) @ other.error + self.error @ (np.abs(other.value) + other.error)
        return Bounded(self.value @ other.value, carried + (length + 1) * EPS * size)

    def __add__(self, other: Bounded) -> Bounded:
        value = self.value + other.value
        return Bounded(value, np.where(np.isfinite(value), self.error + other.error + EPS * _finite(value), 0.0))

    def __truediv__(self, other: Bounded) -> Bounded:
        """Entry by entry; the divisors are known to be away from 0."""
        room = np.abs(other.value) - other.error
        if np.any(room <= 0):
            raise Undecided
        value = self.value / other.value
        off = (self.error + _finite(value) * other.error) / room + EPS * _finite(value)
        return Bounded(value, np.where(np.isfinite(value), off, 0.0))

    def square_root(self) -> Bounded:
        if np.any(self.value <= self.error):
            raise Undecided
        value = np.sqrt(self.value)
        return Bounded(value, self.error / value + EPS * value)

    def tanh(self) -> Bounded:
        """Its slope is 1 at most."""
        value = np.tanh(self.value)
        return Bounded(value, self.error + FUNCTION * np.abs(value))

    def softmax(self, base: float) -> Bounded:
        """Row by row. Any number may be taken off a row, so the float maximum is taken as it is, without an error."""
        allowed = self.is_finite
        top = np.max(np.where(allowed, self.value, -1e300), axis=1, keepdims=True)
        shifted = np.where(allowed, self.value - top, 0.0)
        exponent, log = shifted * math.log(base), math.log(base)
        off = (self.error + EPS * np.abs(shifted)) * log + FUNCTION * np.abs(exponent)
        if np.any(off > 1e-3):
            raise Undecided
        power = np.where(allowed, np.exp(exponent), 0.0)
        error = np.where(allowed, power * (np.expm1(off) + FUNCTION) + TINY, 0.0)
        return Bounded(power, error).shares(allowed)

    def sum_shares(self) -> Bounded:
        """Each score's share of its row's sum."""
        allowed = self.is_finite
        return Bounded(np.where(allowed, self.value, 0.0), np.where(allowed, self.error, 0.0)).shares(allowed)

    def shares(self, allowed: Array) -> Bounded:
        total = self.value.sum(axis=1, keepdims=True)
        size = np.abs(self.value).sum(axis=1, keepdims=True)
        off = self.error.sum(axis=1, keepdims=True) + self.shape[1] * EPS * size
        some = allowed.any(axis=1, keepdims=True)
        if np.any(some & (size <= off)):
            raise Undecided  # 0/0
        if np.any(some & (np.abs(total) <= off)):
            raise ZeroSum
        value = self.value / np.where(some, total, 1.0)
        room = np.where(some, np.abs(total) - off, 1.0)
        if np.any(off > 1e-3 * room):
            raise Undecided
        return Bounded(value, np.where(some, (self.error + np.abs(value) * off) / room + EPS * np.abs(value), 0.0))

    def rounded(self, places: int) -> Bounded:
        """Half away from zero; near a tie float64 does not know which side."""
        units = _finite(self.value) * 10.0**places
        if np.any(np.abs(units - np.floor(units) - 0.5) <= (self.error + EPS * _finite(self.value)) * 10.0**places):
            raise Undecided
        value = np.sign(np.where(self.is_finite, self.value, 0)) * np.floor(units + 0.5) / 10.0**places
        return Bounded(np.where(self.is_finite, value, self.value), EPS * np.abs(value))


def _finite(value: Array) -> Array:
    """The sizes of what is finite, 0 for the rest."""
    return np.abs(np.where(np.isfinite(value), value, 0.0))


def beside(matrices: Sequence[Bounded]) -> Bounded:
    return Bounded(np.hstack([m.value for m in matrices]), np.hstack([m.error for m in matrices]))


def below(matrices: Sequence[Bounded]) -> Bounded:
    return beside([matrix.T for matrix in matrices]).T


def number(value: float) -> Bounded:
    return Bounded(np.array([[value]]), np.array([[4 * EPS * abs(value)]]))


# ── printed digits ────────────────────────────────────────────────────────────────────────────────


def last_half(text: str, figures: int) -> Fraction:
    """Half a unit of the last place of a decimal of so many figures; 0 where it has fewer (or more, a whole number),
    since then nothing was rounded away."""
    mantissa, _, exponent = text.partition("e")
    digits = mantissa.lstrip("-").replace(".", "").lstrip("0")
    if len(digits) != figures:
        return Fraction(0)
    places = len(mantissa.partition(".")[2])
    return Fraction(10) ** (int(exponent or 0) - places) / 2


def assert_printed(text: str, value: float, error: float, half: Fraction) -> None:
    """A printed number is as near to the truth as its digits say, as far as float64 knows the truth."""
    if not math.isfinite(value):
        assert text == "-inf", (text, value)
        return
    assert abs(Fraction(text) - Fraction(value)) <= half + Fraction(error), (text, value, error)
