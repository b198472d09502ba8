"""Slips of the pen in one cell: a sign, a product left out, an entry misread, a digit. Each is tried, not guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from attnsolve.check.judge import judge
from attnsolve.check.written import Written
from attnsolve.numbers.balls import Ball, Balls, ball
from attnsolve.operations.add import Add
from attnsolve.operations.formula import Formula, Key
from attnsolve.operations.product import Product


@dataclass(frozen=True)
class CellSlip:
    """A slip that leads to exactly what was written; `simple` ones come first."""

    id: str
    says: str
    simple: int = 0


def cell_slips(
    formula: Formula, values: Mapping[Key, Balls], place: tuple[int, int], written: Written, right: Ball, grid: Balls
) -> list[CellSlip]:
    """The slips that reproduce what was written in one cell, simplest first; `grid` is the right matrix around it."""
    found = [slip for slip, value in _candidates(formula, values, place, right, grid) if _reproduces(written, value)]
    found += _digit_slips(written, right)
    ids: dict[str, CellSlip] = {}
    for slip in sorted(found, key=lambda s: s.simple):
        ids.setdefault(slip.id, slip)
    return list(ids.values())


def _reproduces(written: Written, value: Ball) -> bool:
    return judge(written, value).verdict in ("exact", "right")


def _candidates(
    formula: Formula, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball, grid: Balls
) -> Iterator[tuple[CellSlip, Ball]]:
    row, column = place
    if not right.contains(0):
        yield CellSlip("sign-slip", "a sign slip: the number is right but for its sign"), -right
    yield from _in_products(formula, values, row, column, right)
    yield from _neighbours(grid, row, column)


def _in_products(
    formula: Formula, values: Mapping[Key, Balls], row: int, column: int, right: Ball
) -> Iterator[tuple[CellSlip, Ball]]:
    """Slips in one of the products that are added up."""
    product = formula.left if isinstance(formula, Add) else formula
    if not isinstance(product, Product):
        return
    left, other = (side.evaluate(values, Balls.of) for side in (product.left, product.right))
    for k in range(left.shape[1]):
        a, b = left.table[row, k], other.table[k, column]
        if (a * b).contains(0):
            continue
        named = f"product {k + 1} of {left.shape[1]}"
        yield CellSlip("product-sign", f"a sign slip in {named}", 1), right - 2 * a * b
        yield CellSlip("product-left-out", f"{named} was left out", 1), right - a * b
        yield (
            CellSlip("product-added", f"the factors of {named} were added instead of multiplied", 2),
            right - a * b + a + b,
        )
    for k in range(left.shape[1]):
        a, b = left.table[row, k], other.table[k, column]
        for number in range(left.shape[1]):
            if number != k:
                said = f"an entry misread: number {number + 1} of the row in place of number {k + 1}"
                yield CellSlip("entry-misread", said, 3), right - a * b + left.table[row, number] * b
                said = f"an entry misread: number {number + 1} of the column in place of number {k + 1}"
                yield CellSlip("entry-misread", said, 3), right - a * b + a * other.table[number, column]


def _neighbours(grid: Balls, row: int, column: int) -> Iterator[tuple[CellSlip, Ball]]:
    """The number that belongs next to it."""
    rows, columns = grid.shape
    for i in range(rows):
        for j in range(columns):
            near = abs(i - row) + abs(j - column)
            if near and (i == row or j == column or (i, j) == (column, row)):
                said = f"this is the number that belongs in row {i + 1}, column {j + 1}"
                yield CellSlip("neighbour", said, 1 + near), grid.table[i, j]


def _digit_slips(written: Written, right: Ball) -> list[CellSlip]:
    """One digit wrong, two digits exchanged, or the point in another place."""
    if written.places is None or not isinstance(written.value, Fraction):
        return []
    scaled = right * 10 ** max(written.places, 0)
    nearest = (abs(scaled) + ball(Fraction(1, 2))).floor().unique_fmpz()
    if nearest is None:
        return []
    ours, theirs = str(int(nearest)), str(abs(int(written.value * 10 ** max(written.places, 0))))
    slips = []
    width = max(len(ours), len(theirs))
    a, b = ours.zfill(width), theirs.zfill(width)
    different = [i for i in range(width) if a[i] != b[i]]
    same_sign = bool(right < 0) == (written.value < 0)
    if same_sign and len(different) == 1 and width > 1:
        slips.append(CellSlip("digit-slip", "an arithmetic slip in one digit", 4))
    if same_sign and len(different) == 2 and different[1] == different[0] + 1:
        i, j = different
        if a[i] == b[j] and a[j] == b[i]:
            slips.append(CellSlip("digits-exchanged", "two digits were exchanged", 2))
    for shift in (1, 2, -1, -2):
        moved = right * 10**shift if shift > 0 else right / 10**-shift
        if not right.contains(0) and _reproduces(written, moved):
            slips.append(CellSlip("point-slip", f"the decimal point is {abs(shift)} off", 2))
    return slips
