"""Matrices of which only the shape is known, and what it takes to work them out: from an operation's own definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from attnsolve.numbers.matrix import Function, Matrix, Reduction, ShapeError, fitted

if TYPE_CHECKING:
    from attnsolve.numbers.closed import Base
    from attnsolve.numbers.surds import Rows

Step = Literal["product", "addition", "multiplication", "division", "exponential", "function", "comparison"]
"""What is counted; a `product` is a multiplication inside a matrix product, which is what grows fastest."""


class Counts(Matrix):
    """A shape, the names of what it is made from, and the work that it takes."""

    def __init__(self, shape: tuple[int, int], names: Sequence[str] = ()) -> None:
        self.shape = shape
        self.names = tuple(dict.fromkeys(names))
        self.parents: tuple[Counts, ...] = ()
        self.work: dict[Step, int] = {}

    @classmethod
    def of(cls, rows: Rows) -> Counts:
        """Given numbers take no work."""
        return cls((len(rows), len(rows[0])))

    @property
    def total(self) -> Counter[Step]:
        """The work of everything up to here, each matrix counted once however often it is used."""
        found: Counter[Step] = Counter()
        for matrix in self._behind({}):
            found.update(matrix.work)
        return found

    def _behind(self, seen: dict[int, Counts]) -> Iterator[Counts]:
        if id(self) not in seen:
            seen[id(self)] = self
            for parent in self.parents:
                yield from parent._behind(seen)
            yield self

    def _make(self, shape: tuple[int, int], work: dict[Step, int], *others: Counts) -> Counts:
        parents = self, *others
        made = Counts(shape, [name for parent in parents for name in parent.names])
        made.parents, made.work = parents, work
        return made

    def _each(self, step: Step) -> Counts:
        return self._make(self.shape, {step: _size(self.shape)})

    def _pairwise(self, step: Step, other: Counts, verb: str = "combined entry by entry") -> Counts:
        shape = fitted(self.shape, other.shape)
        if shape is None:
            raise ShapeError(f"{self.description} but {other.description}, which can't be {verb}")
        return self._make(shape, {step: _size(shape)}, other)

    @property
    def description(self) -> str:
        """Its shape in words: keys is 3×2."""
        rows, columns = self.shape
        return f"{' and '.join(self.names)} is {rows}×{columns}"

    # ── arithmetic ──────────────────────────────────────────────────────────────────────────────

    def __add__(self, other: Counts) -> Counts:
        return self._pairwise("addition", other, "added")

    def __mul__(self, other: Counts) -> Counts:
        return self._pairwise("multiplication", other)

    def divide(self, other: Counts, *, empty: bool = False) -> Counts:
        """Entry by entry."""
        return self._pairwise("division", other)

    def __matmul__(self, other: Counts) -> Counts:
        (rows, inner), (height, columns) = self.shape, other.shape
        if inner != height:
            message = f"{self.description} but {other.description}"
            raise ShapeError(f"{message}, so their product can't be formed ({inner} and {height} should be the same)")
        work: dict[Step, int] = {"product": rows * inner * columns, "addition": rows * (inner - 1) * columns}
        return self._make((rows, columns), work, other)

    def exp(self, base: Base) -> Counts:
        """base^x for every entry."""
        return self._each("exponential")

    def apply(self, function: Function) -> Counts:
        """A function of every entry."""
        return self._each("function")

    def maximum(self, other: Counts) -> Counts:
        """The larger of two entries."""
        return self._pairwise("comparison", other)

    def exceeds(self, other: Counts) -> Counts:
        """1 where an entry is greater."""
        return self._pairwise("comparison", other)

    def reduce(self, how: Reduction) -> Counts:
        """Each row to one number."""
        rows, columns = self.shape
        return self._make((rows, 1), {"addition" if how == "sum" else "comparison": rows * (columns - 1)})

    def finite(self) -> Counts:
        """0 in place of −∞."""
        return self._make(self.shape, {})

    # ── place ───────────────────────────────────────────────────────────────────────────────────

    @property
    def T(self) -> Counts:
        """The transpose."""
        return self._make((self.shape[1], self.shape[0]), {})

    def beside(self, others: Sequence[Counts]) -> Counts:
        """Matrices set side by side."""
        parts = self, *others
        if len({part.shape[0] for part in parts}) > 1:
            shapes = ", ".join(part.description for part in parts)
            raise ShapeError(f"{shapes}: blocks of different heights can't be placed side by side")
        return self._make((self.shape[0], sum(part.shape[1] for part in parts)), {}, *others)

    def columns(self, start: int, stop: int) -> Counts:
        """A block of columns."""
        if stop > self.shape[1]:
            raise ShapeError(f"{self.description}, which has no column {stop}")
        return self._make((self.shape[0], stop - start), {})


def _size(shape: tuple[int, int]) -> int:
    return shape[0] * shape[1]
