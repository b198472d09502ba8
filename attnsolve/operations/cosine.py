"""The cosine of the angle between vectors: their dot products divided by their lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnsolve import notation as n
from attnsolve.errors import UnsolvableError
from attnsolve.operations.bounded import Bounded
from attnsolve.operations.formula import Cells, Formula, Key, Mistake, Shapes
from attnsolve.operations.product import Product
from attnsolve.operations.transpose import Transpose

if TYPE_CHECKING:
    from attnsolve.operations.where import Where


@dataclass(frozen=True, eq=False, repr=False)
class Norms(Formula):
    """The length of every row of `inner`, as one row; `names` are what the rows are called."""

    inner: Formula
    names: tuple[str, ...]

    fills = False

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def compute(self, *matrices: Any) -> Any:
        norms = matrices[0].norms()
        for name, norm in zip(self.names, norms.rows[0], strict=True):
            if norm == 0:
                said = f"{name} is a vector of zeros: its length is 0, and the cosine would divide by it"
                raise UnsolvableError(said)
        return norms

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        vectors = self.inner.inner if isinstance(self.inner, Transpose) else self.inner
        return n.Call("lengths" if len(self.names) > 1 else "length", (vectors.notation(write),))

    def shape(self, cells: Shapes) -> tuple[int, int]:
        return 1, self.inner.shape(cells)[0]

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        entries = (self.inner.cell(column, k, cells) for k in range(self.inner.shape(cells)[1]))
        return n.Root(n.Sum(tuple(n.Power(entry, n.Num("2")) for entry in entries)))

    def in_short(self, row: int, column: int, cells: Cells) -> n.Notation | None:
        vector = self.inner.row(column, cells)
        return n.Root(n.Product((vector, vector), dotted=True)) if vector else None


@dataclass(frozen=True, eq=False, repr=False)
class Cosine(Bounded):
    """`dots`, each divided by the lengths of its two vectors: `down` has one for every row, `across` for every column.

    `of` are the two formulas whose rows are compared, as the reader knows them.
    """

    dots: Product
    down: Formula
    across: Formula
    of: tuple[Formula, Formula]

    fills = False

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.dots, self.down, self.across

    def compute(self, *matrices: Any) -> Any:
        dots, down, across = matrices
        return dots.over(down @ across)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("cosine", tuple(formula.notation(write) for formula in self.of))

    def shape(self, cells: Shapes) -> tuple[int, int]:
        return self.dots.shape(cells)

    def shapes(self, cells: Shapes) -> n.Notation:
        return self.dots.shapes(cells)

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        return n.Frac(self.dots.cell(row, column, cells), self._lengths(row, column, cells))

    def in_short(self, row: int, column: int, cells: Cells) -> n.Notation | None:
        over = self.dots.in_short(row, column, cells)
        return n.Frac(over, self._lengths(row, column, cells)) if over else None

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield Mistake("cosine-not-normalised", "the dot products were not divided by the lengths", self.dots)

    def _lengths(self, row: int, column: int, cells: Cells) -> n.Notation:
        lengths = self.down.cell(row, 0, cells), self.across.cell(0, column, cells)
        return n.Product(lengths[::-1] if self.dots.flipped else lengths, dotted=True)
