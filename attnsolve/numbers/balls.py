"""Certified matrices: every entry is an interval [m ± r] that contains the true value (python-flint's `arb`).

All of it runs at flint's current precision; `at_precision` sets that for a block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import reduce as folded
from operator import add
from typing import ClassVar

from flint import arb, arb_mat, ctx, fmpq

from attnsolve.numbers import Unavailable
from attnsolve.numbers.closed import Base, Cell, Quotient
from attnsolve.numbers.matrix import Function, Numeric, Reduction, fitted
from attnsolve.numbers.surds import EULER, Number, Rows, Surd
from attnsolve.numbers.untyped import Expression

Ball = arb
Point = Mapping[Expression, Number]
"""The values of letters."""
LARGEST_WHOLE = arb(2) ** 32_768
"""Whole numbers are looked for below this: no precision that is ever used tells larger ones apart."""
LONGEST_FRACTION = 65_536
"""The power of two, up or down, with which a ball is still written as a fraction."""

HIDDEN = arb("-inf")
FLOAT_BITS = 64
"""More bits than a float64 has."""
NOWHERE = arb("nan")
"""What has no value."""
LARGEST_STRIP = 300_000_000
"""Multiplications times bits that FLINT may do in one go, some tenths of a second: it can't be stopped meanwhile."""


def at_precision(bits: int) -> AbstractContextManager[object]:
    """Run a block at so many bits."""
    return ctx.workprec(bits)


