"""False claims: each is refuted, and NumPy finds both sides of the counterexample to be what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from attnsolve.algebra.finding import Counterexample, Finding

Judge = Callable[[Mapping[str, str], str], list[Finding]]
Side = Callable[..., Any]
"""One side of a claim in NumPy, of the values that a counterexample names."""

TOLERANCE = 1e-9


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return powers / np.sum(powers, axis=1, keepdims=True)


def by_columns(scores: Any) -> Any:
    return softmax(scores.T).T


def masked(scores: Any) -> Any:
    return softmax(np.where(np.tri(len(scores)) > 0, scores, -np.inf))


def length(vector: Any) -> Any:
    return np.sqrt(np.sum(vector**2))


def total(first: int, last: int) -> int:
    return sum(range(first, last + 1))


X2 = {"X": "matrix(n, n)", "Y": "matrix(n, n)"}
ORDER = {"P": "permutation(n)", "S": "matrix(n, n)"}
MOVED = {"P": "permutation(n)", "X": "matrix(n, d)"}
ROW = {"z": "row(n)"}
NUMBERS = {"x": "number", "y": "number"}
VECTORS = {"x": "vector(n)", "y": "vector(n)"}
DRAWN = {"m": "number", "s": "positive", "x": "normal(m, s)", "y": "normal(m, s)"}
LETTER = {"b": "positive"}

FALSE: list[tuple[Mapping[str, str], str, Side, Side]] = [
    # transposes and order
    ({"X": "matrix(n, n)"}, "X^T = X", lambda X, **_: X.T, lambda X, **_: X),
    (X2, "(X*Y)^T = X^T*Y^T", lambda X, Y, **_: (X @ Y).T, lambda X, Y, **_: X.T @ Y.T),
    (X2, "X*Y = Y*X", lambda X, Y, **_: X @ Y, lambda X, Y, **_: Y @ X),
    (X2, "X*Y^T = X*Y", lambda X, Y, **_: X @ Y.T, lambda X, Y, **_: X @ Y),
    (X2, "(X + Y)*(X - Y) = X*X - Y*Y", lambda X, Y, **_: (X + Y) @ (X - Y), lambda X, Y, **_: X @ X - Y @ Y),
    ({"X": "matrix(2, 2)"}, "X*X = X^T*X", lambda X: X @ X, lambda X: X.T @ X),
    # permutations
    (
        ORDER,
        "softmax(P*S*P^T) = softmax(S)*P^T",
        lambda P, S, **_: softmax(P @ S @ P.T),
        lambda P, S, **_: softmax(S) @ P.T,
    ),
    (
        ORDER,
        "softmax(P*S*P^T) = P^T*softmax(S)*P",
        lambda P, S, **_: softmax(P @ S @ P.T),
        lambda P, S, **_: P.T @ softmax(S) @ P,
    ),
    (ORDER, "P*S = S*P", lambda P, S, **_: P @ S, lambda P, S, **_: S @ P),
    (ORDER, "P = P^T", lambda P, **_: P, lambda P, **_: P.T),
    ({"P": "permutation(n)", "Q": "permutation(n)"}, "P*Q = Q*P", lambda P, Q, **_: P @ Q, lambda P, Q, **_: Q @ P),
    ({"P": "permutation(4)"}, "P*P*P*P*P*P = identity(4)", lambda P: np.linalg.matrix_power(P, 6), lambda P: np.eye(4)),
    ({"P": "permutation(6)"}, "P[2,3] = 0", lambda P: P[1:2, 2:3], lambda P: np.zeros((1, 1))),
    (
        ORDER,
        "masked(P*S*P^T, causal(n)) = P*masked(S, causal(n))*P^T",
        lambda P, S, **_: masked(P @ S @ P.T),
        lambda P, S, **_: P @ masked(S) @ P.T,
    ),
    (
        {**MOVED, "F": "matrix(n, d)"},
        "softmax((P*X + F)*(P*X + F)^T) = P*softmax((X + F)*(X + F)^T)*P^T",
        lambda P, X, F, **_: softmax((P @ X + F) @ (P @ X + F).T),
        lambda P, X, F, **_: P @ softmax((X + F) @ (X + F).T) @ P.T,
    ),
    # orthonormal matrices
    ({"K": "orthonormal(1)"}, "K = 1", lambda K: K, lambda K: np.ones((1, 1))),
    ({"K": "orthonormal(2)"}, "K[1,1] = K[2,2]", lambda K: K[:1, :1], lambda K: K[1:, 1:]),
    ({"K": "orthonormal(2)", "L": "orthonormal(2)"}, "K*L = L*K", lambda K, L: K @ L, lambda K, L: L @ K),
    ({"K": "orthonormal(3)"}, "K*K = identity(3)", lambda K: K @ K, lambda K: np.eye(3)),
    ({"K": "orthonormal(5)"}, "K = K^T", lambda K: K, lambda K: K.T),
    # the softmax
    ({"S": "matrix(n, n)"}, "softmax(S^T)^T = softmax(S)", lambda S, **_: by_columns(S), lambda S, **_: softmax(S)),
    ({"S": "matrix(n, n)"}, "softmax(S/2) = softmax(S)", lambda S, **_: softmax(S / 2), lambda S, **_: softmax(S)),
    (ROW, "softmax(2*z) = softmax(z)", lambda z, **_: softmax(2 * z), lambda z, **_: softmax(z)),
    (ROW, "softmax(z)*2 = softmax(2*z)", lambda z, **_: 2 * softmax(z), lambda z, **_: softmax(2 * z)),
    (
        {"z": "row(n)", "w": "row(n)"},
        "softmax(z + w) = softmax(z) + softmax(w)",
        lambda z, w, **_: softmax(z + w),
        lambda z, w, **_: softmax(z) + softmax(w),
    ),
    ({"v": "vector(n)"}, "softmax(v) = ones(n)", lambda v, **_: by_columns(v), lambda n, **_: np.ones((n, 1))),
    ({"v": "vector(2)"}, "masked(v, ones(2)) = ones(2)", lambda v: by_columns(v), lambda **_: np.ones((2, 1))),
    (ROW, "softmax(z) = ones(n)^T/n", lambda z, **_: softmax(z), lambda z, n: np.ones((1, n)) / n),
    ({"S": "matrix(n, n)"}, "masked(S, causal(n)) = softmax(S)", lambda S, **_: masked(S), lambda S, **_: softmax(S)),
    (ROW, "softmax(z)*ones(n) = n", lambda z, **_: 1.0, lambda n, **_: n),
    # means
    (DRAWN, "Var(x*y) = Var(x)*Var(y)", lambda m, s: s**4 + 2 * m**2 * s**2, lambda s, **_: s**4),
    (DRAWN, "E[x*y] = Var(x)", lambda m, **_: m**2, lambda s, **_: s**2),
    (DRAWN, "E[x^2] = Var(x)", lambda m, s: m**2 + s**2, lambda s, **_: s**2),
    ({"s": "positive", "x": "normal(0, s)"}, "E[x^4] = s^4", lambda s: 3 * s**4, lambda s: s**4),
    (DRAWN, "Var(x + x) = 2*Var(x)", lambda s, **_: 4 * s**2, lambda s, **_: 2 * s**2),
    ({"x": "normal(0, 1)", "m": "E[x]"}, "m = x", lambda x: 0.0, lambda x: x),
    ({"q": "normal(0, 1, d)", "k": "normal(0, 1, d)"}, "Var(q^T*k) = 1", lambda d: d, lambda d: 1.0),
    ({"x": "normal(0, 1)"}, "E[x^2] <= E[x]^2", lambda: 1.0, lambda: 0.0),
    # sums
    ({"n": "size"}, "sum(i=1..n, i) = sum(i=1..n-1, i)", lambda n: total(1, n), lambda n: total(1, n - 1)),
    ({"n": "size"}, "sum(i=1..n, i) = n^2", lambda n: total(1, n), lambda n: n**2),
    (
        {"z": "row(n)", "i": "index(n)"},
        "sum(j=1..n, j != i, z[j]) = sum(j=1..n, z[j])",
        lambda z, i, **_: z.sum() - z[0, i - 1],
        lambda z, **_: z.sum(),
    ),
    ({"x": "number"}, "sum(x=1..3, x) = 3*x", lambda **_: 6.0, lambda x: 3 * x),
    ({"n": "size"}, "sum(n=1..3, n) = 3*n", lambda n: 6.0, lambda n: 3 * n),
    # limits
    (LETTER, "lim(b -> oo, softmax([b, 0])) = [1/2, 1/2]", lambda: np.array([[1, 0]]), lambda: np.array([[0.5, 0.5]])),
    (LETTER, "lim(b -> 0, tanh(b)/b) = -1", lambda: 1.0, lambda: -1.0),
    ({"b": "number"}, "lim(b -> -oo, tanh(b)) = 1", lambda: -1.0, lambda: 1.0),
    ({"n": "size"}, "lim(n -> oo, 1/n) = 1", lambda: 0.0, lambda: 1.0),
    # numbers
    (
        VECTORS,
        "norm(x + y) = norm(x) + norm(y)",
        lambda x, y, **_: length(x + y),
        lambda x, y, **_: length(x) + length(y),
    ),
    ({"x": "number"}, "tanh(x) = x", np.tanh, lambda x: x),
    (NUMBERS, "exp(x + y) = exp(x) + exp(y)", lambda x, y: np.exp(x + y), lambda x, y: np.exp(x) + np.exp(y)),
    ({"x": "number"}, "exp(x) = 1 + x", np.exp, lambda x: 1 + x),
    ({"x": "number"}, "sqrt(x^2) = x", np.abs, lambda x: x),
    (
        {"root_0": "positive", "x": "positive"},
        "sqrt(x) = root_0",
        lambda x, **_: np.sqrt(x),
        lambda root_0, **_: root_0,
    ),
    (
        {"x": "positive", "y": "positive"},
        "ln(x + y) = ln(x) + ln(y)",
        lambda x, y: np.log(x + y),
        lambda x, y: np.log(x) + np.log(y),
    ),
    # true at some sizes only
    (
        {"X": "matrix(n, n)"},
        "X*ones(n) = X[1,1]*ones(n)",
        lambda X, n: X @ np.ones((n, 1)),
        lambda X, n: X[0, 0] * np.ones((n, 1)),
    ),
    ({"n": "size"}, "(n - 1)*(n - 2) = 0", lambda n: (n - 1) * (n - 2), lambda n: 0.0),
    ({"n": "size"}, "(n-1)*(n-2)*(n-3)*(n-4)*(n-5)*(n-6) = 0", lambda n: np.prod(n - np.arange(1, 7)), lambda n: 0.0),
    ({"n": "size(2)"}, "n^2 = 2*n", lambda n: n**2, lambda n: 2 * n),
    # inequalities
    ({"x": "number"}, "x >= 0", lambda x: x, lambda x: 0.0),
    ({"x": "number"}, "10*x >= x^2 - 100", lambda x: 10 * x, lambda x: x**2 - 100),
    ({"x": "number"}, "x^2 <= abs(x)", lambda x: x**2, np.abs),
]


def worth(side: Side, example: Counterexample) -> float:
    """What NumPy finds in the place where the sides differ, at the sizes and values that are named."""
    tables = {name: np.array([[float(x) for x in row] for row in rows]) for name, rows in example.values.items()}
    values = {**example.setting.places, **tables}
    found = side(*values.values()) if isinstance(side, np.ufunc) else side(**values)
    return float(np.broadcast_to(np.atleast_2d(found), example.shape)[example.place])


@pytest.mark.parametrize(("given", "claim", "left", "right"), FALSE, ids=[claim for _, claim, *_ in FALSE])
def test_a_false_claim_is_refuted_by_values_at_which_it_fails(
    given: Mapping[str, str], claim: str, left: Side, right: Side, judge: Judge
) -> None:
    (finding,) = judge(given, claim)
    assert finding.status == "refuted"
    assert not finding.holds
    example = finding.counterexample
    assert example is not None
    sides = worth(left, example), worth(right, example)
    assert sides == pytest.approx((float(example.left), float(example.right)), rel=TOLERANCE, abs=TOLERANCE)
    wrong = {"<=": sides[0] > sides[1], ">=": sides[0] < sides[1]}
    relation = next((sign for sign in wrong if sign in claim), "=")
    assert wrong.get(relation, abs(sides[0] - sides[1]) > TOLERANCE)


def test_most_counterexamples_are_seen_with_the_naked_eye(judge: Judge) -> None:
    found = [judge(given, claim)[0].counterexample for given, claim, *_ in FALSE[:12]]
    assert all(example is not None and example.is_plain for example in found)


# ── what a counterexample may be ────────────────────────────────────────────────────────────────


def exact(rows: tuple[tuple[Fraction, ...], ...]) -> list[list[Fraction]]:
    """M Mᵀ in fractions."""
    return [[sum((a * b for a, b in zip(p, q, strict=True)), Fraction(0)) for q in rows] for p in rows]


@pytest.mark.parametrize("size", ["1", "2", "3", "4", "6", "n"])
def test_an_orthonormal_matrix_is_exactly_one(size: str, judge: Judge) -> None:
    for claim in (f"K = 2*identity({size})", "K[1,1]^2 = 1/7"):
        (finding,) = judge({"K": f"orthonormal({size})"}, claim)
        assert finding.counterexample is not None
        (rows,) = finding.counterexample.values.values()
        assert exact(rows) == [[int(i == j) for j in range(len(rows))] for i in range(len(rows))]


@pytest.mark.parametrize("size", ["2", "4", "6", "n"])
def test_a_permutation_has_one_1_in_every_row_and_column(size: str, judge: Judge) -> None:
    (finding,) = judge({"P": f"permutation({size})"}, "P[1,1] = 1/2")
    assert finding.counterexample is not None
    (rows,) = finding.counterexample.values.values()
    for lines in (rows, tuple(zip(*rows, strict=True))):
        assert all(sorted(line) == [0] * (len(rows) - 1) + [1] for line in lines)


@pytest.mark.parametrize(("sort", "least"), [("positive", Fraction(1, 1000)), ("nonnegative", Fraction(0))])
@pytest.mark.parametrize("claim", ["x = 2", "x <= 1", "x >= 1", "x <= 30", "x^2 = x + 1"])
def test_a_number_keeps_its_sign(sort: str, least: Fraction, claim: str, judge: Judge) -> None:
    (finding,) = judge({"x": sort}, claim)
    assert finding.counterexample is not None
    assert finding.counterexample.values["x"][0][0] >= least


@pytest.mark.parametrize("claim", ["i = 1", "j <= 2", "i*j = 0", "n <= 2"])
def test_an_index_lies_within_its_size_and_a_size_is_not_below_its_least(claim: str, judge: Judge) -> None:
    (finding,) = judge({"n": "size(2)", "i": "index(n)", "j": "index(3)"}, claim)
    assert finding.counterexample is not None
    places = finding.counterexample.setting.places
    assert places["n"] >= 2
    assert 1 <= places["i"] <= places["n"]
    assert 1 <= places["j"] <= 3


def test_letters_over_which_a_mean_or_a_limit_is_taken_are_not_shown(judge: Judge) -> None:
    given = {"b": "positive", "c": "number", "x": "normal(0, 1)"}
    (finding,) = judge(given, "lim(b -> oo, c/b) + E[x] = 1 + c")
    assert finding.counterexample is not None
    assert [*finding.counterexample.values] == ["c"]
