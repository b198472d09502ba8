"""What holds of the catalogue of mistakes on any problem, bundled or drawn at random."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from shared.seq2seq import weight_shapes

from attnsolve.errors import UnsolvableError
from attnsolve.graph import Graph, run
from attnsolve.graph.mistakes import Slip, composed, slipped, slips, together
from attnsolve.key import Key
from attnsolve.kinds import KINDS, build_graph
from attnsolve.loading.files import load_all, parse
from attnsolve.numbers.balls import Balls, at_precision, ball
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.floats import Floats
from attnsolve.spec.seq2seq import SCORES

Array = NDArray[np.float64]
PROBLEMS = sorted((Path(__file__).parents[2] / "problems").glob("*.yaml"))

IDS = {
    "scale-missing", "scale-by-dk", "scale-by-root-dk", "scale-by-root-dmodel", "scale-after-softmax",
    "scale-multiplied", "scale-unasked", "softmax-wrong-axis", "softmax-not-normalised", "softmax-of-unscaled",
    "softmax-base-2", "softmax-base-e", "softmax-sum", "softmax-for-sum", "keys-not-transposed",
    "queries-times-queries", "keys-times-keys", "keys-times-queries", "weight-transposed", "weight-left-out",
    "weights-swapped", "bias-forgotten", "bias-subtracted", "values-are-keys", "values-are-queries",
    "values-are-inputs", "weights-transposed-in-context", "mask-forgotten", "mask-inverted", "mask-shifted",
    "mask-after-softmax", "mask-zero", "heads-swapped", "heads-interleaved", "heads-by-rows", "heads-averaged",
    "output-projection-skipped", "output-projection-transposed", "score-weight-left-out", "score-weight-transposed",
    "score-weight-on-state", "states-transposed", "weights-on-wrong-states", "tanh-forgotten", "joined-swapped",
    "cosine-not-normalised", "context-from-projected", "inputs-swapped", "key-head-swapped", "softmax-forgotten",
    "softmax-twice", "softmax-of-unmasked", "softmax-whole-matrix", "softmax-by-first-sum", "softmax-by-other-sum",
    "scores-as-weights", "mean-of-values", "sum-of-values", "strongest-value", "values-not-weighted",
    "factors-exchanged", "product-entrywise", "mask-transposed", "mask-hides-own", "bias-doubled", "biases-exchanged",
    "scale-by-root-tokens", "head-weights-swapped", "head-block-swapped", "head-copied", "heads-summed",
    "previous-state-used",
}  # fmt: skip
"""Every mistake there is a name for. Names are public: none is ever changed."""
OF_FUNCTIONS = {
    "alibi-sign", "angle-degrees", "cumsum-without-own", "gelu-erf-for-tanh", "gelu-for-silu",
    "gelu-tanh-for-erf", "ids-from", "layernorm-beta-forgotten", "layernorm-epsilon-forgotten",
    "layernorm-epsilon-outside", "layernorm-exchanged", "layernorm-gamma-forgotten", "layernorm-root-forgotten",
    "layernorm-variance-corrected", "layernorm-wrong-axis", "length-off-by-one", "lookup-columns",
    "loss-log-10", "loss-log-2", "loss-sign", "loss-summed", "loss-without-log", "mask-transposed",
    "max-for-min", "max-wrong-axis", "maximum-not-subtracted", "mean-for-sum", "mean-wrong-axis", "min-for-max",
    "norm-before-sum", "norm-forgotten", "nucleus-without-crossing", "places-from", "position-base",
    "position-exponent", "position-order", "position-sine-cosine", "position-start", "position-times",
    "post-norm-for-pre-norm", "pre-norm-for-post-norm", "relu-absolute", "relu-after-second-layer",
    "relu-forgotten", "relu-wrong-side", "residual-forgotten", "rmsnorm-centred", "rmsnorm-epsilon-forgotten",
    "rmsnorm-epsilon-outside", "rmsnorm-gamma-forgotten", "rmsnorm-root-forgotten", "rmsnorm-sum",
    "rmsnorm-wrong-axis", "root-forgotten", "rotation-backwards", "rotation-forgotten", "rotation-pairs",
    "share-not-normalised", "sigmoid-forgotten", "sigmoid-sign", "silu-not-multiplied", "sorted-upwards",
    "sum-for-mean", "sum-wrong-axis", "targets-shifted", "top-count", "top-wrong-axis", "var-wrong-axis",
    "variance-divisor", "window-off-by-one",
}  # fmt: skip
OF_GRADIENTS = {
    "derivative-at-input", "derivative-factor-forgotten", "derivative-forgotten", "derivative-not-from-one",
    "derivative-not-squared", "gamma-gradient-not-normalised", "gradient-blocks-swapped",
    "gradient-exponent-forgotten", "gradient-factor-forgotten", "gradient-mean-for-sum",
    "gradient-mean-not-divided", "gradient-not-summed", "gradient-of-wrong-factor", "gradient-overwritten",
    "gradient-quotient-rule", "gradient-scale-forgotten", "gradient-scale-multiplied", "gradient-scale-twice",
    "gradient-share-forgotten", "gradient-sign", "gradient-transposed", "lookup-gradient-overwritten",
    "loss-gradient-target-forgotten", "mask-ignored-in-gradient", "maximum-gradient-to-all",
    "norm-gradient-centred", "norm-gradient-constant", "norm-gradient-forgotten", "norm-gradient-gamma-forgotten",
    "norm-gradient-mean-forgotten", "norm-gradient-mean-only", "norm-gradient-not-divided",
    "product-rule-forgotten", "relu-gradient-inverted", "relu-gradient-own-sign", "relu-gradient-times-output",
    "residual-gradient-forgotten", "rotation-gradient-forgotten", "rotation-gradient-forward",
    "share-gradient-forgotten", "share-gradient-not-divided", "share-gradient-sum-constant",
    "softmax-jacobian-diagonal", "softmax-jacobian-forgotten", "softmax-sum-forgotten", "softmax-sum-unweighted",
    "softmax-sum-wrong-axis", "update-added", "update-parameter-forgotten", "update-rate-divided",
    "update-rate-forgotten", "loss-gradient-to-all",
}  # fmt: skip
"""Those that can be made with the functions of a sheet's own formulas."""


