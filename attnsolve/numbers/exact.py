"""Exact matrices: rationals, surds, symbols, and closed forms after a softmax.

Rational matrices are FLINT's own; their cells become Fractions only when somebody looks. Everything else is small, and
each cell is in the simplest form it has (`numbers.light`). A cell whose closed form is not known, or would be too long
to be of use, is None: exactness is a cell's own, and what it does not matter to stays exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Literal, TypeGuard, TypeVarTuple, overload

from flint import fmpq, fmpq_mat, fmpz

from attnsolve.errors import UnsolvableError
from attnsolve.numbers import Unavailable, closed, light
from attnsolve.numbers.closed import Base, Cell, Quotient, cell_of
from attnsolve.numbers.light import EULER, MINUS_INFINITY, ONE, ZERO, Number, is_light
from attnsolve.numbers.matrix import DividedByZero, Function, Numeric, Reduction, fitted
from attnsolve.numbers.untyped import Expression

BUDGET = 20_000
"""How many closed-form terms a product may touch before it is left to the balls."""

MOST_PRODUCTS = 40_000
"""How many terms with roots or letters are multiplied out before a product is left to the balls: a few seconds."""
MOST_BITS = 3 * 10**9
LENGTHENING = 1.2
"""Multiplications times the length of the numbers in them, which costs a little more than its share: about a second
in all. Beyond that, fractions are of no use to anybody and their product is left to the balls."""

E = closed.exponential(EULER, ONE)
"""Euler's number as a number, and not as a base."""

Rows = Sequence[Sequence[Cell | None]]

Parts = TypeVarTuple("Parts")


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
    def of(cls, rows: light.Rows) -> Exact:
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
        return Exact([[_known(change, x) for x in row] for row in self.rows])

    def _pairwise(self, combine: Callable[[Cell | None, Cell | None], Cell | None], other: Exact) -> Exact:
        shape = fitted(self.shape, other.shape)
        assert shape is not None
        pairs = zip(self.spread(shape).rows, other.spread(shape).rows, strict=True)
        return Exact([[_tried(combine, x, y) for x, y in zip(a, b, strict=True)] for a, b in pairs])

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
        return self._pairwise(_plus, other)

    def __mul__(self, other: Exact) -> Exact:
        scalar = other._scalar
        if scalar is not None and self.table is not None:
            return Exact(table=self.table * fmpq(scalar.numerator, scalar.denominator))
        return self._pairwise(_times, other)

    @property
    def _scalar(self) -> Fraction | None:
        """The one number that it is, if it is a fraction."""
        number = self.rows[0][0] if self.shape == (1, 1) else None
        return number if isinstance(number, Fraction) else None

    def divide(self, other: Exact, *, empty: bool = False) -> Exact:
        """Entry by entry; ZeroDivisionError where that can't be."""
        if not empty and other.shape == (1, 1) and closed.is_number(divisor := other.rows[0][0]) and divisor != 0:
            return self._divided(divisor)
        return self._pairwise(_or_nothing if empty else _over, other)

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
        return Exact([[_tried(_dot, row, column) for column in columns] for row in self.rows])

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
        return max((len(x.under) for row in self.rows for x in row if _is_quotient(x)), default=0)

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
        return self._pairwise(_larger, other)

    def reduce(self, how: Reduction) -> Exact:
        """Each row to its sum or its greatest cell."""
        return Exact([[_tried(_REDUCED[how], row)] for row in self.rows])

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
        if base is EULER and all(is_light(x) or isinstance(x, float) for row in self.rows for x in row):
            return Exact(Deferred(self.rows, base))
        return Exact([_softmax(row, base) for row in self.rows])

    def share(self) -> Exact:
        """Each entry over the sum of its row, −∞ counting as nothing; a row that sums to 0 has no shares."""
        return Exact([_share(row, number) for number, row in enumerate(self.rows, start=1)])

    kernels: ClassVar = {"softmax": softmax, "share": share}


def _is_quotient(x: Cell | None) -> TypeGuard[Quotient]:
    """Whether a cell is a closed form with a denominator."""
    return isinstance(x, Quotient) and not x.is_sum


