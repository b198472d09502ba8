"""Every function of a sheet that reduces, normalises, bends or measures: against NumPy on random matrices and lists, in
rows and columns, exactly and in float64; and its digits against mpmath."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.effort import tries

import attnsolve
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.solution.exact import Solution
from attnsolve.solution.floats import FloatSolution

Array = Any
EPS = 1e-5


def normalised(x: Array, axis: int, eps: float = 0.0) -> Array:
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + eps)


def rms(x: Array, axis: int, eps: float = 0.0) -> Array:
    return x / np.sqrt((x**2).mean(axis, keepdims=True) + eps)


def gelu(x: Array) -> Array:
    return x * np.vectorize(lambda t: float(mpmath.ncdf(t)))(x)


ALONG: dict[str, Callable[[Array, int], Array]] = {
    "layernorm({x})": normalised,
    "layernorm({x}, eps=1e-5)": lambda x, axis: normalised(x, axis, EPS),
    "layernorm({x}, 2, 1)": lambda x, axis: normalised(x, axis) * 2 + 1,
    "rmsnorm({x})": rms,
    "rmsnorm({x}, eps=1e-5)": lambda x, axis: rms(x, axis, EPS),
}
"""What goes along each token, or as `by` says."""
REDUCED: dict[str, Callable[[Array, int], Array]] = {
    "{along}sum({x})": lambda x, axis: x.sum(axis, keepdims=True),
    "{along}mean({x})": lambda x, axis: x.mean(axis, keepdims=True),
    "{along}max({x})": lambda x, axis: x.max(axis, keepdims=True),
    "{along}var({x})": lambda x, axis: x.var(axis, keepdims=True),
    "{along}var({x}, ddof=1)": lambda x, axis: x.var(axis, keepdims=True, ddof=1),
    "{along}norm({x})": lambda x, axis: np.sqrt((x**2).sum(axis, keepdims=True)),
}
"""What goes along rows or columns, whichever way tokens lie; of a list it is a number."""
OVERALL: dict[str, Callable[[Array], Array]] = {
    "total({x})": np.sum,
    "mean({x})": np.mean,
    "max({x})": np.max,
    "min({x})": np.min,
    "norm({x})": lambda x: np.sqrt((x**2).sum()),
}
ENTRIES: dict[str, Callable[[Array], Array]] = {
    "exp({x})": np.exp,
    "ln(abs({x}) + 1)": lambda x: np.log(abs(x) + 1),
    "sqrt(abs({x}))": lambda x: np.sqrt(abs(x)),
    "abs({x})": abs,
    "sin({x})": np.sin,
    "cos({x})": np.cos,
    "tanh({x})": np.tanh,
    "sigmoid({x})": lambda x: 1 / (1 + np.exp(-x)),
    "relu({x})": lambda x: np.maximum(x, 0),
    "gelu({x})": gelu,
    "gelu_tanh({x})": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "silu({x})": lambda x: x / (1 + np.exp(-x)),
    "max({x}, 1/2)": lambda x: np.maximum(x, 0.5),
    "max({x}, -{x})": abs,
    "min({x}, 1/2)": lambda x: np.minimum(x, 0.5),
    "min({x}, -{x})": lambda x: -abs(x),
    "{x} > 1/2": lambda x: x > 0.5,
    "{x} >= {x}": lambda x: x >= x,
    "{x} < rowmean({x})": lambda x: x < x.mean(1, keepdims=True),
    "2 <= {x}": lambda x: x >= 2,
    "where({x} - 1 > 0, {x}, 0.1*{x})": lambda x: np.where(x > 1, x, 0.1 * x),
    "masked({x}, {x} <= rowmax({x}))": lambda x: x,
    "where(causal, {x}, 7)": lambda x: np.where(np.tril(np.ones_like(x)) > 0, x, 7),
    "(abs({x}) + 1) .^ 0.3": lambda x: (abs(x) + 1) ** 0.3,
    "(abs({x}) + 1) .^ 1.5": lambda x: (abs(x) + 1) ** 1.5,
    "2 .^ {x}": lambda x: 2.0**x,
    "{x} .^ 3": lambda x: x**3,
}

numbers = st.builds(Fraction, st.integers(-30, 30), st.integers(1, 8))


def written(rows: Sequence[Any]) -> str:
    return "[" + ", ".join(written(row) if isinstance(row, list) else str(row) for row in rows) + "]"


def sheet(formula: str, x: Sequence[Any], more: str = "") -> str:
    return f'kind: formulas\ngiven: {{X: {written(x)}}}\nformulas:\n  Y: "{formula}"\n{more}'


def solved(yaml: str) -> Any:
    (problem,) = parse(yaml, "sheet.yaml")
    return attnsolve.solve(problem)


def values(yaml: str) -> Array:
    """Y, from the certified balls of an exact solution."""
    solution = solved(yaml)
    assert isinstance(solution, Solution)
    rows, columns = solution.graph.shape(Key("Y"))
    return np.array([[solution.real(Key("Y"), i, j).nearest_float() for j in range(columns)] for i in range(rows)])


def in_float64(yaml: str) -> Array:
    solution = solved(f"{yaml}numbers: float\n")
    assert isinstance(solution, FloatSolution)
    return solution.arrays[Key("Y")]


def agree(yaml: str, expected: Array) -> None:
    expected = np.atleast_2d(expected)
    for found in (values(yaml), in_float64(yaml)):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11, err_msg=yaml)


@st.composite
def matrices(draw: st.DrawFn, square: bool = False) -> list[list[Fraction]]:
    """Without equal entries in any row or column: those would have no variance."""
    height = draw(st.integers(2, 4))
    width = height if square else draw(st.integers(2, 4))
    entries = draw(st.lists(numbers, min_size=height * width, max_size=height * width, unique=True))
    return [entries[i * width : (i + 1) * width] for i in range(height)]


def floats(x: Any) -> Array:
    return np.array(x, dtype=float)


LAYOUTS = {"": 1, "layout: columns\n": 0}
BY = {"": None, ", by=rows": 1, ", by=columns": 0}


@pytest.mark.parametrize("formula", ALONG)
def test_norms_go_along_each_token_or_as_by_says(formula: str) -> None:
    @tries(8)
    @given(matrices(), st.sampled_from([*LAYOUTS]), st.sampled_from([*BY]))
    def over(x: list[list[Fraction]], layout: str, by: str) -> None:
        axis = LAYOUTS[layout] if BY[by] is None else BY[by]
        assert axis is not None
        agree(sheet(formula.format(x="X")[:-1] + f"{by})", x, layout), ALONG[formula](floats(x), axis))

    over()


@pytest.mark.parametrize("formula", ALONG)
def test_norms_of_a_list(formula: str) -> None:
    @tries(5)
    @given(st.lists(numbers, min_size=2, max_size=9, unique=True), st.sampled_from([*LAYOUTS]))
    def over(x: list[Fraction], layout: str) -> None:
        agree(sheet(formula.format(x="X"), x, layout), ALONG[formula](floats([x]), 1))

    over()


@pytest.mark.parametrize("norm", ["layernorm(X, g, b, eps=1/3)", "rmsnorm(X, g)"])
def test_gamma_and_beta_go_with_the_features_of_every_token(norm: str) -> None:
    @tries(8)
    @given(matrices(), st.sampled_from([*LAYOUTS]), st.data())
    def over(x: list[list[Fraction]], layout: str, data: st.DataObject) -> None:
        axis = LAYOUTS[layout]
        size = len(x[0]) if axis else len(x)
        g, b = (data.draw(st.lists(numbers, min_size=size, max_size=size)) for _ in range(2))
        beta = ", b: " + written(b) if "b" in norm else ""
        yaml = sheet(norm, x, layout).replace("}\nformulas", f", g: {written(g)}{beta}}}\nformulas")
        turned = (floats(g), floats(b)) if axis else (floats(g)[:, None], floats(b)[:, None])
        table = floats(x)
        expected = normalised(table, axis, 1 / 3) * turned[0] + turned[1] if beta else rms(table, axis) * turned[0]
        agree(yaml, expected)

    over()


@pytest.mark.parametrize("formula", REDUCED)
@pytest.mark.parametrize("along", ["row", "col"])
def test_reductions_go_along_what_their_names_say(along: str, formula: str) -> None:
    @tries(5)
    @given(matrices(), st.sampled_from([*LAYOUTS]))
    def over(x: list[list[Fraction]], layout: str) -> None:
        text = formula.format(along=along, x="X")
        agree(sheet(text, x, layout), REDUCED[formula](floats(x), int(along == "row")))
        agree(sheet(text, x[0], layout), REDUCED[formula](floats([x[0]]), 1))

    over()


@pytest.mark.parametrize("formula", OVERALL)
def test_a_whole_matrix_or_list_to_one_number(formula: str) -> None:
    @tries(5)
    @given(matrices(), st.sampled_from([*LAYOUTS]))
    def over(x: list[list[Fraction]], layout: str) -> None:
        agree(sheet(formula.format(x="X"), x, layout), OVERALL[formula](floats(x)))
        agree(sheet(formula.format(x="X"), x[0], layout), OVERALL[formula](floats(x[0])))

    over()


@pytest.mark.parametrize("formula", ENTRIES)
def test_functions_of_every_entry(formula: str) -> None:
    @tries(6)
    @given(matrices(square=True))
    def over(x: list[list[Fraction]]) -> None:
        agree(sheet(formula.format(x="X"), x), ENTRIES[formula](floats(x)))

    over()


@pytest.mark.parametrize("by", ["", ", by=rows", ", by=columns"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_losses_are_minus_the_logarithms_of_the_targets_probabilities(layout: str, by: str) -> None:
    @tries(6)
    @given(matrices(), st.data())
    def over(x: list[list[Fraction]], data: st.DataObject) -> None:
        axis = LAYOUTS[layout] if BY[by] is None else BY[by]
        table = floats(x) if axis else floats(x).T
        ids = data.draw(st.lists(st.integers(1, table.shape[1]), min_size=len(table), max_size=len(table)))
        shares = np.exp(table) / np.exp(table).sum(1, keepdims=True)
        losses = -np.log(shares[np.arange(len(table)), np.array(ids) - 1])
        inner = f"softmax(X{by})"
        agree(sheet(f"nll({inner}, {ids}{by})", x, layout), losses)
        agree(sheet(f"crossentropy({inner}, {ids}{by})", x, layout), losses.mean())

    over()


# ── digits ────────────────────────────────────────────────────────────────────────────────────────

mp = mpmath.mp
DIGITS: dict[str, Callable[[Any], Any]] = {
    "exp({x})": mpmath.exp,
    "ln({x})": mpmath.log,
    "sqrt({x})": mpmath.sqrt,
    "sin({x})": mpmath.sin,
    "cos({x})": mpmath.cos,
    "tanh({x})": mpmath.tanh,
    "sigmoid({x})": lambda x: 1 / (1 + mpmath.exp(-x)),
    "silu(-{x})": lambda x: -x / (1 + mpmath.exp(x)),
    "gelu(-{x})": lambda x: -x * mpmath.ncdf(-x),
    "gelu_tanh({x})": lambda x: (
        x / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)))
    ),
    "{x} .^ 0.3": lambda x: x ** (mpmath.mpf(3) / 10),
    "nll([{x}/100, 1], 1)": lambda x: -mpmath.log(x / 100),
    "rowvar([{x}, 1, 2])": lambda x: ((x**2 + 5) / 3) - ((x + 3) / 3) ** 2,
    "layernorm([{x}, 1, 20])[1]": lambda x: (x - (x + 21) / 3) / mpmath.sqrt((x**2 + 401) / 3 - ((x + 21) / 3) ** 2),
    "rmsnorm([{x}, 1, 2])[2]": lambda x: 1 / mpmath.sqrt((x**2 + 5) / 3),
}


@pytest.mark.parametrize("formula", DIGITS)
def test_every_digit_is_that_of_mpmath(formula: str) -> None:
    @tries(6)
    @given(st.builds(Fraction, st.integers(1, 900), st.integers(1, 60)), st.integers(4, 25))
    def over(x: Fraction, digits: int) -> None:
        solution = solved(f'kind: formulas\nformulas: {{Y: "{formula.format(x=f"({x})")}"}}\n')
        found = solution.real(Key("Y"), 0, 0).decimal(digits)
        with mpmath.workdps(80):
            expected = DIGITS[formula](mpmath.mpf(x.numerator) / x.denominator)
            printed = mpmath.mpf(found.fraction.numerator) / found.fraction.denominator
            assert abs(printed - expected) <= abs(expected) * mpmath.mpf(10) ** (1 - digits) * mpmath.mpf("0.5001"), (
                formula
            )

    over()


@pytest.mark.parametrize(
    ("formula", "exact"),
    [
        ("sin(pi/6)", "1/2"), ("cos(0)", "1"), ("cos(pi/3)", "1/2"), ("sin(pi)", "0"), ("cos(pi/4)", "sqrt(2)/2"),
        ("sin(2*pi/3)", "sqrt(3)/2"), ("gelu(0)", "0"), ("sigmoid(0)", "1/2"), ("silu(0)", "0"), ("ln(1)", "0"),
        ("ln(e^3)", "3"), ("rowvar([1, 2, 3])", "2/3"), ("layernorm([1, 2, 6], eps=1/3)[3]", "3*sqrt(5)/5"),
    ],
)  # fmt: skip
def test_what_has_an_exact_value_is_exact(formula: str, exact: str) -> None:
    assert str(solved(f'kind: formulas\nformulas: {{Y: "{formula}"}}\n').real(Key("Y"), 0, 0).exact) == exact


def test_angles_without_an_exact_sine_have_none() -> None:
    assert solved('kind: formulas\nformulas: {Y: "sin(pi/5)"}\n').real(Key("Y"), 0, 0).exact is None
