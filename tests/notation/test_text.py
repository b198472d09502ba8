"""Notation on one line, as a person would write it."""

import pytest

from attnsolve import notation as n
from attnsolve.notation.latex import LatexPrinter, escape
from attnsolve.notation.text import ASCII, TextPrinter

Q, K, E, BETA = n.Sym("Q"), n.Sym("K"), n.Sym("e"), n.Sym("beta")
TWO, MINUS_FIVE = n.Num("2"), n.Num("-5")

FORMS = [
    (n.Num("-0.5"), "−0.5", "-0.5", "-0.5"),
    (n.Num("6.897", -13), "6.897×10⁻¹³", "6.897e-13", r"6.897 \times 10^{-13}"),
    (n.Infinity(), "−∞", "-inf", r"-\infty"),
    (n.Sym("q", ("3", "1")), "q₃,₁", "q_{3,1}", "q_{3,1}"),
    (n.Sym("q", ("1",), "(0)", vector=True), "q⁽⁰⁾₁", "q_1^(0)", r"\mathbf{q}_1^{(0)}"),
    (n.Sym("W", ("Q",)), "W_Q", "W_Q", "W_Q"),
    (n.Sym("W", ("Q",), "(0)"), "W_Q⁽⁰⁾", "W_Q^(0)", "W_Q^{(0)}"),
    (n.Sym("S", primes=2), "S″", "S''", "S''"),
    (BETA, "β", "beta", r"\beta"),
    (n.Transposed(n.Product((Q, K))), "(Q K)ᵀ", "(Q K)^T", r"\left(Q K\right)^{\top}"),
    (n.Root(n.Sym("d", ("k",))), "√dₖ", "sqrt(d_k)", r"\sqrt{d_k}"),
    (n.Product((Q, n.Transposed(K))), "Q Kᵀ", "Q K^T", r"Q K^{\top}"),
    (n.Product((TWO, n.Root(n.Num("3")))), "2√3", "2*sqrt(3)", r"2 \sqrt{3}"),
    (n.Product((TWO, BETA)), "2β", "2*beta", r"2 \beta"),
    (n.Product((n.Num("-1"), BETA)), "−β", "-beta", r"-\beta"),
    (n.Product((MINUS_FIVE, BETA), dotted=True), "(−5)·β", "(-5)*beta", r"\left(-5\right) \cdot \beta"),
    (n.Sum((TWO, n.Product((n.Num("-3"), BETA)))), "2 − 3β", "2 - 3*beta", r"2 - 3 \beta"),
    (n.Sum((Q, n.Product((MINUS_FIVE, Q), dotted=True))), "Q + (−5)·Q", "Q + (-5)*Q", r"Q + \left(-5\right) \cdot Q"),
    (n.Sum((TWO, n.Infinity())), "2 + (−∞)", "2 + (-inf)", r"2 + \left(-\infty\right)"),
    (n.Frac(n.Sum((TWO, BETA)), TWO), "(2 + β)/2", "(2 + beta)/2", r"\frac{2 + \beta}{2}"),
    (n.Frac(n.Num("-1"), n.Num("3")), "−1/3", "-1/3", r"-\frac{1}{3}"),
    (n.Frac(TWO, n.Product((TWO, BETA))), "2/(2β)", "2/(2*beta)", r"\frac{2}{2 \beta}"),
    (n.Power(E, n.Num("-20")), "e⁻²⁰", "e^(-20)", "e^{-20}"),
    (n.Power(E, n.Frac(TWO, n.Root(n.Num("3")))), "e^(2/√3)", "e^(2/sqrt(3))", r"e^{\frac{2}{\sqrt{3}}}"),
    (n.Power(E, n.Sum((BETA, TWO))), "e^(β + 2)", "e^(beta + 2)", r"e^{\beta + 2}"),
    (n.Call("softmax", (Q,), "2"), "softmax₂(Q)", "softmax_2(Q)", r"\mathrm{softmax}_2\left(Q\right)"),
    (n.SumOver("j", Q), "Σⱼ Q", "sum_j Q", r"\sum_j Q"),
    (n.Subscripted(n.Product((Q, K)), ("i", "j")), "(Q K)ᵢ,ⱼ", "(Q K)_{i,j}", r"\left(Q K\right)_{i,j}"),
    (n.Beside((Q, K)), "[Q | K]", "[Q | K]", "\\begin{bmatrix}\nQ & K\n\\end{bmatrix}"),
    (n.Grid(((Q, K), (K, Q))), "[Q, K; K, Q]", "[Q, K; K, Q]", "\\begin{bmatrix}\nQ & K \\\\\nK & Q\n\\end{bmatrix}"),
    (n.Shape(3, 2), "3×2", "3x2", r"3 \times 2"),
    (n.Chain(Q, (("=", K), ("≈", TWO))), "Q = K ≈ 2", "Q = K ~= 2", r"Q = K \approx 2"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "unicode", "ascii_text", "latex"), FORMS)
def test_every_form_prints_in_every_alphabet(form: n.Notation, unicode: str, ascii_text: str, latex: str) -> None:
    assert TextPrinter().print(form) == unicode
    assert TextPrinter(ASCII).print(form) == ascii_text
    assert LatexPrinter().print(form) == latex


def test_every_form_is_tried() -> None:
    tried = {type(form) for form, *_ in FORMS} | {n.Word}
    assert set(n.Notation.__subclasses__()) == tried


def test_an_unknown_form_is_named() -> None:
    class Strange(n.Notation):
        pass

    with pytest.raises(AttributeError, match="print_strange"):
        TextPrinter().print(Strange())


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("tea", r"\text{tea}"),
        (r"\input{x}", r"\backslash \text{input}\lbrace \text{x}\rbrace "),
        ("50%", r"\text{50}\%"),
        ("a_b$", r"\text{a}\_\text{b}\char36 "),
    ],
)
def test_words_can_not_escape_into_latex(text: str, latex: str) -> None:
    assert escape(text) == latex
    assert LatexPrinter().print(n.Word(text)) == latex


def test_a_negated_term_is_its_opposite() -> None:
    for term, opposite in [
        (TWO, n.Num("-2")),
        (n.Num("-2"), TWO),
        (n.Product((MINUS_FIVE, BETA)), n.Product((n.Num("5"), BETA))),
        (n.Frac(TWO, BETA), n.Frac(n.Num("-2"), BETA)),
        (BETA, n.Product((n.Num("-1"), BETA))),
    ]:
        assert n.negated(term) == opposite
