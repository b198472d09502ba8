"""The rank of a matrix: how many of its rows are left when each column in turn is cleared by its largest entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import M
from attnsolve.operations.context import NoDerivative, View, Work
from attnsolve.operations.formula import Formula
from attnsolve.operations.selection import HALF, NOTHING, ONE, ranks
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward
    from attnsolve.operations.call import Call


@record
class Rank(Formula):
    """rank(A), by elimination: which entries are 0 is decided, never guessed."""

    inner: Formula

    fills = False
    decides = True
    title = "Rank"
    does = "Eliminate column by column, and count the pivots."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """rank(A)."""
        return cls(*call.values)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    @property
    def needs_numbers(self) -> str:
        return "the rank of a matrix with symbols depends on their values"

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        raise NoDerivative("a rank is a whole number, which jumps where rows become dependent")

    def define(self, *matrices: M) -> M:
        (table,) = matrices
        one, nothing = table.constant(ONE), table.constant(NOTHING)
        free = table.columns(0, 1) * nothing + one
        total = nothing
        for place in range(table.shape[1]):
            column = table.columns(place, place + 1) * free
            sizes = column.maximum(-column).T
            found = sizes.reduce("max").exceeds(nothing)
            total = total + found
            if place < table.shape[1] - 1:
                largest = table.constant(PlainNumber(1 + HALF)).exceeds(ranks(sizes))
                table = table - column @ (largest @ table) / (largest @ column + one - found)
                free = free - (largest * found).T
        return total

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("rank", (self.inner.notation(write),))

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        """Nobody reads an elimination of numbers with many digits."""
        return []

    def entry_working(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        """The result alone."""
        return n.Chain(view.cell(target, row, column), view.result(target, row, column))
