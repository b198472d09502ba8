"""A page of the guide on a terminal, through rich: in the terminal's own colours."""

from __future__ import annotations

import re
from typing import ClassVar

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.text import Text
from rich.theme import Theme

WIDEST = 100
"""Longer lines of prose are hard to read."""
INDENT = 4
LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
FILLING = re.compile(r"(?: |\x1b\[[\d;]*m)+$")
"""The spaces with which rich fills up every line, in whatever colours."""
STYLES = {
    "markdown.h1": "bold",
    "markdown.h2": "bold cyan",
    "markdown.h3": "bold",
    "markdown.code": "cyan",
    "markdown.item.bullet": "default",
    "markdown.table.border": "dim",
    "markdown.table.header": "bold",
}


class _Heading(Heading):
    """A heading at the left margin, without a frame."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text.copy()
        text.stylize(self.style_name)
        yield text


class _Code(CodeBlock):
    """Code as it stands, indented as far as there is room."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = str(self.text).rstrip().split("\n")
        room = options.max_width - max(map(cell_len, lines))
        yield Padding(Text("\n".join(lines), overflow="fold"), (0, 0, 0, max(0, min(INDENT, room))))


class _Page(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
    }


def print_page(markdown: str, console: Console) -> None:
    """Print a page; a link shows its words, since it leads to a file."""
    parts = FENCED.split(markdown)
    text = "".join(part if part.startswith("```") else LINK.sub(r"\1", part) for part in parts)
    with console.use_theme(Theme(STYLES)), console.capture() as printed:
        console.print(_Page(text), width=min(console.width, WIDEST), crop=False)
    lines = [FILLING.sub(_unfilled, line) for line in printed.get().split("\n")]
    console.file.write(re.sub("\n{3,}", "\n\n", "\n".join(lines)))


def _unfilled(filling: re.Match[str]) -> str:
    """The colours alone, which may end others; nothing of a line that is empty."""
    return filling[0].replace(" ", "") if filling.start() else ""
