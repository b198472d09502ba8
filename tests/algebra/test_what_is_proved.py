"""What is called proved holds wherever both sides have a value; what is only tried, close or conditional says so."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsolve.algebra.declarations import Declarations
from attnsolve.algebra.declared import Normal, WholeNumber
from attnsolve.algebra.finding import Finding
from attnsolve.algebra.grammar import parse_claim, parse_term
from attnsolve.algebra.table import TermError
from attnsolve.algebra.verify import Claim, Verifier
from attnsolve.contract.json import render as as_json
from attnsolve.errors import AttnsolveError
from attnsolve.narrate.narrated import Narrated
from attnsolve.render.text import render
from attnsolve.solution.solved import Narration

Judge = Callable[[Mapping[str, str], str], list[Finding]]
Solve = Callable[[str], Narrated]

NUMBERS = {"x": "number", "y": "number", "z": "number"}
ROOTS = {"r": "sqrt(x)", "s": "sqrt(y)", "t": "sqrt(z)"}


def told(solved: Solve, given: Mapping[str, str], claim: str) -> tuple[str, list[dict[str, Any]]]:
    """The text, on one line, and the checks of the JSON."""
    problem = {"kind": "derivation", "topic": "claim", "given": dict(given), "claim": claim}
    worked = solved(json.dumps(problem))
    document = worked.to_document(Narration())
    return " ".join(render(document, 100).split()), json.loads(as_json(worked, document))["checks"]


# ── roots and definitions ───────────────────────────────────────────────────────────────────────


def test_a_definition_that_is_not_used_says_nothing_about_the_letters(judge: Judge) -> None:
    """√(xy) √(yz) = y √(xz) fails where all three are negative, and √x has no value there."""
    (finding,) = judge({**NUMBERS, **ROOTS}, "sqrt(x*y)*sqrt(y*z) = y*sqrt(x*z)")
    assert finding.status == "refuted"
    (finding,) = judge({"x": "number", "r": "sqrt(x)"}, "abs(x) = x")
    assert finding.status == "refuted"


def test_the_roots_of_one_link_say_nothing_in_the_next(judge: Judge) -> None:
    first, _, last = judge(
        NUMBERS, "sqrt(x)*sqrt(y)*sqrt(z) = sqrt(z)*sqrt(y)*sqrt(x) <= sqrt(x*y)*sqrt(y*z) = y*sqrt(x*z)"
    )
    assert (first.status, last.status) == ("proved", "refuted")


def test_what_has_no_value_has_none_the_second_time_either() -> None:
    """With a single entry q k can be formed; that it can't with more was forgotten once it had been said."""
    entries = Normal(parse_term("0"), parse_term("1"), parse_term("n"))
    verifier = Verifier(Declarations({"n": WholeNumber(), "q": entries, "k": entries}))
    for claim in ("E(q*k) = 0", "E(q*k) = 0*n", "E(q*k) = E(q*k)", "E(q*k) = 0"):
        with pytest.raises(TermError, match="can't be formed"):
            verifier.verify(Claim(*parse_claim(claim)))


def test_roots_within_one_claim_may_be_split(judge: Judge) -> None:
    (finding,) = judge(NUMBERS, "sqrt(x)*sqrt(y)*sqrt(x*y) = x*y")
    assert finding.status == "proved"


# ── close is not equal ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "claim",
    [
        "tanh(1000) = 1",
        "tanh(1000) >= 1",
        "exp(-1000) = 0",
        "exp(-100000) <= 0",
        "1 + exp(-100000) = 1",
        "tanh(-500) <= -1",
    ],
)
def test_what_is_only_close_is_refuted(claim: str, judge: Judge) -> None:
    (finding,) = judge({}, claim)
    assert finding.status == "refuted"


def test_a_difference_that_no_digits_show_is_told(solved: Solve) -> None:
    """1 − tanh 1000 = 2/(e^2000 + 1) = 5.15307…·10^−869."""
    with mpmath.workdps(900):
        gap = mpmath.tanh(1000) - 1
    assert mpmath.nstr(gap, 6).startswith("-5.15307e-869")
    text, _ = told(solved, {}, "tanh(1000) = 1")
    assert "These differ by −5.15307×10^−869, which is not 0." in text


