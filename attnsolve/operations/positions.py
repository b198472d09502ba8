"""Positions: frequencies, angles, their sines and cosines, rotations of pairs of entries, and biases that grow with the
distance between tokens.

A position t turns pair i by the angle t · base^(−2i/d), i counted from 0. Frequencies and angles are quantities of
their own; what is made of them reads their sines and cosines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.errors import count, there_are
from attnsolve.key import Key
from attnsolve.language.syntax import IndexNode, ListedNode
from attnsolve.numbers.closed import base_of
from attnsolve.numbers.constant import Constant, Degrees, PlainNumber
from attnsolve.numbers.matrix import Arithmetic, M
from attnsolve.operations.context import (
    CellWriter,
    Inputs,
    Law,
    Mistake,
    NoDerivative,
    Sentence,
    Shapes,
    View,
    Work,
)
from attnsolve.operations.formula import AlongAxis, Formula, Ref, Sides, turned
from attnsolve.operations.number import Number
from attnsolve.operations.place import Listed
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.evidence import Evidence
    from attnsolve.operations.where import Where

TEN_THOUSAND = PlainNumber(10_000)
BASES = (10_000, 1_000, 100_000, 100)
"""Bases that are taken for one another."""
LONGEST_GRID = 8
"""More positions than this are written with dots."""
IN_DEGREES = "the angles were taken in degrees instead of radians"


# ── frequencies and angles ──────────────────────────────────────────────────────────────────────


@record
class Frequencies(Formula):
    """base^(−2i/d) for each pair i of a vector with d entries, as one row. People leave out the 2, and the minus."""

    base: Constant
    width: int
    factor: int = -2

    fills = False
    opens = ""
    title = "Frequencies"
    why = "Each pair of entries has its own frequency: 1 radian per position for the first, less for each later one."

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        pairs = range((self.width + 1) // 2)
        return tier.perform(self, [tier.of([[Fraction(self.factor * i, self.width) for i in pairs]])])

    def define(self, *matrices: M) -> M:
        (exponents,) = matrices
        return exponents.exp(base_of(self.base.value))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        number = n.Num("-2" if self.factor == -2 else str(self.factor))
        over = n.Product((number, n.Sym("i")))
        return n.Power(self.base.symbol, n.Frac(over, n.Num(str(self.width))))

    def shapes(self, cells: Shapes) -> n.Notation:
        last = (self.width + 1) // 2 - 1
        return n.Chain(n.Sym("i"), (("=", n.Word(f"0 … {last}" if last > 1 else "0, 1" if last else "0")),))

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        description = " is the frequency of pair i, counted from 0; angles are in radians."
        return [(self.notation(write), description)]

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        own = self.base.value
        for base in BASES:
            if own != base:
                description = f"the base was {base} instead of {where.text(self.base.written)}"
                yield Mistake("position-base", description, replace(self, base=PlainNumber(base)))
        description = "the exponent had i/d instead of 2i/d"
        yield Mistake("position-exponent", description, replace(self, factor=-1))
        description = "positions were multiplied by the power of the base instead of divided by it"
        yield Mistake("position-times", description, replace(self, factor=2))


@record
class Angles(Formula):
    """Each position times each frequency: one row for each token, or (`down`) one column."""

    frequencies: Formula
    positions: tuple[Constant, ...]
    down: bool = False

    fills = False
    opens = "letters"
    title = "Angles"
    does = "Each angle is the token's position times the frequency of the pair."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.frequencies,)

    @property
    def goes_down(self) -> bool:
        return self.down

    def define(self, *matrices: M) -> M:
        (frequencies,) = matrices
        rows = [frequencies.constant(position) * frequencies for position in self.positions]
        columns = [row.T for row in rows]
        found = columns[0].beside(columns[1:])
        return found if self.down else found.T

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        shown = [position.written for position in self.positions]
        if len(shown) > LONGEST_GRID:
            shown = [*shown[:2], n.Word("…"), shown[-1]]
        frequencies = self.frequencies.notation(write)
        if len(shown) == 1:
            return n.Product((shown[0], frequencies))
        if self.down:
            return n.Product((n.Transposed(frequencies), n.Grid((tuple(shown),))))
        return n.Product((n.Grid(tuple((x,) for x in shown)), frequencies))

    def shapes(self, cells: Shapes) -> n.Notation:
        rows, columns = self.shape(cells)
        sides = ((rows, 1), (1, columns))
        return n.Product(tuple(n.Call("", (n.Shape(*side),)) for side in sides))

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        return [("The first position is ", self.positions[0].written, ".")]

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        first = self.positions[0].value
        for by in (1, -1):
            moved = tuple(PlainNumber(position.value + by) for position in self.positions)
            wrong, right = (where.text(PlainNumber(value).written) for value in (first + by, first))
            description = f"the first position was {wrong} instead of {right}"
            yield Mistake("position-start", description, replace(self, positions=moved))


@record
class Turns(Listed):
    """The angle of each token, as it is stated."""

    title = "Angles"
    does = "Each token will be rotated by this angle."

    def made_from(self, *arguments: Formula) -> Formula:
        return Turns(arguments)

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(*self.shape(cells))


def _angles(call: Call, positions: Sequence[Constant], width: int, down: bool, alone: bool) -> Formula:
    """The angles of some positions, as a quantity."""
    frequencies = Frequencies(call.number("base", TEN_THOUSAND), width)
    pairs = (width + 1) // 2
    named = call.sheet.add("frequencies", frequencies, (pairs,), ("theta", "omega"))
    shape = (pairs,) if alone else (pairs, len(positions)) if down else (len(positions), pairs)
    return call.sheet.add("angles", Angles(named, tuple(positions), down), shape, ("phi", "alpha"))


def _counted(call: Call, tokens: int) -> list[Constant]:
    start = call.whole("start")
    return [PlainNumber(start + i) for i in range(tokens)]


def _pair_places(width: int, halves: bool) -> list[tuple[int, int]]:
    """Which two entries each pair is made of."""
    pairs = width // 2
    return [(i, i + pairs) if halves else (2 * i, 2 * i + 1) for i in range(pairs)]


def _in_radians(angles: M) -> M:
    """Angles that a calculator takes for degrees."""
    return angles * angles.constant(Degrees(1))


# ── sinusoidal positions ────────────────────────────────────────────────────────────────────────


@record
class Sinusoidal(AlongAxis):
    """The sine and the cosine of each angle, one after the other for each pair, or (`halves`) all sines first. People
    exchange them (`exchanged`), or take the angles for `degrees`."""

    angles: Formula
    width: int
    halves: bool = False
    down: bool = False
    exchanged: bool = False
    degrees: bool = False

    fills = False
    opens = "letters"
    title = "Positions"
    why = "Each pair of entries is the sine and cosine of one angle, so that every position gets its own pattern."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """sinusoidal(n, d, base=10000, start=0, order=halves)."""
        tokens, width = call.whole("n"), call.whole("d")
        halves = call.word("order", ("interleaved", "halves")) == "halves"
        if halves and width % 2:
            raise call.refused(f"halves need an even number of entries, but d is {width}", node=call.others["d"])
        down = call.sheet.down
        return cls(_angles(call, _counted(call, tokens), width, down, False), width, halves, down)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.angles,)

    @property
    def goes_down(self) -> bool:
        return self.down

    def define(self, *matrices: M) -> M:
        angles = matrices[0].T if self.down else matrices[0]
        angles = _in_radians(angles) if self.degrees else angles
        first, second = angles.apply("sin"), angles.apply("cos")
        if self.exchanged:
            first, second = second, first
        pairs = range(angles.shape[1])
        columns = [part.columns(i, i + 1) for i in pairs for part in (first, second)]
        if self.halves:
            columns = [part.columns(i, i + 1) for part in (first, second) for i in pairs]
        found = columns[0].beside(columns[1 : self.width])
        return found.T if self.down else found

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        angles = self.angles.notation(write)
        parts = tuple(n.Call(name, (angles,)) for name in ("sin", "cos"))
        return n.Beside(parts, self.down) if self.halves else n.Call("interleaved", parts)

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(*self.angles.shape(cells))

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        return [Law("between", "every entry lies between −1 and 1", found.within(target, -1, 1) is True)]

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        if self.halves:
            return [("All sines come first, then all cosines.",)]
        return [("Sine and cosine alternate: the first entry is a sine, the second the cosine of the same angle.",)]

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield Mistake("position-sine-cosine", "sine and cosine were swapped", replace(self, exchanged=True))
        yield Mistake("angle-degrees", IN_DEGREES, replace(self, degrees=True))
        if self.width > 2 and self.width % 2 == 0:
            orders = ("alternating sines and cosines", "all sines before all cosines")
            written, right = orders if self.halves else orders[::-1]
            description = f"the entries were written as {written} instead of {right}"
            yield Mistake("position-order", description, replace(self, halves=not self.halves))


# ── rotations ───────────────────────────────────────────────────────────────────────────────────


@record
class Rotary(AlongAxis):
    """Each pair of entries of a token turned by its angle: neighbours, or (`halves`) one from each half. There is one
    angle for each pair of each token, for each token, or for all. People turn `back`, or take angles for `degrees`."""

    inner: Formula
    angles: Formula
    halves: bool = False
    down: bool = False
    back: bool = False
    degrees: bool = False
    by_position: bool = False
    """Whether the angles come from positions, with frequencies."""

    fills = False
    opens = "letters"
    title = "Rotation"
    does = "Each pair of entries is rotated by its angle, which changes its direction but not its length."

    why_backward = "The gradient is rotated back by the same angles."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """rope(X, base=10000, start=0, pairs=adjacent, at=[3, 5]), rotate(X, [0°, 30°])."""
        (inner,), down = call.values, call.down
        width = call.size
        if width % 2:
            raise call.refused(f"pairs need an even number of entries, but there are {width}")
        halves = call.word("pairs", ("adjacent", "halves")) == "halves"
        tokens = 1 if call.alone else call.shapes[0][1 if down else 0]
        if call.name == "rotate":
            return cls(inner, _stated(call, tokens, width), halves, down)
        positions = call.sheet.constants(call.others["at"]) if "at" in call.others else _counted(call, tokens)
        if len(positions) != tokens:
            description = f"at has {count(len(positions), 'position')}, but {there_are(tokens, 'token')}"
            raise call.refused(description, node=call.others["at"])
        return cls(inner, _angles(call, positions, width, down, call.alone), halves, down, by_position=True)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner, self.angles)

    @property
    def goes_down(self) -> bool:
        return self.down

    def define(self, *matrices: M) -> M:
        lanes, angles = (matrix.T for matrix in matrices) if self.down else matrices
        angles = _in_radians(angles) if self.degrees else angles
        places = _pair_places(lanes.shape[1], self.halves)
        found: dict[int, M] = {}
        for number, (one, two) in enumerate(places):
            angle = angles.columns(number, number + 1) if angles.shape[1] > 1 else angles
            cos, sin = angle.apply("cos"), angle.apply("sin")
            first, second = lanes.columns(one, one + 1), lanes.columns(two, two + 1)
            if self.back:
                found[one], found[two] = first * cos + second * sin, second * cos - first * sin
            else:
                found[one], found[two] = first * cos - second * sin, first * sin + second * cos
        columns = [found[place] for place in sorted(found)]
        turned = columns[0].beside(columns[1:])
        return turned.T if self.down else turned

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        if place == 1:
            raise NoDerivative("angles are not differentiated")
        return replace(self, inner=use.name(use.whole(upstream, use.shape(self))), back=not self.back)

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        if place == 1:
            return
        whole = use.whole(upstream, use.shape(self))
        said = "the gradient was rotated by the same angles instead of back by them"
        yield Mistake("rotation-gradient-forward", said, replace(self, inner=whole))
        yield use.passed_on(upstream, "the rotation back", "rotation-gradient-forgotten")

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("rotate", (self.inner.notation(write), self.angles.notation(write)))

    def token_sides(self, of: Callable[[Key], Sides]) -> Sides:
        return self.inner.token_sides(of)

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        """Each pair as a matrix times a vector, then entry by entry."""
        entries = super().working(view, target, token)
        places = view.places(target)[token]
        if not isinstance(self.inner, Ref) or len(places) > (view.most or len(places)):
            return entries
        exact = all(view.exact_inputs(target, *place) for place in places)
        lines = []
        for number, pair in enumerate(_pair_places(len(places), self.halves)):
            cells = [places[place] for place in pair]
            made = _upright([view.cell(target, *cell) for cell in cells])
            letters, numbers = (self._turned(writer, token, number, cells) for writer in (view, view.numbers_for(self)))
            lines.append(n.Chain(made, (("=", letters), ("=" if exact else "≈", numbers))))
        return [Work("pair by pair", tuple(lines)), *entries]

    def _turned(self, view: CellWriter, token: int, number: int, cells: Sequence[tuple[int, int]]) -> n.Notation:
        """The matrix that turns a pair, and the pair."""
        rows, columns = self.angles.shape(view)[:: -1 if self.down else 1]
        row, column = token if rows > 1 else 0, number if columns > 1 else 0
        angle = view.symbols(self.angles).at(*((column, row) if self.down else (row, column)))
        cos, sin = n.Call("cos", (angle,)), n.Call("sin", (angle,))
        pair = _upright([view.cell(self.inner.leaves()[0], *cell) for cell in cells])
        return n.Product((n.Grid(((cos, n.negated(sin)), (sin, cos))), pair))

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        if not isinstance(self.inner, Ref):
            return []
        description = f"each {'column' if self.down else 'row'} keeps its length"
        return [Law("keeps-lengths", description, found.keeps_lengths(target, self.inner.key))]

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        pairs = "one entry of the first half and one of the second" if self.halves else "two neighbouring entries"
        return [(f"Each pair is {pairs}, rotated counter-clockwise: (x cos − y sin, x sin + y cos).",)]

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield Mistake("rotation-backwards", "the pairs were rotated the other way", replace(self, back=True))
        if self.inner.shape(where)[0 if self.down else 1] > 2:
            words = ("neighbouring entries", "entries that are half a vector apart")
            wrong, right = words if self.halves else words[::-1]
            description = f"pairs were made of {wrong} instead of {right}"
            yield Mistake("rotation-pairs", description, replace(self, halves=not self.halves))
        yield Mistake("angle-degrees", IN_DEGREES, replace(self, degrees=True))
        yield Mistake("rotation-forgotten", "the rotation was left out", self.inner)


def _stated(call: Call, tokens: int, width: int) -> Formula:
    """The angles of rotate: one for each token, one for all, or a matrix with one for each pair."""
    node = call.others["angles"]
    shape, down = call.sheet.shape(node), call.down
    if isinstance(node, ListedNode):
        entries = tuple(map(Number, call.sheet.constants(node)))
        formula = call.sheet.add("angles", Turns(entries), (len(entries),), ("phi", "alpha"))
    else:
        formula = call.sheet.value(node, ("phi", "alpha"))
    if shape in ((), (1,), (1, 1)):
        return formula
    if shape == (tokens,) and not call.alone:
        return formula if down else turned(formula)
    if shape == ((width // 2,) if call.alone else (width // 2, tokens) if down else (tokens, width // 2)):
        return formula
    raise call.refused(f"rotate needs one angle for each of the {count(tokens, 'token')}, or one for all", node=node)


def _upright(entries: Sequence[n.Notation]) -> n.Grid:
    return n.Grid(tuple((entry,) for entry in entries))


# ── biases ──────────────────────────────────────────────────────────────────────────────────────


@record
class Alibi(Formula):
    """−slope · |i − j| for query i and key j. People forget the sign."""

    slope: Formula
    size: int
    sign: int = -1

    opens = "letters"
    fills = False
    title = "Linear biases"
    does = "Each score is lowered by the slope times the distance between query and key."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """alibi(n, slope)."""
        slope, sheet = call.others["slope"], call.sheet
        indexed = isinstance(slope, IndexNode) and len(sheet.shape(slope.inner)) == 1
        return cls(Number(sheet.constant(slope)) if indexed else sheet.value(slope, ("m",)), call.whole("n"))

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.slope,)

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        slope = self.slope.evaluate(values, tier)
        return tier.perform(self, [slope, tier.of(self._distances)])

    @property
    def _distances(self) -> tuple[tuple[Fraction, ...], ...]:
        places = range(self.size)
        return tuple(tuple(Fraction(self.sign * abs(i - j)) for j in places) for i in places)

    def define(self, *matrices: M) -> M:
        slope, distances = matrices
        return slope * distances

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        slope = self.slope.notation(write)
        distance = n.Abs(n.Sum((n.Sym("i"), n.negated(n.Sym("j")))))
        return n.Product((*([n.Num("-1")] if self.sign < 0 else []), slope, distance))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(self.size, self.size)

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        description = "the distance was added to the scores instead of subtracted"
        yield Mistake("alibi-sign", description, replace(self, sign=-self.sign))