class Balls(Numeric):
    """A matrix of balls."""

    def __init__(self, table: arb_mat) -> None:
        self.table = table
        self.shape: tuple[int, int] = (table.nrows(), table.ncols())

    @classmethod
    def of(cls, rows: Rows) -> Balls:
        """From the numbers of a problem, or the cells of an exact matrix."""
        return cls(arb_mat([[ball(x) for x in row] for row in rows]))

    @classmethod
    def from_balls(cls, rows: Sequence[Sequence[Ball]]) -> Balls:
        """From balls."""
        return cls(arb_mat(rows))

    @property
    def rows(self) -> list[list[Ball]]:
        """The entries."""
        width, entries = self.shape[1], self.table.entries()
        return [entries[i * width : (i + 1) * width] for i in range(self.shape[0])]

    def _each(self, change: Callable[[Ball], Ball]) -> Balls:
        return Balls(arb_mat(*self.shape, [change(x) for x in self.table.entries()]))

    def _pairwise(self, combine: Callable[[Ball, Ball], Ball], other: Balls) -> Balls:
        shape = fitted(self.shape, other.shape)
        assert shape is not None
        pairs = zip(self.spread(shape).table.entries(), other.spread(shape).table.entries(), strict=True)
        return Balls(arb_mat(*shape, [combine(x, y) for x, y in pairs]))

    def spread(self, shape: tuple[int, int]) -> Balls:
        """Repeat a single row or column to a shape."""
        if self.shape == shape:
            return self
        height, width = self.shape
        return Balls(arb_mat([[self.table[i % height, j % width] for j in range(shape[1])] for i in range(shape[0])]))

    # ── arithmetic ──────────────────────────────────────────────────────────────────────────────

    def __add__(self, other: Balls) -> Balls:
        if other.shape == self.shape:
            return Balls(self.table + other.table)
        return self._pairwise(add, other)

    def __mul__(self, other: Balls) -> Balls:
        return self._pairwise(_times, other)

    def divide(self, other: Balls, *, empty: bool = False) -> Balls:
        """Entry by entry; −∞ stays what it is."""
        if other.shape == (1, 1) and not empty:
            inverse = 1 / other.table[0, 0]
            return self._each(lambda x: x * inverse if x.is_finite() else x)
        return self._pairwise(_or_nothing if empty else _over, other)

    def __matmul__(self, other: Balls) -> Balls:
        (height, width), columns = self.shape, other.shape[1]
        strip = max(1, LARGEST_STRIP // (width * columns * ctx.prec))
        if strip >= height:
            return Balls(self.table * other.table)
        entries = self.table.entries()
        strips = (entries[i * width : (i + strip) * width] for i in range(0, height, strip))
        products = [arb_mat(len(rows) // width, width, rows) * other.table for rows in strips]
        return Balls(arb_mat(height, columns, [x for product in products for x in product.entries()]))

    def exp(self, base: Base) -> Balls:
        """base^x for every entry, 0 for −∞ whatever the base."""
        logarithm = arb(1) if base is EULER else ball(base).log()
        return self._each(lambda x: (x * logarithm).exp() if x.is_finite() else arb(0))

    def apply(self, function: Function) -> Balls:
        """A function of every entry."""
        return self._each(FUNCTIONS[function])

    def maximum(self, other: Balls) -> Balls:
        """The larger of two entries."""
        return self._pairwise(arb.max, other)

    def exceeds(self, other: Balls) -> Balls:
        """1 where a ball lies above the other; Unavailable where they overlap, unless close ones count as equal."""
        return self._pairwise(_exceeds, other)

    def reduce(self, how: Reduction) -> Balls:
        """Each row to its sum or its greatest entry."""
        return Balls(arb_mat([[_REDUCED[how](row)] for row in self.rows]))

    def finite(self) -> Balls:
        """0 in place of −∞."""
        return self._each(lambda x: arb(0) if x == HIDDEN else x)

    # ── place ───────────────────────────────────────────────────────────────────────────────────

    @property
    def T(self) -> Balls:
        """The transpose."""
        return Balls(self.table.transpose())

    def beside(self, others: Sequence[Balls]) -> Balls:
        """Matrices set side by side."""
        parts = [part.rows for part in (self, *others)]
        return Balls(arb_mat([[x for part in parts for x in part[i]] for i in range(self.shape[0])]))

    def columns(self, start: int, stop: int) -> Balls:
        """A block of columns."""
        return Balls(arb_mat([row[start:stop] for row in self.rows]))

    # ── in one go ───────────────────────────────────────────────────────────────────────────────

    def softmax(self, base: Base) -> Balls:
        """Powers over their sum, each row less (the midpoint of) its maximum first, so that no power overflows. A
        softmax doesn't change by any shift, so the midpoint of the largest ball will do, be it the maximum or not."""
        shifted = [[x - top for x in row] for row in self.rows for top in [_top(row)]]
        return Balls(arb_mat([_shares(row) for row in Balls(arb_mat(shifted)).exp(base).rows]))

    def share(self) -> Balls:
        """Each entry over the sum of its row, −∞ counting as nothing; a row of zeros has no shares."""
        rows = zip(self.rows, self.finite().rows, strict=True)
        return Balls(arb_mat([[NOWHERE] * len(row) if _is_zero(row) else _shares(finite) for row, finite in rows]))

    kernels: ClassVar = {"softmax": softmax, "share": share}


def _top(row: Sequence[Ball]) -> Ball:
    return max((x.mid() for x in row if x.is_finite()), default=arb(0))


def _shares(row: Sequence[Ball]) -> list[Ball]:
    total = sum(row, arb(0))
    return list(row) if all(x == 0 for x in row) else [x / total for x in row]


def _times(x: Ball, y: Ball) -> Ball:
    """x · y, −∞ staying −∞ unless it is nothing times."""
    if x.is_finite() and y.is_finite():
        return x * y
    return arb(0) if x == 0 or y == 0 else arb("-inf")


def _over(x: Ball, y: Ball) -> Ball:
    return x / y if x.is_finite() else x


def _or_nothing(x: Ball, y: Ball) -> Ball:
    return x if x == 0 and y == 0 else _over(x, y)


def _exceeds(x: Ball, y: Ball) -> Ball:
    if x > y:
        return arb(1)
    if x <= y:
        return arb(0)
    difference = x - y
    if _close_is_equal.get() and difference.rad() < arb(2) ** (-ctx.prec // 2) * (1 + abs(x.mid())):
        return arb(0)
    raise Unavailable


@contextmanager
def close_is_equal() -> Iterator[None]:
    """Take numbers that can't be told apart for equal ones, as is done with a student's numbers: nothing that is shown
    may rest on it."""
    token = _close_is_equal.set(True)
    try:
        yield
    finally:
        _close_is_equal.reset(token)


_close_is_equal: ContextVar[bool] = ContextVar("close_is_equal", default=False)


def _maximum(row: Sequence[Ball]) -> Ball:
    finite = [x for x in row if x.is_finite()]
    return folded(arb.max, finite) if finite else arb(0)


_REDUCED: dict[Reduction, Callable[[Sequence[Ball]], Ball]] = {"sum": lambda row: sum(row, arb(0)), "max": _maximum}
FUNCTIONS: dict[Function, Callable[[Ball], Ball]] = {
    "ln": arb.log,
    "sqrt": arb.sqrt,
    "sin": arb.sin,
    "cos": arb.cos,
    "tanh": arb.tanh,
    "erf": arb.erf,
}


def ball(number: Cell, point: Point | None = None) -> Ball:
    """The ball of an exact number at the current precision, its letters having the values of a point. Nothing is put
    in for them: sympy would write out what 2^(10⁹ x) comes to."""
    if isinstance(number, Fraction | int):
        return arb(fmpq(number.numerator, number.denominator))
    if isinstance(number, float):
        return arb("-inf")
    if isinstance(number, Surd):
        return ball(number.factor) * arb(number.inside).sqrt()
    if number is EULER:
        return arb(1).exp()
    if isinstance(number, Quotient):
        return _quotient(number, point)
    from attnsolve.numbers import symbolic

    return symbolic.ball(number, point or {})


def _power(base: Base, exponent: Number, point: Point | None) -> Ball:
    if base is EULER:
        return ball(exponent, point).exp()
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        return ball(base) ** exponent.numerator
    return (ball(base).log() * ball(exponent, point)).exp()


def _quotient(number: Quotient, point: Point | None) -> Ball:
    """Both sums with the greatest exponent taken off exactly, so that nothing overflows and nothing cancels."""
    top = max(number.under, key=lambda exponent: ball(exponent, point).mid())
    base = number.ring.base
    return number.valued(lambda c: ball(c, point), lambda e: _power(base, e - top, point), summed)


def summed(balls: Iterable[Ball]) -> Ball:
    """The sum of some balls."""
    return sum(balls, arb(0))


def _is_zero(row: Sequence[Ball]) -> bool:
    """Whether all numbers of a row are 0, −∞ counting as none."""
    finite = [x for x in row if x.is_finite()]
    return bool(finite) and all(x == 0 for x in finite)


def whole(value: Ball) -> int | None:
    """The one whole number in a ball; None where there is none, or several, or where it has no end of digits. FLINT
    would end the process over a number as small as e^(−10^100)."""
    if not abs(value) < LARGEST_WHOLE:
        return None
    if abs(value) < 1 / LARGEST_WHOLE:
        return 0 if value.contains(0) else None
    found = value.unique_fmpz()
    return None if found is None else int(found)


def is_narrow(value: Ball) -> bool:
    """Whether a ball tells a float64: it is −∞, or known to more bits than that has."""
    finite = value.is_finite() and (value.is_exact() or value.rel_accuracy_bits() > FLOAT_BITS)
    return bool(value == HIDDEN or finite)


def largest(balls: Iterable[Ball]) -> Ball:
    """The size of the largest of some numbers; of no finite ones, 0."""
    return folded(arb.max, (abs(x) for x in balls if x.is_finite()), arb(0))


def midpoint(value: Ball) -> Fraction | None:
    """The midpoint of a ball as the fraction that it is; None where that would have no end of digits, as e^(10^10)."""
    mantissa, exponent = (int(x) for x in value.mid().man_exp())
    return mantissa * Fraction(2) ** exponent if abs(exponent) <= LONGEST_FRACTION else None


def greatest(numbers: Sequence[Number]) -> Number:
    """The greatest of some real numbers, proven; of equal ones, the first."""
    distinct: list[Number] = []
    for number in numbers:
        if number not in distinct:
            distinct.append(number)
    bits = 64
    while bits <= 4096:
        with at_precision(bits):
            balls = [ball(x) for x in distinct]
            for x, candidate in zip(distinct, balls, strict=True):
                if all(candidate > other for other in balls if other is not candidate):
                    return x
        bits *= 2
    raise Unavailable
