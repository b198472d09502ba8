"""The matrix product, and the weighted sum of values, which is one seen token by token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attnsolve import notation as n
from attnsolve.operations.formula import (
    Binary,
    ByToken,
    Cells,
    Key,
    Ref,
    ShapeError,
    Shapes,
    View,
    general,
    says_shape,
)
from attnsolve.operations.transpose import Transpose, turned

MOST_VECTORS = 6
"""A weighted sum of more vectors than this isn't written out as vectors."""


@dataclass(frozen=True, eq=False, repr=False)
class Product(Binary):
    """left · right."""

    @property
    def flipped(self) -> bool:
        """Whether an entry is said with the column's share first."""
        return False

    def _pair(self, left: n.Notation, right: n.Notation) -> n.Product:
        return n.Product((right, left) if self.flipped else (left, right), dotted=True)

    def compute(self, *matrices: Any) -> Any:
        left, right = matrices
        return left @ right

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Product((self.left.notation(write), self.right.notation(write)))

    def shape(self, cells: Shapes) -> tuple[int, int]:
        rows, inner = self.left.shape(cells)
        height, columns = self.right.shape(cells)
        if inner != height:
            said = f"{says_shape(self.left, cells)} but {says_shape(self.right, cells)}"
            raise ShapeError(f"{said}, so their product can't be formed ({inner} and {height} should be the same)")
        return rows, columns

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Product(tuple(n.Call("", (n.Shape(*side.shape(cells)),)) for side in self.arguments))

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        inner = self.left.shape(cells)[1]
        pairs = ((self.left.cell(row, k, cells), self.right.cell(k, column, cells)) for k in range(inner))
        return n.Sum(tuple(self._pair(*pair) for pair in pairs))

    def in_short(self, row: int, column: int, cells: Cells) -> n.Notation | None:
        left, right = self.left.row(row, cells), self.right.column(column, cells)
        return self._pair(left, right) if left and right else None


@dataclass(frozen=True, eq=False, repr=False)
class DotProducts(Product):
    """Each row's dot product with one column, which is said first: e₁ = sₜ · h₁, though e = H sₜ."""

    @property
    def flipped(self) -> bool:
        return True


@dataclass(frozen=True, eq=False, repr=False)
class Projection(Product):
    """Tokens times a weight matrix, the same for every token. `down`: the weight matrix times tokens as columns.

    A sheet that writes a single token as a column but stacks tokens as rows has both q = Wᵀ x and Q = X W.
    """

    down: bool = False

    def by_token(self, view: View, token: int) -> ByToken | None:
        source, weights = (self.right, self.left) if self.down else (self.left, self.right)
        assert isinstance(source, Ref)
        before = self.down or view.upright
        if before and not self.down:
            weights = turned(weights)
        symbols = weights.notation(view.matrix), view.token(source.key, token + 1)
        numbers = weights.notation(view.grid), view.vector(source.key, token)
        if before:
            return (n.Product(symbols),), n.Product(numbers)
        return (n.Product(symbols[::-1]),), n.Product(numbers[::-1])


@dataclass(frozen=True, eq=False, repr=False)
class WeightedSum(Product):
    """Weights times values: each token's result is the sum of all values, weighted. `down`: values times weights."""

    down: bool = False

    @property
    def flipped(self) -> bool:
        return self.down

    def in_short(self, row: int, column: int, cells: Cells) -> n.Notation | None:
        return None

    def by_token(self, view: View, token: int) -> ByToken | None:
        """Σⱼ a₃,ⱼ vⱼ = a₃,₁ v₁ + …, then with the numbers put in."""
        weights, values = (self.right, self.left) if self.down else (self.left, self.right)
        values = values.inner if isinstance(values, Transpose) else values
        assert isinstance(weights, Ref)
        assert isinstance(values, Ref)
        places = view.places(weights.key)[token]
        if len(places) > MOST_VECTORS:
            return None
        symbols = (
            n.Product((view.cell(weights.key, *place), view.token(values.key, k + 1))) for k, place in enumerate(places)
        )
        running = n.Product(
            (general(view.cell(weights.key, *places[0]), self.down), general(view.token(values.key, 1), True))
        )
        shares = (view.precisely(weights.key, *place) for place in places)
        filled = (n.Product((share, view.vector(values.key, k))) for k, share in enumerate(shares))
        return (n.SumOver("j", running), n.Sum(tuple(symbols))), n.Sum(tuple(filled))
