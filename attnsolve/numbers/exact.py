"""Exact matrices: rationals, surds, symbols, and closed forms after a softmax.

Rational matrices are FLINT's own; their cells become Fractions only when somebody looks. Everything else is small, and
each cell is in the simplest form it has (`numbers.light`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import fmpq, fmpq_mat, fmpz

from attnsolve.errors import UnsolvableError
from attnsolve.numbers import Unavailable, closed, light
from attnsolve.numbers.closed import Base, Cell, Number, PowerSum, Quotient, cell_of
from attnsolve.numbers.light import MINUS_INFINITY, ONE, ZERO, is_light

BUDGET = 20_000
"""How many closed-form terms a product may touch before it is left to the balls."""

MOST_PRODUCTS = 40_000
"""How many terms with roots or letters are multiplied out before a product is left to the balls: a few seconds."""
MOST_BITS = 3 * 10**9
LENGTHENING = 1.2
"""Multiplications times the length of the numbers in them, which costs a little more than its share: about a second
in all. Beyond that, fractions are of no use to anybody and their product is left to the balls."""

Rows = tuple[tuple[Cell, ...], ...]


class Exact:
    """An exact matrix, made from rows of cells or from a matrix over the rationals."""

    def __init__(self, rows: Iterable[Iterable[Cell]] | None = None, table: fmpq_mat | None = None) -> None:
        if rows is not None:
            self.rows = tuple(tuple(row) for row in rows)
        if table is not None:
            self.table = table
            self.shape: tuple[int, int] = table.nrows(), table.ncols()
        else:
            self.shape = len(self.rows), len(self.rows[0]) if self.rows else 0

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]]) -> Exact:
        """From the numbers of a problem: Fractions, sympy expressions, −∞."""
        return cls([[cell_of(x) for x in row] for row in rows])

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
        cells = [x for row in self.rows for x in row]
        if not all(isinstance(x, Fraction) for x in cells):
            return None
        return fmpq_mat(*self.shape, [fmpq(x.numerator, x.denominator) for x in cells])

    def _each(self, change: Callable[[Cell], Cell]) -> Exact:
        return Exact([[change(x) for x in row] for row in self.rows])

    @property
    def T(self) -> Exact:
        """The transpose."""
        if self.table is not None:
            return Exact(table=self.table.transpose())
        return Exact(zip(*self.rows, strict=True))

    def __matmul__(self, other: Exact) -> Exact:
        if self.table is not None and other.table is not None:
            self._afford_length(other)
            return Exact(table=self.table * other.table)
        self._afford(other)
        columns = list(zip(*other.rows, strict=True))
        return Exact([[_dot(row, column) for column in columns] for row in self.rows])

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

    def _afford(self, other: Exact) -> None:
        terms = max(
            (len(x.under.terms) for m in (self, other) for row in m.rows for x in row if isinstance(x, Quotient)),
            default=0,
        )
        if terms * self.shape[0] * self.shape[1] * other.shape[1] > BUDGET:
            raise Unavailable
        lengths = zip(_lengths(zip(*self.rows, strict=True)), _lengths(other.rows), strict=True)
        if sum(left * right for left, right in lengths) > MOST_PRODUCTS:
            raise Unavailable

    def __add__(self, other: Exact) -> Exact:
        """Add; a single row or column is added to every row or column."""
        if self.table is not None and other.table is not None and self.shape == other.shape:
            return Exact(table=self.table + other.table)
        wide = other.spread(self.shape)
        return Exact(
            [[_plus(x, y) for x, y in zip(a, b, strict=True)] for a, b in zip(self.rows, wide.rows, strict=True)]
        )

    def spread(self, shape: tuple[int, int]) -> Exact:
        """Repeat a single row or column to a shape."""
        rows = self.rows * shape[0] if self.shape[0] == 1 else self.rows
        return Exact([row * shape[1] if self.shape[1] == 1 else row for row in rows])

    def divided(self, divisor: Number) -> Exact:
        """Every cell divided by a number."""
        if self.table is not None and isinstance(divisor, Fraction):
            return Exact(table=self.table * fmpq(divisor.denominator, divisor.numerator))
        inverse = closed.inverse(divisor)
        return self._each(lambda x: x if isinstance(x, float) else closed.multiply(x, inverse))

    def finite(self) -> Exact:
        """0 in place of −∞."""
        return self._each(lambda x: ZERO if isinstance(x, float) else x)

    def steadied(self, base: Base) -> Exact:
        """Ready for powers. Scores that are all the same quotient may as well all be 0; beyond that, only a rational
        base profits from smaller exponents: its powers become fractions."""
        level = Exact([_levelled(row) for row in self.rows]) if self.table is None else self
        if not isinstance(base, Fraction):
            return level
        try:
            return level.less_maximum()
        except Unavailable:
            return level

    def less_maximum(self) -> Exact:
        """Each row minus its greatest entry."""
        return Exact([[_plus(x, -top) for x in row] for row, top in zip(self.rows, self.row_maxima(), strict=True)])

    def row_maxima(self) -> list[Number]:
        """The greatest finite entry of each row (0 where there is none)."""
        return [maximum(row) for row in self.rows]

    def powers(self, base: Base) -> Exact:
        """base^x for every cell, as power sums."""
        if any(isinstance(x, Quotient) for row in self.rows for x in row):
            raise Unavailable
        return self._each(lambda x: closed.power(base, x))

    def exponentials(self, base: Base) -> Exact:
        """base^x for every cell, as closed forms that can be worked with further."""
        return self.powers(base)._each(lambda x: closed.quotient(x, PowerSum(x.base, {ZERO: ONE})))

    def tanh(self) -> Exact:
        """The hyperbolic tangent of every cell, as a closed form."""
        return self._each(_tanh)

    def norms(self) -> Exact:
        """The length of every row, as one row: roots, which are surds where a row is rational."""
        return Exact([[_norm(row) for row in self.rows]])

    def over(self, other: Exact) -> Exact:
        """Every cell divided by the one in the same place."""
        if any(x == 0 for row in other.rows for x in row):
            raise UnsolvableError("a length is 0 once it is rounded, so it can't be divided by: keep more places")
        pairs = (zip(a, b, strict=True) for a, b in zip(self.rows, other.rows, strict=True))
        return Exact([[_ratio(x, y) for x, y in row] for row in pairs])

    def shares(self) -> Exact:
        """Each entry over the sum of its row, −∞ counting as nothing; a row that sums to 0 has no shares."""
        for number, row in enumerate(self.rows, start=1):
            counted = [x for x in row if not isinstance(x, float)]
            if counted and closed.add(counted) == 0:
                raise UnsolvableError(f"the scores of row {number} sum to 0, so they can't be divided by their sum")
        return self.finite().normalised()

    def normalised(self) -> Exact:
        """Each row divided by its sum; a row of nothing but zeros stays as it is."""
        return Exact([_shares(row) for row in self.rows])

    def beside(self, others: Sequence[Exact]) -> Exact:
        """Matrices set side by side."""
        parts = [self, *others]
        return Exact([sum((part.rows[i] for part in parts), ()) for i in range(self.shape[0])])

    def columns(self, start: int, stop: int) -> Exact:
        """A block of columns."""
        return Exact([row[start:stop] for row in self.rows])


def maximum(row: Sequence[Cell]) -> Number:
    """The greatest finite number of a row, 0 if there is none; symbols and closed forms can't be compared."""
    finite = [x for x in row if not isinstance(x, float)]
    if not all(closed.is_number(x) and not closed.has_symbols(x) for x in finite):
        raise Unavailable
    if all(isinstance(x, Fraction) for x in finite):
        return max(finite, default=ZERO)
    from attnsolve.numbers.balls import greatest

    return greatest(finite)


