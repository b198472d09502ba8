"""A problem worked out in float64 (`numbers: float`): arrays, and no proof of any digit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from attnsolve.checks import TOLERANCE, power_of_ten
from attnsolve.computed import Computed, shape_of
from attnsolve.errors import UnsolvableError
from attnsolve.graph import COST_OF_SHOWING, Graph, Quantity, run
from attnsolve.kinds import refuse_beyond
from attnsolve.numbers.arrays import Array, Arrays, decimal_text
from attnsolve.numbers.summary import blocks
from attnsolve.operations.bounded import Bounded
from attnsolve.operations.formula import Key, Law
from attnsolve.operations.mask import Mask
from attnsolve.operations.softmax import Normalise
from attnsolve.spec import bounds
from attnsolve.spec.problem import Problem
from attnsolve.worked import Telling

if TYPE_CHECKING:
    from attnsolve.narrate.voice import Voice

MAY_BE_INFINITE = ("scaled", "masked")
"""Quantities that −∞ may get into from scores or a mask that have it; any other result overflowed."""


class Measured(Computed["MeasuredValue"]):
    """Every quantity as an array. `solution["weights"].array`; with several heads, `solution["weights", 1].array`."""

    lacks = "this problem is worked out in float64: write numbers: exact"

    def __init__(self, problem: Problem, graph: Graph) -> None:
        self.problem = problem
        self.graph = graph
        with np.errstate(all="ignore"):
            values = run(graph, Arrays, after=_kept)
        self.arrays: dict[Key, Array] = {key: value.array for key, value in values.items() if value is not None}

    def value(self, quantity: Quantity) -> MeasuredValue:
        """A quantity in whichever form is wanted."""
        return MeasuredValue(self, quantity)

    def voice(self, telling: Telling, *, parts: bool = False) -> Voice:
        """What tells its quantities."""
        from attnsolve.narrate.measured import MeasuredTeller

        if telling.detail == "full":
            written = [q for name in telling.only for q in self.graph.named(name)] or list(self.graph)
            cells = sum(q.shape[0] * q.shape[1] for q in written)
            refuse_beyond(self.problem, COST_OF_SHOWING * cells, "write every entry with --format json instead")
        return MeasuredTeller(self, telling)

    def laws(self, quantity: Quantity) -> list[Law]:
        """What was verified of a result."""
        rows, columns = quantity.shape
        array, formula = self.arrays[quantity.key], quantity.formula
        laws = [Law("has-its-shape", f"{rows}×{columns}", array.shape == quantity.shape)]
        if isinstance(formula, Normalise):
            laws += self._shares(quantity, formula)
        if isinstance(formula, Mask):
            (mask,) = formula.right.leaves()
            holds = _agree(self.arrays[mask], array, lambda added, found: np.isneginf(found) | ~np.isneginf(added))
            laws.append(Law("blocked-where-masked", "−∞ stands wherever the mask forbids", holds))
        if isinstance(formula, Bounded):
            laws.append(Law("within-one", "every entry lies between −1 and 1", bool(abs(array).max() <= 1 + TOLERANCE)))
        return [Law(f"{quantity.key.id}-{law.id}", law.says, law.holds) for law in laws]

    def _shares(self, quantity: Quantity, formula: Normalise) -> list[Law]:
        array, scores = self.arrays[quantity.key], self.arrays[formula.scores]
        empty = self.empty(quantity, formula)
        off = float(abs(array.sum(axis=0 if formula.down else 1) - np.where(empty, 0.0, 1.0)).max())
        said = f"each {'column' if formula.down else 'row'} sums to 1"
        said += " (to 0 where nothing may be attended to)" if empty.any() else ""
        said += f" within {power_of_ten(off)}" if off else ""
        laws = [Law("rows-sum-to-one", said, off <= TOLERANCE)]
        if scores.min() == -np.inf:
            zero = _agree(scores, array, lambda score, weight: (weight == 0) | ~np.isneginf(score))
            laws.append(Law("masked-weights-are-zero", "every masked weight is exactly 0", zero))
        return laws

    def empty(self, quantity: Quantity, formula: Normalise) -> Any:
        """Which tokens may attend to nothing at all."""
        return np.isneginf(self.arrays[formula.scores].max(axis=0 if formula.down else 1))


def _kept(quantity: Quantity, value: Arrays, before: Any) -> Arrays:
    """A result as it is carried on; one that float64 could not hold is refused."""
    greatest, least = value.array.max(), value.array.min()
    too_small = least == -np.inf and quantity.key.id not in MAY_BE_INFINITE
    if np.isnan(greatest) or greatest == np.inf or too_small:
        raise UnsolvableError(f"{quantity.key} has a number that float64 can't hold: write numbers: exact")
    return value.kept()


def _agree(one: Array, other: Array, holds: Any) -> bool:
    """Whether something holds of every pair of entries in the same place of two matrices, block by block."""
    if other.shape != one.shape:
        one = np.broadcast_to(one, other.shape)
    return all(holds(first, second).all() for (_, first), (_, second) in zip(blocks(one), blocks(other), strict=True))


@dataclass(frozen=True)
class MeasuredValue:
    """One quantity, as float64."""

    solution: Measured
    quantity: Quantity

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns; of a vector, its length."""
        return shape_of(self.quantity)

    @property
    def exact(self) -> None:
        """There is no exact form."""

    @cached_property
    def array(self) -> Array:
        """The entries."""
        array = self.solution.arrays[self.quantity.key]
        return array.ravel() if self.quantity.is_vector else array

    def decimals(self, digits: int | None = None) -> list[Any]:
        """Every entry rounded to so many significant digits, as text; none of them is proven."""
        figures = self.solution.problem.digits if digits is None else bounds.digits(digits, f"decimals({digits!r})")
        rows = [[decimal_text(x, figures) for x in row] for row in self.solution.arrays[self.quantity.key].tolist()]
        return [x for row in rows for x in row] if self.quantity.is_vector else rows

    def written(self, digits: int | None = None) -> Iterator[str]:
        """The entries as JSON, row by row: strings of so many digits, or else the shortest that give the same float."""
        array = self.solution.arrays[self.quantity.key]
        vector = self.quantity.is_vector
        for number, row in enumerate(array.reshape(1, -1) if vector else array):
            texts = map(repr, row.tolist()) if digits is None else (decimal_text(x, digits) for x in row.tolist())
            before = "" if vector else ", " if number else "["
            yield before + '["' + '", "'.join(texts) + '"]'
        if not vector:
            yield "]"

    @property
    def decimal(self) -> list[Any]:
        """Every entry to the problem's number of digits."""
        return self.decimals()
