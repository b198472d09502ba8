"""Closed forms of what comes after a softmax: quotients of sums of powers, (16e² − 8e⁸)/(e² + e⁸).

Both sums are kept in a normal form, exponent → coefficient, so that equality is decided and not guessed. For base e
and algebraic exponents that is the Lindemann–Weierstrass theorem: powers of e with distinct algebraic exponents are
linearly independent, so a quotient is algebraic only when numerator and denominator are proportional. For a rational
base that is no perfect power, x^m − b is irreducible, and exponents split into a whole part (which goes into the
coefficient) and a fraction in [0, 1). So uniform weights come out as exactly 1/n, and an exact zero as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from math import floor
from typing import TYPE_CHECKING, Any, TypeGuard, Union

from flint import fmpz

from attnsolve.numbers import Unavailable, surds
from attnsolve.numbers.sums import Ratio, Sum, normal, product, total
from attnsolve.numbers.surds import EULER, FRACTION_OR_SURD, ONE, ZERO, Euler, Surd, is_fraction_or_surd

if TYPE_CHECKING:
    import sympy

LARGEST_SHIFT = 2000
"""Beyond b^±2000 a power stays a power: as a fraction it would be too long to write."""
FARTHEST_SORTED = 10**6
"""Powers up to e^±1000000 are written in the order of their size."""
MOST_TERMS = 48
"""Longer sums are of no use to a reader."""

Number = Union[Fraction, Surd, "sympy.Expr"]
"""Whichever is the simplest form of it."""
Base = Union[Fraction, Surd, Euler, "sympy.Expr"]
Cell = Union[Fraction, Surd, float, "Quotient", "sympy.Expr"]
"""A Number, a Quotient, or MINUS_INFINITY."""


class PowersOfBase:
    """Numbers before powers of one base, which is no power of another rational. Each base has one of these, so that
    two quotients can be put together just when they have the same."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.unit: Sum[Number] = {ZERO: ONE}

    def add(self, left: Number, right: Number) -> Number:
        return tidy(left + right)

    def multiply(self, left: Number, right: Number) -> Number:
        return tidy(left * right)

    def power(self, exponent: Number) -> tuple[Number, Number]:
        """For a rational base an exponent in [0, 1), and the rest as a factor."""
        if not isinstance(self.base, Fraction) or not isinstance(exponent, Fraction):
            return exponent, ONE
        whole = floor(exponent)
        return (exponent, ONE) if abs(whole) > LARGEST_SHIFT else (exponent - whole, self.base**whole)

    def times(self, left: Sum[Number], right: Sum[Number]) -> Sum[Number]:
        """The product of two sums; Unavailable when it would be too long, and longer than they are."""
        if len(left) * len(right) > MOST_TERMS and len(left) > 1 and len(right) > 1:
            raise Unavailable
        found = product(self, left, right)
        return normal(self, found) if isinstance(self.base, Fraction) else found

    def is_zero(self, terms: Sum[Number]) -> bool:
        return not terms


class Quotient(Ratio[Number]):
    """A quotient of two sums of powers, or one sum over 1, that is known not to be algebraic."""

    ring: PowersOfBase

    def __eq__(self, other: object) -> bool:
        """Whether it is written with the same sums; the difference of two tells whether they are the same number."""
        if not isinstance(other, Quotient):
            return NotImplemented
        return self.ring is other.ring and self.under == other.under and self.over == other.over

    @property
    def is_sum(self) -> bool:
        """Whether nothing stands below."""
        return self.under == self.ring.unit

    @property
    def parts(self) -> Iterator[Number]:
        """All exponents and coefficients."""
        return (part for terms in (self.over, self.under) for term in terms.items() for part in term)

    @cached_property
    def is_symbolic(self) -> bool:
        """Whether a symbol stands anywhere in it."""
        return any(map(has_symbols, self.parts))

    def expression(self) -> sympy.Expr:
        """As a sympy expression."""
        from attnsolve.numbers import symbolic

        return symbolic.quotient(self, symbolic.to_expression(self.ring.base), symbolic.to_expression)


def tidy(number: Number) -> Number:
    """A number in the one form it has, which what sympy returns need not be."""
    if is_fraction_or_surd(number):
        return number
    from attnsolve.numbers import symbolic

    return symbolic.tidy(number)


