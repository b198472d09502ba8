"""Finished files under the names that were asked for: each whole or not at all, several all or none, and none in place
of a file that is there already unless that was asked for.

A file is written under a name of its own and then linked to the one it is for. The system makes a link only where there
is nothing yet, however many programs try at once.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from attnsolve.errors import FileProblem, plain
from attnsolve.guard import STOPS, uninterrupted
from attnsolve.record import Record, record

Undo = Callable[[], None]
NO_LINK = (OSError, AttributeError, NotImplementedError)
"""How a system says that it has no links, or none here."""


def write_all(files: Sequence[tuple[Path, Iterable[str]]], *, force: bool) -> None:
    """Write some files, all of them or none.

    A link is replaced by the file and never followed: what it points at may be anything.
    """
    for path, _ in files:
        with _reported(path):
            is_folder, is_there = path.is_dir(), os.path.lexists(path)
        if is_folder:
            raise FileProblem(f"{plain(str(path))}: this is a folder; name a file in it")
        if is_there and not force:
            raise _taken(path)
    waiting = [_Finished(path, _beside(path), _beside(path)) for path, _ in files]
    try:
        for file, (_, pieces) in zip(waiting, files, strict=True):
            with _reported(file.path):
                _write(file.text, pieces)
        with uninterrupted(*STOPS), contextlib.ExitStack() as undo:
            for file in waiting:
                with _reported(file.path):
                    undo.callback(file.replace() if force else file.add())
            undo.pop_all()
    finally:
        for file in waiting:
            _remove(file.text)
            _remove(file.before)


@record
class _Finished(Record):
    """A file that is written and lacks only its name."""

    path: Path
    text: Path
    before: Path
    """Where what it replaces is kept until all files are in place."""

    def add(self) -> Undo:
        """Put it where nothing is; returns what takes it away again."""
        own = os.lstat(self.text)
        try:
            _link(self.text, self.path)
        except FileExistsError:
            raise _taken(self.path) from None
        return lambda: _remove(self.path, own)

    def replace(self) -> Undo:
        """Put it in place of what is there, if anything; returns what brings that back."""
        was_there = os.path.lexists(self.path)
        with contextlib.suppress(*NO_LINK):  # what is replaced can't be kept then
            os.link(self.path, self.before, follow_symlinks=False)
        kept = os.path.lexists(self.before)
        os.replace(self.text, self.path)
        if kept:
            return lambda: os.replace(self.before, self.path)
        return (lambda: None) if was_there else (lambda: _remove(self.path))


def _link(text: Path, path: Path) -> None:
    """Give a file its name unless there is one of that name. Where there are no links (on a memory card, in some shared
    folders), the name is taken first by a file that is empty for a moment."""
    try:
        os.link(text, path)
    except FileExistsError:
        raise
    except NO_LINK:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
        try:
            os.replace(text, path)
        except OSError:
            _remove(path)
            raise


def _beside(path: Path) -> Path:
    return path.with_name(f".{secrets.token_hex(8)}.attnsolve")


def _taken(path: Path) -> FileProblem:
    return FileProblem(f"{plain(str(path))}: the file already exists\n    --force overwrites it")


@contextlib.contextmanager
def _reported(path: Path) -> Iterator[None]:
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


def _remove(path: Path, own: os.stat_result | None = None) -> None:
    """Take a file away, if it is there (and is still our own, not one that somebody has put in its place)."""
    with contextlib.suppress(OSError, ValueError):
        if own is None or os.path.samestat(os.lstat(path), own):
            path.unlink()
