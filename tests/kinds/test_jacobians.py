"""Jacobians against NumPy's own, and one that float64 can't hold against figures that were worked out apart."""

from __future__ import annotations

import numpy as np
import pytest

import attnsolve
from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse

LOGITS = np.array([1.0, -2.0, 0.5])
FAR = {(0, 0): "1.852117e-45", (0, 1): "-1.872900e-88", (2, 2): "5.637742e-42", (3, 4): "-7.555819e-86"}
"""Entries of the Jacobian of softmax(−3, 1, 100, 5, −1)."""


def jacobian(formula: str, given: str = "z: [1, -2, 1/2]") -> attnsolve.SolvedQuantity:
    text = f"kind: formulas\ngiven: {{{given}}}\nformulas: {{y: '{formula}'}}\njacobian: {{of: y, to: z}}\n"
    (problem,) = parse(text, "sheet.yaml")
    return attnsolve.solve(problem)["J"]


def test_that_of_a_softmax() -> None:
    weights = np.exp(LOGITS) / np.exp(LOGITS).sum()
    np.testing.assert_allclose(jacobian("softmax(z)").array, np.diag(weights) - np.outer(weights, weights), rtol=1e-14)


def test_that_of_a_chain_is_put_together_row_by_row() -> None:
    matrix = np.array([[1.0, 2, 0], [0, 1, -1]])
    inner = matrix @ LOGITS
    expected = np.diag(1 - np.tanh(inner) ** 2) @ matrix
    found = jacobian("tanh(W*z)", "z: [1, -2, 1/2], W: [[1, 2, 0], [0, 1, -1]]")
    np.testing.assert_allclose(found.array, expected, rtol=1e-13)


def test_that_of_a_softmax_in_another_base() -> None:
    weights = 2**LOGITS / (2**LOGITS).sum()
    expected = np.log(2) * (np.diag(weights) - np.outer(weights, weights))
    np.testing.assert_allclose(jacobian("softmax(z, base=2)").array, expected, rtol=1e-13)


def test_entries_that_float64_rounds_to_zero_are_proven() -> None:
    found = jacobian("softmax(z)", "z: [-3, 1, 100, 5, -1]").decimals(7)
    assert found is not None
    for (row, column), expected in FAR.items():
        assert float(str(found[row][column])) == pytest.approx(float(expected), rel=1e-6)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("jacobian: {of: y}", "jacobian needs both of and to"),
        ("jacobian: {of: y, to: X}", "a Jacobian is of one list for another, but X is 2×2"),
        ("jacobian: {of: y, to: c}", "y does not depend on c"),
        ("jacobian: {of: y, to: nothing}", "there is no nothing here"),
    ],
)
def test_what_is_wrong_is_one_message(keys: str, message: str) -> None:
    sheet = "kind: formulas\ngiven: {z: [1, 2], c: [1, 1], X: [[1, 2], [3, 4]]}\n"
    sheet += f"formulas: {{y: tanh(z), u: X*c}}\n{keys}\n"
    with pytest.raises(ProblemError) as raised:
        attnsolve.solve(parse(sheet, "sheet.yaml")[0])
    assert message in str(raised.value)
