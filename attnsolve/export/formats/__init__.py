"""File formats, one module each, named by the file's ending: `md` writes `.md`. A new format is a new module here, and
nothing else: help, messages, the guide and the tests go by the modules that there are.

A module has `export(worksheet, options) -> list[File]`; `HONOURS`, the options that make a difference to it; and
`WRITES`, what the guide says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from attnsolve.document import Document
from attnsolve.errors import RequestError, plain
from attnsolve.narrate.narrated import Narrated
from attnsolve.record import Record, record
from attnsolve.render.markdown import Flavour


@record
class Worksheet(Record):
    """What is exported: the solutions, and the one document that tells them."""

    solutions: tuple[Narrated, ...]
    documents: tuple[Document, ...]
    """One a solution."""
    document: Document
    """All of them together."""


@record
class Options(Record):
    """What a format may be asked for."""

    stem: str = "worksheet"
    """The output's name without its ending, for files that stand beside it."""
    math: Flavour = "github"
    digits: int | None = None
    width: int = 80


@record
class File(Record):
    """Something to be written, in pieces that are made as they are written: the name beside the output, or "" for the
    output itself."""

    pieces: Iterable[str]
    name: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces)


Export = Callable[[Worksheet, Options], list[File]]


def endings() -> list[str]:
    """The endings that can be written."""
    return [f".{module.name}" for module in iter_modules(__path__)]


def exporter(ending: str) -> Export:
    """The function that writes a format."""
    export: Export = _format(ending).export
    return export


def ignored_options(ending: str, wanted: Iterable[str]) -> list[str]:
    """Those of some options that make no difference to a format; a sheet that it can't leave blank is refused."""
    ignored = [option for option in wanted if option not in _format(ending).HONOURS]
    if "--solutions" in ignored:
        others = " or ".join(other for other in endings() if "--solutions" in _format(other).HONOURS)
        raise RequestError(f"a {ending} file contains all the answers: write the blank sheet as {others}")
    return ignored


def _format(ending: str) -> Any:
    known, ending = endings(), ending.lower()
    if ending not in known:
        found = f"files that end in {plain(ending)} can't be written" if ending else "the file's name has no ending"
        raise RequestError(f"{found}\n    supported endings: {', '.join(known)}")
    return import_module(f"{__name__}.{ending[1:]}")
