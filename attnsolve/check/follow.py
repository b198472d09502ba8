"""Error carried forward: what each quantity comes to from the answers written before it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from attnsolve.check.answers import Answers
from attnsolve.check.judge import BITS, CREDITED, judge, same_form
from attnsolve.check.written import Written
from attnsolve.graph import Graph, Quantity
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import Ball, Balls, at_precision, ball, largest, whole
from attnsolve.numbers.closed import cell_of
from attnsolve.numbers.exact import Exact
from attnsolve.operations.formula import Formula, Key
from attnsolve.operations.softmax import Normalise
from attnsolve.spec.parts import Rounding

Values = dict[Key, Balls]
Place = tuple[int, int]

VANISHING = 1000
"""Answers that are all so many times smaller than the truth are next to nothing."""
FEWEST_REPEATS = 3
"""Two equal rows may be a slip; so many are no work."""
SHARP = 12
"""Places to which two true values are compared where only their pattern matters."""


def carried_forward(
    graph: Graph,
    answers: Answers,
    true: Mapping[Key, Balls | None],
    rounding: Rounding | None = None,
    *,
    wide: bool = False,
) -> tuple[Values, Values, list[Key]]:
    """Every quantity computed from the answers before it; what each then is (the answer, or what follows where it is
    blank, rounded where the sheet rounds on the way); and the answers that were not followed, being degenerate.

    A decimal may have been carried on with more digits than it was written with. With `wide` it is what it was rounded
    from, where that can be seen, and otherwise any number that rounds to it.
    """
    followed: Values = {}
    values: Values = {}
    refused: list[Key] = []
    with at_precision(BITS):
        for quantity in graph:
            key = quantity.key
            if quantity.given:
                followed[key] = values[key] = evaluated(quantity.formula, values)
                continue
            followed[key] = evaluated(quantity.formula, values)
            written = answers.of(key)
            blank = _rounded(followed[key], rounding.places_of(key.id) if rounding else None)
            ours = [balls for balls in (followed[key], true[key]) if balls is not None]
            if written and leaves_nothing(quantity, written, ours):
                refused.append(key)
                values[key] = blank
            else:
                meant = {p: _meant(w, [b.table[p] for b in ours]) for p, w in written.items()} if wide else None
                values[key] = put_in(blank, meant or {place: ball(w.value) for place, w in written.items()})
    return followed, values, refused


def carried_exactly(graph: Graph, answers: Answers) -> tuple[dict[Key, Exact | None], list[Key]]:
    """The same where there are letters: every quantity from the answers before it, as far as it has an exact form."""
    followed: dict[Key, Exact | None] = {}
    values: dict[Key, Exact | None] = {}
    refused: list[Key] = []
    for quantity in graph:
        key, written = quantity.key, answers.of(quantity.key)
        try:
            followed[key] = values[key] = found = quantity.formula.evaluate(values, Exact.of)
        except Unavailable:
            followed[key] = values[key] = None
            continue
        right = [same_form(w, found.rows[row][column]) for (row, column), w in written.items()]
        bare = is_bare({place: w.value for place, w in written.items() if not w.infinite}, quantity.shape)
        if bare and not _is_a_slip(right):
            refused.append(key)
        elif written:
            rows = [list(row) for row in found.rows]
            for (row, column), w in written.items():
                rows[row][column] = cell_of(w.value)
            values[key] = Exact(rows)
    return followed, refused


def evaluated(formula: Formula, values: Mapping[Key, Any]) -> Balls:
    """A formula on given values, in balls."""
    result: Balls = formula.evaluate(values, Balls.of)
    return result


def _rounded(matrix: Balls, places: int | None) -> Balls:
    """Every entry to so many places, where that can be told."""
    if places is None:
        return matrix
    scale = Fraction(10) ** places
    nearest = {
        (i, j): whole((x * ball(scale) + ball(Fraction(1, 2))).floor())
        for i, row in enumerate(matrix.rows)
        for j, x in enumerate(row)
        if x.is_finite()
    }
    return put_in(matrix, {place: ball(Fraction(n) / scale) for place, n in nearest.items() if n is not None})


def _meant(written: Written, ours: Sequence[Ball]) -> Ball:
    """The number behind what was written: one of ours that rounds to it, or else any that does. A whole number and an
    exact form are just themselves."""
    exact = ball(written.value)
    if written.places is None or written.whole or written.infinite:
        return exact
    from flint import arb

    interval = exact + arb(0, 1) * ball(written.unit) / 2
    for value in ours:
        verdict = judge(written, value).verdict
        if verdict in ("exact", "right"):
            return exact if verdict == "exact" else value.intersection(interval)
    return interval


def put_in(matrix: Balls, cells: Mapping[tuple[int, int], Ball]) -> Balls:
    """A matrix with some entries replaced."""
    if not cells:
        return matrix
    rows = matrix.rows
    for (row, column), value in cells.items():
        rows[row][column] = value
    from flint import arb_mat

    return Balls(arb_mat(rows))


# ── answers from which nothing follows ──────────────────────────────────────────────────────────


def leaves_nothing(quantity: Quantity, written: Mapping[Place, Written], ours: Sequence[Balls]) -> bool:
    """Whether an answer is wrong and so bare that whatever comes after it could be written down without any work: one
    number everywhere, zeros and a single number in each row, or next to nothing. `ours` are what follows from the
    answers before it, and the truth."""
    if any(_is_a_slip([_is_right(w, balls.table[place]) for place, w in written.items()]) for balls in ours):
        return False
    true = ours[-1]
    if _vanishes(written, true):
        return True
    if not is_bare({place: w.value for place, w in written.items() if not w.infinite}, quantity.shape):
        return False
    if isinstance(quantity.formula, Normalise) and _is_saturated(quantity, written, true):
        return False
    finite = {place: true.table[place] for place in written if true.table[place].is_finite()}
    return not is_bare({place: round(float(x.mid()), SHARP) for place, x in finite.items()}, quantity.shape)


def is_bare(cells: Mapping[Place, Hashable], shape: tuple[int, int]) -> bool:
    """Whether a matrix is one number everywhere, or (for the most part filled in) has one number and zeros, no two such
    numbers in a row (the identity, rows with a single 1), or the same row or column again and again."""
    if len(cells) > 1 and len(set(cells.values())) == 1:
        return True
    if 2 * len(cells) <= shape[0] * shape[1]:
        return False
    return _picks(cells, across=int(shape[1] == 1)) or any(_repeats(cells, axis) for axis in (0, 1))


def _picks(cells: Mapping[Place, Hashable], across: int) -> bool:
    """Whether all is zero but for one number, at most once in each row (of a single column, once)."""
    picked = [place for place, x in cells.items() if x != 0]
    lanes = {place[across] for place in picked}
    return len(cells) > 1 and len(lanes) == len(picked) and len({cells[place] for place in picked}) == 1


def _repeats(cells: Mapping[Place, Hashable], axis: int) -> bool:
    """Whether three rows or more, or columns, are all the same."""
    lines: dict[int, dict[int, Hashable]] = {}
    for place, x in cells.items():
        lines.setdefault(place[axis], {})[place[1 - axis]] = x
    first = next(iter(lines.values()))
    return len(lines) >= FEWEST_REPEATS and len(first) > 1 and all(line == first for line in lines.values())


def _is_a_slip(right: Sequence[bool]) -> bool:
    """Whether at most one entry is wrong, and not the only one there is."""
    wrong = right.count(False)
    return wrong == 0 or wrong == 1 < len(right)


def _is_right(written: Written, value: Ball) -> bool:
    return judge(written, value).verdict in CREDITED


def _vanishes(written: Mapping[Place, Written], true: Balls) -> bool:
    """Whether next to nothing was written where there is something."""
    if len(written) == 1 < true.shape[0] * true.shape[1]:
        return False
    found = [ball(w.value) for w in written.values() if not w.infinite]
    return bool(largest(found) * VANISHING < largest([true.table[place] for place in written]))


def _is_saturated(quantity: Quantity, written: Mapping[Place, Written], true: Balls) -> bool:
    """Whether shares of 0 and 1 stand where a softmax of larger scores would have them: 1 where the true share is
    largest."""
    if any(w.value not in (0, 1) for w in written.values()):
        return False
    for token in range(quantity.lanes):
        lane = [(cell.row, cell.column) for cell in quantity.cells(token)]
        ones = [place for place in lane if place in written and written[place].value == 1]
        if any(bool(true.table[one] < true.table[place]) for one in ones for place in lane):
            return False
    return True
