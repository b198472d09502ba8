"""What the tests share: a problem from text, golden files that `pytest --golden` writes anew, and that no test depends
on how fast the machine is or on what started it."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from shared.worksheets import arguments_once

from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.solution.exact import Solution

settings.register_profile(
    "ordinary",
    derandomize="ATTNSOLVE_EXAMPLES" not in os.environ,
    deadline=None,
    report_multiple_bugs=False,
    phases=[phase for phase in Phase if phase is not Phase.shrink or "ATTNSOLVE_EXAMPLES" in os.environ],
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ordinary")
"""An ordinary run tries the same examples every time; what is new is found by the long ones, which draw others. No
clock is looked at: the machine may be busy with anything. Only the long ones look for a smaller example of a failure,
which may take many minutes."""


def pytest_configure(config: pytest.Config) -> None:
    """Let interrupts through as a shell does for what runs in front: whatever is started in the background, or by a
    runner that ignores or blocks them, would hand that down to every process of the tests.

    What has been imported and collected is hardly ever garbage: looking through all of it took a tenth of the run."""
    gc.set_threshold(20_000, 10, 100)
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT, signal.SIGTERM, signal.SIGPROF])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the golden files anew, for a look at the diff")


@pytest.fixture(scope="session", autouse=True)
def each_argument_is_verified_once() -> Iterator[None]:
    with arguments_once():
        yield


@pytest.fixture(scope="session", autouse=True)
def nobody_s_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever a command installs for its user, it installs for nobody."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patched.setenv("SHELL", "/bin/bash")
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR"):
            patched.delenv(name, raising=False)
        yield


@pytest.fixture
def solved() -> Callable[[str], Solution]:
    """Solve the one problem of a YAML text."""

    def from_text(text: str) -> Solution:
        (problem,) = parse(text, "problem.yaml")
        return solve(problem)

    return from_text


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare text with a golden file: layout only, never the source of a number."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / name
        if request.config.getoption("--golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
