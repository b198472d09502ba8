"""The command line as a user meets it, with its streams and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from shared.program import completed

from attnsolve.export.formats import endings

PROBLEM = "inputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\n"


def attnsolve(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own where that has an environment of its own; else in this one."""
    if not environment:
        return completed(cwd or Path.cwd(), *arguments)
    command = [sys.executable, "-m", "attnsolve", *arguments]
    env = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=cwd, env=env, timeout=120)


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(PROBLEM, encoding="utf-8")
    return path


def test_a_file_is_solved_and_the_exit_code_is_0(problem: Path) -> None:
    run = attnsolve("solve", str(problem))
    assert run.returncode == 0
    assert run.stderr == ""
    assert "s₁,₁ = q₁·k₁ = 1·1 + 0·0 = 1" in run.stdout


def test_piped_output_has_no_escape_codes_and_80_columns(problem: Path) -> None:
    run = attnsolve("solve", str(problem), COLUMNS="200", FORCE_COLOR="")
    assert "\x1b" not in run.stdout
    assert max(map(len, run.stdout.splitlines())) == 80


def test_a_stream_that_is_not_utf_8_gets_ascii(problem: Path) -> None:
    run = attnsolve("solve", str(problem), PYTHONIOENCODING="ascii")
    assert run.returncode == 0
    assert run.stdout.isascii()
    assert "s_{1,1} = q_1*k_1 = 1*1 + 0*0 = 1" in run.stdout


def test_a_bundled_problem_is_found_by_name_from_any_folder(tmp_path: Path) -> None:
    run = attnsolve("solve", "discussion-10-qkv", "--detail", "brief", cwd=tmp_path)
    assert run.returncode == 0
    assert "Discussion 10, problem 1" in run.stdout


def test_several_files_and_problems_are_solved_in_order(problem: Path) -> None:
    problem.write_text(f"title: first\n{PROBLEM}---\ntitle: second\n{PROBLEM}", encoding="utf-8")
    run = attnsolve("solve", str(problem), "base-2-softmax", "--format", "json")
    titles = [json.loads(line)["title"] for line in run.stdout.splitlines()]
    assert titles == ["first", "second", "A softmax that stays rational"]


def test_faults_go_to_stderr_with_their_places(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("inputs: [[1, 2], [3]]\nwieghts: identity\nscaling: 0\n", encoding="utf-8")
    run = attnsolve("solve", "bad.yaml", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.splitlines() == [
        "bad.yaml:1:18: row 2 of inputs has 1 number, but row 1 has 2",
        "bad.yaml:2:1: unknown key 'wieghts'",
        "    did you mean weights?",
        "bad.yaml:3:10: scaling: 0 would divide by zero",
        "    write none to leave the scores as they are",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("solve", "no-such.yaml"), "no such file"),
        (("solve", "."), "this is a folder"),
        (("solve", "discussion-10-qkv", "--for", "x_9"), "no such token"),
        (("solve", "discussion-10-qkv", "--only", "quries"), "did you mean queries?"),
        (("solve", "discussion-10-qkv", "--digits", "0"), "--digits"),
        (("solve", "discussion-10-qkv", "--format", "pdf"), "--format"),
        (("solve", "discussion-10-qkv", "--width", "10"), "--width"),
        (("explain", "discussion-10-qkv", "scores[9,9]"), "rows 1 to 3"),
        (("slove", "discussion-10-qkv"), "slove"),
        (("solve", "discussion-10-qkv", "--part", "z"), "there is no such part"),
        (("export", "discussion-10-qkv"), "the file to write"),
        (("export", "discussion-10-qkv", "out.pdf"), f"supported endings: {', '.join(endings())}"),
        (("export", "discussion-10-qkv", "no/such/folder/out.md"), "No such file or directory"),
        (("new", "x.yaml", "--kind", "atention"), "did you mean attention?"),
    ],
)
def test_a_wrong_command_line_ends_with_2_and_one_message(arguments: tuple[str, ...], message: str) -> None:
    run = attnsolve(*arguments)
    assert run.returncode == 2
    assert run.stdout == ""
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_one_part_is_answered() -> None:
    run = attnsolve("solve", "discussion-10-qkv", "--part", "b")
    assert run.returncode == 0
    assert "z₃,₁ = q₃·k₁ = 1·(−6) + (−2)·0 + 8·1 = 2" in run.stdout
    assert "(a)" in run.stdout
    assert "━━ (c)" not in run.stdout


