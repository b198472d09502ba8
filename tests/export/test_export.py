"""Files written whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import re
import xml.etree.ElementTree as ET
from importlib import import_module
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from shared.worksheets import worked

from attnsolve import export as exporting
from attnsolve.errors import FileProblem, RequestError
from attnsolve.export import as_text, export
from attnsolve.export.formats import Options, endings
from attnsolve.loading.files import load_one, parse
from attnsolve.loading.sources import bundled
from attnsolve.narrate.narrated import Narrated
from attnsolve.narrate.steps import Narration
from attnsolve.pipeline import solve
from attnsolve.publish import write_all
from attnsolve.render.github import MOST_BYTES, traps
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution
from attnsolve.solution.solved import Detail

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = ROOT / "problems" / "solutions"


def can_be_blank(ending: str) -> bool:
    """Whether a format can leave the answers out."""
    return "--solutions" in import_module(f"attnsolve.export.formats{ending}").HONOURS


@pytest.fixture
def discussion() -> Solution:
    return solve(load_one("discussion-10-qkv"))


def test_the_ending_chooses_the_format(discussion: Solution, tmp_path: Path) -> None:
    assert {".json", ".md", ".txt"} <= {*endings()}
    for ending in endings():
        (path,) = export([discussion], tmp_path / f"out{ending}", Narration(), Options())
        assert path.name == f"out{ending}"
    assert (tmp_path / "out.md").read_text(encoding="utf-8").startswith("# Query, key and value")
    assert "━━ (a) ━" in (tmp_path / "out.txt").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["kind"] == "attention"


@pytest.mark.parametrize("name", ["out.pdf", "out", "out.mdd"])
def test_an_unknown_ending_lists_the_known_ones(discussion: Solution, tmp_path: Path, name: str) -> None:
    with pytest.raises(RequestError, match=re.escape(", ".join(endings()))):
        export([discussion], tmp_path / name, Narration(), Options())
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten_without_force(discussion: Solution, tmp_path: Path) -> None:
    path = tmp_path / "out.md"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(FileProblem, match="--force"):
        export([discussion], path, Narration(), Options())
    assert path.read_text(encoding="utf-8") == "mine"
    export([discussion], path, Narration(), Options(), force=True)
    assert path.read_text(encoding="utf-8").startswith("# Query")


def test_a_full_disk_leaves_the_old_file_and_no_rubbish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "old.md"
    old.write_text("old", encoding="utf-8")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileProblem, match="No space left on device"):
        write_all([(tmp_path / "new.md", "new"), (old, "newer")], force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["old.md"]
    assert old.read_text(encoding="utf-8") == "old"


def test_all_files_are_refused_if_one_is_there(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("b", encoding="utf-8")
    with pytest.raises(FileProblem):
        write_all([(tmp_path / "a.md", "a"), (tmp_path / "b.md", "new")], force=False)
    assert not (tmp_path / "a.md").exists()


@pytest.mark.parametrize(("path", "says"), [("no/such/out.md", "No such file or directory"), (".", "this is a folder")])
def test_a_place_that_can_not_be_written_is_said_so(tmp_path: Path, path: str, says: str) -> None:
    with pytest.raises(FileProblem, match=says):
        write_all([(tmp_path / path, "x")], force=True)


def test_separate_gives_the_sheet_and_its_key(discussion: Solution, tmp_path: Path) -> None:
    paths = export([discussion], tmp_path / "sheet.md", Narration(), Options(), "separate")
    assert [path.name for path in paths] == ["sheet.md", "sheet.solutions.md"]
    sheet, key = (path.read_text(encoding="utf-8") for path in paths)
    assert "&nbsp;" in sheet
    assert "&nbsp;" not in key
    assert r"\mathbf{q}_1 =" in key
    assert r"\mathbf{q}_1 =" not in sheet


def test_none_gives_the_blank_sheet(discussion: Solution) -> None:
    (file,) = as_text([discussion], ".md", Narration(), Options(), "none")
    assert "&nbsp;" in file.text
    assert "Compute the query, key and value vectors" in file.text


@pytest.mark.parametrize("mode", ["none", "separate"])
def test_a_format_that_has_all_answers_is_no_blank_sheet(
    discussion: Solution, tmp_path: Path, mode: exporting.Solutions
) -> None:
    others = " or ".join(ending for ending in endings() if can_be_blank(ending))
    with pytest.raises(RequestError, match=rf"\.json file contains all the answers: .* as {re.escape(others)}"):
        export([discussion], tmp_path / "out.json", Narration(), Options(), mode)
    assert list(tmp_path.iterdir()) == []


def test_the_endings_are_listed_once(discussion: Solution, tmp_path: Path) -> None:
    for name in ("out.pdf", "out", "out.mdd"):
        with pytest.raises(RequestError) as raised:
            export([discussion], tmp_path / name, Narration(), Options())
        assert str(raised.value).count(".json") == 1


def test_several_problems_become_one_worksheet_with_contents(discussion: Solution) -> None:
    causal = solve(load_one("causal-mask"))
    (file,) = as_text([discussion, causal], ".md", Narration(), Options(), "inline")
    lines = file.text.splitlines()
    assert lines[0] == "# Worked solutions"
    links = [token for token in MarkdownIt().parse(file.text) if token.type == "inline" and "](#" in token.content]
    assert len(links) == 2
    assert "## Problem 2: A causal mask on four tokens" in lines
    assert "- [Problem 2: A causal mask on four tokens](#problem-2-a-causal-mask-on-four-tokens)" in lines
    assert traps(file.text) == []


def test_pictures_stand_beside_the_markdown(discussion: Solution, tmp_path: Path) -> None:
    causal = solve(load_one("causal-mask"))
    two = solve(load_one("two-heads-thinking-machine"))
    paths = export([causal, two], tmp_path / "w.md", Narration(detail="brief", figures=True), Options())
    names = sorted(path.name for path in paths)
    assert names == ["w.1.weights.svg", "w.2.weights-0.svg", "w.2.weights-1.svg", "w.md"]
    text = (tmp_path / "w.md").read_text(encoding="utf-8")
    for name in names[:-1]:
        assert f"]({name})" in text
    svg = ET.parse(tmp_path / "w.1.weights.svg").getroot()
    namespace = {"s": "http://www.w3.org/2000/svg"}
    texts = [element.text for element in svg.findall("s:text", namespace)]
    assert texts[:4] == ["the", "cat", "sat", "down"]
    assert "0.8044" in texts
    opacities = [element.get("fill-opacity") for element in svg.findall("s:rect", namespace)][1:]
    assert opacities[:4] == ["1.000", "0.000", "0.000", "0.000"]


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_the_weights_of_one_token_are_drawn_once_for_a_part(tmp_path: Path, layout: str) -> None:
    text = f"tokens: [the, cat]\ninputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\nlayout: {layout}\nparts:\n"
    parts = "  a: {find: weights, for: cat}\n  b: {find: weights, for: cat}\n  c: {find: context, for: the}\n"
    (problem,) = parse(text + parts, "p.yaml")
    paths = export([solve(problem)], tmp_path / "w.md", Narration(figures=True), Options())
    assert [path.name for path in paths] == ["w.md", "w.weights-of-2.svg", "w.weights-of-1.svg"]
    namespace = {"s": "http://www.w3.org/2000/svg"}
    texts = [element.text for element in ET.parse(paths[1]).getroot().findall("s:text", namespace)]
    assert {*texts} >= {"cat", "the", "0.2689", "0.7311"}
    assert len([text for text in texts if text and text.startswith("0.")]) == 2


def test_labels_are_escaped_in_a_picture(tmp_path: Path) -> None:
    (problem,) = parse("tokens: ['</text><script>', b]\ninputs: [[1], [2]]\nweights: identity\n", "p.yaml")
    paths = export([solve(problem)], tmp_path / "w.md", Narration(figures=True), Options())
    svg = next(path for path in paths if path.suffix == ".svg").read_text(encoding="utf-8")
    assert "<script>" not in svg
    assert "&lt;script&gt;" in svg


def test_a_worksheet_too_long_for_github_is_split(tmp_path: Path) -> None:
    solutions = [solve(load_one("two-heads-thinking-machine"))] * 12
    paths = export(solutions, tmp_path / "long.md", Narration(detail="full"), Options())
    assert [path.name for path in paths[:2]] == ["long.md", "long-2.md"]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert len(text.encode()) < MOST_BYTES
        assert traps(text) == []
    assert "(long-2.md)" in paths[0].read_text(encoding="utf-8")


LARGE = f"inputs: {[[1] * 30] * 30}\nweights: identity\nscaling: none\n"
COMMAND = re.compile(r"--[a-z]+|\battnsolve [a-z]+", re.ASCII)


MODES = ("inline", "none", "separate")
FEWEST = [(ending, "separate" if can_be_blank(ending) else "inline") for ending in endings()]
"""Every format, with the sheet and its key where it has both."""
FILES = [(ending, mode) for ending in endings() for mode in MODES if mode == "inline" or can_be_blank(ending)]


@pytest.mark.parametrize(("ending", "mode"), FILES)
@pytest.mark.parametrize("text", [LARGE, LARGE + "numbers: float\n"])
def test_no_file_tells_its_reader_what_to_type(text: str, ending: str, mode: exporting.Solutions) -> None:
    """Hints for the command line stay there: whoever reads a file has none."""
    assert_no_commands([solve(problem) for problem in parse(text, "p.yaml")], ending, mode, ("brief", "normal"))


@pytest.mark.parametrize(("ending", "mode"), FEWEST)
def test_no_file_of_a_bundled_problem_does(ending: str, mode: exporting.Solutions) -> None:
    assert_no_commands([*map(worked, bundled())], ending, mode, ("brief", "normal", "full"))


def assert_no_commands(
    solutions: list[Narrated], ending: str, mode: exporting.Solutions, details: tuple[Detail, ...]
) -> None:
    for detail in details:
        for _, written in exporting.as_files(solutions, Path(f"a{ending}"), Narration(detail), Options(), mode):
            assert COMMAND.findall(written) == []


def test_a_reader_at_a_terminal_is_told_what_to_type() -> None:
    (large,) = parse(LARGE, "p.yaml")
    for document in (worked("causal-mask").steps(), solve(large).steps()):
        assert "(--detail full shows" in render(document, hints=True)
        assert "--detail" not in render(document)


@pytest.mark.parametrize("name", bundled())
def test_the_exported_solutions_are_up_to_date(name: str, request: pytest.FixtureRequest) -> None:
    (file,) = as_text([worked(name)], ".md", Narration(), Options(stem=name), "inline")
    path = SOLUTIONS / f"{name}.md"
    if request.config.getoption("--golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == file.text


def test_there_is_no_solution_without_a_problem() -> None:
    assert {path.stem for path in SOLUTIONS.glob("*.md")} == set(bundled())


def test_a_notebook_shows_markdown(discussion: Solution) -> None:
    assert "```math" in discussion.to_markdown()
    assert discussion._repr_markdown_().startswith("# Query")
    assert "$$" in discussion._repr_markdown_()
