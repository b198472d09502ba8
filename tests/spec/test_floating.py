"""What may stand in a problem with `numbers: float`, and what is refused there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import attnsolve
from attnsolve.bounds import changed
from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse
from attnsolve.spec.problem import Problem

SMALL = "numbers: float\nqueries: [[1, 2], [3, 4]]\nkeys: [[1, 0], [0, 1]]\n"


def read(text: str) -> Problem:
    (problem,) = parse(text, "p.yaml")
    return problem


def array(problem: Problem, name: str) -> np.ndarray[Any, Any]:
    found: np.ndarray[Any, Any] = attnsolve.solve(problem)[name].array
    return found


def test_numbers_are_exact_unless_the_file_says_float() -> None:
    assert read("queries: [[1]]\nkeys: [[1]]\n").numbers == "exact"
    assert read(SMALL).numbers == "float"


@pytest.mark.parametrize(
    ("written", "value"),
    [("1", 1.0), ("-0.1", -0.1), ("2.5e-3", 2.5e-3), ("1/3", 1 / 3), ("sqrt(2)", 2**0.5), ("1e25", 1e25), (".5", 0.5)],
)
def test_a_number_is_the_nearest_float_of_what_is_written(written: str, value: float) -> None:
    assert array(read(f"numbers: float\nqueries: [[{written}, 7]]\nkeys: [[1, 1]]\n"), "queries")[0, 0] == value


@pytest.mark.parametrize("written", ["nan", "inf", "0x10", "1_000", "1e400", "-1e400", "-inf", "''"])
def test_what_only_python_takes_for_a_number_is_none(written: str) -> None:
    with pytest.raises(ProblemError, match=r"p\.yaml:2:"):
        read(f"numbers: float\nqueries: [[{written}, 7]]\nkeys: [[1, 1]]\n")


def test_a_seed_draws_numpys_own_normal_numbers() -> None:
    problem = read("numbers: float\nqueries: {random: [3, 2], seed: 5, scale: 0.5}\nkeys: {random: [4, 2], seed: 6}\n")
    np.testing.assert_array_equal(array(problem, "queries"), 0.5 * np.random.RandomState(5).standard_normal((3, 2)))
    np.testing.assert_array_equal(array(problem, "keys"), np.random.RandomState(6).standard_normal((4, 2)))


def test_without_a_seed_each_matrix_has_numbers_of_its_own_and_always_the_same() -> None:
    text = "numbers: float\nqueries: {random: [3, 2]}\nkeys: {random: [3, 2]}\n"
    first, second = read(text), read(text)
    assert not np.allclose(array(first, "queries"), array(first, "keys"))
    np.testing.assert_array_equal(array(first, "keys"), array(second, "keys"))


def test_one_length_draws_one_plain_list() -> None:
    assert array(read("numbers: float\nqueries: {random: 2}\nkeys: [[1, 0], [0, 1]]\n"), "queries").shape == (2,)


def test_drawn_matrices_may_stand_one_a_head() -> None:
    heads = "[{random: [3, 2], seed: 1}, {random: [3, 2], seed: 2}]"
    solution = attnsolve.solve(read(f"numbers: float\nqueries: {heads}\nkeys: {heads}\n"))
    assert solution["queries", 2].array[0, 0] == np.random.RandomState(2).standard_normal()


REFUSED = {
    "symbols": ("symbols: {beta: positive}\n", "4:1: symbols can't go with numbers: float", "leave symbols out"),
    "a limit": ("limit: {beta: oo}\n", "4:1: limit can't go with numbers: float", "write numbers: exact"),
    "each step": ("rounding: {places: 2, when: each-step}\n", "4:1: rounding each step can't go with", "when: shown"),
    "a proof": ("parts:\n  a: {show: scores-are-dot-products}\n", "5:3: part a asks for a proof", "find: instead"),
    "another tier": ("numbers: balls\n", "already given on line 1", "keep one"),
    "a short row": ("values: [[1, 2], [3]]\n", "4:18: row 2 of values has 1 number, but row 1 has 2", ""),
    "no size": ("values: {random: []}\n", "4:18: random in values must be its rows and columns", "[4096, 512]"),
    "three sides": ("values: {random: [2, 2, 2]}\n", "4:18: random in values must be its rows", "[4096, 512]"),
    "half a row": ("values: {random: [1.5, 2]}\n", "random in values must be its rows and columns", "[4096, 512]"),
    "no rows": ("values: {random: [0, 2]}\n", "random in values must be its rows and columns", "[4096, 512]"),
    "a seed too many": ("values: {random: [2, 2], seed: -1}\n", "4:32: seed must be a whole number", "4294967295"),
    "an unknown key": ("values: {random: [2, 2], sead: 1}\n", "4:26: unknown key 'sead' in values", "seed"),
    "too many rows": ("values: {random: [513, 2]}\n", "at most 512 rows and columns", "--bound side=513 raises it"),
    "the wrong shape": ("values: {random: [3, 2]}\n", "the values have 3 rows but the keys have 2 rows", "transposed?"),
    "a mask too large": ("mask: {random: [3, 2]}\n", "mask has 3 rows but the queries have 2 rows", "expected 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_told_with_its_place_and_a_fix(case: str) -> None:
    extra, said, fix = REFUSED[case]
    with pytest.raises(ProblemError) as caught:
        read(SMALL + extra)
    assert said in str(caught.value)
    assert fix in str(caught.value)


def test_all_cells_together_are_bounded_too() -> None:
    text = "numbers: float\nqueries: {random: [3, 2]}\nkeys: {random: [3, 2]}\n"
    with (
        changed(cells=10),
        pytest.raises(ProblemError, match=r"12 entries, more than 10\n    --bound cells=12 raises it"),
    ):
        read(text)


def test_random_numbers_are_for_floats_only() -> None:
    with pytest.raises(
        ProblemError, match=r"2:7: keys is drawn at random, but the numbers are exact\n.*numbers: float"
    ):
        read("queries: [[1]]\nkeys: {random: [3, 1]}\n")


@pytest.mark.parametrize("kind", ["derivation\ntopic: copying", "random-keys"])
def test_an_argument_has_no_tier(kind: str) -> None:
    with pytest.raises(ProblemError, match="unknown key 'numbers'"):
        read(f"kind: {kind}\nnumbers: float\n")


# ── handed over from Python ───────────────────────────────────────────────────────────────────────

X = np.array([[1.0, 2.0], [0.5, -1.0]])


def test_arrays_make_a_float_problem() -> None:
    problem = attnsolve.problem({"queries": X, "keys": X.astype(np.float32), "mask": np.array([[1, 0], [1, 1]], bool)})
    assert problem.numbers == "float"
    scaled = X @ X.T / 2**0.5
    np.testing.assert_allclose(array(problem, "masked"), [[scaled[0, 0], -np.inf], scaled[1]])


def test_lists_make_an_exact_problem() -> None:
    problem = attnsolve.problem({"queries": [["1/3", 0.1]], "keys": [[3, 10]], "scaling": "none", "stable": True})
    assert problem.numbers == "exact"
    assert attnsolve.solve(problem)["scores"].exact[0, 0] == 2


def test_three_dimensions_are_one_matrix_a_head() -> None:
    problem = attnsolve.problem({"queries": np.stack([X, 2 * X]), "keys": np.stack([X, X])})
    np.testing.assert_allclose(attnsolve.solve(problem)["scores", 2].array, 2 * X @ X.T)


def test_an_array_of_one_dimension_is_one_query() -> None:
    assert array(attnsolve.problem({"queries": X[0], "keys": X}), "scores").shape == (2,)


HANDED: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown key": ({"querys": X}, "problem: unknown key 'querys'\n    did you mean queries?"),
    "shapes": (
        {"queries": X, "keys": np.ones((2, 3))},
        "problem: the keys have 3 columns but the queries have 2 columns",
    ),
    "nan": ({"queries": X * np.nan, "keys": X}, "problem: queries has 4 entries"),
    "minus infinity": ({"queries": X, "keys": np.full((2, 2), -np.inf)}, "keys has 4 entries"),
    "words": ({"queries": np.array([["a"]]), "keys": X}, "queries must be an array of real numbers"),
    "nothing": ({"queries": np.ones((0, 2)), "keys": X}, "queries must be an array of real numbers"),
    "exact": (
        {"numbers": "exact", "queries": X, "keys": X},
        "queries is an array of floats, but the numbers are exact",
    ),
    "no mapping": ({"weights": X, "inputs": X}, "weights must be a mapping with W_Q, W_K and W_V"),
    "an array of names": ({"queries": X, "keys": X, "tokens": X}, "tokens must be a list of 1 to 512 names"),
}


@pytest.mark.parametrize("case", HANDED)
def test_what_is_wrong_with_arrays_is_told_as_for_a_file(case: str) -> None:
    data, said = HANDED[case]
    with pytest.raises(ProblemError) as caught:
        attnsolve.problem(data)
    assert said in str(caught.value)
    assert ":0:" not in str(caught.value)


def test_scores_handed_over_may_hold_minus_infinity() -> None:
    problem = attnsolve.problem({"given": {"masked": np.array([[0.0, -np.inf]])}})
    np.testing.assert_array_equal(array(problem, "weights"), [[1, 0]])
