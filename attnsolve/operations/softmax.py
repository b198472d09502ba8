"""The softmax, in any base, with or without the maximum taken off first; and its plain cousin, dividing by the sum."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil, isinf, log10
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.errors import UnsolvableError
from attnsolve.key import Key
from attnsolve.numbers import Unavailable, written
from attnsolve.numbers.balls import Ball, Balls, ball
from attnsolve.numbers.closed import Base, base_of
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import Arithmetic, M
from attnsolve.numbers.surds import EULER, MINUS_INFINITY
from attnsolve.numbers.symbols import MAXIMUM
from attnsolve.numbers.untyped import Kernel
from attnsolve.operations.context import Inputs, Law, Mistake, Sentence, Shapes, View, Work
from attnsolve.operations.divide import Divide
from attnsolve.operations.entrywise import Multiply, QuotientOfSeen
from attnsolve.operations.formula import AlongAxis, Formula, Ref
from attnsolve.operations.letters import letter
from attnsolve.operations.mask import Hide, Mask, is_blocked, pattern
from attnsolve.operations.number import Number
from attnsolve.operations.slips import PossibleSlip, number_text
from attnsolve.operations.softmax_backward import of_share, of_softmax
from attnsolve.operations.softmax_working import NormaliseWorking, SoftmaxWorking
from attnsolve.operations.stages import (
    NOTHING_SEEN,
    DividedBySum,
    Exponentials,
    Greatest,
    LessMaximum,
    Powers,
    ScoresDividedBySum,
    Total,
    Unmasked,
    other_base,
    other_than,
    run,
)
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.evidence import Evidence, GradientNumbers
    from attnsolve.operations.quantity_context import QuantityContext

MOST_CANCELLED = 40
"""Digits that are written on account of a sum that nearly cancels."""

NEGATIVE_SHARES = (
    "Some weights are negative because some scores are: dividing by the sum does not give probabilities here."
)

EULER_LINKS = (("≈", n.Num("2.718", rounded=True)),)
"""How large e is, where scores may be called e too."""

SCORES = letter("scores")
"""What goes in, in the table of a softmax's stages."""

Place = tuple[int, int]
Keep = Callable[[str, M], M]
Links = tuple[tuple[str, n.Notation], ...]


def as_it_is(stage: str, matrix: M) -> M:
    """A stage of a definition gone on with as it is."""
    return matrix