def graph_of(text: str) -> Graph:
    (problem,) = parse(text, "p.yaml")
    return build_graph(problem)


# ── problems at random ────────────────────────────────────────────────────────────────────────────

side = st.integers(1, 3)


def rows(height: int, width: int, least: int = -2) -> st.SearchStrategy[list[list[int]]]:
    row = st.lists(st.integers(least, 2), min_size=width, max_size=width)
    return st.lists(row, min_size=height, max_size=height)


@st.composite
def attention(draw: st.DrawFn) -> str:
    """Inputs and weights, or queries, keys and values; any heads, mask, scaling, softmax and layout."""
    queries, d_k, d_v, heads = draw(side), draw(side), draw(side), draw(side)
    columns = draw(st.booleans())
    sort = draw(st.sampled_from(("inputs", "memory", "identity", "queries", "single", "scores")))
    split = heads > 1 and sort != "scores" and (sort == "identity" or draw(st.booleans()))
    queries = 1 if sort == "single" else queries
    keys = draw(side) if sort in ("memory", "queries", "single", "scores") else queries
    single, scores = sort == "single" and (split or heads == 1), sort == "scores"
    each = heads if split else 1
    parts = 1 if split else heads

    def matrix(height: int, width: int) -> str:
        return json.dumps(draw(rows(width, height) if columns else rows(height, width)))

    def listed(one: Callable[[], str]) -> str:
        return one() if parts == 1 else f"[{', '.join(one() for _ in range(parts))}]"

    lines = [f"heads: {heads}"] if split else []
    lines += ["layout: columns"] if columns else []
    if sort in ("inputs", "memory", "identity"):
        width = draw(side) * (heads if sort == "identity" else 1)
        lines += [f"inputs: {matrix(queries, width)}"]
        lines += [f"memory: {matrix(keys, width)}"] if sort == "memory" else []
        biased = draw(st.booleans())

        def weights() -> str:
            sizes = {"Q": d_k * each, "K": d_k * each, "V": d_v * each}
            texts = [f"W_{letter}: {matrix(width, size)}" for letter, size in sizes.items()]
            texts += [f"b_{x}: {json.dumps(draw(rows(1, size))[0])}" for x, size in sizes.items() if biased]
            return f"{{{', '.join(texts)}}}"

        lines += ["weights: identity" if sort == "identity" else f"weights: {listed(weights)}"]
        d_v = width // heads if sort == "identity" else d_v
    elif not scores:
        query = json.dumps(draw(rows(1, d_k * each))[0]) if single else listed(lambda: matrix(queries, d_k * each))
        lines += [f"queries: {query}", f"keys: {listed(lambda: matrix(keys, d_k * each))}"]
        lines += [f"values: {listed(lambda: matrix(keys, d_v * each))}"]
    else:
        lines += [f"given: {{scores: {matrix(queries, keys)}, values: {matrix(keys, d_v)}}}"]
    outputs = draw(side)
    joined = d_v * (1 if scores else heads)
    lines += [f"W_O: {matrix(joined, outputs)}"] if sort != "identity" and draw(st.booleans()) else []
    lines += draw(st.sampled_from((["scaling: none"], ["scaling: 3"], ["scaling: sqrt(3)"], ["d_k: 4"] * scores)))
    lines += draw(st.sampled_from((["softmax: sum"], ["softmax: {base: 2}"], [], [])))
    hidden = draw(rows(queries, keys))
    mask = [["-inf" if x < 0 else str(x) for x in row] for row in hidden]
    mask = [list(row) for row in zip(*mask, strict=True)] if columns and not single else mask
    text = json.dumps(mask[0] if single else mask).replace('"', "")
    lines += [f"mask: {text}"] if draw(st.booleans()) else []
    return "\n".join(lines) + "\n"


