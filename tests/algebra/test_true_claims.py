"""True claims: each is proved, or found to hold at every point where a proof is out of reach; none is refuted."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from attnsolve.algebra.finding import Finding

Judge = Callable[[Mapping[str, str], str], list[Finding]]

XY = {"X": "matrix(n, d)", "Y": "matrix(d, m)"}
ORDER = {"P": "permutation(n)", "S": "matrix(n, n)"}
ROW = {"z": "row(n)", "c": "number"}
NUMBERS = {"x": "number", "y": "number"}
POSITIVE = {"x": "positive", "y": "positive"}
DRAWN = {"mu": "number", "sigma": "positive", "x": "normal(mu, sigma)", "y": "normal(mu, sigma)"}
KEYS = {"K": "orthonormal(n)", "b": "positive"}

PROVED = [
    (XY, "(X*Y)^T = Y^T*X^T"),
    (XY, "(X^T)^T = X"),
    ({**XY, "Z": "matrix(m, k)"}, "(X*Y)*Z = X*(Y*Z)"),
    ({"X": "matrix(n, d)", "Y": "matrix(n, d)"}, "(X + Y)*(X + Y)^T = X*X^T + X*Y^T + Y*X^T + Y*Y^T"),
    (XY, "(X*Y)[1,1] = sum(k=1..d, X[1,k]*Y[k,1])"),
    ({**XY, "i": "index(n)", "j": "index(m)"}, "(X*Y)[i,j] = X[i]^T*(Y^T)[j]"),
    ({"X": "matrix(n, d)", "i": "index(n)"}, "X[i] = sum(k=1..n, identity(n)[i,k]*X^T*identity(n)[k])"),
    ({"z": "row(n)", "c": "number", "i": "index(n)"}, "(c*z)[i] = c*z[i]"),
    ({"v": "vector(n)", "i": "index(n)"}, "v[i] = (v^T)[i]"),
    ({"X": "matrix(n, d)"}, "identity(n)*X*identity(d) = X"),
    ({"S": "matrix(n, n)"}, "softmax(S)*ones(n) = ones(n)"),
    ({"S": "matrix(n, n)"}, "masked(S, causal(n))*ones(n) = ones(n)"),
    ({"S": "matrix(n, n)"}, "masked(S, ones(n)*ones(n)^T) = softmax(S)"),
    (ROW, "softmax(z + c*ones(n)^T) = softmax(z)"),
    ({**ROW, "j": "index(n)"}, "softmax(z)[j] = exp(z[j])/sum(i=1..n, exp(z[i]))"),
    ({"v": "vector(n)", "j": "index(n)"}, "softmax(v)[j] = exp(v[j])/sum(i=1..n, exp(v[i]))"),
    ({"v": "vector(n)"}, "softmax(v) = softmax(v^T)^T"),
    ({"v": [[1], [2], [4]]}, "softmax(v)[3] = exp(3)/(1 + exp(1) + exp(3))"),
    ({"K": "matrix(n, d)", "q": "vector(d)"}, "softmax(K*q)^T*ones(n) = 1"),
    ({"v": "vector(3)"}, "masked(v, [1, 0, 1]^T)[3] = exp(v[3])/(exp(v[1]) + exp(v[3]))"),
    ({"X": "matrix(n, d)"}, "softmax(X)*ones(d) = ones(n)"),
    ({**ROW, "i": "index(n)"}, "sum(j=1..n, j != i, z[j]) = sum(j=1..n, z[j]) - z[i]"),
    (ORDER, "softmax(P*S*P^T) = P*softmax(S)*P^T"),
    (ORDER, "P^T*P = identity(n)"),
    ({**ORDER, "Q": "permutation(n)"}, "(P*Q)^T*(P*Q) = identity(n)"),
    (ORDER, "P*ones(n) = ones(n)"),
    ({"P": "permutation(2)"}, "P*P = identity(2)"),
    ({"P": "permutation(3)"}, "P*P*P*P*P*P = identity(3)"),
    (KEYS, "K*K^T = identity(n)"),
    (KEYS, "K^T*K = identity(n)"),
    ({**KEYS, "x": "vector(n)"}, "norm(K*x) = norm(x)"),
    ({"K": "orthonormal(2)", "b": "number"}, "softmax((K*K[1]*b)^T) = softmax([b, 0])"),
    (DRAWN, "E[x*y] = mu^2"),
    (DRAWN, "E[x^4] = 3*sigma^4 + 6*mu^2*sigma^2 + mu^4"),
    (DRAWN, "Var(x*y) = sigma^4 + 2*mu^2*sigma^2"),
    (DRAWN, "Var(x + y) = Var(x) + Var(y)"),
    ({"sigma": "positive", "q": "normal(0, sigma, d)", "k": "normal(0, sigma, d)"}, "Var(q^T*k/sqrt(d)) = sigma^4"),
    ({"x": "normal(1, 2)", "m": "E[x]"}, "E[(x - m)^2] = 4"),
    ({"x": "normal(0, 1)"}, "E[x^2] = 1"),
    (NUMBERS, "exp(x + y) = exp(x)*exp(y)"),
    (NUMBERS, "tanh(x) = (exp(x) - exp(-x))/(exp(x) + exp(-x))"),
    (NUMBERS, "x^2 - y^2 = (x + y)*(x - y)"),
    (POSITIVE, "ln(exp(x)*exp(y)) = x + y"),
    (POSITIVE, "sqrt(x)*sqrt(y) = sqrt(x*y)"),
    ({}, "1/(sqrt(3) + sqrt(2)) = sqrt(3) - sqrt(2)"),
    ({"x": "nonnegative"}, "sqrt(x^2) = x"),
    ({"x": "vector(3)"}, "norm(-2*x) = 2*norm(x)"),
    ({"b": "positive", "z": "row(3)"}, "lim(b -> 0, softmax(b*z)) = [1/3, 1/3, 1/3]"),
    ({"b": "positive"}, "lim(b -> oo, softmax([b, 0])) = [1, 0]"),
    ({"b": "number"}, "lim(b -> -oo, tanh(b)) = -1"),
    ({"b": "positive"}, "lim(b -> 0, exp(-1/b)) = 0"),
    ({"b": "number", "x": "number"}, "lim(b -> x, b^2) = x^2"),
    ({"n": "size"}, "lim(n -> oo, (n + 1)/n) = 1"),
    (NUMBERS, "abs(x)^2 = x^2"),
    ({"x": "number", "b": "positive"}, "lim(b -> oo, x*tanh(b*x)) = abs(x)"),
    ({"x": "number", "b": "positive"}, "lim(b -> oo, x*exp(-b*x^2)) = 0"),
    ({"x": "number", "b": "positive"}, "lim(b -> oo, b*(x^2 + 1)/(b*(x^2 + 1) + 1)) = 1"),
    ({"n": "size(4)", "b": "positive"}, "lim(b -> oo, b*(n - 3)/(b*(n - 3) + 1)) = 1"),
    ({"z": "row(3)", "b": "positive"}, "lim(b -> oo, softmax(b*z)*ones(3)) = 1"),
    ({"x": "number", "b": "number"}, "lim(b -> x, (b^2 - x^2)/(b - x)) = 2*x"),
    ({"x": "number", "b": "number"}, "lim(b -> -oo, sqrt(b^2 + x)/b) = -1"),
    ({"b": "positive"}, "lim(b -> 0, (sqrt(1 + b) - 1)/b) = 1/2"),
    ({"b": "positive"}, "lim(b -> 0, sqrt(b)) = 0"),
    ({"b": "number"}, "lim(b -> 0, (exp(b) - 1 - b)/b^2) = 1/2"),
    ({"b": "number"}, "lim(b -> 0, ln(1 + b)/b) = 1"),
    ({"b": "positive", "c": "number"}, "lim(c -> 0, lim(b -> oo, exp(-b*c^2))) = 0"),
    ({"b": "positive", "c": "number"}, "lim(b -> oo, lim(c -> 0, exp(-b*c^2))) = 1"),
    ({"n": "size"}, "(n + 1)^2 = n^2 + 2*n + 1"),
    ({"n": "size(2)"}, "(n^2 - 1)/(n - 1) = n + 1"),
    ({"n": "size"}, "sum(i=1..n, i) = n*(n + 1)/2"),
    ({"n": "size"}, "sum(n=1..3, n) = 6"),
    ({"x": "number"}, "sum(x=1..3, x) = 6"),
    ({"i": "index(3)", "j": "index(3)"}, "identity(3)[i,j]*(i - j) = 0"),
    ({}, "sum(i=1..12, i^2) = 650"),
    ({}, "sum(i=3..2, i) = 0"),
]


@pytest.mark.parametrize(("given", "claim"), PROVED, ids=[claim for _, claim in PROVED])
def test_a_true_equality_is_proved(given: Mapping[str, str], claim: str, judge: Judge) -> None:
    (finding,) = judge(given, claim)
    assert finding.status == "proved"
    assert finding.settings
    assert finding.holds


TRIED = [
    (NUMBERS, "x^2 + y^2 >= 2*x*y"),
    ({"x": "vector(n)", "y": "vector(n)"}, "norm(x + y) <= norm(x) + norm(y)"),
    ({"x": "vector(n)", "y": "vector(n)"}, "abs(x^T*y) <= norm(x)*norm(y)"),
    ({"z": "row(n)", "j": "index(n)"}, "softmax(z)[j] <= 1"),
    ({"n": "size(2)"}, "1/(n - 1) <= 1"),
    (DRAWN, "E[x^2] >= E[x]^2"),
    ({"x": "number"}, "ln(x^2) = 2*ln(x)"),
    ({"P": "permutation(6)"}, "P*P^T = identity(6)"),
    ({"K": "orthonormal(5)"}, "K*K^T = identity(5)"),
]


@pytest.mark.parametrize(("given", "claim"), TRIED, ids=[claim for _, claim in TRIED])
def test_what_can_only_be_tried_is_not_called_proved(given: Mapping[str, str], claim: str, judge: Judge) -> None:
    (finding,) = judge(given, claim)
    assert finding.status == "tried"
    assert finding.points >= 12
    assert finding.holds


UNDECIDED = [
    ({}, "sqrt(-2)*sqrt(-2) = -2"),
    ({}, "ln(-1) = ln(-1)"),
    ({}, "ln(0) = ln(0)"),
    ({"x": "positive"}, "(ln(x^2) - 2*ln(x))/(ln(x^2) - 2*ln(x)) = 1"),
    ({"x": "normal(0, 1)"}, "E[sqrt(x^2)] = sqrt(x^2)"),
    ({"x": "normal(0, 1, 3)"}, "E[norm(x)] = norm(x)"),
    ({"x": "normal(0, 1)"}, "E[1/x] = 0"),
    ({}, "2^12^12^12^12^12^12^12^12^12 = 1"),
]


@pytest.mark.parametrize(("given", "claim"), UNDECIDED, ids=[claim for _, claim in UNDECIDED])
def test_what_has_no_value_or_none_that_is_known_stays_open(given: Mapping[str, str], claim: str, judge: Judge) -> None:
    (finding,) = judge(given, claim)
    assert finding.status == "undecided"
    assert not finding.holds


def test_a_proof_for_letters_names_the_sizes_at_which_nothing_was_left_out(judge: Judge) -> None:
    (finding,) = judge(ORDER, "P*P^T = identity(n)")
    assert {setting.places["n"] for setting in finding.settings} == {1, 2, 3}
    assert sum(setting.places["n"] == 3 for setting in finding.settings) == 6
    assert {4, 5, 6} <= {setting.places["n"] for setting in finding.tried}


def test_every_link_of_a_chain_is_judged_by_itself(judge: Judge) -> None:
    chain = "(x + 1)^2 = x^2 + 2*x + 1 = x^2 + 1 <= x^2 + 2 >= 2 = 2"
    found = [finding.status for finding in judge({"x": "number"}, chain)]
    assert found == ["proved", "refuted", "tried", "tried", "proved"]
