"""What the command line promises for any input whatever, and a way to hold it to that inside one process.

The exit code is 0, 1 or 2; a failure is told in one message on stderr, without a traceback and without blaming itself;
nothing printed can move a cursor, turn the direction of writing or hide; and it ends in time.
"""

from __future__ import annotations

import io
import os
import re
import sys
import time
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from attnsolve.cli import main

SECONDS = 10
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""What a terminal is sent, and nothing else of its kind."""
VARIANTS: dict[str, tuple[str, ...]] = {
    "solve": ("solve", "PROBLEM"),
    "solve full": ("solve", "PROBLEM", "--detail", "full", "--format", "text", "--width", "60"),
    "solve brief": ("solve", "PROBLEM", "--detail", "brief", "--format", "text"),
    "solve markdown": ("solve", "PROBLEM", "--format", "markdown"),
    "solve dollar": ("solve", "PROBLEM", "--format", "markdown", "--math", "dollar"),
    "solve json": ("solve", "PROBLEM", "--format", "json"),
    "explain": ("explain", "PROBLEM", "weights[1,1]"),
    "export": ("export", "PROBLEM", "-", "--math", "latex"),
    "export blank": ("export", "PROBLEM", "-", "--solutions", "none", "--math", "none"),
    "lint": ("lint", "PROBLEM"),
    "check": ("check", "PROBLEM"),
    "check answers": ("check", "self-attention-q1", "ANSWERS"),
    "check two": ("check", "seq2seq-dot", "ANSWERS", "ANSWERS", "--format", "csv"),
    "check json": ("check", "two-heads-thinking-machine", "ANSWERS", "--format", "json"),
}
"""The commands that inputs are given to; those with PROBLEM take a problem file, those with ANSWERS answers."""


class Stream(io.TextIOWrapper):
    """A stream as the program finds one, kept in memory."""

    def __init__(self, *, terminal: bool = False, encoding: str = "utf-8", errors: str = "strict") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, errors=errors, newline="\n")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def text(self) -> str:
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode(self.encoding)


@dataclass(frozen=True)
class Run:
    """How one run of the program ended."""

    code: object
    out: str
    err: str
    seconds: float

    def complaint(self, *, in_rows: bool = False) -> str:
        """The promise that was broken, or nothing. Of a class, each row (`in_rows`) tells its own fault."""
        if self.code not in (0, 1, 2):
            return f"exit code {self.code}"
        if "attnsolve has a bug" in self.out + self.err or "Traceback" in self.err:
            return next(line for line in (self.out + self.err).splitlines() if "bug" in line or "Traceback" in line)
        if self.code == 2 and not (self.out if in_rows else self.err).strip():
            return "exit code 2 without a message"
        if self.code == 0 and self.err and not self.err.startswith("wrote "):
            return f"a message without a fault: {self.err[:80]}"
        if found := hidden(COLOURS.sub("", self.out)) or hidden(self.err):
            return f"U+{ord(found):04X} was printed"
        if self.seconds > SECONDS:
            return "too slow"
        return ""


def hidden(text: str) -> str:
    """The first character that isn't simply shown where it stands."""
    return next((c for c in text if c != "\n" and (unicodedata.category(c) in BARRED or c in "\u2028\u2029")), "")


BARRED = ("Cc", "Cf", "Cs", "Co")


def run(arguments: Sequence[str], *, terminal: bool = False, encoding: str = "utf-8") -> Run:
    """Run the program as from a shell, in this process."""
    out, err = Stream(terminal=terminal, encoding=encoding), Stream(encoding=encoding, errors="backslashreplace")
    code: object = 0
    before = time.process_time()
    with patch.object(sys, "argv", ["attnsolve", *arguments]), patch.multiple(sys, stdout=out, stderr=err):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    return Run(code, out.text(), err.text(), time.process_time() - before)


@contextmanager
def plain_environment() -> Iterator[None]:
    """As in a shell that says nothing of colours or width."""
    with patch.dict(os.environ, COLUMNS="80"):
        for name in ("NO_COLOR", "FORCE_COLOR", "LINES"):
            os.environ.pop(name, None)
        yield


def completed(folder: Path, *arguments: str, encoding: str = "utf-8") -> CompletedProcess[str]:
    """What a process of its own would come to in a folder, without the half second that one takes to start."""
    with chdir(folder):
        done = run(arguments, encoding=encoding)
    assert isinstance(done.code, int)
    return CompletedProcess(arguments, done.code, done.out, done.err)


def arguments(variant: str, path: Path) -> list[str]:
    """The command line of a variant for one input."""
    return [str(path) if word in ("PROBLEM", "ANSWERS") else word for word in VARIANTS[variant]]


def held(variant: str, data: bytes, path: Path) -> str:
    """Give one input to one command and say which promise it broke, if any."""
    path.write_bytes(data)
    return run(arguments(variant, path), terminal=variant == "solve").complaint(in_rows=variant == "check two")
