"""`limit:` in problems: whatever the other letters are, exactly one case is theirs, and mpmath finds its limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attnsolve.contract.json import render as as_json
from attnsolve.errors import UnsolvableError
from attnsolve.loading.files import parse
from attnsolve.narrate.steps import narrate
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution

Solve = Callable[[str], Solution]
Point = Mapping[str, Fraction]

VALUES = [Fraction(x) for x in (-2, -1, 0, 1, 2)] + [Fraction(1, 2)]
NEAR = mpmath.mpf(10) ** -12
"""How near a letter is brought to its target."""
TOLERANCE = mpmath.mpf(10) ** -6
BASE = {"beta": "positive", "x": "real", "y": "real"}


def worked(scores: list[str], values: list[str], symbols: Mapping[str, str], to: str, **more: Any) -> Solution:
    given = {"scores": [scores], "values": [[value] for value in values]}
    number_text = " ".join((*scores, *values, "beta"))
    declared = {name: sort for name, sort in symbols.items() if name in number_text}
    problem = {"symbols": declared, "given": given, "scaling": "none", "limit": {"beta": to}, **more}
    (read,) = parse(json.dumps(problem), "p.yaml")
    solution = solve(read)
    assert isinstance(solution, Solution)
    return solution


def cases(solution: Solution) -> list[dict[str, Any]]:
    """As another program reads them: conditions, weights and context."""
    limits = json.loads(as_json(solution, narrate(solution)))["limits"]
    by_id = {entry["id"]: entry for entry in limits}
    if "cases" not in by_id["weights"]:
        return [{"if": [], "weights": by_id["weights"]["exact"][0], "context": by_id["context"]["exact"][0]}]
    pairs = zip(by_id["weights"]["cases"], by_id["context"]["cases"], strict=True)
    return [{"if": w["if"], "weights": w["exact"][0], "context": c["exact"][0]} for w, c in pairs]


def evaluated(text: str, point: Mapping[str, Any]) -> Any:
    """What our own output says, read by Python and mpmath."""
    known = {
        "sqrt": mpmath.sqrt,
        "exp": mpmath.exp,
        "log": mpmath.log,
        "oo": mpmath.inf,
        "E": mpmath.e,
        "pi": mpmath.pi,
    }
    plain = text.replace("^", "**").replace(" = ", " == ")
    return eval(plain, {"__builtins__": {}}, {**known, **point})


def numbers(point: Point) -> dict[str, Any]:
    return {name: mpmath.mpf(x.numerator) / x.denominator for name, x in point.items()}


def near(scores: list[str], values: list[str], point: Point, beta: Any, base: Any) -> tuple[list[Any], Any]:
    """Weights and context at a value of beta."""
    there = {**numbers(point), "beta": beta}
    found = [mpmath.mpf(evaluated(score, there)) for score in scores]
    powers = [mpmath.power(base, score - max(found)) for score in found]
    weights = [power / sum(powers) for power in powers]
    context = sum(w * evaluated(value, there) for w, value in zip(weights, values, strict=False))
    return weights, context


def agrees(found: Any, wanted: Any) -> bool:
    if mpmath.isinf(wanted):
        return bool(abs(found) > 10**5 and mpmath.sign(found) == mpmath.sign(wanted))
    return bool(abs(found - wanted) < TOLERANCE)


SCORE = """0
1
x
beta
2*beta
-beta
beta*x
beta*y
beta*(x-1)
beta*x*y
beta^2*x
beta*(x+y)
beta^2*x + beta*y
beta*x + y
sqrt(2)*beta*x
beta*(x^2+1)
beta*x^2
x/beta""".splitlines()
SCORES = st.lists(st.sampled_from(SCORE), min_size=2, max_size=3)
VALUE = st.sampled_from(["0", "1", "-2", "x", "beta", "1/beta", "x*beta", "beta^2"])
TARGETS = {"oo": [1 / NEAR], "-oo": [-1 / NEAR], "0": [NEAR, -NEAR], "1": [1 + NEAR, 1 - NEAR]}


@settings(deadline=None)
@given(
    scores=SCORES,
    values=st.lists(VALUE, min_size=3, max_size=3),
    signs=st.tuples(*[st.sampled_from(["real", "positive", "nonnegative", "negative"])] * 2),
    to=st.sampled_from([*TARGETS]),
    base=st.sampled_from(["e", "2", "5/2"]),
)
def test_one_case_is_right_at_every_point(
    scores: list[str], values: list[str], signs: tuple[str, str], to: str, base: str
) -> None:
    assume(any("beta" in said for said in (*scores, *values[: len(scores)])))
    beta = "real" if to == "-oo" else "positive"
    symbols = {"beta": beta, "x": signs[0], "y": signs[1]}
    try:
        found = cases(worked(scores, values[: len(scores)], symbols, to, softmax={"base": base}))
    except UnsolvableError:
        return
    allowed = {"real": lambda _: True, "positive": lambda v: v > 0, "nonnegative": lambda v: v >= 0}
    allowed["negative"] = lambda v: v < 0
    with mpmath.workdps(60):
        root = mpmath.e if base == "e" else evaluated(base, {})
        for x, y in product(VALUES, VALUES):
            if not (allowed[signs[0]](x) and allowed[signs[1]](y)):
                continue
            point = {"x": x, "y": y}
            (own,) = [case for case in found if all(evaluated(said, numbers(point)) for said in case["if"])]
            betas = [b for b in TARGETS[to] if beta == "real" or b > 0]
            for weights, context in (near(scores, values, point, b, root) for b in betas):
                wanted = [evaluated(text, numbers(point)) for text in own["weights"]]
                assert all(map(agrees, weights, wanted))
                assert agrees(context, evaluated(own["context"][0], numbers(point)))


def test_enough_of_these_are_decided() -> None:
    """The test above passes over what is refused; most must not be."""
    pairs = [(["beta*x", "beta"], "oo"), (["beta*x", "beta*y"], "oo"), (["beta*x", "beta*y", "beta"], "oo")]
    pairs += [(["beta^2*x", "beta"], "oo"), (["beta*x*y", "0"], "-oo"), (["x/beta", "1"], "0"), (["beta*x", "x"], "1")]
    for scores, to in pairs:
        symbols = BASE if to != "-oo" else {**BASE, "beta": "real"}
        assert cases(worked(scores, ["1", "0", "x"][: len(scores)], symbols, to))


# ── how it is told ──────────────────────────────────────────────────────────────────────────────

TWO = (
    "symbols: {beta: positive, x: real}\nqueries: [[beta]]\nkeys: [[x], [1]]\nvalues: [[1, 0], [0, 1]]\n"
    "scaling: none\nlimit: {beta: oo}\n"
)


def test_cases_are_printed_as_cases(solved: Solve) -> None:
    text = render(narrate(solved(TWO)))
    limit = text[text.index("In the limit") :]
    places = [
        limit.index(said) for said in ("As β → ∞:", "If x > 1:", "[1   0 ]", "If x = 1:", "[1/2  1/2]", "If x < 1:")
    ]
    assert places == sorted(places)


def test_what_is_the_same_in_every_case_needs_none(solved: Solve) -> None:
    solution = solved(TWO.replace("[x], [1]", "[x], [x]"))
    assert [case.conditions for case in solution.limit_cases] == [()]
    assert next(iter(solution.limits.values())) == ((Fraction(1, 2), Fraction(1, 2)),)


def test_cases_with_the_same_limits_are_one(solved: Solve) -> None:
    found = cases(worked(["beta*x^2", "0"], ["1", "0"], {**BASE}, "oo"))
    assert [(case["if"], case["weights"]) for case in found] == [(["x != 0"], ["1", "0"]), (["x = 0"], ["1/2", "1/2"])]


def test_entries_that_depend_on_the_case_are_null_beside_the_cases(solved: Solve) -> None:
    solution = solved(TWO.replace("[[1, 0], [0, 1]]", "[[1, 7], [0, 7]]"))
    limits = json.loads(as_json(solution, narrate(solution)))["limits"]
    context = next(entry for entry in limits if entry["id"] == "context")
    assert context["exact"] == [[None, "7"]]
    assert [(case["if"], case["exact"]) for case in context["cases"]] == [
        (["x > 1"], [["1", "7"]]),
        (["x = 1"], [["1/2", "7"]]),
        (["x < 1"], [["0", "7"]]),
    ]


def test_a_sign_that_is_declared_needs_no_case(solved: Solve) -> None:
    found = cases(worked(["beta*x", "0"], ["1", "0"], {**BASE, "x": "negative"}, "oo"))
    assert [(case["if"], case["weights"]) for case in found] == [([], ["0", "1"])]


def test_letters_tend_to_their_limits_one_after_the_other(solved: Solve) -> None:
    """e^(ab)/(e^(ab) + 1): with a → ∞ first it is 1 for every b > 0; with b → 0 first it is 1/2 for every a."""
    text = "symbols: {a: positive, b: positive}\ngiven: {scores: [[a*b, 0]], values: [[1], [0]]}\nscaling: none\n"
    first, second = (solved(text + f"limit: {limit}\n").limits for limit in ("{a: oo, b: 0}", "{b: 0, a: oo}"))
    assert [next(iter(limits.values()))[0][0] for limits in (first, second)] == [1, Fraction(1, 2)]


@pytest.mark.parametrize(
    ("symbols", "scores", "to", "said"),
    [
        ({"x": "real"}, "[beta*(x^2-2), 0]", "oo", "depends on x in a way that can't be split into a few cases"),
        ({f"z{i}": "real" for i in range(6)}, f"[{', '.join(f'beta*z{i}' for i in range(6))}]", "oo", "a few cases"),
        ({}, "[1/(beta-1), 0]", "1", "it differs from side to side"),
        ({}, "[beta, 0]", "-1", "beta is not negative, so it can't tend to -1"),
    ],
)
def test_what_can_not_be_decided_is_refused(
    symbols: Mapping[str, str], scores: str, to: str, said: str, solved: Solve
) -> None:
    letters = json.dumps({"beta": "positive", **symbols})
    given = f"{{scores: [{scores}], values: {json.dumps([[1]] * (scores.count(',') + 1))}}}"
    with pytest.raises(UnsolvableError, match=said):
        narrate(solved(f"symbols: {letters}\ngiven: {given}\nscaling: none\nlimit: {{beta: {to}}}\n"))
