"""A problem worked out: the exact values, the certified decimals on demand, and the checks held against them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING

from attnsolve.bounds import digits as checked_digits
from attnsolve.errors import RequestError, UnsolvableError
from attnsolve.graph import Cell, Graph, Quantity, run
from attnsolve.key import Key
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import Ball, Balls, at_precision, ball, is_narrow, whole
from attnsolve.numbers.closed import expression, is_unwieldy
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.surds import Entry
from attnsolve.numbers.written import Figures, Real, exact_text
from attnsolve.record import Record, record
from attnsolve.solution.computed import Computed, Texts, shape_of
from attnsolve.spec.problem import Problem

if TYPE_CHECKING:
    import sympy

    from attnsolve.graph.mistakes import Slip
    from attnsolve.numbers.floats import Array
    from attnsolve.solution.limits import LimitCase

FLOAT_BITS = 128
"""Precision that is ample for the nearest float64."""


class Solution(Computed["Value"]):
    """The values of every quantity. `solution["queries"]`; with several heads, `solution["queries", "0"]`."""

    def __init__(self, problem: Problem, graph: Graph) -> None:
        super().__init__(problem, graph)
        self._balls: dict[int, dict[Key, Balls | None]] = {}
        self._behind: dict[Cell, frozenset[Cell]] = {}
        self._reals: dict[tuple[Key, int, int], Real] = {}
        self._unrounded: dict[Key, list[list[Real]]] = {}
        self._rounds = problem.rounding is not None and problem.rounding.each_step
        self.exact: dict[Key, Exact] = {}
        """Every quantity, exact cell by cell: what has no closed form is None there."""
        for key, exact in run(graph, Exact, after=self._carried).items():
            assert exact is not None
            self.exact[key] = exact
        self.unrounded = self._true()
        """What every rounded result is held against."""

    def value(self, quantity: Quantity) -> Value:
        """A quantity in whichever form is wanted."""
        return Value(self, quantity)

    def balls(self, bits: int) -> dict[Key, Balls | None]:
        """Every quantity as balls at one precision; kept, since every cell of a step asks for the same."""
        if bits not in self._balls:
            with at_precision(bits):
                decided = [q.key for q in self.graph if q.formula.decides and self.exact[q.key].is_whole]
                known = {key: Balls.of(self.exact[key].rows) for key in (*self._unrounded, *decided)}
                self._balls[bits] = run(self.graph, Balls, instead=known)
        return self._balls[bits]

    def _carried(self, quantity: Quantity, value: Exact | None, before: Mapping[Key, Exact | None]) -> Exact:
        """A result as it is gone on with."""
        assert value is not None
        if quantity.formula.decides:
            return value if value.is_whole else self._decided(quantity, before)
        return self._round(quantity, value, before) if self._rounds else value

    def _decided(self, quantity: Quantity, before: Mapping[Key, Exact | None]) -> Exact:
        """Whole numbers that hang on which of some numbers are larger, where those have no closed form: from balls that
        grow until they part."""
        for bits in (FLOAT_BITS, 512, 2048):
            decided = {k: x for k, x in before.items() if x is not None and self.graph[k].formula.decides}
            with at_precision(bits):
                instead = {k: Balls.of(x.rows) for k, x in decided.items() if x.is_whole}
                found = run(self.graph, Balls, instead=instead, only=[*before, quantity.key])[quantity.key]
                numbers = [] if found is None else [[whole(x) for x in row] for row in found.rows]
            if numbers and all(x is not None for row in numbers for x in row):
                return Exact([[Fraction(x) for x in row if x is not None] for row in numbers])
        raise UnsolvableError(
            f"{quantity.key} can't be decided: some of the numbers that it compares agree in all digits that were tried"
        )

    def _round(self, quantity: Quantity, value: Exact, before: Mapping[Key, Exact | None]) -> Exact:
        """A result as a person with a pencil carries it on: to so many places, and exact from there. What has no closed
        form is rounded from its balls, which prove the rounded one."""
        assert self.problem.rounding is not None
        places = self.problem.rounding.places_of(quantity.key.id, inner=self.graph.is_inner(quantity.key))
        if places is None:
            return value
        (rows, columns), balls = quantity.shape, self._balls_from(quantity.key, before)
        cells = value.rows
        reals = [[Real(cells[i][j], partial(balls, i, j)) for j in range(columns)] for i in range(rows)]
        if any(real.is_symbolic for row in reals for real in row):
            return value
        self._unrounded[quantity.key] = reals
        return Exact([[_rounded(real, places) for real in row] for row in reals])

    def _balls_from(self, key: Key, before: Mapping[Key, Exact | None]) -> Callable[[int, int, int], Ball]:
        """A result in balls at any precision, from the rounded ones that it was worked out from."""
        kept = [k for k in before if k in self._unrounded or self.graph[k].formula.decides]
        carried = {k: exact.rows for k in kept if (exact := before[k]) is not None}
        found: dict[int, Balls | None] = {}

        def ball_at(row: int, column: int, bits: int) -> Ball:
            if bits not in found:
                with at_precision(bits):
                    instead = {k: Balls.of(rows) for k, rows in carried.items()}
                    found[bits] = run(self.graph, Balls, instead=instead, only=[*before, key])[key]
            balls = found[bits]
            if balls is None:
                raise Unavailable
            return balls.table[row, column]

        return ball_at

    def was_rounded(self, key: Key, row: int, column: int) -> bool:
        """Whether an entry was rounded before it was carried on."""
        before = self._unrounded.get(key)
        return before is not None and self.exact[key].rows[row][column] != before[row][column].exact

    def before_rounding(self, key: Key) -> list[list[float]]:
        """A step's own result as float64, before it was rounded to be carried on."""
        if key not in self._unrounded:
            return self._quickly(key)
        return [[real.nearest_float() for real in row] for row in self._unrounded[key]]

    def _quickly(self, key: Key) -> list[list[float]]:
        """The same to within float64's own rounding, which is faster: from balls at one precision where these are
        narrow."""
        balls = self.balls(FLOAT_BITS)[key]
        if balls is None:
            return self.floats(key)
        return [
            [float(x) if is_narrow(x) else self.real(key, i, j).nearest_float() for j, x in enumerate(row)]
            for i, row in enumerate(balls.rows)
        ]

    def floats(self, key: Key) -> list[list[float]]:
        """A quantity as float64, each entry the nearest to its true value."""
        rows, columns = self.graph[key].shape
        return [[self.real(key, i, j).nearest_float() for j in range(columns)] for i in range(rows)]

    def _true(self) -> Solution:
        """The same problem with nothing rounded on the way."""
        if not self._unrounded:
            return self
        try:
            return Solution(replace(self.problem, rounding=None), self.graph)
        except UnsolvableError as error:
            raise UnsolvableError(f"this has an answer only because of rounding: without it, {error}") from None

    def real(self, key: Key, row: int, column: int) -> Real:
        """One entry; kept, since the work, the matrices and the checks all ask for the same ones."""
        place = (key, row, column)
        if place not in self._reals:
            self._reals[place] = self._real(key, row, column)
        return self._reals[place]

    def _real(self, key: Key, row: int, column: int) -> Real:
        return Real(self.exact[key].rows[row][column], partial(self._ball, key, row, column))

    def _ball(self, key: Key, row: int, column: int, bits: int) -> Ball:
        balls, exact = self.balls(bits)[key], self.exact[key].rows[row][column]
        if balls is not None:
            return balls.table[row, column]
        if exact is None:
            raise Unavailable
        return ball(exact)

    def behind(self, cell: Cell) -> frozenset[Cell]:
        """Every entry that one rests on, however far back; kept, since whole classes are asked about the same ones."""
        if cell not in self._behind:
            reads = self.graph.reads(cell.key).at(cell.row, cell.column)
            self._behind[cell] = frozenset(reads).union(*map(self.behind, reads))
        return self._behind[cell]

    def figures(self, digits: int | None = None) -> Figures:
        """How numbers are shown."""
        rounding = self.problem.rounding
        return Figures(
            digits or self.problem.digits, self.problem.style, rounding.places if rounding and not digits else None
        )

    def is_symbolic(self, key: Key) -> bool:
        """Whether a quantity has no numbers until a symbol gets a value."""
        return bool(self.problem.symbols) and self.balls(FLOAT_BITS)[key] is None

    def refuse_letters(self) -> None:
        """Refuse letters where a formula needs numbers. And a quantity with letters in it has no decimals: if its
        closed form is too long, nothing can be shown."""
        for quantity in self.graph if self.problem.symbols else ():
            if (why := quantity.formula.needs_numbers) and any(map(self.is_symbolic, quantity.formula.leaves())):
                raise UnsolvableError(f"{why}: give {', '.join(self.problem.symbols)} a value")
            if not self.exact[quantity.key].is_whole and self.is_symbolic(quantity.key):
                letters = ", ".join(self.problem.symbols)
                raise UnsolvableError(
                    f"{quantity.key} is too long to write out with letters ({letters}) in it; give some of them values"
                )

    @cached_property
    def slips(self) -> list[Slip]:
        """The mistakes that can be made in it."""
        from attnsolve.graph.mistakes import slips

        return slips(self.graph)

    @cached_property
    def limit_cases(self) -> tuple[LimitCase, ...]:
        """Where weights and outputs go when the problem's symbols tend to their limits, in every case of the others."""
        if not self.problem.limits:
            return ()
        from attnsolve.solution.limits import limits_of

        last = {q.key.case: q.key for q in self.graph}.values()
        wanted = [q.key for q in self.graph if q.key.id in ("weights", "context") or q.key in last]
        cells = {key: exact.rows for key in wanted if (exact := self.exact[key]).is_whole}
        return limits_of(cells, self.problem.limits, [*self.problem.symbols.values()])


