"""A file with their own report for each student: what `check` would print of their answers, as Markdown."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from attnsolve.errors import FileProblem, RequestError, plain

if TYPE_CHECKING:
    from attnsolve.check.run import Checked

ENDING = ".md"
LONGEST = 180
"""Bytes of a file's name, which no system finds too long."""
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
"""Names that Windows takes for something else than a file."""


def feedback(found: Sequence[Checked], digits: int | None = None) -> str:
    """The report on one answer sheet, on all of its problems."""
    from attnsolve.check.report import report
    from attnsolve.check.run import total_line
    from attnsolve.render.markdown import render

    pages = []
    for checked in found:
        page = report(checked.marking, checked.diagnoses, digits)
        title = page.title if checked.number is None else f"Problem {checked.number}. {page.title}"
        pages.append(render(replace(page, title=title), "github"))
    if len(found) > 1:
        pages.append(f"{total_line(found)}\n")
    faults = [str(checked.faults) for checked in found if checked.faults is not None]
    if faults:
        from attnsolve.render.markdown import fenced

        pages.append("What could not be read:\n\n" + fenced("\n".join(faults)).strip("\n") + "\n")
    return "\n".join(pages)


def feedback_files(folder: str, answers: Sequence[str], problem: str) -> list[Path]:
    """The file for each answer file; refused where one of them is an answer file, or the problem, itself."""
    paths = [Path(folder) / name for name in file_names(answers)]
    for path in paths:
        for taken in (*answers, problem):
            if _same(path, taken):
                raise RequestError(
                    f"{plain(str(path))}: feedback would overwrite {plain(taken)}\n    name another folder"
                )
    return paths


def publish(folder: str, files: Sequence[tuple[Path, str]]) -> None:
    """Write all files or none, in place of those of an earlier run."""
    from attnsolve.publish import write_all

    try:
        os.makedirs(folder, exist_ok=True)
    except (OSError, ValueError) as error:
        why = "this is a file; name a folder" if isinstance(error, FileExistsError) else f"can't be made: {error}"
        raise FileProblem(f"{plain(folder)}: {why}") from None
    write_all([(path, [text]) for path, text in files], force=True)


def file_names(answers: Sequence[str]) -> list[str]:
    """A name for each answer file that any system takes, no two alike whatever their case.

    >>> file_names(["anna.yaml", "a/ben.csv", "b/Ben.yaml", "../..yaml", "con.yaml"])
    ['anna.md', 'ben.md', 'Ben-2.md', 'answers.md', 'con-.md']
    """
    taken: set[str] = set()
    names = []
    for file in answers:
        stem = _safe(PurePath(file).stem)
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        names.append(name + ENDING)
    return names


def _safe(stem: str) -> str:
    """A name without anything that means something to a system or a shell."""
    text = re.sub(r"[^\w. -]+", "-", unicodedata.normalize("NFC", stem)).strip(". -")
    text = text.encode("utf-8", "ignore")[:LONGEST].decode("utf-8", "ignore").rstrip(". ") or "answers"
    return f"{text}-" if DEVICES.match(text) else text


def _same(path: Path, other: str) -> bool:
    """Whether two names are those of one file."""
    try:
        return os.path.exists(other) and (os.path.abspath(path) == os.path.abspath(other) or path.samefile(other))
    except OSError:
        return False
