"""README.md and the guide are run, not believed."""

from __future__ import annotations

import contextlib
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from recorded.commands import NAMES
from shared.declared import TABLES
from shared.pages import PAGES, ROOT, TABLE, Command, Page
from shared.program import run

from attnsolve.check.answers import read_answers
from attnsolve.check.marking import mark as marked
from attnsolve.check.marking import true_value
from attnsolve.check.run import check, load_solution
from attnsolve.contract.problem_schema import schema
from attnsolve.contract.schemas import contracts
from attnsolve.guide import PAGES as GUIDE
from attnsolve.language.functions import CLAIMED, FUNCTIONS
from attnsolve.loading.files import KINDS, parse
from attnsolve.loading.sources import bundled
from attnsolve.narrate.view import SolutionView
from attnsolve.notation.text import TextPrinter
from attnsolve.operations.call import NAMED
from attnsolve.pipeline import solve
from attnsolve.spec.reader import read_documents
from attnsolve.spec.seq2seq import SCORES

PAGE = {path.stem: Page(path) for path in PAGES}
README = PAGE["README"]
MARKING = PAGE["marking"]
NEW = "python tests/readme_output.py writes it anew"
every_page = pytest.mark.parametrize("page", PAGE.values(), ids=PAGE)


def published() -> list[tuple[str, ...]]:
    """The rows of the table of published keys."""
    (table,) = (found[0] for found in TABLE.finditer(MARKING.text) if found[1] == "sheet")
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table.splitlines()[2:]]


# ── what is quoted ──────────────────────────────────────────────────────────────────────────────


def test_the_two_first_commands_install_and_run() -> None:
    lines = [command.line for command in README.commands]
    assert lines[0] == "python3 -m pip install . && attnsolve solve problems/discussion-10-qkv.yaml"
    others = [line for line in lines[1:] if not line.startswith("attnsolve ")]
    assert others == ["python3 -m pip install -e '.[dev]' && pytest"]


def test_the_first_screen_solves_marks_and_exports_a_sheet() -> None:
    assert len(README.text.split("\n## ")[0].splitlines()) <= 50
    assert [line.split()[:2] for line in (c.line for c in README.commands[1:3])] == [
        ["attnsolve", "check"],
        ["attnsolve", "export"],
    ]


def test_the_picture_comes_after_the_problem_that_it_shows() -> None:
    assert README.text.index("# it.yaml") < README.text.index("terminal.svg")


@every_page
def test_a_page_says_what_is_printed_and_declared(page: Page) -> None:
    assert page.text == page.as_run(), NEW


@every_page
def test_a_command_without_output_beside_it_succeeds(page: Page) -> None:
    silent = [command.line for command in page.commands if command.is_run and not command.shown]
    assert {line: page.outcomes[line] for line in silent if page.outcomes[line][0] != 0} == {}
    assert [line for line in silent if not page.outcomes[line][1].strip()] == []


def test_one_example_alone_is_refused() -> None:
    codes = {line: code for page in PAGE.values() for line, (code, _) in page.outcomes.items()}
    assert [line for line, code in codes.items() if code == 2] == ["attnsolve solve slips.yaml"]


def test_the_picture_is_what_the_terminal_shows() -> None:
    drawn = README.drawn()
    assert [*drawn] == [ROOT / "problems/solutions/terminal.svg"]
    for path, picture in drawn.items():
        assert path.read_text(encoding="utf-8") == picture, NEW
        assert len(re.findall(r"<rect [^>]*height=\"17\"", picture)) >= 5  # the heat map


@every_page
def test_every_problem_shown_can_be_solved(page: Page) -> None:
    for text in page.problems:
        for problem in parse(text, page.name):
            solve(problem).to_document()


@every_page
def test_the_python_shown_runs(page: Page) -> None:
    for code in page.blocks("python"):
        if not code.startswith(">>>"):
            exec(compile(code, page.name, "exec"), {})


@every_page
def test_blocks_are_of_a_language_that_is_tested(page: Page) -> None:
    assert {*re.findall(r"^```(\w+)$", page.text, re.MULTILINE)} <= {"console", "yaml", "python", "text"}
    assert "\n...\n" not in page.text, NEW


def test_what_the_readme_says_one_can_do_can_be_done() -> None:
    rows = README.text.split("## I want to …")[1].split("\n## ")[0]
    wanted = re.findall(r"`(attnsolve [^`]+)`", rows)
    assert len(wanted) > 10
    with README.folder() as folder, contextlib.chdir(folder):
        for name, text in (PAGE["claims"].files | PAGE["problems"].files).items():
            (folder / name).write_text(text, encoding="utf-8")
        codes = {line: run(Command(line, "").words).code for line in wanted}
    assert {line: code for line, code in codes.items() if code != line.startswith("attnsolve check")} == {}


def test_the_first_example_is_worth_looking_at() -> None:
    (problem,) = parse(README.files["it.yaml"], "README.md")
    weights = solve(problem)["weights"].array
    assert weights.min() > 0.05
    assert weights.max() > 0.7
    assert len(README.files["it.yaml"].splitlines()) <= 12


# ── what is declared ────────────────────────────────────────────────────────────────────────────


