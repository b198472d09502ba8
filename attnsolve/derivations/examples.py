"""A claim seen on numbers: the very operations of attention, run and told as in any other problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from attnsolve.derivations.argument import Argument
from attnsolve.derivations.given import plain_matrix
from attnsolve.derivations.writing import Passage
from attnsolve.errors import count
from attnsolve.graph import Axis, Graph, Name, Quantity
from attnsolve.narrate.teller import Teller
from attnsolve.numbers.balls import Ball, ball
from attnsolve.numbers.light import square_root
from attnsolve.numbers.written import Figures, Real
from attnsolve.operations.formula import Formula, Given, Key, Ref, Transpose
from attnsolve.operations.product import Product, WeightedSum
from attnsolve.operations.softmax import Softmax
from attnsolve.solution import Solution
from attnsolve.spec import reader
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


def softmax_solution(problem: Problem, scores: Matrix) -> Solution:
    """The softmax of some scores."""
    builder = Builder()
    builder.given("scores", Name("z", vector=True), scores.rows)
    builder.add("weights", Name("alpha", vector=True), Softmax(Ref(Key("scores"))))
    return builder.solution(problem)


def softmax_example(problem: Problem, scores: Matrix) -> Passage:
    """The softmax of some scores, worked out."""
    writing = Argument("example", "On given scores", {})
    teller = Teller(softmax_solution(problem, scores), everything=True)
    writing.states_given(writing.quantity(teller, "scores"))
    writing.works(teller, "weights")
    return writing.finish()


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


@dataclass(frozen=True)
class Vectors:
    """Given keys, and perhaps values and a query."""

    keys: Rows
    values: Rows | None
    query: Rows

    def figures(self, problem: Problem) -> Figures:
        """How this problem's numbers are shown."""
        return Figures(problem.digits, problem.style)


def read_vectors(fields: Fields, *, with_query: bool) -> Vectors | None:
    """`keys`, `values` and (where it is not constructed) `query`: widths and numbers that agree."""
    faults = fields.faults
    keys, values = plain_matrix(fields, "keys"), plain_matrix(fields, "values")
    query = plain_matrix(fields, "query") if with_query else None
    if keys is None:
        for name in ("values", "query"):
            if fields.get(name) is not None and fields.get("keys") is None:
                faults.add(fields.marks[name], f"{name} without keys can't be attended to", "add keys: [[...]]")
        return None
    keys = keys.sized(_number_of_keys(fields, values, query))
    if len(keys.rows) < 2:
        faults.add(keys.at, "there must be at least two keys, one row each")
    if with_query and query is None and fields.get("query") is None:
        faults.add(keys.at, "keys without a query have no scores", "add query: [...]")
    if query is not None and (len(query.rows) != 1 or query.shape[1] != keys.shape[1]):
        entries, columns = count(query.shape[1], "entry", "entries"), count(keys.shape[1], "column")
        said = f"the query has {entries} but the keys have {columns}"
        faults.add(query.at, said if len(query.rows) == 1 else "the query must be one list of numbers")
    if values is not None:
        values = values.sized(len(keys.rows))
        if len(values.rows) != len(keys.rows):
            said = f"there are {count(len(values.rows), 'value')} but {count(len(keys.rows), 'key')}"
            faults.add(values.at, said, "write one row a value, one value a key")
    if faults.found:
        return None
    return Vectors(keys.rows, None if values is None else values.rows, () if query is None else query.rows)


def _number_of_keys(fields: Fields, values: Matrix | None, query: Matrix | None) -> int:
    """How many keys `identity` stands for: as many as there are values, or entries of the query, or as n says."""
    if values is not None and values.rows:
        return len(values.rows)
    if query is not None and query.rows:
        return len(query.rows[0])
    node = fields.get("n")
    text = node.text if isinstance(node, reader.Scalar) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 3 else 1


def combined(function: Callable[..., Ball], *reals: Real) -> Real:
    """A number made from others, to be certified like them."""
    return Real(None, lambda bits: function(*(real.ball_at(bits) for real in reals)))


def exactly(value: Fraction) -> Real:
    """A rational number."""
    return Real.of(value)


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
