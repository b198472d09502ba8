"""The softmax, in any base, with or without the maximum taken off first; and its plain cousin, dividing by the sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attnsolve import notation as n
from attnsolve.errors import UnsolvableError
from attnsolve.numbers import Unavailable, closed, written
from attnsolve.numbers.balls import at_precision
from attnsolve.numbers.closed import Base
from attnsolve.numbers.exact import maximum
from attnsolve.numbers.light import EULER, ONE, ZERO
from attnsolve.numbers.written import Real
from attnsolve.operations.divide import Divide, scaled_unasked
from attnsolve.operations.formula import Cells, Formula, Key, Law, Mistake, Ref, Sentence, Shapes, View, Work, general
from attnsolve.operations.mask import Hide, Mask, is_blocked, pattern

if TYPE_CHECKING:
    from attnsolve.operations.where import Where

MOST_TERMS = 6
"""A row longer than this has its sum written as Σ and not term by term."""

NEGATIVE_SHARES = "Some shares are negative, since some scores are: dividing by the sum gives no probabilities here."

EULER_SAID = (("≈", n.Num("2.718", rounded=True)),)
"""How large e is, where scores may be called e too."""

Place = tuple[int, int]


@dataclass(frozen=True, eq=False, repr=False)
class Normalise(Formula):
    """What softmax and dividing by the sum share: each row (`down`: each column) becomes shares that sum to 1."""

    inner: Formula
    down: bool = False

    shares = True
    called = "softmax"
    """What is done, in a word."""

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def shape(self, cells: Shapes) -> tuple[int, int]:
        return self.inner.shape(cells)

    def _lane_said(self, cells: Shapes) -> str:
        """Row or column; nothing where there is only one."""
        single = self.shape(cells)[1 if self.down else 0] == 1
        return "" if single else "column" if self.down else "row"

    @property
    def scores(self) -> Key:
        """The quantity that is normalised."""
        assert isinstance(self.inner, Ref)
        return self.inner.key

    def _lane(self, row: int, column: int, cells: Cells) -> list[Place]:
        rows, columns = self.shape(cells)
        return [(i, column) for i in range(rows)] if self.down else [(row, j) for j in range(columns)]

    def worked(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        if self._sees_nothing(view, self._lane(row, column, view)):
            return n.Chain(view.cell(target, row, column), (("=", n.Num("0")),))
        return self._shared(view, target, row, column)

    def _shared(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        """The work for an entry of a lane in which something may be attended to."""
        return super().worked(view, target, row, column)

    def _sees_nothing(self, view: View, lane: Sequence[Place]) -> bool:
        """Whether every score of a lane is masked."""
        return all(view.real(self.scores, *place).is_infinite for place in lane)

    def laws(self, view: View, target: Key) -> list[Law]:
        lanes, empty = view.places(target), self._empty(view, target)
        sums = [view.sum_of(target, lane) for lane in lanes]
        holds = all(_is(total, 0 if nothing else 1) for total, nothing in zip(sums, empty, strict=True))
        said = f"each {'column' if self.down else 'row'} sums to 1"
        laws = [
            Law(
                "rows-sum-to-one",
                said + (" (to 0 where nothing may be attended to)" if any(empty) else ""),
                holds,
            )
        ]
        blocked = [place for lane in lanes for place in lane if view.real(self.scores, *place).is_infinite]
        if blocked:
            zero = all(view.real(target, *place).exact in (0, None) for place in blocked)
            laws.append(Law("masked-weights-are-zero", "every masked weight is exactly 0", zero))
        return laws

    def _empty(self, view: View, target: Key) -> list[bool]:
        """Which tokens may attend to nothing at all."""
        return [self._sees_nothing(view, lane) for lane in view.places(target)]

    def remarks(self, view: View, target: Key) -> list[str]:
        return left_empty(
            [view.called(target, token) for token, nothing in enumerate(self._empty(view, target)) if nothing]
        )

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        """The wrong axis; the scaling or the mask in the wrong place."""
        along, across = ("down each column", "along each row")[:: 1 if self.down else -1]
        if self.shape(where)[1 if self.down else 0] > 1:
            said = f"the {self.called} was taken {across} instead of {along}"
            yield Mistake("softmax-wrong-axis", said, replace(self, down=not self.down))
        scaled = where.without(self.inner, Divide)
        if scaled is not None:
            divide, before = scaled
            unscaled, by = replace(self, inner=before), where.text(divide.number)
            yield Mistake("softmax-of-unscaled", f"the {self.called} was taken of scores not divided by {by}", unscaled)
            said = f"the weights were divided by {by} after the {self.called}, instead of the scores before it"
            yield Mistake("scale-after-softmax", said, divide.made_from(unscaled))
        unasked = scaled_unasked(self.inner, where)
        if unasked is not None:
            said = f"the scores were divided by {where.text(unasked.symbol)}, though the sheet doesn't scale"
            yield Mistake("scale-unasked", said, replace(self, inner=unasked))
        masked = where.without(self.inner, Mask)
        if masked is not None and any(map(is_blocked, sum(rows := masked[0].rows(where), ()))):
            said = f"the mask was applied after the {self.called}, and what was left was not made to sum to 1 again"
            yield Mistake("mask-after-softmax", said, Hide(replace(self, inner=masked[1]), pattern(rows)))


def left_empty(names: Sequence[str]) -> list[str]:
    """What is said of tokens that may attend to nothing."""
    said = ", ".join(names)
    return [f"The mask leaves {said} nothing to attend to: 0/0 has no value, so the weights are set to 0."][
        : len(names)
    ]


def _is(real: Real, value: int) -> bool:
    """Whether a number is this one: decided by its closed form if it has one, else by balls that grow narrower."""
    if real.exact is not None:
        return closed.equals(real.exact, value)
    for bits in (128, 512, 2048, 8192):
        with at_precision(bits):
            difference = real.ball_at(bits) - value
            if not difference.contains(0):
                return False
            if difference.rad() < 1e-15:
                return True
    return False


@dataclass(frozen=True, eq=False, repr=False)
class Softmax(Normalise):
    """base^x over the sum of such powers."""

    base: Base = EULER
    stable: bool = False

    @property
    def needs_numbers(self) -> str:
        return "stable: true needs the largest score, but scores with symbols can't be compared" * self.stable

    def compute(self, *matrices: Any) -> Any:
        scores = matrices[0].T if self.down else matrices[0]
        weights = scores.steadied(self.base).powers(self.base).normalised()
        return weights.T if self.down else weights

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        lane = self._lane_said(cells)
        over = f"each {lane}" if lane else "all the scores"
        base = n.Chain(written.write(self.base, "fraction"), EULER_SAID if self.base is EULER else ())
        said: list[Sentence] = [(f"The softmax is taken over {over}: powers of ", base, ", divided by their sum.")]
        if self.stable:
            from_them = f"from each {lane} its largest score" if lane else "the largest score from all of them"
            said.append((f"First subtract {from_them}; this changes no weight.",))
        return said

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        whole = isinstance(self.base, Fraction) and self.base.denominator == 1
        sub = "" if self.base is EULER else str(self.base) if whole else f"({self.base})"
        return n.Call("softmax", (self.inner.notation(write),), sub)

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        lane = self._lane(row, column, cells)
        powers = [self._power(self.inner.cell(i, j, cells)) for i, j in lane]
        return n.Frac(self._power(self.inner.cell(row, column, cells)), n.Sum(tuple(powers)))

    def _power(self, exponent: n.Notation) -> n.Notation:
        if self.base is EULER and _says_e(exponent):  # scores called e are not powers of Euler's: exp(e₁), not e^e₁
            return n.Call("exp", (exponent,))
        return n.Power(written.write(self.base, "fraction"), exponent)

    def _shared(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        chain = super()._shared(view, target, row, column)
        return n.Chain(chain.left, (("=", self.cell(row, column, view)), *chain.links))

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        places = view.places(target)[token]
        scores = [view.real(self.scores, *place) for place in places]
        if all(score.is_infinite for score in scores):
            entries = tuple(n.Chain(view.cell(target, *place), (("=", n.Num("0")),)) for place in places)
            return [Work("nothing may be attended to, so every weight is 0", entries)]
        symbols = [view.cell(self.scores, *place) for place in places]
        works = []
        if self.stable:
            scores, symbols, shift = self._shifted(view, scores, symbols)
            works.append(shift)
        powers = [written.power(self.base, score) for score in scores]
        total = written.total(powers)
        works.append(self._powers(view, symbols, scores, powers))
        works.append(self._total(view, symbols, scores, powers, total))
        works.append(self._shares(view, target, places, scores, powers, total))
        return works

    def _shifted(
        self, view: View, scores: list[Real], symbols: list[n.Notation]
    ) -> tuple[list[Real], list[n.Notation], Work]:
        """Take the maximum off every score."""
        top = _largest(scores)
        least = [s if s.is_infinite else _less(s, top) for s in scores]
        name = n.Sym("m")
        entries = [view.put_in(score).notation for score in scores]
        exact = "=" if all(view.put_in(score).exact for score in scores) else "≈"
        lines = [n.Chain(name, ((exact, n.Call("max", tuple(entries))), *_ending(view, top)))]
        renamed: list[n.Notation] = []
        for symbol, score, shifted in zip(symbols, scores, least, strict=True):
            difference = n.Sum((symbol, n.Product((n.Num("-1"), name))))
            renamed.append(difference)
            if len(lines) > (view.most or len(symbols)):
                continue
            numbers = n.Sum((view.put_in(score).notation, n.negated(view.put_in(top).notation)))
            sign = "=" if view.put_in(score).exact and view.put_in(top).exact else "≈"
            lines.append(n.Chain(difference, ((sign, numbers), *_ending(view, shifted))))
        return (
            least,
            renamed,
            Work("the largest score is taken off first, so that no exponential overflows", tuple(lines)),
        )

    def _powers(self, view: View, symbols: list[n.Notation], scores: list[Real], powers: list[Real]) -> Work:
        lines = []
        for symbol, score, power in zip(symbols[: view.most], scores, powers, strict=False):
            shown = view.put_in(score)
            put_in = self._power(shown.notation)
            ending = _ending(view, power)
            links = (("=" if shown.exact else "≈", put_in), *(link for link in ending if link[1] != put_in))
            lines.append(n.Chain(self._power(symbol), links))
        return Work("the exponentials" if self.base is EULER else "the powers", tuple(lines))

    def _total(
        self, view: View, symbols: list[n.Notation], scores: list[Real], powers: list[Real], total: Real
    ) -> Work:
        left = n.SumOver("j", self._power(general(symbols[0], self.down)))
        finite = [view.put_in(score).notation for score in scores if not score.is_infinite]
        exact = all(view.put_in(score).exact for score in scores)
        if all(power.rational is not None and view.show(power).exact for power in powers):
            terms = [view.show(power).notation for power, s in zip(powers, scores, strict=True) if not s.is_infinite]
        else:
            terms = [self._power(score) for score in finite]
        middle = ((("=" if exact else "≈"), n.Sum(tuple(terms))),) if 1 < len(terms) <= MOST_TERMS else ()
        return Work("their sum", (n.Chain(left, (*middle, *_ending(view, total))),))

    def _shares(
        self,
        view: View,
        target: Key,
        places: Sequence[Place],
        scores: list[Real],
        powers: list[Real],
        total: Real,
    ) -> Work:
        lines = []
        rational = total.rational is not None and all(view.show(x).exact for x in (total, *powers))
        shown = [view.put_in(score) for score in scores]
        finite = [self._power(s.notation) for s, score in zip(shown, scores, strict=True) if not score.is_infinite]
        short = len(finite) <= MOST_TERMS
        long_sum = n.Sum(tuple(finite)) if short else n.SumOver("j", self._power(n.Sym("s", ("j",))))
        sign = "=" if rational or all(s.exact for s in shown) else "≈"
        for place, score, power in zip(places[: view.most], scores, powers, strict=False):
            links: tuple[tuple[str, n.Notation], ...] = ()
            under = view.show(total).notation if rational else long_sum
            over = view.show(power).notation if rational else self._power(view.put_in(score).notation)
            if rational or short:
                links = ((sign, n.Frac(n.Num("0") if score.is_infinite else over, under)),)
            result = view.result(target, *place)
            if sign == "≈":
                result = result[-1:]
            lines.append(
                n.Chain(
                    view.cell(target, *place),
                    (*links, *(x for x in result if x[1] != links[0][1])) if links else result,
                )
            )
        return Work("each one's share of it", tuple(lines))

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        powers = Powers(self.inner, self.base)
        yield Mistake("softmax-not-normalised", "the exponentials were not divided by their sum", powers)
        two = self.base is EULER
        id, used = ("softmax-base-2", "2") if two else ("softmax-base-e", "e")
        said = f"powers of {used} were taken instead of powers of {where.text(written.write(self.base, 'fraction'))}"
        yield Mistake(id, said, replace(self, base=Fraction(2) if two else EULER))
        said = "the scores were divided by their sum, without exponentials"
        yield Mistake("softmax-sum", said, Attempt(self.inner, self.down))


@dataclass(frozen=True, eq=False, repr=False)
class Powers(Formula):
    """base^x for every entry: a softmax left half done."""

    inner: Formula
    base: Base = EULER

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def compute(self, *matrices: Any) -> Any:
        return matrices[0].exponentials(self.base)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Power(written.write(self.base, "fraction"), self.inner.notation(write))

    def shape(self, cells: Shapes) -> tuple[int, int]:
        return self.inner.shape(cells)

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        return n.Power(written.write(self.base, "fraction"), self.inner.cell(row, column, cells))


@dataclass(frozen=True, eq=False, repr=False)
class Share(Normalise):
    """Each score over the sum of its row: `softmax: sum`."""

    called = "division by the sum"
    why = "Each score is divided by the sum of its {lane}, so that the shares sum to 1."

    def compute(self, *matrices: Any) -> Any:
        shares = (matrices[0].T if self.down else matrices[0]).shares()
        return shares.T if self.down else shares

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        lane = self._lane_said(cells)
        total = f"the sum of its {lane}" if lane else "the sum of all scores"
        return [(f"There are no exponentials: share divides each score by {total}.",)]

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("share", (self.inner.notation(write),))

    def remarks(self, view: View, target: Key) -> list[str]:
        remarks = super().remarks(view, target)
        reals = [view.real(target, *place) for lane in view.places(target) for place in lane]
        if any(real.exact is not None and closed.is_negative(real.exact) for real in reals):
            remarks.append(NEGATIVE_SHARES)
        return remarks

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        lane = [self.inner.cell(i, j, cells) for i, j in self._lane(row, column, cells)]
        finite = [entry for entry in lane if not isinstance(entry, n.Infinity)]
        if not finite:
            return n.Num("0")
        entry = self.inner.cell(row, column, cells)
        return n.Frac(n.Num("0") if isinstance(entry, n.Infinity) else entry, n.Sum(tuple(finite)))

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        said = "a softmax was taken, where the sheet only divides by the sum"
        yield Mistake("softmax-for-sum", said, Softmax(self.inner, self.down))


@dataclass(frozen=True, eq=False, repr=False)
class Attempt(Share):
    """Shares that a sheet doesn't ask for, so that scores which sum to 0 are no fault of it: they merely have none."""

    def compute(self, *matrices: Any) -> Any:
        try:
            return super().compute(*matrices)
        except UnsolvableError:
            raise Unavailable from None


