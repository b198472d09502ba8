"""The text renderer's lines in colour, through rich. Colour says again what signs, words and bars already say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnsolve.document import Document
from attnsolve.render.text import TextRenderer

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {
    "title": "bold",
    "part": "bold color(133)",
    "heading": "bold color(31)",
    "rule": "color(102)",
    "symbol": "",
    "relation": "",
    "rounded": "",
    "bracket": "color(102)",
    "label": "italic color(133)",
    "note": "italic",
    "good": "bold color(28)",
    "bad": "bold color(196)",
    "exact": "color(28)",
    "right": "color(28)",
    "slip": "color(130)",
    "follows": "color(31)",
    "wrong": "bold color(196)",
    "blank": "color(102)",
    "bars": "color(32)",
    "bars0": "color(32)",
    "bars1": "color(166)",
    "bars2": "color(28)",
    "shade0": "",
    "shade1": "color(16) on color(146)",
    "shade2": "color(16) on color(104)",
    "shade3": "color(231) on color(62)",
    "shade4": "color(231) on color(56)",
    "shade5": "bold color(231) on color(18)",
}
"""Text and numbers have the terminal's own foreground. Accents are colours that no palette changes, and that stand out
on dark pages as on light ones; a cell of a heat map has the text that its own shade needs."""
READABLE, WIDEST = 100, 160
"""On a wide terminal, how far sentences go, and how far mathematics goes."""


def print_document(document: Document, console: Console, width: int, unicode: bool) -> None:
    """Print a document on a console, line by line; nothing is interpreted as markup and nothing is wrapped again."""
    from rich.text import Text

    for line in TextRenderer(width, unicode, hints=True, readable=READABLE).document(document):
        text = Text(no_wrap=True, end="\n")
        for span in line:
            text.append(span.text, STYLES.get(span.style, ""))
        text.rstrip()
        console.print(text, crop=False, overflow="ignore", soft_wrap=True, highlight=False)
    console.print()
