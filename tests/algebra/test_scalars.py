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
    ring = Field([x, y])
    return ring, ring.symbol(x), ring.symbol(y)


# ── random expressions, against mpmath ──────────────────────────────────────────────────────────

Grown = tuple[Callable[[Field], FieldElement], sympy.Expr]
"""The same expression twice: in our arithmetic, and as sympy writes it for mpmath."""

LEAVES: list[Grown] = [
    (lambda ring: ring.symbol(x), x),
    (lambda ring: ring.symbol(y), y),
    (lambda ring: ring.number(-2), sympy.Integer(-2)),
    (lambda ring: ring.number(1), sympy.Integer(1)),
    (lambda ring: ring.number(Fraction(1, 2)), sympy.Rational(1, 2)),
    (lambda ring: ring.symbol(x).exp(), sympy.exp(x)),
    (lambda ring: (-ring.symbol(y)).exp(), sympy.exp(-y)),
    (lambda ring: ring.symbol(x).sqrt(), sympy.sqrt(x)),
    (lambda ring: ring.number(2).sqrt(), sympy.sqrt(2)),
    (lambda ring: ring.symbol(y).log(), sympy.log(y)),
]


def grown(children: st.SearchStrategy[Grown]) -> st.SearchStrategy[Grown]:
    def both(a: Grown, b: Grown, sign: str) -> Grown:
        calls = {"+": lambda p, q: p + q, "-": lambda p, q: p - q, "*": lambda p, q: p * q}
        return (lambda ring: calls[sign](a[0](ring), b[0](ring))), calls[sign](a[1], b[1])

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
    ring = Field([x, y])
    with mpmath.workdps(40):
        same = all(abs(mp(a[1] - b[1], point)) < mpmath.mpf(10) ** -25 for point in POINTS)
    assert (a[0](ring) == b[0](ring)) == same


@given(EXPRESSIONS, EXPRESSIONS, EXPRESSIONS)
@settings(max_examples=40, deadline=None)
def test_they_are_a_field(p: Grown, q: Grown, r: Grown) -> None:
    ring = Field([x, y])
    a, b, c = (grown[0](ring) for grown in (p, q, r))
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a - a == ring.zero
    assert a * ring.one == a
    assume(a != ring.zero)
    assert a * (ring.one / a) == ring.one
    assert b / a * a == b


# ── what is known ───────────────────────────────────────────────────────────────────────────────


def test_roots_are_multiplied_and_taken_out_of_denominators() -> None:
    ring, *_ = field()
    two, three, six, eight = (ring.number(k).sqrt() for k in (2, 3, 6, 8))
    assert two * two == ring.number(2)
    assert two * three == six
    assert eight == two + two
    assert ring.one / three == three / ring.number(3)
    assert ring.one / (ring.one + two) == two - ring.one
    assert two != three
    assert two != ring.number(Fraction(141421356, 10**8))


def test_the_root_of_a_square_is_the_letter_only_if_that_is_not_negative() -> None:
    ring = Field([x, u])
    positive, real = ring.symbol(x), ring.symbol(u)
    assert (positive * positive * ring.number(4)).sqrt() == positive + positive
    assert (real * real).sqrt() != real
    assert (real * real).sqrt() ** 2 == real * real


def test_exponentials_turn_sums_into_products_and_undo_logarithms() -> None:
    ring, a, b = field()
    assert a.exp() * b.exp() == (a + b).exp()
    assert (a - a).exp() == ring.one
    assert (a.log() * ring.number(2)).exp() == a * a
    assert (-a.log()).exp() == ring.one / a
    assert (a.log() / ring.number(2)).exp() == a.sqrt()
    assert (a.log() / ring.number(2)).exp() ** 2 == a
    assert (a.exp() * b).log() == a + b.log()
    assert a.exp().log() == a
    assert a.exp() != a + ring.one


