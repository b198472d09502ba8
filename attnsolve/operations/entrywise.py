"""Arithmetic entry by entry, where a side that is 1 is repeated to fit: products, quotients and sums of any shapes, and
a number times a matrix."""

from __future__ import annotations

from collections.abc import Callable

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.operations.add import Add
from attnsolve.operations.context import Shapes
from attnsolve.operations.formula import Binary, EntryByEntry
from attnsolve.record import record


@record
class Multiply(EntryByEntry, Binary):
    """left .* right."""

    working_starts_with = "letters"
    title = "Elementwise product"
    does = "Multiply corresponding entries."

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left * right

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Entrywise((self.left.notation(write), self.right.notation(write)))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Entrywise(tuple(n.Shape(*side.shape(cells)) for side in self.arguments))


@record
class Scale(EntryByEntry, Binary):
    """A number times whatever stands beside it."""

    working_starts_with = "letters"
    title = "Scalar multiple"
    does = "Multiply every entry by the same number."

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left * right

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        left, right = self.left.notation(write), self.right.notation(write)
        return n.Product((left, right), dotted=isinstance(right, n.Num))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(*max((side.shape(cells) for side in self.arguments), key=lambda shape: shape[0] * shape[1]))


@record
class EntryQuotient(EntryByEntry, Binary):
    """left / right, where the right side is computed too."""

    working_starts_with = "letters"
    title = "Quotient"
    does = "Divide corresponding entries."
    divided_by_zero = "a number would be divided by 0"

    @property
    def is_partial(self) -> bool:
        return True

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left / right

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Frac(self.left.notation(write), self.right.notation(write))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Frac(*(n.Shape(*side.shape(cells)) for side in self.arguments))


@record
class Plus(Add):
    """left + right, where either side may be the one that is repeated."""

    working_starts_with = "letters"

    def shape(self, cells: Shapes) -> tuple[int, int]:
        return Binary.shape(self, cells)

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Sum(tuple(n.Shape(*side.shape(cells)) for side in self.arguments))
