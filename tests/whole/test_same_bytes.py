"""The same input gives the same bytes: whatever the hash seed, time zone, locale, optimisation, width of the terminal
and working directory, and whatever was solved before in the same process."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = [
    ["solve", "causal-mask", "--detail", "full"],
    ["solve", "two-heads-thinking-machine", "--format", "json"],
    ["solve", "column-layout", "--format", "markdown"],
    ["solve", "seq2seq-multiplicative-rounded"],
    ["solve", "discussion-10-scaling"],
    ["check", "self-attention-q1"],
    ["check", "seq2seq-dot", "--format", "json"],
    ["lint", "causal-mask"],
    ["explain", "causal-mask", "context[3,1]"],
    ["solve", "FLOAT", "--format", "json"],
    ["export", "base-2-softmax", "given-scores", "-"],
    ["schema", "--of", "solution"],
    ["list"],
]
"""Each kind of problem and of output, a simulation and marked answers among them. FLOAT is a problem in float64."""
FLOAT = "numbers: float\nheads: 2\nmask: causal\ninputs: {random: [5, 4], seed: 1}\nweights: identity\n"

PROGRAM = """
import contextlib, hashlib, io, json, locale, sys
usual = locale.setlocale
def setlocale(category, locale=None):
    assert locale is None, "numbers would be written as the locale writes them"
    return usual(category)
locale.setlocale = setlocale
from attnsolve.cli import app
class Stream(io.TextIOWrapper):
    def isatty(self): return False
found = {}
for command in json.loads(sys.argv[1]):
    stream = Stream(io.BytesIO(), encoding=sys.argv[2], newline="\\n")
    with contextlib.redirect_stdout(stream), contextlib.suppress(SystemExit):
        app(command)
    stream.flush()
    found[" ".join(command)] = hashlib.sha256(stream.buffer.getvalue()).hexdigest()
print(json.dumps(found))
"""


def hashes(commands: list[list[str]], cwd: Path, encoding: str = "utf-8", **environment: str) -> dict[str, str]:
    """The hash of what each command prints, all in one process, in the order given."""
    dropped = ("LC_ALL", "LANG", "TZ", "COLUMNS", "PYTHONHASHSEED", "PYTHONUTF8", "PYTHONOPTIMIZE", "PYTHONIOENCODING")
    env = {key: value for key, value in os.environ.items() if key not in dropped} | environment
    (cwd / "FLOAT").write_text(FLOAT, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(commands), encoding],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=env,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    found = hashes(COMMANDS, tmp_path_factory.mktemp("here"), PYTHONHASHSEED="0", LC_ALL="C.UTF-8", TZ="UTC")
    assert len(found) == len(COMMANDS)
    assert hashlib.sha256(b"").hexdigest() not in found.values()
    return found


LONG = "ATTNSOLVE_EXAMPLES" in os.environ
OPTIMISED = {"PYTHONOPTIMIZE": "2"} if LONG else {}
"""Only in a long run: Python compiles all of sympy anew for it."""
ENVIRONMENTS = [
    {"PYTHONHASHSEED": "12345", "LC_ALL": "C", "TZ": "Asia/Kathmandu", "COLUMNS": "200", "PYTHONUTF8": "0"},
    {"PYTHONHASHSEED": "1", "LANG": "POSIX", "TZ": "America/St_Johns", **OPTIMISED, "COLUMNS": "20"},
]
"""Several things changed at once: if the bytes differ, the test says of which command, and one looks closer."""


@pytest.mark.parametrize("environment", ENVIRONMENTS if LONG else ENVIRONMENTS[:1])
def test_the_environment_changes_no_byte(environment: dict[str, str], usual: dict[str, str], tmp_path: Path) -> None:
    """In another folder, and in the opposite order, so that other caches are warm."""
    found = hashes(COMMANDS[::-1], tmp_path, **environment)
    assert [command for command in usual if found[command] != usual[command]] == []


def test_a_problem_solved_alone_is_the_one_solved_after_others(usual: dict[str, str], tmp_path: Path) -> None:
    late = COMMANDS[5:7]
    found = hashes(late, tmp_path)
    assert found == {" ".join(command): usual[" ".join(command)] for command in late}


def test_ascii_streams_get_the_same_ascii_in_every_locale(tmp_path: Path) -> None:
    some = COMMANDS[:1]
    first, second = (hashes(some, tmp_path, "ascii", LC_ALL=locale) for locale in ("C", "C.UTF-8"))
    assert first == second
