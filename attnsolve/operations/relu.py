"""The rectifier, entry by entry: what is negative becomes 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, Balls
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import M
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.context import Law, Mistake
from attnsolve.operations.evidence import Evidence
from attnsolve.operations.formula import EntryByEntry, Formula
from attnsolve.operations.function import Absolute
from attnsolve.operations.slips import PossibleSlip
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.call import Call
    from attnsolve.operations.quantity_context import QuantityContext

ZERO = PlainNumber(0)


@record
class Relu(EntryByEntry):
    """max(0, inner)."""

    inner: Formula

    working_starts_with = "letters"
    title = "ReLU"
    why = "ReLU keeps positive entries and sets the rest to 0; without it, the layers would be one linear map."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """relu(X)."""
        return cls(*call.values)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    @property
    def needs_numbers(self) -> str:
        return "ReLU needs the sign of every entry, but an expression with symbols has no known sign"

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        return inner.constant(ZERO).maximum(inner)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("ReLU", (self.inner.notation(write),))

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        return [Law("not-negative", "no entry is negative", found.within(target, 0) is True)]

    def possible_slips(
        self, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball
    ) -> Iterator[PossibleSlip]:
        before = self.inner.evaluate(values, Balls).table[place]
        yield PossibleSlip("step-left-out", 2, before, lambda: "ReLU was not applied here")

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield Mistake("relu-forgotten", "ReLU was not applied", self.inner)
        description = "the negative entries were kept instead of the positive ones"
        yield Mistake("relu-wrong-side", description, Negate(Relu(Negate(self.inner))))
        yield Mistake("relu-absolute", "the sign was left out, but negative entries become 0", Absolute(self.inner))