@st.composite
def seq2seq(draw: st.DrawFn) -> str:
    """Any score, one decoder state or several, lying or upright."""
    score, steps, vectors = draw(st.sampled_from(list(SCORES))), draw(st.integers(0, 3)), draw(st.sampled_from(UPRIGHT))
    states, width, hidden = draw(side), draw(side), draw(side)
    own = width if score in ("dot", "scaled-dot", "cosine") else draw(side)
    shapes = weight_shapes(score, states, width, own, hidden) | {"W_c": (draw(side), width + own)}
    least = 1 if score == "cosine" else -2  # a vector of zeros has no direction
    H, S = (np.array(draw(rows(*shape, least))) for shape in ((states, width), (steps or 1, own)))
    weights = {name: np.array(draw(rows(*shape))) for name, shape in shapes.items()}
    return written(score, vectors, H, S if steps else S[0], weights)


UPRIGHT = ("rows", "columns")


def written(score: str, vectors: str, H: Array, S: Array, weights: Mapping[str, Array]) -> str:
    texts = {name: (array[0] if name == "v" else array).tolist() for name, array in weights.items()}
    text = f"kind: seq2seq\nscore: {score}\nvectors: {vectors}\nstates: {H.tolist()}\nstate: {S.tolist()}\n"
    return text + f"weights: {json.dumps(texts)}\n".replace('"', "")


# ── laws ──────────────────────────────────────────────────────────────────────────────────────────


def assert_lawful(graph: Graph) -> None:
    """Each slip is another formula of the quantity's shape, made once, and the same number in every tier."""
    found, right = slips(graph), run_in_every_tier(graph)
    assert len({(slip.key, slip.mistake.formula) for slip in found}) == len(found)
    for slip in found:
        wrong = slipped(graph, slip)
        assert slip.id in IDS | OF_FUNCTIONS | OF_GRADIENTS
        assert slip.mistake.formula != graph[slip.key].formula
        assert wrong.quantities.keys() == graph.quantities.keys()
        assert slip.mistake.formula.shape(graph) == graph.shape(slip.key)
        assert_tiers_agree(wrong, slip, right)
    assert [group for group in together(found) if len(group) == 1] == [(slip,) for slip in found]


