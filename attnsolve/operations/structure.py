"""Matrices that are a word and a size; the diagonal; a matrix as one list; and one value for each value of an index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Literal

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import Arithmetic, M, ShapeError
from attnsolve.operations.context import Inputs, Mistake, Shapes
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.number import Number
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward
    from attnsolve.operations.call import Call
    from attnsolve.operations.quantity_context import QuantityContext

Word = Literal["identity", "ones", "zeros", "causal"]


NAMES: dict[str, Word] = {"identity": "identity", "ones": "ones", "zeros": "zeros", "causal": "causal"}


@record
class Constants(Formula):
    """identity(n), ones(n), ones(n, m), zeros(n, m), causal(n)."""

    name: Word
    rows: int
    columns: int
    alone: bool = False
    """Whether it is a plain list."""

    has_work = False
    working_starts_with = "letters"
    marks = True
    title = "Constant matrix"
    does = "Its entries are known without any work."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """ones(2, 3)."""
        size, name = call.whole("n"), NAMES[call.name]
        if name in ("identity", "causal"):
            return cls(name, size, size)
        if "m" not in call.others:
            return cls(name, 1, size, alone=True)
        return cls(name, size, call.whole("m"))

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        rows = tuple(tuple(Fraction(self._entry(i, j)) for j in range(self.columns)) for i in range(self.rows))
        return tier.perform(self, [tier.of(rows)])

    def _entry(self, row: int, column: int) -> int:
        return int({"identity": row == column, "causal": row >= column, "ones": True}.get(self.name, False))

    def define(self, *matrices: M) -> M:
        return matrices[0]

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        if self.name == "identity":
            return n.Sym("I", (str(self.rows),))
        sizes = (self.columns,) if self.alone else (self.rows,) if self.name == "causal" else (self.rows, self.columns)
        return n.Call(self.name, tuple(n.Num(str(size)) for size in sizes))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(self.rows, self.columns)


@record
class Diagonal(Formula):
    """A list as the diagonal of a matrix with 0s elsewhere; of a square matrix, its diagonal as a list."""

    inner: Formula
    taken: bool = False
    """Whether it takes the diagonal out of a matrix."""

    has_work = False
    working_starts_with = "letters"
    title = "Diagonal"

    why_backward = "Only the diagonal goes on."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """diag(v)."""
        return cls(call.values[0], taken=len(call.shapes[0]) == 2)

    @property
    def is_at_hand(self) -> bool:
        return False

    @property
    def does(self) -> str:
        if self.taken:
            return "Entry i is the entry in row i, column i."
        return "The entries of the list go on the diagonal; all others are 0."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        places = range(inner.shape[1])
        entries = [inner.columns(i, i + 1) for i in places]
        if self.taken:
            entries = [entry.T.columns(i, i + 1) for i, entry in enumerate(entries)]
            return entries[0].beside(entries[1:])
        zero = inner.constant(PlainNumber(0))
        rows = [[entry if i == j else zero for j in places] for i, entry in enumerate(entries)]
        upright = [row[0].beside(row[1:]).T for row in rows]
        return upright[0].beside(upright[1:]).T

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return Diagonal(use.name(use.whole(upstream, use.shape(self))), taken=not self.taken)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("diag", (self.inner.notation(write),))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Call("diag", (self.inner.shapes(cells),))


@record
class Flat(Formula):
    """All entries of a matrix as one list, row after row."""

    inner: Formula

    has_work = False
    working_starts_with = "letters"
    title = "Flattened"
    does = "The rows are written one after the other, as a single list."

    why_backward = "The entries go back to their rows."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """flat(A)."""
        return cls(*call.values)

    @property
    def is_at_hand(self) -> bool:
        return False

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        upright = matrices[0].T
        rows = [upright.columns(i, i + 1).T for i in range(upright.shape[1])]
        return rows[0].beside(rows[1:])

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        rows, columns = use.shape(self.inner)
        whole = use.whole(upstream, use.shape(self))
        return use.joined(tuple(use.part(whole, (0, 1), (i * columns, (i + 1) * columns)) for i in range(rows)), True)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("flat", (self.inner.notation(write),))


# ── one for each value of an index ──────────────────────────────────────────────────────────────


@record
class IndexRange(Record):
    """An index and what it goes over."""

    index: str
    first: Formula
    last: Formula
    but: str = ""


@record
class Generated(Formula):
    """Terms that one pattern gives for every value of an index, added up, or the greatest of each entry."""

    how: Literal["sum", "max"]
    over: tuple[IndexRange, ...]
    pattern: Formula
    """How a term is written, with the letters of the indices in it."""
    terms: tuple[Formula, ...]

    shows_substitution = False
    working_starts_with = "letters"

    why_backward = "Every term of the sum gets the gradient; of a maximum, only the largest."

    @property
    def title(self) -> str:
        return "Sum" if self.how == "sum" else "Maximum"

    @property
    def does(self) -> str:
        verb = "Add up the terms" if self.how == "sum" else "Take the largest of the terms"
        return f"{verb}, one for each value of the index."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.terms

    def made_from(self, *arguments: Formula) -> Formula:
        return self.replaced(terms=arguments)

    def define(self, *matrices: M) -> M:
        return reduce(add, matrices) if self.how == "sum" else reduce(lambda x, y: x.maximum(y), matrices)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        if self.how == "sum":
            return upstream
        marks = [use.name(use.exceeds(term, use.value, ">=")) for term in self.terms]
        total: Formula = marks[0]
        for mark in marks[1:]:
            total = use.plus(total, mark)
        return use.times(upstream, use.name(use.shared(marks[place], use.name(total))))

    def shape(self, cells: Shapes) -> tuple[int, int]:
        if len({term.shape(cells) for term in self.terms}) > 1:
            raise ShapeError("the terms have different shapes")
        return super().shape(cells)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        body = self.pattern.notation(write)
        if self.how == "max":
            return n.Call("max", (body,), ",".join(over.index for over in self.over))
        for over in reversed(self.over):
            if over.but:
                body = n.SumOver(over.index, body, but=over.but)
            else:
                body = n.SumOver(over.index, body, over.first.notation(write), over.last.notation(write))
        return body

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        if self.how == "sum" and (number := len(self.terms)) > 1:
            wrong = Divide(self, Number(PlainNumber(number)))
            yield Mistake("mean-for-sum", "the mean was taken instead of the sum", wrong)

    def transposed(self, as_columns: Collection[Key]) -> Formula:
        pattern = self.pattern.transposed(as_columns)
        return self.replaced(pattern=pattern, terms=tuple(term.transposed(as_columns) for term in self.terms))


@record
class EntryTable(Formula):
    """A number for every value of an index, in one row; of two, in a matrix with so many `columns`."""

    over: tuple[IndexRange, ...]
    pattern: Formula
    terms: tuple[Formula, ...]
    columns: int

    shows_substitution = False
    working_starts_with = "letters"
    title = "Table"
    does = "Each entry is computed from the same formula, with its own value of the index."

    why_backward = "Each entry has its own gradient."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.terms

    def made_from(self, *arguments: Formula) -> Formula:
        return self.replaced(terms=arguments)

    def define(self, *matrices: M) -> M:
        starts = range(0, len(matrices), self.columns)
        rows = [matrices[k].beside(matrices[k + 1 : k + self.columns]).T for k in starts]
        return rows[0].beside(rows[1:]).T

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        row, column = divmod(place, self.columns)
        return use.part(upstream, (row, row + 1), (column, column + 1))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        indices = tuple(over.index for over in self.over)
        return n.Subscripted(n.Call("", (self.pattern.notation(write),)), indices)

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(len(self.terms) // self.columns, self.columns)


@record
class Member(Formula):
    """A member of a family, or a step of a repeat, whichever the letter of an index says: only for writing."""

    inner: Ref
    index: str

    has_work = False
    working_starts_with = "letters"

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        return matrices[0]

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return upstream

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        symbol = self.inner.notation(write)
        return symbol.replaced(sup=f"({self.index})") if isinstance(symbol, n.Sym) else symbol
