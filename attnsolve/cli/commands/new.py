"""attnsolve new: a problem file to start from."""

from __future__ import annotations

from typing import Annotated

import typer

from attnsolve.cli.streams import say
from attnsolve.errors import RequestError, nearest, plain


def new(
    path: Annotated[str, typer.Argument(metavar="NAME.yaml", help="The file to write.")],
    kind: Annotated[str, typer.Option(help="The kind of problem.")] = "attention",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented problem file to start from."""
    from pathlib import Path

    from attnsolve.publish import write_all
    from attnsolve.spec.starters import STARTERS

    if kind not in STARTERS:
        raise RequestError(f"--kind {plain(kind)}: there is no such kind; {nearest(kind, STARTERS)}")
    write_all([(Path(path), [STARTERS[kind]])], force=force)
    say(f"wrote {plain(path)}\n    now: attnsolve solve {plain(path)}")
