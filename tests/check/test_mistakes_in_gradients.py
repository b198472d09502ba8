"""What people do wrong on the way back, done once more in NumPy and written on an answer sheet: the checker names
it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from check.conftest import answers_to, solution_of
from check.test_recall_of_gradients import backward_slips, samples

from attnsolve.check.diagnose import diagnose
from attnsolve.check.marking import mark
from attnsolve.solution.exact import Solution

Array = Any
Q = np.array([[1, 2], [2, 0.5], [0.3, -1]])
K = np.array([[1, 0.3], [2, 1], [-1, 0.5]])
V = np.array([[1, 0.2], [2, 1], [0.4, -1]])
GC = np.array([[1, 2], [0.4, 1], [-1, 0.5]])
ROOT = np.sqrt(2)


def softmax(x: Array) -> Array:
    powers = np.exp(x)
    return powers / powers.sum(1, keepdims=True)


def row(x: Array, axis: int = 1) -> Array:
    return x.sum(axis, keepdims=True)


def back(a: Array, g: Array) -> Array:
    return a * (g - row(a * g))


A = softmax(Q @ K.T / ROOT)
GA = GC @ V.T
GS = back(A, GA) / ROOT
MASK = np.where(np.tri(3) == 1, 0, -np.inf)
MASKED = softmax(Q @ K.T / ROOT + MASK)
SCORES = np.abs(Q) @ np.abs(K).T / ROOT
SHARES, TOTALS = SCORES / row(SCORES), row(SCORES)

X = np.array([[1, 2, 4], [0.5, -1, 3], [2, 0.3, 1]])
W = np.array([[1, 0.4, 0.2], [-1, 0.7, 0.3], [0.1, 0.2, -0.5]])
T = np.array([[1, 0, 2], [0.5, 1, -1], [0, 2, 1]])
B = np.array([[0.1, -0.3, 0.2]])
G = np.array([[1.5, 0.5, 2]])
S = X @ W + B
Y = np.eye(3)[[1, 2, 1]]
MEAN = (softmax(S) - Y) / 3
SQUARES = 2 * (S - T) / 9
DEEP = 2 * (np.maximum(S, 0) - T) / 9
AFTER = DEEP * (S > 0)
TANH, SIGMOID = np.tanh(S), 1 / (1 + np.exp(-S))


def normed(x: Array, eps: float = 0.5) -> tuple[Array, Array]:
    root = np.sqrt(x.var(1, keepdims=True) + eps)
    return (x - x.mean(1, keepdims=True)) / root, root


N, DEVIATION = normed(X)
GN = 2 * (N * G - T) / 9
RMS = np.sqrt((X**2).mean(1, keepdims=True) + 0.5)
GR = 2 * (X / RMS * G - T) / 9


def mean(x: Array) -> Array:
    return x.mean(1, keepdims=True)


def attention(keys: str = "", given: tuple[Array, ...] = (Q, K, V)) -> str:
    named = zip(("queries", "keys", "values"), given, strict=True)
    lines = [f"{name}: {array.tolist()}" for name, array in named]
    return "\n".join([*lines, keys, f"gradient: {{upstream: {{C: {GC.tolist()}}}, to: [Q, K, V]}}"])


def sheet(formulas: str, to: str = "X", **given: Array) -> str:
    lines = [f"  {name}: {array.tolist()}" for name, array in given.items()]
    return "\n".join(
        ["kind: formulas", "given:", *lines, "formulas:", *formulas.splitlines(), f"gradient: {{of: L, to: [{to}]}}"]
    )


PLAIN, CAUSAL, SUM = attention(), attention("mask: causal"), attention("softmax: sum", (abs(Q), abs(K), V))
LINEAR = "  S: X*W + b\n"
ENTROPY = sheet(LINEAR + "  P: softmax(S)\n  L: crossentropy(P, [2, 3, 2])", "S, X, W, b", X=X, W=W, b=B[0])
APART = ENTROPY.replace("]}\n", "]}\n").replace("gradient: {of: L,", "gradient: {fused: false, of: L,")
SQUARED = sheet(LINEAR + "  D: (S - T).^2\n  L: mean(D)", "S, X, W, b", X=X, W=W, T=T, b=B[0])


def activated(function: str) -> str:
    return sheet(LINEAR + f"  H: {function}(S)\n  D: (H - T).^2\n  L: mean(D)", "S, W", X=X, W=W, T=T, b=B[0])


def norm(call: str) -> str:
    return sheet(f"  N: {call}\n  D: (N - T).^2\n  L: mean(D)", "X, g", X=X, T=T, g=G[0])


LAYER, RMSNORM = norm("layernorm(X, g, eps=0.5)"), norm("rmsnorm(X, g, eps=0.5)")
RESIDUAL = sheet("  Y: X + X*W\n  D: (Y - T).^2\n  L: mean(D)", "X", X=X, W=W, T=T)
GY = 2 * (X + X @ W - T) / 9
TABLE = sheet("  H: lookup(X, [2, 1, 2])\n  D: (H - T).^2\n  L: mean(D)", "X", X=X, T=T)
GH = 2 * (X[[1, 0, 1]] - T) / 9


def half(x: Array) -> Array:
    return 2 * (x - T) / 9


def rows(*of: Array) -> Array:
    return np.array(of)


MADE: list[tuple[str, str, str, Callable[[], Array]]] = [
    # problem, mistake, quantity, what was done
    (PLAIN, "gradient-transposed", "dV", lambda: A @ GC),
    (PLAIN, "gradient-transposed", "dK", lambda: GS @ Q),
    (PLAIN, "gradient-transposed", "dQ", lambda: GS.T @ K),
    (PLAIN, "gradient-of-wrong-factor", "dQ", lambda: GS @ Q),
    (PLAIN, "gradient-of-wrong-factor", "dK", lambda: GS.T @ K),
    (PLAIN, "softmax-jacobian-forgotten", "dS'", lambda: GA),
    (PLAIN, "softmax-jacobian-diagonal", "dS'", lambda: A * (1 - A) * GA),
    (PLAIN, "softmax-sum-forgotten", "dS'", lambda: A * GA),
    (PLAIN, "softmax-sum-wrong-axis", "dS'", lambda: A * (GA - row(A * GA, 0))),
    (PLAIN, "softmax-sum-unweighted", "dS'", lambda: A * (GA - row(GA))),
    (PLAIN, "gradient-scale-forgotten", "dS", lambda: GS * ROOT),
    (PLAIN, "gradient-scale-multiplied", "dS", lambda: GS * 2),
    (PLAIN, "gradient-scale-twice", "dS", lambda: GS / ROOT),
    (PLAIN, "gradient-scale-forgotten", "dQ", lambda: GS * ROOT @ K),
    (CAUSAL, "mask-ignored-in-gradient", "d_masked", lambda: back(A, GA)),
    (SUM, "share-gradient-forgotten", "dS'", lambda: GA),
    (SUM, "share-gradient-sum-constant", "dS'", lambda: GA / TOTALS),
    (SUM, "share-gradient-not-divided", "dS'", lambda: GA - row(SHARES * GA)),
    (ENTROPY, "loss-gradient-target-forgotten", "dS", lambda: softmax(S) / 3),
    (ENTROPY, "gradient-sign", "dS", lambda: -MEAN),
    (ENTROPY, "gradient-mean-not-divided", "dS", lambda: 3 * MEAN),
    (ENTROPY, "targets-shifted", "dS", lambda: (softmax(S) - np.eye(3)[[0, 1, 0]]) / 3),
    (ENTROPY, "gradient-transposed", "dW", lambda: MEAN @ X),
    (ENTROPY, "gradient-not-summed", "db", lambda: MEAN[:1]),
    (ENTROPY, "gradient-not-summed", "db", lambda: MEAN[2:]),
    (ENTROPY, "gradient-mean-for-sum", "db", lambda: MEAN.mean(0, keepdims=True)),
    (APART, "gradient-sign", "dP", lambda: Y / softmax(S) / 3),
    (APART, "derivative-forgotten", "dP", lambda: -Y / 3),
    (SQUARED, "gradient-exponent-forgotten", "dS", lambda: SQUARES / 2),
    (SQUARED, "gradient-sign", "dS", lambda: -SQUARES),
    (activated("relu"), "derivative-forgotten", "dS", lambda: DEEP),
    (activated("relu"), "relu-gradient-own-sign", "dS", lambda: np.maximum(DEEP, 0)),
    (activated("relu"), "relu-gradient-times-output", "dS", lambda: DEEP * np.maximum(S, 0)),
    (activated("relu"), "relu-gradient-inverted", "dS", lambda: DEEP * (S < 0)),
    (activated("relu"), "derivative-forgotten", "dW", lambda: X.T @ DEEP),
    (activated("tanh"), "derivative-forgotten", "dS", lambda: half(TANH)),
    (activated("tanh"), "derivative-at-input", "dS", lambda: half(TANH) * (1 - S**2)),
    (activated("tanh"), "derivative-not-squared", "dS", lambda: half(TANH) * (1 - TANH)),
    (activated("tanh"), "derivative-not-from-one", "dS", lambda: half(TANH) * TANH**2),
    (activated("sigmoid"), "derivative-at-input", "dS", lambda: half(SIGMOID) * S * (1 - S)),
    (activated("sigmoid"), "derivative-factor-forgotten", "dS", lambda: half(SIGMOID) * SIGMOID),
    (activated("silu"), "product-rule-forgotten", "dS", lambda: half(S * SIGMOID) * SIGMOID),
    (LAYER, "norm-gradient-forgotten", "dX", lambda: GN),
    (LAYER, "norm-gradient-constant", "dX", lambda: GN * G / DEVIATION),
    (LAYER, "norm-gradient-mean-only", "dX", lambda: (GN * G - mean(GN * G)) / DEVIATION),
    (LAYER, "norm-gradient-mean-forgotten", "dX", lambda: (GN * G - N * mean(GN * G * N)) / DEVIATION),
    (LAYER, "norm-gradient-not-divided", "dX", lambda: GN * G - mean(GN * G) - N * mean(GN * G * N)),
    (LAYER, "norm-gradient-gamma-forgotten", "dX", lambda: (GN - mean(GN) - N * mean(GN * N)) / DEVIATION),
    (LAYER, "gamma-gradient-not-normalised", "dg", lambda: row(GN * X, 0)),
    (LAYER, "gradient-factor-forgotten", "dg", lambda: row(GN, 0)),
    (RMSNORM, "norm-gradient-constant", "dX", lambda: GR * G / RMS),
    (RMSNORM, "norm-gradient-centred", "dX", lambda: (GR * G - mean(GR * G) - X / RMS * mean(GR * G * X / RMS)) / RMS),
    (RESIDUAL, "residual-gradient-forgotten", "dX", lambda: GY @ W.T),
    (RESIDUAL, "gradient-overwritten", "dX", lambda: GY),
    (RESIDUAL, "gradient-transposed", "dX", lambda: GY + GY @ W),
    (TABLE, "lookup-gradient-overwritten", "dX", lambda: rows(GH[1], GH[2], GH[1] * 0)),
    (TABLE, "lookup-gradient-overwritten", "dX", lambda: rows(GH[1], GH[0], GH[1] * 0)),
    (
        sheet("  R: rotate(M, [30°, 60°, 90°])\n  D: (R - U).^2\n  L: mean(D)", "M", M=Q, U=V),
        "rotation-gradient-forward", "dM", lambda: turned((turned(Q) - V) / 3),
    ),
    (
        sheet("  R: rotate(M, [30°, 60°, 90°])\n  D: (R - U).^2\n  L: mean(D)", "M", M=Q, U=V),
        "rotation-gradient-forgotten", "dM", lambda: (turned(Q) - V) / 3,
    ),
    (
        sheet("  H: where(causal, X, 0)\n  D: (H - T).^2\n  L: mean(D)", "X", X=X, T=T),
        "mask-ignored-in-gradient", "dX", lambda: half(X * np.tri(3)),
    ),
    (
        sheet("  M: rowmax(X)\n  L: total(M)", "X", X=X),
        "maximum-gradient-to-all", "dX", lambda: np.ones((3, 3)),
    ),
    (
        sheet("  H: concat(X, T)\n  D: (H - U).^2\n  L: mean(D)", "X, T", X=X, T=T, U=np.hstack([W, X])),
        "gradient-blocks-swapped", "dX", lambda: (T - X) / 9,
    ),
    (
        sheet("  H: 1/(X.*X + 1)\n  L: total(H)", "X", X=X),
        "gradient-quotient-rule", "dX", lambda: -2 * X / (X**2 + 1),
    ),
    (
        sheet("  H: X .* T\n  D: H .* W\n  L: total(D)", "X", X=X, T=T, W=W),
        "gradient-of-wrong-factor", "dX", lambda: W * X,
    ),
    (
        sheet("  H: X*W + X*T + X\n  D: H .* T\n  L: total(D)", "X", X=X, T=T, W=W),
        "gradient-share-forgotten", "dX", lambda: T + T @ W.T,
    ),
]  # fmt: skip


def turned(x: Array) -> Array:
    found = []
    for (first, second), angle in zip(x, np.radians([30, 60, 90]), strict=True):
        cos, sin = np.cos(angle), np.sin(angle)
        found.append([first * cos - second * sin, first * sin + second * cos])
    return np.array(found)


@cache
def worked(problem: str) -> Solution:
    return solution_of(problem)


def written(values: Array) -> str:
    return str([[f"{value:.5f}" for value in line] for line in np.atleast_2d(values)]).replace("'", "")


@pytest.mark.parametrize(("problem", "id", "quantity", "wrong"), MADE, ids=[f"{q} {id}" for _, id, q, _ in MADE])
def test_a_mistake_of_the_way_back_is_named(problem: str, id: str, quantity: str, wrong: Callable[[], Array]) -> None:
    solution = worked(problem)
    answers = answers_to(solution, f'"{quantity}": {written(wrong())}\n')
    assert answers.faults == []
    marking = mark(solution, answers)
    found = {slip.id for diagnosis in diagnose(marking) for group in diagnosis.mistakes for slip in group}
    assert id in found


def test_every_mistake_of_the_way_back_is_held_against_numpy() -> None:
    """Those of steps inside are the mistakes of the operations that these are."""
    known = {
        slip.id
        for _, solution in samples()
        for slip in backward_slips(solution)
        if solution.graph[slip.key].gradient_of is not None
    }
    assert known - {"mean-for-sum", "sum-wrong-axis"} <= {id for _, id, _, _ in MADE}
