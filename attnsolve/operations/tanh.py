"""The hyperbolic tangent, entry by entry: it squeezes any number into (−1, 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnsolve import notation as n
from attnsolve.operations.bounded import Bounded
from attnsolve.operations.formula import Cells, Formula, Key, Mistake, Shapes

if TYPE_CHECKING:
    from attnsolve.operations.where import Where


@dataclass(frozen=True, eq=False, repr=False)
class Tanh(Bounded):
    """tanh(inner)."""

    inner: Formula

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def compute(self, *matrices: Any) -> Any:
        return matrices[0].tanh()

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("tanh", (self.inner.notation(write),))

    def shape(self, cells: Shapes) -> tuple[int, int]:
        return self.inner.shape(cells)

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        return n.Call("tanh", (self.inner.cell(row, column, cells),))

    def in_short(self, row: int, column: int, cells: Cells) -> n.Notation | None:
        return self.cell(row, column, cells)

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield Mistake("tanh-forgotten", "the tanh was not taken", self.inner)
