"""One of two entries that stand in the same place: the larger one, or the one that a mask says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Binary, EntryByEntry, Formula
from attnsolve.operations.reductions import Maximum
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.call import Call
    from attnsolve.operations.where import Where


@record
class Larger(EntryByEntry, Binary):
    """The larger of two entries in the same place."""

    opens = "letters"
    title = "Larger entries"
    does = "Take the larger of each pair of corresponding entries."

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

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("max", (self.left.notation(write), self.right.notation(write)))

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        smaller = Negate(Larger(Negate(self.left), Negate(self.right)))
        yield Mistake("min-for-max", "the smaller entry was taken instead of the larger", smaller)
