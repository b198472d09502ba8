"""Every renderer on every bundled problem and on random ones: nothing overflows, breaks or fails to parse.

An ordinary run takes a fortieth of all ways to show each problem, another of each; with ATTNSOLVE_EXAMPLES every
way of every problem is tried, and so many random ones.
"""

from __future__ import annotations

import io
import json
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.cells import cell_len
from rich.console import Console
from shared.drawn import combined, encoder_decoders
from shared.effort import tries
from shared.katex import complaints
from shared.worksheets import worked

from attnsolve.contract.json import render as render_json
from attnsolve.contract.schemas import solution as solution_schema
from attnsolve.document import BlankLines, Block, Chart, Contents, Document, Picture, Section, walk
from attnsolve.errors import UnsolvableError
from attnsolve.export import Solutions, as_files
from attnsolve.export.formats import Options
from attnsolve.loading.files import parse
from attnsolve.loading.sources import bundled
from attnsolve.narrate.narrated import Narrated
from attnsolve.notation.text import TextPrinter
from attnsolve.pipeline import solve
from attnsolve.render.github import traps
from attnsolve.render.markdown import FLAVOURS, Flavour
from attnsolve.render.markdown import render as render_markdown
from attnsolve.render.terminal import READABLE, print_document
from attnsolve.render.text import render as render_text
from attnsolve.solution.solved import Detail, Narration

CONTRACT = jsonschema.Draft202012Validator(solution_schema())
WIDTHS = (40, 60, 80, 120, 200)
DETAILS: tuple[Detail, ...] = ("brief", "normal", "full")
SHARE = 1 if "ATTNSOLVE_EXAMPLES" in os.environ else 40
SLOW = ("assignment-2-averaging", "assignment-2-heads", "assignment-2-permutation")
"""Arguments that take seconds to verify, for a long run only."""
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def tellings(problem: Narrated) -> Iterator[Callable[[], Document]]:
    """Every document that can be made of a problem."""
    for detail in DETAILS:
        yield lambda detail=detail: problem.steps(Narration(detail))
    yield problem.to_document
    yield problem.blank
    yield lambda: problem.to_document(Narration(figures=True))


# ── text and terminal ─────────────────────────────────────────────────────────────────────────────


def assert_fits(text: str, width: int) -> None:
    wide = [line for line in text.splitlines() if cell_len(line) > width]
    assert wide == [], f"wider than {width}"


def as_characters(document: Document, width: int, unicode: bool) -> None:
    text = render_text(document, width, unicode, hints=True, readable=READABLE)
    assert_fits(text, width)
    assert unicode or text.isascii()
    assert not re.search(r"[ \t]$|\x1b", text, re.MULTILINE)
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, color_system="truecolor", legacy_windows=False)
    print_document(document, console, width, unicode)
    plain = COLOUR.sub("", stream.getvalue())
    assert_fits(plain, width)
    assert [line.rstrip() for line in plain.rstrip().splitlines()] == text.rstrip().splitlines()


# ── Markdown ──────────────────────────────────────────────────────────────────────────────────────


def headings(blocks: tuple[Block, ...], level: int = 2) -> Iterator[tuple[int, str]]:
    """The levels and titles that a document's sections call for."""
    for block in blocks:
        if isinstance(block, Section):
            title = "".join(part if isinstance(part, str) else TextPrinter().print(part) for part in block.title)
            yield min(level, 6), title.strip()
            yield from headings(block.blocks, level + 1)


def texts(token: Token) -> str:
    return "".join(child.content for child in token.children or ())


