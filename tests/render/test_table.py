"""Tables: aligned columns, records where the page is too narrow, and pipes that survive GitHub."""

import pytest
from markdown_it import MarkdownIt

from attnsolve import notation as n
from attnsolve.document import Document, Table
from attnsolve.render.box import width_of
from attnsolve.render.github import traps
from attnsolve.render.markdown import FLAVOURS, Flavour
from attnsolve.render.markdown import render as render_markdown
from attnsolve.render.text import render

X = n.Sym("x", ("i",))
MATRIX = n.Grid(((n.Num("1"), n.Num("2")), (n.Num("3"), n.Num("4"))))
TABLE = Table(
    (("scaling",), ("mean of ", X), ("weight",)),
    (
        (("none",), (n.Num("12.5", rounded=True),), (n.Frac(n.Num("1"), n.Num("2")),)),
        (("a | b",), (n.Num("-1.25"),), (n.Abs(X), " at most")),
        (("注意",), (n.Num("6.9", -13),), (MATRIX,)),
    ),
)


def body(table: Table, width: int, unicode: bool = True) -> list[str]:
    return render(Document("T", "", (table,)), width, unicode).splitlines()[3:]


def test_columns_line_up_and_numbers_stand_at_the_right() -> None:
    assert body(TABLE, 80) == [
        "  scaling  mean of xᵢ  weight",
        "  ───────  ──────────  ────────────",
        "  none           12.5  1/2",
        "  a | b         −1.25  |xᵢ| at most",
        "  注意      6.9×10⁻¹³  [1, 2; 3, 4]",
    ]


LONG = Table((("what",), ("says",)), ((("one",), ("word " * 12,)), (("two",), ("short",))))


def test_the_last_column_runs_on_where_it_is_wide_enough() -> None:
    assert body(LONG, 40) == [
        "  what  says",
        "  ────  ────────────────────────────────",
        "  one   word word word word word word",
        "        word word word word word word",
        "  two   short",
    ]


def test_a_table_too_wide_for_the_page_becomes_records() -> None:
    long = Table((("what is meant",), ("says",)), LONG.rows)
    assert body(long, 40) == [
        "  what is meant  one",
        "  says           word word word word",
        "                 word word word word",
        "                 word word word word",
        "",
        "  what is meant  two",
        "  says           short",
    ]


def test_a_long_name_of_a_column_stands_above_its_cell() -> None:
    long = Table((("the expected value of the score",), ("d",)), (((n.Num("1"),), ("x" * 30,)),))
    assert body(long, 40) == ["  the expected value of the score", "    1", "  d", "    " + "x" * 30]


@pytest.mark.parametrize("width", [40, 50, 60, 80])
@pytest.mark.parametrize("unicode", [True, False])
def test_no_table_is_wider_than_the_page(width: int, unicode: bool) -> None:
    wide = Table(
        tuple((f"column {i} ", X) for i in range(6)),
        (tuple((n.Sum((X,) * 20),) for _ in range(6)), tuple(("some words " * 9,) for _ in range(6))),
    )
    for table in (TABLE, wide):
        assert max(map(width_of, body(table, width, unicode))) <= width


def test_pipes_are_escaped_and_matrices_stand_on_one_line() -> None:
    text = render_markdown(Document("T", "", (TABLE,)))
    assert text.splitlines()[2:] == [
        "| scaling | mean of $`x_i`$ | weight |",
        "| --- | ---: | --- |",
        "| none | $`12.5`$ | $`\\frac{1}{2}`$ |",
        "| a \\| b | $`-1.25`$ | $`\\left\\vert x_i \\right\\vert`$ at most |",
        "| 注意 | $`6.9 \\times 10^{-13}`$ | \\[1, 2; 3, 4\\] |",
    ]
    assert traps(text) == []


@pytest.mark.parametrize("math", FLAVOURS)
def test_every_flavour_is_read_as_a_table_of_three_columns(math: Flavour) -> None:
    parser = MarkdownIt("commonmark").enable("table")
    kinds = [token.type for token in parser.parse(render_markdown(Document("T", "", (TABLE,)), math))]
    assert (kinds.count("tr_open"), kinds.count("th_open"), kinds.count("td_open")) == (4, 3, 9)


def test_strangers_cells_stay_text() -> None:
    cell = "<b> [a](b) `c` $d$ | \\"
    text = render_markdown(Document("T", "", (Table(((cell,),), (((cell,),),)),)))
    assert traps(text) == []
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    said = [
        "".join(child.content for child in token.children or [])
        for token in tokens
        if token.type == "inline" and {child.type for child in token.children or []} <= {"text", "text_special"}
    ]
    assert said[1:] == [cell, cell]
