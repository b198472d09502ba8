"""The working of one row (or column) that is worked out in stages, as a student writes it.

Every line comes from running the stages: on letters, on the numbers put in, exactly and in balls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Cell, Key
from attnsolve.numbers.balls import NOWHERE, Balls, at_precision
from attnsolve.numbers.cells import Reads
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.matrix import M, Reduction
from attnsolve.numbers.symbols import Symbols
from attnsolve.numbers.written import Real
from attnsolve.operations.context import View, Work, general
from attnsolve.operations.formula import Formula
from attnsolve.operations.stages import MOST_TERMS

if TYPE_CHECKING:
    from attnsolve.operations.staged import InStages, Stages

MOST_CANCELLED = 40
"""Digits that are written on account of entries that nearly equal their mean."""

Place = tuple[int, int]
Links = tuple[tuple[str, n.Notation], ...]


class _Running(Symbols):
    """A row of which one entry stands for all: its sum is written with Σ."""

    def reduce(self, how: Reduction) -> _Running:
        at = self.at
        if how == "sum":
            return _Running((1, 1), lambda i, _: n.SumOver("j", at(i, 0)))
        return _Running((1, 1), lambda i, _: n.Call("max", (at(i, 0),), "j"))


class StagedVector:
    """The working of one row (or column)."""

    def __init__(self, formula: InStages, view: View, stages: Stages, number: int) -> None:
        self.view, self.formula, self.stages = view, formula, stages
        self.down = bool(stages.down)
        self.entries = {key: _vector(view, part, number, self.down) for key, part in stages.entering.items()}
        self.values = {key: [entry.real for entry in vector] for key, vector in self.entries.items()}
        self.values |= {Key(name): reals for name, reals in self._reals().items()}
        divisor = next((self.values[Key(name)][0] for name in ("deviations", "rms") if name in stages.stages), None)
        self.figures = view.dividing_by(divisor or Real.of(1), self._cancelled())
        self.letters = self._in_letters({key: _row([e.symbol for e in vector]) for key, vector in self.entries.items()})

    # ── values ──────────────────────────────────────────────────────────────────────────────────

    def _reals(self) -> dict[str, list[Real]]:
        exact = self._run({key: Exact([[x.exact for x in reals]]) for key, reals in self.values.items()})

        @cache
        def balls(bits: int) -> dict[str, Balls]:
            with at_precision(bits):
                rows = {
                    key: Balls.from_balls([[NOWHERE if x.is_symbolic else x.ball_at(bits) for x in reals]])
                    for key, reals in self.values.items()
                    if key in self.entries
                }
                return self._run(rows)

        def real(stage: str, place: int) -> Real:
            return Real(exact[stage].rows[0][place], lambda bits: balls(bits)[stage].table[0, place])

        return {name: [real(name, k) for k in range(row.shape[1])] for name, row in exact.items()}

    def _run(self, entering: Mapping[Key, M]) -> dict[str, M]:
        values, found = dict(entering), dict[str, M]()
        for name, stage in self.stages.stages.items():
            found[name] = values[Key(name)] = self.stages.value(stage, values)
        return found

    def _cancelled(self) -> int:
        """How many digits more than usual the numbers are written with."""
        came = next(iter(self.entries.values()))
        stages = {name: self.values[Key(name)] for name in self.stages.stages}
        if any(real.is_symbolic for row in stages.values() for real in row):
            return 0
        return min(MOST_CANCELLED, max(0, self.formula.cancelled([entry.real for entry in came], stages)))

    # ── how they are written ────────────────────────────────────────────────────────────────────

    @property
    def long(self) -> bool:
        """Whether the row has too many entries for its sums to be written out."""
        return max(map(len, self.entries.values())) > MOST_TERMS

    def _in_letters(self, entering: Mapping[Key, Symbols]) -> dict[str, Symbols]:
        """Each stage in terms of those before it that have letters."""
        values, found = dict(entering), dict[str, Symbols]()
        for name, stage in self.stages.stages.items():
            found[name] = self.stages.value(stage, values)
            called = self.stages.letter_of(stage)
            values[Key(name)] = found[name] if called is None else _row([called])
        return found

    def _with_sums(self) -> dict[str, Symbols]:
        """The same with every sum along the row written as Σⱼ."""
        return self._in_letters(
            {
                key: _running(vector, self.down) if len(vector) > 1 else _row([vector[0].symbol])
                for key, vector in self.entries.items()
            }
        )

    def _shown(self, real: Real) -> tuple[n.Notation, bool]:
        shown = self.figures.show(real)
        return shown.notation, shown.exact

    def _numbers(self, name: str) -> tuple[Symbols, Reads]:
        """A stage with numbers put in for all that goes into it; and what each entry of it rests on."""
        stage = self.stages.stages[name]
        written: dict[Key, Symbols] = {}
        reads: dict[Key, Reads] = {}
        for key in stage.leaves():
            reals = self.values[key]
            written[key] = _row([self._shown(real)[0] for real in reals])
            reads[key] = Reads((1, len(reals)), partial(_read, key))
        return self.stages.value(stage, written), self.stages.value(stage, reads)

    # ── lines ───────────────────────────────────────────────────────────────────────────────────

    def _ending(self, real: Real) -> Links:
        """= exact, or ≈ decimal, or both where the exact form doesn't tell its size."""
        shown = self.figures.show(real)
        if not shown.exact:
            return (("≈", shown.notation),)
        if isinstance(shown.notation, n.Num | n.Infinity) or real.is_symbolic:
            return (("=", shown.notation),)
        decimal = self.figures.decimal(real).notation
        return (("=", shown.notation), ("≈" if n.has_rounded(decimal) else "=", decimal))

    def _links(self, name: str, place: int, ending: Links) -> Links:
        """The numbers put in, and what they come to: after rounded ones never with =."""
        numbers, reads = self._numbers(name)
        cells = reads.at(0, place)
        if len(cells) > 2 * MOST_TERMS + 2:
            return ending
        put_in = numbers.at(0, place)
        exact = all(self._shown(self.values[cell.key][cell.column])[1] for cell in cells)
        sign = "=" if exact else "≈"
        ending = ending if exact else tuple(("≈", part) for _, part in ending[-1:])
        return ((sign, put_in), *(link for link in ending if link[1] != put_in))

    def stage_work(self, name: str, places: Iterable[int]) -> Work:
        """The lines of a stage, for some places of the row."""
        stage, reals = self.stages.stages[name], self.values[Key(name)]
        called = self.stages.letter_of(stage)
        phrase = self.stages.phrase_of(stage)
        written = self.letters[name]
        if len(reals) == 1 and self.long:
            written = self._with_sums()[name]
        lines = []
        for k in range(len(reals)) if len(reals) == 1 else places:
            ending = self._ending(reals[k])
            links = self._links(name, k, ending)
            symbol = written.at(0, k)
            left = symbol if called is None else called
            opening: Links = () if called is None or symbol == _root_of_square(called) else (("=", symbol),)
            lines.append(n.Chain(left, (*opening, *links)))
        return Work(phrase, tuple(lines))

    def final_line(self, target: Key, place: Place, k: int) -> n.Chain:
        """The line for one entry of the result."""
        result = self.view.result(target, *place)
        links = self._links("", k, result)
        written = self._with_sums() if self.long and self.letters[""].shape[1] == 1 else self.letters
        return n.Chain(self.view.cell(target, *place), (("=", written[""].at(0, k)), *links))

    def works(self, target: Key, wanted: Sequence[tuple[Place, int]]) -> list[Work]:
        """All stages, as far as entries are written out, and the results."""
        every = range(max(map(len, self.values.values())))[: self.view.most]
        works = [self.stage_work(name, every) for name in self.stages.stages if name]
        last = self.stages.stages[""]
        phrase = self.stages.phrase_of(last) if works else ""
        works.append(Work(phrase, tuple(self.final_line(target, place, k) for place, k in wanted)))
        return works


