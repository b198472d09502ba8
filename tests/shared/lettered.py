"""Problems with letters in them and any of the other options: whether a letter may stand there is for the program to
say, and never for sympy."""

from __future__ import annotations

import random
from typing import Any

import yaml

LETTERS = ("a", "x", "beta", "t", "d", "i", "E", "I", "S", "N")
ASSUMPTIONS = ("real", "positive", "negative", "nonnegative")
NUMBERS = (0, 1, -1, 2, "1/2", "-3/2", 0.5, "sqrt(2)", "pi", "e", "sqrt(2) + pi", "1e-3", "2*sqrt(3)/3")
TERMS = (
    "{0}",
    "-{0}",
    "2*{0}",
    "{0}/2",
    "{0} + 1",
    "{0} - {0}",
    "{0}*{1}",
    "1/{0}",
    "{0}^2",
    "sqrt({0})",
    "1/({0} + 1)",
)
TERMS += (
    "sqrt({0} + 1)",
    "sqrt({0}^2)",
    "sqrt({0}^2*{1})",
    "e^{0}",
    "2^{0}",
    "{0}^{1}",
    "1/(1 - {0})",
    "({0} + {1})^3",
)
WEIGHTS = {"general": ("W",), "additive": ("W_1", "W_2", "v"), "concat": ("W", "v"), "location": ("W",)}
SCORES = ("dot", "scaled-dot", "cosine", *WEIGHTS)
SHOWN = ("scores-are-dot-products", "context-rows-are-weighted-sums", "projections-are-products")
SHOWN += ("permutation-equivariance", "softmax-shift-invariance", "softmax-is-a-distribution")


class Lettered:
    """One problem, drawn."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.letters = chance.sample(LETTERS, chance.randint(1, 3))
        self.side = chance.randint(1, 3)
        self.keys = chance.randint(1, 3)

    def entry(self) -> Any:
        if self.chance.random() < 0.45:
            return self.chance.choice(NUMBERS)
        return self.chance.choice(TERMS).format(*self.chance.choices(self.letters, k=2))

    def matrix(self, rows: int, columns: int) -> list[list[Any]]:
        return [[self.entry() for _ in range(columns)] for _ in range(rows)]

    def problem(self) -> dict[str, Any]:
        chance = self.chance
        start = chance.choice((self.attention, self.queries, self.scores, self.seq2seq))
        drawn = {"symbols": {letter: chance.choice(ASSUMPTIONS) for letter in self.letters}, **start()}
        for key, values in self.options("kind" not in drawn).items():
            if chance.random() < 0.3:
                drawn[key] = chance.choice(values)
        return drawn

    def attention(self) -> dict[str, Any]:
        heads, self.keys = self.chance.choice((1, 1, 2)), self.side
        weights = {name: self.matrix(2, 2 * heads) for name in ("W_Q", "W_K", "W_V")}
        drawn = {"inputs": self.matrix(self.side, 2), "weights": self.chance.choice((weights, "identity"))}
        return {**drawn, "heads": heads} if heads > 1 and drawn["weights"] is weights else drawn

    def queries(self) -> dict[str, Any]:
        return {
            "queries": self.matrix(self.side, 2),
            "keys": self.matrix(self.keys, 2),
            "values": self.matrix(self.keys, 2),
        }

    def scores(self) -> dict[str, Any]:
        stated = self.chance.choice(("scores", "scaled", "weights"))
        return {"given": {stated: self.matrix(self.side, self.keys)}, "values": self.matrix(self.keys, 2), "d_k": 2}

    def seq2seq(self) -> dict[str, Any]:
        score = self.chance.choice(SCORES)
        shapes = {"W": (self.keys if score == "location" else 2, 4 if score == "concat" else 2), "v": (1, 2)}
        named = [*WEIGHTS.get(score, ()), *self.chance.choice(([], [], ["W_c"]))]
        weights = {name: self.matrix(*shapes.get(name, (2, 4 if name == "W_c" else 2))) for name in named}
        drawn = {"kind": "seq2seq", "score": score, "states": self.matrix(self.keys, 2), "state": self.matrix(1, 2)[0]}
        return {**drawn, "weights": weights} if weights else drawn

    def options(self, attention: bool) -> dict[str, list[Any]]:
        """What may stand in such a problem beside its matrices, with values to choose from."""
        first, mask = self.letters[0], self.matrix(self.side, self.keys)
        allowed = [[self.chance.choice((0, 1)) for _ in row] for row in mask]
        added = [[self.chance.choice((x, "-inf")) for x in row] for row in mask]
        step = {"places": 2, "when": "each-step"}
        shared: dict[str, list[Any]] = {
            "softmax": ["sum", {"base": 2}, {"base": "sqrt(2)"}, {"base": first}],
            "stable": [True],
            "rounding": [{"places": 2}, step, {"places": {"weights": 1}, "when": "each-step"}],
            "limit": [{first: where} for where in ("oo", 0, 1, "-oo")],
            "digits": [1, 30],
            "parts": [{"a": {"find": "weights", "by": by}} for by in ("cell", "token", "matrix")],
            "answers": [{"weights[1,1]": self.entry()}, {"weights": mask}, {"context": [self.entry()]}],
            "tolerance": [{"abs": "0.01"}, {"rel": "1/100"}],
            "exact": [True],
        }
        own: dict[str, list[Any]] = {
            "scaling": ["none", 2, first, f"sqrt({first})", f"{first} - 1"],
            "mask": ["causal", allowed, added],
            "layout": ["columns"],
            "W_O": [self.matrix(2, 2), self.matrix(4, 1)],
        }
        shared["parts"] += [{"a": {"show": claim}} for claim in SHOWN] if attention else []
        return {**shared, **own} if attention else shared


def lettered(chance: random.Random) -> bytes:
    """A problem file with letters in it."""
    text: str = yaml.safe_dump(Lettered(chance).problem(), sort_keys=False, allow_unicode=True)
    return text.encode()
