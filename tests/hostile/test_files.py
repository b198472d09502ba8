"""Files whole or not at all, all or none, and never over one that is there: whatever fails, and whoever else writes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from shared.program import run

from attnsolve.errors import FileProblem
from attnsolve.publish import write_all

# ── whatever fails ──────────────────────────────────────────────────────────────────────────────


def at_second_call(function: Callable[..., object], error: BaseException) -> Callable[..., object]:
    calls = []

    def fail(*arguments: object, **settings: object) -> object:
        calls.append(arguments)
        if len(calls) == 2:
            raise error
        return function(*arguments, **settings)

    return fail


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("moment", ["open", "fsync", "fdopen"])
def test_nothing_is_left_of_files_that_could_not_all_be_written(
    moment: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, moment, at_second_call(getattr(os, moment), error))
    files = [(tmp_path / "a.md", "a"), (tmp_path / "b.md", "b")]
    with pytest.raises((FileProblem, KeyboardInterrupt)):
        write_all(files, force=False)
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("moment", "force"), [("link", False), ("replace", True)])
def test_an_interrupt_between_two_files_waits_for_both(
    moment: str, force: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = getattr(os, moment)

    def interrupted(*arguments: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        usual(*arguments)

    monkeypatch.setattr(os, moment, interrupted)
    files = [(tmp_path / "a.md", "a"), (tmp_path / "b.md", "b")]
    with pytest.raises(KeyboardInterrupt):
        write_all(files, force=force)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.md", "b.md"]


@pytest.mark.parametrize("moment", ["fsync", "link"])
def test_a_program_that_is_asked_to_end_leaves_nothing_half_done(moment: str, tmp_path: Path) -> None:
    ending = (
        "import os, signal, sys\n"
        "import attnsolve.__main__ as way_in\n"
        "moment, *sys.argv[1:] = sys.argv[1:]\n"
        "usual = getattr(os, moment)\n"
        "def ended(*arguments):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    return usual(*arguments)\n"
        "setattr(os, moment, ended)\n"
        "way_in.main()\n"
    )
    command = ["export", "given-scores", "out.md", "--solutions", "separate"]
    done = subprocess.run(
        [sys.executable, "-c", ending, moment, *command], cwd=tmp_path, capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (128 + signal.SIGTERM, b"")
    both = ["out.md", "out.solutions.md"]
    assert sorted(path.name for path in tmp_path.iterdir()) == (both if moment == "link" else [])


def test_files_that_can_not_all_be_replaced_are_left_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.md", "c.md"):
        (tmp_path / name).write_text(f"old {name}", encoding="utf-8")
    usual = os.replace

    def locked(source: Path, target: Path) -> None:
        if target.name == "c.md":
            raise PermissionError(errno.EPERM, "Operation not permitted")
        usual(source, target)

    monkeypatch.setattr(os, "replace", locked)
    with pytest.raises(FileProblem, match=r"c\.md: can't be written: Operation not permitted"):
        write_all([(tmp_path / name, "new") for name in ("a.md", "b.md", "c.md")], force=True)
    found = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert found == {"a.md": "old a.md", "c.md": "old c.md"}


# ── whoever else writes ─────────────────────────────────────────────────────────────────────────


def without_links(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    def refuse(*arguments: object, **settings: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    if how == "refused":
        monkeypatch.setattr(os, "link", refuse)
    elif how == "unknown":
        monkeypatch.delattr(os, "link")


@pytest.fixture(params=["linked", "refused", "unknown"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file system that has links, one that has none, and a Python that has never heard of them."""
    without_links(monkeypatch, request.param)
    return str(request.param)


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize(
    "command",
    [
        ["export", "given-scores", "out.md"],
        ["export", "given-scores", "first.md", "--solutions", "separate"],
        ["export", "given-scores", "first.md", "--figures", "--detail", "normal"],
        ["new", "out.yaml"],
    ],
)
def test_a_file_that_somebody_else_has_just_written_is_kept(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was not there when that was asked, and is there once our own is finished."""
    monkeypatch.chdir(tmp_path)
    assert run(command).code == 0
    last = sorted(tmp_path.iterdir(), key=lambda path: path.suffix == ".svg" or ".solutions" in path.name)[-1]
    for path in tmp_path.iterdir():
        path.unlink()
    usual = os.fsync

    def meanwhile(handle: int) -> None:
        last.write_text("precious", encoding="utf-8")
        usual(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)
    done = run(command)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"{last.name}: the file already exists\n    --force overwrites it\n"
    assert [path.name for path in tmp_path.iterdir()] == [last.name]
    assert last.read_text(encoding="utf-8") == "precious"


@pytest.mark.usefixtures("links")
def test_files_are_written_with_or_without_links(tmp_path: Path) -> None:
    write_all([(tmp_path / "a.md", "a"), (tmp_path / "b.md", "b")], force=False)
    write_all([(tmp_path / "b.md", "new b"), (tmp_path / "c.md", "c")], force=True)
    found = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert found == {"a.md": "a", "b.md": "new b", "c.md": "c"}


RACER = """
import os, sys
from pathlib import Path
from attnsolve.errors import FileProblem
from attnsolve.publish import write_all

number, how = sys.argv[1:]
if how == "unlinked":
    del os.link
Path(f"ready.{number}").touch()
while not os.path.exists("go"):
    pass
for sheet in range(20):
    try:
        write_all([(Path(f"{sheet}.{part}"), [number] * 1000) for part in "ab"], force=False)
        print(sheet)
    except FileProblem as error:
        assert "the file already exists" in str(error), error
"""


@pytest.mark.parametrize("how", ["linked", "unlinked"])
def test_of_eight_exports_that_race_one_writes_and_seven_are_told(how: str, tmp_path: Path) -> None:
    racers = [
        subprocess.Popen([sys.executable, "-c", RACER, str(number), how], cwd=tmp_path, stdout=subprocess.PIPE)
        for number in range(8)
    ]
    while len(list(tmp_path.glob("ready.*"))) < 8:
        assert not any(racer.poll() for racer in racers)
    (tmp_path / "go").touch()
    wrote = {str(number): racer.communicate()[0].decode().split() for number, racer in enumerate(racers)}
    assert [racer.returncode for racer in racers] == [0] * 8
    winners = {sheet: number for number, sheets in wrote.items() for sheet in sheets}
    assert sum(map(len, wrote.values())) == len(winners) == 20
    for sheet, number in winners.items():
        for part in "ab":
            assert (tmp_path / f"{sheet}.{part}").read_text(encoding="utf-8") == number * 1000
    written = {path.name for path in tmp_path.iterdir()} - {"go", *(f"ready.{number}" for number in range(8))}
    assert written == {f"{sheet}.{part}" for sheet in winners for part in "ab"}
