"""Claims that ask too much or mean nothing: each is answered soon, in plain words, and never with a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from attnsolve.algebra.finding import Finding
from attnsolve.errors import AttnsolveError, ProblemError
from attnsolve.loading.files import parse
from attnsolve.narrate.narrated import Narrated
from attnsolve.render.text import render
from attnsolve.solution.solved import Narration

Judge = Callable[[Mapping[str, str], str], list[Finding]]


def written(given: Mapping[str, object], claim: object) -> str:
    return json.dumps({"kind": "derivation", "topic": "claim", "given": given, "claim": claim})


MEANINGLESS: list[tuple[Mapping[str, object], object, str]] = [
    ({}, "0^-1 = 1", "0 is 0, so nothing can be divided by it"),
    ({"x": "number"}, "(x - x)^-2 = 1", "x - x is 0, so nothing can be divided by it"),
    ({"x": "number"}, "1/(x - x) = 1/(x - x)", "x - x is 0, so nothing can be divided by it"),
    ({}, "1/(sqrt(2)*sqrt(3) - sqrt(6)) = 1", "so nothing can be divided by it"),
    ({"n": "size"}, "(n - 1)/(n - 1) = 1", "n - 1 is 0, so nothing can be divided by it"),
    ({"x": "number"}, "masked([x, x], [0, 0]) = [0, 0]", "the weights of one row add up to 0"),
    ({"X": "matrix(2, 2)"}, "X[0,1] = 0", "asks for entry 0, which is not between 1 and 2"),
    ({"X": "matrix(2, 2)"}, "X[-1,1] = 0", "asks for entry -1, which is not"),
    ({"X": "matrix(2, 2)", "i": "index(3)"}, "X[i,i] = X[i,i]", "asks for entry 3, which is not"),
    ({"X": "matrix(2, 2)"}, "X[1/2] = X", "1/2 is not a whole number"),
    ({"X": "matrix(2, 2)"}, "X^2 = X", "only a number can be raised to a power"),
    ({"X": "matrix(2, 2)"}, "1/X = X", "the divisor must be a number"),
    ({"X": "matrix(n, d)"}, "X = X^T", "they can't be compared"),
    ({"X": "matrix(n, d)"}, "sum(i=1..2, ones(i)) = 0", "have different shapes"),
    ({"x": "number"}, "sum(i=1..2, i) + i = 4", "'i' is not declared"),
    ({"x": "number"}, "sum(i=1..1000000000000, x) = 0", "a sum may have at most 64 terms"),
    ({}, "sum(i=1..64, sum(j=1..64, sum(k=1..64, i*j*k))) = 1", "nested sums may have at most 1024 terms in all"),
    ({}, "identity(64)*identity(64) = identity(64)", "1 to 16 are possible"),
    ({"b": "positive"}, "lim(b -> -oo, sqrt(b^2)/b) = 1", "b is not negative: it can't tend to -inf"),
    ({"b": "positive"}, "lim(b -> -2, b) = -2", "b is not negative: it can't tend to -2"),
    ({"n": "size"}, "lim(n -> 0, n) = 0", "n is a whole number, so it can't tend to 0"),
    ({"n": "size"}, "lim(n -> 2, n) <= 2", "n is a whole number, so it can't tend to 2"),
    ({"n": "size", "m": "n + 1"}, "lim(n -> 1, m) = 2", "n is a whole number, so it can't tend to 1"),
    ({"x": "normal(0, 0)"}, "x = 0", "the standard deviation of x is 0, so x is not random"),
    ({"x": "normal(0, 0)"}, "x >= 0", "the standard deviation of x is 0, so x is not random"),
    ({"x": "normal(1, 2 - 2, 3)"}, "x = 1*ones(3)", "the standard deviation of x is 0, so x is not random"),
    ({"b": "number"}, "lim(b -> b + 1, b) = b", "b can't tend to b + 1, which contains it"),
    ({"b": "number"}, "lim(b -> 0, 1/b) = 0", "it differs from side to side"),
    ({"b": "number"}, "lim(b -> oo, b^2) = 0", "grows without bound"),
    ({"b": "number"}, "lim(b -> oo + 1, b) = 1", "infinity is not a number"),
    ({"b": "number", "v": "vector(2)"}, "lim(b -> v, b) = b", "v is 2×1, so no limit can go there"),
    ({"b": "number"}, "sum(b=1..3, lim(b -> 0, b)) = 6", "the limit is taken in 'b', which is not a declared number"),
    ({"x": "normal(0, 1)", "y": "normal(x, 1)"}, "E[y] = x", "the mean of y is itself random"),
    ({"X": "matrix(2, 2)", "x": "normal(X, 1)"}, "E[x] = 0", "the mean of x must be a number, but X is 2×2"),
    ({"x": "normal(mu, 1)"}, "E[x] = 0", "in x: 'mu' is not declared"),
    ({"a": "b", "b": "number"}, "a = b", "in a: 'b' is not declared"),
    ({"a": "a"}, "a = a", "in a: 'a' is not declared"),
    ({"n": "index(n)"}, "n = n", "n is not a whole number"),
    ({"X": "matrix(n, n)", "n": "number"}, "X = X", "n is not a whole number"),
    ({"n": "number", "X": "matrix(n, n)"}, "X = X", "a size must be a whole number or a letter"),
    ({"X": "matrix(0, 1)"}, "X = X", "a size must be a whole number from 1 to 6"),
    ({"n": "size(7)"}, "n = n", "the least size must be a whole number up to 6"),
    ({"x": "positive(2)"}, "x = x", "positive can't have 1 argument"),
    *(({name: "number"}, "1 = 1", f"{name!r} can't be declared") for name in ("E", "Var", "T", "oo", "e", "softmax")),
    *(({name: "number"}, "1 = 1", f"{name!r} can't be declared") for name in ("x²", "½", "<b>", "$x$", "a b", "")),
    ({f"x_{i}": "number" for i in range(21)}, "1 = 1", "a claim may declare at most 20 letters"),
    ({"x": "number"}, "", "a term was expected, but the end was found"),
    ({"x": "number"}, [], "a term was expected, but the end was found"),
    ({"x": "number"}, " = ".join("x" * 30), "a chain may have at most 20 links, but this one has 29"),
    ({"x": "number"}, "y = x", "the claim uses 'y', which is not declared"),
]


@pytest.mark.parametrize(
    ("given", "claim", "message"), MEANINGLESS, ids=[str(claim)[:40] for _, claim, _ in MEANINGLESS]
)
def test_what_means_nothing_is_refused(
    given: Mapping[str, object], claim: object, message: str, solved: Callable[[str], Narrated]
) -> None:
    with pytest.raises(AttnsolveError) as refused:
        solved(written(given, claim))
    assert message in str(refused.value)


EIGHT = dict.fromkeys("abcdfghk", "number")
VECTORS = {"x": "vector(6)", "y": "vector(6)", "z": "vector(6)"}
COSINES = "x^T*y/(x^T*x + y^T*y) + x^T*z/(x^T*x + z^T*z) + y^T*z/(y^T*y + z^T*z)"

LONG = [
    ({"x": "number"}, "9^12^12^12^12^12^12^12^12^12 = x"),
    ({"x": "number"}, "(x/9 + 1)^12^12^12^12^12 = x"),
    (EIGHT, "(a + b + c + d + f + g + h + k)^8/(a + b + c + d - f - g)^8 = 1"),
    (EIGHT, "exp(1/(a + 1/(b + 1/(c + 1/(d + 1/(f + 1/(g + 1/(h + 1/k)))))))^4) = 1"),
    ({"X": "matrix(6, 6)"}, "X*X*X*X*X*X*X*X = X"),
    ({"X": "matrix(6, 6)"}, "sqrt(1/(X*X)[1,1] + 1/(X*X)[1,2] + 1/(X*X)[2,2] + 1/(X*X)[3,3]) = 1"),
    (VECTORS, f"exp({COSINES}) = 1"),
    (VECTORS, "1/(norm(x) + norm(y) + norm(z) + norm(x + y)) = exp(1/(norm(x) + norm(y) + norm(z)))"),
    ({"x": "number"}, "sum(i=1..32, sum(j=1..32, 1/(i + x*j))) = 0"),
    ({"x": "number"}, "sum(i=1..32, tanh(i*x)) = 0"),
    ({f"n_{i}": "size" for i in range(20)}, "sum(i=1..n_1, n_2) = n_1*n_3"),
    ({f"i_{i}": "index(6)" for i in range(20)}, "i_1 = i_2"),
    ({f"P_{i}": "permutation(6)" for i in range(20)}, "P_1 = P_2"),
    ({f"X_{i}": "matrix(6, 6)" for i in range(20)}, "X_1*X_2 = X_2*X_1"),
    ({f"K_{i}": "orthonormal(3)" for i in range(4)}, "K_0*K_1*K_2*K_3 = K_3*K_2*K_1*K_0"),
    (
        {"X": "matrix(n, n)", "R": "orthonormal(n)"},
        "softmax(X)*masked(R, causal(n)) = 2*softmax(X)*masked(R, causal(n))",
    ),
    ({"z": "row(5)", "b": "positive"}, "lim(b -> oo, softmax(b*z)) = softmax(z)"),
]


@pytest.mark.parametrize(("given", "claim"), LONG, ids=[claim[:40] for _, claim in LONG])
def test_what_is_too_long_to_be_worked_out_is_answered_all_the_same(
    given: Mapping[str, str], claim: str, judge: Judge
) -> None:
    """Without the bounds on its work, none of these would come back."""
    (finding,) = judge(given, claim)
    assert not finding.holds


def test_letters_of_any_script_may_be_declared(solved: Callable[[str], Narrated]) -> None:
    given = {"β": "number", "ключ": "matrix(2, 2)", "W_Q1": "matrix(2, 2)"}
    text = render(solved(written(given, "ключ*β*W_Q1 = β*ключ*W_Q1")).to_document(Narration()), 100)
    assert "Proved" in text


def test_what_is_not_decided_is_not_said_to_have_no_value(solved: Callable[[str], Narrated]) -> None:
    shown = " ".join(render(solved("kind: derivation\ntopic: claim\nclaim: exp(-10^9) = 0\n").to_document()).split())
    assert "This could not be decided: the two sides could not be computed accurately enough to compare them." in shown
    assert "✗ not decided" in shown


def test_a_chain_says_of_every_link_what_was_found(solved: Callable[[str], Narrated]) -> None:
    given = {"x": "number", "M": [[1, 2], [3, 4]]}
    text = render(solved(written(given, ["(M*M)[1,1]*x = 7*x", "= 8*x", "<= 8*x + 1"])).to_document(Narration()), 100)
    found = [text.index(said) for said in ("Link 1 of 3: Proved", "Link 2 of 3: Refuted", "Link 3 of 3: It holds")]
    assert found == sorted(found)


@pytest.mark.parametrize("claim", ["[a, b][1] = b", "2*[a, b] = [b, a]", "X*[a, b]^T = v", "sqrt([c, 1]) = [a, b]"])
def test_a_refuted_claim_about_lists_is_told(claim: str, solved: Callable[[str], Narrated]) -> None:
    given = {"a": "number", "b": "number", "c": "positive", "X": "matrix(2, 2)", "v": "vector(2)"}
    told = solved(written(given, claim)).to_document(Narration())
    assert "A counterexample" in render(told, 80)
    assert "A counterexample" in render(told, 80, False)


def test_a_comma_that_cuts_a_declaration_in_two_is_pointed_out() -> None:
    with pytest.raises(ProblemError) as caught:
        parse("kind: derivation\ntopic: claim\ngiven: {X: matrix(2, 3)}\nclaim: X = X\n", "p.yaml")
    assert str(caught.value).startswith("p.yaml:3:8: a comma between brackets ends an entry here\n")
    assert 'put quotes around it: X: "matrix(2, 3)"' in str(caught.value)