def test_every_declared_table_is_in_the_guide_once() -> None:
    found = [table[1] for page in PAGE.values() for table in TABLE.finditer(page.text) if table[1] in TABLES]
    assert sorted(found) == sorted(TABLES)


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_a_kind_is_in_the_tables(kind: str) -> None:
    rows = TABLES["any kind"]() + TABLES[f"kind: {kind}"]()
    assert [key for key in schema()["$defs"][kind]["properties"] if f"| `{key}` | " not in rows] == []


@pytest.mark.parametrize(("kind", "name"), [("derivation", "claims"), ("random-keys", "random-keys")])
def test_the_keys_that_an_argument_takes_are_named(kind: str, name: str) -> None:
    module = import_module(KINDS[kind])
    taken = [key for key in schema()["$defs"][kind]["properties"] if key not in module.KEYS and key != "kind"]
    assert sorted(taken) == sorted(["title", "source", "digits", "text", "parts"])
    assert "takes `title`, `source`, `digits`, `text` and `parts`" in PAGE[name].text


def test_every_function_of_claims_is_named() -> None:
    language = PAGE["claims"].text.split("## The language of claims")[1]
    assert [word for word in CLAIMED if not re.search(rf"(?<!\w){word}(?!\w)", language)] == []


def test_every_function_of_a_sheet_is_in_the_table() -> None:
    page = PAGE["formulas"].text
    assert [name for name in FUNCTIONS if name in NAMED and not re.search(rf"(?<!\w){name}(?!\w)", page)] == []


def test_every_score_is_in_the_table() -> None:
    assert [score for score in SCORES if f"| `{score}` |" not in PAGE["seq2seq"].text] == []


def test_every_key_of_the_json_is_named() -> None:
    table = PAGE["formats"].text.split("## JSON")[1]
    keys = contracts()["solution"]["properties"]
    assert [key for key in keys if f"`{key}`" not in table] == []


def test_every_command_is_named() -> None:
    everything = "".join(page.text for page in PAGE.values())
    assert [name for name in NAMES if f"attnsolve {name}" not in everything] == []


def test_every_folder_of_the_package_is_on_the_map() -> None:
    folders = {path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("attnsolve/*/__init__.py")}
    assert {folder for folder in folders if f"| `{folder}/` |" not in PAGE["contributing"].text} == set()


# ── marking ─────────────────────────────────────────────────────────────────────────────────────


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


def test_the_readme_names_the_sheets_and_figures_of_that_table() -> None:
    (bullet,) = re.findall(r"^- \*\*It marks answers.*?(?=^- )", README.text, re.MULTILINE | re.DOTALL)
    assert [sheet for sheet, *_ in published() if sheet not in bullet] == []
    figures = {figure for _, entry, printed, true, _ in published() for figure in (entry, printed, true)}
    bare = re.sub("|".join({sheet for sheet, *_ in published()}), "", bullet)
    quoted = re.findall(r"[a-z][₀-₉,]*[₀-₉]|−?\d+(?:\.\d+)?", bare)
    assert len(quoted) >= 7
    assert {*quoted} - figures == set()


def test_the_answers_shown_are_marked() -> None:
    solution = load_solution("discussion-10-qkv")
    text = MARKING.files["answers.yaml"]
    answers = read_answers(read_documents(text, "answers.yaml")[0], solution.graph, "answers.yaml")
    assert answers.faults == []
    assert marked(solution, answers).counts()["wrong"] == 1


# ── what they lead to ───────────────────────────────────────────────────────────────────────────


@every_page
def test_every_link_leads_somewhere(page: Page) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", page.text):
        path, _, heading = link.partition("#")
        target = page.path.parent / path
        assert target.exists(), link
        if heading:
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {title.lower().replace(" ", "-") for title in titles}, link


def test_the_readme_links_every_solution_and_every_page() -> None:
    links = {*re.findall(r"\]\(([^)#]+)\)", README.text)}
    assert {f"problems/solutions/{name}.md" for name in bundled()} <= links
    assert {f"attnsolve/guide/{name}.md" for name in GUIDE} <= links


def test_what_contributors_look_for_leads_to_the_guide() -> None:
    pointer = ROOT / ".github" / "CONTRIBUTING.md"
    text = pointer.read_text(encoding="utf-8")
    (link,) = re.findall(r"\]\(([^)]+)\)", text)
    assert (pointer.parent / link).resolve() == ROOT / "attnsolve/guide/contributing.md"
    assert len(text.splitlines()) < 10


@every_page
def test_every_file_that_is_named_is_there(page: Page) -> None:
    named = {*re.findall(r"(?:tests|problems|attnsolve)/[\w./-]+\.\w+", page.text)}
    assert {name for name in named if not (ROOT / name).exists()} - {"attnsolve/guide"} == set()


def test_the_readme_is_short() -> None:
    assert len(README.text.splitlines()) <= 150


def test_every_dependency_is_accounted_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.match(r"[A-Za-z-]+", dependency)[0].lower() for dependency in project["dependencies"]]
    standing = PAGE["contributing"].text.split("## What it stands on")[1].lower()
    assert [name for name in names if name not in standing] == []


def test_the_bundled_problems_are_the_ones_in_the_folder() -> None:
    assert {*bundled()} == {path.stem for path in Path(ROOT, "problems").glob("*.yaml")}
    assert len(bundled()) >= 7
