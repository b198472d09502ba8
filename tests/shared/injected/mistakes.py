"""Every mistake that can be made on a problem: in a step, in reading what is given, in the arithmetic of one cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

import numpy as np
from shared.injected import in_attention, in_gradients, in_sheets, in_weights
from shared.injected.program import After, Array, Impossible, Problem, Values, Work, Wrong, unrounded

BY_OP: dict[str, Mapping[str, Wrong]] = {
    "project": in_attention.PROJECT,
    "scores": in_attention.SCORES,
    "scale": in_attention.SCALE,
    "mask": in_attention.MASK,
    "softmax": in_weights.SOFTMAX,
    "mix": in_weights.MIX,
    "concat": in_weights.CONCAT,
    "split": in_weights.SPLIT,
    "turned": in_sheets.TURNED,
    "spread": in_sheets.SPREAD,
    "pair": in_sheets.PAIR,
    "tanh": in_sheets.TANH,
    "read": in_sheets.READ,
    "join": in_sheets.JOIN,
    "relu": in_sheets.RELU,
    "residual": in_sheets.RESIDUAL,
    "norm": in_sheets.NORM,
    "loss": in_sheets.LOSS,
    "rotary": in_sheets.ROTARY,
    "sinusoidal": in_sheets.SINUSOIDAL,
    "loss-gradient": in_gradients.LOSS_GRADIENT,
    "bias-gradient": in_gradients.BIAS_GRADIENT,
    "weight-gradient": in_gradients.WEIGHT_GRADIENT,
    "d-weights": in_gradients.D_WEIGHTS,
    "d-softmax": in_gradients.D_SOFTMAX,
    "d-scale": in_gradients.D_SCALE,
    "d-values": in_gradients.D_VALUES,
    "d-keys": in_gradients.D_KEYS,
    "d-queries": in_gradients.D_QUERIES,
}
FACTORS: dict[str, Callable[[Work], tuple[Array, Array]]] = {
    "project": lambda w: (w[0], w[1]),
    "scores": lambda w: (w[0], w[1].T),
    "mix": lambda w: (w[0], w[1]),
    "turned": lambda w: (w[0], w[1].T),
    "d-weights": lambda w: (w[0], w[1].T),
    "d-values": lambda w: (w[0].T, w[1]),
    "d-keys": lambda w: (w[0].T, w[1]),
    "d-queries": lambda w: (w[0], w[1]),
    "weight-gradient": lambda w: (w[0].T, w[1]),
}
"""Steps whose cells are sums of products."""


@dataclass(frozen=True)
class Injected:
    """A mistake in a problem, and what a student who makes it arrives at."""

    id: str
    family: str
    at: str
    solve: Callable[[After], Values]
    cell: tuple[int, int] | None = None


def injected(problem: Problem, chance: Random) -> Iterator[Injected]:
    """Every mistake that can be made here and shows somewhere, in no particular order."""
    true = problem.solve()
    found = [*_in_steps(problem), *_exchanged(problem), *_misread(problem, chance), *_slips(problem, true, chance)]
    chance.shuffle(found)
    for one in found:
        if _shows(problem, one, true):
            yield one


def _shows(problem: Problem, one: Injected, true: Values) -> bool:
    try:
        with np.errstate(all="ignore"):
            made = one.solve(unrounded)
    except (Impossible, ValueError, IndexError, KeyError):
        return False
    differs = False
    for name in problem.names:
        found, right = made[name], true[name]
        if found.shape != right.shape or np.any(np.isnan(found)) or np.any(np.isposinf(found)):
            return False
        if problem.step(name).op != "mask" and np.any(np.isneginf(found)):
            return False
        kept = np.abs(found[np.isfinite(found)])
        if kept.size and kept.max() > 1e5:
            return False
        differs = differs or not np.allclose(found, right, atol=1e-7)
    return differs


def _in_steps(problem: Problem) -> Iterator[Injected]:
    """One step done wrongly, in all heads alike."""
    for step in problem.steps:
        alike = problem.alike(step)
        if step != alike[0]:
            continue
        for id, wrong in BY_OP.get(step.op, {}).items():
            made = {other.name: wrong for other in alike}
            yield Injected(f"{step.op}: {id}", step.op, step.id, partial(_solve, problem, made))


def _solve(problem: Problem, wrong: Mapping[str, Wrong], after: After) -> Values:
    return problem.solve(wrong, after=after)


def _exchanged(problem: Problem) -> Iterator[Injected]:
    """Two matrices, biases or sequences that were taken for each other throughout."""
    for one, other in (("W_Q", "W_K"), ("W_K", "W_V"), ("W_Q", "W_V"), ("W_1", "W_2"), ("b_1", "b_2"), ("b_Q", "b_K"),
                       ("b_K", "b_V"), ("inputs", "memory"), ("queries", "keys"), ("keys", "values"), ("Q", "K"),
                       ("keys_in", "values_in"), ("queries_in", "keys_in"), ("g", "c")):  # fmt: skip
        heads = ["", "@1", "@2"]
        pairs = [(one + head, other + head) for head in heads if {one + head, other + head} <= {*problem.given}]
        if pairs:
            given = dict(problem.given)
            for left, right in pairs:
                given[left], given[right] = problem.given[right], problem.given[left]
            yield Injected(f"exchanged: {one} and {other}", "exchanged", one, partial(_given, problem, given))
    if "W_Q@1" in problem.given:
        for letter in ("W_Q", "W_K", "W_V"):
            given = dict(problem.given)
            given[f"{letter}@1"], given[f"{letter}@2"] = given[f"{letter}@2"], given[f"{letter}@1"]
            yield Injected(f"exchanged: {letter} of the heads", "exchanged", letter, partial(_given, problem, given))
    if problem.kind == "seq2seq" and problem.given["states"].shape[1] == problem.given["state"].shape[1]:
        given = dict(problem.given)
        given["state"] = np.tile(given["states"][-1], (len(given["state"]), 1))
        last = partial(_given, problem, given)
        yield Injected("exchanged: last encoder state for the decoder's", "exchanged", "state", last)


def _given(problem: Problem, given: Values, after: After) -> Values:
    return problem.solve(given=given, after=after)


# ── misreading ────────────────────────────────────────────────────────────────────────────────────


def _misread(problem: Problem, chance: Random) -> Iterator[Injected]:
    """A number that was read wrongly from the sheet, and used so everywhere."""
    for id in ("sign", "digit", "neighbour", "digits exchanged", "decimal point", "rows exchanged", "read as zero"):
        name = chance.choice([*problem.given])
        matrix = problem.given[name].copy()
        rows = np.atleast_2d(matrix)
        i, j = chance.randrange(rows.shape[0]), chance.randrange(rows.shape[1])
        x = float(rows[i, j])
        if id == "rows exchanged":
            if len(rows) < 2:
                continue
            other = (i + 1) % len(rows)
            rows[[i, other]] = rows[[other, i]]
        else:
            rows[i, j] = _otherwise(id, x, rows, i, j, chance)
        given = problem.given | {name: rows.reshape(matrix.shape)}
        yield Injected(f"misread: {id}", "misread", name, partial(_given, problem, given), (i, j))


def _otherwise(id: str, x: float, rows: Array, i: int, j: int, chance: Random) -> float:
    if id == "sign":
        return -x
    if id == "neighbour":
        return float(rows[i, (j + 1) % rows.shape[1]] if chance.random() < 0.5 else rows[(i + 1) % rows.shape[0], j])
    if id == "decimal point":
        return x * 10 if x != int(x) or chance.random() < 0.5 else x / 10
    if id == "digits exchanged":
        return _exchanged_digits(x)
    if id == "read as zero":
        return 0.0
    return x + chance.choice((-1, 1)) * (1 if x == int(x) else 0.1)


def _exchanged_digits(x: float) -> float:
    text = f"{abs(x):.10g}"
    places = [k for k, character in enumerate(text) if character.isdigit()]
    if len(places) < 2:
        return x
    characters = list(text)
    a, b = places[0], places[1]
    characters[a], characters[b] = characters[b], characters[a]
    return float("".join(characters)) * (-1 if x < 0 else 1)


# ── slips ─────────────────────────────────────────────────────────────────────────────────────────


def _slips(problem: Problem, true: Values, chance: Random) -> Iterator[Injected]:
    """One cell got wrong, and carried forward."""
    products = ("product left out", "product doubled", "product's sign", "product added up", "another row's number")
    for id in ("sign", "digit", "one off", "digits exchanged", "decimal point", "copied from its neighbour", *products):
        steps = [step for step in problem.steps if step.op not in ("mask", "split", "concat", "pair", "join")]
        if id in products:
            steps = [step for step in steps if step.op in FACTORS]
        if not steps:
            continue
        step = chance.choice(steps)
        value = true[step.name]
        cell = chance.randrange(value.shape[0]), chance.randrange(value.shape[1])
        which = chance.randrange(10**6)
        slip = partial(_slip, id, cell, which)
        yield Injected(f"slip: {id}", "slip", step.name, partial(_solve, problem, {step.name: slip}), cell)


def _slip(id: str, cell: tuple[int, int], which: int, w: Work) -> Array | None:
    value = np.array(w.right, dtype=float)
    i, j = cell
    chance = Random(which)
    if w.step.op in FACTORS:
        left, right = FACTORS[w.step.op](w)
        k = chance.randrange(left.shape[1])
        a, b = float(left[i, k]), float(right[k, j])
        moved = {
            "product left out": -a * b,
            "product doubled": a * b,
            "product's sign": -2 * a * b,
            "product added up": a + b - a * b,
            "another row's number": (float(left[(i + 1) % len(left), k]) - a) * b,
        }
        if id in moved:
            value[i, j] += moved[id]
            return value
    x = float(value[i, j])
    if id == "copied from its neighbour":
        value[i, j] = value[i, (j + 1) % value.shape[1]]
    elif id == "sign":
        value[i, j] = -x
    elif id == "decimal point":
        value[i, j] = x * 10 if chance.random() < 0.5 else x / 10
    elif id == "digits exchanged":
        value[i, j] = _exchanged_digits(round(x, 4))
    elif id == "one off":
        value[i, j] = x + chance.choice((-1, 1))
    else:
        value[i, j] = _other_digit(x, chance)
    return value


def _other_digit(x: float, chance: Random) -> float:
    """One of the first digits is another."""
    text = f"{abs(x):.4f}".rstrip("0").rstrip(".")
    places = [k for k, character in enumerate(text) if character.isdigit()][:3]
    k = chance.choice(places)
    digit = chance.choice([d for d in "0123456789" if d != text[k]])
    return float(text[:k] + digit + text[k + 1 :]) * (-1 if x < 0 else 1)


# ── which are made how often ──────────────────────────────────────────────────────────────────────

RARE = frozenset(
    line.strip()
    for line in """
    concat: heads column by column
    bias-gradient: product of the tokens
    d-weights: context times its gradient
    join: context and state in turns
    join: first encoder state joined
    mask: mask in the first row only
    mask: minus one for what is hidden
    mix: values in reverse order
    mix: divided once more by the number of tokens
    norm: scaled to unit range
    norm: mean of the first token for all
    project: weights themselves
    project: inputs transposed
    read: tanh of the score
    relu: gelu for relu
    relu: relu keeps the largest only
    relu: relu over sums of tokens
    residual: residual by token backwards
    rotary: all turned like the second token
    scale: divisor subtracted
    scale: divided by d_k squared
    scale: root taken of the scores too
    scores: keys with values
    sinusoidal: multiplied by the frequency's inverse
    softmax: divided by the length
    softmax: largest subtracted after the exponential
    spread: state alone
    tanh: tanh of the absolute value
    weight-gradient: gradient of the bias in every row
    weight-gradient: inputs added up first
    """.strip().splitlines()
)
FAMILIES = {"slip": 3, "misread": 3, "exchanged": 2}


def chosen(pool: Sequence[Injected], chance: Random, count: int) -> list[Injected]:
    """Some mistakes: the sort of each is drawn first, or slips would be lost among all the others."""
    found: dict[str, list[Injected]] = {}
    for one in pool:
        if one.id not in RARE or chance.random() < 0.2:
            found.setdefault(one.family, []).append(one)
    drawn: list[Injected] = []
    while found and len(drawn) < count:
        (family,) = chance.choices(list(found), [FAMILIES.get(family, 4) for family in found])
        drawn.append(found[family].pop())
        if not found[family]:
            del found[family]
    return drawn
