"""Closed forms after a softmax: what is a number comes out as that number, and the algebra agrees with mpmath."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import mpmath
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.each import each, pairs

from attnsolve.key import Key
from attnsolve.numbers import Unavailable, closed
from attnsolve.numbers.balls import ball
from attnsolve.numbers.closed import MOST_TERMS, Base, Cell, Number, PowersOfBase, Quotient, expression
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.sums import Sum
from attnsolve.numbers.surds import EULER, MINUS_INFINITY, square_root
from attnsolve.operations.formula import Ref
from attnsolve.operations.softmax import Softmax

DIGITS = 50
ROOT_2 = square_root(2)
BETA = sympy.Symbol("beta", positive=True)


class Both(NamedTuple):
    """A number twice: as we have it, and as mpmath does."""

    exact: Number
    value: mpmath.mpf


def softmax(base: Base, exponents: Sequence[Number]) -> list[Cell]:
    powers = [closed.exponential(base, exponent) for exponent in exponents]
    total = closed.add(powers)
    return [closed.divide(power, total) for power in powers]


def value(cell: Cell) -> mpmath.mpf:
    """What a cell is worth, by mpmath alone."""
    with mpmath.workdps(DIGITS + 20):
        if isinstance(cell, Quotient):
            base = number(cell.home.base)
            return cell.valued(number, lambda exponent: base ** number(exponent), mpmath.fsum)
        return number(cell)


def number(exact: Number) -> mpmath.mpf:
    return mpmath.mpmathify(expression(exact).evalf(DIGITS + 20))


def assert_close(cell: Cell, expected: mpmath.mpf, scale: mpmath.mpf | int = 1) -> None:
    with mpmath.workdps(DIGITS + 20):
        bound = mpmath.mpf(10) ** -DIGITS * max(abs(expected), scale)
        assert abs(value(cell) - expected) <= bound


def both(whole: Fraction, times: Fraction, radicand: int) -> Both:
    """whole + times · √radicand."""
    with mpmath.workdps(DIGITS + 20):
        exact = whole + times * square_root(radicand)
        near = mpmath.mpf(whole.numerator) / whole.denominator
        return Both(exact, near + mpmath.mpf(times.numerator) / times.denominator * mpmath.sqrt(radicand))


fractions = st.builds(Fraction, st.integers(-12, 12), st.integers(1, 6))
rationals = st.builds(both, fractions, st.just(Fraction(0)), st.just(1))
surds = st.builds(both, fractions, fractions, st.sampled_from((2, 3, 5)))
plain_bases = st.sampled_from((EULER, Fraction(2), Fraction(3), Fraction(3, 2)))


@st.composite
def weights(draw: st.DrawFn, base: Base, exponents: Sequence[Both]) -> tuple[Cell, mpmath.mpf]:
    """One weight of a softmax row times a number, as a cell and as mpmath has it."""
    chosen, times = draw(st.integers(0, len(exponents) - 1)), draw(rationals)
    cell = closed.multiply(softmax(base, [e.exact for e in exponents])[chosen], times.exact)
    with mpmath.workdps(DIGITS + 20):
        powers = [number(base) ** e.value for e in exponents]
        return cell, powers[chosen] / mpmath.fsum(powers) * times.value


@st.composite
def operands(draw: st.DrawFn, count: int) -> list[tuple[Cell, mpmath.mpf]]:
    """Some weights of one base, of one row or of different rows, and plain numbers among them."""
    base = draw(plain_bases)
    exponents = surds if base is EULER else rationals
    rows = [draw(st.lists(exponents, min_size=2, max_size=longest)) for longest in (3, 2)]
    found: list[tuple[Cell, mpmath.mpf]] = []
    for _ in range(count):
        if draw(st.booleans()) or draw(st.booleans()):
            found.append(draw(weights(base, draw(st.sampled_from(rows)))))
        else:
            found.append(tuple(draw(rationals)))
    return found


# ── uniform rows ──────────────────────────────────────────────────────────────────────────────────

ANY_BASE = [EULER, Fraction(2), Fraction(4), Fraction(8, 27), Fraction(1, 2), ROOT_2, sympy.pi]
ANY_SCORE = [
    Fraction(0),
    Fraction(-7),
    Fraction(5, 3),
    3 * ROOT_2,
    1 + square_root(3) / 2,
    Fraction(10**6),
]


@each("base, score, length", pairs(ANY_BASE, [*ANY_SCORE, BETA, 2 * BETA + 1], [1, 2, 3, 7, 60]))
def test_a_row_of_equal_scores_has_weights_of_exactly_one_in_n(base: Base, score: Number, length: int) -> None:
    assert softmax(base, [score] * length) == [Fraction(1, length)] * length


@settings(max_examples=70, deadline=None)
@given(plain_bases, st.lists(rationals, min_size=1, max_size=6))
def test_the_weights_of_a_row_sum_to_exactly_one(base: Base, scores: list[Both]) -> None:
    assert closed.add(softmax(base, [score.exact for score in scores])) == 1


@settings(max_examples=70, deadline=None)
@given(st.lists(surds, min_size=1, max_size=6))
def test_the_weights_of_a_row_of_surds_sum_to_exactly_one(scores: list[Both]) -> None:
    assert closed.add(softmax(EULER, [score.exact for score in scores])) == 1


def test_minus_infinity_has_the_weight_zero() -> None:
    assert softmax(EULER, [MINUS_INFINITY, Fraction(1), MINUS_INFINITY, Fraction(1)]) == [
        0,
        Fraction(1, 2),
        0,
        Fraction(1, 2),
    ]


def test_the_only_score_that_is_not_minus_infinity_has_the_weight_one() -> None:
    assert softmax(Fraction(2), [MINUS_INFINITY, ROOT_2, MINUS_INFINITY]) == [0, 1, 0]


# ── exact zeros ───────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=70, deadline=None)
@given(operands(1))
def test_a_cell_less_itself_is_exactly_zero(operand: list[tuple[Cell, mpmath.mpf]]) -> None:
    ((cell, _),) = operand
    assert closed.add([cell, closed.multiply(cell, Fraction(-1))]) == 0


@settings(max_examples=70, deadline=None)
@given(operands(2))
def test_a_sum_less_both_its_terms_is_exactly_zero(pair: list[tuple[Cell, mpmath.mpf]]) -> None:
    (left, _), (right, _) = pair
    negated = [closed.multiply(cell, Fraction(-1)) for cell in (left, right)]
    total = closed.add([left, right])
    assert closed.add([total, *negated]) == 0
    assert closed.add([closed.add(negated), total]) == 0


def test_equal_weights_of_opposite_values_cancel_to_zero() -> None:
    middle, left, right = softmax(EULER, [Fraction(1), ROOT_2, ROOT_2])
    assert isinstance(middle, Quotient)
    assert closed.add([left, closed.multiply(right, Fraction(-1))]) == 0


def test_weights_shifted_by_a_constant_differ_by_exactly_zero() -> None:
    scores = [Fraction(2), Fraction(8), Fraction(-20)]
    shifted = [score + Fraction(7, 3) + ROOT_2 for score in scores]
    pairs = zip(softmax(EULER, scores), softmax(EULER, shifted), strict=True)
    assert [closed.add([a, closed.multiply(b, Fraction(-1))]) for a, b in pairs] == [0, 0, 0]


def test_a_zero_factor_makes_zero() -> None:
    weight = softmax(EULER, [Fraction(1), Fraction(0)])[0]
    assert closed.multiply(weight, Fraction(0)) == 0
    assert closed.multiply(Fraction(0), weight) == 0


def test_terms_that_cancel_leave_the_sum() -> None:
    half = closed.power(EULER, Fraction(1, 2))
    assert closed.add((half, closed.multiply(half, Fraction(-1)))) == 0


# ── powers of a rational base ─────────────────────────────────────────────────────────────────────


def rational_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """base^exponent where that is rational, by integer roots."""
    raised = base**exponent.numerator
    over, whole_over = sympy.integer_nthroot(raised.numerator, exponent.denominator)
    under, whole_under = sympy.integer_nthroot(raised.denominator, exponent.denominator)
    return Fraction(int(over), int(under)) if whole_over and whole_under else None


bases = st.sampled_from([*map(Fraction, (2, 3, 4, 6, 8, 9, 16, 27, 32, 36, 64, 72, 100, 1000))]) | st.sampled_from(
    [Fraction(1, 2), Fraction(1, 4), Fraction(8, 27), Fraction(9, 4), Fraction(2, 3), Fraction(16, 81), Fraction(3, 4)]
)


@settings(max_examples=200, deadline=None)
@given(bases, st.builds(Fraction, st.integers(-30, 30), st.integers(1, 12)))
def test_a_power_is_a_number_just_when_it_is_rational(base: Fraction, exponent: Fraction) -> None:
    power = closed.power(Fraction(base), Fraction(exponent))
    expected = rational_power(base, exponent)
    assert len(power.over) == 1
    if expected is None:
        assert 0 not in power.over
    else:
        assert power.over == {0: Fraction(expected)}


@settings(max_examples=200, deadline=None)
@given(bases, st.builds(Fraction, st.integers(-60, 60), st.integers(1, 12)))
def test_a_power_keeps_its_value_in_normal_form(base: Fraction, exponent: Fraction) -> None:
    power = closed.power(Fraction(base), Fraction(exponent))
    assert all(0 <= e < 1 for e in power.over)
    with mpmath.workdps(DIGITS + 20):
        raised = mpmath.power(
            mpmath.mpf(base.numerator) / base.denominator, mpmath.mpf(exponent.numerator) / exponent.denominator
        )
    assert_close(power, raised, scale=0)


@pytest.mark.parametrize(
    ("base", "exponent", "result"),
    [
        ("4", "3/2", "8"),
        ("4", "-1/2", "1/2"),
        ("8", "2/3", "4"),
        ("8/27", "1/3", "2/3"),
        ("8/27", "-2/3", "9/4"),
        ("27", "4/3", "81"),
        ("1/4", "1/2", "1/2"),
        ("2", "-3", "1/8"),
        ("1000", "1/3", "10"),
    ],
)
def test_known_powers_with_fractional_exponents(base: str, exponent: str, result: str) -> None:
    assert closed.power(Fraction(base), Fraction(exponent)).over == {0: Fraction(result)}


@pytest.mark.parametrize(
    ("base", "scores", "expected"),
    [
        ("2", "1 2 0", "2/7 4/7 1/7"),
        ("4", "1/2 1 0", "2/7 4/7 1/7"),
        ("8", "1/3 2/3 0", "2/7 4/7 1/7"),
        ("8/27", "0 1/3 -1/3", "6/19 4/19 9/19"),
        ("1/2", "-1 -2 0", "2/7 4/7 1/7"),
        ("27", "-2/3 1/3", "1/28 27/28"),
        ("2", "7/2 5/2 3/2", "4/7 2/7 1/7"),
        ("2", "1/3 1/3 4/3", "1/4 1/4 1/2"),
    ],
)
def test_rational_weights_come_out_as_fractions(base: str, scores: str, expected: str) -> None:
    row = softmax(Fraction(base), [Fraction(score) for score in scores.split()])
    assert row == [Fraction(weight) for weight in expected.split()]


def test_a_weight_that_is_irrational_is_not_called_a_number() -> None:
    weights = softmax(Fraction(2), [Fraction(1, 2), Fraction(0)])
    assert all(isinstance(weight, Quotient) for weight in weights)
    with mpmath.workdps(DIGITS + 20):
        expected = 2 - mpmath.sqrt(2)
    assert_close(weights[0], expected)


# ── the algebra, against mpmath ───────────────────────────────────────────────────────────────────


@settings(max_examples=70, deadline=None)
@given(operands(3))
def test_a_sum_has_the_value_of_its_terms(terms: list[tuple[Cell, mpmath.mpf]]) -> None:
    with mpmath.workdps(DIGITS + 20):
        expected = mpmath.fsum(near for _, near in terms)
        scale = max(abs(near) for _, near in terms)
    assert_close(closed.add([cell for cell, _ in terms]), expected, scale)


@settings(max_examples=70, deadline=None)
@given(operands(2))
def test_a_product_has_the_value_of_its_factors(pair: list[tuple[Cell, mpmath.mpf]]) -> None:
    (left, near_left), (right, near_right) = pair
    with mpmath.workdps(DIGITS + 20):
        expected = near_left * near_right
    assert_close(closed.multiply(left, right), expected)
    assert_close(closed.multiply(right, left), expected)


@settings(max_examples=60, deadline=None)
@given(operands(1), surds.filter(lambda n: n.exact != 0))
def test_a_quotient_has_the_value_of_its_parts(operand: list[tuple[Cell, mpmath.mpf]], divisor: Both) -> None:
    ((cell, near),) = operand
    with mpmath.workdps(DIGITS + 20):
        expected = near / divisor.value
    assert_close(closed.divide(cell, divisor.exact), expected)


@settings(max_examples=70, deadline=None)
@given(operands(2))
def test_what_is_proportional_is_a_number_and_what_is_not_stays_a_quotient(
    pair: list[tuple[Cell, mpmath.mpf]],
) -> None:
    total = closed.add([cell for cell, _ in pair])
    if isinstance(total, Quotient):
        assert closed.simplest(total) is total
        assert total.over
    else:
        assert isinstance(total, Fraction)


def test_a_ratio_of_surds_is_freed_of_roots_below() -> None:
    under = closed.add((closed.power(EULER, ROOT_2), closed.power(EULER, Fraction(1))))
    assert closed.divide(under, closed.multiply(under, ROOT_2)) == ROOT_2 / 2
    factors = 1 + ROOT_2, ROOT_2 - 1
    assert closed.divide(*(closed.multiply(under, factor) for factor in factors)) == 3 + 2 * ROOT_2


def test_sums_of_different_powers_have_no_ratio() -> None:
    one, two, three = (closed.power(EULER, Fraction(n)) for n in (1, 2, 3))
    twice = closed.multiply(two, Fraction(2))
    assert isinstance(closed.divide(one, two), Quotient)
    assert isinstance(closed.divide(one + two, one + three), Quotient)
    assert isinstance(closed.divide(one + two, closed.add((one, twice))), Quotient)
    assert closed.divide(one + two, closed.multiply(one + two, Fraction(2))) == Fraction(1, 2)


def test_a_cell_reads_as_the_expression_it_is() -> None:
    scores = [Fraction(2), Fraction(8), Fraction(-20)]
    weight = softmax(EULER, scores)[0]
    assert weight.expression() == sympy.exp(2) / (sympy.exp(2) + sympy.exp(8) + sympy.exp(-20))


def test_symbols_are_seen_wherever_they_stand() -> None:
    assert closed.has_symbols(BETA)
    assert closed.has_symbols(closed.power(EULER, 2 * BETA))
    assert all(closed.has_symbols(weight) for weight in softmax(EULER, [BETA, Fraction(0)]))
    assert not any(closed.has_symbols(weight) for weight in softmax(EULER, [ROOT_2, Fraction(0)]))
    assert not closed.has_symbols(ROOT_2)


# ── what is too long ──────────────────────────────────────────────────────────────────────────────


POWERS = PowersOfBase(EULER)


def long_sum(length: int, step: int = 1) -> Sum[Number]:
    return {Fraction(step * i): Fraction(1) for i in range(length)}


def test_a_product_of_long_sums_is_unavailable() -> None:
    assert POWERS.times(long_sum(6), long_sum(MOST_TERMS // 6, 100))
    with pytest.raises(Unavailable):
        POWERS.times(long_sum(7), long_sum(MOST_TERMS // 7 + 1, 100))


def test_one_power_times_a_long_sum_is_no_longer_than_that() -> None:
    assert len(POWERS.times({Fraction(1, 2): Fraction(3)}, long_sum(MOST_TERMS + 1))) == MOST_TERMS + 1


def test_quotients_over_long_denominators_are_unavailable_when_multiplied_or_added() -> None:
    first, second = (softmax(EULER, [Fraction(k * i) for i in range(8)])[0] for k in (1, 3))
    with pytest.raises(Unavailable):
        closed.multiply(first, second)
    with pytest.raises(Unavailable):
        closed.add([first, second])


def test_long_rows_are_available_as_long_as_they_share_a_denominator() -> None:
    row = softmax(EULER, [Fraction(i) for i in range(40)])
    assert closed.add(row) == 1


def test_quotients_of_different_bases_are_unavailable_together() -> None:
    e, two = (softmax(base, [Fraction(1, 2), Fraction(0)])[0] for base in (EULER, Fraction(2)))
    with pytest.raises(Unavailable):
        closed.add([e, two])
    with pytest.raises(Unavailable):
        closed.multiply(e, two)


def weighed(scores: Exact, base: Base = EULER) -> Exact:
    weights: Exact = Softmax(Ref(Key("s")), base=base).evaluate({Key("s"): scores}, Exact)
    return weights


def test_a_matrix_product_that_touches_too_many_terms_is_unknown_in_every_cell() -> None:
    scores = Exact.of([[Fraction(i * j % 17, 7) for j in range(20)] for i in range(20)])
    values = Exact.of([[Fraction(i + j) for j in range(60)] for i in range(20)])
    weights = weighed(scores)
    column = weights @ values.columns(0, 1)
    assert column.shape == (20, 1)
    assert column.is_whole
    assert (weights @ values).rows == ((None,) * 60,) * 20


def test_a_softmax_of_a_softmax_is_unknown() -> None:
    weights = weighed(Exact.of([[Fraction(1), Fraction(2)]]))
    assert weights.exp(EULER).rows == ((None, None),)
    assert weighed(weights).rows == ((None, None),)


def test_what_is_unknown_leaves_the_other_cells_as_they_are() -> None:
    weights = weighed(Exact.of([[Fraction(1), Fraction(2)], [Fraction(3), MINUS_INFINITY]]))
    again = weighed(weights + Exact.of([[Fraction(0), MINUS_INFINITY], [Fraction(0), Fraction(0)]]))
    assert again.rows[0] == (1, 0)
    twice = weighed(weights)
    assert twice.rows[0] == (None, None)
    assert None not in twice.rows[1]
    values = Exact.of([[Fraction(1)], [Fraction(2)]])
    assert (twice @ values).rows[0] == (None,)
    assert (twice @ values).rows[1] != (None,)


def test_a_row_that_begins_with_minus_infinity_keeps_the_root_of_its_base() -> None:
    """4^x is written in powers of 2; so is what stands below the stroke, whichever entry comes first."""
    (weights,) = weighed(Exact.of([[MINUS_INFINITY, Fraction(-3), Fraction(-5, 3)]]), Fraction(4)).rows
    first, second = 4.0**-3, 4.0 ** (-5 / 3)
    assert weights[0] == 0
    assert float(ball(weights[1])) == pytest.approx(first / (first + second), rel=1e-14)
    assert float(ball(weights[2])) == pytest.approx(second / (first + second), rel=1e-14)


def test_no_root_is_taken_apart_of_a_sum_of_roots_with_numbers_that_nobody_writes() -> None:
    """sympy's denesting takes minutes for these."""
    terms = {15312500: 5882602210229449766408076390, 64531250: 6621869723536695243876044002390, 275: 57898374350076390}
    number = sum((k * sympy.sqrt(n) for k, n in terms.items()), sympy.Rational(34523960881240860750001, 5210853691))
    assert Exact.of([[closed.tidy(number)]]).apply("sqrt").rows[0][0] is None
