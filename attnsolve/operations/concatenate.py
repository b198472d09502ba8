"""Blocks set side by side (heads, a pair of vectors) or stacked, and a wide matrix cut into blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, ClassVar, Protocol

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import M, ShapeError
from attnsolve.operations.context import FirstLine, Mistake, Shapes, View, Work
from attnsolve.operations.formula import AlongAxis, Binary, EntryByEntry, Formula, Ref
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.quantity_context import QuantityContext

MOST_COPIED = 4
"""Of how many heads it is asked whether one was copied for all."""


@record
class Concatenate(AlongAxis):
    """Blocks side by side; with `down`, one above the other."""

    parts: tuple[Formula, ...]
    down: bool = False

    repeats = False
    working_starts_with: ClassVar[FirstLine] = "letters"
    title = "Joined"
    does = "Put together what was worked out separately."

    why_backward = "Each part gets its own block of the gradient."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """concat(A, B), stack(A, B)."""
        numbers = all(shape == () for shape in call.shapes)  # make a list, which is one row
        return cls(call.values, call.name == "stack" and not numbers)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.parts

    def define(self, *matrices: M) -> M:
        first, *rest = (matrix.T for matrix in matrices) if self.down else matrices
        joined = first.beside(rest)
        return joined.T if self.down else joined

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        sizes = [use.shape(part)[0 if self.down else 1] for part in self.parts]
        start = sum(sizes[:place])
        span, other = (start, start + sizes[place]), (0, use.shape(self)[1 if self.down else 0])
        return use.part(upstream, span, other) if self.down else use.part(upstream, other, span)

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        for other, part in enumerate(self.parts):
            if other != place and use.shape(part) == use.shape(self.parts[place]):
                wrong, own = use.text_of(part), use.text_of(self.parts[place])
                said = f"the block of the gradient that belongs to {wrong} was used for {own}"
                yield Mistake("gradient-blocks-swapped", said, self.backward(other, upstream, use))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Beside(tuple(part.notation(write) for part in self.parts), self.down)

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Beside(tuple(n.Shape(*part.shape(cells)) for part in self.parts), self.down)

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        """Putting blocks side by side is seen, not worked out."""
        return []

    def made_from(self, *arguments: Formula) -> Formula:
        return type(self)(arguments, self.down)

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        """Blocks in another order: all turned round, or two neighbours swapped."""
        if not all(isinstance(part, Ref) for part in self.parts):
            return
        ids = {key.id for key in self.leaves()}
        id, what = ("heads-swapped", "the heads") if len(ids) == 1 else ("joined-swapped", "the vectors")
        order = list(range(len(self.parts)))
        swaps = ([*order[:i], i + 1, i, *order[i + 2 :]] for i in order[:-1])
        for wrong in (order[::-1], *swaps):
            parts = tuple(self.parts[i] for i in wrong)
            description = f"{what} were concatenated in the order {', '.join(map(where.text_of, parts))}"
            yield Mistake(id, description, self.made_from(*parts))
        if len(ids) == 1 and len(self.parts) <= MOST_COPIED:
            for part in self.parts:
                description = f"{where.text_of(part)} was copied for every head"
                yield Mistake("head-copied", description, self.made_from(*[part] * len(self.parts)))


@record
class Stack(Concatenate):
    """One block a token, each a row that is worked out on its own."""

    down: bool = True

    shows_substitution = False
    working_starts_with: ClassVar[FirstLine] = "vectors"
    visible_terms: ClassVar[tuple[str, ...]] = ("products",)

    def terms_inside(self, name: str, places: Sequence[int]) -> Formula | None:
        """What is seen inside the block that a cell stands in."""
        if len(places) != 2:
            return None
        number, place = places if self.down else places[::-1]
        return self.parts[number].terms_inside(name, (0, place) if self.down else (place, 0))

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        return Formula.working(self, view, target, token)

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        """Nobody takes one token for another."""
        yield from ()


@record
class Pairs(Binary):
    """Each row on the left with the one row on the right after it: [hᵢ; sₜ] for every i."""

    has_work = False
    working_starts_with = "letters"

    why_backward = (
        "Each part gets its own block of the gradient; the vector that stands in every row gets the sum of its blocks."
    )

    def define(self, *matrices: M) -> M:
        left, right = matrices
        column = right.T
        return left.beside([column.beside([column] * (left.shape[0] - 1)).T])

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        height, middle = use.shape(self.left)
        block = use.part(upstream, (0, height), (0, middle) if place == 0 else (middle, use.shape(self)[1]))
        return block if place == 0 else use.sums(use.name(use.whole(block, (height, use.shape(self.right)[1]))), True)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Beside((self.left.notation(write), self.right.notation(write)))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Beside((n.Shape(*self.left.shape(cells)), n.Shape(*self.right.shape(cells))))

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        middle, end = self.left.shape(where)[1], self.shape(where)[1]
        swapped = Concatenate((Columns(self, middle, end), Columns(self, 0, middle)))
        description = f"{where.text_of(self.right)} was put before {where.text_of(self.left)}"
        yield Mistake("joined-swapped", description, swapped)


class Named(Protocol):
    """What knows the names of a quantity's vectors."""

    def token(self, number: int) -> n.Sym:
        """The vector of one token, counted from 1."""


