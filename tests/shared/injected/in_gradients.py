"""What students do wrong in gradients."""

from __future__ import annotations

import numpy as np
from shared.injected.program import Array, Work, Wrong
from shared.injected.sheets import through_softmax

LOSS_GRADIENT: dict[str, Wrong] = {
    "probabilities themselves": lambda w: w[0] / w.info["n"],
    "one-hot less probabilities": lambda w: (w.info["y"] - w[0]) / w.info["n"],
    "not divided by the number of tokens": lambda w: w[0] - w.info["y"],
    "class counted from zero in the gradient": lambda w: (w[0] - np.roll(w.info["y"], 1, axis=1)) / w.info["n"],
    "p times one minus p": lambda w: w[0] * (1 - w[0]) / w.info["n"],
    "only the wanted class": lambda w: (w[0] - w.info["y"]) * w.info["y"] / w.info["n"],
    "gradient by the probability": lambda w: -w.info["y"] / w[0] / w.info["n"],
    "divided by the number of classes": lambda w: (w[0] - w.info["y"]) / w[0].shape[1],
    "ones taken off everywhere": lambda w: (w[0] - 1) / w.info["n"],
}
BIAS_GRADIENT: dict[str, Wrong] = {
    "mean instead of sum over tokens": lambda w: w[0].mean(axis=0, keepdims=True),
    "first token alone": lambda w: w[0][:1],
    "last token alone": lambda w: w[0][-1:],
    "sign of the bias's gradient": lambda w: -w[0].sum(axis=0, keepdims=True),
    "product of the tokens": lambda w: w[0].prod(axis=0, keepdims=True),
}
WEIGHT_GRADIENT: dict[str, Wrong] = {
    "gradient of the matrix transposed": lambda w: w[1].T @ w[0],
    "inputs not transposed": lambda w: w[0] @ w[1],
    "averaged once more": lambda w: w[0].T @ w[1] / w.info["n"],
    "inputs added up first": lambda w: np.outer(w[0].sum(axis=0), w[1].sum(axis=0)),
    "sign of the matrix's gradient": lambda w: -w[0].T @ w[1],
    "first token alone in the matrix": lambda w: np.outer(w[0][0], w[1][0]),
    "gradient of the bias in every row": lambda w: np.tile(w[1].sum(axis=0), (w[0].shape[1], 1)),
}
D_WEIGHTS: dict[str, Wrong] = {
    "values not transposed": lambda w: w[0] @ w[1],
    "gradient of the context as it is": lambda w: w[0],
    "gradient of the weights transposed": lambda w: w[1] @ w[0].T,
    "context times its gradient": lambda w: w.env["context"] @ w[0].T,
    "keys instead of values": lambda w: w[0] @ w.env["keys"].T,
    "sign of the weights' gradient": lambda w: -w[0] @ w[1].T,
}


def column_sums(w: Work) -> Array:
    a, g = w[0], w[1]
    return a * (g - (a * g).sum(axis=0, keepdims=True))


D_SOFTMAX: dict[str, Wrong] = {
    "jacobian forgotten": lambda w: w[1],
    "only the diagonal of the jacobian": lambda w: w[0] * (1 - w[0]) * w[1],
    "sum not subtracted": lambda w: w[0] * w[1],
    "sum down the columns": column_sums,
    "unweighted sum subtracted": lambda w: w[0] * (w[1] - w[1].sum(axis=1, keepdims=True)),
    "mean subtracted": lambda w: w[0] * (w[1] - w[1].mean(axis=1, keepdims=True)),
    "sum added": lambda w: w[0] * (w[1] + (w[0] * w[1]).sum(axis=1, keepdims=True)),
    "sum over the whole matrix": lambda w: w[0] * (w[1] - (w[0] * w[1]).sum()),
    "outer weight forgotten": lambda w: w[1] - (w[0] * w[1]).sum(axis=1, keepdims=True),
    "sign of the softmax's gradient": lambda w: -through_softmax(w[0], w[1]),
}
D_SCALE: dict[str, Wrong] = {
    "scale forgotten in the gradient": lambda w: w[0],
    "gradient multiplied by the root": lambda w: w[0] * w.info["divisor"],
    "gradient divided by d_k": lambda w: w[0] / w.info["d_k"],
    "gradient scaled twice": lambda w: w[0] / w.info["divisor"] ** 2,
}
D_VALUES: dict[str, Wrong] = {
    "weights not transposed in the gradient": lambda w: w[0] @ w[1],
    "gradient of the context for the values": lambda w: w[1],
    "gradient of the weights for the weights": lambda w: w.env["d_weights"].T @ w[1],
    "scores' gradient for the weights": lambda w: w.env["d_scores"].T @ w[1],
    "sign of the values' gradient": lambda w: -w[0].T @ w[1],
}
D_KEYS: dict[str, Wrong] = {
    "scores' gradient not transposed": lambda w: w[0] @ w[1],
    "keys for queries": lambda w: w[0].T @ w.env["keys"],
    "unscaled on the way to the keys": lambda w: w.env["d_scaled"].T @ w[1],
    "weights for the scores' gradient": lambda w: w.env["weights"].T @ w[1],
    "weights' gradient for the scores'": lambda w: w.env["d_weights"].T @ w[1],
    "the gradient of the queries": lambda w: w[0] @ w.env["keys"],
}
D_QUERIES: dict[str, Wrong] = {
    "scores' gradient transposed": lambda w: w[0].T @ w[1],
    "queries for keys": lambda w: w[0] @ w.env["queries"],
    "unscaled on the way to the queries": lambda w: w.env["d_scaled"] @ w[1],
    "weights for the scores' gradient": lambda w: w.env["weights"] @ w[1],
    "weights' gradient for the scores'": lambda w: w.env["d_weights"] @ w[1],
    "the gradient of the keys": lambda w: w[0].T @ w.env["queries"],
}
