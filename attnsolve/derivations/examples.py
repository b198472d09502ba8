"""A claim seen on numbers: the very operations of attention, run and told as in any other problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from attnsolve.derivations.argument import Argument
from attnsolve.derivations.names import names
from attnsolve.derivations.writing import Passage
from attnsolve.graph import Axis, Graph, Name, Quantity
from attnsolve.key import Key
from attnsolve.kinds.builder import root_of_size
from attnsolve.language.syntax import ChainNode, NameNode
from attnsolve.library import Step
from attnsolve.library.attention import ATTENTION
from attnsolve.narrate.exact import ExactNarrator
from attnsolve.numbers.balls import Ball, ball
from attnsolve.numbers.constant import Size
from attnsolve.numbers.surds import square_root
from attnsolve.numbers.written import Real
from attnsolve.operations.formula import Formula, Given, Ref
from attnsolve.operations.lowering import Lowering
from attnsolve.operations.number import Number
from attnsolve.operations.product import Product, Projection, WeightedSum
from attnsolve.operations.softmax import Softmax
from attnsolve.solution.exact import Solution
from attnsolve.spec.fields import GivenMatrix
from attnsolve.spec.problem import Problem

Rows = tuple[tuple[Any, ...], ...]


def softmax_solution(problem: Problem, scores: GivenMatrix) -> Solution:
    """The softmax of some scores."""
    builder = ExampleBuilder()
    builder.given("scores", Name("z", vector=True), scores.rows)
    builder.add("weights", Name("alpha", vector=True), Softmax(Ref(Key("scores"))))
    return builder.solution(problem)


def softmax_example(problem: Problem, scores: GivenMatrix) -> Passage:
    """The softmax of some scores, worked out."""
    writing = Argument("example", "On given scores", names())
    narrator = ExactNarrator(softmax_solution(problem, scores), everything=True)
    writing.states_given(writing.quantity(narrator, "scores"))
    writing.works(narrator, "weights")
    return writing.finish()


def attention_solution(problem: Problem, query: Rows, keys: Rows, values: Rows | None) -> Solution:
    """One query's scores, weights and output."""
    builder = ExampleBuilder()
    builder.given("queries", Name("q", vector=True), query)
    builder.given("keys", Name("K"), keys, tokens=True)
    letters = {"scores": "z", "weights": "alpha"}
    if values is not None:
        builder.given("values", Name("V"), values, tokens=True)
        letters["context"] = "c"
    builder.attend({id: Name(letter, vector=True) for id, letter in letters.items()})
    return builder.solution(problem)


def agree(first: Solution, second: Solution, id: str, order: Sequence[int] = (0,)) -> bool:
    """Whether two solutions have the same rows, the first one's in another order: to 30 digits."""
    key = Key(id)
    pairs = ((i, j, k) for j, i in enumerate(order) for k in range(first.graph[key].shape[1]))
    return all(str(first.real(key, i, k).decimal(30)) == str(second.real(key, j, k).decimal(30)) for i, j, k in pairs)


def combined(function: Callable[..., Ball], *reals: Real) -> Real:
    """A number made from others, to be certified like them."""
    return Real(None, lambda bits: function(*(real.ball_at(bits) for real in reals)))


def distance(left: Sequence[Real], right: Sequence[Real]) -> Real:
    """How far two vectors are apart; exactly where all of their entries are rational."""
    known = [(x.rational, y.rational) for x, y in zip(left, right, strict=True)]
    squares = [(x - y) ** 2 for x, y in known if x is not None and y is not None]
    if len(squares) == len(known):
        return Real.of(square_root(sum(squares, Fraction(0))))

    def ball_at(bits: int) -> Ball:
        apart = [x.ball_at(bits) - y.ball_at(bits) for x, y in zip(left, right, strict=True)]
        return sum((d * d for d in apart), ball(Fraction(0))).sqrt()  # d**2 bounds nothing where d may be 0

    return Real(None, ball_at)


class ExampleBuilder:
    """Puts a small graph together."""

    def __init__(self) -> None:
        self.quantities: dict[Key, Quantity] = {}

    def given(self, id: str, name: Name, rows: Rows, *, tokens: bool = False) -> None:
        """A quantity that is stated."""
        axis = Axis(True, tuple(f"{name.letter.lower()}_{i}" for i in range(1, len(rows) + 1))) if tokens else Axis()
        key = Key(id)
        self.quantities[key] = Quantity(key, name, Given(rows), (len(rows), len(rows[0])), axis)

    def add(self, id: str, name: Name, formula: Formula) -> None:
        """A quantity that is computed."""
        key = Key(id)
        self.quantities[key] = Quantity(key, name, formula, formula.shape(self))

    def attend(self, names: Mapping[str, Name], size: Size | None = None) -> None:
        """Attention as its table has it: those of its quantities that have a name here; scores are divided by the
        root of a `size`, or not at all."""
        for step in ATTENTION.steps:
            if step.id in names and Key(step.id) not in self.quantities and step.formula:
                self.add(step.id, names[step.id], _TableRow(self, step, size).formula(step.tree))

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of what is there already."""
        return self.quantities[key].shape

    def solution(self, problem: Problem) -> Solution:
        """The graph, worked out in the style of the problem."""
        return Solution(replace(problem, rounding=None), Graph(self.quantities, "rows"))


class _TableRow(Lowering):
    """The formula of a row of the table of attention, of what an example has."""

    def __init__(self, builder: ExampleBuilder, step: Step, size: Size | None) -> None:
        self.builder, self.step, self.size = builder, step, size

    def name(self, name: str) -> Formula:
        ref = self._there(name)
        if ref is not None:
            return ref
        assert self.size is not None
        return Number(self.size)

    def _there(self, name: str) -> Ref | None:
        """The quantity or parameter that has a letter, if the example has it."""
        ids = [ATTENTION.by_letter.get(name, ""), *(step.id for step in ATTENTION.before(self.step, name))]
        return next((Ref(Key(id)) for id in ids if Key(id) in self.builder.quantities), None)

    def chain(self, chain: ChainNode) -> Formula:
        operands = [chain.first, *(node for _, node in chain.rest)]
        if chain.rest[0][0] == "or":
            names = [node.name for node in operands if isinstance(node, NameNode)]
            return next(self.name(name) for name in names if self._there(name))
        left = self.formula(chain.first)
        for sign, node in chain.rest:
            if not isinstance(node, NameNode) or node.name not in ATTENTION.by_letter or self._there(node.name):
                left = self.join(left, sign, self.formula(node))
        return left

    def call(self, name: str, arguments: list[Formula]) -> Formula:
        (argument,) = arguments
        if name == "sqrt":
            assert isinstance(argument, Number)
            return root_of_size(argument)
        return Softmax(argument)

    def product(self, left: Formula, right: Formula) -> Formula:
        if isinstance(right, Ref) and right.key.id in ATTENTION.parameters:
            return Projection(left, right)
        return (WeightedSum if left == Ref(Key("weights")) else Product)(left, right)
