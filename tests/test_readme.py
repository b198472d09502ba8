"""The README is run, not believed."""

from __future__ import annotations

import re
import shlex
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from attnsolve.algebra.declaring import SORTS
from attnsolve.check.answers import read_answers
from attnsolve.check.marking import mark as marked
from attnsolve.check.marking import true_value
from attnsolve.check.run import check, load_solution
from attnsolve.cli import app
from attnsolve.derivations import TOPICS
from attnsolve.language.functions import CLAIMED
from attnsolve.loader import KINDS, bundled, load_one, parse
from attnsolve.narrate.parts import answer
from attnsolve.narrate.steps import Telling, narrate
from attnsolve.narrate.view import SolutionView
from attnsolve.notation.text import TextPrinter
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.spec.problem import HEADER
from attnsolve.spec.reader import read_documents
from attnsolve.spec.seq2seq import SCORES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


COMMANDS = [line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ ")]


def test_the_two_first_commands_install_and_run() -> None:
    assert COMMANDS[0] == "python3 -m pip install . && attnsolve solve problems/discussion-10-qkv.yaml"
    assert COMMANDS[1] == "python3 -m pip install -e '.[dev]' && pytest"


@pytest.mark.parametrize("command", COMMANDS[2:])
def test_every_other_command_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = shlex.split(command)
    assert program == "attnsolve"
    with pytest.raises(SystemExit) as end:
        app(arguments)
    assert end.value.code == 0
    assert capsys.readouterr().out.strip()


def test_the_output_shown_is_the_output_printed() -> None:
    (shown,) = blocks("text")
    document = narrate(solve(load_one("discussion-10-qkv")), Telling(only=("context",), tokens=("x_3",)))
    assert shown.strip() in render(document, hints=True)


def test_the_problem_shown_can_be_solved() -> None:
    text, parts, *_ = blocks("yaml")
    (problem,) = parse(text + parts, "README.md")
    assert solve(problem)["context"].shape == (2, 2)
    shown = render(answer(solve(problem)))
    assert "From part (a): q₂, K." in shown
    assert "(A V)ᵢ" in shown


def test_the_claim_shown_is_proved() -> None:
    (text,) = [text for text in blocks("yaml") if "topic: claim" in text]
    (problem,) = parse(text, "README.md")
    assert "Proved at n = 1, 2, 3:" in render(solve(problem).tell())


def test_every_topic_function_and_sort_is_named() -> None:
    text = README[README.index("### Derivations") : README.index("### Random keys")]
    assert [word for word in (*TOPICS, *CLAIMED, *SORTS) if not re.search(rf"(?<!\w){word}(?!\w)", text)] == []


def test_the_python_shown_runs() -> None:
    for code in blocks("python"):
        exec(compile(code, "README.md", "exec"), {})


def tables(first: str = "key") -> list[str]:
    """Each table of the README that starts with a column of that name, as one text."""
    return re.findall(rf"^\| {first} \|.*\n(?:\|.*\n)+", README, re.MULTILINE)


@pytest.mark.parametrize(("kind", "table"), [*zip(KINDS, tables(), strict=True)])
def test_every_key_is_in_the_table_of_its_kind(kind: str, table: str) -> None:
    assert [key for key in import_module(KINDS[kind]).KEYS if f"`{key}`" not in table] == []


def test_the_keys_of_every_kind_are_in_the_first_table() -> None:
    assert [key for key in HEADER if key != "kind" and f"`{key}`" not in tables()[0]] == []


def test_every_score_is_in_the_table() -> None:
    assert [score for score in SCORES if f"`{score}`" not in tables()[1]] == []


def published() -> list[tuple[str, ...]]:
    """The rows of the table of published keys."""
    (table,) = tables("sheet")
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table.splitlines()[2:]]


@pytest.mark.parametrize("sheet", sorted({row[0] for row in published()}))
def test_what_the_table_says_of_a_published_key_is_what_is_found(sheet: str) -> None:
    checked = check(load_solution(sheet), None)
    view = SolutionView(checked.marking.solution, checked.marking.solution.figures())
    printer = TextPrinter()
    found = []
    for mark in checked.marking.marks.values():
        if mark.verdict == "wrong" or (
            mark.verdict == "slip" and mark.judgement.why != "rounded values were carried forward"
        ):
            true = view.figures.decimal(true_value(checked.marking.solution, mark.cell)).notation
            found.append((sheet, printer.print(view.cell(*mark.cell)), mark.written.text, printer.print(true)))
    assert found == [row[:4] for row in published() if row[0] == sheet]


def test_the_answers_shown_are_marked() -> None:
    (text,) = [text for text in blocks("yaml") if "z_{3,1}" in text]
    solution = load_solution("discussion-10-qkv")
    answers = read_answers(read_documents(text, "README.md")[0], solution.graph, "README.md")
    assert answers.faults == []
    assert marked(solution, answers).counts()["wrong"] == 1


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []
    assert {f"problems/solutions/{name}.md" for name in bundled()} <= set(links)


def test_every_dependency_is_accounted_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.match(r"[A-Za-z-]+", dependency)[0] for dependency in project["dependencies"]]
    assert [name for name in names if f"**{name}**" not in README] == []


def test_the_bundled_problems_are_the_ones_in_the_folder() -> None:
    assert set(bundled()) == {path.stem for path in (ROOT / "problems").glob("*.yaml")}
    assert len(bundled()) >= 7


def test_every_file_that_is_named_is_there() -> None:
    named = set(re.findall(r"(?:tests|problems|attnsolve)/[\w./-]+\.\w+", README))
    assert len(named) > 20
    assert {name for name in named if not (ROOT / name).exists()} == set()
