"""Long output on a terminal goes through a pager, and nothing else does."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
import typer

from attnsolve.cli import pager
from attnsolve.cli.pager import Pages, paged, unpaged
from attnsolve.cli.streams import say


class Screen(io.StringIO):
    """A terminal of 20 columns and 5 lines."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Screen:
    monkeypatch.setattr(pager, "_screen_size", lambda stream: os.terminal_size((20, 5)))
    monkeypatch.setenv("ATTNSOLVE_PAGER", f"cat > {tmp_path / 'paged'}")
    return Screen()


@contextmanager
def paged_on(screen: Screen, stderr: io.StringIO | None = None) -> Iterator[None]:
    """What is printed on a screen, paged; pytest takes the streams back between a fixture and its test."""
    with patch.multiple(sys, stdout=screen, stderr=stderr or sys.stderr), paged():
        yield


def shown(folder: Path) -> str:
    path = folder / "paged"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_what_fits_the_screen_is_printed(screen: Screen, tmp_path: Path) -> None:
    with paged_on(screen):
        print("1\n2\n3\n4")
        assert screen.getvalue() == ""
    assert (screen.getvalue(), shown(tmp_path)) == ("1\n2\n3\n4\n", "")


@pytest.mark.parametrize("text", ["1\n2\n3\n4\n5", "−" * 101])
def test_what_does_not_fit_is_paged(screen: Screen, tmp_path: Path, text: str) -> None:
    with paged_on(screen):
        print(text)
        print("more")
    assert (screen.getvalue(), shown(tmp_path)) == ("", f"{text}\nmore\n")


def test_no_pager_prints_at_once(screen: Screen, tmp_path: Path) -> None:
    with paged_on(screen), unpaged():
        print("1")
        assert screen.getvalue() == "1\n"
        print("2\n3\n4\n5")
        print("6")
    assert shown(tmp_path) == ""


def test_messages_stand_where_they_belong(screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with paged_on(screen, Screen()):
        print("1\n2")
        say("a fault")
        print("3\n4\n5")
    assert shown(tmp_path) == "1\n2\na fault\n3\n4\n5\n"


def test_messages_stay_on_a_stderr_that_goes_elsewhere(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = io.StringIO()
    with paged_on(screen, elsewhere):
        say("a fault")
    assert (screen.getvalue(), elsewhere.getvalue()) == ("", "a fault\n")


def test_a_reader_who_has_seen_enough_ends_the_command(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNSOLVE_PAGER", "true")
    with pytest.raises(typer.Exit), paged_on(screen):
        _print_for_ever()


def _print_for_ever() -> None:
    while True:
        print("more")


def test_pages_are_a_terminal_of_its_encoding(screen: Screen) -> None:
    with paged_on(screen):
        assert isinstance(sys.stdout, Pages)
        assert (sys.stdout.isatty(), sys.stdout.encoding) == (True, "utf-8")


@pytest.mark.parametrize(
    ("ours", "everyones", "found"),
    [
        (None, "sort", "sort"),
        ("sort -r", "cat", "sort -r"),
        ("LC_ALL=C sort", "cat", "LC_ALL=C sort"),
        ("no-such-pager -x", "sort", ""),
        ("", "sort", ""),
        (None, "cat", ""),
    ],
)
def test_the_pager_is_ours_or_everyones(
    monkeypatch: pytest.MonkeyPatch, ours: str | None, everyones: str, found: str
) -> None:
    for name, value in (("ATTNSOLVE_PAGER", ours), ("PAGER", everyones)):
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
    assert pager.pager() == found


def test_a_dumb_terminal_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ATTNSOLVE_PAGER", raising=False)
    monkeypatch.delenv("PAGER", raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert pager.pager() == ""


def test_what_is_piped_is_never_held() -> None:
    before = sys.stdout
    with paged():
        assert sys.stdout is before
