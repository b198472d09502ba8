"""Output longer than the screen goes through a pager, as git does it: ATTNSOLVE_PAGER, else PAGER, else less.

What is printed is held until it is known to be longer than the screen; only then the pager starts. Messages meanwhile
go the same way, so that they stand where they belong.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TextIO, cast

import typer

from attnsolve.cli.status_line import wipe

if TYPE_CHECKING:
    import subprocess

DEFAULT = "less"
ENVIRONMENT = {"LESS": "FRX", "LV": "-c"}
"""Unless they are set: quit if it fits the screen, show colours, and leave the text on the screen."""
_allowed: ContextVar[bool] = ContextVar("allowed", default=True)


@contextmanager
def unpaged() -> Iterator[None]:
    """No pager, for a while."""
    token = _allowed.set(False)
    try:
        yield
    finally:
        _allowed.reset(token)


@contextmanager
def paged() -> Iterator[None]:
    """Page what is printed, if it is printed on a terminal and somebody has a pager."""
    screen, command = sys.stdout, pager()
    size = _screen_size(screen)
    if size is None or not command:
        yield
        return
    pages = Pages(screen, command, size)
    sys.stdout = cast(TextIO, pages)
    try:
        yield
    except BrokenPipeError:  # the reader has seen enough
        raise typer.Exit from None
    finally:
        sys.stdout = screen
        pages.finish()


def pager() -> str:
    """The pager's command line; empty where there is to be none."""
    for name in ("ATTNSOLVE_PAGER", "PAGER"):
        if (command := os.environ.get(name)) is not None:
            return command if command.strip() != "cat" and _is_there(command) else ""
    return DEFAULT if shutil.which(DEFAULT) and os.environ.get("TERM", "dumb") != "dumb" else ""


def _is_there(command: str) -> bool:
    """Whether the program of a command line exists; what a shell must take apart first may."""
    words = [word for word in command.split() if "=" not in word]
    return bool(words) and (shutil.which(words[0]) is not None or not words[0].replace("-", "").isalnum())


def _screen_size(stream: TextIO) -> os.terminal_size | None:
    """Of a terminal that has one."""
    try:
        size = os.get_terminal_size(stream.fileno()) if stream.isatty() else None
    except (OSError, ValueError):
        return None
    return size if size is not None and size.lines and size.columns else None


def message_stream() -> TextIO:
    """Where messages go: stderr, unless that is the terminal whose output is held or paged just now."""
    return sys.stdout if _pages() and sys.stderr.isatty() else sys.stderr


def is_held() -> bool:
    """Whether the screen is still empty, since all that was printed so far is held."""
    pages = _pages()
    return pages is not None and not pages.has_started


def _pages() -> Pages | None:
    stream: object = sys.stdout
    return stream if isinstance(stream, Pages) else None


class Pages(io.TextIOBase):
    """Standard output that is held until it fills the screen, and is then handed to a pager."""

    def __init__(self, screen: TextIO, command: str, size: os.terminal_size) -> None:
        self._screen = screen
        self._command = command
        self._size = size
        self._held: list[str] = []
        self._lines = 0
        self._target: TextIO | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the terminal."""
        return self._screen.encoding

    @property
    def has_started(self) -> bool:
        """Whether anything has been shown."""
        return self._target is not None

    def isatty(self) -> bool:
        """What is written ends up on a terminal."""
        return True

    def writable(self) -> bool:
        """It is for writing only."""
        return True

    def fileno(self) -> int:
        """That of the terminal, whose size programs ask for."""
        return self._screen.fileno()

    def write(self, text: str) -> int:
        """Hold some text, or hand it on."""
        if self._target is None:
            self._held.append(text)
            self._lines += sum(max(0, len(line) - 1) // self._size.columns for line in text.split("\n"))
            self._lines += text.count("\n")
            if self._lines >= self._size.lines or not _allowed.get():
                self._start()
        else:
            self._target.write(text)
        return len(text)

    def flush(self) -> None:
        """What is held stays so."""
        if self._target is not None:
            self._target.flush()

    def _start(self) -> None:
        """Start the pager, or do without if it can't be."""
        wipe()
        self._target = self._piped() if _allowed.get() else self._screen
        self._target.write("".join(self._held))

    def _piped(self) -> TextIO:
        import subprocess

        environment = {**ENVIRONMENT, **os.environ}
        try:
            self._process = subprocess.Popen(self._command, shell=True, stdin=subprocess.PIPE, env=environment)
        except OSError:
            return self._screen
        assert self._process.stdin is not None
        return io.TextIOWrapper(self._process.stdin, self._screen.encoding, errors="backslashreplace")

    def finish(self) -> None:
        """Print what is still held, and wait until the pager's reader has seen enough."""
        if self._target is None:
            self._screen.write("".join(self._held))
            self._screen.flush()
        elif self._process is not None:
            with contextlib.suppress(BrokenPipeError):
                self._target.close()
            while self._process.returncode is None:
                with contextlib.suppress(KeyboardInterrupt):  # it is the pager's to deal with
                    self._process.wait()
        else:
            self._screen.flush()
