"""Worksheets to files: the sheet, its key or both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from attnsolve.document import Block, Chart, Contents, Document, Picture, Section
from attnsolve.export.formats import Export, File, Options, Worksheet, exporter, ignored_options
from attnsolve.narrate.narrated import Narrated
from attnsolve.publish import write_all
from attnsolve.solution.solved import Narration
from attnsolve.unsolvable import answering

Solutions = Literal["inline", "none", "separate"]


def worksheet(solutions: Sequence[Narrated], narration: Narration, *, blank: bool = False) -> Worksheet:
    """The worked key of some problems, or (`blank`) the sheet with room to write."""
    documents = [_document(solution, narration, blank=blank) for solution in solutions]
    if len(documents) == 1:
        return Worksheet(tuple(solutions), tuple(documents), documents[0])
    titles = [f"Problem {number}: {document.title}" for number, document in enumerate(documents, start=1)]
    sections = [
        Section((title,), _numbered(document.blocks, number))
        for number, (title, document) in enumerate(zip(titles, documents, strict=True), start=1)
    ]
    whole = Document("Worksheet" if blank else "Worked solutions", "", (Contents(tuple(titles)), *sections))
    return Worksheet(tuple(solutions), tuple(documents), whole)


def _document(solution: Narrated, narration: Narration, *, blank: bool) -> Document:
    with answering(solution.problem.file, solution.problem.at):
        return solution.blank() if blank else solution.to_document(narration)


def _numbered(blocks: tuple[Block, ...], number: int) -> tuple[Block, ...]:
    """The same blocks with their pictures named after their problem, so that no two share a file."""
    changed: list[Block] = []
    for block in blocks:
        if isinstance(block, Section):
            changed.append(replace(block, blocks=_numbered(block.blocks, number)))
        elif isinstance(block, Picture | Chart):
            changed.append(replace(block, name=f"{number}.{block.name}"))
        else:
            changed.append(block)
    return tuple(changed)


def as_files(
    solutions: Sequence[Narrated], output: Path, narration: Narration, options: Options, mode: Solutions = "inline"
) -> list[tuple[Path, str]]:
    """A worksheet as the files that are to be written; the ending chooses the format."""
    write = _exporter(output.suffix, mode)
    files: list[tuple[Path, str]] = []
    for path, blank in _outputs(output, mode):
        sheet = worksheet(solutions, narration, blank=blank)
        stem = Options(path.stem, options.math, options.digits, options.width)
        files += [(path.with_name(file.name) if file.name else path, file.text) for file in write(sheet, stem)]
    return files


def _exporter(ending: str, mode: Solutions) -> Export:
    """What writes a format; one that always has the answers is refused for a sheet without them."""
    ignored_options(ending, ["--solutions"] if mode != "inline" else [])
    return exporter(ending)


def export(
    solutions: Sequence[Narrated],
    output: Path,
    narration: Narration,
    options: Options,
    mode: Solutions = "inline",
    *,
    force: bool = False,
) -> list[Path]:
    """Write a worksheet. Returns the files written."""
    files = as_files(solutions, output, narration, options, mode)
    write_all(files, force=force)
    return [path for path, _ in files]


def _outputs(output: Path, mode: Solutions) -> Iterable[tuple[Path, bool]]:
    """The files a mode makes: the sheet, the key, or the sheet and the key beside it."""
    if mode == "separate":
        return [(output, True), (output.with_name(f"{output.stem}.solutions{output.suffix}"), False)]
    return [(output, mode == "none")]


def as_text(
    solutions: Sequence[Narrated], ending: str, narration: Narration, options: Options, mode: Solutions
) -> list[File]:
    """What would be written, for standard output."""
    return _exporter(ending, mode)(worksheet(solutions, narration, blank=mode == "none"), options)
