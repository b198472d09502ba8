"""Random sheets with formulas of their own, and gradients."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import numpy as np
from shared.injected import program as p
from shared.injected.program import Array, Problem, Step, Values


class Sheet:
    """A sheet that is put together line by line."""

    def __init__(self, chance: Random) -> None:
        self.chance, self.numbers = chance, chance.choice(p.STYLES)
        self.given: Values = {}
        self.told: dict[str, Any] = {}
        self.formulas: dict[str, str] = {}
        self.steps: list[Step] = []

    def give(self, name: str, rows: int, columns: int, flat: bool = False) -> str:
        drawn = p.matrix(self.chance, rows, columns, self.numbers)
        self.given[name] = drawn[0] if flat else drawn
        self.told[name] = self.given[name]
        return name

    def line(self, name: str, text: str, op: str, ins: tuple[str, ...], do: Any, **info: Any) -> str:
        self.formulas[name] = text
        return self.step(name, op, ins, do, **info)

    def step(self, name: str, op: str, ins: tuple[str, ...], do: Any, **info: Any) -> str:
        self.steps.append(Step(name, op, ins, do, info=info))
        return name

    def problem(self, extra: str = "") -> Problem:
        lines = ["kind: formulas", f"given: {p.yaml(self.told)}", "formulas:"]
        lines += [f"  {name}: {text}" for name, text in self.formulas.items()]
        used = {name for step in self.steps for name in step.ins}
        final = tuple(step.name for step in self.steps if step.name not in used)
        return Problem("formulas", "\n".join(lines) + "\n" + extra, self.given, tuple(self.steps), final=final)


def block(chance: Random) -> Problem:
    """A feed-forward layer, what goes around it, and a layer norm."""
    sheet, n, d, wide = Sheet(chance), chance.randint(2, 3), chance.randint(2, 4), chance.randint(2, 4)
    x = sheet.give("X", n, d)
    sheet.give("W_1", d, wide)
    sheet.give("b_1", 1, wide, True)
    sheet.give("W_2", wide, d)
    sheet.give("b_2", 1, d, True)
    sheet.line("Z", "X*W_1 + b_1", "project", (x, "W_1", "b_1"), p.project, weight="W_1", bias="b_1", other_bias="b_2")
    sheet.line("H", "relu(Z)", "relu", ("Z",), lambda z: np.maximum(z, 0))
    sheet.line("F", "H*W_2 + b_2", "project", ("H", "W_2", "b_2"), p.project, weight="W_2", bias="b_2")
    last = "F"
    if chance.random() < 0.7:
        last = sheet.line("R", "X + F", "residual", (x, "F"), lambda a, b: a + b, hidden="H")
    if chance.random() < 0.6:
        _norm(sheet, last, d)
    return sheet.problem()


def norm(chance: Random) -> Problem:
    """A layer norm by itself."""
    while True:
        sheet, n, d = Sheet(chance), chance.randint(2, 3), chance.randint(2, 4)
        _norm(sheet, sheet.give("X", n, d), d)
        if np.all(sheet.given["X"].std(axis=1) > 0.2):
            return sheet.problem()


def _norm(sheet: Sheet, x: str, d: int) -> None:
    eps = sheet.chance.choice((0.0, 0.0, 0.01, 1.0, 0.5))
    said = f", eps={eps:g}" if eps else ""
    eps = eps or (0.01 if x != "X" else 0.0)
    said = f", eps={eps:g}" if eps else ""
    if sheet.chance.random() < 0.5:
        sheet.give("g", 1, d, True)
        sheet.give("c", 1, d, True)
        sheet.line("N", f"layernorm({x}, g, c{said})", "norm", (x, "g", "c"), partial(p.layernorm, eps=eps), eps=eps)
    else:
        sheet.line("N", f"layernorm({x}{said})", "norm", (x,), partial(p.layernorm, eps=eps), eps=eps)


def logits(chance: Random) -> Problem:
    """Logits, their softmax and the cross-entropy; perhaps the gradients of it."""
    sheet, n, d, classes = Sheet(chance), chance.randint(1, 3), chance.randint(2, 3), chance.randint(2, 4)
    while True:
        sheet.give("X", n, d)
        sheet.give("W", d, classes)
        sheet.give("b", 1, classes, True)
        z = sheet.given["X"] @ sheet.given["W"] + sheet.given["b"]
        if p.softmax(z).max() < 0.99:
            break
    wanted = [chance.randint(1, classes) for _ in range(n)]
    sheet.line("Z", "X*W + b", "project", ("X", "W", "b"), p.project, weight="W", bias="b")
    sheet.line("P", "softmax(Z)", "softmax", ("Z",), p.softmax, base=np.e, share=False, before="Z", scores="Z")
    sheet.line("L", f"crossentropy(P, {p.yaml(wanted)})", "loss", ("P",), partial(_loss, wanted), wanted=wanted)
    if chance.random() < 0.55:
        return sheet.problem()
    y = np.eye(classes)[[place - 1 for place in wanted]]
    sheet.step("d_Z", "loss-gradient", ("P",), lambda q: (q - y) / len(y), y=y, n=n)
    sheet.step("d_b", "bias-gradient", ("d_Z",), lambda g: g.sum(axis=0, keepdims=True))
    sheet.step("d_W", "weight-gradient", ("X", "d_Z"), lambda x, g: x.T @ g, n=n)
    return sheet.problem("gradient: {of: L, to: [W, b]}\n")


def _loss(wanted: list[int], q: Array) -> Array:
    picked = q[np.arange(len(wanted)), [place - 1 for place in wanted]]
    return -np.log(picked).mean().reshape(1, 1)


def positions(chance: Random) -> Problem:
    """Sinusoidal positions added to the inputs, and what comes of them."""
    sheet, n, d = Sheet(chance), chance.randint(2, 4), chance.choice((2, 4))
    base, start = chance.choice((10000, 100, 10)), chance.choice((0, 0, 1))
    sheet.give("X", n, d)
    info = {"n": n, "d": d, "base": base, "start": start}
    said = ("" if base == 10000 else f", base={base}") + (f", start={start}" if start else "")
    sheet.line("P", f"sinusoidal({n}, {d}{said})", "sinusoidal", (), lambda: waves(n, d, base, start), **info)
    sheet.line("E", "X + P", "residual", ("X", "P"), lambda a, b: a + b)
    if chance.random() < 0.5:
        sheet.give("W", d, chance.randint(2, 3))
        sheet.line("Q", "E*W", "project", ("E", "W"), p.project, weight="W", inputs="X")
    return sheet.problem()


def waves(n: int, d: int, base: float, start: int) -> Array:
    angles = (np.arange(n) + start)[:, None] / np.power(float(base), np.arange(0, d, 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(n, d)


def rotary(chance: Random) -> Problem:
    """Queries and keys that are turned, their scores and weights."""
    sheet, n, d = Sheet(chance), chance.randint(2, 3), chance.choice((2, 4))
    base, start = chance.choice((10000, 100, 10)), chance.choice((0, 0, 1))
    said = ("" if base == 10000 else f", base={base}") + (f", start={start}" if start else "")
    sheet.give("Q", n, d)
    sheet.give("K", n, d)
    info = {"base": base, "start": start}
    for name, turned in (("Q", "U"), ("K", "G")):
        sheet.line(turned, f"rope({name}{said})", "rotary", (name,), partial(turn, base, start), **info)
    sheet.line("S", "U*G^T", "scores", ("U", "G"), p.product_with_transposed, unturned=("Q", "K"))
    if chance.random() < 0.5:
        sheet.line("A", "softmax(S)", "softmax", ("S",), p.softmax, base=np.e, share=False, before="S", scores="S")
    return sheet.problem()


def turn(base: float, start: int, x: Array) -> Array:
    n, d = x.shape
    angles = (np.arange(n) + start)[:, None] / np.power(float(base), np.arange(0, d, 2) / d)
    return turned_by(angles, x)


def turned_by(angles: Array, x: Array) -> Array:
    even, odd = x[:, 0::2], x[:, 1::2]
    pair = [even * np.cos(angles) - odd * np.sin(angles), even * np.sin(angles) + odd * np.cos(angles)]
    return np.stack(pair, axis=2).reshape(x.shape)


def head(chance: Random) -> Problem:
    """Attention as formulas of a sheet's own."""
    while True:
        sheet, n, d, k = Sheet(chance), chance.randint(2, 3), chance.randint(2, 3), chance.randint(2, 4)
        sheet.give("X", n, d)
        for name, width in (("W_Q", k), ("W_K", k), ("W_V", chance.randint(2, 3))):
            sheet.give(name, d, width)
        for name in "QKV":
            sheet.line(name, f"X*W_{name}", "project", ("X", f"W_{name}"), p.project, weight=f"W_{name}")
        info: dict[str, Any] = {"d_k": k, "root": True, "divisor": np.sqrt(k), "d_model": d, "scores": "S",
                                "values": "V", "queries": "Q", "keys": "K", "unmasked": "Z"}  # fmt: skip
        sheet.line("S", "Q*K^T", "scores", ("Q", "K"), p.product_with_transposed, values="V")
        root = np.sqrt(k)
        sheet.line("Z", f"S/sqrt({k})", "scale", ("S",), partial(_divided, root), **info)
        info |= {"base": np.e, "share": False, "before": "Z"}
        sheet.line("A", "softmax(Z)", "softmax", ("Z",), p.softmax, **info)
        sheet.line("C", "A*V", "mix", ("A", "V"), p.product, **info)
        if sheet.problem().solve()["A"].max(axis=1).mean() < 0.97:
            return sheet.problem()


