"""Rectangles of styled text that can be set beside and below each other: what a terminal shows matrices with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from rich.cells import cell_len, chop_cells

width_of = lru_cache(maxsize=16_384)(cell_len)
"""How many terminal cells a text takes; the same few numbers and signs are measured again and again."""


def chopped(text: str, width: int) -> list[str]:
    """Text that is wider than a line even by itself, in as many pieces as it takes."""
    return [text] if width_of(text) <= width else chop_cells(text, width)


class Span(NamedTuple):
    """Text in one style; styles are names that the terminal renderer gives colours to."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def line_width(line: Line) -> int:
    """How many terminal cells a line takes."""
    return sum(width_of(span.text) for span in line)


def plain(line: Line) -> str:
    """A line without its styles."""
    return "".join(span.text for span in line)


class Box(NamedTuple):
    """Some lines of equal width; `base` is the one that a neighbour's text lines up with."""

    lines: tuple[Line, ...]
    width: int
    base: int

    @classmethod
    def text(cls, text: str, style: str = "") -> Box:
        """One line."""
        return cls(((Span(text, style),),), width_of(text), 0)

    @classmethod
    def stack(cls, boxes: Iterable[Box], base: int | None = None) -> Box:
        """One below the other, left-aligned."""
        stacked = list(boxes)
        width = max((box.width for box in stacked), default=0)
        lines = tuple(line for box in stacked for line in box.widened(width).lines)
        return cls(lines, width, len(lines) // 2 if base is None else base)

    @property
    def height(self) -> int:
        """How many lines it takes."""
        return len(self.lines)

    def widened(self, width: int) -> Box:
        """With blanks at the right, up to a width."""
        if self.width >= width:
            return self
        blank = Span(" " * (width - self.width))
        return Box(tuple((*line, blank) for line in self.lines), width, self.base)

    def indented(self, columns: int) -> Box:
        """Moved to the right."""
        return Box(tuple((Span(" " * columns), *line) for line in self.lines), self.width + columns, self.base)


def beside(boxes: Sequence[Box]) -> Box:
    """Boxes in a row, their base lines level."""
    width = sum(box.width for box in boxes)
    if all(len(box.lines) == 1 for box in boxes):
        return Box((tuple(chain.from_iterable(box.lines[0] for box in boxes)),), width, 0)
    above = max(box.base for box in boxes)
    below = max(box.height - box.base for box in boxes)
    lines: list[Line] = []
    for level in range(-above, below):
        line: Line = ()
        for box in boxes:
            index = box.base + level
            inside = 0 <= index < box.height
            line += box.lines[index] if inside else (Span(" " * box.width),)
        lines.append(line)
    return Box(tuple(lines), width, above)
