"""Masks by rules, one for all heads or one for each, held against NumPy; and the mistakes people make with them."""

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

X = np.array([[1, 0, 1, 2], [0, 1, 0, 1], [1, 1, 0, 0.0]])


def softmax(scores: Array) -> Array:
    powers = np.exp(scores)
    found: Array = powers / powers.sum(axis=1, keepdims=True)
    return found


def mask(rule: str) -> Array:
    """What a rule allows, worked out by hand below."""
    return np.array([[int(sign) for sign in row] for row in rule.split()])


def weights(tokens: Array, allowed: Array) -> Array:
    scores = tokens @ tokens.T / np.sqrt(tokens.shape[1])
    return softmax(np.where(allowed == 1, scores, -np.inf))


def solved(text: str) -> FloatSolution:
    (problem,) = parse(f"numbers: float\n{text}", "p.yaml")
    found = attnsolve.solve(problem)
    assert isinstance(found, FloatSolution)
    return found


def lines(array: Array) -> str:
    return str(array.tolist())


@pytest.mark.parametrize(
    ("rule", "allowed"),
    [
        ("causal and within(2)", "100 110 011"),
        ("first([2, 3, 1])", "110 111 100"),
        ("not first(1)", "011 011 011"),
        ("[1, 0, 1]", "101 101 101"),
    ],
)
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_one_rule_for_all_heads(rule: str, allowed: str, layout: str) -> None:
    inputs = X.T if layout == "columns" else X
    found = solved(f"layout: {layout}\ninputs: {lines(inputs)}\nweights: identity\nheads: 2\nmask: {rule}\n")
    for head in (1, 2):
        expected = weights(X[:, 2 * head - 2 : 2 * head], mask(allowed))
        array = found.arrays[Key("weights", (("head", head),))]
        assert np.allclose(array.T if layout == "columns" else array, expected)


@pytest.mark.parametrize("numbering", [0, 1])
def test_one_mask_for_each_head(numbering: int) -> None:
    text = f"inputs: {lines(X)}\nweights: identity\nheads: 2\nnumbering: {numbering}\nmask: [causal, within(2)]\n"
    found = solved(text)
    for head, allowed in enumerate(("100 110 111", "110 111 011")):
        expected = weights(X[:, 2 * head : 2 * head + 2], mask(allowed))
        assert np.allclose(found.arrays[Key("weights", (("head", head + numbering),))], expected)


def test_a_rule_for_a_single_query() -> None:
    found = solved("queries: [1, 2]\nkeys: [[1, 0], [0, 1], [1, 1]]\nscaling: none\nmask: not first(1)\n")
    expected = softmax(np.array([[-np.inf, 2, 3]]))
    assert np.allclose(found.arrays[Key("weights")], expected)


def test_a_rule_for_all_heads_is_worked_out_before_the_first() -> None:
    text = f"inputs: {lines(X)}\nweights: identity\nheads: 2\nmask: within(2)\n"
    keys = [*solved(text).graph.quantities]
    assert keys.index(Key("mask")) < keys.index(Key("queries", (("head", 1),)))


SHEET = "queries: [[1, 0], [0, 1], [1, 1]]\nkeys: [[1, 2], [3, 1], [0, 1]]\nscaling: none\nmask: {rule}\n"
SCORES = np.array([[1, 3, 0], [2, 1, 1], [3, 4, 1]])


@pytest.mark.parametrize(
    ("rule", "seen", "mistake"),
    [
        ("causal and within(2)", "100 110 111", "window-off-by-one"),
        ("within(2)", "100 010 001", "window-off-by-one"),
        ("first([1, 2, 2])", "110 111 111", "length-off-by-one"),
        ("not first(1)", "001 001 001", "length-off-by-one"),
        ("first([1, 2, 3])", "111 011 001", "mask-transposed"),
        ("within(2)", "001 000 100", "mask-inverted"),
    ],
)
def test_a_mask_that_was_got_wrong_is_named(marked: Marker, rule: str, seen: str, mistake: str) -> None:
    rows = np.where(mask(seen) == 1, SCORES, -np.inf).tolist()
    answers = f"masked: {rows}\n".replace("'", "")
    found = diagnose(marked(SHEET.format(rule=rule), answers))
    assert mistake in [slip.id for diagnosis in found for group in diagnosis.mistakes for slip in group]
