"""Entries and lists, sums over an index, and matrices that are a word and a size: what counts rows and entries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, reduce
from operator import add
from typing import TYPE_CHECKING, Generic, Literal, Self

from attnsolve import notation as n
from attnsolve.bounds import allowed
from attnsolve.errors import TermError
from attnsolve.key import Key
from attnsolve.numbers.matrix import Arithmetic, M
from attnsolve.operations.add import Add
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.context import Inputs
from attnsolve.operations.formula import Formula, Ref, Transpose
from attnsolve.operations.letters import Letters, formula_text
from attnsolve.operations.number import Number, numeral
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward


class Scope(ABC, Generic[M]):
    """What the names of a formula mean while it is evaluated: matrices, and whole numbers."""

    places: Mapping[str, int]
    """Sizes and indices."""
    terms: int
    """How many terms the sums around have together."""

    @abstractmethod
    def __getitem__(self, key: Key) -> M | None:
        """The value of a quantity."""

    @abstractmethod
    def within(self, index: str, place: int, terms: int) -> Self:
        """The same with one more index, one of so many."""


@record
class Values(Record, Scope[M]):
    """The values of a problem's quantities, inside of sums."""

    values: Inputs[M]
    tier: Arithmetic[M]
    places: Mapping[str, int]
    terms: int = 1

    def __getitem__(self, key: Key) -> M | None:
        place = self.places.get(key.id)
        return self.values[key] if place is None else self.tier.of([[Fraction(place)]])

    def within(self, index: str, place: int, terms: int) -> Values[M]:
        return Values(self.values, self.tier, {**self.places, index: place}, self.terms * terms)


def scope_of(values: Inputs[M], tier: Arithmetic[M]) -> Scope[M]:
    """Values as a scope, to which indices can be added."""
    return values if isinstance(values, Scope) else Values(values, tier, {})


def whole(formula: Formula, scope: Scope[M]) -> int:
    """The whole number that an index or a bound means."""
    match formula:
        case Number(rational=Fraction(denominator=1) as rational):
            return int(rational)
        case Ref(name=name) if name in scope.places:
            return scope.places[name]
        case Add(left=left, right=right):
            return whole(left, scope) + whole(right, scope)
        case Negate(inner=inner):
            return -whole(inner, scope)
        case Number() | Ref():
            raise TermError(f"{formula_text(formula)} is not a whole number, so it can't count rows or entries")
    able = "only whole numbers, sizes, indices, and their sums and differences can"
    raise TermError(f"{formula_text(formula)} can't count rows or entries: {able}")


_index = lru_cache(maxsize=1024)(numeral)


@record
class Entry(Formula):
    """x[i] of a vector, X[i,j] of a matrix; X[i] is row i of a matrix, as a column vector."""

    inner: Formula
    row: Formula
    column: Formula | None = None

    has_work = False
    working_starts_with = "letters"

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    @property
    def counting(self) -> tuple[Formula, ...]:
        return (self.row,) if self.column is None else (self.row, self.column)

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        scope = scope_of(values, tier)
        row = _index(whole(self.row, scope))
        column = None if self.column is None else _index(whole(self.column, scope))
        return tier.perform(Entry(self.inner, row, column), [self.inner.evaluate(values, tier)])

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        row = inner.T.columns(*self.span(self.row, inner.shape[0]))
        return row if self.column is None else row.T.columns(*self.span(self.column, inner.shape[1]))

    def span(self, index: Formula, size: int) -> tuple[int, int]:
        """Where the entry begins and ends along a side, counted from 0, once its index is a number."""
        assert isinstance(index, Number)
        place = int(index.rational or 0)
        if not 1 <= place <= size:
            raise TermError(f"{formula_text(self)} asks for entry {place}, which is not between 1 and {size}")
        return place - 1, place

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        indices = tuple(formula_text(index) for index in (self.row, self.column) if index is not None)
        inner = self.inner.notation(write)
        named = self.inner.inner if isinstance(self.inner, Transpose) and self.column is None else self.inner
        if isinstance(named, Ref) and isinstance(write, Letters):
            pattern = write.get(f"{named.name}[]" if self.column is None else f"{named.name}[,]")
            if isinstance(pattern, n.Sym):
                return replace(pattern, sub=(*pattern.sub, *indices))
            inner = named.notation(write)
        if not isinstance(inner, n.Sym):
            return n.Subscripted(inner, indices)
        small = inner.name.lower() if len(inner.name) == 1 and inner.name.isascii() else inner.name
        vector = self.column is None and not inner.vector and inner.name != small
        return replace(inner, name=small, sub=(*inner.sub, *indices), vector=vector)