def assert_parses(document: Document, text: str, math: Flavour) -> None:
    """A CommonMark parser, with GitHub's tables and strikethrough, finds the headings, pictures and links of the
    document, and nothing else."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    found = [(int(token.tag[1]), texts(inline)) for token, inline in pairwise(tokens) if token.type == "heading_open"]
    assert found == [(1, document.title), *headings(document.blocks)]
    inline = [child for token in tokens for child in token.children or ()]
    raw = [token.content.strip() for token in (*tokens, *inline) if token.type in ("html_block", "html_inline")]
    assert raw == []
    room = sum(block.lines for block in walk(document.blocks) if isinstance(block, BlankLines))
    assert sum(token.type == "inline" and texts(token) == "\u00a0" for token in tokens) == room
    blocks = list(walk(document.blocks))
    contents = sum(len(block.titles) for block in blocks if isinstance(block, Contents))
    drawn = sum(isinstance(block, Picture) or (isinstance(block, Chart) and block.drawn) for block in blocks)
    assert sum(token.type == "link_open" for token in inline) == contents
    assert sum(token.type == "image" for token in inline) == drawn
    assert not any(token.type == "s_open" for token in inline)
    assert_rectangular(tokens)
    fences = [token for token in tokens if token.type == "fence"]
    assert all(token.info in ("math", "text") for token in fences)
    assert complaints(text, math) == []
    if math == "github":
        assert traps(text) == []
        assert len(re.findall("^```math$", text, re.MULTILINE)) == sum(token.info == "math" for token in fences)
    outside = re.sub(r"^(`{3,})text\n.*?\n\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    if math == "dollar":
        displayed = re.sub(r"^\$\$\n.*?\n\$\$$", "", outside, flags=re.MULTILINE | re.DOTALL)
        assert "$$" not in displayed
        assert all(len(re.findall(r"(?<!\\)\$", line)) % 2 == 0 for line in displayed.splitlines())
    if math == "latex":
        assert len(re.findall(r"^\\\[$", outside, re.MULTILINE)) == len(re.findall(r"^\\\]$", outside, re.MULTILINE))
        assert len(re.findall(r"(?<!\\)\\\(", outside)) == len(re.findall(r"(?<!\\)\\\)", outside))
    if math == "none":
        assert not re.search(r"(?<!\\)\$|\\frac|\\begin", text)


def assert_rectangular(tokens: list[Token]) -> None:
    width = 0
    cells = 0
    for token in tokens:
        if token.type == "table_open":
            width = 0
        elif token.type in ("th_open", "td_open"):
            cells += 1
        elif token.type == "tr_close":
            assert width in (0, cells)
            width, cells = cells, 0


# ── each way to show a problem ────────────────────────────────────────────────────────────────────


def assert_shown(problem: Narrated, turn: int) -> None:
    """A share of all ways to show a problem, a different one each turn."""
    ways: list[Callable[[], None]] = []
    for to_document in tellings(problem):
        document = cache(to_document)
        for width, unicode in product(WIDTHS, (True, False)):
            ways.append(lambda document=document, w=width, u=unicode: as_characters(document(), w, u))
        for math in FLAVOURS:
            ways.append(lambda d=document, math=math: assert_parses(d(), render_markdown(d(), math), math))
        ways.append(lambda d=document: assert_contract(problem, d()))
    for mode, figures in product(get_args(Solutions), (True, False)):
        ways.append(lambda mode=mode, figures=figures: assert_exports(problem, mode, figures))
    for place, way in enumerate(ways):
        if (place + turn) % SHARE == 0:
            way()


def assert_contract(problem: Narrated, document: Document) -> None:
    data = json.loads(render_json(problem, document))
    assert [f"{list(error.path)}: {error.message}" for error in CONTRACT.iter_errors(data)] == []


def assert_exports(problem: Narrated, mode: Solutions, figures: bool) -> None:
    """Each file is what its ending says, and every picture that a page shows is written beside it."""
    files = {
        path.name: text for path, text in as_files([problem], Path("a.md"), Narration(figures=figures), Options(), mode)
    }
    pages = [name for name in files if name.endswith(".md")]
    assert ("a.md" in pages, "a.solutions.md" in pages) == (True, mode == "separate")
    drawn = {name for name in files if name.endswith(".svg")}
    assert {*pages, *drawn} == {*files}
    for name in drawn:
        assert ET.fromstring(files[name]).tag == "{http://www.w3.org/2000/svg}svg"
    assert {name for page in pages for name in re.findall(r"!\[[^\n]*\]\(([^)\n]+\.svg)\)", files[page])} == drawn


@pytest.mark.parametrize("name", [name for name in bundled() if SHARE == 1 or name not in SLOW])
def test_every_bundled_problem_is_shown_in_every_way(name: str) -> None:
    assert_shown(worked(name), [*bundled()].index(name))


TEXTS = ("", "Tea & co: ~~x~~ *a* `b` $c$ <d>", "猫" * 58, "a_b " * 20, "supercalifragilistic" * 5)
"""Titles, sources and statements; some are wider than a page."""


@st.composite
def drawn(draw: st.DrawFn) -> str:
    """Any problem with any heading, its tokens' names long or short, in exact numbers or in float64."""
    problem = draw(st.one_of(combined(), encoder_decoders()))
    if problem.names and draw(st.booleans()):
        problem = replace(
            problem, names={key: [(name * 12)[:58] for name in names] for key, names in problem.names.items()}
        )
    lines = [f"{key}: {json.dumps(draw(st.sampled_from(TEXTS)))}" for key in ("title", "source", "text")]
    rounded = problem.rounding is not None and problem.rounding.each_step
    if not rounded and draw(st.booleans()):
        lines.append("numbers: float")
    wanted = draw(st.sampled_from(("", "parts: {a: {find: weights}, b: {find: weights, by: cell}}")))
    return "\n".join([problem.yaml(), *lines, wanted])


@tries(8)
@given(drawn(), st.integers(0, 39))
def test_random_problems_are_shown_in_every_way(problem: str, turn: int) -> None:
    (read,) = parse(problem, "problem.yaml")
    try:
        shown = solve(read)
    except UnsolvableError:
        return
    assert_shown(shown, turn)
