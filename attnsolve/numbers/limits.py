"""Limits of closed forms as a symbol grows: which exponential wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import sympy

from attnsolve.errors import UnsolvableError
from attnsolve.numbers.closed import Cell, expression

if TYPE_CHECKING:
    from attnsolve.spec.problem import Limit

LONGEST = 400
"""Nodes of an expression beyond which a limit is not attempted."""


def limit_of(cell: Cell, limits: Sequence[Limit]) -> sympy.Expr:
    """The limit of an exact cell, one symbol after another."""
    value = expression(cell)
    for limit in limits:
        if limit.symbol in value.free_symbols:
            if sum(1 for _ in sympy.preorder_traversal(value)) > LONGEST:
                raise UnsolvableError(f"the limit of an entry is too long to take: {limit.symbol} occurs too often")
            value = _one_limit(value, limit)
    if value.has(sympy.Limit, sympy.nan):
        raise UnsolvableError(f"the limit as {limits[0].symbol} tends to {limits[0].to} could not be found")
    return value


def _one_limit(value: sympy.Expr, limit: Limit) -> sympy.Expr:
    """The limit from every side that the symbol can come from; it must be the same from all of them."""
    target, symbol = limit.to, limit.symbol
    if target.is_infinite:
        return sympy.limit(value, symbol, target)
    sides = (
        ["+"] if target == 0 and symbol.is_nonnegative else ["-"] if target == 0 and symbol.is_negative else ["+", "-"]
    )
    found = {sympy.limit(value, symbol, target, side) for side in sides}
    if len(found) > 1:
        raise UnsolvableError(f"there is no limit as {symbol} tends to {target}: it differs from side to side")
    return found.pop()
