"""Which operations have a derivative, what is said of it, and the conventions where there is none."""

from __future__ import annotations

import re
from importlib import import_module

import pytest
from shared.formulas import concrete
from shared.gradients import exact_gradients, float_gradients, solved

from attnsolve.errors import ProblemError
from attnsolve.key import Key
from attnsolve.operations.call import NAMED
from attnsolve.operations.formula import Formula
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution

WITHOUT_ARGUMENTS = {
    "Alibi", "Constants", "Entry", "Filled", "Frequencies", "Given", "MaskRule", "Number", "OneHot", "OtherMask", "Ref",
}  # fmt: skip
"""Numbers, places, and what reads nothing that a gradient could be of."""
INSIDE = {
    "Centred", "DividedBySum", "ErrorFunction", "Exponential", "Greatest", "HalfTimesOnePlus", "LessMaximum",
    "Normalised", "OverOneMore", "Products", "Root", "RootMeanSquare", "Scaled", "ScoresDividedBySum", "Summed",
    "TanhOfCubic", "TimesItself", "Total", "Unmasked", "Weighted",
}  # fmt: skip
"""Stages of a step, seen only where somebody opens it."""
FROM_POSITIONS = {"Angles", "Sinusoidal"}
ELSEWHERE = {"Hide", "InOneToken"}
"""Only in mistakes."""
SAY_NOTHING = {"ArgMax", "Forbid", "Grouped", "Member", "Negate", "Nucleus", "Rank", "Sorted", "Top", "Transpose"}
"""Brackets, signs and transposes, which the formula around them speaks for; and what is refused."""
CHOSEN = "which entries are chosen jumps where two entries change their order"
REFUSED = {
    "top(X, 1)": CHOSEN,
    "topk(X, 1)": CHOSEN,
    "nucleus(share(X), 1/2)": CHOSEN,
    "argmax(X)": "a position is a whole number, which jumps where two entries change their order",
    "sorted(X)": "which entry comes first, second and so on is not differentiated",
    "rank(X)": "a rank is a whole number, which jumps where rows become dependent",
}


def test_every_operation_of_a_problem_has_a_derivative_or_a_reason() -> None:
    without = {kind.__name__ for kind in concrete(Formula) if kind.backward is Formula.backward}
    assert without == WITHOUT_ARGUMENTS | INSIDE | FROM_POSITIONS | ELSEWHERE


def test_every_function_of_the_language_has_one() -> None:
    for path in set(NAMED.values()):
        module, name = path.split(".")
        kind = getattr(import_module(f"attnsolve.operations.{module}"), name)
        assert kind.backward is not Formula.backward or name in WITHOUT_ARGUMENTS | FROM_POSITIONS, name


def test_every_derivative_is_said_in_a_sentence() -> None:
    kinds = [kind for kind in concrete(Formula) if kind.backward is not Formula.backward]
    assert {kind.__name__ for kind in kinds if not kind.why_backward} == SAY_NOTHING
    for kind in kinds:
        said = kind.why_backward
        assert not said or (said[0].isupper() and said.endswith(".") and "  " not in said), kind


@pytest.mark.parametrize("formula", REFUSED)
def test_what_has_no_derivative_is_refused_with_the_reason(formula: str) -> None:
    text = f"kind: formulas\ngiven: {{X: [[1, 2], [4, 3]]}}\nformulas: {{Y: '{formula}', L: total(Y)}}\ngradient: L\n"
    with pytest.raises(ProblemError) as caught:
        solved(text)
    assert re.fullmatch(rf"sheet.yaml:4:11: no gradient goes through [YZ]: {REFUSED[formula]}", str(caught.value))


KINKS = {
    "relu(v)": "0 0 1", "abs(v)": "-1 0 1", "max(v, 0)": "0 1/2 1", "min(v, 0)": "1 1/2 0", "max(0, v)": "0 1/2 1",
    "max(v)*ones(1)": "0 0 1", "max([v[1], v[1], v[2]])": "0 1 0", "max([v[3], v[3]])": "0 0 1",
    "max(list(i=1..3, 1 + 0*v[i]) + v .* v)": "-1 0 1",
    "max(i=1..3, v[i]^2)": "-1 0 1", "rowmax(v .* v)": "-1 0 1", "min(v .* v)": "0 0 0", "v .* (v > 0)": "0 0 1",
}  # fmt: skip
"""Functions of v = [-1, 0, 1] with a corner there, and the gradient of their sum."""


@pytest.mark.parametrize("formula", KINKS)
def test_corners(formula: str) -> None:
    text = f'kind: formulas\ngiven: {{v: [-1, 0, 1]}}\nformulas: {{Y: "{formula}", L: total(Y)}}\ngradient: L\n'
    solution = solved(text)
    assert isinstance(solution, Solution)
    assert [str(solution.real(Key("dv"), 0, j).exact) for j in range(3)] == KINKS[formula].split()
    expected = [eval(number) for number in KINKS[formula].split()]
    assert float_gradients(text, "v")["v"].tolist() == [expected]


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("relu(v)", "ReLU has no derivative at 0; by convention it is taken to be 0 there."),
        ("abs(v)", "|x| has no derivative at 0; by convention it is taken to be 0 there."),
        ("max(v, 0)", "by convention they share the gradient evenly."),
        ("rowmax(v .* v)", "by convention they share the gradient evenly."),
        ("max(v .* v)", "by convention they share the gradient evenly."),
    ],
)
def test_the_convention_at_a_corner_is_said(formula: str, said: str) -> None:
    text = "kind: formulas\ngiven: {v: [%s]}\nformulas: {Y: '" + formula + "', L: total(Y)}\ngradient: L\n"
    assert said in remarks(text % "-1, 0, 1")
    assert said not in remarks(text % "-1, 2, 3")


def remarks(text: str) -> str:
    return " ".join(render(solved(text).to_document(), 100).split())


def test_an_unused_parameter_has_no_gradient_but_zeros() -> None:
    text = "kind: formulas\ngiven: {X: [[1, 2]], W: [[3], [4]]}\nformulas: {L: total(X .* X), Y: X*W}\n"
    found = exact_gradients(f"{text}gradient: {{of: L, to: [X, W]}}\n", "X", "W")
    assert found["W"].tolist() == [[0], [0]]
    assert found["X"].tolist() == [[2, 4]]


def test_a_loss_that_is_constant_has_gradients_of_exactly_zero() -> None:
    text = (
        "queries: [[1, 0], [0, 1]]\nkeys: [[1, 0], [0, 1], [1, 1]]\nvalues: [[1, 0], [0, 1], [0.5, 0.5]]\n"
        "formulas: {L: total(C)}\ngradient: {of: L, to: [queries, keys, values]}\n"
    )
    solution = solved(text)
    for name in ("d_scores", "d_queries", "d_keys"):
        rows, columns = solution.graph.shape(Key(name))
        assert {solution.real(Key(name), i, j).exact for i in range(rows) for j in range(columns)} == {0}
    found = exact_gradients(text, "values", "weights")
    assert [[f"{float(x):.9f}" for x in row] for row in found["values"]] == [
        ["0.598887907"] * 2, ["0.598887907"] * 2, ["0.802224185"] * 2,
    ]  # fmt: skip
    assert found["weights"].tolist() == [[1, 1, 1], [1, 1, 1]]
