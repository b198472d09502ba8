"""The reference, one Markdown page per subject: linked from the README, and shown by `attnsolve guide`.

Each page opens with a title and one sentence on what it is for; that sentence stands in the list of pages.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

from attnsolve.errors import RequestError, nearest, plain

FOLDER = Path(__file__).resolve().parent
PAGES = (
    "problems", "numbers", "parts", "formulas", "gradients", "seq2seq", "claims",
    "random-keys", "marking", "formats", "python", "bounds", "speed", "contributing",
)  # fmt: skip
"""Every page, in reading order."""


def page(name: str) -> str:
    """The Markdown of a page."""
    wanted = name.casefold().removesuffix(".md")
    if wanted not in PAGES:
        raise RequestError(f"guide {plain(name)}: there is no such page; {nearest(wanted, PAGES)}")
    return (FOLDER / f"{wanted}.md").read_text(encoding="utf-8")


def summary(name: str) -> str:
    """The sentence that a page opens with."""
    return page(name).split("\n\n")[1].replace("\n", " ").replace("`", "")


def listing(width: int) -> str:
    """The pages with their sentences, and how to read one."""
    column = max(map(len, PAGES)) + 2
    rows = (textwrap.fill(f"{name:<{column}}{summary(name)}", width, subsequent_indent=" " * column) for name in PAGES)
    return "\n".join([*rows, "", "attnsolve guide PAGE shows one of them."])
