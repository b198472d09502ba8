"""What every command prints for every bundled problem, in every format, is what was recorded: `bundled.json` has a digest
of standard output and standard error, and the exit code. `pytest --golden` records anew, for a look at the diff of the
golden files; `compare.py` shows what has changed since a commit, here and in hundreds of random and hostile files."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import pytest
from contract import run
from recorded.commands import TERMINAL, Command, of_bundled

RECORD = Path(__file__).parent / "bundled.json"
GROUPS = of_bundled()


@cache
def record() -> dict[str, str]:
    found: dict[str, str] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def outcome(command: Command) -> str:
    """The exit code, and digests of what was printed."""
    terminal = command[0] == TERMINAL
    done = run(command[1:] if terminal else command, terminal=terminal)
    digests = (hashlib.sha256(text.encode()).hexdigest()[:16] for text in (done.out, done.err))
    return " ".join((str(done.code), *digests))


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a shell that says nothing of colours or width."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("problem", GROUPS)
def test_every_command_prints_what_was_recorded(problem: str, request: pytest.FixtureRequest) -> None:
    found = {" ".join(command): outcome(command) for command in GROUPS[problem]}
    if request.config.getoption("--golden"):
        RECORD.write_text(json.dumps({**json.loads(RECORD.read_text()), **found}, indent=0) + "\n", encoding="utf-8")
        record.cache_clear()
    assert {name: said for name, said in found.items() if record().get(name) != said} == {}


def test_nothing_is_recorded_that_is_no_longer_run() -> None:
    assert set(record()) == {" ".join(command) for commands in GROUPS.values() for command in commands}
