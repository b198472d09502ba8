"""What `gradient:` may say, and the one message, with its place, that anything else gets."""

from __future__ import annotations

import pytest
from shared.gradients import solved

from attnsolve.errors import ProblemError
from attnsolve.key import Key

SHEET = """kind: formulas
given: {X: [[1, 2], [3, 4]], v: [1, 2], W: [[1, 0], [0, 1]]}
formulas: {Y: X*W + v, L: total(Y .* Y), n: 3*X}
gradient: """
HEADS = """inputs: [[1, 0], [0, 1]]
weights:
  - {W_Q: [[1], [0]], W_K: [[1], [0]], W_V: [[1], [1]]}
  - {W_Q: [[1], [1]], W_K: [[0], [1]], W_V: [[1], [0]]}
W_O: [[1], [1]]
formulas: {L: total(output)}
gradient: """
KNOWN = "known: X, v, W, Y, L, n"
EXAMPLE = "{of: L, to: [W_Q, W_K]}"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("nope", f"11: there is no nope here\n    {KNOWN}"),
        ("3", f"11: there is no 3 here\n    {KNOWN}"),
        ("[L]", f"11: gradient must be a mapping such as {EXAMPLE}, but a list was found"),
        ("{}", f"11: gradient does not say of what\n    write gradient: {EXAMPLE}"),
        ("{of: [L, Y]}", "16: of of gradient must be a line of text, but a list was found"),
        ("{of: Y}", "16: a gradient is that of one number, but Y is 2×2\n"
         "    add a formula such as L: total(Y), or give upstream: {Y: [[...]]}"),
        ("{of: L, to: [nope]}", f"24: there is no nope here\n    {KNOWN}"),
        ("{of: L, to: [L]}", "24: the gradients start from L\n    leave it out"),
        ("{of: L, to: {a: 1}}", "23: to of gradient must be a line of text, but a mapping was found"),
        ("{of: L, to: [[X]]}", "24: to of gradient must be a line of text, but a list was found"),
        ("{of: L, to: ['X[1]']}", f"24: there is no X[1] here\n    {KNOWN}"),
        ("{of: L, fused: maybe}", "26: fused must be true or false, but 'maybe' was found\n    known: true, false"),
        ("{of: L, other: 1}", "19: unknown key 'other' in gradient\n    known: of, to, upstream, fused"),
        ("{of: L, upstream: {Y: [[1, 1], [1, 1]]}}",
         "11: gradient has both of, a loss, and upstream, gradients that are given\n    leave one of them out"),
        ("{upstream: {Y: [[1, 1]]}}", "26: the gradient of Y must be 2×2, but 1×2 was found"),
        ("{upstream: {Y: [[-inf, 1], [1, 1]]}}",
         "28: in the gradient of Y[1,1]: '-inf' is not a finite number\n    write a finite number"),
        ("{upstream: {nope: [[1]]}}", f"29: there is no nope here\n    {KNOWN}"),
        ("{upstream: {Y: [[1, 1], [1, 1]]}, to: [Y]}", "50: the gradients start from Y\n    leave it out"),
    ],
)  # fmt: skip
def test_one_message_with_its_place(asked: str, message: str) -> None:
    with pytest.raises(ProblemError) as caught:
        solved(f"{SHEET}{asked}\n")
    assert str(caught.value) == f"sheet.yaml:4:{message}"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("L", ["d_W", "dv", "d_X"]),
        ("{of: L, to: X}", ["d_X"]),
        ("{of: L, to: [X, X]}", ["d_X"]),
        ("{of: L, to: [n]}", ["d_n"]),
        ("{upstream: {Y: identity}, to: [v]}", ["dv"]),
        ("{upstream: {Y: [[1e400, 1], [1, 1]]}, to: [v]}", ["dv"]),
    ],
)
def test_what_can_be_asked(asked: str, found: list[str]) -> None:
    gradients = solved(f"{SHEET}{asked}\n").graph.gradients
    assert sorted(gradients.keys[key].id for key in gradients.wanted) == sorted(found)


@pytest.mark.parametrize("name", ["Q", "queries", "W_Q", "A", "weights"])
def test_a_letter_means_all_heads(name: str) -> None:
    gradients = solved(f"{HEADS}{{of: L, to: [{name}]}}\n").graph.gradients
    assert [key.head for key in gradients.wanted] == ["1", "2"]
    one = solved(f"{HEADS}{{of: L, to: [{name}@2]}}\n").graph.gradients
    assert [key.head for key in one.wanted] == ["2"]


def test_a_list_states_the_gradient_of_a_list_that_stands_upright() -> None:
    text = "layout: columns\nqueries: [1, 2]\nkeys: [[1, 0], [1, 1]]\nvalues: [[1, 0], [2, 1]]\n"
    solution = solved(f"{text}gradient: {{upstream: {{context: [1, 2]}}, to: [queries]}}\n")
    assert solution.graph.shape(Key("d_context")) == solution.graph.shape(Key("context"))
