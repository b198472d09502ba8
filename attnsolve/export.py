"""Worksheets to files: the sheet, its key or both; written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from attnsolve.document import Block, Chart, Contents, Document, Picture, Section
from attnsolve.errors import FileProblem, plain
from attnsolve.guard import STOPS, uninterrupted
from attnsolve.render.formats import File, Options, Worksheet, exporter
from attnsolve.worked import Telling, Worked

Solutions = Literal["inline", "none", "separate"]


def worksheet(solutions: Sequence[Worked], telling: Telling, *, blank: bool = False) -> Worksheet:
    """The worked key of some problems, or (`blank`) the sheet with room to write."""
    documents = [solution.blank() if blank else solution.tell(telling) for solution in solutions]
    if len(documents) == 1:
        return Worksheet(tuple(solutions), tuple(documents), documents[0])
    titles = [f"Problem {number}: {document.title}" for number, document in enumerate(documents, start=1)]
    sections = [
        Section((title,), _numbered(document.blocks, number))
        for number, (title, document) in enumerate(zip(titles, documents, strict=True), start=1)
    ]
    whole = Document("Worksheet" if blank else "Worked solutions", "", (Contents(tuple(titles)), *sections))
    return Worksheet(tuple(solutions), tuple(documents), whole)


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
    solutions: Sequence[Worked], output: Path, telling: Telling, options: Options, mode: Solutions = "inline"
) -> list[tuple[Path, str]]:
    """A worksheet as the files that are to be written; the ending chooses the format."""
    write = exporter(output.suffix)
    files: list[tuple[Path, str]] = []
    for path, blank in _outputs(output, mode):
        sheet = worksheet(solutions, telling, blank=blank)
        stem = Options(path.stem, options.math, options.digits, options.width)
        files += [(path.with_name(file.name) if file.name else path, file.text) for file in write(sheet, stem)]
    return files


def export(
    solutions: Sequence[Worked],
    output: Path,
    telling: Telling,
    options: Options,
    mode: Solutions = "inline",
    *,
    force: bool = False,
) -> list[Path]:
    """Write a worksheet. Returns the files written."""
    files = as_files(solutions, output, telling, options, mode)
    write_all(files, force=force)
    return [path for path, _ in files]


def _outputs(output: Path, mode: Solutions) -> Iterable[tuple[Path, bool]]:
    """The files a mode makes: the sheet, the key, or the sheet and the key beside it."""
    if mode == "separate":
        return [(output, True), (output.with_name(f"{output.stem}.solutions{output.suffix}"), False)]
    return [(output, mode == "none")]


def as_text(
    solutions: Sequence[Worked], ending: str, telling: Telling, options: Options, mode: Solutions
) -> list[File]:
    """What would be written, for standard output."""
    return exporter(ending)(worksheet(solutions, telling, blank=mode == "none"), options)


def write_all(files: Sequence[tuple[Path, Iterable[str]]], *, force: bool) -> None:
    """Write some files, each whole or not at all; none is touched unless all of them could be written.

    A link is replaced by the file and never followed: what it points at may be anything.
    """
    for path, _ in files:
        with _told(path):
            is_folder, is_there = path.is_dir(), os.path.lexists(path)
        if is_folder:
            raise FileProblem(f"{plain(str(path))}: this is a folder; name a file in it")
        if is_there and not force:
            raise FileProblem(f"{plain(str(path))}: the file is there already\n    --force writes it anew")
    waiting = [(path.with_name(f".{secrets.token_hex(8)}.attnsolve"), path) for path, _ in files]
    try:
        for (temporary, path), (_, pieces) in zip(waiting, files, strict=True):
            with _told(path):
                _write(temporary, pieces)
        with uninterrupted(*STOPS):
            for temporary, path in waiting:
                with _told(path):
                    os.replace(temporary, path)
    finally:
        for temporary, _ in waiting:
            with contextlib.suppress(OSError, ValueError):
                temporary.unlink()


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """What keeps a file from being written, in one message."""
    try:
        yield
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileProblem(f"{plain(str(path))}: can't be written: {why}") from None


def _write(path: Path, pieces: Iterable[str]) -> None:
    """Write a file that isn't there yet, down to the disk."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(pieces)
        stream.flush()
        os.fsync(stream.fileno())
