"""What is verified of every result: its shape, the laws of its operation, and a float64 run beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING

from attnsolve.graph import Quantity, run
from attnsolve.key import Key
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers import closed
from attnsolve.numbers.balls import Ball, at_precision, ball
from attnsolve.numbers.closed import Cell, letters
from attnsolve.numbers.floats import Floats
from attnsolve.numbers.order import grouped
from attnsolve.numbers.written import Real, write
from attnsolve.operations.context import Inputs, Law

if TYPE_CHECKING:
    from attnsolve.narrate.view import SolutionView
    from attnsolve.solution.exact import Solution

SHAPE, FLOAT64 = "has-its-shape", "agrees-with-float64"
"""Laws of every result."""
BITS = 128
"""Precision at which entries are held against the ends of an interval, and sums against their totals."""
SURE = 1e-15
"""A ball narrower than this about a whole number is taken for it."""
TOLERANCE = 1e-9
"""How far float64 may lie from the certified value, relative to the largest entry."""
EPSILON = 1e-12
"""Less than this is the rounding of float64 itself, which differs from machine to machine; only more is told."""
LARGEST = 1e9
"""Numbers beyond this lose so many digits in float64 that a comparison says nothing."""


class ExactEvidence:
    """What laws may ask of an exact solution: decided by closed forms, or by balls."""

    def __init__(self, view: SolutionView) -> None:
        self.view = view

    def _reals(self, key: Key) -> list[Real]:
        return [self.view.real(key, *place) for places in self.view.places(key) for place in places]

    def _cells(self, key: Key) -> Sequence[Sequence[Cell | None]]:
        return self.view.solution.exact[key].rows

    def _pairs(self, key: Key, other: Key) -> Iterator[tuple[Cell | None, Cell | None]]:
        """The entries of two quantities in the same places; a single row or column stands for all."""
        mine, student = self._cells(key), self._cells(other)
        height, width = len(student), len(student[0])
        for i, row in enumerate(mine):
            for j, cell in enumerate(row):
                yield cell, student[i % height][j % width]

    def sum_to(self, key: Key, totals: Sequence[int]) -> tuple[bool, str]:
        """Whether every token's entries sum to their total."""
        rows = self.view.places(key)
        return all(self._sums_to(key, places, total) for places, total in zip(rows, totals, strict=True)), ""

    def _sums_to(self, key: Key, places: Sequence[tuple[int, int]], total: int) -> bool:
        """By balls at one precision if they will do; or else by whatever decides it."""
        balls = self.view.solution.balls(BITS)[key]
        if balls is not None:
            with at_precision(BITS):
                off = sum((balls.table[place] for place in places), ball(0)) - total
                if off.contains(0) and off.rad() < SURE:
                    return True
        return is_number(self.view.sum_of(key, places), total)

    def fully_masked(self, key: Key, scores: Key) -> list[bool]:
        """Of every token of a quantity, whether all its scores are −∞."""
        cells = self._cells(scores)
        return [all(isinstance(cells[i][j], float) for i, j in places) for places in self.view.places(key)]

    def has_zero(self, key: Key) -> bool:
        """Whether one of its entries is exactly 0."""
        return any(not real.is_infinite and is_number(real, 0) for real in self._reals(key) if not real.is_symbolic)

    def has_other(self, key: Key, numbers: Sequence[int]) -> bool:
        """Whether one of its entries is none of some numbers."""
        return any(real.rational is not None and real.rational not in numbers for real in self._reals(key))

    def has_hidden(self, key: Key) -> bool:
        """Whether −∞ is among its entries."""
        return any(isinstance(cell, float) for row in self._cells(key) for cell in row)

    def zero_where_hidden(self, key: Key, scores: Key) -> bool:
        """Whether an entry is exactly 0 wherever the score there is −∞."""
        return all(cell == 0 for cell, score in self._pairs(key, scores) if isinstance(score, float))

    def hidden_where_hidden(self, key: Key, mask: Key) -> bool:
        """Whether an entry is −∞ wherever the mask is."""
        return all(isinstance(cell, float) for cell, added in self._pairs(key, mask) if isinstance(added, float))

    def within(self, key: Key, least: int, greatest: int | None = None) -> bool | None:
        """Whether no ball of an entry lies outside an interval; None where that hangs on symbols."""
        reals = [real for real in self._reals(key) if not real.is_infinite]
        if any(real.is_symbolic for real in reals):
            return None
        with at_precision(BITS):
            balls = [real.ball_at(BITS) for real in reals]
            return not any(x < least or (greatest is not None and x > greatest) for x in balls)

    def ordered(self, key: Key, down: bool) -> list[list[list[int]]]:
        """Of every row (`down`: column), its places from the largest entry down, equal ones together."""
        rows, columns = map(range, self.view.shape(key))
        lanes = [[(i, j) for i in rows] for j in columns] if down else [[(i, j) for j in columns] for i in rows]
        return [grouped([self.view.real(key, *place) for place in lane]) for lane in lanes]

    def keeps_lengths(self, key: Key, other: Key) -> bool:
        """Whether every lane's squares add up to the same, as far as balls can tell."""
        with at_precision(BITS):
            lanes = zip(self.view.places(key), self.view.places(other), strict=True)
            return all(self._squares(key, one).overlaps(self._squares(other, two)) for one, two in lanes)

    def _squares(self, key: Key, lane: Sequence[tuple[int, int]]) -> Ball:
        return sum((self.view.real(key, *place).ball_at(BITS) ** 2 for place in lane), ball(0))

    def called(self, key: Key, tokens: Sequence[int]) -> list[str]:
        """The names of some tokens in running text."""
        return [self.view.called(key, token) for token in tokens]


