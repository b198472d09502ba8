"""`attnsolve read` writes problem files from what is pasted."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared.invoked import invoked, refused, written

PASTED = "Q = [1 0; 0 1]\nK = [1 0; 0 1]\nV = [1; 2]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_what_is_piped_in_becomes_a_problem_that_solve_reads(arguments: tuple[str, ...]) -> None:
    result = invoked("read", *arguments, stdin=PASTED)
    assert result.exit_code == 0
    assert result.stderr == "read Q (2×2), K (2×2) and V (2×1) from standard input\n"
    assert invoked("solve", "-", stdin=result.stdout).exit_code == 0


def test_a_file_is_read_and_a_file_is_written(folder: Path) -> None:
    written(folder, "pasted.txt", PASTED)
    result = invoked("read", "pasted.txt", "-o", "mine.yaml")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.endswith("wrote mine.yaml\n")
    assert invoked("mine.yaml").exit_code == 0
    assert "--force" in refused("read", "pasted.txt", "-o", "mine.yaml")


def test_a_problem_file_is_utf_8_wherever_it_goes(folder: Path) -> None:
    pasted = "Q\ta\nthé\t1\n\nK\ta\nthé\t1\n\nV\ta\nthé\t1\n"
    written(folder, "pasted.txt", pasted)
    result = invoked("read", "pasted.txt", PYTHONIOENCODING="ascii")
    assert "tokens: [thé]" in result.stdout_bytes.decode()
    invoked("read", "pasted.txt", "-o", "mine.yaml")
    assert "tokens: [thé]" in (folder / "mine.yaml").read_text(encoding="utf-8")


def test_a_problem_file_is_yaml() -> None:
    message = refused("read", "-o", "mine.txt", stdin=PASTED)
    assert message == "mine.txt: files that end in .txt can't be written\n    supported endings: .yaml, .yml"


def test_what_is_not_understood_is_refused(folder: Path) -> None:
    message = refused("read", "-o", "mine.yaml", stdin="Q = [1 2; 3]")
    assert message.startswith("standard input:1:11: row 2 has 1 number")
    assert not (folder / "mine.yaml").exists()
