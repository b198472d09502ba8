"""How far something with many parts has got, on a terminal, once it has taken a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from attnsolve.cli.pager import is_held
from attnsolve.cli.status_line import show, wipe

Row = TypeVar("Row")
DELAY = 1.0
"""Seconds before anything is shown."""


def progressing(rows: Iterable[Row], total: int, what: str) -> Iterator[Row]:
    """The same rows; on stderr, if that is a terminal on which nothing else appears meanwhile, how many there were."""
    since = time.monotonic()
    for done, row in enumerate(rows, start=1):
        wipe()
        yield row
        if done < total and time.monotonic() - since > DELAY and _is_watched():
            show(f"{what}: {done} of {total} done")
    wipe()


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say on stderr, if that is a terminal, what goes on once it has taken a second; nothing is printed meanwhile."""
    if not sys.stderr.isatty():
        yield
        return
    timer = threading.Timer(DELAY, show, (f"{what} …",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        wipe()


def _is_watched() -> bool:
    return sys.stderr.isatty() and (is_held() or not sys.stdout.isatty())
