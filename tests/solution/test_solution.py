"""The Python interface, and what a solution knows of itself."""

from collections.abc import Callable

import numpy as np
import pytest
import sympy

import attnsolve
from attnsolve.document import Verdict, walk
from attnsolve.errors import RequestError, UnsolvableError
from attnsolve.graph import run
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.narrate.steps import narrate
from attnsolve.numbers.exact import Exact
from attnsolve.pipeline import solve
from attnsolve.solution.exact import Solution

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
        solution["scroes"]


def test_a_float_is_the_nearest_to_the_true_value(solved: Solve) -> None:
    solution = solved("given: {scores: [[0, 1]], values: [[1], [0]]}\nscaling: none\n")
    true = sympy.N(1 / (1 + sympy.E), 40)
    assert solution["weights"].array[0, 0] == float(true)


def test_a_value_put_in_place_of_ours_is_carried_forward(solved: Solve) -> None:
    graph = solved("inputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\nsoftmax: sum\n").graph
    wrong = Exact([[sympy.Integer(1), sympy.Integer(3)], [sympy.Integer(1), sympy.Integer(1)]])
    values = run(graph, Exact, instead={Key("scores"): wrong})
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


# ── numbers that once came out wrong ────────────────────────────────────────────────────────────


def test_a_perfect_power_base_keeps_its_closed_form(solved: Solve) -> None:
    solution = solved("given: {scores: [[sqrt(2), 0]]}\nscaling: none\nsoftmax: {base: 4}\n")
    exact = solution["weights"].exact
    assert exact is not None
    assert abs(float(exact[0, 0]) - 4**2**0.5 / (4**2**0.5 + 1)) < 1e-15
    rounded = solved(
        "given: {scores: [[sqrt(2), 0]]}\nscaling: none\nsoftmax: {base: 4}\nrounding: {places: 3, when: each-step}\n"
    )
    assert rounded["weights"].exact_text == [["0.877", "0.123"]]


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("given: {scores: [[1e40+1, 1e40]]}\nscaling: none\n", [["0.7311", "0.2689"]]),
        ("given: {scores: [[20000, 0]]}\nscaling: none\nsoftmax: {base: 2}\n", [["1.000", "2.512e-6021"]]),
        ("given: {scores: [[-565, 321, 1]]}\nscaling: none\n", [["1.641e-385", "1.000", "1.061e-139"]]),
    ],
)
def test_extreme_scores_have_proven_weights(solved: Solve, text: str, weights: list[list[str]]) -> None:
    solution = solved(text)
    assert solution["weights"].decimal == weights
    document = narrate(solution)
    verdicts = [block for block in walk(document.blocks) if isinstance(block, Verdict)]
    assert all(holds for verdict in verdicts for holds, _ in verdict.checks)


def test_a_float_is_found_however_large_the_scores(solved: Solve) -> None:
    array = solved("given: {scores: [['1e40+1', '1e40']]}\nscaling: none\n")["weights"].array
    np.testing.assert_array_equal(array, [[0.7310585786300049, 0.2689414213699951]])


def test_a_tiny_remainder_is_not_called_zero(solved: Solve) -> None:
    solution = solved("given: {scores: [[5000, 5000, 0]], values: [[1], [-1], [1]]}\nscaling: none\n")
    assert solution["context"].decimal == [["1.685e-2172"]]


@pytest.mark.parametrize("scores", ["[[0, 0], [1, 2]]", "[[1, 2], [1, -1]]"])
def test_a_row_that_sums_to_zero_has_no_shares(solved: Solve, scores: str) -> None:
    with pytest.raises(UnsolvableError, match="sum to 0"):
        solved(f"given: {{scores: {scores}}}\nscaling: none\nsoftmax: sum\n")


@pytest.mark.parametrize("option", ["", "mask: causal", "softmax: sum", "softmax: {base: 2}"])
def test_symbols_and_numbers_may_stand_in_one_matrix(solved: Solve, option: str) -> None:
    text = f"symbols: {{b: positive}}\ninputs: [[1, b], [2, 1]]\nweights: identity\nscaling: none\n{option}\n"
    document = narrate(solved(text))
    verdicts = [block for block in walk(document.blocks) if isinstance(block, Verdict)]
    assert verdicts
    assert all(holds for verdict in verdicts for holds, _ in verdict.checks)


def test_a_limit_that_differs_from_side_to_side_is_no_limit(solved: Solve) -> None:
    text = "symbols: {x: real}\ngiven: {scores: [[1/x, 0]]}\nscaling: none\nlimit: {x: 0}\n"
    with pytest.raises(UnsolvableError, match="differs from side to side"):
        narrate(solved(text))


def test_inputs_make_only_keys_and_values_where_the_query_is_given(solved: Solve) -> None:
    text = "inputs: [[1, 2], [3, 4], [5, 6]]\nqueries: [1, 0]\nweights: {W_K: identity, W_V: identity}\nscaling: none\n"
    solution = solved(text)
    assert solution["scores"].exact_text == ["1", "3", "5"]
    assert solution.graph[Key("scores")].columns.labels == ("x_1", "x_2", "x_3")


def test_memory_rows_do_not_borrow_the_names_of_the_queries(solved: Solve) -> None:
    solution = solved("tokens: [a, b]\ninputs: [[1], [2]]\nmemory: [[3], [4]]\nweights: identity\n")
    assert solution.graph[Key("memory")].rows.labels == ("y_1", "y_2")


def test_a_quantity_too_long_to_write_with_its_letter_is_refused() -> None:
    rows = [["b" if (i * j) % 3 else f"{i + j}*b^2" for j in range(12)] for i in range(12)]
    text = f"symbols: {{b: positive}}\ninputs: {rows}\nweights: identity\n".replace("'", "")
    (problem,) = parse(text, "sheet.yaml")
    with pytest.raises(UnsolvableError, match=r"^sheet\.yaml:1:1: context is too long to write out with letters \(b\)"):
        solve(problem)


def test_what_only_rounding_gives_an_answer_is_refused() -> None:
    """The cosines are 1 and −1, whose sum is 0; with 1/3 rounded to 0.3 they would no longer cancel."""
    text = "kind: seq2seq\nscore: cosine\nstates: [[-5/2], [1/3]]\nstate: [[-5/2]]\nsoftmax: sum\n"
    (problem,) = parse(text + "rounding: {places: 1, when: each-step}\n", "p.yaml")
    with pytest.raises(
        UnsolvableError, match=r"^p\.yaml:1:1: this has an answer only because of rounding: without it, .* sum to 0"
    ):
        solve(problem)
