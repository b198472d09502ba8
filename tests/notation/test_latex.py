"""The LaTeX printer writes nothing that TeX refuses, whatever stands inside what: KaTeX is asked, strictly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.effort import tries
from shared.katex import complaint

from attnsolve import notation as n
from attnsolve.notation.latex import LatexPrinter, escape
from attnsolve.notation.letters import SUBSCRIPTS, SUPERSCRIPTS

NAMES = st.sampled_from(["s", "W", "alpha", "β", "é", "猫", "softmax", "ℝ"])
INDICES = st.lists(st.sampled_from(["1", "12", "Q", "t", "i", "α", "é", "a_b", "x'"]), max_size=2).map(tuple)
SYMBOLS = st.builds(n.Sym, NAMES, INDICES, st.sampled_from(["", "(0)", "h(1)", "2"]), st.integers(0, 2), st.booleans())
ANY_TEXT = st.text(
    st.sampled_from("ab −∞√½±·…′‖×≈→αβ₁²ᵀₖₜ₊⁽⁾ⁿᵝ\\{}$&#%_^~<>|`'\"[]()*-–“”éß猫"), min_size=1, max_size=8
)
NUMBERS = st.builds(n.Num, st.sampled_from(["2", "-5", "0.25"]), st.sampled_from([None, -13]))
LEAVES = st.one_of(SYMBOLS, NUMBERS, st.builds(n.Infinity, st.booleans()), st.builds(n.Word, ANY_TEXT))


def branches(inner: st.SearchStrategy[n.Notation]) -> st.SearchStrategy[n.Notation]:
    several = st.lists(inner, min_size=1, max_size=3).map(tuple)
    labels = st.lists(ANY_TEXT | st.just("x_1"), min_size=2, max_size=2).map(tuple) | st.just(())
    grids = st.builds(lambda cells, beside, above: n.Grid((cells, cells), beside, above),
                      st.tuples(inner, inner), labels, labels)  # fmt: skip
    return st.one_of(
        st.builds(n.Power, inner, inner),
        st.builds(n.Transposed, inner),
        st.builds(n.Subscripted, inner, st.just(("i", "j"))),
        st.builds(n.Frac, inner, inner),
        st.builds(n.Root, inner),
        st.builds(n.Sum, several),
        st.builds(n.Product, several, st.booleans()),
        st.builds(n.Call, st.sampled_from(["softmax", "E", ""]), several, st.sampled_from(["", "2"]), st.booleans()),
        st.builds(n.Norm, inner),
        st.builds(n.Abs, inner),
        st.builds(n.PlusMinus, inner),
        st.builds(n.SumOver, st.just("j"), inner, st.none() | inner, st.none() | inner, st.sampled_from(["", "i"])),
        st.builds(n.Limit, SYMBOLS, inner, inner),
        st.builds(n.Derivative, inner, inner),
        st.builds(n.Beside, several, st.booleans()),
        st.builds(lambda left, right: n.Chain(left, (("≈", right),)), inner, inner),
        grids,
    )  # fmt: skip


@tries(300)
@given(st.recursive(LEAVES, branches, max_leaves=8))
def test_whatever_is_nested_compiles(form: n.Notation) -> None:
    assert complaint(LatexPrinter().print(form)) == ""


@tries(200)
@given(ANY_TEXT)
def test_any_text_compiles_in_mathematics(text: str) -> None:
    assert complaint(escape(text)) == ""


@pytest.mark.parametrize("small", sorted({*SUBSCRIPTS.values(), *SUPERSCRIPTS.values()} - {","}))
def test_every_small_character_becomes_a_script(small: str) -> None:
    assert escape(small).isascii()
    assert complaint(escape(f"x{small}{small}")) == ""


PRIMED = n.Sym("s", ("1", "1"), "(0)", 1)


@pytest.mark.parametrize(
    ("form", "latex"),
    [
        (PRIMED, r"{s'}_{1,1}^{(0)}"),
        (n.Sym("S", ("0",), "", 2), "S''_0"),
        (n.Power(n.Sym("s", (), "", 1), n.Num("2")), "{s'}^2"),
        (n.Power(n.Sym("s", ("1",), "", 1), n.Num("2")), "{s'_1}^2"),
        (n.Transposed(PRIMED), r"{{s'}_{1,1}^{(0)}}^{\top}"),
        (n.Transposed(n.Sym("W", ("Q",))), r"W_Q^{\top}"),
        (n.Transposed(n.Sym("W", ("Q",), "(0)")), r"{W_Q^{(0)}}^{\top}"),
        (n.Subscripted(n.Sym("W", ("Q",)), ("i",)), "{W_Q}_i"),
        (n.Power(n.Power(n.Sym("x"), n.Num("2")), n.Num("3")), r"\left(x^2\right)^3"),
        (n.Power(n.Sym("e"), n.Frac(n.Num("-5"), n.Root(n.Num("2")))), r"e^{-5/\sqrt{2}}"),
        (n.Power(n.Sym("e"), n.Frac(n.Sum((n.Sym("x"), n.Sym("y"))), n.Num("2"))), r"e^{\left(x + y\right)/2}"),
        (n.Limit(n.Sym("x"), n.Frac(n.Num("1"), n.Num("2")), n.Sym("x")), r"\lim_{x \to 1/2} x"),
    ],
)  # fmt: skip
def test_a_base_has_one_script_above_and_one_below(form: n.Notation, latex: str) -> None:
    assert LatexPrinter().print(form) == latex


def test_names_stand_beside_rows_and_above_columns() -> None:
    grid = n.Grid(((n.Num("1"), n.Num("2")), (n.Num("3"), n.Num("4"))), ("cat", "x_2"), ("a&b", "sat"))
    assert LatexPrinter().print(grid) == "\n".join([
        r"\left[\begin{array}{l|rr}",
        r"& \text{a}\&\text{b} & \text{sat} \\",
        r"\hline",
        r"\text{cat} & 1 & 2 \\",
        r"x_2 & 3 & 4",
        r"\end{array}\right]",
    ])  # fmt: skip


def test_rows_with_fractions_are_kept_apart() -> None:
    half = n.Frac(n.Num("1"), n.Num("2"))
    assert r"\frac{1}{2} \\[6pt]" in LatexPrinter().print(n.Grid(((half,), (half,))))
    assert "pt]" not in LatexPrinter().print(n.Grid(((n.Num("1"),), (n.Num("2"),))))
    labelled = LatexPrinter().print(n.Grid(((half,), (half,)), ("a", "b"), ("c",)))
    assert labelled.count(r"\\[6pt]") == 1


def test_a_long_name_is_cut() -> None:
    printed = LatexPrinter().print(n.Grid(((n.Num("1"),),), ("supercalifragilistic" * 3,)))
    assert r"\text{supercalifragilisticsup}\ldots" in printed


def test_a_word_is_set_off_from_what_follows_it() -> None:
    """A space in the source is none on the page: KaTeX leaves it out of what a reader copies."""
    printed = LatexPrinter().print(n.Product((n.Word("columns 1 to 2 of"), n.Sym("Q"))))
    assert printed == r"\text{columns 1 to 2 of}\ Q"
    assert complaint(printed) == ""
    assert LatexPrinter().print(n.Product((n.Sym("n"), n.Word("×"), n.Sym("d")))).split() == ["n", r"\times", "d"]
