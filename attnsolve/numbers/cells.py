"""Matrices that are known cell by cell, each cell worked out when it is asked for.

What a cell is made of is one of two things so far: how it is written (`Symbols`), or which cells of other quantities it
rests on (`Reads`). Both come from running an operation's own definition.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Generic, TypeVar

from attnsolve.numbers.matrix import Function, Matrix, Reduction, fitted

if TYPE_CHECKING:
    from typing import Self

    from attnsolve.graph import Cell
    from attnsolve.numbers.closed import Base
    from attnsolve.numbers.surds import Rows

Part = TypeVar("Part")
At = Callable[[int, int], Part]
Read = tuple["Cell", ...]


class Cells(Matrix, Generic[Part]):
    """A shape, and what stands in each place of it, counted from 0."""

    def __init__(self, shape: tuple[int, int], at: At[Part]) -> None:
        self.shape = shape
        self.at = at

    # ── what a cell comes to, for each kind of matrix ───────────────────────────────────────────

    @staticmethod
    @abstractmethod
    def plus(left: Part, right: Part) -> Part:
        """left + right."""

    @staticmethod
    @abstractmethod
    def times(left: Part, right: Part) -> Part:
        """left · right, as a factor each."""

    @staticmethod
    @abstractmethod
    def over(left: Part, right: Part) -> Part:
        """left / right."""

    @staticmethod
    @abstractmethod
    def dot(left: Sequence[Part], right: Sequence[Part]) -> Part:
        """The products of two vectors' entries, added up."""

    @staticmethod
    @abstractmethod
    def power(base: Base, exponent: Part) -> Part:
        """base^exponent."""

    @staticmethod
    @abstractmethod
    def function(name: str, *arguments: Part) -> Part:
        """A function, by its name: tanh(x), max(x, y)."""

    @staticmethod
    @abstractmethod
    def compared(left: Part, right: Part) -> Part:
        """1 or 0, as left > right or not."""

    @staticmethod
    @abstractmethod
    def total(terms: Sequence[Part]) -> Part:
        """The sum of a row."""

    @staticmethod
    @abstractmethod
    def unmasked(entry: Part) -> Part:
        """The entry; nothing where it is −∞."""

    # ── the primitives ──────────────────────────────────────────────────────────────────────────

    def _make(self, shape: tuple[int, int], at: At[Part]) -> Self:
        return type(self)(shape, at)

    def _each(self, change: Callable[[Part], Part]) -> Self:
        at = self.at
        return self._make(self.shape, lambda i, j: change(at(i, j)))

    def _pairwise(self, combine: Callable[[Part, Part], Part], other: Self) -> Self:
        shape = fitted(self.shape, other.shape)
        assert shape is not None
        one, two = self._spread(shape), other._spread(shape)
        return self._make(shape, lambda i, j: combine(one(i, j), two(i, j)))

    def _spread(self, shape: tuple[int, int]) -> At[Part]:
        if self.shape == shape:
            return self.at
        at, (rows, columns) = self.at, self.shape
        return lambda i, j: at(i % rows, j % columns)

    def __add__(self, other: Self) -> Self:
        return self._pairwise(self.plus, other)

    def __mul__(self, other: Self) -> Self:
        return self._pairwise(self.times, other)

    def divide(self, other: Self, *, empty: bool = False) -> Self:
        """Entry by entry."""
        return self._pairwise(self.over, other)

    def __matmul__(self, other: Self) -> Self:
        left, right, inner = self.at, other.at, range(self.shape[1])

        def at(i: int, j: int) -> Part:
            return self.dot([left(i, k) for k in inner], [right(k, j) for k in inner])

        return self._make((self.shape[0], other.shape[1]), at)

    def exp(self, base: Base) -> Self:
        """base^x for every entry."""
        return self._each(lambda x: self.power(base, x))

    def apply(self, function: Function) -> Self:
        """A function of every entry."""
        return self._each(lambda x: self.function(function, x))

    def maximum(self, other: Self) -> Self:
        """The larger of two entries."""
        return self._pairwise(lambda x, y: self.function("max", x, y), other)

    def minimum(self, other: Self) -> Self:
        """The smaller of two entries."""
        return self._pairwise(lambda x, y: self.function("min", x, y), other)

    def least(self) -> Self:
        """The smallest entry of each row."""
        at, places = self.at, range(self.shape[1])
        return self._make((self.shape[0], 1), lambda i, _: self.function("min", *(at(i, j) for j in places)))

    def exceeds(self, other: Self) -> Self:
        """1 where an entry is greater."""
        return self._pairwise(self.compared, other)

    def reduce(self, how: Reduction) -> Self:
        """Each row to its sum or its greatest entry."""
        at, places = self.at, range(self.shape[1])
        if how == "sum":
            return self._make((self.shape[0], 1), lambda i, _: self.total([at(i, j) for j in places]))
        return self._make((self.shape[0], 1), lambda i, _: self.function("max", *(at(i, j) for j in places)))

    def finite(self) -> Self:
        """0 in place of −∞."""
        return self._each(self.unmasked)

    @property
    def T(self) -> Self:
        """The transpose."""
        at = self.at
        return self._make((self.shape[1], self.shape[0]), lambda i, j: at(j, i))

    def beside(self, others: Sequence[Self]) -> Self:
        """Matrices set side by side."""
        parts = [(part.shape[1], part.at) for part in (self, *others)]
        return self._make((self.shape[0], sum(width for width, _ in parts)), side_by_side(parts))

    def columns(self, start: int, stop: int) -> Self:
        """A block of columns."""
        at = self.at
        return self._make((self.shape[0], stop - start), lambda i, j: at(i, j + start))


def side_by_side(parts: Sequence[tuple[int, At[Part]]]) -> At[Part]:
    """What stands in each place of matrices set side by side, each with its width."""
    ends = list(accumulate(width for width, _ in parts))

    def at(i: int, j: int) -> Part:
        number = bisect_right(ends, j)
        width, part = parts[number]
        return part(i, j - ends[number] + width)

    return at


class Reads(Cells[Read]):
    """Which cells of other quantities each cell rests on."""

    @classmethod
    def of(cls, rows: Rows) -> Reads:
        """Given numbers rest on nothing."""
        return cls((len(rows), len(rows[0])), lambda i, j: ())

    @staticmethod
    def _all(*parts: Read) -> Read:
        return tuple(dict.fromkeys(cell for part in parts for cell in part))

    @staticmethod
    def plus(left: Read, right: Read) -> Read:
        """What both rest on."""
        return Reads._all(left, right)

    times = over = compared = plus

    @staticmethod
    def dot(left: Sequence[Read], right: Sequence[Read]) -> Read:
        """Everything in both vectors."""
        return Reads._all(*(part for pair in zip(left, right, strict=True) for part in pair))

    @staticmethod
    def power(base: Base, exponent: Read) -> Read:
        """What the exponent rests on."""
        return exponent

    @staticmethod
    def function(name: str, *arguments: Read) -> Read:
        """Whatever goes in."""
        return Reads._all(*arguments)

    @staticmethod
    def total(terms: Sequence[Read]) -> Read:
        """Everything that is added."""
        return Reads._all(*terms)

    @staticmethod
    def unmasked(entry: Read) -> Read:
        """The same."""
        return entry
