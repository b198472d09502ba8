"""`-o FILE`: what a command prints, written to a file instead; its ending chooses the format."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import typer

from attnsolve.cli.streams import say
from attnsolve.errors import RequestError, plain

FORMATS = {".md": "markdown", ".txt": "text", ".json": "json", ".csv": "csv", ".yaml": "yaml", ".yml": "yaml"}
"""What the endings of files stand for."""


def exported_endings() -> list[str]:
    """The endings that `export` writes, by the names of its modules: to load these would take too long for help."""
    folder = Path(__file__).resolve().parents[1] / "export" / "formats"
    return sorted(f".{path.stem}" for path in folder.glob("[!_]*.py"))


def format_of(output: str, formats: Mapping[str, str], also: str = "") -> str:
    """The format that the ending of a file's name chooses; any other ending is refused."""
    ending = Path(output).suffix
    if ending.lower() not in formats:
        raise RequestError(unsupported(output, list(formats), also))
    return formats[ending.lower()]


def unsupported(output: str, supported: list[str], also: str = "") -> str:
    """One message about a file whose ending nothing is known about."""
    ending = Path(output).suffix
    found = f"files that end in {plain(ending)} can't be written" if ending else "the file's name has no ending"
    also = f"\n    {also}" if also else ""
    return f"{plain(output)}: {found}\n    supported endings: {', '.join(sorted(supported))}{also}"


class Collected(io.StringIO):
    """Standard output on its way to a file, which can hold any character."""

    encoding = "utf-8"


@contextmanager
def written_to(output: str, context: typer.Context) -> Iterator[None]:
    """Collect what a command prints, and write the file when it is done; not if it fails with nothing printed."""
    screen, sys.stdout = sys.stdout, Collected()
    written = sys.stdout
    try:
        yield
    except typer.Exit:
        sys.stdout = screen
        if written.getvalue():
            _write(output, written.getvalue(), force=context.meta.get("force", False))
        raise
    finally:
        sys.stdout = screen
    _write(output, written.getvalue(), force=context.meta.get("force", False))


def _write(output: str, text: str, *, force: bool) -> None:
    from attnsolve.publish import write_all

    write_all([(Path(output), [text])], force=force)
    say(f"wrote {plain(output)}")
