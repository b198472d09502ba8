"""Matrices of scalars of any sort: exact ones with exponentials, or balls. They have the methods of the other tiers, so
an operation of attention runs on them as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import sympy

from attnsolve.errors import AttnsolveError

Element = Any
"""A Scalar of some Field, or a ball."""


class TermError(AttnsolveError):
    """A term that has no value: shapes that don't meet, a name nobody declared. The message says which."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix


class Table:
    """A matrix; one of shape 1×1 serves as a number."""

    def __init__(self, rows: Iterable[Iterable[Element]]) -> None:
        self.rows = [list(row) for row in rows]
        self.shape = (len(self.rows), len(self.rows[0]))

    @property
    def is_number(self) -> bool:
        """Whether it is a single number."""
        return self.shape == (1, 1)

    @property
    def number(self) -> Element:
        """The number that it is."""
        return self.rows[0][0]

    @property
    def entries(self) -> list[Element]:
        """Its entries, row by row."""
        return [x for row in self.rows for x in row]

    def each(self, change: Callable[[Element], Element]) -> Table:
        """Every entry changed."""
        return Table([change(x) for x in row] for row in self.rows)

    @property
    def T(self) -> Table:
        """The transpose."""
        return Table(zip(*self.rows, strict=True))

    def __matmul__(self, other: Table) -> Table:
        columns = list(zip(*other.rows, strict=True))
        return Table([_dot(row, column) for column in columns] for row in self.rows)

    def zipped(self, other: Table, change: Callable[[Element, Element], Element]) -> Table:
        """Entry by entry with another of the same shape."""
        return Table(map(change, a, b) for a, b in zip(self.rows, other.rows, strict=True))

    def steadied(self, base: sympy.Expr) -> Table:
        """Ready for powers: nothing overflows here."""
        return self

    def powers(self, base: sympy.Expr) -> Table:
        """e^x for every entry."""
        assert base is sympy.E
        return self.each(lambda x: x.exp())

    def normalised(self) -> Table:
        """Each row divided by its sum."""
        try:
            return Table([x / total(row) for x in row] for row in self.rows)
        except ZeroDivisionError:
            raise TermError("the weights of one row add up to 0, which can't be divided by") from None


def total(entries: Iterable[Element]) -> Element:
    """The sum of some entries; there is at least one."""
    first, *rest = entries
    for x in rest:
        first = first + x
    return first


def _dot(left: Iterable[Element], right: Iterable[Element]) -> Element:
    return total([x * y for x, y in zip(left, right, strict=True)])
