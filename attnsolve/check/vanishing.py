"""Gradients in which no mistake can show, since a sheet's numbers make them vanish: and why, where that can be told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from attnsolve.graph import Contribution, Gradients, Graph, Quantity, run
from attnsolve.graph.quantity_in_graph import QuantityInGraph
from attnsolve.key import Key
from attnsolve.numbers.floats import Floats
from attnsolve.operations.formula import Formula, Ref
from attnsolve.record import Record, record
from attnsolve.solution.exact import Solution

TINY = 1e-3
"""How small a gradient is beside the one before it where hardly anything shows."""
SAME = 1e-9


@record
class Vanishing(Record):
    """Gradients that are 0, or next to nothing, from `first` on."""

    first: Key
    keys: tuple[Key, ...]
    """All of them, in their order."""
    why: str
    """The cause, where it is known."""
    is_zero: bool = True
    beside: Key | None = None
    """What is much larger, where they are only small."""


@record
class Dead(Record):
    """Rows or columns in which nothing comes back."""

    key: Key
    sentence: str


def vanishing(solution: Solution) -> list[Vanishing]:
    """What a sheet's numbers make vanish, each with all that rests on it."""
    graph = solution.graph
    if graph.gradients is None:
        return []
    numbers = _Numbers(graph, graph.gradients)
    zeros = [q.key for q in graph if q.gradient_of is not None and not q.given and _is_zero(solution, q)]
    found: list[Vanishing] = []
    explained: set[Key] = set()
    for key in zeros:
        if key not in explained:
            resting = [other for other in zeros if other == key or key in graph.ancestors(other)]
            explained.update(resting)
            found.append(Vanishing(key, tuple(resting), numbers.why(key)))
    return [*found, *numbers.saturated({*zeros})]


def dead(solution: Solution) -> list[Dead]:
    """Where an operation lets nothing of a gradient through, though not everywhere."""
    graph = solution.graph
    if graph.gradients is None:
        return []
    numbers = _Numbers(graph, graph.gradients)
    zeros = {q.key for q in graph if q.gradient_of is not None and _is_zero(solution, q)}
    return [
        Dead(key, said)
        for key, shares in graph.gradients.contributions.items()
        if key not in zeros and len(shares) == 1
        for said in [shares[0].node.blocks(shares[0].place, numbers)]
        if said
    ]


def _is_zero(solution: Solution, quantity: Quantity) -> bool:
    """Whether every entry is exactly 0."""
    rows, columns = quantity.shape
    exact = solution.exact[quantity.key].rows
    return all(_is_nothing(exact[i][j]) for i in range(rows) for j in range(columns))


def _is_nothing(cell: object) -> bool:
    return cell is not None and not isinstance(cell, float) and bool(cell == 0)


class _Numbers:
    """The numbers of a graph, as operations ask for them that say why nothing comes back."""

    def __init__(self, graph: Graph, gradients: Gradients) -> None:
        self.graph = graph
        self.gradients = gradients

    @cached_property
    def values(self) -> dict[Key, Floats | None]:
        return run(self.graph, Floats)

    def rows(self, formula: Formula) -> Sequence[Sequence[float]]:
        """A formula in float64."""
        return formula.evaluate(self.values, Floats).rows

    def text_of(self, formula: Formula) -> str:
        """A formula in the sheet's symbols."""
        return QuantityInGraph(self.graph, next(iter(self.graph))).text_of(formula)

    def is_even(self, formula: Formula, down: bool) -> bool:
        """Whether each row (`down`: column) has the same number everywhere."""
        rows = self.rows(formula)
        lines = [*zip(*rows, strict=True)] if down else rows
        return all(max(line) - min(line) <= SAME * max(1.0, *map(abs, line)) for line in lines)

    def why_even(self, upstream: Formula, down: bool) -> str:
        """Why a gradient is the same all over each row, where that can be told."""
        if not isinstance(upstream, Ref) or len(shares := self.gradients.contributions.get(upstream.key, ())) != 1:
            return ""
        (share,) = shares
        return share.node.why_even(share.place, share.upstream, down, self)

    def why(self, key: Key) -> str:
        """Why a gradient is 0; nothing where that can't be told of every share of it."""
        shares = self.gradients.contributions.get(key, ())
        found = [share.node.why_vanishing(share.place, share.upstream, self) for share in shares]
        return " and ".join(dict.fromkeys(found)) if all(found) else ""

    def saturated(self, zeros: set[Key]) -> Iterator[Vanishing]:
        """Where a softmax lets hardly anything through."""
        for key, shares in self.gradients.contributions.items():
            if len(shares) == 1 and key not in zeros and self._is_small(key, shares[0]):
                upstream = shares[0].upstream
                assert isinstance(upstream, Ref)
                rests = [q.key for q in self.graph if q.gradient_of is not None and key in self.graph.ancestors(q.key)]
                yield Vanishing(key, (key, *rests), "", False, upstream.key)

    def _is_small(self, key: Key, share: Contribution) -> bool:
        if not share.node.shares or not isinstance(share.upstream, Ref):
            return False
        sizes = [max(abs(x) for row in self.rows(Ref(k)) for x in row) for k in (key, share.upstream.key)]
        return sizes[0] < TINY * sizes[1]
