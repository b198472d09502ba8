"""The grammar of claims: what each text means, how it is written again, and what is refused in which words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from attnsolve.algebra.functions import Infinity, Limit, MaskedSoftmax, Moment
from attnsolve.algebra.grammar import parse_call, parse_chain, parse_claim, parse_term
from attnsolve.bounds import DEFAULT
from attnsolve.errors import TermError
from attnsolve.operations.add import Add
from attnsolve.operations.arithmetic import Grouped, Negate, Power
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Transpose
from attnsolve.operations.letters import formula_text, letter
from attnsolve.operations.number import numeral
from attnsolve.operations.place import Entry, Filled, Listed, Summed
from attnsolve.operations.product import Product
from attnsolve.operations.softmax import Softmax
from attnsolve.operations.stages import Powers

A, B, C, PLACE, J, N, P, S, X, Y = map(letter, ["a", "b", "c", "i", "j", "n", "P", "S", "X", "Y"])
ONE, TWO, THREE = (numeral(k) for k in (1, 2, 3))

MEANINGS: list[tuple[str, Formula]] = [
    ("12", numeral(12)),
    ("0.25", numeral(Fraction(1, 4), decimal=True)),
    ("1/3", numeral(Fraction(1, 3))),
    ("1/0", Divide(ONE, numeral(0))),
    ("W_Q", letter("W_Q")),
    ("a + b - c", Add(Add(A, B), Negate(C))),
    ("a - (b - c)", Add(A, Negate(Add(B, Negate(C))))),
    ("a*b + c", Add(Product(A, B), C)),
    ("a/b*c", Product(Divide(A, B), C)),
    ("a*b*c", Product(Product(A, B), C)),
    ("a*(b*c)", Product(A, Grouped(Product(B, C)))),
    ("-a^2", Negate(Power(A, 2))),
    ("(-a)^2", Power(Negate(A), 2)),
    ("--a", A),
    ("-+-a*b", Product(A, B)),
    ("-a*b", Product(Negate(A), B)),
    ("a^-2", Power(A, -2)),
    ("a^2^3", Power(Power(A, 2), 3)),
    ("X^T*Y^T", Product(Transpose(X), Transpose(Y))),
    ("X'*Y", Product(Transpose(X), Y)),
    ("P*S*P^T", Product(Product(P, S), Transpose(P))),
    ("(P*S)^T", Transpose(Grouped(Product(P, S)))),
    ("X[i]", Entry(X, PLACE)),
    ("X[i,j]", Entry(X, PLACE, J)),
    ("X[i][j]", Entry(Entry(X, PLACE), J)),
    ("X[i+1,2]^T", Transpose(Entry(X, Add(PLACE, ONE), TWO))),
    ("[a, b]", Listed((A, B))),
    ("[a]^T", Transpose(Listed((A,)))),
    ("exp(a + b)", Powers(Add(A, B))),
    ("softmax(X*Y)", Softmax(Product(X, Y))),
    ("E[a*b]", Moment(Product(A, B), "E")),
    ("E(a*b)", Moment(Product(A, B), "E")),
    ("Var[a]^2", Power(Moment(A, "Var"), 2)),
    ("identity(n)", Filled("identity", N)),
    ("causal(3)", Filled("causal", THREE)),
    ("ones(n)^T", Transpose(Filled("ones", N))),
    ("sum(i=1..n, X[i,i])", Summed("i", ONE, N, Entry(X, PLACE, PLACE))),
    ("sum(i=1..3, i != j, i)", Summed("i", ONE, THREE, PLACE, J)),
    ("lim(a -> oo, b)", Limit("a", Infinity(), B)),
    ("lim(a -> -oo, b)", Limit("a", Infinity(negative=True), B)),
    ("lim(a -> 1 - b, a)", Limit("a", Add(ONE, Negate(B)), A)),
    ("masked(S, causal(n))", MaskedSoftmax(S, Filled("causal", N))),
]


@pytest.mark.parametrize(("text", "term"), MEANINGS, ids=[text for text, _ in MEANINGS])
def test_a_text_means_one_tree(text: str, term: Formula) -> None:
    assert parse_term(text) == term
    assert parse_term(f"  {text.replace(' ', '')} ") == term


@pytest.mark.parametrize(
    ("typeset", "plain"),
    [
        ("a − b · c × 2", "a - b*c*2"),
        ("a – b", "a - b"),
        ("Xᵀ·X", "X^T*X"),
        ("lim(a → ∞, a)", "lim(a -> oo, a)"),
        ("sum(i=1..3, i≠j, i)", "sum(i=1..3, i != j, i)"),
        ("a² + b¹² ÷ 2", "a^2 + b^12 / 2"),
        ("a⁻¹", "a^-1"),
        ("½*√(a)", "(1/2)*sqrt(a)"),
    ],
)
def test_typographic_signs_mean_the_plain_ones(typeset: str, plain: str) -> None:
    assert parse_term(typeset) == parse_term(plain)


@pytest.mark.parametrize(("sign", "relation"), [("=", "="), ("<=", "≤"), ("≤", "≤"), (">=", "≥"), ("≥", "≥")])
def test_a_claim_has_one_of_three_relations(sign: str, relation: str) -> None:
    assert parse_claim(f"a {sign} b") == (A, relation, B)


def test_the_index_of_a_sum_takes_no_relation_away_from_a_chain() -> None:
    terms, relations = parse_chain("sum(i=1..3, i) <= a = b >= c")
    assert (terms[1:], relations) == ([A, B, C], ["≤", "=", "≥"])


def test_a_call_is_read_only_if_its_word_is_asked_for() -> None:
    assert parse_call("matrix(n, 2)", ["matrix"]) == ("matrix", [N, TWO])
    assert parse_call("number", ["number"]) == ("number", [])
    assert parse_call("a + b", ["matrix"]) == ("", [])


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("-a^2", "-a^2"),
        ("(-a)^2", "(-a)^2"),
        ("a/b*c", "a/b c"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a + b)*c", "(a + b) c"),
        ("X^T*Y^T", "X^T Y^T"),
        ("(X*Y)^T", "(X Y)^T"),
        ("2*3", "2*3"),
        ("exp(a+b)", "exp(a + b)"),
        ("E[a^2]", "E[a^2]"),
        ("sum(i=1..n, i)", "sum_{i=1}^{n} i"),
        ("lim(a -> oo, 1/a)", "lim_{a->inf} 1/a"),
        ("lim(a -> 0, a) + b", "lim_{a->0} a + b"),
        ("lim(a -> 0, a + b)", "lim_{a->0} (a + b)"),
        ("sum(i=1..2, a) + b", "sum_{i=1}^{2} a + b"),
        ("sum(i=1..2, a + b)", "sum_{i=1}^{2} (a + b)"),
        ("a*-b", "a*(-1)*b"),
        ("a/(b/c)", "a/(b/c)"),
        ("[a, b]", "[a, b]"),
    ],
)
def test_a_term_is_written_as_it_was_meant(text: str, written: str) -> None:
    assert formula_text(parse_term(text)) == written


@pytest.mark.parametrize(
    "text",
    [
        *("a + b - c", "a - (b - c)", "-a^2", "(-a)^2", "a^2^3", "(a + b)^12", "a/b/c", "a/(b/c)", "1/2 - 0.25"),
        *(
            "1/2^2",
            "(a + b)^T",
            "X^T",
            "exp(a + b)",
            "softmax(X - Y)",
            "E[a - b]^2",
            "sqrt(a)/2",
            "tanh(-a)",
            "[a, -b]",
        ),
    ],
)
def test_what_is_written_reads_as_the_same_term(text: str) -> None:
    assert parse_term(formula_text(parse_term(text))) == parse_term(text)


REFUSED = [
    ("sofmax(X)", "there is no function 'sofmax'", "did you mean softmax?"),
    ("f(X)", "there is no function 'f'", None),
    ("exp(a", "')' was expected after a term in brackets, but the end was found in 'exp(a'", ""),
    ("(a", "')' was expected after a term in brackets, but the end was found in '(a'", ""),
    ("X[1", "']' was expected after an index, but the end was found in 'X[1'", ""),
    ("[a, b", "']' was expected after a list, but the end was found in '[a, b'", ""),
    ("E[a)", "']' was expected after E, but ')' was found in 'E[a)'", ""),
    ("a)", "')' was not expected in 'a)'", ""),
    ("x^y", "a power must be T or a whole number up to 12, but 'y' was found", None),
    ("x^99", "a power must be T or a whole number up to 12, but '99' was found", None),
    ("x^1.5", "a power must be T or a whole number up to 12, but '1.5' was found", None),
    ("x^-T", "a power must be T or a whole number up to 12, but 'T' was found", None),
    ("{a}", "'{' has no meaning in a term", "use round brackets"),
    ("|a|", "'|' has no meaning in a term", "write norm(x) or abs(x)"),
    ("a < b", "'<' has no meaning in a term", "write <= or >="),
    ("", "a term was expected, but the end was found in ''", ""),
    ("a +", "a term was expected, but the end was found in 'a +'", ""),
    ("a b", "'b' was not expected in 'a b'", "write products with *"),
    ("2a", "'a' was not expected in '2a'", "write products with *"),
    ("exp", "exp needs brackets, but the end was found", "write exp(...)"),
    ("sum(1=1..2, a)", "the index of a sum was expected, but '1' was found in 'sum(1=1..2, a)'", ""),
    ("sum(i=1, a)", "'..' was expected after the first value of an index, but ',' was found in 'sum(i=1, a)'", ""),
    ("sum(E=1..2, a)", "'E' can't be the index of a sum: it has a meaning of its own", ""),
    ("sum(T=1..2, a^T)", "'T' can't be the index of a sum: it has a meaning of its own", ""),
    ("lim(oo -> 1, a)", "'oo' can't be the symbol of a limit: it has a meaning of its own", ""),
    ("masked(S)", "',' was expected after the scores, but ')' was found in 'masked(S)'", ""),
    (
        "a" * (DEFAULT.link_characters + 1),
        f"a term may be at most {DEFAULT.link_characters} characters long,"
        f" but this one has {DEFAULT.link_characters + 1}",
        "",
    ),
    ("a" + "'" * 30, "powers, transposes and indices may follow each other at most 24 times", ""),
    ("X" + "[1]" * 30, "powers, transposes and indices may follow each other at most 24 times", ""),
    (
        "(" * DEFAULT.claim_nesting + "a" + ")" * DEFAULT.claim_nesting,
        f"brackets may be nested at most {DEFAULT.claim_nesting} deep",
        "",
    ),
]


@pytest.mark.parametrize(("text", "message", "fix"), REFUSED, ids=[text[:20] for text, _, _ in REFUSED])
def test_what_is_no_term_is_refused_in_plain_words(text: str, message: str, fix: str | None) -> None:
    with pytest.raises(TermError) as refused:
        parse_term(text)
    assert str(refused.value) == message
    assert fix is None or refused.value.fix == fix


def test_brackets_may_be_as_deep_as_is_said() -> None:
    deep = DEFAULT.claim_nesting - 1
    assert parse_term("(" * deep + "a" + ")" * deep) == A


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = b = c", "one relation was expected, but 2 were found in 'a = b = c'"),
        ("a", "a claim needs a relation"),
        ("a = a" + "+a" * 200, "a term may be at most 400 characters long, but this one has 402"),
        ("a ] b", "']' was not expected in 'a ] b', where =, <= or >= was expected"),
    ],
)
def test_what_is_no_claim_is_refused(text: str, message: str) -> None:
    with pytest.raises(TermError) as refused:
        parse_claim(text)
    assert str(refused.value) == message
