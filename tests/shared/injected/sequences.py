"""Random problems of an encoder and a decoder."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import numpy as np
from shared.injected import program as p
from shared.injected.program import Array, Problem, Step, Values

SCORES = ("dot", "scaled-dot", "general", "additive", "concat")


def seq2seq(chance: Random) -> Problem:
    """Any seq2seq problem whose weights are not nearly all 0 and 1."""
    while True:
        problem = _drawn(chance)
        with np.errstate(all="ignore"):
            weights = problem.solve()["weights"]
        if np.all(np.isfinite(weights)) and weights.max(axis=1).mean() < 0.98:
            return problem


def _drawn(chance: Random) -> Problem:
    score, numbers = chance.choice(SCORES), chance.choice(p.STYLES)
    n, d, steps = chance.randint(2, 4), chance.randint(2, 3), chance.choice((1, 1, 2, 3))
    d_s = d if score in ("dot", "scaled-dot") or chance.random() < 0.6 else chance.randint(2, 3)
    hidden = chance.randint(2, 3)
    draw = partial(p.matrix, chance, numbers=numbers)
    given: Values = {"states": draw(n, d), "state": draw(steps, d_s)}
    weights: dict[str, Any] = {}
    made: list[Step] = []

    def add(id: str, op: str, ins: tuple[str, ...], do: Any, head: int | None = None, **info: Any) -> None:
        made.append(Step(id, op, ins, do, head if steps > 1 else None, "decoder step", info))

    if score == "general":
        weights["W"] = draw(d_s, d)
        add("projected", "turned", ("states", "W"), p.product_with_transposed)
        add("scores", "scores", ("state", "projected"), p.product_with_transposed, values="states")
    elif score in ("dot", "scaled-dot"):
        add("scores", "scores", ("state", "states"), p.product_with_transposed, values="states")
    else:
        _hidden(score, steps, hidden, d, d_s, draw, weights, add)
    info: dict[str, Any] = {"d_k": d, "root": True, "divisor": np.sqrt(d), "scores": "scores", "values": "states"}
    info |= {"queries": "state", "keys": "projected" if score == "general" else "states", "d_model": d}
    last = "scores"
    if score == "scaled-dot":
        add("scaled", "scale", ("scores",), partial(_divided, np.sqrt(d)), **info)
        last = "scaled"
    info |= {"unmasked": last, "base": np.e, "share": False, "before": last}
    keys: dict[str, Any] = {}
    if chance.random() < 0.12:
        info["base"], keys["softmax"] = 2.0, {"base": 2}
    add("weights", "softmax", (last,), partial(p.softmax, base=info["base"]), **info)
    add("context", "mix", ("weights", "states"), p.product, **info)
    add("joined", "join", ("context", "state"), lambda c, s: np.hstack([c, s]))
    if chance.random() < 0.3:
        weights["W_c"] = draw(chance.randint(2, 3), d + d_s)
        add("mixed", "turned", ("joined", "W_c"), p.product_with_transposed)
        add("attentional", "tanh", ("mixed",), np.tanh)
    given |= {name: np.atleast_2d(value) for name, value in weights.items()}
    keys |= {"states": given["states"], "state": given["state"] if steps > 1 else given["state"][0]}
    keys |= {"score": score} | ({"weights": weights} if weights else {})
    text = "kind: seq2seq\n" + "".join(f"{name}: {p.yaml(value)}\n" for name, value in keys.items())
    return Problem("seq2seq", text, given, tuple(made), final=(made[-1].name,))


def _hidden(score: str, steps: int, width: int, d: int, d_s: int, draw: Any, weights: dict[str, Any], add: Any) -> None:
    """The scores that have a hidden layer."""
    heads = range(1, steps + 1)
    prefix = {head: f"decoder step {head}: " if steps > 1 else "" for head in heads}
    if score == "additive":
        weights |= {"W_1": draw(width, d), "W_2": draw(width, d_s)}
        add("projected", "turned", ("states", "W_1"), p.product_with_transposed, other="W_2")
        add("projected_state", "turned", ("state", "W_2"), p.product_with_transposed, other="W_1")
    else:
        weights["W"] = draw(width, d + d_s)
    weights["v"] = draw(1, width)[0]
    for head in heads:
        if score == "additive":
            add("summed", "spread", ("projected", "projected_state"), partial(_spread, head), head, at=head)
            before = f"{prefix[head]}summed"
        else:
            add("pairs", "pair", ("states", "state"), partial(_paired, head), head, at=head)
            add("projected", "turned", (f"{prefix[head]}pairs", "W"), p.product_with_transposed, head)
            before = f"{prefix[head]}projected"
        add("hidden", "tanh", (before,), np.tanh, head)
    names = tuple(f"{prefix[head]}hidden" for head in heads)
    add("scores", "read", (*names, "v"), _read)


def _spread(head: int, projected: Array, state: Array) -> Array:
    return projected + state[head - 1]


def _paired(head: int, states: Array, state: Array) -> Array:
    return np.hstack([states, np.tile(state[head - 1], (len(states), 1))])


def _read(*parts: Array) -> Array:
    *hidden, v = parts
    return np.vstack([(u @ v[0])[None, :] for u in hidden])


def _divided(divisor: float, s: Array) -> Array:
    return s / divisor
