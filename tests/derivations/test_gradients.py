"""The arguments on gradients: their lines, their numbers against NumPy and differences, and what may be given."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from attnsolve.derivations.derivation import Derivation
from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.solution.solved import Narration

TOPICS = {
    "softmax-jacobian": "scores: [1, -2, 1/2]\nupstream: [1, 0, -3]\n",
    "softmax-cross-entropy-gradient": "scores: [1, -2, 1/2, 3]\ntarget: 3\n",
    "attention-gradient": (
        "queries: [[1, 0], [2, -1]]\nkeys: [[1, 1], [0, 1], [1/2, 0]]\nvalues: [[1], [3], [-2]]\nupstream: [[2], [1]]\n"
    ),
    "layer-norm-gradient": "vector: [1, 3, 4, 0]\nupstream: [1, 0, 2, -1]\nepsilon: 3/2\n",
}


@cache
def derived(topic: str, text: str = "") -> Derivation:
    (problem,) = parse(f"kind: derivation\ntopic: {topic}\ndigits: 8\n{text}", "p.yaml")
    worked = solve(problem)
    assert isinstance(worked, Derivation)
    return worked


def shown(topic: str, text: str = "", *only: str) -> str:
    return render(derived(topic, text).to_document(Narration(only=only)), 150)


def matrix(text: str, name: str) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The decimals of a matrix as it is shown: those after its last name, in brackets."""
    lines = text.split("\n")
    at = max(i for i, line in enumerate(lines) if re.match(rf" +{name} [≈=] [\[⎡⎢⎣]", line))
    first = at
    while "⎡" not in lines[first] and "[" not in lines[first]:
        first -= 1
    last = at
    while "⎣" not in lines[last] and "[" not in lines[last] and "⎣" not in "".join(lines[first : last + 1]):
        last += 1
    rows = [re.search(r"[\[⎡⎢⎣](.*)[\]⎤⎥⎦]", line) for line in lines[first : last + 1]]
    return np.array([[number(x) for x in row[1].split()] for row in rows if row is not None])


def number(text: str) -> float:
    over, _, under = text.replace("−", "-").partition("/")
    return float(over) / float(under or 1)


