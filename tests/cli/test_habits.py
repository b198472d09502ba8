"""What people type without reading the manual does what they expect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shared.invoked import ANSWERS, PROBLEM, invoked, refused, written

from attnsolve.cli.shared import ENDINGS
from attnsolve.export.formats import endings

PRINTED = sorted(ENDINGS["problem"])
"""The files that commands write which print to the terminal."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "hw.yaml", PROBLEM)
    written(tmp_path, "answers/ada.yaml", ANSWERS)
    written(tmp_path, "answers/bob.yaml", "Q: [[1, 0], [0, 1]]\n")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("hw.yaml",),
        ("hw",),
        ("solve", "hw"),
        ("hw.yaml", "--detail", "brief"),
        ("--detail", "brief", "hw.yaml"),
        ("--no-pager", "hw.yaml"),
    ],
)
def test_a_problem_is_solved_however_it_is_named(arguments: tuple[str, ...]) -> None:
    result = invoked(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Mine\n")


def test_a_yml_file_is_found_too(folder: Path) -> None:
    (folder / "hw.yaml").rename(folder / "hw.yml")
    assert invoked("solve", "hw").stdout.startswith("Mine\n")


def test_faults_are_told_of_the_file_that_was_found(folder: Path) -> None:
    written(folder, "bad.yaml", "inputs: [[1]]\nwieghts: identity\n")
    assert "bad.yaml:2:1: unknown key 'wieghts'" in invoked("solve", "bad").stderr


def test_a_local_file_beats_a_bundled_problem_and_says_so(folder: Path) -> None:
    written(folder, "causal-mask.yaml", PROBLEM)
    note = "causal-mask.yaml is your file, not the bundled problem of that name\n"
    for arguments in (("causal-mask",), ("explain", "causal-mask", "S[1,1]")):
        result = invoked(*arguments)
        assert "Mine\n" in result.stdout
        assert result.stderr == note
    assert invoked("solve", "causal-mask.yaml").stderr == ""


def test_a_folder_hides_neither_a_file_nor_a_bundled_problem(folder: Path) -> None:
    (folder / "hw").mkdir()
    (folder / "causal-mask").mkdir()
    assert invoked("solve", "hw").stdout.startswith("Mine\n")
    assert invoked("solve", "causal-mask").stdout.startswith("A causal mask")


def test_two_endings_are_not_chosen_between_in_silence(folder: Path) -> None:
    written(folder, "hw.yml", PROBLEM.replace("Mine", "Other"))
    result = invoked("solve", "hw")
    assert result.stdout.startswith("Mine\n")
    assert result.stderr == "hw.yml is here too: name it in full to read it instead\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("-",),
        ("solve", "-"),
        ("explain", "-", "S[1,1]"),
        ("lint", "-"),
        ("export", "-", "-"),
        ("check", "-", "answers"),
    ],
)
def test_a_problem_is_read_from_standard_input(arguments: tuple[str, ...]) -> None:
    result = invoked(*arguments, stdin=PROBLEM)
    assert result.exit_code in (0, 1)
    assert result.stdout


def test_answers_are_read_from_standard_input() -> None:
    result = invoked("check", "hw", "-", stdin="Q: [[1, 0], [0, 1]]\n")
    assert result.exit_code == 0
    assert "standard input" in result.stdout


def test_faults_on_standard_input_have_places() -> None:
    assert "standard input:2:1: unknown key 'wieghts'" in invoked("-", stdin="inputs: [[1]]\nwieghts: 1\n").stderr


def test_standard_input_is_read_once() -> None:
    assert "only one of" in refused("check", "-", "-")


@pytest.mark.parametrize("arguments", [("nosuch",), ("slove", "hw.yaml")])
def test_a_word_that_is_neither_command_nor_problem_is_refused(arguments: tuple[str, ...]) -> None:
    message = refused(*arguments)
    assert f"there is no command '{arguments[0]}', and no problem of that name" in message


@pytest.mark.parametrize("option", ["-o", "--output"])
def test_output_goes_to_a_file_in_the_format_of_its_ending(folder: Path, option: str) -> None:
    result = invoked("solve", "hw", option, "out.json")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "wrote out.json\n")
    assert json.loads((folder / "out.json").read_text())["title"] == "Mine"
    invoked("solve", "hw", option, "out.md")
    assert (folder / "out.md").read_text().startswith("# Mine\n")


