"""Whatever is handed over by mistake: one message of an AttnsolveError, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attnsolve

EYE = np.eye(2)


class Hostile:
    """Something that can't even be named."""

    def __str__(self) -> str:
        raise ValueError("no")

    __repr__ = __str__


class Tensor:
    """An array that can't be read."""

    def __array__(self, *arguments: Any) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
NUMBERS = [
    5,
    -1,
    0,
    1.5,
    float("nan"),
    float("inf"),
    True,
    10**500,
    -(10**5000),
    10**5000,
    1j,
    Fraction(1, 3),
    Decimal("NaN"),
]
TEXTS = ["", "x", "a" * 5000, "nope\x00", "\x1b[2J", b"x", Path("/"), Path("nope"), "__import__('os')"]
OBJECTS = [
    None,
    ...,
    object(),
    type,
    np.ndarray,
    len,
    slice(1),
    Exception("x"),
    Hostile(),
    Tensor(),
    iter([1]),
    range(3),
]
LISTS = [
    [],
    [[]],
    [[[]]],
    [1, [2]],
    [[1, 2], [3]],
    [["a"]],
    [[None]],
    [[float("nan")]],
    [[1e400]],
    [[Hostile()]],
    ENDLESS,
]
ARRAYS: list[Any] = [
    np.zeros((0, 2)),
    np.zeros((2, 2, 2, 2)),
    np.array("x"),
    np.array(3.0),
    np.array([["a"]]),
    np.array([[1j]]),
    np.array([[np.nan, 1]]),
    np.array([[None]]),
    np.array([[1, 2]], dtype=object),
    np.array([["2020"]], dtype="M8"),
    np.float16(1),
    np.ones((600, 2)),
]
MAPPINGS: list[Any] = [
    {},
    {1: 2},
    {None: None},
    {(1, 2): 3},
    {"inputs": None},
    {"kind": 5},
    {"queries": Hostile()},
    {"queries": EYE, "keys": Tensor()},
    {"queries": [[1, 0]], "keys": [[1, 0]], "mask": object()},
]
ODD = [*NUMBERS, *TEXTS, *OBJECTS, *LISTS, *ARRAYS, *MAPPINGS]

SOLUTION = attnsolve.solve("causal-mask")
FLOATS = attnsolve.attention(EYE.repeat(40, axis=0), EYE.repeat(40, axis=0))
ARGUMENT = attnsolve.solve("discussion-10-scaling")
CALLS: dict[str, Callable[[Any], Any]] = {
    "load": attnsolve.load,
    "load_all": attnsolve.load_all,
    "problem": attnsolve.problem,
    "solve": attnsolve.solve,
    "bounds": lambda odd: attnsolve.bounds(seconds=odd),
    "Q": lambda odd: attnsolve.attention(odd, EYE),
    "K": lambda odd: attnsolve.attention(EYE, odd),
    "V": lambda odd: attnsolve.attention(EYE, EYE, odd),
    "mask": lambda odd: attnsolve.attention(EYE, EYE, mask=odd),
    "scaling": lambda odd: attnsolve.attention(EYE, EYE, scaling=odd),
    "heads": lambda odd: attnsolve.attention(EYE, EYE, heads=odd),
    "all three": lambda odd: attnsolve.attention(odd, odd, odd),
    "a name": lambda odd: SOLUTION[odd],
    "a head": lambda odd: SOLUTION["weights", odd],
    "a name of floats": lambda odd: FLOATS[odd],
    "a result": lambda odd: ARGUMENT[odd],
    "digits": lambda odd: SOLUTION["scores"].decimals(odd),
    "digits of floats": lambda odd: FLOATS["scores"].decimals(odd),
    "answers": SOLUTION.check,
    "an answer": lambda odd: SOLUTION.check({"A": odd}),
    "a cell": SOLUTION.explain,
    "math": SOLUTION.to_markdown,
    "width": SOLUTION.to_text,
}


@pytest.mark.parametrize("call", CALLS)
def test_what_is_handed_over_by_mistake_is_refused_in_one_message(call: str) -> None:
    for odd in ODD:
        message = refused(CALLS[call], odd)
        assert all(line.isprintable() for line in message.split("\n"))
        assert len(message) < 12_000


def refused(call: Callable[[Any], Any], odd: Any) -> str:
    """What is said; nothing where it may pass for what it should be."""
    try:
        call(odd)
    except attnsolve.AttnsolveError as error:
        return str(error)
    return ""


def test_a_head_that_is_not_there_is_told_from_those_that_are() -> None:
    heads = attnsolve.solve("two-heads-thinking-machine")
    assert refused(lambda head: heads["weights", head], 9) == "there is no head '9' of 'weights'; known: 0, 1"
    assert refused(lambda head: SOLUTION["weights", head], 1) == (
        "'weights' belongs to no head: ask for solution['weights']"
    )


def test_whether_there_is_a_quantity_may_be_asked_of_anything() -> None:
    assert [odd for odd in ODD if odd in SOLUTION] == ["x"]  # the inputs
