"""Comparing the numbers that an argument works out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from attnsolve.algebra.scopes import PointScope
from attnsolve.numbers.balls import at_precision, ball
from attnsolve.numbers.written import Real
from attnsolve.operations.formula import Formula

DECIDED = 256
"""Bits at which two numbers that differ are told apart."""


def real_of(term: Formula) -> Real:
    """The number that a term without names is."""
    return Real(None, lambda bits: PointScope({}, {}, 1, {}).evaluate(term).number)


def stays_below(small: Real, large: Real) -> bool:
    """Whether a number is at most another, as far as its balls can tell: two that are equal never part."""
    with at_precision(DECIDED):
        return not bool(small.ball_at(DECIDED) > large.ball_at(DECIDED))


def are_one(left: Real, right: Real) -> bool:
    """Whether two numbers are the same, as far as their balls can tell."""
    return left is right or (stays_below(left, right) and stays_below(right, left))


def total(terms: Sequence[tuple[Fraction, Real]]) -> Real:
    """A sum of multiples of numbers; exactly where all of those that count are rational."""
    counting = [(factor, real) for factor, real in terms if factor]
    if all(real.rational is not None for _, real in counting):
        return Real.of(sum((factor * (real.rational or 0) for factor, real in counting), Fraction(0)))
    return Real(None, lambda bits: sum((ball(f) * real.ball_at(bits) for f, real in counting), ball(Fraction(0))))
