"""A formula rewritten for quantities that are stored as their transposes comes to the same, or to its transpose."""

from __future__ import annotations

import random

import numpy as np
import pytest
from shared.each import each
from shared.examples import EXAMPLES, SHAPES, named

from attnsolve.key import Key
from attnsolve.numbers.floats import Floats
from attnsolve.operations.formula import Formula

NUMBERS = random.Random(7)
VALUES = {
    key: np.array([[NUMBERS.uniform(0.5, 2) for _ in range(n)] for _ in range(m)]) for key, (m, n) in SHAPES.items()
}
SOME = [{*SHAPES}, {Key("a")}, {Key("b"), Key("row"), Key("down")}]


def value(formula: Formula, upright: set[Key]) -> np.ndarray:
    stored = {key: Floats.of((array.T if key in upright else array).tolist()) for key, array in VALUES.items()}
    found: Floats = formula.evaluate(stored, Floats)
    return np.array(found.rows)


@pytest.mark.parametrize("upright", SOME, ids=["all", "one", "some"])
@each("formula", EXAMPLES, named)
def test_what_is_stored_upright_is_read_so(formula: Formula, upright: set[Key]) -> None:
    right = value(formula, set())
    assert value(formula.as_stored(upright), upright) == pytest.approx(right)
    assert value(formula.transposed(upright), upright) == pytest.approx(right.T)
