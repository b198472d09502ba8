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
from attnsolve.kinds.formulas import SheetBuilder
from attnsolve.kinds.scope import NamesInScope, free_names, in_order
from attnsolve.language.expression_shapes import Shape, shape_text
from attnsolve.numbers.matrix import ShapeError
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula, Ref
from attnsolve.spec.formulas import Formulas, Repeat, WrittenFormula
from attnsolve.spec.problem import Problem

if TYPE_CHECKING:
    from attnsolve.operations.where import Where

BEFORE = "before"
"""What a quantity of the library is called, after its id, where the sheet puts something else in its place."""
SIZES = {"d_k": "keys", "d_v": "values", "d_model": "inputs"}
"""Sizes that have names, each with the quantity whose tokens have so many entries."""


def extend(problem: Problem, graph: Graph, letters: Mapping[str, str]) -> Graph:
    """The graph with the formulas that the problem adds; `letters` are those of the library, by id."""
    assert problem.formulas is not None
    return _ExtendedBuilder(problem, problem.formulas, graph, letters).graph()


def mistakes(formula: Formula, where: Where) -> Iterator[Mistake]:
    """What people do in place of an operation of the library or the sheet; loaded when somebody looks for it."""
    from attnsolve.kinds import sheet_mistakes

    yield from of_library(formula, where)
    yield from sheet_mistakes.structural(formula, where)


