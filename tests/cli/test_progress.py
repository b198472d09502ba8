"""How far something has got appears on a terminal, after a second, and leaves nothing behind."""

from __future__ import annotations

import io
import sys
import threading
from pathlib import Path
from unittest.mock import patch

import pytest
from shared.invoked import ANSWERS, PROBLEM, invoked, written

from attnsolve.cli import progress
from attnsolve.cli.progress import progressing
from attnsolve.cli.status_line import show


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def progress_of(rows: str, err: io.StringIO, out: io.StringIO, delay: float) -> str:
    """What appears on stderr."""
    with patch.multiple(sys, stderr=err, stdout=out), patch.object(progress, "DELAY", delay):
        assert list(progressing(rows, len(rows), "checking")) == list(rows)
    return err.getvalue()


def test_what_takes_less_than_a_second_shows_nothing() -> None:
    assert progress_of("abc", Terminal(), io.StringIO(), 1.0) == ""


def test_what_takes_longer_says_how_far_it_has_got() -> None:
    shown = progress_of("abc", Terminal(), io.StringIO(), -1.0)
    assert shown == "checking: 1 of 3 done\r\x1b[Kchecking: 2 of 3 done\r\x1b[K"


@pytest.mark.parametrize(("err", "out"), [(io.StringIO(), io.StringIO()), (Terminal(), Terminal())])
def test_it_shows_only_on_a_terminal_where_nothing_else_appears(err: io.StringIO, out: io.StringIO) -> None:
    assert progress_of("ab", err, out, -1.0) == ""


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("check", "hw", "answers", "--format", "csv"), "checking: 1 of 2 done"),
        (("solve", "hw", "hw", "--detail", "brief"), "solving: 1 of 2 done"),
        (("export", "two", "-"), "solving: 1 of 2 done"),
    ],
)
def test_classes_and_many_problems_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], shown: str
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "hw.yaml", PROBLEM)
    written(tmp_path, "two.yaml", f"{PROBLEM}---\n{PROBLEM}")
    for name in ("ada", "bob"):
        written(tmp_path, f"answers/{name}.yaml", ANSWERS)
    with patch.multiple(progress, DELAY=-1.0, _is_watched=lambda: True):
        assert shown in invoked(*arguments).stderr
    assert shown not in invoked(*arguments).stderr


def test_what_one_long_problem_takes_is_waited_for_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line comes once the delay is over, and is gone before anything else is printed."""
    err, said = Terminal(), threading.Event()

    def shown(text: str) -> None:
        show(text)
        said.set()

    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "show", shown)
    with progress.waiting("solving hw.yaml"):
        assert said.wait(10)
        assert err.getvalue() == "solving hw.yaml …"
    assert err.getvalue() == "solving hw.yaml …\r\x1b[K"


@pytest.mark.parametrize("err", [Terminal(), io.StringIO()])
def test_a_problem_that_is_soon_done_says_nothing(err: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(progress, "DELAY", 1000.0)
    with progress.waiting("solving hw.yaml"):
        pass
    assert err.getvalue() == ""
