"""Layer normalisation, from one definition: its values, its work, its mistakes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from shared.built import (
    EPSILON,
    answers_with,
    as_json,
    causes,
    explained,
    in_float64,
    layer,
    marked,
    sheet,
    told,
    verdicts,
)
from shared.effort import tries
from shared.formulas import concrete

from attnsolve.errors import UnsolvableError
from attnsolve.key import Key
from attnsolve.numbers.balls import Balls, at_precision
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.matrix import Numeric
from attnsolve.numbers.surds import square_root
from attnsolve.operations.formula import Ref
from attnsolve.operations.layernorm import LayerNorm

X, GAMMA, BETA = map(Key, "xgb")
Rows = list[list[Fraction]]
entries = st.builds(Fraction, st.integers(-20, 20), st.integers(1, 5))
MISTAKES = ("layernorm-variance-corrected", "layernorm-epsilon-outside", "layernorm-epsilon-forgotten")


def norm(eps: Fraction, **how: bool) -> LayerNorm:
    return LayerNorm(Ref(X), Ref(GAMMA), Ref(BETA), PlainNumber(eps), **how)


def by_numpy(values: dict[Key, Rows], formula: LayerNorm) -> NDArray[np.float64]:
    x, gamma, beta = (np.array([[float(cell) for cell in row] for row in values[key]]) for key in (X, GAMMA, BETA))
    axis, eps = 0 if formula.down else 1, float(formula.eps.value)
    variance = x.var(axis=axis, keepdims=True, ddof=int(formula.corrected))
    deviation = np.sqrt(variance) + eps if formula.outside else np.sqrt(variance + eps)
    return gamma * (x - x.mean(axis=axis, keepdims=True)) / deviation + beta


def floats(matrix: Any) -> NDArray[np.float64]:
    if isinstance(matrix, Exact):
        matrix = Balls.of(matrix.rows)
    return np.array([[float(x.mid()) if isinstance(matrix, Balls) else float(x) for x in row] for row in matrix.rows])


@pytest.mark.parametrize("tier", concrete(Numeric), ids=lambda tier: tier.__name__)
def test_every_tier_has_the_value_that_numpy_gives_it(tier: Any) -> None:
    @tries(25)
    @given(st.data())
    def over(data: st.DataObject) -> None:
        height, width = data.draw(st.integers(2, 4)), data.draw(st.integers(2, 4))
        down, corrected, outside = (data.draw(st.booleans()) for _ in range(3))
        each = (height, 1) if down else (1, width)
        shapes = {X: (height, width), GAMMA: each, BETA: each}
        values: dict[Key, Rows] = {
            key: [[data.draw(entries) for _ in range(columns)] for _ in range(rows)]
            for key, (rows, columns) in shapes.items()
        }
        formula = norm(data.draw(st.sampled_from((Fraction(1, 2), Fraction(1, 100000)))), down=down,
                       corrected=corrected, outside=outside)  # fmt: skip
        with at_precision(128):
            found = formula.evaluate({key: tier.of(rows) for key, rows in values.items()}, tier)
            assert tier is not Exact or found.is_whole
            np.testing.assert_allclose(floats(found), by_numpy(values, formula), rtol=1e-9, atol=1e-9)

    over()


def test_the_values_are_exact() -> None:
    """(1, 2, 6) has mean 3 and variance (4 + 1 + 9)/3 = 14/3; with ε = 1/3 that is 5."""
    ones = Exact.of([[Fraction(1)] * 3]), Exact.of([[Fraction(0)] * 3])
    found = norm(EPSILON).evaluate({X: Exact.of([[1, 2, 6]]), GAMMA: ones[0], BETA: ones[1]}, Exact)
    root = 1 / square_root(5)
    assert found.rows == ((-2 * root, -1 * root, 3 * root),)


def test_without_epsilon_a_vector_of_equal_entries_is_refused() -> None:
    values = {key: Exact.of([[Fraction(1), Fraction(1)]]) for key in (X, GAMMA, BETA)}
    with pytest.raises(UnsolvableError, match="variance 0"):
        norm(Fraction(0)).evaluate(values, Exact)


def test_the_work_is_written_out_and_traced() -> None:
    text = told(layer())
    assert "N = LayerNorm(X, γ, β)" in text
    assert "Each row is normalised to mean 0 and variance 1" in text
    assert "= −2/√5 ≈ −0.8944" in text
    assert "✓ Checked: every result agrees with an independent float64 computation; no" in text
    traced = explained(layer(), "normed[1,2]")
    assert "μ = (x₁,₁ + x₁,₂ + x₁,₃)/3 = (1 + 2 + 6)/3 = 3" in traced
    assert "σ² = ((x₁,₁ − μ)² + (x₁,₂ − μ)² + (x₁,₃ − μ)²)/3 = ((−2)² + (−1)² + 3²)/3 =" in " ".join(traced.split())
    assert "·2 + 1" in traced


def test_it_is_exact_in_json_and_right_in_float64() -> None:
    solution = layer()
    normed = as_json(solution)["normed"]
    assert normed["shape"] == [2, 3]
    assert normed["exact"][0][2] in ("3/√5", "3*sqrt(5)/5", "3/sqrt(5)")
    np.testing.assert_allclose(in_float64(solution)["normed"].array[0], [-2 / 5**0.5, 1 - 2 / 5**0.5, 3 / 5**0.5])


@pytest.mark.parametrize("id", [*MISTAKES, "layernorm-wrong-axis"])
def test_each_mistake_is_named_and_what_follows_from_it_counts(id: str) -> None:
    solution = layer()
    assert causes(marked(solution, sheet(solution.graph, "normed", "mixed", "hidden"))) == []
    wrong = marked(solution, answers_with(solution, id, "normed", "mixed", "hidden"))
    assert "wrong" in verdicts(wrong, "normed")
    for later in ("mixed", "hidden"):
        assert verdicts(wrong, later) <= {"follows", "right", "exact"}
    assert causes(wrong) == [("normed", [(id,)])]


@pytest.mark.parametrize("id", MISTAKES)
def test_a_mistake_is_found_from_the_end_alone(id: str) -> None:
    solution = layer()
    ((key, found),) = causes(marked(solution, answers_with(solution, id, "hidden")))
    assert key == "hidden"
    assert (id,) in found
