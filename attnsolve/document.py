"""What is shown, and never how: a tree of a few frozen blocks. Narration writes it, renderers read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attnsolve.key import Key
from attnsolve.notation import Chain, Notation, Num
from attnsolve.record import Record, record

Inline = tuple[str | Notation, ...]
"""Running text with mathematics in it."""


def listed(parts: Iterable[Notation], between: str = ", ") -> Inline:
    """Formulas one after the other in running text."""
    inline: list[str | Notation] = []
    for part in parts:
        inline += [between, part] if inline else [part]
    return tuple(inline)


def joined(parts: Sequence[Notation], word: str = "and") -> Inline:
    """Formulas as the last words of a sentence have them: S, A and C."""
    *others, last = parts
    return (*listed(others), f" {word} ", last) if others else (last,)


@record
class Block(Record):
    """Anything that takes lines of its own."""


@record
class Paragraph(Block):
    """Running text."""

    content: Inline


@record
class Equation(Block):
    """One displayed equation, with a remark in the margin (its shapes)."""

    chain: Chain
    aside: Notation | None = None


@record
class Lines(Block):
    """Working: equations one below the other, their first relation signs aligned; `reasons`, one an equation (or empty)
    say in the margin why it holds."""

    chains: tuple[Chain, ...]
    intro: Inline = ()
    reasons: tuple[Inline, ...] = ()


@record
class Gallery(Block):
    """Equations side by side as far as there is room: the given matrices."""

    chains: tuple[Chain, ...]


@record
class Note(Block):
    """A word to the reader that isn't part of the solution."""

    content: Inline
    hint: str = ""
    """What to type to see more: for readers at a command line only, never in a file."""


@record
class Verdict(Block):
    """What was verified: each sentence, and whether it holds."""

    checks: tuple[tuple[bool, str], ...]


@record
class Picture(Block):
    """A heat map of weights between 0 and 1, with the number each cell shows; `name` tells its file from others."""

    title: str
    name: str
    values: tuple[tuple[float, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()


@record
class Table(Block):
    """Rows of cells under a header."""

    header: tuple[Inline, ...]
    rows: tuple[tuple[Inline, ...], ...]

    def holds_numbers(self, column: int) -> bool:
        """Whether every cell of a column is one number."""
        cells = [row[column] for row in self.rows]
        return bool(cells) and all(len(cell) == 1 and isinstance(cell[0], Num) for cell in cells)


@record
class Chart(Block):
    """A histogram: each series has a height (a share of 1, or a count) for every bin between two edges.

    `marks` are values worth seeing in it, such as a mean; `name` tells its file from others, and it has one where it is
    `drawn`.
    """

    title: str
    name: str
    edges: tuple[float, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]
    axis: Inline = ()
    marks: tuple[tuple[str, float], ...] = ()
    drawn: bool = False


@record
class Marked(Block):
    """A matrix somebody wrote, each cell with a sign of what it is worth: (text, sign, the name of its style)."""

    symbol: Notation
    cells: tuple[tuple[tuple[str, str, str], ...], ...]
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()


@record
class Contents(Block):
    """What a long document holds: the titles of its sections."""

    titles: tuple[str, ...]


@record
class BlankLines(Block):
    """Empty lines to write on."""

    lines: int


@record
class Section(Block):
    """A heading and what stands under it; `key` names the quantity it is about. A `part` answers a question of the
    sheet, and may have sections of its own."""

    title: Inline
    blocks: tuple[Block, ...]
    key: Key | None = None
    part: bool = False

    @property
    def id(self) -> str:
        """The public id of what it is about; empty for a mere heading."""
        return "" if self.key is None else self.key.id


@record
class Document(Record):
    """A whole solution."""

    title: str
    source: str
    blocks: tuple[Block, ...]


BLOCKS: tuple[type[Block], ...] = (
    Paragraph, Equation, Lines, Gallery, Note, Verdict, Picture, Table, Chart, Marked, Contents, BlankLines, Section,
)  # fmt: skip
"""Every block there is; a renderer handles each of them."""


def walk(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """Every block, those inside sections after their section."""
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from walk(block.blocks)


def sections(document: Document) -> list[Section]:
    """The sections that are about a quantity, in order, however deep."""
    return [section for section, _ in keyed(document)]


def keyed(document: Document) -> list[tuple[Section, Key]]:
    """The same with what each is about."""
    found = (block for block in walk(document.blocks) if isinstance(block, Section))
    return [(section, section.key) for section in found if section.key is not None and section.key.id]


def pictures(document: Document) -> list[Picture | Chart]:
    """Everything that has a file of its own, in order: heat maps, and charts that are drawn."""
    figures = (block for block in walk(document.blocks) if isinstance(block, Picture | Chart))
    return [figure for figure in figures if isinstance(figure, Picture) or figure.drawn]
