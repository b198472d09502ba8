"""ReLU, from one definition: its values, its work, its mistakes and its law."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from shared.built import (
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

from attnsolve.key import Key
from attnsolve.numbers.balls import Balls, at_precision, ball
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.matrix import Numeric
from attnsolve.numbers.surds import MINUS_INFINITY, square_root
from attnsolve.operations.formula import Ref
from attnsolve.operations.relu import Relu

RELU = Relu(Ref(Key("x")))
entries = st.builds(Fraction, st.integers(-20, 20), st.integers(1, 5))


@pytest.mark.parametrize("tier", concrete(Numeric), ids=lambda tier: tier.__name__)
def test_what_is_negative_becomes_zero_and_the_rest_stays(tier: Any) -> None:
    @tries(30)
    @given(st.lists(entries, min_size=1, max_size=5))
    def over(row: list[Fraction]) -> None:
        with at_precision(64):
            (found,) = RELU.evaluate({Key("x"): tier.of([row])}, tier).rows
            for cell, x in zip(found, row, strict=True):
                assert cell.contains(ball(max(x, 0))) if tier is Balls else float(cell) == max(float(x), 0.0)

    over()


def test_surds_are_compared_and_minus_infinity_is_negative() -> None:
    row = [square_root(2) - Fraction(3, 2), square_root(3), MINUS_INFINITY]
    assert RELU.evaluate({Key("x"): Exact.of([row])}, Exact).rows == ((0, square_root(3), 0),)


def test_an_expression_with_symbols_is_unknown() -> None:
    found = RELU.evaluate({Key("x"): Exact.of([[sympy.Symbol("b", real=True), Fraction(-1)]])}, Exact)
    assert found.rows == ((None, 0),)
    assert "sign" in RELU.needs_numbers


def test_the_work_goes_from_letters_to_numbers_to_the_result() -> None:
    text = told(layer("1 2 6; -1 0 4"))
    assert "H = ReLU(M)" in text
    assert "h₁,₁ = max(0, m₁,₁) = max(0, −√5) = 0" in text
    assert "h₁,₂ = max(0, m₁,₂) = max(0, 1 + 3/√5) = 1 + 3/√5 ≈ 2.342" in text
    assert "; no entry of H is negative" in " ".join(text.split())
    assert "max(0, m₁,₁) = max(0, −√5) = 0" in explained(layer("1 2 6; -1 0 4"), "hidden[1,1]")


def test_it_is_exact_in_json_and_right_in_float64() -> None:
    solution = layer("1 2 6; -1 0 4")
    hidden = as_json(solution)["hidden"]
    assert hidden["exact"][0][0] == "0"
    root = mpmath.sqrt(5)
    np.testing.assert_allclose([float(x) for x in hidden["decimal"][0]], [0, float(1 + 3 / root)], rtol=1e-3)
    np.testing.assert_allclose(in_float64(solution)["hidden"].array[1], [0, float(1 + 3 / root)], rtol=1e-12)


def test_a_forgotten_relu_is_named_and_right_answers_have_no_cause() -> None:
    solution = layer()
    assert causes(marked(solution, sheet(solution.graph, "mixed", "hidden"))) == []
    wrong = marked(solution, answers_with(solution, "relu-forgotten", "mixed", "hidden"))
    assert verdicts(wrong, "mixed") == {"right"}
    assert "wrong" in verdicts(wrong, "hidden")
    assert causes(wrong) == [("hidden", [("relu-forgotten",)])]


def test_whoever_goes_on_from_a_slip_is_marked_as_following() -> None:
    marking = marked(layer(), "mixed: [[1, -2], [3, 4]]\nhidden: [[1, 0], [3, 4]]\n")
    assert verdicts(marking, "mixed") == {"wrong"}
    assert verdicts(marking, "hidden") <= {"follows", "right", "exact"}
