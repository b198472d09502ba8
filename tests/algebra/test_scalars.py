"""Exact arithmetic with exponentials: a field, in which what is equal is found equal, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attnsolve.algebra.scalars import SPARE, Field, FieldElement
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import at_precision

x, y = (sympy.Symbol(name, positive=True) for name in "xy")
u, v = (sympy.Symbol(name, real=True) for name in "uv")
POINTS = [{x: Fraction(2, 3), y: Fraction(5, 2)}, {x: Fraction(7), y: Fraction(1, 9)}]


def field() -> tuple[Field, FieldElement, FieldElement]:
    home = Field([x, y])
    return home, home.symbol(x), home.symbol(y)


# ── random expressions, against mpmath ──────────────────────────────────────────────────────────

Grown = tuple[Callable[[Field], FieldElement], sympy.Expr]
"""The same expression twice: in our arithmetic, and as sympy writes it for mpmath."""

LEAVES: list[Grown] = [
    (lambda home: home.symbol(x), x),
    (lambda home: home.symbol(y), y),
    (lambda home: home.number(-2), sympy.Integer(-2)),
    (lambda home: home.number(1), sympy.Integer(1)),
    (lambda home: home.number(Fraction(1, 2)), sympy.Rational(1, 2)),
    (lambda home: home.symbol(x).exp(), sympy.exp(x)),
    (lambda home: (-home.symbol(y)).exp(), sympy.exp(-y)),
    (lambda home: home.symbol(x).sqrt(), sympy.sqrt(x)),
    (lambda home: home.number(2).sqrt(), sympy.sqrt(2)),
    (lambda home: home.symbol(y).log(), sympy.log(y)),
]


def grown(children: st.SearchStrategy[Grown]) -> st.SearchStrategy[Grown]:
    def both(a: Grown, b: Grown, sign: str) -> Grown:
        calls = {"+": lambda p, q: p + q, "-": lambda p, q: p - q, "*": lambda p, q: p * q}
        return (lambda home: calls[sign](a[0](home), b[0](home))), calls[sign](a[1], b[1])

    return st.builds(both, children, children, st.sampled_from("+-*"))


EXPRESSIONS = st.recursive(st.sampled_from(LEAVES), grown, max_leaves=5)


def mp(expression: sympy.Expr, point: dict[sympy.Symbol, Fraction]) -> mpmath.mpf:
    exact = {s: sympy.Rational(k.numerator, k.denominator) for s, k in point.items()}
    return mpmath.mpf(expression.subs(exact).evalf(40))


def near(scalar: FieldElement, expected: mpmath.mpf, point: dict[sympy.Symbol, Fraction]) -> bool:
    with at_precision(160), mpmath.workdps(40):
        found = mpmath.mpf(scalar.at(point).mid().str(35, radius=False))
        return bool(abs(found - expected) <= mpmath.mpf(10) ** -25 * (1 + abs(expected)))


@given(EXPRESSIONS)
@settings(max_examples=60, deadline=None)
def test_an_expression_is_worth_what_mpmath_says(grown: Grown) -> None:
    scalar = grown[0](Field([x, y]))
    with mpmath.workdps(40):
        assert all(near(scalar, mp(grown[1], point), point) for point in POINTS)


@given(EXPRESSIONS, EXPRESSIONS)
@settings(max_examples=80, deadline=None)
def test_scalars_are_equal_exactly_if_they_are_so_at_every_point(a: Grown, b: Grown) -> None:
    home = Field([x, y])
    with mpmath.workdps(40):
        same = all(abs(mp(a[1] - b[1], point)) < mpmath.mpf(10) ** -25 for point in POINTS)
    assert (a[0](home) == b[0](home)) == same


@given(EXPRESSIONS, EXPRESSIONS, EXPRESSIONS)
@settings(max_examples=40, deadline=None)
def test_they_are_a_field(p: Grown, q: Grown, r: Grown) -> None:
    home = Field([x, y])
    a, b, c = (grown[0](home) for grown in (p, q, r))
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a - a == home.zero
    assert a * home.one == a
    assume(a != home.zero)
    assert a * (home.one / a) == home.one
    assert b / a * a == b


# ── what is known ───────────────────────────────────────────────────────────────────────────────


def test_roots_are_multiplied_and_taken_out_of_denominators() -> None:
    home, *_ = field()
    two, three, six, eight = (home.number(k).sqrt() for k in (2, 3, 6, 8))
    assert two * two == home.number(2)
    assert two * three == six
    assert eight == two + two
    assert home.one / three == three / home.number(3)
    assert home.one / (home.one + two) == two - home.one
    assert two != three
    assert two != home.number(Fraction(141421356, 10**8))


def test_the_root_of_a_square_is_the_letter_only_if_that_is_not_negative() -> None:
    home = Field([x, u])
    positive, real = home.symbol(x), home.symbol(u)
    assert (positive * positive * home.number(4)).sqrt() == positive + positive
    assert (real * real).sqrt() != real
    assert (real * real).sqrt() ** 2 == real * real


def test_exponentials_turn_sums_into_products_and_undo_logarithms() -> None:
    home, a, b = field()
    assert a.exp() * b.exp() == (a + b).exp()
    assert (a - a).exp() == home.one
    assert (a.log() * home.number(2)).exp() == a * a
    assert (-a.log()).exp() == home.one / a
    assert (a.log() / home.number(2)).exp() == a.sqrt()
    assert (a.log() / home.number(2)).exp() ** 2 == a
    assert (a.exp() * b).log() == a + b.log()
    assert a.exp().log() == a
    assert a.exp() != a + home.one


def test_tanh_is_odd_and_obeys_its_addition_theorem() -> None:
    home, a, b = field()
    assert (-a).tanh() == -(a.tanh())
    assert (a + b).tanh() == (a.tanh() + b.tanh()) / (home.one + a.tanh() * b.tanh())
    with mpmath.workdps(40):
        assert near(a.tanh(), mpmath.tanh(mpmath.mpf(2) / 3), POINTS[0])


def test_nothing_is_divided_by_what_is_zero_in_disguise() -> None:
    home, a, b = field()
    for zero in (
        home.zero,
        a - a,
        a.sqrt() * b.sqrt() - (a * b).sqrt(),
        (a + b).exp() - a.exp() * b.exp(),
        home.number(2).sqrt() * home.number(3).sqrt() - home.number(6).sqrt(),
    ):
        with pytest.raises(ZeroDivisionError):
            home.one / zero


def test_a_declared_letter_is_never_taken_for_a_root() -> None:
    named = [sympy.Symbol(name, positive=True) for name in ("root_0", "log_0")]
    home = Field([x, *named])
    assert home.symbol(x).sqrt() != home.symbol(named[0])
    assert home.symbol(x).log() != home.symbol(named[1])


def test_a_sympy_expression_is_taken_over() -> None:
    home, a, b = field()
    written = sympy.sqrt(x) * sympy.exp(2 * y) / 3 + sympy.E**x - x**-2
    expected = a.sqrt() * (b + b).exp() / home.number(3) + a.exp() - home.one / (a * a)
    assert home.of(written) == expected
    assert sympy.simplify(expected.expression() - written) == 0


def test_what_lies_outside_is_said_to_be_unavailable() -> None:
    home, a, b = field()
    for attempt in (
        lambda: a.exp().exp(),
        lambda: (a.exp() + b).sqrt(),
        lambda: home.zero.log(),
        lambda: [(a + home.number(k)).sqrt() for k in range(1, SPARE + 2)],
        lambda: [(a + home.number(k)).log() for k in range(1, SPARE + 2)],
        lambda: home.of(sympy.sin(x)),
        lambda: (a + b + home.one) ** 200,
        lambda: home.number(9) ** 100_000,
    ):
        with pytest.raises(Unavailable):
            attempt()


def test_scalars_can_not_be_hashed() -> None:
    with pytest.raises(TypeError):
        hash(field()[1])


# ── means ───────────────────────────────────────────────────────────────────────────────────────


def drawn() -> tuple[Field, FieldElement, FieldElement, FieldElement, FieldElement]:
    """u and v normal, with mean y and deviation x; and mean 0, deviation 1."""
    home = Field([x, y, u, v])
    home.normal = {
        u: (home.generators[y], home.generators[x]),
        v: (home.functions.zero, home.functions.one),
    }
    return home, *(home.symbol(s) for s in (u, v, y, x))


@pytest.mark.parametrize("power", range(9))
def test_moments_agree_with_numerical_integration(power: int) -> None:
    _, value, *_ = drawn()
    mean, deviation = 0.5, 1.5
    grid = np.linspace(mean - 20 * deviation, mean + 20 * deviation, 40_001)
    density = np.exp(-(((grid - mean) / deviation) ** 2) / 2) / (deviation * np.sqrt(2 * np.pi))
    expected = float(np.sum(grid**power * density) * (grid[1] - grid[0]))
    point = {x: Fraction(3, 2), y: Fraction(1, 2), u: Fraction(0), v: Fraction(0)}
    assert float((value**power).expectation().at(point)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("power", range(2, 9))
def test_moments_obey_their_recurrence(power: int) -> None:
    home, value, _, mean, deviation = drawn()
    moments = [(value**k).expectation() for k in (power, power - 1, power - 2)]
    assert moments[0] == mean * moments[1] + home.number(power - 1) * deviation**2 * moments[2]


def test_a_mean_is_linear_and_factors_over_what_is_independent() -> None:
    home, first, second, mean, deviation = drawn()
    assert (first * second**2).expectation() == mean
    assert (mean.exp() * first + home.one).expectation() == mean.exp() * mean + home.one
    variance = (first**2 * second**2).expectation() - (first * second).expectation() ** 2
    assert variance == deviation**2 + mean**2


@pytest.mark.parametrize(
    "hide", [FieldElement.exp, FieldElement.sqrt, FieldElement.log, FieldElement.tanh, lambda value: value**-1]
)
def test_a_mean_of_anything_but_a_polynomial_is_unavailable(hide: Callable[[FieldElement], FieldElement]) -> None:
    home, first, *_ = drawn()
    with pytest.raises(Unavailable):
        hide(first * first + home.one).expectation()
    with pytest.raises(Unavailable):
        (hide(first * first + home.one) * first).expectation()