def ratio(over: Number, under: Number) -> Number:
    """over / under."""
    if is_fraction_or_surd(over) and is_fraction_or_surd(under):
        return over * surds.inverse(under)
    from attnsolve.numbers import symbolic

    return symbolic.ratio(over, under)


def power(base: Base, exponent: Number | float) -> Quotient:
    """base^exponent as a sum; base^(−∞) is the empty one.

    >>> power(Fraction(4), Fraction(3, 2)).over
    {Fraction(0, 1): Fraction(8, 1)}
    """
    root, height = _primitive(base) if isinstance(base, Fraction) else (base, 1)
    ring = _powers(root)
    if isinstance(exponent, float):
        return Quotient(ring, {}, ring.unit)
    left, factor = ring.power(exponent if height == 1 else tidy(exponent * height))
    return Quotient(ring, {left: factor}, ring.unit)


_powers = lru_cache(maxsize=None)(PowersOfBase)


@lru_cache(maxsize=64)
def _primitive(base: Fraction) -> tuple[Fraction, int]:
    """Write a rational that isn't 1 as root^height with the greatest height: 4 is 2², 8/27 is (2/3)³."""
    for height in range(max(base.numerator, base.denominator).bit_length(), 1, -1):
        over, under = (int(fmpz(x).root(height)) for x in (base.numerator, base.denominator))
        if over**height == base.numerator and under**height == base.denominator:
            return Fraction(over, under), height
    return base, 1


def simplest(cell: Quotient) -> Cell:
    """The number r with over = r · under, if there is one; or else the quotient."""
    over, under = cell.over, cell.under
    if not over:
        return ZERO
    if over.keys() != under.keys():
        return cell
    first = next(iter(over))
    top, bottom = over[first], under[first]
    if any(tidy(c * bottom - under[e] * top) != 0 for e, c in over.items()):
        return cell
    return ratio(top, bottom)


def exponential(base: Base, exponent: Cell) -> Cell:
    """base^exponent as a number where it is one, or else as a sum of one power.

    >>> exponential(Fraction(4), Fraction(3, 2)), exponential(EULER, ZERO)
    (Fraction(8, 1), Fraction(1, 1))
    """
    if isinstance(exponent, Quotient):
        raise Unavailable
    return simplest(power(base, exponent))


def _over_one(cell: Cell, ring: PowersOfBase) -> Quotient:
    """A cell as a quotient of sums of a base; Unavailable if it is one of another base."""
    if not isinstance(cell, Quotient):
        return Quotient(ring, {ZERO: cell} if cell != 0 else {}, ring.unit)
    if cell.ring is not ring:
        raise Unavailable
    return cell


def add(cells: Iterable[Cell]) -> Cell:
    """Sum numbers and quotients; those over one denominator are put together first, and stay over it."""
    terms = list(cells)
    quotients = [cell for cell in terms if isinstance(cell, Quotient)]
    if quotients and all(cell.is_sum for cell in quotients):
        terms, quotients = [], [_over_one(cell, quotients[0].ring) for cell in terms]
    groups: list[tuple[Quotient, list[Sum[Number]]]] = []
    for cell in quotients:
        sums = next((sums for first, sums in groups if first.is_over_the_same(cell)), None)
        if sums is None:
            groups.append((cell, [cell.over]))
        else:
            sums.append(cell.over)
    totals = [simplest(Quotient(x.ring, total(x.ring, sums), x.under)) for x, sums in groups]
    return reduce(_plus, [*totals, add_numbers(cell for cell in terms if not isinstance(cell, Quotient))])


def add_numbers(numbers: Iterable[Number]) -> Number:
    """The sum of some numbers."""
    terms = list(numbers)
    if all(map(is_fraction_or_surd, terms)):
        return surds.total(terms)
    import sympy

    return tidy(sympy.Add(*terms))


def _plus(left: Cell, right: Cell) -> Cell:
    if isinstance(left, Quotient):
        return simplest(left + _over_one(right, left.ring)) if right != 0 else left
    return _plus(right, left) if isinstance(right, Quotient) else tidy(left + right)


def multiply(left: Cell, right: Cell) -> Cell:
    """Multiply numbers and quotients."""
    if isinstance(left, Quotient):
        if isinstance(right, Quotient):
            return simplest(left * _over_one(right, left.ring))
        over = {e: tidy(c * right) for e, c in left.over.items()}
        return Quotient(left.ring, over, left.under) if right != 0 else ZERO
    return multiply(right, left) if isinstance(right, Quotient) else tidy(left * right)


