"""Matrices of symbols: how each cell is written, from running an operation's own definition.

The leaves are letters (q₁,₂) or numbers put in; what stands around them comes from the definition alone. Where the rows
and columns of a leaf are vectors with names of their own, a product can be said in short: q₃ · k₁.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, prod, sqrt
from typing import TYPE_CHECKING, ClassVar

from attnsolve import notation as n
from attnsolve.numbers.cells import At, Cells, side_by_side
from attnsolve.numbers.matrix import Function, Reduction, fitted
from attnsolve.numbers.surds import EULER, MINUS_INFINITY
from attnsolve.numbers.written import write

if TYPE_CHECKING:
    from attnsolve.numbers.closed import Base
    from attnsolve.numbers.constant import Constant
    from attnsolve.numbers.surds import Rows

Vectors = Callable[[int], n.Notation | None]
NOTHING = n.Num("0")
"""What stands for a masked entry where −∞ counts as nothing: it is left out of sums."""


NEAR = 1e-9
"""Numbers no further apart than this, beside their size, are not told apart by their floats."""
MAXIMUM = n.Sym("m")
"""The greatest entry of a row."""


class Symbols(Cells[n.Notation]):
    """How each cell is written; `row` and `column` are the names of vectors, `short` is a cell said in their terms."""

    row: Vectors | None = None
    column: Vectors | None = None
    products: Vectors | None = None
    """What the entries of a row add up to, where they are the products of two vectors' entries."""
    short: At[n.Notation | None] | None = None
    greatest: At[n.Notation] | None = None
    """What the greatest entry of a row is called once it is known."""

    @classmethod
    def named(cls, shape: tuple[int, int], at: At[n.Notation], row: Vectors, column: Vectors) -> Symbols:
        """A quantity whose rows and columns may have names."""
        made = cls(shape, at)
        made.row, made.column = row, column
        return made

    @classmethod
    def of(cls, rows: Rows) -> Symbols:
        """Numbers as they are written."""
        return cls((len(rows), len(rows[0])), lambda i, j: write(rows[i][j], "fraction"))

    @classmethod
    def constant(cls, constant: Constant) -> Symbols:
        """A number of a formula, written out."""
        written = constant.written
        return cls((1, 1), lambda i, j: written)

    def in_vectors(self, row: int, column: int) -> n.Notation | None:
        """A cell said in terms of vectors with names, if it can be."""
        return None if self.short is None else self.short(row, column)

    # ── what a cell comes to ────────────────────────────────────────────────────────────────────

    @staticmethod
    def plus(left: n.Notation, right: n.Notation) -> n.Notation:
        """Terms one after the other."""
        first = left.terms if isinstance(left, n.Sum) else (left,)
        return n.Sum((*first, *(right.terms if isinstance(right, n.Sum) else (right,))))

    @staticmethod
    def times(left: n.Notation, right: n.Notation) -> n.Notation:
        """A product; a minus sign for −1."""
        for one, other in ((left, right), (right, left)):
            if one == n.Num("-1"):
                return n.negated(other)
        return n.Product((left, right), dotted=True)

    @staticmethod
    def over(left: n.Notation, right: n.Notation) -> n.Notation:
        """A fraction."""
        return n.Frac(left, right)

    @staticmethod
    def dot(left: Sequence[n.Notation], right: Sequence[n.Notation]) -> n.Notation:
        """A sum of products."""
        return n.Sum(tuple(n.Product(pair, dotted=True) for pair in zip(left, right, strict=True)))

    @staticmethod
    def power(base: Base, exponent: n.Notation) -> n.Notation:
        """e^x; but scores that are called e are not powers of Euler's: exp(e₁), not e^e₁."""
        if base is EULER and _starts_with_e(exponent):
            return n.Call("exp", (exponent,))
        return n.Power(write(base, "fraction"), exponent)

    @staticmethod
    def function(name: str, *arguments: n.Notation) -> n.Notation:
        """A call; a root has a sign of its own, and the largest of a largest and something more is one of them all, as
        is the smallest of a smallest."""
        first = arguments[0]
        if name in ("max", "min") and isinstance(first, n.Call) and first.name == name and not first.sub:
            arguments = (*first.inner, *arguments[1:])
        return n.Root(arguments[0]) if name == "sqrt" else n.Call(name, arguments)

    @staticmethod
    def compared(left: n.Notation, right: n.Notation) -> n.Notation:
        """Iverson's bracket: 1 if what stands in it is so, and else 0."""
        return n.Call("", (n.Chain(left, ((">", right),)),), square=True)

    @staticmethod
    def total(terms: Sequence[n.Notation]) -> n.Notation:
        """A sum, without what counts as nothing."""
        sums = (term.terms if isinstance(term, n.Sum) else (term,) for term in terms if term is not NOTHING)
        counted = tuple(term for terms in sums for term in terms)
        return n.Sum(counted) if counted else NOTHING

    @staticmethod
    def unmasked(entry: n.Notation) -> n.Notation:
        """Nothing in place of −∞, also where it is divided."""
        if isinstance(entry, n.Frac):
            return n.Frac(Symbols.unmasked(entry.over), entry.under)
        terms = entry.terms if isinstance(entry, n.Sum) else (entry,)
        return NOTHING if any(isinstance(term, n.Infinity) for term in terms) else entry

    def absolute(self) -> Symbols:
        """|x| for every entry."""
        return self._each(n.Abs)

    def choose(self, left: Symbols, right: Symbols) -> Symbols:
        """The entry that a mask chooses: where the mask is known the entry itself, and where(m, a, b) elsewhere."""
        shape = fitted(fitted(left.shape, right.shape) or left.shape, self.shape) or self.shape
        places = [matrix._spread(shape) for matrix in (self, left, right)]

        def at(i: int, j: int) -> n.Notation:
            mask, one, other = (place(i, j) for place in places)
            if mask == n.Num("0") or isinstance(mask, n.Infinity):
                return other if isinstance(mask, n.Infinity) else one
            return n.Call("where", (mask, one, other))

        return Symbols(shape, at)

    kernels: ClassVar = {"absolute": absolute, "choose": choose}

    # ── what is said of vectors ─────────────────────────────────────────────────────────────────

    @property
    def T(self) -> Symbols:
        """The transpose: rows are columns."""
        made = super().T
        made.row, made.column = self.column, self.row
        if (short := self.short) is not None:
            made.short = lambda i, j: short(j, i)
        return made

    def __matmul__(self, other: Symbols) -> Symbols:
        made, left, right = super().__matmul__(other), self.row, other.column
        if left is not None and right is not None:
            made.short = lambda i, j: _dot_product(left(i), right(j))
        return made

    def __mul__(self, other: Symbols) -> Symbols:
        made = self._each(_squared) if other is self else super().__mul__(other)
        left, right = self.row, other.row
        if left is not None and right is not None:
            made.products = lambda i: _dot_product(left(i), right(i))
        return made

    def raised(self, exponent: int) -> Symbols:
        """Every entry with its exponent."""
        return self._each(lambda entry: n.Power(entry, n.Num(str(exponent))))

    def reduce(self, how: Reduction) -> Symbols:
        """Each row to its sum or its greatest entry; the sum of the products of two rows is their dot product."""
        made = super().reduce(how)
        if how == "sum" and (products := self.products) is not None:
            made.short = lambda i, _: products(i)
        if how == "max":
            at, places = self.at, range(self.shape[1])
            made.greatest = lambda i, _: _greatest([at(i, j) for j in places])
        return made

    @property
    def in_short(self) -> Symbols:
        """The greatest entry of a row by its letter, or as the number that it is."""
        return self if self.greatest is None else Symbols(self.shape, self.greatest)

    def apply(self, function: Function) -> Symbols:
        """A function of every entry."""
        made = super().apply(function)
        if (short := self.short) is not None:
            made.short = lambda i, j: (in_vectors := short(i, j)) and self.function(function, in_vectors)
        return made

    def divide(self, other: Symbols, *, empty: bool = False) -> Symbols:
        """Entry by entry."""
        made = super().divide(other, empty=empty)
        if (short := self.short) is not None:
            under = other._spread(made.shape)
            made.short = lambda i, j: (in_vectors := short(i, j)) and n.Frac(in_vectors, under(i, j))
        return made

    def beside(self, others: Sequence[Symbols]) -> Symbols:
        """Matrices set side by side."""
        made = super().beside(others)
        made.short = side_by_side([(part.shape[1], part.in_vectors) for part in (self, *others)])
        return made


