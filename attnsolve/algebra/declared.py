"""What the names of a claim stand for, and the settings in which a claim is tried: sizes, permutations, points."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product

import sympy

from attnsolve import notation as n
from attnsolve.algebra.scalars import Field
from attnsolve.algebra.table import Element, Table, TermError
from attnsolve.algebra.terms import Number, Scope, Term, spelled, whole
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import ball
from attnsolve.record import Record

Rows = tuple[tuple[Fraction, ...], ...]

MOST_SYMBOLS, MOST_GIVEN = 20, 120
"""Symbols in one setting that is worked out exactly, among several and where all sizes are given; larger ones are left
to the points."""
MOST_SETTINGS = 6
"""Combinations of sizes."""
MOST_OPTIONS = 6
"""Ways to place indices and permutations, of each combination of sizes."""
MOST_PLACES = 64
"""The same where all sizes are given."""
LARGEST_SIZE = 8


@dataclass(frozen=True, eq=False, repr=False)
class Declared(Record):
    """Anything that a name may stand for."""


@dataclass(frozen=True, eq=False, repr=False)
class Scalar(Declared):
    """A number nobody knows: real, positive …"""

    assumption: str = "real"


@dataclass(frozen=True, eq=False, repr=False)
class Size(Declared):
    """A whole number, at least `least`."""

    least: int = 1


@dataclass(frozen=True, eq=False, repr=False)
class Index(Declared):
    """A place, from 1 to a size; it may be told to differ from others."""

    size: Term
    unlike: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Free(Declared):
    """A matrix of any entries; a vector has one column."""

    rows: Term
    columns: Term
    assumption: str = "real"


@dataclass(frozen=True, eq=False, repr=False)
class Permutation(Declared):
    """A permutation matrix."""

    size: Term


@dataclass(frozen=True, eq=False, repr=False)
class Orthonormal(Declared):
    """A square matrix whose rows are orthonormal."""

    size: Term


@dataclass(frozen=True, eq=False, repr=False)
class Normal(Declared):
    """A vector of independent normal entries with one mean and one standard deviation."""

    mean: Term
    deviation: Term
    size: Term


@dataclass(frozen=True, eq=False, repr=False)
class Fixed(Declared):
    """Given numbers."""

    rows: Rows


@dataclass(frozen=True, eq=False, repr=False)
class Defined(Declared):
    """What a term says."""

    term: Term


@dataclass(frozen=True)
class Setting:
    """Sizes and indices, and the matrices that are picked and not left free."""

    places: Mapping[str, int]
    picked: Mapping[str, Rows] = field(default_factory=dict)
    letters: tuple[str, ...] = ()
    """Which of the places are sizes."""


class Declarations:
    """The names of a claim, in the order in which they may refer to each other."""

    def __init__(self, names: Mapping[str, Declared]) -> None:
        self.names = dict(names)

    def including(self, names: Mapping[str, Declared]) -> Declarations:
        """These and some more."""
        return Declarations({**self.names, **names})

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The letters that stand for sizes, with the least value of each."""
        return {name: d.least for name, d in self.names.items() if isinstance(d, Size)}

    @cached_property
    def write(self) -> dict[str, n.Notation]:
        """How each name is written: vectors bold."""
        written: dict[str, n.Notation] = {}
        for name, declared in self.names.items():
            symbol = spelled(name)
            vector = isinstance(declared, Normal) or (
                isinstance(declared, Free) and ONE in (declared.rows, declared.columns)
            )
            written[name] = n.Sym(symbol.name, symbol.sub, vector=vector)
        return written

    def is_random(self, name: str) -> bool:
        """Whether a name stands for something drawn at random."""
        return isinstance(self.names[name], Normal)

    # ── settings ────────────────────────────────────────────────────────────────────────────────

    def settings(self) -> Iterator[Setting]:
        """Small settings, to be worked out exactly, smallest first; every permutation of the small ones."""
        rng = random.Random(1)
        most = MOST_SYMBOLS if self.sizes else MOST_GIVEN
        chosen = [places for places in self._places(range(4)) if self._symbols_needed(places) <= most]
        for places in chosen[:MOST_SETTINGS]:
            options = list(self._options(places, rng))
            most = MOST_OPTIONS if self.sizes else MOST_PLACES
            yield from options if len(options) <= most else rng.sample(options, most)

    def large_settings(self) -> Iterator[Setting]:
        """Larger settings, to be tried at points. Without size letters there is only the one that is given, if that is
        too large to be worked out."""
        rng = random.Random(7)
        large = self._places(range(4, LARGEST_SIZE)) if self.sizes else self._places(range(1))
        for places in list(large)[:2]:
            if self.sizes or self._symbols_needed(places) > MOST_GIVEN:
                yield rng.choice(list(self._options(places, rng)))

    def _places(self, steps: range) -> Iterator[dict[str, int]]:
        """Values of the sizes, each letter's own if possible: n = 2, d = 3 finds more mistakes than n = d = 2."""
        letters = list(self.sizes)
        combined = [
            {letter: self.sizes[letter] + step for letter, step in zip(letters, taken, strict=True)}
            for taken in product(steps, repeat=len(letters))
        ]
        combined.sort(key=lambda places: (len(places) - len({*places.values()}), sum(places.values())))
        if len(letters) > 1:
            combined = [*combined[: MOST_SETTINGS // 2], *combined]
        seen: list[dict[str, int]] = []
        for places in combined:
            if places not in seen:
                seen.append(places)
        yield from seen

    def _indexed(self, places: Mapping[str, int]) -> list[dict[str, int]]:
        """Every way to place the indices."""
        found = [dict(places)]
        for name, declared in self.names.items():
            if isinstance(declared, Index):
                size = whole(declared.size, _Places({}, places))
                found = [
                    {**taken, name: i}
                    for taken in found
                    for i in range(1, size + 1)
                    if i not in (taken[other] for other in declared.unlike)
                ]
        return found

    def _symbols_needed(self, places: Mapping[str, int]) -> int:
        scope = _Places({}, places)
        count = 0
        for declared in self.names.values():
            if isinstance(declared, Free):
                count += whole(declared.rows, scope) * whole(declared.columns, scope)
            elif isinstance(declared, Normal):
                count += whole(declared.size, scope)
            count += isinstance(declared, Scalar)
        return count

    def _options(self, places: Mapping[str, int], rng: random.Random) -> Iterator[Setting]:
        """The settings of some sizes: every permutation of up to three things, some of more; every way to index."""
        scope = _Places({}, places)
        choices: dict[str, list[Rows]] = {}
        for name, declared in self.names.items():
            if isinstance(declared, Permutation):
                size = whole(declared.size, scope)
                orders = permutations(range(size)) if size <= 3 else (rng.sample(range(size), size) for _ in range(3))
                choices[name] = [permutation_matrix(tuple(order)) for order in orders]
            elif isinstance(declared, Orthonormal):
                choices[name] = [orthonormal(whole(declared.size, scope), rng)]
        for indexed, picked in product(self._indexed(places), product(*choices.values())):
            yield Setting(indexed, dict(zip(choices, picked, strict=True)), tuple(self.sizes))

    # ── scopes ──────────────────────────────────────────────────────────────────────────────────

    def symbols(self, setting: Setting) -> dict[str, list[list[sympy.Symbol]]]:
        """The symbols that each free name is made of."""
        scope = _Places({}, setting.places)
        made: dict[str, list[list[sympy.Symbol]]] = {}
        for name, declared in self.names.items():
            match declared:
                case Scalar(assumption=assumption):
                    made[name] = [[sympy.Symbol(name, **{assumption: True})]]
                case Free(rows=rows, columns=columns, assumption=assumption):
                    made[name] = _entries(name, whole(rows, scope), whole(columns, scope), assumption)
                case Normal(size=size):
                    made[name] = _entries(name, whole(size, scope), 1, "real")
        return made

    def exact(self, setting: Setting) -> ExactScope:
        """Every free entry a symbol."""
        symbols = self.symbols(setting)
        home = Field(symbol for rows in symbols.values() for row in rows for symbol in row)
        scope = ExactScope({}, setting.places, home)
        self._fill(scope, setting, {name: Table(rows).each(home.symbol) for name, rows in symbols.items()})
        for name, declared in self.names.items():
            if isinstance(declared, Normal):
                mean, deviation = (t.evaluate(scope).number.function for t in (declared.mean, declared.deviation))
                home.normal |= {row[0]: (mean, deviation) for row in symbols[name]}
        return scope

    def at_point(self, setting: Setting, point: Mapping[sympy.Symbol, Fraction]) -> PointScope:
        """Every free entry a number."""
        scope = PointScope({}, setting.places)
        symbols = self.symbols(setting)
        self._fill(scope, setting, {name: Table(rows).each(lambda s: ball(point[s])) for name, rows in symbols.items()})
        return scope

    def point(self, setting: Setting, rng: random.Random, *, plain: bool) -> dict[sympy.Symbol, Fraction]:
        """A value for every free entry; `plain` ones are small whole numbers, different ones as far as they go."""
        symbols = [s for rows in self.symbols(setting).values() for row in rows for s in row]
        if not plain:
            return {symbol: _fitting(symbol, Fraction(rng.randint(-30, 30), rng.randint(7, 16))) for symbol in symbols}
        values: list[Fraction] = []
        while len(values) < len(symbols):
            values += (Fraction(x) for x in rng.sample(range(-2, 4), 6))
        return {symbol: _fitting(symbol, value) for symbol, value in zip(symbols, values, strict=False)}

    def _fill(self, scope: Scope, setting: Setting, free: Mapping[str, Table]) -> None:
        for name, declared in self.names.items():
            match declared:
                case Permutation() | Orthonormal():
                    scope.values[name] = Table(setting.picked[name]).each(scope.number)
                case Fixed(rows=rows):
                    scope.values[name] = Table(rows).each(scope.number)
                case Defined(term=term):
                    scope.values[name] = term.evaluate(scope)
                case Scalar() | Free() | Normal():
                    scope.values[name] = free[name]


ONE = Number(Fraction(1))


class _Places(Scope):
    """The least of a scope: sizes and indices."""

    def number(self, value: Fraction | int) -> Element:
        """A rational number."""
        return value


@dataclass
class ExactScope(Scope):
    """Terms worked out with symbols."""

    home: Field

    def number(self, value: Fraction | int) -> Element:
        """A rational number."""
        return self.home.number(Fraction(value))

    def apply(self, function: str, argument: Element) -> Element:
        """A function of a scalar."""
        return _call(argument, {**_FUNCTIONS, "E": "expectation"}.get(function))

    def limit(self, symbol: str, to: Term, value: Element) -> Element:
        """The limit that sympy finds."""
        from attnsolve.algebra.limits import limit

        return limit(self, symbol, to, value)


class PointScope(Scope):
    """Terms worked out in balls."""

    def number(self, value: Fraction | int) -> Element:
        """A rational number."""
        return ball(Fraction(value))

    def apply(self, function: str, argument: Element) -> Element:
        """A function of a ball, where it is defined."""
        result = _call(argument, {**_FUNCTIONS, "abs": "__abs__"}.get(function))
        if not result.is_finite():
            raise Unavailable
        return result


_FUNCTIONS = {"exp": "exp", "ln": "log", "sqrt": "sqrt", "tanh": "tanh"}


def _call(argument: Element, method: str | None) -> Element:
    if method is None:
        raise Unavailable
    return getattr(argument, method)()


def permutation_matrix(order: tuple[int, ...]) -> Rows:
    """The matrix that puts row order[i] in place i."""
    return tuple(tuple(Fraction(int(j == i)) for j in range(len(order))) for i in order)


def orthonormal(size: int, rng: random.Random) -> Rows:
    """A rational matrix with exactly orthonormal rows: one reflection after another, I − 2 v vᵀ / vᵀv each."""
    first, second = (Table(_reflection(size, rng)) for _ in range(2))
    return tuple(tuple(row) for row in (first @ second).rows)


def _reflection(size: int, rng: random.Random) -> list[list[Fraction]]:
    v = [Fraction(rng.choice((-2, -1, 1, 2))) for _ in range(size)]
    length = sum(x * x for x in v)
    return [[Fraction(int(i == j)) - 2 * v[i] * v[j] / length for j in range(size)] for i in range(size)]


def _entries(name: str, rows: int, columns: int, assumption: str) -> list[list[sympy.Symbol]]:
    if rows < 1 or columns < 1:
        raise TermError(f"{name} would have {rows} rows and {columns} columns")
    return [
        [sympy.Symbol(f"{name}[{i},{j}]", **{assumption: True}) for j in range(1, columns + 1)]
        for i in range(1, rows + 1)
    ]


def _fitting(symbol: sympy.Symbol, value: Fraction) -> Fraction:
    """A value as near as the symbol may come to it."""
    if symbol.is_positive:
        return abs(value) or Fraction(1)
    return abs(value) if symbol.is_nonnegative else value
