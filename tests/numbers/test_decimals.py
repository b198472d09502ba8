"""Certified rounding, held against `decimal` (rationals) and against mpmath at 250 digits (everything else)."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
import sympy
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.each import each, pairs

from attnsolve.numbers import closed
from attnsolve.numbers.balls import at_precision, midpoint
from attnsolve.numbers.decimals import (
    Decimal,
    Undecided,
    certify,
    certify_places,
    decade_of,
    round_ball,
    round_fraction,
    round_to_places,
    terminating,
)
from attnsolve.numbers.surds import EULER, square_root
from attnsolve.numbers.written import Real

REFERENCE_DIGITS = 250
TRUNCATED = decimal.Context(prec=400, rounding=decimal.ROUND_DOWN, Emin=-(10**9), Emax=10**9)


def correctly_rounded(value: Fraction, figures: int) -> decimal.Decimal:
    """Half away from zero, by the standard library: a quotient cut off far beyond any tie, then rounded once."""
    quotient = TRUNCATED.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
    school = decimal.Context(prec=figures, rounding=decimal.ROUND_HALF_UP, Emin=-(10**9), Emax=10**9)
    return school.plus(quotient)


def fraction_of(value: mpmath.mpf) -> Fraction:
    """The very number that an mpf is."""
    sign, mantissa, exponent, _ = value._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


def assert_rounds(number: closed.Cell, value: mpmath.mpf, figures: int) -> None:
    """An irrational number is printed with just so many figures, and those are the right ones."""
    printed = Real.of(number).decimal(figures)
    assert decimal.Decimal(str(printed)) == correctly_rounded(fraction_of(value), figures)
    assert len(printed.digits) == figures
    assert not printed.exact


@pytest.fixture(autouse=True)
def reference_precision() -> Iterator[None]:
    with mpmath.workdps(REFERENCE_DIGITS):
        yield


figures = st.integers(1, 30)
rationals = st.builds(
    lambda over, under, shift: Fraction(over, under) * Fraction(10) ** shift,
    st.integers(-(10**12), 10**12),
    st.integers(1, 10**9),
    st.integers(-40, 40),
)
small = st.builds(Fraction, st.integers(-300, 300), st.integers(1, 40))
signs = st.sampled_from((1, -1))


def mpf(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


# ── rationals ─────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=400, deadline=None)
@given(rationals, figures)
def test_a_rational_is_rounded_half_away_from_zero(value: Fraction, figures: int) -> None:
    printed = round_fraction(value, figures)
    if value.denominator == 1 and abs(value) < 10**20:
        assert Fraction(str(printed)) == value
    else:
        assert decimal.Decimal(str(printed)) == correctly_rounded(value, figures)


@settings(max_examples=120, deadline=None)
@given(rationals, figures)
def test_a_rational_is_called_exact_just_when_nothing_was_rounded_away(value: Fraction, figures: int) -> None:
    printed = round_fraction(value, figures)
    assert printed.exact == (Fraction(str(printed)) == value)
    assert printed.negative == (value < 0)
    if not printed.exact:
        assert len(printed.digits) == figures


@settings(max_examples=120, deadline=None)
@given(rationals, figures)
def test_a_number_and_its_negative_round_alike(value: Fraction, figures: int) -> None:
    up, down = round_fraction(value, figures), round_fraction(-value, figures)
    assert (up.digits, up.exponent, up.exact) == (down.digits, down.exponent, down.exact)


@settings(max_examples=120, deadline=None)
@given(st.integers(1, 10**8), st.integers(-40, -1), signs)
def test_an_exact_tie_rounds_away_from_zero(kept: int, shift: int, sign: int) -> None:
    figures = len(str(kept))
    tie = sign * Fraction(2 * kept + 1, 2) * Fraction(10) ** shift
    away = sign * (kept + 1) * Fraction(10) ** shift
    assert Fraction(str(round_fraction(tie, figures))) == away


@settings(max_examples=120, deadline=None)
@given(st.integers(1, 10**8), st.integers(-40, -9), signs, signs, st.integers(30, 60))
def test_a_rational_within_a_hair_of_a_tie_goes_to_its_own_side(
    kept: int, shift: int, sign: int, side: int, hair: int
) -> None:
    unit = Fraction(10) ** shift
    value = sign * (Fraction(2 * kept + 1, 2) + side * Fraction(1, 10**hair)) * unit
    nearest = sign * (kept + (side > 0)) * unit
    assert Fraction(str(round_fraction(value, len(str(kept))))) == nearest


@each("exponent, side, figures", pairs([-30, -6, -1, 0, 1, 6, 7, 30], [1, -1], [1, 2, 6, 20]))
def test_a_rational_just_beside_a_power_of_ten_is_rounded_to_it(exponent: int, side: int, figures: int) -> None:
    power = Fraction(10) ** exponent
    printed = round_fraction(power * (1 + side * Fraction(1, 3 * 10**40)), figures)
    assert Fraction(str(printed)) == power
    assert printed == Decimal(False, "1" + "0" * (figures - 1), exponent, exact=False)


@pytest.mark.parametrize(
    ("value", "figures", "text"),
    [
        (Fraction(0), 4, "0"),
        (Fraction(1, 8), 2, "0.13"),
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(1, 8), 3, "0.125"),
        (Fraction(1, 8), 9, "0.125"),
        (Fraction(5, 2), 1, "3"),
        (Fraction(-5, 2), 1, "-3"),
        (Fraction(7, 2), 1, "4"),
        (Fraction(1, 3), 4, "0.3333"),
        (Fraction(2, 3), 4, "0.6667"),
        (Fraction(2, 3), 1, "0.7"),
        (Fraction(19999, 2), 4, "1.000e+04"),
        (Fraction(19999, 2), 5, "9999.5"),
        (Fraction(199999, 2), 5, "1.0000e+05"),
        (Fraction(12345, 2), 4, "6173"),
        (Fraction(99995, 100000), 4, "1.000"),
        (Fraction(99994, 100000), 4, "0.9999"),
        (Fraction(123456789), 4, "123456789"),
        (Fraction(-10) ** 7, 4, "-1e+07"),
        (Fraction(1, 10**5), 4, "0.00001"),
        (Fraction(1, 10**6), 4, "1e-06"),
        (Fraction(1, 3 * 10**62), 3, "3.33e-63"),
        (Fraction(2 * 10**40, 3), 3, "6.67e+39"),
    ],
)
def test_a_rational_is_printed_as_a_person_would_write_it(value: Fraction, figures: int, text: str) -> None:
    assert str(round_fraction(value, figures)) == text


@settings(max_examples=120, deadline=None)
@given(st.integers(-(10**25), 10**25), st.integers(0, 40), st.integers(0, 40))
def test_a_decimal_that_ends_is_given_whole(number: int, twos: int, fives: int) -> None:
    value = Fraction(number, 2**twos * 5**fives)
    whole = terminating(value)
    assert whole is not None
    assert whole.exact
    assert Fraction(str(whole)) == value
    assert whole.digits == "0" or not whole.digits.endswith("0")


@given(st.integers(1, 10**9), st.integers(1, 10**6), st.sampled_from((3, 7, 11, 13, 999983)))
def test_a_decimal_that_never_ends_is_not_called_whole(over: int, under: int, prime: int) -> None:
    value = Fraction(over, under * prime)
    if value.denominator % prime == 0:
        assert terminating(value) is None


# ── irrational numbers ────────────────────────────────────────────────────────────────────────────


@settings(max_examples=120, deadline=None)
@given(small, small.filter(bool), st.integers(2, 500).filter(lambda n: int(n**0.5 + 0.5) ** 2 != n), figures)
def test_a_surd_is_rounded_correctly(whole: Fraction, times: Fraction, radicand: int, figures: int) -> None:
    expression = whole + times * square_root(radicand)
    assert_rounds(expression, mpf(whole) + mpf(times) * mpmath.sqrt(radicand), figures)


@settings(max_examples=120, deadline=None)
@given(small.filter(bool), small.filter(bool), figures)
def test_an_exponential_is_rounded_correctly(exponent: Fraction, times: Fraction, figures: int) -> None:
    expression = times * sympy.exp(exponent)
    assert_rounds(expression, mpf(times) * mpmath.exp(mpf(exponent)), figures)


@settings(max_examples=120, deadline=None)
@given(
    st.lists(small, min_size=2, max_size=5, unique=True),
    st.lists(small.filter(bool), min_size=5, max_size=5),
    st.sampled_from((EULER, Fraction(2), Fraction(3), Fraction(3, 2))),
    figures,
)
def test_a_quotient_of_powers_is_rounded_correctly(
    exponents: list[Fraction], coefficients: list[Fraction], base: closed.Base, figures: int
) -> None:
    over: list[closed.Cell] = []
    under: list[closed.Cell] = []
    value_over, value_under = mpmath.mpf(0), mpmath.mpf(0)
    for exponent, coefficient in zip(exponents, coefficients, strict=False):
        power = closed.exponential(base, exponent)
        over, under = [*over, closed.multiply(power, coefficient)], [*under, power]
        value = (mpmath.e if base is EULER else mpf(base)) ** mpf(exponent)
        value_over, value_under = value_over + mpf(coefficient) * value, value_under + value
    cell = closed.divide(closed.add(over), closed.add(under))
    if isinstance(cell, closed.Quotient):
        assert_rounds(cell, value_over / value_under, figures)
    else:
        assert abs(mpf(cell) - value_over / value_under) < mpmath.mpf(10) ** -200


TINY: dict[str, tuple[Callable[[int], sympy.Expr], Callable[[int], mpmath.mpf]]] = {
    "surd": (lambda hair: square_root(2) / 10**hair, lambda hair: mpmath.sqrt(2) / mpmath.mpf(10) ** hair),
    "exponential": (lambda hair: sympy.exp(-3 * hair), lambda hair: mpmath.exp(-3 * hair)),
}


@pytest.mark.parametrize("sort", TINY)
@settings(max_examples=150, deadline=None)
@given(st.integers(1, 10**8), st.integers(-30, 10), signs, signs, st.integers(31, 150))
def test_an_irrational_within_a_hair_of_a_tie_goes_to_its_own_side(
    sort: str, kept: int, shift: int, sign: int, side: int, hair: int
) -> None:
    expression, value = TINY[sort]
    unit = Fraction(10) ** shift
    tie = sign * Fraction(2 * kept + 1, 2)
    printed = Real.of((tie + sign * side * expression(hair)) * unit).decimal(len(str(kept)))
    assert Fraction(str(printed)) == sign * (kept + (side > 0)) * unit
    near = fraction_of((mpf(tie) + sign * side * value(hair)) * mpf(unit))
    assert decimal.Decimal(str(printed)) == correctly_rounded(near, len(str(kept)))


@each("sort, exponent, side, figures", pairs(TINY, [-25, -6, -5, -1, 0, 1, 6, 7, 25], [1, -1], [1, 2, 6, 40, 100]))
def test_an_irrational_beside_a_power_of_ten_has_the_figures_of_its_own_side(
    sort: str, exponent: int, side: int, figures: int
) -> None:
    expression, value = (form(60) for form in TINY[sort])
    power = mpmath.mpf(10) ** exponent
    assert_rounds((1 + side * expression) * Fraction(10) ** exponent, (1 + side * value) * power, figures)


@pytest.mark.parametrize("figures", [1, 3, 6, 50])
@pytest.mark.parametrize("exponent", [-20000, -1234, 1234, 20000])
def test_enormous_and_vanishing_exponentials_are_rounded_correctly(exponent: int, figures: int) -> None:
    assert_rounds(sympy.exp(exponent), mpmath.exp(exponent), figures)


def test_a_number_is_rounded_once_and_not_from_digits_already_rounded() -> None:
    nearly = Real.of(Fraction(1249999, 10**7) + square_root(2) / 10**9)
    assert str(nearly.decimal(5)) == "0.12500"
    assert str(nearly.decimal(2)) == "0.12"


# ── what a ball proves ────────────────────────────────────────────────────────────────────────────


def ends(ball: arb) -> tuple[Fraction, Fraction]:
    """The two ends of a ball, exactly."""
    middle, radius = (
        Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
        for mantissa, exponent in (ball.mid().man_exp(), ball.rad().man_exp())
    )
    return middle - radius, middle + radius


@settings(max_examples=250, deadline=None)
@given(rationals.filter(bool), st.integers(1, 12), st.integers(-12, 1), st.integers(1, 12))
def test_a_ball_gives_digits_only_when_both_its_ends_round_to_them(
    middle: Fraction, size: int, scale: int, figures: int
) -> None:
    with at_precision(400):
        radius = abs(middle) * size * Fraction(10) ** scale
        ball = arb(arb(fmpq(middle.numerator, middle.denominator)).mid(), float(radius))
        printed = round_ball(ball, figures)
    low, high = ends(ball)
    rounded = {correctly_rounded(end, figures) for end in (low, high)}
    if printed is not None:
        assert not low <= 0 <= high
        assert rounded == {decimal.Decimal(str(printed))}
    else:
        assert low <= 0 <= high or touches_a_boundary(low, high, figures)


def touches_a_boundary(low: Fraction, high: Fraction, figures: int) -> bool:
    """Whether a rounding boundary or a power of ten lies in an interval or a thousandth of its width beside it."""
    margin = (high - low) / 1000
    outer = [correctly_rounded(end, figures) for end in (low - margin, high + margin)]
    cut = [TRUNCATED.divide(end.numerator, end.denominator).adjusted() for end in (low - margin, high + margin)]
    return outer[0] != outer[1] or cut[0] != cut[1]


def test_a_ball_that_contains_zero_proves_no_digit() -> None:
    assert round_ball(arb(0, 1e-30), 1) is None
    assert round_ball(arb(1e-31, 1e-30), 1) is None


def test_the_ball_that_is_zero_is_an_exact_zero() -> None:
    assert round_ball(arb(0), 6) == Decimal(False, "0", 0, exact=True)


def test_precision_doubles_until_the_digits_are_proven() -> None:
    wanted = []

    def ball_at(bits: int) -> arb:
        wanted.append(bits)
        return (arb(1) / 8 + arb(10) ** -100).sqrt() ** 2

    assert str(certify(ball_at, 2)) == "0.13"
    assert len(wanted) > 1
    assert all(later == 2 * earlier for earlier, later in pairwise(wanted))


def test_a_tie_that_no_precision_decides_is_given_with_more_figures() -> None:
    assert str(certify(lambda bits: arb(1) / 3 * 3 / 8, 2)) == "0.125"
    assert str(certify(lambda bits: arb(1) / 3 * 3 / -8, 2)) == "-0.125"


def test_a_zero_that_no_precision_decides_is_a_rounded_zero() -> None:
    assert certify(lambda bits: arb(1) / 3 * 3 - 1, 4) == Decimal(False, "0", 0, exact=False)


# ── to so many decimal places ─────────────────────────────────────────────────────────────────────


def correctly_placed(value: Fraction, places: int) -> decimal.Decimal:
    """Half away from zero at a decimal place, by the standard library."""
    quotient = TRUNCATED.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
    return quotient.quantize(decimal.Decimal(1).scaleb(-places), decimal.ROUND_HALF_UP, TRUNCATED)


places = st.integers(0, 12)
moderate = st.builds(Fraction, st.integers(-(10**9), 10**9), st.integers(1, 10**6))


@settings(max_examples=120, deadline=None)
@given(moderate, places)
def test_a_rational_is_rounded_to_places_half_away_from_zero(value: Fraction, places: int) -> None:
    printed = round_to_places(value, places)
    expected = correctly_placed(value, places)
    assert printed.plain() == str(printed) == f"{abs(expected) if expected == 0 else expected:f}"
    assert printed.exact == (printed.fraction == value)


@settings(max_examples=120, deadline=None)
@given(st.integers(-(10**6), 10**6), places)
def test_a_tie_between_places_rounds_away_from_zero(kept: int, places: int) -> None:
    sign = -1 if kept < 0 else 1
    printed = round_to_places(sign * Fraction(2 * abs(kept) + 1, 2) / 10**places, places)
    assert printed.fraction == Fraction(sign * (abs(kept) + 1), 10**places)


@settings(max_examples=200, deadline=None)
@given(small, small.filter(bool), places)
def test_an_irrational_is_rounded_to_places_correctly(whole: Fraction, times: Fraction, places: int) -> None:
    printed = Real.of(whole + times * square_root(2)).to_places(places)
    expected = correctly_placed(fraction_of(mpf(whole) + mpf(times) * mpmath.sqrt(2)), places)
    assert decimal.Decimal(str(printed)) == expected
    assert not printed.exact


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("sign", [1, -1])
def test_an_irrational_within_a_hair_of_a_tie_between_places_goes_to_its_own_side(side: int, sign: int) -> None:
    nearly = sign * (Fraction(5, 1000) + side * square_root(2) / 10**80)
    assert Real.of(nearly).to_places(2).fraction == Fraction(sign * (side > 0), 100)


def test_what_no_precision_tells_from_a_tie_between_places_is_taken_for_the_tie() -> None:
    assert str(certify_places(lambda bits: arb(1) / 3 * 3 / 8, 2)) == "0.13"
    assert str(certify_places(lambda bits: arb(1) / 3 * 3 / -8, 2)) == "-0.13"


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction(0), 2, "0.00"),
        (Fraction(-1, 1000), 2, "0.00"),
        (Fraction(1, 20), 2, "0.05"),
        (Fraction(-1, 200), 2, "-0.01"),
        (Fraction(1, 8), 2, "0.13"),
        (Fraction(9999, 1000), 2, "10.00"),
        (Fraction(5, 2), 0, "3"),
        (Fraction(1234567, 100), 1, "12345.7"),
    ],
)
def test_every_place_is_shown(value: Fraction, places: int, text: str) -> None:
    assert str(round_to_places(value, places)) == text


# ── as text ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("number", "plain", "scientific", "text"),
    [
        (Decimal(False, "0", 0, True), "0", ("0", 0), "0"),
        (Decimal(False, "5", 0, True), "5", ("5", 0), "5"),
        (Decimal(True, "2473", -3, False), "-0.002473", ("-2.473", -3), "-0.002473"),
        (Decimal(False, "12", 3, True), "1200", ("1.2", 3), "1200"),
        (Decimal(False, "12345", 1, False), "12.345", ("1.2345", 1), "12.345"),
        (Decimal(False, "1000", 0, False), "1.000", ("1.000", 0), "1.000"),
        (Decimal(False, "1235", 3, False), "1235", ("1.235", 3), "1235"),
        (Decimal(False, "1235", 4, False), "12350", ("1.235", 4), "1.235e+04"),
        (Decimal(False, "1235", 4, True), "12350", ("1.235", 4), "12350"),
        (Decimal(False, "1235", 6, True), "1235000", ("1.235", 6), "1235000"),
        (Decimal(False, "1235", 7, True), "12350000", ("1.235", 7), "1.235e+07"),
        (Decimal(False, "123456789", 8, True), "123456789", ("1.23456789", 8), "123456789"),
        (Decimal(False, "123456789", 9, True), "1234567890", ("1.23456789", 9), "1.23456789e+09"),
        (Decimal(False, "99", -5, False), "0.000099", ("9.9", -5), "0.000099"),
        (Decimal(False, "99", -6, False), "0.0000099", ("9.9", -6), "9.9e-06"),
        (Decimal(True, "690", -13, False), "-0.000000000000690", ("-6.90", -13), "-6.90e-13"),
        (Decimal(False, "165", -62, False), "0." + "0" * 61 + "165", ("1.65", -62), "1.65e-62"),
        (Decimal(False, "1", -142, False), "0." + "0" * 141 + "1", ("1", -142), "1e-142"),
    ],
)
def test_a_decimal_is_plain_near_one_and_scientific_far_from_it(
    number: Decimal, plain: str, scientific: tuple[str, int], text: str
) -> None:
    assert number.plain() == plain
    assert number.scientific() == scientific
    assert str(number) == text


@settings(max_examples=120, deadline=None)
@given(st.booleans(), st.integers(1, 10**25), st.integers(-60, 60), st.booleans())
def test_both_forms_are_the_same_number(negative: bool, number: int, exponent: int, exact: bool) -> None:
    shown = Decimal(negative, str(number), exponent, exact)
    value = (-1 if negative else 1) * number * Fraction(10) ** (exponent - len(str(number)) + 1)
    mantissa, power = shown.scientific()
    assert Fraction(shown.plain()) == Fraction(mantissa) * Fraction(10) ** power == Fraction(str(shown)) == value
    assert shown.fraction == value


# ── tanh ──────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=60, deadline=None)
@given(st.builds(Fraction, st.integers(-400, 400), st.integers(1, 60)).filter(bool), st.integers(1, 60))
def test_every_digit_of_a_tanh_is_right(x: Fraction, figures: int) -> None:
    real = Real.of(closed.tanh(Fraction(x)))
    with mpmath.workdps(500):
        true = mpmath.tanh(mpmath.mpf(x.numerator) / x.denominator)
        printed = mpmath.mpf(real.decimal(figures).plain())
        unit = mpmath.mpf(10) ** (real.decimal(figures).exponent + 1 - figures)
        assert abs(printed - true) <= unit / 2


def test_a_tanh_far_out_is_not_one() -> None:
    gap = closed.add((Fraction(1), closed.multiply(closed.tanh(Fraction(30)), Fraction(-1))))
    assert str(Real.of(gap).decimal(6)) == "1.75130e-26"  # 2/(e^60 + 1)


# ── what a midpoint alone would get wrong ─────────────────────────────────────────────────────────


@pytest.mark.parametrize("wide", [arb(0.125, 0.01), arb(0.124, 0.01)])
def test_places_are_not_read_off_the_middle_of_a_ball(wide: arb) -> None:
    wanted = []

    def ball_at(bits: int) -> arb:
        wanted.append(bits)
        return wide if len(wanted) == 1 else arb("0.1251", 1e-9)

    assert str(certify_places(ball_at, 2)) == "0.13"
    assert len(wanted) == 2


@pytest.mark.parametrize(("side", "nearest"), [(1, 1 + 2**-52), (-1, 1.0)])
def test_the_nearest_float_beside_a_tie_of_two_is_that_of_its_own_side(side: int, nearest: float) -> None:
    beside = 1 + Fraction(1, 2**53) + side * square_root(2) / 10**60
    assert Real.of(beside).nearest_float() == nearest


def test_whole_numbers_are_whole_up_to_20_digits() -> None:
    assert str(round_fraction(Fraction(12345678901234567891), 4)) == "12345678901234567891"
    assert str(round_fraction(Fraction(123456789012345678912), 4)) == "1.235e+20"


@pytest.mark.parametrize("exponent", [-400, -308, -20, -1, 0, 1, 20, 308, 400])
@pytest.mark.parametrize("lead", [Fraction(1), Fraction(99999999, 10**7), Fraction(5)])
def test_digits_begin_where_a_number_does_within_floats_and_beyond(lead: Fraction, exponent: int) -> None:
    value = lead * Fraction(10) ** exponent
    with at_precision(2000):
        rounded = round_ball(arb(fmpq(value.numerator, value.denominator)) * (1 + arb(10) ** -50), 6)
    assert rounded is not None
    assert decimal.Decimal(str(rounded)) == correctly_rounded(value, 6)


# ── compared without being written out ────────────────────────────────────────────────────────────

printed = st.builds(
    Decimal, st.booleans(), st.text("0123456789", min_size=1, max_size=12), st.integers(-60, 60), st.booleans()
)


def value_of(printed: Decimal) -> Fraction:
    """By the standard library's own reading."""
    mantissa, exponent = printed.scientific()
    return Fraction(f"{mantissa}e{exponent}")


