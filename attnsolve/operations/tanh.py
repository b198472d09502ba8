"""The hyperbolic tangent, entry by entry: it squeezes any number into (−1, 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, Balls
from attnsolve.numbers.matrix import M
from attnsolve.operations.bounded import Bounded
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import EntryByEntry, Formula
from attnsolve.operations.slips import PossibleSlip
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.call import Call
    from attnsolve.operations.quantity_context import QuantityContext


@record
class Tanh(EntryByEntry, Bounded):
    """tanh(inner)."""

    inner: Formula

    working_starts_with = "letters"
    title = "Hyperbolic tangent"
    does = "tanh squashes every entry into the range from −1 to 1."
    inline = True

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """tanh(X)."""
        return cls(*call.values)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        return matrices[0].apply("tanh")

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("tanh", (self.inner.notation(write),))

    def possible_slips(
        self, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball
    ) -> Iterator[PossibleSlip]:
        before = self.inner.evaluate(values, Balls).table[place]
        yield PossibleSlip("step-left-out", 2, before, lambda: "tanh was not applied here")

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield Mistake("tanh-forgotten", "tanh was not applied", self.inner)
