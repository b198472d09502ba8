"""What only sympy can hold: sums of several roots, π, e, and letters. Loaded when such a number first turns up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Literal

import sympy
from flint import arb, fmpq

from attnsolve.errors import UnsolvableError
from attnsolve.numbers import Unavailable
from attnsolve.numbers.sums import Ratio, T
from attnsolve.numbers.surds import MINUS_INFINITY, Entry, Euler, Number, Surd, square_root
from attnsolve.numbers.untyped import Expression

if TYPE_CHECKING:
    from attnsolve.numbers.balls import Ball, Point


def tidy(expression: sympy.Expr) -> Number:
    """Expand: over the rationals, surds and symbols this is a normal form. Most expressions already are in it, and
    sympy is slow to notice."""
    if expression.is_Symbol:
        return expression
    terms = expression.args if expression.is_Add else (expression,)
    return lowered(expression if all(map(_is_tidy, terms)) else sympy.expand(expression))


def _is_tidy(term: sympy.Expr) -> bool:
    """Whether a term has no sum inside a product or power."""
    factors = term.args if term.is_Mul else (term,)
    return not any(factor.is_Add or (factor.is_Pow and factor.base.is_Add) for factor in factors)


def lowered(expression: sympy.Expr) -> Entry:
    """The same number in the one form it has: a Fraction or a Surd where it is one."""
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    if expression is sympy.S.NegativeInfinity:
        return MINUS_INFINITY
    if expression.is_Pow or expression.is_Mul:
        factor, rest = expression.as_coeff_Mul()
        if rest.is_Pow and rest.exp is sympy.S.Half and rest.base.is_Integer and rest.base > 0:
            return Fraction(int(factor.p), int(factor.q)) * square_root(int(rest.base))
    return expression


def to_expression(number: Entry | Euler) -> sympy.Expr:
    """Any number as a sympy expression."""
    if isinstance(number, float):
        return sympy.S.NegativeInfinity
    return sympy.Rational(number.numerator, number.denominator) if isinstance(number, Fraction) else _as_sympy(number)


def _as_sympy(number: Surd | Euler | Expression) -> sympy.Expr:
    return number if isinstance(number, sympy.Basic) else number._sympy_()


def ratio(over: Number, under: Number) -> Number:
    """over / under with no root below the stroke."""
    return tidy(sympy.radsimp(to_expression(over) / to_expression(under)))


def quotient(ratio: Ratio[T], base: sympy.Expr, write: Callable[[T], sympy.Expr]) -> sympy.Expr:
    """A quotient of sums of powers as an expression, from how its parts are written."""
    return ratio.valued(write, lambda e: sympy.Pow(base, write(e)), lambda terms: sympy.Add(*terms))


def size(number: sympy.Expr, most: int) -> int:
    """How many numbers, roots and signs a number is written with; no more than `most` + 1 are counted."""
    return sum(1 for _ in islice(sympy.preorder_traversal(number), most + 1))


def greatest(number: sympy.Expr) -> int:
    """The greatest whole number with which a number is written, above or below a stroke."""
    return max((max(abs(int(x.p)), int(x.q)) for x in number.atoms(sympy.Rational)), default=0)


def root(square: Number) -> Number:
    """√square, with the roots inside it taken apart where that can be done."""
    found = sympy.sqrtdenest(sympy.sqrt(sympy.expand(to_expression(square))))
    if found.has(sympy.Abs):
        raise UnsolvableError(f"a length depends on the sign of {found.free_symbols.pop()}: declare it positive")
    return lowered(found)


def of_angle(name: Literal["sin", "cos"], angle: Number) -> Number:
    """The sine or the cosine of a multiple of π/12, which has roots for a value."""
    twelfths = to_expression(angle) * 12 / sympy.pi
    if not twelfths.is_Integer:
        raise Unavailable
    found = getattr(sympy, name)(to_expression(angle))
    return tidy(sympy.expand(sympy.sqrtdenest(found)))


def ball(number: sympy.Expr, point: Point) -> Ball:
    """The ball of an expression at flint's current precision, with the values of a point for its letters."""
    if number.is_Rational:
        return arb(fmpq(int(number.p), int(number.q)))
    if number in point:
        return ball(point[number], {})
    if number is sympy.pi:
        return arb.pi()
    if number is sympy.E:
        return arb(1).exp()
    if number is sympy.S.NegativeInfinity:
        return arb("-inf")
    if number.is_Add:
        return sum((ball(term, point) for term in number.args), arb(0))
    if number.is_Mul:
        product = arb(1)
        for factor in number.args:
            product *= ball(factor, point)
        return product
    if isinstance(number, sympy.Pow | sympy.exp):
        base, exponent = number.as_base_exp()
        return _power(base, exponent, point)
    if isinstance(number, sympy.log):
        return ball(number.args[0], point).log()
    raise Unavailable


def _power(base: sympy.Expr, exponent: sympy.Expr, point: Point) -> Ball:
    if base is sympy.E:
        return ball(exponent, point).exp()
    if exponent is sympy.S.Half:
        return ball(base, point).sqrt()
    if exponent.is_Integer:
        return ball(base, point) ** int(exponent)
    return (ball(base, point).log() * ball(exponent, point)).exp()


def sample_point(symbols: Iterable[sympy.Symbol]) -> dict[sympy.Symbol, sympy.Rational]:
    """The values at which a symbolic result is tried out."""
    return {symbol: sample(symbol) for symbol in symbols}


def sample(symbol: sympy.Symbol) -> sympy.Rational:
    """The value at which a symbolic result is tried out: arbitrary, but always the same for a name."""
    value = sympy.Rational(17 + sum(map(ord, symbol.name)) % 31, 16)
    return -value if symbol.is_negative else value


def is_negative(cell: Number) -> bool:
    """Whether sympy can tell that a number lies below 0."""
    return bool(to_expression(cell).is_negative)


def equals(expression: sympy.Expr, value: int) -> bool:
    """Whether an expression with symbols comes to a number."""
    return bool(tidy(sympy.together(expression)) == value)
