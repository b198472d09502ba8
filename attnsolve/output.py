"""Writing to stdout: what it can show, and that nobody may be listening any more."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from attnsolve.errors import FileProblem


@contextmanager
def listened_to() -> Iterator[None]:
    """Print while somebody reads: one who has seen enough (`| head -1`) is no fault, a full disk is."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from None
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise FileProblem(f"the output can't be written: {error.strerror or error}") from None


def printable(text: str) -> str:
    """Text as far as the terminal can show it."""
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def speaks_unicode() -> bool:
    """Whether stdout can show what the mathematics needs."""
    try:
        "⎡√≈−ᵀ₁█".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
