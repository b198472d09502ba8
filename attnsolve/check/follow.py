"""Error carried forward: what each quantity comes to from the answers written before it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

from attnsolve.check.answers import Answers
from attnsolve.check.judge import BITS, CREDITED, judge, same_form
from attnsolve.check.written import Written
from attnsolve.graph import Graph, Quantity, run
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, Balls, at_precision, ball, whole
from attnsolve.numbers.closed import cell_of
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.floats import to_float
from attnsolve.spec.parts import Rounding

Values = dict[Key, Balls]
Place = tuple[int, int]

VANISHING = 1000
"""Answers that are all so many times smaller than the truth are next to nothing."""
FEWEST_REPEATS = 3
"""Two equal rows may be a slip; so many are no work."""
HUGE = 1e300
GRID = 50
"""Steps up to the largest number, on which a pattern is looked for."""
SHARP = 12
"""Places to which true values are compared where only their pattern matters."""
ALIKE = 100
"""Answers that differ from each other so many times less than the true values do are as good as equal."""


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
    refused: list[Key] = []

    def answered(quantity: Quantity, found: Balls | None, before: Mapping[Key, Balls | None]) -> Balls | None:
        key = quantity.key
        if found is None and quantity.formula.decides:
            found = true[key]  # numbers too close to tell apart, as they are in truth
        if found is None:
            return None
        followed[key] = found
        written = answers.of(key)
        blank = _rounded(found, rounding.places_of(key.id, inner=graph.is_inner(key)) if rounding else None)
        ours = [balls for balls in (found, true[key]) if balls is not None]
        if written and leaves_nothing(quantity, written, ours):
            refused.append(key)
            return blank
        meant = {p: _meant(w, [b.table[p] for b in ours]) for p, w in written.items()} if wide else None
        return put_in(blank, meant or {place: ball(w.value) for place, w in written.items()})

    with at_precision(BITS):
        values = {key: balls for key, balls in run(graph, Balls, after=answered).items() if balls is not None}
    return {**values, **followed}, values, refused


def carried_exactly(graph: Graph, answers: Answers) -> tuple[dict[Key, Exact | None], list[Key]]:
    """The same where there are letters: every quantity from the answers before it, as far as it has an exact form."""
    followed: dict[Key, Exact | None] = {}
    refused: list[Key] = []

    def answered(quantity: Quantity, found: Exact | None, before: Mapping[Key, Exact | None]) -> Exact | None:
        key, written = quantity.key, answers.of(quantity.key)
        followed[key] = found = found if found is not None and found.is_whole else None
        if found is None:
            return None
        right = [same_form(w, found.rows[row][column]) for (row, column), w in written.items()]
        bare = is_bare({place: w.value for place, w in written.items() if not w.infinite}, quantity.shape)
        if bare and not _is_a_slip(right):
            refused.append(key)
            return found
        if any(w.infinite and not isinstance(found.rows[row][column], float) for (row, column), w in written.items()):
            return None  # nothing is worked out with −∞ where a number belongs
        rows = [list(row) for row in found.rows]
        for (row, column), w in written.items():
            rows[row][column] = cell_of(w.value)
        return Exact(rows) if written else found

    values = run(graph, Exact, after=answered)
    return {**values, **followed}, refused


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
    """Whether an answer is wrong and so bare that whatever comes after it could be written down without any work: much
    the same number everywhere, zeros and a single number in each row, or next to nothing. `ours` are what follows from
    the answers before it, and the truth."""
    if any(_is_a_slip([_is_right(w, balls.table[place]) for place, w in written.items()]) for balls in ours):
        return False
    finite = {place: _within(to_float(w.value)) for place, w in written.items() if not w.infinite}
    true = {place: _within(to_float(x.mid())) for place in finite if (x := ours[-1].table[place]).is_finite()}
    if len(written) == 1 < quantity.shape[0] * quantity.shape[1]:
        return False
    if not finite or not true:
        return True  # −∞ where numbers belong, or the other way round
    if _vanishes(list(finite.values()), list(true.values())):
        return True
    if not is_bare(_coarsely(finite), quantity.shape):
        return False
    if quantity.formula.shares and _is_saturated(quantity, written, ours[-1]):
        return False
    return not is_bare({place: round(x, SHARP) for place, x in true.items()}, quantity.shape)


def _within(number: float) -> float:
    """A float that can be worked with, however large the number was."""
    return max(-HUGE, min(HUGE, number))


def _coarsely(cells: Mapping[Place, float]) -> dict[Place, int]:
    """Numbers on so coarse a grid that a slight change does not hide a pattern."""
    largest = max(map(abs, cells.values()))
    return {place: round(GRID * (x / largest)) if largest else 0 for place, x in cells.items()}


def _vanishes(written: Sequence[float], true: Sequence[float]) -> bool:
    """Whether next to nothing was written where there is something, or next to no difference where there is one."""
    if max(map(abs, written)) * VANISHING < max(map(abs, true)):
        return True
    return (max(written) - min(written)) * ALIKE < max(true) - min(true)


def is_bare(cells: Mapping[Place, Hashable], shape: tuple[int, int]) -> bool:
    """Whether a matrix is one number everywhere, or (for the most part filled in) one number and another on which it
    stands out, no two such numbers in a row (the identity, rows with a single 1), or the same row or column again and
    again."""
    if len(cells) > 1 and len(set(cells.values())) == 1:
        return True
    if 2 * len(cells) <= shape[0] * shape[1]:
        return False
    return _picks(cells, shape) or any(_repeats(cells, axis) for axis in (0, 1))


def _picks(cells: Mapping[Place, Hashable], shape: tuple[int, int]) -> bool:
    """Whether there are two numbers, one of which stands at most once in each row (of a single column, once). In small
    matrices that happens by itself, unless the other is zero."""
    across = int(shape[1] == 1)
    found = set(cells.values())
    grounds = found if min(shape) >= FEWEST_REPEATS else found & {0}
    columns = {ground: [place[across] for place, x in cells.items() if x != ground] for ground in grounds}
    return len(found) == 2 and any(len(set(selected)) == len(selected) for selected in columns.values())


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


def _is_saturated(quantity: Quantity, written: Mapping[Place, Written], true: Balls) -> bool:
    """Whether shares of 0 and 1 stand where a softmax of larger scores would have them: 1 where the true share is
    largest."""
    if any(w.value not in (0, 1) for w in written.values()):
        return False
    for token in range(quantity.token_count):
        places = [(cell.row, cell.column) for cell in quantity.cells(token)]
        ones = [place for place in places if place in written and written[place].value == 1]
        if any(bool(true.table[one] < true.table[place]) for one in ones for place in places):
            return False
    return True
