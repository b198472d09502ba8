"""The signs of scalars, from what is assumed of their letters: decided, or `UnknownSign` with what they depend on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from attnsolve.algebra.linear import Inequality, impossible
from attnsolve.algebra.rational import Monomial, Polynomial, RationalFunction, letters_of, terms_of
from attnsolve.algebra.scalars import FieldElement
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import at_precision
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.algebra.letters import Symbol
    from attnsolve.algebra.scalars import Field

MOST_MONOMIALS, HIGHEST_DEGREE = 60, 24
"""The sign of a longer polynomial, or of one of a higher degree, is not looked for: it would have to be factored."""
PRECISIONS = (64, 256, 1024, 4096)
"""Bits at which a constant is told from 0."""


class UnknownSign(Unavailable):
    """A sign that what is assumed does not settle: the polynomial whose sign it is."""

    def __init__(self, signs: Signs, polynomial: Polynomial) -> None:
        super().__init__()
        self.signs = signs
        self.polynomial = polynomial


class Judge(Protocol):
    """Whoever knows the signs of scalars."""

    def of(self, scalar: FieldElement) -> int:
        """−1, 0 or 1."""


@record
class Fact(Record):
    """function > 0, or ≥ 0 where it is not strict."""

    function: RationalFunction
    strict: bool = True


class Signs:
    """Signs over one field. `sealed` letters are random or say how a matrix is turned: nothing may hang on them."""

    def __init__(self, ring: Field, facts: Iterable[Fact] = (), sealed: Iterable[Symbol] = ()) -> None:
        self.ring = ring
        self.facts = [fact for fact in facts if fact.function.constant is None]
        self.sealed = {ring.place(ring.generators[symbol]) for symbol in sealed}

    def of(self, scalar: FieldElement) -> int:
        """The sign of a scalar, which has a value."""
        if self.ring.is_zero(scalar.over):
            return 0
        return self._of_sum(scalar.over) * self._of_sum(scalar.under)

    def _of_sum(self, terms: Mapping[RationalFunction, RationalFunction]) -> int:
        """The sign of a sum of exponentials that is not 0 throughout."""
        constants = self.constants
        if all(f.letters <= constants for term in terms.items() for f in term):
            return self._of_number(terms)
        found = {self.of_function(c) for c in terms.values()} - {0}
        if len(found) == 1:
            return found.pop()
        if len(terms) == 2:
            (e, c), (f, d) = terms.items()
            if not c + d:
                return self.of_function(c) * self.of_function(e - f)
        raise Unavailable

    def _of_number(self, terms: Mapping[RationalFunction, RationalFunction]) -> int:
        """The sign of a number other than 0, by balls."""
        for bits in PRECISIONS:
            with at_precision(bits):
                value = FieldElement(self.ring, terms, self.ring.unit).at({})
                if value > 0 or value < 0:
                    return 1 if value > 0 else -1
        raise Unavailable

    def of_function(self, function: RationalFunction) -> int:
        """The sign of a rational function."""
        function = self.ring.reduced(function)
        return self._of_polynomial(function.over) * self._of_polynomial(function.under)

    def _of_polynomial(self, polynomial: Polynomial) -> int:
        if polynomial.is_constant():
            return _sign(Fraction(0) if polynomial.is_zero() else _fraction(polynomial.leading_coefficient()))
        if len(polynomial) > MOST_MONOMIALS or polynomial.total_degree() > HIGHEST_DEGREE:
            raise Unavailable
        constant, factors = polynomial.factor()
        sign = _sign(_fraction(constant))
        for factor, power in factors:
            sign *= self._of_irreducible(factor) ** int(power)
        return sign

    def _of_irreducible(self, polynomial: Polynomial) -> int:
        wanted = letters_of(polynomial)
        if wanted <= self.constants:
            return self._of_number({self.ring.functions.zero: self.ring.functions.whole(polynomial)})
        if wanted & self.sealed or wanted & {self.ring.place(letter) for letter, _ in self.ring.sums}:
            raise Unavailable
        for sign in (1, -1):
            if not self.allows(-sign * polynomial, strict=False):
                return sign
        if not self.allows(polynomial) and not self.allows(-polynomial):
            return 0
        if sign := _of_quadratic(polynomial):
            return sign
        raise UnknownSign(self, polynomial)

    def allows(self, polynomial: Polynomial, *, strict: bool = True) -> bool:
        """Whether a polynomial may be > 0 (≥ 0 where that is not strict), for all that is known."""
        wanted = Inequality(dict(terms_of(polynomial)), strict)
        known = [Inequality(dict(terms_of(f.over)), s) for f, s in self._facts]
        return not impossible([wanted, *known, *self._bounds({m for row in (wanted, *known) for m in row.unknowns})])

    @cached_property
    def _facts(self) -> list[tuple[RationalFunction, bool]]:
        """What is known, as polynomials: a function has the sign of its numerator times its denominator."""
        whole = self.ring.functions.whole
        return [(whole(fact.function.over * fact.function.under), fact.strict) for fact in self.facts]

    def _bounds(self, monomials: Iterable[Monomial]) -> Iterator[Inequality]:
        """What is known of products of letters alone: squares are not negative, √2 lies between 1.41 and 1.42."""
        for monomial in monomials:
            sign, strict = 1, True
            for place, exponent in enumerate(monomial):
                if exponent:
                    side, apart = self._of_letter(place)
                    sign *= side if exponent % 2 else 1
                    strict &= apart
            if sign:
                yield Inequality({monomial: Fraction(sign)}, strict)
            if sum(monomial) == 1 and monomial.index(1) in self.constants:
                low, high = self._enclosed(monomial.index(1))
                nothing = (0,) * len(monomial)
                yield Inequality({monomial: Fraction(1), nothing: -low}, True)
                yield Inequality({monomial: Fraction(-1), nothing: high}, True)

    def _of_letter(self, place: int) -> tuple[int, bool]:
        """1 if a letter is not negative, −1 if it is not positive, 0 if neither is known; and whether it can't be 0."""
        if place in self.constants:
            low, _ = self._enclosed(place)
            return (1 if low > 0 else -1), True
        symbol = list(self.ring.generators)[place]
        if symbol.is_nonnegative:
            return 1, bool(symbol.is_positive)
        if symbol.is_negative:
            return -1, True
        return self._learnt.get(place, (0, False))

    @cached_property
    def _learnt(self) -> dict[int, tuple[int, bool]]:
        """The signs of letters that follow from the facts about letters by themselves: x > 1 makes x positive."""
        rows = [Inequality(dict(terms_of(f.over)), s) for f, s in self._facts]
        plain = [row for row in rows if all(sum(m) == 1 for m in row.unknowns)]
        found: dict[int, tuple[int, bool]] = {}
        for unknown in {m for row in plain for m in row.unknowns}:
            for sign in (1, -1):
                opposite = {unknown: Fraction(-sign)}
                if impossible([*plain, Inequality(opposite, True)]):
                    found[unknown.index(1)] = sign, impossible([*plain, Inequality(opposite, False)])
        return found

    @property
    def constants(self) -> set[int]:
        """The places of what is no letter but a number: π, and roots and logarithms of numbers."""
        found = {self.ring.place(self.ring.generators[symbol]) for symbol in self.ring.constants}
        for letter, inner, _ in self.ring.letters:
            if inner.letters <= found:
                found.add(self.ring.place(letter))
        return found

    def _enclosed(self, place: int) -> tuple[Fraction, Fraction]:
        """Two numbers between which a constant lies."""
        with at_precision(128):
            value = self.ring.letters_at({})[place]
            return _fraction(value.lower().fmpq()), _fraction(value.upper().fmpq())


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def _of_quadratic(polynomial: Polynomial) -> int:
    """The sign of a quadratic polynomial in one letter that has no roots, else 0."""
    degrees = [degree for degree in polynomial.degrees() if degree > 0]
    if degrees != [2]:
        return 0
    a, b, c = (sum((x for m, x in terms_of(polynomial) if sum(m) == power), Fraction(0)) for power in (2, 1, 0))
    return _sign(a) if b * b < 4 * a * c else 0
