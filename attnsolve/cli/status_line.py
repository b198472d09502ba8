"""The last line of a terminal, which says how far something has got and goes away again."""

from __future__ import annotations

import sys

_shown = False


def show(text: str) -> None:
    """Show a line on stderr, in place of the one before."""
    global _shown
    wipe()
    print(text, end="", file=sys.stderr, flush=True)
    _shown = True


def wipe() -> None:
    """Take the line away, before anything else is shown."""
    global _shown
    if _shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        _shown = False
