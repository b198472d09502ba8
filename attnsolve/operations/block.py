"""A part of a matrix by its place: an entry, a row, a column, a block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.operations.formula import Formula
from attnsolve.record import record

Span = tuple[int, int]


@record
class SubMatrix(Formula):
    """Rows and columns of a matrix, each from one place to before another, counted from 0; `indices` is how a sheet
    writes them."""

    inner: Formula
    rows: Span
    columns: Span
    indices: tuple[str, ...]
    single: bool = False
    """Whether it is one entry."""

    has_work = False
    working_starts_with = "letters"

    @property
    def title(self) -> str:
        """What it is called as a step."""
        return "Entry" if self.single else "Selected entries"

    @property
    def does(self) -> str:
        """What is read off."""
        return "Read off the entry in this position." if self.single else "Read off the entries in these positions."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        chosen = inner if self.columns == (0, inner.shape[1]) else inner.columns(*self.columns)
        return chosen if self.rows == (0, inner.shape[0]) else chosen.T.columns(*self.rows).T

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        inner = self.inner.notation(write)
        if isinstance(inner, n.Grid):
            rows = tuple(row[slice(*self.columns)] for row in inner.rows[slice(*self.rows)])
            return rows[0][0] if self.single else n.Grid(rows)
        if not isinstance(inner, n.Sym):
            return n.Subscripted(inner, self.indices)
        small = inner.name.lower() if self.single and len(inner.name) == 1 and inner.name.isascii() else inner.name
        return replace(inner, name=small, sub=(*inner.sub, *self.indices))
