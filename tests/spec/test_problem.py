"""What any problem has beside its body: title, source, kind, digits, notation, symbols, limit, and its style."""

from dataclasses import fields
from fractions import Fraction as F

import pytest
import sympy

from attnsolve.errors import Mark
from attnsolve.loading.files import parse
from attnsolve.spec.attention import NAMES
from attnsolve.spec.header import HEADER
from attnsolve.spec.problem import Problem

BODY = "inputs: [[1, 2], [3, 4]]\nweights: identity\n"
"""Two lines: what is tested stands on the third."""


# ── title, source, kind, digits ─────────────────────────────────────────────────────────────────


def test_a_problem_without_a_header_has_the_defaults_of_a_textbook(problem):
    found = problem(BODY)
    assert (found.title, found.source, found.kind, found.digits) == ("", "", "attention", 4)
    assert (found.notation, found.symbols, found.limits, found.style) == ({}, {}, (), "fraction")


def test_a_problem_knows_its_file_and_where_it_begins(problem):
    found = problem("# a sheet\n\n" + BODY)
    assert (found.file, found.at) == ("sheet.yaml", Mark(3, 1))


def test_the_header_is_read(problem):
    found = problem(BODY + "title: Query, key and value\nsource: 'Sheet 10: problem 1'\nkind: attention\ndigits: 12\n")
    assert found.title == "Query, key and value"
    assert found.source == "Sheet 10: problem 1"
    assert (found.kind, found.digits) == ("attention", 12)


def test_a_problem_is_frozen(problem):
    with pytest.raises(AttributeError):
        problem(BODY).title = "another"


@pytest.mark.parametrize("digits", [1, 200])
def test_digits_may_be_asked_for_up_to_the_bound(problem, digits):
    assert problem(f"{BODY}digits: {digits}\n").digits == digits


