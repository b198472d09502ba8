"""Exact matrices: rationals, surds, symbols, and closed forms after a softmax.

Rational matrices are FLINT's own; their cells become Fractions only when somebody looks. Everything else is small, and
each cell is in the simplest form it has (`numbers.surds`). A cell whose closed form is not known, or would be too long
to be of use, is None: exactness is a cell's own, and what it does not matter to stays exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from flint import fmpq, fmpq_mat, fmpz

from attnsolve.numbers import Unavailable, closed, surds
from attnsolve.numbers.cell_arithmetic import (
    FUNCTIONS,
    REDUCTIONS,
    Deferred,
    Rows,
    add_cells,
    closed_form,
    divide_cells,
    dot_product,
    exceeds,
    if_known,
    is_quotient,
    larger,
    multiply_cells,
    or_nothing,
    share_of_row,
    softmax_of_row,
)
from attnsolve.numbers.closed import Base, Cell, cell_of
from attnsolve.numbers.matrix import Function, Numeric, Reduction, fitted
from attnsolve.numbers.surds import EULER, ONE, ZERO, Number, is_fraction_or_surd
from attnsolve.numbers.untyped import Expression

BUDGET = 20_000
"""How many closed-form terms a product may touch before it is left to the balls."""

MOST_PRODUCTS = 40_000
"""How many terms with roots or letters are multiplied out before a product is left to the balls: a few seconds."""
LONGEST_FACTOR = 200_000
"""Bits of a fraction that everything is multiplied by; longer ones would only be squared again."""
MOST_BITS = 3 * 10**9
LENGTHENING = 1.2
"""Multiplications times the length of the numbers in them, which costs a little more than its share: about a second
in all. Beyond that, fractions are of no use to anybody and their product is left to the balls."""

E = closed.exponential(EULER, ONE)
"""Euler's number as a number, and not as a base."""


