"""Which answer files are meant: those named, and those of folders that are named."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from attnsolve.errors import FileProblem, plain

ENDINGS = (".csv", ".yaml", ".yml")
"""Of answer files."""


def answer_files(paths: Iterable[str], problem: str) -> list[str]:
    """The files, in place of each folder those in it, in the order of their names; never the problem's own."""
    return [file for path in paths for file in (_inside(path, problem) if os.path.isdir(path) else [path])]


def _inside(folder: str, problem: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise FileProblem(f"{plain(folder)}: can't be read: {error.strerror or error}") from None
    files = [str(Path(folder) / name) for name in names if name.endswith(ENDINGS) and not name.startswith(".")]
    answers = [file for file in files if os.path.isfile(file) and not _same(file, problem)]
    if not answers:
        supported = f"answers are files that end in {', '.join(ENDINGS)}"
        raise FileProblem(f"{plain(folder)}: there are no answers in this folder\n    {supported}")
    return answers


def _same(file: str, problem: str) -> bool:
    return os.path.exists(problem) and os.path.samefile(file, problem)