def _known(change: Callable[[Cell], Cell | None], x: Cell | None) -> Cell | None:
    return None if x is None else _tried(change, x)


def _tried(combine: Callable[[*Parts], Cell | None], *parts: *Parts) -> Cell | None:
    """What some cells come to, or None where that has no closed form worth keeping."""
    try:
        return combine(*parts)
    except Unavailable:
        return None


def maximum(row: Sequence[Cell | None]) -> Number:
    """The greatest finite number of a row, 0 if there is none; what is unknown or has letters can't be compared."""
    finite = [x for x in row if not isinstance(x, float)]
    fractions = [x for x in finite if isinstance(x, Fraction)]
    if len(fractions) == len(finite):
        return max(fractions, default=ZERO)
    if any(x is None or closed.has_symbols(x) for x in finite):
        raise Unavailable
    from attnsolve.numbers.balls import greatest

    return greatest(finite)


def _larger(x: Cell | None, y: Cell | None) -> Cell:
    return maximum((x, y)) if not (isinstance(x, float) and isinstance(y, float)) else MINUS_INFINITY


def _total(row: Sequence[Cell | None]) -> Cell | None:
    if any(isinstance(x, float) for x in row):
        return MINUS_INFINITY
    return None if any(x is None for x in row) else closed.add(row)


_REDUCED: dict[Reduction, Callable[[Sequence[Cell | None]], Cell | None]] = {"sum": _total, "max": maximum}


def _softmax(row: Sequence[Cell | None], base: Base) -> list[Cell | None]:
    """The weights of one row. A masked score has none whatever the others are, and the only other one has it all."""
    seen = [x for x in row if not isinstance(x, float)]
    if len(seen) <= 1:
        return [ZERO if isinstance(x, float) else ONE for x in row]
    try:
        powers = [closed.exponential(base, x) for x in _steadied(row, base)]
    except Unavailable:
        return [ZERO if isinstance(x, float) else None for x in row]
    total = closed.add(powers)
    return [_tried(closed.divide, x, total) for x in powers]


class Deferred(Sequence[Sequence[Cell | None]]):
    """The softmax of rows of fractions and roots to the base e, each row worked out when somebody looks at it: of a
    large matrix nobody looks at most of them."""

    def __init__(self, scores: Rows, base: Base) -> None:
        self.scores, self.base = scores, base
        self._found: dict[int, Sequence[Cell | None]] = {}
        distinct = (len({x for x in row if not isinstance(x, float)}) for row in scores)
        self.terms = max((count for count in distinct if count > 1), default=0)
        """How many powers are added up at the most; two different ones are independent, so their quotients are no
        fractions."""

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, place: int) -> Sequence[Cell | None]: ...
    @overload
    def __getitem__(self, place: slice[int | None, int | None, int | None]) -> Sequence[Sequence[Cell | None]]: ...
    def __getitem__(
        self, place: int | slice[int | None, int | None, int | None]
    ) -> Sequence[Cell | None] | Sequence[Sequence[Cell | None]]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        if place not in self._found:
            self._found[place] = tuple(_softmax(self.scores[place], self.base))
        return self._found[place]


def _steadied(row: Sequence[Cell | None], base: Base) -> Sequence[Cell]:
    """Scores ready for powers. If all are the same quotient they may as well all be 0; beyond that, only a rational
    base profits from smaller exponents: its powers become fractions."""
    seen = [x for x in row if not isinstance(x, float)]
    if isinstance(seen[0], Quotient) and all(x == seen[0] for x in seen):
        return [x if isinstance(x, float) else ZERO for x in row]
    if any(x is None or isinstance(x, Quotient) for x in row):
        raise Unavailable
    if not isinstance(base, Fraction):
        return row
    try:
        top = maximum(row)
    except Unavailable:
        return row
    return [_plus(x, -top) for x in row]


