"""The shape and the work that `Counts` gives are those of a run that does the work, one number after the other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, ClassVar

from shared.each import each, pairs
from shared.examples import EXAMPLES, ROW, SHAPES, A, B, Leaves, generic, named
from shared.formulas import concrete

from attnsolve.numbers.balls import at_precision
from attnsolve.numbers.counts import Counts, Step
from attnsolve.numbers.floats import to_float
from attnsolve.numbers.matrix import Function, Matrix, Numeric, Reduction
from attnsolve.operations.add import Add
from attnsolve.operations.cosine import Norms
from attnsolve.operations.formula import Formula
from attnsolve.operations.product import Product
from attnsolve.operations.softmax import Softmax

NUMERIC = concrete(Numeric)
GIVEN = Leaves(lambda key: Counts(SHAPES[key], [str(key)]))


class Abacus(Matrix):
    """A matrix worked out by loops over single numbers, each step of which is put down."""

    done: ClassVar[Counter[Step]] = Counter()

    def __init__(self, rows: Sequence[Sequence[float]]) -> None:
        self.rows = [list(row) for row in rows]
        self.shape: tuple[int, int] = len(self.rows), len(self.rows[0])

    @classmethod
    def of(cls, rows: Any) -> Abacus:
        return cls([[to_float(x) for x in row] for row in rows])

    def _step(self, step: Step, value: float) -> float:
        self.done[step] += 1
        return value

    def _pairs(self, step: Step, combine: Callable[[float, float], float], other: Abacus) -> Abacus:
        height, width = (max(a, b) for a, b in zip(self.shape, other.shape, strict=True))

        def entry(matrix: Abacus, i: int, j: int) -> float:
            return matrix.rows[i if matrix.shape[0] > 1 else 0][j if matrix.shape[1] > 1 else 0]

        found = [[0.0] * width for _ in range(height)]
        for i, j in product(range(height), range(width)):
            found[i][j] = self._step(step, combine(entry(self, i, j), entry(other, i, j)))
        return Abacus(found)

    def _each(self, step: Step, change: Callable[[float], float]) -> Abacus:
        return Abacus([[self._step(step, change(x)) for x in row] for row in self.rows])

    def _along(self, step: Step, combine: Callable[[float, float], float], row: Sequence[float]) -> float:
        first, *rest = row
        for x in rest:
            first = self._step(step, combine(first, x))
        return first

    def __add__(self, other: Abacus) -> Abacus:
        return self._pairs("addition", lambda x, y: x + y, other)

    def __mul__(self, other: Abacus) -> Abacus:
        return self._pairs("multiplication", lambda x, y: 0.0 if 0.0 in (x, y) else x * y, other)

    def divide(self, other: Abacus, *, empty: bool = False) -> Abacus:
        return self._pairs("division", lambda x, y: 0.0 if empty and x == y == 0 else x / y, other)

    def __matmul__(self, other: Abacus) -> Abacus:
        columns = [*zip(*other.rows, strict=True)]
        return Abacus([[self._dot(row, column) for column in columns] for row in self.rows])

    def _dot(self, row: Sequence[float], column: Sequence[float]) -> float:
        products = [self._step("product", x * y) for x, y in zip(row, column, strict=True)]
        return self._along("addition", lambda x, y: x + y, products)

    def exp(self, base: Any) -> Abacus:
        return self._each("exponential", lambda x: to_float(base) ** x)

    def apply(self, function: Function) -> Abacus:
        return self._each("function", getattr(math, "log" if function == "ln" else function))

    def maximum(self, other: Abacus) -> Abacus:
        return self._pairs("comparison", max, other)

    def exceeds(self, other: Abacus) -> Abacus:
        return self._pairs("comparison", lambda x, y: float(x > y), other)

    def reduce(self, how: Reduction) -> Abacus:
        if how == "sum":
            return Abacus([[self._along("addition", lambda x, y: x + y, row)] for row in self.rows])
        return Abacus([[self._along("comparison", max, row)] for row in self.rows])

    def finite(self) -> Abacus:
        return Abacus([[0.0 if math.isinf(x) else x for x in row] for row in self.rows])

    @property
    def T(self) -> Abacus:
        return Abacus([*zip(*self.rows, strict=True)])

    def beside(self, others: Sequence[Abacus]) -> Abacus:
        parts = zip(self.rows, *(other.rows for other in others), strict=True)
        return Abacus([[x for part in rows for x in part] for rows in parts])

    def columns(self, start: int, stop: int) -> Abacus:
        return Abacus([row[start:stop] for row in self.rows])


def worked(formula: Formula) -> tuple[Abacus, Counter[Step]]:
    """What comes out of the loops, and the steps that it took."""
    values = {key: Abacus.of(rows) for key, rows in generic(5).items()}
    Abacus.done.clear()
    found: Abacus = formula.evaluate(values, Abacus)
    return found, Counter(Abacus.done)


@each("formula", EXAMPLES, named)
def test_the_work_counted_is_the_work_done(formula: Formula) -> None:
    found, done = worked(formula)
    counts = formula.counts(GIVEN)
    assert counts.total == done
    assert formula.counts(GIVEN).total["product"] == done["product"]
    assert counts.shape == formula.shape(GIVEN) == found.shape


@each("tier, formula", pairs(NUMERIC, EXAMPLES), named)
def test_the_shape_counted_is_that_of_every_tier(tier: Any, formula: Formula) -> None:
    with at_precision(64):
        found = formula.evaluate({key: tier.of(rows) for key, rows in generic(3).items()}, tier)
        assert found.shape == formula.shape(GIVEN)
        assert (len(found.rows), len(found.rows[0])) == found.shape


def test_a_product_takes_as_many_multiplications_as_a_textbook_says() -> None:
    assert Product(A, B).counts(GIVEN).total == {"product": 2 * 3 * 4, "addition": 2 * 2 * 4}


def test_a_softmax_takes_one_power_and_one_division_per_score() -> None:
    plain = {"exponential": 6, "addition": 2 * 2, "division": 6}
    assert Softmax(A).counts(GIVEN).total == plain
    assert Softmax(A, down=True).counts(GIVEN).total == {**plain, "addition": 3 * 1}
    shifted = {"comparison": 2 * 2, "multiplication": 2, "addition": 6 + 2 * 2}
    assert Softmax(A, stable=True).counts(GIVEN).total == {**plain, **shifted}


def test_what_is_used_twice_is_worked_out_once() -> None:
    twice = Norms(Product(A, B), ())
    assert twice.counts(GIVEN).total == {
        "product": 24, "addition": 2 * 2 * 4 + 2 * 3, "multiplication": 2 * 4, "function": 2,
    }  # fmt: skip


def test_a_row_added_to_every_row_takes_an_addition_per_entry() -> None:
    assert Add(A, ROW).counts(GIVEN).total == {"addition": 6}
