"""A library's graph extended by a sheet's own formulas: they read the library's quantities by id and by letter, and may
stand in place of one. Where there are several heads, a formula that reads a head's own quantities is made for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from attnsolve.errors import Fault, ProblemError, in_running_text, listed
from attnsolve.graph import Axis, Graph, Quantity
from attnsolve.key import At, Key
from attnsolve.kinds.builder import mistakes as of_library
from attnsolve.kinds.formulas import SheetBuilder, with_sizes
from attnsolve.kinds.scope import NamesInScope, free_names, in_order
from attnsolve.language.expression_shapes import Shape, shape_text
from attnsolve.library.attention import ATTENTION
from attnsolve.numbers.matrix import ShapeError
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula, Ref
from attnsolve.spec.formulas import Formulas, GivenValue, Repeat, WrittenFormula
from attnsolve.spec.problem import Problem
from attnsolve.spec.shorthands import ShortFormula, Shorthand

if TYPE_CHECKING:
    from attnsolve.operations.quantity_context import QuantityContext

SHARED_GROUP = "key head"
"""What keys and values belong to that several heads share."""
BEFORE = "before"
"""What a quantity of the library is called, after its id, where the sheet puts something else in its place."""
SIZES = {"d_k": "keys", "d_v": "values", "d_model": "inputs"}
"""Sizes that have names, each with the quantity whose tokens have so many entries."""


def extend(problem: Problem, graph: Graph, letters: Mapping[str, str]) -> Graph:
    """The graph with the formulas that the problem adds; `letters` are those of the library, by id."""
    own = problem.formulas or Formulas(problem.body.layout, problem.body.vectors, problem.body.tokens, {}, {})
    shorthands: tuple[Shorthand, ...] = getattr(problem.body, "shorthands", ())
    short = {name: value for shorthand in shorthands for name, value in shorthand.given.items()}

    def made(given: Mapping[str, GivenValue]) -> Graph:
        return _ExtendedBuilder(problem, own, given, graph, letters).graph()

    return with_sizes({**short, **own.given}, made)


def mistakes(formula: Formula, where: QuantityContext) -> Iterator[Mistake]:
    """What people do in place of an operation of the library or the sheet; loaded when somebody looks for it."""
    from attnsolve.kinds import sheet_mistakes

    yield from of_library(formula, where)
    yield from sheet_mistakes.structural(formula, where)


class _ExtendedBuilder(SheetBuilder):
    def __init__(
        self,
        problem: Problem,
        own: Formulas,
        given: Mapping[str, GivenValue],
        graph: Graph,
        letters: Mapping[str, str],
    ) -> None:
        self.shorthands: tuple[Shorthand, ...] = getattr(problem.body, "shorthands", ())
        super().__init__(problem, given, own)
        self.library = graph
        self.quantities = dict(graph.quantities)
        self.ids = {q.key.id for q in graph}
        self.called = {letter: id for id, letter in {**letters, **problem.notation}.items() if id in self.ids}
        self.called |= {id: id for id in self.ids}
        self.letters |= {q.name.letter for q in graph}
        self.defined |= {str(q.name.typed.name) for q in graph}
        self.places: list[At] = list(dict.fromkeys(q.key.at for q in graph if q.key.at))
        groups = {q.key.id: q.key.at[-1][0] for q in graph if q.key.at}
        self.per_place = {name: groups[id] for name, id in self.called.items() if id in groups}
        """What belongs to each head, or to each key head, by name."""
        self.outside: list[Formula] = []
        """What was made inside of a head's formula, and is the same in every head."""

    def graph(self) -> Graph:
        """The library's quantities and the sheet's, in an order in which they can be computed."""
        wanted = {name: letters for shorthand in self.shorthands for name, letters in shorthand.letters.items()}
        for name, value in self.given.items():
            chosen = self.problem.notation.get(name, "")
            self.give(value, chosen or self.letter_for(name, wanted[name]) if name in wanted else "")
        for name, id in self.called.items():
            self._know(self.names, name, id, ())
            for at in self.places:
                self._know(self.names, f"{name}@{'.'.join(str(number) for _, number in at)}", id, at)
        self.names.sizes |= self._sizes(())
        for shorthand in self.shorthands:
            self._refuse_clash(shorthand)
            for formula in shorthand.formulas:
                self._stand_for(formula)
        self.define_all(self.body.formulas, self.body.repeats, self.names)
        return self.with_claims(replace(self.library, quantities=self._in_order(), mistakes=mistakes))

    def _know(self, names: NamesInScope, name: str, id: str, at: At) -> None:
        quantity = self.quantities.get(Key(id, at))
        if quantity is not None:
            names.define(name, _shape(quantity), Ref(quantity.key))

    def _sizes(self, at: At) -> dict[str, int]:
        found = {}
        for name, id in SIZES.items():
            quantity = self.quantities.get(Key(id, at)) or self.quantities.get(Key(id))
            if quantity is not None:
                found[name] = quantity.shape[1 - quantity.token_axis]
        return found

    # ── what keys stand for ─────────────────────────────────────────────────────────────────────

    def _refuse_clash(self, shorthand: Shorthand) -> None:
        """A name that the sheet has for something else."""
        for name in shorthand.given:
            own = self.body.formulas.get(name) or self.body.given.get(name)
            if own is not None:
                text = f"{name} is already what {shorthand.key} stands for"
                raise self.fault(own.at, text, "give it another name")

    def _stand_for(self, formula: ShortFormula) -> None:
        """A formula that a key of the file stands for."""
        if formula.name not in self.ids:
            what = ATTENTION.rows(formula.name)[0].title.lower()
            raise self.fault(formula.at, f"{formula.key} is never used: there are no {what} here", "leave it out")
        self.define(formula, self.names)

    # ── formulas ────────────────────────────────────────────────────────────────────────────────

    def needed(self, what: WrittenFormula | Repeat, names: NamesInScope) -> list[str]:
        """The names that a formula reads; its own name means the library's version."""
        found = super().needed(what, names)
        own = what.name if isinstance(what, WrittenFormula) else ""
        return [name for name in found if name != own or name not in self.called]

    def define(self, formula: WrittenFormula, names: NamesInScope) -> None:
        """A formula, for every head if it reads what is a head's own."""
        read = {name.name for name in free_names(formula.node, before=False, steps=False)}
        groups = {self.per_place[name] for name in read & self.per_place.keys()}
        if names.at or not groups:
            self._define_at(formula, names)
            return
        group = min(groups, key=lambda name: name == SHARED_GROUP)
        for at in (at for at in self.places if at[-1][0] == group):
            inside = replace(names, shapes=dict(names.shapes), formulas=dict(names.formulas), at=at)
            inside.sizes = {**names.sizes, **self._sizes(at), **{name: int(number) for name, number in at}}
            path = ".".join(str(number) for _, number in at)
            for name, owner in self.per_place.items():
                step = f"{name}@{path if owner == group else self._key_head(at)}"
                if step in names.shapes:
                    inside.define(name, names.shapes[step], names.formulas[step])
            self._define_at(formula, inside)
            names.define(f"{formula.name}@{path}", inside.shapes[formula.name], inside.formulas[formula.name])
        self.per_place[formula.name] = group

    def _key_head(self, at: At) -> str:
        """The number of the key head that a head uses."""
        body, number = self.problem.body, int(at[-1][1])
        return str((number - body.numbering) * body.key_heads // body.heads + body.numbering)

    def _define_at(self, formula: WrittenFormula, names: NamesInScope) -> None:
        id = self.called.get(formula.name)
        key = Key(id or "", names.at)
        if id is None or key not in self.quantities:
            if id is not None and any(q.key.id == id for q in self.library):
                self._refuse_mixed(formula, id)
            super().define(formula, names)
            return
        self._replace(formula, key, names)

    def _refuse_mixed(self, formula: WrittenFormula, id: str) -> None:
        text = f"{formula.name} belongs to each head here, but its formula does not depend on the head"
        raise self.fault(formula.at, text, f"give it another name than {id}")

    def _replace(self, formula: WrittenFormula, key: Key, names: NamesInScope) -> None:
        """A formula in place of the library's, which it may read under its own name."""
        usual = self.quantities.pop(key)
        before = self._before(key)
        self.quantities[before] = replace(usual, key=before)
        inside = replace(names, shapes=dict(names.shapes), formulas=dict(names.formulas))
        for name in (name for name, id in self.called.items() if id == key.id):
            inside.define(name, _shape(usual), Ref(before))
        shape, made = self.lowered(replace(formula, name=key.id), inside)
        shape = _shape(usual) if shape == usual.shape else shape
        reads = self._reads(made)
        if before not in reads:
            del self.quantities[before]
        self._refuse_accident(formula, usual, shape, reads | {before}, before)
        primes = usual.name.primes + (before in reads)
        size = self._size(formula, key, made)
        title, why = usual.title, made.does or usual.why
        if isinstance(formula, ShortFormula):
            title, why = formula.title, formula.why
        self.quantities[key] = replace(
            usual, formula=made, shape=size, name=replace(usual.name, primes=primes), title=title, why=why, remarks=()
        )
        self._prime_later(key)
        path = ".".join(str(number) for _, number in key.at)
        for name in (name for name, id in self.called.items() if id == key.id):
            for known in (names, self.names):
                known.define(f"{name}@{path}" if path and known is self.names else name, shape, Ref(key))

    def _before(self, key: Key) -> Key:
        """The id of what something else is put in place of; several times, it has a number."""
        before, number = Key(f"{key.id}.{BEFORE}", key.at), 1
        while before in self.quantities:
            number += 1
            before = Key(f"{key.id}.{BEFORE}{number}", key.at)
        return before

    def _prime_later(self, key: Key) -> None:
        """One more prime for what the library writes with the same letter later on: S, S′ and then S″."""
        own = self.quantities[key].name
        for other in [*self.quantities.values()]:
            known = other.key in self.library.quantities or f".{BEFORE}" in other.key.id
            later = known and other.key != key and other.key.at == key.at and other.name.primes >= own.primes
            if later and (other.name.letter, other.name.index) == (own.letter, own.index):
                renamed = replace(other.name, primes=other.name.primes + 1)
                self.quantities[other.key] = replace(other, name=renamed)

    def _reads(self, formula: Formula) -> set[Key]:
        """Everything that a formula reads, what was made inside of it included."""
        found: set[Key] = set()
        waiting = list(formula.leaves())
        while waiting:
            key = waiting.pop()
            if key not in found:
                found.add(key)
                waiting += self.quantities[key].formula.leaves() if key not in self.library.quantities else []
        return found

    def _refuse_accident(
        self, formula: WrittenFormula, usual: Quantity, shape: Shape, reads: set[Key], before: Key
    ) -> None:
        """What has the name of a library's quantity by accident would change everything after it."""
        if {formula.name, usual.key.id} & {*self.body.override}:
            return
        expected, other = set(usual.formula.leaves()), f"{formula.name}_2"
        said = f"{formula.name} is the {in_running_text(usual.title)} here"
        fix = f"give it another name, such as {other}, or write override: [{formula.name}]"
        if shape != _shape(usual):
            text = f"{said}, {shape_text(_shape(usual))}, but its formula comes to {shape_text(shape)}"
            raise self.fault(formula.at, text, fix)
        if not (reads - {before}) & expected and before not in self.quantities:
            names = [str(self.library[key].name.typed.name) for key in expected if key in self.library.quantities]
            text = f"{said}, but its formula reads neither it nor {listed(names)}" if names else said
            raise self.fault(formula.at, text, fix)

    def at_for(self, formula: Formula, at: At) -> At:
        """What is the same in every head is worked out once, outside of them."""
        if at not in self.places or any(key.at for key in formula.leaves()):
            return at
        self.outside.append(formula)
        return ()

    # ── the graph ───────────────────────────────────────────────────────────────────────────────

    def _size(self, formula: WrittenFormula, key: Key, made: Formula) -> tuple[int, int]:
        try:
            return made.shape(self)
        except ShapeError as error:
            raise self.fault(formula.at, f"{key.id} can't be computed: {error}") from None

    @property
    def _first(self) -> WrittenFormula:
        """The first formula of the file, or the first that a key stands for."""
        short = (formula for shorthand in self.shorthands for formula in shorthand.formulas)
        return next(iter((*self.body.formulas.values(), *short)))

    def _in_order(self) -> dict[Key, Quantity]:
        """Every quantity after those that it reads, with the shape that it has now: the library's as they stood, what
        is the same in every head before the first of these."""
        kept = [key for key in self.library.quantities if key in self.quantities]
        shared = [key for key in self.quantities if not key.at and self.quantities[key].formula in self.outside]
        first = next((place for place, key in enumerate(kept) if key.at), len(kept))
        order = [*kept[:first], *shared, *kept[first:], *self.quantities]
        names = {str(key): key for key in order}
        needs = {name: [str(leaf) for leaf in self.quantities[key].formula.leaves()] for name, key in names.items()}
        sorted_names, circle = in_order(names, needs)
        if circle:
            message = f"{listed(sorted({*circle}))} depend on each other: {' → '.join(circle)}"
            raise self.fault(self._first.at, message, "define one of them without the others")
        found = {}
        for name in sorted_names:
            quantity = self.quantities[names[name]]
            try:
                shape = quantity.formula.shape(self)
            except ShapeError as error:
                text = f"with these formulas the {quantity.key.id} can't be computed: {error}"
                raise ProblemError([Fault(self.problem.file, self._first.at, text)]) from None
            self.quantities[names[name]] = found[names[name]] = (
                quantity if shape == quantity.shape else replace(quantity, shape=shape, rows=Axis(), columns=Axis())
            )
        return found


def _shape(quantity: Quantity) -> Shape:
    """A quantity's shape as the language has it."""
    rows, columns = quantity.shape
    return (columns,) if quantity.is_vector and rows == 1 else quantity.shape