def _share(row: Sequence[Cell | None], number: int) -> list[Cell | None]:
    counted = [x for x in row if not isinstance(x, float)]
    total = _tried(_total, counted) if counted else ONE
    if total is not None and total == 0:
        raise UnsolvableError(f"the scores of row {number} sum to 0, so they can't be divided by their sum")
    if total is None or _is_quotient(total):
        return [ZERO if isinstance(x, float) else None for x in row]
    return [ZERO if isinstance(x, float) else _tried(closed.divide, x, total) for x in row]


def _or_nothing(x: Cell | None, y: Cell | None) -> Cell | None:
    return ZERO if x == 0 and y == 0 else _over(x, y)


def _over(x: Cell | None, y: Cell | None) -> Cell | None:
    """x / y, −∞ staying −∞; a root with symbols in it is better left below the stroke."""
    if isinstance(x, float):
        return x
    if y is None or x is None:
        return None
    if y == 0:
        raise DividedByZero
    if closed.is_number(x) and closed.is_number(y) and closed.has_symbols(y):
        return closed.tidy(x / y)
    return closed.divide(x, y)


def _plus(x: Cell | None, y: Cell | None) -> Cell | None:
    if isinstance(x, float) or isinstance(y, float):
        return MINUS_INFINITY
    return None if x is None or y is None else closed.add((x, y))


def _times(x: Cell | None, y: Cell | None) -> Cell | None:
    """x · y; nothing times anything is nothing."""
    if x == 0 or y == 0:
        return ZERO
    if isinstance(x, float) or isinstance(y, float):
        return MINUS_INFINITY
    return None if x is None or y is None else closed.multiply(x, y)


def _dot(row: Sequence[Cell | None], column: Sequence[Cell | None]) -> Cell | None:
    products = [_times(x, y) for x, y in zip(row, column, strict=True) if x != 0 and y != 0]
    return None if any(x is None for x in products) else closed.add(products)


# ── functions of one number ─────────────────────────────────────────────────────────────────────


def _tanh(x: Cell) -> Cell:
    if closed.has_symbols(x):
        raise UnsolvableError("the tanh of an expression with symbols can't be computed: give the symbols values")
    if not closed.is_number(x) or not closed.is_algebraic(x):
        raise Unavailable
    return closed.tanh(x)


def _sqrt(x: Cell) -> Cell:
    if isinstance(x, Fraction):
        if x < 0:
            raise UnsolvableError("a negative number has no square root")
        return light.square_root(x)
    if not closed.is_number(x):
        raise Unavailable
    from attnsolve.numbers import symbolic

    return symbolic.root(x)


def _only_at(point: Fraction, value: Fraction) -> Callable[[Cell], Cell]:
    """A function of which one value is known exactly; with letters in it, it can't be worked out."""

    def function(x: Cell) -> Cell:
        _needs_value(x)
        if x != point:
            raise Unavailable
        return value

    return function


def _needs_value(x: Cell) -> None:
    if closed.has_symbols(x):
        raise UnsolvableError("a function of an expression with symbols can't be computed: give the symbols values")


def _circular(name: Literal["sin", "cos"]) -> Callable[[Cell], Cell]:
    """The sine or cosine of multiples of π/4 and π/6, which are roots."""

    def function(x: Cell) -> Cell:
        _needs_value(x)
        if x == 0:
            return ZERO if name == "sin" else ONE
        if is_light(x) or not closed.is_number(x):
            raise Unavailable
        from attnsolve.numbers import symbolic

        return symbolic.circular(name, x)

    return function


def _ln(x: Cell) -> Cell:
    """0 at 1, and the exponent of a power of e."""
    _needs_value(x)
    if x == 0:
        raise UnsolvableError("0 has no logarithm")
    if closed.is_negative(x):
        raise UnsolvableError("a negative number has no logarithm")
    if x == ONE:
        return ZERO
    exponent = closed.exponent(x) if isinstance(x, Quotient) else None
    if exponent is None:
        raise Unavailable
    return exponent


FUNCTIONS: dict[Function, Callable[[Cell], Cell]] = {
    "tanh": _tanh,
    "sqrt": _sqrt,
    "ln": _ln,
    "sin": _circular("sin"),
    "cos": _circular("cos"),
    "erf": _only_at(ZERO, ZERO),
}


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