class _Entry:
    """An entry of what goes in: its symbol and its value."""

    def __init__(self, symbol: n.Notation, real: Real, exact: bool) -> None:
        self.symbol, self.real, self.exact = symbol, real, exact


def _vector(view: View, part: Formula, number: int, down: bool) -> list[_Entry]:
    """One row (or column) of what goes in; what has only one goes with all."""
    (rows, columns), symbols = part.shape(view), view.symbols(part)
    reads = part.evaluate(_StagePlaces(view), Reads)
    if down:
        places = [(i, number if columns > 1 else 0) for i in range(rows)]
    else:
        places = [(number if rows > 1 else 0, j) for j in range(columns)]
    found = []
    for place in places:
        cells = reads.at(*place)
        real = view.real(*cells[0]) if cells else Real.of(part.evaluate({}, Exact).rows[0][0])
        found.append(_Entry(symbols.at(*place), real, view.put_in(real).exact))
    return found


class _StagePlaces:
    """Quantities as their own places."""

    def __init__(self, view: View) -> None:
        self.view = view

    def __getitem__(self, key: Key) -> Reads:
        return Reads(self.view.shape(key), lambda i, j: (Cell(key, i, j),))


def by_vector(
    formula: InStages, view: View, target: Key, places: Sequence[Place]
) -> Iterator[tuple[StagedVector, list[tuple[Place, int]]]]:
    """The rows (or columns) that some places lie in, and the places with their numbers along these."""
    stages = formula.whole_stages
    if stages.down is None:
        stages.down = _lies_down(view, target)
    down = stages.down
    found: dict[int, list[tuple[Place, int]]] = {}
    for row, column in places:
        number, k = (column, row) if down else (row, column)
        found.setdefault(number, []).append(((row, column), k))
    for number, wanted in found.items():
        yield StagedVector(formula, view, stages, number), wanted


def _read(key: Key, row: int, column: int) -> tuple[Cell, ...]:
    return (Cell(key, row, column),)


def _root_of_square(called: n.Notation) -> n.Notation:
    """√(σ²), which says no more than σ."""
    return n.Root(n.Power(called, n.Num("2")))


def _running(vector: Sequence[_Entry], down: bool) -> Symbols:
    symbol = vector[0].symbol
    symbol = general(symbol, down) if isinstance(symbol, n.Sym) else symbol
    return _Running((1, len(vector)), lambda _i, _j: symbol)


def _lies_down(view: View, target: Key) -> bool:
    """Whether the entries of one token of a quantity stand one below the other."""
    tokens = view.places(target)
    if len(tokens[0]) > 1:
        return tokens[0][0][1] == tokens[0][1][1]
    return len(tokens) > 1 and tokens[0][0][0] == tokens[1][0][0]


def _row(entries: Sequence[n.Notation]) -> Symbols:
    return Symbols((1, len(entries)), lambda _, j: entries[j])
