"""The command line, run in this process by typer's runner."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner, Result

from attnsolve.cli import app
from attnsolve.errors import AttnsolveError

PROBLEM = "title: Mine\ninputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\n"
ANSWERS = "Q: [[1, 0], [0, 1]]\nS: [[1, 0], [0, 2]]\n"


def invoked(*arguments: str, stdin: str | None = None, **environment: str | None) -> Result:
    """Run a command line."""
    env = {"NO_COLOR": None, "FORCE_COLOR": None, **environment}
    return CliRunner().invoke(app, arguments, input=stdin, env=env, prog_name="attnsolve")


def refused(*arguments: str, stdin: str | None = None) -> str:
    """The message with which a command line is refused."""
    result = invoked(*arguments, stdin=stdin)
    if isinstance(result.exception, AttnsolveError):
        return str(result.exception)
    assert result.exit_code == 2
    return result.stderr


def written(folder: Path, name: str, text: str) -> str:
    """A file with some text; returns its name."""
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return name