def test_markdown_goes_to_stdout_in_the_wanted_flavour() -> None:
    run = attnsolve("solve", "base-2-softmax", "--format", "markdown", "--math", "dollar")
    assert run.stdout.startswith("# A softmax that stays rational")
    assert "$$" in run.stdout
    same = attnsolve("export", "base-2-softmax", "-", "--math", "dollar")
    assert same.stdout == run.stdout.rstrip("\n") + "\n"


@pytest.mark.parametrize(
    ("output", "options", "idle"),
    [
        ("out.txt", ("--figures", "--width", "60"), ["--figures has no effect on a .txt file"]),
        ("out.json", ("--math", "dollar"), ["--math has no effect on a .json file"]),
        ("out.md", ("--figures", "--math", "dollar"), []),
    ],
)
def test_options_without_effect_are_named(
    tmp_path: Path, output: str, options: tuple[str, ...], idle: list[str]
) -> None:
    run = attnsolve("export", "base-2-softmax", output, *options, cwd=tmp_path)
    assert run.returncode == 0
    assert [line for line in run.stderr.splitlines() if not line.startswith("wrote ")] == idle


def test_export_writes_a_file_and_says_so(tmp_path: Path) -> None:
    run = attnsolve("export", "base-2-softmax", "out.md", cwd=tmp_path)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "wrote out.md\n")
    again = attnsolve("export", "base-2-softmax", "out.md", cwd=tmp_path)
    assert again.returncode == 2
    assert "--force" in again.stderr


def test_a_new_file_can_be_solved_at_once(tmp_path: Path) -> None:
    assert attnsolve("new", "mine.yaml", cwd=tmp_path).returncode == 0
    assert attnsolve("solve", "mine.yaml", cwd=tmp_path).returncode == 0
    assert attnsolve("new", "mine.yaml", cwd=tmp_path).returncode == 2


def test_the_bundled_problems_are_listed() -> None:
    text = attnsolve("list").stdout
    assert "discussion-10-qkv\n    Query, key and value in transformer attention (attention; Discussion 10" in text
    assert "    parts a, b, c, d, e, f" in text


def test_the_schema_is_json() -> None:
    assert json.loads(attnsolve("schema").stdout)["title"] == "attnsolve problem"


def test_a_closed_pipe_ends_quietly() -> None:
    command = [sys.executable, "-m", "attnsolve", "solve", "two-heads-thinking-machine", "--detail", "full"]
    env = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


FAULTY = (
    "inputs: [[1, 2], [3]]\nweights: identity\n",
    "inputs: [[1]]\nwieghts: identity\n",
    "kind: seq2seq\nstat: [1]\n",
)


def test_help_lists_schemas_and_faults_load_neither_sympy_nor_numpy(tmp_path: Path) -> None:
    """Each in turn in one process, with what had been loaded after it."""
    files = [tmp_path / f"{number}.yaml" for number in range(len(FAULTY))]
    for path, text in zip(files, FAULTY, strict=True):
        path.write_text(text, encoding="utf-8")
    schemas = [["schema", "--of", of] for of in ("problem", "solution", "check", "lint")]
    commands = [["--help"], ["solve", "--help"], ["list"], *schemas, *(["solve", str(path)] for path in files)]
    code = (
        "import sys\nfrom attnsolve.cli import app\nfrom attnsolve.errors import ProblemError\n"
        f"for command in {commands!r}:\n"
        "    try:\n        app(command)\n    except (SystemExit, ProblemError) as end:\n"
        "        loaded = sorted({'sympy', 'numpy', 'flint'} & set(sys.modules))\n"
        "        print('loaded', getattr(end, 'code', 2), loaded, command, file=sys.stderr)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    codes = [2 if command[-1].endswith(".yaml") else 0 for command in commands]
    told = [f"loaded {code} [] {command}" for code, command in zip(codes, commands, strict=True)]
    assert [line for line in run.stderr.splitlines() if line.startswith("loaded ")] == told


def test_the_version_is_told() -> None:
    assert attnsolve("--version").stdout == "attnsolve 0.1.0\n"
