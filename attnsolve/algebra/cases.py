"""Cases: what is assumed of letters beyond their declarations, and the splitting of one case into several.

What is worked out in a case starts from a field of its own. Where a sign stays `UnknownSign` there, the case is split
into those in which the polynomial is positive, zero and negative; in the second, a letter is put for what it then is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Generic, TypeVar

from attnsolve.algebra.rational import Polynomial, RationalFunction, letters_of, terms_of
from attnsolve.algebra.signs import Fact, Signs, UnknownSign
from attnsolve.numbers import Unavailable
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from attnsolve.algebra.letters import Symbol
    from attnsolve.algebra.scalars import Field, FieldElement

Found = TypeVar("Found")
DEEPEST = 12
"""How often one case may be split."""


@record
class LetterFunction(Record):
    """A rational function of the letters of some field, to be carried into others."""

    ring: Field
    function: RationalFunction

    def within(self, other: Field, values: Callable[[Symbol], FieldElement]) -> FieldElement:
        """The same in another field, with values for the letters; ZeroDivisionError where it has none."""
        symbols = list(self.ring.generators)
        spare = {self.ring.place(letter): (LetterFunction(self.ring, f), name) for letter, f, name in self.ring.letters}
        letters: dict[int, FieldElement] = {}
        for place in self.function.letters:
            if place in spare:
                inner, name = spare[place]
                letters[place] = getattr(inner.within(other, values), name)()
            else:
                letters[place] = values(symbols[place])
        over, under = (_put(part, letters, other) for part in (self.function.over, self.function.under))
        return over / under

    @property
    def symbols(self) -> list[Symbol]:
        """The letters that stand in it, not counting roots and logarithms."""
        return [s for s in self.ring.symbols if self.ring.place(self.ring.generators[s]) in self.function.letters]

    def at(self, point: Mapping[Symbol, Fraction]) -> Fraction | None:
        """Its value at a point, where that is a fraction."""
        letters = list(self.ring.generators)
        if any(letters[place] not in point for place in self.function.letters):
            return None
        over, under = (
            sum(
                (prod((point[letters[i]] ** e for i, e in enumerate(m) if e), start=c) for m, c in terms_of(part)),
                Fraction(0),
            )
            for part in (self.function.over, self.function.under)
        )
        return over / under if under else None


@record
class Condition(Record):
    """formula > 0, = 0 or < 0 (also ≥, ≤, ≠), as one step of a split."""

    formula: LetterFunction
    relation: str


@record
class Assumptions(Record):
    """What is assumed: some conditions, and for what some letters are put."""

    conditions: tuple[Condition, ...] = ()
    values: Mapping[Symbol, LetterFunction | Fraction] = field(default_factory=dict)
    at_least: Mapping[Symbol, int] = field(default_factory=dict)
    """The least values of letters that stand for sizes."""
    facts: tuple[Condition, ...] = ()
    """What is known to be positive, or not negative (≥), because of the conditions."""

    def value(self, ring: Field, symbol: Symbol) -> FieldElement:
        """What a letter is in this case."""
        given = self.values.get(symbol)
        if given is None:
            return ring.symbol(symbol)
        if isinstance(given, Fraction):
            return ring.number(given)
        return given.within(ring, lambda other: self.value(ring, other))

    def signs(self, ring: Field, sealed: Iterable[Symbol] = ()) -> Signs:
        """Who knows the signs in a field in which this case is worked out."""
        facts = []
        for condition in self.facts:
            function = condition.formula.within(ring, lambda symbol: self.value(ring, symbol)).function
            facts.append(Fact(function, strict=condition.relation == ">"))
        for symbol, least in self.at_least.items():
            if symbol in ring.generators:
                facts.append(Fact((self.value(ring, symbol) - ring.number(least)).function, strict=False))
        return Signs(ring, facts, sealed)

    def at(self, point: Mapping[Symbol, Fraction]) -> Assumptions:
        """The case in which letters have the values of a point."""
        return Assumptions(values=dict(point), at_least=self.at_least)

    # ── splitting ───────────────────────────────────────────────────────────────────────────────

    def split(self, undecided: UnknownSign, fixed: frozenset[Symbol] = frozenset()) -> list[Assumptions]:
        """Where the polynomial is positive, zero and negative, as far as that may be; `fixed` letters are not put."""
        signs, polynomial = undecided.signs, undecided.polynomial
        symbols = list(signs.ring.generators)
        if any(symbols[place] in fixed for place in letters_of(polynomial)):
            raise Unavailable
        whole = LetterFunction(signs.ring, signs.ring.functions.whole(polynomial))
        negative = LetterFunction(signs.ring, -whole.function)
        found = []
        if signs.allows(polynomial):
            found.append(self._with(whole, ">", Condition(whole, ">")))
        if signs.allows(polynomial, strict=False) and signs.allows(-polynomial, strict=False):
            solved = self._solved(signs, polynomial)
            if solved is None:
                return self.split(UnknownSign(signs, _even_letter(signs, polynomial)), fixed)
            found.append(self._put(whole, *solved))
        if signs.allows(-polynomial):
            found.append(self._with(whole, "<", Condition(negative, ">")))
        return found

    def _with(self, formula: LetterFunction, relation: str, *facts: Condition) -> Assumptions:
        conditions = (*self.conditions, Condition(formula, relation))
        return Assumptions(conditions, self.values, self.at_least, (*self.facts, *facts))

    def _put(self, formula: LetterFunction, symbol: Symbol, value: LetterFunction) -> Assumptions:
        """One letter put for what it is where a polynomial vanishes; what was assumed of it holds of that."""
        facts = []
        if symbol.is_nonnegative:
            facts.append(Condition(value, ">" if symbol.is_positive else "≥"))
        elif symbol.is_negative:
            facts.append(Condition(LetterFunction(value.ring, -value.function), ">"))
        case = self._with(formula, "=", *facts)
        return Assumptions(case.conditions, {**self.values, symbol: value}, self.at_least, case.facts)

    def _solved(self, signs: Signs, polynomial: Polynomial) -> tuple[Symbol, LetterFunction] | None:
        """A letter of which the polynomial has no higher power, and what it is where the polynomial vanishes."""
        ring = signs.ring
        symbols = [s for s in ring.symbols if s not in ring.constants]
        places = {ring.place(ring.generators[s]): s for s in symbols}
        rooted = [inner.letters for letter, inner, _ in ring.letters if ring.place(letter) in letters_of(polynomial)]
        if any(letters - signs.constants for letters in rooted):
            raise Unavailable  # √(x²) − x is not solved for x by x = √(x²)
        linear = [place for place in letters_of(polynomial) if place in places and polynomial.degrees()[place] == 1]
        parts = {place: _split_at(ring, polynomial, place) for place in linear}
        for place in sorted(linear, key=lambda place: (len(parts[place][0].letters), len(parts[place][1].letters))):
            factor, rest = parts[place]
            if signs.of_function(factor):
                return places[place], LetterFunction(ring, -rest / factor)
        return None


def _split_at(ring: Field, polynomial: Polynomial, place: int) -> tuple[RationalFunction, RationalFunction]:
    """a and b of a polynomial a·x + b."""
    slope = polynomial.derivative(place)
    x = ring.functions.generators[place].over
    return ring.functions.whole(slope), ring.functions.whole(polynomial - slope * x)


def _even_letter(signs: Signs, polynomial: Polynomial) -> Polynomial:
    """A letter to split by first, where a polynomial is a sum of even powers: x² + y² vanishes only where they do."""
    terms = list(terms_of(polynomial))
    if len({c > 0 for _, c in terms}) > 1 or any(e % 2 for m, _ in terms for e in m):
        raise Unavailable
    place = min(letters_of(polynomial))
    return signs.ring.functions.generators[place].over


def _put(polynomial: Polynomial, letters: Mapping[int, FieldElement], ring: Field) -> FieldElement:
    total = ring.zero
    for monomial, coefficient in terms_of(polynomial):
        term = ring.number(coefficient)
        for place, power in enumerate(monomial):
            term = term * letters[place] ** power if power else term
        total = total + term
    return total


@record
class Outcome(Record, Generic[Found]):
    """What was found in one case."""

    case: Assumptions
    found: Found


def explore(
    work: Callable[[Assumptions], Found], case: Assumptions, most: int, fixed: frozenset[Symbol] = frozenset()
) -> list[Outcome[Found]]:
    """Work something out in every case that it hangs on; Unavailable if these are too many."""
    return list(_explored(work, case, [most], fixed))


def _explored(
    work: Callable[[Assumptions], Found], case: Assumptions, left: list[int], fixed: frozenset[Symbol]
) -> Iterator[Outcome[Found]]:
    try:
        found = work(case)
    except UnknownSign as undecided:
        if len(case.conditions) == DEEPEST:
            raise Unavailable from None
        try:
            cases = case.split(undecided, fixed)
        except UnknownSign as other:
            cases = case.split(other, fixed)
        for smaller in cases:
            yield from _explored(work, smaller, left, fixed)
        return
    left[0] -= 1
    if left[0] < 0:
        raise Unavailable
    yield Outcome(case, found)