@record
class Listed(Formula):
    """[x, y]: numbers as one row."""

    entries: tuple[Formula, ...]

    has_work = False
    working_starts_with = "letters"

    why_backward = "Each entry has its own gradient."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.entries

    def made_from(self, *arguments: Formula) -> Formula:
        return Listed(arguments)

    def define(self, *matrices: M) -> M:
        first, *rest = matrices
        return first.beside(rest)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.part(upstream, (0, 1), (place, place + 1))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Grid((tuple(entry.notation(write) for entry in self.entries),))


@record
class Summed(Formula):
    """Σ of a body over an index from `first` to `last`, leaving out `but`."""

    index: str
    first: Formula
    last: Formula
    body: Formula
    but: Formula | None = None

    shows_substitution = False
    working_starts_with = "letters"

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.body,)

    @property
    def binds(self) -> str:  # type: ignore[override]
        return self.index

    @property
    def counting(self) -> tuple[Formula, ...]:
        return (self.first, self.last, *([] if self.but is None else [self.but]))

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        scope = scope_of(values, tier)
        first, last = whole(self.first, scope), whole(self.last, scope)
        left_out = None if self.but is None else whole(self.but, scope)
        if last - first >= allowed().sum_terms:
            raise TermError(
                f"a sum may have at most {allowed().sum_terms} terms, but {formula_text(self)} has {last - first + 1}"
            )
        taken = [i for i in range(first, last + 1) if i != left_out]
        if scope.terms * len(taken) > allowed().nested_terms:
            raise TermError(
                f"nested sums may have at most {allowed().nested_terms} terms in all, but {formula_text(self)} has more"
            )
        terms = [self.body.evaluate(scope.within(self.index, i, len(taken)), tier) for i in taken]
        if len({term.shape for term in terms}) > 1:
            raise TermError(f"the terms of {formula_text(self)} have different shapes: they can't be added")
        return self.define(*terms) if terms else tier.constant(numeral(0).constant)

    def define(self, *matrices: M) -> M:
        return reduce(add, matrices)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        inside = write | {self.index: n.Sym(self.index)} if isinstance(write, Letters) else write
        body = self.body.notation(inside)
        if self.but is not None:
            return n.SumOver(self.index, body, but=formula_text(self.but))
        return n.SumOver(self.index, body, self.first.notation(write), self.last.notation(write))

    def leaves(self) -> list[Key]:
        """The quantities it reads; its index is none."""
        return [key for key in self.body.leaves() if key.id != self.index]


@record
class Filled(Formula):
    """identity(n), ones(n) (a column of ones), causal(n) (ones on and below the diagonal)."""

    name: Literal["identity", "ones", "causal"]
    size: Formula

    has_work = False
    working_starts_with = "letters"

    @property
    def counting(self) -> tuple[Formula, ...]:
        return (self.size,)

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        size = whole(self.size, scope_of(values, tier))
        if not 1 <= size <= allowed().claim_rows:
            raise TermError(
                f"{formula_text(self)} would have {size} rows, but 1 to {allowed().claim_rows} are possible"
            )
        columns = 1 if self.name == "ones" else size
        ones = tuple(tuple(Fraction(int(self._is_one(i, j))) for j in range(columns)) for i in range(size))
        return tier.perform(self, [tier.of(ones)])

    def define(self, *matrices: M) -> M:
        return matrices[0]

    def _is_one(self, row: int, column: int) -> bool:
        return {"identity": row == column, "causal": row >= column}.get(self.name, True)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        sub = formula_text(self.size)
        return {"identity": n.Sym("I", (sub,)), "ones": n.Sym("1", (sub,), vector=True)}.get(
            self.name, n.Sym("M", (sub,))
        )

    def as_stored(self, as_columns: Collection[Key]) -> Formula:
        return self
