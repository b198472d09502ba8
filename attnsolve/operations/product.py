"""The matrix product, and the weighted sum of values, which is one seen token by token."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, Balls
from attnsolve.numbers.matrix import M
from attnsolve.operations.context import ByToken, Mistake, Shapes, View, general
from attnsolve.operations.formula import Binary, Formula, Ref, Sides, Transpose, transpose_of
from attnsolve.operations.slips import PossibleSlip, as_factor, number_text
from attnsolve.operations.terms import Products, Weighted
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.evidence import GradientNumbers
    from attnsolve.operations.quantity_context import QuantityContext

NEAR = 1e-9
"""How closely float64 agree where the numbers behind them are equal."""
MOST_VECTORS = 6
"""A weighted sum of more vectors than this isn't written out as vectors."""


@record
class Product(Binary):
    """left · right."""

    title = "Product"
    does = "Each entry is the dot product of a row of the left matrix and a column of the right one."
    visible_terms: ClassVar[tuple[str, ...]] = ("products",)

    why_backward = "Each factor's gradient is the gradient of the product times the other factor, transposed."

    def terms_inside(self, name: str, places: Sequence[int]) -> Formula | None:
        return Products(self, tuple(places), self.flipped) if name == "products" and len(places) == 2 else None

    @property
    def flipped(self) -> bool:
        """Whether the factors that come from the right stand first in an entry."""
        return False

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return (right.T @ left.T).T if self.flipped else left @ right

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        left, right = self.arguments
        if place == 0:
            return use.product(use.whole(upstream, use.shape(self)), use.transposed(right))
        return use.product(use.transposed(left), use.whole(upstream, use.shape(self)))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        """Transposes forgotten or put elsewhere, factors in the wrong order, a factor taken for the other one."""
        own, other = self.arguments[place], self.arguments[1 - place]
        right, upstream = self.backward(place, upstream, use), use.whole(upstream, use.shape(self))
        turned_up, turned_other = use.transposed(upstream), use.transposed(other)
        pairs = (upstream, other), (turned_up, turned_other), (turned_other, upstream), (other, upstream)
        for sides in (*pairs, (other, turned_up)):
            yield from use.instead("gradient-transposed", use.product(*sides[:: 1 if place == 0 else -1]), right)
        for factor in (own, use.transposed(own)):
            wrong = use.product(*(upstream, factor)[:: 1 if place == 0 else -1])
            yield from use.instead("gradient-of-wrong-factor", wrong, right)

    def why_even(self, place: int, upstream: Formula, down: bool, numbers: GradientNumbers) -> str:
        """The other factor's rows (`down`: columns) are alike, or their sums are and the gradient is even itself."""
        other = self.arguments[1 - place]
        if down != (place == 1):
            return ""
        lines = [*zip(*numbers.rows(other), strict=True)] if down else numbers.rows(other)
        line, text = "column" if down else "row", numbers.text_of(other)
        if all(_near(line, lines[0]) for line in lines):
            return f"all {line}s of {text} are the same"
        sums = [sum(line) for line in lines]
        same = all(_near([total], sums[:1]) for total in sums)
        return f"every {line} of {text} has the same sum" if same and numbers.is_even(upstream, down) else ""

    def token_sides(self, of: Callable[[Key], Sides]) -> Sides:
        return self.left.token_sides(of)[0], self.right.token_sides(of)[1]

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        factors: list[n.Notation] = []
        for factor in (self.left.notation(write), self.right.notation(write)):
            factors += factor.factors if isinstance(factor, n.Product) and not factor.dotted else [factor]
        return n.Product(tuple(factors), dotted=any(map(_starts_with_digit, factors[1:])))

    def transposed(self, as_columns: Collection[Key]) -> Formula:
        """(A B)ᵀ = Bᵀ Aᵀ."""
        return self.made_from(self.right.transposed(as_columns), self.left.transposed(as_columns))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Product(tuple(n.Call("", (n.Shape(*side.shape(cells)),)) for side in self.arguments))

    def possible_slips(
        self, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball
    ) -> Iterator[PossibleSlip]:
        """In one of the products that are added up."""
        row, column = place
        left, other = (side.evaluate(values, Balls) for side in self.arguments)
        pairs = [(left.table[row, k], other.table[k, column]) for k in range(left.shape[1])]
        alone = sum(not (a * b).contains(0) for a, b in pairs) < 2
        for a, b in pairs:
            if (a * b).contains(0):
                continue
            if not alone:  # the sign of the only product is the sign of the whole
                yield PossibleSlip("product-sign", 2, right - 2 * a * b, partial(self._of, "a sign error in {}", a, b))
                yield PossibleSlip("product-left-out", 2, right - a * b, partial(self._of, "{} was left out", a, b))
                yield PossibleSlip("product-twice", 4, right + a * b, partial(self._of, "{} was added twice", a, b))
            yield PossibleSlip("product-added", 4, right - a * b + a + b, partial(self._summed, a, b))
        for k, (a, b) in enumerate(pairs):
            for wrong in _around(left, row, k):
                describe = partial(self._other, (a, b), (wrong, b))
                yield PossibleSlip("entry-misread", 4, right - a * b + wrong * b, describe)
            for wrong in _around(other, k, column):
                describe = partial(self._other, (a, b), (a, wrong))
                yield PossibleSlip("entry-misread", 4, right - a * b + a * wrong, describe)

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        """The factors in the other order; entry by entry. Who asks leaves out what doesn't fit."""
        from attnsolve.operations.entrywise import Multiply

        left, right = self.arguments
        said, wrong = where.text_of(self), Product(right, left)
        yield Mistake("factors-exchanged", f"{where.text_of(wrong)} was computed instead of {said}", wrong)
        pairs = [(left, right)]
        if isinstance(right, Transpose):
            pairs.append((left, right.inner))
        elif isinstance(left, Transpose):
            pairs.append((left.inner, right))
        for one, other in pairs:
            if one.shape(where) == other.shape(where) != (1, 1):
                multiplied = f"{where.text_of(one)} and {where.text_of(other)} were multiplied entry by entry"
                yield Mistake(
                    "product-entrywise", f"{multiplied} instead of {said} being computed", Multiply(one, other)
                )

    def _pair(self, a: Ball, b: Ball) -> tuple[Ball, Ball]:
        """Two factors in the order in which they stand in an entry."""
        return (b, a) if self.flipped else (a, b)

    def _of(self, template: str, a: Ball, b: Ball) -> str:
        return template.format("·".join(map(as_factor, self._pair(a, b))))

    def _other(self, right: tuple[Ball, Ball], wrong: tuple[Ball, Ball]) -> str:
        return f"a misread entry: {self._of('{}', *wrong)} instead of {self._of('{}', *right)}"

    def _summed(self, a: Ball, b: Ball) -> str:
        first, second = self._pair(a, b)
        return f"{number_text(first)} + {as_factor(second)} was computed instead of {self._of('{}', a, b)}"