def divide(cell: Cell, divisor: Cell) -> Cell:
    """Divide by anything but 0."""
    if not isinstance(divisor, Quotient):
        return multiply(cell, ratio(ONE, divisor))
    over = _over_one(cell, divisor.ring)
    if over.is_over_the_same(divisor):
        return simplest(Quotient(over.ring, over.over, divisor.over))
    return simplest(over / divisor)


def exponent(power: Quotient) -> Number | None:
    """The x of e^x; None for anything that is no single power of e."""
    if power.ring.base is not EULER or not power.is_sum or len(power.over) != 1:
        return None
    ((found, coefficient),) = power.over.items()
    return found if coefficient == 1 else None


def tanh(number: Number) -> Cell:
    """(e^x − e^(−x))/(e^x + e^(−x)), which is a plain number only at 0."""
    rising, falling = exponential(EULER, number), exponential(EULER, tidy(-number))
    return divide(add((rising, multiply(falling, -ONE))), add((rising, falling)))


def is_unwieldy(cell: Cell) -> bool:
    """Whether sympy would write a power of it out in thousands of digits, as it does with every base but e: it takes
    2^(x − 10⁹) for 2^x / 2^(10⁹)."""
    return isinstance(cell, Quotient) and cell.ring.base is not EULER and _reach(cell) > LARGEST_SHIFT


def is_far(cell: Cell) -> bool:
    """Whether a power in it is so large or small that sympy, which sorts terms by size, would not soon be done."""
    return isinstance(cell, Quotient) and _reach(cell) > FARTHEST_SORTED


def _reach(cell: Quotient) -> Any:
    """The greatest rational part of an exponent."""
    exponents = [e for e in (*cell.over, *cell.under) if not isinstance(e, Surd)]
    return max((abs(e if isinstance(e, Fraction) else e.as_coeff_Add()[0]) for e in exponents), default=ZERO)


def letters(cell: Cell) -> set[sympy.Symbol]:
    """The symbols that stand in a cell."""
    parts = cell.parts if isinstance(cell, Quotient) else (cell,)
    return {symbol for part in parts for symbol in getattr(part, "free_symbols", ())}


def has_symbols(cell: Cell) -> bool:
    """Whether a cell has no value until a symbol gets one."""
    if isinstance(cell, Quotient):
        return cell.is_symbolic
    return not isinstance(cell, Fraction | Surd | float) and bool(cell.free_symbols)


def is_number(cell: Cell | None) -> TypeGuard[Number]:
    """Whether a cell is a finite number and no closed form."""
    return not (cell is None or isinstance(cell, Quotient | float))


def is_algebraic(number: Number) -> bool:
    """Whether no π stands in a number, nor anything else that a power of e may not be raised to."""
    return isinstance(number, FRACTION_OR_SURD) or bool(number.is_algebraic)


def equals(cell: Cell, value: int) -> bool:
    """Whether a cell is a certain whole number, however its closed form is written."""
    if is_fraction_or_surd(cell):
        return bool(cell == value)
    if is_unwieldy(cell):
        return False  # were it a number, `quotient` would have seen it
    from attnsolve.numbers import symbolic

    return symbolic.equals(expression(cell), value)


def is_negative(cell: Cell) -> bool:
    """Whether a cell can be told to lie below 0."""
    if isinstance(cell, FRACTION_OR_SURD):
        return surds.is_negative(cell)
    if is_unwieldy(cell):
        return False
    from attnsolve.numbers import symbolic

    return symbolic.is_negative(expression(cell))


def cell_of(number: Any) -> Cell:
    """A number of a problem (a Fraction, a sympy expression, −∞) in the one form it has."""
    if isinstance(number, Fraction | Surd | float):
        return number
    if isinstance(number, int):
        return Fraction(number)
    if isinstance(number, Quotient | Euler):
        return number
    from attnsolve.numbers import symbolic

    return symbolic.lowered(number)


def base_of(number: Any) -> Base:
    """The base of a softmax: e by its name, or a number."""
    return EULER if str(number) in ("e", "E") else cell_of(number)


def expression(cell: Cell) -> sympy.Expr:
    """A cell as one sympy expression; Unavailable where that would be written out in thousands of digits."""
    if is_unwieldy(cell):
        raise Unavailable
    if isinstance(cell, Quotient):
        return cell.expression()
    from attnsolve.numbers.symbolic import to_expression

    return to_expression(cell)
