"""Whether there are colours in what is printed: --color, else NO_COLOR and FORCE_COLOR, else whether stdout is a
terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

PIPED_WIDTH = 80


class Color(StrEnum):
    """When there are colours."""

    auto = "auto"
    always = "always"
    never = "never"


_wanted: ContextVar[Color] = ContextVar("wanted", default=Color.auto)


@contextmanager
def colours(wanted: Color) -> Iterator[None]:
    """Colours as somebody asks for them, for a while."""
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)


def wanted_colours() -> Color:
    """What is asked for: by --color, else by NO_COLOR and then FORCE_COLOR, which count unless they are empty."""
    if _wanted.get() is not Color.auto:
        return _wanted.get()
    if os.environ.get("NO_COLOR"):
        return Color.never
    return Color.always if os.environ.get("FORCE_COLOR") else Color.auto


def is_styled() -> bool:
    """Whether stdout gets what is laid out for a terminal, in colours or not."""
    return sys.stdout.isatty() or wanted_colours() is Color.always


def console(width: int | None) -> Console:
    """The terminal, or what stands for it."""
    from rich.console import Console

    wanted = wanted_colours()
    if wanted is Color.never:
        return Console(width=width, color_system=None)
    if wanted is not Color.always:
        return Console(width=width)
    few = os.environ.get("TERM", "dumb") in ("dumb", "unknown")  # rich would leave colours out
    shown_width = width if width is not None or sys.stdout.isatty() else PIPED_WIDTH
    return Console(width=shown_width, force_terminal=True, color_system="256" if few else "auto")
