"""Slips of the pen in one cell: a sign, a product left out, an entry misread, a digit. Each is tried, not guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from attnsolve.check.tiers import reproduces
from attnsolve.check.written import Written
from attnsolve.numbers.balls import Ball, Balls, ball, whole
from attnsolve.operations.add import Add
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Key
from attnsolve.operations.product import Product
from attnsolve.operations.softmax import Normalise, Share, Softmax
from attnsolve.operations.tanh import Tanh

FAR = 3
"""A slip so much less plausible than another that explains the same cell isn't offered beside it."""
MOST_PLACES = 6
"""A number with no more decimals than this is said with all of them."""

Place = tuple[int, int]
Values = Mapping[Key, Any]


@dataclass(frozen=True)
class CellSlip:
    """A slip that leads to exactly what was written; `simple` ones come first."""

    id: str
    says: str
    simple: int = 0


Tried = Iterator[tuple[str, int, Ball, Callable[[], str]]]
"""Slips by id and rank, each with what it leads to, and what is said of it if it is the one."""


def cell_slips(
    formula: Formula, values: Values, place: Place, written: Mapping[Place, Written], grid: Balls
) -> list[CellSlip]:
    """The slips that reproduce what was written in one cell, simplest first; `grid` is the right matrix around it."""
    own = written[place]
    coarse = _is_coarse(own)
    found = [
        CellSlip(id, says(), rank)
        for id, rank, value, says in _tried(formula, values, place, written, grid)
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


def _tried(formula: Formula, values: Values, place: Place, written: Mapping[Place, Written], grid: Balls) -> Tried:
    right = grid.table[place]
    if not right.contains(0):
        yield "sign-slip", 1, -right, lambda: "a sign slip: the number is right but for its sign"
    if isinstance(formula, Add):
        added = formula.right.evaluate(values, Balls.of)
        term = added.table[place[0] % added.shape[0], place[1] % added.shape[1]]
        if term.is_finite() and not term.contains(0):
            yield "term-left-out", 2, right - term, lambda: f"{said(term)} was not added here"
        if isinstance(formula.left, Product):
            yield from _in_products(formula.left, values, place, right)
    elif isinstance(formula, Product):
        yield from _in_products(formula, values, place, right)
    elif isinstance(formula, Normalise):
        yield from _in_shares(formula, values, place)
    elif isinstance(formula, Divide | Tanh):
        undone = "this entry was not scaled" if isinstance(formula, Divide) else "the tanh was not taken here"
        yield "step-left-out", 2, formula.arguments[0].evaluate(values, Balls.of).table[place], lambda: undone
    yield from _neighbours(grid, place, written)


# ── in what a cell is made from ───────────────────────────────────────────────────────────────────


def _in_products(product: Product, values: Values, place: Place, right: Ball) -> Tried:
    """Slips in one of the products that are added up."""
    row, column = place
    left, other = (side.evaluate(values, Balls.of) for side in product.arguments)
    pairs = [(left.table[row, k], other.table[k, column]) for k in range(left.shape[1])]
    alone = sum(not (a * b).contains(0) for a, b in pairs) < 2
    for a, b in pairs:
        if (a * b).contains(0):
            continue
        if not alone:  # the sign of the only product is the sign of the whole
            yield "product-sign", 2, right - 2 * a * b, partial(_of, "a slip in the sign of {}", product, a, b)
            yield "product-left-out", 2, right - a * b, partial(_of, "{} was left out", product, a, b)
            yield "product-twice", 4, right + a * b, partial(_of, "{} was added twice", product, a, b)
        yield "product-added", 4, right - a * b + a + b, partial(_added, product, a, b)
    for k, (a, b) in enumerate(pairs):
        for wrong in _around(left, row, k):
            yield "entry-misread", 4, right - a * b + wrong * b, partial(_misread, product, (a, b), (wrong, b))
        for wrong in _around(other, k, column):
            yield "entry-misread", 4, right - a * b + a * wrong, partial(_misread, product, (a, b), (a, wrong))


def _around(table: Balls, row: int, column: int) -> Iterator[Ball]:
    """The entries that an eye may slip to: of the same row or column, or next to it."""
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            if (i, j) != (row, column) and (i == row or j == column):
                yield table.table[i, j]


def _misread(product: Product, right: tuple[Ball, Ball], wrong: tuple[Ball, Ball]) -> str:
    return f"an entry misread: {_product(product, *wrong)} in place of {_product(product, *right)}"


def _in_shares(formula: Normalise, values: Values, place: Place) -> Tried:
    """A share that was not divided by the sum, or by a sum without one of its terms."""
    scores = formula.arguments[0].evaluate(values, Balls.of)
    row, column = place
    lane = [(i, column) for i in range(scores.shape[0])] if formula.down else [(row, j) for j in range(scores.shape[1])]
    terms = scores
    if isinstance(formula, Softmax):
        terms = scores.powers(formula.base)
    elif isinstance(formula, Share):
        terms = scores.finite()
    else:
        return
    total = sum((terms.table[cell] for cell in lane), ball(Fraction(0)))
    own, what = terms.table[place], "power" if isinstance(formula, Softmax) else "score"
    yield "not-divided", 2, own, lambda: "this entry was not divided by the sum"
    for cell in lane:
        term = terms.table[cell]
        if not term.contains(0) and len(lane) > 2:
            says = partial("the {} {} was left out of the sum".format, what, said(term))
            yield "left-out-of-sum", 3, own / (total - term), says


def _neighbours(grid: Balls, place: Place, written: Mapping[Place, Written]) -> Tried:
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
                says = "this entry and the one in row {}, column {} were exchanged"
                yield "neighbours-swapped", 0, grid.table[i, j], partial(says.format, i + 1, j + 1)
            else:
                says = "this is the number that belongs in row {}, column {}"
                yield "neighbour", 2 + near, grid.table[i, j], partial(says.format, i + 1, j + 1)


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
    ours, theirs = str(nearest), str(int(abs(written.value) * 10**places))
    width = max(len(ours), len(theirs), places + 1)
    a, b = ours.zfill(width), theirs.zfill(width)
    different = [i for i in range(width) if a[i] != b[i]]
    if len(different) == 1 and len(ours) > 1:
        (i,) = different
        slips.append(CellSlip("digit-slip", f"an arithmetic slip in one digit: {b[i]} for {a[i]}", 5))
    if any(different == [i, j] and (a[i], a[j]) == (b[j], b[i]) for i, j in pairwise(range(width))):
        slips.append(CellSlip("digits-exchanged", "two digits were exchanged", 2))
    return slips


def _places(number: int) -> str:
    return "one place" if number == 1 else f"{number} places"


# ── told ──────────────────────────────────────────────────────────────────────────────────────────


def _product(product: Product, a: Ball, b: Ball) -> str:
    first, second = (b, a) if product.flipped else (a, b)
    return f"{_factor(first)}·{_factor(second)}"


def _of(says: str, product: Product, a: Ball, b: Ball) -> str:
    return says.format(_product(product, a, b))


def _added(product: Product, a: Ball, b: Ball) -> str:
    first, second = (b, a) if product.flipped else (a, b)
    return f"{said(first)} + {_factor(second)} was taken for {_product(product, a, b)}"


def _factor(value: Ball) -> str:
    return f"({said(value)})" if value < 0 else said(value)


def said(value: Ball) -> str:
    """A number in a sentence: all its decimals if they are few, else four digits.

    >>> said(ball(Fraction(-3, 10))), said(ball(Fraction(1, 3)))
    ('−0.3', '0.3333')
    """
    for places in range(MOST_PLACES + 1):
        scaled = value * 10**places
        nearest = whole(scaled) if whole(scaled) is not None else whole((scaled + ball(Fraction(1, 2))).floor())
        if nearest is not None and value.contains(ball(Fraction(nearest, 10**places))):
            return f"{Decimal(nearest).scaleb(-places):f}".replace("-", "−")
    return f"{float(value.mid()):.4g}".replace("-", "−")