def _divided(divisor: float, s: Array) -> Array:
    return s / divisor


def backward(chance: Random) -> Problem:
    """The gradients of a head of attention."""
    numbers, n, m = chance.choice(p.STYLES), chance.randint(2, 3), chance.randint(2, 3)
    d_k, d_v = chance.randint(2, 4), chance.randint(2, 3)
    draw = partial(p.matrix, chance, numbers=numbers)
    while True:
        given = {"queries": draw(n, d_k), "keys": draw(m, d_k), "values": draw(m, d_v), "d_context": draw(n, d_v)}
        if p.softmax(given["queries"] @ given["keys"].T / np.sqrt(d_k)).max(axis=1).mean() < 0.97:
            break
    root = np.sqrt(d_k)
    info: dict[str, Any] = {"d_k": d_k, "root": True, "divisor": root, "d_model": d_k, "scores": "scores",
                            "values": "values", "queries": "queries", "keys": "keys", "unmasked": "scaled",
                            "base": np.e, "share": False, "before": "scaled"}  # fmt: skip
    steps = [
        Step("scores", "scores", ("queries", "keys"), p.product_with_transposed, info={"values": "values"}),
        Step("scaled", "scale", ("scores",), partial(_divided, root), info=info),
        Step("weights", "softmax", ("scaled",), p.softmax, info=info),
        Step("context", "mix", ("weights", "values"), p.product, info=info),
        Step("d_weights", "d-weights", ("d_context", "values"), p.product_with_transposed),
        Step("d_scaled", "d-softmax", ("weights", "d_weights"), through_softmax),
        Step("d_scores", "d-scale", ("d_scaled",), partial(_divided, root), info=info),
        Step("d_values", "d-values", ("weights", "d_context"), lambda a, g: a.T @ g),
        Step("d_keys", "d-keys", ("d_scores", "queries"), lambda g, q: g.T @ q, info={"scaled": "d_scaled"}),
        Step("d_queries", "d-queries", ("d_scores", "keys"), lambda g, k: g @ k, info={"scaled": "d_scaled"}),
    ]
    lines = [f"{name}: {p.yaml(given[name])}" for name in ("queries", "keys", "values")]
    lines.append(f"gradient: {{upstream: {{C: {p.yaml(given['d_context'])}}}, to: [Q, K, V]}}")
    final = ("d_values", "d_keys", "d_queries")
    return Problem("attention", "\n".join(lines) + "\n", given, tuple(steps), final=final)


def through_softmax(a: Array, g: Array) -> Array:
    return a * (g - (a * g).sum(axis=1, keepdims=True))
