"""What matrices need before they are laid out: blocks put together, columns left out, entries aligned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce

from attnsolve import notation as n
from attnsolve.render.box import width_of


def merged(parts: Sequence[n.Notation], down: bool, unicode: bool) -> n.Grid:
    """Blocks in one pair of brackets, with a bar between them."""
    blocks = [part.rows for part in parts if isinstance(part, n.Grid)]
    if down:
        rule = n.Word("─" if unicode else "-")
        rows = list(blocks[0])
        for block in blocks[1:]:
            rows += [(rule,) * len(rows[0]), *block]
        return n.Grid(tuple(rows))
    bar = n.Word("│" if unicode else "|")
    return n.Grid(tuple(reduce(lambda left, right: (*left, bar, *right), lines) for lines in zip(*blocks, strict=True)))


def narrower(grid: n.Grid) -> n.Grid | None:
    """A matrix that leaves columns out anyway with one more left out: the last before its dots, or the one after them,
    or at last the dots; None where that can't be done."""
    dots = next((j for j, cell in enumerate(grid.rows[0]) if isinstance(cell, n.Dots) and cell.sign == "⋯"), None)
    if dots is None:
        return None
    left_out = dots - 1 if dots > 1 else grid.shape[1] - 1
    rows = tuple((*row[:left_out], *row[left_out + 1 :]) for row in grid.rows)
    labels = grid.column_labels and (*grid.column_labels[:left_out], *grid.column_labels[left_out + 1 :])
    return n.Grid(rows, grid.row_labels, labels)


_POINT = re.compile("[./]")


def split(text: str) -> tuple[str, str]:
    """Before and after the first decimal point or fraction stroke."""
    found = _POINT.search(text)
    return (text[: found.start()], text[found.start() :]) if found else (text, "")


def centred(text: str, width: int) -> str:
    """Text in the middle of so many cells."""
    missing = width - width_of(text)
    return " " * (missing // 2) + text + " " * (missing - missing // 2)
