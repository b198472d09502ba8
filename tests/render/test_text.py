"""Every block in every format, and what reaches a terminal."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from attnsolve import notation as n
from attnsolve.document import (
    BLOCKS,
    BlankLines,
    Block,
    Chart,
    Contents,
    Document,
    Equation,
    Gallery,
    Lines,
    Marked,
    Note,
    Paragraph,
    Picture,
    Section,
    Table,
    Verdict,
)  # fmt: skip
from attnsolve.render.terminal import print_document
from attnsolve.render.text import TextRenderer, render

CHAIN = n.Chain(n.Sym("x"), (("=", n.Num("1")),))
EXAMPLES: dict[type[Block], tuple[Block, str]] = {
    Paragraph: (Paragraph(("so ", CHAIN, ".")), "  so x = 1."),
    Equation: (Equation(CHAIN, n.Shape(1, 1)), "    x = 1        1×1"),
    Lines: (Lines((CHAIN, CHAIN), ("twice:",)), "  twice:\n    x = 1\n    x = 1"),
    Gallery: (Gallery((CHAIN, CHAIN)), "    x = 1    x = 1"),
    Note: (Note(("by the way",)), "  by the way"),
    Picture: (Picture("Weights A", "weights", ((1.0,),), (("1",),)), "  [picture: Weights A]"),
    Table: (
        Table((("name",), (n.Sym("x"),)), ((("a",), (n.Num("1"),)), (("c",), (n.Num("-2"),)))),
        "  name   x\n  ────  ──\n  a      1\n  c     −2",
    ),
    Chart: (
        Chart("Draws", "draws", (0, 1, 2), (("A", (3, 1)),)),
        f"  Draws\n         A\n  0 … 1 │{'█' * 27} 3\n  1 … 2 │{'█' * 9} 1",
    ),
    Marked: (
        Marked(n.Sym("Q"), ((("−1", "✗", "wrong"), ("0.5", "✓", "right")),) * 2, ("x_1", "x_2")),
        "    Q: [ −1 ✗  0.5 ✓ ] x₁\n       [ −1 ✗  0.5 ✓ ] x₂",
    ),
    Contents: (Contents(("one", "two")), "  one\n  two"),
    BlankLines: (BlankLines(2), "\n"),
    Verdict: (Verdict(((True, "fine"), (False, "off"))), "  ✓ fine   ✗ off"),
    Section: (Section(("Part ", n.Sym("Q")), (Note(("in it",)),)), "Part Q " + "─" * 33 + "\n\n  in it"),
}


def test_every_block_has_an_example() -> None:
    ours = {block for block in Block.__subclasses__() if block.__module__ == Block.__module__}
    assert set(EXAMPLES) == set(BLOCKS) == ours


@pytest.mark.parametrize("kind", BLOCKS)
def test_every_block_renders_as_text(kind: type[Block]) -> None:
    block, text = EXAMPLES[kind]
    shown = render(Document("T", "", (block,)), width=40)
    assert shown == f"T\n{'━' * 40}\n\n{text}\n"


@pytest.mark.parametrize("kind", BLOCKS)
def test_every_block_renders_in_ascii(kind: type[Block]) -> None:
    render(Document("T", "über − ∞ ⁻¹", (EXAMPLES[kind][0],)), width=40, unicode=False).encode("ascii")


class Strange(Block):
    pass


def test_an_unknown_block_is_named() -> None:
    with pytest.raises(NotImplementedError, match="Strange"):
        list(TextRenderer().document(Document("T", "", (Strange(),))))


def test_nothing_is_read_as_markup() -> None:
    console = Console(file=io.StringIO(), width=60, force_terminal=True)
    print_document(Document("[bold]x[/bold] [link=http://a]", "", (Note((":smile: [red]",)),)), console, 60, True)
    shown = console.file.getvalue()
    assert "[bold]x[/bold] [link=http://a]" in shown
    assert ":smile: [red]" in shown


def test_colour_changes_no_character() -> None:
    blocks = tuple(block for block, _ in EXAMPLES.values())
    console = Console(file=io.StringIO(), width=60, color_system=None)
    print_document(Document("T", "S", blocks), console, 60, True)
    assert console.file.getvalue().rstrip() == render(Document("T", "S", blocks), 60).rstrip()


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("block", [Paragraph(("猫" * 60,)), Equation(n.Chain(n.Sym("x"), (("=", n.Word("猫" * 60)),)))])
def test_words_wider_than_the_page_are_cut_by_their_width(block: Block, width: int) -> None:
    text = render(Document("猫" * 60, "猫" * 60, (block,)), width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert text.count("猫") == 180


@pytest.mark.parametrize("wide", range(20, 45))
def test_a_table_is_no_wider_than_the_page(wide: int) -> None:
    table = Table((("a" * wide,), ("b" * 38,)), ((("x",), ("y",)),))
    text = render(Document("T", "", (table,)), 80)
    assert max(map(cell_len, text.splitlines())) <= 80
    assert ("x" in text, "y" in text) == (True, True)
