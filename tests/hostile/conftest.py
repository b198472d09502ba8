"""Systems that have less than Linux has."""

from __future__ import annotations

import builtins
import errno
import signal
import sys
import time
from typing import Any

import pytest


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that has no timers to set and does not say how much memory is in use, as Windows."""
    for name in ("setitimer", "getitimer", "ITIMER_PROF", "SIGPROF", "SIGALRM", "SIGXCPU", "pthread_sigmask"):
        monkeypatch.delattr(signal, name)
    monkeypatch.delattr(time, "pthread_getcpuclockid")
    monkeypatch.setitem(sys.modules, "resource", None)
    usual = open

    def without_proc(file: Any, *arguments: Any, **settings: Any) -> Any:
        if str(file).startswith("/proc"):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        return usual(file, *arguments, **settings)

    monkeypatch.setattr(builtins, "open", without_proc)
