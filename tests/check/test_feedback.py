"""A report for each student, in a file of their own: what it is called, what is in it, and what it never replaces."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from shared.program import completed

from attnsolve.check.feedback import LONGEST, file_names

PROBLEM = "inputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\nparts: {a: {find: scores, marks: 3}}\n"
TEXTS = {"anna": "S: [[1, 0], [0, 1]]\n", "ben": "S: [[1, 0], [0, -2]]\n", "bad": "S: [[\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "problem.yaml").write_text(PROBLEM, encoding="utf-8")
    (tmp_path / "answers").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "answers" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return completed(folder, "check", "problem.yaml", *arguments)


def test_each_student_gets_what_check_prints(folder: Path) -> None:
    run = check(folder, "answers", "--feedback", "out")
    assert run.stderr == "wrote 2 reports to out; 1 not read\n"
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["anna.md", "ben.md"]
    own = check(folder, "answers/ben.yaml", "--format", "markdown").stdout
    assert (folder / "out" / "ben.md").read_text(encoding="utf-8").strip() == own.strip()


def test_a_second_run_replaces_them(folder: Path) -> None:
    for answer, said in (("1", "Right throughout."), ("3", "1 figure is wrong")):
        (folder / "answers" / "anna.yaml").write_text(f"S: [[1, 0], [0, {answer}]]\n", encoding="utf-8")
        check(folder, "answers", "--feedback", "out")
        assert said in (folder / "out" / "anna.md").read_text(encoding="utf-8")


def test_one_student_alone_and_many_get_theirs(folder: Path) -> None:
    assert check(folder, "answers/ben.yaml", "--feedback", "out").stderr == "wrote 1 report to out\n"
    assert [path.name for path in (folder / "out").iterdir()] == ["ben.md"]


def test_answers_are_never_overwritten(folder: Path) -> None:
    (folder / "answers" / "anna.yaml").rename(folder / "answers" / "anna.md")
    run = check(folder, "answers/anna.md", "answers/ben.yaml", "--feedback", "answers")
    assert run.returncode == 2
    assert run.stdout == ""
    assert "feedback would overwrite answers/anna.md" in run.stderr
    assert (folder / "answers" / "anna.md").read_text(encoding="utf-8") == TEXTS["anna"]
    assert not (folder / "answers" / "ben.md").exists()


def test_it_needs_answers_and_a_folder(folder: Path) -> None:
    assert "--feedback needs the answers" in check(folder, "--feedback", "out").stderr
    run = check(folder, "answers", "--feedback", "problem.yaml")
    assert "this is a file; name a folder" in run.stderr
    assert (folder / "problem.yaml").read_text(encoding="utf-8") == PROBLEM


def test_what_could_not_be_read_is_in_it(folder: Path) -> None:
    (folder / "answers" / "anna.yaml").write_text("S: [[1, 0], [0, 1]]\nscroes: 1\n", encoding="utf-8")
    check(folder, "answers", "--feedback", "out")
    assert "'scroes' is not the name of anything" in (folder / "out" / "anna.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", ["../../x.yaml", "a\x1b[2J.yaml", "-rf.yaml", "nul.yaml", "é" * 300, ".yaml", "a:b|c?.csv"]
)
def test_names_are_safe_everywhere(name: str) -> None:
    (file,) = file_names([name])
    assert Path(file).name == file
    assert file.isprintable()
    assert not file.startswith((".", "-"))
    assert not set(file) & set('<>:"/\\|?*')
    assert len(file.encode()) <= LONGEST + 3
    assert file.casefold() != "nul.md"


def test_no_two_are_alike_whatever_their_case() -> None:
    names = file_names(["a/x.yaml", "b/X.yaml", "x-2.yaml", "x.csv"])
    assert len({name.casefold() for name in names}) == 4
