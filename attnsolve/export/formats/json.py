"""JSON files: one object a problem, one a line."""

from __future__ import annotations

from collections.abc import Iterator

from attnsolve.contract.json import pieces
from attnsolve.export.formats import File, Options, Worksheet

WRITES = "one object per problem, one per line"
HONOURS: tuple[str, ...] = ()


def export(worksheet: Worksheet, options: Options) -> list[File]:
    """Every solution on a line of its own."""
    return [File(_lines(worksheet, options))]


def _lines(worksheet: Worksheet, options: Options) -> Iterator[str]:
    for solution, document in zip(worksheet.solutions, worksheet.documents, strict=True):
        yield from pieces(solution, document, options.digits)
        yield "\n"
