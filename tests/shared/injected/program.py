"""A problem as a list of steps in NumPy, each of which may be done wrongly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

Array = np.ndarray
Values = dict[str, Array]


@dataclass(frozen=True)
class Step:
    """One quantity: how it is made of those named in `ins`."""

    id: str
    op: str
    ins: tuple[str, ...]
    do: Callable[..., Array]
    head: int | None = None
    group: str = "head"
    info: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.id if self.head is None else f"{self.group} {self.head}: {self.id}"


@dataclass(frozen=True)
class Work:
    """One step being worked out by a student, with everything there is so far."""

    step: Step
    env: Values
    problem: Problem
    chance: Random

    def __getitem__(self, place: int) -> Array:
        return self.env[self.step.ins[place]]

    @property
    def right(self) -> Array:
        return self.step.do(*(self.env[name] for name in self.step.ins))

    @property
    def info(self) -> Mapping[str, Any]:
        return self.step.info

    def of(self, key: str) -> Array | None:
        """The quantity or given matrix that this step calls by a role, such as its unscaled scores."""
        return self.env.get(self.info.get(key, ""))


POLYNOMIAL = ("project", "scores", "turned", "spread", "pair", "split", "relu", "residual")
"""What steps do that make fractions of fractions."""
Wrong = Callable[[Work], Array | None]
After = Callable[[Step, Array], Array]


class Impossible(Exception):
    """A mistake that can't be made here: matrices don't fit."""


def unrounded(step: Step, value: Array) -> Array:
    return value


@dataclass(frozen=True)
class Problem:
    """A problem as YAML, and the same in NumPy, tokens as rows."""

    kind: str
    text: str
    given: Values
    steps: tuple[Step, ...]
    columns: bool = False
    """Whether the sheet stacks tokens as columns: then everything is written transposed."""
    final: tuple[str, ...] = ()

    def solve(
        self,
        wrong: Mapping[str, Wrong] | None = None,
        given: Values | None = None,
        after: After = unrounded,
        chance: int = 0,
    ) -> Values:
        env = dict(self.given if given is None else given)
        for step in self.steps:
            work = Work(step, env, self, Random(chance))
            value: Array | None
            value = wrong[step.name](work) if wrong and step.name in wrong else work.right
            if value is None:
                raise Impossible
            env[step.name] = after(step, np.asarray(value, dtype=float))
        return env

    def alike(self, step: Step) -> list[Step]:
        """The same step of every head."""
        return [other for other in self.steps if (other.id, other.op) == (step.id, step.op)]

    @property
    def names(self) -> list[str]:
        return [step.name for step in self.steps]

    def is_rational(self, step: Step) -> bool:
        """Whether there are but sums and products of given numbers in it: then it may be written as a fraction."""
        given = {one.name: one for one in self.steps}
        return step.op in POLYNOMIAL and all(self.is_rational(given[name]) for name in step.ins if name in given)

    def step(self, name: str) -> Step:
        return next(step for step in self.steps if step.name == name)


# ── what steps do ─────────────────────────────────────────────────────────────────────────────────


def project(x: Array, w: Array, b: Array | None = None) -> Array:
    return x @ w if b is None else x @ w + b


def product_with_transposed(a: Array, b: Array) -> Array:
    return a @ b.T


def product(a: Array, b: Array) -> Array:
    return a @ b


def exponentials(s: Array, base: float = np.e) -> Array:
    return np.power(base, s)


def softmax(s: Array, base: float = np.e, share: bool = False, axis: int | None = -1) -> Array:
    raised = np.where(np.isinf(s), 0, s) if share else exponentials(s, base)
    return raised / raised.sum(axis=axis, keepdims=True)


def layernorm(
    x: Array, gamma: Array | float = 1.0, beta: Array | float = 0.0, eps: float = 0.0, axis: int | None = -1
) -> Array:
    centred = x - x.mean(axis=axis, keepdims=True)
    return gamma * centred / np.sqrt(x.var(axis=axis, keepdims=True) + eps) + beta


def hide(s: Array, allowed: Array) -> Array:
    return np.where(allowed > 0, s, -np.inf)


# ── numbers of textbooks ──────────────────────────────────────────────────────────────────────────

STYLES: tuple[Sequence[float], ...] = (
    (-2, -1, 0, 0, 1, 1, 2, 3),
    (-1, 0, 1, 1, 2, 0),
    (-1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2),
    tuple(n / 10 for n in range(-12, 19)),
)


def matrix(chance: Random, rows: int, columns: int, numbers: Sequence[float]) -> Array:
    """Numbers drawn until no row or column is zero throughout."""
    while True:
        drawn = np.array([[chance.choice(numbers) for _ in range(columns)] for _ in range(rows)], dtype=float)
        if np.all(np.any(drawn, axis=0)) and np.all(np.any(drawn, axis=1)):
            return drawn


def figure(x: float) -> str:
    return "-inf" if np.isneginf(x) else f"{x:.10g}"


def yaml(value: Any) -> str:
    """A matrix, list, mapping, number or word in the flow style of YAML."""
    if isinstance(value, np.ndarray):
        return yaml(value.tolist())
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {yaml(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(yaml, value))}]"
    return figure(value) if isinstance(value, float) else str(value)
