"""Random attention problems."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import numpy as np
from shared.injected import program as p
from shared.injected.program import Array, Problem, Step, Values

HOLDS: dict[str, str] = {"queries": "W_Q", "keys": "W_K", "values": "W_V"}
BIASES: dict[str, str] = {"queries": "b_Q", "keys": "b_K", "values": "b_V"}


def attention(chance: Random) -> Problem:
    """Any attention problem whose weights are not nearly all 0 and 1."""
    while True:
        problem = _Drawn(chance).problem()
        with np.errstate(all="ignore"):
            values = problem.solve()
        weights = [values[step.name] for step in problem.steps if step.id == "weights"]
        if all(np.all(np.isfinite(w)) and w.max(axis=1).mean() < 0.98 and np.abs(w).max() < 2 for w in weights):
            return problem


class _Drawn:
    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.numbers = chance.choice(p.STYLES)
        self.columns = chance.random() < 0.15
        self.source = chance.choices(("self", "cross", "separate", "given"), (6, 3, 1, 3))[0]
        self.n = chance.randint(2, 4)
        self.m = self.n if self.source == "self" or chance.random() < 0.4 else chance.randint(2, 4)
        self.heads = chance.choices(("one", "list", "split"), (7, 2, 1))[0]
        if self.source == "given" or self.columns:
            self.heads = "one"
        self.d, self.d_k, self.d_v = (chance.randint(2, 4) for _ in range(3))
        if chance.random() < 0.5:
            self.d_v = self.d_k
        if chance.random() < 0.3:
            self.d_k = self.d_v = self.d
        if self.heads == "split":
            self.d_k = self.d_v = 4
        self.biased = chance.random() < 0.25
        self.given: Values = {}
        self.keys: dict[str, Any] = {"layout": "columns"} if self.columns else {}
        self.steps: list[Step] = []

    def matrix(self, rows: int, columns: int) -> Array:
        return p.matrix(self.chance, rows, columns, self.numbers)

    def lay(self, matrix: Array) -> Array:
        return matrix.T if self.columns else matrix

    def problem(self) -> Problem:
        if self.source == "given":
            for name, rows, width in (("queries", self.n, self.d_k), ("keys", self.m, self.d_k)):
                self.given[name] = self.matrix(rows, width)
            self.given["values"] = self.matrix(self.m, self.d_v)
            self.keys |= {name: self.lay(value) for name, value in self.given.items()}
            self.head(None, self.d_k)
        else:
            self.projected()
        self.output()
        lines = "".join(f"{name}: {p.yaml(value)}\n" for name, value in self.keys.items())
        return Problem("attention", lines, self.given, tuple(self.steps), self.columns, (self.steps[-1].name,))

    def projected(self) -> None:
        d, m_width = self.d, self.chance.choice((self.d, self.d, self.chance.randint(2, 4)))
        if self.source == "self":
            self.given["inputs"] = self.matrix(self.n, d)
            sources = dict.fromkeys(HOLDS, "inputs")
            self.keys["inputs"] = self.lay(self.given["inputs"])
        elif self.source == "cross":
            self.given |= {"inputs": self.matrix(self.n, d), "memory": self.matrix(self.m, m_width)}
            sources = {"queries": "inputs", "keys": "memory", "values": "memory"}
            self.keys |= {name: self.lay(self.given[name]) for name in ("inputs", "memory")}
        else:
            widths = {"queries": (self.n, d), "keys": (self.m, d), "values": (self.m, m_width)}
            sources = {name: f"{name}_in" for name in HOLDS}
            self.given |= {sources[name]: self.matrix(*shape) for name, shape in widths.items()}
            self.keys["inputs"] = {name: self.lay(self.given[sources[name]]) for name in HOLDS}
        heads = [1, 2] if self.heads == "list" else [None]
        told = []
        for head in heads:
            told.append(self.weights(head, sources))
        self.keys["weights"] = told if self.heads == "list" else told[0]
        self.masking()
        for head in heads:
            self.projections(head, sources)
            if self.heads != "split":
                self.head(head, self.d_k)
        if self.heads == "split":
            self.keys["heads"] = 2
            for head in (1, 2):
                for name in HOLDS:
                    self.add(name, "split", (name,), partial(_half, head), head, half=head)
                self.head(head, 2)

    def weights(self, head: int | None, sources: dict[str, str]) -> dict[str, Array]:
        told = {}
        for name, weight in HOLDS.items():
            width = self.d_v if name == "values" else self.d_k
            matrix = self.matrix(self.given[sources[name]].shape[1], width)
            self.given[_of(weight, head)] = matrix
            told[weight] = self.lay(matrix)
            if self.biased:
                bias = self.matrix(1, width)[0]
                self.given[_of(BIASES[name], head)], told[BIASES[name]] = bias, bias
        return told

    def projections(self, head: int | None, sources: dict[str, str]) -> None:
        for name, weight in HOLDS.items():
            ins: tuple[str, ...] = (sources[name], _of(weight, head))
            ins += (_of(BIASES[name], head),) if self.biased else ()
            self.add(name, "project", ins, p.project, head, weight=weight, bias=BIASES[name])

    def masking(self) -> None:
        if "mask_drawn" in self.__dict__:
            return
        self.mask_drawn = True
        chance, n, m = self.chance, self.n, self.m
        sort = chance.choices(("none", "causal", "padding", "window", "matrix"), (10, 5, 2, 1, 2))[0]
        self.allowed: Array | None = None
        causal = np.tril(np.ones((n, m)))
        if sort == "causal" and n == m:
            self.allowed, self.keys["mask"] = causal, "causal"
        elif sort == "window" and n == m and n > 2:
            self.allowed, self.keys["mask"] = np.triu(causal, -1), "causal and within(2)"
        elif sort == "padding":
            row = np.array([1.0] * (m - 1) + [0.0])
            self.allowed, self.keys["mask"] = np.tile(row, (n, 1)), row
        elif sort == "matrix" and not self.columns:
            while True:
                allowed = np.array([[float(chance.random() < 0.65) for _ in range(m)] for _ in range(n)])
                if np.all(allowed.any(axis=1)) and not np.all(allowed):
                    break
            self.allowed = self.keys["mask"] = allowed
        self.base, self.share = np.e, False
        kind = chance.choices(("e", "two", "share"), (8, 1, 1))[0]
        if kind == "two":
            self.base, self.keys["softmax"] = 2.0, {"base": 2}
        elif kind == "share" and self.allowed is None:
            self.share, self.keys["softmax"] = True, "sum"
            self.numbers = tuple(abs(x) for x in self.numbers)
        self.divisor: float | None = None
        scaling = chance.choices(("own", "none", "given"), (6, 2, 2))[0]
        if scaling == "none":
            self.keys["scaling"] = "none"
            self.divisor = 1.0
        elif scaling == "given":
            self.divisor = chance.choice((2.0, 4.0, 0.5, 3.0))
            self.keys["scaling"] = self.divisor

    def head(self, head: int | None, d_k: int) -> None:
        self.masking()
        q, k, v = (_name(id, head) for id in HOLDS)
        self.add("scores", "scores", (q, k), p.product_with_transposed, head, values=v)
        last = "scores"
        divisor = np.sqrt(d_k) if self.divisor is None else self.divisor
        width = d_k if self.source == "given" else self.d
        info: dict[str, Any] = {"d_k": d_k, "root": self.divisor is None, "divisor": divisor, "d_model": width}
        info |= {"values": v, "queries": q, "keys": k, "scores": _name("scores", head)}
        if self.divisor != 1.0:
            self.add("scaled", "scale", (_name(last, head),), partial(_divided, divisor), head, **info)
            last = "scaled"
        info["unmasked"] = _name(last, head)
        if self.allowed is not None:
            info |= {"allowed": self.allowed}
            self.add("masked", "mask", (_name(last, head),), partial(_hidden, self.allowed), head, **info)
            last = "masked"
        info |= {"base": self.base, "share": self.share}
        soft = partial(p.softmax, base=self.base, share=self.share)
        self.add("weights", "softmax", (_name(last, head),), soft, head, **info)
        info["before"] = _name(last, head)
        self.add("context", "mix", (_name("weights", head), v), p.product, head, **info)

    def output(self) -> None:
        last = "context"
        if self.heads != "one":
            names = tuple(_name("context", head) for head in (1, 2))
            self.add("concat", "concat", names, lambda *parts: np.hstack(parts))
            last = "concat"
        if self.chance.random() < (0.2 if last == "context" else 0.7):
            width = self.d_v * 2 if self.heads == "list" else self.d_v
            columns = self.chance.choice((width, self.d))
            self.given["W_O"] = self.matrix(width, columns)
            self.keys["W_O"] = self.lay(self.given["W_O"])
            ins: tuple[str, ...] = (last, "W_O")
            if self.biased:
                self.given["b_O"] = self.keys["b_O"] = self.matrix(1, columns)[0]
                ins += ("b_O",)
            self.add("output", "project", ins, p.project, weight="W_O", bias="b_O", inputs="inputs")

    def add(self, id: str, op: str, ins: tuple[str, ...], do: Any, head: int | None = None, **info: Any) -> None:
        self.steps.append(Step(id, op, ins, do, head, "head", info))


def _of(name: str, head: int | None) -> str:
    return name if head is None else f"{name}@{head}"


def _name(name: str, head: int | None) -> str:
    return name if head is None else f"head {head}: {name}"


def _half(head: int, x: Array) -> Array:
    half = x.shape[1] // 2
    return x[:, (head - 1) * half : head * half]


def _divided(divisor: float, s: Array) -> Array:
    return s / divisor


def _hidden(allowed: Array, s: Array) -> Array:
    return p.hide(s, allowed)
