"""A whole class: one row a file in every format, whatever one of the files holds."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from shared.program import completed

from attnsolve.check import run as module
from attnsolve.check.run import COLUMNS, Row, as_csv, as_markdown, check_many, line
from attnsolve.check.sheet import Nodes, Sheet

PROBLEM = "discussion-10-qkv"
RIGHT = "q_1: [2, 3, -5]\nq_2: [-1, 0, -2]\nq_3: [1, -2, 8]\n"
ATTNSOLVE = [sys.executable, "-m", "attnsolve", "check", PROBLEM]


@pytest.fixture
def sheets(tmp_path: Path) -> list[str]:
    """Six files: right in what they hold, with a slip, with a mistake, empty, not YAML, and one that isn't there."""
    texts = {
        "right": RIGHT,
        "slip": RIGHT.replace("0, -2", "0, 2"),
        "mistake": "k_1: [-2, 0, 1]\nz_3: [8, 8, -20]\n",
        "empty": "",
        "garbled": "{Q: [[1, 2",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return [str(tmp_path / f"{name}.yaml") for name in (*texts, "missing")]


def rows_of(paths: list[str]) -> list[Row]:
    return [row for row, *_ in check_many(PROBLEM, paths)]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return completed(Path.cwd(), "check", PROBLEM, *arguments)


def test_a_bad_file_is_a_row_of_its_own(sheets: list[str]) -> None:
    rows = rows_of(sheets)
    assert [row["file"] for row in rows] == sheets
    assert [bool(row["problem with the file"]) for row in rows] == [False, False, False, True, True, True]
    assert "q₂,₃: 2 instead of −2" in rows[1]["first slip"]
    assert rows[1]["cause"] == "sign-slip"


def test_many_files_come_in_the_order_given_and_as_few_do(sheets: list[str]) -> None:
    assert rows_of(sheets * 3) == [*rows_of(sheets[:3]), *rows_of(sheets[3:])] * 3


def test_one_line_a_file_and_then_the_summary(sheets: list[str]) -> None:
    done = run(*sheets)
    assert done.returncode == 2
    lines, summary = done.stdout.split("\n\n", 1)
    assert len(lines.splitlines()) == len(sheets)
    assert done.stderr == ""
    assert "(sign-slip)" in lines.splitlines()[1]
    assert "can't be checked" in lines.splitlines()[-1]
    assert summary.startswith("The class\n")


def test_csv_has_a_header_and_a_row_a_file(sheets: list[str]) -> None:
    found = list(csv.DictReader(io.StringIO(run(*sheets, "--format", "csv").stdout)))
    assert [row["file"] for row in found] == sheets
    assert tuple(found[0]) == (*COLUMNS, "part a", "part b", "part c", "part d")
    assert found[1]["cause"] == "sign-slip"


def test_json_is_an_object_a_line(sheets: list[str]) -> None:
    found = [json.loads(text) for text in run(*sheets, "--format", "json").stdout.splitlines()]
    assert [row["file"] for row in found] == sheets


def test_markdown_is_one_table_and_the_summary(sheets: list[str]) -> None:
    table, summary = run(*sheets, "--format", "markdown").stdout.split("\n\n", 1)
    lines = table.splitlines()
    assert summary.startswith("# The class\n")
    assert len(lines) == len(sheets) + 2
    assert len({text.replace("\\|", "").count("|") for text in lines}) == 1


def test_exit_codes_say_how_the_worst_of_them_is(sheets: list[str]) -> None:
    full = subprocess.run([*ATTNSOLVE, *sheets[:2]], capture_output=True, check=False)
    assert full.returncode == 1
    assert run(*sheets).returncode == 2


def test_a_problem_that_is_not_there_is_said_once(sheets: list[str]) -> None:
    command = [sys.executable, "-m", "attnsolve", "check", "no-such-problem", *sheets * 3]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) <= 2
    assert "bug" not in done.stderr


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "＝1"])
def test_no_spreadsheet_takes_a_cell_for_a_formula(text: str) -> None:
    row = {**dict.fromkeys(COLUMNS, ""), "file": text, "of": 1.0, "marks": -1.0}
    (read,) = csv.DictReader(io.StringIO(as_csv([row])))
    assert read["file"] == "'" + text.replace("\r", " ").replace("\t", "\\t")
    assert read["marks"] == "-1.0"


def test_a_table_keeps_its_cells_apart() -> None:
    row = {**dict.fromkeys(COLUMNS, ""), "file": "a|b\n<script>.yaml", "marks": 1.5, "of": 2.0}
    (*_, last) = as_markdown([row]).splitlines()
    assert last == "| a\\|b \\<script\\>.yaml | 1.5 | 2 |  |  |  |"


def test_a_line_stays_one_line() -> None:
    row = {**dict.fromkeys(COLUMNS, ""), "file": "a\nb.yaml", "marks": 1.0, "of": 2.0}
    assert len(line(row).splitlines()) == 1


def test_a_bug_in_one_file_leaves_the_rest(sheets: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    real = module.answers_in

    def trips(sheet: Sheet, path: str) -> Nodes:
        if path == sheets[1]:
            raise RuntimeError("oh")
        return real(sheet, path)

    monkeypatch.setattr(module, "answers_in", trips)
    rows = rows_of(sheets[:3])
    assert rows[1]["problem with the file"] == "attnsolve has a bug: RuntimeError: oh"
    assert [bool(row["problem with the file"]) for row in rows] == [False, True, False]


def test_a_reader_who_leaves_is_no_fault(sheets: list[str]) -> None:
    with subprocess.Popen([*ATTNSOLVE, *sheets * 40], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_an_interrupt_ends_it_quietly(sheets: list[str]) -> None:
    command = [*ATTNSOLVE, *sheets * 300]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        start = time.monotonic()
        _, errors = process.communicate(timeout=60)
        assert time.monotonic() - start < 30
    assert errors == b""
    assert process.returncode == 130
