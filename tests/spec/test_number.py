"""The number grammar: what it reads, exactly, and what it refuses."""

import re
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction as F

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import E, pi, sqrt

from attnsolve.bounds import DEFAULT
from attnsolve.spec.number import NumberError, WrittenNumber, multiply, parse_number

N = sympy.Symbol("n", real=True)
B = sympy.Symbol("beta", positive=True)
SYMBOLS = {"n": N, "beta": B}

unhurried = settings(deadline=None)


def value(text):
    return parse_number(text, SYMBOLS).value


# ── what is read ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", F(0)),
        ("7", F(7)),
        ("+7", F(7)),
        ("-7", F(-7)),
        ("007", F(7)),
        ("  12  ", F(12)),
        ("0.1", F(1, 10)),
        ("-0.30", F(-3, 10)),
        ("2.50", F(5, 2)),
        (".5", F(1, 2)),
        ("5.", F(5)),
        ("3.141592653589793238462643383279", F(3141592653589793238462643383279, 10**30)),
        ("1e3", F(1000)),
        ("1E3", F(1000)),
        ("1e+3", F(1000)),
        ("2.5e-3", F(1, 400)),
        (".5e1", F(5)),
        ("1e-400", F(1, 10**400)),
        ("1/3", F(1, 3)),
        ("-2/6", F(-1, 3)),
        ("2/-6", F(-1, 3)),
        ("1 / 3", F(1, 3)),
        ("0.1/0.3", F(1, 3)),
        ("1/2/2", F(1, 4)),
        ("1 - 2 - 3", F(-4)),
        ("2 + 3*4", F(14)),
        ("(2 + 3)*4", F(20)),
        ("6/2*3", F(9)),
        ("2--3", F(5)),
        ("2*-3", F(-6)),
        ("2^3", F(8)),
        ("2**3", F(8)),
        ("-2^2", F(-4)),
        ("(-2)^2", F(4)),
        ("2^-1", F(1, 2)),
        ("2^3^2", F(512)),
        ("2*3^2", F(18)),
        ("1/3^2", F(1, 9)),
        ("(2/3)^-2", F(9, 4)),
        ("0^0", F(1)),
        ("4^(1/2)", F(2)),
        ("4^0.5", F(2)),
        ("4^-0.5", F(1, 2)),
        ("(9/4)^(3/2)", F(27, 8)),
        ("sqrt(0)", F(0)),
        ("sqrt(144)", F(12)),
        ("sqrt(1/4)", F(1, 2)),
        ("sqrt(0.25)", F(1, 2)),
        ("−5", F(-5)),
        ("–5", F(-5)),
        ("3 − 5", F(-2)),
        ("2×3·4", F(24)),
        ("√4", F(2)),
        ("√(9/16)", F(3, 4)),
    ],
)
def test_rational_text_is_exactly_that_fraction(text, expected):
    found = value(text)
    assert type(found) is F
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sqrt(2)", sqrt(2)),
        ("√2", sqrt(2)),
        ("√(2)", sqrt(2)),
        ("2^(1/2)", sqrt(2)),
        ("2^0.5", sqrt(2)),
        ("2^1.5", 2 * sqrt(2)),
        ("sqrt(8)", 2 * sqrt(2)),
        ("sqrt(1/2)", sqrt(2) / 2),
        ("1/sqrt(2)", sqrt(2) / 2),
        ("-2*sqrt(3)/3", -2 * sqrt(3) / 3),
        ("−2·√3/3", -2 * sqrt(3) / 3),
        ("(1 + sqrt(5))/2", sympy.Rational(1, 2) + sqrt(5) / 2),
        ("1/(sqrt(2) - 1)", sqrt(2) + 1),
        ("(sqrt(2) + 1)^-1", sqrt(2) - 1),
        ("(1 + sqrt(2))^2", 3 + 2 * sqrt(2)),
        ("sqrt(2)*sqrt(3)", sqrt(6)),
        ("sqrt(2) - 0.5", sqrt(2) - sympy.Rational(1, 2)),
        ("pi", pi),
        ("π", pi),
        ("2*π", 2 * pi),
        ("-pi/4", -pi / 4),
        ("pi^2", pi**2),
        ("√(2*π)", sqrt(2 * pi)),
        ("e", E),
        ("e^2", E**2),
        ("1/e", 1 / E),
        ("e*e^-3", E**-2),
        ("sqrt(e)", sqrt(E)),
        ("2*e + 1e1", 2 * E + 10),
        ("n", N),
        ("-n", -N),
        ("n/2 + 1", N / 2 + 1),
        ("2*(n + 1)", 2 * N + 2),
        ("n*n", N**2),
        ("n^-2", N**-2),
        ("sqrt(beta)", sqrt(B)),
        ("1/sqrt(beta)", 1 / sqrt(B)),
        ("sqrt(beta^2)", B),
        ("beta*sqrt(2) - e", B * sqrt(2) - E),
    ],
)
def test_irrational_text_is_exactly_that_expression(text, expected):
    found = value(text)
    assert isinstance(found, sympy.Expr)
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sqrt(2)*sqrt(2)", F(2)),
        ("sqrt(2)^2", F(2)),
        ("sqrt(2)/sqrt(8)", F(1, 2)),
        ("(1 + sqrt(2))*(1 - sqrt(2))", F(-1)),
        ("(1 + sqrt(2))^2 - 2*sqrt(2)", F(3)),
        ("pi/pi", F(1)),
        ("e - e", F(0)),
        ("e^3*e^-3", F(1)),
        ("n - n + 1/2", F(1, 2)),
        ("2*n/n", F(2)),
        ("(n + 1)^2 - n^2 - 2*n", F(1)),
        ("0*n", F(0)),
        ("pi^0", F(1)),
    ],
)
def test_an_expression_that_turns_out_rational_is_a_fraction_again(text, expected):
    found = value(text)
    assert type(found) is F
    assert found == expected