class Exact(Numeric):
    """An exact matrix, made from rows of cells or from a matrix over the rationals."""

    def __init__(self, rows: Iterable[Iterable[Cell | None]] | None = None, table: fmpq_mat | None = None) -> None:
        if rows is not None:
            self.rows = rows if isinstance(rows, Deferred) else tuple(tuple(row) for row in rows)
        if table is not None:
            self.table = table
            self.shape: tuple[int, int] = table.nrows(), table.ncols()
        else:
            self.shape = len(self.rows), len(self.rows[0]) if self.rows else 0

    @classmethod
    def of(cls, rows: surds.Rows) -> Exact:
        """From the numbers of a problem: Fractions, sympy expressions, −∞."""
        return cls([[E if x is EULER else cell_of(x) for x in row] for row in rows])

    @cached_property
    def rows(self) -> Rows:
        """The cells."""
        entries = self.table.entries() if self.table is not None else []
        cells = [Fraction(int(x.p), int(x.q)) for x in entries]
        width = self.shape[1]
        return tuple(tuple(cells[i * width : (i + 1) * width]) for i in range(self.shape[0]))

    @cached_property
    def table(self) -> fmpq_mat | None:
        """The matrix over the rationals, or None when it isn't rational."""
        if isinstance(self.rows, Deferred) and self.rows.terms:
            return None
        cells = [x for row in self.rows for x in row]
        fractions = [x for x in cells if isinstance(x, Fraction)]
        if len(fractions) < len(cells):
            return None
        return fmpq_mat(*self.shape, [fmpq(x.numerator, x.denominator) for x in fractions])

    @cached_property
    def is_whole(self) -> bool:
        """Whether every cell has an exact form."""
        return self.table is not None or all(x is not None for row in self.rows for x in row)

    def _each(self, change: Callable[[Cell], Cell | None]) -> Exact:
        """A function of every cell that is known."""
        return Exact([[if_known(change, x) for x in row] for row in self.rows])

    def _pairwise(self, combine: Callable[[Cell | None, Cell | None], Cell | None], other: Exact) -> Exact:
        shape = fitted(self.shape, other.shape)
        assert shape is not None
        pairs = zip(self.spread(shape).rows, other.spread(shape).rows, strict=True)
        return Exact([[closed_form(combine, x, y) for x, y in zip(a, b, strict=True)] for a, b in pairs])

    def spread(self, shape: tuple[int, int]) -> Exact:
        """Repeat a single row or column to a shape."""
        if self.shape == shape:
            return self
        rows = [*self.rows] * shape[0] if self.shape[0] < shape[0] else self.rows
        return Exact([[*row] * shape[1] if self.shape[1] < shape[1] else row for row in rows])

    # ── arithmetic ──────────────────────────────────────────────────────────────────────────────

    def __add__(self, other: Exact) -> Exact:
        if self.shape == other.shape and self.table is not None and other.table is not None:
            return Exact(table=self.table + other.table)
        return self._pairwise(add_cells, other)

    def __mul__(self, other: Exact) -> Exact:
        scalar = other._scalar
        if scalar is not None and self.table is not None:
            if scalar.numerator.bit_length() + scalar.denominator.bit_length() > LONGEST_FACTOR:
                return Exact([[None] * self.shape[1]] * self.shape[0])
            return Exact(table=self.table * fmpq(scalar.numerator, scalar.denominator))
        return self._pairwise(multiply_cells, other)

    @property
    def _scalar(self) -> Fraction | None:
        """The one number that it is, if it is a fraction."""
        number = self.rows[0][0] if self.shape == (1, 1) else None
        return number if isinstance(number, Fraction) else None

    def divide(self, other: Exact, *, empty: bool = False) -> Exact:
        """Entry by entry; ZeroDivisionError where that can't be."""
        if not empty and other.shape == (1, 1) and closed.is_number(divisor := other.rows[0][0]) and divisor != 0:
            return self._divided(divisor)
        return self._pairwise(or_nothing if empty else divide_cells, other)

    def _divided(self, divisor: Number) -> Exact:
        if self.table is not None and isinstance(divisor, Fraction):
            return Exact(table=self.table * fmpq(divisor.denominator, divisor.numerator))
        inverse = closed.ratio(ONE, divisor)
        return self._each(lambda x: x if isinstance(x, float) else closed.multiply(x, inverse))

    def __matmul__(self, other: Exact) -> Exact:
        try:
            if self.table is not None and other.table is not None:
                self._afford_length(other)
                return Exact(table=self.table * other.table)
            self._afford(other)
        except Unavailable:
            return Exact([[None] * other.shape[1]] * self.shape[0])
        columns = list(zip(*other.rows, strict=True))
        return Exact([[closed_form(dot_product, row, column) for column in columns] for row in self.rows])

    def _afford_length(self, other: Exact) -> None:
        """FLINT puts each row and each column over one denominator before it multiplies, and can't be stopped then."""
        products = self.shape[0] * self.shape[1] * other.shape[1]
        longest = 64 + self.shape[1] * max(self.bits, other.bits)
        if products * longest**LENGTHENING <= MOST_BITS:
            return
        cleared = max(map(_cleared, (*self.rows, *zip(*other.rows, strict=True))))
        if products * (64 + cleared) ** LENGTHENING > MOST_BITS:
            raise Unavailable

    @cached_property
    def bits(self) -> int:
        """The length of the longest number above or below a stroke."""
        return max((x.height_bits() for x in self.table.entries()), default=0) if self.table is not None else 0

    @cached_property
    def terms(self) -> int:
        """How many powers are added up in the longest denominator."""
        if isinstance(self.rows, Deferred):
            return self.rows.terms
        return max((len(x.under) for row in self.rows for x in row if is_quotient(x)), default=0)

    def _afford(self, other: Exact) -> None:
        terms = max(self.terms, other.terms)
        if terms * self.shape[0] * self.shape[1] * other.shape[1] > BUDGET:
            raise Unavailable
        lengths = zip(_lengths(zip(*self.rows, strict=True)), _lengths(other.rows), strict=True)
        if sum(left * right for left, right in lengths) > MOST_PRODUCTS:
            raise Unavailable

    def exp(self, base: Base) -> Exact:
        """base^x for every cell, as a number or a sum of one power."""
        return self._each(lambda x: closed.exponential(base, x))

    def apply(self, function: Function) -> Exact:
        """A function of every cell, where there is a closed form of it."""
        return self._each(FUNCTIONS[function])

    def maximum(self, other: Exact) -> Exact:
        """The larger of two cells, where that can be decided."""
        return self._pairwise(larger, other)

    def exceeds(self, other: Exact) -> Exact:
        """1 where a cell is greater, where that can be decided."""
        return self._pairwise(exceeds, other)

    def reduce(self, how: Reduction) -> Exact:
        """Each row to its sum or its greatest cell."""
        return Exact([[closed_form(REDUCTIONS[how], row)] for row in self.rows])

    def finite(self) -> Exact:
        """0 in place of −∞."""
        return self._each(lambda x: ZERO if isinstance(x, float) else x)

    # ── place ───────────────────────────────────────────────────────────────────────────────────

    @property
    def T(self) -> Exact:
        """The transpose."""
        if self.table is not None:
            return Exact(table=self.table.transpose())
        return Exact(zip(*self.rows, strict=True))

    def beside(self, others: Sequence[Exact]) -> Exact:
        """Matrices set side by side."""
        parts = [self, *others]
        return Exact([[x for part in parts for x in part.rows[i]] for i in range(self.shape[0])])

    def columns(self, start: int, stop: int) -> Exact:
        """A block of columns."""
        return Exact([row[start:stop] for row in self.rows])

    # ── in one go ───────────────────────────────────────────────────────────────────────────────

    def softmax(self, base: Base) -> Exact:
        """Powers over their sum, in the normal form that a quotient of power sums has."""
        if base is EULER and all(is_fraction_or_surd(x) or isinstance(x, float) for row in self.rows for x in row):
            return Exact(Deferred(self.rows, base))
        return Exact([softmax_of_row(row, base) for row in self.rows])

    def share(self) -> Exact:
        """Each entry over the sum of its row, −∞ counting as nothing; a row that sums to 0 has no shares."""
        return Exact([share_of_row(row, number) for number, row in enumerate(self.rows, start=1)])

    kernels: ClassVar = {"softmax": softmax, "share": share}


def _lengths(rows: Iterable[Iterable[Cell]]) -> list[int]:
    """How many terms with several roots or letters stand in each row."""
    return [sum(map(_length, row)) for row in rows]


def _length(x: Expression) -> int:
    return 0 if not hasattr(x, "is_Add") else len(x.args) if x.is_Add else 1


def _cleared(fractions: Iterable[Fraction]) -> int:
    """The length of some fractions over their common denominator."""
    common, longest = fmpz(1), 0
    for x in fractions:
        common = common.lcm(x.denominator)
        longest = max(longest, x.numerator.bit_length())
    return longest + int(common.bit_length())
