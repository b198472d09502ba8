"""The command line: parse, call the library, print. Heavy imports wait until a command needs them."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from attnsolve import __version__
from attnsolve.cli.options import spelled_out
from attnsolve.cli.pager import paged
from attnsolve.cli.shared import ASKED, shared_options
from attnsolve.cli.streams import listened_to, prepare_streams
from attnsolve.errors import TooCostly, nearest, plain
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
    "read": "read",
    "guide": "guide",
    "bounds": "list_bounds",
    "completion": "completion",
}
"""Each command with the function, in the module of its name in `commands`, that does it."""


class _Commands(TyperGroup):
    """The commands, each loaded when it is asked for, and whatever they print being printed while somebody listens."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        alone.command(cmd_name)(_function(cmd_name))
        command = typer.main.get_command(alone)
        command.params += shared_options(cmd_name)
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """What each command does, whole; none of them is made for that."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(name)) for name in COMMANDS])

    def get_params(self, ctx: Any) -> list[Any]:
        return [*super().get_params(ctx)[:-1], *shared_options(""), *super().get_params(ctx)[-1:]]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """A problem without a command, among options or not, is to be solved; help is what --help shows."""
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        own = {name for option in self.get_params(ctx) for name in option.opts}
        words = [word for word in args if not word.startswith("--") or word in own]
        if args and args[0].startswith("-") and args[0] != "-" and args[0].split("=")[0] not in own:
            args = ["solve", *args] if any(map(_is_problem, words)) else args
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in COMMANDS and _is_problem(name):
            args = ["solve", *args]
        elif name not in COMMANDS and not ctx.resilient_parsing:
            hint = nearest(name, COMMANDS)
            ctx.fail(f"there is no command {plain(name)!r}, and no problem of that name\n    {hint}")
        return super().resolve_command(ctx, args)

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        with listened_to():
            return super().make_context(*arguments, **settings)

    def invoke(self, ctx: Any) -> Any:
        with listened_to(), paged():
            return super().invoke(ctx)


def _function(command: str) -> Callable[..., None]:
    function: Callable[..., None] = getattr(import_module(f"attnsolve.cli.commands.{command}"), COMMANDS[command])
    return function


def _summary(command: str) -> str:
    """The first paragraph of its help."""
    return " ".join((_function(command).__doc__ or "").split("\n\n")[0].split())


def _is_problem(name: str) -> bool:
    """Whether a word on the command line is a problem file, rather than a command."""
    from attnsolve.loading.sources import ENDINGS, STDIN, find_source

    return name == STDIN or name.endswith(ENDINGS) or (bool(name) and find_source(name).path.is_file())


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "token_normalize_func": spelled_out},
    help="Solve attention problems and show the work: attnsolve hw.yaml",
    epilog="attnsolve guide is the reference: the problem format, claims, marking, Python and more.",
)


@app.callback(invoke_without_command=True)
def attnsolve(
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version and exit.")] = False,
) -> None:
    """Solve attention problems and show the work: attnsolve hw.yaml"""
    if version:
        typer.echo(f"attnsolve {__version__}")
        raise typer.Exit


def program() -> TyperGroup:
    """All the commands, as one."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group


def _answer_shell(words: list[str]) -> None:
    from attnsolve.cli.completion import print_candidates

    with suppress(typer.Exit), listened_to():
        print_candidates(words, program())


def main() -> None:
    """Run the program: errors become one message on stderr and an exit code, never a traceback."""
    gc.set_threshold(200_000, 20, 20)  # imports make much and drop little: collecting would cost a seventh of the run
    sys.set_int_max_str_digits(0)  # exact numbers may be longer; what it costs is bounded elsewhere
    prepare_streams()
    stop_cleanly()
    try:
        if sys.argv[1:2] == [ASKED]:
            _answer_shell(sys.argv[2:])
        else:
            app()
    except (Exception, TooCostly) as error:
        from attnsolve.cli.each_problem import report_error

        report_error(error)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