def test_a_declared_symbol_is_the_very_symbol_with_its_assumptions():
    assert value("beta") is B
    assert value("beta").is_positive


@pytest.mark.parametrize(
    ("text", "decimal", "fraction"),
    [
        ("7", False, False),
        ("-7", False, False),
        ("0.5", True, False),
        ("-1.0", True, False),
        (".5", True, False),
        ("1e3", True, False),
        ("1/2", False, True),
        ("0.5/2", True, True),
        ("sqrt(2)", False, False),
        ("sqrt(2)/2", False, True),
        ("1 + 0.5", True, False),
        ("2*3", False, False),
    ],
)
def test_a_number_knows_the_style_it_was_written_in(text, decimal, fraction):
    written = parse_number(text)
    assert (written.decimal, written.fraction) == (decimal, fraction)


def test_a_written_number_is_frozen():
    assert parse_number("0.5") == WrittenNumber(F(1, 2), decimal=True)
    with pytest.raises(AttributeError):
        parse_number("0.5").value = F(1)


@pytest.mark.parametrize(
    ("left", "right", "product"),
    [
        (F(2, 3), F(3, 2), F(1)),
        (sqrt(2), sqrt(2), F(2)),
        (F(1, 2), sqrt(2), sqrt(2) / 2),
        (N + 1, F(2), 2 * N + 2),
        (F(0), N, F(0)),
    ],
)
def test_the_product_of_numbers_is_exact_and_a_fraction_where_it_can_be(left, right, product):
    found = multiply(left, right)
    assert found == product
    assert isinstance(found, F) == isinstance(product, F)


