"""Markdown files: checked against GitHub's traps, and split where GitHub would give up."""

from __future__ import annotations

from attnsolve.document import Block, Document, Section, pictures
from attnsolve.export.formats import File, Options, Worksheet
from attnsolve.render.github import MOST_BYTES, traps
from attnsolve.render.markdown import MarkdownRenderer
from attnsolve.render.svg import drawing

WRITES = "Markdown, with mathematics that GitHub shows"
HONOURS = ("--solutions", "--math", "--figures")


def export(worksheet: Worksheet, options: Options) -> list[File]:
    """The worksheet, in as many files as GitHub needs, with its pictures beside it."""
    renderer = MarkdownRenderer(options.math, options.stem)
    whole = renderer.document(worksheet.document)
    texts = [whole] if len(whole.encode()) <= MOST_BYTES else _split(worksheet.document, renderer, options.stem)
    if options.math == "github":
        for text in texts:
            if found := [trap for trap in traps(text) if "larger than" not in trap.description]:
                raise AssertionError(f"GitHub would not render this Markdown: {found[0]}")
    files = [
        File([text], "" if number == 1 else _name(options.stem, number)) for number, text in enumerate(texts, start=1)
    ]
    return [*files, *(File([drawing(p)], f"{options.stem}.{p.name}.svg") for p in pictures(worksheet.document))]


def _name(stem: str, number: int) -> str:
    return f"{stem}-{number}.md"


def _split(document: Document, renderer: MarkdownRenderer, stem: str) -> list[str]:
    """The document in files of bearable size, cut between sections, each leading to the next."""
    groups: list[list[Block]] = [[]]
    size = 0
    for block in _loosened(document.blocks):
        length = len("\n\n".join(renderer.blocks((block,), 2)).encode())
        if groups[-1] and size + length > MOST_BYTES // 2:
            groups.append([])
            size = 0
        groups[-1].append(block)
        size += length
    texts = []
    for number, group in enumerate(groups, start=1):
        title = document.title if number == 1 else f"{document.title} ({number} of {len(groups)})"
        text = renderer.document(Document(title, document.source if number == 1 else "", tuple(group)))
        if number < len(groups):
            text += f"\n[Next: part {number + 1} of {len(groups)}]({_name(stem, number + 1)})\n"
        texts.append(text)
    return texts


def _loosened(blocks: tuple[Block, ...]) -> list[Block]:
    """Sections that hold sections, as their heading followed by what they hold, so that a cut can fall between."""
    loose: list[Block] = []
    for block in blocks:
        if isinstance(block, Section) and any(isinstance(inner, Section) for inner in block.blocks):
            loose += [Section(block.title, (), block.key), *_loosened(block.blocks)]
        else:
            loose.append(block)
    return loose
