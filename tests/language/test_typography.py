"""However a number is spelled, it is the same number: typed, copied from a page, from LaTeX or from a spreadsheet."""

from __future__ import annotations

import re
from fractions import Fraction as F
from itertools import pairwise

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import E, exp, pi, sqrt

from attnsolve.check.written import read_written
from attnsolve.errors import ProblemError
from attnsolve.language.tokens import tokenise
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.spec.number import NumberError, infinity, parse_number

BETA = sympy.Symbol("beta", positive=True)
D_K = sympy.Symbol("D_k", positive=True)
SYMBOLS = {"beta": BETA, "D_k": D_K}
HALF = sympy.Rational(1, 2)

SPELLINGS = {
    F(6897, 10**16): ["6.897e−13", "6.897×10⁻¹³", r"6.897 \times 10^{-13}", "6.897 x 10^-13", "6.897·10^(−13)"],
    F(1, 2): [
        "½",
        "1⁄2",
        "1÷2",
        r"\frac{1}{2}",
        r"\frac12",
        r"\dfrac{1}{2}",
        "$1/2$",
        r"\(0.5\)",
        "= 1/2",
        "0,5",
        "√¼",
    ],
    F(5, 2): ["2½", "2 ½", "2,5", "2{,}5", "２．５", r"2 + \tfrac{1}{2}", "≈ 2.5", "~2.5", "~= 2.5", r"$\approx 2.5$"],
    F(-7, 3): ["-2⅓", "−2 ⅓", "–7/3", r"-\frac{7}{3}"],
    F(20): ["2e+1", "2e1", "2×10¹"],
    F(1, 1000): ["1e-3", "1e−3", "10⁻³", "1×10⁻³", r"10^{-3}", ",001".replace(",", "0,")],
    F(21): ["(1 + 2)(3 + 4)", "3(7)", "7 (1 + 2)"],
    2 * sqrt(2): ["2√2", "√8", "2·√2", r"2\sqrt{2}", r"2\sqrt2", "2 sqrt(2)", "2*sqrt(2)", r"2 \cdot \sqrt{2}"],
    sqrt(2) / 2: ["√2/2", "½√2", r"\frac{\sqrt{2}}{2}", "1/√2", "√½", r"\left(\frac{1}{2}\right)^{1/2}", "√(2)/2"],
    sqrt(2) / 4: ["1/(2√2)", r"\frac{1}{2\sqrt{2}}", "2^(-3/2)", "√2/4"],
    2 * pi: ["2π", "2pi", "2 π", r"2\pi", "2·π"],
    sqrt(pi): ["√π", r"\sqrt{\pi}", "π^½"],
    2 * E: ["2e", "2·e", "2E", "2*e", r"2\mathrm{e}"],
    exp(2): ["e²", "e^2", "e^{2}", r"$e^{2}$", "e**2", r"\mathrm{e}^2"],
    E / (2 * E + 1): ["e/(2e+1)", r"\frac{e}{2e+1}", "e/(2e + 1)", "e/(1+2e)", "E/(2*E + 1)"],
    (2 * E + 1) / 3: ["(2e+1)/3", "(2e + 1)/3"],
    E / (2 * E + HALF * 3): ["e/(2e+1.5)", "e/(2e+1,5)", "e/(2e+3/2)"],
    5 * E + 1: ["2e+3e+1", "5e + 1", "e+4e+1"],
    E / (2 * E - 1): ["e/(2e-1)", "e/(2e−1)"],
    2 * BETA: ["2β", "2beta", r"2\beta", "2 β"],
    1 / sqrt(D_K): ["1/√D_k", "1/√Dₖ", r"\frac{1}{\sqrt{D_k}}", "1/sqrt(D_{k})", r"1/\sqrt{\mathrm{D}_k}"],
    sqrt(2) * pi: ["√2 π", "√2·π", "(√2)π"],
    pi / 2: ["1/2 π", "½π", "π/2"],
}


