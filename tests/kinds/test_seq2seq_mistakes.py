"""Every catalogued mistake of encoder-decoder attention, made once more in NumPy, with one row a decoder step."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from shared.each import each

from attnsolve.graph import Graph, run
from attnsolve.graph.mistakes import slipped, slips, together
from attnsolve.kinds import build_graph
from attnsolve.loading.files import parse
from attnsolve.numbers.floats import Floats

Array = NDArray[np.float64]
Values = dict[str, Array]
Step = Callable[[Values], Array]
Instead = Mapping[str, Step]
random = np.random.default_rng(11)


def whole(*shape: int) -> Array:
    return random.integers(1, 5, shape) * random.choice([-1.0, 1.0], shape) / 2


STATES, STEPS, WIDTH = 3, 2, 3
H, S = whole(STATES, WIDTH), whole(STEPS, WIDTH)
WEIGHTS = {
    "dot": {},
    "scaled-dot": {},
    "cosine": {},
    "general": {"W": whole(WIDTH, WIDTH)},
    "location": {"W": whole(STATES, WIDTH)},
    "additive": {"W_1": whole(WIDTH, WIDTH), "W_2": whole(WIDTH, WIDTH), "v": whole(WIDTH)},
    "concat": {"W": whole(2 * WIDTH, 2 * WIDTH), "v": whole(2 * WIDTH)},
}
FINAL = whole(2 * WIDTH, 2 * WIDTH)


def softmax(scores: Array, axis: int = -1, base: float = np.e) -> Array:
    return base**scores / (base**scores).sum(axis=axis, keepdims=True)


def work(score: str, states: Array, weights: Mapping[str, Array], instead: Instead) -> Values:
    """Every quantity, `instead` saying what is done in place of a step; hidden vectors have an axis for the steps."""
    found: Values = {"states": H, "state": states, **weights, "W_c": FINAL}

    def step(name: str, right: Step) -> None:
        found[name] = instead.get(name, right)(found)

    if score == "additive":
        step("projected", lambda v: v["states"] @ v["W_1"].T)
        step("projected_state", lambda v: v["state"] @ v["W_2"].T)
        step("summed", lambda v: v["projected"] + v["projected_state"][:, None])
        step("hidden", lambda v: np.tanh(v["summed"]))
        step("scores", lambda v: v["hidden"] @ v["v"])
    elif score == "concat":
        step("pairs", lambda v: paired(v["states"], v["state"]))
        step("projected", lambda v: v["pairs"] @ v["W"].T)
        step("hidden", lambda v: np.tanh(v["projected"]))
        step("scores", lambda v: v["hidden"] @ v["v"])
    elif score == "general":
        step("projected", lambda v: v["states"] @ v["W"].T)
        step("scores", lambda v: v["state"] @ v["projected"].T)
    elif score == "location":
        step("scores", lambda v: v["state"] @ v["W"].T)
    elif score == "cosine":
        step("scores", lambda v: v["state"] @ v["states"].T / np.outer(lengths(v["state"]), lengths(v["states"])))
    else:
        step("scores", lambda v: v["state"] @ v["states"].T)
    if score == "scaled-dot":
        step("scaled", lambda v: v["scores"] / np.sqrt(WIDTH))
    step("weights", lambda v: softmax(v["scaled" if score == "scaled-dot" else "scores"]))
    step("context", lambda v: v["weights"] @ v["states"])
    step("joined", lambda v: np.hstack([v["context"], v["state"]]))
    step("mixed", lambda v: v["joined"] @ v["W_c"].T)
    step("attentional", lambda v: np.tanh(v["mixed"]))
    return found


def paired(first: Array, then: Array) -> Array:
    """Each of the first with what comes after it."""
    return np.array([[np.concatenate([one, other]) for one in first] for other in then])


def lengths(vectors: Array) -> Array:
    return np.linalg.norm(vectors, axis=1)


def rolled(by: int) -> Step:
    return lambda v: np.roll(v["weights"], by, axis=1) @ v["states"]


CASES: list[tuple[str, str, str, list[Step]]] = [
    # score, mistake, quantity, what was done: one for every slip of that name
    ("dot", "softmax-base-2", "weights", [lambda v: softmax(v["scores"], base=2)]),
    ("dot", "softmax-not-normalised", "weights", [lambda v: np.exp(v["scores"])]),
    ("dot", "softmax-sum", "weights", [lambda v: v["scores"] / v["scores"].sum(axis=1, keepdims=True)]),
    ("dot", "scale-unasked", "weights", [lambda v: softmax(v["scores"] / np.sqrt(WIDTH))]),
    ("dot", "states-transposed", "scores", [lambda v: v["state"] @ v["states"]]),
    ("dot", "joined-swapped", "joined", [lambda v: np.hstack([v["state"], v["context"]])]),
    (
        "dot",
        "weights-on-wrong-states",
        "context",
        [lambda v: v["weights"][:, ::-1] @ v["states"], rolled(1), rolled(-1)],
    ),
    ("dot", "weight-left-out", "mixed", [lambda v: v["joined"]]),
    ("dot", "weight-transposed", "mixed", [lambda v: v["joined"] @ v["W_c"]]),
    ("dot", "tanh-forgotten", "attentional", [lambda v: v["mixed"]]),
    ("scaled-dot", "scale-missing", "scaled", [lambda v: v["scores"]]),
    ("scaled-dot", "scale-multiplied", "scaled", [lambda v: v["scores"] * np.sqrt(WIDTH)]),
    ("scaled-dot", "scale-by-dk", "scaled", [lambda v: v["scores"] / WIDTH]),
    ("scaled-dot", "softmax-of-unscaled", "weights", [lambda v: softmax(v["scores"])]),
    ("scaled-dot", "scale-after-softmax", "weights", [lambda v: softmax(v["scores"]) / np.sqrt(WIDTH)]),
    ("general", "score-weight-left-out", "projected", [lambda v: v["states"]]),
    ("general", "score-weight-transposed", "projected", [lambda v: v["states"] @ v["W"]]),
    ("general", "score-weight-on-state", "scores", [lambda v: (v["W"] @ v["state"].T).T @ v["states"].T]),
    ("general", "context-from-projected", "context", [lambda v: v["weights"] @ v["projected"]]),
    ("location", "score-weight-left-out", "scores", [lambda v: v["state"]]),
    ("location", "score-weight-transposed", "scores", [lambda v: v["state"] @ v["W"]]),
    ("cosine", "cosine-not-normalised", "scores", [lambda v: v["state"] @ v["states"].T]),
    ("additive", "weights-swapped", "projected", [lambda v: v["states"] @ v["W_2"].T]),
    ("additive", "weights-swapped", "projected_state", [lambda v: v["state"] @ v["W_1"].T]),
    ("additive", "score-weight-left-out", "projected_state", [lambda v: v["state"]]),
    ("additive", "score-weight-transposed", "projected", [lambda v: v["states"] @ v["W_1"]]),
    ("additive", "tanh-forgotten", "hidden", [lambda v: v["summed"]]),
    ("concat", "joined-swapped", "pairs", [lambda v: paired(v["state"], v["states"]).swapaxes(0, 1)]),
    ("concat", "score-weight-left-out", "projected", [lambda v: v["pairs"]]),
    ("concat", "score-weight-transposed", "projected", [lambda v: v["pairs"] @ v["W"]]),
    ("concat", "tanh-forgotten", "hidden", [lambda v: v["projected"]]),
    ("dot", "softmax-forgotten", "weights", [lambda v: v["scores"]]),
    ("dot", "softmax-twice", "weights", [lambda v: softmax(softmax(v["scores"]))]),
    ("dot", "scores-as-weights", "context", [lambda v: v["scores"] @ v["states"]]),
    ("dot", "mean-of-values", "context", [lambda v: 0 * v["weights"] @ v["states"] + v["states"].mean(axis=0)]),
    ("dot", "sum-of-values", "context", [lambda v: 0 * v["weights"] @ v["states"] + v["states"].sum(axis=0)]),
    ("dot", "strongest-value", "context", [lambda v: v["states"][v["weights"].argmax(axis=1)]]),
    ("general", "factors-exchanged", "projected", [lambda v: v["W"].T @ v["states"]]),
    (
        "general",
        "product-entrywise",
        "projected",
        [lambda v: v["states"] * v["W"].T, lambda v: v["states"] * v["W"]],
    ),
]

WAYS: dict[str, dict[str, Any]] = {
    "one, a column": {"vectors": "columns", "state": S[0]},
    "one, a row": {"vectors": "rows", "state": S[0]},
    "several, as columns": {"vectors": "columns", "state": S},
    "several, as rows": {"vectors": "rows", "state": S},
}


def graph_of(score: str, vectors: str, state: Array) -> Graph:
    weights = json.dumps({name: array.tolist() for name, array in (WEIGHTS[score] | {"W_c": FINAL}).items()})
    text = f"kind: seq2seq\nscore: {score}\nvectors: {vectors}\nstates: {H.tolist()}\nstate: {state.tolist()}\n"
    (problem,) = parse(text + f"weights: {weights}\n".replace('"', ""), "sheet.yaml")
    return build_graph(problem)


def assert_same(graph: Graph, student: Values) -> None:
    for key, ours in run(graph, Floats).items():
        if not graph[key].parameter and key.id in student and ours is not None:
            array = ours.T.array if graph[key].token_axis else ours.array
            expected = student[key.id]
            if expected.ndim == 3:
                expected = expected[int(key.head or 1) - 1]
            np.testing.assert_allclose(array, expected, rtol=1e-9, atol=1e-9, err_msg=str(key))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("score", WEIGHTS)
def test_the_second_implementation_agrees_where_no_mistake_is_made(score: str, way: str) -> None:
    states = np.atleast_2d(WAYS[way]["state"])
    assert_same(graph_of(score, **WAYS[way]), work(score, states, WEIGHTS[score], {}))


@pytest.mark.parametrize("way", WAYS)
@each("score, id, quantity, steps", CASES)
def test_a_mistake_leads_to_what_numpy_makes_of_it(
    score: str, id: str, quantity: str, steps: list[Step], way: str
) -> None:
    graph, states = graph_of(score, **WAYS[way]), np.atleast_2d(WAYS[way]["state"])
    groups = [group for group in together(slips(graph)) if {(s.id, s.key.id) for s in group} == {(id, quantity)}]
    made = [group for group in groups if len(group) == len([q for q in graph if q.key.id == quantity])]
    assert len(made) == len(steps)
    for group, step in zip(made, steps, strict=True):
        assert_same(slipped(graph, *group), work(score, states, WEIGHTS[score], {quantity: step}))


@pytest.mark.parametrize("score", WEIGHTS)
def test_with_one_decoder_state_there_is_no_other_mistake(score: str) -> None:
    found = {slip.id for way in list(WAYS)[:2] for slip in slips(graph_of(score, **WAYS[way]))}
    assert found <= {id for _, id, _, _ in CASES}


@pytest.mark.parametrize(("score", "name"), [("dot", "scores"), ("dot", "joined"), ("additive", "projected_state")])
@pytest.mark.parametrize("vectors", ["rows", "columns"])
def test_with_several_steps_the_state_before_may_be_used(score: str, name: str, vectors: str) -> None:
    before = {
        "scores": lambda v: v["state"][[0, 0]] @ v["states"].T,
        "joined": lambda v: np.hstack([v["context"], v["state"][[0, 0]]]),
        "projected_state": lambda v: v["state"][[0, 0]] @ v["W_2"].T,
    }[name]
    graph = graph_of(score, vectors, S)
    (slip,) = (slip for slip in slips(graph) if (slip.id, slip.key.id) == ("previous-state-used", name))
    assert_same(slipped(graph, slip), work(score, S, WEIGHTS[score], {name: before}))


def test_with_as_many_steps_as_states_a_softmax_can_go_the_wrong_way_and_weights_be_turned() -> None:
    states = whole(STATES, WIDTH)
    graph = graph_of("dot", "rows", states)
    for id, name, step in (
        ("softmax-wrong-axis", "weights", lambda v: softmax(v["scores"], axis=0)),
        ("weights-transposed-in-context", "context", lambda v: v["weights"].T @ v["states"]),
    ):
        (slip,) = (slip for slip in slips(graph) if slip.id == id)
        assert_same(slipped(graph, slip), work("dot", states, {}, {name: step}))
