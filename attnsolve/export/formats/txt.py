"""Plain text files, as on the terminal but without colour."""

from __future__ import annotations

from attnsolve.export.formats import File, Options, Worksheet
from attnsolve.render.text import render

WRITES = "plain text"
HONOURS = ("--solutions", "--width")


def export(worksheet: Worksheet, options: Options) -> list[File]:
    """The worksheet as text."""
    return [File([render(worksheet.document, options.width)])]