@pytest.mark.parametrize(("text", "value"), [(text, value) for value, texts in SPELLINGS.items() for text in texts])
def test_a_number_is_the_same_however_it_is_spelled(text: str, value: F | sympy.Expr) -> None:
    found = parse_number(text, SYMBOLS).value
    assert isinstance(found, F) == isinstance(value, F)
    assert found == value or sympy.simplify(found - value) == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("exp(2)/(exp(2) + exp(8))", exp(2) / (exp(2) + exp(8))),
        (r"\frac{e^{1/2}}{e^{1/2} + e}", exp(HALF) / (exp(HALF) + E)),
        ("e^(1/2)/(e^½ + e)", exp(HALF) / (exp(HALF) + E)),
        ("e²ᵝ/(1 + e²ᵝ)", exp(2 * BETA) / (1 + exp(2 * BETA))),
        ("2**(1/3)/(1 + 2**(1/3))", sympy.cbrt(2) / (1 + sympy.cbrt(2))),
        ("2^(3√2)", 2 ** (3 * sqrt(2))),
        ("√(1 + √2)", sqrt(1 + sqrt(2))),
        ("e^π", exp(pi)),
    ],
)
def test_an_answer_may_have_any_power(text: str, value: sympy.Expr) -> None:
    assert sympy.simplify(read_written(text, SYMBOLS).value - value) == 0


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("6.897e−13", 16),
        ("6.897×10⁻¹³", 16),
        ("≈0.70", 2),
        ("$0.707$", 3),
        ("0,50", 2),
        ("12,5", 1),
        ("27%", 2),
        ("27.0 %", 3),
        (r"2.5\%", 3),
        (r"1.20 \times 10^{3}", -1),
        ("2e+1", -1),
        ("½", None),
        ("√2", None),
        ("2e", None),
        (r"\frac{1}{2}", None),
    ],
)
def test_the_written_precision_survives_its_spelling(text: str, places: int | None) -> None:
    assert read_written(text, share=True).places == places


@pytest.mark.parametrize("text", ["-inf", "-.inf", "−∞", "-oo", r"-\infty", "– ∞", "-Infinity", r"$-\infty$", "-.INF"])
def test_minus_infinity_is_one_thing(text: str) -> None:
    assert infinity(text) == -1
    assert read_written(text).infinite
    mask = f"given: {{masked: [[1, '{text}']]}}\nvalues: [[1], [2]]\n"
    assert solve(*parse(mask, "p.yaml"))["weights"].exact_text == [["1", "0"]]


@pytest.mark.parametrize(("text", "sign"), [("∞", 1), ("+oo", 1), ("2", 0), ("x", 0), ("--oo", 0), ("$", 0)])
def test_only_infinity_is_infinite(text: str, sign: int) -> None:
    assert infinity(text) == sign


# ── what could be meant in two ways ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "said", "fix"),
    [
        ("1/2π", "can be read in two ways at 'π'", "1/(2√2) or (1/2)√2"),
        ("1 / 2 √2", "can be read in two ways at '√'", "1/(2√2) or (1/2)√2"),
        ("6/2(1+2)", "can be read in two ways at '('", "1/(2√2) or (1/2)√2"),
        ("e^2π", "can be read in two ways at 'π'", "e^(2π) or (e^2)π"),
        ("√2π", "can be read in two ways at 'π'", "√(2π) or (√2)π"),
        ("5e-4*3", "can be read in two ways at '5e-4'", "write 5*10^-4 or 5*e - 4"),
        ("e + 6.9e-13", "can be read in two ways at '6.9e-13'", "write 6.9*10^-13 or 6.9*e - 13"),
        ("1,234", "its comma may group thousands", "write 1234 or 1.234"),
        ("12,345,678", "its comma may group thousands", "write 12345678"),
        ("27%", "is a percentage, but only weights", "write 0.27"),
        ("1/3 ≈ 0.333", "'≈' has no meaning here", "write one number"),
        ("pi(2)", "'(' was not expected", ""),
        (r"\sqrt[3]{2}", "'[' has no meaning here", ""),
        (r"\frac{1}", "needs braces", r"write \frac{1}{2}"),
        ("{1}", "'{' was found where a number was expected", ""),
    ],
)
def test_what_could_mean_two_things_is_refused_with_both(text: str, said: str, fix: str) -> None:
    with pytest.raises(NumberError, match=re.escape(said)) as caught:
        parse_number(text)
    assert fix in caught.value.fix


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("2e+1", "2e+1 was read as 20; write 2*e + 1 if e is Euler's number"),
        ("-2e+1", "-2e+1 was read as -20; write -2*e + 1 if e is Euler's number"),
        ("0,5", "0,5 was read as 0.5"),
        ("27%", "27% was read as 0.27"),
    ],
)
def test_what_had_to_be_interpreted_is_noted(text: str, note: str) -> None:
    assert read_written(text, share=True).notes == (note,)


@pytest.mark.parametrize(
    "text", ["1e-3", "2e-3", "2.5e+03", "1e+3", "2E+1", "2e+01", "20", "½", "e/(2e+1)", "6.9×10⁻³"]
)
def test_what_is_clear_needs_no_note(text: str) -> None:
    assert read_written(text).notes == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e-3*2", F(1, 500)), ("2.5e-1*4", F(1)), ("2E+1/4", F(5)), ("2e+01/4", F(5)), ("3 + 2e1", F(23))],
)
def test_what_programs_print_stays_a_power_of_ten_in_an_expression(text: str, value: F) -> None:
    assert parse_number(text).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1" + "0" * 9000, F(10**9000)),
        ("-0." + "0" * 5999 + "1", F(-1, 10**6000)),
        ("1/1" + "0" * 9000, F(1, 10**9000)),
        ("1e-" + "0" * 9000 + "12", F(1, 10**12)),
        ("2×10^" + "0" * 9000 + "3", F(2000)),
        ("1" + "0" * 4999 + ".5e-5000", F(10**5000 + 5, 10**5001)),
    ],
    ids=["whole", "decimal", "fraction", "zeros", "power", "both"],
)
def test_an_answer_may_have_any_number_of_digits(text: str, value: F) -> None:
    assert read_written(text).value == value


