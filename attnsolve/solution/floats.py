"""A problem worked out in float64 (`numbers: float`): arrays, and no proof of any digit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attnsolve.bounds import digits as checked_digits
from attnsolve.errors import UnsolvableError
from attnsolve.graph import Graph, Quantity, run
from attnsolve.key import Key
from attnsolve.notation.text import called
from attnsolve.numbers.arrays import Array, Arrays, decimal_text
from attnsolve.numbers.summary import blocks
from attnsolve.operations.context import Inputs, Law
from attnsolve.record import Record, record
from attnsolve.solution.checks import TOLERANCE, power_of_ten
from attnsolve.solution.computed import Computed, Texts, shape_of
from attnsolve.spec.problem import Problem

MOST_NAMED = 5
"""Of more tokens than this that may attend to nothing, the others are counted."""


class FloatSolution(Computed["FloatValue"]):
    """Every quantity as an array. `solution["weights"].array`; with several heads, `solution["weights", 1].array`."""

    lacks = "this problem is computed in float64: write numbers: exact"

    def __init__(self, problem: Problem, graph: Graph) -> None:
        super().__init__(problem, graph)
        with np.errstate(all="ignore"):
            values = run(graph, Arrays, after=_held)
        self.arrays: dict[Key, Array] = {key: value.array for key, value in values.items() if value is not None}

    def value(self, quantity: Quantity) -> FloatValue:
        """A quantity in whichever form is wanted."""
        return FloatValue(self, quantity)

    def laws(self, quantity: Quantity) -> list[Law]:
        """What was verified of a result."""
        rows, columns = quantity.shape
        laws = [Law("has-its-shape", f"{rows}×{columns}", self.arrays[quantity.key].shape == quantity.shape)]
        laws += quantity.formula.laws(self.evidence, quantity.key)
        return [replace(law, id=f"{quantity.key.id}-{law.id}") for law in laws]

    @property
    def evidence(self) -> FloatEvidence:
        """What laws and remarks may ask."""
        return FloatEvidence(self)


class FloatEvidence:
    """What laws may ask of a float64 solution: a sum is right if it is so within what float64 rounds."""

    def __init__(self, solution: FloatSolution) -> None:
        self.graph = solution.graph
        self.arrays = solution.arrays

    def _across(self, key: Key) -> int:
        """The axis along which one token lies."""
        return 1 - self.graph[key].token_axis

    def sum_to(self, key: Key, totals: Sequence[int]) -> tuple[bool, str]:
        """Whether every token's entries sum to their total, and how nearly."""
        off = float(abs(self.arrays[key].sum(axis=self._across(key)) - np.array(totals)).max())
        return off <= TOLERANCE, f" within {power_of_ten(off)}" if off else ""

    def fully_masked(self, key: Key, scores: Key) -> list[bool]:
        """Of every token of a quantity, whether all its scores are −∞."""
        hidden: list[bool] = np.isneginf(self.arrays[scores].max(axis=self._across(key))).tolist()
        return hidden

    def has_zero(self, key: Key) -> bool:
        """Whether one of its entries is exactly 0."""
        return bool((self.arrays[key] == 0).any())

    def has_other(self, key: Key, numbers: Sequence[int]) -> bool:
        """Whether one of its entries is none of some numbers."""
        return not np.isin(self.arrays[key], numbers).all()

    def has_hidden(self, key: Key) -> bool:
        """Whether −∞ is among its entries."""
        return bool(self.arrays[key].min() == -np.inf)

    def zero_where_hidden(self, key: Key, scores: Key) -> bool:
        """Whether an entry is exactly 0 wherever the score there is −∞."""
        return _agree(self.arrays[scores], self.arrays[key], lambda score, x: (x == 0) | ~np.isneginf(score))

    def hidden_where_hidden(self, key: Key, mask: Key) -> bool:
        """Whether an entry is −∞ wherever the mask is."""
        return _agree(self.arrays[mask], self.arrays[key], lambda added, x: np.isneginf(x) | ~np.isneginf(added))

    def within(self, key: Key, least: int, greatest: int | None = None) -> bool:
        """Whether no entry lies outside an interval by more than float64 rounds."""
        array = self.arrays[key]
        low = bool(array.min() >= (least if least == 0 else least - TOLERANCE))
        return low and (greatest is None or bool(array.max() <= greatest + TOLERANCE))

    def ordered(self, key: Key, down: bool) -> list[list[list[int]]]:
        """Of every row (`down`: column), its places from the largest entry down; what float64 doesn't tell apart counts
        as equal."""
        lanes = self.arrays[key].T if down else self.arrays[key]
        found = []
        for lane in lanes:
            order = np.argsort(-lane, kind="stable").tolist()
            groups: list[list[int]] = []
            for place in order:
                if groups and np.isclose(lane[groups[-1][0]], lane[place], rtol=TOLERANCE, atol=TOLERANCE):
                    groups[-1].append(place)
                else:
                    groups.append([place])
            found.append([sorted(group) for group in groups])
        return found

    def keeps_lengths(self, key: Key, other: Key) -> bool:
        """Whether every lane is as long a vector as the other quantity's, within what float64 rounds."""
        one, two = (np.linalg.norm(self.arrays[k], axis=self._across(k)) for k in (key, other))
        return bool(np.allclose(one, two, rtol=TOLERANCE, atol=TOLERANCE))

    def called(self, key: Key, tokens: Sequence[int]) -> list[str]:
        """The names of some tokens in running text; the others are counted."""
        names = [called(self.graph[key].labels[token]) for token in tokens[:MOST_NAMED]]
        return names + [f"{len(tokens) - MOST_NAMED} others"] * (len(tokens) > MOST_NAMED)


