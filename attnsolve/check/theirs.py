"""The numbers of an answer sheet on the page: as they were written, and what follows from them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attnsolve import notation as n
from attnsolve.check.judge import BITS, SAME
from attnsolve.check.written import Written
from attnsolve.graph import Cell
from attnsolve.narrate.view import Leaves
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.balls import Ball, Balls, ball, midpoint
from attnsolve.numbers.light import MINUS_INFINITY
from attnsolve.numbers.written import Figures, Real, write
from attnsolve.operations.formula import Key
from attnsolve.solution import Solution

LONGEST_DENOMINATOR = 10**9
"""A number that follows is shown as a fraction with no more than this below its stroke."""
_POWER_OF_TEN = re.compile(r"(.+?)(?:[eE]|\s*[*×·]\s*10\s*(?:\^|\*\*)\s*\(?)([-+−]?\d+)\)?")


class Theirs(Leaves):
    """The numbers as whoever answered has them: what they wrote, and what follows elsewhere."""

    def __init__(
        self, solution: Solution, cells: Mapping[Cell, Written], values: Mapping[Key, Balls], figures: Figures
    ) -> None:
        super().__init__(solution)
        self.cells = cells
        self.values = values
        self.figures = figures

    def cell(self, key: Key, row: int, column: int) -> n.Notation:
        """What they wrote, or else what it comes to."""
        written = self.cells.get(Cell(key, row, column))
        if written is not None and (written.infinite or written.places is not None):
            return as_notation(written)
        if written is not None:
            return write(written.value, "fraction")
        true = self.solution.real(key, row, column)
        if self.solution.graph[key].given:
            return self.figures.given(true).notation
        return self.figures.show(self.real(key, row, column)).notation

    def real(self, key: Key, row: int, column: int) -> Real:
        """What an entry comes to for them."""
        true = self.solution.real(key, row, column)
        return real_of(self.values[key].table[row, column], true) if key in self.values else true


def real_of(found: Ball, true: Real) -> Real:
    """A value that follows: the true one where it is that, else −∞, the simple fraction that it is, or its digits."""
    if not found.is_finite():
        return Real.of(MINUS_INFINITY)
    if true.exact is not None and not true.is_symbolic and not true.is_infinite:
        off = found - true.ball_at(BITS)
        if off.contains(0) and abs(off) < ball(SAME) * (1 + abs(found)):
            return true
    middle = midpoint(found)
    if middle is None:
        return Real(None, lambda bits: found)
    simple = middle.limit_denominator(LONGEST_DENOMINATOR)
    if found.contains(ball(simple)) or abs(found - ball(simple)) < ball(SAME):
        return Real.of(simple)
    return Real(None, lambda bits: found)


def as_notation(written: Written) -> n.Notation:
    """A number as it was written, its minus and its power of ten as the page has them."""
    if written.infinite:
        return n.Infinity()
    if written.places is None:
        return n.Word(written.text.replace("-", "−"))
    text = written.text.replace("−", "-").replace("–", "-").lstrip("+")
    if match := _POWER_OF_TEN.fullmatch(text):
        return n.Num(match[1], int(match[2]))
    return n.Num(text)


def as_text(written: Written) -> str:
    """The same on one line."""
    return TextPrinter().print(as_notation(written))
