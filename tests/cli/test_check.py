"""`attnsolve check` as a user meets it: files, formats, colours and exit codes."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from shared.program import completed

PROBLEM = "inputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\nparts: {a: {find: scores, marks: 3}}\n"
RIGHT, WRONG, BAD = "S: [[1, 0], [0, 1]]\n", "S: [[1, 0], [0, -2]]\n", "S: [[1, 0], [0, 1]]\nscroes: 1\n"


def check(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    if not environment:
        return completed(folder, "check", "problem.yaml", *arguments)
    command = [sys.executable, "-m", "attnsolve", "check", "problem.yaml", *arguments]
    env = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=folder, env=env, timeout=120)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("problem", PROBLEM), ("right", RIGHT), ("wrong", WRONG), ("bad", BAD), ("empty", "")):
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def test_exit_codes_tell_right_from_wrong_from_unreadable(folder: Path) -> None:
    right, wrong, bad = (check(folder, f"{name}.yaml") for name in ("right", "wrong", "bad"))
    assert (right.returncode, wrong.returncode, bad.returncode) == (0, 1, 2)
    assert "3 of 3" in right.stdout
    assert "You wrote −2." in wrong.stdout
    assert right.stderr == wrong.stderr == ""


def test_what_could_be_read_is_marked_and_the_rest_is_told(folder: Path) -> None:
    run = check(folder, "bad.yaml")
    assert (
        run.stderr == "bad.yaml:2:1: 'scroes' is not the name of anything in this problem\n    did you mean scores?\n"
    )
    assert "3 of 3" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["empty.yaml"], "one mapping of answers was expected, but 0 were found"),
        (["missing.yaml"], "no such file"),
        ([], "problem.yaml has no answers of its own: name a file with answers"),
    ],
)
def test_without_answers_there_is_one_message(folder: Path, arguments: list[str], said: str) -> None:
    run = check(folder, *arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_the_problem_may_carry_its_own_answers(folder: Path) -> None:
    (folder / "problem.yaml").write_text(f"{PROBLEM}answers: {{S: [[1, 0], [0, 1]]}}\n", encoding="utf-8")
    assert check(folder).returncode == 0


def test_an_answer_file_may_say_answers(folder: Path) -> None:
    (folder / "mine.yaml").write_text("answers: {S: [[1, 0], [0, 1]]}\n", encoding="utf-8")
    assert check(folder, "mine.yaml").returncode == 0


def test_json_tells_every_cell(folder: Path) -> None:
    run = check(folder, "wrong.yaml", "--format", "json")
    assert run.returncode == 1
    data = json.loads(run.stdout)
    assert data["counts"] == {"exact": 3, "wrong": 1}
    assert data["cells"][3] == {
        "id": "scores", "head": None, "at": [], "entry": [2, 2], "written": "-2", "accepted": [-2.005, -1.995],
        "true": "1", "verdict": "wrong", "why": "",
    }  # fmt: skip
    assert data["parts"] == [{"part": "a", "right": 3, "of": 4, "marks": 2.25, "possible": 3.0}]
    assert data["not_followed"] == data["faults"] == []


def test_markdown_and_csv_are_printed(folder: Path) -> None:
    assert check(folder, "wrong.yaml", "--format", "markdown").stdout.startswith("# Answers to: ")
    header, row = check(folder, "wrong.yaml", "--format", "csv").stdout.splitlines()
    assert header.startswith("file,marks,of,exact,right,slip,follows,wrong,blank")
    assert row.startswith("wrong.yaml,2.25,3.0,3,0,0,0,1,0")


def test_following_can_be_turned_off(folder: Path) -> None:
    (folder / "mine.yaml").write_text("Q: [[1, 0], [0, 3]]\nS: [[1, 0], [0, 3]]\n", encoding="utf-8")
    assert "3 of 3" in check(folder, "mine.yaml").stdout
    assert "2.25 of 3" in check(folder, "mine.yaml", "--no-follow").stdout


def test_a_stream_that_is_not_utf_8_gets_ascii(folder: Path) -> None:
    for form in ("text", "markdown", "json"):
        run = check(folder, "wrong.yaml", "--format", form, PYTHONIOENCODING="ascii")
        assert run.returncode == 1
        assert run.stdout.isascii()


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_lines_keep_to_the_width(folder: Path, width: str) -> None:
    assert max(map(len, check(folder, "wrong.yaml", "--width", width).stdout.splitlines())) == int(width)


def on_a_terminal(folder: Path, **environment: str) -> str:
    ours, student = pty.openpty()
    command = [sys.executable, "-m", "attnsolve", "check", "problem.yaml", "wrong.yaml", "--width", "80"]
    env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    env |= {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **environment}
    with subprocess.Popen(command, stdout=student, cwd=folder, env=env) as process:
        os.close(student)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
        assert process.wait(60) == 1
    os.close(ours)
    return shown.decode()


def _read(stream: int) -> bytes:
    try:
        return os.read(stream, 65536)
    except OSError:  # the other end was closed
        return b""


def test_a_terminal_gets_colour_unless_it_is_not_wanted(folder: Path) -> None:
    assert "\x1b[1;38;5;196m-2 ✗".replace("-", "−") in on_a_terminal(folder)
    plain = on_a_terminal(folder, NO_COLOR="1")
    assert "−2 ✗" in plain
    assert "\x1b[1;38" not in plain