def test_agreeing_digits_are_not_called_equal(judge: Judge, solved: Solve) -> None:
    (finding,) = judge({"x": "number"}, "ln(x^2) = 2*ln(x)")
    assert 0 < finding.close < finding.points
    text, (check,) = told(solved, {"x": "number"}, "ln(x^2) = 2*ln(x)")
    assert "both sides agree to 60 digits, and nothing more is proven" in text
    assert check["says"] == "agrees to 60 digits at every point tried"


def test_an_inequality_that_balls_prove_at_every_point_is_said_to_hold_there(judge: Judge, solved: Solve) -> None:
    (finding,) = judge(NUMBERS, "x^2 + y^2 >= 2*x*y")
    assert finding.close == 0
    _, (check,) = told(solved, NUMBERS, "x^2 + y^2 >= 2*x*y")
    assert check["says"] == "holds at every point tried"


# ── sizes, conditions ───────────────────────────────────────────────────────────────────────────


def test_a_proof_at_some_sizes_is_called_evidence_in_the_json_too(solved: Solve) -> None:
    text, (check,) = told(solved, {"P": "permutation(n)"}, "P*P^T = identity(n)")
    assert "For other sizes this is evidence, not a proof." in text
    assert check["says"] == "evidence: proved at n = 1, 2, 3 only"


def test_what_fails_for_five_rows_first_is_refuted(judge: Judge) -> None:
    """Twelve is a multiple of every order up to 4: the first permutation that it does not bring back has five rows."""
    (finding,) = judge({"P": "permutation(n)"}, "*".join("P" * 12) + " = identity(n)")
    assert finding.counterexample is not None
    assert finding.counterexample.setting.places == {"n": 5}


def test_a_proof_says_where_the_sides_have_a_value(solved: Solve) -> None:
    given = {"b": "positive", "x": "number", "y": "number"}
    text, (check,) = told(solved, given, "lim(b -> oo, (b*x + 1)/(b*y + 1)) = x/y")
    assert "Proved where y ≠ 0, and elsewhere one side has no value" in text
    assert check["says"] == "proved where y ≠ 0"
    text, _ = told(solved, given, "x/x = 1")
    assert "both sides are the same wherever they have a value" in text


def test_no_case_is_made_of_what_is_random_or_turned(judge: Judge) -> None:
    """With probability 1 the first limit is 1, but not at x = 0; the second rests on the sign of 3 + t²."""
    (finding,) = judge({"b": "positive", "x": "normal(0, 1)"}, "E[lim(b -> oo, b*x/(b*x + 1))] = 1")
    assert finding.status == "undecided"
    claim = "lim(b -> oo, b*(K[1,1] + 2)/(b*(K[1,1] + 2) + 1)) = 1"
    (finding,) = judge({"b": "positive", "K": "orthonormal(2)"}, claim)
    assert finding.status == "tried"


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize(
    "claim",
    [
        "lim(b -> oo, 1/(b*(K[1,1] + 1) + 1)) = 0",
        "lim(x -> 0, x/(x + K[1,1] + 1)) = 0",
        "lim(x -> 0, x^2/(x^2 + (K[1,1] + 1)^2)) = 0",
        "lim(b -> oo, 1/(b*norm(K + identity({size}))^2 + 1)) = 0",
        "lim(b -> oo, exp(-b*(K[1,1] + 1))) = 0",
        "lim(b -> oo, exp(-b*(K[1,1] + 1))) <= 0",
        "lim(b -> oo, b*(K[1,1] + 1)/(b*(K[1,1] + 1) + 1)) = 1",
        "lim(b -> oo, tanh(b*(K[1,1] + 1))) = 1",
        "lim(b -> oo, softmax([0, b*(K[1,1] + 1)])) = [0, 1]",
        "sqrt(-(K[1,1] + 1)) = 1",
    ],
)
def test_what_fails_at_half_turns_alone_is_refuted_by_one(judge: Judge, claim: str, size: int) -> None:
    """Rotations by less make all of these true, or leave them without a value."""
    names = {"b": "positive", "x": "positive", "K": f"orthonormal({size})"}
    (finding,) = judge(names, claim.replace("{size}", str(size)))
    assert finding.status == "refuted"
    assert finding.counterexample.values["K"][0][0] == -1


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_limit_of_what_is_the_same_for_every_rotation_is_still_proved(judge: Judge, size: int) -> None:
    names = {"b": "positive", "K": f"orthonormal({size})"}
    (finding,) = judge(names, "lim(b -> oo, 1/(b*norm(K[1])^2 + 1)) = 0")
    assert finding.status == "proved"


