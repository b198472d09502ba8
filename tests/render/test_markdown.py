"""Markdown that survives GitHub, is readable as text, and keeps strangers' text harmless."""

import importlib.util
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from shared.worksheets import told, worked

from attnsolve import notation as n
from attnsolve.document import (
    BLOCKS,
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
    Room,
    Section,
    Table,
    Verdict,
    walk,
)  # fmt: skip
from attnsolve.loading.files import load_one
from attnsolve.loading.sources import bundled
from attnsolve.narrate.steps import narrate
from attnsolve.pipeline import solve
from attnsolve.render.github import traps
from attnsolve.render.markdown import FLAVOURS, MOST_SCRIPTS, Flavour, escape, opened, render, scripts, slug
from attnsolve.solution.solved import Detail

spec = importlib.util.spec_from_file_location("page", Path(__file__).with_name("page.py"))
assert spec is not None
assert spec.loader is not None
page_module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(page_module)

CHAIN = n.Chain(n.Sym("x"), (("=", n.Num("1")),))
ALIGNED = "\\begin{aligned}\nx & = 1 \\\\\nx & = 1\n\\end{aligned}"
EXAMPLES: dict[type[Block], tuple[Block, str]] = {
    Paragraph: (Paragraph(("so ", CHAIN, ".")), "so $`x = 1`$."),
    Equation: (Equation(CHAIN, n.Shape(1, 1)), "```math\nx = 1 \\qquad 1 \\times 1\n```"),
    Lines: (Lines((CHAIN, CHAIN), ("twice:",)), f"twice:\n\n```math\n{ALIGNED}\n```"),
    Gallery: (Gallery((CHAIN, CHAIN)), "```math\nx = 1 \\qquad\nx = 1\n```"),
    Note: (Note(("by the way",)), "> by the way"),
    Verdict: (Verdict(((True, "fine"), (False, "off"))), "✓ fine · ✗ off"),
    Picture: (Picture("Weights A", "weights", ((1.0,),), (("1",),)), "![Weights A](worksheet.weights.svg)"),
    Table: (
        Table((("name",), (n.Sym("x"),)), ((("a|b",), (n.Num("1"),)), (("c",), (n.Num("-2"),)))),
        "| name | $`x`$ |\n| --- | ---: |\n| a\\|b | $`1`$ |\n| c | $`-2`$ |",
    ),
    Chart: (
        Chart("Draws", "draws", (0, 1, 2), (("A", (3, 1)),)),
        f"Draws\n\n```text\n       A\n0 … 1 │{'█' * 40} 3\n1 … 2 │{'█' * 13}▍ 1\n```",
    ),
    Marked: (
        Marked(n.Sym("Q"), ((("−1", "✗", "wrong"), ("0.5", "✓", "right")),) * 2, ("x_1", "x_2")),
        "| $`Q`$ |  |  |\n| --- | ---: | ---: |\n| x₁ | −1 ✗ | 0.5 ✓ |\n| x₂ | −1 ✗ | 0.5 ✓ |",
    ),
    Contents: (Contents(("Problem 1: Tea & co",)), "- [Problem 1: Tea &amp; co](#problem-1-tea--co)"),
    Room: (Room(2), "&nbsp;\n\n&nbsp;"),
    Section: (Section(("Part ", n.Sym("Q")), (Note(("in it",)),)), "## Part Q\n\n> in it"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BLOCKS)
def test_every_block_renders_as_markdown(kind: type[Block]) -> None:
    block, text = EXAMPLES[kind]
    assert render(Document("T", "", (block,))) == f"# T\n\n{text}\n"


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("math", FLAVOURS)
def test_every_block_renders_in_every_flavour(kind: type[Block], math: Flavour) -> None:
    text = render(Document("T", "", (EXAMPLES[kind][0],)), math)
    assert ("```math" in text) <= (math == "github")
    assert ("$" in text) <= (math in ("github", "dollar"))


def test_an_unknown_block_is_named() -> None:
    class Strange(Block):
        pass

    with pytest.raises(NotImplementedError, match="Strange"):
        render(Document("T", "", (Strange(),)))


def test_mathless_markdown_shows_aligned_text() -> None:
    grid = n.Grid(((n.Num("1"), n.Num("2")), (n.Num("3"), n.Num("4"))))
    text = render(Document("T", "", (Equation(n.Chain(n.Sym("Q"), (("=", grid),))),)), "none")
    assert text == "# T\n\n```text\nQ = ⎡1  2⎤\n    ⎣3  4⎦\n```\n"


def tokens(markdown: str) -> list[Token]:
    return MarkdownIt("commonmark").parse(markdown)


@pytest.mark.parametrize("name", bundled())
def test_every_bundled_solution_survives_github_and_parses(name: str) -> None:
    solution = worked(name)
    steps = [told(name, detail) for detail in get_args(Detail)]
    for document in (*steps, solution.to_document(), solution.blank()):
        text = render(document)
        assert traps(text) == []
        charts = sum(isinstance(block, Chart) for block in walk(document.blocks))
        parsed = tokens(text)
        fences = [token for token in parsed if token.type == "fence"]
        assert len(fences) == text.count("```math") + charts
        assert [token.info for token in fences].count("text") == charts
        for fence in fences:
            assert scripts(fence.content) <= MOST_SCRIPTS + 10
        headings = [token for token in parsed if token.type == "heading_open"]
        assert headings[0].tag == "h1"
        assert len(headings) > 1 or not document.blocks


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), max_size=60))
def test_any_text_stays_text(text: str) -> None:
    """Whatever a title says, a CommonMark parser reads it back as that very text: no link, image, HTML or emphasis."""
    words = " ".join(text.split())
    (_, inline, _) = tokens(f"# T{escape(words)}T")
    assert {child.type for child in inline.children or []} <= {"text", "text_special"}
    assert "".join(child.content for child in inline.children or []) == f"T{words}T"


