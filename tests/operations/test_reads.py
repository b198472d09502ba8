"""The cells that `Reads` names are those whose value matters, for every operation."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.each import each
from shared.effort import tries
from shared.examples import EXAMPLES, SHAPES, Leaves, generic, hides, named
from shared.formulas import concrete

from attnsolve.graph import Cell
from attnsolve.key import Key
from attnsolve.numbers.cells import Reads
from attnsolve.numbers.floats import Floats
from attnsolve.operations.choice import Exceeds, Larger, Smaller
from attnsolve.operations.formula import Formula
from attnsolve.operations.mask import Select
from attnsolve.operations.positions import Alibi
from attnsolve.operations.reductions import Maxima, Maximum, Minimum
from attnsolve.operations.selection import Sorted
from attnsolve.operations.stages import Greatest
from attnsolve.operations.structure import Generated

Rows = list[list[Fraction]]
COMPARES = Exceeds, Greatest, Larger, Maxima, Maximum, Minimum, Smaller
"""What takes one of several entries, so that the others don't matter."""
STEP = Fraction(1, 97)
PLACES = Leaves(lambda key: Reads(SHAPES[key], lambda i, j: (Cell(key, i, j),)))


def test_there_is_an_example_of_every_operation() -> None:
    assert {type(formula) for formula in EXAMPLES} == {*concrete(Formula)}


def value(formula: Formula, values: dict[Key, Rows]) -> list[list[float]]:
    found: Floats = formula.evaluate({key: Floats.of(rows) for key, rows in values.items()}, Floats)
    return found.rows


def mattering(formula: Formula, values: dict[Key, Rows]) -> dict[tuple[int, int], set[Cell]]:
    """Which cells change each cell of a result when they are changed a little."""
    before = value(formula, values)
    found: dict[tuple[int, int], set[Cell]] = {(i, j): set() for i, row in enumerate(before) for j, _ in enumerate(row)}
    for key in formula.leaves():
        for i, row in enumerate(values[key]):
            for j, entry in enumerate(row):
                row[j] = entry + STEP
                after = value(formula, values)
                row[j] = entry
                for (a, b), cells in found.items():
                    if after[a][b] != before[a][b]:
                        cells.add(Cell(key, i, j))
    return found


def hangs_on_order(formula: Formula) -> bool:
    """Whether which of its numbers are larger decides what matters, or 0 is among its factors."""
    greatest = isinstance(formula, Generated) and formula.how == "max"
    return formula.decides or greatest or isinstance(formula, Greatest | Sorted | Select | Alibi)


@tries(3)
@given(seed=st.integers(0, 10**9))
@each("formula", EXAMPLES, named)
def test_the_cells_that_are_read_are_those_that_matter(seed: int, formula: Formula) -> None:
    """What is hidden behind −∞, or less than the maximum, is read and doesn't matter: which cells those are is a matter
    of the numbers."""
    reads = formula.evaluate(PLACES, Reads)
    found = mattering(formula, generic(seed))
    assert reads.shape == (1 + max(i for i, _ in found), 1 + max(j for _, j in found))
    for place, cells in found.items():
        named = reads.at(*place)
        assert len(named) == len({*named})
        loose = hides(formula) or hangs_on_order(formula) or isinstance(formula, COMPARES)
        assert {*named} >= cells if loose else {*named} == cells


@pytest.mark.parametrize("formula", [formula for formula in EXAMPLES if hides(formula)], ids=named)
def test_what_is_hidden_is_all_that_is_read_without_mattering(formula: Formula) -> None:
    found = mattering(formula, generic(1))
    reads = formula.evaluate(PLACES, Reads)
    hidden = {Cell(Key("a"), 0, 1), Cell(Key("a"), 1, 2)}
    for place, cells in found.items():
        idle = {*reads.at(*place)} - cells
        alone = value(formula, generic(1))[place[0]][place[1]] in (0.0, 1.0)  # a weight that no score can change
        assert idle <= hidden or alone
    assert any({*reads.at(*place)} & hidden for place in found)
