"""What a teacher is told of a class: counted from plain rows, and seen once for five students."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from shared.program import completed

from attnsolve.check.run import COLUMNS
from attnsolve.check.summary import ClassSummary, Row, called, summarise, to_document
from attnsolve.render.text import render

PROBLEM = """
title: A small layer
inputs: [[1, 2], [3, 1]]
weights: {W_Q: [[1, 0], [1, 1]], W_K: [[1, 1], [0, 1]], W_V: [[2, 0], [0, 1]]}
parts:
  a: {find: [queries, keys], marks: 4}
  b: {find: scores}
  c: {find: values}
"""
RIGHT = "Q: [[3, 2], [4, 1]]\nK: [[1, 3], [3, 4]]\n"
CLASS = {
    "anna": RIGHT + "S: [[9, 17], [7, 16]]\n",
    "ben": "Q: [[3, 2], [4, 5]]\nK: [[1, 3], [3, 4]]\nS: [[9, 17], [19, 32]]\n",
    "cleo": RIGHT + "V: [[1, 2], [3, 1]]\n",
    "dan": RIGHT + "V: [[1, 2], [3, 1]]\n",
    "eve": "Q: [[\n",
}
"""All right; a slip that the scores follow; the inputs for the values, twice; no YAML."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "problem.yaml").write_text(PROBLEM, encoding="utf-8")
    (tmp_path / "answers").mkdir()
    for name, text in CLASS.items():
        (tmp_path / "answers" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return completed(folder, "check", "problem.yaml", "answers", *arguments)


def row(file: str, mistakes: tuple[str, ...] = (), **results: str) -> Row:
    asked = [{"part": part, "name": f"({part})", "result": result} for part, result in results.items()]
    return {"file": file, "questions": asked, "mistakes": list(mistakes)}


def test_a_class_of_five(folder: Path, golden: Callable[[str, str], None]) -> None:
    golden("class.txt", check(folder).stdout)
    golden("class.md", check(folder, "--format", "md").stdout)


def test_every_student_counts_once_for_every_question() -> None:
    rows = [row("a.yaml", b="right"), row("b.yaml", a="follows", b="wrong"), {"file": "c.yaml"}]
    found = summarise(rows)
    assert (found.students, found.unread) == (("a", "b"), ("c",))
    results = {question.name: dict(question.results) for question in found.questions}
    assert results == {
        "(a)": {"right": 0, "follows": 1, "wrong": 0, "blank": 1},
        "(b)": {"right": 1, "follows": 0, "wrong": 1, "blank": 0},
    }


def test_questions_keep_the_order_of_the_solution() -> None:
    found = summarise([row("a", c="right"), row("b", a="right", b="right", c="right", d="right")])
    assert [question.part for question in found.questions] == ["a", "b", "c", "d"]


def test_mistakes_come_by_frequency_with_who_made_them() -> None:
    found = summarise(
        [row("a", ("rare",), a="wrong"), row("b", ("often",), a="wrong"), row("c", ("often",), a="wrong")]
    )
    assert [(m.says, m.students) for m in found.misconceptions] == [("often", ("b", "c")), ("rare", ("a",))]
    assert [m.says for m in found.to_explain] == ["often"]


def test_what_nobody_got_is_said_and_a_slip_that_was_followed_is_got() -> None:
    found = summarise([row("a", a="wrong", b="follows"), row("b", a="blank", b="wrong")])
    assert [question.name for question in found.unsolved] == ["(a)"]
    assert "Nobody got (a)." in said(found)
    assert "Nobody got" not in said(summarise([{"file": "unread.yaml"}]))


def said(summary: ClassSummary) -> str:
    return " ".join(render(to_document(summary), 80).split())


def test_students_of_one_name_are_told_apart() -> None:
    assert called(["x/anna.yaml", "y/anna.yaml", "ben.csv"]) == ["x/anna.yaml", "y/anna.yaml", "ben"]


def test_csv_has_its_columns_and_one_more_per_part(folder: Path) -> None:
    found = list(csv.DictReader(io.StringIO(check(folder, "--format", "csv").stdout)))
    assert tuple(found[0]) == (*COLUMNS, "part a", "part b", "part c")
    marks = [(row["part a"], row["part b"], row["part c"]) for row in found]
    assert marks[0] == ("4.0", "1.0", "0.0")
    assert marks[1] == ("3.5", "1.0", "0.0")  # marks; the share that is right; nothing
    assert marks[4] == ("", "", "")


def test_the_last_row_of_json_has_the_class(folder: Path) -> None:
    rows = [json.loads(line) for line in check(folder, "--format", "json").stdout.splitlines()]
    assert [Path(row["file"]).stem for row in rows] == [*CLASS]
    assert ["class" in row for row in rows] == [False, False, False, False, True]
    summary = rows[-1]["class"]
    assert (summary["students"], summary["unread"], summary["nobody_got"]) == (4, ["eve"], ["(c)"])
    assert [question["result"] for question in rows[1]["questions"]] == ["wrong", "follows", "blank"]
