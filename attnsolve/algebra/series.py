"""Series in a quantity s that tends to 0 from above, with scalars before its powers: what a limit is read off."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve.numbers import Unavailable

if TYPE_CHECKING:
    from attnsolve.algebra.scalars import Field, FieldElement
    from attnsolve.algebra.signs import Judge

LENGTH = 16
"""How many terms of a series are kept."""


class Series:
    """Σ terms[k] · s^(order + k), and nothing is known of what comes after these."""

    def __init__(self, ring: Field, order: int, terms: Sequence[FieldElement]) -> None:
        self.ring = ring
        self.order = order
        self.terms = list(terms[:LENGTH])

    @classmethod
    def short(cls, ring: Field, order: int, *terms: FieldElement) -> Series:
        """One that ends after its first terms."""
        return cls(ring, order, [*terms, *[ring.zero] * (LENGTH - len(terms))])

    @property
    def end(self) -> int:
        """The first power of which nothing is known."""
        return self.order + len(self.terms)

    def term(self, power: int) -> FieldElement:
        """What stands before a power."""
        if power >= self.end:
            raise Unavailable
        return self.terms[power - self.order] if power >= self.order else self.ring.zero

    def __add__(self, other: Series) -> Series:
        order, end = min(self.order, other.order), min(self.end, other.end)
        return Series(self.ring, order, [self.term(k) + other.term(k) for k in range(order, end)])

    def __neg__(self) -> Series:
        return Series(self.ring, self.order, [-x for x in self.terms])

    def __mul__(self, other: Series) -> Series:
        length = min(len(self.terms), len(other.terms))
        terms = [self.ring.zero] * length
        for i, x in enumerate(self.terms[:length]):
            for j, y in enumerate(other.terms[: length - i]):
                if x.over and y.over:
                    terms[i + j] = terms[i + j] + x * y
        return Series(self.ring, self.order + other.order, terms)

    def trimmed(self, signs: Judge) -> Series:
        """From its first term that is not 0."""
        for start, x in enumerate(self.terms):
            if not self.ring.is_zero(x.over) and signs.of(x):
                return Series(self.ring, self.order + start, self.terms[start:])
        raise Unavailable

    def inverse(self) -> Series:
        """1 / this, which is trimmed."""
        first, *rest = self.terms
        found = [self.ring.one / first]
        for k in range(1, len(self.terms)):
            products = (rest[j] * found[k - 1 - j] for j in range(k) if rest[j].over)
            found.append(-sum(products, self.ring.zero) / first)
        return Series(self.ring, -self.order, found)

    def exp(self, length: int) -> Series:
        """The first terms of e to this power, of which only what tends to a number is taken: (e^f)' = f' e^f."""
        terms = [self.term(k) for k in range(min(self.end, length))]
        found = [self.ring.one]
        for k in range(1, len(terms)):
            products = (self._times(terms[j] * found[k - j], Fraction(j, k)) for j in range(1, k + 1) if terms[j].over)
            found.append(sum(products, self.ring.zero))
        start = terms[0].exp()
        return Series(self.ring, 0, [start * x for x in found])

    def sqrt(self) -> Series:
        """The root of this, which is trimmed and positive: (f²)' = 2 f f' gives term by term."""
        if self.order % 2:
            raise Unavailable
        first = self.terms[0].sqrt()
        found = [first]
        for k in range(1, len(self.terms)):
            known = sum((found[j] * found[k - j] for j in range(1, k)), self.ring.zero)
            found.append((self.terms[k] - known) / (first + first))
        return Series(self.ring, self.order // 2, found)

    def log(self) -> Series:
        """The logarithm of this, which is trimmed, positive and tends to a number."""
        if self.order:
            raise Unavailable
        inverse = self.inverse()
        slope = Series(self.ring, 0, [self._times(x, Fraction(k)) for k, x in enumerate(self.terms)]) * inverse
        found = [self._times(x, Fraction(1, k)) for k, x in enumerate(slope.terms) if k]
        return Series(self.ring, 0, [self.terms[0].log(), *found])

    def _times(self, scalar: FieldElement, factor: Fraction) -> FieldElement:
        return scalar * self.ring.number(factor)
