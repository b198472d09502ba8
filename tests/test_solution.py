"""The Python interface, and what a solution knows of itself."""

from collections.abc import Callable

import numpy as np
import pytest
import sympy

import attnsolve
from attnsolve.errors import RequestError, UnsolvableError
from attnsolve.graph import evaluate
from attnsolve.numbers.exact import Exact
from attnsolve.operations.formula import Key
from attnsolve.solution import Solution

Solve = Callable[[str], Solution]


def test_a_bundled_problem_is_loaded_and_solved() -> None:
    solution = attnsolve.solve(attnsolve.load("discussion-10-qkv"))
    scores = solution["scores"]
    assert scores.exact == sympy.ImmutableMatrix([[-17, -5, 23], [4, -2, 2], [2, 8, -20]])
    assert scores.decimal == [["-17", "-5", "23"], ["4", "-2", "2"], ["2", "8", "-20"]]
    np.testing.assert_array_equal(scores.array, [[-17, -5, 23], [4, -2, 2], [2, 8, -20]])
    assert solution["weights"].decimals(3)[2] == ["0.00247", "0.998", "6.90e-13"]


def test_a_quantity_answers_to_its_symbol(solved: Solve) -> None:
    solution = solved("inputs: [[1]]\nweights: identity\nnotation: {scores: e, weights: alpha}\n")
    assert solution["E"].quantity.key == Key("scores")
    assert solution["alpha"].quantity.key == solution["α"].quantity.key == Key("weights")


def test_a_head_is_asked_for_by_its_label(solved: Solve) -> None:
    solution = solved("inputs: [[1, 2]]\nweights: identity\nheads: 2\nnumbering: 0\n")
    assert solution["scores", 0].exact == sympy.ImmutableMatrix([[1]])
    assert solution["scores", "1"].exact == sympy.ImmutableMatrix([[4]])
    assert solution["queries"].exact == sympy.ImmutableMatrix([[1, 2]])
    with pytest.raises(RequestError, match="several heads"):
        solution["scores"]
    with pytest.raises(RequestError, match="did you mean scores"):
        solution["score"]


def test_a_float_is_the_nearest_to_the_true_value(solved: Solve) -> None:
    solution = solved("given: {scores: [[0, 1]], values: [[1], [0]]}\nscaling: none\n")
    true = sympy.N(1 / (1 + sympy.E), 40)
    assert solution["weights"].array[0, 0] == float(true)


def test_a_value_put_in_place_of_ours_is_carried_forward(solved: Solve) -> None:
    graph = solved("inputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\nsoftmax: sum\n").graph
    wrong = Exact([[sympy.Integer(1), sympy.Integer(3)], [sympy.Integer(1), sympy.Integer(1)]])
    values = evaluate(graph, Exact.of, instead={Key("scores"): wrong})
    context = values[Key("context")]
    assert context is not None
    assert context.rows[0] == (sympy.Rational(1, 4), sympy.Rational(3, 4))


def test_dividing_by_a_sum_of_zero_is_refused_with_its_place(solved: Solve) -> None:
    with pytest.raises(UnsolvableError, match=r"problem.yaml:1:1: the scores of row 1 sum to 0"):
        solved("given: {scores: [[1, -1]], values: [[1], [2]]}\nscaling: none\nsoftmax: sum\n")


def test_a_tie_that_is_exact_is_seen_to_be_exact(solved: Solve) -> None:
    """Equal scores cancel exactly: 1/2 and 0, not 0.5000 and some 10⁻²⁰."""
    solution = solved("given: {scores: [[3, 3]], values: [[1, 1/8], [-1, 1/8]]}\nscaling: none\n")
    assert solution["weights"].exact_text == [["1/2", "1/2"]]
    assert solution["context"].exact_text == [["0", "1/8"]]
    assert solution["context"].decimals(2) == [["0", "0.13"]]


def test_large_problems_keep_their_decimals_without_closed_forms(solved: Solve) -> None:
    size = 24
    rows = "[" + ", ".join("[" + ", ".join(str((i * j) % 7 - 3) for j in range(size)) + "]" for i in range(size)) + "]"
    solution = solved(f"queries: {rows}\nkeys: {rows}\nvalues: {rows}\n")
    assert solution["context"].exact is None
    q = np.array([[(i * j) % 7 - 3 for j in range(size)] for i in range(size)], dtype=float)
    scores = q @ q.T / np.sqrt(size)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(solution["context"].array, weights @ q, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        np.array(solution["context"].decimals(6), dtype=float), weights @ q, rtol=1e-5, atol=1e-12
    )
