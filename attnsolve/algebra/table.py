"""Matrices of scalars of any sort: exact ones with exponentials, or balls. They are one more tier, so that any
operation runs on them as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

from attnsolve.errors import TermError as TermError
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import ball
from attnsolve.numbers.matrix import DividedByZero, Function, Matrix, Reduction, ShapeError, fitted
from attnsolve.numbers.surds import EULER, Surd

if TYPE_CHECKING:
    from attnsolve.numbers.closed import Base
    from attnsolve.numbers.constant import Constant

Element = Any
"""A Scalar of some Field, or a ball."""
_METHODS = {"ln": "log", "sqrt": "sqrt", "tanh": "tanh"}


class ElementMatrix(Matrix):
    """A matrix; one of shape 1×1 serves as a number.

    `row` and `column` say that it is a vector by its nature, and not only because a size happens to be 1: of a row the
    entries are counted, of any other matrix the rows. What is both is a number by its nature.
    """

    def __init__(self, rows: Iterable[Iterable[Element]], *, row: bool = False, column: bool = False) -> None:
        self.rows = [list(line) for line in rows]
        self.shape = (len(self.rows), len(self.rows[0]))
        self.row, self.column = row, column

    @classmethod
    def of(cls, rows: Any) -> ElementMatrix:
        """Numbers as balls; a scope makes them what it works with."""
        return cls([ball(Fraction(x)) for x in row] for row in rows)

    @classmethod
    def of_number(cls, number: Element) -> ElementMatrix:
        """A number."""
        return cls([[number]], row=True, column=True)

    def constant(self, constant: Constant) -> ElementMatrix:  # type: ignore[override]
        """A number of a formula, of the sort that the entries are."""
        ring = getattr(self.number, "ring", None)
        number = ball if ring is None else ring.number
        value = constant.value
        if isinstance(value, Surd):
            return ElementMatrix.of_number(number(value.factor) * number(Fraction(value.inside)).sqrt())
        if not isinstance(value, Fraction):
            raise Unavailable
        return ElementMatrix.of_number(number(value))

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

    def each(self, change: Callable[[Element], Element]) -> ElementMatrix:
        """Every entry changed."""
        return self._alike([change(x) for x in row] for row in self.rows)

    def _alike(self, rows: Iterable[Iterable[Element]]) -> ElementMatrix:
        return ElementMatrix(rows, row=self.row, column=self.column)

    # ── arithmetic ──────────────────────────────────────────────────────────────────────────────

    def zipped(self, other: ElementMatrix, change: Callable[[Element, Element], Element]) -> ElementMatrix:
        """Entry by entry with another, sizes of 1 being repeated."""
        shape = fitted(self.shape, other.shape)
        if shape is None:
            raise ShapeError(f"{self.shape} and {other.shape} can't be combined entry by entry")
        rows = (map(change, a, b) for a, b in zip(self._spread(shape), other._spread(shape), strict=True))
        return ElementMatrix(rows, row=self.row or other.row, column=self.column or other.column)

    def _spread(self, shape: tuple[int, int]) -> list[list[Element]]:
        if self.shape == shape:
            return self.rows
        wide = [row * (shape[1] // self.shape[1]) for row in self.rows]
        return wide * (shape[0] // self.shape[0])

    def __add__(self, other: ElementMatrix) -> ElementMatrix:
        return self.zipped(other, lambda x, y: x + y)

    def __sub__(self, other: ElementMatrix) -> ElementMatrix:
        return self.zipped(other, lambda x, y: x - y)

    def __neg__(self) -> ElementMatrix:
        return self.each(lambda x: -x)

    def __mul__(self, other: ElementMatrix) -> ElementMatrix:
        return self.zipped(other, lambda x, y: x * y)

    def __matmul__(self, other: ElementMatrix) -> ElementMatrix:
        columns = list(zip(*other.rows, strict=True))
        entries = ([_dot(row, column) for column in columns] for row in self.rows)
        return ElementMatrix(entries, row=self.row, column=other.column)

    def divide(self, other: ElementMatrix, *, empty: bool = False) -> ElementMatrix:
        """Entry by entry."""
        try:
            quotient = self.zipped(other, lambda x, y: x / y)
        except ZeroDivisionError:
            raise DividedByZero from None
        quotient.row, quotient.column = self.row, self.column
        return quotient

    def raised(self, exponent: int) -> ElementMatrix:
        """Every entry to a whole power."""
        try:
            return self.each(lambda x: x**exponent)
        except ZeroDivisionError:
            raise DividedByZero from None

    def exp(self, base: Base) -> ElementMatrix:
        """e^x for every entry."""
        if base is not EULER:
            raise Unavailable
        return self.each(lambda x: x.exp())

    def apply(self, function: Function) -> ElementMatrix:
        """A function of every entry."""
        method = _METHODS.get(function)
        if method is None:
            raise Unavailable
        return self.each(lambda x: getattr(x, method)())

    def maximum(self, other: ElementMatrix) -> ElementMatrix:
        """Which of two is larger depends on letters."""
        raise Unavailable

    def exceeds(self, other: ElementMatrix) -> ElementMatrix:
        """Which of two is larger depends on letters."""
        raise Unavailable

    def reduce(self, how: Reduction) -> ElementMatrix:
        """Each row to its sum."""
        if how != "sum":
            raise Unavailable
        return ElementMatrix([[total(row)] for row in self.rows], row=self.row, column=True)

    def finite(self) -> ElementMatrix:
        """No entry is −∞."""
        return self

    # ── place ───────────────────────────────────────────────────────────────────────────────────

    @property
    def T(self) -> ElementMatrix:
        """The transpose."""
        return ElementMatrix(zip(*self.rows, strict=True), row=self.column, column=self.row)

    def beside(self, others: Sequence[ElementMatrix]) -> ElementMatrix:
        """Matrices set side by side."""
        lines = zip(self.rows, *(other.rows for other in others), strict=True)
        return ElementMatrix([list(chain(*line)) for line in lines])

    def columns(self, start: int, stop: int) -> ElementMatrix:
        """A block of columns."""
        return ElementMatrix([row[start:stop] for row in self.rows])

    def over_vectors(self, operation: Callable[[ElementMatrix], ElementMatrix]) -> ElementMatrix:
        """What an operation along rows comes to; for a vector, along the vector, however it stands."""
        return operation(self.T).T if self.column and not self.row else operation(self)


def shape_text(table: ElementMatrix) -> str:
    """A shape in words."""
    return f"{table.shape[0]}×{table.shape[1]}"


def total(entries: Iterable[Element]) -> Element:
    """The sum of some entries; there is at least one."""
    first, *rest = entries
    for x in rest:
        first = first + x
    return first


def _dot(left: Iterable[Element], right: Iterable[Element]) -> Element:
    return total([x * y for x, y in zip(left, right, strict=True)])
