"""Two entries that stand in the same place: the larger one, the smaller one, and which of them that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import M
from attnsolve.operations.context import CellWriter, Mistake, Shapes, View
from attnsolve.operations.entrywise import EntryQuotient, Multiply
from attnsolve.operations.evidence import Evidence
from attnsolve.operations.formula import Binary, EntryByEntry, Formula
from attnsolve.operations.number import Number
from attnsolve.operations.reductions import Maximum, Minimum
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.quantity_context import QuantityContext


@record
class Larger(EntryByEntry, Binary):
    """The larger of two entries in the same place."""

    working_starts_with = "letters"
    title = "Larger entries"
    does = "Take the larger of each pair of corresponding entries."

    why_backward = "The gradient goes to the entry that was taken."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """max(A, B); of one matrix, its largest entry."""
        if len(call.values) == 1:
            return Maximum.from_call(call)
        return cls(*call.beside_tokens)

    @property
    def needs_numbers(self) -> str:
        return "max needs to compare entries, but an expression with symbols has no known sign"

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left.maximum(right)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.name(Taken(self.arguments[place], self.arguments[1 - place], ">", not place)))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield Mistake("maximum-gradient-to-all", "both entries got the gradient, not only the larger", upstream)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("max", (self.left.notation(write), self.right.notation(write)))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Call("max", tuple(n.Shape(*side.shape(cells)) for side in self.arguments))

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield Mistake("min-for-max", "the smaller entry was taken instead of the larger", Smaller(*self.arguments))


@record
class Smaller(EntryByEntry, Binary):
    """The smaller of two entries in the same place."""

    working_starts_with = "letters"
    title = "Smaller entries"
    does = "Take the smaller of each pair of corresponding entries."

    why_backward = "The gradient goes to the entry that was taken."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """min(A, B); of one matrix, its smallest entry."""
        if len(call.values) == 1:
            return Minimum.from_call(call)
        return cls(*call.beside_tokens)

    @property
    def needs_numbers(self) -> str:
        return "min needs to compare entries, but an expression with symbols has no known sign"

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left.minimum(right)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.name(Taken(self.arguments[place], self.arguments[1 - place], "<", not place)))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield Mistake("maximum-gradient-to-all", "both entries got the gradient, not only the smaller", upstream)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("min", (self.left.notation(write), self.right.notation(write)))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Call("min", tuple(n.Shape(*side.shape(cells)) for side in self.arguments))

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield Mistake("max-for-min", "the larger entry was taken instead of the smaller", Larger(*self.arguments))


HALF = Fraction(1, 2)
EQUAL_ONES = "Where equal entries compete there is no derivative; by convention they share the gradient evenly."
TO_THE_FIRST = "the first of equal entries got the whole gradient"
SHOWN = {"<": "<", "<=": "≤", ">": ">", ">=": "≥"}
OPPOSITE = {"<": "≥", "<=": ">", ">": "≤", ">=": "<"}


@record
class Exceeds(EntryByEntry, Binary):
    """1 where left > right (or as `sign` says), 0 elsewhere."""

    sign: str = ">"

    part_of_gradient = "mask"
    letters_for_part = ("M", "B")
    working_starts_with = "letters"
    shows_substitution = False
    decides = True
    marks = True
    title = "Comparison"
    does = "1 marks entries for which it is true, 0 the others."

    why_backward = "Where a comparison holds does not change as long as no entry crosses over."

    @property
    def needs_numbers(self) -> str:
        return "entries with symbols can't be compared"

    def define(self, *matrices: M) -> M:
        left, right = matrices
        over, under = (left, right) if self.sign in (">", "<=") else (right, left)
        exceeds = over.exceeds(under)
        return exceeds if self.sign in "<>" else exceeds.constant(PlainNumber(1)) - exceeds

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.number(0)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Chain(self.left.notation(write), ((SHOWN[self.sign], self.right.notation(write)),))

    def shapes(self, cells: Shapes) -> n.Notation:
        left, right = (n.Shape(*side.shape(cells)) for side in self.arguments)
        return n.Chain(left, ((SHOWN[self.sign], right),))

    def entry_working(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        """The two numbers with the relation that they have, and what follows."""
        holds = view.real(target, row, column).nearest_float() > 0
        left, right = (_entry(side, view, row, column) for side in self.arguments)
        relation = (SHOWN if holds else OPPOSITE)[self.sign]
        result = n.Chain(view.cell(target, row, column), view.result(target, row, column))
        return n.Chain(left, ((relation, right), ("⟹", result)))


@record
class Slope(Exceeds):
    """The derivative of a function with a corner at 0: 1 above it, 0 below. At 0 itself there is none, and 0 is taken
    by convention; others take 1 (`sign` is >=)."""

    called: str = ""
    """The function."""

    title = "Derivative"
    does = "1 marks positive entries, which pass their gradient on; 0 marks the rest."

    @property
    def other_convention(self) -> tuple[Formula, str]:
        return replace(self, sign=">="), f"the derivative of {self.called} at 0 was taken to be 1, not 0"

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        (key,) = self.left.leaves()
        if not found.has_zero(key):
            return []
        return [f"{self.called} has no derivative at 0; by convention it is taken to be 0 there. 1 is also accepted."]


@record
class Taken(Exceeds):
    """1 where left was taken of two, as the larger (`sign` >) or the smaller (<); ½ where they are equal."""

    comes_first: bool = True
    """Whether left is the first of the two."""

    title = "Derivative"
    does = "1 marks entries that were taken, 0 the others; ½ marks those that equal the other."

    def define(self, *matrices: M) -> M:
        left, right = matrices if self.sign == ">" else matrices[::-1]
        constant = left.constant
        return (left.exceeds(right) + constant(PlainNumber(1)) - right.exceeds(left)) * constant(PlainNumber(HALF))

    def entry_working(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        """The two numbers with the relation that they have, and what follows."""
        left, right = (_entry(side, view, row, column) for side in self.arguments)
        value = view.real(target, row, column).rational
        relation = "=" if value == HALF else self.sign if value else ">" if self.sign == "<" else "<"
        result = n.Chain(view.cell(target, row, column), view.result(target, row, column))
        return n.Chain(left, ((relation, right), ("⟹", result)))

    @property
    def other_convention(self) -> tuple[Formula, str]:
        return Exceeds(self.left, self.right, self.sign + "=" * self.comes_first), TO_THE_FIRST

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        return [EQUAL_ONES] if found.has_other(target, (0, 1)) else []


@record
class SharedEvenly(EntryQuotient):
    """Marks of the entries that were taken, over how many they are in each row (`down`: column)."""

    down: bool | None = False
    """None where they are not in one row or column."""

    title = "Derivative"
    does = "Entries that are equally large share the gradient."

    @property
    def other_convention(self) -> tuple[Formula, str] | None:
        if self.down is None:
            return None
        from attnsolve.operations.selection import RunningSum

        first = Exceeds(RunningSum(self.left, self.down), Number(PlainNumber(1)), "<=")
        return Multiply(self.left, first), TO_THE_FIRST

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        return [EQUAL_ONES] if found.has_other(target, (0, 1)) else []


def _entry(side: Formula, view: View, row: int, column: int) -> n.Notation:
    numbers: CellWriter = view.numbers_for(side)
    rows, columns = side.shape(view)
    return numbers.symbols(side).at(row % rows, column % columns)
