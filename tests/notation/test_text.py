"""Notation on one line, as a person would write it."""

import pytest
from shared.katex import complaint

from attnsolve import notation as n
from attnsolve.notation.latex import LatexPrinter, escape
from attnsolve.notation.text import ASCII, TextPrinter

Q, K, E, BETA = n.Sym("Q"), n.Sym("K"), n.Sym("e"), n.Sym("beta")
TWO, MINUS_FIVE = n.Num("2"), n.Num("-5")
X_I, D_K, ONE = n.Sym("x", ("i",)), n.Sym("D", ("k",)), n.Num("1")
MINUS_BETA = n.Product((n.Num("-1"), BETA))
INFINITE = n.Infinity(negative=False)

FORMS = [
    (n.Num("-0.5"), "−0.5", "-0.5", "-0.5"),
    (n.Num("6.897", -13), "6.897×10⁻¹³", "6.897*10^-13", r"6.897 \times 10^{-13}"),
    (n.Infinity(), "−∞", "-inf", r"-\infty"),
    (n.Sym("q", ("3", "1")), "q₃,₁", "q_{3,1}", "q_{3,1}"),
    (n.Sym("q", ("1",), "(0)", vector=True), "q⁽⁰⁾₁", "q_1^(0)", r"\mathbf{q}_1^{(0)}"),
    (n.Sym("W", ("Q",)), "W_Q", "W_Q", "W_Q"),
    (n.Sym("W", ("Q",), "(0)"), "W_Q⁽⁰⁾", "W_Q^(0)", "W_Q^{(0)}"),
    (n.Sym("S", primes=2), "S″", "S''", "S''"),
    (BETA, "β", "beta", r"\beta"),
    (n.Power(n.Sym("ℝ"), n.Product((TWO, n.Word("×"), TWO))), "ℝ^(2 × 2)", "R^(2 x 2)", r"\mathbb{R}^{2 \times  2}"),
    (n.Transposed(n.Product((Q, K))), "(Q K)ᵀ", "(Q K)^T", r"\left(Q K\right)^{\top}"),
    (n.Root(n.Sym("d", ("k",))), "√dₖ", "sqrt(d_k)", r"\sqrt{d_k}"),
    (n.Root(n.Frac(Q, K)), "√(Q/K)", "sqrt(Q/K)", r"\sqrt{Q / K}"),
    (n.Root(n.Product((n.Frac(Q, K), TWO))), "√(Q/K 2)", "sqrt(Q/K 2)", r"\left(\frac{Q}{K} 2\right)^{1/2}"),
    (n.Product((Q, n.Transposed(K))), "Q Kᵀ", "Q K^T", r"Q K^{\top}"),
    (n.Entrywise((Q, n.Product((Q, K)))), "Q ⊙ (Q K)", "Q .* (Q K)", r"Q \odot \left(Q K\right)"),
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
    (n.Power(E, n.Frac(TWO, n.Root(n.Num("3")))), "e^(2/√3)", "e^(2/sqrt(3))", r"e^{2/\sqrt{3}}"),
    (n.Power(E, n.Sum((BETA, TWO))), "e^(β + 2)", "e^(beta + 2)", r"e^{\beta + 2}"),
    (n.Call("softmax", (Q,), "2"), "softmax₂(Q)", "softmax_2(Q)", r"\mathrm{softmax}_2\left(Q\right)"),
    (n.Degrees(n.Num("30")), "30°", "30*pi/180", r"30^{\circ}"),
    (n.Derivative(Q, X_I), "∂Q/∂xᵢ", "dQ/dx_i", r"\frac{\partial Q}{\partial x_i}"),
    (n.Derivative(n.Sum((Q, TWO)), K), "∂(Q + 2)/∂K", "d(Q + 2)/dK",
     r"\frac{\partial \left(Q + 2\right)}{\partial K}"),
    (n.Power(E, n.Derivative(Q, K)), "e^(∂Q/∂K)", "e^(dQ/dK)", r"e^{\partial Q/\partial K}"),
    (n.SumOver("j", Q), "Σⱼ Q", "sum_j Q", r"\sum_j Q"),
    (n.SumOver("i", X_I, ONE, n.Sym("n")), "Σᵢ₌₁ⁿ xᵢ", "sum_{i=1}^{n} x_i", r"\sum_{i=1}^n x_i"),
    (n.SumOver("i", X_I, ONE, D_K), "Σ (i = 1 … Dₖ) xᵢ", "sum_{i=1}^{D_k} x_i", r"\sum_{i=1}^{D_k} x_i"),
    (n.SumOver("i", X_I, but="j"), "Σ (i ≠ j) xᵢ", "sum_{i!=j} x_i", r"\sum_{i \neq j} x_i"),
    (n.Root(n.Frac(ONE, n.Sum((TWO, X_I)))), "√(1/(2 + xᵢ))", "sqrt(1/(2 + x_i))", r"\sqrt{1 / \left(2 + x_i\right)}"),
    (n.SumOver("i", X_I, ONE), "Σᵢ₌₁ xᵢ", "sum_{i=1} x_i", r"\sum_{i=1} x_i"),
    (n.SumOver("i", n.Sum((X_I, TWO)), ONE, TWO), "Σᵢ₌₁² (xᵢ + 2)", "sum_{i=1}^{2} (x_i + 2)",
     r"\sum_{i=1}^2 \left(x_i + 2\right)"),
    (n.SumOver("i", n.SumOver("j", X_I)), "Σᵢ Σⱼ xᵢ", "sum_i sum_j x_i", r"\sum_i \sum_j x_i"),
    (n.Product((n.Frac(ONE, n.Sym("n")), n.SumOver("i", X_I))), "1/n Σᵢ xᵢ", "1/n sum_i x_i",
     r"\frac{1}{n} \sum_i x_i"),
    (n.Product((n.SumOver("i", X_I), Q)), "(Σᵢ xᵢ) Q", "(sum_i x_i) Q", r"\left(\sum_i x_i\right) Q"),
    (n.Sum((TWO, n.SumOver("i", X_I))), "2 + Σᵢ xᵢ", "2 + sum_i x_i", r"2 + \sum_i x_i"),
    (n.Frac(n.SumOver("i", X_I), TWO), "(Σᵢ xᵢ)/2", "(sum_i x_i)/2", r"\frac{\sum_i x_i}{2}"),
    (n.Limit(BETA, INFINITE, Q), "lim (β → ∞) Q", "lim_{beta->inf} Q", r"\lim_{\beta \to \infty} Q"),
    (n.Limit(D_K, n.Infinity(), n.Sum((Q, K))), "lim (Dₖ → −∞) (Q + K)", "lim_{D_k->-inf} (Q + K)",
     r"\lim_{D_k \to -\infty} \left(Q + K\right)"),
    (n.Limit(BETA, TWO, n.SumOver("j", Q)), "lim (β → 2) Σⱼ Q", "lim_{beta->2} sum_j Q",
     r"\lim_{\beta \to 2} \sum_j Q"),
    (n.Product((TWO, n.Limit(BETA, TWO, Q))), "2 lim (β → 2) Q", "2*lim_{beta->2} Q", r"2 \lim_{\beta \to 2} Q"),
    (n.Norm(n.Sum((Q, n.Product((n.Num("-1"), K))))), "‖Q − K‖", "||Q - K||",
     r"\left\lVert Q - K \right\rVert"),
    (n.Power(n.Norm(Q), TWO), "‖Q‖²", "||Q||^2", r"\left\lVert Q \right\rVert^2"),
    (n.Abs(MINUS_BETA), "|−β|", "|-beta|", r"\left\vert -\beta \right\vert"),
    (n.PlusMinus(n.Root(n.Sym("D"))), "±√D", "+-sqrt(D)", r"\pm \sqrt{D}"),
    (n.Power(n.Root(n.Sym("D")), TWO), "(√D)²", "sqrt(D)^2", r"\sqrt{D}^2"),
    (n.Power(n.Root(n.Sum((Q, K))), TWO), "(√(Q + K))²", "sqrt(Q + K)^2", r"\sqrt{Q + K}^2"),
    (n.Transposed(n.Root(n.Sym("D"))), "(√D)ᵀ", "sqrt(D)^T", r"\sqrt{D}^{\top}"),
    (n.PlusMinus(n.Sum((Q, K))), "±(Q + K)", "+-(Q + K)", r"\pm \left(Q + K\right)"),
    (n.Sum((Q, n.PlusMinus(TWO))), "Q ± 2", "Q +- 2", r"Q \pm 2"),
    (n.Product((Q, n.PlusMinus(TWO))), "Q (±2)", "Q (+-2)", r"Q \left(\pm 2\right)"),
    (n.Call("E", (n.Product((Q, K), dotted=True),), square=True), "E[Q·K]", "E[Q*K]",
     r"\mathbb{E}\left\lbrack Q \cdot K \right\rbrack"),
    (n.Call("Var", (Q,)), "Var(Q)", "Var(Q)", r"\mathrm{Var}\left(Q\right)"),
    (n.Call("Var", (Q,), square=True), "Var[Q]", "Var[Q]", r"\mathrm{Var}\left\lbrack Q \right\rbrack"),
    (n.Power(E, n.Frac(MINUS_BETA, TWO)), "e^(−β/2)", "e^(-beta/2)", r"e^{-\beta/2}"),
    (n.Power(E, n.Product((n.Num("-1"), n.Frac(BETA, TWO)))), "e^(−β/2)", "e^(-beta/2)", r"e^{-\beta/2}"),
    (n.Power(E, n.Product((BETA, D_K))), "e^(β Dₖ)", "e^(beta D_k)", r"e^{\beta D_k}"),
    (n.Power(E, MINUS_BETA), "e⁻ᵝ", "e^(-beta)", r"e^{-\beta}"),
    (n.Power(E, n.PlusMinus(TWO)), "e^(±2)", "e^(+-2)", r"e^{\pm 2}"),
    (n.Power(E, D_K), "e^Dₖ", "e^D_k", "e^{D_k}"),
    (n.Power(n.Sym("q", ("1",), "(0)"), TWO), "q⁽⁰⁾₁²", "q_1^(0)^2", "{q_1^{(0)}}^2"),
    (n.Transposed(n.Sym("K", (), "(0)")), "K⁽⁰⁾ᵀ", "K^(0)^T", r"{K^{(0)}}^{\top}"),
    (n.Sym("Pi"), "Π", "Pi", r"\Pi"),
    (n.Sym("Sigma", ("a",)), "Σ_a", "Sigma_a", r"\Sigma_a"),
    (n.Sym("mu", ("a",), vector=True), "μ_a", "mu_a", r"\boldsymbol{\mu}_a"),
    (n.Sym("epsilon"), "ε", "epsilon", r"\epsilon"),
    (n.Subscripted(n.Product((Q, K)), ("i", "j")), "(Q K)ᵢ,ⱼ", "(Q K)_{i,j}", r"\left(Q K\right)_{i,j}"),
    (n.Beside((Q, K)), "[Q | K]", "[Q | K]", "\\begin{bmatrix}\nQ & K\n\\end{bmatrix}"),
    (n.Grid(((Q, K), (K, Q))), "[Q, K; K, Q]", "[Q, K; K, Q]", "\\begin{bmatrix}\nQ & K \\\\\nK & Q\n\\end{bmatrix}"),
    (n.Dots("⋯"), "⋯", "...", r"\cdots"),
    (n.Dots("⋮"), "⋮", ":", r"\vdots"),
    (n.Dots("⋱"), "⋱", "...", r"\ddots"),
    (n.Shape(3, 2), "3×2", "3x2", r"3 \times 2"),
    (n.Chain(Q, (("=", K), ("≈", TWO))), "Q = K ≈ 2", "Q = K ~= 2", r"Q = K \approx 2"),
]  # fmt: skip


