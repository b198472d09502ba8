"""A claim seen on numbers: the very operations of attention, run and told as in any other problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from attnsolve.derivations.argument import Argument
from attnsolve.derivations.names import names
from attnsolve.derivations.writing import Passage
from attnsolve.graph import Axis, Graph, Name, Quantity
from attnsolve.key import Key
from attnsolve.narrate.exact import ExactNarrator
from attnsolve.numbers.balls import Ball, ball
from attnsolve.numbers.constant import Constant
from attnsolve.numbers.surds import square_root
from attnsolve.numbers.written import Real
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Given, Ref, Transpose
from attnsolve.operations.number import Number
from attnsolve.operations.product import Product, WeightedSum
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
    if values is not None:
        builder.given("values", Name("V"), values, tokens=True)
    builder.attend(Name("z", vector=True), Name("alpha", vector=True), Name("c", vector=True))
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

    def attend(self, scores: Name, weights: Name, context: Name, root: Constant | None = None) -> None:
        """Attention of the queries to the keys, and to the values if there are any."""
        self.add("scores", scores, Product(Ref(Key("queries")), Transpose(Ref(Key("keys")))))
        if root is not None:
            self.add("scaled", replace(scores, primes=1), Divide(Ref(Key("scores")), Number(root)))
        self.add("weights", weights, Softmax(Ref(Key("scores" if root is None else "scaled"))))
        if Key("values") in self.quantities:
            self.add("context", context, WeightedSum(Ref(Key("weights")), Ref(Key("values"))))

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of what is there already."""
        return self.quantities[key].shape

    def solution(self, problem: Problem) -> Solution:
        """The graph, worked out in the style of the problem."""
        return Solution(replace(problem, rounding=None), Graph(self.quantities, "rows"))
