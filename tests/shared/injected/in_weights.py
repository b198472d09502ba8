"""What students do wrong with weights: softmax, the context, heads."""

from __future__ import annotations

import numpy as np
from shared.injected import program as p
from shared.injected.program import Array, Work, Wrong


def soft(w: Work, s: Array | None, axis: int | None = -1) -> Array | None:
    return None if s is None else p.softmax(s, w.info["base"], w.info["share"], axis)


def raised(w: Work) -> Array:
    return w[0] if w.info["share"] else p.exponentials(w[0], w.info["base"])


def is_exponential(w: Work) -> bool:
    return not w.info["share"]


def finite(s: Array) -> Array:
    return np.where(np.isinf(s), 0, s)


def by_sum_of_row(w: Work, row: int) -> Array | None:
    e = raised(w)
    return e / e[row].sum() if len(e) > 1 else None


def sum_without(w: Work, place: int) -> Array | None:
    e = raised(w)
    return e / (e.sum(axis=1) - e[:, place])[:, None] if e.shape[1] > 1 else None


def sum_of_others(w: Work) -> Array | None:
    e = raised(w)
    return e / (e.sum(axis=1, keepdims=True) - e)


def hardest(s: Array) -> Array:
    return np.eye(s.shape[1])[s.argmax(axis=1)]


def one_row_by_columns(w: Work) -> Array | None:
    """The first row is right; the others are divided by the sum of the row before."""
    e = raised(w)
    sums = np.concatenate([e.sum(axis=1)[:1], e.sum(axis=1)[:-1]])
    return e / sums[:, None] if len(e) > 1 else None


def hidden_counted(w: Work) -> Array | None:
    allowed = w.info.get("allowed")
    if allowed is None or not is_exponential(w):
        return None
    e = raised(w)
    return e / (e.sum(axis=1) + (allowed == 0).sum(axis=1))[:, None]


def hidden_afterwards(w: Work) -> Array | None:
    allowed = w.info.get("allowed")
    if allowed is None:
        return None
    return p.softmax(w.env[w.info["unmasked"]], w.info["base"], w.info["share"]) * allowed


def scaled_though_not_asked(w: Work) -> Array | None:
    if w.info.get("divisor") != 1.0:
        return None
    return soft(w, w[0] / w.info["d_k"] ** 0.5)


def unscaled(w: Work) -> Array | None:
    scores = w.of("scores")
    if scores is None or w.info["scores"] == w.info.get("before", w.step.ins[0]):
        return None
    return soft(w, np.where(np.isinf(w[0]), -np.inf, scores))


def scaled_afterwards(w: Work) -> Array | None:
    weights = unscaled(w)
    return None if weights is None else weights / w.info["divisor"]


SOFTMAX: dict[str, Wrong] = {
    "softmax down the columns": lambda w: soft(w, w[0], 0),
    "softmax over the whole matrix": lambda w: soft(w, w[0], None),
    "softmax twice": lambda w: soft(w, w.right),
    "scores as weights": lambda w: finite(w[0]),
    "softmax of unscaled scores": unscaled,
    "softmax of unmasked scores": lambda w: soft(w, w.env[w.info["unmasked"]]) if "allowed" in w.info else None,
    "another base": lambda w: p.softmax(w[0], 2.0 if w.info["base"] == np.e else np.e) if is_exponential(w) else None,
    "base ten": lambda w: p.softmax(w[0], 10.0) if is_exponential(w) else None,
    "share instead of softmax": lambda w: p.softmax(w[0], share=True) if is_exponential(w) else None,
    "softmax instead of share": lambda w: p.softmax(w[0]) if w.info["share"] else None,
    "exponentials not normalised": lambda w: raised(w) if is_exponential(w) else None,
    "all by the sum of the first row": lambda w: by_sum_of_row(w, 0),
    "all by the sum of the last row": lambda w: by_sum_of_row(w, -1),
    "each by the sum of the row before": one_row_by_columns,
    "sum without its last term": lambda w: sum_without(w, -1),
    "sum without its first term": lambda w: sum_without(w, 0),
    "sum of the others": sum_of_others,
    "all weight on the largest": lambda w: hardest(w[0]),
    "scores negated in the softmax": lambda w: soft(w, np.where(np.isinf(w[0]), w[0], -w[0])),
    "equal weights": lambda w: np.full(w[0].shape, 1 / w[0].shape[1]),
    "logarithms of the weights": lambda w: np.log(w.right) if np.all(w.right > 0) else None,
    "squares instead of exponentials": lambda w: p.softmax(finite(w[0]) ** 2, share=True),
    "e times instead of e to the": lambda w: p.softmax(finite(w[0]) * np.e, share=True) if is_exponential(w) else None,
    "absolute values shared": lambda w: p.softmax(np.abs(finite(w[0])), share=True),
    "sigmoid instead of softmax": lambda w: 1 / (1 + np.exp(-w[0])),
    "divided by the largest": lambda w: raised(w) / raised(w).max(axis=1, keepdims=True),
    "divided by the length": lambda w: raised(w) / np.linalg.norm(raised(w), axis=1, keepdims=True),
    "divided by the number of tokens": lambda w: raised(w) / w[0].shape[1],
    "largest subtracted after the exponential": lambda w: (
        (e := raised(w) - raised(w).max(axis=1, keepdims=True)) / e.sum(axis=1, keepdims=True)
    ),
    "hidden keys counted as one": hidden_counted,
    "hidden afterwards": hidden_afterwards,
    "scaled though not asked": scaled_though_not_asked,
    "scaled after the softmax": scaled_afterwards,
    "weights transposed": lambda w: w.right.T,
}