# ── what is refused ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it ends where a number was expected"),
        ("   ", "it ends where a number was expected"),
        ("1 +", "'1 +' is not a number: it ends where a number was expected"),
        ("2/", "it ends where a number was expected"),
        ("*2", "'*' was found where a number was expected"),
        ("1//2", "'/' was found where a number was expected"),
        ("()", "')' was found where a number was expected"),
        ("sqrt()", "')' was found where a number was expected"),
        ("(1", "'(1' is not a number: a closing ) is missing"),
        ("sqrt(2", "a closing ) is missing"),
        ("((1)", "a closing ) is missing"),
        ("1)", "')' was not expected"),
        ("1,5,", "',' has no meaning here"),
        ("50%", "'50%' is a percentage, but only weights may be written as percentages"),
        ("5!", "'!' has no meaning here"),
        (".", "'.' has no meaning here"),
        ("--3", "'--3' has two signs in a row"),
        ("−-3", "two signs in a row"),
        ("+-3", "two signs in a row"),
        ("2*--3", "two signs in a row"),
        ("2 + - -3", "two signs in a row"),
        ("1/0", "'1/0' divides by zero"),
        ("1/0.0", "divides by zero"),
        ("0/0", "divides by zero"),
        ("1/(2 - 2)", "divides by zero"),
        ("0^-1", "divides by zero"),
        ("0^(-1/2)", "divides by zero"),
        ("1/(sqrt(2)*sqrt(2)-2)", "'1/(sqrt(2)*sqrt(2)-2)' divides by zero"),
        ("1/(sqrt(2)*sqrt(3) - sqrt(6))", "divides by zero"),
        ("1/(1/(sqrt(2) - 1) - sqrt(2) - 1)", "divides by zero"),
        ("(sqrt(8) - 2*sqrt(2))^-1", "divides by zero"),
        ("1/(n - n)", "divides by zero"),
        ("1/(pi - pi)", "divides by zero"),
        ("sqrt(-1)", "'sqrt(-1)' is the root of a negative number"),
        ("sqrt(-1/4)", "is the root of a negative number"),
        ("(-4)^(1/2)", "is the root of a negative number"),
        ("sqrt(1 - sqrt(2))", "is the root of a negative number"),
        ("sqrt(e - 3)", "is the root of a negative number"),
        ("sqrt(sqrt(2))", "roots inside roots are not supported"),
        ("sqrt(1 + sqrt(2))", "roots inside roots are not supported"),
        ("sqrt(2)^(1/2)", "roots inside roots are not supported"),
        ("sqrt(n)", "to take the root of a symbol, declare it positive"),
        ("1e401", "the exponent of '1e401' is beyond ±400"),
        ("1e-401", "beyond ±400"),
        ("1e999", "the exponent of '1e999' is beyond ±400"),
        ("1e999999999999", "beyond ±400"),
        ("1e400*1e400*1e400*1e400", "has too many digits"),
        ("(2^64)^64", "has too many digits"),
        ("sqrt(1000000000001)", "the number under a root may be"),
        ("sqrt(1/1000000000001)", "the number under a root may be"),
    ],
)
def test_text_that_is_no_number_says_why(text, message):
    with pytest.raises(NumberError, match=re.escape(message)):
        value(text)


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-inf", "Inf", "oo", "-oo", "infinity", "1 + inf", "sqrt(inf)"])
def test_only_finite_numbers_are_read(text):
    with pytest.raises(NumberError, match="is not a finite number") as caught:
        value(text)
    assert caught.value.fix == "write a finite number"


@pytest.mark.parametrize("text", ["9**9**9", "9^9^9", "2^65", "2^-65", "pi^65", "2^(1/3)", "8^(2/3)", "2^n", "2^pi"])
def test_a_power_is_a_whole_or_half_number_of_modest_size(text):
    with pytest.raises(NumberError, match="a power must be a whole or half number between ±64"):
        value(text)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "__import__",
        "().__class__",
        "(1).real",
        "x.y",
        "n.name",
        "lambda: 0",
        "[1]",
        "{1}",
        "'1'",
        "1 if 1 else 2",
        "1; 2",
        "1 == 1",
        "n := 2",
        "f(2)",
        "pi(2)",
        "exec('1')",
        "0x10",
        "1j",
        "1\\n2",
        "@",
        "\x00",
    ],
)
def test_nothing_but_arithmetic_is_a_number(text):
    with pytest.raises(NumberError):
        value(text)


@pytest.mark.parametrize(
    ("text", "name", "fix"),
    [
        ("squrt(2)", "squrt", "did you mean sqrt?"),
        ("sqrt2", "sqrt2", "did you mean sqrt?"),
        ("Pi", "Pi", "did you mean pi?"),
        ("2*bet", "bet", "did you mean beta?"),
        ("x", "x", "a letter must be declared first, with symbols: {x: real}"),
        ("2*gamma + 1", "gamma", "a letter must be declared first, with symbols: {gamma: real}"),
    ],
)
def test_an_unknown_letter_is_named_with_what_to_do_about_it(text, name, fix):
    with pytest.raises(NumberError, match=f"{name!r} is not known") as caught:
        value(text)
    assert caught.value.fix.startswith(fix)
    assert f"symbols: {{{name}: real}}" in caught.value.fix


@pytest.mark.parametrize("text", ["(1) 2", "π2"])
def test_a_product_without_its_sign_is_told_to_use_one(text):
    with pytest.raises(NumberError, match="was not expected") as caught:
        value(text)
    assert caught.value.fix == "write products with *, as in 2*sqrt(3)"


