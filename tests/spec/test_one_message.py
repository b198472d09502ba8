"""One fault of a file is told once, where it is, and not again of everything that it touches."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.errors import Fault
from attnsolve.spec.problem import Problem

X = "inputs: [[1, 2], [3, 4]]\n"
SQUARE = "[[1, 0], [0, 1]]"
HEADS = f"[{SQUARE}, {SQUARE}]"

ONE_MESSAGE = {
    "weights stacked by heads": (
        X + f"weights: {{W_Q: {HEADS}, W_K: {HEADS}, W_V: {HEADS}}}\n",
        "W_Q, W_K and W_V have one matrix for each head",
        "write one mapping for each head: weights: [{W_Q: ..., W_K: ..., W_V: ...}, {W_Q: ...}]",
    ),
    "one of them stacked": (
        X + f"W_Q: {HEADS}\nW_K: {SQUARE}\nW_V: {SQUARE}\n",
        "W_Q has one matrix for each head",
        "write one mapping for each head: weights: [{W_Q: ..., W_K: ..., W_V: ...}, {W_Q: ...}]",
    ),
    "a matrix of lists": (
        X + f"weights: identity\nW_O: {HEADS}\n",
        "W_O has lists where its numbers should be",
        "write W_O: [[1, 2], [3, 4]]",
    ),
    "a matrix without its rows": (
        X + f"W_Q: [1, 0, 0, 1]\nW_K: {SQUARE}\nW_V: {SQUARE}\n",
        "W_Q must be a matrix with 2 rows, but one list of numbers was found",
        "write each row in brackets: W_Q: [[1, 0], [0, 1]]",
    ),
    "inputs that are too wide": (
        f"X: [[1, 2, 3]]\nW_Q: {SQUARE}\nW_K: {SQUARE}\nW_V: {SQUARE}\n",
        "W_Q, W_K and W_V have 2 rows but the inputs have 3 columns",
        "expected 3; is a row missing or one too many, or is it layout: columns (tokens as columns)?",
    ),
    "inputs that are too wide for all heads": (
        "X: [[1, 2, 3]]\nweights:\n" + f"- {{W_Q: {SQUARE}, W_K: {SQUARE}, W_V: {SQUARE}}}\n" * 2,
        "W_Q, W_K and W_V have 2 rows but the inputs have 3 columns",
        "expected 3; is a row missing or one too many, or is it layout: columns (tokens as columns)?",
    ),
    "a number of heads that does not divide": (
        X + f"heads: 3\nW_Q: {SQUARE}\nW_K: {SQUARE}\nW_V: {SQUARE}\n",
        "heads is 3 but W_Q has 2 columns, which don't divide into 3 equal parts",
        "",
    ),
}


@pytest.mark.parametrize(("text", "said", "fix"), ONE_MESSAGE.values(), ids=ONE_MESSAGE)
def test_one_fault_is_one_message(text: str, said: str, fix: str, fault: Callable[[str], Fault]) -> None:
    found = fault(text)
    assert (found.message, found.fix) == (said, fix)


def test_one_list_is_a_matrix_where_its_numbers_fit(problem: Callable[[str], Problem]) -> None:
    assert problem("X: [[1], [2]]\nW_Q: [1, 2]\nW_K: [3, 4]\nW_V: [5]\n")
    assert problem("layout: columns\nX: [[1, 2], [3, 4]]\nW_Q: [1, 2]\nW_K: [3, 4]\nW_V: [5, 6]\n")


def test_unknown_keys_have_the_same_advice_once(faults: Callable[[str], tuple[Fault, ...]]) -> None:
    keys = "queries: [[1, 2]]\nk1: [1, 2]\nk2: [1, 2]\nv_1: [1, 2]\nv_2: [1, 2]\n"
    assert [fault.fix for fault in faults(keys)] == [
        "write keys: [[1, 2], [3, 4]], one row for each token", "",
        "write values: [[1, 2], [3, 4]], one row for each token", "",
    ]  # fmt: skip
    walls = [fault.fix.startswith("known: ") for fault in faults("zzz: 1\nk1: [1]\nwww: 3\n")]
    assert walls == [True, False, False]