def _near(left: Sequence[float], right: Sequence[float]) -> bool:
    return all(abs(a - b) <= NEAR * max(1.0, abs(a)) for a, b in zip(left, right, strict=True))


def _starts_with_digit(notation: n.Notation) -> bool:
    """Whether it would run together with a number before it."""
    if isinstance(notation, n.Power):
        return _starts_with_digit(notation.base)
    return isinstance(notation, n.Num) or (isinstance(notation, n.Frac) and _starts_with_digit(notation.over))


def _around(table: Balls, row: int, column: int) -> Iterator[Ball]:
    """The entries that an eye may slip to: of the same row or column."""
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            if (i, j) != (row, column) and (i == row or j == column):
                yield table.table[i, j]


@record
class ProductWithRoles(Product):
    """A product whose factors have parts to play, which they keep when it is transposed: `down`, the second stands
    first."""

    down: bool = False

    @property
    def first(self) -> Formula:
        """The factor that stands first where tokens are rows."""
        return self.right if self.down else self.left

    @property
    def second(self) -> Formula:
        """The other one."""
        return self.left if self.down else self.right

    def transposed(self, as_columns: Collection[Key]) -> Formula:
        transposed = super().transposed(as_columns)
        assert isinstance(transposed, ProductWithRoles)
        return replace(transposed, down=not self.down)

    def exchanged(self, first: Formula, second: Formula) -> Formula:
        """The same of other factors."""
        return self.made_from(*((second, first) if self.down else (first, second)))


