"""What may be asked for on the command line: the words and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from attnsolve.bounds import changed
from attnsolve.bounds import digits as checked_digits
from attnsolve.bounds import read as read_bounds
from attnsolve.cli.streams import invite, say


class Detail(StrEnum):
    """How much of the work is shown."""

    brief = "brief"
    normal = "normal"
    full = "full"


class Format(StrEnum):
    """What is printed."""

    terminal = "terminal"
    text = "text"
    markdown = "markdown"
    json = "json"


SHORT_NAMES = {"md": "markdown", "txt": "text"}
"""Other names of formats."""


def spelled_out(word: str) -> str:
    """A format under its own name."""
    return SHORT_NAMES.get(word, word)


class Math(StrEnum):
    """How mathematics is written in Markdown."""

    github = "github"
    dollar = "dollar"
    latex = "latex"
    none = "none"


Width = Annotated[
    int | None, typer.Option(min=40, max=1000, help="Width in columns. Default: that of the terminal, or 80.")
]


def _within_bounds(digits: int | None) -> int | None:
    return None if digits is None else checked_digits(digits, f"--digits {digits}")


def _put_in_force(context: typer.Context, settings: list[str] | None) -> None:
    context.with_resource(changed(**read_bounds(settings or ())))


Digits = Annotated[
    int | None,
    typer.Option(callback=_within_bounds, help="Significant digits of rounded numbers. Default: 4."),
]
Bound = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=N", callback=_put_in_force, is_eager=True, help="Change a bound (attnsolve bounds lists them)."
    ),
]
Which = Annotated[
    str | None,
    typer.Option("--problem", metavar="N|TITLE", help="Which problem, in a file with several: its number or title."),
]
Shown = Annotated[Format, typer.Option("--format", help="The output format; md is markdown.")]


def found(name: str) -> str:
    """The file that a name means; that it isn't the bundled problem of that name is said."""
    from attnsolve.loading.sources import STDIN, find_source

    if name == STDIN:
        invite("Type or paste the problem; Ctrl-D on its own line ends.")
    if name in ("", STDIN):
        return name
    source = find_source(name)
    if source.note:
        say(source.note)
    return source.name


def _found(context: typer.Context, name: str) -> str:
    return name if context.resilient_parsing or not name else found(name)


def _all_found(context: typer.Context, names: list[str]) -> list[str]:
    return [_found(context, name) for name in names or ()]


Names = Annotated[
    list[str],
    typer.Argument(
        metavar="PROBLEM...", callback=_all_found, help="Problem files, names of bundled problems, or - for stdin."
    ),
]
Name = Annotated[
    str,
    typer.Argument(
        metavar="PROBLEM", callback=_found, help="A problem file, the name of a bundled one, or - for stdin."
    ),
]
How = Annotated[Detail, typer.Option(help="How much of the work to show.")]
Only = Annotated[list[str] | None, typer.Option(help="Show only this quantity (queries, scores, A ...).")]
For = Annotated[list[str] | None, typer.Option("--for", help="Write out the work for this token only.")]
MathOption = Annotated[Math, typer.Option(help="How Markdown writes mathematics.")]