def _levelled(row: Sequence[Cell]) -> Sequence[Cell]:
    """0 for every entry of a row of equal quotients; any other row as it is."""
    level = isinstance(row[0], Quotient) and all(x == row[0] for x in row)
    return [ZERO] * len(row) if level else row


def _ratio(x: Number, y: Number) -> Number:
    """x / y; a root with symbols in it is better left below the stroke."""
    return closed.tidy(x / y) if closed.has_symbols(y) else closed.divide(x, y)


def _tanh(x: Cell) -> Cell:
    if closed.has_symbols(x):
        raise UnsolvableError("the tanh of an expression with symbols can't be worked out: give the symbols numbers")
    if isinstance(x, Quotient):
        raise Unavailable
    return closed.tanh(x)


def _norm(row: Sequence[Number]) -> Number:
    if all(map(is_light, row)):
        return light.square_root(sum(x * x for x in row))
    from attnsolve.numbers import symbolic

    return symbolic.length(list(row))


def _lengths(rows: Iterable[Iterable[Cell]]) -> list[int]:
    """How many terms with several roots or letters stand in each row."""
    return [sum(map(_length, row)) for row in rows]


def _length(x: Cell) -> int:
    return 0 if not hasattr(x, "is_Add") else len(x.args) if x.is_Add else 1


def _plus(x: Cell, y: Cell) -> Cell:
    if isinstance(x, float) or isinstance(y, float):
        return MINUS_INFINITY
    return closed.add((x, y))


def _cleared(fractions: Iterable[Fraction]) -> int:
    """The length of some fractions over their common denominator."""
    common, longest = fmpz(1), 0
    for x in fractions:
        common = common.lcm(x.denominator)
        longest = max(longest, x.numerator.bit_length())
    return longest + int(common.bit_length())


def _dot(row: Sequence[Cell], column: Sequence[Cell]) -> Cell:
    return closed.add([closed.multiply(x, y) for x, y in zip(row, column, strict=True) if x != 0 and y != 0])


def _shares(row: Sequence[Cell]) -> list[Cell]:
    if not isinstance(row[0], PowerSum):
        total = closed.add(row)
        if isinstance(total, Quotient):
            raise Unavailable
        return list(row) if total == 0 else [closed.divide(x, total) for x in row]
    total = row[0].plus(*row[1:])
    return [closed.quotient(x, total) if total.terms else ZERO for x in row]
