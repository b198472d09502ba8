"""A sheet's own formulas as a graph: every formula becomes a quantity, in an order in which they can be computed.

What stands inside a formula and takes work of its own (the scores inside a softmax, the hidden layer inside a product)
becomes a quantity too, before the one that it stands in. A repeat is unrolled, step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve.bounds import allowed, raises
from attnsolve.errors import Fault, Mark, ProblemError, listed
from attnsolve.graph import Axis, Graph, Name, Quantity, ShownRelation
from attnsolve.key import At, Key
from attnsolve.kinds.scope import NamesInScope, free_names, in_order
from attnsolve.kinds.sheet import SheetLowering
from attnsolve.language.expression_shapes import Shape, shape_text
from attnsolve.language.shapes import EMPTY
from attnsolve.language.syntax import NameNode, Node, RangeNode, SliceNode
from attnsolve.language.tokens import LanguageError
from attnsolve.numbers.matrix import ShapeError
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula, Given, Ref, Sides
from attnsolve.spec.fields import Fields, GivenMatrix
from attnsolve.spec.formulas import Formulas, GivenValue, Repeat, WrittenFormula
from attnsolve.spec.parts import AskedRelation
from attnsolve.spec.problem import Problem

if TYPE_CHECKING:
    from attnsolve.operations.quantity_context import QuantityContext

ROWS, COLUMNS = Axis(noun="row"), Axis(noun="column")
"""The sides of a matrix that do not count tokens."""
MEMBER = "member"
"""What the place of a matrix in its family is called."""


def build(problem: Problem) -> Graph:
    """The graph of a sheet."""
    return with_sizes(problem.body.given, lambda given: SheetBuilder(problem, given).graph())


def with_sizes(values: Mapping[str, GivenValue], made: Callable[[Mapping[str, GivenValue]], Graph]) -> Graph:
    """What is made of given values, identities having the first size with which it can be."""
    unsized = [value for value in values.values() if value.shape == EMPTY]
    if not unsized:
        return made(values)
    first: ProblemError | None = None
    for size in _sizes(values.values()):
        try:
            return made({**values, **{value.name: _sized(value, size) for value in unsized}})
        except ProblemError as error:
            first = first or error
    assert first is not None
    raise first


def given_matrices(problem: Problem) -> list[tuple[Key, GivenMatrix]]:
    """Every matrix of the file, under its key in the graph."""
    found = []
    for value in problem.body.given.values():
        for number, matrix in enumerate(value.members, 1):
            found.append((Key(value.name, _member(number) if len(value.shape) == 3 else ()), matrix))
    return found


def report(problem: Problem, graph: Graph, fields: Fields) -> None:
    """Note what is given but never used; a formula that nothing reads is a result."""
    body: Formulas = problem.body
    shown = [node for part in problem.parts if part.relation is not None for node in part.relation.terms]
    used = {name.name for node in (*_nodes(body.formulas, body.repeats), *shown) for name in free_names(node)}
    for name, value in body.given.items():
        if name not in used:
            fields.faults.report_unused(
                value.at, f"{name} is given but never used", "leave it out, or use it in a formula"
            )


def _nodes(formulas: Mapping[str, WrittenFormula], repeats: Iterable[Repeat]) -> Iterator[Node]:
    """Everything that a sheet has written down."""
    yield from (formula.node for formula in formulas.values())
    for repeat in repeats:
        yield from repeat.values
        yield from _nodes(repeat.start, ())
        yield from _nodes(repeat.each, repeat.inner)


def _sizes(given: Iterable[GivenValue]) -> list[int]:
    """The sides of what is given, which an identity may have too."""
    return sorted({side for value in given for side in value.shape if side}) or [1]


def _sized(value: GivenValue, size: int) -> GivenValue:
    (matrix,) = value.members
    return GivenValue(value.name, value.at, (size, size), (matrix.sized(size),))


def _member(number: int) -> At:
    return ((MEMBER, number),)


def _is_weight(key: Key, formula: Formula, shape: Shape) -> bool:
    """Whether it is a given matrix that holds no tokens, as its name says."""
    return isinstance(formula, Given) and len(shape) == 2 and key.id.startswith("W")


class SheetBuilder:
    """Collects the quantities of a sheet."""

    def __init__(self, problem: Problem, given: Mapping[str, GivenValue], body: Formulas | None = None) -> None:
        self.problem = problem
        self.body: Formulas = body or problem.body
        self.given = given
        self.quantities: dict[Key, Quantity] = {}
        self.names = NamesInScope(words=_words(self.body.vocabulary or self.body.tokens))
        defined = [*given, *self.body.formulas, *(name for repeat in self.body.repeats for name in repeat.names)]
        self.letters = {name.partition("_")[0] for name in defined}
        self.defined = set(defined)
        self.down = self.body.layout == "columns"
        self.chosen: dict[str, str] = {}
        """The letters of what stands inside formulas, by id."""

    def graph(self) -> Graph:
        """Everything, in an order in which it can be computed."""
        for value in self.given.values():
            self.give(value)
        self.define_all(self.body.formulas, self.body.repeats, self.names)
        vectors = self.body.vectors or ("columns" if self.down else "rows")
        return self.with_claims(Graph(self.quantities, vectors, group=MEMBER, mistakes=mistakes))

    def with_claims(self, graph: Graph) -> Graph:
        """The same with what its parts ask to be shown; what is made for that stands beside the graph."""
        parts = [part for part in self.problem.parts if part.relation is not None]
        if not parts:
            return graph
        self.quantities = dict(graph.quantities)
        claims = {part.letter: self._claim(part.letter, part.relation) for part in parts if part.relation is not None}
        return replace(graph, claims=claims)

    def _claim(self, letter: str, relation: AskedRelation) -> ShownRelation:
        before = set(self.quantities)
        sides, shapes = [], []
        for number, node in enumerate(relation.terms, 1):
            written = WrittenFormula(f"part {letter}", relation.text, node, relation.at)
            shape, made = self.lowered(written, self.names)
            key = Key(f"({letter}).{number}")
            symbol = self.letter_for(f"side {number}", ("LRUV"[min(number - 1, 3)],))
            sides.append(made if isinstance(made, Ref) else self.add(key, made, shape, symbol))
            shapes.append(shape)
        if len({*shapes}) > 1:
            other = next(shape for shape in shapes if shape != shapes[0])
            message = f"one side is {shape_text(shapes[0])}, the other {shape_text(other)}: they can't be compared"
            raise self.fault(relation.at, message)
        found = {key: quantity for key, quantity in self.quantities.items() if key not in before}
        self.quantities = {key: quantity for key, quantity in self.quantities.items() if key in before}
        return ShownRelation(tuple(ref.key for ref in sides), relation.signs, found)

    def fault(self, at: Mark, message: str, fix: str = "") -> ProblemError:
        """What keeps the sheet from being built, to be raised."""
        return ProblemError([Fault(self.problem.file, at, message, fix)])

    def _in(self, formula: WrittenFormula, error: LanguageError) -> ProblemError:
        return self.fault(formula.place(error.column), f"in {formula.said_of}: {error}", error.fix)

    # ── what is given ───────────────────────────────────────────────────────────────────────────

    def give(self, value: GivenValue, letter: str = "") -> None:
        """A number, list, matrix or family as quantities."""
        family = len(value.shape) == 3
        self.names.define(value.name, value.shape, None if family else Ref(Key(value.name)))
        number = None if value.shape else value.members[0].rows[0][0]
        if isinstance(number, Fraction) and number.denominator == 1:
            self.names.sizes[value.name] = int(number)
        for number, matrix in enumerate(value.members, 1):
            key = Key(value.name, _member(number) if family else ())
            self.add(key, Given(matrix.rows), value.shape[1:] if family else value.shape, letter)

    # ── formulas ────────────────────────────────────────────────────────────────────────────────

    def define_all(
        self, formulas: Mapping[str, WrittenFormula], repeats: Sequence[Repeat], names: NamesInScope
    ) -> None:
        """Formulas and repeats, each after all that it reads."""
        homes = {name: f"repeat {number}" for number, repeat in enumerate(repeats) for name in repeat.names}
        units: dict[str, WrittenFormula | Repeat] = dict(formulas)
        units |= {f"repeat {number}": repeat for number, repeat in enumerate(repeats)}
        needs = {unit: [homes.get(name, name) for name in self.needed(what, names)] for unit, what in units.items()}
        for unit in units.keys() - formulas.keys():
            needs[unit] = [other for other in needs[unit] if other != unit]
        order, circle = in_order(units, needs)
        if circle:
            path = [_called(units[unit]) for unit in circle]
            verb = "depends on itself" if len(set(path)) == 1 else "depend on each other"
            message = f"{listed(sorted(set(path)))} {verb}: {' → '.join(path)}"
            raise self.fault(units[circle[0]].at, message, "define one of them without the others")
        for unit in order:
            what = units[unit]
            if isinstance(what, Repeat):
                self._repeat(what, names)
            else:
                self.define(what, names)

    def define(self, formula: WrittenFormula, names: NamesInScope) -> None:
        """A formula as a quantity."""
        shape, made = self.lowered(formula, names)
        try:
            ref = self.add(Key(formula.name, names.at), made, shape)
        except LanguageError as error:
            raise self._in(formula, error) from None
        names.define(formula.name, shape, ref)

    def lowered(self, formula: WrittenFormula, names: NamesInScope) -> tuple[Shape, Formula]:
        """The shape of a formula, and what it comes to."""
        try:
            for name in free_names(formula.node, before=False, steps=False):
                self._refuse_all_steps(name, names)
            lowering = SheetLowering(self, formula.name, formula.text, names)
            return lowering.shape(formula.node), lowering.formula(formula.node)
        except LanguageError as error:
            raise self._in(formula, error) from None

    def needed(self, what: WrittenFormula | Repeat, names: NamesInScope) -> list[str]:
        """The names that a formula or a repeat reads."""
        return _needed(what, names)

    def _refuse_all_steps(self, name: NameNode, names: NamesInScope) -> None:
        """Outside of its repeat, a name alone does not say which step is meant."""
        if name.name in names.repeated and name.name not in names.shapes:
            index = names.repeated[name.name]
            text = f"{name.name} has a value for every {index}"
            raise LanguageError(text, f"write {name.name}@last, or name a step as in {name.name}@1", name.start)

    # ── repeats ─────────────────────────────────────────────────────────────────────────────────

    def _repeat(self, repeat: Repeat, names: NamesInScope) -> None:
        before = self._start(repeat, names)
        label, step = 0, names
        for label, value in self._steps(repeat, names):
            step = names.inside(repeat.index, label, value)
            for name in repeat.names:
                step.shapes.pop(name, None)
            for name, (shape, formula) in before.items():
                step.define(f"prev({name})", shape, formula)
            known = set(step.shapes)
            self.define_all(repeat.each, repeat.inner, step)
            self._keep(repeat, step, names, label, known)
            before = {name: (step.shapes[name], step.formulas[name]) for name in repeat.each}
        self._keep(repeat, step, names, "last", known)
        names.repeated |= dict.fromkeys(repeat.names, repeat.index)

    def _keep(self, repeat: Repeat, step: NamesInScope, names: NamesInScope, label: int | str, known: set[str]) -> None:
        """What a step came to, under names that say which step it was: X@2, and X@2.1 of a repeat inside."""
        for name in step.shapes.keys() - known:
            plain, _, rest = name.partition("@")
            path = f"{label}.{rest}" if rest else str(label)
            names.define(f"{plain}@{path}", step.shapes[name], step.formulas[name])

    def _start(self, repeat: Repeat, names: NamesInScope) -> dict[str, tuple[Shape, Formula | None]]:
        """What stands before the first step."""
        found: dict[str, tuple[Shape, Formula | None]] = {}
        for name, formula in repeat.start.items():
            if isinstance(formula.node, NameNode) and formula.node.name == "empty" and "empty" not in names.shapes:
                found[name] = EMPTY, None
                continue
            outside = NamesInScope(
                dict(names.shapes), dict(names.formulas), names.sizes, names.slices, at=names.at, words=names.words
            )
            try:
                lowering = SheetLowering(self, name, formula.text, outside)
                shape, made = lowering.shape(formula.node), lowering.formula(formula.node)
            except LanguageError as error:
                raise self._in(formula, error) from None
            if not made.is_at_hand:
                made = self.add(Key(name, (*names.at, (repeat.index, 0))), made, shape)
            found[name] = shape, made
        return found

    def _steps(self, repeat: Repeat, names: NamesInScope) -> list[tuple[int, int | SliceNode]]:
        """The values of the index, each with the number that the step is known by."""
        lowering = SheetLowering(self, repeat.index, "", names)
        try:
            found: list[tuple[int, int | SliceNode]] = []
            for number, node in enumerate(repeat.values, 1):
                match node:
                    case RangeNode(first=first, last=last):
                        begin, end = lowering.whole(first), lowering.whole(last)
                        if not begin <= end < begin + allowed().side:
                            raise LanguageError(f"{repeat.index} can't go from {begin} to {end}")
                        found += [(value, value) for value in range(begin, end + 1)]
                    case SliceNode():
                        found.append((number, node))
                    case _:
                        found.append((value := lowering.whole(node), value))
        except LanguageError as error:
            raise self.fault(repeat.at, f"in repeat: {error}", error.fix) from None
        return found

    # ── quantities ──────────────────────────────────────────────────────────────────────────────

    def add(self, key: Key, formula: Formula, shape: Shape, letter: str = "") -> Ref:
        """Add a quantity; `letter` is how it is written, where that isn't its name."""
        if len(self.quantities) >= allowed().quantities:
            most = allowed().quantities
            raise LanguageError(f"the formulas make more than {most} quantities", raises("quantities", 2 * most))
        try:
            size = formula.shape(self)
        except ShapeError as error:
            raise LanguageError(f"{key.id} can't be computed: {error}") from None
        if max(size) > allowed().side:
            text = (
                f"{key.id} would be {size[0]}×{size[1]}, but a matrix may have at most {allowed().side} rows or columns"
            )
            raise LanguageError(text, raises("side", max(size)))
        rows, columns = (ROWS, COLUMNS) if _is_weight(key, formula, shape) else self._axes(formula, size)
        down = self.down if formula.goes_down is None else formula.goes_down
        token_axis = int(down and len(shape) == 2)
        name = self._name(letter or self.problem.notation.get(key.id, key.id), key, shape)
        self.quantities[key] = Quantity(
            key, name, formula, size, rows, columns, token_axis, title=formula.title, why=formula.does
        )
        return Ref(key)

    def add_mask(self, id: str, at: At, mask: Given) -> Ref:
        """A mask that a rule makes; one that is the same in every step stands outside of them."""
        made = (q.key for q in self.quantities.values() if q.formula == mask and q.key.id.endswith(".mask"))
        if (same := next(made, None)) is not None:
            return Ref(same)
        key = Key(id, at if Key(id) in self.quantities else ())
        return self.add(key, mask, mask.shape(self), self.letter_for(id, ("M", "B")))

    def at_for(self, formula: Formula, at: At) -> At:
        """Where something belongs that is made inside of a formula of some step."""
        return at

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of a quantity already made."""
        return self.quantities[key].shape

    def _name(self, letter: str, key: Key, shape: Shape) -> Name:
        plain = letter.rstrip("'")
        name, _, index = plain.partition("_")
        other = name.swapcase()
        return Name(
            name,
            index,
            ",".join(str(number) for _, number in key.at) or None,
            len(letter) - len(plain),
            vector=len(shape) < 2,
            single=not shape,
            capital=not shape or other in self.letters,
            as_typed=True,
        )

    def letter_for(self, id: str, wanted: Sequence[str]) -> str:
        """How something inside of a formula is written: the same in every step."""
        if id not in self.chosen:
            self.chosen[id] = self._free_letter(wanted)
        return self.chosen[id]

    def _free_letter(self, wanted: Sequence[str]) -> str:
        """The first letter that the sheet doesn't use; at the last one with an index."""
        used = {letter.casefold() for letter in self.letters}
        found = next((letter for letter in wanted if letter.casefold() not in used), "")
        number = 1
        while not found:
            letter = f"{wanted[-1]}_{number}"
            found = "" if letter in self.defined else letter
            number += 1
        self.letters.add(found.partition("_")[0])
        self.defined.add(found)
        return found

    def _axes(self, formula: Formula, shape: tuple[int, int]) -> tuple[Axis, Axis]:
        """What its rows and its columns count: tokens where they come from tokens."""
        sides = self._sides(formula)
        found = [
            axis if isinstance(axis, Axis) and len(axis.labels) == size else None
            for axis, size in zip(sides, shape, strict=True)
        ]
        return found[0] or ROWS, found[1] or COLUMNS

    def _sides(self, formula: Formula) -> Sides:
        tokens = Axis(True, self.body.tokens) if self.body.tokens else None
        if isinstance(formula, Given):
            count = len(self.body.tokens)
            rows, columns = len(formula.rows), len(formula.rows[0])
            return (None if self.down or rows != count else tokens), (
                tokens if self.down and columns == count else None
            )

        def of(key: Key) -> Sides:
            quantity = self.quantities[key]
            return tuple(axis if axis.tokens else None for axis in (quantity.rows, quantity.columns))

        return formula.token_sides(of)


def mistakes(formula: Formula, where: QuantityContext) -> Iterator[Mistake]:
    """What people do in place of a sheet's operation; loaded when somebody looks for it."""
    from attnsolve.kinds import sheet_mistakes

    return sheet_mistakes.mistakes(formula, where)


def _words(words: Sequence[str]) -> dict[str, int]:
    return {word: place for place, word in enumerate(words, 1) if words.count(word) == 1}


def _called(what: WrittenFormula | Repeat) -> str:
    """What a formula or a repeat defines first."""
    return what.name if isinstance(what, WrittenFormula) else what.names[0]


def _needed(what: WrittenFormula | Repeat, names: NamesInScope) -> list[str]:
    """The names that a formula or a repeat reads."""
    if isinstance(what, WrittenFormula):
        return list(dict.fromkeys(name.name for name in free_names(what.node, before=False)))
    inside = {*what.names, what.index}
    nodes = [*what.values, *_nodes(what.start, ()), *_nodes(what.each, what.inner)]
    read = (name.name for node in nodes for name in free_names(node, before=False))
    return list(dict.fromkeys(name for name in read if name not in inside))
