"""Problems one after the other: what is wrong with one is reported, and the next is gone on with."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

import typer

from attnsolve.cli.progress import progressing
from attnsolve.cli.streams import say
from attnsolve.errors import AttnsolveError, ProblemError, TooCostly
from attnsolve.guard import Watch
from attnsolve.loading.sources import named

if TYPE_CHECKING:
    from attnsolve.spec.problem import Problem


class Batch:
    """Work on some problems, each under the watch of its file, or all under one. Entered around the work on one of
    them, it reports what goes wrong there; `finish` ends the command with exit code 2 if anything did."""

    def __init__(self, watch: Watch | None = None) -> None:
        self.failed = False
        self._shared = watch
        self._watch = watch or Watch("")
        self._gave_up = False

    def problems(self, names: Sequence[str], chosen: str | None = None) -> Iterator[Problem]:
        """Every problem of some files that can be read (or the chosen one of each), in order; what can't be is
        reported in its place."""
        from attnsolve.loading.files import load_chosen

        several = len(names) > 1
        for name in progressing(names, len(names), "solving") if several else names:
            self._watch, self._gave_up = self._shared or Watch(named(name)), False
            found: dict[int, Problem | ProblemError] = {}
            with self:
                _, found = load_chosen(name, chosen)
            read = found.values()
            for problem in read if several else progressing(read, len(read), "solving"):
                if isinstance(problem, ProblemError):
                    self._fail(problem)
                elif self._has_time():
                    yield problem

    def _has_time(self) -> bool:
        """Whether the file has any of its time left; that it has none is reported once."""
        if not self._gave_up:
            try:
                with self._watch:
                    return True
            except TooCostly as error:
                self._fail(error)
                self._gave_up = True
        return False

    def __enter__(self) -> None:
        self._watch.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        try:
            self._watch.__exit__(kind, error, trace)
        except (AttnsolveError, TooCostly) as refused:  # arithmetic that gave up, or a bound that was met just now
            error = refused
        if error is None or not isinstance(error, Exception | TooCostly) or isinstance(error, OSError):
            return False  # nothing is wrong; somebody wants it to end; nobody reads what is printed
        self._fail(error)
        self._gave_up = isinstance(error, TooCostly)  # the time of the file is spent
        return True

    def _fail(self, error: BaseException) -> None:
        self.failed = True
        report_error(error)

    def finish(self) -> None:
        """End the command if anything went wrong."""
        if self.failed:
            raise typer.Exit(2)


def report_error(error: BaseException) -> None:
    """Say what went wrong, in one message."""
    if isinstance(error, AttnsolveError | TooCostly):
        say(error)
    elif isinstance(error, MemoryError):
        say("there is not enough memory for this")
    elif "ATTNSOLVE_DEBUG" in os.environ:
        raise error
    else:
        say(f"attnsolve has a bug: {type(error).__name__}: {error}")
        say("    please report it with the problem file; ATTNSOLVE_DEBUG=1 shows where it is")
