"""The command line: parse, call the library, print. Heavy imports wait until a command needs them."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from attnsolve import __version__
from attnsolve.errors import AttnsolveError

if TYPE_CHECKING:
    from attnsolve.document import Document
    from attnsolve.solution import Solution

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Solve attention problems and show the work.",
)

PIPED_WIDTH = 80


class Detail(StrEnum):
    """How much of the work is shown."""

    brief = "brief"
    normal = "normal"
    full = "full"


class Format(StrEnum):
    """What is printed."""

    terminal = "terminal"
    text = "text"
    json = "json"


Width = Annotated[int | None, typer.Option(min=40, max=1000, help="Columns to fill. Default: the terminal's, or 80.")]
Digits = Annotated[int | None, typer.Option(min=1, max=200, help="Significant digits of rounded numbers. Default: 4.")]
Shown = Annotated[Format, typer.Option("--format", help="What to print.")]


@app.callback(invoke_without_command=True)
def attnsolve(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Solve attention problems and show the work."""
    if version:
        typer.echo(f"attnsolve {__version__}")
        raise typer.Exit


@app.command()
def solve(
    problems: Annotated[
        list[str], typer.Argument(metavar="PROBLEM...", help="Problem files, or names of bundled ones.")
    ],
    detail: Annotated[Detail, typer.Option(help="How much of the work to show.")] = Detail.normal,
    only: Annotated[list[str] | None, typer.Option(help="Show only this quantity (queries, scores, A ...).")] = None,
    token: Annotated[list[str] | None, typer.Option("--for", help="Write out the work for this token.")] = None,
    digits: Digits = None,
    shown: Shown = Format.terminal,
    width: Width = None,
) -> None:
    """Work problems out, every step of the way."""
    from attnsolve.narrate.steps import Telling, narrate
    from attnsolve.solution import solve as work_out
    from attnsolve.spec.load import load_all

    telling = Telling(detail.value, tuple(only or ()), tuple(token or ()), digits)
    loaded = [problem for name in problems for problem in load_all(name)]
    for problem in loaded:
        solution = work_out(problem)
        _print(solution, narrate(solution, telling), shown, digits, width, whole=not only)


@app.command()
def explain(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="A problem file, or the name of a bundled one.")],
    cell: Annotated[str, typer.Argument(metavar="CELL", help="One cell, such as 'scores[3,1]'.")],
    digits: Digits = None,
    shown: Shown = Format.terminal,
    width: Width = None,
) -> None:
    """Trace one cell back to the given numbers."""
    from attnsolve.narrate.explain import explain as trace
    from attnsolve.solution import solve as work_out
    from attnsolve.spec.load import load_one

    solution = work_out(load_one(problem))
    _print(solution, trace(solution, cell, digits), shown, digits, width, whole=False)


def _print(
    solution: Solution, document: Document, shown: Format, digits: int | None, width: int | None, *, whole: bool
) -> None:
    """Print in the wanted format. A reader who has seen enough (`| head -1`) is no fault."""
    try:
        if shown is Format.json:
            from attnsolve.render.json import render as render_json

            print(render_json(solution, document, digits, whole=whole))
        else:
            _print_text(document, shown, width)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from None


def _print_text(document: Document, shown: Format, width: int | None) -> None:
    unicode = _speaks_unicode()
    if shown is Format.terminal and sys.stdout.isatty():
        from rich.console import Console

        from attnsolve.render.terminal import print_document

        console = Console(width=width)
        print_document(document, console, width or console.width, unicode)
        return
    from attnsolve.render.text import render as render_text

    print(render_text(document, width or PIPED_WIDTH, unicode))


def _speaks_unicode() -> bool:
    try:
        "⎡√≈−ᵀ₁█".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def main() -> None:
    """Run the program: errors become one message on stderr and an exit code, never a traceback."""
    try:
        app()
    except AttnsolveError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
    except Exception as error:
        if "ATTNSOLVE_DEBUG" in os.environ:
            raise
        print(f"attnsolve has a bug: {type(error).__name__}: {error}", file=sys.stderr)
        print("    please report it with the problem file; ATTNSOLVE_DEBUG=1 shows where it is", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
