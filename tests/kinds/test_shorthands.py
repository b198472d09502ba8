"""temperature, softcap, score_bias and positions held against NumPy, and against the formulas that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from check.conftest import Marker
from hypothesis import given
from hypothesis import strategies as st
from shared.effort import tries

import attnsolve
from attnsolve.check.diagnose import diagnose
from attnsolve.key import Key
from attnsolve.library.attention import ATTENTION
from attnsolve.loading.files import parse
from attnsolve.numbers.arrays import Array
from attnsolve.solution.floats import FloatSolution
from attnsolve.spec.shorthands import as_formulas

X = np.array([[1, 0, 1, 2], [0, 1, 0, 1], [1, 1, 0, 0.5]])
W_Q = np.array([[1, 0, 2, 1], [0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0.5]])
W_K = np.array([[0, 1, 0, 1], [1, 0, 0, 0], [0, 2, 1, 0], [0, 0, 0.5, 1]])
W_V = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [2, 0, 0, 1.0]])
B = np.array([[0, 1, -1], [0.5, 0, 2], [1, 1, 0]])
WEIGHTS = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}


# ── the same once more in NumPy ─────────────────────────────────────────────────────────────────


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Array = powers / powers.sum(axis=1, keepdims=True)
    return found


def sinusoid(tokens: int, width: int, base: float = 10000, start: int = 0, halves: bool = False) -> Array:
    found = np.zeros((tokens, width))
    for t in range(tokens):
        for i in range(width // 2):
            angle = (t + start) / base ** (2 * i / width)
            one, two = (i, i + width // 2) if halves else (2 * i, 2 * i + 1)
            found[t, one], found[t, two] = np.sin(angle), np.cos(angle)
    return found


def rope(matrix: Array, base: float = 10000, start: int = 0, halves: bool = False) -> Array:
    """Each pair as a complex number, multiplied by e^(i·angle)."""
    found, width = matrix.copy(), matrix.shape[1]
    for t in range(len(matrix)):
        for i in range(width // 2):
            one, two = (i, i + width // 2) if halves else (2 * i, 2 * i + 1)
            turned = (matrix[t, one] + 1j * matrix[t, two]) * np.exp(1j * (t + start) / base ** (2 * i / width))
            found[t, one], found[t, two] = turned.real, turned.imag
    return found


DISTANCES = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
SHORT: dict[str, dict[str, Any]] = {
    "temperature: 1/2": {"change": lambda s, h: s / 0.5},
    "temperature: sqrt(2)": {"change": lambda s, h: s / np.sqrt(2)},
    "softcap: 5": {"change": lambda s, h: 5 * np.tanh(s / 5)},
    "softcap: 2π": {"change": lambda s, h: 2 * np.pi * np.tanh(s / 2 / np.pi)},
    "score_bias: BIAS": {"change": lambda s, h: s + B},
    "positions: sinusoidal": {"inputs": lambda x: x + sinusoid(3, 4)},
    "positions: {sinusoidal: {base: 100, start: 1, order: halves}}": {
        "inputs": lambda x: x + sinusoid(3, 4, 100, 1, True)
    },
    "positions: INPUTS": {"inputs": lambda x: 2 * x},
    "positions: rope": {"turn": rope},
    "positions: {rope: {base: 100, start: 1, pairs: halves}}": {"turn": lambda q: rope(q, 100, 1, True)},
    "positions: {alibi: {slopes: SLOPES}}": {"change": lambda s, h: s - [0.5, 0.25][h] * DISTANCES},
    "temperature: 2\nsoftcap: 3\nscore_bias: BIAS\npositions: {alibi: {slopes: SLOPES}}": {
        "change": lambda s, h: 3 * np.tanh(s / 2 / 3) + B - [0.5, 0.25][h] * DISTANCES
    },
}


def weights(heads: int, inputs: Any = None, turn: Any = None, change: Any = None, scaled: bool = True) -> list[Array]:
    """The attention weights of every head, under a causal mask."""
    tokens = inputs(X) if inputs else X
    found = []
    for head, block in enumerate(np.split(np.arange(4), heads)):
        queries, keys = (tokens @ w[:, block] for w in (W_Q, W_K))
        if turn:
            queries, keys = turn(queries), turn(keys)
        scores = queries @ keys.T
        scores = scores / np.sqrt(len(block)) if scaled else scores
        scores = change(scores, head) if change else scores
        found.append(softmax(np.where(DISTANCES * np.tri(3) == DISTANCES, scores, -np.inf)))
    return found


def sheet(
    short: str,
    layout: str,
    heads: int,
    more: str = "",
    weights: Mapping[str, Array] = WEIGHTS,
    mask: str = "mask: causal\n",
) -> str:
    """A problem in either layout."""

    def laid(matrix: Array) -> list[list[float]]:
        found: list[list[float]] = (matrix.T if layout == "columns" else matrix).tolist()
        return found

    slopes = "[0.5, 0.25]" if heads == 2 else "[1/2]"
    short = short.replace("BIAS", str(laid(B))).replace("INPUTS", str(laid(X))).replace("SLOPES", slopes)
    parameters = "\n".join(f"  {name}: {laid(matrix)}" for name, matrix in weights.items())
    count = f"heads: {heads}\n" if heads > 1 else ""
    return f"layout: {layout}\ninputs: {laid(X)}\nweights:\n{parameters}\n{count}{mask}{short}\n{more}"


def solved(text: str) -> FloatSolution:
    (problem,) = parse(f"numbers: float\n{text}", "p.yaml")
    found = attnsolve.solve(problem)
    assert isinstance(found, FloatSolution)
    return found


def head(number: int, heads: int, first: int = 1) -> tuple[tuple[str, int], ...]:
    return (("head", number + first),) if heads > 1 else ()


# ── against NumPy ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("short", SHORT)
def test_a_key_does_what_numpy_does(short: str, heads: int, layout: str) -> None:
    found = solved(sheet(short, layout, heads))
    for number, expected in enumerate(weights(heads, **SHORT[short])):
        array = found.arrays[Key("weights", head(number, heads))]
        assert np.allclose(array.T if layout == "columns" else array, expected)


@pytest.mark.parametrize("short", ["temperature: 1/2", "score_bias: BIAS"])
def test_without_scaling_it_is_the_scores_that_change(short: str) -> None:
    found = solved(sheet(short, "rows", 1, "scaling: none\n"))
    assert np.allclose(found.arrays[Key("weights")], weights(1, scaled=False, **SHORT[short])[0])


@pytest.mark.parametrize("numbering", [0, 1])
def test_each_head_has_its_own_bias_and_slope(numbering: int) -> None:
    short = f"score_bias: [{B.tolist()}, {(2 * B).tolist()}]\npositions: {{alibi: {{slopes: SLOPES}}}}"
    found = solved(sheet(short, "rows", 2, f"numbering: {numbering}\n"))
    change = [lambda s, h: s + (h + 1) * B - [0.5, 0.25][h] * DISTANCES][0]
    for number, expected in enumerate(weights(2, change=change)):
        assert np.allclose(found.arrays[Key("weights", head(number, 2, numbering))], expected)


def test_a_single_query_is_divided_capped_and_biased() -> None:
    text = "queries: [1, 2]\nkeys: [[1, 0], [0, 1], [1, 1]]\ntemperature: 1/2\nsoftcap: 3\nscore_bias: [0, 1, -1]\n"
    scores = 3 * np.tanh(np.array([[1, 2, 3]]) / np.sqrt(2) / 0.5 / 3) + [0, 1, -1]
    assert np.allclose(solved(text).arrays[Key("weights")], softmax(scores))


@pytest.mark.parametrize("inputs", ["[3, 1]", "[[3, 1]]"])
@pytest.mark.parametrize("positions", ["sinusoidal", "[0, 1]"])
def test_a_single_token_has_its_position_added(inputs: str, positions: str) -> None:
    found = solved(f"inputs: {inputs}\nweights: identity\npositions: {positions}\n")
    assert np.allclose(found.arrays[Key("values")], [[3, 2]])


def test_a_bias_of_a_single_query_may_stand_in_either_layout() -> None:
    text = "layout: columns\nqueries: [1, 2]\nkeys: [[1, 0, 1], [0, 1, 1]]\nscore_bias: [0, 1, -1]\n"
    scores = np.array([[1, 2, 3]]) / np.sqrt(2) + [0, 1, -1]
    assert np.allclose(solved(text).arrays[Key("weights")].T, softmax(scores))


def test_separate_weights_for_each_head_are_turned_too() -> None:
    blocks = "".join(
        "- {" + ", ".join(f"{name}: {w[:, 2 * h : 2 * h + 2].tolist()}" for name, w in WEIGHTS.items()) + "}\n"
        for h in (0, 1)
    )
    found = solved(f"inputs: {X.tolist()}\nmask: causal\npositions: rope\nweights:\n{blocks}")
    for number, expected in enumerate(weights(2, turn=rope)):
        assert np.allclose(found.arrays[Key("weights", head(number, 2))], expected)


# ── as formulas ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("short", SHORT)
def test_the_formulas_that_a_key_stands_for_come_to_the_same(short: str, heads: int) -> None:
    text = sheet(short, "rows", heads)
    (problem,) = parse(text, "p.yaml")
    formulas = as_formulas(problem.body.shorthands, ATTENTION.letters)
    typed = solved(sheet(formulas, "rows", heads))
    for number in range(heads):
        key = Key("weights", head(number, heads))
        assert np.allclose(typed.arrays[key], solved(text).arrays[key])


def test_they_are_written_with_the_letters_of_the_sheet() -> None:
    text = sheet("positions: sinusoidal\ntemperature: 0.5\nsoftcap: 3", "rows", 1)
    (problem,) = parse(text, "p.yaml")
    assert as_formulas(problem.body.shorthands, {"inputs": "E"}) == (
        "formulas:\n  E: E + sinusoidal(3, 4)\n  scaled: 3*tanh((scaled/0.5)/3)"
    )


def test_formulas_of_the_sheet_come_on_top() -> None:
    found = solved(sheet("temperature: 1/2", "rows", 1, "formulas:\n  scaled: scaled + 1\n  N: 2*scaled\n"))
    scores = X @ W_Q @ (X @ W_K).T / 2 / 0.5 + 1
    assert np.allclose(found.arrays[Key("scaled")], scores)
    assert np.allclose(found.arrays[Key("N")], 2 * scores)


def test_what_is_the_same_in_every_head_is_worked_out_once_and_before_them() -> None:
    keys = [*solved(sheet("positions: rope", "rows", 2)).graph.quantities]
    assert [str(key.id) for key in keys if "angles" in key.id] == ["queries.angles"]
    assert keys.index(Key("queries.angles")) < keys.index(Key("queries.before", head(0, 2)))


def test_a_quantity_of_the_library_keeps_its_place() -> None:
    ids = [key.id for key in solved(sheet("positions: rope\nsoftcap: 5", "rows", 1)).graph.quantities]
    kept = ["queries", "keys", "values", "scores", "scaled", "masked", "weights", "context"]
    assert [id for id in ids if id in kept] == kept


# ── mistakes ────────────────────────────────────────────────────────────────────────────────────

SMALL = "queries: [[1, 0], [0, 1]]\nkeys: [[1, 2], [3, 1]]\nscaling: none\n"
SCORES = np.array([[1, 3], [2, 1]])


@pytest.mark.parametrize(
    ("short", "answer", "wrong", "mistake"),
    [
        ("temperature: 1/2", "scores", SCORES / 2, "scale-multiplied"),
        ("positions: {alibi: {slopes: [1/2]}}", "scores", SCORES + np.array([[0, 0.5], [0.5, 0]]), "alibi-sign"),
        ("positions: rope", "queries", rope(np.eye(2), start=1), "position-start"),
        ("positions: rope", "queries", np.eye(2), "rotation-forgotten"),
    ],
)
def test_a_mistake_with_it_is_named(marked: Marker, short: str, answer: str, wrong: Array, mistake: str) -> None:
    rows = [[round(x, 6) for x in row] for row in wrong.tolist()]
    found = diagnose(marked(f"{SMALL}{short}\n", f"{answer}: {rows}\n"))
    assert mistake in [slip.id for diagnosis in found for group in diagnosis.mistakes for slip in group]


# ── any of them together ────────────────────────────────────────────────────────────────────────

RULES: dict[str, Any] = {
    "none": lambda i, j: True,
    "causal": lambda i, j: j <= i,
    "causal and within(2)": lambda i, j: j <= i < j + 2,
    "first([1, 2, 3])": lambda i, j: j <= i,
    "not first(1) or causal": lambda i, j: j > 0 or j <= i,
    "[1, 1, 0]": lambda i, j: j < 2,
}
POSITIONS: dict[str, Any] = {
    "none": {},
    "sinusoidal": {"inputs": lambda x: x + sinusoid(3, 4)},
    "{rope: {base: 10, start: 2}}": {"turn": lambda q: rope(q, 10, 2)},
    "{alibi: {slopes: SLOPES}}": {},
}


@tries(25)
@given(
    st.sampled_from([*RULES]),
    st.sampled_from([*POSITIONS]),
    st.sampled_from([("scaling: none", 1.0), ("scaling: 4", 4.0), ("", 0.0)]),
    st.sampled_from([None, 0.5, 3]),
    st.sampled_from([None, 2, 0.75]),
    st.booleans(),
    st.sampled_from([(1, 1), (2, 1), (2, 2)]),
    st.sampled_from(["rows", "columns"]),
    st.sampled_from(["exact", "float"]),
)
def test_all_keys_go_together(
    rule: str,
    positions: str,
    scaling: tuple[str, float],
    temperature: float | None,
    cap: float | None,
    biased: bool,
    sharing: tuple[int, int],
    layout: str,
    numbers: str,
) -> None:
    heads, key_heads = sharing
    keys, values = (w[:, : 4 * key_heads // heads] for w in (W_K, W_V))
    more = [scaling[0], f"positions: {positions}", f"mask: {rule}", f"numbers: {numbers}"]
    more += [f"temperature: {temperature}"] if temperature else []
    more += [f"softcap: {cap}"] if cap else []
    more += ["score_bias: BIAS"] if biased else []
    more += [f"key_heads: {key_heads}"] if key_heads < heads else []
    text = sheet("\n".join(more), layout, heads, weights={"W_Q": W_Q, "W_K": keys, "W_V": values}, mask="")
    (problem,) = parse(text, "p.yaml")
    solution = attnsolve.solve(problem)
    tokens = POSITIONS[positions].get("inputs", lambda x: x)(X)
    turn = POSITIONS[positions].get("turn", lambda q: q)
    for number in range(heads):
        group = number * key_heads // heads
        q, k, v = (
            np.split(tokens @ w, parts, axis=1)[place]
            for w, parts, place in ((W_Q, heads, number), (keys, key_heads, group), (values, key_heads, group))
        )
        scores = turn(q) @ turn(k).T / (scaling[1] or np.sqrt(q.shape[1])) / (temperature or 1)
        scores = cap * np.tanh(scores / cap) if cap else scores
        scores = scores + B if biased else scores
        scores = scores - [0.5, 0.25][number] * DISTANCES if "alibi" in positions else scores
        allowed = np.array([[RULES[rule](i, j) for j in range(3)] for i in range(3)])
        expected = softmax(np.where(allowed, scores, -np.inf)) @ v
        array = entries(solution, Key("context", head(number, heads)))
        assert np.allclose(array.T if layout == "columns" else array, expected)


def entries(solution: Any, key: Key) -> Array:
    if isinstance(solution, FloatSolution):
        return solution.arrays[key]
    rows, columns = solution.graph[key].shape
    return np.array([[solution.real(key, i, j).nearest_float() for j in range(columns)] for i in range(rows)])
