"""Documents as lines of text: what the terminal colours and a pipe gets as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from attnsolve import notation as n
from attnsolve.document import (
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
    Room,
    Section,
    Table,
    Verdict,
)
from attnsolve.key import Key
from attnsolve.notation.letters import GREEK_NAMES, SUBSCRIPTS, SUPERSCRIPTS
from attnsolve.notation.text import RELATIONS
from attnsolve.render import abreast
from attnsolve.render.blocks import method_for
from attnsolve.render.box import Box, Line, Span, beside, chopped, line_width, plain, width_of
from attnsolve.render.maths import MathsPrinter

INDENT = 2
APART = 4
"""Columns between a line of working and the reason in its margin."""
NARROWEST = 40
NARROWEST_COLUMN = 30
"""How wide the last column of a table must be for its text to run on in it."""


def render(
    document: Document, width: int = 80, unicode: bool = True, *, hints: bool = False, readable: int | None = None
) -> str:
    """A document as plain text; with `hints` for a reader at a command line, whose sentences are `readable` at most."""
    lines = TextRenderer(width, unicode, hints=hints, readable=readable).document(document)
    return "\n".join(plain(line).rstrip() for line in lines) + "\n"


def render_section(section: Section, width: int = 80) -> str:
    """What stands under a heading, as plain text."""
    renderer = TextRenderer(width)
    return "\n".join(plain(line).rstrip() for line in renderer.blocks(section.blocks, 0)).strip("\n")


class TextRenderer:
    """One method a block; an unknown block raises, naming it."""

    def __init__(
        self, width: int = 80, unicode: bool = True, *, hints: bool = False, readable: int | None = None
    ) -> None:
        """`readable` is how wide sentences may be, where the page is wider."""
        self.width = max(width, NARROWEST)
        self.prose = self.width if readable is None else min(self.width, readable)
        self.hints = hints
        self.unicode = unicode
        self.maths = MathsPrinter(unicode)
        self.rule = "─" if unicode else "-"
        self.double = "━" if unicode else "="

    def document(self, document: Document) -> Iterator[Line]:
        """Every line of a document."""
        yield from self._wrap((document.title,), self.width, "title")
        if document.source:
            yield from self._wrap((document.source,), self.width, "note")
        yield (Span(self.double * self.width, "rule"),)
        yield from self.blocks(document.blocks, 0)

    def blocks(self, blocks: tuple[Block, ...], depth: int) -> Iterator[Line]:
        """Blocks with an empty line between them; on a wide page, steps side by side, and a result beside its
        decimals."""
        for kind, group in groupby(blocks, self._abreast if self.width >= abreast.WIDE else lambda _: None):
            alike = tuple(group)
            steps = [block for block in alike if isinstance(block, Section)]
            chains = [block.chain for block in alike if isinstance(block, Equation)]
            if kind is not None and len(steps) > 1:
                yield ()
                yield from self._steps(steps, depth)
            elif kind is not None and len(chains) > 1:
                yield ()
                yield from self.block_gallery(Gallery(tuple(chains)), depth)
            else:
                for block in alike:
                    yield ()
                    yield from method_for(self, block)(block, depth)

    def _abreast(self, block: Block) -> object:
        """Blocks for which this is the same may stand side by side; None for those that may not."""
        match block:
            case Section(part=False, key=Key(), blocks=inner) if not any(isinstance(x, Section) for x in inner):
                return Section
            case Equation(chain=chain, aside=None) if chain.has_grid and isinstance(chain.left, n.Sym):
                return chain.left
        return None

    def _steps(self, steps: Sequence[Section], depth: int) -> Iterator[Line]:
        narrow = TextRenderer(abreast.WIDE - 1, self.unicode, hints=self.hints, readable=abreast.NARROWEST)
        sizes = [abreast.extent_of(list(narrow.blocks(step.blocks, depth))) for step in steps]
        waiting = iter(steps)
        for number, widths in enumerate(abreast.rows(sizes, self.width)):
            if number:
                yield ()
            columns = [list(self._of_width(width).block_section(next(waiting), depth)) for width in widths]
            yield from abreast.side_by_side(columns, widths)

    def _of_width(self, width: int) -> TextRenderer:
        if width == self.width:
            return self
        return TextRenderer(width, self.unicode, hints=self.hints, readable=self.prose)

    def block_section(self, block: Section, depth: int) -> Iterator[Line]:
        title = self._inline(block.title)
        if width_of(title) > self.width - 4:
            yield from self._wrap(block.title, self.width, "heading")
        elif block.part or any(isinstance(inner, Section) for inner in block.blocks):
            fill = self.double * max(self.width - width_of(title) - 4, 0)
            yield (
                Span(f"{self.double}{self.double} ", "rule"),
                Span(title, "part"),
                Span(f" {fill}", "rule"),
            )
        else:
            fill = self.rule * max(self.width - width_of(title) - 1, 0)
            yield (Span(title, "heading"), Span(f" {fill}", "rule"))
        yield from self.blocks(block.blocks, depth)

    def block_paragraph(self, block: Paragraph, depth: int) -> Iterator[Line]:
        yield from self._indented(self._wrap(block.content, self.prose - INDENT), INDENT)

    def block_note(self, block: Note, depth: int) -> Iterator[Line]:
        content = block.content
        if block.hint and self.hints:
            *before, last = content
            content = (*before, f"{str(last).removesuffix('.')} ({block.hint}).")
        yield from self._indented(self._wrap(content, self.prose - INDENT, "note"), INDENT)

    def block_picture(self, block: Picture, depth: int) -> Iterator[Line]:
        """The weights stand above with their bars; in text there is no other picture."""
        yield from self._indented(self._wrap((f"[picture: {block.title}]",), self.width - INDENT, "note"), INDENT)

    def block_chart(self, block: Chart, depth: int) -> Iterator[Line]:
        from attnsolve.render.chart import Drawing

        room = self.width - INDENT
        yield from self._indented(self._wrap((block.title,), room, "label"), INDENT)
        series = tuple((self._ascii(name), heights) for name, heights in block.series)
        marks = tuple((self._ascii(name), place) for name, place in block.marks)
        chart = Chart(block.title, block.name, block.edges, series, (), marks)
        yield from self._indented(Drawing(chart, self._inline(block.axis), room, self.unicode).lines(), INDENT)

    def block_table(self, block: Table, depth: int) -> Iterator[Line]:
        """Columns, the last one in several lines where it takes these; if that is not enough, one row's cells below
        another."""
        cells = [[self._inline(cell).replace("\u00a0", " ") for cell in row] for row in (block.header, *block.rows)]
        widths = [max(map(width_of, column)) for column in zip(*cells, strict=True)]
        left = self.width - INDENT - sum(widths[:-1]) - 2 * (len(widths) - 1)
        if widths[-1] > left:
            if left < NARROWEST_COLUMN or block.holds_numbers(len(widths) - 1):
                yield from self._indented(self._records(block, self.width - INDENT), INDENT)
                return
            widths[-1], cells = left, [part for row in cells for part in self._rows_of(row, left)]
        for number, row in enumerate(cells):
            line = " " * INDENT
            for column, (text, wide) in enumerate(zip(row, widths, strict=True)):
                missing = " " * (wide - width_of(text))
                line += (missing + text if block.holds_numbers(column) else text + missing) + "  "
            yield (Span(line.rstrip(), "" if number else "label"),)
            if number == 0:
                yield (Span(" " * INDENT), Span("  ".join(self.rule * wide for wide in widths), "rule"))

    def _rows_of(self, row: Sequence[str], room: int) -> Iterator[list[str]]:
        """A row as several, where its last cell is too wide."""
        for number, line in enumerate(self._wrap((row[-1],), room)):
            before = ["" for _ in row[:-1]] if number else row[:-1]
            yield [*before, plain(line)]

    def block_marked(self, block: Marked, depth: int) -> Iterator[Line]:
        """Each number with its sign behind it, as many columns at a time as there is room for."""
        symbol = f"{self.maths.inline.print(block.symbol)}: "
        labels = [f" {self.maths.inline.label(label)}" for label in block.row_labels] or [""] * len(block.cells)
        columns = [self._marked_column(column) for column in zip(*block.cells, strict=True)]
        room = self.width - 2 * INDENT - width_of(symbol) - max(map(width_of, labels)) - 4
        middle = (len(block.cells) - 1) // 2
        while columns:
            taken = _fitting(columns, room)
            for i, label in enumerate(labels):
                opening = symbol if i == middle else " " * width_of(symbol)
                line = [Span(" " * 2 * INDENT + opening), Span("[", "bracket")]
                for number, column in enumerate(columns[:taken]):
                    line += [Span("  " if number else " "), column[i]]
                yield (*line, Span(" ]", "bracket"), Span(label, "label"))
            columns = columns[taken:]
            if columns:
                yield ()

    def _marked_column(self, cells: Sequence[tuple[str, str, str]]) -> list[Span]:
        """A column of numbers, right-aligned, each with its sign."""
        texts = [self._ascii(text) for text, _, _ in cells]
        wide = max(map(width_of, texts))
        return [
            Span(f"{' ' * (wide - width_of(text))}{text} {self._ascii(sign)}", style)
            for text, (_, sign, style) in zip(texts, cells, strict=True)
        ]

    def _records(self, block: Table, room: int) -> Iterator[Line]:
        names = [self._inline(name).replace("\u00a0", " ") for name in block.header]
        margin = max(map(width_of, names)) + 2
        for number, row in enumerate(block.rows):
            if number:
                yield ()
            for name, cell in zip(names, row, strict=True):
                beside_it = margin <= room // 2
                indent = margin if beside_it else INDENT
                first = Span(name + " " * (margin - width_of(name)), "label") if beside_it else Span(" " * indent)
                if not beside_it:
                    yield from self._wrap((name,), room, "label")
                for i, line in enumerate(self._wrap(cell, room - indent)):
                    yield (Span(" " * indent) if i else first, *line)

    def block_contents(self, block: Contents, depth: int) -> Iterator[Line]:
        for title in block.titles:
            yield from self._indented(self._wrap((title,), self.prose - INDENT), INDENT)

    def block_room(self, block: Room, depth: int) -> Iterator[Line]:
        yield from ((),) * block.lines

    def block_verdict(self, block: Verdict, depth: int) -> Iterator[Line]:
        signs = (
            {True: ("✓ ", "good"), False: ("✗ ", "bad")}
            if self.unicode
            else {True: ("ok ", "good"), False: ("not ok ", "bad")}
        )
        line: list[Span] = []
        for holds, description in block.checks:
            sign, style = signs[holds]
            text = self._ascii(description)
            used = line_width(tuple(line))
            if line and used + 3 + width_of(sign + text) > self.prose - INDENT:
                yield (Span(" " * INDENT), *line)
                line = []
            line += [Span("   ")] if line else []
            first, *rest = self._wrap((description,), self.prose - INDENT - len(sign), "note")
            line += [Span(sign, style), *first]
            for more in rest:
                yield (Span(" " * INDENT), *line)
                line = [Span(" " * len(sign)), *more]
        yield (Span(" " * INDENT), *line)

    def block_equation(self, block: Equation, depth: int) -> Iterator[Line]:
        box = self.maths.chain(block.chain, self.width - 2 * INDENT)
        if block.aside is not None:
            aside = Box.text(self.maths.inline.print(block.aside), "note")
            room = self.width - 2 * INDENT - box.width - aside.width
            apart = Box.text(" " * min(room, 8))
            box = beside([box, apart, aside]) if room >= 4 else Box.stack([box, aside])
        yield from self._indented(box.lines, 2 * INDENT)

    def block_lines(self, block: Lines, depth: int) -> Iterator[Line]:
        if block.intro:
            yield from self._indented(self._wrap(block.intro, self.prose - INDENT), INDENT)
        room = self.width - 2 * INDENT
        align = self.maths.alignment(block.chains, room)
        boxes = [self.maths.chain(chain, room, align) for chain in block.chains]
        if block.reasons:
            boxes = list(self._reasoned(boxes, block.reasons, room, align))
        tall = [chain.has_grid for chain in block.chains]
        for number, box in enumerate(boxes):
            if number and (tall[number - 1] or tall[number]):
                yield ()
            yield from self._indented(box.lines, 2 * INDENT)

    def _reasoned(self, boxes: list[Box], reasons: tuple[Inline, ...], room: int, align: int) -> Iterator[Box]:
        """Each line with its reason: all of them in one column at the right, or each below its line."""
        column = max((box.width for box, reason in zip(boxes, reasons, strict=True) if reason), default=0) + APART
        fits = column + max(width_of(self._inline(reason)) for reason in reasons) <= room
        below = align + APART + 1 if room - align - APART > NARROWEST // 2 else 2 * INDENT
        for box, reason in zip(boxes, reasons, strict=True):
            indent = column if fits else below
            lines = self._wrap(reason, room - indent, "note") if reason else ()
            notes = [Box((line,), line_width(line), 0) for line in lines]
            if fits and notes:
                yield beside([box, Box.text(" " * (column - box.width)), *notes])
            else:
                yield Box.stack([box, *(line.indented(indent) for line in notes)], base=box.base)

    def block_gallery(self, block: Gallery, depth: int) -> Iterator[Line]:
        room = self.width - 2 * INDENT
        row: list[Box] = []
        first = True
        for box in [self.maths.chain(chain, room) for chain in block.chains]:
            if row and sum(b.width for b in row) + 4 + box.width > room:
                yield from self._row(row, first)
                row, first = [], False
            row += [Box.text("    "), box] if row else [box]
        yield from self._row(row, first)

    def _row(self, row: list[Box], first: bool) -> Iterator[Line]:
        if not first:
            yield ()
        yield from self._indented(beside(row).lines, 2 * INDENT)

    # ── running text ────────────────────────────────────────────────────────────────────────────

    def _inline(self, content: Inline) -> str:
        parts = [self._ascii(part) if isinstance(part, str) else self.maths.inline.print(part) for part in content]
        return "".join(parts)

    def _ascii(self, text: str) -> str:
        if self.unicode:
            return text
        raised = re.sub(f"[{''.join(SUPERSCRIPTS.values())}]+", lambda run: "^" + run[0], text)
        lowered = re.sub("(?<=[a-zA-Z])[₀-₉]+", lambda run: "_" + run[0], raised)
        return "".join(_PLAIN.get(c, c) for c in lowered).encode("ascii", "replace").decode()

    def _wrap(self, content: Inline, width: int, style: str = "") -> Iterator[Line]:
        """Words on lines; a formula inside the text is not broken at its spaces."""
        words: list[str] = []
        glue = False
        for part in content:
            text = self._inline((part,))
            pieces = text.split(" ") if isinstance(part, str) else [text]
            if glue and words:
                words[-1] += pieces[0]
                pieces = pieces[1:]
            words += pieces
            glue = True
        line = ""
        for word in (piece for long in words for piece in chopped(long, width)):
            if line and width_of(line) + 1 + width_of(word) > width:
                yield (Span(line.replace("\u00a0", " "), style),)
                line = word
            else:
                line = f"{line} {word}" if line else word
        yield (Span(line.replace("\u00a0", " "), style),)

    def _indented(self, lines: Iterator[Line] | tuple[Line, ...], columns: int) -> Iterator[Line]:
        for line in lines:
            yield (Span(" " * columns), *line)


def _fitting(columns: Sequence[Sequence[Span]], room: int) -> int:
    """How many columns fit beside each other: at least one."""
    used, taken = 0, 0
    for column in columns:
        used += width_of(column[0].text) + 2
        if taken and used > room:
            break
        taken += 1
    return taken


_PLAIN = {
    **{small: character for table in (SUPERSCRIPTS, SUBSCRIPTS) for character, small in table.items()},
    **GREEK_NAMES, **RELATIONS,
    "−": "-", "∞": "inf", "×": "x", "√": "sqrt", "±": "+-", "…": "...", "½": "1/2", "—": "-", "·": "*",
    "“": '"', "”": '"', "′": "'", "″": "''", "✓": "v", "✗": "x", "○": "o",
}  # fmt: skip
"""What prose says in Unicode, in ASCII."""