class _ExtendedBuilder(SheetBuilder):
    def __init__(self, problem: Problem, own: Formulas, graph: Graph, letters: Mapping[str, str]) -> None:
        super().__init__(problem, own.given, own)
        self.library = graph
        self.quantities = dict(graph.quantities)
        self.ids = {q.key.id for q in graph}
        self.called = {letter: id for id, letter in {**letters, **problem.notation}.items() if id in self.ids}
        self.called |= {id: id for id in self.ids}
        self.letters |= {q.name.letter for q in graph}
        self.defined |= {str(q.name.typed.name) for q in graph}
        self.places: list[At] = list(dict.fromkeys(q.key.at for q in graph if q.key.at))
        self.per_place = {name for name, id in self.called.items() if any(q.key.id == id and q.key.at for q in graph)}
        self.replaced: dict[Key, Key] = {}

    def graph(self) -> Graph:
        """The library's quantities and the sheet's, in an order in which they can be computed."""
        for value in self.given.values():
            self.give(value)
        for name, id in self.called.items():
            self._know(self.names, name, id, ())
            for at in self.places:
                self._know(self.names, f"{name}@{'.'.join(str(number) for _, number in at)}", id, at)
        self.names.sizes |= self._sizes(())
        self.define_all(self.body.formulas, self.body.repeats, self.names)
        return replace(self.library, quantities=self._in_order(), mistakes=mistakes)

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

    # ── formulas ────────────────────────────────────────────────────────────────────────────────

    def needed(self, what: WrittenFormula | Repeat, names: NamesInScope) -> list[str]:
        """The names that a formula reads; its own name means the library's version."""
        found = super().needed(what, names)
        own = what.name if isinstance(what, WrittenFormula) else ""
        return [name for name in found if name != own or name not in self.called]

    def define(self, formula: WrittenFormula, names: NamesInScope) -> None:
        """A formula, for every head if it reads what is a head's own."""
        read = {name.name for name in free_names(formula.node, before=False, steps=False)}
        if names.at or not self.places or not read & self.per_place:
            self._define_at(formula, names)
            return
        for at in self.places:
            inside = replace(names, shapes=dict(names.shapes), formulas=dict(names.formulas), at=at)
            inside.sizes = {**names.sizes, **self._sizes(at), **{name: int(number) for name, number in at}}
            path = ".".join(str(number) for _, number in at)
            for name in self.per_place:
                if f"{name}@{path}" in names.shapes:
                    inside.define(name, names.shapes[f"{name}@{path}"], names.formulas[f"{name}@{path}"])
            self._define_at(formula, inside)
            names.define(f"{formula.name}@{path}", inside.shapes[formula.name], inside.formulas[formula.name])
        self.per_place.add(formula.name)

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
        before = Key(f"{key.id}.{BEFORE}", key.at)
        self.quantities[before] = replace(usual, key=before)
        inside = replace(names, shapes=dict(names.shapes), formulas=dict(names.formulas))
        for name in (name for name, id in self.called.items() if id == key.id):
            inside.define(name, _shape(usual), Ref(before))
        shape, made = self.lowered(replace(formula, name=key.id), inside)
        reads = self._reads(made)
        if before not in reads:
            del self.quantities[before]
        self._refuse_accident(formula, usual, shape, reads | {before})
        primes = usual.name.primes + (before in reads)
        size = self._size(formula, key, made)
        title, why = usual.title, made.does or usual.why
        self.quantities[key] = replace(
            usual, formula=made, shape=size, name=replace(usual.name, primes=primes), title=title, why=why, remarks=()
        )
        self._prime_later(key)
        path = ".".join(str(number) for _, number in key.at)
        for name in (name for name, id in self.called.items() if id == key.id):
            for known in (names, self.names):
                known.define(f"{name}@{path}" if path and known is self.names else name, shape, Ref(key))

    def _prime_later(self, key: Key) -> None:
        """One more prime for what the library writes with the same letter later on: S, S′ and then S″."""
        own = self.quantities[key].name
        for other in self.library:
            name = self.quantities[other.key].name if other.key in self.quantities else own
            later = other.key.id != key.id and other.key.at == key.at and name.primes >= own.primes
            if later and (name.letter, name.index) == (own.letter, own.index):
                renamed = replace(name, primes=name.primes + 1)
                self.quantities[other.key] = replace(self.quantities[other.key], name=renamed)

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

    def _refuse_accident(self, formula: WrittenFormula, usual: Quantity, shape: Shape, reads: set[Key]) -> None:
        """What has the name of a library's quantity by accident would change everything after it."""
        if {formula.name, usual.key.id} & {*self.body.override}:
            return
        expected, other = set(usual.formula.leaves()), f"{formula.name}_2"
        said = f"{formula.name} is the {in_running_text(usual.title)} here"
        fix = f"give it another name, such as {other}, or write override: [{formula.name}]"
        if shape != _shape(usual):
            text = f"{said}, {shape_text(_shape(usual))}, but its formula comes to {shape_text(shape)}"
            raise self.fault(formula.at, text, fix)
        before = Key(f"{usual.key.id}.{BEFORE}", usual.key.at)
        if not (reads - {before}) & expected and before not in self.quantities:
            names = [str(self.library[key].name.typed.name) for key in expected if key in self.library.quantities]
            text = f"{said}, but its formula reads neither it nor {listed(names)}" if names else said
            raise self.fault(formula.at, text, fix)

    # ── the graph ───────────────────────────────────────────────────────────────────────────────

    def _size(self, formula: WrittenFormula, key: Key, made: Formula) -> tuple[int, int]:
        try:
            return made.shape(self)
        except ShapeError as error:
            raise self.fault(formula.at, f"{key.id} can't be computed: {error}") from None

    def _in_order(self) -> dict[Key, Quantity]:
        """Every quantity after those that it reads, with the shape that it has now."""
        names = {str(key): key for key in self.quantities}
        needs = {name: [str(leaf) for leaf in self.quantities[key].formula.leaves()] for name, key in names.items()}
        order, circle = in_order(names, needs)
        if circle:
            message = f"{listed(sorted({*circle}))} depend on each other: {' → '.join(circle)}"
            raise self.fault(
                next(iter(self.body.formulas.values())).at, message, "define one of them without the others"
            )
        found = {}
        for name in order:
            quantity = self.quantities[names[name]]
            try:
                shape = quantity.formula.shape(self)
            except ShapeError as error:
                at = next(iter(self.body.formulas.values())).at
                text = f"with these formulas the {quantity.key.id} can't be computed: {error}"
                raise ProblemError([Fault(self.problem.file, at, text)]) from None
            self.quantities[names[name]] = found[names[name]] = (
                quantity if shape == quantity.shape else replace(quantity, shape=shape, rows=Axis(), columns=Axis())
            )
        return found


def _shape(quantity: Quantity) -> Shape:
    """A quantity's shape as the language has it."""
    rows, columns = quantity.shape
    return (columns,) if quantity.is_vector and rows == 1 else quantity.shape
