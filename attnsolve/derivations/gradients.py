"""What the arguments on gradients share: derivatives at given numbers, found by another way than those on the page."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attnsolve.algebra.declared import Setting
from attnsolve.algebra.grammar import parse_term
from attnsolve.algebra.table import ElementMatrix
from attnsolve.derivations.names import Names
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, at_precision, ball
from attnsolve.solution.exact import Solution
from attnsolve.spec.readings import Rows

BITS = 1024
"""Enough for thirty digits of what is left where nearly everything cancels."""
THIRTY_DIGITS = Fraction(1, 10**30)


def upright(rows: Rows) -> Rows:
    """A list as a column."""
    return tuple(zip(*rows, strict=True))


def derivatives_agree(
    names: Names, sizes: Mapping[str, int], numbers: Mapping[str, Rows], term: str, solution: Solution, id: str
) -> bool:
    """Whether a quantity is what a term with derivatives comes to where its names have sizes and numbers: to 30 digits.

    The derivatives are taken at these very numbers, by carrying along how every result changes with one of them.
    """
    setting = Setting(sizes)
    letters = names.symbols(setting)
    point = {
        letter: value
        for name, rows in numbers.items()
        for line, values in zip(letters[name], rows, strict=True)
        for letter, value in zip(line, values, strict=True)
    }
    key = Key(id)
    with at_precision(BITS):
        found: ElementMatrix = names.at_point(setting, point).evaluate(parse_term(term))
        rows, columns = solution.graph[key].shape
        shown = [solution.real(key, i, j).ball_at(BITS) for i in range(rows) for j in range(columns)]
        return all(_are_close(x, y) for x, y in zip(found.entries, shown, strict=True))


def _are_close(left: Ball, right: Ball) -> bool:
    """Whether two numbers differ by less than the thirtieth digit of either; what may be 0 must be no larger."""
    bound = ball(THIRTY_DIGITS)
    return bool(abs(left - right) < abs(left) * bound or (abs(left) < bound * bound and abs(right) < bound * bound))
