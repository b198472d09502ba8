"""What a problem prints, held digit by digit against mpmath at 400 digits: through the file, as a user comes to it.

Ties of rationals go away from zero; anything beside a tie, however near, goes to its own side. A few values in an
ordinary run, `ATTNSOLVE_EXAMPLES=2000 pytest tests/numbers/test_certified.py` tries so many of each sort.
"""

from __future__ import annotations

import decimal
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isqrt

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.effort import tries
from shared.exactly import solve

DIGITS = 400
WIDE = decimal.Context(prec=DIGITS, rounding=decimal.ROUND_DOWN, Emin=-(10**9), Emax=10**9)

figures = st.integers(1, 50)
signs = st.sampled_from((1, -1))
rationals = st.builds(Fraction, st.integers(-400, 400), st.integers(1, 60))


@pytest.fixture(autouse=True)
def reference_precision() -> Iterator[None]:
    with mpmath.workdps(DIGITS):
        yield


def worth(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def true_digits(value: mpmath.mpf | Fraction, places: int) -> decimal.Decimal:
    """A value to so many significant figures, half away from zero, by the standard library."""
    if isinstance(value, Fraction):
        number = WIDE.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
    else:
        number = decimal.Decimal(mpmath.nstr(value, DIGITS - 50, min_fixed=1, max_fixed=0))
    return decimal.Context(prec=places, rounding=decimal.ROUND_HALF_UP, Emin=-(10**9), Emax=10**9).plus(number)


def scores(texts: Sequence[str]) -> str:
    """A problem whose scores are just these numbers."""
    return f"queries: [[1]]\nkeys: [{', '.join(f'[{text}]' for text in texts)}]\nscaling: none\n"


def assert_right(printed: str, value: mpmath.mpf | Fraction, places: int) -> None:
    whole = isinstance(value, Fraction) and value.denominator == 1 and abs(value) < 10**20
    expected = decimal.Decimal(int(value)) if whole else true_digits(value, places)
    assert decimal.Decimal(printed) == expected, (printed, places)


# ── ties, and beside them ─────────────────────────────────────────────────────────────────────────

KEPT = st.integers(1, 10**6)
SHIFTS = st.integers(-12, 4)
SIDES = st.sampled_from((-1, 0, 1))
RADICANDS = st.sampled_from((2, 3, 5, 7, 11))


@tries(25)
@given(
    st.lists(st.tuples(KEPT, SHIFTS, signs, st.sampled_from((-1, 0, 1)), st.integers(30, 120)), min_size=1, max_size=8)
)
def test_ties_go_away_from_zero_and_what_lies_beside_them_to_its_own_side(
    cases: list[tuple[int, int, int, int, int]],
) -> None:
    """n + ½ units exactly, and a hair of 10⁻³⁰ to 10⁻¹²⁰ of a unit, rational or not, to either side of it."""
    texts, expected = [], []
    for kept, shift, sign, side, hair in cases:
        for over in ("1", "sqrt(2)") if side else ("1",):
            more = f" {'+' if side > 0 else '-'} {over}*1e-{hair}" if side else ""
            unit = f"*10^{shift}" if shift >= 0 else f"/10^{-shift}"
            texts.append(f"{sign}*({2 * kept + 1}/2{more}){unit}")
            rounded = sign * (kept + (side >= 0)) * Fraction(10) ** shift
            whole = not side and shift > 0
            expected.append((len(str(kept)), sign * Fraction(2 * kept + 1, 2) * 10**shift if whole else rounded))
    solution = solve(scores(texts))
    for place, (kept, value) in enumerate(expected):
        assert Fraction(solution["scores"].decimals(kept)[0][place]) == value, texts[place]


@pytest.mark.parametrize(
    ("text", "digits", "printed"),
    [
        ("0.99995", 4, "1.000"),
        ("0.99994", 4, "0.9999"),
        ("-0.99995", 4, "-1.000"),
        ("1 - sqrt(2)/10^60", 50, "1." + "0" * 49),
        ("1 + sqrt(2)/10^60", 50, "1." + "0" * 49),
        ("sqrt(2)*1e-400", 5, "1.4142e-400"),
        ("-sqrt(2)*1e400", 5, "-1.4142e+400"),
        ("1e-400/3", 3, "3.33e-401"),
        ("sqrt(2) - sqrt(2)", 6, "0"),
        ("0.125", 2, "0.13"),
        ("-0.125", 2, "-0.13"),
        ("0.125 - 1e-120", 2, "0.12"),
        ("1/8 + sqrt(3)*1e-120", 2, "0.13"),
    ],
)
def test_at_the_edges_every_digit_is_right(text: str, digits: int, printed: str) -> None:
    assert solve(scores([text]))["scores"].decimals(digits) == [[printed]]


# ── values of every sort ──────────────────────────────────────────────────────────────────────────


@tries(15)
@given(st.lists(rationals, min_size=1, max_size=5), st.sampled_from(("e", "2", "3/2")), figures)
def test_every_digit_of_a_softmax_weight_is_right(row: list[Fraction], base: str, places: int) -> None:
    text = f"given: {{scores: [[{', '.join(map(str, row))}]]}}\nscaling: none\n"
    solution = solve(text if base == "e" else f"{text}softmax: {{base: {base}}}\n")
    known = mpmath.e if base == "e" else worth(Fraction(base))
    powers = [known ** worth(x) for x in row]
    same = len(set(row)) == 1
    for printed, power in zip(solution["weights"].decimals(places)[0], powers, strict=True):
        assert_right(printed, Fraction(1, len(row)) if same else power / mpmath.fsum(powers), places)


@tries(15)
@given(
    st.lists(st.tuples(rationals, rationals.filter(bool), st.sampled_from((2, 3, 5, 7, 11))), min_size=1, max_size=6),
    figures,
)
def test_every_digit_of_a_surd_is_right(cases: list[tuple[Fraction, Fraction, int]], places: int) -> None:
    solution = solve(scores([f"{a} + ({b})*sqrt({n})" for a, b, n in cases]))
    for printed, (a, b, n) in zip(solution["scores"].decimals(places)[0], cases, strict=True):
        assert_right(printed, worth(a) + worth(b) * mpmath.sqrt(n), places)


@tries(15)
@given(st.lists(rationals.filter(lambda x: 0 < abs(x) < 50), min_size=1, max_size=4), figures)
def test_every_digit_of_a_tanh_and_of_what_follows_is_right(row: list[Fraction], places: int) -> None:
    states = ", ".join(f"[{x}]" for x in row)
    text = f"kind: seq2seq\nscore: concat\nstates: [{states}]\nstate: [0]\nweights: {{W: [[1, 0]], v: [3]}}\n"
    solution = solve(text)
    squeezed = [mpmath.tanh(worth(x)) for x in row]
    for printed, x in zip(solution["hidden"].decimals(places), squeezed, strict=True):
        assert_right(printed[0], x, places)
    powers = [mpmath.exp(3 * x) for x in squeezed]
    if len(set(row)) > 1:
        context = mpmath.fsum(p * worth(x) for p, x in zip(powers, row, strict=True)) / mpmath.fsum(powers)
        (printed,) = solution["context"].decimals(places)
        assert abs(context) < mpmath.mpf(10) ** -100 or assert_right(printed, context, places) is None


@tries(15)
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=1, max_size=4), figures)
def test_every_digit_of_a_cosine_is_right(rows: list[tuple[int, int]], places: int) -> None:
    solution = solve(f"kind: seq2seq\nscore: cosine\nstates: {[list(row) for row in rows]}\nstate: [1, 2]\n")
    for printed, (x, y) in zip(solution["scores"].decimals(places), rows, strict=True):
        square = Fraction((x + 2 * y) ** 2, 5 * (x * x + y * y))
        exact = _root(square)
        assert_right(printed, mpmath.sqrt(worth(square)) if exact is None else exact, places)


