"""The transpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attnsolve import notation as n
from attnsolve.operations.formula import Formula, Key
from attnsolve.record import record


def turned(formula: Formula) -> Formula:
    """The transpose; that of a transpose is what it was made from."""
    return formula.inner if isinstance(formula, Transpose) else Transpose(formula)


@record
class Transpose(Formula):
    """innerᵀ. Its numbers, once put in, are written already turned."""

    inner: Formula

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: Any) -> Any:
        return matrices[0].T

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        inner = self.inner.notation(write)
        if isinstance(inner, n.Grid):
            return n.Grid(tuple(zip(*inner.rows, strict=True)), inner.column_labels, inner.row_labels)
        return n.Transposed(inner)
