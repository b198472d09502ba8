"""What students do wrong with an encoder and a decoder, and on sheets with formulas."""

from __future__ import annotations

import numpy as np
from shared.injected import program as p
from shared.injected import sheets
from shared.injected.program import Array, Work, Wrong


def other_step(w: Work) -> int | None:
    return None if len(w[1]) < 2 else w.step.info["at"] % len(w[1])


def spread_of(w: Work, state: Array) -> Array:
    return w[0] + state


TURNED: dict[str, Wrong] = {
    "matrix not transposed": lambda w: w[0] @ w[1],
    "not turned at all": lambda w: w[0],
    "matrix of the other side": lambda w: w[0] @ w.env[w.info["other"]].T if "other" in w.info else None,
    "last product of each sum left out": lambda w: w[0][:, :-1] @ w[1].T[:-1],
    "halves of the vector exchanged": lambda w: np.roll(w[0], w[0].shape[1] // 2, axis=1) @ w[1].T,
}
SPREAD: dict[str, Wrong] = {
    "state left out of the sum": lambda w: w[0],
    "state subtracted": lambda w: w[0] - w[1][w.info["at"] - 1],
    "state of another step": lambda w: None if (at := other_step(w)) is None else spread_of(w, w[1][at]),
    "multiplied instead of added": lambda w: w[0] * w[1][w.info["at"] - 1],
    "state alone": lambda w: np.tile(w[1][w.info["at"] - 1], (len(w[0]), 1)),
}
PAIR: dict[str, Wrong] = {
    "pairs the other way round": lambda w: np.hstack([np.tile(w[1][w.info["at"] - 1], (len(w[0]), 1)), w[0]]),
    "pairs with another step": lambda w: (
        None if (at := other_step(w)) is None else np.hstack([w[0], np.tile(w[1][at], (len(w[0]), 1))])
    ),
    "state paired with itself": lambda w: np.tile(w[1][w.info["at"] - 1], (len(w[0]), 2)),
}
TANH: dict[str, Wrong] = {
    "tanh forgotten": lambda w: w[0],
    "sigmoid for tanh": lambda w: 1 / (1 + np.exp(-w[0])),
    "relu for tanh": lambda w: np.maximum(w[0], 0),
    "tan for tanh": lambda w: np.tan(w[0]),
    "tanh of half": lambda w: np.tanh(w[0] / 2),
    "tanh twice": lambda w: np.tanh(np.tanh(w[0])),
    "tanh of the absolute value": lambda w: np.tanh(np.abs(w[0])),
}


def read_by(w: Work, v: Array) -> Array:
    return np.vstack([(w[place] @ v)[None, :] for place in range(len(w.step.ins) - 1)])


def last(w: Work) -> Array:
    return w.env[w.step.ins[-1]][0]


READ: dict[str, Wrong] = {
    "v left out": lambda w: read_by(w, np.ones(len(last(w)))),
    "mean instead of v": lambda w: read_by(w, np.ones(len(last(w))) / len(last(w))),
    "v in reverse order": lambda w: read_by(w, last(w)[::-1]),
    "last product with v left out": lambda w: read_by(w, np.append(last(w)[:-1], 0)),
    "tanh of the score": lambda w: np.tanh(w.right),
}
JOIN: dict[str, Wrong] = {
    "state before context": lambda w: np.hstack([w[1], w[0]]),
    "state of another step joined": lambda w: np.hstack([w[0], np.roll(w[1], 1, axis=0)]),
    "context twice": lambda w: np.hstack([w[0], w[0]]),
    "state twice": lambda w: np.hstack([w[1], w[1]]),
    "context and state in turns": lambda w: np.stack([w[0], w[1]], axis=2).reshape(len(w[0]), -1),
    "first encoder state joined": lambda w: np.hstack([w[0], np.tile(w.env["states"][-1], (len(w[0]), 1))]),
}
RELU: dict[str, Wrong] = {
    "relu forgotten": lambda w: w[0],
    "absolute values for relu": lambda w: np.abs(w[0]),
    "the negative kept": lambda w: np.minimum(w[0], 0),
    "relu of the negated": lambda w: np.maximum(-w[0], 0),
    "leaky relu": lambda w: np.where(w[0] > 0, w[0], 0.01 * w[0]),
    "ones for the positive": lambda w: (w[0] > 0).astype(float),
    "sigmoid for relu": lambda w: 1 / (1 + np.exp(-w[0])),
    "tanh for relu": lambda w: np.tanh(w[0]),
    "relu over sums of tokens": lambda w: w[0] * (w[0].sum(axis=1, keepdims=True) > 0),
    "relu keeps the largest only": lambda w: np.where(w[0] == w[0].max(axis=1, keepdims=True), w[0], 0),
    "gelu for relu": lambda w: w[0] / (1 + np.exp(-1.702 * w[0])),
}
RESIDUAL: dict[str, Wrong] = {
    "residual forgotten": lambda w: w[1],
    "only the residual": lambda w: w[0],
    "residual subtracted": lambda w: w[1] - w[0],
    "subtracted from the residual": lambda w: w[0] - w[1],
    "residual twice": lambda w: 2 * w[0] + w[1],
    "residual multiplied": lambda w: w[0] * w[1],
    "residual averaged": lambda w: (w[0] + w[1]) / 2,
    "result doubled": lambda w: 2 * w[1],
    "residual by token backwards": lambda w: w[0][::-1] + w[1],
    "hidden layer as residual": lambda w: w.env[w.info["hidden"]] + w[1],
}


def scaled_and_moved(w: Work, x: Array) -> Array:
    return x * w[1] + w[2] if len(w.step.ins) > 2 else x


def centred(x: Array, axis: int | None = 1) -> Array:
    return x - x.mean(axis=axis, keepdims=True)


def normed(w: Work, by: Array) -> Array:
    return scaled_and_moved(w, centred(w[0]) / by)


def variance(w: Work, ddof: int = 0) -> Array:
    return w[0].var(axis=1, ddof=ddof, keepdims=True)


def with_affine(w: Work, gamma: float, beta: float) -> Array | None:
    return None if len(w.step.ins) < 3 else p.layernorm(w[0], w[1] ** gamma, w[2] * beta, w.info["eps"])


NORM: dict[str, Wrong] = {
    "variance by n-1": lambda w: normed(w, np.sqrt(variance(w, 1) + w.info["eps"])),
    "divided by the variance": lambda w: normed(w, variance(w) + w.info["eps"]),
    "eps outside the root": lambda w: normed(w, np.sqrt(variance(w)) + w.info["eps"]) if w.info["eps"] else None,
    "eps forgotten": lambda w: normed(w, np.sqrt(variance(w))) if w.info["eps"] else None,
    "norm down the columns": lambda w: scaled_and_moved(w, p.layernorm(w[0], eps=w.info["eps"], axis=0)),
    "norm over the whole matrix": lambda w: scaled_and_moved(w, p.layernorm(w[0], eps=w.info["eps"], axis=None)),
    "mean not subtracted": lambda w: scaled_and_moved(w, w[0] / np.sqrt(variance(w) + w.info["eps"])),
    "only the mean subtracted": lambda w: scaled_and_moved(w, centred(w[0])),
    "root of the mean square": lambda w: scaled_and_moved(
        w, w[0] / np.sqrt((w[0] ** 2).mean(axis=1, keepdims=True) + w.info["eps"])
    ),
    "multiplied by the deviation": lambda w: scaled_and_moved(w, centred(w[0]) * np.sqrt(variance(w) + w.info["eps"])),
    "mean absolute deviation": lambda w: normed(w, np.abs(centred(w[0])).mean(axis=1, keepdims=True)),
    "squares not averaged": lambda w: normed(
        w, np.sqrt((centred(w[0]) ** 2).sum(axis=1, keepdims=True) + w.info["eps"])
    ),
    "gain and shift exchanged": lambda w: None if len(w.step.ins) < 3 else p.layernorm(w[0], w[2], w[1], w.info["eps"]),
    "gain forgotten": lambda w: with_affine(w, 0, 1),
    "shift forgotten": lambda w: with_affine(w, 1, 0),
    "gain and shift forgotten": lambda w: with_affine(w, 0, 0),
    "shifted before the gain": lambda w: (
        None if len(w.step.ins) < 3 else (p.layernorm(w[0], eps=w.info["eps"]) + w[2]) * w[1]
    ),
    "mean of the first token for all": lambda w: scaled_and_moved(
        w, (w[0] - w[0][0].mean()) / np.sqrt(variance(w) + w.info["eps"])
    ),
    "scaled to unit range": lambda w: scaled_and_moved(
        w, (w[0] - w[0].min(axis=1, keepdims=True)) / np.ptp(w[0], axis=1, keepdims=True)
    ),
}


def picked(w: Work, move: int = 0) -> Array:
    classes = w[0].shape[1]
    return w[0][np.arange(len(w[0])), [(place - 1 + move) % classes for place in w.info["wanted"]]]


def number(x: float) -> Array:
    return np.array([[x]])


LOSS: dict[str, Wrong] = {
    "logarithm to base ten": lambda w: number(-np.log10(picked(w)).mean()),
    "logarithm to base two": lambda w: number(-np.log2(picked(w)).mean()),
    "sum instead of mean": lambda w: number(-np.log(picked(w)).sum()),
    "sign of the loss": lambda w: number(np.log(picked(w)).mean()),
    "class counted from zero": lambda w: number(-np.log(picked(w, 1)).mean()),
    "class before": lambda w: number(-np.log(picked(w, -1)).mean()),
    "logarithm forgotten": lambda w: number(picked(w).mean()),
    "one minus the probability": lambda w: number((1 - picked(w)).mean()),
    "logarithm of one minus": lambda w: number(-np.log(1 - picked(w)).mean()),
    "logarithm of the mean": lambda w: number(-np.log(picked(w).mean())),
    "loss of the first token alone": lambda w: number(-np.log(picked(w)[0])),
    "loss of the last token alone": lambda w: number(-np.log(picked(w)[-1])),
    "entropy": lambda w: number(-(w[0] * np.log(w[0])).sum(axis=1).mean()),
    "weighted by the probability": lambda w: number(-(picked(w) * np.log(picked(w))).mean()),
    "most likely class taken": lambda w: number(-np.log(w[0].max(axis=1)).mean()),
    "all logarithms added up": lambda w: number(-np.log(w[0]).sum(axis=1).mean()),
    "divided by the number of classes": lambda w: number(-np.log(picked(w)).sum() / w[0].shape[1]),
    "squared error": lambda w: number(((1 - picked(w)) ** 2).mean()),
}


def turned_with(w: Work, base: float | None = None, start: int | None = None, sign: float = 1) -> Array:
    base, start = base or w.info["base"], w.info["start"] if start is None else start
    n, d = w[0].shape
    angles = (np.arange(n) + start)[:, None] / np.power(float(base), np.arange(0, d, 2) / d)
    return sheets.turned_by(sign * angles, w[0])


def turned_in_halves(w: Work) -> Array:
    n, d = w[0].shape
    angles = (np.arange(n) + w.info["start"])[:, None] / np.power(float(w.info["base"]), np.arange(0, d, 2) / d)
    a, b = w[0][:, : d // 2], w[0][:, d // 2 :]
    return np.hstack([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)])


def angles_of(w: Work) -> Array:
    n, d = w[0].shape
    return (np.arange(n) + w.info["start"])[:, None] / np.power(float(w.info["base"]), np.arange(0, d, 2) / d)


def frequency_by_index(w: Work) -> Array:
    n, d = w[0].shape
    return sheets.turned_by(
        (np.arange(n) + w.info["start"])[:, None] / np.power(float(w.info["base"]), np.arange(d // 2) / d), w[0]
    )


ROTARY: dict[str, Wrong] = {
    "turned the other way": lambda w: turned_with(w, sign=-1),
    "positions counted from elsewhere": lambda w: turned_with(w, start=1 - w.info["start"]),
    "base of ten thousand all the same": lambda w: turned_with(w, base=10000.0),
    "halves for neighbours": turned_in_halves,
    "one frequency for all pairs": lambda w: sheets.turned_by(
        np.tile(angles_of(w)[:, :1], (1, w[0].shape[1] // 2)), w[0]
    ),
    "degrees for radians": lambda w: sheets.turned_by(np.radians(angles_of(w)), w[0]),
    "sine and cosine exchanged": lambda w: sheets.turned_by(np.pi / 2 - angles_of(w), w[0]),
    "all turned like the second token": lambda w: sheets.turned_by(np.tile(angles_of(w)[1:2], (len(w[0]), 1)), w[0]),
    "not turned": lambda w: w[0],
    "frequencies by half the index": frequency_by_index,
    "cosine alone": lambda w: w[0] * np.repeat(np.cos(angles_of(w)), 2, axis=1),
}


def waved(w: Work, base: float | None = None, start: int | None = None) -> Array:
    info = w.info
    return sheets.waves(info["n"], info["d"], base or info["base"], info["start"] if start is None else start)


def waves_of(w: Work, powers: Array, degrees: bool = False) -> Array:
    angles = (np.arange(w.info["n"]) + w.info["start"])[:, None] / np.power(float(w.info["base"]), powers)
    angles = np.radians(angles) if degrees else angles
    return np.where(np.arange(w.info["d"]) % 2 == 0, np.sin(angles), np.cos(angles))


def pairs_of(w: Work) -> Array:
    return np.arange(w.info["d"]) // 2 * 2 / w.info["d"]


SINUSOIDAL: dict[str, Wrong] = {
    "sine and cosine exchanged": lambda w: waved(w).reshape(w.info["n"], -1, 2)[:, :, ::-1].reshape(w.info["n"], -1),
    "positions counted from elsewhere": lambda w: waved(w, start=1 - w.info["start"]),
    "base of ten thousand all the same": lambda w: waved(w, base=10000.0),
    "sines first, then cosines": lambda w: np.hstack([waved(w)[:, 0::2], waved(w)[:, 1::2]]),
    "sine everywhere": lambda w: np.repeat(waved(w)[:, 0::2], 2, axis=1),
    "every column its own frequency": lambda w: waves_of(w, np.arange(w.info["d"]) / w.info["d"]),
    "exponent twice as large": lambda w: waves_of(w, 2 * pairs_of(w)),
    "exponent half as large": lambda w: waves_of(w, pairs_of(w) / 2),
    "degrees for radians": lambda w: waves_of(w, pairs_of(w), degrees=True),
    "one frequency for all pairs": lambda w: waves_of(w, 0 * pairs_of(w)),
    "multiplied by the frequency's inverse": lambda w: waves_of(w, -pairs_of(w)),
}