@record
class DotProducts(ProductWithRoles):
    """One vector's dot product with each of others, which is said first also where it stands last: e₁ = sₜ · h₁,
    though e = H sₜ."""

    @property
    def flipped(self) -> bool:
        return self.down


@record
class Projection(ProductWithRoles):
    """Tokens times a weight matrix, the same for every token. `down`: the weight matrix times tokens as columns.

    A sheet that writes a single token as a column but stacks tokens as rows has both q = Wᵀ x and Q = X W.
    """

    @property
    def source(self) -> Formula:
        """The tokens."""
        return self.first

    @property
    def weight(self) -> Formula:
        """The weight matrix."""
        return self.second

    def by_token(self, view: View, token: int) -> ByToken | None:
        source, weights = self.source, self.weight
        assert isinstance(source, Ref)
        before = self.down or view.as_columns
        if before and not self.down:
            weights = transpose_of(weights)
        symbols = weights.notation(view.matrix), view.token(source.key, token + 1)
        numbers = weights.notation(view.grid), view.operand(source.key, token)
        if before:
            return (n.Product(symbols),), n.Product(numbers)
        return (n.Product(symbols[::-1]),), n.Product(numbers[::-1])

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        (key,) = self.weight.leaves()
        yield Mistake("weight-left-out", f"{where.text_of(Ref(key))} was left out", self.source)
        other = transpose_of(self.weight)
        description = f"{where.text_of(other)} was used instead of {where.text_of(self.weight)}"
        yield Mistake("weight-transposed", description, self.by(other))
        yield from super().mistakes(where)

    def by(self, weight: Formula) -> Formula:
        """The same tokens times another matrix."""
        return self.exchanged(self.source, weight)


@record
class WeightedSum(ProductWithRoles):
    """Weights times values: each token's result is the sum of all values, weighted. `down`: values times weights."""

    working_starts_with = ""
    visible_terms: ClassVar[tuple[str, ...]] = ("products", "weighted")

    @property
    def flipped(self) -> bool:
        return self.down

    def terms_inside(self, name: str, places: Sequence[int]) -> Formula | None:
        if name == "weighted":
            return Weighted(self, tuple(places), self.down) if len(places) == 1 else None
        return super().terms_inside(name, places)

    def by_token(self, view: View, token: int) -> ByToken | None:
        """Σⱼ a₃,ⱼ vⱼ = a₃,₁ v₁ + …, then with the numbers put in."""
        weights, values = self.weights, self.values
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
        filled = (n.Product((share, view.operand(values.key, k))) for k, share in enumerate(shares))
        return (n.SumOver("j", running), n.Sum(tuple(symbols))), n.Sum(tuple(filled))

    @property
    def weights(self) -> Formula:
        """What is weighted with."""
        return self.first

    @property
    def values(self) -> Formula:
        """What is weighted."""
        return self.second

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        weights = self.weights
        description = f"{where.text_of(Transpose(weights))} was used instead of {where.text_of(weights)}"
        yield Mistake("weights-transposed-in-context", description, self.by(Transpose(weights)))
        yield from super().mistakes(where)

    def by(self, weights: Formula) -> Formula:
        """The same values with other weights."""
        return self.exchanged(weights, self.values)
