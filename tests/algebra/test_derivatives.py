"""Derivatives in claims: proved where they are, refuted where they are not, and left open where none can be told."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction

import mpmath
import pytest

from attnsolve.algebra.declarations import Declarations
from attnsolve.algebra.derivatives import slope_of
from attnsolve.algebra.duals import Dual, slope
from attnsolve.algebra.finding import Finding
from attnsolve.algebra.grammar import parse_term
from attnsolve.algebra.letters import Letter
from attnsolve.algebra.scalars import Field
from attnsolve.algebra.table import TermError
from attnsolve.derivations.names import names
from attnsolve.errors import ProblemError
from attnsolve.numbers.balls import at_precision, ball

Judge = Callable[[Mapping[str, str], str], list[Finding]]

X = {"x": "number", "y": "number"}
Z = {"z": "vector(n)", "i": "index(n)", "j": "index(n)", "a": "softmax(z)"}
PROVED = [
    (X, "diff(x^3*y, x) = 3*x^2*y"),
    (X, "diff(x/y, y) = -x/y^2"),
    (X, "diff(exp(x*y), x) = y*exp(x*y)"),
    (X, "diff(ln(x), x) = 1/x"),
    (X, "diff(ln(exp(x) + exp(y)), x) = exp(x)/(exp(x) + exp(y))"),
    (X, "diff(sqrt(x), x) = 1/(2*sqrt(x))"),
    (X, "diff(sqrt(x^2 + y^2), x) = x/sqrt(x^2 + y^2)"),
    (X, "diff(tanh(x), x) = 1 - tanh(x)^2"),
    (X, "diff(x*abs(y), x) = abs(y)"),
    (X, "diff(y, x) = 0"),
    (X, "diff(diff(x^3, x), x) = 6*x"),
    (X, "diff(diff(x^2*y, x), y) = 2*x"),
    (X, "diff(x*diff(x*y, y), x) = 2*x"),
    ({"t": "number"}, "lim(t -> oo, diff(1/t, t)) = 0"),
    ({"t": "positive", "x": "positive"}, "diff(lim(t -> oo, x^2*t/(t + 1)), x) = 2*x"),
    (Z, "diff(a[i], z[j]) = a[i]*(identity(n)[i,j] - a[j])"),
    (Z, "diff(a, z) = diag(a) - a*a^T"),
    (Z, "sum(k=1..n, diff(a[k], z[j])) = 0"),
    ({"z": "row(n)", "a": "softmax(z)"}, "diff(a, z) = diag(a) - a^T*a"),
    ({"x": "vector(n)"}, "diff(x, x) = identity(n)"),
    ({"x": "vector(n)"}, "diff(norm(x), x) = x/norm(x)"),
    ({"x": "vector(n)", "M": "matrix(n, n)"}, "diff(x^T*M*x, x) = (M + M^T)*x"),
    ({"X": "matrix(n, d)", "M": "matrix(n, d)"}, "diff(sum(i=1..n, sum(j=1..d, X[i,j]*M[i,j])), X) = M"),
    ({"X": "matrix(n, d)", "i": "index(n)"}, "diff(X[i]^T*X[i], X[i]) = 2*X[i]"),
    ({"X": "matrix(2, 2)", "x": "number"}, "diff(x^2*X, x) = 2*x*X"),
    ({"x": "vector(n)", "y": "vector(n)"}, "diff(x^T*y, x) = y"),
]


@pytest.mark.parametrize(("given", "claim"), PROVED)
def test_a_true_derivative_is_proved(judge: Judge, given: Mapping[str, str], claim: str) -> None:
    assert [finding.status for finding in judge(given, claim)] == ["proved"]


@pytest.mark.parametrize(
    ("given", "claim"),
    [
        (X, "diff(x^3, x) = 3*x"),
        (X, "diff(exp(x), x) = x*exp(x)"),
        (X, "diff(abs(x), x) = 1"),
        (X, "diff(sqrt(x), x) = 1/sqrt(x)"),
        (X, "diff(x*y, x) = diff(x*y, y)"),
        (X, "diff(x^2, x) >= 0"),
        (Z, "diff(a, z) = diag(a)"),
        (Z, "diff(a[i], z[j]) = -a[i]*a[j]"),
        ({"x": "vector(n)"}, "diff(norm(x), x) = x"),
    ],
)
def test_a_false_derivative_is_refuted(judge: Judge, given: Mapping[str, str], claim: str) -> None:
    assert [finding.status for finding in judge(given, claim)] == ["refuted"]


@pytest.mark.parametrize(
    "claim",
    [
        "diff(x*abs(x), x) = 2*abs(x)",
        "diff(ln(x), x) = 1/sqrt(x^2)",
        "diff(ln(x) - ln(x), x) = 1/x - 1/abs(x)",
        "diff(tanh(x), x) <= 1",
    ],
)
def test_what_holds_only_where_both_sides_have_a_value_is_not_refuted(judge: Judge, claim: str) -> None:
    """On the left nothing has a value where x is negative, or where there is a kink; the right has one there."""
    assert [finding.status for finding in judge(X, claim)] == ["tried"]


def test_where_nothing_has_a_derivative_nothing_is_found(judge: Judge) -> None:
    """|x − x| is 0 throughout; but its derivative is taken through a kink, everywhere."""
    assert [finding.status for finding in judge(X, "diff(abs(x - x), x) = 1")] != ["proved"]
    assert [finding.status for finding in judge(X, "diff(ln(-exp(x)), x) = 2")] == ["undecided"]


@pytest.mark.parametrize(
    ("given", "claim", "says"),
    [
        ({"n": "size"}, "diff(n^2, n) = 2*n", "can't be taken in n"),
        ({"z": "vector(n)", "w": "2*z"}, "diff(w[1], w[1]) = 1", "can't be taken in w"),
        ({"x": "number"}, "diff(x^2, x + 1) = 1", "can't be taken in x"),
        ({"P": "orthonormal(2)"}, "diff(P[1,1], P[1,1]) = 1", "can't be taken in p"),
        ({"x": "normal(0, 1)", "m": "number"}, "diff(E(x^2) + m, m) = 1", "drawn at random"),
        ({"X": "matrix(2, 3)"}, "diff(X, X) = 1", "don't fit into one matrix"),
        ({"x": "number"}, "sum(x=1..3, diff(x^2, x)) = 12", "not a declared letter"),
        ({"x": "number"}, "diff(x^2) = 2*x", "was expected"),
        ({"x": "number"}, "D(x^2, x) = 2*x", "there is no function 'D'"),
        ({"A": "matrix(2, 3)", "B": "matrix(3, 2)"}, "A .* B = A", "entry by entry"),
        ({"A": "matrix(2, 3)"}, "diag(A) = A", "takes a vector"),
    ],
)
def test_what_has_no_derivative_is_said(judge: Judge, given: Mapping[str, str], claim: str, says: str) -> None:
    with pytest.raises((TermError, ProblemError), match=says):
        judge(given, claim)


# ── against differences ─────────────────────────────────────────────────────────────────────────

FUNCTIONS: dict[str, Callable[..., mpmath.mpf]] = {
    "x^3*y - x/y": lambda x, y: x**3 * y - x / y,
    "exp(x*y)/(exp(x) + exp(y))": lambda x, y: mpmath.exp(x * y) / (mpmath.exp(x) + mpmath.exp(y)),
    "sqrt(x^2 + y^2 + 1)*tanh(x)": lambda x, y: mpmath.sqrt(x**2 + y**2 + 1) * mpmath.tanh(x),
    "ln(exp(x) + exp(2*y))*x": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(2 * y)) * x,
    "1/sqrt(ln(x^2 + y^2 + 2))": lambda x, y: 1 / mpmath.sqrt(mpmath.log(x**2 + y**2 + 2)),
    "abs(x)*y^2 + (x + y)^-2": lambda x, y: abs(x) * y**2 + (x + y) ** -2,
}


@pytest.mark.parametrize("term", FUNCTIONS)
def test_a_derivative_at_a_point_is_the_limit_of_differences(term: str) -> None:
    known, rng = names("x, y: number"), random.Random(term)
    setting = next(known.settings())
    for _ in range(5):
        x, y = (Fraction(rng.randint(1, 40) * rng.choice((1, -1)), 13) for _ in range(2))
        if x + y == 0:
            continue
        with mpmath.workdps(60):
            step, at = mpmath.mpf(10) ** -15, [mpmath.mpf(v.numerator) / v.denominator for v in (x, y)]
            ends = [FUNCTIONS[term](at[0] + side, at[1]) for side in (step, -step)]
            expected = (ends[0] - ends[1]) / (2 * step)
        with at_precision(256):
            point = {Letter("x"): x, Letter("y"): y}
            found = known.at_point(setting, point).evaluate(parse_term(f"diff({term}, x)")).number
        assert float(found) == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


def test_the_exact_derivative_is_the_one_at_every_point() -> None:
    """The rules of the field against what is carried along with balls."""
    a, b = Letter("a", "positive"), Letter("b")
    ring = Field([a, b])
    x, y = ring.symbol(a), ring.symbol(b)
    square = ring.plain((x * x + y * y + ring.one).function).sqrt()
    scalar = (x.exp() + y * y.exp()).log() * square / (x * y + ring.number(2)) + x.log() * y.tanh()
    for values in ((Fraction(1, 3), Fraction(2)), (Fraction(5, 2), Fraction(1, 7))):
        with at_precision(256):
            exact = slope_of(scalar, ring.place(ring.generators[a])).at(dict(zip((a, b), values, strict=True)))
            u, v = Dual(ball(values[0]), ball(1)), Dual(ball(values[1]), ball(0))
            root = (u * u + v * v + ball(1)).sqrt()
            carried = (u.exp() + v * v.exp()).log() * root / (u * v + ball(2)) + u.log() * v.tanh()
            assert exact.overlaps(slope(carried))
            assert abs(exact - slope(carried)) < ball(Fraction(1, 10**60))


def test_names_stay_as_they_are_where_one_of_them_varies() -> None:
    known = Declarations(names("x: number", "y: x^2", "z: y*x").names)
    setting = next(known.settings())
    scope = known.at_point(setting, {Letter("x"): Fraction(3)})
    assert scope.evaluate(parse_term("diff(z, x)")).number == 27
    assert scope.evaluate(parse_term("diff(diff(z, x), x)")).number == 18
