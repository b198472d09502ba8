"""One number against another: at the precision it is written in, exactly where it is exact, as the problem says."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from attnsolve.check.judge import BITS, accepted, judge
from attnsolve.check.marking import Marking
from attnsolve.check.written import at_places, read_written
from attnsolve.errors import ProblemError
from attnsolve.loading.files import load_one, parse
from attnsolve.numbers.balls import at_precision, ball
from attnsolve.pipeline import solve
from attnsolve.solution.exact import Solution
from attnsolve.spec.rules import Rule

CUT, ONE = "truncated instead of rounded", "off by one in the last place"
Verdicts = Callable[..., dict[str, str]]


ZEROS = ("0e1", "0e2", "0.", "0e9")


def solution_of(name: str) -> Solution:
    worked = solve(load_one(name))
    assert isinstance(worked, Solution)
    return worked


def judged(text: str, true: str, rule: Rule | None = None) -> tuple[str, str]:
    exact = read_written(true).value
    with at_precision(BITS):
        found = judge(read_written(text), ball(exact), exact, rule)
    return found.verdict, found.why


@pytest.mark.parametrize(
    ("text", "true", "verdict", "why"),
    [
        ("0.33", "1/3", "right", ""),
        ("0.3", "1/3", "right", ""),
        ("0.333333", "1/3", "right", ""),
        ("1/3", "1/3", "exact", ""),
        ("2/6", "1/3", "exact", ""),
        (".25", "1/4", "exact", ""),
        ("0.250", "1/4", "exact", ""),
        ("33/100", "1/3", "wrong", "a fraction or root must be exact"),
        ("1/2", "1/3", "wrong", ""),
        ("0.34", "1/3", "slip", ONE),
        ("0.32", "1/3", "slip", ONE),
        ("0.35", "1/3", "wrong", ""),
        ("0.66", "2/3", "slip", CUT),
        ("-0.66", "-2/3", "slip", CUT),
        ("0.67", "2/3", "right", ""),
        ("0.67", "-2/3", "wrong", ""),
        ("0.00", "0.0057", "slip", CUT),
        ("0.12", "0.125", "right", ""),  # a tie may go either way
        ("0.13", "0.125", "right", ""),
        ("-0.12", "-0.125", "right", ""),
        ("-0.13", "-0.125", "right", ""),
        ("0.11", "0.125", "wrong", ""),
        ("6.90e-13", "6.9e-13", "exact", ""),
        ("6.9e-13", "6.914e-13", "right", ""),
        ("6.8E-13", "6.914e-13", "slip", ONE),
        ("6.8E-13", "6.9e-13", "wrong", ""),  # nothing was rounded there
        ("1.2e3", "1234", "right", ""),
        ("1.2*10^3", "1234", "right", ""),
        ("6.9×10^-13", "6.914e-13", "right", ""),
        ("−2", "-2", "exact", ""),
        ("–2", "-2", "exact", ""),
        ("2", "-2", "wrong", ""),
        ("8", "7.94", "wrong", ""),  # a whole number stands for itself, to two places
        ("8", "8.004", "right", ""),
        ("8.", "7.94", "wrong", ""),  # as NumPy prints a whole number
        ("2.", "2.5", "wrong", ""),
        ("0e1", "2.5", "wrong", ""),
        ("0e2", "-30", "wrong", ""),
        ("0.e3", "0", "exact", ""),
        ("2.6", "2.5", "wrong", ""),  # where the true value ends, nothing was rounded
        ("2.4", "2.5", "wrong", ""),
        ("2.5", "2.45", "right", ""),
        ("2.99", "3", "wrong", ""),
        ("0.99", "sqrt(2)^2/2", "wrong", ""),
        ("sqrt(2)", "sqrt(2)", "exact", ""),
        ("2/sqrt(2)", "sqrt(2)", "exact", ""),
        ("√2", "2^0.5", "exact", ""),
        ("1.41", "sqrt(2)", "right", ""),
        ("sqrt(3)", "sqrt(2)", "wrong", ""),
        ("e^2/(e^2+e^8)", "exp(2)/(exp(2)+exp(8))", "exact", ""),
        ("1/(1+e^6)", "e^2/(e^2+e^8)", "exact", ""),
        ("0.00247", "e^2/(e^2+e^8)", "right", ""),
        ("e^2/(e^2+e^7)", "e^2/(e^2+e^8)", "wrong", ""),
        ("-inf", "5", "wrong", ""),
    ],
)
def test_an_answer_is_judged_at_its_own_precision(text: str, true: str, verdict: str, why: str) -> None:
    assert judged(text, true) == (verdict, why)


@pytest.mark.parametrize(
    ("text", "true", "scale", "verdict"),
    [
        ("0.0", "0.04", "0.04", "wrong"),
        ("0.0", "0.04", "0.96", "right"),  # one small weight among others
        ("0.1", "0.0952", "0.12", "wrong"),  # would do for all of them
        ("0.1", "0.0952", "0.7", "right"),
        ("0.3", "1/3", "1/3", "right"),
        ("1e2", "130", "130", "wrong"),
        ("1.3e2", "130.4", "130.4", "right"),
        ("0.00", "0.0049", "0.0049", "wrong"),
        ("0.0", "0", "0.04", "exact"),
    ],
)
def test_an_answer_too_coarse_to_say_anything_earns_nothing(text: str, true: str, scale: str, verdict: str) -> None:
    exact = read_written(true).value
    with at_precision(BITS):
        found = judge(read_written(text), ball(exact), exact, scale=ball(read_written(scale).value))
    assert found.verdict == verdict
    assert ("too few digits" in found.why) == (verdict == "wrong")


def test_zeros_with_a_power_of_ten_earn_nothing_on_any_sheet(marked: Callable[..., Marking]) -> None:
    for name, zero in product(("causal-mask", "self-attention-q1", "seq2seq-dot", "two-heads-thinking-machine"), ZEROS):
        graph = solution_of(name).graph
        heads = {q.key: "" if q.key.head is None else f"{graph.group} {q.key.head}: " for q in graph}
        sheet = {f"{heads[q.key]}{q.key.id}": [[zero] * q.shape[1]] * q.shape[0] for q in graph if not q.given}
        marks = marked(name, json.dumps(sheet)).marks.values()
        solution = solution_of(name)
        earned = [m for m in marks if m.credited and abs(solution.real(*m.cell).nearest_float()) > 0.01]
        assert earned == []


def test_the_sheet_itself_may_ask_for_few_digits(verdicts: Verdicts) -> None:
    problem = "given: {scores: [[0, 0.1, 0.2, 0.1, 0, 0, 0, 0.1, 0.1, 0]]}\nscaling: none\n"
    sheet = f"A: [[{', '.join(['0.1'] * 10)}]]"
    assert set(verdicts(problem, sheet)["weights"]) == {"w"}
    assert set(verdicts(f"{problem}rounding: {{places: 1}}\n", sheet)["weights"]) == {"r"}


def test_whole_numbers_as_numpy_prints_them_are_as_precise_as_their_neighbours(verdicts: Verdicts) -> None:
    problem = "given: {scores: [[0, 1]]}\nscaling: none\n"  # the weights are 0.2689 and 0.7311
    assert verdicts(problem, "A: [[0., 0.7311]]") == {"weights": "wr"}
    assert verdicts(problem, "A: [[0., 1.]]") == {"weights": "ww"}
    assert verdicts("given: {scores: [[0, 30]]}\nscaling: none\n", "A: [[0., 1.]]") == {"weights": "rr"}


@pytest.mark.parametrize("text", ["-inf", "−∞", "-∞", "-infinity", "-.inf", "-Inf", "-oo", "- inf"])
def test_minus_infinity_can_be_written(text: str) -> None:
    written = read_written(text)
    with at_precision(BITS):
        assert judge(written, ball(float("-inf"))).verdict == "exact"
        assert judge(read_written("0"), ball(float("-inf"))).verdict == "wrong"
        nowhere = ball(float("-inf")) - ball(float("-inf"))
        assert judge(written, nowhere).verdict == judge(read_written("0.5"), nowhere).verdict == "wrong"


def test_a_whole_number_among_decimals_is_as_precise_as_they_are() -> None:
    assert at_places(read_written("0"), 4).interval == (Fraction(-1, 20000), Fraction(1, 20000))
    assert at_places(read_written("0.5"), 4).places == 1
    assert at_places(read_written("1/3"), 4).places is None


@pytest.mark.parametrize(
    ("rule", "text", "true", "verdict"),
    [
        (Rule(absolute=Fraction(1, 100)), "0.34", "1/3", "right"),
        (
            Rule(absolute=Fraction(1, 100)),
            "0.3",
            "1/3",
            "wrong",
        ),  # correct to the digits given, but that isn't enough here
        (Rule(absolute=Fraction(1, 100)), "17/50", "1/3", "right"),
        (Rule(absolute=Fraction(1, 100)), "0.51", "0.5", "right"),
        (Rule(relative=Fraction(1, 100)), "99", "100", "right"),
        (Rule(relative=Fraction(1, 100)), "98.9", "100", "wrong"),
        (Rule(relative=Fraction(1, 100)), "-99", "-100", "right"),
        (Rule(Fraction(1), Fraction(1, 100)), "98", "100", "wrong"),
        (Rule(Fraction(2), Fraction(1, 100)), "98", "100", "right"),
        (Rule(exact=True), "0.33", "1/3", "wrong"),
        (Rule(exact=True), "1/3", "1/3", "exact"),
        (Rule(exact=True), "0.50", "1/2", "exact"),
    ],
)
def test_a_rule_says_how_closely_an_answer_must_agree(rule: Rule, text: str, true: str, verdict: str) -> None:
    assert judged(text, true, rule)[0] == verdict


@pytest.mark.parametrize(
    ("rule", "text", "interval"),
    [
        (None, "0.33", ("0.325", "0.335")),
        (None, "6.9e-13", ("6.85e-13", "6.95e-13")),
        (None, "1/3", None),
        (Rule(exact=True), "0.33", None),
        (Rule(absolute=Fraction(1, 10)), "0.5", ("0.4", "0.6")),
        (Rule(relative=Fraction(1, 4)), "-3", ("-4", "-2.4")),
    ],
)
def test_what_is_accepted_can_be_told(rule: Rule | None, text: str, interval: tuple[str, str] | None) -> None:
    ends = None if interval is None else (Fraction(interval[0]), Fraction(interval[1]))
    assert accepted(read_written(text), rule) == ends


PROBLEM = "inputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\n"


def test_rules_belong_to_a_problem_or_to_a_quantity(verdicts: Verdicts) -> None:
    sheet = "S: [[1.4, 0], [0, 1]]\nA: [[0.7, 0.27], [0.27, 0.73]]"
    assert verdicts(PROBLEM, sheet) == {"scores": "we/ee", "weights": "rr/rr"}
    assert verdicts(f"{PROBLEM}tolerance: {{abs: 0.5}}\n", sheet) == {"scores": "re/ee", "weights": "rr/rr"}
    mixed = f"{PROBLEM}tolerance: {{abs: 0.01, scores: {{rel: 1/2}}}}\n"
    assert verdicts(mixed, sheet) == {"scores": "re/ee", "weights": "wr/rr"}
    assert verdicts(f"{PROBLEM}exact: true\n", sheet) == {"scores": "we/ee", "weights": "ww/ww"}
    some = f"{PROBLEM}exact: [weights]\n"
    assert verdicts(some, "S: [[1, 0], [0, 1]]\na_1: [e/(1+e), 0.27]") == {"scores": "ee/ee", "weights": "ew"}


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("tolerance: 0.01", "tolerance must be a mapping such as {abs: 0.01} or {scores: {rel: 1/100}}"),
        ("tolerance: {abs: -1}", "abs of tolerance must be a number that is not negative"),
        ("tolerance: {scores: 1}", "the tolerance of scores must be a mapping such as {abs: 0.01}"),
        ("tolerance: {scroes: {abs: 1}}", "did you mean scores?"),
        ("exact: maybe", "exact must be true, false or a list of quantities"),
        ("exact: [scroes]", "exact names 'scroes', which is not a quantity"),
    ],
)
def test_a_rule_that_cannot_be_read_is_refused(rules: str, said: str) -> None:
    with pytest.raises(ProblemError) as error:
        parse(f"{PROBLEM}{rules}\n", "problem.yaml")
    assert said in str(error.value)


SYMBOLIC = "symbols: {b: positive}\ninputs: [[b, 0], [0, 1]]\nweights: identity\nscaling: none\n"


def test_letters_are_compared_as_what_they_are(verdicts: Verdicts) -> None:
    sheet = "S: [[b^2, 0.0], [b, 1]]\nA: [[e^(b*b)/(1+exp(b^2)), b], [1/(1+e), 0.73]]\nc_1: [b/(1+e^(-b^2)), 0.5]"
    assert verdicts(SYMBOLIC, sheet) == {"scores": "ee/we", "weights": "ew/er", "context": "ew"}


def test_numbers_rounded_on_the_way_and_true_ones_both_count(verdicts: Verdicts) -> None:
    rounded = "alpha: [0.26, 0.33, 0.41]\nc_t: [0.215, 0.315, 0.415, 0.515]"
    true = "alpha: [0.2632, 0.3280, 0.4087]\nc_t: [0.2145, 0.3145, 0.4145, 0.5145]"
    for sheet in (rounded, true):
        found = verdicts("seq2seq-dot-rounded", sheet)
        assert set("".join(found.values())) <= set("er/"), found


@pytest.mark.parametrize(
    ("problem", "sheet"),
    [
        ("given: {scores: [[b, 0]]}\nscaling: none\nsoftmax: {base: 2}\n", "A: ['2^b/(2^b+1)', '1/(2^b+1)']"),
        ("queries: [[b, 1]]\nkeys: [[pi, 1], [0, 1]]\nvalues: identity\nscaling: none\n", "scores: ['pi*b+1', '1']"),
    ],
)
def test_letters_beside_other_bases_and_pi_are_compared_at_points(problem: str, sheet: str, verdicts: Verdicts) -> None:
    problem = f"symbols: {{b: positive}}\n{problem}"
    assert set("".join(verdicts(problem, sheet).values())) == {"e"}
    wrong = sheet.replace("+1", "+2")
    assert set("".join(verdicts(problem, wrong).values())) & {"w"}


def test_only_exact_answers_count_where_they_are_asked_for_and_they_follow(marked: Callable[..., Marking]) -> None:
    problem = "queries: [[1, 2]]\nkeys: [[1, 1], [2, 0]]\nvalues: [[1, 2], [3, 4]]\nscaling: 2\nexact: true\n"
    found = marked(problem, "scores: [[4, 2]]\nscaled: [[2, 1]]\nweights: [[0.7, 0.2689]]").marks.values()
    assert [(m.verdict, m.judgement.why) for m in found] == [
        ("wrong", ""),
        ("exact", ""),
        ("follows", ""),
        ("exact", ""),
        ("wrong", "an exact answer is required"),
        ("wrong", "an exact answer is required"),
    ]


def test_a_power_of_ten_makes_no_whole_number_less_precise(verdicts: Verdicts) -> None:
    problem = "given: {scores: [[2.5, 1, 1000]]}\nscaling: 2\n"
    assert verdicts(problem, "scaled: [1., 0., 5e2]") == {"scaled": "wwe"}
    assert verdicts(problem, "scaled: [0e1, 0e2, 1e3]") == {"scaled": "www"}
    problem = "given: {scores: [[14, 24, 28, 2000]]}\nscaling: 2\n"
    assert verdicts(problem, "scaled: [1e1, 1e1, 1e1, 1e3]") == {"scaled": "wwwe"}


@pytest.mark.parametrize("zeros", ["1.00000000", "0.99995460000"])
def test_digits_added_to_a_printed_decimal_are_judged_too(zeros: str, verdicts: Verdicts) -> None:
    assert verdicts("given: {scores: [[0, 10]]}\nscaling: none\n", f"A: [_, {zeros}]") == {"weights": "bw"}
    assert verdicts("given: {scores: [[0, 10]]}\nscaling: none\n", "A: [_, 1.000]") == {"weights": "br"}
