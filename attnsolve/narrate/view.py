"""What operations may look at when they show their work: the names, the values, and how both are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.graph import Cell, Graph, Quantity
from attnsolve.key import Key
from attnsolve.narrate.corners import COLUMNS, ROWS, Kept, corner, kept, labels_kept
from attnsolve.notation.text import called
from attnsolve.numbers import Unavailable, closed
from attnsolve.numbers.balls import Ball, ball
from attnsolve.numbers.closed import expression
from attnsolve.numbers.decimals import first_precision
from attnsolve.numbers.symbols import Symbols
from attnsolve.numbers.written import Figures, Real, Shown
from attnsolve.operations.formula import Formula

if TYPE_CHECKING:
    from attnsolve.solution.exact import Solution

MOST_ROWS, MOST_COLUMNS = 24, 12
"""A larger matrix is shown by its corners."""
Links = tuple[tuple[str, n.Notation], ...]


class CellsAsSymbols:
    """The quantities that a formula reads, every cell as its symbol."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._symbols: dict[int, Symbols] = {}

    def symbols(self, formula: Formula) -> Symbols:
        """How every cell of a formula is written, from its definition; remembered, since every cell of it asks. (The
        formulas are those of the graph, which keeps them.)"""
        found = self._symbols.get(id(formula))
        if found is None:
            found = self._symbols[id(formula)] = formula.evaluate(self, Symbols)
        return found

    def __getitem__(self, key: Key) -> Symbols:
        """A quantity as a formula reads it."""
        row, column = partial(self._token, key, 0), partial(self._token, key, 1)
        return Symbols.named(self.shape(key), partial(self.cell, key), row, column)

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of a quantity."""
        return self.graph[key].shape

    def cell(self, key: Key, row: int, column: int) -> n.Notation:
        """The symbol of an entry."""
        return self.graph[key].name.entry(row + 1, column + 1)

    def _token(self, key: Key, axis: int, number: int) -> n.Notation | None:
        """The token that a row or column is."""
        quantity = self.graph[key]
        tokens = (quantity.rows, quantity.columns)[axis].tokens
        return quantity.name.token(number + 1) if tokens and quantity.token_axis == axis else None


class SolvedCells(CellsAsSymbols):
    """The same of a problem that has been solved."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(solution.graph)
        self.solution = solution


class CellsAsNumbers(SolvedCells):
    """The same, every cell as its number."""

    def __init__(self, solution: Solution, figures: Figures) -> None:
        super().__init__(solution)
        self.figures = figures
        self._shown: dict[tuple[Key, int, int], Shown] = {}
        self._grids: dict[Key, n.Grid] = {}

    def shown(self, key: Key, row: int, column: int) -> Shown:
        """How an entry is printed; remembered, since working and matrices ask for the same entries again and again."""
        place = (key, row, column)
        if place not in self._shown:
            real = self.solution.real(*place)
            given = self.solution.graph[key].given
            self._shown[place] = self.figures.given(real) if given else self.figures.show(real)
        return self._shown[place]

    def cell(self, key: Key, row: int, column: int) -> n.Notation:
        """The number of an entry."""
        return self.shown(key, row, column).notation

    def grid(self, key: Key) -> n.Grid:
        """A whole quantity, without labels; kept, since every token's work has it."""
        if key not in self._grids:
            rows, columns = self.shape(key)
            entries = tuple(tuple(self.cell(key, i, j) for j in range(columns)) for i in range(rows))
            self._grids[key] = n.Grid(entries)
        return self._grids[key]


