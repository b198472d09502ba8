"""Every displayed line of a solution held to what it says: `=` where both sides are equal, `≈` where what the roundings
leave open on one side meets what they leave open on the other, and operands with two digits more than results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import Any

from flint import arb, ctx
from shared.read_back import (
    BITS,
    PRINTERS,
    Misread,
    Points,
    Spans,
    Unreadable,
    exactly,
    figures,
    half_unit,
    places,
    rounded,
)
from shared.tables import Ball, Misfit, Table

from attnsolve import notation as n
from attnsolve.document import Block, Document, Equation, Gallery, Lines, Section
from attnsolve.graph import Cell, Graph, Quantity
from attnsolve.solution.exact import Solution
from attnsolve.solution.floats import FloatSolution

GUARD = 2
"""How many more digits operands carry than results."""
FLOAT_ERROR = 1e-12
"""How far float64 may be off, for the few small numbers of a drawn problem."""
LARGEST = n.Sym("m")
"""What a stable softmax calls the largest score, in every token's work anew."""


@dataclass(frozen=True)
class Line:
    """A chain, and the id of the quantity that it works out ("" for what is given)."""

    id: str
    chain: n.Chain

    @property
    def text(self) -> str:
        return PRINTERS["Unicode"].print(self.chain)


Cells = list[list[Cell]]


def lines(document: Document) -> Iterator[Line]:
    """Every displayed equation, in order."""
    return _lines(document.blocks, "")


def _lines(blocks: Sequence[Block], id: str) -> Iterator[Line]:
    for block in blocks:
        match block:
            case Section():
                yield from _lines(block.blocks, block.id or id)
            case Equation(chain=chain):
                yield Line(id, chain)
            case Lines(chains=chains) | Gallery(chains=chains):
                yield from (Line(id, chain) for chain in chains)


@dataclass(frozen=True)
class Side:
    """What stands between two relation signs, and the sign before it; worked out with every number taken for itself,
    and with rounded ones taken for all that is rounded to them."""

    place: int
    sign: str
    node: n.Notation
    point: Table
    span: Table


@dataclass(frozen=True)
class Fault:
    """A line that does not come to what it says (`relation`), that has too few digits or too many (`digits`), or that
    our grammar takes for something else (`reading`)."""

    kind: str
    id: str
    """Of the quantity that the line works out."""
    line: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.line}\n    {self.why}"


@dataclass
class Held:
    """What came of holding a solution to its lines."""

    faults: list[Fault] = field(default_factory=list)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By a quantity's id: how many texts were read, relations of numbers and of letters tried, operands counted."""


def _names(graph: Graph) -> Iterator[tuple[n.Sym, tuple[Quantity, Cells]]]:
    """What every symbol on the page means: matrices, the vectors of tokens, single entries."""
    for quantity in graph:
        name, key, (height, width) = quantity.name, quantity.key, quantity.shape
        every = [[Cell(key, i, j) for j in range(width)] for i in range(height)]
        yield name.matrix, (quantity, every)
        if not quantity.is_vector:
            yield from (
                (name.token(number + 1), (quantity, [quantity.cells(number)])) for number in range(quantity.token_count)
            )
        if not name.single:
            yield from (
                (name.entry(i + 1, j + 1), (quantity, [[every[i][j]]])) for i in range(height) for j in range(width)
            )