def _squared(entry: n.Notation) -> n.Notation:
    return n.Power(entry, n.Num("2"))


def _dot_product(left: n.Notation | None, right: n.Notation | None) -> n.Notation | None:
    """Two vectors with names, a dot between them."""
    return n.Product((left, right), dotted=True) if left and right else None


def _greatest(entries: Sequence[n.Notation]) -> n.Notation:
    """m among letters; among numbers the one that it is, where that can be seen."""
    if all(isinstance(entry, n.Sym) for entry in entries):
        return MAXIMUM
    values = [_value(entry) for entry in entries]
    finite = [value for value in values if value is not None and isfinite(value)]
    if len(finite) + values.count(MINUS_INFINITY) < len(values) or not finite:
        return n.Call("max", tuple(entries))
    least = max(finite) - NEAR * max(1.0, abs(max(finite)))
    near = {entry for entry, value in zip(entries, values, strict=True) if value is not None and value >= least}
    return near.pop() if len(near) == 1 else n.Call("max", tuple(entries))


def _value(entry: n.Notation) -> float | None:
    """What is written, as a float; None where that is more than numerals, roots and the four operations."""
    match entry:
        case n.Num(text=text, exponent=exponent):
            return float(f"{text}e{exponent or 0}")
        case n.Infinity():
            return MINUS_INFINITY
        case n.Root(inner=inner) if (value := _value(inner)) is not None:
            return sqrt(value)
        case n.Frac(over=over, under=under):
            parts = [_value(over), _value(under)]
            return None if parts[0] is None or not parts[1] else parts[0] / parts[1]
        case n.Sum(terms=terms):
            return _combined(sum, terms)
        case n.Product(factors=factors):
            return _combined(prod, factors)
    return None


def _combined(combine: Callable[[list[float]], float], parts: Sequence[n.Notation]) -> float | None:
    values = [value for part in parts if (value := _value(part)) is not None]
    return combine(values) if len(values) == len(parts) else None


def _starts_with_e(notation: n.Notation) -> bool:
    first = notation.terms[0] if isinstance(notation, n.Sum) else notation
    return isinstance(first, n.Sym) and first.name == "e" and bool(first.sub)
