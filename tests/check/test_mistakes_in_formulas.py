"""What people do wrong with norms, activations, reductions and losses, done once more in NumPy and written on an answer
sheet: the checker names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from check.conftest import Marker

from attnsolve.check.diagnose import diagnose

Array = Any
X = np.array([[1, 2, 4], [0.5, -1, 3]])
G, B = np.array([2, 1, 3]), np.array([0, 1, 0.5])
P = np.array([[0.2, 0.5, 0.3], [0.1, 0.3, 0.6]])


def norm(
    x: Array = X, axis: int = 1, ddof: int = 0, eps: float = 0.1, outside: bool = False, root: bool = True
) -> Array:
    variance = x.var(axis, keepdims=True, ddof=ddof)
    under = np.sqrt(variance) + eps if outside else np.sqrt(variance + eps) if root else variance + eps
    return (x - x.mean(axis, keepdims=True)) / under


def rms(axis: int = 1, eps: float = 0.1, outside: bool = False, total: bool = False, root: bool = True) -> Array:
    squares = (X**2).sum(axis, keepdims=True) if total else (X**2).mean(axis, keepdims=True)
    under = np.sqrt(squares) + eps if outside else np.sqrt(squares + eps) if root else squares + eps
    return X / under


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def gelu_tanh(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


LAYER, RMS, NLL = "layernorm(X, g, b, eps=0.1)", "rmsnorm(X, g, eps=0.1)", "nll(P, [2, 1])"
LOSSES = np.array([[-np.log(0.5), -np.log(0.1)]])

MADE: list[tuple[str, str, Callable[[], Array]]] = [
    (LAYER, "layernorm-variance-corrected", lambda: norm(ddof=1) * G + B),
    (LAYER, "layernorm-epsilon-outside", lambda: norm(outside=True) * G + B),
    (LAYER, "layernorm-epsilon-forgotten", lambda: norm(eps=0) * G + B),
    (LAYER, "layernorm-root-forgotten", lambda: norm(root=False) * G + B),
    (LAYER, "layernorm-wrong-axis", lambda: norm(axis=0) * G + B),
    (LAYER, "layernorm-gamma-forgotten", lambda: norm() + B),
    (LAYER, "layernorm-beta-forgotten", lambda: norm() * G),
    (LAYER, "layernorm-exchanged", lambda: norm() * B + G),
    (RMS, "rmsnorm-centred", lambda: norm() * G),
    (RMS, "rmsnorm-sum", lambda: rms(total=True) * G),
    (RMS, "rmsnorm-epsilon-outside", lambda: rms(outside=True) * G),
    (RMS, "rmsnorm-epsilon-forgotten", lambda: rms(eps=0) * G),
    (RMS, "rmsnorm-root-forgotten", lambda: rms(root=False) * G),
    (RMS, "rmsnorm-wrong-axis", lambda: rms(axis=0) * G),
    (RMS, "rmsnorm-gamma-forgotten", lambda: rms()),
    ("rowvar(X)", "variance-divisor", lambda: X.var(1, keepdims=True, ddof=1)),
    ("rowvar(X, ddof=1)", "variance-divisor", lambda: X.var(1, keepdims=True)),
    ("rowmean(X)", "sum-for-mean", lambda: X.sum(1, keepdims=True)),
    ("rowsum(X)", "mean-for-sum", lambda: X.mean(1, keepdims=True)),
    ("rownorm(X)", "root-forgotten", lambda: (X**2).sum(1, keepdims=True)),
    ("rowmean(W)", "mean-wrong-axis", lambda: W.mean(0)[:, None]),
    ("total(X)", "mean-for-sum", lambda: np.array([[X.mean()]])),
    ("mean(X)", "sum-for-mean", lambda: np.array([[X.sum()]])),
    ("relu(X)", "relu-forgotten", lambda: X),
    ("relu(X)", "relu-wrong-side", lambda: np.minimum(X, 0)),
    ("relu(X)", "relu-absolute", lambda: abs(X)),
    ("sigmoid(X)", "sigmoid-forgotten", lambda: X),
    ("sigmoid(X)", "sigmoid-sign", lambda: sigmoid(-X)),
    ("silu(X)", "silu-not-multiplied", lambda: sigmoid(X)),
    ("gelu(X)", "gelu-tanh-for-erf", lambda: gelu_tanh(X)),
    ("max(X, 1)", "min-for-max", lambda: np.minimum(X, 1)),
    ("min(X, 1)", "max-for-min", lambda: np.maximum(X, 1)),
    (NLL, "loss-log-10", lambda: LOSSES / np.log(10)),
    (NLL, "loss-log-2", lambda: LOSSES / np.log(2)),
    (NLL, "loss-sign", lambda: -LOSSES),
    (NLL, "loss-without-log", lambda: np.array([[0.5, 0.1]])),
    (NLL, "targets-shifted", lambda: np.array([[-np.log(0.3), -np.log(0.3)]])),
    ("crossentropy(P, [2, 1])", "loss-summed", lambda: np.array([[LOSSES.sum()]])),
]
W = np.array([[1, 2, 4], [0.5, -1, 3], [7, 1, 2.5]])


def written(array: Array) -> str:
    rows = ", ".join("[" + ", ".join(f"{x:.6f}" for x in row) + "]" for row in np.atleast_2d(array))
    return f"[{rows}]"


def sheet(formula: str) -> str:
    names = {"X": X, "W": W, "P": P}
    given = {name: array.tolist() for name, array in names.items() if name in formula}
    given |= {name: array.tolist() for name, array in (("g", G), ("b", B)) if f", {name}" in formula}
    return f"kind: formulas\ngiven: {given}\nformulas:\n  Y: {formula}\n".replace("'", "")


@pytest.mark.parametrize(("formula", "id", "wrong"), MADE, ids=[f"{formula} {id}" for formula, id, _ in MADE])
def test_a_mistake_on_an_answer_sheet_is_named(
    formula: str, id: str, wrong: Callable[[], Array], marked: Marker
) -> None:
    marking = marked(sheet(formula), f"Y: {written(wrong())}\n")
    found = [slip.id for diagnosis in diagnose(marking) for group in diagnosis.mistakes for slip in group]
    assert found == [id]


def test_a_stage_that_was_got_wrong_costs_nothing_further_on(marked: Marker) -> None:
    """The variance by n − 1, and everything after it from there."""
    variances = X.var(1, keepdims=True, ddof=1)
    right = "kind: formulas\ngiven: {X: [[1, 2, 4], [0.5, -1, 3]]}\nformulas: {N: layernorm(X)}\n"
    result = (X - X.mean(1, keepdims=True)) / np.sqrt(variances)
    marking = marked(f"{right}", f"N.variances: {written(variances)}\nN: {written(result)}\n")
    assert [(d.quantity.key.id, [s.id for g in d.mistakes for s in g]) for d in diagnose(marking)] == [
        ("N.variances", ["layernorm-variance-corrected"])
    ]
    assert {cell.verdict for cell in marking.of(("N", ())).values()} <= {"follows", "right", "exact"}  # type: ignore[arg-type]