RELATIONS = [
    ("=", "=", "="), ("≈", "~=", r"\approx"), ("→", "->", r"\to"), ("≥", ">=", r"\ge"), ("≤", "<=", r"\le"),
    ("<", "<", r"\lt"), (">", ">", r"\gt"), ("≠", "!=", r"\neq"), ("∼", "~", r"\sim"), ("∈", "in", r"\in"),
    ("⟺", "<=>", r"\iff"), ("⟹", "=>", r"\implies"), ("≫", ">>", r"\gg"), ("∝", "propto", r"\propto"),
]  # fmt: skip


@pytest.mark.parametrize(("sign", "ascii_sign", "latex"), RELATIONS)
def test_every_relation_has_a_sign_in_every_alphabet(sign: str, ascii_sign: str, latex: str) -> None:
    chain = n.Chain(Q, ((sign, K),))
    assert TextPrinter().print(chain) == f"Q {sign} K"
    assert TextPrinter(ASCII).print(chain) == f"Q {ascii_sign} K"
    assert LatexPrinter().print(chain) == f"Q {latex} K"


def test_an_empty_relation_prints_nothing() -> None:
    for printer in (TextPrinter(), TextPrinter(ASCII), LatexPrinter()):
        assert printer.print(n.Chain(None, (("", Q),))) == "Q"
        assert printer.print(n.Chain(Q, (("", K), ("=", TWO)))) == "Q K = 2"


@pytest.mark.parametrize(("form", "unicode", "ascii_text", "latex"), FORMS)
def test_every_form_prints_in_every_alphabet(form: n.Notation, unicode: str, ascii_text: str, latex: str) -> None:
    assert TextPrinter().print(form) == unicode
    assert TextPrinter(ASCII).print(form) == ascii_text
    assert LatexPrinter().print(form) == latex


@pytest.mark.parametrize("form", [form for form, *_ in FORMS])
def test_a_reader_that_is_not_ours_understands_the_latex(form: n.Notation) -> None:
    assert complaint(LatexPrinter().print(form)) == ""


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
        ("a_b$", r"\text{a}\_\text{b}\$"),
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


def test_greek_letters_within_a_longer_name_are_spelled_out_in_ascii() -> None:
    assert TextPrinter(ASCII).print(n.Sym("φQ")) == "phiQ"
