"""A tier may do an operation in one go; it comes to what the operation's definition comes to on the same tier.

The kernels are read from the tiers and the operations from their classes, so that a new one is covered by itself. Both
ways are held to each other, and to mpmath at 60 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import assume, given
from hypothesis import strategies as st
from shared.effort import tries
from shared.formulas import concrete

from attnsolve.errors import UnsolvableError
from attnsolve.key import Key
from attnsolve.numbers import Unavailable, closed
from attnsolve.numbers.arrays import Arrays
from attnsolve.numbers.balls import Balls, at_precision, ball
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.floats import Floats
from attnsolve.numbers.matrix import Numeric
from attnsolve.numbers.surds import EULER, MINUS_INFINITY, square_root
from attnsolve.operations.formula import Formula, Ref

BITS = 128
SLACK, NARROW = mpmath.mpf(10) ** -50, mpmath.mpf(10) ** -25
TOLERANCE = 1e-12
LARGEST = 700
"""The greatest exponent of e whose power float64 holds, and the sum of a few such."""
CANCELLED = Fraction(1, 10**4)
"""A sum smaller than this beside its terms has lost digits that float64 would need."""

Rows = list[list[Any]]
Refused = ZeroDivisionError, UnsolvableError

TIERS = concrete(Numeric)
KERNELS = [(tier, name) for tier in TIERS for name in tier.kernels]


def operations(kernel: str) -> list[type[Formula]]:
    """The operations that a kernel is for."""
    return [operation for operation in concrete(Formula) if operation.kernel == kernel]


# ── scores, and operations on them ────────────────────────────────────────────────────────────────

fractions = st.builds(Fraction, st.integers(-20, 20), st.integers(1, 4))
surds = st.builds(lambda times, inside: times * square_root(inside), fractions.filter(bool), st.sampled_from((2, 3)))
large = st.sampled_from((-LARGEST, LARGEST, LARGEST - 1)).map(Fraction)
blocked = st.just(MINUS_INFINITY)
zeros = st.just(Fraction(0))
sides = st.integers(1, 3)

DRAWN: dict[str, st.SearchStrategy[Any]] = {
    "Formula": st.just(Ref(Key("scores"))),
    "bool": st.booleans(),
    "Base": st.sampled_from((EULER, Fraction(2), Fraction(3, 2), Fraction(4), Fraction(9, 4))),
}
"""What may stand in a field of an operation, by the type that it is declared with."""


@st.composite
def scores(draw: st.DrawFn) -> Rows:
    height, width = draw(sides), draw(sides)
    one = draw(st.sampled_from((fractions, fractions | surds, fractions | large | zeros)))
    rows = st.lists(one | blocked, min_size=width, max_size=width)
    hidden = st.just([MINUS_INFINITY] * width)
    return draw(st.lists(rows | hidden, min_size=height, max_size=height))


def any_of(operation: type[Formula]) -> st.SearchStrategy[Any]:
    """An operation with anything in its fields; one with a field of another type has to say what may stand there."""
    return st.builds(operation, **{field.name: DRAWN[str(field.type)] for field in fields(operation)})  # type: ignore[arg-type]


# ── what it should come to ────────────────────────────────────────────────────────────────────────


def number(cell: Any) -> mpmath.mpf:
    if cell is EULER:
        return +mpmath.e
    if isinstance(cell, Fraction):
        return mpmath.mpf(cell.numerator) / cell.denominator
    return mpmath.mpmathify(closed.expression(cell).evalf(70))


def vectors(rows: Rows, operation: Any) -> Rows:
    """The vectors that an operation is about, whichever way they lie."""
    down = getattr(operation, "down", False)
    return [list(column) for column in zip(*rows, strict=True)] if down else rows


def softmax(row: Sequence[Any], operation: Any) -> list[mpmath.mpf]:
    powers = [mpmath.mpf(0) if x == MINUS_INFINITY else number(operation.base) ** number(x) for x in row]
    total = mpmath.fsum(powers)
    return [x / total if total else x for x in powers]


def share(row: Sequence[Any], operation: Any) -> list[mpmath.mpf] | None:
    counted = [mpmath.mpf(0) if x == MINUS_INFINITY else number(x) for x in row]
    total = mpmath.fsum(counted)
    if all(x == MINUS_INFINITY for x in row):
        return counted
    return None if abs(total) < SLACK else [x / total for x in counted]


def sigmoid(row: Sequence[Any], operation: Any) -> list[mpmath.mpf]:
    return [mpmath.mpf(0) if x == MINUS_INFINITY else 1 / (1 + mpmath.exp(-number(x))) for x in row]


REFERENCE: dict[str, Callable[[Sequence[Any], Any], list[mpmath.mpf] | None]] = {
    "softmax": softmax,
    "share": share,
    "sigmoid": sigmoid,
}
"""What a vector comes to by mpmath; None where it has no value."""


def expected(rows: Rows, operation: Any) -> list[list[mpmath.mpf]] | None:
    with mpmath.workdps(60):
        found = [REFERENCE[operation.kernel](row, operation) for row in vectors(rows, operation)]
    known = [row for row in found if row is not None]
    return vectors(known, operation) if len(known) == len(found) else None


def fits_floats(rows: Rows, operation: Any) -> bool:
    """Whether float64 holds every stage of the definition: neither a power nor a cancelled sum is out of its range."""
    if operation.kernel == "softmax":
        seen = [[number(x) for x in row if x != MINUS_INFINITY] for row in vectors(rows, operation)]
        scale = mpmath.log(number(operation.base))
        return operation.stable or all(abs(max(row)) * scale <= LARGEST for row in seen if row)
    if operation.kernel == "sigmoid":
        return all(x == MINUS_INFINITY or number(x) <= LARGEST for row in rows for x in row)
    return not cancels(rows, operation)


def cancels(rows: Rows, operation: Any) -> bool:
    """Whether a vector of shares sums to hardly anything, so that its digits are lost."""
    counted = [[number(x) for x in row if x != MINUS_INFINITY] for row in vectors(rows, operation)]
    return any(abs(mpmath.fsum(row)) <= CANCELLED * max(map(abs, row)) for row in counted if row)


# ── how close two results are, in each tier ───────────────────────────────────────────────────────


def exact_pairs(kernel: Exact, definition: Exact) -> Iterator[tuple[Any, Any]]:
    for row, others in zip(kernel.rows, definition.rows, strict=True):
        yield from zip(row, others, strict=True)


def same_exactly(kernel: Exact, definition: Exact) -> bool:
    """Known where the definition is, and then equal."""
    return all(other is None or is_same(cell, other) for cell, other in exact_pairs(kernel, definition))


def is_same(cell: Any, other: Any) -> bool:
    if cell is None:
        return False
    try:
        return cell == other or closed.add([cell, closed.multiply(other, Fraction(-1))]) == 0
    except Unavailable:  # too long a form to subtract
        return bool(ball(cell).overlaps(ball(other)))


def flat(rows: Any) -> list[Any]:
    return [cell for row in rows for cell in row]


def exact_right(matrix: Exact, wanted: list[list[mpmath.mpf]]) -> bool:
    cells = zip(flat(matrix.rows), flat(wanted), strict=True)
    return all(cell is None or near(ball(cell), value) for cell, value in cells)


def near(found: Any, value: mpmath.mpf) -> bool:
    """Whether a ball has the value in it, as far as mpmath knows it."""
    middle, radius = (
        mpmath.mpf(int(m)) * mpmath.mpf(2) ** int(e) for m, e in map(arb.man_exp, (found.mid(), found.rad()))
    )
    size = max(1, abs(value))
    return abs(middle - value) <= radius + SLACK * size and radius < NARROW * size


def same_balls(kernel: Balls, definition: Balls) -> bool:
    pairs = zip(kernel.table.entries(), definition.table.entries(), strict=True)
    return all(y.is_finite() and x.overlaps(y) for x, y in pairs)


def balls_right(matrix: Balls, wanted: list[list[mpmath.mpf]]) -> bool:
    return all(near(x, value) for x, value in zip(matrix.table.entries(), flat(wanted), strict=True))


def same_floats(kernel: Floats | Arrays, definition: Floats | Arrays) -> bool:
    return np.allclose(kernel.array, definition.array, rtol=TOLERANCE, atol=1e-300)


def floats_right(matrix: Floats | Arrays, wanted: list[list[mpmath.mpf]]) -> bool:
    return np.allclose(matrix.array, [[float(x) for x in row] for row in wanted], rtol=TOLERANCE, atol=1e-300)


SAME: dict[Any, Callable[..., bool]] = {
    Exact: same_exactly,
    Balls: same_balls,
    Floats: same_floats,
    Arrays: same_floats,
}
RIGHT: dict[Any, Callable[..., bool]] = {
    Exact: exact_right,
    Balls: balls_right,
    Floats: floats_right,
    Arrays: floats_right,
}


# ── the kernels ───────────────────────────────────────────────────────────────────────────────────


def by_kernel(operation: Formula, tier: Any, rows: Rows) -> Any:
    return operation.fuse(tier.kernels[operation.kernel], tier.of(rows))


def by_definition(operation: Formula, tier: Any, rows: Rows) -> Any:
    return operation.define(tier.of(rows))


def test_every_kernel_is_that_of_an_operation_and_has_a_reference() -> None:
    assert {tier for tier, _ in KERNELS} <= SAME.keys()
    for _, name in KERNELS:
        assert operations(name), name
        assert name in REFERENCE


@pytest.mark.parametrize(("tier", "name"), KERNELS, ids=lambda x: x if isinstance(x, str) else x.__name__)
def test_a_kernel_comes_to_what_the_definition_does(tier: Any, name: str) -> None:
    @tries(40)
    @given(st.data())
    def over(data: st.DataObject) -> None:
        operation = data.draw(st.one_of([any_of(operation) for operation in operations(name)]))
        rows = data.draw(scores())
        with at_precision(BITS), mpmath.workdps(60):
            wanted = expected(rows, operation)
            assume(wanted is not None)
            in_floats = tier in (Floats, Arrays)
            assume(not in_floats or name != "share" or fits_floats(rows, operation))
            kernel = by_kernel(operation, tier, rows)
            assert kernel.shape == tier.of(rows).shape
            assert RIGHT[tier](kernel, wanted)
            if not in_floats or fits_floats(rows, operation):
                assert SAME[tier](kernel, by_definition(operation, tier, rows))

    over()


NO_SHARES = [
    [[Fraction(1), Fraction(-1)]],
    [[Fraction(1), Fraction(2)], [Fraction(0), Fraction(0)]],
    [[Fraction(0)]],
    [[Fraction(1), Fraction(2), Fraction(3)], [Fraction(2), MINUS_INFINITY, Fraction(-2)]],
]


@pytest.mark.parametrize("rows", NO_SHARES, ids=str)
@pytest.mark.parametrize("way", [by_kernel, by_definition])
@pytest.mark.parametrize("tier", TIERS, ids=lambda tier: tier.__name__)
def test_a_row_that_sums_to_nothing_has_no_shares(tier: Any, way: Callable[..., Any], rows: Rows) -> None:
    """It is refused, or has nowhere to be: no number is given for it."""
    (operation,) = (one(Ref(Key("scores"))) for one in operations("share") if one.__name__ == "Share")
    try:
        found = way(operation, tier, rows)
    except Refused:
        return
    cells = flat(found.rows)
    if tier is Exact:
        assert None in cells
    else:
        assert not all(cell.is_finite() if tier is Balls else np.isfinite(cell) for cell in cells)


@pytest.mark.parametrize("tier", TIERS, ids=lambda tier: tier.__name__)
@pytest.mark.parametrize("stable", [False, True])
def test_a_softmax_of_scores_beyond_every_power_of_float64_is_right(tier: Any, stable: bool) -> None:
    (softmax,) = operations("softmax")
    rows = [
        [Fraction(LARGEST), Fraction(-LARGEST)],
        [Fraction(10**5), Fraction(10**5 - 1)],
        [Fraction(-(10**5)), MINUS_INFINITY],
    ]
    with at_precision(BITS), mpmath.workdps(60):
        for down in (False, True):
            operation = softmax(Ref(Key("scores")), down=down, stable=stable)  # type: ignore[call-arg]
            given = [list(column) for column in zip(*rows, strict=True)] if down else rows
            wanted = expected(given, operation)
            assert wanted is not None
            assert RIGHT[tier](by_kernel(operation, tier, given), wanted)
