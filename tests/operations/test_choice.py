"""The larger and the smaller of two entries, as they are written."""

from __future__ import annotations

import pytest

import attnsolve

SHEET = {"kind": "formulas", "given": {"X": [[1, -2], ["-1/2", 3]], "Y": [[0, 5], [1, 1]]}}


def text_of(formula: str) -> str:
    return attnsolve.solve({**SHEET, "formulas": {"Z": formula, "A": "X + Y"}}).to_text()


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        ("max(-1, X)", "z₁,₂ = max(−1, x₁,₂) = max(−1, −2) = −1"),
        ("min(X, Y)", "z₁,₁ = min(x₁,₁, y₁,₁) = min(1, 0) = 0"),
        ("min(1, X)", "z₁,₂ = min(1, x₁,₂) = min(1, −2) = −2"),
        ("min(X)", "Z = min(x₁,₁, x₁,₂, x₂,₁, x₂,₂) = min(1, −2, −1/2, 3) = −2"),
    ],
)
def test_an_entry_is_written_with_the_word_of_the_formula(formula: str, line: str) -> None:
    text = text_of(formula)
    assert line in text
    assert "−max" not in text


@pytest.mark.parametrize(
    ("formula", "shapes"),
    [
        ("max(-1, X)", "max(1×1, 2×2) → 2×2"),
        ("min(X, 1)", "min(2×2, 1×1) → 2×2"),
        ("max(X, Y)", "max(2×2, 2×2) → 2×2"),
        ("0 < X", "1×1 < 2×2 → 2×2"),
    ],
)
def test_the_shapes_of_both_sides_are_shown(formula: str, shapes: str) -> None:
    assert shapes in text_of(formula)
