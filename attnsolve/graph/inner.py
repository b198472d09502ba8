"""A graph in which some steps are expanded, so that what is inside them can be asked for: exponentials and their sums
in place of a softmax, the products behind a score beside it. These are quantities like any other, made from the step's
own definition; only those that are asked for are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from attnsolve.graph import Axis, Graph, Name, Quantity
from attnsolve.graph.places import Inner, inner_of
from attnsolve.key import Key
from attnsolve.library.inside import TITLES
from attnsolve.operations.formula import Formula, Ref
from attnsolve.record import Record, record

LETTERS = {
    "exponentials": ("E", "P", "F"),
    "sums": ("Z", "D", "N"),
    "maxima": ("m", "t", "g"),
    "shifted": ("S'",),
    "products": ("p", "t", "f"),
    "weighted": ("U", "T", "G"),
    "means": ("mu", "m"),
    "centred": ("D", "C", "G"),
    "variances": ("v", "w"),
    "deviations": ("s", "r"),
    "mean_squares": ("q", "p"),
    "rms": ("r", "s"),
    "normalised": ("Z", "U"),
}
"""How they are written: with the first of these letters that the sheet doesn't use itself."""
CAPITAL = ("exponentials", "sums")
"""What keeps its capital in single entries: e is Euler's number there."""
BY_TOKEN = ("sums", "maxima", "means", "variances", "deviations", "mean_squares", "rms")
"""Quantities with one number for each token."""


@record
class Expansion(Record):
    """A graph before any of its steps was expanded, the names under which something inside was asked for, and what of
    it is given."""

    unexpanded: Graph
    names: tuple[str, ...] = ()
    given: Mapping[Key, Formula] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)
    """The letters that the sheet chooses, by id."""


def expanded(graph: Graph, names: Iterable[str]) -> Graph:
    """The graph with whatever inside its steps some names mean; the same graph where they mean nothing there."""
    new = [name for name in names if isinstance(found := inner_of(graph, name), list) and found]
    before = graph.expansion or Expansion(graph)
    if not set(new) - set(before.names):
        return graph
    return expand(replace(before, names=tuple(dict.fromkeys([*before.names, *new]))))


def expand(expansion: Expansion) -> Graph:
    """The graph that an expansion leads to."""
    return _Expander(expansion).graph()


