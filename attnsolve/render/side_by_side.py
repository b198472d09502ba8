"""Which sections stand side by side on a wide page, and how wide each of them is.

Short steps, such as queries, keys and values of a small problem, are read more easily side by side than one below the
other. Sections stay in their order, from left to right and then down; none is narrower than its matrices.
"""

from __future__ import annotations

from collections.abc import Sequence

from attnsolve.record import Record, record
from attnsolve.render.box import Line, Span, line_width

WIDE = 120
"""From how many columns on a page has room for more than one section."""
GAP = 4
NARROWEST = 56
"""How narrow a section's sentences may become."""
TALLER = 2
"""A section so many times taller than another does not stand beside it: it would leave a hole."""


@record
class MinSize(Record):
    """How wide and how high a section is at least."""

    width: int
    height: int


def rows(sizes: Sequence[MinSize], width: int) -> list[list[int]]:
    """How wide the sections of each row are, one row below another.

    >>> rows([MinSize(56, 20), MinSize(56, 20), MinSize(60, 20)], 120)
    [[58, 58], [120]]
    """
    found: list[list[int]] = []
    waiting = list(sizes)
    while waiting:
        taken = next(k for k in range(len(waiting), 0, -1) if k == 1 or _fit(waiting[:k], width))
        row, waiting = waiting[:taken], waiting[taken:]
        spare = width - sum(size.width for size in row) - GAP * (taken - 1)
        found.append([width] if taken == 1 else [size.width + spare // taken for size in row])
    return found


def _fit(sizes: Sequence[MinSize], width: int) -> bool:
    heights = [size.height for size in sizes]
    return sum(size.width for size in sizes) + GAP * (len(sizes) - 1) <= width and max(heights) <= TALLER * min(heights)


def min_size(lines: Sequence[Line]) -> MinSize:
    """What lines take, where sentences have been made as narrow as they may be."""
    return MinSize(max(NARROWEST, *map(line_width, lines)), len(lines))


def joined(columns: Sequence[Sequence[Line]], widths: Sequence[int]) -> list[Line]:
    """Sections of one row, line by line."""
    found: list[Line] = []
    for number in range(max(map(len, columns))):
        line: list[Span] = []
        for column, lines in enumerate(columns):
            here = lines[number] if number < len(lines) else ()
            line += here
            if any(number < len(later) and later[number] for later in columns[column + 1 :]):
                line.append(Span(" " * (widths[column] + GAP - line_width(here))))
        found.append(tuple(line))
    return found
