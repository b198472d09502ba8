"""Fractions and surds without sympy: every operation gives what sympy gives, in the one form a number has."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from attnsolve.numbers import closed, surds
from attnsolve.numbers.surds import Surd, square_root
from attnsolve.numbers.symbolic import lowered, to_expression
from attnsolve.numbers.written import Real, exact_text

fractions = st.builds(Fraction, st.integers(-30, 30), st.integers(1, 12))
drawn_surds = st.builds(
    Surd, fractions.filter(bool), st.sampled_from([n for n in range(2, 40) if max(sympy.factorint(n).values()) == 1])
)
numbers = fractions | drawn_surds
OPERATIONS = (operator.add, operator.sub, operator.mul, operator.truediv)


@given(numbers, numbers, st.sampled_from(OPERATIONS))
def test_arithmetic_is_that_of_sympy(left: Any, right: Any, operation: Callable[[Any, Any], Any]) -> None:
    if operation is operator.truediv and right == 0:
        return
    expected = lowered(sympy.expand(sympy.radsimp(operation(to_expression(left), to_expression(right)))))
    found = closed.tidy(operation(left, right))
    assert (found, type(found)) == (expected, type(expected))


@given(st.lists(numbers, max_size=6))
def test_a_sum_is_that_of_sympy_and_light_where_it_can_be(terms: list[Any]) -> None:
    assert surds.total(terms) == lowered(sympy.Add(*map(to_expression, terms)))


@given(drawn_surds, st.integers(-5, 6))
def test_a_power_is_that_of_sympy(surd: Surd, exponent: int) -> None:
    assert surd**exponent == lowered(to_expression(surd) ** exponent)


@given(st.builds(Fraction, st.integers(0, 10**6), st.integers(1, 10**5)))
def test_a_root_is_that_of_sympy(value: Fraction) -> None:
    assert square_root(value) == lowered(sympy.sqrt(to_expression(value)))


@pytest.mark.parametrize(
    ("number", "factor", "inside"),
    [(10**12 - 1, 3, 111111111111), (999983**2, 999983, 1), (4 * 99991**2 * 3, 199982, 3)],
)
def test_no_square_is_left_inside_a_root(number: int, factor: int, inside: int) -> None:
    assert square_root(number) == (Fraction(factor) if inside == 1 else Surd(Fraction(factor), inside))


@given(drawn_surds, drawn_surds | fractions)
def test_equal_numbers_have_one_form(left: Surd, right: Any) -> None:
    """What sums of several roots come back to is light again, and found under the same key."""
    there_and_back = closed.tidy(closed.tidy(left + right) - right)
    assert {left: "found"}[there_and_back] == "found"


@given(numbers)
def test_text_is_what_sympy_writes(number: Any) -> None:
    assert str(number) == sympy.sstr(to_expression(number))


@given(numbers)
def test_the_sign_is_that_of_its_float(number: Any) -> None:
    assert closed.is_negative(number) == (float(to_expression(number)) < 0)


LONG = 7**6000
"""Longer than Python writes by itself: log₁₀ 7^6000 = 5070.58…, so it has 5,071 digits and starts with 3.87."""


@pytest.mark.parametrize(
    ("number", "written", "decimal"),
    [
        (Fraction(LONG), "3874", "3.87e+5070"),
        (Fraction(1, LONG), "1/38", "2.58e-5071"),
        (Surd(Fraction(LONG), 2), "3874", "5.48e+5070"),
    ],
    ids=["whole", "share", "surd"],
)
def test_numbers_of_any_length_can_be_written(number: Any, written: str, decimal: str) -> None:
    text = exact_text(number, "fraction")
    assert text is not None
    assert text.startswith(written)
    assert max(map(len, re.findall(r"\d+", text))) == 5071
    assert str(Real.of(number).decimal(3)) == decimal
