"""The rectifier, entry by entry: what is negative becomes 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.errors import listed
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, Balls
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import M
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.context import Law, Mistake
from attnsolve.operations.formula import EntryByEntry, Formula
from attnsolve.operations.function import Absolute
from attnsolve.operations.slips import PossibleSlip
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.evidence import Evidence, GradientNumbers
    from attnsolve.operations.quantity_context import QuantityContext

ZERO = PlainNumber(0)
FEWEST_TOKENS = 2
"""A single negative entry is no dead unit yet."""


@record
class Relu(EntryByEntry):
    """max(0, inner)."""

    inner: Formula

    working_starts_with = "letters"
    title = "ReLU"
    why = "ReLU keeps positive entries and sets the rest to 0; without it, the layers would be one linear map."

    why_backward = "ReLU passes the gradient on where its input is positive, and stops it elsewhere."

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

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.name(use.slope(self.inner, self.title)))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.passed_on(upstream, "the derivative of ReLU, 1 or 0,")
        whole = use.whole(upstream, use.shape(self))
        text, inner = use.shown(upstream), use.text_of(self.inner)
        said = f"{text} was stopped where it is negative itself, instead of where {inner} is"
        yield Mistake("relu-gradient-own-sign", said, Relu(whole))
        said = f"{text} was multiplied by the output of ReLU instead of by 1 or 0"
        yield Mistake("relu-gradient-times-output", said, use.times(upstream, use.value))
        said = f"{text} was passed on where {inner} is negative and stopped where it is positive"
        yield Mistake("relu-gradient-inverted", said, use.times(upstream, use.exceeds(self.inner, use.number(0), "<")))

    def why_vanishing(self, place: int, upstream: Formula, numbers: GradientNumbers) -> str:
        if any(entry > 0 for row in numbers.rows(self.inner) for entry in row):
            return ""
        return f"no entry of {numbers.text_of(self.inner)} is positive, so ReLU passes nothing on"

    def blocks(self, place: int, numbers: GradientNumbers) -> str:
        rows = numbers.rows(self.inner)
        dead = [str(k) for k, column in enumerate(zip(*rows, strict=True), 1) if max(column) <= 0]
        if not dead or len(rows) < FEWEST_TOKENS:
            return ""
        inner, columns = numbers.text_of(self.inner), f"column{'s' * (len(dead) > 1)} {listed(dead)}"
        return f"No entry in {columns} of {inner} is positive: ReLU is dead there, and no gradient comes through"

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
