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
from functools import cached_property, lru_cache, reduce
from math import gcd
from typing import Any

import sympy

from attnsolve.numbers import Unavailable

LARGEST_SHIFT = 2000
"""Beyond b^±2000 a power stays a power: as a fraction it would be too long to write."""
MOST_TERMS = 48
"""Longer sums are of no use to a reader."""

Cell = Any
"""A sympy expression, a PowerSum or a Quotient."""


@dataclass(frozen=True)
class PowerSum:
    """Σ coefficient · base^exponent, without zero coefficients."""

    base: sympy.Expr
    terms: Mapping[sympy.Expr, sympy.Expr]

    @cached_property
    def is_symbolic(self) -> bool:
        """Whether a symbol stands anywhere in it."""
        return any(has_symbols(part) for term in self.terms.items() for part in term)

    def plus(self, other: PowerSum) -> PowerSum:
        """The sum of two."""
        terms = dict(self.terms)
        for exponent, coefficient in other.terms.items():
            terms[exponent] = tidy(terms.get(exponent, sympy.S.Zero) + coefficient)
        return PowerSum(self.base, {e: c for e, c in terms.items() if c != 0})

    def times(self, factor: sympy.Expr) -> PowerSum:
        """Multiplied by a number."""
        return PowerSum(self.base, {e: tidy(c * factor) for e, c in self.terms.items()} if factor != 0 else {})

    def product(self, other: PowerSum) -> PowerSum:
        """Multiplied term by term; Unavailable when the result would be too long."""
        if len(self.terms) * len(other.terms) > MOST_TERMS:
            raise Unavailable
        total = PowerSum(self.base, {})
        for e, c in self.terms.items():
            for f, d in other.terms.items():
                total = total.plus(power(self.base, together(e, f)).times(tidy(c * d)))
        return total

    def ratio(self, other: PowerSum) -> sympy.Expr | None:
        """The r with self = r · other, or None."""
        if not self.terms:
            return sympy.S.Zero
        if self.terms.keys() != other.terms.keys():
            return None
        first = next(iter(self.terms))
        top, bottom = self.terms[first], other.terms[first]
        if any(tidy(c * bottom - other.terms[e] * top) != 0 for e, c in self.terms.items()):
            return None
        return tidy(sympy.radsimp(top / bottom))

    def expression(self) -> sympy.Expr:
        """As a sympy expression."""
        return sympy.Add(*(c * sympy.Pow(self.base, e) for e, c in self.terms.items()))


@dataclass(frozen=True)
class Quotient:
    """A quotient of two power sums that is known not to be algebraic."""

    over: PowerSum
    under: PowerSum

    def expression(self) -> sympy.Expr:
        """As a sympy expression."""
        return self.over.expression() / self.under.expression()


def together(left: sympy.Expr, right: sympy.Expr) -> sympy.Expr:
    """left + right. Multiples of one surd, the common case, don't need sympy's general sum, which is slow to load."""
    (c, x), (d, y) = left.as_coeff_Mul(), right.as_coeff_Mul()
    return (c + d) * x if x == y else tidy(left + right)


def tidy(expression: sympy.Expr) -> sympy.Expr:
    """Expand: over the rationals, surds and symbols this is a normal form. Most expressions already are in it, and
    sympy is slow to notice."""
    if expression.is_Rational or expression.is_Symbol:
        return expression
    terms = expression.args if expression.is_Add else (expression,)
    return expression if all(map(_is_tidy, terms)) else sympy.expand(expression)


def _is_tidy(term: sympy.Expr) -> bool:
    """Whether a term has no sum inside a product or power."""
    factors = term.args if term.is_Mul else (term,)
    return not any(factor.is_Add or (factor.is_Pow and factor.base.is_Add) for factor in factors)