Worked = dict[Any, dict[Key, Any]]
"""The values of a graph in each tier."""


def run_in_every_tier(graph: Graph) -> Worked:
    """What is right; a tier is left out that refuses it, where scores sum to 0."""
    found: Worked = {}
    with at_precision(200):
        for tier in (Floats, Exact, Balls):
            with contextlib.suppress(UnsolvableError):
                found[tier] = run(graph, tier)
    return found


def value_of(wrong: Graph, slip: Slip, tier: Any, right: Worked) -> Any:
    """What comes of a mistake, worked out from what is right up to there."""
    only = [slip.key] if tier in right else None
    return run(wrong, tier, only=only, base=right.get(tier))[slip.key]


def assert_tiers_agree(wrong: Graph, slip: Slip, right: Worked) -> None:
    floats = value_of(wrong, slip, Floats, right)
    assert floats is not None
    assert floats.shape == wrong.shape(slip.key)
    if np.isnan(floats.rows).any() or np.isposinf(floats.rows).any():  # differences or powers float64 does not hold
        return
    try:
        exact = value_of(wrong, slip, Exact, right)
    except UnsolvableError:  # the sheet divides by a sum, and the mistake made it 0
        return
    with at_precision(200):
        balls = value_of(wrong, slip, Balls, right)
        if balls is None or not all(x.is_finite() or x == ball(float("-inf")) for row in balls.rows for x in row):
            return  # scores that sum to 0 have no shares
        values = np.array([[float(x.mid()) for x in row] for row in balls.rows])
        np.testing.assert_allclose(floats.rows, values, rtol=1e-8, atol=1e-9, err_msg=slip.mistake.description)
        if exact is not None:
            known = np.array([[x is not None for x in row] for row in exact.rows])
            closed = [float(ball(x).mid()) for row in exact.rows for x in row if x is not None]
            np.testing.assert_allclose(closed, values[known], rtol=1e-8, atol=1e-9, err_msg=slip.mistake.description)


@settings(max_examples=30, deadline=None)
@given(attention())
def test_slips_are_lawful_in_any_attention_problem(text: str) -> None:
    assert_lawful(graph_of(text))


@settings(max_examples=25, deadline=None)
@given(seq2seq())
def test_slips_are_lawful_in_any_encoder_decoder_problem(text: str) -> None:
    assert_lawful(graph_of(text))


@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.stem)
def test_slips_are_lawful_in_every_bundled_problem(path: Path) -> None:
    for problem in load_all(path):
        if problem.kind in KINDS:
            assert_lawful(build_graph(problem))


@settings(max_examples=25, deadline=None)
@given(attention() | seq2seq())
def test_any_two_mistakes_in_one_quantity_make_a_third_or_exclude_each_other(text: str) -> None:
    graph = graph_of(text)
    for first, second in combinations(slips(graph), 2):
        if first.key == second.key and (both := composed(graph, first, second)) is not None:
            assert both not in (graph[first.key].formula, first.mistake.formula, second.mistake.formula)
            value = run(slipped(graph, first, second), Floats)[first.key]
            assert value is not None
            assert value.shape == graph.shape(first.key)


# ── the names ─────────────────────────────────────────────────────────────────────────────────────

