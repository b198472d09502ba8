"""The softmax, in any base, with or without the maximum taken off first; and its plain cousin, dividing by the sum."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from math import ceil, log10
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.errors import UnsolvableError
from attnsolve.key import Key
from attnsolve.numbers import Unavailable, written
from attnsolve.numbers.balls import NOWHERE, Ball, Balls, at_precision, ball
from attnsolve.numbers.closed import Base
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.light import EULER
from attnsolve.numbers.matrix import Arithmetic, M
from attnsolve.numbers.symbols import MAXIMUM, Symbols
from attnsolve.numbers.untyped import Kernel
from attnsolve.numbers.written import Real
from attnsolve.operations.divide import Divide
from attnsolve.operations.evidence import Evidence
from attnsolve.operations.formula import (
    AlongAxis,
    Formula,
    Inputs,
    Law,
    Mistake,
    Ref,
    Sentence,
    Shapes,
    View,
    Work,
    general,
)
from attnsolve.operations.letters import letter
from attnsolve.operations.mask import Hide, Mask, is_blocked, pattern
from attnsolve.operations.pen import PenSlip, spoken
from attnsolve.operations.stages import (
    MOST_TERMS,
    NOTHING_SEEN,
    Exponentials,
    Greatest,
    Less,
    Parts,
    Powers,
    Proportions,
    Seen,
    Total,
    other_base,
    other_than,
    run,
)
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.where import Where

MOST_CANCELLED = 40
"""Digits that are written on account of a sum that nearly cancels."""

NEGATIVE_SHARES = (
    "Some weights are negative because some scores are: dividing by the sum does not give probabilities here."
)

EULER_SAID = (("≈", n.Num("2.718", rounded=True)),)
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

    def stages(self, lanes: M, keep: Keep[M] = as_it_is) -> M:
        """The definition, for lanes that are rows. `keep` is told of each stage, and what it returns is gone on with:
        the same, or a name for it."""
        values = {SCORES.key: lanes}
        for name, stage in self.inside().items():
            value = run(stage, values)
            values[Key(name)] = keep(name, value).in_short if name else value
        return values[Key("")]

    def scored(self) -> Key:
        return self.scores

    def _lane_said(self, cells: Shapes) -> str:
        """Row or column; nothing where there is only one."""
        single = self.shape(cells)[1 if self.down else 0] == 1
        return "" if single else "column" if self.down else "row"

    @property
    def scores(self) -> Key:
        """The quantity that is normalised."""
        assert isinstance(self.inner, Ref)
        return self.inner.key

    def _lane(self, row: int, column: int, cells: Shapes) -> list[Place]:
        rows, columns = self.shape(cells)
        return [(i, column) for i in range(rows)] if self.down else [(row, j) for j in range(columns)]

    def worked(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        if self._sees_nothing(view, self._lane(row, column, view)):
            return n.Chain(view.cell(target, row, column), (("=", n.Num("0")),))
        return super().worked(view, target, row, column)

    def _sees_nothing(self, view: View, lane: Sequence[Place]) -> bool:
        """Whether every score of a lane is masked."""
        return all(view.real(self.scores, *place).is_infinite for place in lane)

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        empty = found.hidden_lanes(target, self.scores)
        holds, nearly = found.sum_to(target, [0 if nothing else 1 for nothing in empty])
        said = f"each {'column' if self.down else 'row'} sums to 1"
        said += " (to 0 where everything is masked)" if any(empty) else ""
        laws = [Law("rows-sum-to-one", said + nearly, holds)]
        if found.has_hidden(self.scores):
            zero = found.zero_where_hidden(target, self.scores)
            laws.append(Law("masked-weights-are-zero", "every masked weight is exactly 0", zero))
        return laws

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        empty = [token for token, nothing in enumerate(found.hidden_lanes(target, self.scores)) if nothing]
        said = ", ".join(found.called(target, empty))
        return [
            f"The mask leaves {said} with nothing to attend to: 0/0 is undefined, so the weights are set to 0."
        ] * bool(empty)

    def pen_slips(self, values: Mapping[Key, Balls], place: Place, right: Ball) -> Iterator[PenSlip]:
        """A share that was not divided by the sum, or by a sum without one of its terms."""
        scores, (row, column) = self.inner.evaluate(values, Balls), place
        lanes, number, own = (scores.T, column, row) if self.down else (scores, row, column)
        terms = run(self.terms, {SCORES.key: lanes}).rows[number]
        total = sum(terms, ball(Fraction(0)))
        yield PenSlip("not-divided", 2, terms[own], lambda: "this entry was not divided by the sum")
        for term in terms if len(terms) > 2 else ():
            if not term.contains(0):
                says = partial("the {} {} was left out of the sum".format, self.term, spoken(term))
                yield PenSlip("left-out-of-sum", 3, terms[own] / (total - term), says)

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        """The wrong axis; the scaling or the mask in the wrong place."""
        along, across = ("down each column", "along each row")[:: 1 if self.down else -1]
        if self.shape(where)[1 if self.down else 0] > 1:
            said = f"the {self.called} was applied {across} instead of {along}"
            yield Mistake("softmax-wrong-axis", said, replace(self, down=not self.down))
        scaled = where.without(self.inner, Divide)
        if scaled is not None:
            divide, before = scaled
            unscaled, by = replace(self, inner=before), where.text(divide.number)
            yield Mistake(
                "softmax-of-unscaled",
                f"the {self.called} was applied to scores that had not been divided by {by}",
                unscaled,
            )
            said = f"the weights were divided by {by} after the {self.called}, instead of the scores before it"
            yield Mistake("scale-after-softmax", said, divide.made_from(unscaled, divide.right))
        masked = where.without(self.inner, Mask)
        if masked is not None and any(map(is_blocked, sum(rows := masked[0].rows(where), ()))):
            said = (
                f"the mask was applied after the {self.called}, and the remaining weights were not rescaled to sum to 1"
            )
            yield Mistake("mask-after-softmax", said, Hide(replace(self, inner=masked[1]), pattern(rows)))


def _cancelled(view: View, key: Key, places: Sequence[Place]) -> int:
    """How many digits the sum of some entries has less than the largest of them."""
    seen = [place for place in places if not view.real(key, *place).is_infinite]
    if not seen or any(view.real(key, *place).is_symbolic for place in seen):
        return 0
    largest = max(abs(view.real(key, *place).nearest_float()) for place in seen)
    total = abs(view.sum_of(key, seen).nearest_float())
    return min(MOST_CANCELLED, max(0, ceil(log10(largest / total)))) if total and largest else 0


@record
class Softmax(Normalise):
    """base^x over the sum of such powers."""

    base: Base = EULER
    stable: bool = False

    takes_powers = True
    kernel = "softmax"
    opens = "letters"

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
            found["shifted"] = Less(SCORES, letter("maxima"))
        found["exponentials"] = self.terms.put({SCORES.key: letter("shifted")} if self.stable else {})
        found["sums"] = Total(letter("exponentials"), down, alone)
        return {**found, "": Parts(letter("exponentials"), letter("sums"))}

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        lane = self._lane_said(cells)
        over = f"each {lane}" if lane else "all the scores"
        base = n.Chain(written.write(self.base, "fraction"), EULER_SAID if self.base is EULER else ())
        said: list[Sentence] = [(f"The softmax is taken over {over}: powers of ", base, ", divided by their sum.")]
        if self.stable:
            largest, them = (f"of each {lane}", f"the whole {lane}") if lane else ("", "all of them")
            first = f"First subtract the largest score {largest}".rstrip()
            said.append((f"{first}, ", MAXIMUM, f", from {them}; this does not change the weights."))
        return said

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        whole = isinstance(self.base, Fraction) and self.base.denominator == 1
        sub = "" if self.base is EULER else str(self.base) if whole else f"({self.base})"
        return n.Call("softmax", (self.inner.notation(write),), sub)

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        places = view.places(target)[token]
        if self._sees_nothing(view, places):
            entries = tuple(n.Chain(view.cell(target, *place), (("=", n.Num("0")),)) for place in places)
            return [Work(NOTHING_SEEN, entries)]
        lane = self._of(view, places)
        works = [lane.shifted_work()] if self.stable else []
        return [*works, lane.powers_work(), lane.total_work(), lane.shares_work(target, places)]

    def traced(self, view: View, target: Key, places: Sequence[Place]) -> list[n.Chain]:
        """With the maximum of each lane before what it is taken from."""
        lines = []
        for lane in view.places(target) if self.stable else ():
            if not set(lane).isdisjoint(places) and not self._sees_nothing(view, lane):
                lines.append(self._of(view, lane).maximum_line())
        return [*lines, *super().traced(view, target, places)]

    def _of(self, view: View, places: Sequence[Place]) -> _Lane:
        scores = [view.real(self.scores, *place) for place in places]
        return _Lane(self, view, scores, [view.cell(self.scores, *place) for place in places])

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        powers = Powers(self.inner, self.base)
        yield Mistake("softmax-not-normalised", "the exponentials were not divided by their sum", powers)
        yield other_base(where, self.base, replace(self, base=other_than(self.base)))
        said = "the scores were divided by their sum, without taking exponentials"
        yield Mistake("softmax-sum", said, Attempt(self.inner, self.down))


@record
class Share(Normalise):
    """Each score over the sum of its row: `softmax: sum`."""

    called = "division by the sum"
    term = "score"
    why = "Each score is divided by the sum of its {lane}, so that the weights sum to 1."
    kernel = "share"

    @property
    def terms(self) -> Formula:
        return Seen(SCORES)

    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        return {"sums": Total(self.terms, down, alone), "": Proportions(SCORES, letter("sums"))}

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        lane = self._lane_said(cells)
        total = f"the sum of its {lane}" if lane else "the sum of all scores"
        return [(f"No exponentials are taken: share divides each score by {total}.",)]

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("share", (self.inner.notation(write),))

    def lost_digits(self, view: View) -> int:
        """Scores that nearly sum to 0 cancel."""
        return max((_cancelled(view, self.scores, lane) for lane in view.places(self.scores)), default=0)

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        negative = found.within(target, 0) is False
        return [*super().remarks(found, target), *[NEGATIVE_SHARES] * negative]

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        said = "a softmax was applied, but the sheet only divides by the sum"
        yield Mistake("softmax-for-sum", said, Softmax(self.inner, self.down))


@record
class Attempt(Share):
    """Shares that a sheet doesn't ask for, so that scores which sum to 0 are no fault of it: they merely have none."""

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        try:
            return super().evaluate(values, tier)
        except UnsolvableError:
            raise Unavailable from None


