"""The working of a cell, as it is written, is worth what the cell is: for every operation, in letters and numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.each import each
from shared.effort import tries
from shared.examples import EXAMPLES, SHAPES, Leaves, generic, named
from shared.worth import worth

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.floats import Floats
from attnsolve.numbers.symbols import MAXIMUM, Symbols
from attnsolve.operations.formula import Formula

Rows = list[list[Fraction]]
Letters = dict[n.Notation, Any]


def entry(key: Key, row: int, column: int) -> n.Sym:
    return n.Sym(key.id, (str(row), str(column)))


def vector(key: Key, across: bool, number: int) -> n.Sym:
    return n.Sym(key.id, ("across" if across else "down", str(number)), vector=True)


def in_letters(key: Key) -> Symbols:
    rows, columns = (lambda number: vector(key, False, number)), (lambda number: vector(key, True, number))
    return Symbols.named(SHAPES[key], lambda i, j: entry(key, i, j), rows, columns)


def letters_of(values: dict[Key, Rows]) -> Letters:
    """What every entry, row and column is worth."""
    found: Letters = {}
    for key, rows in values.items():
        table = np.array([[float(x) for x in row] for row in rows])
        found |= {entry(key, i, j): table[i, j] for i, j in np.ndindex(table.shape)}
        found |= {vector(key, False, i): row for i, row in enumerate(table)}
        found |= {vector(key, True, j): column for j, column in enumerate(table.T)}
    return found


def in_numbers(values: dict[Key, Rows]) -> Leaves:
    def at(key: Key) -> Symbols:
        return Symbols(SHAPES[key], lambda i, j: n.Num(f"{float(values[key][i][j]):.3f}"))

    return Leaves(at)


def floats(formula: Formula, values: dict[Key, Rows]) -> list[list[float]]:
    found: Floats = formula.evaluate({key: Floats.of(rows) for key, rows in values.items()}, Floats)
    return found.rows


def greatest(formula: Any, values: dict[Key, Rows], row: int, column: int) -> float:
    """What the letter m stands for in a cell: the greatest of the lane that a softmax is taken over."""
    inner = np.array(floats(formula.inner, values))
    return float(inner.max(axis=0)[column] if formula.down else inner.max(axis=1)[row])


@tries(3)
@given(seed=st.integers(0, 10**9))
@each("formula", EXAMPLES, named)
def test_a_cell_written_in_letters_is_worth_what_it_is(seed: int, formula: Formula) -> None:
    values = generic(seed)
    letters, symbols = letters_of(values), formula.evaluate(Leaves(in_letters), Symbols)
    for i, row in enumerate(floats(formula, values)):
        for j, value in enumerate(row):
            if getattr(formula, "stable", False):
                letters[MAXIMUM] = greatest(formula, values, i, j)
            assert worth(symbols.at(i, j), letters) == pytest.approx(value, rel=1e-12)
            said = symbols.in_vectors(i, j)
            assert said is None or worth(said, letters) == pytest.approx(value, rel=1e-12)
    assert symbols.shape == formula.shape(Leaves(in_letters))


@each("formula", EXAMPLES, named)
def test_a_cell_with_the_numbers_put_in_is_worth_what_it_is(formula: Formula) -> None:
    values = generic(11)
    symbols = formula.evaluate(in_numbers(values), Symbols)
    for i, row in enumerate(floats(formula, values)):
        for j, value in enumerate(row):
            assert worth(symbols.at(i, j), {}) == pytest.approx(value, rel=1e-12)


def test_vectors_with_names_are_said_in_short_where_the_definition_multiplies_them() -> None:
    short = {named(formula) for formula in EXAMPLES if formula.evaluate(Leaves(in_letters), Symbols).in_vectors(0, 0)}
    assert {name.partition(":")[0] for name in short} >= {"Product", "DotProducts", "Projection", "Norms", "Cosine"}


def test_a_reader_of_the_notation_knows_minus_infinity() -> None:
    hidden = n.Power(n.Sym("e"), n.Sum((n.Num("2"), n.Infinity())))
    assert worth(hidden, {}) == 0
    assert worth(n.Sum((n.Num("-2.5"), n.Num("1", 1))), {}) == 7.5
    assert math.isinf(worth(n.Infinity(), {}))


def test_the_greatest_of_a_row_is_written_as_the_number_that_it_is_or_by_its_letter() -> None:
    numbers = [n.Num("-2"), n.Frac(n.Num("7"), n.Num("2")), n.Num("3"), n.Infinity()]
    row = Symbols((1, 4), lambda _, j: numbers[j]).reduce("max")
    assert row.in_short.at(0, 0) == numbers[1]
    assert row.at(0, 0) == n.Call("max", tuple(numbers))
    assert in_letters(Key("a")).reduce("max").in_short.at(1, 0) == MAXIMUM


def test_the_greatest_of_a_row_is_named_only_where_its_digits_tell() -> None:
    """Beyond the range of floats, or nearer to another number than they tell, max(…) stays as it is."""
    root, huge = n.Root(n.Num("2")), n.Num("1", 400)
    half = n.Frac(n.Num("1"), root)
    near = n.Num("1.41421356237309505")
    for row, wanted in (
        ([half, root, root], root),
        ([n.Infinity(), n.Num("-3"), n.Frac(n.Num("-7"), n.Num("2"))], n.Num("-3")),
        ([huge, n.Num("2")], None),
        ([n.Num("-1", 400), n.Num("2")], n.Num("2")),
        ([n.Num("-1", 400), n.Num("-2", 400)], None),
        ([root, near], None),
        ([n.Num("1"), n.Call("tanh", (n.Num("5"),))], None),
    ):
        written = Symbols((1, len(row)), lambda _, j, row=row: row[j]).reduce("max").in_short.at(0, 0)
        assert written == (wanted or n.Call("max", tuple(row)))
