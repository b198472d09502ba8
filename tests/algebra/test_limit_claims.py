"""Claims about limits: what is proved holds at every value of the other letters, those too at which it would fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsolve.algebra.finding import Finding
from attnsolve.errors import AttnsolveError

Judge = Callable[[Mapping[str, str], str], list[Finding]]

GIVEN = {"b": "positive", "x": "number", "y": "number"}
NEAR, TOLERANCE = mpmath.mpf(10) ** -20, mpmath.mpf(10) ** -8
VALUES = [Fraction(x) for x in (-3, -1, 0, 1, 2, 7)] + [Fraction(1, 2)]

SPECIAL = [
    ("lim(b -> oo, b*(x - 7)/(b*(x - 7) + 1)) = 1", {"x": 7}),
    ("lim(b -> oo, exp(b*x)) = 0", {"x": 0}),
    ("lim(b -> 0, b/(b + x)) = 0", {"x": 0}),
    ("lim(b -> oo, tanh(b*(x - 1/2))^2) = 1", {"x": Fraction(1, 2)}),
    ("lim(b -> oo, (b*x^2 + 1)/(b*x^2 + 2)) = 1", {"x": 0}),
    ("lim(b -> oo, b*(x - y)/(b*(x - y) + 1)) = 1", {"x": 1, "y": 1}),
    ("lim(b -> oo, b*(x^2 + y^2)/(b*(x^2 + y^2) + 1)) = 1", {"x": 0, "y": 0}),
    ("lim(b -> oo, softmax([b*x*y, 0])[1] + softmax([-b*x*y, 0])[1]^2) = 1", {"x": 0, "y": 0}),
    ("lim(b -> oo, exp(-b*(x*y - 1)^2)) = 0", {"x": 1, "y": 1}),
    ("lim(b -> oo, b^2*(x - 3)/(b^2*(x - 3) + b)) = 1", {"x": 3}),
    ("lim(b -> 0, (x + b)/(x + 2*b)) = 1", {"x": 0}),
    ("lim(b -> oo, b*(sqrt(x^2) - x)/(b*(sqrt(x^2) - x) + 1)) = 1", {"x": 0}),
]


@pytest.mark.parametrize(("claim", "where"), SPECIAL, ids=[claim for claim, _ in SPECIAL])
def test_a_limit_that_fails_at_special_values_is_not_proved(
    claim: str, where: Mapping[str, int | Fraction], judge: Judge
) -> None:
    (finding,) = judge(GIVEN, claim)
    assert finding.status == "refuted"
    assert finding.counterexample is not None
    assert len(where) > 1 or "sqrt" in claim or finding.counterexample.values["x"] == ((where["x"],),)


# ── random ones, against mpmath ─────────────────────────────────────────────────────────────────

BODIES = """
b*({p})/(b*({p}) + 1)
exp(b*({p}))/(1 + exp(b*({q})))
tanh(b*({p}))
({p} + b)/({q} + b)
exp(-b*({p}))
(b*({p}) + {q})/(b*({q}) + 1)
{p} + exp(-b)
({p})/b
exp(({p})/b)
softmax([b*({p}), b*({q})])[1]
abs({p})*tanh(b*({p}))
sqrt(b^2 + {p})/b
(exp(({p})/b) - 1)*b
b^2*({p}) - b*({p})^2*b
lim(c -> 0, c/(c + b*({p})))
""".strip().splitlines()
FORMS = [
    "x",
    "y",
    "x - 1",
    "x + y",
    "x*y",
    "x^2",
    "x - y",
    "x^2 + y^2",
    "2",
    "0",
    "x*y - 1",
    "-x",
    "x^2 + 1",
    "1/2 - x",
]
RIGHT = ["0", "1", "1/2", "{p}", "{p}/({q})", "-1", "abs({p})", "sqrt(({p})^2)", "({p})^2/abs({p})"]


def softmax(scores: list[Any]) -> list[Any]:
    """Counted from 1, as claims do."""
    top = max(scores)
    powers = [mpmath.exp(s - top) for s in scores]
    return [None, *(p / sum(powers) for p in powers)]


def value(text: str, **names: Any) -> Any:
    known = {"exp": mpmath.exp, "tanh": mpmath.tanh, "sqrt": mpmath.sqrt, "abs": abs, "softmax": softmax}
    found = eval(text.replace("^", "**"), {"__builtins__": {}}, {**known, **names})
    if isinstance(found, mpmath.mpc):
        raise ZeroDivisionError
    return mpmath.mpf(found)


def side(body: str, to: str, point: Mapping[str, Any]) -> Any:
    """A limit as mpmath sees it: the value very near the target, where it has come to rest; None if it has not."""
    targets = {"oo": (1 / NEAR, 1 / NEAR**2), "0": (NEAR, NEAR**2)}[to]
    inner = body.replace("lim(c -> 0, ", "(").replace("c/(c + ", "c_/(c_ + ")
    with mpmath.workdps(120):
        found = [value(inner, b=b, c_=NEAR**10, **point) for b in targets]
        return found[1] if abs(found[0] - found[1]) < TOLERANCE else None


@settings(deadline=None)
@given(
    body=st.sampled_from(BODIES),
    p=st.sampled_from(FORMS),
    q=st.sampled_from(FORMS),
    right=st.sampled_from(RIGHT),
    to=st.sampled_from(["oo", "0"]),
)
def test_what_is_proved_is_so_wherever_both_sides_have_a_value(
    judge: Judge, body: str, p: str, q: str, right: str, to: str
) -> None:
    left, right = body.format(p=p, q=q), right.format(p=p, q=q)
    try:
        (finding,) = judge({**GIVEN, "c": "positive"}, f"lim(b -> {to}, {left}) = {right}")
    except AttnsolveError:
        return
    for x, y in product(VALUES, VALUES):
        point = {name: mpmath.mpf(v.numerator) / v.denominator for name, v in (("x", x), ("y", y))}
        try:
            sides = side(left, to, point), value(right, **point)
        except ZeroDivisionError:
            continue
        if finding.status == "proved" and sides[0] is not None:
            assert abs(sides[0] - sides[1]) < TOLERANCE, (left, right, x, y)
    if finding.counterexample is not None:
        named = {name: rows[0][0] for name, rows in finding.counterexample.values.items()}
        point = {"x": mpmath.mpf(0), "y": mpmath.mpf(0)}
        point |= {name: mpmath.mpf(v.numerator) / v.denominator for name, v in named.items()}
        assert abs(side(left, to, point) - value(right, **point)) > TOLERANCE