Stages = dict[str, list[n.Notation]]
"""The entries of each stage of one lane; under "", the shares that it ends in."""


class _Lane:
    """The work for one lane of scores: each stage of the definition in letters, with the numbers put in, and what it
    comes to. All three come from running that definition."""

    def __init__(self, softmax: Softmax, view: View, scores: list[Real], symbols: list[n.Notation]) -> None:
        self.softmax, self.view, self.symbols = softmax, view, symbols
        self.scores = scores
        self.values = reals_of_stages(softmax, scores)
        self.exponents = self.values["shifted"] if softmax.stable else scores
        self.powers = self.values["exponentials"]
        (self.total,) = self.values["sums"]
        self.seen = [k for k, score in enumerate(scores) if not score.is_infinite]
        self.letters = self._run(symbols, {"maxima": [MAXIMUM]})
        self.numbers = self._run(_put_in(view, scores), self._carried(range(len(scores))))
        self.exact = all(view.put_in(exponent).exact for exponent in self.exponents)

    def _run(self, entries: Sequence[n.Notation], carried: Mapping[str, Sequence[n.Notation]]) -> Stages:
        """The stages in symbols, from the scores; those that are `carried` on by other names are gone on with so."""
        found: Stages = {}

        def keep(stage: str, matrix: Symbols) -> Symbols:
            found[stage] = _entries(matrix)
            return _row(carried[stage]) if stage in carried else matrix

        found[""] = _entries(self.softmax.stages(_row(entries), keep))
        return found

    def _carried(self, places: Sequence[int]) -> dict[str, Sequence[n.Notation]]:
        """What was worked out in a step is a number in the next."""
        if not self.softmax.stable:
            return {}
        shifted = [self.exponents[k] for k in places]
        return {"maxima": _put_in(self.view, self.values["maxima"]), "shifted": _put_in(self.view, shifted)}

    def _seen(self, carried: Mapping[str, Sequence[n.Notation]]) -> Stages:
        """The stages with numbers, of what is not masked: the rest adds nothing."""
        entries = _put_in(self.view, [self.scores[k] for k in self.seen])
        return self._run(entries, {**self._carried(self.seen), **carried})

    def _shown(self, reals: Sequence[Real]) -> list[n.Notation]:
        return [self.view.show(real).notation for real in reals]

    def maximum_line(self) -> n.Chain:
        """The greatest score."""
        sure = all(self.view.put_in(score).exact for score in self.scores)
        return n.Chain(MAXIMUM, _links(self.view, sure, self.numbers["maxima"][0], self.values["maxima"][0]))

    def shifted_work(self) -> Work:
        """The maximum, and every score less it."""
        view, (top,) = self.view, self.values["maxima"]
        sure = [view.put_in(score).exact for score in self.scores]
        lines = [self.maximum_line()]
        for k, value in enumerate(self.exponents[: view.most]):
            exact = sure[k] and view.put_in(top).exact
            lines.append(n.Chain(self.letters["shifted"][k], _links(view, exact, self.numbers["shifted"][k], value)))
        return Work("subtract the largest score first, so that no exponential overflows", tuple(lines))

    def powers_work(self) -> Work:
        """The powers."""
        lines = []
        for k, power in enumerate(self.powers[: self.view.most]):
            exact = self.view.put_in(self.exponents[k]).exact
            links = _links(self.view, exact, self.numbers["exponentials"][k], power)
            lines.append(n.Chain(self.letters["exponentials"][k], links))
        return Work("the exponentials" if self.softmax.base is EULER else "the powers", tuple(lines))

    def total_work(self) -> Work:
        """Their sum, term by term where these are few."""
        running = self._run([general(self.symbols[0], self.softmax.down)], {"maxima": [MAXIMUM]})["exponentials"][0]
        middle: Links = ()
        if 1 < len(self.seen) <= MOST_TERMS:
            short = all(power.rational is not None and self.view.show(power).exact for power in self.powers)
            powers = self._shown([self.powers[k] for k in self.seen])
            numbers = self._seen({"exponentials": powers} if short else {})
            middle = (("=" if self.exact else "≈", numbers["sums"][0]),)
        return Work("their sum", (n.Chain(n.SumOver("j", running), (*middle, *_ending(self.view, self.total))),))

    def shares_work(self, target: Key, places: Sequence[Place]) -> Work:
        """Each power over the sum."""
        view = self.view
        short = self.total.rational is not None and all(view.show(x).exact for x in (self.total, *self.powers))
        filled: Sequence[n.Notation] = ()
        if short or len(self.seen) <= MOST_TERMS:
            powers = self._shown([self.powers[k] for k in self.seen])
            numbers = self._seen({"exponentials": powers, "sums": self._shown([self.total])} if short else {})
            under = self._shown([self.total])[0] if short else numbers["sums"][0]
            shares = dict(zip(self.seen, numbers[""], strict=True))
            filled = [shares.get(k, n.Frac(n.Num("0"), under)) for k in range(len(places))]
        sign = "=" if short or self.exact else "≈"
        lines = []
        for k, place in enumerate(places[: view.most]):
            links = ((sign, filled[k]),) if filled else ()
            result = view.result(target, *place)
            result = result[-1:] if sign == "≈" else result
            shown = tuple(link for link in result if not filled or link[1] != filled[k])
            lines.append(n.Chain(view.cell(target, *place), (*links, *shown)))
        return Work("divide each by the sum", tuple(lines))


