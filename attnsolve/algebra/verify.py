"""Whether a claim holds: proved with symbols, refuted with a counterexample, or tried at points; and said which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import chain

from attnsolve.algebra.cases import Assumptions, Condition, explore
from attnsolve.algebra.comparing import Claim, Comparison, Observation, Sides, check_shapes
from attnsolve.algebra.conditions import merged
from attnsolve.algebra.declarations import Declarations, parts_of
from attnsolve.algebra.declared import Defined, Free, Normal, Orthonormal, Setting, Unknown
from attnsolve.algebra.finding import Counterexample, Finding
from attnsolve.algebra.functions import Derivative, Infinity, Limit, Moment
from attnsolve.algebra.letters import Point
from attnsolve.algebra.points import FAR_POINTS, POINTS, Points, within
from attnsolve.algebra.quotients import MOST_WORK
from attnsolve.algebra.scopes import ExactScope, PointScope, not_random
from attnsolve.algebra.table import ElementMatrix, TermError
from attnsolve.numbers import Unavailable
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.letters import formula_text
from attnsolve.operations.number import Number, numeral
from attnsolve.operations.place import Entry
from attnsolve.record import Fillable, Record, filled, record

__all__ = ["Claim", "Verifier", "verify"]

MOST_CASES = 64
"""Cases of one setting."""
WORK_AT_POINTS = 50_000
"""Of the work for one claim, as much as may go into what is worked out exactly at single points."""


@record
class Compared(Record):
    """Both sides with letters, in every small setting and every case."""

    differing: tuple[tuple[Setting, Assumptions], ...]
    """Where they are not the same."""
    conditions: tuple[tuple[Condition, ...], ...]
    """Where they have a value, if not everywhere."""


@filled
class Evaluated(Fillable):
    """A scope with letters, and the terms that were worked out in it; None for what could not be."""

    scope: ExactScope
    values: dict[Formula, ElementMatrix | None]

    def value(self, term: Formula) -> ElementMatrix:
        """What a term comes to."""
        if term not in self.values:
            try:
                self.values[term] = self.scope.evaluate(term)
            except Unavailable:
                self.values[term] = None
                raise
        value = self.values[term]
        if value is None:
            raise Unavailable
        return value


@filled
class EvaluatedAt(Fillable):
    """A scope at a point, and the terms that were worked out in it, by their numbers."""

    scope: PointScope
    values: dict[int, ElementMatrix]

    def value(self, number: int, term: Formula) -> ElementMatrix:
        """What a term comes to."""
        if number not in self.values:
            self.values[number] = self.scope.evaluate(term)
        return self.values[number]


class Verifier:
    """Verifies claims about the same names; what was worked out for one serves the next."""

    def __init__(self, names: Declarations) -> None:
        self.names = names
        self._found: dict[Claim, Finding] = {}
        self._evaluated: dict[int, Evaluated] = {}
        """By the number of the setting."""
        self._points = Points(names)
        self._evaluated_at: dict[int, tuple[Point, EvaluatedAt]] = {}
        """By the identities of points, which are kept alive with them: no other point can have the same."""
        self._numbers: dict[Formula, int] = {}
        """Of the sides of claims: one is the left side of the next, so each is worked out once at a point."""

    @cached_property
    def settings(self) -> list[Setting]:
        """The small settings."""
        return list(self.names.settings())

    @cached_property
    def large_settings(self) -> list[Setting]:
        """The larger ones."""
        return list(self.names.large_settings())

    @cached_property
    def _far_settings(self) -> list[Setting]:
        """Many more sizes, for a claim in which these count nothing."""
        return [*self.large_settings, *(self.names.far_settings() if self.names.sizes else ())]

    def _definitions(self, claim: Claim) -> tuple[str, ...]:
        """The definitions that a claim uses, in the order in which they were made: no other is worked out for it."""
        used = {*self.used(claim)}
        return tuple(name for name, made in self.names.names.items() if isinstance(made, Defined) and name in used)

    def _in_case(self, claim: Claim, number: int, case: Assumptions) -> Evaluated:
        """One of the small settings, in a case. Only what has no roots and logarithms serves several claims."""
        definitions = self._definitions(claim)
        if case.conditions:
            return Evaluated(self.names.exact(self.settings[number], case, definitions), {})
        if number not in self._evaluated:
            self._evaluated[number] = Evaluated(self.names.exact(self.settings[number], case, ()), {})
        evaluated = self._evaluated[number]
        self.names.define(evaluated.scope, definitions)
        return evaluated

    def verify(self, claim: Claim) -> Finding:
        """Find out whether a claim holds, once."""
        if claim not in self._found:
            self._found[claim] = self._verified(claim)
        return self._found[claim]

    def _verified(self, claim: Claim) -> Finding:
        """Find out whether a claim holds.

        √x in one claim says of x that it is not negative, wherever that claim has a value; it says nothing in another.
        So no field with roots or logarithms is taken over from one claim to the next.
        """
        self._check(claim)
        self.names.effort.spent = 0
        self._evaluated = {key: kept for key, kept in self._evaluated.items() if kept.scope.ring.is_plain}
        jumps = self._may_jump(claim)
        if claim.relation != "=" and jumps:
            return self._with_half_turns.verify(claim)
        if claim.relation != "=":
            counting = {*self.used(claim)} & {*self.names.sizes} - {*self._loose(claim)}
            return self._try(claim, self.settings, self.large_settings if counting else self._far_settings)
        if (loose := self._loose(claim)) and (finding := self._with_letters(claim, loose)):
            return finding
        compared = self._compared(claim)
        if jumps and (compared is None or compared.differing):
            return self._with_half_turns.verify(claim)
        if compared is None:
            return self._try(claim, self.settings, self.large_settings)
        return self._refute(claim, compared) if compared.differing else self._confirm(claim, compared)

    def _may_jump(self, claim: Claim) -> bool:
        """Whether a claim may hold as near to a half turn as one likes, and not there: a limit may be another one
        there, and a root may have a value nowhere near. What is proved without half turns rests on neither."""
        turned = any(isinstance(self.names.names[name], Orthonormal) for name in self.used(claim))
        found = (t for t in self.terms(claim) if t.depends_on_signs)
        return turned and not self.names.half_turns and any(found)

    @cached_property
    def _with_half_turns(self) -> Verifier:
        return Verifier(Declarations(self.names.names, half_turns=True))

    def _check(self, claim: Claim) -> None:
        """Refuse a limit in a whole number other than at infinity, a derivative in anything but letters, and what is
        drawn without varying."""
        for limit in (t for t in self.terms(claim) if isinstance(t, Limit) and t.symbol in self.names.sizes):
            if limit.to != Infinity():
                raise TermError(f"{limit.symbol} is a whole number, so it can't tend to {formula_text(limit.to)}")
        drawn = [name for name in self.used(claim) if self.names.is_random(name)]
        for term in (t for t in self.terms(claim) if isinstance(t, Derivative)):
            base = term.by.inner if isinstance(term.by, Entry) else term.by
            if not isinstance(base, Ref) or not isinstance(self.names.names.get(base.name), Free | Unknown):
                message = f"a derivative can't be taken in {formula_text(term.by)}"
                raise TermError(message, "take it in a declared number, vector or matrix, or in an entry of one")
            if drawn:
                raise TermError(f"{drawn[0]} is drawn at random: no derivative can be taken of what depends on that")
        for name in drawn:
            if isinstance(declared := self.names.names[name], Normal) and declared.deviation == numeral(0):
                raise not_random(name)

    def _loose(self, claim: Claim) -> tuple[str, ...]:
        """The sizes that a claim uses as mere numbers: then one letter stands for all of them at once."""
        used = self.used(claim)
        declared = [self.names.names[name] for name in used]
        counting = [part for t in self.terms(claim) for part in t.counting]
        counting += [part for d in declared if not isinstance(d, Defined | Normal) for part in parts_of(d)]
        counting += [d.size for d in declared if isinstance(d, Normal)]
        fixed = {t.name for part in counting for t in part.walk() if isinstance(t, Ref)}
        return tuple(name for name in used if name in self.names.sizes and name not in fixed)

    def _with_letters(self, claim: Claim, loose: tuple[str, ...]) -> Finding | None:
        """What is found with any positive number in the place of each size, if that says something about the sizes."""
        names = {name: self.names.names[name] for name in self.used(claim)}
        letters = {name: Unknown("positive", self.names.sizes[name]) for name in loose}
        finding = Verifier(Declarations(names | letters)).verify(claim)
        if limited := {t.symbol for t in self.terms(claim) if isinstance(t, Limit)} & {*loose}:
            return finding if finding.holds or self._is_of_sizes(finding, {*loose} - limited) else Finding("undecided")
        if finding.status == "proved" and not ((compared := self._compared(claim)) and compared.differing):
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

    def _compared(self, claim: Claim) -> Compared | None:
        """Whether both sides are the same in every small setting and case; None where the arithmetic can't tell."""
        bound = {*(self._bound(claim) or ()), *self._varied(claim)}
        differing: list[tuple[Setting, Assumptions]] = []
        conditions: tuple[tuple[Condition, ...], ...] = ()
        for number, setting in enumerate(self.settings):
            letters = self.names.letters(setting)
            fixed = frozenset(letter for letter in letters if letter.name.partition("[")[0] in bound)
            work = partial(self._are_equal, claim, number)
            try:
                outcomes = explore(work, self.names.case, MOST_CASES, fixed)
            except Unavailable:
                return None
            faults = [outcome.found for outcome in outcomes if isinstance(outcome.found, TermError)]
            if len(faults) == len(outcomes):
                raise faults[0]
            if faults:
                results = merged(outcomes, lambda x, y, _: isinstance(x, bool) == isinstance(y, bool))
                conditions = tuple(each.conditions for each in results if isinstance(each.outcome.found, bool))
            differing += [(setting, outcome.case) for outcome in outcomes if outcome.found is False]
        return Compared(tuple(differing), conditions) if self.settings else None

    def _are_equal(self, claim: Claim, number: int, case: Assumptions) -> bool | TermError:
        """Whether both sides are the same in one case, or why they have no value there."""
        try:
            evaluated = self._in_case(claim, number, case)
            left, right = evaluated.value(claim.left), evaluated.value(claim.right)
            check_shapes(claim, left, right)
        except TermError as fault:
            if not case.conditions:
                raise
            return fault
        return all(x == y for x, y in zip(left.entries, right.entries, strict=True))

    def terms(self, claim: Claim) -> Iterator[Formula]:
        """Every term that stands in a claim, or in a definition that it uses."""
        for side in (claim.left, claim.right):
            yield from side.walk()
        for name in self.used(claim):
            if isinstance(declared := self.names.names[name], Defined):
                yield from declared.term.walk()

    def _bound(self, claim: Claim) -> tuple[str, ...] | None:
        """The names over which a limit or a mean is taken: single points know nothing of these. None if none is."""
        terms = list(self.terms(claim))
        taken = [t.symbol for t in terms if isinstance(t, Limit)]
        is_mean = any(isinstance(t, Moment) for t in terms)
        if is_mean:
            taken += [name for name in self.names.names if self.names.is_random(name)]
        return tuple(taken) if taken or is_mean else None

    def _varied(self, claim: Claim) -> list[str]:
        """The names in which a derivative is taken: no case is made of them, for it takes what is near a case too."""
        derivatives = (term for term in self.terms(claim) if isinstance(term, Derivative))
        return [part.name for term in derivatives for part in term.by.walk() if isinstance(part, Ref)]

    def used(self, claim: Claim) -> list[str]:
        """The names that a claim speaks of, those behind its definitions too."""
        return self.names.behind(claim.left, claim.right)

    def _free(self, term: Formula, bound: frozenset[str] = frozenset()) -> Iterator[str]:
        """The names on whose values a term depends: a mean, a limit or a sum is taken over the others."""
        if isinstance(term, Ref):
            declared = self.names.names.get(term.name)
            if term.name not in bound:
                yield term.name
            if isinstance(declared, Normal) or (isinstance(declared, Defined) and term.name not in bound):
                for part in parts_of(declared):
                    yield from self._free(part, bound)
        if isinstance(term, Moment):
            bound |= {name for name in self.names.names if self.names.is_random(name)}
        bound |= {term.binds} - {""}
        for part in term.parts:
            yield from self._free(part, bound)

    def _comparison(self, claim: Claim) -> Comparison:
        definitions = self._definitions(claim)
        left, right = (self._numbers.setdefault(side, len(self._numbers)) for side in (claim.left, claim.right))

        def sides_at(setting: Setting, point: Point) -> Sides:
            if id(point) not in self._evaluated_at:
                self._evaluated_at[id(point)] = point, EvaluatedAt(self.names.at_point(setting, point, ()), {})
            evaluated = self._evaluated_at[id(point)][1]
            self.names.define(evaluated.scope, definitions)
            return evaluated.value(left, claim.left), evaluated.value(right, claim.right)

        self.names.effort.spent = MOST_WORK - WORK_AT_POINTS
        return Comparison(claim, self.names, definitions, self._bound(claim), self._varied(claim), sides_at)

    def _confirm(self, claim: Claim, compared: Compared) -> Finding:
        """The sides are equal as functions: they must also have a value somewhere, and be the same there."""
        comparison, defined = self._comparison(claim), []
        for setting in self.settings:
            for point in self._points.of(setting, POINTS):
                seen = comparison.at(setting, point, thoroughly=False)
                if seen is not None and seen.broken is not None:
                    return self._refuted(claim, setting, point, seen)
                if seen is not None:
                    defined.append(setting)
                    break
        if not defined:
            return Finding("undecided")
        large = self.large_settings if self._bound(claim) is None else ()
        further = self._try(claim, (), large, thoroughly=False)
        if further.status == "refuted":
            return further
        return Finding("proved", tuple(defined), further.points, further.tried, further.close, compared.conditions)

    def _refute(self, claim: Claim, compared: Compared) -> Finding:
        """The sides differ as functions, so some point tells them apart; one that does so plainly is looked for."""
        comparison = self._comparison(claim)
        fallback: Finding | None = None
        for setting, case in compared.differing:
            for drawn in self._points.of(setting, POINTS):
                point = within(case, drawn) if case.conditions else drawn
                seen = None if point is None else comparison.at(setting, point)
                if point is None or seen is None or seen.broken is None:
                    continue
                found = self._refuted(claim, setting, point, seen)
                if found.counterexample is not None and found.counterexample.is_plain:
                    return found
                fallback = fallback or found
            if fallback is not None:
                return fallback
        return self._try(claim, self.settings, self.large_settings)

    def _try(
        self, claim: Claim, small: Sequence[Setting], large: Sequence[Setting], *, thoroughly: bool = True
    ) -> Finding:
        """Compare the sides at points; a difference that is found is proven."""
        comparison = self._comparison(claim)
        points, close, tried = 0, 0, []
        numbers = [t.rational for t in self.terms(claim) if isinstance(t, Number) and t.rational is not None]
        for setting in (*small, *large):
            if self.names.half_turns:  # the last frame is looked at as closely as the first
                self.names.effort.spent = MOST_WORK - WORK_AT_POINTS
            before = points
            drawn = self._points.of(setting, POINTS if setting in small else FAR_POINTS)
            for point in chain(drawn, self._points.at_numbers(setting, numbers) if setting in small else ()):
                seen = comparison.at(setting, point, thoroughly=thoroughly)
                if seen is not None and seen.broken is not None:
                    return self._refuted(claim, setting, point, seen)
                points += seen is not None
                close += seen is not None and not seen.settled
            tried += [setting] * (points > before)
        if comparison.faults and not points and not comparison.open:
            raise comparison.faults[0]
        return Finding("tried" if points else "undecided", points=points, tried=tuple(tried), close=close)

    def _refuted(self, claim: Claim, setting: Setting, point: Point, seen: Observation) -> Finding:
        """A point at which the sides differ, as a counterexample."""
        assert seen.broken is not None
        assert seen.gap is not None
        values = self.names.values(setting, point)
        free = {*self._free(claim.left), *self._free(claim.right)}
        shown = {name: values[name] for name in self.names.names if name in free and name in values}
        left, right = (side.rows[seen.broken[0]][seen.broken[1]] for side in (seen.left, seen.right))
        example = Counterexample(setting, shown, seen.broken, left, right, seen.left.shape, seen.gap)
        return Finding("refuted", counterexample=example)


def verify(claim: Claim, names: Declarations) -> Finding:
    """Find out whether one claim holds."""
    return Verifier(names).verify(claim)
