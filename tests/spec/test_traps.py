"""Formulas that YAML takes for something else: read from their source where they can be, and else answered with the
line to write."""

from __future__ import annotations

import pytest

from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve

GIVEN = "kind: formulas\ngiven: {x: [1, 2], A: [[1, 2], [3, 4]]}\n"


@pytest.mark.parametrize("text", ["formulas:\n  y: [dot(x, x), 1]\n  z: A*x", "formulas: {y: [dot(x, x), 1], z: A*x}"])
def test_a_list_is_read_as_the_formula_that_it_is(text: str) -> None:
    (problem,) = parse(GIVEN + text, "sheet.yaml")
    assert solve(problem)["y"].exact_text == ["5", "1"]


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("formulas: {P: sinusoidal(3, 4), y: A*x}", 'P: "sinusoidal(3, 4)"'),
        ("formulas: {y: A[2], z: x*A}", 'y: "A[2]"'),
        ("formulas:\n  y: [1, 0] .* x + A[1]", 'y: "[1, 0] .* x + A[1]"'),
        ("formulas:\n  y: - x + A*x  # shifted", 'y: "- x + A*x"'),
    ],
)
def test_the_corrected_line_is_said_and_can_be_read(text: str, corrected: str) -> None:
    with pytest.raises(ProblemError) as raised:
        parse(GIVEN + text, "sheet.yaml")
    (fault,) = raised.value.faults
    assert fault.fix == f"put quotes around it: {corrected}"
    rest = "" if "x" in corrected and "A" in corrected else ", z: A*x"
    assert parse(f"{GIVEN}formulas: {{{corrected}{rest}}}", "sheet.yaml")


@pytest.mark.parametrize(
    ("value", "meaning", "instead"),
    [
        ("*x", "marks an alias", "x"),
        ("|x|", "begins a text of several lines", "abs(x)"),
        ("||x||", "begins a text of several lines", "norm(x)"),
        ("@x", "is reserved", "x"),
        ("!x", "marks a tag", "x"),
        (">x", "begins a text of several lines", "x"),
    ],
)
def test_what_a_sign_means_to_yaml_is_said(value: str, meaning: str, instead: str) -> None:
    with pytest.raises(ProblemError) as raised:
        parse(f"{GIVEN}formulas:\n  z: A*x\n  y: {value}\n", "sheet.yaml")
    (fault,) = raised.value.faults
    assert fault.fix == f"to YAML, {value[0]} at the beginning of a value {meaning}: write y: {instead}"
    assert parse(f"{GIVEN}formulas:\n  z: A*x\n  y: {instead}\n", "sheet.yaml")
