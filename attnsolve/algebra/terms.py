"""Terms: what a claim says, as a tree. Each is evaluated in any arithmetic and written as notation, so the line that is
printed is the line that was verified."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self

from attnsolve import notation as n
from attnsolve.algebra.table import Element, Table, TermError
from attnsolve.numbers import Unavailable
from attnsolve.record import Record, record

Write = Mapping[str, n.Notation]
"""How names are written; any other is written as it is spelled. `M[]` says how the rows of M are written (and its
columns, which are the rows of its transpose), `M[,]` how its entries are."""


@dataclass
class Scope(ABC):
    """What names mean while a term is evaluated, and the arithmetic it is evaluated in."""

    values: dict[str, Table]
    places: Mapping[str, int]
    """Whole numbers: sizes and indices."""
    terms: int = field(default=1, kw_only=True)
    """How many terms the sums around have together."""

    def within(self, index: str, place: int, terms: int = 1) -> Self:
        """The same with one more index, one of so many; whatever else has its name is hidden."""
        values = {name: value for name, value in self.values.items() if name != index}
        return replace(self, values=values, places={**self.places, index: place}, terms=self.terms * terms)

    @abstractmethod
    def number(self, value: Fraction | int) -> Element:
        """A rational number in this arithmetic."""

    def apply(self, function: str, argument: Element) -> Element:
        """exp, ln, sqrt, tanh, abs; E, the mean over what is random."""
        raise Unavailable

    def limit(self, symbol: str, to: Term, body: Term) -> Table:
        """The limit of a term as a symbol goes somewhere."""
        raise Unavailable


class Term(Record, ABC):
    """A node of the tree."""

    @property
    def parts(self) -> tuple[Term, ...]:
        """The terms it is made from."""
        return tuple(part for part in self.__dict__.values() if isinstance(part, Term))

    @abstractmethod
    def evaluate(self, scope: Scope) -> Table:
        """What it comes to."""

    @abstractmethod
    def notation(self, write: Write) -> n.Notation:
        """How it is written."""

    def walk(self) -> Iterator[Term]:
        """Itself and every term inside."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def put(self, instead: Mapping[str, Term]) -> Term:
        """The same with terms put in place of names."""
        changed: dict[str, Any] = {
            name: part.put(instead) for name, part in self.__dict__.items() if isinstance(part, Term)
        }
        make: Any = type(self)
        again: Term = make(**{**self.__dict__, **changed}) if changed else self
        return again


def said(term: Term) -> str:
    """A term as a message quotes it."""
    from attnsolve.notation.text import ASCII, TextPrinter

    return TextPrinter(ASCII).print(term.notation({}))


def spelled(name: str) -> n.Sym:
    """A name as a symbol: D_k with its index, mu as μ."""
    letter, _, index = name.partition("_")
    return n.Sym(letter, (index,) if index else ())


def shape_said(table: Table) -> str:
    """A shape in words."""
    return f"{table.shape[0]}×{table.shape[1]}"


def whole(term: Term, scope: Scope) -> int:
    """The whole number that an index or a bound means."""
    match term:
        case Number(rational=rational) if rational.denominator == 1:
            return int(rational)
        case Name(name=name) if name in scope.places:
            return scope.places[name]
        case Add(left=left, right=right):
            return whole(left, scope) + whole(right, scope)
        case Negate(inner=inner):
            return -whole(inner, scope)
        case Number() | Name():
            raise TermError(f"{said(term)} is no whole number, so it can't count rows or entries")
    able = "only whole numbers, sizes and indices can, and their sums and differences"
    raise TermError(f"{said(term)} can't count rows or entries: {able}")


@record
class Number(Term):
    """A rational number, written as a decimal where `decimal` says so."""

    rational: Fraction
    decimal: bool = False

    def evaluate(self, scope: Scope) -> Table:
        return Table.of_number(scope.number(self.rational))

    def notation(self, write: Write) -> n.Notation:
        from attnsolve.numbers.written import write as written

        return written(self.rational, "decimal" if self.decimal else "fraction")


