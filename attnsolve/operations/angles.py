"""The angles of positions, for pairs of entries.

A position t turns pair i by the angle t · base^(−2i/d), i counted from 0. Frequencies and angles are quantities of
their own; what is made of them (`sinusoidal`, `rotary`) reads their sines and cosines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.closed import base_of
from attnsolve.numbers.constant import Constant, Degrees, PlainNumber
from attnsolve.numbers.matrix import Arithmetic, M
from attnsolve.operations.context import Inputs, Mistake, Sentence, Shapes
from attnsolve.operations.formula import Formula
from attnsolve.operations.place import Listed
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.call import Call
    from attnsolve.operations.quantity_context import QuantityContext

TEN_THOUSAND = PlainNumber(10_000)
BASES = (10_000, 1_000, 100_000, 100)
"""Bases that are taken for one another."""
LONGEST_GRID = 8
"""More positions than this are written with dots."""
IN_DEGREES = "the angles were taken in degrees instead of radians"


@record
class Frequencies(Formula):
    """base^(−2i/d) for each pair i of a vector with d entries, as one row. People leave out the 2, and the minus."""

    base: Constant
    width: int
    factor: int = -2

    shows_substitution = False
    working_starts_with = ""
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

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
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

    shows_substitution = False
    working_starts_with = "letters"
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

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        first = self.positions[0].value
        for by in (1, -1):
            moved = tuple(PlainNumber(position.value + by) for position in self.positions)
            wrong, right = (where.text(PlainNumber(value).written) for value in (first + by, first))
            description = f"the first position was {wrong} instead of {right}"
            yield Mistake("position-start", description, replace(self, positions=moved))


@record
class StatedAngles(Listed):
    """The angle of each token, as it is stated."""

    title = "Angles"
    does = "Each token will be rotated by this angle."

    def made_from(self, *arguments: Formula) -> Formula:
        return StatedAngles(arguments)

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(*self.shape(cells))


def angles_of_positions(call: Call, positions: Sequence[Constant], width: int, down: bool, alone: bool) -> Formula:
    """The angles of some positions, as a quantity."""
    frequencies = Frequencies(call.number("base", TEN_THOUSAND), width)
    pairs = (width + 1) // 2
    named = call.sheet.add("frequencies", frequencies, (pairs,), ("theta", "omega"))
    shape = (pairs,) if alone else (pairs, len(positions)) if down else (len(positions), pairs)
    return call.sheet.add("angles", Angles(named, tuple(positions), down), shape, ("phi", "alpha"))


def counted_positions(call: Call, tokens: int) -> list[Constant]:
    """The positions of some tokens, counted on from the first."""
    start = call.whole("start")
    return [PlainNumber(start + i) for i in range(tokens)]


def as_degrees(angles: M) -> M:
    """Angles that a calculator takes for degrees."""
    return angles * angles.constant(Degrees(1))
