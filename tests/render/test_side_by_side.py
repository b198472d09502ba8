"""Steps stand side by side where the page is wide enough, and nothing is lost or reordered by that."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from attnsolve.document import Document
from attnsolve.pipeline import pipeline
from attnsolve.render.side_by_side import GAP, MinSize, rows
from attnsolve.render.text import render

PROBLEMS = ("causal-mask", "discussion-10-qkv", "two-heads-thinking-machine")


@pytest.fixture(scope="module", params=PROBLEMS)
def document(request: pytest.FixtureRequest) -> Document:
    (document,) = pipeline(request.param)
    return document


def heading(text: str) -> list[str]:
    """The titles of steps, from left to right and then down."""
    return re.findall(r"(?:^|(?<=─ {4}))(\S[^─━\n]*?) ─+", text, re.MULTILINE)


@pytest.mark.parametrize("width", [80, 120, 200])
def test_every_word_is_there_at_every_width_and_nothing_sticks_out(document: Document, width: int) -> None:
    text = render(document, width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert sorted(re.findall(r"\w+", text)) == sorted(re.findall(r"\w+", render(document, 80)))


def test_steps_stand_side_by_side_in_their_order(document: Document) -> None:
    narrow, wide = render(document, 80), render(document, 200)
    assert heading(wide) == heading(narrow)
    assert wide.count("\n") < 0.8 * narrow.count("\n")
    assert max(len(heading(line)) for line in wide.splitlines()) == 3


def test_at_119_columns_all_is_as_at_80(document: Document) -> None:
    assert max(len(heading(line)) for line in render(document, 119).splitlines()) == 1


@pytest.mark.parametrize(
    ("sizes", "widths"),
    [
        ([MinSize(56, 20), MinSize(56, 20), MinSize(60, 20)], [[58, 58], [120]]),
        ([MinSize(56, 10), MinSize(56, 30)], [[120], [120]]),
        ([MinSize(90, 10), MinSize(56, 10)], [[120], [120]]),
    ],
)
def test_rows_are_filled_unless_that_leaves_holes(sizes: list[MinSize], widths: list[list[int]]) -> None:
    assert rows(sizes, 120) == widths
    assert all(sum(row) + GAP * (len(row) - 1) <= 120 for row in widths)
