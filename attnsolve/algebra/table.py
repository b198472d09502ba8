"""Matrices of scalars of any sort: exact ones with exponentials, or balls. They have the methods of the other tiers, so
an operation of attention runs on them as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from attnsolve.errors import AttnsolveError
from attnsolve.numbers.closed import Base
from attnsolve.numbers.light import EULER

Element = Any
"""A Scalar of some Field, or a ball."""


class TermError(AttnsolveError):
    """A term that has no value: shapes that don't meet, a name nobody declared. The message says which."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix


class Table:
    """A matrix; one of shape 1×1 serves as a number.

    `row` and `column` say that it is a vector by its nature, and not only because a size happens to be 1: of a row the
    entries are counted, of any other matrix the rows. What is both is a number by its nature.
    """

    def __init__(self, rows: Iterable[Iterable[Element]], *, row: bool = False, column: bool = False) -> None:
        self.rows = [list(line) for line in rows]
        self.shape = (len(self.rows), len(self.rows[0]))
        self.row, self.column = row, column

    @classmethod
    def of_number(cls, number: Element) -> Table:
        """A number."""
        return cls([[number]], row=True, column=True)

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
        return self._alike([change(x) for x in row] for row in self.rows)

    def _alike(self, rows: Iterable[Iterable[Element]]) -> Table:
        return Table(rows, row=self.row, column=self.column)

    @property
    def T(self) -> Table:
        """The transpose."""
        return Table(zip(*self.rows, strict=True), row=self.column, column=self.row)

    def __matmul__(self, other: Table) -> Table:
        columns = list(zip(*other.rows, strict=True))
        entries = ([_dot(row, column) for column in columns] for row in self.rows)
        return Table(entries, row=self.row, column=other.column)

    def zipped(self, other: Table, change: Callable[[Element, Element], Element]) -> Table:
        """Entry by entry with another of the same shape."""
        entries = (map(change, a, b) for a, b in zip(self.rows, other.rows, strict=True))
        return Table(entries, row=self.row or other.row, column=self.column or other.column)

    def exp(self, base: Base) -> Table:
        """e^x for every entry."""
        assert base is EULER
        return self.each(lambda x: x.exp())

    def reduce(self, how: Literal["sum"]) -> Table:
        """Each row to its sum."""
        return Table([[total(row)] for row in self.rows], row=self.row, column=True)

    def divide(self, other: Table, *, empty: bool = False) -> Table:
        """Every entry by the one number that stands in its row of another."""
        try:
            return self._alike([x / by for x in row] for row, (by,) in zip(self.rows, other.rows, strict=True))
        except ZeroDivisionError:
            raise TermError("the weights of one row add up to 0, which can't be divided by") from None

    def over_vectors(self, operation: Callable[[Table], Table]) -> Table:
        """What an operation along rows comes to; for a vector, along the vector, however it stands."""
        return operation(self.T).T if self.column and not self.row else operation(self)


def total(entries: Iterable[Element]) -> Element:
    """The sum of some entries; there is at least one."""
    first, *rest = entries
    for x in rest:
        first = first + x
    return first


def _dot(left: Iterable[Element], right: Iterable[Element]) -> Element:
    return total([x * y for x, y in zip(left, right, strict=True)])
