"""Closed forms of what comes after a softmax: quotients of sums of powers, (16e² − 8e⁸)/(e² + e⁸).

Both sums are kept in a normal form, exponent → coefficient, so that equality is decided and not guessed. For base e
and algebraic exponents that is the Lindemann–Weierstrass theorem: powers of e with distinct algebraic exponents are
linearly independent, so a quotient is algebraic only when numerator and denominator are proportional. For a rational
base that is no perfect power, x^m − b is irreducible, and exponents split into a whole part (which goes into the
coefficient) and a fraction in [0, 1). So uniform weights come out as exactly 1/n, and an exact zero as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from math import floor
from typing import TYPE_CHECKING, Any

from flint import fmpz

from attnsolve.numbers import Unavailable, light
from attnsolve.numbers.light import EULER, ONE, ZERO, Euler, Surd, is_light

if TYPE_CHECKING:
    import sympy

LARGEST_SHIFT = 2000
"""Beyond b^±2000 a power stays a power: as a fraction it would be too long to write."""
FARTHEST_SORTED = 10**6
"""Powers up to e^±1000000 are written in the order of their size."""
MOST_TERMS = 48
"""Longer sums are of no use to a reader."""

Number = Any
"""A Fraction, a Surd or a sympy expression, whichever is the simplest form of it."""
Base = Fraction | Euler | Any
Cell = Any
"""A Number, a PowerSum, a Quotient, or MINUS_INFINITY."""


@dataclass(frozen=True)
class PowerSum:
    """Σ coefficient · base^exponent, without zero coefficients."""

    base: Base
    terms: Mapping[Number, Number]

    @cached_property
    def is_symbolic(self) -> bool:
        """Whether a symbol stands anywhere in it."""
        return any(has_symbols(part) for term in self.terms.items() for part in term)

    def plus(self, *others: PowerSum) -> PowerSum:
        """The sum of several."""
        terms = dict(self.terms)
        for other in others:
            for exponent, coefficient in other.terms.items():
                terms[exponent] = tidy(terms[exponent] + coefficient) if exponent in terms else coefficient
        return PowerSum(self.base, {e: c for e, c in terms.items() if c != 0})

    def times(self, factor: Number) -> PowerSum:
        """Multiplied by a number."""
        return PowerSum(self.base, {e: tidy(c * factor) for e, c in self.terms.items()} if factor != 0 else {})

    def product(self, other: PowerSum) -> PowerSum:
        """Multiplied term by term; Unavailable when the result would be too long."""
        if len(self.terms) * len(other.terms) > MOST_TERMS:
            raise Unavailable
        terms: dict[Number, Number] = {}
        for e, c in self.terms.items():
            for f, d in other.terms.items():
                exponent, coefficient = tidy(e + f), tidy(c * d)
                if isinstance(self.base, Fraction):
                    ((exponent, shift),) = power(self.base, exponent).terms.items()
                    coefficient = tidy(coefficient * shift)
                terms[exponent] = tidy(terms[exponent] + coefficient) if exponent in terms else coefficient
        return PowerSum(self.base, {e: c for e, c in terms.items() if c != 0})

    def ratio(self, other: PowerSum) -> Number | None:
        """The r with self = r · other, or None."""
        if not self.terms:
            return ZERO
        if self.terms.keys() != other.terms.keys():
            return None
        first = next(iter(self.terms))
        top, bottom = self.terms[first], other.terms[first]
        if any(tidy(c * bottom - other.terms[e] * top) != 0 for e, c in self.terms.items()):
            return None
        return ratio(top, bottom)

    def expression(self) -> sympy.Expr:
        """As a sympy expression."""
        import sympy

        from attnsolve.numbers.symbolic import to_expression

        base = to_expression(self.base)
        return sympy.Add(*(to_expression(c) * sympy.Pow(base, to_expression(e)) for e, c in self.terms.items()))


@dataclass(frozen=True)
class Quotient:
    """A quotient of two power sums that is known not to be algebraic."""

    over: PowerSum
    under: PowerSum

    def expression(self) -> sympy.Expr:
        """As a sympy expression."""
        return self.over.expression() / self.under.expression()


def tidy(number: Number) -> Number:
    """A number in the one form it has, which what sympy returns need not be."""
    if is_light(number):
        return number
    from attnsolve.numbers import symbolic

    return symbolic.tidy(number)


def ratio(over: Number, under: Number) -> Number:
    """over / under."""
    if is_light(over) and is_light(under):
        return over * light.inverse(under)
    from attnsolve.numbers import symbolic

    return symbolic.ratio(over, under)


def inverse(number: Number) -> Number:
    """1 / number."""
    if is_light(number):
        return light.inverse(number)
    from attnsolve.numbers import symbolic

    return symbolic.inverse(number)


def power(base: Base, exponent: Number) -> PowerSum:
    """base^exponent; base^(−∞) is the empty sum.

    >>> power(Fraction(4), Fraction(3, 2)).terms
    {Fraction(0, 1): Fraction(8, 1)}
    """
    if not isinstance(base, Fraction):
        return PowerSum(base, {} if isinstance(exponent, float) else {exponent: ONE})
    root, height = _primitive(base)
    if isinstance(exponent, float):
        return PowerSum(root, {})
    exponent = tidy(exponent * height)
    whole = floor(exponent) if isinstance(exponent, Fraction) else LARGEST_SHIFT + 1
    if abs(whole) > LARGEST_SHIFT:
        return PowerSum(root, {exponent: ONE})
    return PowerSum(root, {exponent - whole: root**whole})


@lru_cache(maxsize=64)
def _primitive(base: Fraction) -> tuple[Fraction, int]:
    """Write a rational that isn't 1 as root^height with the greatest height: 4 is 2², 8/27 is (2/3)³."""
    for height in range(max(base.numerator, base.denominator).bit_length(), 1, -1):
        over, under = (int(fmpz(x).root(height)) for x in (base.numerator, base.denominator))
        if over**height == base.numerator and under**height == base.denominator:
            return Fraction(over, under), height
    return base, 1


