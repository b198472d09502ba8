"""Weights are a distribution and don't change when scores move: the argument, and its numbers against NumPy."""

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

TOPICS = ("softmax-is-a-distribution", "softmax-shift-invariance")


@cache
def derived(topic: str, text: str = "") -> Derivation:
    (problem,) = parse(f"kind: derivation\ntopic: {topic}\n{text}", "p.yaml")
    worked = solve(problem)
    assert isinstance(worked, Derivation)
    return worked


def softmax(scores: list[float]) -> list[float]:
    powers = np.exp(np.array(scores) - max(scores))
    return [float(x) for x in powers / powers.sum()]


def shown_weights(text: str) -> list[list[float]]:
    return [
        [float(x) for x in re.findall(r"[\d.]+", row)] for row in re.findall(r"^ +α ≈ \[(.*)\]", text, re.MULTILINE)
    ]


def test_weights_are_positive_and_sum_to_one_line_by_line() -> None:
    text = render(derived("softmax-is-a-distribution").to_document(), 100)
    assert "αᵢ = e^zᵢ/(Σⱼ₌₁ⁿ e^zⱼ)    by definition" in text
    assert "αᵢ > 0" in text
    assert "= (Σₗ₌₁ⁿ e^zₗ)/(Σⱼ₌₁ⁿ e^zⱼ)    common denominator" in text
    assert re.search(r"= 1 +numerator and denominator are equal", text)
    assert "categorical distribution" in " ".join(text.split())


def test_a_shift_cancels_line_by_line() -> None:
    text = render(derived("softmax-shift-invariance").to_document(), 120)
    assert "Let 1 be a vector of n ones" in text
    assert re.search(r"= exp\(zᵢ \+ c\)/\(Σⱼ₌₁ⁿ exp\(zⱼ \+ c\)\) +by definition", text)
    assert re.search(r"= softmax\(z\)ᵢ +by definition", text)
    assert "c = −max(zⱼ)" in text


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("scores", [[1, -2, 0.5], [0, 0.25], [1001, 1000, 1002], [-3, 0, -1]])
def test_example_weights_agree_with_numpy(topic: str, scores: list[float]) -> None:
    worked = derived(topic, f"scores: {scores}\n")
    found = shown_weights(render(worked.to_document(Narration(only=("example",))), 100))
    assert len(found) == 1 + (topic == TOPICS[1])
    for row in found:
        assert row == pytest.approx(softmax(scores), rel=1e-3)


@pytest.mark.parametrize(("scores", "constant"), [("[1, 4, 2]", "−4"), ("[-1/2, -3]", "1/2"), ("[0, -1]", "1")])
def test_the_example_moves_scores_by_their_greatest_or_at_least_by_something(scores: str, constant: str) -> None:
    text = render(derived(TOPICS[1], f"scores: {scores}\n").to_document(), 100)
    assert f"With c = {constant} added to each of them" in text


@pytest.mark.parametrize("topic", TOPICS)
def test_nothing_given_still_is_an_argument_that_holds(topic: str) -> None:
    worked = derived(topic)
    assert worked.holds
    assert "example" not in [passage.id for passage in worked.passages]


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ("[[1, 2], [3, 4]]", "p.yaml:3:9: scores must be one list of numbers, such as [1, 2, 3]"),
        ("identity", "p.yaml:3:9: scores must be one list of numbers, such as [1, 2, 3]"),
        ("[]", "p.yaml:3:9: scores is empty"),
        ("[a]", "p.yaml:3:10: in scores[1,1]: 'a' is not a number"),
    ],
)
@pytest.mark.parametrize("topic", TOPICS)
def test_scores_are_one_list_of_numbers(topic: str, scores: str, says: str) -> None:
    with pytest.raises(ProblemError, match=re.escape(says)):
        derived(topic, f"scores: {scores}\n")
