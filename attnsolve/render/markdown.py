"""Documents as Markdown, with mathematics that survives GitHub (or Jupyter, or LaTeX, or no mathematics at all)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import dedent
from typing import Literal
from urllib.parse import quote

from attnsolve import notation as n
from attnsolve.document import (
    BlankLines,
    Block,
    Chart,
    Contents,
    Document,
    Equation,
    Gallery,
    Inline,
    Lines,
    Marked,
    Note,
    Paragraph,
    Picture,
    Section,
    Table,
    Verdict,
)
from attnsolve.notation.latex import TALL_LINE, LatexPrinter, joined
from attnsolve.notation.latex import escape as in_maths
from attnsolve.notation.text import TextPrinter
from attnsolve.record import Record, record
from attnsolve.render.blocks import method_for
from attnsolve.render.box import plain
from attnsolve.render.rows import PAGE_WIDTH, broken, goes_on, width
from attnsolve.render.text import TextRenderer

Flavour = Literal["github", "dollar", "latex", "none"]

MOST_SCRIPTS = 70
"""GitHub gives up at 100 braced sub- and superscripts in one block of mathematics; lines are split well before."""
TEXT_WIDTH = 76
GALLERY_GAP = 6
"""How many characters the gap between two matrices takes."""


@record
class Delimiters(Record):
    """What stands before and after mathematics, on lines of its own and inside text; plain characters need a fence
    that depends on them."""

    display: tuple[str, str]
    inline: tuple[str, str]
    html: bool = False
    """Whether < would be read as HTML even there, and needs the name that web pages know it by; LaTeX knows none."""

    @property
    def reserved(self) -> str:
        """The signs that no backslash may stand before, since the two together would delimit mathematics."""
        marks = "".join(mark.strip()[1:] for mark in (*self.display, *self.inline) if mark.strip().startswith("\\"))
        return marks and "\\" + marks


FLAVOURS: dict[Flavour, Delimiters] = {
    "github": Delimiters(("```math\n", "\n```"), ("$`", "`$"), html=True),
    "dollar": Delimiters(("$$\n", "\n$$"), ("$", "$")),
    "latex": Delimiters(("\\[\n", "\n\\]"), (r"\(", r"\)")),
    "none": Delimiters(("", ""), ("", "")),
}


_MARKUP = re.compile(r"\\[A-Za-z]+|[{}]")
_ANGLES = re.compile(r"\\([lg])t(?![A-Za-z])")


def render(document: Document, math: Flavour = "github") -> str:
    """A document as Markdown."""
    return MarkdownRenderer(math).document(document)


class MarkdownRenderer:
    """One method a block; an unknown block raises, naming it."""

    def __init__(self, math: Flavour = "github", stem: str = "worksheet") -> None:
        self.math = math
        self.stem = stem
        self.delimiters = FLAVOURS[math]
        self.latex = LatexPrinter()
        self.text = TextRenderer(TEXT_WIDTH)

    def document(self, document: Document) -> str:
        """The whole document, blocks separated by empty lines."""
        parts = [f"# {self._escape(document.title)}"]
        if document.source:
            parts.append(self._opened(self._escape(document.source)))
        parts += self.blocks(document.blocks, 2)
        return "\n\n".join(parts) + "\n"

    def blocks(self, blocks: tuple[Block, ...], level: int) -> Iterator[str]:
        """Each block as a piece of Markdown."""
        for block in blocks:
            yield from method_for(self, block)(block, level)

    def block_section(self, block: Section, level: int) -> Iterator[str]:
        """Headings carry no mathematics: GitHub breaks it in the links that lead to them."""
        title = "".join(part if isinstance(part, str) else TextPrinter().print(part) for part in block.title)
        yield f"{'#' * min(level, 6)} {self._escape(title.strip())}"
        yield from self.blocks(block.blocks, level + 1)

    def block_paragraph(self, block: Paragraph, level: int) -> Iterator[str]:
        yield self._inline(block.content)

    def block_note(self, block: Note, level: int) -> Iterator[str]:
        yield f"> {self._inline(block.content)}"

    def block_picture(self, block: Picture | Chart, level: int) -> Iterator[str]:
        yield f"![{self._escape(block.title)}]({quote(self.stem)}.{block.name}.svg)"

    def block_chart(self, block: Chart, level: int) -> Iterator[str]:
        """A picture where it is drawn, else its characters under its title."""
        if block.drawn:
            yield from self.block_picture(block, level)
            return
        yield self._opened(self._escape(block.title))
        lines = [plain(line).rstrip() for line in self.text.block_chart(replace(block, title=""), 0)]
        yield fenced(dedent("\n".join(lines)).strip("\n"))

    def block_table(self, block: Table, level: int) -> Iterator[str]:
        rules = ["---:" if block.holds_numbers(column) else "---" for column in range(len(block.header))]
        rows = [[self._cell(cell) for cell in row] for row in (block.header, *block.rows)]
        yield "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], rules, *rows[1:]))

    def block_marked(self, block: Marked, level: int) -> Iterator[str]:
        """A table: every number with its sign, tokens named at the side."""
        names = [*map(self._label, block.column_labels)] or [""] * len(block.cells[0])
        sides = [*map(self._label, block.row_labels)] or [""] * len(block.cells)
        rows = [
            [side, *(f"{self._escape(t)} {sign}" for t, sign, _ in row)]
            for side, row in zip(sides, block.cells, strict=True)
        ]
        header = [self._running((block.symbol,)), *names]
        rules = ["---", *["---:"] * len(names)]
        yield "\n".join(f"| {' | '.join(row)} |" for row in (header, rules, *rows))

    def _label(self, label: str) -> str:
        return self._escape(TextPrinter().label(label))

    def _cell(self, cell: Inline) -> str:
        """What stands in a cell; a matrix would need lines of its own, so it is written on one."""
        return self._running(tuple(self._level(part) if isinstance(part, n.Notation) else part for part in cell))

    def _level(self, part: n.Notation) -> n.Notation | str:
        return TextPrinter().print(part) if "\n" in self.latex.print(part) else part

    def block_contents(self, block: Contents, level: int) -> Iterator[str]:
        yield "\n".join(f"- [{self._escape(title)}](#{slug(title)})" for title in block.titles)

    def block_blanklines(self, block: BlankLines, level: int) -> Iterator[str]:
        """Empty lines; <br> would be dropped on the way to paper."""
        yield from ["&nbsp;"] * block.lines

    def block_verdict(self, block: Verdict, level: int) -> Iterator[str]:
        yield " · ".join(f"{'✓' if holds else '✗'} {self._escape(description)}" for holds, description in block.checks)

    def block_equation(self, block: Equation, level: int) -> Iterator[str]:
        if self.math == "none":
            yield self._display("\n".join(self._plain(block)))
            return
        aside = rf" \qquad {self.latex.print(block.aside)}" if block.aside is not None else ""
        whole = self.latex.print(block.chain)
        first, *rest = self._broken(block.chain, whole)
        maths = _aligned([self._row(first) + aside, *map(self._row, rest)]) if rest else whole + aside
        yield self._bearable(maths, block)

    def block_gallery(self, block: Gallery, level: int) -> Iterator[str]:
        if self.math == "none":
            yield self._display("\n".join(self._plain(block)))
            return
        for group in self._side_by_side(block.chains):
            yield self._bearable(" \\qquad\n".join(map(self.latex.print, group)), Gallery(tuple(group)))

    def _side_by_side(self, chains: Sequence[n.Chain]) -> Iterator[list[n.Chain]]:
        """Equations in rows that fit on a page, by the room that they take as characters."""
        group: list[n.Chain] = []
        used = marks = 0
        for chain in chains:
            wide, more = width(chain), scripts(self.latex.print(chain))
            if group and (used + wide > PAGE_WIDTH or marks + more > MOST_SCRIPTS):
                yield group
                group, used, marks = [], 0, 0
            group.append(chain)
            used, marks = used + wide + GALLERY_GAP, marks + more
        yield group

    def block_lines(self, block: Lines, level: int) -> Iterator[str]:
        if block.intro:
            yield self._inline(block.intro)
        if self.math == "none":
            text = "\n".join(self._plain(Lines(block.chains, (), block.reasons)))
            yield self._display(text)
            return
        rows: list[str] = []
        for chain, reason in zip(block.chains, block.reasons or ((),) * len(block.chains), strict=True):
            whole = self._row(chain)
            parts = self._broken(chain, whole)
            *before, last = map(self._row, parts) if len(parts) > 1 else [whole]
            rows += [*before, last + self._reason(reason)]
        if any(self._is_too_much(row) for row in rows):
            yield fenced("\n".join(self._plain(Lines(block.chains, (), block.reasons))))
            return
        for group in self._groups(rows):
            yield self._display(_aligned(group))

    def _broken(self, chain: n.Chain, printed: str) -> list[n.Chain]:
        """A chain on as many rows as a page needs; one that is short as LaTeX need not be measured."""
        return [chain] if len(_MARKUP.sub("", printed)) <= PAGE_WIDTH else broken(chain)

    def _row(self, row: n.Chain) -> str:
        """A chain with its first relation sign as the place to align."""
        left = "" if row.left is None else f"{self.latex.print(row.left)} "
        indent = r" \quad" if goes_on(row) else ""
        return f"{left}&{indent}{self.latex.print(n.Chain(None, row.links))}"

    def _reason(self, reason: Inline) -> str:
        """Why a line holds, in a column of its own at the right."""
        parts = [in_maths(part) if isinstance(part, str) else self.latex.print(part) for part in reason]
        return f" && {''.join(parts)}" if parts else ""

    def _groups(self, rows: list[str]) -> Iterator[list[str]]:
        group: list[str] = []
        for row in rows:
            if group and sum(map(scripts, group)) + scripts(row) > MOST_SCRIPTS:
                yield group
                group = []
            group.append(row)
        yield group

    def _plain(self, block: Block) -> list[str]:
        lines = [plain(line).rstrip() for line in self.text.blocks((block,), 0)]
        return "\n".join(line.removeprefix("    ") for line in lines).strip("\n").split("\n")

    def _is_too_much(self, maths: str) -> bool:
        return self.math == "github" and scripts(maths) > MOST_SCRIPTS

    def _bearable(self, maths: str, block: Block) -> str:
        """Mathematics; or its characters, where GitHub would give up on it."""
        return fenced("\n".join(self._plain(block))) if self._is_too_much(maths) else self._display(maths)

    def _display(self, maths: str) -> str:
        if self.math == "none":
            return fenced(maths)
        before, after = self.delimiters.display
        return f"{before}{self._spelled(maths.strip())}{after}"

    def _spelled(self, maths: str) -> str:
        """Mathematics with < and > as this flavour has them."""
        return maths if self.delimiters.html else _ANGLES.sub(lambda macro: "<" if macro[1] == "l" else ">", maths)

    def _escape(self, text: str) -> str:
        return escape(text, self.delimiters.reserved)

    def _opened(self, line: str) -> str:
        return opened(line, self.delimiters.reserved)

    def _inline(self, content: Inline) -> str:
        return self._opened(self._running(content))

    def _running(self, content: Inline) -> str:
        before, after = self.delimiters.inline
        parts = []
        for part in content:
            if isinstance(part, str):
                parts.append(self._escape(part))
            elif self.math == "none":
                parts.append(self._escape(TextPrinter().print(part)))
            else:
                parts.append(f"{before}{self._spelled(self.latex.print(part))}{after}")
        return "".join(parts).replace("\u00a0", " ").strip()


def _aligned(rows: list[str]) -> str:
    return f"\\begin{{aligned}}\n{joined(rows, TALL_LINE)}\n\\end{{aligned}}"


def fenced(text: str) -> str:
    """Text as it is; the fence is longer than any that a line of it could be taken for."""
    ticks = "`" * max(2, *(len(run) for run in re.findall("`*", text))) + "`"
    return f"{ticks}text\n{text}\n{ticks}"


def scripts(latex: str) -> int:
    """How many braced sub- and superscripts a piece of LaTeX has."""
    return len(re.findall(r"[_^]\{", latex))


def slug(title: str) -> str:
    """The anchor that GitHub gives a heading."""
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -_")
    return quote(kept.replace(" ", "-"))


def escape(text: str, reserved: str = "") -> str:
    """Any text as text: nothing in it is markup, a link, HTML or mathematics."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, entity)
    return re.sub(r"[\\`*_{}\[\]#|~$!]", lambda sign: _as_text(sign[0], reserved), text)


def opened(line: str, reserved: str = "") -> str:
    """A line that starts a paragraph and nothing else: no list, rule or underlined heading."""
    return re.sub(r"^(\s*\d*)([-+=.)])", lambda start: start[1] + _as_text(start[2], reserved), line)


def _as_text(sign: str, reserved: str) -> str:
    """A sign that Markdown would make something of, as itself: by its number where a backslash is taken."""
    return f"&#{ord(sign)};" if sign in reserved else f"\\{sign}"
