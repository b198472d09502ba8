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
    from attnsolve.operations.backward import Backward, Mistaken
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

    why_backward = "The derivative of tanh x is 1 − tanh² x."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """tanh(X)."""
        return cls(*call.values)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        return matrices[0].apply("tanh")

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.minus(use.number(1), use.raised(use.value, 2)))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        one = use.number(1)
        yield use.passed_on(upstream, "the derivative of tanh, 1 − tanh²")
        at_input = use.times(upstream, use.minus(one, use.raised(self.inner, 2)))
        said = f"1 − t² was taken at the input {use.text_of(self.inner)} instead of at the output of tanh"
        yield Mistake("derivative-at-input", said, at_input)
        said = "1 − t was used for the derivative of tanh, which is 1 − t²"
        yield Mistake("derivative-not-squared", said, use.times(upstream, use.minus(one, use.value)))
        said = "t² was used for the derivative of tanh, which is 1 − t²"
        yield Mistake("derivative-not-from-one", said, use.times(upstream, use.raised(use.value, 2)))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("tanh", (self.inner.notation(write),))

    def possible_slips(
        self, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball
    ) -> Iterator[PossibleSlip]:
        before = self.inner.evaluate(values, Balls).table[place]
        yield PossibleSlip("step-left-out", 2, before, lambda: "tanh was not applied here")

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield Mistake("tanh-forgotten", "tanh was not applied", self.inner)