@given(printed, rationals, rationals)
def test_a_decimal_lies_within_what_its_fraction_lies_within(printed: Decimal, one: Fraction, other: Fraction) -> None:
    low, high = sorted((one, other))
    value = value_of(printed)
    assert printed.is_within(low, high) == (low <= value <= high)
    assert printed.is_within(value, max(value, high))
    assert printed.is_within(min(value, low), value)


@given(printed, printed)
def test_decimals_are_ordered_as_their_absolute_values(one: Decimal, other: Decimal) -> None:
    assert (one.size > other.size) == (abs(value_of(one)) > abs(value_of(other)))
    assert (one.size == other.size) == (abs(value_of(one)) == abs(value_of(other)))


@given(rationals.filter(bool))
def test_the_decade_of_a_fraction_is_its_power_of_ten(value: Fraction) -> None:
    assert Fraction(10) ** decade_of(value) <= abs(value) < Fraction(10) ** (decade_of(value) + 1)


FAR = 3 * 10**9
"""Ten to this power has more digits than a machine has memory."""


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize(("exponent", "inside"), [(FAR, False), (-FAR, True)])
def test_powers_of_ten_without_end_are_compared_and_never_written_out(
    exponent: int, inside: bool, negative: bool
) -> None:
    number = Decimal(negative, "4756", exponent, False)
    assert number.is_within(Fraction(-1), Fraction(1)) == inside
    assert not number.is_within(Fraction(0), Fraction(0))
    with pytest.raises(Undecided):
        _ = number.fraction


def test_the_midpoint_of_a_ball_is_a_fraction_only_while_that_is_short() -> None:
    assert midpoint(arb(fmpq(-3, 8))) == Fraction(-3, 8)
    assert midpoint(arb(10**10).exp()) is None
    assert midpoint((-arb(10**10)).exp()) is None


@given(st.integers(-(10**9), 10**9), rationals)
def test_how_far_a_root_lies_from_a_fraction_is_proven(inside: int, value: Fraction) -> None:
    inside = abs(inside) + 2
    root = Real.of(square_root(Fraction(inside)))
    true = abs(fraction_of(mpmath.sqrt(inside)) - value)
    assert decimal.Decimal(str(root.away_from(value).decimal(12))) == correctly_rounded(true, 12)
