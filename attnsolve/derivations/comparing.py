"""Comparing the numbers that an argument works out."""

from __future__ import annotations

from attnsolve.algebra.scopes import PointScope
from attnsolve.algebra.terms import Term
from attnsolve.numbers.balls import at_precision
from attnsolve.numbers.written import Real

DECIDED = 256
"""Bits at which two numbers that differ are told apart."""


def real_of(term: Term) -> Real:
    """The number that a term without names is."""
    return Real(None, lambda bits: term.evaluate(PointScope({}, {})).number)


def stays_below(small: Real, large: Real) -> bool:
    """Whether a number is at most another, as far as its balls can tell: two that are equal never part."""
    with at_precision(DECIDED):
        return not bool(small.ball_at(DECIDED) > large.ball_at(DECIDED))


def are_one(left: Real, right: Real) -> bool:
    """Whether two numbers are the same, as far as their balls can tell."""
    return left is right or (stays_below(left, right) and stays_below(right, left))