def instead_of(w: Work, role: str) -> Array | None:
    matrix = w.of(role)
    return None if matrix is None else w[0] @ matrix


def unnormalised(w: Work) -> Array | None:
    before = w.of("before")
    return None if before is None or w.info["share"] else p.exponentials(before, w.info["base"]) @ w[1]


def with_scores(w: Work) -> Array | None:
    before = w.of("before")
    return None if before is None else finite(before) @ w[1]


MIX: dict[str, Wrong] = {
    "weights transposed for the context": lambda w: w[0].T @ w[1],
    "value of the strongest": lambda w: w[1][w[0].argmax(axis=1)],
    "strongest weight times its value": lambda w: w[0].max(axis=1)[:, None] * w[1][w[0].argmax(axis=1)],
    "mean of the values": lambda w: np.tile(w[1].mean(axis=0), (len(w[0]), 1)),
    "sum of the values": lambda w: np.tile(w[1].sum(axis=0), (len(w[0]), 1)),
    "values themselves": lambda w: w[1],
    "weights entry by entry with values": lambda w: w[0] * w[1],
    "own weight times own value": lambda w: np.diag(w[0])[:, None] * w[1] if w[0].shape[0] == w[0].shape[1] else None,
    "keys for values": lambda w: instead_of(w, "keys"),
    "queries for values": lambda w: instead_of(w, "queries"),
    "inputs for values": lambda w: w[0] @ w.env["inputs"] if "inputs" in w.env else None,
    "values times weights": lambda w: w[1] @ w[0],
    "values transposed": lambda w: w[0] @ w[1].T,
    "scores times values": with_scores,
    "exponentials times values": unnormalised,
    "weights of the first row for all": lambda w: np.tile(w[0][:1], (len(w[0]), 1)) @ w[1],
    "last value left out": lambda w: w[0][:, :-1] @ w[1][:-1],
    "divided once more by the number of tokens": lambda w: w.right / w[0].shape[1],
    "values in reverse order": lambda w: w[0] @ w[1][::-1],
    "inputs added to the context": lambda w: w.right + w.env["inputs"] if "inputs" in w.env else None,
}

CONCAT: dict[str, Wrong] = {
    "heads in reverse order": lambda w: np.hstack([w[1], w[0]]),
    "first head twice": lambda w: np.hstack([w[0], w[0]]),
    "last head twice": lambda w: np.hstack([w[1], w[1]]),
    "heads added up": lambda w: np.hstack([w[0] + w[1]] * 2),
    "heads averaged": lambda w: np.hstack([(w[0] + w[1]) / 2] * 2),
    "heads column by column": lambda w: np.stack([w[0], w[1]], axis=2).reshape(len(w[0]), -1),
}

SPLIT: dict[str, Wrong] = {
    "halves exchanged": lambda w: w[0][:, [2, 3, 0, 1]][:, (w.info["half"] - 1) * 2 :][:, :2],
    "every other column": lambda w: w[0][:, w.info["half"] - 1 :: 2],
    "first half for both heads": lambda w: w[0][:, :2],
    "columns of the half exchanged": lambda w: w.right[:, ::-1],
}
