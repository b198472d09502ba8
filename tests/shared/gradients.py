"""The gradients that the program finds, set beside those of a second implementation."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
from shared.sheet_reference import Reference
from shared.tape import PLACES, Array

import attnsolve
from attnsolve.graph.gradients import gradient_id
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.solution.exact import Solution
from attnsolve.solution.floats import FloatSolution

CLOSE = mpmath.mpf(10) ** -12
NOTHING = mpmath.mpf(10) ** -22
"""What differences may leave where the gradient is 0."""
IN_FLOATS = {"rtol": 1e-9, "atol": 1e-10}


def solved(text: str) -> Any:
    (problem,) = parse(text, "sheet.yaml")
    return attnsolve.solve(problem)


def exact_gradients(text: str, *names: str) -> dict[str, Array]:
    """Gradients by the quantities that they belong to, in some twenty digits."""
    solution = solved(text)
    assert isinstance(solution, Solution)
    return {name: entries(solution, Key(gradient_id(name))) for name in names}


def entries(solution: Solution, key: Key) -> Array:
    rows, columns = solution.graph.shape(key)
    found = np.empty((rows, columns), dtype=object)
    with mpmath.workdps(PLACES):
        for i, j in np.ndindex(rows, columns):
            fraction = solution.real(key, i, j).decimal(18).fraction
            found[i, j] = mpmath.mpf(fraction.numerator) / fraction.denominator
    return found


def float_gradients(text: str, *names: str) -> dict[str, Array]:
    solution = solved(f"{text}numbers: float\n")
    assert isinstance(solution, FloatSolution)
    return {name: solution.arrays[Key(gradient_id(name))] for name in names}


def assert_close(found: Array, expected: Array, said: object = "") -> None:
    """Every entry to within 10⁻¹², relative to what it should be."""
    expected = np.atleast_2d(expected)
    assert found.shape == expected.shape, said
    for place in np.ndindex(*found.shape):
        off = abs(found[place] - expected[place])
        assert off <= CLOSE * abs(expected[place]) + NOTHING, (said, place, found[place], expected[place])


def agree(text: str, differences: bool = True) -> None:
    """Every gradient that a sheet of formulas asks for: exactly against central differences and reverse mode, and in
    float64."""
    reference = Reference(text)
    ours, floats = exact_gradients(text, *reference.to), float_gradients(text, *reference.to)
    moved = reference.by_differences() if differences else {}
    for name, expected in reference.in_reverse().items():
        if differences:
            assert_close(ours[name], moved[name], (name, text))
        said = f"d{name}\n{text}"
        np.testing.assert_allclose(ours[name].astype(float), np.atleast_2d(expected), **IN_FLOATS, err_msg=said)
        np.testing.assert_allclose(floats[name], np.atleast_2d(expected), **IN_FLOATS, err_msg=said)
