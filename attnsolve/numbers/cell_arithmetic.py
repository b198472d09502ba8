"""Arithmetic with single cells of exact matrices. What has no closed form worth keeping is None, and so is
what rests on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal, TypeGuard, TypeVarTuple, overload

from attnsolve.errors import UnsolvableError
from attnsolve.numbers import Unavailable, closed, order, surds
from attnsolve.numbers.closed import Base, Cell, Quotient
from attnsolve.numbers.matrix import DividedByZero, Function, Reduction
from attnsolve.numbers.surds import MINUS_INFINITY, ONE, ZERO, Number, Surd

Rows = Sequence[Sequence[Cell | None]]

Parts = TypeVarTuple("Parts")

LONGEST = 60
"""Numbers, roots and signs in a closed form; nobody writes a longer one down."""
MOST_BITS = 200_000
"""Of a fraction: more digits than anybody could read."""
LONGEST_TAKEN_APART = 24
"""The same where it is divided by, or its root is taken."""
GREATEST_TAKEN_APART = 10**9
"""The greatest whole number in a sum of roots of which a root is taken: of greater ones nobody finds a simpler form."""


def is_quotient(x: Cell | None) -> TypeGuard[Quotient]:
    """Whether a cell is a closed form with a denominator."""
    return isinstance(x, Quotient) and not x.is_sum


def if_known(change: Callable[[Cell], Cell | None], x: Cell | None) -> Cell | None:
    """A change of a cell, if it is known."""
    return None if x is None else closed_form(change, x)


def closed_form(combine: Callable[[*Parts], Cell | None], *parts: *Parts) -> Cell | None:
    """What some cells come to, or None where that has no closed form worth keeping."""
    try:
        found = combine(*parts)
    except Unavailable:
        return None
    return None if _size(found) > LONGEST else found


def _size(x: Cell | None) -> int:
    """How much there is to write of a number with several roots in it; 0 for any other, and with letters."""
    if isinstance(x, Fraction):
        return LONGEST + 1 if x.numerator.bit_length() + x.denominator.bit_length() > MOST_BITS else 0
    if x is None or isinstance(x, Surd | float | Quotient) or x.is_Atom or x.free_symbols:
        return 0
    from attnsolve.numbers import symbolic

    return symbolic.size(x, LONGEST)


def _afford_root(x: Cell) -> None:
    """Roots of sums of roots are taken apart, and cleared from below a stroke, only where somebody would by hand."""
    if _size(x) > LONGEST_TAKEN_APART:
        raise Unavailable


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


def larger(x: Cell | None, y: Cell | None) -> Cell:
    """The larger of two cells."""
    return maximum((x, y)) if not (isinstance(x, float) and isinstance(y, float)) else MINUS_INFINITY


def exceeds(x: Cell | None, y: Cell | None) -> Cell | None:
    """1 where the first of two cells is greater, else 0."""
    return None if x is None or y is None else ONE if order.is_greater(x, y) else ZERO


def _total(row: Sequence[Cell | None]) -> Cell | None:
    if any(isinstance(x, float) for x in row):
        return MINUS_INFINITY
    return None if any(x is None for x in row) else closed.add(row)


REDUCTIONS: dict[Reduction, Callable[[Sequence[Cell | None]], Cell | None]] = {"sum": _total, "max": maximum}


def softmax_of_row(row: Sequence[Cell | None], base: Base) -> list[Cell | None]:
    """The weights of one row. A masked score has none whatever the others are, and the only other one has it all."""
    seen = [x for x in row if not isinstance(x, float)]
    if len(seen) <= 1:
        return [ZERO if isinstance(x, float) else ONE for x in row]
    try:
        powers = [closed.exponential(base, x) for x in _steadied(row, base)]
    except Unavailable:
        return [ZERO if isinstance(x, float) else None for x in row]
    total = closed.add(powers)
    return [closed_form(closed.divide, x, total) for x in powers]


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
            self._found[place] = tuple(softmax_of_row(self.scores[place], self.base))
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
    return [add_cells(x, -top) for x in row]


def share_of_row(row: Sequence[Cell | None], number: int) -> list[Cell | None]:
    """Each cell of a row over their sum."""
    counted = [x for x in row if not isinstance(x, float)]
    total = closed_form(_total, counted) if counted else ONE
    if total is not None and total == 0:
        raise UnsolvableError(f"the scores of row {number} sum to 0, so they can't be divided by their sum")
    if total is None or is_quotient(total):
        return [ZERO if isinstance(x, float) else None for x in row]
    return [ZERO if isinstance(x, float) else closed_form(closed.divide, x, total) for x in row]


def or_nothing(x: Cell | None, y: Cell | None) -> Cell | None:
    """The quotient of two cells, 0 for 0/0."""
    return ZERO if x == 0 and y == 0 else divide_cells(x, y)


def divide_cells(x: Cell | None, y: Cell | None) -> Cell | None:
    """x / y, −∞ staying −∞; a root with symbols in it is better left below the stroke."""
    if isinstance(x, float):
        return x
    if y is None or x is None:
        return None
    if y == 0:
        raise DividedByZero
    if closed.is_number(x) and closed.is_number(y) and closed.has_symbols(y):
        return closed.tidy(x / y)
    _afford_root(y)
    return closed.divide(x, y)


def add_cells(x: Cell | None, y: Cell | None) -> Cell | None:
    """The sum of two cells."""
    if isinstance(x, float) or isinstance(y, float):
        return MINUS_INFINITY
    return None if x is None or y is None else closed.add((x, y))


def multiply_cells(x: Cell | None, y: Cell | None) -> Cell | None:
    """x · y; nothing times anything is nothing."""
    if x == 0 or y == 0:
        return ZERO
    if isinstance(x, float) or isinstance(y, float):
        return MINUS_INFINITY
    return None if x is None or y is None else closed.multiply(x, y)


def dot_product(row: Sequence[Cell | None], column: Sequence[Cell | None]) -> Cell | None:
    """The sum of the products of the cells of a row and a column."""
    products = [multiply_cells(x, y) for x, y in zip(row, column, strict=True) if x != 0 and y != 0]
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
        return surds.square_root(x)
    if not closed.is_number(x):
        raise Unavailable
    _afford_root(x)
    from attnsolve.numbers import symbolic

    if _size(x) and symbolic.greatest(x) > GREATEST_TAKEN_APART:
        raise Unavailable
    return symbolic.root(x)


def _needs_value(x: Cell) -> None:
    if closed.has_symbols(x):
        raise UnsolvableError("a function of an expression with symbols can't be computed: give the symbols values")


def _ln(x: Cell) -> Cell:
    """0 at 1, and the exponent of a power of e."""
    _needs_value(x)
    if x == 0:
        raise UnsolvableError("0 has no logarithm")
    if order.is_greater(ZERO, x):
        raise UnsolvableError("a negative number has no logarithm")
    if x == ONE:
        return ZERO
    exponent = closed.exponent(x) if isinstance(x, Quotient) else None
    if exponent is None:
        raise Unavailable
    return exponent


def _only_at(point: Fraction, value: Fraction) -> Callable[[Cell], Cell]:
    """A function of which one value is known exactly; with letters in it, it can't be worked out."""

    def function(x: Cell) -> Cell:
        _needs_value(x)
        if x != point:
            raise Unavailable
        return value

    return function


def _of_angle(name: Literal["sin", "cos"], at_zero: Fraction) -> Callable[[Cell], Cell]:
    """sin or cos, which have roots for values at multiples of 15°. (Of other angles only 0 has a fraction.)"""

    def function(x: Cell) -> Cell:
        if isinstance(x, Fraction) or not closed.is_number(x) or closed.has_symbols(x):
            return _only_at(ZERO, at_zero)(x)
        from attnsolve.numbers import symbolic

        return symbolic.of_angle(name, x)

    return function


FUNCTIONS: dict[Function, Callable[[Cell], Cell]] = {
    "tanh": _tanh,
    "sqrt": _sqrt,
    "ln": _ln,
    "sin": _of_angle("sin", ZERO),
    "cos": _of_angle("cos", ONE),
    "erf": _only_at(ZERO, ZERO),
}
