"""A sheet's own formulas as a graph: every formula becomes a quantity, in an order in which they can be computed.

What stands inside a formula and takes work of its own (the scores inside a softmax, the hidden layer inside a product)
becomes a quantity too, before the one that it stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attnsolve.errors import Fault, Mark, ProblemError, listed
from attnsolve.graph import Axis, Graph, Name, Quantity
from attnsolve.key import At, Key
from attnsolve.kinds.sheet import SheetLowering
from attnsolve.language.shapes import Shape
from attnsolve.language.syntax import CallNode, NameNode, Node, RangeNode
from attnsolve.language.tokens import LanguageError
from attnsolve.library import parts
from attnsolve.numbers.matrix import ShapeError
from attnsolve.operations.formula import Formula, Given, Ref, Sides
from attnsolve.spec.fields import Fields, StatedMatrix
from attnsolve.spec.formulas import Formulas, GivenValue, WrittenFormula
from attnsolve.spec.problem import Problem

ROWS, COLUMNS = Axis(noun="row"), Axis(noun="column")
"""The sides of a matrix that do not count tokens."""


def build(problem: Problem) -> Graph:
    """The graph of a sheet."""
    body: Formulas = problem.body
    unsized = [value for value in body.given.values() if value.shape == (0, 0)]
    if not unsized:
        return SheetBuilder(problem, body.given).graph()
    first: ProblemError | None = None
    for size in _sizes(body.given.values()):
        given = {**body.given, **{value.name: _sized(value, size) for value in unsized}}
        try:
            return SheetBuilder(problem, given).graph()
        except ProblemError as error:
            first = first or error
    raise first or SheetBuilder(problem, body.given).fault(unsized[0].at, "nothing says how large the identity is")


def stated(problem: Problem) -> list[tuple[Key, StatedMatrix]]:
    """Every matrix of the file, under its key in the graph."""
    found = []
    for value in problem.body.given.values():
        for number, matrix in enumerate(value.members, 1):
            found.append((Key(value.name, _member(number) if len(value.shape) == 3 else ()), matrix))
    return found


def report(problem: Problem, graph: Graph, fields: Fields) -> None:
    """Note what is given and never used; a formula that nothing reads is a result."""
    read = {key.id for quantity in graph for key in quantity.formula.leaves()}
    used = read | {name for formula in problem.body.formulas.values() for name in _free_names(formula.node)}
    for name, value in problem.body.given.items():
        if name not in used:
            fields.faults.add(value.at, f"{name} is given and never used", "leave it out, or use it in a formula")


def _sizes(given: Iterable[GivenValue]) -> list[int]:
    """The sides of what is given, which an identity may have too."""
    return sorted({side for value in given for side in value.shape if side}) or [1]


def _sized(value: GivenValue, size: int) -> GivenValue:
    (matrix,) = value.members
    return GivenValue(value.name, value.at, (size, size), (matrix.sized(size),))


def _member(number: int) -> At:
    return (("member", number),)


def _free_names(node: Node) -> Iterator[str]:
    """The names that a formula reads, without the indices that run inside it."""
    if isinstance(node, NameNode):
        yield node.name
    bound = {over.index for over in node.over if isinstance(over, RangeNode)} if isinstance(node, CallNode) else set()
    for part in parts(node):
        yield from (name for name in _free_names(part) if name not in bound)


def _is_weight(key: Key, formula: Formula, shape: Shape) -> bool:
    """Whether it is a given matrix that holds no tokens, as its name says."""
    return isinstance(formula, Given) and len(shape) == 2 and key.id.startswith("W")


class SheetBuilder:
    """Collects the quantities of a sheet."""

    def __init__(self, problem: Problem, given: Mapping[str, GivenValue]) -> None:
        self.problem = problem
        self.body: Formulas = problem.body
        self.given = given
        self.quantities: dict[Key, Quantity] = {}
        self.shapes: dict[str, Shape] = {}
        """The shape of every name, as the language has it."""
        self.letters = {name.partition("_")[0] for name in (*given, *self.body.formulas)}
        self.down = self.body.layout == "columns"

    def graph(self) -> Graph:
        """Everything, in an order in which it can be computed."""
        for value in self.given.values():
            self._give(value)
        faults: list[Fault] = []
        for formula in self._ordered():
            try:
                self._define(formula)
            except LanguageError as error:
                said = f"in {formula.name}: {error}"
                faults.append(Fault(self.problem.file, formula.place(error.column), said, error.fix))
                break
        if faults:
            raise ProblemError(faults)
        vectors = self.body.vectors or ("columns" if self.down else "rows")
        return Graph(self.quantities, vectors, group="member")

    def fault(self, at: Mark, message: str, fix: str = "") -> ProblemError:
        """What keeps the sheet from being built, to be raised."""
        return ProblemError([Fault(self.problem.file, at, message, fix)])

    # ── what is given ───────────────────────────────────────────────────────────────────────────

    def _give(self, value: GivenValue) -> None:
        self.shapes[value.name] = value.shape
        for number, matrix in enumerate(value.members, 1):
            family = len(value.shape) == 3
            key = Key(value.name, _member(number) if family else ())
            self.add(key, Given(matrix.rows), value.shape[1:] if family else value.shape)

    # ── formulas ────────────────────────────────────────────────────────────────────────────────

    def _ordered(self) -> list[WrittenFormula]:
        """The formulas, each after all that it reads; as the file has them where that is no matter."""
        formulas, done, path = self.body.formulas, dict[str, WrittenFormula](), list[str]()

        def visit(name: str) -> None:
            if name in done or name not in formulas:
                return
            if name in path:
                circle = [*path[path.index(name) :], name]
                said = f"{listed(sorted(set(circle)))} {'needs itself' if len(circle) == 2 else 'need each other'}"
                raise self.fault(formulas[name].at, f"{said}: {' → '.join(circle)}", "one of them must come first")
            path.append(name)
            for other in dict.fromkeys(_free_names(formulas[name].node)):
                visit(other)
            path.pop()
            done[name] = formulas[name]

        for name in formulas:
            visit(name)
        return list(done.values())

    def _define(self, formula: WrittenFormula) -> None:
        lowering = SheetLowering(self, formula.name, formula.text)
        shape = lowering.shape(formula.node)
        made = lowering.whole_formula(formula.node)
        self.add(Key(formula.name), made, shape)
        self.shapes[formula.name] = shape

    def add(self, key: Key, formula: Formula, shape: Shape, letter: str = "") -> Ref:
        """Add a quantity; `letter` is how it is written, where that isn't its name."""
        try:
            size = formula.shape(self)
        except ShapeError as error:
            raise LanguageError(f"{key.id} can't be computed: {error}") from None
        rows, columns = (ROWS, COLUMNS) if _is_weight(key, formula, shape) else self._axes(formula, size)
        lane = formula.axis if formula.axis is not None and len(shape) == 2 else int(self.down and len(shape) == 2)
        name = self._name(letter or self.problem.notation.get(key.id, key.id), key, shape)
        self.quantities[key] = Quantity(
            key, name, formula, size, rows, columns, lane, title=formula.title, why=formula.does
        )
        return Ref(key)

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of a quantity already made."""
        return self.quantities[key].shape

    # ── names and axes ──────────────────────────────────────────────────────────────────────────

    def _name(self, letter: str, key: Key, shape: Shape) -> Name:
        plain = letter.rstrip("'")
        name, _, index = plain.partition("_")
        other = name.swapcase()
        return Name(
            name,
            index,
            key.head,
            len(letter) - len(plain),
            vector=len(shape) < 2,
            single=not shape,
            capital=not shape or other in self.letters,
            as_typed=True,
        )

    def free_letter(self, wanted: Sequence[str]) -> str:
        """The first letter that the sheet doesn't use; at the last one with an index."""
        used = {letter.casefold() for letter in self.letters}
        found = next((letter for letter in wanted if letter.casefold() not in used), "")
        number = 1
        while not found:
            if f"{wanted[-1]}_{number}" not in {*self.given, *self.body.formulas}:
                taken = {q.name.typed for q in self.quantities.values()}
                found = f"{wanted[-1]}_{number}" if Name(wanted[-1], str(number)).typed not in taken else ""
            number += 1
        self.letters.add(found.partition("_")[0])
        return found

    def _axes(self, formula: Formula, shape: tuple[int, int]) -> tuple[Axis, Axis]:
        tokens = self.body.tokens
        if not tokens:
            return ROWS, COLUMNS
        sides = zip(self._token_sides(formula), shape, strict=True)
        found = [Axis(True, tokens) if side and size == len(tokens) else None for side, size in sides]
        return found[0] or ROWS, found[1] or COLUMNS

    def _token_sides(self, formula: Formula) -> Sides:
        """Whether its rows and its columns are tokens: what is given is stacked as the layout says."""
        if isinstance(formula, Given):
            count = len(self.body.tokens)
            return len(formula.rows) == count and not self.down, len(formula.rows[0]) == count and self.down

        def of(key: Key) -> Sides:
            return self.quantities[key].rows.tokens, self.quantities[key].columns.tokens

        return formula.token_sides(of)
