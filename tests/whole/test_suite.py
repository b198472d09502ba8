"""The tests themselves: they pass however busy the machine is, and whatever started them."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[2]


def test_no_example_is_timed() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check


def test_interrupts_are_tested_where_whatever_started_the_tests_ignores_them(tmp_path: Path) -> None:
    """As `nohup`, `&` in a script and many runners do: all processes they start inherit it."""
    ignoring = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'pytest', '-n0', '-p', 'no:cacheprovider', *sys.argv[1:]])\n"
    )
    wanted = "test_an_interrupt_between_two_files_waits_for_both or test_real_interrupts_end_quietly"
    done = subprocess.run(
        [sys.executable, "-c", ignoring, str(ROOT / "tests/hostile"), "-k", wanted, f"--rootdir={ROOT}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
