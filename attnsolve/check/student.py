"""The numbers of an answer sheet on the page: as they were written, and what follows from them."""

from __future__ import annotations

from dataclasses import replace

from attnsolve import notation as n
from attnsolve.check.judge import BITS, SAME
from attnsolve.check.marking import Marking
from attnsolve.check.written import Written
from attnsolve.graph import Cell
from attnsolve.key import Key
from attnsolve.narrate.view import SolvedCells
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.balls import Ball, ball, midpoint
from attnsolve.numbers.surds import MINUS_INFINITY
from attnsolve.numbers.written import Figures, Real, Shown, write

LONGEST_TEXT = 120
"""Characters of an answer that are repeated in a report."""
LONGEST_DENOMINATOR = 10**9
"""A number that follows is shown as a fraction with no more than this below its stroke."""
MORE = 2
"""Digits by which a true value is longer than the answer beside it."""
MOST_DIGITS, MOST_OF_BALLS = 100, 50
"""Digits of a value, however many were written; of one that is only known as a ball."""


class StudentCells(SolvedCells):
    """The numbers as whoever answered has them: what they wrote, and what follows elsewhere."""

    def __init__(self, marking: Marking, figures: Figures) -> None:
        super().__init__(marking.solution)
        self.marks = marking.marks
        self.values = marking.values
        self.figures = figures

    def cell(self, key: Key, row: int, column: int) -> n.Notation:
        """What they wrote, or else what it comes to."""
        mark = self.marks.get(Cell(key, row, column))
        written = None if mark is None else mark.written
        if mark is not None and written is not None and (written.infinite or written.places is not None):
            shown = as_notation(written)
            exact = written.whole or mark.verdict == "exact"
            return shown if exact or not isinstance(shown, n.Num) else replace(shown, rounded=True)
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


def beside(real: Real, written: Written | None, figures: Figures) -> Shown:
    """A value with at least two digits more than the answer that it is compared with."""
    if written is None or written.places is None or real.is_symbolic or real.is_infinite:
        return figures.decimal(real)
    most = MOST_OF_BALLS if real.exact is None else MOST_DIGITS
    digits = min(written.places + MORE + 1 + real.decimal(1).exponent, most)
    return replace(figures, digits=max(figures.digits, digits), places=None).decimal(real)


def as_notation(written: Written) -> n.Notation:
    """A number as it was written, its minus and its power of ten as the page has them."""
    if written.infinite and written.numeral is None:
        return n.Infinity()
    if written.numeral is None or written.numeral.percent or len(written.text) > LONGEST_TEXT:
        text = written.text if len(written.text) <= LONGEST_TEXT else f"{written.text[:LONGEST_TEXT]}…"
        return n.Word(text.replace("-", "−"))
    return n.Num(written.numeral.digits, written.numeral.exponent or None)


def as_text(written: Written) -> str:
    """The same on one line."""
    return TextPrinter().print(as_notation(written))
