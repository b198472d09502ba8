"""A terminal as SVG: what a program has printed, in its own colours, on a window of eighty columns."""

from __future__ import annotations

from html import escape
from itertools import pairwise

from rich.color import Color
from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME as THEME
from rich.text import Text

COLUMNS, ACROSS, DOWN, SIZE = 80, 8.4, 17, 14
"""Of a character, in pixels: how wide, from line to line, and how large."""
MARGIN, BAR = 16, 36
"""Round the text, and the bar of the window above it."""
PAPER, INK, FAINT = "#1b1d23", "#d4d7dc", "#8b919b"
FONT = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"


def svg(command: str, printed: str) -> str:
    """The picture of a window in which a command was typed and has printed something."""
    lines = [Text(command), *(Text.from_ansi(line) for line in printed.rstrip("\n").split("\n"))]
    width = round(COLUMNS * ACROSS + 2 * MARGIN)
    height = BAR + DOWN * len(lines) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<title>{escape(command)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>',
        *(
            f'<circle cx="{MARGIN + 6 + 20 * place}" cy="18" r="6" fill="{colour}"/>'
            for place, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
        ),
        f'<g font-family="{FONT}" font-size="{SIZE}">',
        *(part for number, line in enumerate(lines) for part in _line(line, BAR + DOWN * number)),
        "</g>",
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(line: Text, top: int) -> list[str]:
    """Every run of characters in one style: what it stands on, and the characters."""
    parts = []
    for start, end, style in _runs(line):
        left, wide = MARGIN + start * ACROSS, (end - start) * ACROSS
        if style.bgcolor is not None:
            fill = _colour(style.bgcolor, PAPER)
            parts.append(f'<rect x="{left:.1f}" y="{top}" width="{wide:.1f}" height="{DOWN}" fill="{fill}"/>')
        text = line.plain[start:end]
        if written := text.strip():
            left += (len(text) - len(text.lstrip())) * ACROSS
            shown = escape(written).replace(" ", "\u00a0")
            parts.append(
                f'<text x="{left:.1f}" y="{top + 13}" textLength="{len(written) * ACROSS:.1f}"{_look(style)}>'
                f"{shown}</text>"
            )
    return parts


def _runs(line: Text) -> list[tuple[int, int, Style]]:
    """The stretches of a line that have one style, in order."""
    styles = [Style()] * len(line.plain)
    for span in line.spans:
        style = span.style if isinstance(span.style, Style) else Style.parse(span.style)
        styles[span.start : span.end] = [before + style for before in styles[span.start : span.end]]
    starts = [i for i, style in enumerate(styles) if i == 0 or style != styles[i - 1]]
    return [(start, end, styles[start]) for start, end in pairwise([*starts, len(styles)])]


def _look(style: Style) -> str:
    fill = FAINT if style.dim else INK
    fill = fill if style.color is None else _colour(style.color, fill)
    bold = ' font-weight="bold"' if style.bold else ""
    italic = ' font-style="italic"' if style.italic else ""
    return f' fill="{fill}"{bold}{italic}'


def _colour(colour: Color, default: str) -> str:
    return default if colour.is_default else colour.get_truecolor(THEME).hex
