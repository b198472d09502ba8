"""Limits of scalars: which exponential wins, as sympy's Gruntz algorithm decides."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.function import PoleError

from attnsolve.algebra.letters import symbol_of
from attnsolve.algebra.table import TermError
from attnsolve.algebra.terms import Infinity, Term, said, shape_said
from attnsolve.numbers import Unavailable

if TYPE_CHECKING:
    from attnsolve.algebra.scalars import Scalar
    from attnsolve.algebra.scopes import ExactScope

LONGEST = 300
"""Nodes of an expression beyond which a limit is not attempted."""
MOST_CORNERS = 6
"""Values of the other symbols at which a limit is looked at again."""
NEAR = 1e-9


def limit(scope: ExactScope, symbol: str, to: Term, value: Scalar) -> Scalar:
    """The limit of a scalar; it must be the same from every side and finite."""
    letters = [s for s in scope.home.symbols if s.name == symbol]
    if not letters or symbol in scope.places:
        raise TermError(f"the limit is taken in {symbol!r}, which is not a declared number")
    letter, expression = symbol_of(letters[0]), value.expression()
    if sum(1 for _ in sympy.preorder_traversal(expression)) > LONGEST:
        raise Unavailable
    target, sides = _target(scope, letter, to)
    found, *others = {_limit(expression, letter, target, side) for side in sides}
    if others:
        raise TermError(f"there is no limit as {symbol} tends to {said(to)}: it differs from side to side")
    result = _finite(scope, found, symbol)
    for corner in _corners((letters_of(expression) | letters_of(target)) - {letter}):
        there, wanted, goal = (x.subs(corner) for x in (expression, found, target))
        if any(x.has(sympy.nan, sympy.zoo) for x in (there, wanted, goal)):
            continue
        if any(abs(complex(_limit(there, letter, goal, side) - wanted)) > NEAR for side in sides):
            raise Unavailable
    return result


def _target(scope: ExactScope, letter: sympy.Symbol, to: Term) -> tuple[sympy.Expr, str]:
    """Where a symbol goes, and from which sides it may come."""
    beyond = TermError(f"{letter} is not negative: it can't tend to {said(to)}")
    if isinstance(to, Infinity):
        if to.negative and letter.is_nonnegative:
            raise beyond
        return (-sympy.oo if to.negative else sympy.oo), "+"
    table = to.evaluate(scope)
    if not table.is_number:
        raise TermError(f"{said(to)} is {shape_said(table)}: a limit can't go there")
    target = table.number.expression()
    if target.has(letter):
        raise TermError(f"{letter} can't tend to {said(to)}, in which it stands itself")
    if not letter.is_nonnegative or target.is_positive:
        return target, "+-"
    if target.is_negative:
        raise beyond
    if not target.is_zero:
        raise Unavailable
    return target, "+"


def _corners(letters: set[sympy.Symbol]) -> list[dict[sympy.Symbol, int]]:
    """Values for the other symbols at which a limit that holds in general may fail: zeros, and equal ones."""
    ordered = sorted(letters, key=str)
    corners = [dict.fromkeys(ordered, 0), dict.fromkeys(ordered, 1), dict.fromkeys(ordered, -1)]
    corners += [{s: int(s is not zero) * (i + 1) for i, s in enumerate(ordered)} for zero in ordered]
    fitting = [{s: abs(x) or 1 if s.is_positive else x for s, x in corner.items()} for corner in corners]
    return fitting[:MOST_CORNERS] if ordered else []


@lru_cache(maxsize=256)
def _limit(expression: sympy.Expr, symbol: sympy.Symbol, target: sympy.Expr, side: str = "+") -> sympy.Expr:
    try:
        return sympy.limit(expression, symbol, target, side)
    except (NotImplementedError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError, PoleError):
        raise Unavailable from None


def _finite(scope: ExactScope, found: Any, symbol: str) -> Scalar:
    if found.has(sympy.Limit, sympy.nan, sympy.AccumBounds) or letters_of(found) - {*scope.home.known}:
        raise Unavailable
    if found.is_infinite or found.has(sympy.oo, sympy.zoo):
        raise TermError(f"the term grows beyond all bounds in the limit of {symbol}")
    return scope.home.of(found)


def letters_of(expression: Any) -> set[sympy.Symbol]:
    """The symbols of an expression."""
    return set(expression.free_symbols)
