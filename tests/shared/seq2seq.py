"""Encoder-decoder attention as a person would write it, and a second implementation of it in float64 NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from shared.bounded import Bounded, below, beside, number
from shared.written import Array, Matrix, Part, Rounding, base_of, matrix_text, row_text, shared_lines

BY_STATE = ("states", "projected", "pairs", "summed", "hidden")
LENGTHS = ("norms", "state_norms")


@dataclass(frozen=True)
class Seq2seq:
    """One problem: states and weights as they are written."""

    score: str
    states: Matrix
    state: Matrix
    weights: Mapping[str, Matrix] = field(default_factory=dict)
    flat: bool = False
    """One decoder state, written as one plain list."""
    softmax: str = "e"
    stable: bool = False
    vectors: str = ""
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notation: Mapping[str, str] = field(default_factory=dict)
    parts: Sequence[Part] = ()
    rounding: Rounding | None = None
    digits: int = 6

    def yaml(self) -> str:
        state = row_text(self.state[0]) if self.flat else matrix_text(self.state)
        texts = [f"{name}: {row_text(m[0]) if name == 'v' else matrix_text(m)}" for name, m in self.weights.items()]
        lines = ["kind: seq2seq", f"score: {self.score}", f"states: {matrix_text(self.states)}", f"state: {state}"]
        lines += [f"weights: {{{', '.join(texts)}}}"] if texts else []
        return "\n".join([*lines, *shared_lines(self)]) + "\n"

    def lies(self, name: str, array: Array) -> Array:
        """A single decoder state, and what follows from it, is a vector."""
        if name in LENGTHS or (self.flat and name not in BY_STATE):
            return array.ravel()
        return array

    def carried_places(self, name: str) -> int | None:
        return None if self.rounding is None else self.rounding.carried(name)


class EncoderDecoder:
    """Every quantity, by its id and the place of its decoder step."""

    def __init__(self, problem: Seq2seq) -> None:
        self.problem = problem
        self.found: dict[tuple[str, int | None], Bounded] = {}
        self.weights = {name: Bounded.of(matrix) for name, matrix in problem.weights.items()}

    def keep(self, name: str, result: Bounded, step: int | None = None) -> Bounded:
        places = self.problem.carried_places(name)
        self.found[name, step] = result if places is None else result.rounded(places)
        return self.found[name, step]

    def work(self) -> dict[tuple[str, int | None], Bounded]:
        problem, found = self.problem, self.found
        states = found["states", None] = Bounded.of(problem.states)
        state = found["state", None] = Bounded.of(problem.state)
        latest = self.keep("scores", self.scores(states, state))
        if problem.score == "scaled-dot":
            latest = self.keep("scaled", latest / number(math.sqrt(states.shape[1])))
        weights = latest.sum_shares() if problem.softmax == "sum" else latest.softmax(base_of(problem.softmax))
        context = self.keep("context", self.keep("weights", weights) @ states)
        joined = self.keep("joined", beside([context, state]))
        if "W_c" in self.weights:
            self.keep("attentional", self.keep("mixed", joined @ self.weights["W_c"].T).tanh())
        return found

    def scores(self, states: Bounded, state: Bounded) -> Bounded:
        weights = self.weights
        match self.problem.score:
            case "general":
                return state @ self.keep("projected", states @ weights["W"].T).T
            case "location":
                return state @ weights["W"].T
            case "cosine":
                norms = self.keep("norms", self.lengths(states))
                own = self.keep("state_norms", self.lengths(state))
                return (state @ states.T) / (own.T @ norms)
            case "additive":
                projected = self.keep("projected", states @ weights["W_1"].T)
                own = self.keep("projected_state", state @ weights["W_2"].T)
                return self.step_by_step(lambda step: self.hidden(step, self.summed(step, projected, own)))
            case "concat":
                return self.step_by_step(lambda step: self.hidden(step, self.paired(step, states, state)))
        return state @ states.T

    def lengths(self, rows: Bounded) -> Bounded:
        squares = [(rows[i : i + 1] @ rows[i : i + 1].T) for i in range(rows.shape[0])]
        return beside(squares).square_root()

    def label(self, step: int) -> int | None:
        return None if self.problem.flat else step

    def step_by_step(self, hidden: Callable[[int], Bounded]) -> Bounded:
        steps = range(len(self.problem.state))
        return below([self.weights["v"] @ hidden(step).T for step in steps])

    def summed(self, step: int, projected: Bounded, own: Bounded) -> Bounded:
        return self.keep("summed", projected + own[step : step + 1], self.label(step))

    def paired(self, step: int, states: Bounded, state: Bounded) -> Bounded:
        row = below([state[step : step + 1]] * states.shape[0])
        pairs = self.keep("pairs", beside([states, row]), self.label(step))
        return self.keep("projected", pairs @ self.weights["W"].T, self.label(step))

    def hidden(self, step: int, before: Bounded) -> Bounded:
        return self.keep("hidden", before.tanh(), self.label(step))


def weight_shapes(score: str, states: int, width: int, own: int, hidden: int) -> dict[str, tuple[int, int]]:
    """The shapes of what a score needs: for encoder states of a width, decoder states of their own, a hidden layer."""
    shapes: dict[str, dict[str, tuple[int, int]]] = {
        "general": {"W": (own, width)},
        "additive": {"W_1": (hidden, width), "W_2": (hidden, own), "v": (1, hidden)},
        "concat": {"W": (hidden, width + own), "v": (1, hidden)},
        "location": {"W": (states, own)},
    }
    return shapes.get(score, {})
