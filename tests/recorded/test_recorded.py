"""What every command prints for every bundled problem, in every format, is what was recorded.

`bundled.json` has the exit code and digests of standard output and standard error. `pytest --golden` records anew, for
a look at the diff of the golden files; `compare.py` shows what has changed since a commit, here and for hundreds of
random and hostile files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from recorded.commands import TERMINAL, Command, of_bundled
from recorded.compare import Outcome, outcomes
from shared.program import plain_environment, run

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).parent / "bundled.json"
GROUPS = of_bundled()


@cache
def record() -> dict[str, str]:
    found: dict[str, str] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


@cache
def on_terminals() -> dict[Command, Outcome]:
    """The commands with colours, in a process of their own: rich remembers how it has coloured something before."""
    commands = [command for group in GROUPS.values() for command in group if command[0] == TERMINAL]
    return dict(zip(commands, outcomes(ROOT, commands, ROOT), strict=True))


def outcome(command: Command) -> str:
    """The exit code, and digests of what was printed."""
    if command[0] == TERMINAL:
        code, out, err = on_terminals()[command]
    else:
        done = run(command)
        code, out, err = done.code, done.out, done.err
    digests = (hashlib.sha256(text.encode()).hexdigest()[:16] for text in (out, err))
    return " ".join((str(code), *digests))


@pytest.fixture(autouse=True)
def plainly() -> Iterator[None]:
    with plain_environment():
        yield


@pytest.mark.parametrize("problem", GROUPS)
def test_every_command_prints_what_was_recorded(problem: str, request: pytest.FixtureRequest) -> None:
    found = {" ".join(command): outcome(command) for command in GROUPS[problem]}
    if request.config.getoption("--golden"):
        RECORD.write_text(json.dumps({**json.loads(RECORD.read_text()), **found}, indent=0) + "\n", encoding="utf-8")
        record.cache_clear()
    assert {name: said for name, said in found.items() if record().get(name) != said} == {}


def test_nothing_is_recorded_that_is_no_longer_run() -> None:
    assert set(record()) == {" ".join(command) for commands in GROUPS.values() for command in commands}
