"""Arithmetic entry by entry, where a side that is 1 is repeated to fit: products, quotients and sums of any shapes, and
a number times a matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.operations.add import Add
from attnsolve.operations.context import Mistake, Shapes
from attnsolve.operations.formula import Binary, EntryByEntry, Formula
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken


@record
class Multiply(EntryByEntry, Binary):
    """left .* right."""

    holds = "factors"
    part_of_gradient = "products"
    letters_for_part = ("G", "H", "U")
    opens = "letters"
    title = "Elementwise product"
    does = "Multiply corresponding entries."

    why_backward = "The derivative of a product for one factor is the other factor."

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left * right

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, self.arguments[1 - place])

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield from _of_factor(self, place, upstream, use)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Entrywise((self.left.notation(write), self.right.notation(write)))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Entrywise(tuple(n.Shape(*side.shape(cells)) for side in self.arguments))


@record
class Scale(EntryByEntry, Binary):
    """A number times whatever stands beside it."""

    holds = "terms"
    opens = "letters"
    title = "Scalar multiple"
    does = "Multiply every entry by the same number."

    why_backward = "The derivative of a product for one factor is the other factor."

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left * right

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, self.arguments[1 - place])

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield from _of_factor(self, place, upstream, use)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        left, right = self.left.notation(write), self.right.notation(write)
        return n.Product((left, right), dotted=isinstance(right, n.Num))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(*max((side.shape(cells) for side in self.arguments), key=lambda shape: shape[0] * shape[1]))


def _of_factor(product: Multiply | Scale, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
    """The other factor forgotten, or taken for this one."""
    own, other = product.arguments[place], product.arguments[1 - place]
    yield use.passed_on(upstream, f"the factor {use.text_of(other)}", "gradient-factor-forgotten")
    said = f"{use.text_of(own)} itself was used instead of the other factor, {use.text_of(other)}"
    yield Mistake("gradient-of-wrong-factor", said, use.times(upstream, own))


@record
class EntryQuotient(EntryByEntry, Binary):
    """left / right, where the right side is computed too."""

    holds = "terms"
    opens = "letters"
    title = "Quotient"
    does = "Divide corresponding entries."
    divided_by_zero = "a number would be divided by 0"

    why_backward = "The derivative of x/y is 1/y for x, and −(x/y)/y for y."

    @property
    def is_partial(self) -> bool:
        return True

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left / right

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        if place == 0:
            return use.over(upstream, self.right)
        return use.negated(use.over(use.times(upstream, use.value), self.right))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        below = use.text_of(self.right)
        if place == 0:
            yield use.passed_on(upstream, f"the division by {below}", "gradient-scale-forgotten")
            return
        right = self.backward(place, upstream, use)
        yield Mistake("gradient-sign", "the minus sign of the derivative of 1/x was left out", use.negated(right))
        said = f"the derivative of 1/x is −1/x², but it was divided by {below} once only"
        yield Mistake("gradient-quotient-rule", said, use.negated(use.times(upstream, use.value)))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Frac(self.left.notation(write), self.right.notation(write))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Frac(*(n.Shape(*side.shape(cells)) for side in self.arguments))


@record
class QuotientOfSeen(EntryQuotient):
    """The same, and 0 where everything is masked and nothing can be divided by."""

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left.divide(right, empty=True)


@record
class Plus(Add):
    """left + right, where either side may be the one that is repeated."""

    opens = "letters"

    def shape(self, cells: Shapes) -> tuple[int, int]:
        return Binary.shape(self, cells)

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Sum(tuple(n.Shape(*side.shape(cells)) for side in self.arguments))
