"""What went wrong: the graph is run again with each mistake people make, and with pairs of them, from the answers
written before. A mistake is named only if it leads to every cell that was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from attnsolve.check.judge import BITS, judge
from attnsolve.check.marking import Marking, ancestors
from attnsolve.check.slips import CellSlip, cell_slips
from attnsolve.check.written import Written
from attnsolve.errors import UnsolvableError
from attnsolve.graph import Graph, Quantity
from attnsolve.mistakes import Slip, slipped, together
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import Balls, at_precision
from attnsolve.numbers.floats import Floats
from attnsolve.operations.formula import Key

MOST_PAIRS = 1500
"""Pairs of mistakes that are tried where no single one will do."""
NEAR = 2.0
"""How many units of the last place a float may be off before a pair is not looked at more closely."""

Place = tuple[int, int]


@dataclass(frozen=True)
class Diagnosis:
    """What would lead to the answers of one quantity: a mistake (several are a tie), or slips in single cells."""

    quantity: Quantity
    mistakes: tuple[tuple[Slip, ...], ...]
    """Each explains all that was written of the quantity, alone or (two of them) together."""
    cells: Mapping[Place, tuple[CellSlip, ...]]

    @property
    def is_certain(self) -> bool:
        """Whether one mistake explains it and nothing else does."""
        return len(self.mistakes) == 1


def diagnose(marking: Marking) -> list[Diagnosis]:
    """For every quantity with wrong cells, in the order of the solution."""
    if not marking.values:
        return []
    with at_precision(BITS):
        return [_Search(marking, q).diagnosis() for q in marking.quantities if _wrong(marking, q)]


def _wrong(marking: Marking, quantity: Quantity) -> dict[Place, Written]:
    marks = marking.of(quantity.key)
    return {place: m.written for place, m in marks.items() if m.verdict == "wrong" and m.written is not None}


class _Search:
    def __init__(self, marking: Marking, quantity: Quantity) -> None:
        self.marking = marking
        self.graph = marking.solution.graph
        self.quantity = quantity
        self.written = marking.answers.of(quantity.key)
        answered = marking.answers.keys
        behind = ancestors(marking.solution, quantity.key)
        self.open = {key for key in behind if key not in answered and not self.graph[key].given} | {quantity.key}
        """What was computed on the way to this answer without being written down."""
        self.known = {key: value for key, value in marking.values.items() if key not in self.open}

    def diagnosis(self) -> Diagnosis:
        candidates = [slip for slip in self.marking.solution.slips if slip.key in self.open]
        found = [group for group in together(candidates) if self._explains(group)]
        if found:
            return Diagnosis(self.quantity, tuple(found), {})
        cells = self._cells()
        if len(cells) == len(_wrong(self.marking, self.quantity)):
            return Diagnosis(self.quantity, (), cells)
        pairs = list(combinations(candidates, 2))[:MOST_PAIRS]
        return Diagnosis(self.quantity, tuple(pair for pair in pairs if self._explains(pair)), cells)

    def _explains(self, tried: tuple[Slip, ...]) -> bool:
        """Whether some mistakes lead to every cell that was written; floats tell quickly, balls for certain."""
        try:
            graph = slipped(self.graph, *tried)
            rough = self._value(graph, Floats.of, self._rough)
            if not all(_near(w, rough.rows[i][j]) for (i, j), w in self.written.items()):
                return False
            value = self._value(graph, Balls.of, self.known)
        except (Unavailable, UnsolvableError, ValueError, ZeroDivisionError, OverflowError):
            return False
        judged = (judge(w, value.table[i, j]) for (i, j), w in self.written.items())
        return all(judgement.verdict in ("exact", "right") for judgement in judged)

    @cached_property
    def _rough(self) -> dict[Key, Floats]:
        return {key: Floats([[float(x) for x in row] for row in value.rows]) for key, value in self.known.items()}

    def _value(self, graph: Graph, read: Callable[[Any], Any], known: Mapping[Key, Any]) -> Any:
        """The quantity in a graph with mistakes in it, from what was written before."""
        values = dict(known)
        for quantity in graph:
            if quantity.key in self.open:
                values[quantity.key] = quantity.formula.evaluate(values, read)
        return values[self.quantity.key]

    def _cells(self) -> dict[Place, tuple[CellSlip, ...]]:
        """Slips that explain single cells."""
        formula = self.quantity.formula
        known = dict(self.known)
        for quantity in self.graph:
            if quantity.key in self.open and quantity.key != self.quantity.key:
                known[quantity.key] = quantity.formula.evaluate(known, Balls.of)
        grid: Balls = formula.evaluate(known, Balls.of)
        found = {}
        for place, written in _wrong(self.marking, self.quantity).items():
            slips_here = cell_slips(formula, known, place, written, grid.table[place], grid)
            if slips_here:
                found[place] = tuple(slips_here)
        return found


def _near(written: Written, value: float) -> bool:
    """Whether a float may round to what was written."""
    unit = 1e-9 * max(abs(value), 1.0) if written.places is None else float(written.unit)
    try:
        return abs(float(written.value) - value) <= NEAR * unit
    except (OverflowError, TypeError):
        return False
