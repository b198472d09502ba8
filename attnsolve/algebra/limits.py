"""Limits of scalars as one letter goes somewhere from one side: which exponential wins, and what stands before it.

A scalar is a quotient of sums Σ c·e^p. Near the target every c and p is a series in s → 0+. Of each sum those terms
count whose exponents grow fastest, which the signs of their differences tell; what is left of them is a series again.
No sign is taken for granted: it follows from what is assumed, or `signs` raises `UnknownSign`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any

from attnsolve.algebra.rational import Polynomial, RationalFunction
from attnsolve.algebra.series import LENGTH, Series
from attnsolve.algebra.table import TermError
from attnsolve.numbers import Unavailable
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.algebra.letters import Symbol
    from attnsolve.algebra.scalars import Field, FieldElement
    from attnsolve.algebra.signs import Judge

MOST_TERMS = 200
"""A longer sum of exponentials has no limit here."""


@record
class Unbounded(Record):
    """What grows beyond all bounds: like a positive function times this factor."""

    factor: FieldElement


@record
class Leading(Record):
    """What a sum of exponentials is like near the target: factor · s^order · e^exponent."""

    exponent: Series
    order: int
    factor: FieldElement


def sides(symbol: Symbol, target: FieldElement, signs: Judge) -> tuple[int, ...]:
    """From where a letter may come to a target: 1 from above, −1 from below; nowhere if it can't reach it."""
    if not (symbol.is_nonnegative or symbol.is_negative):
        return 1, -1
    own, sign = -1 if symbol.is_negative else 1, signs.of(target)
    return (1, -1) if sign == own else (own,) if sign == 0 else ()


