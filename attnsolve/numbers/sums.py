"""Sums of powers of one base, Σ c·b^p, and quotients of two of them: the arithmetic of closed forms and of claims.

A sum maps each exponent to its coefficient, none of which is 0. Exponents and coefficients are numbers (`closed`) or
rational functions of letters (`algebra.scalars`); a ring knows how those are added and multiplied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import mul, truediv
from typing import Generic, Protocol, Self, TypeVar

T = TypeVar("T")
X = TypeVar("X")
Sum = Mapping[T, T]


class CoefficientRing(Protocol[T]):
    """How coefficients and exponents are added and multiplied, and which sums are too long to be, or come to 0."""

    unit: Sum[T]

    def add(self, left: T, right: T, /) -> T: ...
    def multiply(self, left: T, right: T, /) -> T: ...
    def power(self, exponent: T) -> tuple[T, T]: ...
    def times(self, left: Sum[T], right: Sum[T]) -> Sum[T]: ...
    def is_zero(self, terms: Sum[T]) -> bool: ...


def collected(ring: CoefficientRing[T], terms: Iterable[tuple[T, T]]) -> Sum[T]:
    """A sum from its terms, those with the same exponent put together where the first of them stands."""
    found: dict[T, T] = {}
    for exponent, coefficient in terms:
        before = found.get(exponent)
        found[exponent] = coefficient if before is None else ring.add(before, coefficient)
    return found if all(found.values()) else {e: c for e, c in found.items() if c}


def total(ring: CoefficientRing[T], sums: Iterable[Sum[T]]) -> Sum[T]:
    """The sum of several."""
    return collected(ring, (term for terms in sums for term in terms.items()))


def product(ring: CoefficientRing[T], left: Sum[T], right: Sum[T]) -> Sum[T]:
    """Two sums multiplied term by term."""
    if left is ring.unit or right is ring.unit:
        return right if left is ring.unit else left
    pairs = ((ring.add(e, f), ring.multiply(c, d)) for e, c in left.items() for f, d in right.items())
    return collected(ring, pairs)


def normal(ring: CoefficientRing[T], terms: Sum[T]) -> Sum[T]:
    """A sum with every power in its normal form."""
    powers = ((c, *ring.power(e)) for e, c in terms.items())
    return collected(ring, ((exponent, ring.multiply(c, factor)) for c, exponent, factor in powers))


class Ratio(Generic[T]):
    """A quotient of two sums."""

    def __init__(self, ring: CoefficientRing[T], over: Sum[T], under: Sum[T]) -> None:
        self.ring = ring
        self.over = over
        self.under = under

    def _with(self, over: Sum[T], under: Sum[T]) -> Self:
        return type(self)(self.ring, over, under)

    def is_over_the_same(self, other: Self) -> bool:
        """Whether the two have one denominator."""
        return self.under is other.under or (self.ring is other.ring and self.under == other.under)

    def __add__(self, other: Self) -> Self:
        ring = self.ring
        if not self.over or not other.over:
            return self if self.over else other
        if self.is_over_the_same(other):
            return self._with(total(ring, (self.over, other.over)), self.under)
        over = total(ring, (ring.times(self.over, other.under), ring.times(other.over, self.under)))
        return self._with(over, ring.times(self.under, other.under))

    def __mul__(self, other: Self) -> Self:
        if not self.over or not other.over:
            return self._with({}, self.ring.unit)
        return self._with(self.ring.times(self.over, other.over), self.ring.times(self.under, other.under))

    def __truediv__(self, other: Self) -> Self:
        return self * other.inverse()

    def inverse(self) -> Self:
        """1 / this."""
        if self.ring.is_zero(self.over):
            raise ZeroDivisionError
        return self._with(self.under, self.over)

    def valued(self, number: Callable[[T], X], power: Callable[[T], X], total: Callable[[Iterable[X]], X]) -> X:
        """What it comes to with other things for its coefficients and powers: balls, expressions."""
        over, under = (total(map(mul, map(number, s.values()), map(power, s))) for s in (self.over, self.under))
        value: X = truediv(over, under)
        return value
