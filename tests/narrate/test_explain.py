"""One cell, traced back to the given numbers."""

from collections.abc import Callable

import pytest

from attnsolve.document import sections
from attnsolve.errors import RequestError
from attnsolve.key import Key
from attnsolve.narrate.explain import explain, find_cell
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution

Solve = Callable[[str], Solution]

PROBLEM = """
tokens: [a, b]
inputs: [[1, 2], [0, -1]]
weights: {W_Q: [[1, 0], [1, 1]], W_K: [[2, 0], [0, 1]], W_V: [[1, 1], [1, 0]]}
scaling: none
notation: {scores: z}
"""
HEADS = "inputs: [[1, 2], [3, 4]]\nweights: identity\nheads: 2\nnumbering: 0\n"


def test_a_score_is_traced_to_the_inputs(solved: Solve) -> None:
    document = explain(solved(PROBLEM), "scores[1,2]")
    assert document.title == "Where z₁,₂ comes from"
    assert [section.id for section in sections(document)] == ["scores", "keys", "queries"]
    text = render(document)
    assert "z₁,₂ = q₁·k₂ = 3·0 + 2·(−1) = −2" in text
    assert "k₂,₂ = 0·0 + (−1)·1 = −1" in text
    assert "q₁,₁ = 1·1 + 2·1 = 3" in text
    assert "Given" in text


def test_only_what_the_cell_rests_on_is_shown(solved: Solve) -> None:
    text = render(explain(solved(PROBLEM), "queries[2,1]"))
    assert "q₂,₁ = 0·1 + (−1)·1 = −1" in text
    assert "q₁" not in text
    assert "W_K" not in text


@pytest.mark.parametrize(
    "request_text",
    ["scores[2,1]", "scores[b,a]", "scores[ b , 1 ]", "Z[2,1]", "z[2,1]", "z_{2,1}", "z_2,1", "z₂,₁", "Z_b,a"],
)
def test_a_cell_may_be_named_in_many_ways(solved: Solve, request_text: str) -> None:
    assert find_cell(solved(PROBLEM), request_text) == (Key("scores"), 1, 0)


@pytest.mark.parametrize(
    "request_text",
    [
        "head 1: scores[2,1]", "head 1: S[2,1]", "S_1[2,1]", "s_1[2,1]", "s⁽¹⁾₂,₁", "s_{2,1}^{(1)}", "s^{(1)}_{2,1}",
    ],
)  # fmt: skip
def test_a_head_may_be_named(solved: Solve, request_text: str) -> None:
    assert find_cell(solved(HEADS), request_text) == (Key("scores", (("head", 1),)), 1, 0)


def test_a_cell_of_a_vector_needs_one_number(solved: Solve) -> None:
    solution = solved("queries: [1, 2]\nkeys: [[1, 0], [0, 1]]\nvalues: [[1], [2]]\n")
    for request_text in ("scores[2]", "s_2", "S_2", "S[2]", "S₂"):
        assert find_cell(solution, request_text) == (Key("scores"), 0, 1)
    with pytest.raises(RequestError, match=r"name one entry, as in 'scores\[1\]'"):
        find_cell(solution, "S")


@pytest.mark.parametrize(
    ("request_text", "message"),
    [
        ("scores", "is more than one cell: name a row and a column, as in 'scores[1,1]'"),
        ("nothing", "does not name a cell"),
        ("scroes[1,1]", "did you mean scores?"),
        ("scores[3,1]", "scores has rows 1 to 2 and columns 1 to 2"),
        ("scores[1,c]", "scores has rows 1 to 2 and columns 1 to 2"),
        ("scores[1]", "name a row and a column"),
        ("scores[0,1]", "rows 1 to 2"),
    ],
)
def test_a_cell_that_is_not_there_is_said_so(solved: Solve, request_text: str, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        explain(solved(PROBLEM), request_text)
    assert message in str(caught.value)


def test_a_cell_of_several_heads_asks_which(solved: Solve) -> None:
    with pytest.raises(RequestError, match=r"several heads: write 'head 0: scores\[2,1\]'"):
        find_cell(solved(HEADS), "scores[2,1]")
