"""A number of a formula is shown as what runs: its symbol and its digits are made from the one value that it has."""

from __future__ import annotations

import inspect
import math
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.effort import tries
from shared.examples import D_K, SHAPES, A, Leaves, generic
from shared.formulas import concrete
from shared.worth import worth

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.constant import Constant, PlainNumber, RootOfSize, Size
from attnsolve.numbers.floats import Floats, to_float
from attnsolve.numbers.surds import square_root
from attnsolve.numbers.symbols import Symbols
from attnsolve.operations.divide import Divide, Times
from attnsolve.operations.formula import Formula
from attnsolve.operations.number import Number

sizes = st.integers(1, 200)
positive = st.builds(Fraction, st.integers(1, 500), st.integers(1, 60))
styles = st.sampled_from(("fraction", "decimal"))
roots = st.builds(lambda times, inside: times * square_root(inside), positive, st.integers(2, 30))
constants = st.one_of(
    st.builds(PlainNumber, positive | positive.map(lambda x: -x) | roots, styles),
    st.builds(Size, st.just(D_K), sizes | positive, styles),
    st.builds(RootOfSize, st.just(D_K), sizes | positive, styles),
)

KINDS = [kind for kind in concrete(Constant) if kind.__module__.startswith("attnsolve.")]
SHOWN = ("Notation", "n.", "Sym", "Num", "Style", "Constant", "Number", "Fraction", "float")


def letters_of(constant: Any) -> dict[n.Notation, float]:
    """What the letters of a constant stand for."""
    return {constant.letter: float(constant.size)} if hasattr(constant, "size") else {}


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12)


@tries(100)
@given(constants)
def test_the_symbol_and_the_digits_of_a_constant_are_worth_what_it_is(constant: Constant) -> None:
    value = to_float(constant.value)
    assert worth(constant.written, {}) == close(value)
    assert worth(constant.symbol, letters_of(constant)) == close(value)
    assert not n.has_rounded(constant.written)


@pytest.mark.parametrize(
    ("operation", "does"),
    [(lambda inner, by: Divide(inner, Number(by)), lambda x, y: x / y), (Times, lambda x, y: x * y)],
)
@pytest.mark.parametrize("seed", range(3))
def test_what_an_operation_shows_of_its_constant_is_what_runs(operation: Any, does: Any, seed: int) -> None:
    @tries(30)
    @given(constants)
    def over(constant: Constant) -> None:
        values, formula = generic(seed), operation(A, constant)
        found = formula.evaluate({key: Floats.of(rows) for key, rows in values.items()}, Floats)
        symbols = formula.evaluate(Leaves(lambda key: Symbols(SHAPES[key], lambda i, j: n.Sym("x"))), Symbols)
        whole, letters = formula.notation(lambda key: n.Sym("x")), letters_of(constant)
        for i, row in enumerate(values[Key("a")]):
            for j, x in enumerate(row):
                expected = close(does(float(x), to_float(constant.value)))
                assert found.rows[i][j] == expected
                assert worth(symbols.at(i, j), {n.Sym("x"): float(x)}) == expected
                assert worth(whole, {n.Sym("x"): float(x), **letters}) == expected

    over()


def test_no_operation_has_a_number_or_its_notation_in_a_field_of_its_own() -> None:
    """A number that stands in a formula is a `Constant`; given matrices are rows of numbers, and a base is one too."""
    for operation in concrete(Formula):
        for field in fields(operation):  # type: ignore[arg-type]
            shown = [word for word in SHOWN if word in str(field.type)]
            assert not shown or str(field.type) in ("Constant", "tuple[Constant, ...]"), (operation, field.name)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_constant_has_one_number_and_nothing_else_to_show(kind: Any) -> None:
    names = {field.name for field in fields(kind)}
    assert names in ({"number", "style"}, {"letter", "size", "style"})
    for name in ("value", "symbol", "written"):
        assert isinstance(inspect.getattr_static(kind, name), property)


def test_a_divisor_cannot_be_made_to_show_another_number() -> None:
    assert {field.name for field in fields(Divide)} == {"left", "right"}
    assert {field.name for field in fields(Number)} == {"constant"}
    made = Divide(A, Number(RootOfSize(D_K, 4)))
    assert (made.divisor, made.symbol, made.number) == (2, n.Root(D_K), n.Num("2"))
    for name in ("symbol", "number", "divisor"):
        with pytest.raises(TypeError):
            Divide(A, Number(RootOfSize(D_K, 4)), **{name: n.Num("3")})
        with pytest.raises((AttributeError, FrozenInstanceError)):
            setattr(made, name, n.Num("3"))
    with pytest.raises(FrozenInstanceError):
        made.by.size = 9  # type: ignore[attr-defined]


def test_the_root_of_a_size_is_that_root() -> None:
    assert RootOfSize(D_K, 64).written == n.Num("8")
    assert to_float(RootOfSize(D_K, 2).value) == math.sqrt(2)
    assert PlainNumber(Fraction(1, 3), "decimal").written == n.Frac(n.Num("1"), n.Num("3"))