@pytest.mark.parametrize(
    ("line", "column", "message", "fix"),
    [
        ("digits: 0", 9, "digits must be a whole number from 1 to 200, but '0' was found", ""),
        ("digits: 201", 9, "digits must be a whole number from 1 to 200, but '201' was found", ""),
        ("digits: 4.0", 9, "digits must be a whole number from 1 to 200, but '4.0' was found", ""),
        ("digits: many", 9, "digits must be a whole number from 1 to 200, but 'many' was found", ""),
        ("title: [a, b]", 8, "title must be a line of text, but a list was found", ""),
        ("source: {a: b}", 9, "source must be a line of text, but a mapping was found", ""),
        (f"title: {'x' * 2001}", 8, "title may be at most 2000 characters long, but has 2001", ""),
        (
            "kind: attnetion",
            7,
            "kind must be attention or seq2seq or derivation or random-keys or formulas, but 'attnetion' was found",
            "did you mean attention?",
        ),
        (
            "kind: [attention]",
            7,
            "kind must be attention or seq2seq or derivation or random-keys or formulas, but a list was found",
            "",
        ),
        ("titel: x", 1, "unknown key 'titel'", "did you mean title?"),
        ("W_oo: [[1]]", 1, "unknown key 'W_oo'", "did you mean W_O?"),
        ("Inputs: [[1]]", 1, "inputs and Inputs are both inputs: it was already given on line 1", "keep one of"),
        ("Digits: 3", 1, "unknown key 'Digits'", "did you mean digits?"),
        # notation
        ("notation: z", 11, "notation must be a mapping such as {scores: z}, but 'z' was found", ""),
        ("notation: [z]", 11, "notation must be a mapping such as {scores: z}, but a list was found", ""),
        ("notation: {scroes: z}", 12, "notation names 'scroes', which is not a quantity", "did you mean scores?"),
        ("notation: {W_P: w}", 12, "notation names 'W_P', which is not a quantity", "did you mean W_V?"),
        ("notation: {scores: a b}", 20, "'a b' can't be a symbol", "write a letter, or a letter and an index"),
        ("notation: {scores: 2}", 20, "'2' can't be a symbol", "write a letter, or a letter and an index"),
        ("notation: {scores: \\alpha}", 20, "can't be a symbol", "such as W_Q"),
        ("notation: {scores: abcdefghijklm}", 20, "'abcdefghijklm' can't be a symbol", "write a letter"),
        ("notation: {scores: [z]}", 20, "the symbol for scores must be a line of text, but a list was found", ""),
        # symbols
        ("symbols: beta", 10, "symbols must be a mapping such as {beta: positive}, but 'beta' was found", ""),
        ("symbols: {beta: big}", 17, "beta must be real or positive or negative or nonnegative", "known: real,"),
        ("symbols: {beta: positve}", 17, "but 'positve' was found", "did you mean positive?"),
        ("symbols: {beta: [real]}", 17, "beta must be real or positive", ""),
        ("symbols: {2x: real}", 11, "a symbol must be a letter or a name such as beta, but '2x' was found", ""),
        ("symbols: {x-y: real}", 11, "a symbol must be a letter or a name such as beta, but 'x-y' was found", ""),
        ("symbols: {_x: real}", 11, "a symbol must be a letter or a name such as beta, but '_x' was found", ""),
        ("symbols: [[x]]", 11, "a symbol must be a letter or a name such as beta, but a list was found", ""),
        (f"symbols: [{'x' * 21}]", 11, "a symbol must be a letter or a name such as beta", ""),
        ("symbols: {pi: positive}", 11, "'pi' has a meaning of its own and can't be declared as a symbol", ""),
        ("symbols: [e]", 11, "'e' has a meaning of its own and can't be declared as a symbol", ""),
        ("symbols: [sqrt]", 11, "'sqrt' has a meaning of its own and can't be declared as a symbol", ""),
        ("symbols: [a, b, c, d, f, g, h, i, j]", 10, "a problem may declare at most 8 symbols", ""),
        # limit
        ("limit: {gamma: oo}", 9, "limit names 'gamma', which is not declared", "add symbols: {gamma: positive}"),
    ],
)
def test_what_is_wrong_in_a_header_is_told_at_its_place(fault, line, column, message, fix):
    found = fault(f"{BODY}{line}\n")
    assert (found.file, found.at) == ("sheet.yaml", Mark(3, column))
    assert message in found.message
    assert fix in found.fix


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("limit: oo", 8, "limit must be a mapping such as {beta: oo}, but 'oo' was found"),
        ("limit: [beta]", 8, "limit must be a mapping such as {beta: oo}, but a list was found"),
        ("limit: {beta: [1]}", 15, "limit of beta must be a number, but a list was found"),
        ("limit: {beta: 1/0}", 15, "in limit of beta: '1/0' divides by zero"),
        ("limit: {beta: nan}", 15, "in limit of beta: 'nan' is not a finite number"),
    ],
)
def test_what_is_wrong_in_a_limit_is_told_at_its_place(fault, line, column, message):
    found = fault(f"{BODY}symbols: {{beta: positive}}\n{line}\n")
    assert (found.at, found.message) == (Mark(4, column), message)


def test_an_unknown_key_with_no_near_one_is_told_with_all_there_are(fault):
    found = fault(f"{BODY}zzzzzz: 1\n")
    assert found.fix.startswith("known: title, source, kind, ")
    assert all(key in found.fix for key in (*HEADER, "inputs", "weights", "given", "mask"))


def test_every_key_of_a_header_says_what_it_is_for():
    assert all(key.description.endswith(".") for key in HEADER.values())


def test_every_key_of_a_header_fills_a_field_of_its_own():
    filled = [key.fills for key in HEADER.values() if key.fills]
    assert sorted(filled) == sorted(
        {field.name for field in fields(Problem)} - {"file", "at", "style", "body", "build", "formulas", "cases"}
    )


# ── notation ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("symbol", ["z", "Z", "W_q", "a_1", "alpha", "β", "Ŷ", "S'", "S''", "W_q'", "abcdefghijkl"])
def test_a_sheet_may_call_a_quantity_by_any_plain_symbol(problem, symbol):
    assert problem(f'{BODY}notation: {{scores: "{symbol}"}}\n').notation == {"scores": symbol}