def _root(square: Fraction) -> Fraction | None:
    """The square root of a fraction, if that is one."""
    root = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    return root if root * root == square else None


@tries(15)
@given(st.lists(st.tuples(rationals, st.sampled_from((2, 3, 5))), min_size=1, max_size=6), st.integers(0, 12))
def test_every_decimal_place_that_is_carried_on_is_right(cases: list[tuple[Fraction, int]], places: int) -> None:
    """Rounded to places: away from zero at a tie, whether by a hair or by much otherwise."""
    text = scores([f"{a} + sqrt({n})" for a, n in cases]) + f"rounding: {{places: {places}, when: each-step}}\n"
    for carried, (a, n) in zip(solve(text)["scores"].exact[0, :], cases, strict=True):
        true = worth(a) + mpmath.sqrt(n)
        nearest = mpmath.floor(abs(true) * 10**places + mpmath.mpf(1) / 2) * (1 if true >= 0 else -1)
        assert Fraction(int(carried.p), int(carried.q)) == Fraction(int(nearest), 10**places)


def test_a_hundred_and_fifty_digits_are_right_where_there_is_no_closed_form() -> None:
    solution = solve("kind: seq2seq\nscore: concat\nstates: [[1], [2]]\nstate: [0]\nweights: {W: [[1, 0]], v: [3]}\n")
    with mpmath.workdps(400):
        first, second = (mpmath.exp(3 * mpmath.tanh(x)) for x in (1, 2))
        (printed, _) = solution["weights"].decimals(150)
        assert len(printed.lstrip("0.")) == 150
        assert abs(mpmath.mpf(printed) - first / (first + second)) < mpmath.mpf(10) ** -150
