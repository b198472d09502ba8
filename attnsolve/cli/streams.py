"""Writing to stdout and stderr: what they can show, and that nobody may be listening any more."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import typer

from attnsolve.cli.pager import message_stream
from attnsolve.cli.status_line import wipe
from attnsolve.errors import FileProblem, plain

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What goes wrong with stdout: the disk is full, or the device is gone."""


@contextmanager
def listened_to() -> Iterator[None]:
    """Print while somebody reads: one who has seen enough (`| head -1`) is no fault, a full disk is."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _stop_writing(sys.stdout)
        raise typer.Exit from None
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        _stop_writing(sys.stdout)
        raise FileProblem(f"the output can't be written: {error.strerror or error}") from None


def _stop_writing(stream: TextIO) -> None:
    """Let what is still waiting to be written go nowhere, or the interpreter would complain as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def prepare_streams() -> None:
    """Put nothing in place of standard streams that are closed, so that no file is opened under their numbers; and let
    stdout spell out what it has no characters for."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def say(message: object) -> None:
    """Tell the user on stderr, every line as it stands; if stderr can't be written to, there is nobody to tell."""
    try:
        wipe()
        lines = map(plain, str(message).split("\n"))
        print("\n".join(map(_wrapped, lines) if sys.stderr.isatty() else lines), file=message_stream(), flush=True)
    except OSError:
        _stop_writing(sys.stderr)


def invite(message: str) -> None:
    """Say what is to be typed, at once, if anybody types."""
    if sys.stdin is not None and sys.stdin.isatty():
        print(message, file=sys.stderr, flush=True)


def _wrapped(line: str) -> str:
    """A line of a message as wide as the terminal at most; a command stays whole, to be copied."""
    import shutil
    import textwrap

    if line.lstrip().startswith("attnsolve "):
        return line
    indent = " " * (len(line) - len(line.lstrip()))
    width = shutil.get_terminal_size().columns
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def printable(text: str) -> str:
    """Text as far as the terminal can show it."""
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def markdown(text: str) -> str:
    """Markdown as far as stdout can show it: it has a way to spell any character."""
    return text if speaks_unicode() else text.encode("ascii", "xmlcharrefreplace").decode()


def print_file(text: str) -> None:
    """Print what is to become a file: UTF-8, whatever the terminal speaks, since that is how files are read."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None or text.isascii():
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    buffer.write(text.encode())


def speaks_unicode() -> bool:
    """Whether stdout can show what the mathematics needs."""
    try:
        "⎡√≈−ᵀ₁█".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
