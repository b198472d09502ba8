"""`attnsolve new` writes files to start from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from shared.invoked import PROBLEM, invoked, refused, written

from attnsolve.spec.starters import STARTERS


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", STARTERS)
def test_a_new_file_names_its_schema_and_can_be_solved(folder: Path, kind: str) -> None:
    result = invoked("new", "mine.yaml", "--kind", kind)
    assert result.exit_code == 0
    assert (folder / "mine.yaml").read_text().startswith("# yaml-language-server: $schema=attnsolve.schema.json\n")
    assert invoked("mine.yaml").exit_code == 0


def test_the_schema_stands_beside_the_file(folder: Path) -> None:
    (folder / "sub").mkdir()
    assert invoked("new", "sub/mine.yaml", "--schema").exit_code == 0
    Draft202012Validator.check_schema(json.loads((folder / "sub/attnsolve.schema.json").read_text()))
    assert invoked("new", "sub/other.yaml", "--schema").exit_code == 0  # it stands there already


def test_the_schema_can_be_had_alone(folder: Path) -> None:
    assert invoked("new", "--schema").stderr == "wrote attnsolve.schema.json\n"
    assert [path.name for path in folder.iterdir()] == ["attnsolve.schema.json"]


@pytest.mark.parametrize("name", ["answers.yaml", "answers.csv"])
def test_answers_to_fill_in_are_checked(folder: Path, name: str) -> None:
    written(folder, "hw.yaml", PROBLEM)
    result = invoked("new", name, "--for", "hw")
    assert result.stderr == f"wrote {name}\n    now: attnsolve check hw {name}\n"
    checked = invoked("check", "hw", name, "--format", "json")
    assert set(json.loads(checked.stdout)["counts"]) == {"blank"}


@pytest.mark.parametrize("options", [("mine.pdf",), ("mine",), ("mine.csv",), ("mine.pdf", "--for", "causal-mask")])
def test_an_ending_that_is_not_supported_is_refused(options: tuple[str, ...]) -> None:
    assert "supported endings: " in refused("new", *options)


def test_output_may_be_named_by_an_option(folder: Path) -> None:
    assert invoked("new", "-o", "mine.yaml").exit_code == 0
    assert (folder / "mine.yaml").exists()
    assert "attnsolve new mine.yaml" in refused("new")


def switched_off() -> list[str]:
    """The lines of the first starter that say what else is possible."""
    return [line for line in STARTERS["attention"].splitlines() if line.startswith("# ") and ": " in line[:14]]


@pytest.mark.parametrize("line", switched_off())
def test_every_line_that_is_switched_off_works_when_it_is_switched_on(folder: Path, line: str) -> None:
    written(folder, "mine.yaml", STARTERS["attention"].replace(line, line.removeprefix("# ")))
    assert invoked("mine.yaml").exit_code == 0


@pytest.mark.parametrize("kind", STARTERS)
def test_a_starter_fits_a_terminal(folder: Path, kind: str) -> None:
    invoked("new", "mine.yaml", "--kind", kind)
    assert max(map(len, (folder / "mine.yaml").read_text().splitlines())) <= 80
    assert len(switched_off()) == 7
