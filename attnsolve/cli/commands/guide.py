"""attnsolve guide: the reference."""

from __future__ import annotations

from typing import Annotated

import typer

from attnsolve.cli.colours import PIPED_WIDTH, console, is_styled
from attnsolve.cli.options import Width
from attnsolve.cli.streams import markdown, printable


def guide(
    page: Annotated[str | None, typer.Argument(metavar="[PAGE]", help="Which page; without it, the list.")] = None,
    width: Width = None,
) -> None:
    """Read the guide: the reference, one page per subject."""
    from attnsolve import guide as reference

    if page is None:
        print(printable(reference.listing(width or PIPED_WIDTH)))
        return
    text = reference.page(page)
    if not is_styled():
        print(markdown(text), end="")
        return
    from attnsolve.guide.terminal import print_page

    print_page(text, console(width))