def power(base: sympy.Expr, exponent: sympy.Expr) -> PowerSum:
    """base^exponent; base^(−∞) is the empty sum.

    >>> power(sympy.Integer(4), sympy.Rational(3, 2)).terms
    {0: 8}
    """
    if exponent is sympy.S.NegativeInfinity:
        return PowerSum(base, {})
    root, height = _primitive(base)
    exponent = tidy(exponent * height)
    if not root.is_Rational or not exponent.is_Rational:
        return PowerSum(root, {exponent: sympy.S.One})
    whole = sympy.floor(exponent)
    if abs(whole) > LARGEST_SHIFT:
        return PowerSum(root, {exponent: sympy.S.One})
    return PowerSum(root, {exponent - whole: root**whole})


@lru_cache(maxsize=64)
def _primitive(base: sympy.Expr) -> tuple[sympy.Expr, int]:
    """Write a rational as root^height with the greatest height: 4 is 2², 8/27 is (2/3)³."""
    if not base.is_Rational:
        return base, 1
    height = reduce(gcd, (int(e) for e in sympy.factorrat(base).values()))
    return sympy.root(base, height), height


def quotient(over: PowerSum, under: PowerSum) -> Cell:
    """A number where the quotient is one, a Quotient where it is not."""
    exact = over.ratio(under)
    return Quotient(over, under) if exact is None else exact


def add(cells: Iterable[Cell]) -> Cell:
    """Sum numbers and quotients; those over one denominator stay over it."""
    numbers: list[sympy.Expr] = []
    quotients: list[Quotient] = []
    for cell in cells:
        if isinstance(cell, Quotient):
            quotients.append(cell)
        else:
            numbers.append(cell)
    number = tidy(sympy.Add(*numbers))
    if not quotients:
        return number
    total: Cell = quotients[0]
    for other in quotients[1:]:
        total = _add_quotients(total, other)
    if number == 0 or not isinstance(total, Quotient):
        return total if number == 0 else tidy(total + number)
    return quotient(total.over.plus(total.under.times(number)), total.under)


def _add_quotients(left: Cell, right: Quotient) -> Cell:
    if not isinstance(left, Quotient):
        return quotient(right.over.plus(right.under.times(left)), right.under)
    if left.under == right.under:
        return quotient(left.over.plus(right.over), left.under)
    if left.under.base != right.under.base:
        raise Unavailable
    over = left.over.product(right.under).plus(right.over.product(left.under))
    return quotient(over, left.under.product(right.under))


def multiply(left: Cell, right: Cell) -> Cell:
    """Multiply numbers and quotients."""
    if isinstance(left, Quotient) and isinstance(right, Quotient):
        if left.under.base != right.under.base:
            raise Unavailable
        return quotient(left.over.product(right.over), left.under.product(right.under))
    if isinstance(right, Quotient):
        left, right = right, left
    if isinstance(left, Quotient):
        return Quotient(left.over.times(right), left.under) if right != 0 else sympy.S.Zero
    return tidy(left * right)


def divide(cell: Cell, divisor: sympy.Expr) -> Cell:
    """Divide by a non-zero number."""
    inverse = 1 / divisor if divisor.is_Rational else tidy(sympy.radsimp(1 / divisor))
    return multiply(cell, inverse)


def tanh(number: sympy.Expr) -> Cell:
    """(e^x − e^(−x))/(e^x + e^(−x)), which is a plain number only at 0."""
    rising, falling = power(sympy.E, number), power(sympy.E, tidy(-number))
    return quotient(rising.plus(falling.times(sympy.S.NegativeOne)), rising.plus(falling))


def is_unwieldy(cell: Cell) -> bool:
    """Whether sympy would write a power of it out in thousands of digits."""
    sums = (cell.over, cell.under) if isinstance(cell, Quotient) else (cell,) if isinstance(cell, PowerSum) else ()
    return any(s.base.is_Rational and e.is_Rational and abs(e) > LARGEST_SHIFT for s in sums for e in s.terms)


def has_symbols(cell: Cell) -> bool:
    """Whether a cell has no value until a symbol gets one."""
    if isinstance(cell, Quotient):
        return cell.over.is_symbolic or cell.under.is_symbolic
    if isinstance(cell, PowerSum):
        return cell.is_symbolic
    return not cell.is_Rational and bool(cell.free_symbols)