def softmax(scores: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    found: np.ndarray = powers / powers.sum(axis=-1, keepdims=True)  # type: ignore[type-arg]
    return found


@pytest.mark.parametrize("topic", TOPICS)
def test_every_line_is_verified_with_and_without_numbers(topic: str) -> None:
    assert derived(topic).holds
    assert "example" not in [passage.id for passage in derived(topic).passages]
    assert derived(topic, TOPICS[topic]).holds
    assert "could not be verified" not in shown(topic, TOPICS[topic])


@pytest.mark.parametrize("topic", TOPICS)
def test_equalities_are_proved_and_not_only_tried(topic: str) -> None:
    """The inequalities of two passages are all that is found at points."""
    for passage in derived(topic).passages:
        found = [says for says, _ in passage.checks if "found to hold" in says]
        assert not found or passage.id in ("saturation", "meaning")


def test_the_jacobian_is_that_of_numpy() -> None:
    z, da = np.array([1, -2, 0.5]), np.array([1, 0, -3])
    a = softmax(z)
    text = shown("softmax-jacobian", TOPICS["softmax-jacobian"], "example")
    assert matrix(text, "J") == pytest.approx(np.diag(a) - np.outer(a, a), rel=1e-6)
    assert matrix(text, "dz")[0] == pytest.approx(a * (da - a @ da), rel=1e-6)


def test_the_gradient_of_cross_entropy_is_that_of_numpy() -> None:
    p = softmax(np.array([1, -2, 0.5, 3]))
    text = shown("softmax-cross-entropy-gradient", TOPICS["softmax-cross-entropy-gradient"], "example")
    assert matrix(text, "dz")[0] == pytest.approx(p - [0, 0, 1, 0], rel=1e-6)
    assert f"−ln(p₃) ≈ {-np.log(p[2]):.8g}"[:16] in text


def test_the_gradients_of_attention_are_differences() -> None:
    given = [np.array(m) for m in ([[1, 0], [2, -1]], [[1, 1], [0, 1], [0.5, 0]], [[1.0], [3], [-2]])]
    upstream = np.array([[2], [1]])

    def loss(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> float:  # type: ignore[type-arg]
        return float((upstream * (softmax(q @ k.T / np.sqrt(2)) @ v)).sum())

    text = shown("attention-gradient", TOPICS["attention-gradient"], "example")
    for which, name in enumerate(("dQ", "dK", "dV")):
        gradient = matrix(text, name)
        for place in np.ndindex(gradient.shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = [m.astype(float).copy() for m in given]
                moved[which][place] += step
                ends.append(loss(*moved))
            assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-6)


def test_the_gradient_of_layer_norm_is_a_difference() -> None:
    x, dy = np.array([1.0, 3, 4, 0]), np.array([1, 0, 2, -1])

    def loss(x: np.ndarray) -> float:  # type: ignore[type-arg]
        return float(dy @ ((x - x.mean()) / np.sqrt(x.var() + 1.5)))

    gradient = matrix(shown("layer-norm-gradient", TOPICS["layer-norm-gradient"], "example"), "dx")[0]
    for place in range(4):
        step = np.eye(4)[place] * 1e-5
        assert gradient[place] == pytest.approx((loss(x + step) - loss(x - step)) / 2e-5, abs=1e-6)


def test_a_saturated_softmax_is_bounded_by_what_is_left_over() -> None:
    text = " ".join(shown("softmax-jacobian", "scores: [-3, 1, 100, 5, -1]\n", "example").split())
    assert "1 − a₃ ≈ 5.6377419×10⁻⁴²" in text
    assert "j₃,₃ ≈ 5.6377419×10⁻⁴² ≤ 5.6377419×10⁻⁴²" in text
    assert "✓ every entry agrees to 30 digits with the derivative taken at these scores" in text


def test_one_score_has_nothing_to_share() -> None:
    assert derived("softmax-jacobian", "scores: [4]\n").holds
    assert derived("softmax-cross-entropy-gradient", "scores: [4]\ntarget: 1\n").holds


def test_nothing_added_to_the_variance_is_fine() -> None:
    assert derived("layer-norm-gradient", "vector: [1, 3]\nupstream: [1, 0]\n").holds
    assert derived("layer-norm-gradient", "vector: [1, 3, 7]\nupstream: [1, 0, 1]\nepsilon: 0\n").holds


@pytest.mark.parametrize(
    ("topic", "text", "says"),
    [
        ("softmax-jacobian", "upstream: [1]\n", "upstream without scores has no meaning"),
        ("softmax-jacobian", "scores: [1, 2]\nupstream: [1]\n", "upstream has 1 entry but scores has 2 entries"),
        ("softmax-jacobian", "scores: [[1], [2]]\n", "scores must be one list of numbers"),
        ("softmax-jacobian", "target: 2\n", "target has no meaning for softmax-jacobian"),
        ("softmax-cross-entropy-gradient", "scores: [1, 2]\n", "scores without a target have no loss"),
        ("softmax-cross-entropy-gradient", "target: 2\n", "target without scores has no meaning"),
        ("softmax-cross-entropy-gradient", "scores: [1, 2]\ntarget: 3\n", "target is 3 but there are 2 scores"),
        ("softmax-cross-entropy-gradient", "scores: [1]\ntarget: 0\n", "target must be"),
        ("attention-gradient", "queries: [[1]]\n", "queries without keys is no example"),
        (
            "attention-gradient",
            "queries: [[1, 2]]\nkeys: [[1]]\nvalues: [[1]]\nupstream: [[1]]\n",
            "keys has 1 column but queries has 2 columns",
        ),
        (
            "attention-gradient",
            "queries: [[1]]\nkeys: [[1]]\nvalues: [[1]]\nupstream: [[1, 2]]\n",
            "upstream has 2 columns but values has 1 column",
        ),
        ("attention-gradient", "queries: identity\nkeys: [[1]]\nvalues: [[1]]\nupstream: [[1]]\n", "written out"),
        ("layer-norm-gradient", "vector: [1, 2]\n", "a vector without upstream has no gradient"),
        ("layer-norm-gradient", "epsilon: 1\n", "epsilon without a vector has no meaning"),
        ("layer-norm-gradient", "vector: [1, 2]\nupstream: [1, 2]\nepsilon: -1/2\n", "epsilon must not be negative"),
        ("layer-norm-gradient", "vector: [2, 2]\nupstream: [1, 2]\n", "all alike"),
    ],
)
def test_what_is_given_must_fit(topic: str, text: str, says: str) -> None:
    with pytest.raises(ProblemError, match=re.escape(says)):
        derived(topic, text)