def test_tanh_is_odd_and_obeys_its_addition_theorem() -> None:
    ring, a, b = field()
    assert (-a).tanh() == -(a.tanh())
    assert (a + b).tanh() == (a.tanh() + b.tanh()) / (ring.one + a.tanh() * b.tanh())
    with mpmath.workdps(40):
        assert near(a.tanh(), mpmath.tanh(mpmath.mpf(2) / 3), POINTS[0])


def test_nothing_is_divided_by_what_is_zero_in_disguise() -> None:
    ring, a, b = field()
    for zero in (
        ring.zero,
        a - a,
        a.sqrt() * b.sqrt() - (a * b).sqrt(),
        (a + b).exp() - a.exp() * b.exp(),
        ring.number(2).sqrt() * ring.number(3).sqrt() - ring.number(6).sqrt(),
    ):
        with pytest.raises(ZeroDivisionError):
            ring.one / zero


def test_a_declared_letter_is_never_taken_for_a_root() -> None:
    named = [sympy.Symbol(name, positive=True) for name in ("root_0", "log_0")]
    ring = Field([x, *named])
    assert ring.symbol(x).sqrt() != ring.symbol(named[0])
    assert ring.symbol(x).log() != ring.symbol(named[1])


def test_a_sympy_expression_is_taken_over() -> None:
    ring, a, b = field()
    written = sympy.sqrt(x) * sympy.exp(2 * y) / 3 + sympy.E**x - x**-2
    expected = a.sqrt() * (b + b).exp() / ring.number(3) + a.exp() - ring.one / (a * a)
    assert ring.of(written) == expected
    assert sympy.simplify(expected.expression() - written) == 0


def test_what_lies_outside_is_said_to_be_unavailable() -> None:
    ring, a, b = field()
    for attempt in (
        lambda: a.exp().exp(),
        lambda: (a.exp() + b).sqrt(),
        lambda: ring.zero.log(),
        lambda: [(a + ring.number(k)).sqrt() for k in range(1, SPARE + 2)],
        lambda: [(a + ring.number(k)).log() for k in range(1, SPARE + 2)],
        lambda: ring.of(sympy.sin(x)),
        lambda: (a + b + ring.one) ** 200,
        lambda: ring.number(9) ** 100_000,
    ):
        with pytest.raises(Unavailable):
            attempt()


def test_scalars_can_not_be_hashed() -> None:
    with pytest.raises(TypeError):
        hash(field()[1])


# ── means ───────────────────────────────────────────────────────────────────────────────────────


def drawn() -> tuple[Field, FieldElement, FieldElement, FieldElement, FieldElement]:
    """u and v normal, with mean y and deviation x; and mean 0, deviation 1."""
    ring = Field([x, y, u, v])
    ring.normal = {
        u: (ring.generators[y], ring.generators[x]),
        v: (ring.functions.zero, ring.functions.one),
    }
    return ring, *(ring.symbol(s) for s in (u, v, y, x))


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
    ring, value, _, mean, deviation = drawn()
    moments = [(value**k).expectation() for k in (power, power - 1, power - 2)]
    assert moments[0] == mean * moments[1] + ring.number(power - 1) * deviation**2 * moments[2]


def test_a_mean_is_linear_and_factors_over_what_is_independent() -> None:
    ring, first, second, mean, deviation = drawn()
    assert (first * second**2).expectation() == mean
    assert (mean.exp() * first + ring.one).expectation() == mean.exp() * mean + ring.one
    variance = (first**2 * second**2).expectation() - (first * second).expectation() ** 2
    assert variance == deviation**2 + mean**2


@pytest.mark.parametrize(
    "hide", [FieldElement.exp, FieldElement.sqrt, FieldElement.log, FieldElement.tanh, lambda value: value**-1]
)
def test_a_mean_of_anything_but_a_polynomial_is_unavailable(hide: Callable[[FieldElement], FieldElement]) -> None:
    ring, first, *_ = drawn()
    with pytest.raises(Unavailable):
        hide(first * first + ring.one).expectation()
    with pytest.raises(Unavailable):
        (hide(first * first + ring.one) * first).expectation()