# ── random claims, against mpmath ───────────────────────────────────────────────────────────────

RULES = """
sqrt(({a})*({b})) = sqrt({a})*sqrt({b})
sqrt(({a})*({b}))*sqrt(({b})*({c})) = ({b})*sqrt(({a})*({c}))
sqrt(({a})/({b})) = sqrt({a})/sqrt({b})
sqrt(({a})^2*({b})) = ({a})*sqrt({b})
sqrt(({a})^2) = {a}
sqrt({a})^2 = {a}
abs({a}) = sqrt(({a})^2)
abs(({a})*({b})) = abs({a})*abs({b})
abs({a})/({a}) = 1
ln(({a})*({b})) = ln({a}) + ln({b})
exp(ln({a})/2) = sqrt({a})
exp(ln(({a})^2)/2) = {a}
exp(ln(({a})*({b}))/2) = sqrt({a})*sqrt({b})
ln(exp({a})) = {a}
({a})*({b})/({b}) = {a}
({a})^0 = 1
tanh(ln({a})) = (({a})^2 - 1)/(({a})^2 + 1)
sqrt({a})/({a}) = 1/sqrt({a})
""".strip().splitlines()
FORMS = [
    "x",
    "y",
    "p",
    "-x",
    "x - y",
    "x*y",
    "x^2",
    "2",
    "-1",
    "0",
    "sqrt(x)",
    "abs(y)",
    "x + 1",
    "1/x",
    "exp(y)",
    "p*x^2",
]
VALUES = [mpmath.mpf(v) for v in (-2, -1, -0.5, 0, 0.25, 1, 3)]
TOLERANCE = mpmath.mpf(10) ** -25


def real(function: Callable[[Any], Any], allowed: Callable[[Any], bool]) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        if not allowed(value):
            raise ZeroDivisionError
        return function(value)

    return checked


def value(text: str, **point: Any) -> Any:
    roots = {"sqrt": real(mpmath.sqrt, lambda v: v >= 0), "ln": real(mpmath.log, lambda v: v > 0)}
    known = {"exp": mpmath.exp, "tanh": mpmath.tanh, "abs": abs, "mpf": mpmath.mpf, **roots}
    exact = re.sub(r"(?<!\*\*)(?<![\w.])(\d+)\b", r"mpf(\1)", text.replace("^", "**"))
    return mpmath.mpf(eval(exact, {"__builtins__": {}}, {**known, **point}))


@settings(deadline=None, max_examples=50)
@given(rule=st.sampled_from(RULES), forms=st.tuples(*[st.sampled_from(FORMS)] * 3), roots=st.booleans())
def test_a_proved_rule_holds_at_every_point(judge: Judge, rule: str, forms: tuple[str, str, str], roots: bool) -> None:
    claim = rule.format(a=forms[0], b=forms[1], c=forms[2])
    names = {"x": "number", "y": "number", "p": "positive", **({"r": "sqrt(x)", "s": "sqrt(y)"} if roots else {})}
    try:
        (finding,) = judge(names, claim)
    except AttnsolveError:
        return
    left, right = claim.split(" = ")
    with mpmath.workdps(50):
        for x, y, p in product(VALUES, VALUES, (mpmath.mpf(1) / 2, mpmath.mpf(2))):
            try:
                sides = [value(side, x=x, y=y, p=p) for side in (left, right)]
            except ZeroDivisionError:
                continue
            assert finding.status != "proved" or abs(sides[0] - sides[1]) < TOLERANCE * (1 + abs(sides[0]))


# ── where claims are tried ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("given", "claim"),
    [
        ({"x": "number"}, "(x - 7)^2 >= 1/100"),
        ({"x": "number"}, "x^2 <= 10000000"),
        ({"x": "positive"}, "x >= 1/10000"),
        ({"x": "number", "y": "number"}, "(x - y)^2 >= 1/1000000000000"),
        ({"x": "number", "y": "number"}, "x^2 + y^2 >= 1/1000000000000"),
        ({"n": "size"}, "n <= 60"),
    ],
)
def test_an_inequality_that_fails_at_special_values_is_refuted(
    given: Mapping[str, str], claim: str, judge: Judge
) -> None:
    (finding,) = judge(given, claim)
    assert finding.status == "refuted"