class SolutionView(SolvedCells):
    """A solution as operations see it."""

    def __init__(
        self, solution: Solution, figures: Figures, most: int | None = None, *, abridged: bool = False
    ) -> None:
        """`abridged` leaves out the middle of large matrices."""
        super().__init__(solution)
        self.figures = figures
        self.most = most
        self.abridged = abridged
        self._places: dict[Key, list[list[tuple[int, int]]]] = {}
        self._reads: dict[Cell, tuple[Cell, ...]] = {}
        self.plain = CellsAsNumbers(solution, figures)
        self.numbers = CellsAsNumbers(solution, figures.guarded())
        self._numbers = {0: self.numbers}
        self.as_columns = solution.graph.vectors == "columns"

    def real(self, key: Key, row: int, column: int) -> Real:
        """The value of an entry."""
        return self.solution.real(key, row, column)

    def show(self, real: Real) -> Shown:
        """How a value is printed."""
        return self.figures.show(real)

    def put_in(self, real: Real) -> Shown:
        """How a value is printed where it is worked with further: with guard digits where it was rounded."""
        return self.numbers.figures.show(real)

    def dividing_by(self, total: Real, more: int) -> Figures:
        """How numbers are printed that are divided by their total: with guard digits and `more`; a total below 1 needs
        significant digits, since few decimal places would be left of it."""
        figures = self.figures
        if figures.places is not None and not total.is_symbolic and total.decimal(1).exponent < 0:
            figures = replace(figures, digits=max(figures.digits, figures.places), places=None)
        return figures.guarded(more)

    def precisely(self, key: Key, row: int, column: int) -> n.Notation:
        """An entry as it is put into further work: with guard digits where it was rounded."""
        return self.numbers.cell(key, row, column)

    def decimal(self, real: Real) -> Shown:
        """How its decimal is printed."""
        return self.figures.decimal(real)

    def matrix(self, key: Key) -> n.Notation:
        """The symbol of a quantity."""
        return self.solution.graph[key].name.matrix

    def token(self, key: Key, number: int) -> n.Notation:
        """The symbol of one token's vector."""
        return self.solution.graph[key].name.token(number)

    def called(self, key: Key, token: int) -> str:
        """A token's name in running text: x_1 as x₁, a word in quotation marks."""
        quantity = self.solution.graph[key]
        if quantity.labels:
            return called(quantity.labels[token])
        return f"{'column' if quantity.noun == 'column' else 'row'} {token + 1}"

    def places(self, key: Key) -> list[list[tuple[int, int]]]:
        """The places of a quantity, token by token."""
        if key not in self._places:
            quantity = self.solution.graph[key]
            places = ([(c.row, c.column) for c in quantity.cells(token)] for token in range(quantity.token_count))
            self._places[key] = list(places)
        return self._places[key]

    def numbers_for(self, formula: Formula) -> CellsAsNumbers:
        """The numbers that go into a formula: with guard digits where there is arithmetic to do, and with more where
        some of them cancel."""
        if not formula.counts(self.graph).total:
            return self.plain
        lost = formula.lost_digits(self)
        if lost not in self._numbers:
            self._numbers[lost] = CellsAsNumbers(self.solution, self.figures.guarded(lost))
        return self._numbers[lost]

    def grid(self, key: Key) -> n.Grid:
        """A whole quantity as it is put into further work."""
        return self.numbers.grid(key)

    def vector(self, key: Key, token: int) -> n.Grid:
        """One token's vector as a result, a column or a row."""
        return self._standing([self.plain.cell(key, *place) for place in self.places(key)[token]])

    def operand(self, key: Key, token: int) -> n.Grid:
        """One token's vector as it is put into further work. A bias has but one, whichever way it lies."""
        quantity = self.solution.graph[key]
        single = 1 in quantity.shape and quantity.parameter
        places = [p for vector in self.places(key) for p in vector] if single else self.places(key)[token]
        return self._standing([self.numbers.cell(key, *place) for place in places])

    def _standing(self, entries: Sequence[n.Notation]) -> n.Grid:
        return n.Grid(tuple((entry,) for entry in entries) if self.as_columns else (tuple(entries),))

    def named_vector(self, key: Key, token: int) -> n.Grid:
        """The same, its entries named after the tokens that they are about."""
        names = labels_across(self.solution.graph[key])
        return n.Grid(self.vector(key, token).rows, *((names, ()) if self.as_columns else ((), names)))

    def reached_exactly(self, key: Key, token: int) -> bool:
        """Whether a token's vector is shown without rounding, and none was done to get it."""
        rounded = any(self.solution.was_rounded(key, *place) for place in self.places(key)[token])
        return not rounded and self.shown_exactly(key, token)

    def shown_exactly(self, key: Key, token: int) -> bool:
        """Whether all of a token's vector is shown without rounding."""
        return all(self.plain.shown(key, *place).exact for place in self.places(key)[token])

    def _kept(self, key: Key, whole: bool = False) -> tuple[Kept, Kept]:
        """The rows and columns of a quantity that are written out."""
        rows, columns = self.shape(key)
        if whole or not self.abridged:
            return list(range(rows)), list(range(columns))
        return kept(rows, MOST_ROWS, ROWS), kept(columns, MOST_COLUMNS, COLUMNS)

    def written(self, key: Key) -> list[tuple[int, int]]:
        """The places of a quantity that are written out."""
        rows, columns = self._kept(key)
        return [(i, j) for i in rows if i is not None for j in columns if j is not None]

    def labelled(self, key: Key, *, decimal: bool = False, shaded: bool = False, whole: bool = False) -> n.Grid:
        """A quantity with its token labels; as decimals, tinted, and with nothing left out, where asked for."""
        rows, columns = self._kept(key, whole)

        def written(i: int, j: int) -> n.Notation:
            shown = self.plain.shown(key, i, j)
            return self.decimal(self.real(key, i, j)).notation if decimal and shown.exact else shown.notation

        beside, above = labels_of(self.solution.graph[key])
        labels = labels_kept(beside, rows), labels_kept(above, columns)
        shades: tuple[tuple[float, ...], ...] = ()
        if shaded and None not in (*rows, *columns) and not self.solution.is_symbolic(key):
            balls = self.solution.balls(first_precision(self.figures.digits))[key]
            assert balls is not None
            shades = tuple(tuple(min(1.0, max(0.0, float(x))) for x in row) for row in balls.rows)
        return n.Grid(corner(written, rows, columns), *labels, shades)

    def result(self, key: Key, row: int, column: int) -> Links:
        """= the exact value, ≈ its decimal where the exact one doesn't tell its size."""
        real = self.real(key, row, column)
        shown = self.plain.shown(key, row, column)
        if not shown.exact or self.solution.was_rounded(key, row, column):
            return (("≈", shown.notation),)
        if not self.figures.needs_decimal(real):
            return (("=", shown.notation),)
        decimal = self.decimal(real)
        return (("=", shown.notation), ("=" if decimal.exact else "≈", decimal.notation))

    def exact_inputs(self, key: Key, row: int, column: int) -> bool:
        """Whether the numbers that go into a cell are shown without rounding."""
        return all(self.numbers.shown(*cell).exact for cell in self.reads(Cell(key, row, column)))

    def trace(self, cells: Sequence[Cell]) -> dict[Key, list[Cell]]:
        """Every cell that some cells rest on, themselves included, by quantity."""
        found: dict[Key, list[Cell]] = {}
        waiting, seen = list(cells), set(cells)
        while waiting:
            cell = waiting.pop()
            found.setdefault(cell.key, []).append(cell)
            fresh = self.reads(cell)
            waiting += [read for read in fresh if read not in seen]
            seen.update(fresh)
        return {key: sorted(cells) for key, cells in found.items()}

    def reads(self, cell: Cell) -> tuple[Cell, ...]:
        """The cells that one is made from; remembered, since a cell's work and its result ask."""
        if cell not in self._reads:
            self._reads[cell] = self.solution.graph.reads(cell.key).at(cell.row, cell.column)
        return self._reads[cell]

    def sum_of(self, key: Key, places: Sequence[tuple[int, int]]) -> Real:
        """The sum of some entries: exact where it is symbolic, as a ball where it is numbers."""
        reals = [self.real(key, *place) for place in places]

        def ball_at(bits: int) -> Ball:
            return sum((real.ball_at(bits) for real in reals), ball(0))

        if not any(real.is_symbolic for real in reals):
            return Real(None, ball_at)
        try:
            return Real(closed.add([real.exact for real in reals]), ball_at)
        except Unavailable:
            return Real(sum(expression(real.exact) for real in reals), ball_at)


def labels_of(quantity: Quantity) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What stands beside the rows and above the columns; one vector needs no name beside it."""
    labels = quantity.rows.labels, quantity.columns.labels
    if not quantity.is_vector:
        return labels
    rows, columns = (() if len(side) == 1 else side for side in labels)
    return rows, columns


def labels_across(quantity: Quantity) -> tuple[str, ...]:
    """The tokens that the entries of one token's vector are about, such as those that it attends to."""
    return quantity.rows.labels if quantity.token_axis else quantity.columns.labels
