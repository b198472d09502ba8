"""Where heads end up as their queries grow stronger: which keys win, and how likely that is when a key's length varies.

Key a is γ times its mean, γ normal with mean 1; every other key is its mean. With a query β Σ ξᵢ μᵢ, the score of key i
is β ξᵢ (of key a, β γ ξₐ), so for large β the weight goes to the keys whose multiple of β is the greatest.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from attnsolve.numbers.balls import Ball, ball
from attnsolve.numbers.written import Real
from attnsolve.record import Record, record

Multiples = tuple[Fraction, ...]


@record
class Regime(Record):
    """A range of γ (None: no bound) within which the output is the same, and the share of each value in it."""

    low: Fraction | None
    high: Fraction | None
    shares: tuple[Fraction, ...]

    def probability(self, stretch: Fraction) -> Real:
        """How likely γ is to fall within it, its variance being `stretch`; exactly ½ on either side of the mean."""
        if self.low is None and self.high is None:
            return Real.of(Fraction(1))
        if {self.low, self.high} == {None, Fraction(1)}:
            return Real.of(Fraction(1, 2))

        def ball_at(bits: int) -> Ball:
            high = 1 if self.high is None else _below(self.high, stretch)
            low = 0 if self.low is None else _below(self.low, stretch)
            return ball(Fraction(0)) + high - low

        return Real(None, ball_at)


def _below(bound: Fraction, stretch: Fraction) -> Ball:
    """P(γ < bound)."""
    return (1 + ((ball(bound) - 1) / ball(2 * stretch).sqrt()).erf()) / 2


def winners(rates: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Equal shares for the greatest rates, nothing for the others."""
    most = max(rates)
    count = sum(rate == most for rate in rates)
    return tuple(Fraction(int(rate == most), count) for rate in rates)


def shares_at(heads: Sequence[Multiples], a: int, gamma: Fraction | int) -> tuple[Fraction, ...]:
    """The share of each value in the averaged output, in the limit, at one γ."""
    each = [winners([rate * gamma if i == a else rate for i, rate in enumerate(head)]) for head in heads]
    return tuple(sum(column, Fraction(0)) / len(heads) for column in zip(*each, strict=True))


def regimes(heads: Sequence[Multiples], a: int) -> list[Regime]:
    """The ranges of γ, from the lowest to the highest, and what the output is in each."""
    found: list[Regime] = []
    for low, high in pairwise((None, *crossings(heads, a), None)):
        shares = shares_at(heads, a, _between(low, high))
        if found and found[-1].shares == shares:
            found[-1] = Regime(found[-1].low, high, shares)
        else:
            found.append(Regime(low, high, shares))
    return found


def crossings(heads: Sequence[Multiples], a: int) -> list[Fraction]:
    """Every γ at which key a draws level with the best of the others in some head: between two of these, nothing in the
    order of the leaders changes."""
    return sorted({max(rate for i, rate in enumerate(head) if i != a) / head[a] for head in heads if head[a]})


def holds_throughout(heads: Sequence[Multiples], a: int, regime: Regime) -> bool:
    """Whether the shares of a regime are those at every γ in it, but for those at which leaders are level."""
    low, high = regime.low, regime.high
    inside = [x for x in crossings(heads, a) if (low is None or low < x) and (high is None or x < high)]
    pieces = pairwise((low, *inside, high))
    return all(shares_at(heads, a, _between(*piece)) == regime.shares for piece in pieces)


def _between(low: Fraction | None, high: Fraction | None) -> Fraction:
    if low is None:
        return Fraction(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2
