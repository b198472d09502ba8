"""Rational functions of some letters, in lowest terms, on FLINT's polynomials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

Polynomial = fmpq_mpoly
"""One of FLINT's, with rational coefficients."""
Monomial = tuple[int, ...]


class RationalFunctions:
    """The field of rational functions of so many letters."""

    def __init__(self, letters: int) -> None:
        self.context = fmpq_mpoly_ctx.get(("x", max(letters, 1)), Ordering.lex)
        self.unit = self.context.constant(1)
        self.zero, self.one = self.number(0), self.number(1)
        self.generators = [RationalFunction(self, x, self.unit) for x in self.context.gens()[:letters]]

    def number(self, value: int | Fraction) -> RationalFunction:
        """A rational number."""
        return RationalFunction(self, self.context.constant(fmpq(value.numerator, value.denominator)), self.unit)

    def polynomial(self, terms: Mapping[Monomial, fmpq]) -> RationalFunction:
        """A polynomial from its terms."""
        return RationalFunction(self, self.context.from_dict(dict(terms)), self.unit)

    def whole(self, polynomial: Polynomial) -> RationalFunction:
        """A polynomial, over 1."""
        return RationalFunction(self, polynomial, self.unit)

    def quotient(self, over: Polynomial, under: Polynomial) -> RationalFunction:
        """over / under in the one form it has: no common factor, and 1 before the first term below."""
        if over.is_zero():
            return self.zero
        if not over.is_constant() and not under.is_constant():
            common = over.gcd(under)
            if not common.is_constant():
                over, under = over / common, under / common
        first = under.leading_coefficient()
        return (
            RationalFunction(self, over / first, under / first) if first != 1 else RationalFunction(self, over, under)
        )


class RationalFunction:
    """over / under: polynomials without a common factor, the lower one with 1 before its first term."""

    def __init__(self, ring: RationalFunctions, over: Polynomial, under: Polynomial) -> None:
        self.ring = ring
        self.over = over
        self.under = under

    @property
    def is_polynomial(self) -> bool:
        """Whether nothing stands below."""
        return bool(self.under.is_constant())

    def __bool__(self) -> bool:
        return not self.over.is_zero()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            return self.constant == other
        return isinstance(other, RationalFunction) and bool(self.over == other.over and self.under == other.under)

    @cached_property
    def _key(self) -> int:
        return hash(tuple((m, int(c.p), int(c.q)) for part in (self.over, self.under) for m, c in part.terms()))

    def __hash__(self) -> int:
        return self._key

    def __neg__(self) -> RationalFunction:
        return RationalFunction(self.ring, -self.over, self.under)

    def __add__(self, other: RationalFunction) -> RationalFunction:
        if self.is_polynomial and other.is_polynomial:
            return RationalFunction(self.ring, self.over + other.over, self.under)
        if self.under == other.under:
            return self.ring.quotient(self.over + other.over, self.under)
        over = self.over * other.under + other.over * self.under
        return self.ring.quotient(over, self.under * other.under)

    def __sub__(self, other: RationalFunction) -> RationalFunction:
        return self + -other

    def __mul__(self, other: RationalFunction) -> RationalFunction:
        if self.is_polynomial and other.is_polynomial:
            return RationalFunction(self.ring, self.over * other.over, self.under)
        return self.ring.quotient(self.over * other.over, self.under * other.under)

    def __truediv__(self, other: RationalFunction) -> RationalFunction:
        if not other:
            raise ZeroDivisionError
        return self.ring.quotient(self.over * other.under, self.under * other.over)

    def __pow__(self, power: int) -> RationalFunction:
        if power < 0:
            return self.ring.one / self**-power
        return RationalFunction(self.ring, self.over**power, self.under**power)

    @property
    def constant(self) -> Fraction | None:
        """Its value, if it has no letters."""
        if not self.is_polynomial or not self.over.is_constant():
            return None
        value = self.over.leading_coefficient() if self else fmpq(0)
        return Fraction(int(value.p), int(value.q))

    def slope(self, place: int) -> RationalFunction:
        """Its derivative in a letter, by the letter's place."""
        over = self.over.derivative(place) * self.under - self.over * self.under.derivative(place)
        return self.ring.quotient(over, self.under * self.under)

    @property
    def letters(self) -> set[int]:
        """The places of the letters that stand in it."""
        return letters_of(self.over) | letters_of(self.under)


def letters_of(polynomial: Polynomial) -> set[int]:
    """The places of the letters that stand in a polynomial."""
    return {place for place, degree in enumerate(polynomial.degrees()) if degree > 0}


def terms_of(polynomial: Polynomial) -> Iterator[tuple[Monomial, Fraction]]:
    """The terms of a polynomial: the exponents of the letters, and what stands before them."""
    for monomial, coefficient in polynomial.terms():
        yield tuple(map(int, monomial)), Fraction(int(coefficient.p), int(coefficient.q))