@record
class Normalise(AlongAxis):
    """What softmax and dividing by the sum share: each row (`down`: each column) becomes shares that sum to 1."""

    inner: Formula
    down: bool = False

    shares = True
    called = "softmax"
    """What is done, in a word."""
    term = "power"
    """What is added up, in a word."""

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    @property
    def goes_down(self) -> bool:
        return self.down

    def define(self, *matrices: M) -> M:
        (scores,) = matrices
        return self.stages(scores.T).T if self.down else self.stages(scores)

    def fuse(self, kernel: Kernel[M], *matrices: M) -> M:
        (scores,) = matrices
        return super().fuse(kernel, scores.T).T if self.down else super().fuse(kernel, scores)

    @property
    @abstractmethod
    def terms(self) -> Formula:
        """What is added up, and divided by its sum."""

    def stages(self, rows: M, keep: Keep[M] = as_it_is) -> M:
        """The definition, for one row or several. `keep` is told of each stage, and what it returns is gone on with:
        the same, or a name for it."""
        values = {SCORES.key: rows}
        for name, stage in self.inside().items():
            value = run(stage, values)
            values[Key(name)] = keep(name, value).in_short if name else value
        return values[Key("")]

    def scored(self) -> Key:
        return self.scores

    def why_vanishing(self, place: int, upstream: Formula, numbers: GradientNumbers) -> str:
        if not numbers.is_even(upstream, self.down):
            return ""
        row, cause = "column" if self.down else "row", numbers.why_even(upstream, self.down)
        so = f"{cause}, so " if cause else ""
        even = f"{so}{numbers.text_of(upstream)} is the same all over each {row}"
        return f"{even}, and whatever the scores are, the weights of a {row} sum to 1"

    def _row_or_column(self, cells: Shapes) -> str:
        """Row or column; nothing where there is only one."""
        single = self.shape(cells)[1 if self.down else 0] == 1
        return "" if single else "column" if self.down else "row"

    @property
    def scores(self) -> Key:
        """The quantity that is normalised."""
        assert isinstance(self.inner, Ref)
        return self.inner.key

    def _row_places(self, row: int, column: int, cells: Shapes) -> list[Place]:
        rows, columns = self.shape(cells)
        return [(i, column) for i in range(rows)] if self.down else [(row, j) for j in range(columns)]

    def entry_working(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        if self._sees_nothing(view, self._row_places(row, column, view)):
            return n.Chain(view.cell(target, row, column), (("=", n.Num("0")),))
        return super().entry_working(view, target, row, column)

    def row_working(self, view: View, places: Sequence[Place]) -> NormaliseWorking:
        """The working of one row or column."""
        return NormaliseWorking(self, view, self.scores, places)

    def traced_lines(self, working: NormaliseWorking) -> list[n.Chain]:
        """What stands before the shares, for somebody who wants to know where one of them comes from."""
        return [working.total_line()]

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        places = view.places(target)[token]
        if self._sees_nothing(view, places):
            entries = tuple(n.Chain(view.cell(target, *place), (("=", n.Num("0")),)) for place in places)
            return [Work(NOTHING_SEEN, entries)]
        return self.row_working(view, places).works(target, places)

    def traced(self, view: View, target: Key, places: Sequence[Place]) -> list[n.Chain]:
        lines = []
        for row in view.places(target):
            wanted = [k for k, place in enumerate(row) if place in places]
            if self._sees_nothing(view, row):
                lines += [self.entry_working(view, target, *row[k]) for k in wanted]
            elif wanted:
                working = self.row_working(view, row)
                lines += [*self.traced_lines(working), *working.share_lines(target, row, wanted)]
        return lines

    def _sees_nothing(self, view: View, places: Sequence[Place]) -> bool:
        """Whether every score of a row or column is masked."""
        return all(view.real(self.scores, *place).is_infinite for place in places)

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        empty = found.fully_masked(target, self.scores)
        holds, nearly = found.sum_to(target, [0 if nothing else 1 for nothing in empty])
        description = f"each {'column' if self.down else 'row'} sums to 1"
        description += " (to 0 where everything is masked)" if any(empty) else ""
        laws = [Law("rows-sum-to-one", description + nearly, holds)]
        if found.has_hidden(self.scores):
            zero = found.zero_where_hidden(target, self.scores)
            laws.append(Law("masked-weights-are-zero", "every masked weight is exactly 0", zero))
        return laws

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        empty = [token for token, nothing in enumerate(found.fully_masked(target, self.scores)) if nothing]
        names = ", ".join(found.called(target, empty))
        return [
            f"The mask leaves {names} with nothing to attend to: 0/0 is undefined, so the weights are set to 0."
        ] * bool(empty)

    def possible_slips(self, values: Mapping[Key, Balls], place: Place, right: Ball) -> Iterator[PossibleSlip]:
        """A share that was not divided by the sum, or by a sum without one of its terms."""
        scores, (row, column) = self.inner.evaluate(values, Balls), place
        rows, number, own = (scores.T, column, row) if self.down else (scores, row, column)
        terms = run(self.terms, {SCORES.key: rows}).rows[number]
        total = sum(terms, ball(Fraction(0)))
        yield PossibleSlip("not-divided", 2, terms[own], lambda: "this entry was not divided by the sum")
        for term in terms if len(terms) > 2 else ():
            if not term.contains(0):
                describe = partial("the {} {} was left out of the sum".format, self.term, number_text(term))
                yield PossibleSlip("left-out-of-sum", 3, terms[own] / (total - term), describe)

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        """The wrong axis; the scaling or the mask in the wrong place."""
        along, across = ("down each column", "along each row")[:: 1 if self.down else -1]
        if self.shape(where)[1 if self.down else 0] > 1:
            description = f"the {self.called} was applied {across} instead of {along}"
            yield Mistake("softmax-wrong-axis", description, replace(self, down=not self.down))
        chosen = isinstance(self.inner, Ref) and isinstance(where.formula(self.inner.key), Multiply)
        if chosen and not self.takes_powers:
            yield Mistake("share-not-normalised", "the entries were not divided by their sum", self.inner)
        scaled = where.without(self.inner, Divide)
        if scaled is not None:
            divide, before = scaled
            unscaled, by = replace(self, inner=before), where.text(divide.number)
            yield Mistake(
                "softmax-of-unscaled",
                f"the {self.called} was applied to scores that had not been divided by {by}",
                unscaled,
            )
            description = f"the weights were divided by {by} after the {self.called}, instead of the scores before it"
            yield Mistake("scale-after-softmax", description, divide.made_from(unscaled, divide.right))
        masked = where.without(self.inner, Mask)
        if masked is not None and any(map(is_blocked, sum(rows := masked[0].rows(where), ()))):
            description = (
                f"the mask was applied after the {self.called}, and the remaining weights were not rescaled to sum to 1"
            )
            yield Mistake("mask-after-softmax", description, Hide(replace(self, inner=masked[1]), pattern(rows)))


def _cancelled(view: View, key: Key, places: Sequence[Place]) -> int:
    """How many digits the sum of some entries has less than the largest of them."""
    seen = [place for place in places if not view.real(key, *place).is_infinite]
    if not seen or any(view.real(key, *place).is_symbolic for place in seen):
        return 0
    reals, whole = [view.real(key, *place) for place in seen], view.sum_of(key, seen)
    largest, total = max(abs(real.nearest_float()) for real in reals), abs(whole.nearest_float())
    if not total or not largest:
        return 0
    if isinf(largest):
        lost = max(real.decimal(1).exponent for real in reals if real.nearest_float()) - whole.decimal(1).exponent
    else:
        lost = ceil(log10(largest / total))
    return min(MOST_CANCELLED, max(0, lost))


@record
class Softmax(Normalise):
    """base^x over the sum of such powers."""

    base: Base = EULER
    stable: bool = False

    takes_powers = True
    kernel = "softmax"
    working_starts_with = "letters"
    title = "Softmax"
    does = "The softmax turns each {row} into non-negative numbers that sum to 1."

    why_backward = (
        "Raising one score lowers the other weights of its {row}: so from each entry of the gradient, the "
        "weighted mean of its {row} is subtracted."
    )

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """softmax(S, base=2)."""
        base = EULER if "base" not in call.others else base_of(call.number("base").value)
        return cls(call.values[0], call.down, base)

    @property
    def needs_numbers(self) -> str:
        return "stable: true needs the largest score, but scores with symbols can't be compared" * self.stable

    @property
    def options(self) -> tuple[Base, ...]:
        return (self.base,)

    @property
    def terms(self) -> Formula:
        return Exponentials(SCORES, self.base)

    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        found: dict[str, Formula] = {}
        if self.stable:
            found["maxima"] = Greatest(SCORES, down, alone)
            found["shifted"] = LessMaximum(SCORES, letter("maxima"))
        found["exponentials"] = self.terms.put({SCORES.key: letter("shifted")} if self.stable else {})
        found["sums"] = Total(letter("exponentials"), down, alone)
        return {**found, "": DividedBySum(letter("exponentials"), letter("sums"))}

    def balances(self, place: int) -> bool:
        return True

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        both = use.name(use.times(use.value, upstream))
        sums = use.name(use.sums(both, self.down))
        slope = use.times(use.value, use.minus(upstream, sums))
        return slope if self.base is EULER else use.times(use.logarithm_of(self.base), slope)

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        factor = use.number(1) if self.base is EULER else use.logarithm_of(self.base)
        yield from of_softmax(self, factor, upstream, use)

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        row_or_column = self._row_or_column(cells)
        over = f"each {row_or_column}" if row_or_column else "all the scores"
        base = n.Chain(written.write(self.base, "fraction"), EULER_LINKS if self.base is EULER else ())
        sentences: list[Sentence] = [(f"The softmax is taken over {over}: powers of ", base, ", divided by their sum.")]
        if self.stable:
            largest, them = (
                (f"of each {row_or_column}", f"the whole {row_or_column}") if row_or_column else ("", "all of them")
            )
            first = f"First subtract the largest score {largest}".rstrip()
            sentences.append((f"{first}, ", MAXIMUM, f", from {them}; this does not change the weights."))
        return sentences

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        whole = isinstance(self.base, Fraction) and self.base.denominator == 1
        sub = "" if self.base is EULER else str(self.base) if whole else f"({self.base})"
        return n.Call("softmax", (self.inner.notation(write),), sub)

    def row_working(self, view: View, places: Sequence[Place]) -> SoftmaxWorking:
        return SoftmaxWorking(self, view, self.scores, places)

    def traced_lines(self, working: NormaliseWorking) -> list[n.Chain]:
        assert isinstance(working, SoftmaxWorking)
        shifted = working.shifted_lines() if self.stable else []
        return [*shifted, *working.power_lines(), working.total_line()]

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        powers = Powers(self.inner, self.base)
        yield Mistake("softmax-not-normalised", "the exponentials were not divided by their sum", powers)
        yield other_base(where, self.base, replace(self, base=other_than(self.base)))
        description = "the scores were divided by their sum, without taking exponentials"
        yield Mistake("softmax-sum", description, UnrequestedShare(self.inner, self.down))
        from attnsolve.operations import softmax_mistakes

        yield from softmax_mistakes.of_softmax(self, where)


@record
class Share(Normalise):
    """Each score over the sum of its row: `softmax: sum`."""

    called = "division by the sum"
    term = "score"
    title = "Shares"
    why = "Each entry is divided by the sum of its {row}, so that the {row} sums to 1."
    kernel = "share"

    why_backward = (
        "Raising one entry lowers the other shares of its {row}: so from each entry of the gradient, the "
        "weighted mean of its {row} is subtracted."
    )

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """share(S)."""
        return cls(call.values[0], call.down)

    @property
    def terms(self) -> Formula:
        return Unmasked(SCORES)

    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        return {"sums": Total(self.terms, down, alone), "": ScoresDividedBySum(SCORES, letter("sums"))}

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        both = use.name(use.times(use.value, upstream))
        sums = use.name(use.sums(both, self.down))
        totals = use.name(use.sums(use.seen(self.inner), self.down))
        slope = use.minus(upstream, sums)
        if not use.is_masked(self.inner):
            return use.over(slope, totals)
        seen = use.name(use.exceeds(self.inner, Number(PlainNumber(MINUS_INFINITY))))
        return QuotientOfSeen(use.times(seen, slope), totals)

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        totals = use.name(use.sums(use.seen(self.inner), self.down))
        yield from of_share(self, totals, upstream, use)

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        row_or_column = self._row_or_column(cells)
        total = f"the sum of its {row_or_column}" if row_or_column else "the sum of all scores"
        return [(f"No exponentials are taken: share divides each score by {total}.",)]

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("share", (self.inner.notation(write),))

    def lost_digits(self, view: View) -> int:
        """Scores that nearly sum to 0 cancel."""
        return max((_cancelled(view, self.scores, places) for places in view.places(self.scores)), default=0)

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        negative = found.within(target, 0) is False
        return [*super().remarks(found, target), *[NEGATIVE_SHARES] * negative]

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        description = "a softmax was applied, but the sheet only divides by the sum"
        yield Mistake("softmax-for-sum", description, Softmax(self.inner, self.down))


@record
class UnrequestedShare(Share):
    """Shares that a sheet doesn't ask for, so that scores which sum to 0 are no fault of it: they merely have none."""

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        try:
            return super().evaluate(values, tier)
        except UnsolvableError:
            raise Unavailable from None
