"""Whether a claim holds: proved with symbols, refuted with a counterexample, or tried at points; and said which."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from attnsolve.algebra.declared import Declarations, Declared, Defined, Normal, Scalar, Setting
from attnsolve.algebra.functions import Filled, Function, Limit, Summed
from attnsolve.algebra.letters import Letter
from attnsolve.algebra.scopes import ExactScope, PointScope
from attnsolve.algebra.table import Table, TermError
from attnsolve.algebra.terms import Entry, Name, Term, said, shape_said
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import Ball, at_precision

POINTS, FAR_POINTS = 40, 4
"""Points at which a claim is tried, in each small and in each large setting."""
BITS = 256
LONGEST_BITS = 20_000
PLAIN = 0.05
"""How far apart the sides of a good counterexample are, as a share of the greater one."""

Point = dict[Letter, Fraction]
"""A value for every free entry."""
Status = Literal["proved", "refuted", "tried", "undecided"]


@dataclass(frozen=True)
class Counterexample:
    """Values at which the two sides differ, and the first entry in which they do."""

    setting: Setting
    values: Mapping[str, tuple[tuple[Fraction, ...], ...]]
    place: tuple[int, int]
    left: Ball
    right: Ball
    shape: tuple[int, int]

    @property
    def is_plain(self) -> bool:
        """Whether a reader sees the difference in the first digits."""
        return float(abs(self.left - self.right)) > PLAIN * max(float(abs(self.left)), float(abs(self.right)))


@dataclass(frozen=True)
class Finding:
    """What was found out about a claim."""

    status: Status
    settings: tuple[Setting, ...] = ()
    """Where it was worked out with symbols."""
    points: int = 0
    """At how many points it was tried."""
    tried: tuple[Setting, ...] = ()
    """Where these points lie."""
    counterexample: Counterexample | None = None

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        return self.status in ("proved", "tried")


@dataclass(frozen=True)
class Claim:
    """left = right (or ≤, ≥), for everything that the names may stand for."""

    left: Term
    relation: str
    right: Term


class Verifier:
    """Verifies claims about the same names; what was worked out for one serves the next."""

    def __init__(self, names: Declarations) -> None:
        self.names = names
        self._values: dict[tuple[Term, int], Table | None] = {}
        self._drawn: dict[tuple[int, int], tuple[random.Random, list[Point]]] = {}
        self._scopes_at: dict[int, PointScope] = {}

    @cached_property
    def settings(self) -> list[Setting]:
        """The small settings."""
        return list(self.names.settings())

    @cached_property
    def large_settings(self) -> list[Setting]:
        """The larger ones."""
        return list(self.names.large_settings())

    @cached_property
    def _scopes(self) -> list[ExactScope]:
        return [self.names.exact(setting) for setting in self.settings]

    def exactly(self, term: Term, number: int) -> Table:
        """What a term comes to in one of the small settings."""
        if (term, number) not in self._values:
            self._values[term, number] = None
            self._values[term, number] = term.evaluate(self._scopes[number])
        value = self._values[term, number]
        if value is None:
            raise Unavailable
        return value

    def verify(self, claim: Claim) -> Finding:
        """Find out whether a claim holds."""
        self.names.effort.spent = 0
        if claim.relation != "=":
            return self._try(claim, self.settings, self.large_settings)
        if (loose := self._loose(claim)) and (finding := self._with_letters(claim, loose)):
            return finding
        equal = self._are_equal(claim)
        if equal is None:
            return self._try(claim, self.settings, self.large_settings)
        return self._confirm(claim) if equal else self._refute(claim)

    def _loose(self, claim: Claim) -> tuple[str, ...]:
        """The sizes that a claim uses as mere numbers: then one letter stands for all of them at once."""
        used = self.used(claim)
        declared = [self.names.names[name] for name in used]
        counting = [part for t in self._terms(claim) for part in places_of(t)]
        counting += [part for d in declared if not isinstance(d, Defined | Normal) for part in parts_of(d)]
        counting += [d.size for d in declared if isinstance(d, Normal)]
        fixed = {t.name for part in counting for t in part.walk() if isinstance(t, Name)}
        return tuple(name for name in used if name in self.names.sizes and name not in fixed)

    def _with_letters(self, claim: Claim, loose: tuple[str, ...]) -> Finding | None:
        """What is found with any positive number in the place of each size, if that says something about the sizes."""
        names = {name: self.names.names[name] for name in self.used(claim)}
        finding = Verifier(Declarations(names | dict.fromkeys(loose, Scalar("positive")))).verify(claim)
        if limited := {t.symbol for t in self._terms(claim) if isinstance(t, Limit)} & {*loose}:
            return finding if finding.holds or self._is_of_sizes(finding, {*loose} - limited) else Finding("undecided")
        if finding.status == "proved" and self._are_equal(claim) is not False:
            return finding
        if finding.status == "refuted" and {*loose} == {*names} & {*self.names.sizes}:
            smaller = Verifier(Declarations(names))
            further = smaller._try(claim, smaller.settings, list(smaller.names.far_settings()))
            return further if further.status == "refuted" else None
        return None

    def _is_of_sizes(self, finding: Finding, loose: set[str]) -> bool:
        """Whether a counterexample with numbers in the place of sizes has sizes there."""
        values = {} if finding.counterexample is None else finding.counterexample.values
        given = [(values[name][0][0], self.names.sizes[name]) for name in loose if name in values]
        return all(value.denominator == 1 and value >= least for value, least in given)

    def _are_equal(self, claim: Claim) -> bool | None:
        """Whether both sides are the same in every small setting; None where the arithmetic can't tell."""
        if not self.settings:
            return None
        try:
            for number in range(len(self.settings)):
                left, right = self.exactly(claim.left, number), self.exactly(claim.right, number)
                check_shapes(claim, left, right)
                if not all(x == y for x, y in zip(left.entries, right.entries, strict=True)):
                    return False
        except Unavailable:
            return None
        return True

    def _terms(self, claim: Claim) -> Iterator[Term]:
        """Every term that stands in a claim, or in a definition that it uses."""
        for side in (claim.left, claim.right):
            yield from side.walk()
        for name in self.used(claim):
            if isinstance(declared := self.names.names[name], Defined):
                yield from declared.term.walk()

    def _needs_symbols(self, claim: Claim) -> bool:
        """Whether a mean or a limit stands in it, of which single points know nothing."""
        return any(isinstance(t, Limit) or _is_mean(t) for t in self._terms(claim))

    def used(self, claim: Claim) -> list[str]:
        """The names that a claim speaks of, those behind its definitions too."""
        waiting = [t.name for side in (claim.left, claim.right) for t in side.walk() if isinstance(t, Name)]
        found: list[str] = []
        while waiting:
            name = waiting.pop()
            if name not in found and name in self.names.names:
                found.append(name)
                terms = parts_of(self.names.names[name])
                waiting += [t.name for term in terms for t in term.walk() if isinstance(t, Name)]
        return [name for name in self.names.names if name in found]

    def _free(self, term: Term, bound: frozenset[str] = frozenset()) -> Iterator[str]:
        """The names on whose values a term depends: a mean, a limit or a sum is taken over the others."""
        match term:
            case Name(name=name):
                declared = self.names.names.get(name)
                if name not in bound:
                    yield name
                if isinstance(declared, Normal) or (isinstance(declared, Defined) and name not in bound):
                    for part in parts_of(declared):
                        yield from self._free(part, bound)
            case Limit(symbol=taken) | Summed(index=taken):
                bound |= {taken}
            case Function() if _is_mean(term):
                bound |= {name for name in self.names.names if self.names.is_random(name)}
        for part in term.parts:
            yield from self._free(part, bound)

    def _points(self, setting: Setting, count: int) -> Iterator[Point]:
        """Small whole numbers first, since a counterexample should be easy to check; the same ones for every claim."""
        rng, drawn = self._drawn.setdefault((id(setting), count), (random.Random(2), []))
        for number in range(count):
            if number == len(drawn):
                drawn.append(self.names.point(setting, rng, plain=number < count // 2))
            yield drawn[number]

    def _scope_at(self, setting: Setting, point: Point) -> PointScope:
        """What the names are at a point; kept, like the point itself, for the next claim."""
        if id(point) not in self._scopes_at:
            self._scopes_at[id(point)] = self.names.at_point(setting, point)
        return self._scopes_at[id(point)]

    def _confirm(self, claim: Claim) -> Finding:
        """The sides are equal as functions: they must also have a value somewhere, and be the same there."""
        defined = []
        for setting in self.settings:
            for point in self._points(setting, POINTS):
                with at_precision(BITS):
                    sides = self._at(claim, setting, point)
                    found = None if sides is None else self._compare(claim, setting, point, sides)
                if found is not None:
                    return Finding("refuted", counterexample=found)
                if sides is not None:
                    defined.append(setting)
                    break
        if not defined:
            return Finding("undecided")
        further = self._try(claim, (), () if self._needs_symbols(claim) else self.large_settings)
        if further.status == "refuted":
            return further
        return Finding("proved", tuple(defined), further.points, further.tried)

    def _refute(self, claim: Claim) -> Finding:
        """The sides differ as functions, so some point tells them apart; one that does so plainly is looked for."""
        fallback: Finding | None = None
        for setting in self.settings:
            for point in self._points(setting, POINTS):
                with at_precision(BITS):
                    sides = self._at(claim, setting, point)
                    found = None if sides is None else self._compare(claim, setting, point, sides)
                if found is not None and found.is_plain:
                    return Finding("refuted", counterexample=found)
                if found is not None and fallback is None:
                    fallback = Finding("refuted", counterexample=found)
            if fallback is not None:
                return fallback
        return self._try(claim, self.settings, self.large_settings)

    def _try(self, claim: Claim, small: Sequence[Setting], large: Sequence[Setting]) -> Finding:
        """Compare the sides at points, in balls: a difference that they show is proven."""
        points, tried = 0, []
        for setting in (*small, *large):
            before = points
            for point in self._points(setting, POINTS if setting in small else FAR_POINTS):
                with at_precision(BITS):
                    sides = self._at(claim, setting, point)
                    found = None if sides is None else self._compare(claim, setting, point, sides)
                if found is not None:
                    return Finding("refuted", counterexample=found)
                points += sides is not None
            tried += [setting] * (points > before)
        return Finding("tried" if points else "undecided", points=points, tried=tuple(tried))

    def _at(self, claim: Claim, setting: Setting, point: Point) -> tuple[Table, Table] | None:
        """Both sides at a point, where they are defined there."""
        try:
            if self._needs_symbols(claim) and setting in self.settings:
                number = self.settings.index(setting)
                sides = self.exactly(claim.left, number), self.exactly(claim.right, number)
                left, right = (side.each(lambda x: x.at(point)) for side in sides)
            else:
                scope = self._scope_at(setting, point)
                left, right = claim.left.evaluate(scope), claim.right.evaluate(scope)
        except Unavailable:
            return None
        check_shapes(claim, left, right)
        return (left, right) if all(map(_is_writable, (*left.entries, *right.entries))) else None

    def _compare(
        self, claim: Claim, setting: Setting, point: Mapping[Letter, Fraction], sides: tuple[Table, Table]
    ) -> Counterexample | None:
        """The point as a counterexample, if it is one."""
        place = _difference(claim.relation, *sides)
        if place is None:
            return None
        values = self.names.values(setting, point)
        free = {*self._free(claim.left), *self._free(claim.right)}
        shown = {name: values[name] for name in self.names.names if name in free and name in values}
        left, right = (side.rows[place[0]][place[1]] for side in sides)
        return Counterexample(setting, shown, place, left, right, sides[0].shape)


def verify(claim: Claim, names: Declarations) -> Finding:
    """Find out whether one claim holds."""
    return Verifier(names).verify(claim)


def _is_mean(term: Term) -> bool:
    return isinstance(term, Function) and term.name in ("E", "Var")


def _is_writable(value: Ball) -> bool:
    """Whether a ball is a number of no more than some thousand digits."""
    return bool(value.is_finite()) and abs(int(value.mid().man_exp()[1])) < LONGEST_BITS


def parts_of(declared: Declared) -> list[Term]:
    """The terms that a declaration is made from."""
    return [part for part in declared.__dict__.values() if isinstance(part, Term)]


def places_of(term: Term) -> list[Term]:
    """The terms inside that count something: bounds, indices, sizes."""
    match term:
        case Summed(first=first, last=last, but=but):
            return [first, last, *([] if but is None else [but])]
        case Entry(row=row, column=column):
            return [row, *([] if column is None else [column])]
        case Filled(size=size):
            return [size]
    return []


def check_shapes(claim: Claim, left: Table, right: Table) -> None:
    """Refuse to compare what has different shapes."""
    if left.shape != right.shape:
        raise TermError(
            f"{said(claim.left)} is {shape_said(left)} but {said(claim.right)} is {shape_said(right)}: "
            "they can't be compared",
            "is a transpose missing? it is written ^T",
        )


def _difference(relation: str, left: Table, right: Table) -> tuple[int, int] | None:
    """The entry in which the sides stand out of the relation the most, among those where that is proven."""
    found: dict[tuple[int, int], float] = {}
    for i, row in enumerate(left.rows):
        for j, x in enumerate(row):
            y = right.rows[i][j]
            if {"=": x < y or x > y, "≤": x > y, "≥": x < y}[relation]:
                found[i, j] = float(abs(x - y))
    return max(found, key=lambda place: found[place]) if found else None