@pytest.mark.parametrize("text", ["sqrt", "sqrt n", "sqrt -1", "√-1", "√√2"])
def test_a_root_of_more_than_a_literal_needs_brackets(text):
    with pytest.raises(NumberError, match="sqrt needs brackets") as caught:
        value(text)
    assert caught.value.fix == "write sqrt(2)"


@pytest.mark.parametrize(
    ("inside", "beyond", "message"),
    [
        ("1" * 100, "1" * 101, "at most 100 digits"),
        ("0." + "1" * 99, "0." + "1" * 100, "at most 100 digits"),
        ("1" * 100 + "e1", "1" * 101 + "e1", "at most 100 digits"),
        ("1e400", "1e401", "beyond ±400"),
        ("2^64", "2^65", "between ±64"),
        ("2^-64", "2^-65", "between ±64"),
        ("1" + "+1" * 199, "1" + "+1" * 200, "at most 400 characters long"),
        ("(2^64)^21", "(2^64)^22", "too many digits"),
        ("sqrt(999999999999)", "sqrt(1000000000001)", "under a root"),
        ("(" * 15 + "1" + ")" * 15, "(" * 25 + "1" + ")" * 25, "brackets may be nested at most 20 deep"),
        ("1^" * 15 + "1", "1^" * 25 + "1", "powers may be nested at most 20 deep"),
    ],
)
def test_a_bound_lets_through_what_is_inside_it_and_stops_what_is_beyond(inside, beyond, message):
    value(inside)
    with pytest.raises(NumberError, match=re.escape(message)):
        value(beyond)


def test_a_perfect_square_may_be_larger_than_the_bound_on_radicands():
    assert DEFAULT.radicand < 10**40
    assert value("sqrt(10^40)") == 10**20


def test_brackets_side_by_side_are_not_nested():
    assert value("(1)" + " + (1)" * 39) == 40
    assert value("2^1" + " + 2^1" * 39) == 80


# ── properties ──────────────────────────────────────────────────────────────────────────────────

fractions = st.fractions(max_denominator=10**9)
spaces = st.sampled_from(["", " ", "  "])
tokens = st.sampled_from(["0", "1", "2", "0.5", "1e2", "+", "-", "*", "/", "^", "(", ")", "sqrt(", "pi", "e", "n"])


@unhurried
@given(fractions, spaces, st.sampled_from("-−–"))
def test_a_fraction_written_as_p_over_q_is_read_back(fraction, space, minus):
    sign = minus if fraction < 0 else ""
    text = f"{space}{sign}{space}{abs(fraction.numerator)}{space}/{space}{fraction.denominator}{space}"
    assert parse_number(text) == WrittenNumber(fraction, fraction=True)


@unhurried
@given(st.integers(-(10**40), 10**40), st.integers(1, 40))
def test_a_terminating_decimal_is_read_back_exactly(digits, places):
    whole, rest = divmod(abs(digits), 10**places)
    text = f"{'-' if digits < 0 else ''}{whole}.{rest:0{places}d}"
    assert parse_number(text) == WrittenNumber(F(digits, 10**places), decimal=True)


@unhurried
@given(st.integers(-(10**20), 10**20), st.integers(-400, 400), st.sampled_from("eE"))
def test_scientific_notation_is_read_back_exactly(mantissa, exponent, letter):
    expected = mantissa * F(10) ** exponent
    assert parse_number(f"{mantissa}{letter}{exponent}") == WrittenNumber(expected, decimal=True)


@unhurried
@given(st.integers(-(10**99) + 1, 10**99 - 1))
def test_an_integer_is_read_back(integer):
    assert parse_number(str(integer)) == WrittenNumber(F(integer))


def _leaf(fraction_and_style):
    number, style = fraction_and_style
    if style == "decimal":
        return f"{number.numerator / 8:.3f}", F(number.numerator, 8)
    return (f"({number.numerator}/{number.denominator})" if style == "fraction" else str(number.numerator)), (
        number if style == "fraction" else F(number.numerator)
    )


def _negated(part):
    text, number = part
    return f"(-{text})", None if number is None else -number


def _joined(left, sign, right, exponent):
    """Two parts in brackets, and their value worked out beside them; None where it divides by zero."""
    (a, x), (b, y) = left, right
    if sign == "^":
        undefined = x is None or (x == 0 and exponent < 0)
        return f"({a})^({exponent})", None if undefined else x**exponent
    text = f"({a} {sign} {b})"
    if x is None or y is None or (sign == "/" and y == 0):
        return text, None
    return text, {"+": x + y, "-": x - y, "*": x * y, "/": y and x / y}[sign]


