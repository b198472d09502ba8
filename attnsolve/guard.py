"""A watchman over time and memory, for whatever the bounds on sizes and work don't foresee.

A timer ticks with every quarter second of processor time; at each tick the time spent on the file at hand and the
memory in use are held against the bounds, and work that went beyond them is given up with an error. The timer ticks
on, so that an error which some library swallows is raised again. Where there are no such timers (on Windows, or
outside the main thread) nothing is watched.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from attnsolve.errors import TooCostly, plain
from attnsolve.refusal import refuse
from attnsolve.spec.bounds import allowed, raises

TICK = 0.25
"""Seconds of processor time between two looks."""


class Watch:
    """The time that one file may take, or some files together. It may be entered again, and then goes on from where
    it stopped."""

    _watching: Watch | None = None

    def __init__(self, file: str, files: int = 1) -> None:
        self.file = file
        self.files = files
        self.spent = 0.0
        self._since = 0.0

    def __enter__(self) -> Watch:
        self._since = time.process_time()
        if _has_timers():
            self.look()  # many short stretches may all end before the first tick
            Watch._watching = self
            signal.signal(signal.SIGPROF, _tick)  # and stays so: a late tick must not end the process
            signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if _has_timers():
            signal.setitimer(signal.ITIMER_PROF, 0)
            Watch._watching = None
        self.spent += time.process_time() - self._since
        if error is not None:
            refuse(error, self.file)

    def look(self) -> None:
        """Give up if the file has taken too much."""
        bounds = allowed()
        seconds = self.files * bounds.seconds
        if self.spent + time.process_time() - self._since > seconds:
            said = f"gave up after {seconds} seconds"
            raise TooCostly(f"{plain(self.file)}: {said}\n    {raises('seconds', 10 * bounds.seconds)}")
        if (used := resident_megabytes()) > bounds.megabytes:
            said = f"gave up at {used:,} megabytes of memory, where {bounds.megabytes:,} are allowed"
            raise TooCostly(f"{plain(self.file)}: {said}\n    {raises('megabytes', 4 * bounds.megabytes)}")


def _tick(number: int, frame: FrameType | None) -> None:
    if Watch._watching is not None:
        Watch._watching.look()


def _has_timers() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def resident_megabytes() -> int:
    """Memory in use; 0 where the system doesn't tell."""
    try:
        with open("/proc/self/statm", "rb") as stream:
            pages = int(stream.read().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000


STOPS = (signal.SIGINT, signal.SIGTERM)
"""What ends a program that somebody no longer wants."""


def stop_cleanly() -> None:
    """Let a program that is asked to end tidy up first."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


@contextmanager
def uninterrupted(*stops: signal.Signals) -> Iterator[None]:
    """Hold an interrupt back (or other signals) until what must not be left half-done is done; processes started
    meanwhile never get one."""
    stops = stops or (signal.SIGINT,)
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []  # by way of another thread, which no mask of this one keeps from taking it
    handlers = {stop: signal.signal(stop, lambda number, frame: came.append(number)) for stop in stops}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for stop, handler in handlers.items():
            signal.signal(stop, handler)
        for number in came:
            signal.raise_signal(number)