class Approach:
    """A letter of a field on its way to a target, from above (`side` 1) or below; no target is infinity."""

    def __init__(
        self, ring: Field, letter: RationalFunction, target: FieldElement | None, side: int, signs: Judge
    ) -> None:
        self.ring, self.signs = ring, signs
        self.place = ring.place(letter)
        self.target, self.side = target, ring.number(side)
        self._letters: dict[int, Series] = {}

    # ── series ──────────────────────────────────────────────────────────────────────────────────

    @property
    def _moving(self) -> set[int]:
        """The places of the letters that move: this one, and the roots and logarithms over it."""
        found = {self.place}
        for letter, inner, _ in self.ring.letters:
            if inner.letters & found:
                found.add(self.ring.place(letter))
        if any(function.letters & found for _, scalar in self.ring.sums for function in scalar.functions):
            raise Unavailable
        return found

    def moves(self, scalar: FieldElement) -> bool:
        """Whether a scalar depends on the letter."""
        sums = (*scalar.over.items(), *scalar.under.items())
        return any(function.letters & self._moving for term in sums for function in term)

    def function(self, function: RationalFunction) -> Series:
        """A rational function near the target."""
        over, under = (self._polynomial(part) for part in (function.over, function.under))
        return over if function.is_polynomial else over * under.trimmed(self.signs).inverse()

    def _polynomial(self, polynomial: Polynomial) -> Series:
        moving = sorted(self._moving)
        still: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
        for monomial, coefficient in polynomial.terms():
            powers = tuple(int(monomial[place]) for place in moving)
            rest = tuple(0 if place in moving else int(e) for place, e in enumerate(monomial))
            still.setdefault(powers, {})[rest] = coefficient
        total = Series.short(self.ring, 0)
        for powers, terms in still.items():
            term = Series.short(self.ring, 0, self.ring.plain(self.ring.functions.polynomial(terms)))
            for place, power in zip(moving, powers, strict=True):
                term = reduce(Series.__mul__, [self._letter(place)] * power, term) if power else term
            total += term
        return total

    def _going(self) -> Series:
        """The letter itself: ±1/s or target ± s, with s² for s where roots of it are taken."""
        power = 1 + any(self.ring.place(letter) in self._moving for letter, _ in self.ring.roots)
        if self.target is None:
            return Series.short(self.ring, -power, self.side)
        return Series.short(self.ring, 0, self.target, *[self.ring.zero] * (power - 1), self.side)

    def _letter(self, place: int) -> Series:
        if place == self.place and place not in self._letters:
            self._letters[place] = self._going()
        if place not in self._letters:
            inner, name = next((f, name) for letter, f, name in self.ring.letters if self.ring.place(letter) == place)
            series = self.function(inner).trimmed(self.signs)
            if self.signs.of(series.terms[0]) < 0:
                raise TermError(f"{'a root' if name == 'sqrt' else 'a logarithm'} has no value near the limit")
            self._letters[place] = series.sqrt() if name == "sqrt" else series.log()
        return self._letters[place]

    # ── what leads ──────────────────────────────────────────────────────────────────────────────

    def of(self, scalar: FieldElement) -> int:
        """The sign of a scalar when the letter has come near enough to its target."""
        if not self.moves(scalar):
            return self.signs.of(scalar)
        if self.ring.is_zero(scalar.over):
            return 0
        over, under = self.leading(scalar.over), self.leading(scalar.under)
        return self.signs.of(over.factor) * self.signs.of(under.factor)

    def limit(self, scalar: FieldElement) -> FieldElement | Unbounded:
        """Where a scalar goes."""
        if not self.moves(scalar) or self.ring.is_zero(scalar.over):
            return scalar
        fastest, under = self._fastest(scalar.over), self.leading(scalar.under)
        ahead = self._faster(fastest[0][0], under.exponent)
        if ahead == 0 and (found := self._beside(fastest, under)) is not None:
            return found
        over = self._led(fastest)
        ahead = ahead or under.order - over.order
        if ahead < 0:
            return self.ring.zero
        factor = over.factor / under.factor
        return Unbounded(factor) if ahead else factor

    def leading(self, terms: Mapping[RationalFunction, RationalFunction]) -> Leading:
        """What a sum of exponentials is like near the target; it is not 0 throughout."""
        return self._led(self._fastest(terms))

    def _fastest(self, terms: Mapping[RationalFunction, RationalFunction]) -> list[tuple[Series, RationalFunction]]:
        """Those terms that none outgrows, each with its exponent near the target."""
        if len(terms) > MOST_TERMS:
            raise Unavailable
        fastest: list[tuple[Series, RationalFunction]] = []
        for e, c in terms.items():
            exponent = self.function(e)
            ahead = self._faster(exponent, fastest[0][0]) if fastest else 1
            if ahead >= 0:
                fastest = [*([] if ahead else fastest), (exponent, c)]
        return fastest

    def _beside(self, fastest: list[tuple[Series, RationalFunction]], under: Leading) -> FieldElement | None:
        """The limit of a sum over another that keeps pace with it, if nothing of the former can grow faster than the
        latter: then it does not matter whether what stands before it is 0."""
        factors = [(self.function(c), e) for e, c in fastest]
        length = max(1, under.order - min(c.order for c, _ in factors) + 1)
        total = reduce(Series.__add__, [c * e.exp(length) for c, e in factors])
        if total.end <= under.order or any(total.term(k).over for k in range(total.order, under.order)):
            return None
        return total.term(under.order) / under.factor

    def _led(self, fastest: list[tuple[Series, RationalFunction]]) -> Leading:
        exponent = fastest[0][0]
        if len(fastest) == 1:
            series = self.function(fastest[0][1]).trimmed(self.signs)
            return Leading(exponent, series.order, series.terms[0] * exponent.term(0).exp())
        for length in (1, 4, LENGTH):
            parts = [self.function(c) * e.exp(length) for e, c in fastest]
            total = reduce(Series.__add__, parts)
            if any(not self.ring.is_zero(x.over) for x in total.terms):
                total = total.trimmed(self.signs)
                return Leading(exponent, total.order, total.terms[0])
        raise Unavailable

    def _faster(self, left: Series, right: Series) -> int:
        """1 if e^left outgrows e^right, −1 if it is outgrown, 0 if their quotient tends to a number other than 0."""
        difference = left + -right
        if difference.end <= 0:
            raise Unavailable
        for power in range(difference.order, 0):
            x = difference.term(power)
            if not self.ring.is_zero(x.over) and (sign := self.signs.of(x)):
                return sign
        return 0
