"""A part of a matrix by its place: an entry, a row, a column, a block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import M
from attnsolve.operations.context import Shapes
from attnsolve.operations.formula import Formula
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward

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

    why_backward = "Only these entries go into the result."

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

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.padded(upstream, use.shape(self.inner), self.rows, self.columns)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        inner = self.inner.notation(write)
        if isinstance(inner, n.Grid):
            rows = tuple(row[slice(*self.columns)] for row in inner.rows[slice(*self.rows)])
            return rows[0][0] if self.single else n.Grid(rows)
        if not isinstance(inner, n.Sym):
            return n.Subscripted(inner, self.indices)
        small = inner.name.lower() if self.single and len(inner.name) == 1 and inner.name.isascii() else inner.name
        return replace(inner, name=small, sub=(*inner.sub, *self.indices))


@record
class Padded(Formula):
    """A block of a matrix that is 0 everywhere else: what the rest of it has to do with the result."""

    inner: Formula
    whole: tuple[int, int]
    rows: Span
    columns: Span

    is_block = True
    has_work = False
    working_starts_with = "letters"
    title = "Padded"
    does = "The block stands in its place; all other entries are 0."

    why_backward = "Only the block goes on."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    @property
    def is_at_hand(self) -> bool:
        return False

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        wide = _between(inner, self.columns, self.whole[1])
        return _between(wide.T, self.rows, self.whole[0]).T

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.part(upstream, self.rows, self.columns)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        wide = _among_zeros(self.inner.notation(write), self.columns, self.whole[1], down=False)
        return _among_zeros(wide, self.rows, self.whole[0], down=True)

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(*self.inner.shape(cells))


def _between(matrix: M, span: Span, size: int) -> M:
    """A matrix with columns of zeros before and after it."""
    if span == (0, size):
        return matrix
    zero = matrix.constant(PlainNumber(0))
    nothing = zero.beside([zero] * (matrix.shape[0] - 1)).T
    parts = [nothing] * span[0] + [matrix] + [nothing] * (size - span[1])
    return parts[0].beside(parts[1:])


def _among_zeros(block: n.Notation, span: Span, size: int, *, down: bool) -> n.Notation:
    zero = n.Num("0")
    before, after = (zero,) * (span[0] > 0), (zero,) * (span[1] < size)
    return block if span == (0, size) else n.Beside((*before, block, *after), down)
