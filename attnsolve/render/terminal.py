"""The text renderer's lines in colour, through rich. Colour says again what signs, words and bars already say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnsolve.document import Document
from attnsolve.render.text import TextRenderer

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {
    "title": "bold",
    "part": "bold magenta",
    "heading": "bold cyan",
    "rule": "dim",
    "symbol": "cyan",
    "relation": "dim",
    "rounded": "yellow",
    "bracket": "dim",
    "label": "italic magenta",
    "note": "dim",
    "good": "bold green",
    "bad": "bold red",
    "exact": "green",
    "right": "green",
    "slip": "yellow",
    "follows": "cyan",
    "wrong": "bold red",
    "blank": "dim",
    "bars": "blue",
    "bars0": "blue",
    "bars1": "dark_orange",
    "bars2": "green",
    "shade0": "",
    "shade1": "white on grey23",
    "shade2": "white on dark_blue",
    "shade3": "bold white on blue3",
    "shade4": "bold white on dodger_blue1",
}


def print_document(document: Document, console: Console, width: int, unicode: bool) -> None:
    """Print a document on a console, line by line; nothing is interpreted as markup and nothing is wrapped again."""
    from rich.text import Text

    for line in TextRenderer(width, unicode, hints=True).document(document):
        text = Text(no_wrap=True, end="\n")
        for span in line:
            text.append(span.text, STYLES.get(span.style, ""))
        text.rstrip()
        console.print(text, crop=False, overflow="ignore", soft_wrap=True, highlight=False)
    console.print()
