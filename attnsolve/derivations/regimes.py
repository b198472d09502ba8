"""Where heads end up as their queries grow stronger: which keys win, and how likely that is when a key's length varies.

Key a is γ times its mean, γ normal with mean 1; every other key is its mean. With a query β Σ ξᵢ μᵢ, the score of key i
is β ξᵢ (of key a, β γ ξₐ), so for large β the weight goes to the keys whose multiple of β is the greatest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from attnsolve.numbers.balls import Ball, ball
from attnsolve.numbers.written import Real

Multiples = tuple[Fraction, ...]


@dataclass(frozen=True)
class Regime:
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
    bounds: list[Fraction] = []
    for head in heads:
        if head[a]:
            bound = max(rate for i, rate in enumerate(head) if i != a) / head[a]
            bounds += [bound] if bound not in bounds else []
    edges: list[Fraction | None] = [None, *sorted(bounds), None]
    found: list[Regime] = []
    for low, high in pairwise(edges):
        shares = shares_at(heads, a, _between(low, high))
        if found and found[-1].shares == shares:
            found[-1] = Regime(found[-1].low, high, shares)
        else:
            found.append(Regime(low, high, shares))
    return found


def holds_throughout(heads: Sequence[Multiples], a: int, regime: Regime) -> bool:
    """Whether the shares of a regime are those at every γ in it. The rates are linear in γ: what is ahead inside, and
    not behind at either end (or falls behind towards neither), is ahead everywhere between."""
    inside = _between(regime.low, regime.high)
    if shares_at(heads, a, inside) != regime.shares:
        return False
    for head in heads:
        at = winners([rate * inside if i == a else rate for i, rate in enumerate(head)])
        leader = next(i for i, share in enumerate(at) if share)
        for i, share in enumerate(at):
            slope = (head[a] if leader == a else 0) - (head[a] if i == a else 0)
            level = (0 if leader == a else head[leader]) - (0 if i == a else head[i])
            if not (slope == level == 0 if share else _stays_ahead(slope, level, regime)):
                return False
    return True


def _stays_ahead(slope: Fraction | int, level: Fraction | int, regime: Regime) -> bool:
    """Whether slope γ + level, positive somewhere inside, is negative at neither end."""
    low = -slope if regime.low is None else slope * regime.low + level
    high = slope if regime.high is None else slope * regime.high + level
    return low >= 0 and high >= 0


def _between(low: Fraction | None, high: Fraction | None) -> Fraction:
    if low is None:
        return Fraction(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2
