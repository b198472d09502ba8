"""Heads of queries that share keys and values, held against NumPy; and the key head that people take for another."""

from __future__ import annotations

import numpy as np
import pytest
from check.conftest import Marker

import attnsolve
from attnsolve.check.diagnose import diagnose
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.numbers.arrays import Array
from attnsolve.solution.floats import FloatSolution

X = np.array([[1, 0, 1], [0, 1, 2], [1, 1, 0]])
W_Q = np.array([[1, 0, 2, 1, 0, 1, 1, 2], [0, 1, 1, 1, 2, 0, 1, 0], [1, 1, 0, 0, 1, 2, 0, 1]])
KEYS = np.array([[1, 0, 2, 1], [0, 1, 1, 0], [1, 1, 0, 2]])
VALUES = np.array([[1, 2, 0, 1, 1, 0], [0, 1, 1, 2, 0, 1], [2, 0, 1, 0, 1, 1]])
B_K = np.array([1, 0, -1, 2])
W_O = np.arange(24).reshape(12, 2) % 5
HEADS = 4


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Array = powers / powers.sum(axis=1, keepdims=True)
    return found


def contexts(key_heads: int, tokens: Array = X) -> list[Array]:
    """Keys and values repeated for every head that shares them, as programs do."""
    queries = np.split(X @ W_Q, HEADS, axis=1)
    keys, values = (tokens @ w[:, : key_heads * w.shape[1] // 2] for w in (KEYS, VALUES))
    keys += B_K[: key_heads * 2]
    shared = [np.repeat(np.split(wide, key_heads, axis=1), HEADS // key_heads, axis=0) for wide in (keys, values)]
    found = []
    for q, k, v in zip(queries, *shared, strict=True):
        scores = np.where(np.tri(3) == 1, q @ k.T / np.sqrt(2), -np.inf)
        found.append(softmax(scores) @ v)
    return found


def sheet(key_heads: int, layout: str = "rows", more: str = "") -> str:
    def laid(matrix: Array) -> list[list[float]]:
        found: list[list[float]] = (matrix.T if layout == "columns" else matrix).tolist()
        return found

    keys, values = (laid(w[:, : key_heads * w.shape[1] // 2]) for w in (KEYS, VALUES))
    weights = f"W_Q: {laid(W_Q)}\nW_K: {keys}\nW_V: {values}\nb_K: {B_K[: key_heads * 2].tolist()}\n"
    output = f"W_O: {laid(W_O)}\n"
    return (
        f"layout: {layout}\ninputs: {laid(X)}\n{weights}{output}heads: {HEADS}\nkey_heads: {key_heads}\n"
        f"mask: causal\n{more}"
    )


def solved(text: str) -> FloatSolution:
    (problem,) = parse(f"numbers: float\n{text}", "p.yaml")
    found = attnsolve.solve(problem)
    assert isinstance(found, FloatSolution)
    return found


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("key_heads", [1, 2])
def test_heads_share_keys_and_values(key_heads: int, layout: str) -> None:
    found = solved(sheet(key_heads, layout))
    expected = contexts(key_heads)
    for number, context in enumerate(expected, 1):
        array = found.arrays[Key("context", (("head", number),))]
        assert np.allclose(array.T if layout == "columns" else array, context)
    output = found.arrays[Key("output")]
    assert np.allclose(output.T if layout == "columns" else output, np.hstack(expected) @ W_O)


def test_heads_that_share_nothing_are_usual_heads() -> None:
    text = sheet(2).replace("heads: 4", "heads: 2").replace(lines(W_O), lines(W_O[:6]))
    text = text.replace(lines(W_Q), lines(W_Q[:, :4]))
    assert Key("keys", (("head", 1),)) in solved(text).graph.quantities


def lines(matrix: Array) -> str:
    return str(matrix.tolist())


def test_key_heads_stand_by_themselves_before_the_heads() -> None:
    keys = [*solved(sheet(2, more="numbering: 0\n")).graph.quantities]
    shared = [key for key in keys if key.id in ("keys", "values") and key.at]
    assert shared == [Key(id, (("key head", head),)) for head in (0, 1) for id in ("keys", "values")]
    assert keys.index(shared[-1]) < keys.index(Key("queries", (("head", 0),)))


def test_keys_may_be_given_for_each_key_head() -> None:
    queries, keys = [[1, 2], [0, 1]], [[[1], [2]], [[3], [1]]]
    text = f"queries: {queries}\nkeys: {keys}\nheads: 2\nkey_heads: 2\nscaling: none\n"
    assert np.allclose(solved(text).arrays[Key("scores", (("head", 2),))], np.outer([2, 1], [3, 1]))
    queries = [[1, 2, 3, 4], [0, 1, 0, 1]]
    text = f"queries: {queries}\nkeys: {keys}\nheads: 4\nkey_heads: 2\nscaling: none\n"
    assert np.allclose(solved(text).arrays[Key("scores", (("head", 3),))], np.outer([3, 0], [3, 1]))


def test_a_single_query_of_several_heads_looks_at_shared_keys() -> None:
    text = "queries: [1, 2, 3, 4]\nkeys: [[1, 2], [0, 1]]\nvalues: [[1, 0], [2, 1]]\nheads: 4\nkey_heads: 2\n"
    found = solved(text)
    for head, (q, k) in enumerate([(1, [1, 0]), (2, [1, 0]), (3, [2, 1]), (4, [2, 1])], 1):
        assert np.allclose(found.arrays[Key("scores", (("head", head),))], q * np.array([k]))


def test_keys_of_another_sequence_are_shared_too() -> None:
    memory = np.array([[2, 1, 0], [1, 1, 1], [0, 2, 1]])
    found = solved(sheet(2, more=f"memory: {memory.tolist()}\n"))
    assert np.allclose(found.arrays[Key("context", (("head", 3),))], contexts(2, memory)[2])


def test_shared_keys_are_turned_once() -> None:
    found = solved(sheet(2, more="positions: rope\n"))
    ids = [key for key in found.graph.quantities if key.id == "keys.before"]
    assert ids == [Key("keys.before", (("key head", head),)) for head in (1, 2)]
    alone = solved(sheet(1, more="positions: rope\n"))
    assert Key("keys.before") in alone.graph.quantities


def test_formulas_of_a_sheet_read_the_keys_that_their_head_uses() -> None:
    found = solved(sheet(2, more="formulas:\n  G: 2*K\n  H: Q*G^T\n"))
    keys = X @ KEYS + B_K
    for head in (1, 2, 3, 4):
        shared = keys[:, :2] if head < 3 else keys[:, 2:]
        expected = np.split(X @ W_Q, 4, axis=1)[head - 1] @ (2 * shared).T
        assert np.allclose(found.arrays[Key("H", (("head", head),))], expected)


def test_the_solution_says_which_heads_share() -> None:
    (problem,) = parse(sheet(2), "p.yaml")
    remarks = [quantity.remarks for quantity in problem.graph if quantity.key.id == "scores"]
    assert remarks[2] == (("Heads 3 and 4 share the keys and values of key head 2.",),)


def test_heads_that_are_dealt_out_in_turn_are_named(marked: Marker) -> None:
    text = "queries: [[1, 2, 3, 4]]\nkeys: [[1, 3], [0, 1]]\nheads: 4\nkey_heads: 2\nscaling: none\n"
    found = diagnose(marked(text, "scores_2: [[6, 2]]\n"))
    assert "key-head-swapped" in [slip.id for diagnosis in found for group in diagnosis.mistakes for slip in group]
