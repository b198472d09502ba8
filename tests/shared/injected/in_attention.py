"""What students do wrong on the way to the scores: projections, products, scales and masks."""

from __future__ import annotations

import numpy as np
from shared.injected import program as p
from shared.injected.program import Array, Work, Wrong


def bias(w: Work) -> Array | float:
    return w[2] if len(w.step.ins) > 2 else 0.0


def other_name(w: Work, place: int, ours: str, theirs: str) -> Array | None:
    """The matrix of another role, of the same head."""
    return w.env.get(w.step.ins[place].replace(ours, theirs))


def with_weights(w: Work, letter: str) -> Array | None:
    ours = w.info["weight"][-1]
    matrix = None if ours == letter else other_name(w, 1, f"W_{ours}", f"W_{letter}")
    return None if matrix is None else w[0] @ matrix + bias(w)


def with_bias(w: Work, letter: str) -> Array | None:
    if len(w.step.ins) < 3:
        return None
    ours = w.info["bias"][-1]
    found = None if ours == letter else other_name(w, 2, f"b_{ours}", f"b_{letter}")
    return None if found is None else w[0] @ w[1] + found


def from_source(w: Work, name: str) -> Array | None:
    if w.step.ins[0] == name or name not in w.env or w.info["weight"] == "W_O":
        return None
    return w.env[name] @ w[1] + bias(w)


def with_bias_as(w: Work, sign: float) -> Array | None:
    return w[0] @ w[1] + sign * bias(w) if len(w.step.ins) > 2 else None


def bias_down_rows(w: Work) -> Array | None:
    return w[0] @ w[1] + w[2][:, None] if len(w.step.ins) > 2 else None


def of_other_head(w: Work) -> Array | None:
    name = w.step.ins[1]
    if "@" not in name:
        return None
    letter, head = name.split("@")
    return w[0] @ w.env[f"{letter}@{3 - int(head)}"] + bias(w)


def residual_added(w: Work) -> Array | None:
    return w.right + w.env["inputs"] if w.info["weight"] == "W_O" and "inputs" in w.env else None


def without_last_product(a: Array, b: Array) -> Array:
    return a[:, :-1] @ b[:-1]


PROJECT: dict[str, Wrong] = {
    "weights transposed": lambda w: w[0] @ w[1].T + bias(w),
    "weights from the left": lambda w: w[1] @ w[0] + bias(w),
    "weights transposed, from the left": lambda w: w[1].T @ w[0] + bias(w),
    "inputs transposed": lambda w: w[0].T @ w[1] + bias(w),
    "not projected": lambda w: w[0] + bias(w),
    "weights themselves": lambda w: w[1] + bias(w),
    "entry by entry instead of a product": lambda w: w[0] * w[1] + bias(w),
    "last product of each sum left out": lambda w: without_last_product(w[0], w[1]) + bias(w),
    "bias forgotten": lambda w: with_bias_as(w, 0),
    "bias doubled": lambda w: with_bias_as(w, 2),
    "bias subtracted": lambda w: with_bias_as(w, -1),
    "bias down the rows": bias_down_rows,
    "matrix of queries taken": lambda w: with_weights(w, "Q"),
    "matrix of keys taken": lambda w: with_weights(w, "K"),
    "matrix of values taken": lambda w: with_weights(w, "V"),
    "bias of queries taken": lambda w: with_bias(w, "Q"),
    "bias of keys taken": lambda w: with_bias(w, "K"),
    "bias of values taken": lambda w: with_bias(w, "V"),
    "bias of the other layer": lambda w: w[0] @ w[1] + w.env[w.info["other_bias"]],
    "made from the inputs": lambda w: from_source(w, "inputs"),
    "made from the memory": lambda w: from_source(w, "memory"),
    "made from the inputs of queries": lambda w: from_source(w, "queries_in"),
    "made from the inputs of keys": lambda w: from_source(w, "keys_in"),
    "made from the inputs of values": lambda w: from_source(w, "values_in"),
    "without positions": lambda w: w.env[w.info["inputs"]] @ w[1] if w.info.get("inputs") == "X" else None,
    "matrix of the other head": of_other_head,
    "inputs added to the output": residual_added,
}


def from_inputs(w: Work) -> Array | None:
    x = w.env.get("inputs", w.env.get("X"))
    y = w.env.get("memory", x)
    return None if x is None or y is None else x @ y.T


def cosine(w: Work) -> Array:
    lengths = np.outer(np.linalg.norm(w[0], axis=1), np.linalg.norm(w[1], axis=1))
    return w[0] @ w[1].T / np.where(lengths == 0, 1, lengths)


def unturned(w: Work, queries: bool, keys: bool) -> Array | None:
    if "unturned" not in w.info:
        return None
    q, k = (w.env[name] for name in w.info["unturned"])
    return (q if queries else w[0]) @ (k if keys else w[1]).T