def is_number(real: Real, value: int) -> bool:
    """Whether a number is this one: decided by its closed form if it has one, else by balls that grow narrower."""
    if real.exact is not None:
        return closed.equals(real.exact, value)
    for bits in (128, 512, 2048, 8192):
        with at_precision(bits):
            difference = real.ball_at(bits) - value
            if not difference.contains(0):
                return False
            if difference.rad() < SURE:
                return True
    return False


class Checks:
    """The checks of one solution; the float64 run is made once."""

    def __init__(self, solution: Solution, view: SolutionView) -> None:
        self.solution = solution
        self.evidence = ExactEvidence(view)
        self.floats: dict[Key, Floats] = {}
        rounds = solution.unrounded is not solution
        run(solution.graph, Floats, after=self._carried if rounds else self._kept)
        for quantity in solution.graph:
            if quantity.given:
                self.floats[quantity.key] = quantity.formula.evaluate({}, Floats)

    def _kept(self, quantity: Quantity, value: Floats | None, before: Inputs[Floats]) -> Floats | None:
        if value is not None:
            self.floats[quantity.key] = value
        return value

    def _carried(self, quantity: Quantity, value: Floats | None, before: Inputs[Floats]) -> Floats:
        """Where each step rounds, float64 too starts each step from the values carried into it."""
        self._kept(quantity, value, before)
        return Floats(self.solution.floats(quantity.key))

    def of(self, quantity: Quantity) -> list[Law]:
        """Everything verified of one computed quantity."""
        laws = [self._shape(quantity)]
        if self.solution.unrounded is self.solution:  # rows that were rounded need not sum to 1
            laws += quantity.formula.laws(self.evidence, quantity.key)
        laws += self._gradient_laws(quantity)
        laws += self._second_opinion(quantity)
        return [replace(law, id=f"{quantity.key.id}-{law.id}") for law in laws]

    def _gradient_laws(self, quantity: Quantity) -> list[Law]:
        """What must hold of a gradient; the last one speaks for all of them together."""
        graph = self.solution.graph
        if graph.gradients is None or quantity.key not in graph.gradients.contributions:
            return []
        from attnsolve.solution import gradients

        laws = gradients.sums(self.evidence, graph, quantity)
        if quantity.key == [*graph.gradients.keys.values()][-1]:
            law = gradients.nudged(self.solution)
            laws += [] if law is None else [law]
        return laws

    def _shape(self, quantity: Quantity) -> Law:
        found = self.solution.exact[quantity.key]
        rows, columns = quantity.shape
        return Law(SHAPE, f"{rows}×{columns}", found.shape == quantity.shape)

    def _second_opinion(self, quantity: Quantity) -> list[Law]:
        """Agreement with float64, where float64 can hold the numbers that go in."""
        floats = self.floats.get(quantity.key)
        if floats is None:
            return []
        ours, sampled = self._ours(quantity)
        pairs = [(x, y) for row, other in zip(ours, floats.rows, strict=True) for x, y in zip(row, other, strict=True)]
        finite = [(x, y) for x, y in pairs if isfinite(x)]
        if self._too_large or not all(isfinite(y) for _, y in finite) or any(isnan(y) for _, y in pairs):
            return []
        scale = max((abs(x) for x, _ in finite), default=1.0)
        difference = max((abs(x - y) for x, y in finite), default=0.0)
        holds = difference <= TOLERANCE * max(scale, 1.0) and all(x == y for x, y in pairs if not isfinite(x))
        verb = "agrees with" if holds else "differs from"
        apart = "" if difference < EPSILON * max(scale, 1.0) else f" (to {power_of_ten(difference)})"
        return [Law(FLOAT64, f"{verb} a float64 run{sampled}{apart}", holds, bool(apart), sampled)]

    @cached_property
    def _too_large(self) -> bool:
        """Whether the problem's numbers are so large that float64 no longer tells neighbouring ones apart."""
        given = [self.floats[q.key] for q in self.solution.graph if q.given]
        return any(abs(x) > LARGEST for floats in given for row in floats.rows for x in row if x != -inf)

    def _ours(self, quantity: Quantity) -> tuple[list[list[float]], str]:
        """The certified values as floats; a symbolic result is tried out at sample values of its symbols."""
        if not self.solution.is_symbolic(quantity.key):
            return self.solution.before_rounding(quantity.key), ""
        from attnsolve.numbers.symbolic import sample_point

        exact = self.solution.exact[quantity.key]
        symbols = sorted({s for row in exact.rows for cell in row for s in letters(cell)}, key=str)
        values = sample_point(symbols)
        message = ", ".join(f"{TextPrinter().print(write(s, 'fraction'))} = {value}" for s, value in values.items())
        return Floats.of(exact.rows).rows, f" at {message}" if message else ""


def power_of_ten(difference: float) -> str:
    """A small difference to one digit: 4×10⁻¹⁶."""
    from attnsolve.notation.letters import superscript

    mantissa, exponent = f"{difference:.0e}".split("e")
    return f"{mantissa}×10{superscript(str(int(exponent)))}"
