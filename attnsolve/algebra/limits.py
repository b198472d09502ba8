"""Limits of scalars: which exponential wins, as sympy's Gruntz algorithm decides."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sympy

from attnsolve.algebra.table import TermError
from attnsolve.algebra.terms import Infinity, Term, said
from attnsolve.numbers import Unavailable

if TYPE_CHECKING:
    from attnsolve.algebra.declared import ExactScope
    from attnsolve.algebra.scalars import Scalar

LONGEST = 300
"""Nodes of an expression beyond which a limit is not attempted."""


def limit(scope: ExactScope, symbol: str, to: Term, value: Scalar) -> Scalar:
    """The limit of a scalar; it must be the same from both sides and finite."""
    letters = [s for s in scope.home.symbols if s.name == symbol]
    if not letters:
        raise TermError(f"the limit is taken in {symbol!r}, which is not a declared number")
    expression = value.expression()
    if sum(1 for _ in sympy.preorder_traversal(expression)) > LONGEST:
        raise Unavailable
    if isinstance(to, Infinity):
        found = _limit(expression, letters[0], -sympy.oo if to.negative else sympy.oo)
    else:
        target = to.evaluate(scope).number.expression()
        sides = {_limit(expression, letters[0], target, side) for side in "+-"}
        if len(sides) > 1:
            raise TermError(f"there is no limit as {symbol} tends to {said(to)}: it differs from side to side")
        found = sides.pop()
    return _finite(scope, found, symbol)


@lru_cache(maxsize=256)
def _limit(expression: sympy.Expr, symbol: sympy.Symbol, target: sympy.Expr, side: str = "+") -> sympy.Expr:
    return sympy.limit(expression, symbol, target, side)


def _finite(scope: ExactScope, found: Any, symbol: str) -> Scalar:
    if found.has(sympy.Limit, sympy.nan, sympy.AccumBounds) or letters_of(found) - {*scope.home.symbols}:
        raise Unavailable
    if found.is_infinite or found.has(sympy.oo, sympy.zoo):
        raise TermError(f"the term grows beyond all bounds in the limit of {symbol}")
    return scope.home.of(found)


def letters_of(expression: Any) -> set[sympy.Symbol]:
    """The symbols of an expression."""
    return set(expression.free_symbols)
