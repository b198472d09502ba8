"""The cosine of the angle between vectors: their dot products divided by their lengths."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.errors import UnsolvableError
from attnsolve.key import Key
from attnsolve.numbers.matrix import M, Numeric
from attnsolve.operations.bounded import Bounded
from attnsolve.operations.context import Mistake, Shapes
from attnsolve.operations.formula import Formula, Transpose
from attnsolve.operations.product import Product
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward
    from attnsolve.operations.quantity_context import QuantityContext


@record
class Norms(Formula):
    """The length of every row of `inner`, as one row; `names` are what the rows are called."""

    inner: Formula
    names: tuple[str, ...]

    shows_substitution = False

    why_backward = "The derivative of a length is the vector divided by its length."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        (vectors,) = matrices
        return (vectors * vectors).reduce("sum").apply("sqrt").T

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(use.transposed(upstream), use.name(use.over(self.inner, use.transposed(use.value))))

    def validate(self, result: Numeric) -> None:
        (norms,) = result.rows
        for name, norm in zip(self.names, norms, strict=True):
            if norm == 0:
                message = f"{name} is a vector of zeros: its length is 0, so no cosine can be computed"
                raise UnsolvableError(message)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        vectors = self.inner.inner if isinstance(self.inner, Transpose) else self.inner
        return n.Call("lengths" if len(self.names) > 1 else "length", (vectors.notation(write),))


@record
class Cosine(Bounded):
    """`dots`, each divided by the lengths of its two vectors: `down` has one per row, `across` one per column."""

    dots: Product
    down: Formula
    across: Formula

    shows_substitution = False
    divided_by_zero = "a length rounds to 0, so nothing can be divided by it: keep more decimal places"

    why_backward = "The derivative of x/y is 1/y for x, and −(x/y)/y for y."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.dots, self.down, self.across

    def define(self, *matrices: M) -> M:
        dots, down, across = matrices
        return dots / (across * down if self.dots.flipped else down * across)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        lengths = self.down, self.across
        if place == 0:
            return use.over(use.over(upstream, lengths[0]), lengths[1])
        return use.negated(use.over(use.times(upstream, use.value), lengths[place - 1]))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        left, right = self.dots.arguments
        compared = (left, right.inner) if isinstance(right, Transpose) else (right, left)
        return n.Call("cosine", tuple(formula.notation(write) for formula in compared))

    def transposed(self, as_columns: Collection[Key]) -> Formula:
        dots, across, down = (side.transposed(as_columns) for side in self.arguments)
        return self.made_from(dots, down, across)

    def shapes(self, cells: Shapes) -> n.Notation:
        return self.dots.shapes(cells)

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield Mistake("cosine-not-normalised", "the dot products were not divided by the lengths", self.dots)