SAMPLES = [
    """
inputs: [[1, 2], [0, 1]]
weights: {W_Q: [[1, 2], [0, 1]], W_K: [[1, 1], [2, 0]], W_V: [[0, 1], [3, 1]], b_Q: [1, 2], b_K: [0, 1], b_V: [1, 1]}
W_O: [[1, 2], [3, 4]]
b_O: [1, 1]
mask: causal
""",
    "queries: [[1, 2, 0, 1], [0, 1, 2, 2]]\nkeys: [[1, 0, 2, 1]]\nvalues: [[2, 1, 3, 1]]\nheads: 2\nscaling: 8\n"
    "W_O: [[1, 0], [0, 1], [2, 0], [1, 1]]\n",
    "queries: [1, 2]\nkeys: [[1, 0], [2, 1]]\nvalues: [[1, 0], [2, 1]]\nsoftmax: sum\nscaling: none\n",
    "queries: [1, 2]\nkeys: [[1, 0], [2, 1]]\nvalues: [[1, 0], [2, 1]]\nsoftmax: {base: 2}\n",
    "inputs: {queries: [[1, 2]], keys: [[3, 1]], values: [[0, 1]]}\nW_Q: [[1], [2]]\n"
    "W_K: [[3], [1]]\nW_V: [[1], [1]]\n",
    "inputs: [[1, 2], [3, 1]]\nheads: 4\nkey_heads: 2\nW_Q: [[1, 2, 3, 4], [2, 1, 0, 1]]\nW_K: [[3, 1], [1, 2]]\n"
    "W_V: [[1, 0], [1, 2]]\n",
    "kind: seq2seq\nscore: general\nstates: [[1, 2], [3, 4]]\nstate: [1, 2]\nweights: {W: [[1, 2], [0, 1]]}\n",
    "kind: seq2seq\nscore: cosine\nstates: [[1, 2], [3, 4]]\nstate: [1, 2]\nweights: {W_c: [[1, 2, 0, 1]]}\n",
    "kind: seq2seq\nscore: dot\nstates: [[1, 2], [3, 4]]\nstate: [[1, 2], [0, 1]]\n",
    "inputs: [[1, 2], [0, 1], [1, 1]]\nweights: [{W_Q: [[1, 2], [0, 1]], W_K: [[1, 1], [2, 0]], W_V: [[0, 1], [3, 1]]},"
    " {W_Q: [[2, 2], [0, 1]], W_K: [[1, 3], [2, 0]], W_V: [[0, 1], [1, 1]]}]\n"
    "mask: [[1, 1, 0], [1, 1, 1], [1, 1, 1]]\n",
]


def test_every_named_mistake_can_be_made_on_some_sheet() -> None:
    assert {slip.id for text in SAMPLES for slip in slips(graph_of(text))} == IDS


@pytest.mark.parametrize("text", SAMPLES)
def test_a_mistake_says_in_one_sentence_what_was_done(text: str) -> None:
    for slip in slips(graph_of(text)):
        assert slip.mistake.description == slip.mistake.description.strip(" .")
        assert set(slip.mistake.description.split()) & {"was", "were"}


@pytest.mark.parametrize(
    ("id", "says"),
    [
        ("scale-by-dk", "the scores were divided by dₖ = 2 instead of √2"),
        ("scale-by-root-dmodel", "the scores were divided by √d_model = √2 instead of √dₖ"),
        ("softmax-wrong-axis", "the softmax was applied down each column instead of along each row"),
        ("keys-not-transposed", "K was used instead of Kᵀ"),
        ("keys-times-queries", "K Qᵀ was computed instead of Q Kᵀ"),
        ("values-are-inputs", "A was applied to X instead of V"),
    ],
)
def test_a_mistake_is_told_in_the_symbols_of_the_sheet(id: str, says: str) -> None:
    assert [slip.mistake.description for slip in slips(graph_of(SAMPLES[0])) if slip.id == id] == [says]


def test_solving_a_problem_does_not_load_the_mistakes() -> None:
    program = (
        "import sys; from attnsolve.cli import main\n"
        "sys.argv = ['attnsolve', 'solve', 'causal-mask']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "late = 'attnsolve.graph.mistakes', 'attnsolve.operations.quantity_context'\n"
        "print(*(m for m in late if m in sys.modules), file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout
    assert ended.stderr.strip() == ""
