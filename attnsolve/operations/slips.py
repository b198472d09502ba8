"""Slips of the pen that an entry invites. Each operation knows those of its own; here is what they are made of."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from attnsolve.numbers.balls import Ball, ball, whole

MOST_PLACES = 6
"""A number with no more decimals than this is said with all of them."""


class PossibleSlip(NamedTuple):
    """A slip: its public id, how far-fetched it is, what it leads to, and what is said of it if it is the one."""

    id: str
    rank: int
    value: Ball
    describe: Callable[[], str]


def number_text(value: Ball) -> str:
    """A number in a sentence: all its decimals if they are few, else four digits.

    >>> number_text(ball(Fraction(-3, 10))), number_text(ball(Fraction(1, 3)))
    ('−0.3', '0.3333')
    """
    for places in range(MOST_PLACES + 1):
        scaled = value * 10**places
        nearest = whole(scaled) if whole(scaled) is not None else whole((scaled + ball(Fraction(1, 2))).floor())
        if nearest is not None and value.contains(ball(Fraction(nearest, 10**places))):
            return f"{Decimal(nearest).scaleb(-places):f}".replace("-", "−")
    return f"{float(value.mid()):.4g}".replace("-", "−")


def as_factor(value: Ball) -> str:
    """A number among factors: in brackets where it is negative."""
    return f"({number_text(value)})" if value < 0 else number_text(value)
