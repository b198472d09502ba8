"""Slips of the pen in one cell: a sign, a product left out, an entry misread, a digit. Each is tried, not guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from attnsolve.check.arithmetic import reproduces
from attnsolve.check.written import Written
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, Balls, ball, whole
from attnsolve.operations.formula import Formula
from attnsolve.operations.slips import PossibleSlip
from attnsolve.record import Record, record

FAR = 3
"""A slip so much less plausible than another that explains the same cell isn't offered beside it."""

Place = tuple[int, int]
Values = Mapping[Key, Any]


@record
class CellSlip(Record):
    """A slip that leads to exactly what was written; `simple` ones come first."""

    id: str
    description: str
    simple: int = 0


def cell_slips(
    formula: Formula, values: Values, place: Place, written: Mapping[Place, Written], grid: Balls
) -> list[CellSlip]:
    """The slips that reproduce what was written in one cell, simplest first; `grid` is the right matrix around it."""
    own = written[place]
    coarse = _is_coarse(own)
    found = [
        CellSlip(id, describe(), rank)
        for id, rank, value, describe in _tried(formula, values, place, written, grid)
        if reproduces(own, value) and (not coarse or id == "sign-slip" or value.contains(ball(own.value)))
    ]
    found += [] if coarse else _digit_slips(own, grid.table[place])
    ids: dict[str, CellSlip] = {}
    for slip in sorted(found, key=lambda s: s.simple):
        ids.setdefault(slip.id, slip)
    best = min((slip.simple for slip in ids.values()), default=0)
    return [slip for slip in ids.values() if slip.simple < best + FAR]


def _is_coarse(written: Written) -> bool:
    """Whether a decimal has so few digits that chance explains it; then only what leads to that very number does."""
    return written.places is not None and not written.whole and 10 * written.unit > abs(written.value)


def _tried(
    formula: Formula, values: Values, place: Place, written: Mapping[Place, Written], grid: Balls
) -> Iterator[PossibleSlip]:
    right = grid.table[place]
    if not right.contains(0):
        yield PossibleSlip("sign-slip", 1, -right, lambda: "a sign error: the number is right except for its sign")
    yield from formula.possible_slips(values, place, right)
    yield from _neighbours(grid, place, written)


def _neighbours(grid: Balls, place: Place, written: Mapping[Place, Written]) -> Iterator[PossibleSlip]:
    """The number that belongs next to it; both, if they were exchanged."""
    row, column = place
    rows, columns = grid.shape
    for i in range(rows):
        for j in range(columns):
            near = abs(i - row) + abs(j - column)
            if not near or not (i == row or j == column or (i, j) == (column, row)):
                continue
            there = written.get((i, j))
            back = there is not None and reproduces(there, grid.table[place])
            if back and not grid.table[place].overlaps(grid.table[i, j]):
                template = "this entry and the one in row {}, column {} were swapped"
                yield PossibleSlip("neighbours-swapped", 0, grid.table[i, j], partial(template.format, i + 1, j + 1))
            else:
                template = "this is the number that belongs in row {}, column {}"
                yield PossibleSlip("neighbour", 2 + near, grid.table[i, j], partial(template.format, i + 1, j + 1))


# ── in the number itself ──────────────────────────────────────────────────────────────────────────


def _digit_slips(written: Written, right: Ball) -> list[CellSlip]:
    """One digit wrong, two digits exchanged, or the point in another place."""
    if written.places is None or not isinstance(written.value, Fraction) or not right.is_finite():
        return []
    slips = []
    for shift in (1, 2, 3, -1, -2, -3):
        if written.value and not right.contains(0) and reproduces(written, right * ball(Fraction(10) ** shift)):
            slips.append(CellSlip("point-slip", f"the decimal point is {_places(abs(shift))} off", 2))
    places = 0 if written.whole and whole(right) is not None else max(written.places, 0)
    nearest = whole((abs(right) * 10**places + ball(Fraction(1, 2))).floor())
    if nearest is None or (right < 0) != (written.value < 0):
        return slips
    ours, student = str(nearest), str(int(abs(written.value) * 10**places))
    width = max(len(ours), len(student), places + 1)
    a, b = ours.zfill(width), student.zfill(width)
    different = [i for i in range(width) if a[i] != b[i]]
    if len(different) == 1 and len(ours) > 1:
        (i,) = different
        slips.append(CellSlip("digit-slip", f"you wrote the digit {b[i]} instead of {a[i]}", 5))
    if any(different == [i, j] and (a[i], a[j]) == (b[j], b[i]) for i, j in pairwise(range(width))):
        slips.append(CellSlip("digits-exchanged", "two digits were swapped", 2))
    return slips


def _places(number: int) -> str:
    return "one place" if number == 1 else f"{number} places"
