"""Small matrices of balls (python-flint's `arb`), with just the arithmetic that displayed lines are written in.

A number is a matrix of one cell. A token's vector is written upright on one sheet and lying on another, so vectors are
turned wherever they would not fit otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from flint import arb

Ball = Any


class Misfit(Exception):
    """Matrices that can't be put together, whichever way vectors are turned."""


@dataclass(frozen=True)
class Table:
    """Rows of balls."""

    rows: tuple[tuple[Ball, ...], ...]

    @classmethod
    def of(cls, rows: Iterable[Iterable[Ball]]) -> Table:
        return cls(tuple(map(tuple, rows)))

    @classmethod
    def number(cls, ball: Ball) -> Table:
        return cls(((ball,),))

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0])

    @property
    def entries(self) -> tuple[Ball, ...]:
        return tuple(entry for row in self.rows for entry in row)

    @property
    def T(self) -> Table:
        return Table.of(zip(*self.rows, strict=True))

    def single(self) -> Ball:
        """The number that it is."""
        if self.shape != (1, 1):
            raise Misfit(f"a number was expected, but this is {self.shape}")
        return self.rows[0][0]

    def each(self, change: Callable[[Ball], Ball]) -> Table:
        return Table.of([map(change, row) for row in self.rows])

    def widened(self, by: Ball) -> Table:
        """Every finite entry with so much on both sides."""
        return self.each(lambda ball: ball + arb(0, by) if ball.is_finite() else ball)

    def like(self, shape: tuple[int, int]) -> Table:
        """The same in a shape, turned if it is a vector that lies the other way."""
        if self.shape == shape:
            return self
        if self.shape == shape[::-1] and 1 in shape:
            return self.T
        raise Misfit(f"{self.shape} is not {shape}")

    def __add__(self, other: Table) -> Table:
        """Entry by entry; a vector is added to every row, or every column, that is as long."""
        height, width = self.shape
        for added in _either_way(other):
            if added.shape == self.shape:
                return Table.of(map(_sums, self.rows, added.rows))
        for added in _either_way(other):
            if added.shape == (1, width):
                return Table.of(_sums(row, added.entries) for row in self.rows)
            if added.shape == (height, 1):
                return (self.T + added.T).T
        raise Misfit(f"{self.shape} + {other.shape}")

    def __mul__(self, other: Table) -> Table:
        """The matrix product, or a number times a matrix."""
        if (1, 1) in (self.shape, other.shape):
            one, matrix = (self, other) if self.shape == (1, 1) else (other, self)
            return matrix.each(lambda ball: one.single() * ball)
        for left in _either_way(self):
            for right in _either_way(other):
                if left.shape[1] == right.shape[0]:
                    columns = right.T.rows
                    return Table.of([_dot(row, column) for column in columns] for row in left.rows)
        raise Misfit(f"{self.shape} times {other.shape}")

    def dot(self, other: Table) -> Table:
        """The dot product of two vectors, however they lie; of two numbers, their product."""
        if len(self.entries) != len(other.entries) or 1 not in self.shape or 1 not in other.shape:
            raise Misfit(f"{self.shape} · {other.shape}")
        return Table.number(_dot(self.entries, other.entries))

    def block(self, start: int, stop: int, rows: bool) -> Table:
        """Some rows, or some columns."""
        return Table(self.rows[start:stop]) if rows else Table.of(row[start:stop] for row in self.rows)

    def vectors(self, change: Callable[[Sequence[Ball]], Iterable[Ball]], down: bool) -> Table:
        """Every row, or every column, made into another."""
        return self.T.vectors(change, False).T if down else Table.of(map(change, self.rows))


def _sums(row: Iterable[Ball], other: Iterable[Ball]) -> list[Ball]:
    return [a + b for a, b in zip(row, other, strict=True)]


def _dot(row: Iterable[Ball], column: Iterable[Ball]) -> Ball:
    return sum((a * b for a, b in zip(row, column, strict=True)), arb(0))


def _either_way(table: Table) -> list[Table]:
    return [table, table.T] if 1 in table.shape else [table]


def joined(parts: Sequence[Table], down: bool) -> Table:
    """Blocks side by side, or one above the other; a single row beside a higher block goes with each of its rows."""
    if down:
        return joined([part.T for part in parts], False).T
    height = max(part.shape[0] for part in parts)
    blocks = [part.rows * height if part.shape[0] == 1 else part.rows for part in parts]
    if any(len(rows) != height for rows in blocks):
        raise Misfit("blocks of different heights")
    return Table.of(reduce(tuple.__add__, rows) for rows in zip(*blocks, strict=True))


# ── rows of scores as shares ──────────────────────────────────────────────────────────────────────


def shares(row: Sequence[Ball]) -> list[Ball]:
    """Each number over the sum; −∞ is left out, and what has nothing else in its row gets nothing."""
    finite = [ball for ball in row if ball.is_finite()]
    if not finite:
        return [arb(0) for _ in row]
    total = sum(finite, arb(0))
    return [ball / total if ball.is_finite() else arb(0) for ball in row]


def softmax(row: Sequence[Ball], base: Ball) -> list[Ball]:
    """Each power over the sum of all, in the form in which few numbers stand twice: 1/Σ base^(x − own)."""
    log = base.log()
    finite = [ball for ball in row if ball.is_finite()]
    return [
        1 / sum((((x - own) * log).exp() if x is not own else arb(1) for x in finite), arb(0))
        if own.is_finite()
        else arb(0)
        for own in row
    ]
