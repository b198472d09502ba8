"""Rotations: pairs of entries, each turned by its angle, from positions or stated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.errors import count, there_are
from attnsolve.key import Key
from attnsolve.language.syntax import ListedNode
from attnsolve.numbers.matrix import M
from attnsolve.operations.angles import IN_DEGREES, StatedAngles, angles_of_positions, as_degrees, counted_positions
from attnsolve.operations.context import CellWriter, Law, Mistake, NoDerivative, Sentence, Shapes, View, Work
from attnsolve.operations.evidence import Evidence
from attnsolve.operations.formula import AlongAxis, Formula, Ref, Sides, transpose_of
from attnsolve.operations.number import Number
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.quantity_context import QuantityContext


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

    shows_substitution = False
    working_starts_with = "letters"
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
        positions = call.sheet.constants(call.others["at"]) if "at" in call.others else counted_positions(call, tokens)
        if len(positions) != tokens:
            description = f"at has {count(len(positions), 'position')}, but {there_are(tokens, 'token')}"
            raise call.refused(description, node=call.others["at"])
        return cls(inner, angles_of_positions(call, positions, width, down, call.alone), halves, down, by_position=True)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner, self.angles)

    @property
    def goes_down(self) -> bool:
        return self.down

    def define(self, *matrices: M) -> M:
        rows, angles = (matrix.T for matrix in matrices) if self.down else matrices
        angles = as_degrees(angles) if self.degrees else angles
        places = _pair_places(rows.shape[1], self.halves)
        found: dict[int, M] = {}
        for number, (one, two) in enumerate(places):
            angle = angles.columns(number, number + 1) if angles.shape[1] > 1 else angles
            cos, sin = angle.apply("cos"), angle.apply("sin")
            first, second = rows.columns(one, one + 1), rows.columns(two, two + 1)
            if self.back:
                found[one], found[two] = first * cos + second * sin, second * cos - first * sin
            else:
                found[one], found[two] = first * cos - second * sin, first * sin + second * cos
        columns = [found[place] for place in sorted(found)]
        rotated = columns[0].beside(columns[1:])
        return rotated.T if self.down else rotated

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
            letters, numbers = (
                self._rotated(writer, token, number, cells) for writer in (view, view.numbers_for(self))
            )
            lines.append(n.Chain(made, (("=", letters), ("=" if exact else "≈", numbers))))
        return [Work("pair by pair", tuple(lines)), *entries]

    def _rotated(self, view: CellWriter, token: int, number: int, cells: Sequence[tuple[int, int]]) -> n.Notation:
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

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
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
        formula = call.sheet.add("angles", StatedAngles(entries), (len(entries),), ("phi", "alpha"))
    else:
        formula = call.sheet.value(node, ("phi", "alpha"))
    if shape in ((), (1,), (1, 1)):
        return formula
    if shape == (tokens,) and not call.alone:
        return formula if down else transpose_of(formula)
    if shape == ((width // 2,) if call.alone else (width // 2, tokens) if down else (tokens, width // 2)):
        return formula
    raise call.refused(f"rotate needs one angle for each of the {count(tokens, 'token')}, or one for all", node=node)


def _upright(entries: Sequence[n.Notation]) -> n.Grid:
    return n.Grid(tuple((entry,) for entry in entries))


def _pair_places(width: int, halves: bool) -> list[tuple[int, int]]:
    """Which two entries each pair is made of."""
    pairs = width // 2
    return [(i, i + pairs) if halves else (2 * i, 2 * i + 1) for i in range(pairs)]
