"""Which of two exact numbers is larger: decided by their normal form where they are equal, and else by balls that grow
until they part. What neither decides is not guessed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cmp_to_key

from attnsolve.errors import UnsolvableError
from attnsolve.numbers import Unavailable, closed
from attnsolve.numbers.balls import at_precision, ball
from attnsolve.numbers.closed import Cell
from attnsolve.numbers.written import Real

MOST_BITS = 4096
"""Numbers that agree to so many bits, and are not seen to be equal, are left undecided."""


def is_greater(x: Cell, y: Cell) -> bool:
    """Whether x > y.

    >>> is_greater(Fraction(1, 3), Fraction(1, 4))
    True
    """
    if isinstance(x, Fraction | float) and isinstance(y, Fraction | float):
        return x > y
    if closed.has_symbols(x) or closed.has_symbols(y):
        raise UnsolvableError("numbers with symbols in them can't be compared: give the symbols values")
    return not are_equal(x, y) and _is_greater(x, y)


def are_equal(x: Cell, y: Cell) -> bool:
    """Whether two numbers have the same normal form, or a difference that is 0."""
    if isinstance(x, float) or isinstance(y, float):
        return x == y
    if x == y:
        return True
    try:
        return bool(closed.add((x, closed.multiply(y, Fraction(-1)))) == 0)
    except Unavailable:
        return False


def _is_greater(x: Cell, y: Cell) -> bool:
    bits = 64
    while bits <= MOST_BITS:
        with at_precision(bits):
            difference = ball(x) - ball(y)
            if difference > 0 or difference < 0:
                return bool(difference > 0)
        bits *= 2
    raise Unavailable


def grouped(reals: Sequence[Real]) -> list[list[int]]:
    """The places of some numbers from the largest down, equal ones together, in the order in which they stand.

    >>> grouped([Real.of(Fraction(x)) for x in (1, 3, 1)])
    [[1], [0, 2]]
    """

    def later(i: int, j: int) -> int:
        return _compared(reals[j], reals[i])

    groups: list[list[int]] = []
    for place in sorted(range(len(reals)), key=cmp_to_key(later)):
        if groups and _compared(reals[groups[-1][0]], reals[place]) == 0:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _compared(x: Real, y: Real) -> int:
    """1, 0 or −1, as x > y, x = y or x < y; what balls can't tell apart counts as equal."""
    if x.exact is not None and y.exact is not None:
        return int(is_greater(x.exact, y.exact)) - int(is_greater(y.exact, x.exact))
    return apart(x, y) or 0


def apart(x: Real, y: Real) -> int | None:
    """1 or −1, as x > y or x < y; None where balls don't tell them apart."""
    for bits in (128, 512, 2048):
        with at_precision(bits):
            difference = x.ball_at(bits) - y.ball_at(bits)
            if difference > 0 or difference < 0:
                return 1 if difference > 0 else -1
    return None
