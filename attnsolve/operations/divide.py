"""Scaling: every score divided by the same number, most often √d_k."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy

from attnsolve import notation as n
from attnsolve.operations.formula import Cells, Formula, Key, Shapes


@dataclass(frozen=True, eq=False, repr=False)
class Divide(Formula):
    """inner / divisor. `symbol` is how the formula writes the divisor, `number` how the numbers do."""

    inner: Formula
    divisor: sympy.Expr
    symbol: n.Notation
    number: n.Notation

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def compute(self, *matrices: Any) -> Any:
        return matrices[0].divided(self.divisor)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Frac(self.inner.notation(write), self.symbol)

    def filled(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Product((n.Frac(n.Num("1"), self.number), self.inner.filled(write)))

    def shape(self, cells: Shapes) -> tuple[int, int]:
        return self.inner.shape(cells)

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        return n.Frac(self.inner.cell(row, column, cells), self.number)