def _largest(scores: Sequence[Real]) -> Real:
    """The largest score; where no closed form decides, the one with the largest float64."""
    try:
        return Real.of(maximum([score.exact for score in scores]))
    except Unavailable:
        return max((score for score in scores if not score.is_infinite), key=Real.nearest_float)


def _less(score: Real, top: Real) -> Real:
    if score is top:
        return Real.of(ZERO)
    if closed.is_number(score.exact) and closed.is_number(top.exact):
        return Real.of(closed.add((score.exact, closed.multiply(top.exact, -ONE))))
    return Real(None, lambda bits: score.ball_at(bits) - top.ball_at(bits))


def _says_e(notation: n.Notation) -> bool:
    first = notation.terms[0] if isinstance(notation, n.Sum) else notation
    return isinstance(first, n.Sym) and first.name == "e" and bool(first.sub)


def _ending(view: View, real: Real) -> tuple[tuple[str, n.Notation], ...]:
    """= exact, or ≈ decimal, or both where the exact form isn't a decimal."""
    shown = view.show(real)
    if not shown.exact:
        return (("≈", shown.notation),)
    decimal = view.decimal(real)
    if isinstance(shown.notation, n.Num | n.Infinity) or real.is_symbolic:
        return (("=", shown.notation),)
    return (("=", shown.notation), ("=" if decimal.exact else "≈", decimal.notation))
