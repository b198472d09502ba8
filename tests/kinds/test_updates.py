"""A training step against NumPy: each rule by its formula, several steps in a row, and the loss after them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import attnsolve
from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse

X, W, TARGET = np.array([[1.0, 2.0]]), np.array([[1, 0, -1], [0.5, 1, 0]]), 1
SHEET = """
kind: formulas
given: {x: [[1, 2]], W: [[1, 0, -1], [1/2, 1, 0]]}
formulas: {z: x*W, p: softmax(z), L: "crossentropy(p, [2])"}
gradient: {of: L, to: [W]}
"""
Rule = Callable[[np.ndarray, np.ndarray, dict[str, np.ndarray], int], np.ndarray]


def loss(weights: np.ndarray) -> float:
    z = (X @ weights)[0]
    return float(np.log(np.exp(z).sum()) - z[TARGET])


def gradient(weights: np.ndarray) -> np.ndarray:
    z = (X @ weights)[0]
    p = np.exp(z) / np.exp(z).sum()
    p[TARGET] -= 1
    return X.T @ p[None, :]


def plain(weights: np.ndarray, slope: np.ndarray, state: dict[str, np.ndarray], step: int) -> np.ndarray:
    return weights - 0.1 * slope


def decayed(weights: np.ndarray, slope: np.ndarray, state: dict[str, np.ndarray], step: int) -> np.ndarray:
    return weights - 0.1 * (slope + 0.5 * weights)


def momentum(weights: np.ndarray, slope: np.ndarray, state: dict[str, np.ndarray], step: int) -> np.ndarray:
    state["m"] = 0.9 * state.get("m", 0) + slope
    return weights - 0.1 * state["m"]


def adam(weights: np.ndarray, slope: np.ndarray, state: dict[str, np.ndarray], step: int) -> np.ndarray:
    state["m"] = 0.9 * state.get("m", 0) + 0.1 * slope
    state["v"] = 0.99 * state.get("v", 0) + 0.01 * slope**2
    mhat, vhat = state["m"] / (1 - 0.9**step), state["v"] / (1 - 0.99**step)
    return weights - 0.1 * mhat / (np.sqrt(vhat) + 1e-3)


def adamw(weights: np.ndarray, slope: np.ndarray, state: dict[str, np.ndarray], step: int) -> np.ndarray:
    return adam(weights, slope, state, step) - 0.1 * 0.5 * weights


RULES: list[tuple[str, Rule]] = [
    ("rate: 0.1", plain),
    ("rate: 0.1, decay: 0.5", decayed),
    ("rule: momentum, rate: 0.1", momentum),
    ("rule: adam, rate: 0.1, betas: [0.9, 0.99], eps: 0.001", adam),
    ("rule: adamw, rate: 0.1, betas: [0.9, 0.99], eps: 0.001, decay: 0.5", adamw),
]


def solved(text: str) -> attnsolve.Solution:
    (problem,) = parse(SHEET + text, "sheet.yaml")
    solution = attnsolve.solve(problem)
    assert isinstance(solution, attnsolve.Solution)
    return solution


@pytest.mark.parametrize(("keys", "rule"), RULES)
def test_one_step_is_that_of_the_rule(keys: str, rule: Rule) -> None:
    solution = solved(f"update: {{{keys}, after: true}}")
    new = rule(W, gradient(W), {}, 1)
    np.testing.assert_allclose(solution["new_W"].array, new, rtol=1e-14)
    np.testing.assert_allclose(solution["after_L"].array, loss(new), rtol=1e-13)
    np.testing.assert_allclose(solution["change_L"].array, loss(new) - loss(W), rtol=1e-12)


@pytest.mark.parametrize(("keys", "rule"), RULES)
def test_several_steps_go_on_from_each_other(keys: str, rule: Rule) -> None:
    solution = solved(f"update: {{{keys}, steps: 3}}")
    weights, state = W, dict[str, np.ndarray]()
    for step in (1, 2, 3):
        weights = rule(weights, gradient(weights), state, step)
        np.testing.assert_allclose(solution["W", str(step)].array, weights, rtol=1e-13)
        np.testing.assert_allclose(solution["L", str(step)].array, loss(weights), rtol=1e-12)


def test_a_step_goes_on_from_given_means() -> None:
    means = "state: {W: {m: [[1, 0, 0], [0, 0, 1]], v: [[1, 1, 1], [4, 1, 1]]}}"
    solution = solved(f"update: {{{RULES[3][0]}, step: 3, {means}}}")
    state = {"m": np.array([[1.0, 0, 0], [0, 0, 1]]), "v": np.array([[1.0, 1, 1], [4, 1, 1]])}
    np.testing.assert_allclose(solution["new_W"].array, adam(W, gradient(W), state, 3), rtol=1e-14)
    np.testing.assert_allclose(solution["m_W"].array, state["m"], rtol=1e-14)
    np.testing.assert_allclose(solution["vhat_W"].array, state["v"] / (1 - 0.99**3), rtol=1e-14)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("update: {rule: adam}", "update does not say how large a step is\n    write update: {rate: 0.1}"),
        ("update: {rate: 0.1, rule: adamx}", "rule must be plain or momentum or adam or adamw"),
        ("update: {rate: 0.1, state: {V: {m: [[1]]}}}", "state names V, which is not a parameter that is updated"),
        ("update: {rate: 0.1, rule: adam, state: {W: {m: [[1]]}}}", "the m of W must be 2×3, but 1×1 was found"),
        ("update: {rate: 0.1, steps: 0}", "steps must be a whole number from 1"),
        ("update: 0.1", "update must be a mapping such as {rate: 0.1}"),
    ],
)
def test_what_is_wrong_is_one_message_with_its_place(keys: str, message: str) -> None:
    with pytest.raises(ProblemError) as raised:
        solved(keys)
    assert message in str(raised.value)


def test_an_update_needs_gradients() -> None:
    sheet = SHEET.replace("gradient: {of: L, to: [W]}\n", "") + "update: {rate: 0.1}"
    with pytest.raises(ProblemError, match="update needs gradients"):
        parse(sheet, "sheet.yaml")
