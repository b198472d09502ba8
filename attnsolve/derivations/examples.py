"""A claim seen on numbers: the very operations of attention, run and told as in any other problem."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attnsolve.derivations.writing import Passage
from attnsolve.document import Block, Gallery
from attnsolve.graph import Axis, Graph, Name, Quantity
from attnsolve.narrate.teller import Teller
from attnsolve.operations.formula import Formula, Given, Key, Ref
from attnsolve.operations.product import Product, WeightedSum
from attnsolve.operations.softmax import Softmax
from attnsolve.operations.transpose import Transpose
from attnsolve.solution import Solution
from attnsolve.spec.fields import Fields, Matrix
from attnsolve.spec.problem import Problem

Rows = tuple[tuple[Any, ...], ...]


def read_scores(fields: Fields) -> Matrix | None:
    """`scores: [1, 2, 3]`."""
    matrix = fields.matrix("scores")
    if matrix is not None and (matrix.identity or len(matrix.rows) != 1):
        fields.faults.add(matrix.at, "scores must be one list of numbers, such as [1, 2, 3]")
        return None
    return matrix


def softmax_example(problem: Problem, scores: Matrix) -> Passage:
    """The softmax of some scores, worked out."""
    builder = Builder()
    builder.given("scores", Name("z", vector=True), scores.rows)
    builder.add("weights", Name("alpha", vector=True), Softmax(Ref(Key("scores"))))
    return Passage("example", ("On given scores",), builder.told(problem, "weights"))


def attention_solution(problem: Problem, query: Rows, keys: Rows, values: Rows | None) -> Solution:
    """One query's scores, weights and output."""
    builder = Builder()
    builder.given("queries", Name("q", vector=True), query)
    builder.given("keys", Name("K"), keys, tokens=True)
    if values is not None:
        builder.given("values", Name("V"), values, tokens=True)
    builder.add("scores", Name("z", vector=True), Product(Ref(Key("queries")), Transpose(Ref(Key("keys")))))
    builder.add("weights", Name("alpha", vector=True), Softmax(Ref(Key("scores"))))
    if values is not None:
        builder.add("context", Name("c", vector=True), WeightedSum(Ref(Key("weights")), Ref(Key("values"))))
    return builder.solution(problem)


class Builder:
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

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of what is there already."""
        return self.quantities[key].shape

    def solution(self, problem: Problem) -> Solution:
        """The graph, worked out in the style of the problem."""
        return Solution(replace(problem, rounding=None), Graph(self.quantities, "rows"))

    def told(self, problem: Problem, *ids: str) -> list[Block]:
        """What is given, then some of the quantities with their work."""
        teller = Teller(self.solution(problem), everything=True)
        stated = Gallery(tuple(teller.equals(q) for q in teller.graph if q.given))
        return [stated, *(block for id in ids for block in told(teller, id))]


def told(teller: Teller, id: str) -> list[Block]:
    """One quantity: its formula, its work, the result, what was verified."""
    quantity = teller.graph[Key(id)]
    works = teller.work(quantity, [0], all_told=True)
    return [*teller.formula(quantity), *works, *teller.result(quantity), teller.verdict(quantity)]
