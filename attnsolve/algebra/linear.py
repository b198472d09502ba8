"""Linear inequalities over the rationals: whether some exclude each other, by Fourier and Motzkin's elimination.

Products of letters count as unknowns of their own, so that what is found impossible is so for polynomials too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from attnsolve.algebra.rational import Monomial
from attnsolve.record import Record, record

MOST_ROWS = 300
"""Inequalities at one time; where elimination makes more, nothing is claimed."""


@record
class Inequality(Record):
    """Σ coefficient · unknown > 0, or ≥ 0 where it is not strict. The constant is the product of no letters."""

    terms: Mapping[Monomial, Fraction]
    strict: bool

    @property
    def unknowns(self) -> list[Monomial]:
        """What stands in it beside the constant."""
        return [monomial for monomial in self.terms if any(monomial)]

    @property
    def is_false(self) -> bool:
        """Whether it has no unknowns and does not hold."""
        value = sum(self.terms.values(), Fraction(0))
        return not self.unknowns and (value < 0 or (self.strict and value == 0))


def impossible(rows: Iterable[Inequality]) -> bool:
    """Whether no values of the unknowns satisfy all the inequalities; if in doubt, no."""
    left = list(rows)
    while not any(row.is_false for row in left):
        unknowns = dict.fromkeys(unknown for row in left for unknown in row.unknowns)
        if not unknowns:
            return False
        chosen = min(unknowns, key=lambda unknown: _made(left, unknown))
        if len(left) + _made(left, chosen) > MOST_ROWS:
            return False
        left = _without(left, chosen)
    return True


def _made(rows: list[Inequality], unknown: Monomial) -> int:
    """How many inequalities eliminating an unknown makes."""
    signs = [row.terms.get(unknown, 0) for row in rows]
    return sum(sign > 0 for sign in signs) * sum(sign < 0 for sign in signs)


def _without(rows: list[Inequality], unknown: Monomial) -> list[Inequality]:
    kept = [row for row in rows if unknown not in row.terms]
    below = [row for row in rows if row.terms.get(unknown, 0) > 0]
    above = [row for row in rows if row.terms.get(unknown, 0) < 0]
    return kept + [_combined(low, high, unknown) for low in below for high in above]


def _combined(low: Inequality, high: Inequality, unknown: Monomial) -> Inequality:
    """The sum of two inequalities, each times a positive number, in which an unknown cancels."""
    times = low.terms[unknown], -high.terms[unknown]
    total: dict[Monomial, Fraction] = {}
    for row, factor in ((low, times[1]), (high, times[0])):
        for monomial, coefficient in row.terms.items():
            total[monomial] = total.get(monomial, Fraction(0)) + factor * coefficient
    return Inequality({monomial: c for monomial, c in total.items() if c}, low.strict or high.strict)