@pytest.mark.parametrize(
    "text", ["- a", "1. a", "+ b", "# c", "> d", "1) x", "---", "***", "[a](b)", "<script>", "$x$"]
)
def test_text_at_the_start_of_a_line_makes_no_block(text: str) -> None:
    types = [token.type for token in tokens(opened(escape(text)))]
    assert types == ["paragraph_open", "inline", "paragraph_close"]


def test_long_working_is_split_below_githubs_limit() -> None:
    chain = n.Chain(n.Sym("a", ("1", "1")), (("=", n.Sum(tuple(n.Sym("b", ("1", str(i))) for i in range(20)))),))
    text = render(Document("T", "", (Lines((chain,) * 12),)))
    assert traps(text) == []
    assert text.count("```math") > 2
    assert text.count("a_{1,1}") == 12


def long_chain(*widths: int) -> n.Chain:
    return n.Chain(n.Sym("x"), tuple(("=", n.Num("9" * width)) for width in widths))


@pytest.mark.parametrize("wrap", [Equation, lambda chain: Lines((chain,))])
def test_a_chain_too_wide_for_a_page_goes_on_below(wrap: Callable[[n.Chain], Block]) -> None:
    page = render(Document("T", "", (wrap(long_chain(28, 28, 28, 50, 4)),)))
    assert [re.sub("9+", "9", row) for row in re.findall(r".*9.*", page)] == [
        r"x & = 9 = 9 \\", r"& = 9 \\", r"& = 9 = 9",
    ]  # fmt: skip
    assert "aligned" not in render(Document("T", "", (Equation(long_chain(20, 20)),)))