@record
class Name(Term):
    """Something declared: a number, a matrix, a size, an index."""

    name: str

    def evaluate(self, scope: Scope) -> Table:
        if self.name in scope.values:
            return scope.values[self.name]
        if self.name in scope.places:
            return Table.of_number(scope.number(scope.places[self.name]))
        raise TermError(f"{self.name!r} is not declared")

    def notation(self, write: Write) -> n.Notation:
        return write.get(self.name, spelled(self.name))

    def put(self, instead: Mapping[str, Term]) -> Term:
        return instead.get(self.name, self)


@record
class Infinity(Term):
    """Where a symbol may go."""

    negative: bool = False

    def evaluate(self, scope: Scope) -> Table:
        raise TermError("infinity is a place to go to, not a number: it may stand only in lim(beta -> oo, ...)")

    def notation(self, write: Write) -> n.Notation:
        return n.Infinity(self.negative)


@record
class Entry(Term):
    """x[i] of a vector, X[i,j] of a matrix; X[i] is row i of a matrix, as a column vector."""

    inner: Term
    row: Term
    column: Term | None = None

    def evaluate(self, scope: Scope) -> Table:
        table = self.inner.evaluate(scope)
        if table.row and self.column is None:
            table = table.T
        rows, columns = table.shape
        row = self._place(self.row, rows, scope)
        if self.column is not None:
            return Table.of_number(table.rows[row][self._place(self.column, columns, scope)])
        return Table([[x] for x in table.rows[row]], row=table.column, column=True)

    def _place(self, index: Term, size: int, scope: Scope) -> int:
        place = whole(index, scope)
        if not 1 <= place <= size:
            raise TermError(f"{said(self)} asks for entry {place} of {size}")
        return place - 1

    def notation(self, write: Write) -> n.Notation:
        indices = tuple(said(index) for index in (self.row, self.column) if index is not None)
        inner = self.inner.notation(write)
        named = self.inner.inner if isinstance(self.inner, Transposed) and self.column is None else self.inner
        if isinstance(named, Name):
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
class Listed(Term):
    """[x, y]: numbers as one row."""

    entries: tuple[Term, ...]

    @property
    def parts(self) -> tuple[Term, ...]:
        return self.entries

    def evaluate(self, scope: Scope) -> Table:
        tables = [entry.evaluate(scope) for entry in self.entries]
        for entry, table in zip(self.entries, tables, strict=True):
            if not table.is_number:
                raise TermError(f"{said(entry)} is {shape_said(table)}: only numbers can be listed")
        return Table([[table.number for table in tables]], row=True)

    def notation(self, write: Write) -> n.Notation:
        return n.Grid((tuple(entry.notation(write) for entry in self.entries),))

    def put(self, instead: Mapping[str, Term]) -> Term:
        return Listed(tuple(entry.put(instead) for entry in self.entries))


@record
class Transposed(Term):
    """innerᵀ."""

    inner: Term

    def evaluate(self, scope: Scope) -> Table:
        return self.inner.evaluate(scope).T

    def notation(self, write: Write) -> n.Notation:
        inner = self.inner.notation(write)
        return n.Grid(tuple(zip(*inner.rows, strict=True))) if isinstance(inner, n.Grid) else n.Transposed(inner)


@record
class Negate(Term):
    """−inner."""

    inner: Term

    def evaluate(self, scope: Scope) -> Table:
        return self.inner.evaluate(scope).each(lambda x: -x)

    def notation(self, write: Write) -> n.Notation:
        return n.negated(self.inner.notation(write))


