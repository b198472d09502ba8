"""Solutions and other documents on stdout, in the format that was asked for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from attnsolve.cli.colours import PIPED_WIDTH, console, is_styled
from attnsolve.cli.options import Detail, Format, Math
from attnsolve.cli.streams import markdown, speaks_unicode

if TYPE_CHECKING:
    from attnsolve.document import Document
    from attnsolve.solution.solved import Narration, Solved


def narration_of(detail: Detail, only: list[str] | None, token: list[str] | None, digits: int | None) -> Narration:
    """What of a solution is asked for."""
    from attnsolve.solution.solved import Narration

    return Narration(detail.value, tuple(only or ()), tuple(token or ()), digits)


def numbered(document: Document, number: int | None) -> Document:
    """A document that says which problem of its file it is about, where there are several."""
    from dataclasses import replace

    return document if number is None else replace(document, title=f"Problem {number}. {document.title}")


def print_document(
    solution: Solved, document: Document, shown: Format, digits: int | None, width: int | None, math: Math, *,
    whole: bool,
) -> None:  # fmt: skip
    """Print in the wanted format."""
    if shown is Format.json:
        from attnsolve.contract.json import pieces

        sys.stdout.writelines(pieces(solution, document, digits, whole=whole, ascii_only=not speaks_unicode()))
        print()
    else:
        print_page(document, shown, width, math)
    sys.stdout.flush()


def print_page(document: Document, shown: Format, width: int | None, math: Math = Math.github) -> None:
    """Print something to read."""
    if shown is Format.markdown:
        from attnsolve.render.markdown import render as render_markdown

        print(markdown(render_markdown(document, math.value)))
    else:
        _print_text(document, shown, width)


def print_json(data: dict[str, Any]) -> None:
    """Print one object, as one line."""
    import json

    text = json.dumps(data, ensure_ascii=False)
    print(text if speaks_unicode() and text.isprintable() else json.dumps(data), flush=True)


def _print_text(document: Document, shown: Format, width: int | None) -> None:
    unicode = speaks_unicode()
    if shown is Format.terminal and is_styled():
        from attnsolve.render.terminal import WIDEST, print_document

        terminal = console(width)
        print_document(document, terminal, width or min(terminal.width, WIDEST), unicode)
        return
    from attnsolve.render.text import render as render_text

    print(render_text(document, width or PIPED_WIDTH, unicode, hints=True))
