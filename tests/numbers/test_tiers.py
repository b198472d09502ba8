"""Exact, Balls, Floats and Arrays are interchangeable: one set of tests, run over each of the four.

The reference is plain Python: lists of Fractions, and mpmath at 60 digits after an exponential.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnsolve.errors import UnsolvableError
from attnsolve.key import Key
from attnsolve.numbers import balls, closed
from attnsolve.numbers.arrays import Arrays
from attnsolve.numbers.balls import Balls, at_precision, ball, greatest
from attnsolve.numbers.balls import whole as whole_in
from attnsolve.numbers.closed import Base, Number
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.floats import Floats
from attnsolve.numbers.surds import EULER, MINUS_INFINITY, square_root
from attnsolve.operations.cosine import Norms
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.softmax import Share, Softmax

BITS = 128
NARROW = Fraction(1, 10**25)
"""How wide a ball at 128 bits may be: so that containing the value says something."""

Entry = Fraction | float | mpmath.mpf
Rows = list[list[Any]]
Tier = Any
KEY = Key("x")


# ── what is made of primitives ────────────────────────────────────────────────────────────────────


def done(formula: Formula, matrix: Any) -> Any:
    """What an operation makes of one matrix, in its tier."""
    return formula.evaluate({KEY: matrix}, type(matrix))


def divided(matrix: Any, number: Number) -> Any:
    return matrix / matrix.constant(PlainNumber(number))


def less_maximum(matrix: Any) -> Any:
    return matrix - matrix.reduce("max")


def normalised(matrix: Any) -> Any:
    return matrix.divide(matrix.reduce("sum"), empty=True)


def lengths(matrix: Any) -> Any:
    return Norms(Ref(KEY), ()).define(matrix)


# ── what each tier says, held against the reference ───────────────────────────────────────────────


def exact_agrees(matrix: Exact, expected: Rows) -> bool:
    return all(
        exact_is(cell, wanted)
        for row, wants in zip(matrix.rows, expected, strict=True)
        for cell, wanted in zip(row, wants, strict=True)
    )


def exact_is(cell: Any, wanted: Entry) -> bool:
    if wanted == MINUS_INFINITY:
        return cell == MINUS_INFINITY
    if isinstance(wanted, Fraction):
        return bool(cell == wanted)
    value = mpmath.mpmathify(closed.expression(cell).evalf(60))
    return abs(value - wanted) <= mpmath.mpf(10) ** -50 * max(1, abs(wanted))


def balls_agree(matrix: Balls, expected: Rows) -> bool:
    return all(
        ball_holds(cell, wanted)
        for row, wants in zip(matrix.rows, expected, strict=True)
        for cell, wanted in zip(row, wants, strict=True)
    )


def ball_holds(cell: arb, wanted: Entry) -> bool:
    """The true value lies in the ball, and the ball is small. What mpmath gives is right to 55 digits."""
    if wanted == MINUS_INFINITY:
        return bool(cell == arb("-inf"))
    true, slack = (wanted, Fraction(0)) if isinstance(wanted, Fraction) else (fraction_of(wanted), Fraction(1, 10**55))
    size = max(abs(true), Fraction(1))
    middle, radius = (Fraction(int(m)) * Fraction(2) ** int(e) for m, e in (cell.mid().man_exp(), cell.rad().man_exp()))
    return abs(middle - true) <= radius + slack * size and radius <= NARROW * size


def fraction_of(value: mpmath.mpf) -> Fraction:
    """The very number that an mpf is."""
    sign, mantissa, exponent, _ = value._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


def floats_agree(matrix: Floats | Arrays, expected: Rows) -> bool:
    reference = np.array([[float(x) for x in row] for row in expected])
    return matrix.array.shape == reference.shape and bool(np.allclose(matrix.array, reference, rtol=1e-12, atol=1e-12))


AGREES: dict[type, Callable[[Any, Rows], bool]] = {
    Exact: exact_agrees,
    Balls: balls_agree,
    Floats: floats_agree,
    Arrays: floats_agree,
}


def agrees(matrix: Any, expected: Rows) -> bool:
    """Whether a matrix of any tier is the reference, and says its shape."""
    return matrix.shape == (len(expected), len(expected[0])) and AGREES[type(matrix)](matrix, expected)


@pytest.fixture(params=AGREES, ids=lambda tier: tier.__name__)
def tier(request: pytest.FixtureRequest) -> Iterator[Tier]:
    with at_precision(BITS), mpmath.workdps(60), np.errstate(all="ignore"):  # as float64 problems are run
        yield request.param


# ── matrices ──────────────────────────────────────────────────────────────────────────────────────

entries = st.builds(Fraction, st.integers(-40, 40), st.integers(1, 9))
halves = st.builds(Fraction, st.integers(-40, 40), st.sampled_from((1, 2, 4, 8)))
"""Numbers that a ball of any precision holds exactly."""
whole = st.integers(-12, 12).map(Fraction)
blocked = st.just(MINUS_INFINITY)
sides = st.integers(1, 4)


def matrices(rows: int, columns: int, cells: st.SearchStrategy[Any] = entries) -> st.SearchStrategy[Rows]:
    return st.lists(st.lists(cells, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@st.composite
def any_matrix(draw: st.DrawFn, cells: st.SearchStrategy[Any] = entries) -> Rows:
    return draw(matrices(draw(sides), draw(sides), cells))


def over_each_tier(examples: int = 25) -> settings:
    """Each tier is one run of its own: nothing is shared between examples."""
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


# ── rational arithmetic ───────────────────────────────────────────────────────────────────────────


@over_each_tier()
@given(any_matrix(entries | blocked))
def test_a_matrix_holds_the_numbers_it_was_made_from(tier: Tier, rows: Rows) -> None:
    assert agrees(tier.of(rows), rows)


@over_each_tier()
@given(st.data())
def test_a_product_is_rows_times_columns(tier: Tier, data: st.DataObject) -> None:
    height, inner, width = (data.draw(sides) for _ in range(3))
    left, right = data.draw(matrices(height, inner)), data.draw(matrices(inner, width))
    expected = [[sum(row[k] * right[k][j] for k in range(inner)) for j in range(width)] for row in left]
    assert agrees(tier.of(left) @ tier.of(right), expected)


@over_each_tier()
@given(any_matrix(entries | blocked))
def test_the_transpose_turns_rows_into_columns(tier: Tier, rows: Rows) -> None:
    matrix = tier.of(rows)
    assert agrees(matrix.T, [list(column) for column in zip(*rows, strict=True)])
    assert agrees(matrix.T.T, rows)


@over_each_tier()
@given(st.data())
def test_addition_is_entry_by_entry_and_minus_infinity_stays(tier: Tier, data: st.DataObject) -> None:
    height, width = data.draw(sides), data.draw(sides)
    left, right = (data.draw(matrices(height, width, entries | blocked)) for _ in range(2))
    expected = [[plus(x, y) for x, y in zip(a, b, strict=True)] for a, b in zip(left, right, strict=True)]
    assert agrees(tier.of(left) + tier.of(right), expected)


@over_each_tier()
@given(st.data())
def test_a_single_row_is_added_to_every_row(tier: Tier, data: st.DataObject) -> None:
    height, width = data.draw(sides), data.draw(sides)
    rows, (bias,) = data.draw(matrices(height, width, entries | blocked)), data.draw(matrices(1, width))
    expected = [[plus(x, y) for x, y in zip(row, bias, strict=True)] for row in rows]
    assert agrees(tier.of(rows) + tier.of([bias]), expected)


@over_each_tier()
@given(st.data())
def test_a_single_column_is_added_to_every_column(tier: Tier, data: st.DataObject) -> None:
    height, width = data.draw(sides), data.draw(sides)
    rows, column = data.draw(matrices(height, width, entries | blocked)), data.draw(matrices(height, 1))
    expected = [[plus(x, y) for x in row] for row, (y,) in zip(rows, column, strict=True)]
    assert agrees(tier.of(rows) + tier.of(column), expected)


def plus(x: Entry, y: Entry) -> Entry:
    return MINUS_INFINITY if MINUS_INFINITY in (x, y) else x + y


@over_each_tier()
@given(any_matrix(entries), entries.filter(bool))
def test_division_divides_every_entry(tier: Tier, rows: Rows, divisor: Fraction) -> None:
    assert agrees(divided(tier.of(rows), divisor), [[x / divisor for x in row] for row in rows])


@over_each_tier()
@given(any_matrix(entries | blocked), st.builds(Fraction, st.integers(1, 40), st.integers(1, 9)))
def test_minus_infinity_divided_by_a_positive_number_stays(tier: Tier, rows: Rows, divisor: Fraction) -> None:
    expected = [[x if x == MINUS_INFINITY else x / divisor for x in row] for row in rows]
    assert agrees(divided(tier.of(rows), divisor), expected)


@over_each_tier()
@given(any_matrix(entries | blocked), st.sampled_from((2, 3, 8, 12)))
def test_division_by_a_root_has_the_value_of_the_quotient(tier: Tier, rows: Rows, radicand: int) -> None:
    root = mpmath.sqrt(radicand)
    expected = [[x if x == MINUS_INFINITY else near(x) / root for x in row] for row in rows]
    assert agrees(divided(tier.of(rows), square_root(radicand)), expected)


def near(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


@over_each_tier()
@given(any_matrix(entries | blocked))
def test_finite_puts_zero_in_place_of_minus_infinity(tier: Tier, rows: Rows) -> None:
    assert agrees(tier.of(rows).finite(), [[Fraction(0) if x == MINUS_INFINITY else x for x in row] for row in rows])


@over_each_tier()
@given(st.data())
def test_matrices_stand_side_by_side(tier: Tier, data: st.DataObject) -> None:
    height, widths = data.draw(sides), data.draw(st.lists(sides, min_size=1, max_size=3))
    parts = [data.draw(matrices(height, width, entries | blocked)) for width in widths]
    first, *rest = (tier.of(part) for part in parts)
    assert agrees(first.beside(rest), [[x for part in parts for x in part[i]] for i in range(height)])


@over_each_tier()
@given(any_matrix(entries | blocked), st.data())
def test_a_block_of_columns_is_cut_out(tier: Tier, rows: Rows, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(rows[0]) - 1))
    stop = data.draw(st.integers(start + 1, len(rows[0])))
    assert agrees(tier.of(rows).columns(start, stop), [row[start:stop] for row in rows])


@over_each_tier()
@given(st.data())
def test_blocks_of_columns_side_by_side_are_the_whole(tier: Tier, data: st.DataObject) -> None:
    heads, width = data.draw(sides), data.draw(sides)
    rows = data.draw(matrices(data.draw(sides), heads * width))
    first, *rest = (tier.of(rows).columns(h * width, (h + 1) * width) for h in range(heads))
    assert agrees(first.beside(rest), rows)


@over_each_tier()
@given(st.data())
def test_multiplication_is_entry_by_entry_and_nothing_times_minus_infinity_is_nothing(
    tier: Tier, data: st.DataObject
) -> None:
    height, width = data.draw(sides), data.draw(sides)
    left, right = data.draw(matrices(height, width, entries | blocked)), data.draw(matrices(height, width))
    expected = [[times(x, y) for x, y in zip(a, b, strict=True)] for a, b in zip(left, right, strict=True)]
    assert agrees(tier.of(left) * tier.of(right), expected)


def times(x: Entry, y: Fraction) -> Entry:
    return x * y if x != MINUS_INFINITY else Fraction(0) if y == 0 else MINUS_INFINITY


@over_each_tier()
@given(st.data())
def test_the_larger_of_two_entries_is_taken(tier: Tier, data: st.DataObject) -> None:
    height, width = data.draw(sides), data.draw(sides)
    left, right = (data.draw(matrices(height, width, halves | blocked)) for _ in range(2))
    expected = [[max(x, y) for x, y in zip(a, b, strict=True)] for a, b in zip(left, right, strict=True)]
    assert agrees(tier.of(left).maximum(tier.of(right)), expected)


@over_each_tier()
@given(st.data())
def test_the_smaller_of_two_entries_is_taken_and_the_smallest_of_a_row(tier: Tier, data: st.DataObject) -> None:
    """What is masked is no entry to choose: the other one is taken."""
    height, width = data.draw(sides), data.draw(sides)
    left, right = (data.draw(matrices(height, width, halves | blocked)) for _ in range(2))
    pairs = [zip(*rows, strict=True) for rows in zip(left, right, strict=True)]
    expected = [[smallest(pair, MINUS_INFINITY) for pair in row] for row in pairs]
    assert agrees(tier.of(left).minimum(tier.of(right)), expected)
    assert agrees(tier.of(left).least(), [[smallest(row, Fraction(0))] for row in left])


def smallest(entries: Iterable[Entry], nothing: Entry) -> Entry:
    return min((x for x in entries if x != MINUS_INFINITY), default=nothing)


@over_each_tier()
@given(any_matrix(halves), any_matrix(halves | blocked))
def test_a_row_is_reduced_to_its_sum_or_its_greatest_entry(tier: Tier, rows: Rows, masked: Rows) -> None:
    assert agrees(tier.of(rows).reduce("sum"), [[sum(row)] for row in rows])
    tops = [[x for x in row if x != MINUS_INFINITY] for row in masked]
    assert agrees(tier.of(masked).reduce("max"), [[max(row, default=Fraction(0))] for row in tops])


def test_a_result_may_be_used_more_than_once(tier: Tier) -> None:
    """A definition names what it goes on with, and it stays what it was."""
    rows = [[Fraction(1, 2), Fraction(-3), Fraction(0)], [Fraction(2), Fraction(1), Fraction(5, 4)]]
    twice = tier.of(rows) + tier.of(rows)
    squares = twice * twice
    twice.exp(EULER)
    twice.maximum(twice)
    assert agrees(squares, [[4 * x * x for x in row] for row in rows])
    assert agrees(twice, [[2 * x for x in row] for row in rows])


@pytest.mark.parametrize("function", ["ln", "sqrt", "sin", "cos", "erf"])
def test_the_functions_of_one_number(tier: Tier, function: str) -> None:
    """Beyond the values that have a closed form, an exact one is unknown."""
    numbers = [Fraction(1, 4), Fraction(1), Fraction(7, 3), Fraction(20)]
    found = tier.of([numbers]).apply(function)
    wanted = [[getattr(mpmath, function)(near(x)) for x in numbers]]
    if tier is Exact and function != "sqrt":
        assert [cell for cell in found.rows[0] if cell is not None] == ([Fraction(0)] if function == "ln" else [])
    else:
        assert agrees(found, wanted)


# ── towards the softmax ───────────────────────────────────────────────────────────────────────────


@over_each_tier()
@given(any_matrix(halves | blocked))
def test_less_maximum_takes_the_greatest_finite_entry_off_each_row(tier: Tier, rows: Rows) -> None:
    assert agrees(less_maximum(tier.of(rows)), [shifted(row) for row in rows])


def shifted(row: Sequence[Entry]) -> list[Entry]:
    finite = [x for x in row if x != MINUS_INFINITY]
    return [x if x == MINUS_INFINITY else x - max(finite) for x in row]


@over_each_tier()
@given(any_matrix(whole | blocked), st.sampled_from((2, 3, 10)))
def test_whole_powers_of_a_whole_base_are_rational(tier: Tier, rows: Rows, base: int) -> None:
    assert agrees(tier.of(rows).exp(Fraction(base)), [[power(base, x) for x in row] for row in rows])


def power(base: int | Fraction, exponent: Entry) -> Fraction:
    return Fraction(0) if exponent == MINUS_INFINITY else Fraction(base) ** int(exponent)


@over_each_tier()
@given(any_matrix(whole), st.sampled_from((Fraction(1, 2), Fraction(2, 3), Fraction(3, 2), Fraction(8, 27))))
def test_whole_powers_of_a_fraction_are_rational(tier: Tier, rows: Rows, base: Fraction) -> None:
    powers = tier.of(rows).exp(base)
    expected = [[power(base, x) for x in row] for row in rows]
    if tier in (Floats, Arrays):
        np.testing.assert_allclose(powers.array, [[float(x) for x in row] for row in expected], rtol=1e-12)
    else:
        assert agrees(powers, expected)


@over_each_tier()
@given(any_matrix(entries), st.sampled_from((EULER, Fraction(2), Fraction(5, 2))))
def test_powers_have_the_value_that_mpmath_gives_them(tier: Tier, rows: Rows, base: Base) -> None:
    number = mpmath.mpmathify(closed.expression(base).evalf(70))
    assert agrees(tier.of(rows).exp(base), [[number ** near(x) for x in row] for row in rows])


def test_e_to_minus_infinity_is_zero(tier: Tier) -> None:
    powers = tier.of([[Fraction(0), MINUS_INFINITY]]).exp(EULER)
    assert agrees(powers, [[Fraction(1), Fraction(0)]])


@over_each_tier()
@given(any_matrix(st.builds(Fraction, st.integers(0, 40), st.integers(1, 9))))
def test_normalised_rows_are_shares_of_their_sum(tier: Tier, rows: Rows) -> None:
    assert agrees(normalised(tier.of(rows)), [shares(row) for row in rows])


def shares(row: Sequence[Any]) -> list[Any]:
    total = sum(row)
    return [x / total for x in row] if total else list(row)


def test_a_row_of_zeros_stays_as_it_is_when_normalised(tier: Tier) -> None:
    rows = [[Fraction(0), Fraction(0)], [Fraction(1), Fraction(3)]]
    assert agrees(normalised(tier.of(rows)), [rows[0], [Fraction(1, 4), Fraction(3, 4)]])


def softmax(matrix: Any, base: Base) -> Any:
    return done(Softmax(Ref(KEY), base=base), matrix)


@over_each_tier()
@given(any_matrix(whole | blocked), st.sampled_from((2, 3, 10)))
def test_a_softmax_of_whole_scores_in_a_whole_base_is_rational(tier: Tier, rows: Rows, base: int) -> None:
    expected = [shares([power(base, x) for x in row]) for row in rows]
    assert agrees(softmax(tier.of(rows), Fraction(base)), expected)


@over_each_tier()
@given(any_matrix(entries | blocked), st.sampled_from((EULER, Fraction(2), Fraction(5, 2))))
def test_a_softmax_has_the_value_that_mpmath_gives_it(tier: Tier, rows: Rows, base: Base) -> None:
    number = mpmath.mpmathify(closed.expression(base).evalf(70))
    powers = [[mpmath.mpf(0) if x == MINUS_INFINITY else number ** near(x) for x in row] for row in rows]
    assert agrees(softmax(tier.of(rows), base), [shares(row) for row in powers])


@over_each_tier(20)
@given(any_matrix(entries | blocked), st.sampled_from((2, 3, 5)))
def test_a_softmax_of_surds_has_the_value_that_mpmath_gives_it(tier: Tier, rows: Rows, radicand: int) -> None:
    root = mpmath.sqrt(radicand)
    powers = [[mpmath.mpf(0) if x == MINUS_INFINITY else mpmath.exp(near(x) / root) for x in row] for row in rows]
    weights = softmax(divided(tier.of(rows), square_root(radicand)), EULER)
    assert agrees(weights, [shares(row) for row in powers])


def test_a_row_that_may_attend_to_nothing_has_only_zeros(tier: Tier) -> None:
    rows = [[MINUS_INFINITY, MINUS_INFINITY], [Fraction(1), MINUS_INFINITY]]
    for base in (EULER, Fraction(2)):
        assert agrees(softmax(tier.of(rows), base), [[Fraction(0), Fraction(0)], [Fraction(1), Fraction(0)]])


def test_a_softmax_of_enormous_scores_does_not_overflow(tier: Tier) -> None:
    rows = [[Fraction(100_000), Fraction(100_000), Fraction(-100_000)]]
    weights = softmax(tier.of(rows), EULER)
    half = mpmath.mpf(1) / (2 + mpmath.exp(-200_000))
    assert agrees(weights, [[half, half, half * mpmath.exp(-200_000)]])


@over_each_tier(20)
@given(st.data())
def test_weights_times_values_is_the_weighted_sum(tier: Tier, data: st.DataObject) -> None:
    queries, keys, width = (data.draw(sides) for _ in range(3))
    scores, values = data.draw(matrices(queries, keys, entries | blocked)), data.draw(matrices(keys, width))
    powers = [[mpmath.mpf(0) if x == MINUS_INFINITY else mpmath.exp(near(x)) for x in row] for row in scores]
    weights = [shares(row) for row in powers]
    expected = [
        [mpmath.fsum(w * near(v[j]) for w, v in zip(row, values, strict=True)) for j in range(width)] for row in weights
    ]
    assert agrees(softmax(tier.of(scores), EULER) @ tier.of(values), expected)


# ── the tiers with each other ─────────────────────────────────────────────────────────────────────


@settings(max_examples=60, deadline=None)
@given(any_matrix(entries | blocked), st.sampled_from((64, 128, 400)))
def test_balls_made_from_exact_cells_overlap_balls_computed_apart(rows: Rows, bits: int) -> None:
    with at_precision(bits):
        exact = softmax(divided(Exact.of(rows), square_root(2)), EULER)
        apart = softmax(divided(Balls.of(rows), square_root(2)), EULER)
        pairs = zip(Balls.of(exact.rows).table.entries(), apart.table.entries(), strict=True)
        assert all(one.overlaps(other) for one, other in pairs)


@settings(max_examples=100, deadline=None)
@given(entries, entries, st.sampled_from((2, 3, 7)), st.sampled_from((53, 64, 200)))
def test_a_ball_contains_the_surd_it_stands_for(whole: Fraction, times: Fraction, radicand: int, bits: int) -> None:
    with at_precision(bits), mpmath.workdps(100):
        value = near(whole) + near(times) * mpmath.sqrt(radicand)
        cell = ball(Fraction(whole) + Fraction(times) * square_root(radicand))
    middle, radius = (Fraction(int(m)) * Fraction(2) ** int(e) for m, e in (cell.mid().man_exp(), cell.rad().man_exp()))
    assert abs(middle - fraction_of(value)) <= radius + Fraction(1, 10**90)
    assert radius <= Fraction(2) ** (12 - bits)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (sympy.pi, lambda: +mpmath.pi),
        (EULER, lambda: +mpmath.e),
        (sympy.E, lambda: +mpmath.e),
        (sympy.pi**2 / 6, lambda: mpmath.pi**2 / 6),
        (sympy.exp(Fraction(-7, 3)), lambda: mpmath.exp(mpmath.mpf(-7) / 3)),
        (1 / sympy.sqrt(2 * sympy.pi), lambda: 1 / mpmath.sqrt(2 * mpmath.pi)),
        (sympy.sqrt(1 + sympy.pi), lambda: mpmath.sqrt(1 + mpmath.pi)),
        (1 / (1 + sympy.pi), lambda: 1 / (1 + mpmath.pi)),
        (sympy.Integer(2) ** sympy.sqrt(2), lambda: mpmath.mpf(2) ** mpmath.sqrt(2)),
    ],
    ids=lambda x: str(x) if isinstance(x, sympy.Expr) else "",
)
def test_a_ball_contains_the_constant_it_stands_for(expression: sympy.Expr, value: Callable[[], mpmath.mpf]) -> None:
    with at_precision(BITS), mpmath.workdps(60):
        assert ball_holds(ball(expression), value())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(entries, st.sampled_from((1, 2, 3, 5))), min_size=1, max_size=5))
def test_the_greatest_of_surds_is_the_one_that_mpmath_finds(numbers: list[tuple[Fraction, int]]) -> None:
    surds = [Fraction(times) * square_root(radicand) for times, radicand in numbers]
    values = [near(times) * mpmath.sqrt(radicand) for times, radicand in numbers]
    assert greatest(surds) == surds[values.index(max(values))]


def test_the_greatest_is_found_among_numbers_closer_than_a_float_can_tell() -> None:
    first, second = square_root(2), square_root(2) + Fraction(1, 10**60)
    assert greatest([first, second]) == second
    assert greatest([second, first]) == second


def test_a_row_whose_sum_is_zero_is_refused_by_name() -> None:
    with pytest.raises(UnsolvableError, match="row 2 sum to 0"):
        done(Share(Ref(KEY)), Exact.of([[Fraction(1), Fraction(1)], [Fraction(1), Fraction(-1)]]))


def test_symbols_take_the_same_sample_value_in_every_float_matrix() -> None:
    beta = sympy.Symbol("beta", positive=True)
    ((first, second),) = Floats.of([[beta, 2 * beta + 1]]).array
    assert second == 2 * first + 1
    assert first > 0
    assert Floats.of([[sympy.Symbol("beta", negative=True)]]).array[0, 0] < 0


# ── tanh, lengths, quotients ──────────────────────────────────────────────────────────────────────


@over_each_tier()
@given(any_matrix())
def test_tanh_of_every_entry(tier: Tier, rows: Rows) -> None:
    expected = [[mpmath.tanh(mpmath.mpf(x.numerator) / x.denominator) for x in row] for row in rows]
    assert agrees(tier.of(rows).apply("tanh"), expected)


@over_each_tier()
@given(any_matrix())
def test_the_lengths_of_the_rows(tier: Tier, rows: Rows) -> None:
    expected = [[mpmath.sqrt(sum((mpmath.mpf(x.numerator) / x.denominator) ** 2 for x in row)) for row in rows]]
    assert agrees(lengths(tier.of(rows)), expected)


@over_each_tier()
@given(st.data())
def test_a_matrix_over_another_is_divided_entry_by_entry(tier: Tier, data: st.DataObject) -> None:
    height, width = data.draw(sides), data.draw(sides)
    left, right = data.draw(matrices(height, width)), data.draw(matrices(height, width, entries.filter(bool)))
    expected = [[x / y for x, y in zip(a, b, strict=True)] for a, b in zip(left, right, strict=True)]
    assert agrees(tier.of(left) / tier.of(right), expected)


def test_tanh_is_a_plain_number_only_at_zero() -> None:
    (row,) = Exact.of([[Fraction(0), Fraction(1)]]).apply("tanh").rows
    assert row[0] == 0
    assert isinstance(row[1], closed.Quotient)


def test_lengths_are_surds() -> None:
    found = lengths(Exact.of([[Fraction(3), Fraction(4)], [Fraction(1, 2), Fraction(1)]]))
    assert found.rows == ((5, square_root(5) / 2),)


def test_what_has_symbols_has_no_tanh() -> None:
    with pytest.raises(UnsolvableError, match="symbols"):
        Exact.of([[sympy.Symbol("b", real=True)]]).apply("tanh")


def test_equal_quotients_have_equal_shares() -> None:
    scores = Exact.of([[Fraction(1)] * 3]).apply("tanh")
    assert softmax(scores, EULER).rows == ((Fraction(1, 3),) * 3,)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (arb(7), 7),
        (arb(7) + arb(0, 0.25), 7),
        (arb("7.5"), None),
        (arb(7) + arb(0, 1.5), None),
        (arb(0), 0),
        (arb(-(10**100)).exp(), 0),
        (arb(10**100).exp(), None),
        (arb(2) ** 100_000, None),
    ],
    ids=["whole", "near", "half", "wide", "zero", "tiny", "infinite", "long"],
)
def test_the_whole_number_in_a_ball_is_found_unless_it_is_too_long(value: arb, expected: int | None) -> None:
    assert whole_in(value) == expected


def test_balls_are_multiplied_alike_in_one_go_and_in_strips(monkeypatch: pytest.MonkeyPatch) -> None:
    left = [[Fraction(i - j, 1 + i + j) for j in range(4)] for i in range(7)]
    right = [[Fraction(i * j - 3, 2 + j) for j in range(3)] for i in range(4)]
    monkeypatch.setattr(balls, "LARGEST_STRIP", 2 * 4 * 3 * 128)
    with at_precision(128):
        product = Balls.of(left) @ Balls.of(right)
        assert product.shape == (7, 3)
        for i, row in enumerate(product.rows):
            for j, entry in enumerate(row):
                true = sum(left[i][k] * right[k][j] for k in range(4))
                assert entry.overlaps(ball(true))
                assert entry.rad() < 1e-30