def _rounded(real: Real, places: int) -> Entry | None:
    return real.exact if real.is_infinite else real.to_places(places).fraction


@record
class Value(Record):
    """One quantity of a solution, in whichever form is wanted."""

    solution: Solution
    quantity: Quantity

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns; of a vector, its length."""
        return shape_of(self.quantity)

    @property
    def exact(self) -> sympy.ImmutableMatrix | None:
        """The exact matrix, or None where some entry has no closed form that is kept."""
        exact = self.solution.exact[self.quantity.key]
        if not exact.is_whole or any(is_unwieldy(x) for row in exact.rows for x in row):
            return None
        import sympy

        return sympy.ImmutableMatrix([[expression(x) for x in row] for row in exact.rows])

    @property
    def exact_text(self) -> Texts | None:
        """The exact entries as text; None where one of them has no closed form short enough to read."""
        exact = self.solution.exact[self.quantity.key]
        texts = [[exact_text(x, self.solution.problem.style) for x in row] for row in exact.rows]
        known = [[text for text in row if text is not None] for row in texts]
        return self._shaped(known) if known == texts else None

    def decimals(self, digits: int | None = None) -> Texts | None:
        """Every entry to so many significant digits, all proven; None for a symbolic quantity."""
        if self.solution.is_symbolic(self.quantity.key):
            return None
        figures = self.solution.problem.digits if digits is None else checked_digits(digits, f"decimals({digits!r})")
        rows, columns = self.quantity.shape
        reals = [[self.solution.real(self.quantity.key, i, j) for j in range(columns)] for i in range(rows)]
        return self._shaped([["-inf" if x.is_infinite else str(x.decimal(figures)) for x in row] for row in reals])

    @property
    def decimal(self) -> Texts | None:
        """Every entry to the problem's number of digits."""
        return self.decimals()

    @property
    def array(self) -> Array:
        """The entries as float64, each the nearest float to the true value."""

        import numpy as np

        if self.solution.is_symbolic(self.quantity.key):
            raise RequestError(f"{self.quantity.key} depends on a symbol and has no numbers")
        array: Array = np.array(self.solution.floats(self.quantity.key))
        return array.ravel() if self.quantity.is_vector else array

    def _shaped(self, rows: list[list[str]]) -> Texts:
        return [x for row in rows for x in row] if self.quantity.is_vector else rows
