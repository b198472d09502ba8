"""Working with reasons in its margin: one column where everything fits, below each line where it does not."""

import pytest

from attnsolve import notation as n
from attnsolve.document import Document, Inline, Lines
from attnsolve.render.box import width_of
from attnsolve.render.github import traps
from attnsolve.render.markdown import render as render_markdown
from attnsolve.render.markdown import scripts
from attnsolve.render.text import render

X, Y = n.Sym("x", ("i",)), n.Sym("y", ("i",))


def mean(inner: n.Notation) -> n.Call:
    return n.Call("E", (inner,), square=True)


WORK = Lines(
    (
        n.Chain(mean(n.SumOver("i", n.Product((X, Y)))), (("=", n.SumOver("i", mean(n.Product((X, Y))))),)),
        n.Chain(None, (("=", n.SumOver("i", n.Product((mean(X), mean(Y))))),)),
        n.Chain(None, (("=", n.Num("0")),)),
        n.Chain(None, (("", n.Word("as was to be shown")),)),
    ),
    ("So",),
    (("linearity",), (X, " and ", Y, " are independent"), (), ("■",)),
)
TALL = n.Grid(tuple((n.Num(str(i)),) for i in range(3)))


def body(block: Lines, width: int, unicode: bool = True) -> list[str]:
    return render(Document("T", "", (block,)), width, unicode).splitlines()[3:]


def test_reasons_stand_in_one_column_where_there_is_room() -> None:
    assert body(WORK, 80) == [
        "  So",
        "    E[Σᵢ xᵢ yᵢ] = Σᵢ E[xᵢ yᵢ]         linearity",
        "                = Σᵢ E[xᵢ] E[yᵢ]      xᵢ and yᵢ are independent",
        "                = 0",
        "                as was to be shown    ■",
    ]


def test_reasons_stand_below_their_lines_where_there_is_not() -> None:
    assert body(WORK, 50) == [
        "  So",
        "    E[Σᵢ xᵢ yᵢ] = Σᵢ E[xᵢ yᵢ]",
        "                    linearity",
        "                = Σᵢ E[xᵢ] E[yᵢ]",
        "                    xᵢ and yᵢ are independent",
        "                = 0",
        "                as was to be shown",
        "                    ■",
    ]


def test_a_line_without_a_reason_may_be_longer_than_the_column() -> None:
    long = n.Chain(None, (("=", n.Sum((X,) * 10)),))
    shown = body(Lines((WORK.chains[0], long), (), (("linearity",), ())), 70)
    assert shown[0].endswith("]    linearity")
    assert len(shown) == 2


def test_a_reason_stands_beside_the_middle_of_a_matrix() -> None:
    block = Lines((n.Chain(X, (("=", TALL),)), n.Chain(None, (("≈", TALL),))), (), (("given",), ("why",)))
    assert body(block, 60) == [
        "         ⎡0⎤",
        "    xᵢ = ⎢1⎥    given",
        "         ⎣2⎦",
        "",
        "         ⎡0⎤",
        "       ≈ ⎢1⎥    why",
        "         ⎣2⎦",
    ]
    mathless = render_markdown(Document("T", "", (block,)), "none")
    assert "```text\n     ⎡0⎤\nxᵢ = ⎢1⎥    given\n" in mathless


@pytest.mark.parametrize("width", [40, 45, 50, 60, 80])
@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("reason", [("short",), ("long " * 30, X), (X, "unbroken" * 12)])
def test_nothing_is_wider_than_the_page(width: int, unicode: bool, reason: Inline) -> None:
    chain = n.Chain(n.Sum((X,) * 12), (("=", n.Sum((Y,) * 30)), ("=", n.Product((TALL, TALL)))))
    block = Lines((*WORK.chains, chain), WORK.intro, (*WORK.reasons, reason))
    assert max(map(width_of, body(block, width, unicode))) <= width


def test_a_reason_for_every_line_or_for_none() -> None:
    with pytest.raises(ValueError, match="zip"):
        body(Lines(WORK.chains, (), (("one",),)), 80)


def test_latex_sets_reasons_in_a_column() -> None:
    text = render_markdown(Document("T", "", (WORK,)))
    assert traps(text) == []
    rows = text.split("\\begin{aligned}\n")[1].split("\n\\end{aligned}")[0].split(" \\\\\n")
    assert [row.partition(" && ")[2] for row in rows] == [
        r"\text{linearity}",
        r"x_i\text{ and }y_i\text{ are independent}",
        "",
        r"\text{■}",
    ]
    assert rows[2] == "& = 0"
    assert rows[3].startswith(r"&\text{as was")


def test_strangers_words_stay_words_in_a_reason() -> None:
    text = render_markdown(Document("T", "", (Lines(WORK.chains[2:3], (), ((r"\input{x} 50% $ & <b>",),)),)))
    assert traps(text) == []
    assert r"\input" not in text
    assert text.count("&") == text.count(r"\&") + 3


def test_mathless_markdown_keeps_the_margin() -> None:
    text = render_markdown(Document("T", "", (WORK,)), "none")
    assert "E[Σᵢ xᵢ yᵢ] = Σᵢ E[xᵢ yᵢ]         linearity\n            = Σᵢ" in text


def test_long_working_with_reasons_is_split_below_githubs_limit() -> None:
    many = n.Chain(None, (("=", n.Sum(tuple(n.Sym("b", ("1", str(i))) for i in range(20)))),))
    text = render_markdown(Document("T", "", (Lines((many,) * 12, (), ((X, " again"),) * 12),)))
    assert traps(text) == []
    assert text.count("```math") > 2
    assert text.count(r"&& x_i\text{ again}") == 12
    assert scripts(text) == 240
