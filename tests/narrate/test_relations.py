"""What a part asks to be shown of a sheet's quantities: proved, refuted by an entry, or left open."""

from __future__ import annotations

import pytest

from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.render.text import render

SHEET = """
kind: formulas
given: {X: [[1, 2], [-1, 1]], E: [[1, 0], [0, 1], [1, 1]]}
formulas:
  N: layernorm(X)
  P: softmax(X*E^T)
parts: {a: {show: "%s"}}
"""
SHOWN = "shown: the two sides are the same in every entry, exactly"
AT_MOST = "shown: every entry on the left is at most the one on the right"
OPEN = "The two sides agree to 30 digits. That is no proof"


@pytest.mark.parametrize(
    ("relation", "verdict"),
    [
        ("P*ones(3) = ones(2)", SHOWN),
        ("softmax(X*E^T + 1) = P", SHOWN),
        ("N[1,1] + N[1,2] = 0", SHOWN),
        ("rowsum(P) = 1*rowsum(P) = rowsum(P)", SHOWN),
        ("P <= ones(2, 3)", AT_MOST),
        ("P[1,1] <= 1/2 <= P[1,3]", AT_MOST),
        ("P[1,3] >= P[1,2]", "shown: every entry on the left is at least the one on the right"),
        ("tanh(P[1,1]) = tanh(P[1,1] + P[1,2] - P[1,2])", OPEN),
        ("P = softmax(2*X*E^T)", "p₁,₁ ≈ 0.09003 but r₁,₁ ≈ 0.01588"),
        ("N[1,1] >= 0", "L = −1 but R = 0"),
    ],
)
def test_a_relation_is_proved_refuted_or_left_open(relation: str, verdict: str) -> None:
    (problem,) = parse(SHEET % relation, "sheet.yaml")
    told = " ".join(render(solve(problem).to_document(), 100).split())
    assert verdict in told
    assert ("This does not hold" in told) == (" but " in verdict)


def test_a_relation_may_be_shown_in_attention_that_states_no_formulas() -> None:
    (problem,) = parse(
        "inputs: [[1, 2], [-1, 1]]\nweights: identity\nparts: {a: {show: A*ones(2) = ones(2)}}\n", "p.yaml"
    )
    told = solve(problem)
    assert SHOWN in render(told.to_document(), 100)
    assert "(a).1" not in str(told.graph.quantities)


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        ("P*Q = P", "sheet.yaml:7:22: in part a: there is no 'Q'"),
        ("P = ones(2)", "sheet.yaml:7:20: one side is 2×3, the other a list of 2: they can't be compared"),
        ("P == P", "'==' has no meaning"),
        ("P <", "in part a"),
    ],
)
def test_what_is_wrong_with_a_relation_is_said_where_it_stands(relation: str, message: str) -> None:
    with pytest.raises(ProblemError) as raised:
        parse(SHEET % relation, "sheet.yaml")
    assert message in str(raised.value)
