"""A page of the guide on a terminal, through rich: in the terminal's own colours, code indented and never wrapped."""

from __future__ import annotations

import re
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.text import Text
from rich.theme import Theme

WIDEST = 100
"""Longer lines of prose are hard to read."""
LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
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
        if self.tag != "h1":
            yield Text()
        yield text


class _Code(CodeBlock):
    """Code as it stands, indented: one that is copied from a terminal has no line breaks of its own."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = Text(str(self.text).rstrip(), style="default", no_wrap=True, overflow="ignore")
        yield Padding(code, (0, 0, 0, 4), expand=False)


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
    with console.use_theme(Theme(STYLES)):
        console.print(_Page(text), width=min(console.width, WIDEST), crop=False)
