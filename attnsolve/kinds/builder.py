"""From a library's table to the graph of one problem: a row becomes a quantity when something asks for it.

What the table leaves to each kind is here as methods to fill in: what the problem states, what its settings are, and
how quantities are named.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

from attnsolve import notation as n
from attnsolve.errors import Fault, ProblemError
from attnsolve.graph import Name, Quantity
from attnsolve.key import Key
from attnsolve.language import syntax
from attnsolve.library import Library, Step
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.closed import base_of
from attnsolve.numbers.constant import PlainNumber, RootOfSize, Size
from attnsolve.numbers.matrix import ShapeError
from attnsolve.numbers.written import Figures, Real
from attnsolve.operations.context import Mistake
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.lowering import Lowering
from attnsolve.operations.number import Number
from attnsolve.operations.product import Product, Projection, WeightedSum
from attnsolve.operations.softmax import Share, Softmax
from attnsolve.spec.problem import Problem
from attnsolve.spec.softmax import Base

if TYPE_CHECKING:
    from attnsolve.operations.quantity_context import QuantityContext

Remark = tuple[str | n.Notation, ...]
Place = int | None
"""Which head or decoder step, counted from 0; None for what there is one of."""


class GraphBuilder:
    """Collects the quantities of one problem, in the order in which they can be computed."""

    library: ClassVar[Library]
    alike: frozenset[str] = frozenset()
    """Quantities that may be written with the same letter."""
    product: ClassVar[type[Product]] = Product
    """The product of two quantities neither of which holds weights."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.quantities: dict[Key, Quantity] = {}
        self.parameters: dict[Key, Quantity] = {}

    # ── what a kind fills in ────────────────────────────────────────────────────────────────────

    @abstractmethod
    def is_given(self, id: str) -> bool:
        """Whether the problem states a quantity."""

    @abstractmethod
    def want(self, id: str, place: Place) -> Ref:
        """A quantity, made with all that it rests on unless it is there already."""

    @abstractmethod
    def parameter(self, id: str, place: Place) -> Ref | None:
        """A weight matrix, bias or mask; None where the problem does without."""

    @abstractmethod
    def places(self, name: str) -> Iterable[Place]:
        """What `concat` and `stack` go over: heads, decoder steps."""

    @abstractmethod
    def without_source(self, id: str) -> ProblemError:
        """What to say where there is nothing that a quantity could be made from."""

    # ── what it may say in its own way ──────────────────────────────────────────────────────────

    def setting(self, name: str) -> str:
        """What the problem says of a key that steps depend on: its word for it, or that it is stated; nothing where it
        says nothing."""
        value = getattr(self.problem.body, name)
        return value if isinstance(value, str) else "" if value is None else "stated"

    def number(self, name: str, place: Place) -> Number:
        """A size or a setting that stands in a formula as a number."""
        return Number(PlainNumber(getattr(self.problem.body, name), self.problem.style))

    @property
    def functions(self) -> Mapping[str, Callable[..., Formula]]:
        """The functions of the table."""
        operations = {name: operation(path) for name, path in self.library.functions.items()}
        return {**operations, "softmax": self._softmax, "sqrt": root_of_size}

    def joined(self, name: str, parts: tuple[Formula, ...]) -> Formula:
        """What `concat` and `stack` make of some parts."""
        raise KeyError(name)

    def row_of(self, quantity: Ref, place: Place) -> Formula:
        """One token's vector of a quantity."""
        raise KeyError(quantity.key.id)

    # ── the table ───────────────────────────────────────────────────────────────────────────────

    def holds(self, step: Step) -> bool:
        """Whether the problem is as a row of the table wants it."""
        for name, allowed in step.conditions.items():
            value = self.setting(name)
            if not value or (allowed and value not in allowed.split("|")):
                return False
        return True

    def is_there(self, step: Step) -> bool:
        """Whether the problem has a step, made or stated."""
        return self.is_given(step.id) or (bool(step.formula) and self.holds(step))

    def step(self, id: str) -> Step:
        """The row for a quantity in this problem."""
        rows = self.library.rows(id)
        return rows[0] if len(rows) == 1 else next((row for row in rows if self.holds(row)), rows[0])

    def formula(self, step: Step, place: Place) -> Formula:
        """The formula of a row, with what it reads made first."""
        return _Row(self, step, place).formula(step.tree)

    def _softmax(self, scores: Ref) -> Formula:
        """Scores turned into weights, as the problem says."""
        base: Base = self.problem.body.base
        if isinstance(base, str) and base == "sum":
            return Share(scores)
        return Softmax(scores, base=base_of(base), stable=self.problem.body.stable)

    # ── the graph ───────────────────────────────────────────────────────────────────────────────

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of a quantity already made."""
        return (self.quantities.get(key) or self.parameters[key]).shape

    def fault(self, message: str, fix: str = "") -> ProblemError:
        """What keeps the problem from being built, to be raised."""
        return ProblemError([Fault(self.problem.file, self.problem.at, message, fix)])

    def shape_of(self, name: str, formula: Formula) -> tuple[int, int]:
        """A formula's shape; matrices that can't be put together are a fault of the problem."""
        try:
            return formula.shape(self)
        except ShapeError as error:
            raise self.fault(f"the {name} can't be computed: {error}") from None

    def place(self, quantity: Quantity) -> Ref:
        """Add a quantity."""
        self.quantities[quantity.key] = self.unlike(quantity)
        return Ref(quantity.key)

    def unlike(self, quantity: Quantity) -> Quantity:
        """A quantity, unless its letter is another's already."""
        name, symbol = quantity.key.id, quantity.name.matrix
        for other in (*self.quantities.values(), *self.parameters.values()):
            if other.name.matrix == symbol and not {other.key.id, name} <= self.alike:
                message = f"{other.key.id} and {name} would both be written {TextPrinter().print(symbol)}"
                raise self.fault(message, f"give one of them another letter: notation: {{{name}: ...}}")
        return quantity

    def ordered(self) -> dict[Key, Quantity]:
        """Everything that was made, each parameter right before what first reads it."""
        found: dict[Key, Quantity] = {}
        for key, quantity in self.quantities.items():
            for leaf in quantity.formula.leaves():
                if leaf in self.parameters:
                    found.setdefault(leaf, self.parameters[leaf])
            found[key] = quantity
        return found

    # ── names and remarks ───────────────────────────────────────────────────────────────────────

    def letter(self, id: str) -> str:
        """What the sheet calls a quantity: its own letter, or that of another with primes."""
        chosen, parameter = self.problem.notation, self.library.parameters.get(id)
        if id in chosen:
            return chosen[id]
        if parameter is not None:
            return parameter.letter or id
        step = self.step(id)
        first, *others = reversed(self.library.before(step, step.stem) or [step])
        primes = len({other.id for other in others if self.is_there(other)} | {id}) if "'" in step.letter else 0
        return chosen.get(first.id, first.letter) + "'" * primes

    def divisor(self, formula: Divide, size: int | None) -> Remark:
        """What the scores are divided by: √d = √64 = 8; a number of the sheet's own where there is no `size`."""
        figures = Figures(self.problem.digits, self.problem.style)
        real = Real.of(formula.divisor)
        decimal = (("≈", figures.decimal(real).notation),) if figures.needs_decimal(real) else ()
        if size is None:
            return ("The scores are divided by ", n.Chain(formula.number, decimal), ".")
        root = n.Root(n.Num(str(size)))
        plain = (("=", formula.number),) if formula.number != root else ()
        return ("The divisor is ", n.Chain(formula.symbol, (("=", root), *plain, *decimal)), ".")


