"""Plain lists, which have no orientation: a matrix times a list, dot and outer products. A list is stored as a row."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.operations.context import Shapes
from attnsolve.operations.formula import Binary, Formula
from attnsolve.operations.product import Product
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward
    from attnsolve.operations.call import Call


@record
class MatrixVectorProduct(Product):
    """A matrix times a list, M v: each entry is the dot product of a row of M and the list."""

    title = "Matrix times vector"
    does = "Each entry is the dot product of a row of the matrix and the vector."

    why_backward = (
        "The matrix gets the outer product of the gradient and the vector; the vector, the transposed matrix "
        "times the gradient."
    )

    def define(self, *matrices: M) -> M:
        matrix, vector = matrices
        return (matrix @ vector.T).T

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        matrix, vector = self.arguments
        whole = use.whole(upstream, use.shape(self))
        return use.product(use.transposed(whole), vector) if place == 0 else use.applied(use.transposed(matrix), whole)

    def transposed(self, as_columns: Collection[Key]) -> Formula:
        return Formula.transposed(self, as_columns)

    def shapes(self, cells: Shapes) -> n.Notation:
        rows, columns = self.left.shape(cells)
        return n.Product(tuple(n.Call("", (n.Shape(*shape),)) for shape in ((rows, columns), (columns, 1))))


@record
class Dot(Binary):
    """The dot product of two lists."""

    working_starts_with = "letters"
    title = "Dot product"
    does = "Multiply corresponding entries and add up the products."
    shows_substitution = False
    inline = True

    why_backward = "The gradient of either vector is the other one, times the gradient of the dot product."

    def define(self, *matrices: M) -> M:
        left, right = (matrix.T if matrix.shape[0] > 1 else matrix for matrix in matrices)
        return left @ right.T

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        other, own = self.arguments[1 - place], self.arguments[place]
        along = use.shape(other)[0] > 1, use.shape(own)[0] > 1
        return use.times(upstream, use.transposed(other) if along[0] != along[1] else other)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Product((self.left.notation(write), self.right.notation(write)), dotted=True)

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """dot(v, w)."""
        return cls(*call.values)


@record
class Outer(Binary):
    """Every entry of one list times every entry of another."""

    working_starts_with = "letters"
    title = "Outer product"
    does = "Multiply every entry of the first vector by every entry of the second."
    shows_substitution = False

    why_backward = "Each entry of a vector went into one row or column of the product."

    def define(self, *matrices: M) -> M:
        left, right = (matrix.T if matrix.shape[0] > 1 else matrix for matrix in matrices)
        return left.T @ right

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        whole = use.whole(upstream, use.shape(self))
        vector = self.arguments[1 - place]
        row = use.transposed(vector) if use.shape(vector)[0] > 1 else vector
        found = use.applied(whole if place == 0 else use.transposed(whole), row)
        return use.transposed(found) if use.shape(self.arguments[place])[0] > 1 else found

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Product((self.left.notation(write), n.Transposed(self.right.notation(write))))

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """outer(v, w)."""
        return cls(*call.values)
