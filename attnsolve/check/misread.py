"""A given number misread: one entry of a given matrix with another sign, another digit, its neighbour's value, two
digits exchanged or its point moved, and everything worked out from that. One number explains many cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice
from typing import ClassVar
from weakref import WeakKeyDictionary

from attnsolve.check.rerun import FAILURES, Cases
from attnsolve.graph import Graph, Quantity
from attnsolve.graph.mistakes import Slip
from attnsolve.key import Key
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.decimals import terminating
from attnsolve.numbers.floats import Floats
from attnsolve.numbers.written import write_decimal
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Given
from attnsolve.record import record
from attnsolve.solution.exact import Solution

Place = tuple[int, int]

ID = "given-misread"
MOST = 2000
"""With more numbers than this to be misread, chance would explain too much."""
LONGEST = 6
"""Digits of a number that may be misread one by one."""


@record
class Misread(Slip):
    """One number of what is given, read as another."""

    place: Place
    read: Fraction
    stated: Fraction

    @property
    def value(self) -> str:
        """What it was read as."""
        return _decimal(self.read)


class Misreads:
    """Every number that may be misread in one problem, and what that leads to; kept for all the answer sheets to it."""

    _kept: ClassVar[WeakKeyDictionary[Solution, Misreads]] = WeakKeyDictionary()

    def __init__(self, solution: Solution, rough: Mapping[Key, Floats | None]) -> None:
        cases, graph = Cases.of(solution), solution.graph
        self.all: list[tuple[Misread, dict[Key, Floats | None]]] = []
        found = list(islice(_misreads(graph), MOST + 1))
        if len(found) > min(MOST, cases.affordable // 2):
            return
        keys = [quantity.key for quantity in graph if not quantity.given]
        for one in found:
            try:
                values = cases.rerun({one.key: one.mistake.formula}, [one.key, *keys], rough, Floats)
            except FAILURES:
                continue
            if values is not None:
                self.all.append((one, {key: value for key, value in values.items() if value is not rough.get(key)}))

    @classmethod
    def of(cls, solution: Solution, rough: Mapping[Key, Floats | None]) -> Misreads:
        """Those of a solution, made once; `rough` are its true values in floats."""
        if solution not in cls._kept:
            cls._kept[solution] = cls(solution, rough)
        return cls._kept[solution]


def _misreads(graph: Graph) -> Iterator[Misread]:
    for quantity in graph:
        formula = quantity.formula
        if isinstance(formula, Given) and isinstance(formula.rows, tuple) and quantity.key.id != "mask":
            yield from _of_matrix(graph, quantity, formula)


def _of_matrix(graph: Graph, quantity: Quantity, given: Given) -> Iterator[Misread]:
    letter = TextPrinter().print(graph.letter(quantity.key))
    for i, row in enumerate(given.rows):
        for j, stated in enumerate(row):
            if not isinstance(stated, Fraction) or terminating(stated) is None:
                continue
            for read in dict.fromkeys(_readings(given, i, j, stated)):
                if read == stated:
                    continue
                rows = [list(r) for r in given.rows]
                rows[i][j] = read
                where = f"{i + 1},{j + 1}" if 1 not in quantity.shape else str(max(i, j) + 1)
                says = f"entry {where} of {letter} was read as {_decimal(read)} instead of {_decimal(stated)}"
                mistake = Mistake(ID, says, Given(tuple(map(tuple, rows))))
                yield Misread(quantity.key, mistake, (i, j), read, stated)


def _readings(given: Given, i: int, j: int, stated: Fraction) -> Iterator[Fraction]:
    """What a number may be read as."""
    yield -stated
    for row, column in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
        if 0 <= row < len(given.rows) and 0 <= column < len(given.rows[0]):
            beside = given.rows[row][column]
            if isinstance(beside, Fraction):
                yield beside
    places = _places(stated)
    digits, sign, scale = str(int(abs(stated) * 10**places)).zfill(places + 1), -1 if stated < 0 else 1, 10**places
    if len(digits) > LONGEST:
        return
    for place, digit in enumerate(digits):
        changed = (digits[:place] + other + digits[place + 1 :] for other in "0123456789" if other != digit)
        yield from (sign * Fraction(int(text), scale) for text in changed)
        if place:
            exchanged = digits[: place - 1] + digit + digits[place - 1] + digits[place + 1 :]
            yield sign * Fraction(int(exchanged), scale)
    if places or len(digits) > 1:
        yield from (stated * 10, stated / 10)


def _places(number: Fraction) -> int:
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    return places


def _decimal(number: Fraction) -> str:
    found = terminating(number)
    return str(number) if found is None else TextPrinter().print(write_decimal(found))
