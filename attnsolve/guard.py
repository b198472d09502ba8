"""A watch over time and memory, for whatever the bounds on sizes and work don't foresee.

Every quarter second the time spent on the file at hand and the memory in use are held against the bounds, and work that
went beyond them is given up with an error, again and again should some library swallow it. The command line has the
system's timer do that, which counts processor time. Where there is none (on Windows, in another thread, or in a program
of somebody else's, whose signals are its own) a second thread looks, and raises the error in the first.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from attnsolve.bounds import allowed, raises
from attnsolve.errors import CostError, TooCostly, count, plain
from attnsolve.unsolvable import refuse

TICK = 0.25
"""Seconds between two looks."""
_here = threading.local()
"""The watch that is kept in each thread, as `watch`."""


class Watch:
    """The time that one file may take, or some files together. It may be entered again, and then goes on from where
    it stopped. Only the memory that is added counts. In a program of somebody else's (`embedded`) no signal is
    touched."""

    def __init__(self, file: str, files: int = 1, *, embedded: bool = False) -> None:
        self.file = file
        self.files = files
        self.spent = 0.0
        self.bounds = allowed()
        self._since = 0.0
        self._clock: Callable[[], float] = time.process_time
        self._memory_before = 0
        self._embedded = embedded
        self._stop: Callable[[], None] = _nothing

    def __enter__(self) -> Watch:
        self._clock = _own_clock(self._embedded)
        self._since = self._clock()
        self._memory_before = resident_megabytes()
        self.bounds = allowed()
        self.look()  # many short stretches may all end before the first tick
        _here.watch = self
        self._stop = _by_timer() if _has_timers() and not self._embedded else _by_thread(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._stop()
        except TooCostly:  # it was raised just now
            self._stop()
            raise
        finally:
            _here.watch = None
            self.spent += self._clock() - self._since
        if error is not None:
            refuse(error, self.file)

    def look(self) -> None:
        """Give up if the file has taken too much."""
        seconds = self.files * self.bounds.seconds
        if self.spent + self._clock() - self._since > seconds:
            message = f"gave up after {count(seconds, 'second')}"
            raise TooCostly(f"{plain(self.file)}: {message}\n    {raises('seconds', 10 * self.bounds.seconds)}")
        if (used := resident_megabytes() - self._memory_before) > self.bounds.megabytes:
            message = f"gave up at {used:,} megabytes of memory, but only {self.bounds.megabytes:,} are allowed"
            raise TooCostly(f"{plain(self.file)}: {message}\n    {raises('megabytes', 4 * self.bounds.megabytes)}")


@contextmanager
def bounded(file: str) -> Iterator[None]:
    """Hold what a Python program calls to the bounds on time and memory, unless a watch is kept already."""
    if getattr(_here, "watch", None) is not None:
        yield
        return
    try:
        with Watch(file, embedded=True):
            yield
    except TooCostly as error:
        raise CostError(str(error)) from None


def _nothing() -> None:
    """There is nothing to stop."""


# ── by the system's timer ───────────────────────────────────────────────────────────────────────


def _has_timers() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def _by_timer() -> Callable[[], None]:
    signal.signal(signal.SIGPROF, _tick)  # and stays so: a late tick must not end the process
    signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
    return _stop_timer


def _stop_timer() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0)


def _tick(number: int, frame: FrameType | None) -> None:
    if (watch := getattr(_here, "watch", None)) is not None:
        watch.look()


# ── by another thread ───────────────────────────────────────────────────────────────────────────


def _by_thread(watch: Watch) -> Callable[[], None]:
    """Start a thread that looks in place of the one that works; returns what ends it."""
    working, over, sending = threading.get_ident(), threading.Event(), threading.Lock()

    def keep_looking() -> None:
        while not over.wait(TICK):
            try:
                watch.look()
            except TooCostly as error:
                with sending:
                    if not over.is_set():
                        _raise_in(working, str(error))

    def stop() -> None:
        over.set()
        with sending:
            _raise_in(working, None)

    threading.Thread(target=keep_looking, name="attnsolve watch", daemon=True).start()
    return stop


def _raise_in(thread: int, message: str | None) -> None:
    """Have another thread raise TooCostly when it next runs Python; None takes back what it hasn't raised yet."""
    import ctypes

    def with_message(error: TooCostly) -> None:
        BaseException.__init__(error, message)

    kind = None if message is None else type("TooCostly", (TooCostly,), {"__init__": with_message})
    wanted = ctypes.py_object() if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), wanted)


def _own_clock(embedded: bool) -> Callable[[], float]:
    """Processor time: of the process where all of it is ours, else of this thread alone if that can be told."""
    ours = not embedded and threading.current_thread() is threading.main_thread()
    if ours or not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    clock = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(clock)


# ── memory ──────────────────────────────────────────────────────────────────────────────────────


def resident_megabytes() -> int:
    """Memory in use; 0 where the system doesn't tell."""
    try:
        with open("/proc/self/statm", "rb") as stream:
            pages = int(stream.read().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000


# ── signals ─────────────────────────────────────────────────────────────────────────────────────


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
