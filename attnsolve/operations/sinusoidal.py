"""Sinusoidal positions: the sine and the cosine of each angle of a position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.operations.angles import IN_DEGREES, angles_of_positions, as_degrees, counted_positions
from attnsolve.operations.context import Law, Mistake, Sentence, Shapes
from attnsolve.operations.evidence import Evidence
from attnsolve.operations.formula import AlongAxis, Formula
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.call import Call
    from attnsolve.operations.quantity_context import QuantityContext


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

    shows_substitution = False
    working_starts_with = "letters"
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
        return cls(angles_of_positions(call, counted_positions(call, tokens), width, down, False), width, halves, down)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.angles,)

    @property
    def goes_down(self) -> bool:
        return self.down

    def define(self, *matrices: M) -> M:
        angles = matrices[0].T if self.down else matrices[0]
        angles = as_degrees(angles) if self.degrees else angles
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

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield Mistake("position-sine-cosine", "sine and cosine were swapped", replace(self, exchanged=True))
        yield Mistake("angle-degrees", IN_DEGREES, replace(self, degrees=True))
        if self.width > 2 and self.width % 2 == 0:
            orders = ("alternating sines and cosines", "all sines before all cosines")
            written, right = orders if self.halves else orders[::-1]
            description = f"the entries were written as {written} instead of {right}"
            yield Mistake("position-order", description, replace(self, halves=not self.halves))