def quotient(over: PowerSum, under: PowerSum) -> Cell:
    """A number where the quotient is one, a Quotient where it is not."""
    exact = over.ratio(under)
    return Quotient(over, under) if exact is None else exact


def exponential(base: Base, exponent: Cell) -> Cell:
    """base^exponent as a number where it is one, or else as a sum of one power.

    >>> exponential(Fraction(4), Fraction(3, 2)), exponential(EULER, ZERO)
    (Fraction(8, 1), Fraction(1, 1))
    """
    if isinstance(exponent, Quotient | PowerSum):
        raise Unavailable
    return _simplest(power(base, exponent))


def _simplest(powers: PowerSum) -> Cell:
    """A number, if a sum of powers is no more than that."""
    if not powers.terms:
        return ZERO
    return powers.terms[ZERO] if [*powers.terms] == [0] else powers


def _over_one(cell: Cell) -> Cell:
    """A sum of powers as a quotient; anything else as it is."""
    return Quotient(cell, PowerSum(cell.base, {ZERO: ONE})) if isinstance(cell, PowerSum) else cell


def _without_one(cell: Cell) -> Cell:
    """The same, undone."""
    if isinstance(cell, Quotient) and cell.under.terms == {ZERO: ONE}:
        return _simplest(cell.over)
    return cell


def add(cells: Iterable[Cell]) -> Cell:
    """Sum numbers, powers and quotients."""
    terms = list(cells)
    base = next((cell.base for cell in terms if isinstance(cell, PowerSum)), None)
    if base is None:
        return _add(terms)
    if any(isinstance(cell, Quotient) for cell in terms):
        return _without_one(_add(map(_over_one, terms)))
    if any(isinstance(cell, PowerSum) and cell.base != base for cell in terms):
        raise Unavailable
    powers = (cell if isinstance(cell, PowerSum) else PowerSum(base, {ZERO: cell}) for cell in terms)
    return _simplest(PowerSum(base, {}).plus(*powers))


def _add(cells: Iterable[Cell]) -> Cell:
    """Sum numbers and quotients; those over one denominator are put together first, and stay over it."""
    numbers: list[Number] = []
    groups: list[tuple[PowerSum, list[PowerSum]]] = []
    for cell in cells:
        if not isinstance(cell, Quotient):
            numbers.append(cell)
        elif (group := next((over for under, over in groups if _same(under, cell.under)), None)) is not None:
            group.append(cell.over)
        else:
            groups.append((cell.under, [cell.over]))
    totals = [quotient(first.plus(*rest), under) for under, (first, *rest) in groups]
    return reduce(_plus, [*totals, add_numbers(numbers)])


def _same(left: PowerSum, right: PowerSum) -> bool:
    return left is right or left == right


def add_numbers(numbers: Iterable[Number]) -> Number:
    """The sum of some numbers."""
    terms = list(numbers)
    if all(map(is_light, terms)):
        return light.total(terms)
    import sympy

    return tidy(sympy.Add(*terms))


