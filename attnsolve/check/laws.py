"""Laws that answers break whatever led to them: shares that do not sum to 1, or that lie outside 0 to 1. They need no
catalogue of mistakes, and are said first."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve.document import Inline
from attnsolve.errors import plain
from attnsolve.graph import Quantity
from attnsolve.numbers import Unavailable
from attnsolve.numbers.decimals import round_fraction
from attnsolve.numbers.written import write_decimal

if TYPE_CHECKING:
    from attnsolve.check.marking import MarkedCell, Marking

DIGITS = 6
NEAR = 1e-3


def broken_laws(marking: Marking) -> Iterator[Inline]:
    """A sentence for every quantity of shares that breaks a law, the first row or entry of it."""
    for quantity in marking.quantities:
        if quantity.formula.shares and (found := _broken(marking, quantity)):
            yield found


def _broken(marking: Marking, quantity: Quantity) -> Inline:
    marks = marking.of(quantity.key)
    try:
        true = marking.solution.floats(quantity.key)
    except Unavailable:
        return ()  # entries without decimals: whether they are shares of 1 can't be told
    for token in range(quantity.token_count):
        places = [(cell.row, cell.column) for cell in quantity.cells(token)]
        row = [marks[place] for place in places if place in marks]
        numbers = [x for mark in row if (x := _number(mark)) is not None]
        if abs(sum(true[i][j] for i, j in places) - 1) > NEAR or all(mark.credited for mark in row):
            continue
        if any(x < 0 or x > 1 for x in numbers):
            return ("A share in ", quantity.name.matrix, " lies between 0 and 1, and not all of yours do.")
        room = sum((_unit(mark) for mark in row), Fraction(0))
        whole = sum(numbers, Fraction(0))
        if len(numbers) == len(places) and abs(whole - 1) > room:
            total = write_decimal(round_fraction(whole, DIGITS))
            which = quantity.labels[token] if quantity.labels else f"{quantity.noun} {token + 1}"
            return (f"The weights of {plain(which)} in ", quantity.name.matrix, " sum to ", total, ", not to 1.")
    return ()


def _number(mark: MarkedCell) -> Fraction | None:
    written = mark.written
    return written.value if written is not None and isinstance(written.value, Fraction) else None


def _unit(mark: MarkedCell) -> Fraction:
    written = mark.written
    return Fraction(0) if written is None or written.places is None or written.whole else written.unit
