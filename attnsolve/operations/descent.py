"""A step of training: a parameter less the rate times the direction of its gradient."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.context import Mistake
from attnsolve.operations.entrywise import EntryQuotient, Plus, Scale
from attnsolve.operations.formula import Formula
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.quantity_context import QuantityContext


@record
class Descent(Plus):
    """left + right, where the right side is −rate · direction."""

    @property
    def step(self) -> Formula:
        """What is subtracted."""
        assert isinstance(self.right, Negate)
        return self.right.inner

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        parameter, step = where.text_of(self.left), where.text_of(self.step)
        said = f"{step} was added to {parameter}, but a step that makes the loss smaller subtracts it"
        yield Mistake("update-added", said, Plus(self.left, self.step))
        yield Mistake("update-parameter-forgotten", f"only −{step} was written, without {parameter}", self.right)
        if isinstance(self.step, Scale):
            rate, direction = self.step.arguments
            said = f"{where.text_of(direction)} was subtracted without the learning rate {where.text_of(rate)}"
            yield Mistake("update-rate-forgotten", said, Plus(self.left, Negate(direction)))
            said = f"{where.text_of(direction)} was divided by the learning rate {where.text_of(rate)}"
            yield Mistake("update-rate-divided", said, Plus(self.left, Negate(EntryQuotient(direction, rate))))
