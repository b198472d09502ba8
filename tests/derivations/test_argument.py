"""No relation gets onto the page of a derivation unless it was verified, worked out, defined or given: tried on what
writes them, and on the source of every topic."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import attnsolve.derivations
from attnsolve import notation as n
from attnsolve.algebra.declared import Declared, Defined, Fixed, Free, Unknown, WholeNumber
from attnsolve.algebra.finding import Finding
from attnsolve.algebra.grammar import parse_chain, parse_term
from attnsolve.algebra.table import TermError
from attnsolve.algebra.verify import Claim, Verifier
from attnsolve.derivations.argument import Argument, Unverified
from attnsolve.derivations.comparing import real_of
from attnsolve.derivations.relations import SIGNS
from attnsolve.document import Document, Equation, Gallery, Lines, Paragraph, Table
from attnsolve.loading.files import parse
from attnsolve.numbers.written import Figures, Real
from attnsolve.operations.number import numeral
from attnsolve.pipeline import solve
from attnsolve.render.text import render

FOLDER = Path(attnsolve.derivations.__file__).parent
WRITERS = ("writing.py", "premises.py", "argument.py", "findings.py", "relations.py")
"""The modules that make relations, and the words about what was found."""
SOURCES = [path for path in sorted(FOLDER.glob("*.py")) if path.name not in WRITERS]
NAMES: dict[str, Declared] = {
    "x": Unknown("positive"),
    "y": Unknown("positive"),
    "n": WholeNumber(2),
    "S": Free(parse_term("n"), parse_term("n")),
    "F": Fixed(((Fraction(2), Fraction(3)),)),
    "half": Defined(parse_term("x/2")),
    "soft": Defined(parse_term("softmax(S)")),
}
FIGURES = Figures(4, "fraction")
X, TWO = n.Sym("x"), n.Num("2")
RAW = n.Chain(X, (("≤", TWO),))


@pytest.fixture
def argument() -> Argument:
    return Argument("id", "A title", NAMES)


def text(argument: Argument) -> str:
    return " ".join(render(Document("", "", tuple(argument.unfinished().blocks))).split())


# ── what writes them ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "block",
    [
        Equation(RAW),
        Lines((RAW,)),
        Gallery((RAW,)),
        Paragraph(("So ", RAW, ".")),
        Table((("a",),), (((RAW,),),)),
        Lines((), (), ((RAW,),)),
        Paragraph((n.Call("P", (RAW,)),)),
        Paragraph((n.Word("x ≤ 2"),)),
        Paragraph((n.Sym("x ≤ 2"),)),
    ],
)
def test_a_relation_that_nothing_vouches_for_is_refused_in_any_block(argument: Argument, block: Any) -> None:
    with pytest.raises(Unverified, match="nothing vouches for x ≤ 2"):
        argument.add(block)
    with pytest.raises(Unverified, match="nothing vouches for x ≤ 2"):
        argument.states(block)
    assert argument.unfinished().blocks == []


def test_a_relation_that_nothing_vouches_for_is_refused_in_a_sentence(argument: Argument) -> None:
    with pytest.raises(Unverified, match="nothing vouches for"):
        argument.paragraph("So {raw}.", raw=RAW)


def test_a_relation_in_a_sentence_is_verified(argument: Argument) -> None:
    argument.paragraph("Of course {(x + y)^2 = x^2 + 2*x*y + y^2} and {x*y >= 0}.")
    assert "(x + y)² = x² + 2x y + y² and x y ≥ 0" in text(argument)
    assert [finding.status for _, finding in argument.findings] == ["proved", "tried"]


@pytest.mark.parametrize("claim", ["(x + y)^2 = x^2 + y^2", "x <= y", "x*y <= 0", "x = 2", "1/0 = x"])
def test_a_false_relation_in_a_sentence_is_refused(argument: Argument, claim: str) -> None:
    with pytest.raises(Unverified, match="does not hold"):
        argument.paragraph(f"Of course {{{claim}}}.")


@pytest.mark.parametrize("sign", SIGNS)
def test_no_relation_stands_in_plain_words(argument: Argument, sign: str) -> None:
    for write in (argument.paragraph, argument.notes, argument.chooses, argument.states_on_sheets):
        with pytest.raises(Unverified, match="plain words"):
            write(f"So x {sign} 2.")
    with pytest.raises(Unverified, match="plain words"):
        argument.holds(f"x {sign} 2", True)
    with pytest.raises(Unverified, match="plain words"):
        argument.chain("x + x", ("= 2*x", f"x {sign} 2"))
    with pytest.raises(Unverified, match="plain words"):
        Argument("id", f"x {sign} 2", NAMES)


def test_what_is_chosen_or_stated_is_verified_too(argument: Argument) -> None:
    argument.chooses("Take {x + x = 2*x}.")
    argument.states_on_sheets("Take {x + x = 2*x}.")
    assert argument.unfinished().blocks == []
    for write in (argument.chooses, argument.states_on_sheets):
        with pytest.raises(Unverified, match="nothing vouches for"):
            write("Take {raw}.", raw=RAW)
        with pytest.raises(Unverified, match="does not hold"):
            write("Take {x = 2}.")


def test_a_definition_is_what_was_verified(argument: Argument) -> None:
    argument.equation(argument.definition("half"))
    assert "half = x/2" in text(argument)
    for name in ("x", "n", "F", "x + y", "half <= x/2", "x = x", "z = 2"):
        with pytest.raises(Unverified, match="not a definition"):
            argument.definition(name)
    with pytest.raises(Unverified, match="not a definition"):
        argument.definition("half", "≤")


def test_the_entries_of_what_is_defined_are_what_it_says(argument: Argument) -> None:
    argument.equation(argument.definition("soft[1,2] = exp(S[1,2])/sum(j=1..n, exp(S[1,j]))"))
    assert argument.findings == []
    for wrong in ("soft[1,2] = exp(S[1,2])/sum(j=1..n, exp(S[2,j]))", "soft[1,2] = exp(S[1,2])"):
        with pytest.raises(Unverified, match="does not hold"):
            argument.definition(wrong)


def test_nothing_is_defined_in_two_ways(argument: Argument) -> None:
    argument.definition("half")
    argument.definition("half")
    with pytest.raises(Unverified, match="defines anew"):
        argument.definition("half = (x + x)/4")
    other = argument.about({"x": Unknown(), "half": Defined(parse_term("x/2 + x"))})
    with pytest.raises(Unverified, match="defines anew"):
        other.definition("half")


def test_what_is_defined_is_new() -> None:
    with pytest.raises(Unverified, match="comes after it"):
        Argument("", "", {"z": Defined(parse_term("2*x")), "x": Unknown()})
    with pytest.raises(Unverified, match="comes after it"):
        Argument("", "", {"z": Defined(parse_term("2*z"))})
    with pytest.raises(Unverified, match="written like something else"):
        Argument("", "", {"x": Unknown(), "z": Defined(parse_term("2*x"))}, {"z": X})
    Argument("", "", {"z": Defined(parse_term("sum(i=1..3, i)")), "i": Unknown()})


def test_a_letter_is_given_a_value_that_it_may_have(argument: Argument) -> None:
    argument.lines(argument.value("x", Fraction(1, 2)), argument.value("n", 3))
    assert "x = 1/2 n = 3" in text(argument)
    for name, value in (("x", 0), ("y", -1), ("n", 1), ("n", Fraction(5, 2)), ("half", 1), ("F", 2), ("z", 1)):
        with pytest.raises(Unverified, match="can't be given the value"):
            argument.value(name, value)


def test_a_letter_keeps_its_value(argument: Argument) -> None:
    argument.value("y", 3)
    with pytest.raises(Unverified, match="y has the value 3 here"):
        argument.value("y", 4)
    with pytest.raises(Unverified, match="y has the value 3 here"):
        argument.put_in("x*y = y*x", {"y": 4}, "4*x")
    argument.put_in("x*y = y*x", {"y": 3}, "3*x")


def test_a_float_is_near_what_its_name_stands_for() -> None:
    numbers = {"x": Fixed(((Fraction(2),),)), "root": Defined(parse_term("sqrt(x)"))}
    writing = Argument("", "", numbers)
    writing.lines(writing.measured("x", 2.0), writing.measured("root", 2**0.5))
    assert "x = 2 root ≈ 1.414" in text(writing)
    for name, value in (("x", 2.001), ("root", 1.4142), ("root", -(2**0.5)), ("root", 2.0)):
        with pytest.raises(Unverified, match="is not"):
            writing.measured(name, value)


def test_the_first_link_of_a_chain_may_be_a_definition(argument: Argument) -> None:
    argument.chain("half", ("= x - x/2", "the rest"), opening=("= x/2", "by definition"))
    assert "half = x/2 by definition = x − x/2 the rest" in text(argument)
    assert len(argument.findings) == 1
    with pytest.raises(Unverified, match="does not hold"):
        argument.chain("half", ("= x - x/2", "the rest"), opening=("= x/3", "by definition"))


def test_a_link_that_does_not_hold_is_refused(argument: Argument) -> None:
    for link in ("= x^2 + y", "≥ x^2 + x*y + 1", "= x[1]"):
        with pytest.raises(Unverified, match="does not hold"):
            argument.chain("x*(x + y)", (link, "multiplied out"))
    assert argument.unfinished().blocks == []


def test_a_link_that_is_open_is_not_claimed(argument: Argument, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Verifier, "verify", lambda self, claim: Finding("undecided"))
    assert not argument.chain("x + x", ("= 2*x", "the same"), ("= x*2", "the other way round"))
    assert text(argument).endswith("━ This could not be verified, so it is not claimed: x + x = 2x.")
    assert argument.finish().checks == [("1 claim not verified", False)]


def test_one_term_of_a_sum_is_what_its_reason_says(argument: Argument) -> None:
    assert argument.at("i", "n", "exp(i - n)", "1") == "the term i = n is 1"
    with pytest.raises(Unverified, match="does not hold"):
        argument.at("i", "n", "exp(i + n)", "1")


def test_what_is_nothing_only_if_a_letter_is(argument: Argument) -> None:
    argument.equation(argument.vanishes("x*y^2/2", "y", "x/2"))
    assert "y = 0" in text(argument)
    for term, factor in (("x*y^2/2", "x"), ("x*y", "x/y"), ("y^2 - y^2", "0")):
        with pytest.raises(Unverified):
            argument.vanishes(term, "y", factor)


def test_conditions_are_the_same_exactly_if_a_factor_says_so(argument: Argument) -> None:
    argument.equivalent("1/(1 + x) >= y", ("x <= 1/y - 1", "-y/(1 + x)"), ("ln(x) <= ln(1/y - 1)", "exp"))
    assert "1/(1 + x) ≥ y ⟺ x ≤ 1/y − 1 ⟺ ln x ≤ ln(1/y − 1)" in text(argument).replace("ln(x)", "ln x")


@pytest.mark.parametrize(
    ("relation", "factor"),
    [
        ("x >= 1/y - 1", "-y/(1 + x)"),  # the sign does not turn
        ("x <= 1/y - 2", "-y/(1 + x)"),  # another constant
        ("x <= 1/y - 1", "y/(1 + x)"),  # another factor
        ("x <= 1/y - 1", "0"),
        ("x = 1/y - 1", "-y/(1 + x)"),
        ("ln(x) >= ln(y)", "exp"),
    ],
)
def test_conditions_that_are_not_the_same_are_refused(argument: Argument, relation: str, factor: str) -> None:
    with pytest.raises(Unverified):
        argument.equivalent("1/(1 + x) >= y", (relation, factor))


def test_numbers_are_put_into_what_holds(argument: Argument) -> None:
    values = {"y": 3}
    argument.equation(argument.put_in("(x + y)^2 = x^2 + 2*x*y + y^2", values, "x^2 + 2*x*y + y^2", "x^2 + 6*x + 9"))
    assert "= x² + 2x y + y² = x² + 6x + 9" in text(argument)


@pytest.mark.parametrize(
    ("claim", "form"),
    [("x*y = y*x", "4*x"), ("x*y = x + y", "x + 3"), ("x >= y", "3"), ("x*y = y*x", "3*x + 1")],
)
def test_numbers_are_put_into_nothing_else(argument: Argument, claim: str, form: str) -> None:
    with pytest.raises(Unverified):
        argument.put_in(claim, {"y": 3}, form)


def test_decimals_come_from_the_term_that_is_printed(argument: Argument) -> None:
    values = {"x": 2, "y": 1}
    argument.equation(argument.put_in("x*exp(y) = exp(y)*x", values, "2*exp(1)", figures=FIGURES))
    assert "≈ 5.437" in text(argument)  # 2e = 5.43656…


@pytest.fixture
def numbers() -> Argument:
    third, e_inverse = Fixed(((Fraction(1, 3),),)), Defined(parse_term("exp(-1)"))
    return Argument("id", "A title", {"x": third, "D": e_inverse, "w": Defined(parse_term("x*D"))})


def test_numbers_are_compared_by_their_balls(numbers: Argument) -> None:
    small, large = Real.of(Fraction(1, 3)), parse_term("exp(-1)")
    numbers.equation(numbers.compares("x", small, "≤", large, FIGURES, "it is small"))
    assert "x ≈ 0.3333 ≤ e^(−1) ≈ 0.3679" in text(numbers).replace("e⁻¹", "e^(−1)")
    assert numbers.unfinished().checks == [("it is small", True)]
    with pytest.raises(Unverified, match="does not hold"):
        numbers.compares("x", small, "≥", large, FIGURES, "it is large")
    with pytest.raises(Unverified, match="x is another number"):
        numbers.compares("x", Real.of(Fraction(1, 4)), "≤", large, FIGURES, "it is small")
    assert numbers.unfinished().checks == [("it is small", True)]


def test_a_number_that_is_found_is_what_its_term_comes_to(numbers: Argument) -> None:
    third = Real.of(Fraction(1, 3))
    numbers.equation(numbers.found("x", third, FIGURES))
    numbers.equation(numbers.found("w", real_of(parse_term("exp(-1)/3")), FIGURES))
    assert "x = 1/3 w ≈ 0.1226" in text(numbers)
    other = Real.of(Fraction(1, 3) + Fraction(1, 10**30))
    for term, real in (("x", other), ("w", third), ("2*x", third)):
        with pytest.raises(Unverified, match="is another number"):
            numbers.found(term, real, FIGURES)
    numbers.result("x", "x", None, third)
    with pytest.raises(Unverified, match="x stands for another number already"):
        numbers.result("x", "x", None, other)


def test_a_relation_between_numbers_may_be_taken_for_granted(numbers: Argument) -> None:
    for text_of in ("x <= D", "w = D/3", "x >= w"):
        numbers.confirm_in_numbers(text_of)
    for text_of in ("x >= D", "w = D/2", "x <= w"):
        with pytest.raises(Unverified, match="does not hold"):
            numbers.confirm_in_numbers(text_of)


def test_a_mean_is_that_of_all_outcomes(numbers: Argument) -> None:
    symbol = n.Call("E", (X,))
    half, third = Real.of(Fraction(1, 2)), Real.of(Fraction(1, 3))
    outcomes = [(half, Fraction(4)), (half, Fraction(1))]
    numbers.equation(numbers.expected(symbol, Real.of(Fraction(5, 2)), outcomes, FIGURES))
    assert "E(x) = 5/2" in text(numbers)
    with pytest.raises(Unverified, match="other outcomes"):
        numbers.expected(symbol, Real.of(Fraction(2)), outcomes, FIGURES)
    with pytest.raises(Unverified, match="other outcomes"):
        numbers.expected(symbol, Real.of(Fraction(7, 3)), [(half, Fraction(4)), (third, Fraction(1))], FIGURES)


def test_a_name_for_what_is_worked_out_stands_for_that(numbers: Argument) -> None:
    numbers.equation(numbers.works_out("x*3", FIGURES))
    named = Argument("", "", {"F": NAMES["F"], "A": Defined(parse_term("F + F"))})
    named.equation(named.works_out("2*F", FIGURES, "A"))
    assert "A = 2F = [4 6]" in text(named)
    with pytest.raises(Unverified, match="does not hold"):
        named.works_out("3*F", FIGURES, "A")


def test_what_is_positive_has_an_inverse(argument: Argument) -> None:
    argument.equation(argument.positive("exp(x)", "exp(-x)"))
    for left, inverse in (("x - y", "1/(x - y)"), ("exp(x)", "exp(x)"), ("0*x", "1")):
        with pytest.raises(Unverified):
            argument.positive(left, inverse)


def test_what_is_left_out_goes_to_nothing(argument: Argument) -> None:
    argument.equation(argument.leaves("1/(1 + y + exp(-x))", "1/(1 + y)", "exp(-x)", "x"))
    for left, rest in (("1/(1 + y)", "exp(x)"), ("1/(2 + y)", "exp(-x)"), ("1/(1 + exp(-x))", "y")):
        with pytest.raises(Unverified):
            argument.leaves("1/(1 + y + exp(-x))", left, rest, "x")


def test_a_conclusion_goes_on_from_what_it_rests_on(argument: Argument) -> None:
    names: dict[str, Declared] = {"x": Unknown("positive"), "D": Unknown("positive"), "u": Unknown("nonnegative")}
    first, second = "x <= x + x*y", "x + x*(D - u) <= x + x*D"
    with pytest.raises(Unverified, match="does not go on"):
        Argument("", "", names).follows(argument, first, second)
    other = Argument("", "", names)
    other.paragraph("Let {u} be.", u=other.substitutes(argument, "y", "u = D - x", "D - u"))
    other.equation(other.follows(argument, first, second))
    assert "Let u = D − y be. x ≤ x + x D" in text(other)
    for definition, instead in (("u = D + x", "D - u"), ("u = D - x", "D + u"), ("u = x - D", "D - u")):
        with pytest.raises(Unverified, match="does not hold"):
            Argument("", "", names).substitutes(argument, "y", definition, instead)
    with pytest.raises(Unverified, match="does not go on"):
        other.follows(argument, first, "x + x*D <= x + x*(D + u)")


def test_what_holds_of_other_names_is_not_taken_for_these(argument: Argument) -> None:
    argument.about({"x": Fixed(((Fraction(3),),)), "y": Fixed(((Fraction(5),),))}).requires("x + 2 = y")
    with pytest.raises(Unverified, match="does not hold"):
        argument.requires("x + 2 = y")


HALF, NONE, ALL = (
    Claim(parse_term(f"lim(x -> oo, {weight})"), "=", numeral(share))
    for weight, share in (("1/(2 + exp(-x))", Fraction(1, 2)), ("exp(-x)", 0), ("1/(1 + exp(-x))", 1))
)
U, V, W = (n.Sym(letter, vector=True) for letter in "uvw")


def test_an_output_goes_to_the_mean_that_verified_limits_make(argument: Argument) -> None:
    heads = [{U: HALF, V: HALF, W: NONE}, {U: NONE, V: ALL, W: NONE}]
    for claim in (HALF, NONE):
        argument.requires(claim)
    with pytest.raises(Unverified, match="no limit was verified for the weight of v"):
        argument.tends(X, heads)
    argument.requires(ALL)
    chain, shares = argument.tends(X, heads)
    argument.equation(chain)
    assert "x → 1/4 u + 3/4 v" in text(argument)
    assert shares == {U: Fraction(1, 4), V: Fraction(3, 4), W: 0}


def test_an_output_goes_nowhere_by_limits_that_are_none_or_that_make_no_mean(argument: Argument) -> None:
    for claim in (HALF, NONE, ALL):
        argument.requires(claim)
    with pytest.raises(Unverified, match="no shares of a mean"):
        argument.tends(X, [{U: HALF, V: NONE}])
    wrong = Claim(HALF.left, "=", parse_term("1"))
    argument.check(wrong)
    with pytest.raises(Unverified, match="no limit was verified"):
        argument.tends(X, [{U: wrong}])
    plain = Claim(parse_term("1 + x - x"), "=", parse_term("1"))
    argument.requires(plain)
    with pytest.raises(Unverified, match="no limit was verified"):
        argument.tends(X, [{U: plain}])


def test_what_can_not_be_refuted_is_not_said_to_differ(argument: Argument) -> None:
    argument.refutes("x + 2 = y", "refuted: 2 more")
    with pytest.raises(Unverified, match="no counterexample"):
        argument.refutes("x + y = y + x", "refuted: another order")
    assert argument.unfinished().checks == [("refuted: 2 more", True)]


def test_what_is_ticked_of_other_names_is_ticked_in_the_same_passage(argument: Argument) -> None:
    argument.about({"x": Unknown()}).refutes("x = 2", "refuted: it is 2")
    assert argument.finish().checks == [("refuted: it is 2", True)]


@pytest.mark.parametrize("claim", ["K[1]^T*K[2] = 1", "1 = K[1]^T*K[2]", "ln(exp(x)) - x + exp(1) - exp(1) = 1"])
def test_a_counterexample_may_be_nearly_nothing(claim: str) -> None:
    problem = f"kind: derivation\ntopic: claim\ngiven: {{K: orthonormal(3), x: number}}\nclaim: {claim}\n"
    (read,) = parse(problem, "p.yaml")
    shown = render(solve(read).to_document())
    assert "Refuted. A counterexample:" in shown
    assert "≈ 0\n" in shown


def test_given_numbers_are_worked_out_as_they_are(argument: Argument) -> None:
    argument.equation(argument.works_out("2*F", FIGURES))
    assert "2F = [4 6]" in text(argument)


def test_both_roots_and_no_others(argument: Argument) -> None:
    with pytest.raises(Unverified, match="no square was found for y"):
        argument.root("y", {})
    argument.equation(argument.roots("12*x^2/y^2 = 1", "y", "12*x^2", "-1/y^2"))
    chain, root = argument.root("y", {"x": 2})
    argument.equation(chain)
    assert (root**2).expand() == 48
    with pytest.raises(Unverified, match="x has the value 2 here"):
        argument.root("y", {"x": 3})
    for square, factor in (("12*x", "-1/y^2"), ("12*x^2", "1/y^2"), ("12*x^2", "-1/y"), ("12*x^2", "0")):
        with pytest.raises(Unverified, match="does not hold"):
            argument.roots("12*x^2/y^2 = 1", "y", square, factor)


# ── what the topics are made of ───────────────────────────────────────────────────────────────────


MAKERS = ("Chain", "Equation", "Lines", "Gallery", "Writing", "Premises", "Passage", "Reported", "_state", "_define")
"""What only the writers may make: blocks of relations, notes that one may be printed, words in which one may stand."""
MARK = "\0"
MESSAGES = ("add", "expected", "TermError", "Unverified")
"""What is told to somebody whose file is wrong, or to whoever wrote an argument that is: it is no part of any."""


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_topic_makes_a_relation_by_itself(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            assert called(node) not in MAKERS, f"line {node.lineno}"
            constant = [value for value in node.args[1:] if isinstance(value, ast.Constant)]
            assert called(node) != "holds" or not constant, f"line {node.lineno}: ticked whatever was found"
        if isinstance(node, ast.ImportFrom):
            assert not {alias.name for alias in node.names} & {*MAKERS} - {"Passage"}, f"line {node.lineno}"
        if isinstance(node, ast.Import):
            assert not any(alias.name.startswith("attnsolve") for alias in node.names), f"line {node.lineno}"
        if isinstance(node, ast.Attribute):
            private = node.attr.startswith("_") and not (isinstance(node.value, ast.Name) and node.value.id == "self")
            assert not private, f"line {node.lineno}: {node.attr}"
            assert node.attr != "blocks" or not isinstance(node.ctx, ast.Store), f"line {node.lineno}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_topic_writes_a_relation_in_plain_words(path: Path) -> None:
    """A text with a relation sign in it is a claim or a term that goes to the verifier; in a sentence, only {…} is."""
    found = list(texts(ast.parse(path.read_text(encoding="utf-8"))))
    assert len(found) > 5 or path.stem in ("__init__", "regimes", "comparing", "given", "gradients")
    assert [f"line {line}: {words}" for function, line, words in found if is_raw(function, words)] == []


SENTENCES = (
    "says",
    "notes",
    "holds",
    "chooses",
    "states_on_sheets",
    "inline",
    "Paragraph",
    "Word",
    "Sym",
    "Num",
    "Table",
)
"""What makes plain words of a text, or letters: not even a claim may stand there outside {…}."""
COMPARING = {"compares": "≤≥", "definition": "≈", "Claim": "="}
"""What is told a sign by itself."""
DECLARING = ("names", "also")
"""What is told a name, and after a colon the term that it stands for."""


def is_raw(function: str, words: str) -> bool:
    """Whether a text that is handed to a function has a relation in it that nothing verifies."""
    words = (words.partition(": ")[2] or words) if function in DECLARING else words
    outside = re.sub(r"\{[^{}]*\}", "", words)
    if not any(sign in outside for sign in SIGNS) or function in (*MESSAGES, "einsum"):
        return False
    return function in SENTENCES or not (words in COMPARING.get(function, "") or is_claim(words))


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def texts(tree: ast.AST, function: str = "") -> Iterator[tuple[str, int, str]]:
    """Every text in the code, with a mark for what is put into it, and the function that it is handed to."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else MARK for part in node.values]
            yield function, node.lineno, "".join(map(str, parts))
            for part in node.values:
                yield from texts(part.value, function) if isinstance(part, ast.FormattedValue) else ()
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield function, node.lineno, node.value
        yield from texts(node, called(node) if isinstance(node, ast.Call) else function)


def is_claim(words: str) -> bool:
    """Whether a text says nothing but a claim, a link of a chain, or a term; not a whole sentence."""
    first, *rest = words.split(MARK)
    for put_in in product(("x", ""), repeat=len(rest)):
        text_of = first + "".join(put + part for put, part in zip(put_in, rest, strict=True))
        for parse_whole in (parse_chain, lambda link: parse_chain(f"x {link}"), parse_term):
            with contextlib.suppress(TermError):
                parse_whole(text_of)
                return True
    return False


@pytest.mark.parametrize(
    "code",
    [
        'w.paragraph("So x = 2.")',
        'w.holds(f"{y} ≤ 2", a)',
        'w.chain("x", ("= x", "as z → 0"))',
        'n.Word("x = y")',
        'names("So x = 2.")',
    ],
)
def test_a_relation_in_plain_words_would_be_seen(code: str) -> None:
    assert any(is_raw(function, words) for function, _, words in texts(ast.parse(code)))
