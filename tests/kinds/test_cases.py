"""Cases of a problem in one graph: each comes to what its file comes to by itself, and what is the same stands once."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import yaml

from attnsolve.loading.files import parse
from attnsolve.pipeline import solve

ATTENTION = """
tokens: [hot, tea, now]
inputs: [[1, 0], [1/2, -1], [2, 1]]
weights: {W_Q: [[1, 2], [0, 1]], W_K: [[1, 0], [1, 1]], W_V: [[2, 0], [0, 1]]}
"""
TWO_HEADS = ATTENTION + "heads: 2\nW_O: [[1, 1], [0, 2]]\n"
SEQ2SEQ = "kind: seq2seq\nstates: [[1, 0], [2, 1]]\nstate: [[1, -1], [0, 1/2]]\n"
SHEET = """
kind: formulas
given: {X: [[1, 2], [0, -1]], W: [[2, 0], [1, 1]], T: 1, B: [1, 0]}
formulas: {S: X*W/T, A: softmax(S), C: A*X + B, m: mean(C)}
"""
LAYERS = """
kind: formulas
given: {X: [[1, 2], [0, -1]], T: 2}
repeat: {for: {layer: 1..2}, start: {H: X}, each: {H: prev(H) + relu(prev(H)/T)}}
formulas: {Y: H@last .* 2}
"""

SETS: list[tuple[str, dict[str, Any]]] = [
    (
        ATTENTION,
        {"masked": {"mask": "causal"}, "unscaled": {"scaling": "none"}, "both": {"mask": "causal", "scaling": 2}},
    ),
    (ATTENTION, {"other values": {"W_V": [[0, 1], [1, 0]]}, "as it is": {"weights": "identity"}}),
    (ATTENTION, {"base two": {"softmax": {"base": 2}}, "other tokens": {"X": [[0, 1], [1, 1], [3, 0]]}}),
    (ATTENTION, {"shifted": {"formulas": {"S": "S + B"}, "given": {"B": [[0, 0, 1], [1, 0, 0], [0, 0, 0]]}}}),
    (TWO_HEADS, {"masked": {"mask": "causal"}, "one head": {"heads": 1}, "no output": {"W_O": None}}),
    (TWO_HEADS + "numbers: float\n", {"masked": {"mask": "causal"}}),
    (SEQ2SEQ, {"scaled": {"score": "scaled-dot"}, "general": {"score": "general", "weights": {"W": [[1, 1], [0, 2]]}}}),
    (SEQ2SEQ, {"later": {"state": [[2, 2], [1, 1]]}}),
    (SHEET, {"T": ["1/2", "1", "3"], "no softmax": {"formulas": {"A": "share(exp(S))"}}}),
    (SHEET, {"without": {"given": {"B": None}, "formulas": {"C": "A*X"}}, "more": {"formulas": {"D": "C .* 2"}}}),
    (LAYERS, {"T": ["1", "4"], "three layers": {"repeat": {"for": {"layer": "1..3"}}}}),
]


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A file with changes, as plain mappings."""
    found = copy.deepcopy(base)
    for key, value in changes.items():
        key = {"X": "inputs"}.get(key, key)
        if key == "W_V":
            found["weights"] = {**found["weights"], key: value}
        elif value is None:
            del found[key]
        elif isinstance(value, dict) and isinstance(found.get(key), dict):
            found[key] = merged(found[key], value)
        else:
            found[key] = value
    return found


