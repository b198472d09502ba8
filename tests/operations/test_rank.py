"""The rank of a matrix, against NumPy: exactly, whatever it is made from, and in float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.effort import tries

from attnsolve.loading.files import parse
from attnsolve.pipeline import solve

sides = st.integers(1, 4)


def rank(given_matrices: str, formula: str, more: str = "") -> float:
    text = f"kind: formulas\ngiven: {{{given_matrices}}}\nformulas:\n  r: {formula}\n{more}"
    (problem,) = parse(text, "sheet.yaml")
    return float(np.asarray(solve(problem)["r"].array).item())


@tries(25)
@given(sides, sides, st.integers(0, 3), st.data())
def test_products_of_thin_matrices_have_the_rank_that_numpy_finds(
    height: int, width: int, inner: int, data: st.DataObject
) -> None:
    def matrix(rows: int, columns: int) -> list[list[int]]:
        row = st.lists(st.integers(-3, 3), min_size=columns, max_size=columns)
        return data.draw(st.lists(row, min_size=rows, max_size=rows))

    a, b = matrix(height, inner or 1), matrix(inner or 1, width)
    expected = np.linalg.matrix_rank(np.array(a) @ np.array(b))
    for more in ("", "numbers: float\n"):
        assert rank(f"A: {a}, B: {b}", "rank(A*B)", more) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [("rank(q*k^T)", 1), ("rank(softmax(q*k^T))", 3), ("rank(softmax(q*[0, 0, 0]))", 1), ("rank(sqrt(2)*q*k^T)", 1)],
)
def test_softmax_can_raise_the_rank_of_scores(formula: str, expected: int) -> None:
    read = "q: [[1], [2], [3]]" + (", k: [[1], [0], [2]]" if "k^T" in formula else "")
    formula = formula.replace("q*[0, 0, 0]", "q*zeros(1, 3)")
    assert rank(read, formula) == expected
