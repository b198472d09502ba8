"""The command line: parse, call the library, print. Heavy imports wait until a command needs them."""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from attnsolve import __version__
from attnsolve.cli.each_problem import report_error
from attnsolve.cli.streams import listened_to, prepare_streams
from attnsolve.errors import TooCostly
from attnsolve.guard import stop_cleanly

COMMANDS = {
    "solve": "solve",
    "explain": "explain",
    "check": "check",
    "lint": "lint",
    "export": "export",
    "list": "list_problems",
    "schema": "schema",
    "new": "new",
    "guide": "guide",
    "bounds": "list_bounds",
}
"""Each command with the function, in the module of its name in `commands`, that does it."""


class _Commands(TyperGroup):
    """The commands, each loaded when it is asked for, and whatever they print being printed while somebody listens."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"attnsolve.cli.commands.{cmd_name}")
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        alone.command(cmd_name)(getattr(module, COMMANDS[cmd_name]))
        return typer.main.get_command(alone)

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        with listened_to():
            return super().make_context(*arguments, **settings)

    def invoke(self, ctx: Any) -> Any:
        with listened_to():
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Solve attention problems and show the work.",
    epilog="attnsolve guide is the reference: the problem format, claims, marking, Python and more.",
)


@app.callback(invoke_without_command=True)
def attnsolve(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Solve attention problems and show the work."""
    if version:
        typer.echo(f"attnsolve {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the program: errors become one message on stderr and an exit code, never a traceback."""
    gc.set_threshold(200_000, 20, 20)  # imports make much and drop little: collecting would cost a seventh of the run
    sys.set_int_max_str_digits(0)  # exact numbers may be longer; what it costs is bounded elsewhere
    prepare_streams()
    stop_cleanly()
    try:
        app()
    except (Exception, TooCostly) as error:
        report_error(error)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