class Reader:
    """Reads the lines of one solution."""

    def __init__(self, solution: Solution | FloatSolution) -> None:
        self.solution = solution
        self.held = Held()
        self.names = dict(_names(solution.graph))
        self.certified: dict[n.Sym, Table] = {}
        self.largest: Table | None = None

    def read(self, document: Document) -> Held:
        with ctx.workprec(BITS):
            for line in lines(document):
                try:
                    self._hold(line)
                except Misread as error:
                    self._fault("reading", line, str(error))
                except Misfit as error:
                    self._fault("relation", line, f"these shapes don't fit: {error}")
        return self.held

    def _fault(self, kind: str, line: Line, why: str) -> None:
        self.held.faults.append(Fault(kind, line.id, line.text, why))

    # ── letters ─────────────────────────────────────────────────────────────────────────────────

    def letter(self, symbol: n.Sym) -> Table:
        """The certified values of what a symbol names."""
        if symbol == LARGEST and self.largest is not None:
            return self.largest
        if symbol not in self.certified:
            quantity, cells = self.names[symbol]
            table = Table.of([self._certified(*cell) for cell in row] for row in cells)
            upright = symbol.vector and not quantity.is_vector and self.solution.graph.vectors == "columns"
            self.certified[symbol] = table.T if upright else table
        return self.certified[symbol]

    def _certified(self, key: Any, row: int, column: int) -> Ball:
        if isinstance(self.solution, FloatSolution):
            array = self.solution.arrays[key]
            value = float(array[row, column])
            size = max([1.0, *(abs(x) for x in array.ravel().tolist() if isfinite(x))])
            return arb(value, FLOAT_ERROR * size) if isfinite(value) else arb("-inf")
        real = self.solution.real(key, row, column)
        if real.is_infinite:
            return arb("-inf")
        return real.ball_at(BITS) if real.rational is None else exactly(real.rational)

    def _about(self, chain: n.Chain) -> Quantity | None:
        """The quantity that a line says a value of."""
        return self.names[chain.left][0] if isinstance(chain.left, n.Sym) and chain.left in self.names else None

    # ── lines ───────────────────────────────────────────────────────────────────────────────────

    def _hold(self, line: Line) -> None:
        quantity = self._about(line.chain)
        self.largest = None if line.chain.left == LARGEST else self.largest
        sides = list(self._sides(line, quantity is not None and quantity.token_axis == 1))
        if line.chain.left == LARGEST and sides:
            self.largest = sides[0].span
        slack = self._carried(quantity)
        last = len(line.chain.links)
        carried = {0, last} if is_result(line.chain.links[-1][1]) else {0}
        for left, right in pairwise(sides):
            signs = {sign for sign, _ in line.chain.links[left.place : right.place]}
            apart = slack if len({left.place, right.place} & carried) == 1 else Fraction(0)
            self._relate(line, left, right, signs, apart)
        if len(sides) > 2 and sides[0].place == 0 and sides[-1].place == last:
            self._relate(line, sides[0], sides[-1], {"≈"}, Fraction(0) if last in carried else slack)
        self._count_digits(line)

    def _sides(self, line: Line, down: bool) -> Iterator[Side]:
        points, spans = Points(self.letter, down), Spans(self.letter, down)
        for place, (sign, node) in enumerate((("", line.chain.left), *line.chain.links)):
            if node is None:
                continue
            try:
                side = Side(place, sign, node, points.value(node), spans.value(node))
            except Unreadable:
                continue
            if any(ball.is_nan() for ball in side.point.entries):
                self._fault("relation", line, f"{self._said(side)} has no value as it stands")
            else:
                yield side
        self.held.counts[line.id, "texts"] += len(points.texts)

    def _carried(self, quantity: Quantity | None) -> Fraction:
        """How far a result may be from its own formula because the sheet goes on with it rounded."""
        rounding = self.solution.problem.rounding
        if quantity is None or quantity.given or rounding is None or not rounding.each_step:
            return Fraction(0)
        inner = self.solution.graph.is_inner(quantity.key)
        decimal_places = rounding.places_of(quantity.key.id, inner=inner)
        return Fraction(0) if decimal_places is None else half_unit(decimal_places)

    def _relate(self, line: Line, left: Side, right: Side, signs: set[str], apart: Fraction) -> None:
        """One relation: of numbers as they stand where it says =, of what they may be rounded from where it says ≈."""
        if not signs <= {"=", "≈"}:
            return
        sort = "letters" if has_letters(left.node) or has_letters(right.node) else "numbers"
        self.held.counts[line.id, sort] += 1
        if signs == {"="}:
            apart = apart if left.place == 0 else Fraction(0)
            one, other = left.point, right.point
        else:
            one, other = left.span, right.span
        one, other = one.widened(exactly(apart)), other.like(one.shape)
        sign = "=" if signs == {"="} else "≈"
        for mine, student in zip(one.entries, other.entries, strict=True):
            if not meet(mine, student, sign):
                said = f"{self._said(left)} {sign} {self._said(right)}"
                self._fault("relation", line, f"{said}: {mine.str(15)} is not {student.str(15)}")
                return

    def _said(self, side: Side) -> str:
        return PRINTERS["Unicode"].print(side.node)

    # ── digits ──────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def _shown(self) -> tuple[int, int | None]:
        """To how many digits results are shown, or to how many places."""
        rounding = self.solution.problem.rounding
        return self.solution.problem.digits, None if rounding is None else rounding.places

    def _has(self, numeral: n.Num, more: int) -> bool:
        """Whether a number has so many more digits than a result. A 0 that no digits tell from 0 has none to carry."""
        digits, decimal_places = self._shown
        if decimal_places is not None and places(numeral) >= decimal_places + more:
            return True
        if decimal_places is not None and numeral.exponent is None:
            return False
        return numeral.text == "0" or figures(numeral) >= digits + more

    def _count_digits(self, line: Line) -> None:
        """Rounded numbers that go into further work have two more digits, and the last ones no more than results."""
        links = line.chain.links
        operands = [numeral for (_, node), (sign, _) in pairwise(links) if sign == "≈" for numeral in rounded(node)]
        results = rounded(links[-1][1]) if is_result(links[-1][1]) else []
        self.held.counts[line.id, "digits"] += len(operands)
        if self._about(line.chain) is None:  # a stage inside a step: the next line goes on with it
            self.held.counts[line.id, "stages"] += len(results)
            operands, results = operands + results, []
        short = [numeral for numeral in operands if not self._has(numeral, GUARD)]
        long = [numeral for numeral in results if numeral.text != "0" and self._has(numeral, 1)]
        for which, what in ((short, "too few digits for an operand"), (long, "more digits than a result has")):
            if which:
                self._fault("digits", line, f"{what}: {', '.join(map(PRINTERS['Unicode'].print, which))}")


def is_result(node: n.Notation) -> bool:
    """Whether it is a number, or a matrix of numbers, and nothing that is left to be worked out."""
    match node:
        case n.Num() | n.Infinity():
            return True
        case n.Frac(over=n.Num(), under=n.Num()):
            return True
        case n.Grid(rows=rows):
            return all(is_result(cell) for row in rows for cell in row)
    return False


def has_letters(part: object) -> bool:
    """Whether a quantity is named anywhere in it."""
    if isinstance(part, n.Power) and part.base == n.Sym("e"):
        return has_letters(part.exponent)
    if isinstance(part, n.Sym):
        return True
    if isinstance(part, tuple):
        return any(map(has_letters, part))
    return isinstance(part, n.Notation) and has_letters(tuple(part.__dict__.values()))


def meet(one: Ball, other: Ball, sign: str) -> bool:
    """Whether two balls have a number in common; −∞ is only itself. What divides by something that may be 0 once its
    rounding is thought of may be ≈ anything, but = nothing."""
    if one.is_nan() or other.is_nan():
        return sign == "≈"
    return bool(one.overlaps(other))