def _plus(left: Cell, right: Cell) -> Cell:
    if not isinstance(left, Quotient):
        left, right = right, left
    if not isinstance(left, Quotient):
        return tidy(left + right)
    if not isinstance(right, Quotient):
        return quotient(left.over.plus(left.under.times(right)), left.under) if right != 0 else left
    if left.under.base != right.under.base:
        raise Unavailable
    over = left.over.product(right.under).plus(right.over.product(left.under))
    return quotient(over, left.under.product(right.under))


def multiply(left: Cell, right: Cell) -> Cell:
    """Multiply numbers, powers and quotients."""
    if isinstance(left, PowerSum) or isinstance(right, PowerSum):
        return _without_one(multiply(_over_one(left), _over_one(right)))
    if isinstance(left, Quotient) and isinstance(right, Quotient):
        if left.under.base != right.under.base:
            raise Unavailable
        return quotient(left.over.product(right.over), left.under.product(right.under))
    if isinstance(right, Quotient):
        left, right = right, left
    if isinstance(left, Quotient):
        return Quotient(left.over.times(right), left.under) if right != 0 else ZERO
    return tidy(left * right)


def divide(cell: Cell, divisor: Cell) -> Cell:
    """Divide by anything but 0."""
    if not isinstance(divisor, PowerSum | Quotient):
        return multiply(cell, inverse(divisor))
    under = _over_one(divisor)
    over = _over_one(cell)
    if not isinstance(over, Quotient):
        one = PowerSum(under.under.base, {ZERO: ONE})
        over = Quotient(one.times(over), one)
    if over.under == under.under:
        return quotient(over.over, under.over)
    return multiply(over, Quotient(under.under, under.over))


def tanh(number: Number) -> Cell:
    """(e^x − e^(−x))/(e^x + e^(−x)), which is a plain number only at 0."""
    rising, falling = power(EULER, number), power(EULER, tidy(-number))
    return quotient(rising.plus(falling.times(-ONE)), rising.plus(falling))


def is_unwieldy(cell: Cell) -> bool:
    """Whether sympy would write a power of it out in thousands of digits, as it does with every base but e: it takes
    2^(x − 10⁹) for 2^x / 2^(10⁹)."""
    return any(s.base is not EULER and _reach(s) > LARGEST_SHIFT for s in _sums(cell))


def is_far(cell: Cell) -> bool:
    """Whether a power in it is so large or small that sympy, which sorts terms by size, would not soon be done."""
    return any(_reach(s) > FARTHEST_SORTED for s in _sums(cell))


def _reach(total: PowerSum) -> Any:
    """The greatest rational part of an exponent."""
    return max((abs(_rational_part(e)) for e in total.terms), default=ZERO)


def _sums(cell: Cell) -> tuple[PowerSum, ...]:
    return (cell.over, cell.under) if isinstance(cell, Quotient) else (cell,) if isinstance(cell, PowerSum) else ()


def _rational_part(number: Number) -> Any:
    """What a number is without its roots and letters."""
    if is_light(number):
        return number if isinstance(number, Fraction) else ZERO
    return number.as_coeff_Add()[0]


def letters(cell: Cell) -> set[sympy.Symbol]:
    """The symbols that stand in a cell."""
    sums = _sums(cell)
    parts = [part for s in sums for term in s.terms.items() for part in term] if sums else [cell]
    return {symbol for part in parts for symbol in getattr(part, "free_symbols", ())}


def has_symbols(cell: Cell) -> bool:
    """Whether a cell has no value until a symbol gets one."""
    if isinstance(cell, Quotient):
        return cell.over.is_symbolic or cell.under.is_symbolic
    if isinstance(cell, PowerSum):
        return cell.is_symbolic
    return not isinstance(cell, Fraction | Surd | float) and bool(cell.free_symbols)


def is_number(cell: Cell | None) -> bool:
    """Whether a cell is a finite number and no closed form."""
    return not (cell is None or isinstance(cell, PowerSum | Quotient | float))


def equals(cell: Cell, value: int) -> bool:
    """Whether a cell is a certain whole number, however its closed form is written."""
    if is_light(cell):
        return bool(cell == value)
    if is_unwieldy(cell):
        return False  # were it a number, `quotient` would have seen it
    from attnsolve.numbers import symbolic

    return symbolic.equals(expression(cell), value)


def is_negative(cell: Cell) -> bool:
    """Whether a cell can be told to lie below 0."""
    if is_light(cell):
        return light.is_negative(cell)
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
    if isinstance(number, PowerSum | Quotient | Euler):
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
    if isinstance(cell, PowerSum | Quotient):
        return cell.expression()
    from attnsolve.numbers.symbolic import to_expression

    return to_expression(cell)