@record
class Add(Term):
    """left + right, of the same shape."""

    left: Term
    right: Term

    def evaluate(self, scope: Scope) -> Table:
        left, right = self.left.evaluate(scope), self.right.evaluate(scope)
        if left.shape != right.shape:
            raise TermError(
                f"{said(self.left)} is {shape_said(left)} but {said(self.right)} is {shape_said(right)}: "
                "they can't be added",
                self._fix(left, right),
            )
        return left.zipped(right, lambda x, y: x + y)

    def _fix(self, left: Table, right: Table) -> str:
        """A number is added to every entry of a vector in words only."""
        one, other = (self.left, right) if left.is_number else (self.right, left)
        if (left.is_number or right.is_number) and other.column:
            return f"to add a number to every entry, write {said(one)}*ones(n), with the vector's own size"
        return "is a transpose missing? it is written ^T"

    def notation(self, write: Write) -> n.Notation:
        terms: list[n.Notation] = []
        for term in (self.left.notation(write), self.right.notation(write)):
            terms += (
                term.terms if isinstance(term, n.Sum) and not (terms and isinstance(self.right, Negate)) else [term]
            )
        return n.Sum(tuple(terms))


@record
class Multiply(Term):
    """left · right: numbers, a number and a matrix, or two matrices whose inner sides are equal."""

    left: Term
    right: Term

    def evaluate(self, scope: Scope) -> Table:
        left, right = self.left.evaluate(scope), self.right.evaluate(scope)
        numbers = left.row and left.column, right.row and right.column
        if left.shape[1] == right.shape[0] and not any(numbers):
            return left @ right
        if left.is_number and not numbers[1]:
            return right.each(lambda x: left.number * x)
        if right.is_number:
            return left.each(lambda x: x * right.number)
        raise TermError(
            f"{said(self.left)} is {shape_said(left)} but {said(self.right)} is {shape_said(right)}: "
            f"their product can't be formed ({left.shape[1]} and {right.shape[0]} should be the same)",
            "is a transpose missing? it is written ^T",
        )

    def notation(self, write: Write) -> n.Notation:
        factors: list[n.Notation] = []
        for factor in (self.left.notation(write), self.right.notation(write)):
            factors += factor.factors if isinstance(factor, n.Product) and not factor.dotted else [factor]
        return n.Product(tuple(factors), dotted=any(map(_starts_with_digit, factors[1:])))


@record
class Grouped(Term):
    """A product in brackets, kept as it was written: (Π X) W."""

    inner: Term

    def evaluate(self, scope: Scope) -> Table:
        return self.inner.evaluate(scope)

    def notation(self, write: Write) -> n.Notation:
        return n.Call("", (self.inner.notation(write),))


@record
class Divide(Term):
    """over / under, the latter a number."""

    over: Term
    under: Term

    def evaluate(self, scope: Scope) -> Table:
        over, under = self.over.evaluate(scope), self.under.evaluate(scope)
        if not under.is_number:
            raise TermError(f"{said(self.under)} is {shape_said(under)}: only a number can be divided by")
        try:
            return over.each(lambda x: x / under.number)
        except ZeroDivisionError:
            raise TermError(f"{said(self.under)} is 0, which can't be divided by") from None

    def notation(self, write: Write) -> n.Notation:
        return n.Frac(self.over.notation(write), self.under.notation(write))


@record
class Power(Term):
    """A number to a whole power; with a half, its root."""

    base: Term
    exponent: int

    def evaluate(self, scope: Scope) -> Table:
        base = self.base.evaluate(scope)
        if not base.is_number:
            raise TermError(f"{said(self.base)} is {shape_said(base)}: only a number can be raised to a power")
        try:
            return base.each(lambda x: x**self.exponent)
        except ZeroDivisionError:
            raise TermError(f"{said(self.base)} is 0, which can't be divided by") from None

    def notation(self, write: Write) -> n.Notation:
        return n.Power(self.base.notation(write), n.Num(str(self.exponent)))


def _starts_with_digit(notation: n.Notation) -> bool:
    """Whether it would run together with a number before it."""
    if isinstance(notation, n.Power):
        return _starts_with_digit(notation.base)
    return isinstance(notation, n.Num) or (isinstance(notation, n.Frac) and _starts_with_digit(notation.over))