def _held(quantity: Quantity, value: Arrays | None, before: Inputs[Arrays]) -> Arrays | None:
    """A result as it is carried on; one that float64 could not hold is refused."""
    if value is None:
        return None
    greatest, least = value.array.max(), value.array.min()
    too_small = least == -np.inf and not _is_blocked(quantity, before)
    if np.isnan(greatest) or greatest == np.inf or too_small:
        raise UnsolvableError(f"{quantity.key} has a number beyond the range of float64: write numbers: exact")
    return value


def _is_blocked(quantity: Quantity, before: Inputs[Arrays]) -> bool:
    """Whether −∞ stands in it by intention: as in a mask, or since it was in what it is made from."""
    inputs = [before[leaf] for leaf in quantity.formula.leaves()]
    intended = quantity.formula.forbids or not inputs
    return intended or any(value is not None and value.array.min() == -np.inf for value in inputs)


def _agree(one: Array, other: Array, holds: Callable[[Array, Array], NDArray[np.bool_]]) -> bool:
    """Whether something holds of every pair of entries in the same place of two matrices, block by block."""
    if other.shape != one.shape:
        one = np.broadcast_to(one, other.shape)
    return all(holds(first, second).all() for (_, first), (_, second) in zip(blocks(one), blocks(other), strict=True))


@record
class FloatValue(Record):
    """One quantity, as float64."""

    solution: FloatSolution
    quantity: Quantity

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns; of a vector, its length."""
        return shape_of(self.quantity)

    @property
    def exact(self) -> None:
        """There is no exact form."""

    @property
    def exact_text(self) -> None:
        """Nor its text."""

    @cached_property
    def array(self) -> Array:
        """The entries."""
        array = self.solution.arrays[self.quantity.key]
        return array.ravel() if self.quantity.is_vector else array

    def decimals(self, digits: int | None = None) -> Texts:
        """Every entry rounded to so many significant digits, as text; none of them is proven."""
        figures = self.solution.problem.digits if digits is None else checked_digits(digits, f"decimals({digits!r})")
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
    def decimal(self) -> Texts:
        """Every entry to the problem's number of digits."""
        return self.decimals()
