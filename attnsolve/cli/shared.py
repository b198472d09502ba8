"""The options that every command has: how output is shown, and where it goes."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer

from attnsolve.cli.colours import Color, colours
from attnsolve.cli.output import FORMATS, format_of, written_to
from attnsolve.cli.pager import unpaged

ASKED = "__complete"
"""The first word of the command line with which a shell asks what may come next."""
PRINTING = {
    "solve": "problem",
    "explain": "problem",
    "check": "report",
    "lint": "problem",
    "list": "text",
    "schema": "schema",
    "guide": "page",
    "read": "yaml",
    "bounds": "text",
}
"""The commands whose output may go to a file, and what it is."""
ENDINGS = {
    "problem": (".md", ".txt", ".json"),
    "report": (".md", ".txt", ".json", ".csv"),
    "text": (".txt",),
    "schema": (".json",),
    "page": (".md",),
    "yaml": (".yaml", ".yml"),
}
"""The files that they write."""


def _in_colours(context: typer.Context, wanted: Color) -> None:
    if wanted is not Color.auto:  # else it may have been said before the command
        context.with_resource(colours(wanted))


def _without_pager(context: typer.Context, no_pager: bool) -> None:
    if no_pager:
        context.with_resource(unpaged())


def _to_file(context: typer.Context, output: str | None) -> None:
    """Have the output written to a file, in the format of its ending unless --format says another."""
    if output is None or output == "-" or context.resilient_parsing:
        return
    endings = ENDINGS[PRINTING[str(context.info_name)]]
    shown = format_of(output, {ending: FORMATS[ending] for ending in endings}, _elsewhere(context, output))
    context.default_map = {**(context.default_map or {}), "shown": shown}
    context.with_resource(written_to(output, context))


def _elsewhere(context: typer.Context, output: str) -> str:
    """Which command writes files of an ending that this one doesn't."""
    if context.info_name != "solve":
        return ""
    from pathlib import Path

    from attnsolve.export.formats import endings

    return f"attnsolve export PROBLEM -o {output} writes it" if Path(output).suffix in endings() else ""


def _by_force(context: typer.Context, force: bool) -> None:
    context.meta["force"] = force


def _shown(
    color: Annotated[
        Color, typer.Option(callback=_in_colours, expose_value=False, help="When to use colours.")
    ] = Color.auto,
    no_pager: Annotated[
        bool,
        typer.Option("--no-pager", callback=_without_pager, expose_value=False, help="Don't page long output."),
    ] = False,
) -> None:
    """How output is shown."""


def _saved(
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            is_eager=True,
            callback=_to_file,
            expose_value=False,
            help="Write to a file; its ending chooses the format.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", callback=_by_force, expose_value=False, help="Overwrite an existing file.")
    ] = False,
) -> None:
    """Where output goes."""


@cache
def _options_of(function: Any) -> tuple[Any, ...]:
    alone = typer.Typer(add_completion=False)
    alone.command()(function)
    return tuple(typer.main.get_command(alone).params)


def shared_options(command: str) -> list[Any]:
    """The options that a command has besides its own ("" for the program itself)."""
    shown = _options_of(_shown)
    return [*_options_of(_saved), *shown] if command in PRINTING else [*shown]
