"""Biases that grow with the distance between tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.language.syntax import IndexNode
from attnsolve.numbers.matrix import Arithmetic, M
from attnsolve.operations.context import Inputs, Mistake, Shapes
from attnsolve.operations.formula import Formula
from attnsolve.operations.number import Number
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.call import Call
    from attnsolve.operations.quantity_context import QuantityContext


@record
class Alibi(Formula):
    """−slope · |i − j| for query i and key j. People forget the sign."""

    slope: Formula
    size: int
    sign: int = -1

    working_starts_with = "letters"
    shows_substitution = False
    title = "Linear biases"
    does = "Each score is lowered by the slope times the distance between query and key."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """alibi(n, slope)."""
        slope, sheet = call.others["slope"], call.sheet
        indexed = isinstance(slope, IndexNode) and len(sheet.shape(slope.inner)) == 1
        return cls(Number(sheet.constant(slope)) if indexed else sheet.value(slope, ("m",)), call.whole("n"))

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.slope,)

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        slope = self.slope.evaluate(values, tier)
        return tier.perform(self, [slope, tier.of(self._distances)])

    @property
    def _distances(self) -> tuple[tuple[Fraction, ...], ...]:
        places = range(self.size)
        return tuple(tuple(Fraction(self.sign * abs(i - j)) for j in places) for i in places)

    def define(self, *matrices: M) -> M:
        slope, distances = matrices
        return slope * distances

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        slope = self.slope.notation(write)
        distance = n.Abs(n.Sum((n.Sym("i"), n.negated(n.Sym("j")))))
        return n.Product((*([n.Num("-1")] if self.sign < 0 else []), slope, distance))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(self.size, self.size)

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        description = "the distance was added to the scores instead of subtracted"
        yield Mistake("alibi-sign", description, replace(self, sign=-self.sign))