@record
class Row(Formula):
    """One row of a quantity, as a matrix of one row. `name` is the quantity's, whose vectors may be `as_columns`."""

    inner: Ref
    number: int
    name: Named
    as_columns: bool = False

    why_backward = "Only this row goes into the result."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        return matrices[0].T.columns(self.number, self.number + 1).T

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        shape = use.shape(self.inner)
        return use.padded(upstream, shape, (self.number, self.number + 1), (0, shape[1]))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        inner = self.inner.notation(write)
        if isinstance(inner, n.Grid):
            return n.Grid((inner.rows[self.number],))
        symbol = self.name.token(self.number + 1)
        return n.Transposed(symbol) if self.as_columns else symbol


@record
class Columns(AlongAxis):
    """A block of columns of a wide matrix (with `down`, a block of rows): one head's share."""

    inner: Formula
    start: int
    stop: int
    down: bool = False

    why = "Each head takes its own block of {across} of the wide matrix."
    has_work = False
    working_starts_with = "letters"

    why_backward = "Each head passes the gradient of its own block on."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        if self.down:
            return matrices[0].T.columns(self.start, self.stop).T
        return matrices[0].columns(self.start, self.stop)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        (rows, columns), span = use.shape(self.inner), (self.start, self.stop)
        return use.padded(upstream, (rows, columns), *((span, (0, columns)) if self.down else ((0, rows), span)))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        what = "rows" if self.down else "columns"
        span = f"{what} {self.start + 1} to {self.stop}" if self.stop - self.start > 1 else f"{what[:-1]} {self.stop}"
        return n.Product((n.Word(f"{span} of"), self.inner.notation(write)))

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        """A head's share: every so many columns, or what a reshape without a transpose would give it."""
        if not isinstance(self.inner, Ref) or self.inner.key.id != where.key.id:
            return
        wide, size = where.text_of(self.inner), self.stop - self.start
        width, tokens = self.inner.shape(where)[:: -1 if not self.down else 1]
        across, along = ("rows", "column") if self.down else ("columns", "row")
        if size > 1:
            taken = range(self.start // size, width, width // size)
            description = f"the {across} of {wide} were dealt out to the heads in turn instead of block by block"
            yield Mistake("heads-interleaved", description, selected(self.inner, taken, self.down))
        if tokens > 1:
            starts = (self.start * tokens + token * size for token in range(tokens))
            chunks = tuple(self._chunk(*divmod(start, width)) for start in starts)
            description = f"{wide} was split into heads {along} by {along} instead of by {across}"
            yield Mistake("heads-by-rows", description, Concatenate(chunks, not self.down))
        for start in (self.start - size, self.stop):
            if 0 <= start < width:
                head = start // size + 1
                description = f"the {across} of head {head} were taken from {wide}"
                yield Mistake("head-block-swapped", description, replace(self, start=start, stop=start + size))

    def _chunk(self, token: int, start: int) -> Formula:
        stop = start + self.stop - self.start
        return Columns(Columns(self.inner, token, token + 1, not self.down), start, stop, self.down)


@record
class SharedColumns(Columns):
    """The share of a head of keys and values, which several heads of queries use."""

    why = "Each key head takes its own block of {across} of the wide matrix; several heads of queries share it."


def selected(formula: Formula, order: Sequence[int], down: bool = False) -> Formula:
    """Single columns (`down`: rows) of a matrix, in an order."""
    return Concatenate(tuple(Columns(formula, i, i + 1, down) for i in order), down)


@record
class Average(EntryByEntry):
    """The mean of blocks of one shape."""

    parts: tuple[Formula, ...]

    why_backward = "A mean passes an equal share of its gradient on to every term."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.parts

    def made_from(self, *arguments: Formula) -> Formula:
        return Average(arguments)

    def define(self, *matrices: M) -> M:
        total = reduce(add, matrices)
        return total / total.constant(PlainNumber(len(matrices)))

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.over(upstream, use.number(len(self.parts)))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Frac(n.Sum(tuple(part.notation(write) for part in self.parts)), n.Num(str(len(self.parts))))

    def shape(self, cells: Shapes) -> tuple[int, int]:
        if len({part.shape(cells) for part in self.parts}) > 1:
            raise ShapeError("blocks of different shapes have no mean")
        return super().shape(cells)