def test_a_sum_too_wide_for_a_page_goes_on_below() -> None:
    terms = tuple(n.Num(sign + "9" * 30) for sign in ("", "-", "", ""))
    page = render(Document("T", "", (Equation(n.Chain(n.Sym("x"), (("=", n.Sum(terms)), ("=", n.Num("1"))))),)))
    assert [re.sub("9+", "9", row) for row in page.split("\n")[4:-3]] == [
        r"x & = 9 \\", r"& \quad - 9 \\", r"& \quad + 9 \\", r"& \quad + 9 = 1",
    ]  # fmt: skip


def test_given_matrices_stand_side_by_side_as_far_as_they_fit() -> None:
    page = render(Document("T", "", (Gallery((long_chain(20), long_chain(20), long_chain(40), long_chain(90))),)))
    assert [block.count("x") for block in re.findall("```math\n(.*?)\n```", page, re.DOTALL)] == [2, 1, 1]


def test_a_gallery_stays_below_githubs_limit() -> None:
    marked = n.Chain(n.Sym("x"), (("=", n.Grid(((n.Sym("a", ("1", "1")),) * 2,) * 20)),))
    page = render(Document("T", "", (Gallery((marked, marked)),)))
    assert traps(page) == []
    assert page.count("```math") == 2


@pytest.mark.parametrize(("math", "sign"), [("github", r"\lt"), ("dollar", "<"), ("latex", "<")])
def test_less_than_is_written_as_each_reader_knows_it(math: Flavour, sign: str) -> None:
    """LaTeX has no \\lt, and GitHub reads < as HTML."""
    chain = n.Chain(n.Sym("x"), (("<", n.Num("1")), ("", n.Word("a>b"))))
    page = render(Document("T", "", (Equation(chain), Paragraph(("so ", chain, "")))), math)
    assert page.count(f"x {sign} 1") == 2
    assert (r"\lt" in page, r"\gt" in page) == (math == "github",) * 2


TRAPPED = [
    ("```math\na \\\\ b\n```", "middle of a line"),
    ("```math\n\\operatorname{softmax}\n```", "refused"),
    ("```math\n\\mbox{a}\n```", "refused"),
    ("```math\n\\char36\n```", "refused"),
    ("```math\n\\newcommand{\\a}{b}\n```", "refused"),
    ("```math\na < b\n```", "read as HTML"),
    ("```math\n50% of\n```", "starts a comment"),
    ("```math\n\\text{$}\n```", "dollar sign"),
    ("```math\na^*\n```", "emphasis"),
    ("````text\n```\n````\n\nso $a$ is", "dollar signs"),
    ("so $`E[x](y)`$ is", "as a link"),
    ("```math\n\\sqrt{\\frac{1}{2}}\n```", "oversized"),
    ("```math\na\n\nb\n```", "empty line inside"),
    ("text\n```math\na\n```", "empty line before and after"),
    ("```math\n" + "a_{1}" * 81 + "\n```", "braced scripts"),
    ("```math\n" + "\\color{red}a" * 50 + "\n```", "colours"),
    ("$$\na\n$$", "dollar signs"),
    ("so $a$ is", "dollar signs"),
    ("- an item $`a`$", "list or a heading"),
    ("# heading $`a`$", "list or a heading"),
    ("[link $`a`$ ](b)", "link or a footnote"),
    ("note [^1] $`a`$", "link or a footnote"),
    ("<details>\n\n$`a`$\n", "details"),
    ("glued$`a`$", "glued to 'd'"),
    ("$`a`$7", "glued to '7'"),
    ("($`a`$", "glued to '('"),
    ("x" * 150_001, "larger than"),
]


@pytest.mark.parametrize(("markdown", "says"), TRAPPED)
def test_each_of_githubs_traps_is_seen(markdown: str, says: str) -> None:
    found = traps(f"# T\n\n{markdown}\n")
    assert any(says in trap.description for trap in found), [str(trap) for trap in found]


def test_a_text_fence_holds_anything() -> None:
    assert traps("# T\n\n````text\n```math\n$a$ < \\\\ b\n```\n````\n") == []


