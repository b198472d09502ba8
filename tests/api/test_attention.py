"""`attnsolve.attention`: against NumPy, from every sort of array, exact where it says so."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import attnsolve
from attnsolve.errors import AttnsolveError

RANDOM = np.random.default_rng(15)


class Tensor:
    """An array of another library: it can be had by way of DLPack only."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class Wrapped:
    """An array of another library that makes itself one of NumPy's."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


class Elsewhere:
    """A tensor that is not in memory."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("can't convert cuda:0 device type tensor to numpy.\nUse Tensor.cpu() first")


def attended(Q: Any, K: Any, V: Any, allowed: Any = True, divisor: float | None = None) -> Any:
    """The same as everybody writes it."""
    scores = Q @ K.T / (divisor or np.sqrt(K.shape[1]))
    scores = np.where(allowed, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ V


Q, K, V = RANDOM.normal(size=(5, 4)), RANDOM.normal(size=(6, 4)), RANDOM.normal(size=(6, 3))
SEEN = RANDOM.random((5, 6)) < 0.7
SEEN[:, 0] = True


@pytest.mark.parametrize("copies", [1, 40])
def test_it_is_what_numpy_computes(copies: int) -> None:
    """However many: 5 queries are worked out exactly, 200 in floats."""
    queries, seen = np.tile(Q, (copies, 1)) + np.arange(5 * copies)[:, None] / 100, np.tile(SEEN, (copies, 1))
    keys, values = np.tile(K, (copies, 1)), np.tile(V, (copies, 1))
    seen = np.tile(seen, (1, copies))
    found = attnsolve.attention(queries, keys, values, mask=seen, scaling=3)
    np.testing.assert_allclose(found["context"].array, attended(queries, keys, values, seen, 3), rtol=1e-9)
    assert found.problem.numbers == ("exact" if copies == 1 else "float")


def test_a_mask_may_be_booleans_digits_numbers_to_add_or_a_word() -> None:
    wanted = attended(Q, K, V, SEEN)
    for mask in (SEEN, SEEN.astype(int), SEEN.tolist(), np.where(SEEN, 0.0, -np.inf), Tensor(SEEN.astype(np.int64))):
        np.testing.assert_allclose(attnsolve.attention(Q, K, V, mask=mask)["context"].array, wanted, rtol=1e-12)
    for mask in (None, "none"):
        np.testing.assert_allclose(attnsolve.attention(Q, K, V, mask=mask)["context"].array, attended(Q, K, V))
    causal = attnsolve.attention(Q, Q, Q, mask="causal")["context"].array
    np.testing.assert_allclose(causal, attended(Q, Q, Q, np.tri(5, dtype=bool)), rtol=1e-12)


def test_a_mask_that_allows_nothing_is_of_booleans() -> None:
    for mask in ([[False, False]], np.zeros((1, 2), dtype=bool)):
        assert attnsolve.attention([[1, 0]], np.eye(2), mask=mask)["weights"].exact_text == [["0", "0"]]
    additive = attnsolve.attention([[1, 0]], np.eye(2), mask=[["0", 0.5]], scaling="none")["masked"]
    assert additive.exact_text == [["1", "0.5"]]


def test_heads_split_the_columns_and_a_third_dimension_counts_them() -> None:
    split = attnsolve.attention(Q, K, np.hstack([V, -V]), heads=2)
    stacked = attnsolve.attention(np.stack([Q[:, :2], Q[:, 2:]]), np.stack([K[:, :2], K[:, 2:]]), np.stack([V, -V]))
    for found in (split, stacked):
        np.testing.assert_allclose(found["context", 1].array, attended(Q[:, :2], K[:, :2], V), rtol=1e-12)
        np.testing.assert_allclose(found["context", 2].array, attended(Q[:, 2:], K[:, 2:], -V), rtol=1e-12)


@pytest.mark.parametrize("library", [np.asarray, Tensor, Wrapped, np.ndarray.tolist])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_a_float_is_the_shortest_decimal_that_stands_for_it(library: Any, kind: Any) -> None:
    if library is np.ndarray.tolist and kind is not np.float64:
        return  # a list holds Python's own floats
    numbers = library(np.array([[0.1, 2.5], [-0.3, 1e-4]], dtype=kind))
    found = attnsolve.attention(numbers, [["1", 0], [0, Fraction(1, 3)]], scaling="none")
    assert found["scores"].exact_text == [["1/10", "5/6"], ["-3/10", "1/30000"]]


def test_it_is_exact_up_to_the_size_that_it_states() -> None:
    def numbers(*shapes: tuple[int, int], heads: int = 1) -> str:
        return attnsolve.attention(*map(np.ones, shapes), heads=heads).problem.numbers

    assert attnsolve.attention.__doc__ is not None
    assert "4,096 entries" in attnsolve.attention.__doc__
    assert numbers((64, 64), (64, 64), (64, 64)) == "exact"
    assert numbers((64, 64), (65, 64)) == "float"
    assert numbers((64, 64), (64, 64), heads=2) == "float"
    assert numbers((1, 8), (512, 8)) == "exact"
    assert numbers((1, 4), (513, 4)) == "float"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"Q": None}, "Q must be a list of rows, or an array .*, but None was found"),
        ({"K": "x"}, "K must be a list of rows, or an array .*, but 'x' was found"),
        ({"V": 3}, "V must be"),
        ({"Q": np.ones((2, 2, 2, 2))}, r"Q must be .* but one of shape \(2, 2, 2, 2\)"),
        ({"Q": np.array([["a"]])}, "Q must be an array of real numbers"),
        ({"Q": np.array([[1j]])}, "Q must be an array of real numbers"),
        ({"Q": np.zeros((2, 2), dtype="V2")}, "Q must be an array of real numbers.*\n    convert it to float32 first"),
        ({"Q": np.array([[np.nan, 1.0]])}, "'nan' is not a finite number"),
        ({"Q": Elsewhere()}, "Q can't be read as an array of numbers: can't convert cuda:0 .* Use Tensor.cpu"),
        ({"Q": [[1, 2], [3]]}, "row 2 of queries has 1 number, but row 1 has 2"),
        ({"Q": [[1, 2, 3]]}, "queries"),
        ({"mask": "casual"}, "mask must be causal, none or a matrix, but 'casual' was found"),
        ({"mask": [[1]]}, "mask"),
        ({"mask": np.zeros((1, 2))}, "mask has nothing but 0s\n    leave it out to allow everything"),
        ({"mask": [[0, 0]]}, "mask has nothing but 0s"),
        ({"scaling": "sqrtdk"}, "did you mean sqrt_dk"),
        ({"scaling": 0}, "scaling"),
        ({"heads": 0}, "heads must be a whole number, 1 or more, but 0 was found"),
        ({"heads": 2.0}, "heads must be a whole number"),
        ({"heads": 3}, "heads"),
    ],
)
def test_what_is_wrong_is_one_message(given: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"Q": [[1, 0]], "K": [[1, 0], [0, 1]]} | given
    with pytest.raises(AttnsolveError, match=message):
        attnsolve.attention(**arguments)
