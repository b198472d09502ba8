"""What is seen inside a matrix product: the products that add up to one entry, or the weighted values that add up to
one token's result. Nothing rests on these; their sums are what the product comes to."""

from __future__ import annotations

from collections.abc import Callable

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.operations.formula import Formula
from attnsolve.record import record


@record
class Terms(Formula):
    """The terms that a product adds up in some place."""

    product: Formula
    places: tuple[int, ...]

    shows_substitution = False
    working_starts_with = "letters"

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.product.arguments

    def made_from(self, *arguments: Formula) -> Formula:
        return type(self)(self.product.made_from(*arguments), self.places)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        indices = tuple(str(place + 1) for place in self.places)
        return n.Product((n.Word("terms of"), n.Subscripted(self.product.notation(write), indices)))


@record
class Products(Terms):
    """The products of the entries of a row and a column, as one row; `flipped`, the column's entries stand first."""

    flipped: bool = False

    why = "These products add up to the entry."

    def made_from(self, *arguments: Formula) -> Formula:
        return Products(self.product.made_from(*arguments), self.places, self.flipped)

    def define(self, *matrices: M) -> M:
        left, right = matrices
        row, column = self.places
        first, second = left.T.columns(row, row + 1), right.columns(column, column + 1)
        first, second = (second, first) if self.flipped else (first, second)
        return _one_by_one(first, second)


@record
class Weighted(Terms):
    """Each value times one token's weight for it; `down`, values and tokens are columns."""

    down: bool = False

    why = "Each {row} is one value times its weight; together they add up to the token's result."

    def made_from(self, *arguments: Formula) -> Formula:
        return Weighted(self.product.made_from(*arguments), self.places, self.down)

    def define(self, *matrices: M) -> M:
        left, right = matrices
        (token,) = self.places
        if self.down:
            return _one_by_one(right.columns(token, token + 1), left.T)
        return _one_by_one(left.T.columns(token, token + 1), right).T


def _one_by_one(numbers: M, rows: M) -> M:
    """Each of some numbers (a column) times the row beside it, as columns side by side."""
    transposed, places = rows.T, range(numbers.shape[0])
    products = [(numbers.T.columns(k, k + 1) @ transposed.columns(k, k + 1).T).T for k in places]
    return products[0].beside(products[1:])