def test_a_trap_knows_its_line() -> None:
    (trap,) = traps("# T\n\n```math\na\nb \\\\ c\n```\n")
    assert trap.line == 5


def test_an_anchor_is_githubs() -> None:
    assert slug("Problem 1: Query, key & value (a_b)") == "problem-1-query-key--value-a_b"


@pytest.mark.parametrize("name", bundled())
def test_every_formula_can_be_drawn(name: str) -> None:
    """A LaTeX reader that is not ours turns every formula into MathML, with a table for every matrix."""
    text = render(worked(name).to_document())
    html = page_module.page(text)
    drawn = re.findall(r"<math.*?</math>", html, re.DOTALL)
    inline = len(re.findall(r"\$`", text))
    assert len(drawn) == text.count("```math") + inline
    tables = sum(len(list(ET.fromstring(math).iter("{http://www.w3.org/1998/Math/MathML}mtable"))) for math in drawn)
    assert tables == text.count(r"\begin{")
    assert "merror" not in html


def test_headings_carry_no_mathematics() -> None:
    text = render(narrate(solve(load_one("two-heads-thinking-machine"))))
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert "### Step 1: Queries Q⁽⁰⁾" in headings
    assert not any(re.search(r"\$|\\", heading) for heading in headings)


@pytest.mark.parametrize(
    ("math", "shown"), [("github", "$`x = 1`$"), ("dollar", "$x = 1$"), ("latex", r"\(x = 1\)"), ("none", "x = 1")]
)
def test_mathematics_in_running_text_is_closed_again(math: Flavour, shown: str) -> None:
    assert render(Document("T", "", (Paragraph(("so ", CHAIN, ".")),)), math) == f"# T\n\nso {shown}.\n"


def test_a_name_that_looks_like_the_end_of_a_fence_is_none() -> None:
    grid = n.Grid(((n.Num("1"),),), ("<img src=//x>",), ("```",))
    text = render(Document("T", "", (Equation(n.Chain(n.Sym("Q"), (("=", grid),))),)), "none")
    (fence,) = [token for token in tokens(text) if token.type == "fence"]
    assert "<img" in fence.content
    assert fence.content.startswith("     ```\n")


def test_nothing_in_a_text_strikes_it_out() -> None:
    assert "<s>" not in MarkdownIt("commonmark").enable("strikethrough").render(escape("~~a~~"))


DELIMITER = {"github": r"(?<!\\)\$", "dollar": r"(?<!\\)\$", "latex": r"\\[\[\]()]"}


@pytest.mark.parametrize("math", DELIMITER)
@given(text=st.text(st.sampled_from("\\[]()$`1 a*"), min_size=1))
def test_no_text_delimits_mathematics(math: Flavour, text: str) -> None:
    """Whatever a title, a statement or a name holds; read after pairs of backslashes, which stand for one."""
    section = Section((text,), (Paragraph((text,)), Note((text,)), Verdict(((True, text),))))
    page = render(Document(text, text, (section,)), math).replace("\\\\", "")
    assert re.search(DELIMITER[math], page) is None


def test_square_brackets_stay_text_where_a_backslash_begins_mathematics() -> None:
    page = render(Document("Marks [3]", "", (Paragraph((r"1) see [2], and \(x\)",)),)), "latex")
    assert " ".join(token.content for token in MarkdownIt().parseInline(page)[0].children or ()).split() == [
        "#", "Marks", "[3]", "1)", "see", "[2],", "and", r"\(x\)"
    ]  # fmt: skip


def test_rows_of_matrices_stay_apart_without_mathematics() -> None:
    wide = n.Chain(n.Sym("X"), (("=", n.Grid(((n.Num("1"),) * 12,) * 2)),))
    page = render(Document("", "", (Gallery((wide, wide, wide)),)), "none")
    block = page[page.index("```text\n") + 8 : page.rindex("\n```")]
    assert len(block.split("\n\n")) == 3
    assert not block.startswith("\n")
    assert not block.endswith("\n")