class _Expander:
    def __init__(self, expansion: Expansion) -> None:
        self.expansion = expansion
        self.unexpanded = expansion.unexpanded
        self.wanted: dict[Key, Inner] = {}
        self.names: dict[Key, set[str]] = {}
        for name in expansion.names:
            found = inner_of(self.unexpanded, name)
            for inner in () if isinstance(found, str) else found:
                self.wanted[inner.key] = inner
                self.names.setdefault(inner.key, set()).add(name)
        self.quantities: dict[Key, Quantity] = {}
        self.used = {_plain(q.name.letter) for q in self.unexpanded if "." not in q.key.id}
        self.chosen: dict[str, str] = {}

    def graph(self) -> Graph:
        for step in self.unexpanded:
            inside = [inner for inner in self.wanted.values() if inner.step.key == step.key]
            given = {name: key for name in step.formula.inside() if (key := self._given(step, name)) is not None}
            if given or any(not inner.places for inner in inside):
                self._expand(step, given)
            else:
                self.quantities.setdefault(step.key, step)
            for inner in inside:
                if inner.places:
                    self._add_terms(inner)
        return replace(self.unexpanded, quantities=self.quantities, expansion=self.expansion)

    def _given(self, step: Quantity, name: str) -> Key | None:
        """What is given of a stage of a step: for it alone, or for all heads together."""
        keys = (Key(f"{step.key.id}.{name}", at) for at in (step.key.at, ()))
        return next((key for key in keys if key in self.expansion.given), None)

    def _expand(self, step: Quantity, given: Mapping[str, Key]) -> None:
        """A step as its stages, as far as they are asked for or given; the others stay inside of what they go into."""
        alone = step.token_count == 1
        known: dict[Key, Formula] = dict(step.formula.entering)
        for name, stage in step.formula.inside(step.token_axis == 1, alone).items():
            key, formula = Key(f"{step.key.id}.{name}", step.key.at), stage.put(known)
            if not name:
                self.quantities[step.key] = replace(
                    step, formula=formula.with_whole_step(None if given else step.formula)
                )
            elif name in given:
                key = given[name]
                self.quantities[key] = self._stage(step, name, key, self.expansion.given[key])
                known[Key(name)] = Ref(key)
            elif key in self.wanted:
                self.quantities[key] = self._stage(step, name, key, formula)
                known[Key(name)] = Ref(key)
            else:
                known[Key(name)] = formula

    def _stage(self, step: Quantity, name: str, key: Key, formula: Formula) -> Quantity:
        rows, columns, shape = step.rows, step.columns, step.shape
        if name in BY_TOKEN:
            rows, columns = (Axis(), columns) if step.token_axis else (rows, Axis())
            shape = (1, shape[1]) if step.token_axis else (shape[0], 1)
        elif shape != (inner := self.unexpanded[step.formula.scored()]).shape:
            rows, columns, shape = inner.rows, inner.columns, inner.shape
        return Quantity(
            key,
            self._name(step, name, key),
            formula,
            shape,
            rows,
            columns,
            step.token_axis,
            title=TITLES[name],
            why=formula.does,
            aliases=self._aliases(key),
        )

    def _add_terms(self, inner: Inner) -> None:
        """What is seen in one place of a step."""
        step, formula = inner.step, inner.step.formula.terms_inside(inner.name, inner.places)
        assert formula is not None
        shape, index = formula.shape(self.unexpanded), ",".join(str(place + 1) for place in inner.places)
        at = index if step.key.head is None else f"{step.key.head},{index}"
        letter = self._letter(inner.name)
        if inner.name == "products":
            name = Name(letter, index, vector=True) if step.key.head is None else Name(letter, head=at, vector=True)
            made = Quantity(inner.key, name, formula, shape)
        else:
            name = Name(letter, head=at)
            across = self._tokens_of(formula, shape[step.token_axis])
            rows, columns = (Axis(), across) if step.token_axis else (across, Axis())
            made = Quantity(inner.key, name, formula, shape, rows, columns, step.token_axis)
        aliases = self._aliases(inner.key)
        self.quantities[inner.key] = replace(made, title=TITLES[inner.name], aliases=aliases)

    def _tokens_of(self, formula: Formula, size: int) -> Axis:
        """The tokens whose values are weighted."""
        axes = [axis for key in formula.leaves() for q in [self.unexpanded[key]] for axis in (q.rows, q.columns)]
        return next((axis for axis in axes if axis.tokens and len(axis.labels) == size), Axis())

    # ── how they are written ────────────────────────────────────────────────────────────────────

    def _aliases(self, key: Key) -> frozenset[str]:
        return frozenset(self.names.get(key, ()))

    def _name(self, step: Quantity, name: str, key: Key) -> Name:
        head = step.name.head if key.at else None
        scores = step.formula.scored()
        if name == "shifted" and key.id not in self.expansion.letters and scores != key:
            return self._primed(replace(self.unexpanded[scores].name, head=head))
        letter = self._letter(name, key.id)
        primes = len(letter) - len(letter.rstrip("'"))
        plain, _, index = letter.rstrip("'").partition("_")
        capital = name in CAPITAL and plain.isupper()
        if name in BY_TOKEN:
            return Name(plain, index, head, primes, True, single=step.token_count == 1, capital=capital, by_token=True)
        return Name(plain, index, head, primes, step.name.vector, capital=capital)

    def _primed(self, name: Name) -> Name:
        """The letter with so many more primes that nothing else has them."""
        taken = {q.name.matrix for q in self.unexpanded}
        primes = name.primes + 1
        while replace(name, primes=primes).matrix in taken:
            primes += 1
        return replace(name, primes=primes)

    def _letter(self, name: str, id: str = "") -> str:
        """The letter that a sheet has chosen, or else the first that it does not use."""
        if id in self.expansion.letters:
            return self.expansion.letters[id]
        if name not in self.chosen:
            free = (letter for letter in LETTERS[name] if _plain(letter) not in self.used)
            self.chosen[name] = next(free, LETTERS[name][-1])
            self.used.add(_plain(self.chosen[name]))
        return self.chosen[name]


def _plain(letter: str) -> str:
    """A letter as far as it must differ from others: capital and small ones are written for the same matrix."""
    return letter.partition("_")[0].rstrip("'").casefold()
