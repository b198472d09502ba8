"""Paths that are no files, streams that are closed or full, and interrupts at any moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from shared.program import run

from attnsolve import __main__, guard
from attnsolve.check import run as checking
from attnsolve.loading import files as load

COMMAND = [sys.executable, "-m", "attnsolve"]
ENVIRONMENT = {**os.environ, "PYTHONIOENCODING": "utf-8"}


# ── paths ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("command", ["solve", "check", "lint"])
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/stdin", "/dev/full", "/", "fifo", "loop", "", "\0", "x" * 5000])
def test_what_is_no_file_is_refused(path: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    os.symlink("loop", "loop")
    done = run([command, *(["causal-mask"] if command == "check" else []), path])
    assert (done.code, done.out, done.complaint()) == (2, "", "")
    assert ("not an ordinary file" in done.err) == (path.startswith("/dev") or path == "fifo")


def test_a_file_that_would_keep_its_reader_waiting_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As some of the system's own do: they look like ordinary files, and have nothing to say yet."""
    path = tmp_path / "waiting"
    os.mkfifo(path)
    monkeypatch.setattr(Path, "is_file", lambda self: True)
    opened: dict[object, int] = {}
    usual = os.open

    def at_once(path: str, flags: int, *mode: int) -> int:
        opened[str(path)] = flags
        return usual(path, flags | os.O_NONBLOCK, *mode)

    monkeypatch.setattr(load.os, "open", at_once)
    assert "the file is empty" in run(["solve", str(path)]).err
    assert opened[str(path)] & os.O_NONBLOCK


def test_a_link_to_a_file_is_read_through(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text("inputs: [[1]]\nweights: identity\n", encoding="utf-8")
    (tmp_path / "link.yaml").symlink_to("real.yaml")
    assert run(["solve", str(tmp_path / "link.yaml")]).code == 0


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    precious, link = tmp_path / "precious", tmp_path / "out.md"
    precious.write_text("precious", encoding="utf-8")
    link.symlink_to(precious)
    assert run(["export", "given-scores", str(link)]).code == 2
    assert run(["export", "given-scores", str(link), "--force"]).code == 0
    assert precious.read_text(encoding="utf-8") == "precious"
    assert not link.is_symlink()


def test_a_link_that_leads_nowhere_is_not_written_over(tmp_path: Path) -> None:
    link = tmp_path / "out.md"
    link.symlink_to("nowhere")
    assert "already exists" in run(["export", "given-scores", str(link)]).err
    assert link.is_symlink()


@pytest.mark.parametrize("name", ["no/such/out.md", "x" * 300 + ".md", "/proc/out.md", "/dev/null/out.md"])
def test_a_place_that_can_not_be_written_to_is_told(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(["export", "given-scores", name])
    assert (done.code, done.out, done.complaint()) == (2, "", "")
    assert "can't be written" in done.err
    assert list(tmp_path.iterdir()) == []


# ── interrupts ──────────────────────────────────────────────────────────────────────────────────


IN_SOLVE = "attnsolve.cli.commands.solve"


@pytest.mark.parametrize(
    "moment",
    [f"{IN_SOLVE}.Batch", "attnsolve.pipeline.solve", f"{IN_SOLVE}.print_document", f"{IN_SOLVE}.narration_of"],
)
def test_an_interrupt_ends_a_command_with_130(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object, **settings: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(moment, interrupt)
    done = run(["solve", "causal-mask"])
    assert (done.code, done.out, done.err) == (130, "", "")


def test_an_interrupt_while_libraries_are_loaded_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupting:
        def find_spec(self, *arguments: object) -> None:
            raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "attnsolve.cli")
    monkeypatch.setattr(sys, "meta_path", [Interrupting()])
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(SystemExit) as end:
            __main__.main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert end.value.code == 130


def test_the_way_in_is_light() -> None:
    heavy = {"typer", "rich", "yaml", "sympy", "attnsolve.cli"}
    code = f"import sys, attnsolve.__main__; print(len({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "0\n"


def test_processes_of_a_class_never_see_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Pool:
        def __init__(self, *arguments: object, **settings: object) -> None:
            pass

        def __enter__(self) -> Pool:
            return self

        def __exit__(self, *arguments: object) -> None:
            pass

        def map(self, *arguments: object, **settings: object) -> list[object]:
            seen.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set()))
            return []

    monkeypatch.setattr(checking, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(checking.os, "cpu_count", lambda: 2)
    assert list(checking.check_many("given-scores", ["x"] * 9)) == []
    assert seen == [True]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())


def test_real_interrupts_end_quietly(tmp_path: Path) -> None:
    """While the command line is loaded, while libraries are, and in the middle of the work."""
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text(
        f"inputs: {[[i * j % 7 for j in range(60)] for i in range(60)]}\nweights: identity\n", encoding="utf-8"
    )
    marker = (
        "import os, signal, sys\n"
        "import attnsolve.__main__ as way_in\n"
        "moment = sys.argv.pop(1)\n"
        "class Stop:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == moment:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Stop())\n"
        "way_in.main()\n"
    )
    for moment in ("typer", "flint", "attnsolve.narrate.steps"):
        done = subprocess.run(
            [sys.executable, "-c", marker, moment, "solve", str(sheet)], capture_output=True, text=True, timeout=60
        )
        assert (moment, done.returncode, done.stderr) == (moment, 130, "")


# ── streams ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("arguments", [["bounds"], ["solve", "given-scores"]])
def test_a_full_disk_is_told(arguments: list[str]) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, "the output can't be written: No space left on device\n")


@pytest.mark.parametrize("arguments", [["--help"], ["check", "causal-mask", "x", "y"]])
def test_a_reader_who_has_seen_enough_is_no_fault(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_closed_streams_do_no_harm(tmp_path: Path) -> None:
    script = 'cd "$0" && "$1" -m attnsolve export given-scores out.md >&- 2>&- && "$1" -m attnsolve solve no-such 2>&-'
    done = subprocess.run(
        ["sh", "-c", script, str(tmp_path), sys.executable], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
    assert (tmp_path / "out.md").read_text(encoding="utf-8").startswith("# ")
    assert [path.name for path in tmp_path.iterdir()] == ["out.md"]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_message_that_can_not_be_told_is_no_fault_of_its_own(unbuffered: str) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [*COMMAND, "solve", "no-such"], stdout=subprocess.PIPE, stderr=full, text=True, env=environment, timeout=60
        )
    assert (done.returncode, done.stdout) == (2, "")


def test_not_enough_memory_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr("attnsolve.pipeline.solve", exhausted)
    done = run(["solve", "given-scores"])
    assert (done.code, done.err) == (2, "there is not enough memory for this\n")
    assert guard.resident_megabytes() > 0


@pytest.mark.parametrize("encoding", ["ascii", "cp437"])
@pytest.mark.parametrize("arguments", [["export", "causal-mask", "-"], ["bounds"], ["schema"], ["list"]])
def test_streams_without_our_characters_get_others(arguments: list[str], encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode(encoding)