class _Row(Lowering):
    """The formula of one row of a table, for one place."""

    def __init__(self, builder: GraphBuilder, step: Step, place: Place) -> None:
        self.builder = builder
        self.step = step
        self.place = place

    def call(self, name: str, arguments: list[Formula]) -> Formula:
        return self.builder.functions[name](*arguments)

    def name(self, name: str) -> Formula:
        parameter = self._parameter(name)
        if parameter is not None:
            ref = self.builder.parameter(parameter, self.place)
            assert ref is not None
            return ref
        before = self._before(name)
        if not before:
            return self.builder.number(name, self.place)
        id = next(filter(self.builder.is_there, before), before[-1]).id
        return self.builder.want(id, self.place if self.builder.step(id).per else None)

    def _before(self, name: str) -> list[Step]:
        return self.builder.library.before(self.step, name)

    def _parameter(self, name: str) -> str | None:
        """The id of a parameter, by its letter."""
        return self.builder.library.by_letter.get(name)

    def _is_left_out(self, node: syntax.Node) -> bool:
        """Whether it is a parameter that the problem does without."""
        id = self._parameter(node.name) if isinstance(node, syntax.NameNode) else None
        return id is not None and self.builder.parameter(id, self.place) is None

    def chain(self, chain: syntax.ChainNode) -> Formula:
        if chain.rest[0][0] == "or":
            return self._first_of(chain)
        left = self.formula(chain.first)
        for sign, node in chain.rest:
            if not self._is_left_out(node):
                left = self.join(left, sign, self.formula(node))
        return left

    def _first_of(self, chain: syntax.ChainNode) -> Formula:
        for option in (chain.first, *(node for _, node in chain.rest)):
            if isinstance(option, syntax.NameNode) and any(map(self.builder.is_there, self._before(option.name))):
                return self.name(option.name)
        raise self.builder.without_source(self.step.id)

    def entry(self, inner: syntax.Node, places: tuple[syntax.Node, ...]) -> Formula:
        quantity = self.formula(inner)
        assert isinstance(quantity, Ref)
        return quantity if self.place is None else self.builder.row_of(quantity, self.place)

    def over(self, call: syntax.CallNode) -> Formula:
        (body,) = call.arguments
        (index,) = call.over
        assert isinstance(index, syntax.RangeNode)
        places = self.builder.places(syntax.written(index.last))
        parts = [_Row(self.builder, self.step, place).formula(body) for place in places]
        return parts[0] if places == [None] else self.builder.joined(call.name, tuple(parts))

    def product(self, left: Formula, right: Formula) -> Formula:
        if self.builder.parameters.keys() >= {*right.leaves()}:
            return Projection(left, right)
        if isinstance(left, Ref) and left.key.id == "weights":
            return WeightedSum(left, right)
        return self.builder.product(left, right)


def root_of_size(size: Number) -> Number:
    """The root of a size that has a letter: √d_k."""
    assert isinstance(size.constant, Size)
    return Number(RootOfSize(size.constant.letter, size.constant.size, size.constant.style))


def operation(path: str) -> Callable[..., Formula]:
    """An operation by its module and class."""
    module, name = path.split(".")
    found: Callable[..., Formula] = getattr(import_module(f"attnsolve.operations.{module}"), name)
    return found


def mistakes(formula: Formula, where: QuantityContext) -> Iterator[Mistake]:
    """What people do in place of an operation of attention; loaded when somebody looks for it."""
    from attnsolve.kinds import mistakes as attention

    return attention.mistakes(formula, where)


def name_of(letter: str, head: str | None = None, vector: bool = False, single: bool = False) -> Name:
    """A name from what was typed: S, W_Q, s_t, S'."""
    plain = letter.rstrip("'")
    name, _, index = plain.partition("_")
    return Name(name, index, head, len(letter) - len(plain), vector, single)