SCORES: dict[str, Wrong] = {
    "scores transposed": lambda w: w[1] @ w[0].T,
    "features by features": lambda w: w[0].T @ w[1],
    "keys not transposed": lambda w: w[0] @ w[1],
    "queries with queries": lambda w: w[0] @ w[0].T,
    "keys with keys": lambda w: w[1] @ w[1].T,
    "queries with values": lambda w: None if w.of("values") is None else w[0] @ w.env[w.info["values"]].T,
    "keys with values": lambda w: None if w.of("values") is None else w[1] @ w.env[w.info["values"]].T,
    "scores entry by entry": lambda w: w[0] * w[1],
    "inputs with inputs": from_inputs,
    "last product of each score left out": lambda w: without_last_product(w[0], w[1].T),
    "only the first product of each score": lambda w: w[0][:, :1] @ w[1][:, :1].T,
    "sums instead of products": lambda w: (w[0][:, None] + w[1][None]).sum(axis=2),
    "distances instead of products": lambda w: np.linalg.norm(w[0][:, None] - w[1][None], axis=2),
    "cosines instead of products": cosine,
    "mean of the products": lambda w: w[0] @ w[1].T / w[0].shape[1],
    "scores negated": lambda w: -(w[0] @ w[1].T),
    "queries not turned": lambda w: unturned(w, True, False),
    "keys not turned": lambda w: unturned(w, False, True),
    "nothing turned": lambda w: unturned(w, True, True),
}


def divided(w: Work, by: float) -> Array:
    return w[0] / by


def by_width(w: Work, role: str, power: float) -> Array | None:
    matrix = w.of(role)
    return None if matrix is None else w[0] / matrix.shape[1] ** power


SCALE: dict[str, Wrong] = {
    "not scaled": lambda w: w[0],
    "divided by d_k": lambda w: divided(w, w.info["d_k"]),
    "multiplied by the divisor": lambda w: w[0] * w.info["divisor"],
    "multiplied by d_k": lambda w: w[0] * w.info["d_k"],
    "divided by the root of the number of keys": lambda w: divided(w, w[0].shape[1] ** 0.5),
    "divided by the root of the number of queries": lambda w: divided(w, w[0].shape[0] ** 0.5),
    "divided by the number of keys": lambda w: divided(w, w[0].shape[1]),
    "divided by the root of the width of the inputs": lambda w: divided(w, w.info["d_model"] ** 0.5),
    "divided by the root of the width of the values": lambda w: by_width(w, "values", 0.5),
    "scaled twice": lambda w: divided(w, w.info["divisor"] ** 2),
    "divided by half of d_k": lambda w: divided(w, w.info["d_k"] / 2),
    "divided by d_k squared": lambda w: divided(w, w.info["d_k"] ** 2),
    "divided by the root of d_k all the same": lambda w: divided(w, w.info["d_k"] ** 0.5),
    "divided by the root of the divisor": lambda w: divided(w, w.info["divisor"] ** 0.5),
    "divisor subtracted": lambda w: w[0] - w.info["divisor"],
    "root taken of the scores too": lambda w: np.sign(w[0]) * np.sqrt(np.abs(w[0]) / w.info["d_k"]),
}


def masked_by(w: Work, allowed: Array, scores: Array | None = None) -> Array | None:
    """Hidden by another mask; a row that would be hidden throughout is left alone."""
    if allowed.shape != w[0].shape:
        return None
    kept = np.where(allowed.any(axis=1, keepdims=True), allowed, 1)
    return p.hide(w[0] if scores is None else scores, kept)


def below(w: Work, diagonal: int) -> Array:
    return np.tril(np.ones(w[0].shape), diagonal)


def is_causal(w: Work) -> bool:
    return bool(np.array_equal(w.info["allowed"], below(w, 0)))


MASK: dict[str, Wrong] = {
    "mask forgotten": lambda w: w[0],
    "mask transposed": lambda w: masked_by(w, w.info["allowed"].T),
    "mask inverted": lambda w: masked_by(w, 1 - w.info["allowed"]),
    "diagonal hidden too": lambda w: masked_by(w, w.info["allowed"] * (1 - np.eye(*w[0].shape))),
    "diagonal shown too": lambda w: masked_by(w, np.maximum(w.info["allowed"], np.eye(*w[0].shape))),
    "one more token shown": lambda w: masked_by(w, below(w, 1)) if is_causal(w) else None,
    "causal mask instead": lambda w: (
        None if is_causal(w) or w[0].shape[0] != w[0].shape[1] else masked_by(w, below(w, 0))
    ),
    "zero for what is hidden": lambda w: np.where(w.info["allowed"] > 0, w[0], 0),
    "minus one for what is hidden": lambda w: np.where(w.info["allowed"] > 0, w[0], -1),
    "mask added as zeros and ones": lambda w: w[0] + w.info["allowed"],
    "mask subtracted": lambda w: w[0] - (1 - w.info["allowed"]),
    "unscaled scores masked": lambda w: p.hide(w.env[w.info["scores"]], w.info["allowed"]),
    "mask in the first row only": lambda w: np.vstack([p.hide(w[0], w.info["allowed"])[:1], w[0][1:]]),
}