# ── in problem files ─────────────────────────────────────────────────────────────────────────────


def test_a_problem_file_understands_the_same_spellings_exactly() -> None:
    text = "inputs: [[½, '0,1'], [2√2, '\\frac{1}{3}'], ['1.5×10⁻³', ≈2.5]]\nweights: identity\nscaling: none\n"
    (problem,) = parse(text, "p.yaml")
    exact = solve(problem)["queries"].exact_text
    assert exact == [["1/2", "1/10"], ["2*sqrt(2)", "1/3"], ["3/2000", "5/2"]]


@pytest.mark.parametrize("rows", ["[[0,5, 1,5], [1,0, -2,5]]", "[0,5, 1,5, 2,5]"])
def test_decimal_commas_that_split_numbers_are_told(rows: str) -> None:
    with pytest.raises(ProblemError) as caught:
        parse(f"queries: {rows}\nkeys: {rows}\n", "p.yaml")
    said = str(caught.value)
    assert "p.yaml:1:10: queries has decimal commas" in said
    assert "the comma in 0,5 makes two numbers of it: write 0.5" in said


def test_a_row_that_commas_made_longer_than_the_others_is_told() -> None:
    with pytest.raises(ProblemError) as caught:
        parse("inputs: [[1, 2], [0,5,1,5], [3, 4]]\nweights: identity\n", "p.yaml")
    assert "row 2 of inputs has 4 numbers, but row 1 has 2\n    the comma in 0,5" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "inputs: [[0,5], [1,5]]\nweights: {W_Q: [[1]], W_K: [[1]], W_V: [[1]]}\n",
        "queries: [[1, 2]]\nkeys: [[0,5,1,5]]\n",
        "queries: [[0,5,1,5]]\nkeys: [[1, 2]]\n",
    ],
)
def test_a_length_that_commas_doubled_is_told(text: str) -> None:
    with pytest.raises(ProblemError, match=r"the comma in 0,5 makes two numbers of it: write 0\.5"):
        parse(text, "p.yaml")


@pytest.mark.parametrize("rows", ["[[1,2],[3,4]]", "[[1,2,3,4]]", "[[1, 2, 3, 4]]", "[[1,2, 3,-4]]", "[[1,a, 2,3]]"])
def test_lists_that_are_only_written_closely_are_lists(rows: str) -> None:
    text = f"{'symbols: {a: real}' * ('a' in rows)}\ninputs: {rows}\nweights: identity\nscaling: none\n"
    assert solve(*parse(text, "p.yaml"))["inputs"].exact_text == [
        [item.strip() for item in row.split(",")] for row in re.findall(r"\[([^][]+)\]", rows)
    ]


@pytest.mark.parametrize(
    "row", [r"[\frac{1}{2}, 1]", r'["\frac{1}{2}", 1]', r'["\sqrt{2}", 1]', r'["2\pi", 1]', r"[$e^{2}$, 1]"]
)
def test_latex_that_yaml_takes_for_something_else_is_told_to_go_into_single_quotes(row: str) -> None:
    with pytest.raises(ProblemError, match="single quotes"):
        parse(f"inputs: [{row}]\nweights: identity\n", "p.yaml")


# ── any text ─────────────────────────────────────────────────────────────────────────────────────

PIECES = r"1 2 0,5 .5 ½ √ π e ² ⁻¹ × 10 ( ) { } \frac \sqrt \pi ^ $ % ≈ ~ = - − + / * β _k \left \, x e+ e- E ∞ ."
pieces = st.sampled_from([*PIECES.split(), " "])


@settings(deadline=None, max_examples=400)
@given(st.lists(pieces, max_size=9).map("".join))
def test_any_pieces_are_a_number_or_a_number_error(text: str) -> None:
    try:
        found = read_written(text, SYMBOLS, share=True)
    except NumberError:
        return
    assert isinstance(found.value, F | float | sympy.Expr)


@settings(deadline=None, max_examples=300)
@given(st.lists(pieces, max_size=9).map("".join))
def test_every_token_knows_its_place(text: str) -> None:
    try:
        *tokens, end = tokenise(text).items
    except NumberError:
        return
    assert end.kind == "end"
    assert all(0 <= token.start <= token.end <= len(text) for token in tokens)
    assert all(one.start <= other.start for one, other in pairwise(tokens))
    assert all(text[token.start : token.end] == token.text for token in tokens if token.text in "+/x$")
