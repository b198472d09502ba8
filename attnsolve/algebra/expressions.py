"""Scalars as sympy's expressions, and sympy's expressions as scalars."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

import sympy

from attnsolve.algebra.rational import RationalFunction, terms_of
from attnsolve.numbers import Unavailable
from attnsolve.numbers.symbolic import quotient, to_expression

if TYPE_CHECKING:
    from attnsolve.algebra.scalars import Field, FieldElement


def scalar_of(ring: Field, expression: sympy.Expr) -> FieldElement:
    """A sympy expression of numbers, symbols, sums, products, whole powers, roots and exponentials."""
    if expression.is_Rational:
        return ring.number(Fraction(int(expression.p), int(expression.q)))
    if expression in ring.known:
        return ring.plain(ring.known[expression])
    if expression is sympy.E:
        return ring.one.exp()
    if expression.is_Add:
        return ring.total(scalar_of(ring, term) for term in expression.args)
    if expression.is_Mul:
        return prod((scalar_of(ring, factor) for factor in expression.args), start=ring.one)
    base, exponent = expression.as_base_exp()
    if base is sympy.E and base in ring.known and exponent.is_Integer:
        return ring.plain(ring.known[base]) ** int(exponent)
    if isinstance(expression, sympy.exp) or base is sympy.E:
        return scalar_of(ring, exponent).exp()
    if expression.is_Pow and exponent.is_Integer:
        return scalar_of(ring, base) ** int(exponent)
    if expression.is_Pow and (2 * exponent).is_Integer:
        return scalar_of(ring, base).sqrt() ** int(2 * exponent)
    raise Unavailable


def expression_of(scalar: FieldElement) -> sympy.Expr:
    """A scalar as a sympy expression."""
    written = quotient(scalar, sympy.E, lambda function: _written(scalar.ring, function))
    for letter, inside in reversed(scalar.ring.sums):
        written = written.subs(_written(scalar.ring, letter), sympy.log(expression_of(inside)))
    for letter, inner, function in reversed(scalar.ring.letters):
        meant = getattr(sympy, function)(_written(scalar.ring, inner))
        written = written.subs(_written(scalar.ring, letter), meant)
    return written.replace(sympy.exp, _power) if scalar.ring.logs else written


def _power(exponent: sympy.Expr) -> sympy.Expr:
    """e^exponent, with e^(x ln 2) as 2^x."""
    rest, factors = sympy.S.Zero, []
    for term in sympy.Add.make_args(sympy.expand(exponent)):
        logs = [factor for factor in sympy.Mul.make_args(term) if isinstance(factor, sympy.log)]
        if len(logs) == 1 and not (term / logs[0]).has(sympy.log):
            factors.append(logs[0].args[0] ** (term / logs[0]))
        else:
            rest += term
    return sympy.Mul(sympy.exp(rest), *factors)


def _written(ring: Field, function: RationalFunction) -> sympy.Expr:
    over, under = (
        sympy.Add(
            *(to_expression(c) * prod(s**e for s, e in zip(ring.known, m, strict=True)) for m, c in terms_of(part))
        )
        for part in (function.over, function.under)
    )
    return over / under
