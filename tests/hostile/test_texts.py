"""Texts that would rather be something else: escape codes, links, markup, mathematics, code. Wherever a file may bring
a text along, and in whatever format it is shown, it stays a text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from shared.program import hidden, run
from shared.structured import written

TERMINAL = (
    "\x1b[31mred\x1b[2J",
    "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\",
    "over\rwritten",
    "two\nlines",
    "\u202eright to left\u202c",
    "\u2066isolated\u2069",
    "zero\u200bwidth\u2060\ufeff",
    "\x9b31m",
    "\u2028\u2029",
    "\U000e0041\U000e0042",
)
MARKUP = (
    "[red]rich[/red]",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[link](http://evil)",
    "![image](http://evil/x.png)",
    "http://evil.example",
    "$x$ and $`y`$",
    "$$ \\input{/etc/passwd} $$",
    "\\write18{rm}\\href{http://evil}{x}",
    "```math\n\\frac\n```",
    "`code` | cell | **bold**",
    "&lt;b&gt; &#60;",
    "~~struck~~",
)
ACTIVE = re.compile(r"<(script|img|a|b|s|strong|em)\b", re.IGNORECASE)


def sheet(text: str) -> str:
    """A problem with the text in every place that takes one."""
    return (
        f"title: {written(text)}\nsource: {written(text)}\ntext: {written(text)}\n"
        f"tokens: [{written(text[:40] + '1')}, {written(text[:40] + '2')}]\n"
        "inputs: [[1, 0], [0, 2]]\nweights: identity\n"
        f"parts:\n  {written(text[:9])}: {{find: scores, text: {written(text)}}}\n  b: {{find: weights}}\n"
        "answers: {scores: [[1, 0], [0, 7]]}\n"
    )


VARIANTS = {
    "terminal": ("solve", "SHEET"),
    "text": ("solve", "SHEET", "--format", "text"),
    "json": ("solve", "SHEET", "--format", "json"),
    "lint": ("lint", "SHEET"),
    "check": ("check", "SHEET"),
    "report": ("check", "SHEET", "--format", "markdown"),
    "blank": ("export", "SHEET", "-", "--solutions", "none"),
    **{f"markdown {math}": ("export", "SHEET", "-", "--math", math) for math in ("github", "dollar", "latex", "none")},
}


def shown(path: Path, variant: str) -> str:
    done = run([str(path) if word == "SHEET" else word for word in VARIANTS[variant]], terminal=variant == "terminal")
    assert done.complaint() == ""
    assert done.code in (0, 1), done.err
    return done.out


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sheet.yaml"


@pytest.mark.parametrize("variant", VARIANTS)
def test_nothing_reaches_a_terminal_but_what_is_to_be_seen(variant: str, path: Path) -> None:
    for start in range(0, len(TERMINAL), 5):
        path.write_text(sheet(" ".join(TERMINAL[start : start + 5])), encoding="utf-8")
        shown(path, variant)


@pytest.mark.parametrize("text", MARKUP)
def test_markdown_shows_markup_as_it_stands(text: str, path: Path) -> None:
    path.write_text(sheet(text), encoding="utf-8")
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for variant in (name for name in VARIANTS if name.startswith(("markdown", "blank"))):
        page = parser.render(shown(path, variant)).replace("<br>", "")
        assert not re.search(r"<(script|img|a)\b|onerror=[^&]*<", page.replace('<a href="#', "<x"))
        first = re.search(r"<h1>(.*)</h1>", page)
        assert first is not None
        assert not ACTIVE.search(first[1])
        assert "<code" not in first[1]


def test_a_terminal_shows_rich_markup_as_it_stands(path: Path) -> None:
    path.write_text(sheet("[red]rich[/red] [/] [link=http://evil]x"), encoding="utf-8")
    out = shown(path, "terminal")
    assert "[red]rich[/red] [/] [link=http://evil]x" in re.sub(r"\x1b\[[0-9;]*m", "", out)
    assert "\x1b]8" not in out


def test_figures_hold_texts_and_no_elements_of_theirs(tmp_path: Path, path: Path) -> None:
    path.write_text(sheet("</text><script>alert(1)</script>"[:20]), encoding="utf-8")
    assert run(["export", str(path), str(tmp_path / "out.md"), "--figures", "--detail", "normal"]).code == 0
    drawings = [file.read_text(encoding="utf-8") for file in tmp_path.glob("*.svg")]
    assert drawings
    for drawing in drawings:
        assert "<script" not in drawing
        assert not hidden(drawing)


@pytest.mark.parametrize("text", [*TERMINAL, *MARKUP, "\udcff"])
@pytest.mark.parametrize("command", ["solve", "check", "new"])
def test_a_file_name_is_told_on_one_line_as_it_stands(text: str, command: str, tmp_path: Path) -> None:
    name = str(tmp_path / text.replace("/", "-"))
    done = run([command, name] if command != "new" else [command, name, "--kind", text])
    assert (done.code, done.out) == (2, "")
    assert done.complaint() == ""
    assert len(done.err.splitlines()) <= 2


@pytest.mark.parametrize("form", ["text", "csv", "json", "markdown"])
def test_file_names_of_a_class_are_shown_as_they_stand(form: str, tmp_path: Path) -> None:
    names = []
    for number, text in enumerate((*TERMINAL[:8], "\udcff", "=1+1", "| x |")):
        names.append(tmp_path / f"{number}{text.replace('/', '-')}.yaml")
        names[-1].write_text("scores: [[1]]\n", encoding="utf-8")
    for some in (names[:4], names[4:8], names[8:]):
        done = run(["check", "causal-mask", *map(str, some), "--format", form])
        assert done.complaint(in_rows=True) == ""
        if form == "json":
            assert [json.loads(line)["file"] for line in done.out.splitlines()] == [str(name) for name in some]


@pytest.mark.parametrize("text", TERMINAL)
def test_answers_are_quoted_as_they_stand(text: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text(f"{written(text)}: [1, 2]\nscores: [[{written(text)}]]\nA: {written(text)}\n", encoding="utf-8")
    done = run(["check", "causal-mask", str(path)])
    assert done.code == 2
    assert done.complaint() == ""
    assert len(done.err.splitlines()) <= 8