leaves = st.tuples(
    st.fractions(0, 12, max_denominator=12), st.sampled_from(["whole", "fraction", "decimal"])
).map(_leaf)  # fmt: skip
trees = st.recursive(
    leaves,
    lambda parts: st.one_of(
        st.builds(_negated, parts),
        st.builds(_joined, parts, st.sampled_from("+-*/^"), parts, st.integers(-2, 2)),
    ),
    max_leaves=8,
)


@unhurried
@given(trees)
def test_an_expression_has_the_value_that_fractions_give_it(tree):
    text, expected = tree
    if expected is None:
        with pytest.raises(NumberError, match="divides by zero"):
            parse_number(text)
    else:
        assert parse_number(text).value == expected


@unhurried
@given(
    st.lists(st.tuples(st.sampled_from(["", "-"]), st.integers(1, 9), st.sampled_from(["", "**2", "**-1", "**-2"]))),
    st.lists(st.sampled_from("+-*/"), min_size=20, max_size=20),
    st.integers(1, 9),
)
def test_signs_products_and_powers_bind_as_they_do_in_python(terms, signs, first):
    plain, python = str(first), f"F({first})"
    for (minus, number, power), sign in zip(terms, signs, strict=False):
        plain += f" {sign} {minus}{number}{power}"
        python += f" {sign} {minus}F({number}){power}"
    assert parse_number(plain).value == eval(python, {"F": F})
    assert parse_number(plain.replace("**", "^").replace("-", "−").replace("*", "×")).value == parse_number(plain).value


@unhurried
@given(st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([2, 3, 5, 7]), st.integers(-9, 9), st.integers(-9, 9))
def test_surds_multiply_as_pairs_of_rationals_do(a, b, radicand, c, d):
    found = parse_number(f"({a} + {b}*sqrt({radicand}))*({c} + {d}*sqrt({radicand}))").value
    whole, rooted = a * c + b * d * radicand, a * d + b * c
    assert found == (F(whole) if rooted == 0 else whole + rooted * sqrt(radicand))


@unhurried
@given(st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([2, 3, 5, 7]))
def test_the_reciprocal_of_a_surd_has_a_rational_denominator(a, b, radicand):
    text, norm = f"1/({a} + {b}*sqrt({radicand}))", a * a - b * b * radicand
    if norm == 0:
        with pytest.raises(NumberError, match="divides by zero"):
            parse_number(text)
    else:
        expected = sympy.Rational(a, norm) - sympy.Rational(b, norm) * sqrt(radicand)
        assert parse_number(text).value == (F(a, norm) if b == 0 else expected)


@unhurried
@given(st.integers(0, 10**6), st.integers(1, 10**5))
def test_the_root_of_a_square_is_rational(over, under):
    assert parse_number(f"sqrt({over**2}/{under**2})").value == F(over, under)


@unhurried
@given(st.text(max_size=40))
def test_any_text_is_a_number_or_a_number_error(text):
    with suppress(NumberError):
        assert isinstance(parse_number(text).value, F | sympy.Expr)


@unhurried
@given(st.lists(tokens, max_size=10).map(" ".join))
def test_any_row_of_tokens_is_a_finite_number_or_a_number_error(text):
    with suppress(NumberError):
        found = value(text)
        assert isinstance(found, F) or found.is_finite is not False


# ── sympy waits ─────────────────────────────────────────────────────────────────────────────────


def _loads_sympy(code):
    program = f"import sys\n{code}\nprint('sympy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip() == "True"


def test_rational_numbers_are_read_without_sympy():
    texts = ["7", "-0.5", "1/3", "1e-3", "(1 + 2)*3^2/4", "sqrt(1/4)", "√4", "4^0.5", "−2"]
    assert not _loads_sympy(f"from attnsolve.spec.number import parse_number as p\nfor t in {texts}: p(t)")


def test_a_rational_problem_file_is_read_without_sympy():
    assert not _loads_sympy("from attnsolve.loading.files import load_all\nload_all('discussion-10-qkv', check=False)")


@pytest.mark.parametrize("text", ["sqrt(2)", "pi", "e"])
def test_sympy_is_loaded_for_what_is_irrational(text):
    assert _loads_sympy(f"from attnsolve.spec.number import parse_number as p\np({text!r})")
