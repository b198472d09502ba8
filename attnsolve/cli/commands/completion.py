"""attnsolve completion: what Tab offers in bash, zsh and fish."""

from __future__ import annotations

from typing import Annotated

import typer

from attnsolve.cli.streams import say
from attnsolve.errors import FileProblem, RequestError, nearest, plain


def completion(
    shell: Annotated[str | None, typer.Argument(metavar="[SHELL]", help="bash, zsh or fish. Default: yours.")] = None,
    to_install: Annotated[bool, typer.Option("--install", help="Install it, instead of printing the script.")] = False,
) -> None:
    """Have Tab complete commands, options and names.

    attnsolve completion --install sets it up for your shell: commands, options, bundled problems and files, and the
    quantities, tokens and parts of a problem.
    """
    from attnsolve.cli.shells import current_shell, install, shells

    name, known = shell or current_shell(), shells()
    if name not in known:
        raise RequestError(f"there is no completion for the shell {plain(name)!r}; {nearest(name, known)}")
    if not to_install:
        print(known[name].script, end="")
        return
    try:
        for path in install(known[name]):
            done = "added a line to" if path == known[name].startup else "wrote"
            say(f"{done} {plain(str(path))}")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileProblem(f"the completion can't be installed: {why}") from None
    say(f"    it works in every {name} that is started from now on")
