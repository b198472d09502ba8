"""Rectangles of styled text that can be set beside and below each other: what a terminal shows matrices with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

NARROW = frozenset(
    chr(code)
    for first, last in (
        (0x20, 0x7E),  # ASCII
        (0xA0, 0xAC),
        (0xAE, 0x17F),  # Latin
        (0x391, 0x3C9),  # Greek
        (0x1D2C, 0x1D6A),  # letters above and below the line
        (0x2010, 0x2027),  # dashes, quotes, …
        (0x2030, 0x205E),  # ′ ″
        (0x2070, 0x209C),  # digits above and below the line
        (0x2190, 0x22FF),  # arrows, signs of mathematics
        (0x239B, 0x23B3),  # tall brackets
        (0x2500, 0x25CF),  # rules, bars, ○
        (0x2713, 0x2718),  # ✓ ✗
        (0x2C7C, 0x2C7D),  # ⱼ
    )
    for code in range(first, last + 1)
)
"""Characters that take one terminal cell: nearly all that is printed, so that rich, which knows of the others, is
seldom loaded for a page without colours."""


@lru_cache(maxsize=16_384)
def width_of(text: str) -> int:
    """How many terminal cells a text takes; the same few numbers and signs are measured again and again."""
    if NARROW.issuperset(text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def chopped(text: str, width: int) -> list[str]:
    """Text that is wider than a line even by itself, in as many pieces as it takes."""
    if width_of(text) <= width:
        return [text]
    from rich.cells import chop_cells

    return chop_cells(text, width)


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
