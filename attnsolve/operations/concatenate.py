"""Heads set side by side, and a wide matrix cut into heads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attnsolve import notation as n
from attnsolve.operations.formula import Cells, Formula, Key, ShapeError, Shapes, View, Work, says_shape


@dataclass(frozen=True, eq=False, repr=False)
class Concatenate(Formula):
    """Blocks side by side; with `down`, one above the other."""

    parts: tuple[Formula, ...]
    down: bool = False

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.parts

    def compute(self, *matrices: Any) -> Any:
        first, *rest = (matrix.T for matrix in matrices) if self.down else matrices
        joined = first.beside(rest)
        return joined.T if self.down else joined

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Beside(tuple(part.notation(write) for part in self.parts), self.down)

    def shape(self, cells: Shapes) -> tuple[int, int]:
        shapes = [part.shape(cells) for part in self.parts]
        if len({shape[1 if self.down else 0] for shape in shapes}) > 1:
            said = ", ".join(says_shape(part, cells) for part in self.parts)
            raise ShapeError(f"{said}: blocks of different heights can't stand side by side")
        if self.down:
            return sum(rows for rows, _ in shapes), shapes[0][1]
        return shapes[0][0], sum(columns for _, columns in shapes)

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Beside(tuple(n.Shape(*part.shape(cells)) for part in self.parts), self.down)

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        """Putting blocks side by side is seen, not worked out."""
        return []

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        for part in self.parts:
            rows, columns = part.shape(cells)
            if row < rows and column < columns:
                return part.cell(row, column, cells)
            row, column = (row - rows, column) if self.down else (row, column - columns)
        raise IndexError("the cell lies outside every part")

    def in_short(self, row: int, column: int, cells: Cells) -> n.Notation | None:
        return self.cell(row, column, cells)


@dataclass(frozen=True, eq=False, repr=False)
class Columns(Formula):
    """A block of columns of a wide matrix (with `down`, a block of rows): one head's share."""

    inner: Formula
    start: int
    stop: int
    down: bool = False

    why = "Each head takes its own block of {across} of the wide matrix."
    has_work = False

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def compute(self, *matrices: Any) -> Any:
        if self.down:
            return matrices[0].T.columns(self.start, self.stop).T
        return matrices[0].columns(self.start, self.stop)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        what = "rows" if self.down else "columns"
        span = f"{what} {self.start + 1} to {self.stop}" if self.stop - self.start > 1 else f"{what[:-1]} {self.stop}"
        return n.Product((n.Word(f"{span} of"), self.inner.notation(write)))

    def shape(self, cells: Shapes) -> tuple[int, int]:
        rows, columns = self.inner.shape(cells)
        return (self.stop - self.start, columns) if self.down else (rows, self.stop - self.start)

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        return self.inner.cell(*((row + self.start, column) if self.down else (row, column + self.start)), cells)

    def in_short(self, row: int, column: int, cells: Cells) -> n.Notation | None:
        return self.cell(row, column, cells)