@pytest.mark.parametrize("name", NAMES)
def test_every_quantity_and_parameter_may_be_given_a_symbol(problem, name):
    assert problem(f"{BODY}notation: {{{name}: z}}\n").notation == {name: "z"}


def test_the_names_that_outlive_us_are_all_there():
    quantities = {"inputs", "queries", "keys", "values", "scores", "scaled", "masked", "weights", "context", "concat"}
    assert quantities | {"output", "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O"} <= set(NAMES)


# ── symbols and limits ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("assumption", ["real", "positive", "negative", "nonnegative"])
def test_a_symbol_is_declared_with_what_is_assumed_of_it(problem, assumption):
    symbols = problem(f"{BODY.replace('4', 'beta')}symbols: {{beta: {assumption}}}\n").symbols
    assert symbols == {"beta": sympy.Symbol("beta", **{assumption: True})}


def test_a_list_of_symbols_declares_them_real(problem):
    symbols = problem(f"{BODY.replace('4', 'n*D_k + β*x1')}symbols: [n, D_k, β, x1]\n").symbols
    assert symbols == {name: sympy.Symbol(name, real=True) for name in ("n", "D_k", "β", "x1")}


def test_eight_symbols_may_be_declared(problem):
    text = BODY.replace("4", "a + b + c + d + f + g + h + i")
    assert len(problem(f"{text}symbols: [a, b, c, d, f, g, h, i]\n").symbols) == 8


def test_a_declared_symbol_may_stand_in_any_matrix_before_and_after_it(problem):
    text = "inputs: [[n, 2*n]]\nsymbols: [n]\nweights: {W_Q: [[n], [1]], W_K: [[0], [1]], W_V: [[1], [1/n]]}\n"
    n = sympy.Symbol("n", real=True)
    body = problem(text).body
    assert body.given["inputs", None].rows == ((n, 2 * n),)
    assert body.projections[0]["W_V"].rows == ((F(1),), (1 / n,))


@pytest.mark.parametrize(
    ("written", "to"),
    [
        ("oo", sympy.oo),
        ("inf", sympy.oo),
        ("∞", sympy.oo),
        ("-oo", -sympy.oo),
        ("-inf", -sympy.oo),
        ("-∞", -sympy.oo),
        ("0", sympy.Integer(0)),
        ("1/2", sympy.Rational(1, 2)),
        ("0.1", sympy.Rational(1, 10)),
        ("sqrt(2)", sympy.sqrt(2)),
    ],
)
def test_a_limit_says_where_a_symbol_goes(problem, written, to):
    found = problem(f"{BODY.replace('4', 'n')}symbols: [n]\nlimit: {{n: {written}}}\n")
    ((symbol, target),) = [(limit.symbol, limit.to) for limit in found.limits]
    assert symbol is found.symbols["n"]
    assert target == to
    assert isinstance(target, sympy.Expr)


def test_several_limits_keep_the_order_they_are_written_in(problem):
    found = problem(f"{BODY.replace('4', 'a + b')}symbols: [a, b]\nlimit: {{b: 0, a: oo}}\n")
    assert [(limit.symbol.name, limit.to) for limit in found.limits] == [("b", 0), ("a", sympy.oo)]


# ── style ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("row", "style"),
    [
        ("[1, 2]", "fraction"),
        ("[0.5, 2]", "decimal"),
        ("[1e2, 2]", "decimal"),
        ("[1/2, 2]", "fraction"),
        ("[1/2, 0.5]", "fraction"),
        ("[sqrt(2), 1]", "fraction"),
        ("[sqrt(2), 1.0]", "decimal"),
    ],
)
def test_the_style_is_that_of_the_numbers_of_the_sheet(problem, row, style):
    assert problem(f"inputs: [{row}]\nweights: identity\n").style == style


def test_each_problem_of_a_file_has_a_style_and_symbols_of_its_own():
    first, second = parse(f"{BODY.replace('4', 'n')}scaling: 0.5\nsymbols: [n]\n---\n{BODY}", "sheet.yaml")
    assert (first.style, set(first.symbols)) == ("decimal", {"n"})
    assert (second.style, set(second.symbols)) == ("fraction", set())
