"""What Tab offers, in whatever shell, and how it is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from shared.invoked import PROBLEM, invoked, refused, written

from attnsolve.cli import COMMANDS, program
from attnsolve.cli.completion import candidates
from attnsolve.cli.shells import shells


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "ZDOTDIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    parts = "tokens: [hot, tea]\nparts: {a: {find: scores}, b: {find: weights}}\n"
    written(tmp_path, "hw.yaml", PROBLEM + parts + "---\n" + PROBLEM.replace("Mine", "Other"))
    written(tmp_path, "own.yaml", "kind: formulas\ngiven: {X: [[1]]}\nformulas: {Total: 2*X}\n")
    written(tmp_path, "steps.yaml", "repeat: {for: {t: 1..2}, start: {H: 1}, each: {H: 2*prev(H)}}\nkind: formulas\n")
    written(tmp_path, "answers/ada.csv", "")
    return tmp_path


def offered(*words: str) -> list[str]:
    return [candidate.word for candidate in candidates(words, program())]


def test_names_may_have_spaces(folder: Path) -> None:
    written(folder, "my hw.yaml", PROBLEM)
    assert offered("solve", "my\\ h") == ["my hw.yaml"]
    assert offered("solve", "my\\ hw.yaml", "--only", "wei") == ["weights"]


def test_commands_and_problem_files_come_first() -> None:
    assert offered("") == [*COMMANDS, "answers/", "hw.yaml", "own.yaml", "steps.yaml"]
    assert offered("ex") == ["explain", "export"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("solve", "caus"), ["causal-mask"]),
        (("solve", "h"), ["hw.yaml"]),
        (("hw.yaml", "--onl"), ["--only"]),
        (("solve", "hw", "--color", "a"), ["auto", "always"]),
        (("solve", "hw", "--color=al"), ["--color=always"]),
        (("solve", "hw", "--color", "=", "al"), ["always"]),
        (("solve", "hw", "--color", "="), ["auto", "always", "never"]),
        (("--color", "never", "lin"), ["lint"]),
        (("solve", "hw", "--only", "we"), ["weights"]),
        (("solve", "own", "--only", ""), ["X", "Total"]),
        (("solve", "steps", "--only", ""), ["H"]),
        (("solve", "seq2seq-dot", "--only", "att"), ["attentional"]),
        (("explain", "hw", "we"), ["weights[1,1]"]),
        (("explain", "hw", "weights[1,1]", ""), []),
        (("solve", "hw", "--for", ""), ["hot", "tea"]),
        (("solve", "hw", "--part", ""), ["a", "b"]),
        (("solve", "hw", "--problem", ""), ["1", "2"]),
        (("check", "hw", "a"), ["answers/"]),
        (("check", "hw", "answers/"), ["answers/ada.csv"]),
        (("new", "x.yaml", "--kind", "seq"), ["seq2seq"]),
        (("new", "x.yaml", "--for", "h"), ["hw.yaml"]),
        (("guide", "cl"), ["claims"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("solve", "hw", "--bound", "second"), ["seconds="]),
        (("solve", "hw", "--nosuch", "hw"), ["hw.yaml"]),
        (("solve", "missing", "--for", ""), []),
    ],
)
def test_what_fits_is_offered(words: tuple[str, ...], expected: list[str]) -> None:
    assert offered(*words) == expected


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_every_command_is_offered_and_explained(command: str) -> None:
    found = candidates([command, "-"], program())
    assert {"--color", "--no-pager", "--help", "-h"} <= {candidate.word for candidate in found}
    assert all(candidate.help for candidate in found)


def test_it_loads_nothing_that_computes() -> None:
    code = (
        "import sys\nsys.argv = ['attnsolve', '__complete', 'explain', 'causal-mask', 'weig']\n"
        "from attnsolve.cli import main\nmain()\n"
        "print(sorted({'sympy', 'numpy', 'flint', 'rich'} & set(sys.modules)))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout == "weights[1,1]\tA\n[]\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_it_is_installed_once(folder: Path, shell: str) -> None:
    (folder / "home").mkdir()
    for _ in range(2):
        assert invoked("completion", shell, "--install").exit_code == 0
    place, startup = shells()[shell].place, shells()[shell].startup
    assert place.read_text() == invoked("completion", shell).stdout
    if startup is not None:
        assert startup.read_text().count(str(place)) == 1


def test_what_stands_in_a_startup_file_stays(folder: Path) -> None:
    (folder / "home").mkdir()
    (folder / "home/.bashrc").write_text("alias a=b")
    invoked("completion", "bash", "--install")
    assert (folder / "home/.bashrc").read_text().startswith("alias a=b\nsource '")


def test_the_shell_is_the_users_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert invoked("completion").stdout == shells()["fish"].script
    assert "there is no completion for the shell 'tcsh'" in refused("completion", "tcsh")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_is_offered_what_fits(folder: Path) -> None:
    (folder / "attnsolve").write_text(f'#!/bin/sh\nexec {sys.executable} -m attnsolve "$@"\n')
    (folder / "attnsolve").chmod(0o755)
    script = (
        f"{shells()['bash'].script}\nCOMP_WORDS=(./attnsolve solve hw --only we)\nCOMP_CWORD=4\n"
        '_attnsolve ./attnsolve\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    assert run.stdout == "weights\n"
