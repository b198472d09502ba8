"""The names of a claim: in which settings it is tried, and what they all come to in a setting, with letters or at a
point."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property

from attnsolve import notation as n
from attnsolve.algebra.cases import Assumptions
from attnsolve.algebra.declared import (
    Declared,
    Defined,
    Fixed,
    Free,
    Normal,
    Orthonormal,
    Permutation,
    Setting,
    Unknown,
    WholeNumber,
)
from attnsolve.algebra.duals import ONE as RISING
from attnsolve.algebra.duals import ZERO, Dual
from attnsolve.algebra.letters import Letter
from attnsolve.algebra.matrices import ANGLES, Rows, rotation
from attnsolve.algebra.quotients import Effort
from attnsolve.algebra.scalars import Field
from attnsolve.algebra.scopes import ExactScope, Places, PointScope, TableScope
from attnsolve.algebra.settings import Settings
from attnsolve.algebra.table import Element, ElementMatrix, TermError
from attnsolve.numbers.balls import ball
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.letters import Letters, spelled
from attnsolve.operations.number import ONE
from attnsolve.operations.place import whole


class Declarations:
    """The names of a claim, in the order in which they may refer to each other."""

    def __init__(self, names: Mapping[str, Declared], *, half_turns: bool = False) -> None:
        """Half turns are looked at by themselves only if that is asked for, for it takes more settings: what is
        continuous holds of them if it holds nearby."""
        self.names = dict(names)
        self.half_turns = half_turns
        self.effort = Effort()
        """What all exact settings together may cost."""

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The letters that stand for sizes, with the least value of each."""
        return {name: d.least for name, d in self.names.items() if isinstance(d, WholeNumber)}

    @cached_property
    def write(self) -> Letters:
        """How each name is written: vectors bold."""
        written = Letters()
        for name, declared in self.names.items():
            symbol = spelled(name)
            vector = isinstance(declared, Normal) or (
                isinstance(declared, Free) and (declared.is_row or declared.is_column)
            )
            written[name] = n.Sym(symbol.name, symbol.sub, vector=vector)
        return written

    def is_random(self, name: str) -> bool:
        """Whether a name stands for something drawn at random."""
        return isinstance(self.names[name], Normal)

    def behind(self, *terms: Formula) -> list[str]:
        """The names in some terms, and those behind their definitions."""
        waiting = [part.name for term in terms for part in term.walk() if isinstance(part, Ref)]
        found: list[str] = []
        while waiting:
            name = waiting.pop()
            if name not in found and name in self.names:
                found.append(name)
                parts = parts_of(self.names[name])
                waiting += [part.name for term in parts for part in term.walk() if isinstance(part, Ref)]
        return [name for name in self.names if name in found]

    # ── settings ────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def _settings(self) -> Settings:
        return Settings(self.names, self.sizes, half_turns=self.half_turns)

    def settings(self) -> Iterator[Setting]:
        """Small settings, to be worked out exactly: of their sizes nothing is left out."""
        yield from self._settings.complete

    def large_settings(self) -> Iterator[Setting]:
        """Settings to be tried at points: samples of small ones that are too many, and larger sizes."""
        yield from self._settings.samples
        yield from self._settings.larger()

    def far_settings(self) -> Iterator[Setting]:
        """Settings of many more sizes, for claims in which these count nothing."""
        yield from self._settings.far()

    # ── scopes ──────────────────────────────────────────────────────────────────────────────────

    def symbols(self, setting: Setting) -> dict[str, list[list[Letter]]]:
        """The symbols that each free name is made of; of an orthonormal matrix, those that say how it is turned."""
        scope = Places({}, setting.places, 1, {})
        made: dict[str, list[list[Letter]]] = {}
        for name, declared in self.names.items():
            match declared:
                case Unknown(assumption=assumption):
                    made[name] = [[Letter(name, assumption)]]
                case Free(rows=rows, columns=columns, assumption=assumption):
                    made[name] = _entries(name, whole(rows, scope), whole(columns, scope), assumption)
                case Normal(size=size):
                    made[name] = _entries(name, whole(size, scope), 1, "real")
                case Orthonormal(size=size) if angles := ANGLES.get(whole(size, scope)):
                    made[name] = _entries(name, 1, angles, "real")
        return made

    def exact(
        self, setting: Setting, case: Assumptions | None = None, used: Collection[str] | None = None
    ) -> ExactScope:
        """Every free entry a symbol, or what it is in a case; with those definitions only that are used.

        A definition that is not used must not be worked out: its roots would say of letters that they are not negative.
        """
        case = case or self.case
        symbols = self.symbols(setting)
        ring = Field(self.letters(setting), self.effort)
        sealed = [s for name in symbols if self._is_sealed(name) for row in symbols[name] for s in row]
        turned = [name for name in symbols if isinstance(self.names[name], Orthonormal) and not self.half_turns]
        turning = frozenset(s for name in turned for row in symbols[name] for s in row)
        scope = ExactScope({}, setting.places, 1, {}, ring, case.signs(ring, sealed), turning)
        self._fill(scope, setting, lambda symbol: case.value(ring, symbol), used)
        return scope

    @property
    def case(self) -> Assumptions:
        """What is assumed of the letters from the beginning."""
        scalars = {name: d for name, d in self.names.items() if isinstance(d, Unknown) and d.least is not None}
        return Assumptions(at_least={Letter(name, d.assumption): d.least or 0 for name, d in scalars.items()})

    def _is_sealed(self, name: str) -> bool:
        """Whether no case may be made of the letters of a name: single values of what is random say nothing about its
        mean, and the half turns are no value of the numbers that say how a matrix is turned."""
        return isinstance(self.names[name], Normal | Orthonormal)

    def at_point(
        self,
        setting: Setting,
        point: Mapping[Letter, Fraction],
        used: Collection[str] | None = None,
        varied: tuple[Letter, ...] = (),
    ) -> PointScope:
        """Every free entry a number, which knows how it changes with some letters."""

        def number(symbol: Letter) -> Element:
            value: Element = ball(point[symbol])
            for letter in varied:
                value = Dual(value, RISING if letter == symbol else ZERO)
            return value

        @cache
        def varying(letter: Letter) -> PointScope:
            return self.at_point(setting, point, (), (*varied, letter))

        def vary(letter: Letter, term: Formula) -> PointScope:
            self.define(varying(letter), self.behind(term))
            return varying(letter)

        scope = PointScope({}, setting.places, 1, {}, vary)
        self._fill(scope, setting, number, used)
        return scope

    def letters(self, setting: Setting) -> list[Letter]:
        """The letters of all free entries."""
        return [letter for rows in self.symbols(setting).values() for row in rows for letter in row]

    def values(self, setting: Setting, point: Mapping[Letter, Fraction]) -> dict[str, Rows]:
        """What every free or picked name is at a point."""
        found: dict[str, Rows] = {}
        for name, rows in self.symbols(setting).items():
            found[name] = tuple(tuple(point[letter] for letter in row) for row in rows)
        for name, selected in setting.selected.items():
            if isinstance(self.names[name], Orthonormal):
                angles = [angle for row in found.get(name, ()) for angle in row]
                selected = tuple(map(tuple, _turned(selected, angles, Fraction).rows))
            found[name] = selected
        return found

    def _table(self, name: str, rows: Sequence[Sequence[Element]]) -> ElementMatrix:
        """The entries of a name as a table that knows if it is a row or a column."""
        match self.names[name]:
            case Free() as free:
                return ElementMatrix(rows, row=free.is_row, column=free.is_column)
            case Fixed():
                return ElementMatrix(rows, row=len(rows) == 1, column=len(rows[0]) == 1)
            case Normal(size=size):
                return ElementMatrix(rows, row=size == ONE, column=True)
            case Unknown():
                return ElementMatrix(rows, row=True, column=True)
        return ElementMatrix(rows)

    def _fill(
        self,
        scope: TableScope,
        setting: Setting,
        make: Callable[[Letter], Element],
        used: Collection[str] | None = None,
    ) -> None:
        scope.letters = {name: self._table(name, rows) for name, rows in self.symbols(setting).items()}
        free = {name: letters.each(make) for name, letters in scope.letters.items()}
        for name, declared in self.names.items():
            match declared:
                case Permutation():
                    scope.values[name] = ElementMatrix(setting.selected[name]).each(scope.number)
                case Orthonormal():
                    angles = free[name].entries if name in free else []
                    scope.values[name] = _turned(setting.selected[name], angles, scope.number)
                case Fixed(rows=rows):
                    scope.values[name] = self._table(name, rows).each(scope.number)
                case Unknown() | Free():
                    scope.values[name] = free[name]
                case Normal(mean=mean, deviation=deviation):
                    scope.values[name] = free[name]
                    if isinstance(scope, ExactScope):
                        scope.draw(name, self.symbols(setting)[name], mean, deviation)
                case Defined():
                    self.define(scope, [name] if used is None or name in used else [])

    def define(self, scope: TableScope, used: Iterable[str]) -> None:
        """Work out what some definitions stand for, unless a scope has them already."""
        for name in used:
            declared = self.names[name]
            if isinstance(declared, Defined) and name not in scope.values:
                scope.values[name] = scope.evaluate(declared.term)


def parts_of(declared: Declared) -> list[Formula]:
    """The terms that a declaration is made from."""
    return [part for part in declared.__dict__.values() if isinstance(part, Formula)]


def _entries(name: str, rows: int, columns: int, assumption: str) -> list[list[Letter]]:
    if rows < 1 or columns < 1:
        raise TermError(f"{name} would have {rows} rows and {columns} columns")
    return [[Letter(f"{name}[{i},{j}]", assumption) for j in range(1, columns + 1)] for i in range(1, rows + 1)]


def _turned(frame: Rows, angles: Sequence[Element], number: Callable[[Fraction | int], Element]) -> ElementMatrix:
    """An orthonormal matrix: a rotation times what was picked."""
    selected = ElementMatrix(frame).each(number)
    return rotation(len(frame), angles, number(1)) @ selected if angles else selected
