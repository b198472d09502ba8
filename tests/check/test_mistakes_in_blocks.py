"""What people do wrong with residuals, norms, layers and windows, done once more in NumPy and written on an answer
sheet: the checker names it, whether every step was written down or only the last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from check.conftest import Marker

from attnsolve.check.diagnose import diagnose

Array = Any
X = np.array([[1, 2, 4], [0.5, -1, 3]])
W1 = np.array([[1, -1], [0.5, 2], [-1, 0.5]])
W2 = np.array([[1, 0.5, -2], [-1, 1.5, 1]])
B1, B2 = np.array([0.5, -1]), np.array([1, 0, -0.5])
S = np.array([[1, 2, 0.5, 1], [0, -1, 3, 2], [2, 0.5, 1, 0], [1, 1, -2, 3]])


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def norm(x: Array, eps: float = 0.1) -> Array:
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + eps)


def rms(x: Array) -> Array:
    return x / np.sqrt((x**2).mean(1, keepdims=True))


def softmax(x: Array) -> Array:
    e = np.exp(x)
    return e / e.sum(1, keepdims=True)


def feed(x: Array = X) -> Array:
    return relu(x @ W1 + B1) @ W2 + B2


def window(width: int) -> Array:
    i, j = np.indices(S.shape)
    return softmax(np.where(abs(i - j) < width, S, -np.inf))


def lengths(by: int) -> Array:
    return softmax(np.where(np.arange(4) < 2 + by, S, -np.inf))


FEED = "relu(X*W_1 + b_1)*W_2 + b_2"
POST = "layernorm(X + relu(X*W_1 + b_1)*W_2 + b_2, eps=0.1)"
STEPS = f"F: {FEED}\n  R: X + F\n  Y: layernorm(R, eps=0.1)"
PRE = f"N: layernorm(X, eps=0.1)\n  F: {FEED.replace('X', 'N')}\n  Y: X + F"
RMS = f"N: rmsnorm(X)\n  Y: X + {FEED.replace('X', 'N')}"

MADE: list[tuple[str, str, Callable[[], Array]]] = [
    (f"F: {FEED}\n  Y: X + F", "residual-forgotten", feed),
    (f"Y: X + {FEED}", "residual-forgotten", feed),
    (f"Y: {FEED}", "bias-forgotten", lambda: relu(X @ W1 + B1) @ W2),
    (f"Y: {FEED}", "bias-forgotten", lambda: relu(X @ W1) @ W2 + B2),
    (STEPS, "residual-forgotten", lambda: norm(feed())),
    (STEPS, "norm-forgotten", lambda: X + feed()),
    (STEPS, "norm-before-sum", lambda: X + norm(feed())),
    (STEPS, "pre-norm-for-post-norm", lambda: X + feed(norm(X))),
    (f"Y: {POST}", "pre-norm-for-post-norm", lambda: X + feed(norm(X))),
    (f"Y: {POST}", "residual-forgotten", lambda: norm(feed())),
    (PRE, "post-norm-for-pre-norm", lambda: norm(X + feed())),
    (PRE, "norm-forgotten", lambda: X + feed()),
    (PRE, "residual-forgotten", lambda: feed(norm(X))),
    (RMS, "post-norm-for-pre-norm", lambda: rms(X + feed())),
    (RMS, "norm-forgotten", lambda: X + feed()),
    (f"Y: {FEED}", "relu-after-second-layer", lambda: relu((X @ W1 + B1) @ W2 + B2)),
    (f"Y: {FEED}", "relu-after-second-layer", lambda: relu(feed())),
    ("H: relu(X*W_1)\n  Y: X + H*W_2", "relu-after-second-layer", lambda: X + relu(X @ W1 @ W2)),
    ("H: relu(X*W_1)\n  Y: X + H*W_2", "relu-forgotten", lambda: X + X @ W1 @ W2),
    ("Y: softmax(masked(S, within(2)))", "window-off-by-one", lambda: window(1)),
    ("Y: softmax(masked(S, within(2)))", "window-off-by-one", lambda: window(3)),
    ("Y: softmax(masked(S, first(2)))", "length-off-by-one mask-shifted", lambda: lengths(-1)),
    ("Y: sum(i=1..4, S[i,i]^2)", "mean-for-sum", lambda: np.array([[(np.diag(S) ** 2).mean()]])),
    ("Y: total(S .^ 2)", "mean-for-sum", lambda: np.array([[(S**2).mean()]])),
]


def written(array: Array) -> str:
    rows = ", ".join("[" + ", ".join(f"{x:.6f}" for x in row) + "]" for row in np.atleast_2d(array))
    return f"[{rows}]"


def sheet(formulas: str) -> str:
    names = {"X": X, "W_1": W1, "W_2": W2, "b_1": B1, "b_2": B2, "S": S}
    given = "".join(f"  {name}: {array.tolist()}\n" for name, array in names.items() if f"{name}" in formulas)
    return f"kind: formulas\ngiven:\n{given}formulas:\n  {formulas}\n"


@pytest.mark.parametrize(("formulas", "id", "wrong"), MADE, ids=[f"{id}: {formulas}" for formulas, id, _ in MADE])
def test_a_mistake_on_an_answer_sheet_is_named(
    formulas: str, id: str, wrong: Callable[[], Array], marked: Marker
) -> None:
    marking = marked(sheet(formulas), f"Y: {written(wrong())}\n")
    found = [slip.id for diagnosis in diagnose(marking) for group in diagnosis.mistakes for slip in group]
    assert set(found) == set(id.split())


def test_a_difference_from_the_mean_is_no_residual(marked: Marker) -> None:
    given = "kind: formulas\ngiven: {x: [1, 2, 4]}\nformulas:\n  m: mean(x)\n  y: x - m\n"
    (diagnosis,) = diagnose(marked(given, "y: [7/3, 7/3, 7/3]\n"))
    assert not {slip.id for group in diagnosis.mistakes for slip in group} & {"residual-forgotten", "bias-forgotten"}


def test_in_attention_the_sheet_s_own_blocks_are_diagnosed(marked: Marker) -> None:
    text = (
        "inputs: [[1, 2, 4], [0, 1, -1]]\nweights: identity\nscaling: none\nformulas:\n  N: layernorm(X + C, eps=1)\n"
    )
    x = np.array([[1.0, 2, 4], [0, 1, -1]])
    context = softmax(x @ x.T) @ x
    for wrong, id in ((norm(context, 1), "residual-forgotten"), (x + norm(context, 1), "norm-before-sum")):
        found = [slip.id for d in diagnose(marked(text, f"N: {written(wrong)}\n")) for g in d.mistakes for slip in g]
        assert found == [id]