def reals_of_stages(softmax: Softmax, scores: Sequence[Real]) -> dict[str, list[Real]]:
    """What each stage comes to for one lane of scores, from the definition run exactly and in balls."""
    exact = _stages(softmax, Exact([[score.exact for score in scores]]))

    @cache
    def balls(bits: int) -> dict[str, Balls]:
        with at_precision(bits):
            lane = [[NOWHERE if score.is_symbolic else score.ball_at(bits) for score in scores]]
            return _stages(softmax, Balls.from_balls(lane))

    def real(stage: str, place: int) -> Real:
        return Real(exact[stage].rows[0][place], lambda bits: balls(bits)[stage].table[0, place])

    return {stage: [real(stage, k) for k in range(matrix.shape[1])] for stage, matrix in exact.items()}


def _stages(softmax: Softmax, lane: M) -> dict[str, M]:
    found: dict[str, M] = {}

    def keep(stage: str, matrix: M) -> M:
        found[stage] = matrix
        return matrix

    softmax.stages(lane, keep)
    return found


def _row(entries: Sequence[n.Notation]) -> Symbols:
    return Symbols((1, len(entries)), lambda _, j: entries[j])


def _entries(matrix: Symbols) -> list[n.Notation]:
    return [matrix.at(0, j) for j in range(matrix.shape[1])]


def _put_in(view: View, reals: Sequence[Real]) -> list[n.Notation]:
    return [view.put_in(real).notation for real in reals]


def _links(view: View, exact: bool, put_in: n.Notation, result: Real) -> Links:
    """The numbers put in, `exact` or rounded, and what they come to, which after rounded ones is never =."""
    ending = tuple(link for link in _ending(view, result) if link[1] != put_in)
    return (("=", put_in), *ending) if exact else (("≈", put_in), *(("≈", part) for _, part in ending[-1:]))


def _ending(view: View, real: Real) -> Links:
    """= exact, or ≈ decimal, or both where the exact form isn't a decimal."""
    shown = view.show(real)
    if not shown.exact:
        return (("≈", shown.notation),)
    decimal = view.decimal(real)
    if isinstance(shown.notation, n.Num | n.Infinity) or real.is_symbolic:
        return (("=", shown.notation),)
    return (("=", shown.notation), ("=" if decimal.exact else "≈", decimal.notation))
