"""A second implementation of attention, in float64 NumPy and from the definitions: softmax(Q Kᵀ / √d_k + M) V."""

from __future__ import annotations

import math

import numpy as np
from shared.bounded import Bounded, beside, number
from shared.written import LATER, SOURCES, Number, Problem, base_of, worth


class Attention:
    """Every quantity that a problem asks for, by its id and the place of its head."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.found: dict[tuple[str, int | None], Bounded] = {}

    def work(self) -> dict[tuple[str, int | None], Bounded]:
        problem, found = self.problem, self.found
        for name in ("inputs", "memory", *SOURCES.values()):
            if name in problem.given:
                found[name, None] = Bounded.of(problem.given[name][0])
        heads = range(problem.heads) if problem.heads > 1 else [None]
        for head in heads:
            if not problem.given.keys() & set(LATER):
                self.project("queries", head)
                self.project("keys", head)
            if problem.valued:
                self.project("values", head)
            self.attend(head)
        if problem.valued:
            self.put_together(list(heads))
        return found

    def keep(self, name: str, head: int | None, result: Bounded) -> Bounded:
        """A result as it is carried on: rounded, if the problem rounds it."""
        places = self.problem.carried_places(name)
        self.found[name, head] = result if places is None else result.rounded(places)
        return self.found[name, head]

    def project(self, name: str, head: int | None) -> None:
        if not self.problem.split:
            self.projected(name, head, head)
            return
        if (name, None) not in self.found:
            self.projected(name, None, 0)
        wide = self.found[name, None]
        width = wide.shape[1] // self.problem.split
        self.keep(name, head, wide[:, (head or 0) * width : ((head or 0) + 1) * width])

    def projected(self, name: str, label: int | None, head: int | None) -> None:
        problem = self.problem
        if name in problem.given:
            self.found[name, label] = Bounded.of(problem.given[name][head or 0])
            return
        cross = name != "queries" and "memory" in problem.given
        own = SOURCES[name] in problem.given
        source = self.found[SOURCES[name] if own else "memory" if cross else "inputs", None]
        if problem.identity:
            self.keep(name, label, source)
            return
        letter = name[0].upper()
        projection = problem.projections[head or 0]
        product = source @ Bounded.of(projection[f"W_{letter}"])
        bias = f"b_{letter}"
        self.keep(name, label, product + Bounded.of(projection[bias]) if bias in projection else product)

    def attend(self, head: int | None) -> None:
        """From scores, or from whatever later thing is given, to the context."""
        problem, found = self.problem, self.found
        stated = {name: Bounded.of(problem.given[name][head or 0]) for name in LATER if name in problem.given}
        found.update({(name, head): matrix for name, matrix in stated.items()})
        if stated:
            latest = next(iter(stated.values()))
        else:
            latest = self.keep("scores", head, found["queries", head] @ found["keys", head].T)
        if not stated.keys() - {"scores"} and problem.scaling != "none":
            latest = self.keep("scaled", head, latest / number(self.divisor(head)))
        if not stated.keys() & {"masked", "weights"} and problem.mask is not None:
            latest = self.keep("masked", head, latest + self.added(latest.shape))
        if "weights" not in stated:
            summed = problem.softmax == "sum"
            shares = latest.sum_shares() if summed else latest.softmax(base_of(problem.softmax))
            latest = self.keep("weights", head, shares)
        if problem.valued:
            self.keep("context", head, latest @ found["values", head])

    def divisor(self, head: int | None) -> float:
        scaling = self.problem.scaling
        if isinstance(scaling, Number):
            return scaling.value
        return math.sqrt(self.problem.d_k or self.found["keys", head].shape[1])

    def added(self, shape: tuple[int, ...]) -> Bounded:
        mask = self.problem.mask
        if isinstance(mask, str):
            array = np.where(np.tri(*shape, dtype=bool), 0.0, -np.inf)
        elif mask is not None and np.isin(worth(mask), (0, 1)).all():
            array = np.where(worth(mask) == 1, 0.0, -np.inf)
        else:
            assert mask is not None
            return Bounded.of(mask)
        return Bounded(array, np.zeros_like(array))

    def put_together(self, heads: list[int | None]) -> None:
        found, output = self.found, self.problem.output
        joined = beside([found["context", head] for head in heads])
        if len(heads) > 1:
            joined = self.keep("concat", None, joined)
        if output:
            product = joined @ Bounded.of(output["W_O"])
            self.keep("output", None, product + Bounded.of(output["b_O"]) if "b_O" in output else product)
