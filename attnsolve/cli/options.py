"""What may be asked for on the command line: the words and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from attnsolve.bounds import changed
from attnsolve.bounds import digits as checked_digits
from attnsolve.bounds import read as read_bounds


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


class Math(StrEnum):
    """How mathematics is written in Markdown."""

    github = "github"
    dollar = "dollar"
    latex = "latex"
    none = "none"


class Report(StrEnum):
    """What a check prints."""

    terminal = "terminal"
    text = "text"
    markdown = "markdown"
    json = "json"
    csv = "csv"


class Described(StrEnum):
    """What a schema is of."""

    problem = "problem"
    solution = "solution"
    check = "check"
    lint = "lint"


class Solutions(StrEnum):
    """What a worksheet holds."""

    inline = "inline"
    none = "none"
    separate = "separate"


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
Shown = Annotated[Format, typer.Option("--format", help="The output format.")]


Names = Annotated[list[str], typer.Argument(metavar="PROBLEM...", help="Problem files, or names of bundled problems.")]
How = Annotated[Detail, typer.Option(help="How much of the work to show.")]
Only = Annotated[list[str] | None, typer.Option(help="Show only this quantity (queries, scores, A ...).")]
For = Annotated[list[str] | None, typer.Option("--for", help="Write out the work for this token only.")]
MathOption = Annotated[Math, typer.Option(help="How Markdown writes mathematics.")]
