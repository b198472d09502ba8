"""Every catalogued mistake of attention, made once more in NumPy and held against the graph in which it was made.

The second implementation keeps tokens as rows; `layout: columns` is only a matter of writing the transposes down.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray
from shared.each import each

from attnsolve.graph import Graph, run
from attnsolve.graph.mistakes import Slip, composed, slipped, slips, together
from attnsolve.kinds import build_graph
from attnsolve.loading.files import parse
from attnsolve.numbers.balls import Balls, at_precision
from attnsolve.numbers.floats import Floats

Array = NDArray[np.float64]
Values = dict[str, Array]
Step = Callable[[Values], Array]
random = np.random.default_rng(7)
SOURCES = {"queries": "query_inputs", "keys": "key_inputs", "values": "value_inputs"}


def whole(*shape: int) -> Array:
    return random.integers(-3, 4, shape).astype(float)


def softmax(scores: Array, axis: int = 1, base: float = np.e) -> Array:
    powers = base ** (scores - scores.max(axis=axis, keepdims=True, initial=-99))
    total = powers.sum(axis=axis, keepdims=True)
    return powers / np.where(total == 0, 1, total)


# ── the right way ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Sheet:
    """An attention problem: inputs (or queries, keys and values themselves), tokens as rows."""

    given: Mapping[str, Array]
    weights: tuple[Mapping[str, Array], ...] = ()
    output: Mapping[str, Array] = field(default_factory=dict)
    split: int = 0
    mask: Array | None = None
    """1 where a token may look, 0 where not; or what is added."""
    options: Mapping[str, str] = field(default_factory=dict)
    divisor: float | None = None
    """None: √d_k. 1: not scaled."""

    def graph(self, columns: bool) -> Graph:
        def text(array: Array) -> str:
            turned = array.T if columns and array.ndim == 2 else array
            return json.dumps(turned.tolist()).replace("Infinity", "inf")

        own = {name: array for name, array in self.given.items() if name in SOURCES.values()}
        inside = ", ".join(f"{key}: {text(own[name])}" for key, name in SOURCES.items() if name in own)
        lines = [f"inputs: {{{inside}}}"] if own else []
        lines += [f"{name}: {text(array)}" for name, array in {**self.given, **self.output}.items() if name not in own]
        heads = [f"{{{', '.join(f'{name}: {text(array)}' for name, array in head.items())}}}" for head in self.weights]
        lines += [f"weights: {heads[0] if len(heads) == 1 else '[' + ', '.join(heads) + ']'}"] if heads else []
        lines += [f"heads: {self.split}"] if self.split else []
        lines += [f"mask: {text(self.mask)}"] if self.mask is not None else []
        lines += ["layout: columns"] if columns else []
        lines += [f"{name}: {value}" for name, value in self.options.items()]
        (problem,) = parse("\n".join(lines) + "\n", "sheet.yaml")
        return build_graph(problem)

    def values(self, instead: Mapping[str, Step]) -> Values:
        """Every quantity, `instead` saying what is done in place of a step; heads are counted from 1."""
        found: Values = {name: np.atleast_2d(array) for name, array in self.given.items()}
        found |= self.output

        def step(name: str, right: Step) -> None:
            found[name] = instead.get(name, right)(found)

        count = self.split or max(len(self.weights), 1)
        for i, weights in enumerate(self.weights):
            found |= {name + (f" {i + 1}" if len(self.weights) > 1 else ""): array for name, array in weights.items()}
        for head in [f" {i + 1}" for i in range(count)] if count > 1 else [""]:
            own = head if len(self.weights) > 1 else ""
            for name in ("queries", "keys", "values"):
                letter = name[0].upper()
                wide = name + own
                if f"W_{letter}{own}" in found and wide not in found:
                    source = SOURCES[name] if SOURCES[name] in found else "inputs"
                    step(wide, linear(source, f"W_{letter}{own}", f"b_{letter}{own}"))
                if self.split:
                    step(name + head, lambda v, wide=wide, i=int(head) - 1: np.split(v[wide], self.split, axis=1)[i])
            step(f"scores{head}", lambda v, h=head: v[f"queries{h}"] @ v[f"keys{h}"].T)
            last = "scores"
            if self.divisor != 1:
                root = self.divisor or np.sqrt(found[f"keys{head}"].shape[1])
                step(f"scaled{head}", lambda v, h=head, root=root: v[f"scores{h}"] / root)
                last = "scaled"
            if self.mask is not None:
                step(f"masked{head}", lambda v, h=head, last=last: self.masked(v[f"{last}{h}"], self.mask))
                last = "masked"
            step(f"weights{head}", lambda v, h=head, last=last: self.shares(v[f"{last}{h}"]))
            step(f"context{head}", lambda v, h=head: v[f"weights{h}"] @ v[f"values{h}"])
        if count > 1:
            step("concat", lambda v: np.hstack([v[f"context {i + 1}"] for i in range(count)]))
        if self.output:
            step("output", linear("concat" if count > 1 else "context", "W_O", "b_O"))
        return found

    def masked(self, scores: Array, mask: Array) -> Array:
        return scores + mask if np.isinf(mask).any() else np.where(mask == 1, scores, -np.inf)

    def shares(self, scores: Array) -> Array:
        kind = self.options.get("softmax", "e")
        return share(scores) if kind == "sum" else softmax(scores, base=2 if "2" in kind else np.e)


def share(scores: Array, axis: int = 1) -> Array:
    finite = np.where(np.isfinite(scores), scores, 0)
    return finite / finite.sum(axis=axis, keepdims=True)


def linear(source: str, weight: str, bias: str) -> Step:
    return lambda v: v[source] @ v[weight] + v.get(bias, 0)


# ── sheets ────────────────────────────────────────────────────────────────────────────────────────

CAUSAL = np.tri(3)
SQUARE = Sheet(
    {"inputs": whole(3, 3)},
    ({name: whole(3, 3) if name[0] == "W" else whole(3) for name in ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V")},),
    {"W_O": whole(3, 3), "b_O": whole(3)},
    mask=CAUSAL,
)
PLAIN = replace(SQUARE, weights=({k: w for k, w in SQUARE.weights[0].items() if k[0] == "W"},), mask=None)
NARROW = Sheet({"inputs": whole(3, 5)}, ({"W_Q": whole(5, 3), "W_K": whole(5, 3), "W_V": whole(5, 2)},))
UNSCALED = replace(PLAIN, options={"scaling": "none"}, divisor=1)
UNSCALED_MASKED = replace(UNSCALED, mask=np.array([[1, 1, 0], [1, 0, 1], [1, 1, 1]]))
ADDED = replace(PLAIN, mask=np.array([[-1, 0, -np.inf], [2, -np.inf, 0], [0, 0, 1]]))
EIGHT = replace(NARROW, options={"scaling": "8"}, divisor=8)
SUM = Sheet(
    {"queries": np.abs(whole(2, 2)) + 1, "keys": np.abs(whole(3, 2)) + 1, "values": whole(3, 2)},
    options={"softmax": "sum"},
)
TWO = replace(NARROW, options={"softmax": "{base: 2}"})
LIST = Sheet(
    {"inputs": whole(3, 4)},
    tuple({name: whole(4, 2) for name in ("W_Q", "W_K", "W_V")} for _ in range(3)),
    {"W_O": whole(6, 2)},
)
WIDE = Sheet({"inputs": whole(3, 6)}, ({name: whole(6, 6) for name in ("W_Q", "W_K", "W_V")},), split=2)
SINGLE = Sheet({"queries": whole(2), "keys": whole(3, 2), "values": whole(3, 2)})
SEPARATE = Sheet(
    {name: whole(3, 4) for name in SOURCES.values()}, ({name: whole(4, 4) for name in ("W_Q", "W_K", "W_V")},)
)
SEEN = np.isfinite(ADDED.mask)
SHEETS = {name: sheet for name, sheet in globals().items() if isinstance(sheet, Sheet)}


def root(n: float) -> float:
    return float(np.sqrt(n))


def shown_to(mask: Array, name: str = "scaled") -> Step:
    return lambda v: np.where(mask == 1, v[name], -np.inf)


def moved(v: Values, weight: str, bias: str) -> Array:
    return v["inputs"] @ v[weight] + v[bias]


def by_sum_of(row: int, other: int) -> Step:
    """One row's exponentials over the sum of another's."""
    of = np.arange(3)
    of[row] = other
    return lambda v: np.exp(v["scaled"]) / np.exp(v["scaled"]).sum(axis=1)[of][:, None]


def reshaped(name: str, head: int, heads: int) -> Step:
    """The famous .view(heads, n, d) without a transpose."""
    return lambda v: v[name].reshape(heads, len(v[name]), -1)[head]


CASES: list[tuple[str, str, str, list[Step]]] = [
    # sheet, mistake, quantity, what was done: one for every slip of that name
    ("SQUARE", "scale-missing", "scaled", [lambda v: v["scores"]]),
    ("SQUARE", "scale-multiplied", "scaled", [lambda v: v["scores"] * root(3)]),
    ("SQUARE", "scale-by-dk", "scaled", [lambda v: v["scores"] / 3]),
    ("NARROW", "scale-by-root-dmodel", "scaled", [lambda v: v["scores"] / root(5)]),
    ("WIDE", "scale-by-root-dmodel", "scaled 2", [lambda v: v["scores 2"] / root(6)]),
    ("EIGHT", "scale-by-dk", "scaled", [lambda v: v["scores"] / 3]),
    ("EIGHT", "scale-by-root-dk", "scaled", [lambda v: v["scores"] / root(3)]),
    ("SQUARE", "scale-after-softmax", "weights", [lambda v: softmax(shown_to(CAUSAL, "scores")(v)) / root(3)]),
    ("UNSCALED", "scale-unasked", "weights", [lambda v: softmax(v["scores"] / root(3))]),
    (
        "UNSCALED_MASKED",
        "scale-unasked",
        "masked",
        [lambda v: shown_to(UNSCALED_MASKED.mask, "scores")(v) / root(3)],
    ),
    ("SQUARE", "softmax-wrong-axis", "weights", [lambda v: softmax(v["masked"], axis=0)]),
    ("SQUARE", "softmax-not-normalised", "weights", [lambda v: np.exp(v["masked"])]),
    ("TWO", "softmax-not-normalised", "weights", [lambda v: np.exp2(v["scaled"])]),
    ("SQUARE", "softmax-of-unscaled", "weights", [lambda v: softmax(shown_to(CAUSAL, "scores")(v))]),
    ("SQUARE", "softmax-base-2", "weights", [lambda v: softmax(v["masked"], base=2)]),
    ("TWO", "softmax-base-e", "weights", [lambda v: softmax(v["scaled"])]),
    ("SQUARE", "softmax-sum", "weights", [lambda v: share(v["masked"])]),
    ("SINGLE", "softmax-sum", "weights", [lambda v: share(v["scaled"])]),
    ("SUM", "softmax-for-sum", "weights", [lambda v: softmax(v["scaled"])]),
    ("SUM", "softmax-wrong-axis", "weights", [lambda v: share(v["scaled"], axis=0)]),
    ("SQUARE", "keys-not-transposed", "scores", [lambda v: v["queries"] @ v["keys"]]),
    ("NARROW", "keys-not-transposed", "scores", [lambda v: v["queries"] @ v["keys"]]),
    ("SQUARE", "queries-times-queries", "scores", [lambda v: v["queries"] @ v["queries"].T]),
    ("SQUARE", "keys-times-keys", "scores", [lambda v: v["keys"] @ v["keys"].T]),
    ("LIST", "keys-times-queries", "scores 3", [lambda v: v["keys 3"] @ v["queries 3"].T]),
    ("SQUARE", "weight-transposed", "queries", [lambda v: v["inputs"] @ v["W_Q"].T + v["b_Q"]]),
    ("PLAIN", "weight-transposed", "keys", [lambda v: v["inputs"] @ v["W_K"].T]),
    ("WIDE", "weight-transposed", "values", [lambda v: v["inputs"] @ v["W_V"].T]),
    ("SQUARE", "weight-left-out", "values", [lambda v: v["inputs"] + v["b_V"]]),
    ("PLAIN", "weights-swapped", "queries", [lambda v: v["inputs"] @ v["W_K"], lambda v: v["inputs"] @ v["W_V"]]),
    ("PLAIN", "weights-swapped", "values", [lambda v: v["inputs"] @ v["W_Q"], lambda v: v["inputs"] @ v["W_K"]]),
    ("LIST", "weights-swapped", "keys 2", [lambda v: v["inputs"] @ v["W_Q 2"], lambda v: v["inputs"] @ v["W_V 2"]]),
    ("NARROW", "weights-swapped", "keys", [lambda v: v["inputs"] @ v["W_Q"]]),
    (
        "SQUARE",
        "weights-swapped",
        "queries",
        [
            lambda v, w=w, b=b: moved(v, w, b)
            for w, b in (("W_K", "b_K"), ("W_V", "b_V"), ("W_K", "b_Q"), ("W_V", "b_Q"))
        ],
    ),
    ("SQUARE", "bias-forgotten", "keys", [lambda v: v["inputs"] @ v["W_K"]]),
    ("SQUARE", "bias-subtracted", "output", [lambda v: v["context"] @ v["W_O"] - v["b_O"]]),
    ("SQUARE", "values-are-keys", "context", [lambda v: v["weights"] @ v["keys"]]),
    ("SQUARE", "values-are-queries", "context", [lambda v: v["weights"] @ v["queries"]]),
    ("SINGLE", "values-are-keys", "context", [lambda v: v["weights"] @ v["keys"]]),
    ("SQUARE", "values-are-inputs", "context", [lambda v: v["weights"] @ v["inputs"]]),
    ("SEPARATE", "values-are-inputs", "context", [lambda v: v["weights"] @ v["value_inputs"]]),
    ("SEPARATE", "inputs-swapped", "queries", [lambda v, s=s: v[s] @ v["W_Q"] for s in ("key_inputs", "value_inputs")]),
    ("SEPARATE", "inputs-swapped", "values", [lambda v, s=s: v[s] @ v["W_V"] for s in ("query_inputs", "key_inputs")]),
    ("SQUARE", "weights-transposed-in-context", "context", [lambda v: v["weights"].T @ v["values"]]),
    ("SQUARE", "mask-forgotten", "masked", [lambda v: v["scaled"]]),
    ("SQUARE", "mask-inverted", "masked", [shown_to(1 - CAUSAL)]),
    ("SQUARE", "mask-shifted", "masked", [shown_to(np.tri(3, k=1)), shown_to(np.tri(3, k=-1))]),
    ("SQUARE", "mask-zero", "masked", [lambda v: v["scaled"] * CAUSAL]),
    ("ADDED", "mask-zero", "masked", [lambda v: (v["scaled"] + np.nan_to_num(ADDED.mask, neginf=0)) * SEEN]),
    ("ADDED", "mask-inverted", "masked", [shown_to(1 - SEEN)]),
    ("ADDED", "mask-after-softmax", "weights", [lambda v: softmax(v["scaled"]) * SEEN]),
    ("SQUARE", "mask-after-softmax", "weights", [lambda v: softmax(v["scaled"]) * CAUSAL]),
    (
        "LIST",
        "heads-swapped",
        "concat",
        [lambda v, o=o: np.hstack([v[f"context {i}"] for i in o]) for o in ((3, 2, 1), (2, 1, 3), (1, 3, 2))],
    ),
    ("WIDE", "heads-interleaved", "queries 2", [lambda v: v["queries"][:, 1::2]]),
    ("WIDE", "heads-by-rows", "keys 1", [reshaped("keys", 0, 2)]),
    ("WIDE", "heads-by-rows", "values 2", [reshaped("values", 1, 2)]),
    ("LIST", "heads-averaged", "output", [lambda v: (v["context 1"] + v["context 2"] + v["context 3"]) / 3]),
    ("SQUARE", "output-projection-skipped", "output", [lambda v: v["context"] + v["b_O"]]),
    ("SQUARE", "output-projection-transposed", "output", [lambda v: v["context"] @ v["W_O"].T + v["b_O"]]),
    ("SQUARE", "softmax-forgotten", "weights", [lambda v: np.where(CAUSAL == 1, v["scaled"], 0)]),
    ("SQUARE", "softmax-twice", "weights", [lambda v: softmax(softmax(v["masked"]))]),
    ("SQUARE", "softmax-of-unmasked", "weights", [lambda v: softmax(v["scaled"])]),
    ("SQUARE", "softmax-whole-matrix", "weights", [lambda v: np.exp(v["masked"]) / np.exp(v["masked"]).sum()]),
    ("TWO", "softmax-whole-matrix", "weights", [lambda v: np.exp2(v["scaled"]) / np.exp2(v["scaled"]).sum()]),
    ("PLAIN", "softmax-by-first-sum", "weights", [lambda v: np.exp(v["scaled"]) / np.exp(v["scaled"][0]).sum()]),
    ("PLAIN", "softmax-by-other-sum", "weights", [by_sum_of(1, 0), by_sum_of(2, 1)]),
    (
        "SQUARE",
        "scores-as-weights",
        "context",
        [lambda v, s=s: np.where(np.isinf(v[s]), 0, v[s]) @ v["values"] for s in ("masked", "scaled", "scores")],
    ),
    ("PLAIN", "mean-of-values", "context", [lambda v: np.full((3, 3), 1 / 3) @ v["values"]]),
    ("SQUARE", "mean-of-values", "context", [lambda v: CAUSAL / CAUSAL.sum(1, keepdims=True) @ v["values"]]),
    ("SUM", "sum-of-values", "context", [lambda v: np.ones((2, 3)) @ v["values"]]),
    ("ADDED", "sum-of-values", "context", [lambda v: SEEN @ v["values"]]),
    ("NARROW", "strongest-value", "context", [lambda v: v["values"][v["weights"].argmax(axis=1)]]),
    ("PLAIN", "values-not-weighted", "context", [lambda v: v["values"]]),
    ("PLAIN", "factors-exchanged", "queries", [lambda v: v["W_Q"] @ v["inputs"]]),
    ("PLAIN", "factors-exchanged", "scores", [lambda v: v["keys"].T @ v["queries"]]),
    ("PLAIN", "factors-exchanged", "context", [lambda v: v["values"] @ v["weights"]]),
    ("PLAIN", "product-entrywise", "keys", [lambda v: v["inputs"] * v["W_K"]]),
    (
        "PLAIN",
        "product-entrywise",
        "scores",
        [lambda v: v["queries"] * v["keys"].T, lambda v: v["queries"] * v["keys"]],
    ),
    ("SQUARE", "mask-transposed", "masked", [shown_to(CAUSAL.T)]),
    ("UNSCALED_MASKED", "mask-hides-own", "masked", [shown_to(UNSCALED_MASKED.mask * (1 - np.eye(3)), "scores")]),
    ("SQUARE", "bias-doubled", "values", [lambda v: v["inputs"] @ v["W_V"] + 2 * v["b_V"]]),
    ("SQUARE", "biases-exchanged", "keys", [lambda v, b=b: v["inputs"] @ v["W_K"] + v[b] for b in ("b_Q", "b_V")]),
    ("LIST", "scale-by-root-tokens", "scaled 1", [lambda v: v["scores 1"] / root(3)]),
    ("LIST", "head-weights-swapped", "queries 2", [lambda v, w=w: v["inputs"] @ v[w] for w in ("W_Q 1", "W_Q 3")]),
    ("WIDE", "head-block-swapped", "keys 1", [lambda v: v["keys"][:, 3:]]),
    ("LIST", "head-copied", "concat", [lambda v, i=i: np.hstack([v[f"context {i}"]] * 3) for i in (1, 2, 3)]),
    ("LIST", "heads-summed", "output", [lambda v: v["context 1"] + v["context 2"] + v["context 3"]]),
]


# ── holding the two against each other ────────────────────────────────────────────────────────────


def named(slip: Slip) -> str:
    return slip.key.id if slip.key.head is None else f"{slip.key.id} {slip.key.head}"


def of_floats(graph: Graph) -> Values:
    values = run(graph, Floats)
    return {
        f"{key.id} {key.head}" if key.head else key.id: value.T.array if graph[key].token_axis else value.array
        for key, value in values.items()
        if value is not None and not graph[key].parameter
    }


def assert_same(graph: Graph, student: Values) -> None:
    for name, ours in of_floats(graph).items():
        np.testing.assert_allclose(ours, student[name], rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("name", SHEETS)
def test_the_second_implementation_agrees_where_no_mistake_is_made(name: str, columns: bool) -> None:
    assert_same(SHEETS[name].graph(columns), SHEETS[name].values({}))


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
@each("name, id, quantity, steps", CASES)
def test_a_mistake_leads_to_what_numpy_makes_of_it(
    name: str, id: str, quantity: str, steps: list[Step], columns: bool
) -> None:
    graph = SHEETS[name].graph(columns)
    made = [slip for slip in slips(graph) if (slip.id, named(slip)) == (id, quantity)]
    assert len(made) == len(steps)
    for slip, step in zip(made, steps, strict=True):
        assert_same(slipped(graph, slip), SHEETS[name].values({quantity: step}))


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
def test_every_mistake_on_these_sheets_is_held_against_numpy(columns: bool) -> None:
    found = {slip.id for sheet in SHEETS.values() for slip in slips(sheet.graph(columns))}
    assert found == {id for _, id, _, _ in CASES}


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("name", SHEETS)
def test_a_slip_in_balls_is_the_slip_in_floats(name: str, columns: bool) -> None:
    graph = SHEETS[name].graph(columns)
    for slip in slips(graph):
        with at_precision(128):
            ball = run(slipped(graph, slip), Balls)[slip.key]
            assert ball is not None
            rows = [[float(x.mid()) for x in row] for row in ball.rows]
        floats = run(slipped(graph, slip), Floats)[slip.key]
        assert floats is not None
        np.testing.assert_allclose(rows, floats.rows, rtol=1e-9, atol=1e-12, err_msg=slip.mistake.description)


# ── several at once ───────────────────────────────────────────────────────────────────────────────


def one(graph: Graph, id: str, quantity: str) -> Slip:
    (slip,) = (slip for slip in slips(graph) if (slip.id, named(slip)) == (id, quantity))
    return slip


def test_two_mistakes_in_two_quantities_are_both_made() -> None:
    graph = NARROW.graph(columns=False)
    both = [one(graph, "weights-swapped", "queries"), one(graph, "weights-swapped", "keys")]
    steps = {name: linear("inputs", f"W_{letter}", "") for name, letter in (("queries", "K"), ("keys", "Q"))}
    for order in permutations(both):
        assert_same(slipped(graph, *order), NARROW.values(steps))


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
def test_two_mistakes_in_one_quantity_are_made_in_either_order(columns: bool) -> None:
    graph = SQUARE.graph(columns)
    both = [one(graph, "softmax-wrong-axis", "weights"), one(graph, "softmax-of-unscaled", "weights")]
    student = SQUARE.values({"weights": lambda v: softmax(shown_to(CAUSAL, "scores")(v), axis=0)})
    for order in permutations(both):
        assert_same(slipped(graph, *order), student)


def test_mistakes_that_exclude_each_other_are_refused() -> None:
    graph = SQUARE.graph(columns=False)
    both = one(graph, "mask-forgotten", "masked"), one(graph, "mask-inverted", "masked")
    assert composed(graph, *both) is None
    with pytest.raises(ValueError, match="mask-forgotten and mask-inverted can't both be made in masked"):
        slipped(graph, *both)


def test_a_mistake_is_made_in_every_head_and_in_every_projection() -> None:
    groups = [[(named(slip), slip.id) for slip in group] for group in together(slips(WIDE.graph(columns=False)))]
    assert [("scaled 1", "scale-missing"), ("scaled 2", "scale-missing")] in groups
    assert [(name, "weight-transposed") for name in ("queries", "keys", "values")] in groups
    heads = [[f"{name} {i}" for i in (1, 2)] for name in ("queries", "keys", "values")]
    everywhere = [sorted((name, "heads-interleaved") for names in heads for name in names)]
    assert [sorted(group) for group in groups if len(group) == 6 and group[0][1] == "heads-interleaved"] == everywhere