def cases_of(base: dict[str, Any], compare: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What each case changes, sweeps written out."""
    found = {}
    for name, changes in compare.items():
        if isinstance(changes, list):
            found |= {f"{name} = {value}": {"given": {name: value}} for value in changes}
        else:
            found[name] = changes
    return {name: merged(base, changes) for name, changes in found.items()}


def load(data: dict[str, Any]) -> Any:
    (problem,) = parse(yaml.safe_dump(data, sort_keys=False), "sheet.yaml")
    return solve(problem)


@pytest.mark.parametrize(("text", "compare"), SETS)
def test_a_case_comes_to_what_its_file_comes_to_by_itself(text: str, compare: dict[str, Any]) -> None:
    base = yaml.safe_load(text)
    whole, alone = load({**base, "compare": compare}), load(base)
    for quantity in alone.graph:
        assert whole.value(whole.graph[quantity.key]).decimal == alone.value(quantity).decimal
    for name, data in cases_of(base, compare).items():
        alone, keys = load(data), whole.graph.cases[name].keys
        assert [*keys] == [*alone.graph.quantities]
        for quantity in alone.graph:
            one, other = whole.value(whole.graph[keys[quantity.key]]), alone.value(quantity)
            assert (one.decimal, one.shape) == (other.decimal, other.shape), (name, quantity.key)
            assert getattr(one, "exact_text", None) == getattr(other, "exact_text", None)


def test_a_sweep_against_numpy() -> None:
    text = (
        "kind: formulas\ngiven: {z: [3, 2, 0], T: 1}\nformulas: {p: softmax(z/T)}\ncompare: {T: [1/4, 1/2, 1, 2, 4]}\n"
    )
    (problem,) = parse(text, "sheet.yaml")
    solution: Any = solve(problem)
    for case, temperature in zip(problem.cases, (0.25, 0.5, 1, 2, 4), strict=True):
        powers = np.exp(np.array([3, 2, 0]) / temperature)
        assert np.allclose(solution["p", case.name].array, powers / powers.sum(), rtol=1e-12)


def test_a_masked_head_against_numpy() -> None:
    solution = load({**yaml.safe_load(ATTENTION), "compare": {"masked": {"mask": "causal"}}})
    x = np.array([[1, 0], [0.5, -1], [2, 1]])
    q, k, v = x @ [[1, 2], [0, 1]], x @ [[1, 0], [1, 1]], x @ [[2, 0], [0, 1]]
    powers = np.exp(q @ k.T / np.sqrt(2)) * np.tri(3)
    assert np.allclose(solution["context", "masked"].array, powers / powers.sum(1, keepdims=True) @ v)


def test_what_is_the_same_stands_once() -> None:
    graph = load(
        {**yaml.safe_load(ATTENTION), "compare": {"masked": {"mask": "causal"}, "none": {"scaling": "none"}}}
    ).graph
    own = {case: [q.key.id for q in graph if q.key.case == case] for case in graph.cases}
    assert own == {"masked": ["mask", "masked", "weights", "context"], "none": ["weights", "context"]}
    assert {q.key.at for q in graph if q.key.case == "masked"} == {(("case", "masked"),)}


def test_what_is_given_inside_of_a_step_may_differ() -> None:
    """Of exponentials 1 and 3 the weights are 1/4 and 3/4."""
    sheet = {"values": [[4, 0], [0, 4]], "given": {"A.exponentials": [[1, 1]]}}
    solution = load({**sheet, "compare": {"later": {"given": {"A.exponentials": [[1, 3]]}}}})
    assert solution["weights"].exact_text == [["1/2", "1/2"]]
    assert solution["weights", "later"].exact_text == [["1/4", "3/4"]]
    assert solution["A.sums", "later"].exact_text == ["4"]


def test_names_of_cases_in_python() -> None:
    solution = load({**yaml.safe_load(TWO_HEADS), "compare": {"masked": {"mask": "causal"}}})
    assert solution["weights", 1].decimal != solution["masked, head 1: A"].decimal
    assert solution["masked: A@1"].decimal == solution["A@masked.1"].decimal == solution["masked, head 1: A"].decimal
    assert solution["masked: S@2"].decimal == solution["scores", 2].decimal
    assert solution["output"].decimal != solution["output", "masked"].decimal


def test_arrays_of_floats_that_are_the_same_stand_once() -> None:
    drawn = {"numbers": "float", "inputs": {"random": [9, 2], "seed": 1}, "weights": "identity"}
    graph = load({**drawn, "compare": {"masked": {"mask": "causal"}}}).graph
    assert [q.key.id for q in graph if q.key.case] == ["mask", "masked", "weights", "context"]
