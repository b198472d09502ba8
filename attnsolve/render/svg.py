"""Attention weights as a picture: an SVG heat map, written as text."""

from __future__ import annotations

from html import escape

from attnsolve.document import Picture
from attnsolve.notation.text import TextPrinter

CELL, MARGIN, LINE = 56, 8, 16
LETTER = 8
"""Pixels a letter of a label takes."""


def heat_map(picture: Picture) -> str:
    """The SVG of a heat map: darker is more weight; every cell also says its number."""
    rows = [_label(label) for label in picture.row_labels]
    columns = [_label(label) for label in picture.column_labels]
    left = MARGIN + LETTER * max((len(label) for label in rows), default=0) + MARGIN
    top = MARGIN + LINE + MARGIN
    width = left + CELL * len(picture.values[0]) + MARGIN
    height = top + CELL * len(picture.values) + MARGIN
    title = escape(picture.title)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="sans-serif" font-size="12">',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for j, label in enumerate(columns):
        parts.append(_text(left + CELL * j + CELL / 2, top - MARGIN, label, "middle"))
    for i, row in enumerate(picture.values):
        middle = top + CELL * i + CELL / 2 + 4
        if rows:
            parts.append(_text(left - MARGIN, middle, rows[i], "end"))
        for j, weight in enumerate(row):
            x, y = left + CELL * j, top + CELL * i
            colour = "white" if weight > 0.5 else "black"
            parts.append(
                f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="#1f4e9c" '
                f'fill-opacity="{weight:.3f}" stroke="#888"/>'
            )
            parts.append(_text(x + CELL / 2, middle, picture.texts[i][j], "middle", colour))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _text(x: float, y: float, text: str, anchor: str, colour: str = "black") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _label(label: str) -> str:
    return TextPrinter().label(label)