def test_a_file_is_overwritten_only_by_force(folder: Path) -> None:
    written(folder, "out.txt", "precious")
    assert "--force overwrites it" in refused("solve", "hw", "-o", "out.txt")
    assert (folder / "out.txt").read_text() == "precious"
    assert invoked("solve", "hw", "-o", "out.txt", "--force").exit_code == 0
    assert (folder / "out.txt").read_text().startswith("Mine\n")


def test_a_report_is_written_though_something_is_wrong(folder: Path) -> None:
    result = invoked("check", "hw", "answers/ada.yaml", "-o", "report.csv")
    assert result.exit_code == 1
    assert (folder / "report.csv").read_text().startswith("file,marks,of")


def test_nothing_is_written_of_what_failed(folder: Path) -> None:
    written(folder, "bad.yaml", "inputs: [[1]]\nwieghts: identity\n")
    assert invoked("solve", "bad", "-o", "out.txt").exit_code == 2
    assert not (folder / "out.txt").exists()


def test_colours_stay_out_of_files_that_nobody_asked_to_colour(folder: Path) -> None:
    invoked("solve", "hw", "-o", "out.txt", FORCE_COLOR="1")
    assert "\x1b" not in (folder / "out.txt").read_text()


@pytest.mark.parametrize(("command", "supported"), [("solve", PRINTED), ("lint", PRINTED), ("export", endings())])
def test_an_ending_that_is_not_supported_gets_one_message(command: str, supported: list[str]) -> None:
    message = refused(command, "hw", "-o", "out.pdf")
    assert f"files that end in .pdf can't be written\n    supported endings: {', '.join(supported)}" in message


def test_the_help_of_export_names_the_endings_that_there_are() -> None:
    assert f"its ending ({', '.join(endings())})" in " ".join(invoked("export", "--help").stdout.split())


def test_export_takes_its_output_either_way(folder: Path) -> None:
    assert invoked("export", "hw", "-o", "a.md").stderr == "wrote a.md\n"
    assert invoked("export", "hw", "b.md").stderr == "wrote b.md\n"
    assert (folder / "a.md").read_text() == (folder / "b.md").read_text()
    assert "attnsolve export hw -o solution.md" in refused("export", "hw")


def test_capitals_make_no_difference_to_an_ending(folder: Path) -> None:
    for command in ("solve", "export"):
        assert invoked(command, "hw", "-o", f"{command}.MD").exit_code == 0
        assert (folder / f"{command}.MD").read_text().startswith("# Mine\n")


@pytest.mark.parametrize(("words", "usage"), [(("help",), "[OPTIONS] COMMAND"), (("help", "solve"), "solve [OPTIONS]")])
def test_help_is_a_command_too(words: tuple[str, ...], usage: str) -> None:
    result = invoked(*words)
    assert result.exit_code == 0
    assert f"Usage: attnsolve {usage}" in result.stdout


def test_md_is_markdown() -> None:
    assert invoked("solve", "hw", "--format", "md").stdout == invoked("solve", "hw", "--format", "markdown").stdout


def test_a_folder_of_answers_is_checked() -> None:
    result = invoked("check", "hw", "answers")
    assert result.exit_code == 1
    lines, summary = result.stdout.split("\n\n", 1)
    assert [line.split(":")[0] for line in lines.splitlines()] == ["answers/ada.yaml", "answers/bob.yaml"]
    assert summary.startswith("The class\n")


def test_the_problem_is_none_of_the_answers_beside_it(folder: Path) -> None:
    written(folder, "ada.yaml", ANSWERS)
    assert invoked("check", "hw", ".").stdout.startswith("ada.yaml: ")


def test_a_folder_without_answers_is_refused(folder: Path) -> None:
    (folder / "empty").mkdir()
    assert "empty: there are no answers in this folder" in refused("check", "hw", "empty")


@pytest.mark.parametrize("answers", ["answers/ada.yaml", "answers"])
def test_answers_before_their_problem_get_the_right_command(answers: str) -> None:
    message = refused("check", answers, "hw")
    assert message.endswith(f"the problem comes first\n    attnsolve check hw.yaml {answers}")
