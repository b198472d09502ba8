"""JSON files: one object a problem, one a line."""

from __future__ import annotations

from attnsolve.render.formats import File, Options, Worksheet
from attnsolve.render.json import render


def export(worksheet: Worksheet, options: Options) -> list[File]:
    """Every solution on a line of its own."""
    pairs = zip(worksheet.solutions, worksheet.documents, strict=True)
    return [File("".join(f"{render(solution, document, options.digits)}\n" for solution, document in pairs))]
