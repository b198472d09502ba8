"""Files that mean harm: code where a number is expected, tags, bombs, towers, and more of everything than is sane."""

from __future__ import annotations

import json
import random
import re
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from shared.exactly import solve
from shared.program import run

from attnsolve.bounds import changed
from attnsolve.key import Key
from attnsolve.numbers.decimals import round_fraction

CODE = (
    "__import__('os').system('touch FLAG')",
    "(1).__class__",
    "(lambda: open('FLAG', 'w'))()",
    "f'{open(\\'FLAG\\', \\'w\\')}'",
    "open('FLAG','w')",
    "[open('FLAG','w') for x in (1,)]",
    "exec",
    "x.subs",
)
PLACES = (
    "inputs: [[{}, 1]]\nweights: identity\n",
    "inputs: [[1, 1]]\nweights: identity\nscaling: {}\n",
    "inputs: [[1, 1]]\nweights: identity\nsymbols: {{x: real}}\nlimit: {{x: {}}}\n",
    "inputs: [[1, 1]]\nweights: identity\nsoftmax: {{base: {}}}\n",
    "kind: derivation\ntopic: claim\ngiven: {{x: number}}\nclaim: {}\n",
    "kind: derivation\ntopic: claim\ngiven: {{x: number}}\nclaim: x + {} = 2\n",
    "kind: derivation\ntopic: claim\ngiven: {{x: {}}}\nclaim: x = 2\n",
    "kind: random-keys\nmeans: identity\nvalues: [[1, 0], [0, 1]]\nqueries: [{}]\nalpha: 0.01\n",
)


def held(text: str, tmp_path: Path, command: str = "solve") -> str:
    """Run a file that must be refused, and return the message."""
    path = tmp_path / "sheet.yaml"
    path.write_text(text, encoding="utf-8")
    done = run([command, *(["causal-mask"] if command == "check" else []), str(path)])
    assert done.complaint() == ""
    assert done.code == 2, done.out
    return done.err


@pytest.mark.parametrize("place", PLACES)
def test_no_code_is_run(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for code in CODE:
        held(place.format('"' + code.replace("\\", "\\\\").replace('"', '\\"') + '"'), tmp_path)
        assert not (tmp_path / "FLAG").exists()


@pytest.mark.parametrize("code", CODE)
def test_no_code_is_run_in_answers(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    held(f'scores[1,1]: "{code}"\n', tmp_path, "check")
    assert not (tmp_path / "FLAG").exists()


@pytest.mark.parametrize(
    "tagged",
    [
        "!!python/object/apply:os.system ['touch FLAG']",
        "!!python/name:os.system",
        "!!binary aGk=",
        "!local 1",
        "!!float 1",
    ],
)
@pytest.mark.parametrize("command", ["solve", "check"])
def test_no_tag_is_acted_on(tagged: str, command: str, tmp_path: Path) -> None:
    assert "tags are not supported" in held(f"inputs: {tagged}\nweights: identity\n", tmp_path, command)
    assert "os" not in yaml.SafeLoader.yaml_constructors  # nor is any added


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_a_hundred_thousand_brackets_are_refused(
    pair: str, pure: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if pure:
        monkeypatch.setattr(yaml, "__with_libyaml__", False)
    inside = pair[0] if pair == "[]" else "{a: "
    assert "nested at most 12 deep" in held(f"inputs: {inside * 100_000}", tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("inputs: [[1]]\ninputs: [[2]]\nweights: identity\n", "already given on line 1"),
        ("base: &b {inputs: [[1]]}\n<<: *b\nweights: identity\n", "unknown key '<<'"),
        ("a: &a [1, 1]\nb: &b [*a, *a]\n" * 1 + "c: &c [*b, *c]\n", "is inside the value that it refers to"),
        ("inputs: &a [*a]\n", "is inside the value that it refers to"),
        ("\x1b[31m", "control character, U+001B"),
        ("? [1, 2]\n: 3\n", "a key must be a word"),
    ],
)
def test_what_yaml_allows_and_nobody_needs_is_refused(text: str, said: str, tmp_path: Path) -> None:
    assert said in held(text, tmp_path)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("9**9**9", "a power must be"),
        ("9^9^9^9", "a power must be"),
        ("1e999999999", "is beyond ±"),
        pytest.param("1" * 1_000_000, "characters long", id="a million digits"),
        ("1e" + "9" * 300, "is beyond ±"),
        ("sqrt(" * 50 + "2" + ")" * 50, "nested at most 20 deep"),
        ("sqrt(10^12 + 39)", "may be at most 1e+12"),
        ("((2^64)^64)^64", "too many digits"),
        ("(sqrt(2)+sqrt(3)+sqrt(5)+sqrt(7)+pi)^60", "may have at most"),
        ("-" * 399 + "x", "two signs in a row"),
        ("(" * 400, "nested at most 20 deep"),
    ],
)
@pytest.mark.parametrize("command", ["solve", "check"])
def test_a_number_that_would_take_for_ever_is_refused(number: str, said: str, command: str, tmp_path: Path) -> None:
    place = "inputs: [[{}]]\nweights: identity\n" if command == "solve" else "scores[1,1]: '{}'\n"
    assert said in held(place.format(number), tmp_path, command)


def test_roots_inside_roots_are_refused_in_a_problem(tmp_path: Path) -> None:
    assert "roots inside roots" in held("inputs: [[sqrt(sqrt(2))]]\nweights: identity\n", tmp_path)


@pytest.mark.parametrize("number", ["e^e^e^e^e", "exp(10^16)", "2^(2000 + 1/3)", "2^(sqrt(2)*10^15)"])
def test_an_exponential_tower_in_an_answer_is_refused(number: str, tmp_path: Path) -> None:
    assert "a power must be a number between" in held(f"scores[1,1]: '{number}'\n", tmp_path, "check")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("2" + "√2" * 2000, "at most 4000 numbers, names and signs"),
        ("+".join(f"e^{n}" for n in range(600)), "may have at most"),
        ("*".join(["1e6000"] * 2000), "too many digits"),
        ("*".join(["(1 + sqrt(2) + e)"] * 300), "may have at most"),
        ("(-1)^(1/3)", "not positive"),
        ("*".join(["10^5999"] * 4), "too many digits"),
        ("\\frac{1}" * 900, "braces"),
        ("½" * 3_000, "was not expected"),
        ("$" * 20_000, "'$' has no meaning"),
        ("²" * 20_000, "where a number was expected"),
        ("1,5" * 6000, "may group thousands"),
        ("(" * 3_000, "nested at most 20 deep"),
    ],
    ids=str.split("tokens terms digits products base power frac halves dollars superscripts commas brackets"),
)
def test_an_answer_longer_than_anything_printed_is_refused(number: str, said: str, tmp_path: Path) -> None:
    assert said in held(f"scores[1,1]: '{number}'\n", tmp_path, "check")


LONG = {
    "roots": "2" + "√2" * 1900,
    "nested roots": "sqrt(" * 19 + "2" + ")" * 19,
    "quotients": "1/(pi + e^2)" * 1000,
    "Euler or not": "2e+6000",
    "digits": "9" * 19_000,
    "decimals": "0." + "3" * 19_000,
    "small": "1e-6000",
    "fraction": "1" * 9_000 + "/" + "7" * 9_000,
    "percent": "1" * 9_000 + "%",
    "percent of a fraction": "1/" + "3" * 9_000 + "%",
    "zeros": "1e" + "0" * 19_000 + "1",
    "power": "e^(10^15)",
}


FORMATS = ("text", "markdown", "json")


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("kind", LONG)
def test_a_long_answer_is_marked_as_a_short_one_is(kind: str, place: int, tmp_path: Path) -> None:
    """Each number for each quantity and in each format, if not in all pairs of them."""
    name, form = ("scores", "masked", "weights")[place], FORMATS[([*LONG].index(kind) + place) % 3]
    path = tmp_path / "sheet.yaml"
    path.write_text(f"{name}[1,1]: '{LONG[kind]}'\n{name}[1,2]: '-{LONG[kind]}'\n", encoding="utf-8")
    done = run(["check", "causal-mask", str(path), "--format", form])
    assert done.complaint() == ""
    if form == "json":
        assert len(json.loads(done.out)["cells"]) == 2
    else:
        assert len(done.out + done.err) < 6_000


@pytest.mark.parametrize(
    "claim",
    [
        "x^12^12^12^12 = 1",
        "exp(exp(exp(exp(exp(x))))) >= 1",
        "(" * 30 + "x" + ")" * 30 + " = 1",
        "sum(i=1..10^12, i) = 1",
        "exp(10000000000*ln(x^2 + 1)) = x",
        "exp(999999999999999999999999999999*ln(x^2 + 2)) = x",
        "exp(3000*ln(x^2 + y + 1)) = x",
        "lim(y -> oo, exp(1000000*ln(y + 1))/y) = 1",
        "exp(12*ln(1 + x^2 + y) + 12*ln((1 + x^2 + y)^12 + y) + 9*ln(x^12 + y^12 + 1)) = 1",
        "E((z[1]^12)^12) = y",
    ],
)
def test_a_claim_like_a_tower_comes_back(claim: str, tmp_path: Path) -> None:
    path = tmp_path / "claim.yaml"
    names = "{x: number, y: positive, z: 'normal(x + y + x*y, y + 1, 2)'}"
    path.write_text(f"kind: derivation\ntopic: claim\ngiven: {names}\nclaim: '{claim}'\n", encoding="utf-8")
    done = run(["solve", str(path)])
    assert done.complaint() == ""


def test_too_many_of_anything_is_told_with_its_bound(tmp_path: Path) -> None:
    row = "1," * 10_000
    assert "larger than 4,000,000 bytes" in held(f"inputs: [{f'[{row}],' * 200}]", tmp_path)
    alias = f"r: &r [{row}]\ninputs: [{'*r,' * 10_000}]\nweights: identity\n"
    assert "more than 400,000 values" in held(alias, tmp_path)
    assert "--bound side=1000" in held(f"tokens: [{'t,' * 1000}]\ninputs: [[1]]\nweights: identity\n", tmp_path)
    names = ", ".join(f"s{i}" for i in range(5000))
    assert "at most 8 symbols" in held(f"symbols: [{names}]\ninputs: [[1]]\nweights: identity\n", tmp_path)


def test_sums_whose_denominators_grow_beyond_what_python_writes_are_shown(tmp_path: Path) -> None:
    """Their digits are more than the interpreter turns into text unless it is told to."""
    path = tmp_path / "sheet.yaml"
    row = ", ".join(f"1/{(1 << 320) + 2 * i + 1}" for i in range(60))
    path.write_text(f"queries: [{row}]\nkeys: [[{row}]]\nvalues: [[1]]\n", encoding="utf-8")
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(4300)
    try:
        assert run(["solve", str(path)]).complaint() == ""
    finally:
        sys.set_int_max_str_digits(before)


def test_numbers_beyond_floats_are_marked(tmp_path: Path) -> None:
    sheet, answers = tmp_path / "sheet.yaml", tmp_path / "answers.yaml"
    sheet.write_text("inputs: [[1, 2]]\nweights: identity\ntolerance: {abs: 1e400}\n", encoding="utf-8")
    answers.write_text("queries: [[1e400, 2]]\nscores: [[1.5e390]]\nscaled: [[1e-400]]\n", encoding="utf-8")
    for form in ("text", "json", "csv"):
        done = run(["check", str(sheet), str(answers), "--format", form])
        assert done.complaint() == ""
        assert "Infinity" not in done.out


@pytest.mark.parametrize("key", ["mu", "sigma", "variance"])
def test_a_derivation_is_not_tried_out_on_numbers_beyond_floats(key: str, tmp_path: Path) -> None:
    text = f"kind: derivation\ntopic: scaled-dot-product\n{key}: 1e200\nsimulate: {{samples: 100, seed: 0}}\n"
    assert f"{key} may have at most 18 digits" in held(text, tmp_path)


def test_a_formula_that_github_gives_up_on_is_exported_as_text(tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    row = ", ".join(f"b^{power}" for power in range(10, 60))
    text = f"symbols: {{b: positive}}\nqueries: [{row}]\nkeys: [[{row}]]\nvalues: [[1]]\nscaling: none\n"
    path.write_text(text, encoding="utf-8")
    done = run(["export", str(path), "-"])
    assert (done.complaint(), done.code) == ("", 0)


# ── what a library would not be stopped in ────────────────────────────────────────────────────────


def test_products_of_long_fractions_are_left_to_the_balls() -> None:
    """Over one denominator, a row of these fractions has tens of thousands of digits, and so has each number there."""
    chance = random.Random(1)

    def matrix(rows: int, columns: int) -> list[list[Fraction]]:
        return [[Fraction(1, chance.randrange(10**97, 10**98) | 1) for _ in range(columns)] for _ in range(rows)]

    def written(rows: list[list[Fraction]]) -> str:
        return str([[str(x) for x in row] for row in rows])

    queries, keys = matrix(60, 120), matrix(60, 120)
    solution = solve(f"queries: {written(queries)}\nkeys: {written(keys)}\nscaling: none\n")
    true = sum(x * y for x, y in zip(queries[7], keys[5], strict=True))
    assert solution.exact[Key("scores")].rows == ((None,) * 60,) * 60
    assert solution["scores"].decimals(30)[7][5] == str(round_fraction(true, 30))


def test_products_of_short_fractions_are_exact_however_many() -> None:
    rows = str([[f"{i * j % 19 - 9}/{1 + (i + j) % 9}" for j in range(64)] for i in range(128)])
    with changed(work=10**9):
        solution = solve(f"queries: {rows}\nkeys: {rows}\nscaling: none\n")
    assert solution.exact[Key("scores")].is_whole


def test_a_hundred_thousand_directives_are_refused(tmp_path: Path) -> None:
    directives = "".join(f"%TAG !a{i}! x\n" for i in range(100_000))
    assert ":1:1: a %TAG directive was found" in held(f"{directives}---\ninputs: [[1]]\n", tmp_path)
    later = "inputs: [[1]]\nweights: identity\n...\n%TAG ! x\n---\n"
    assert ":4:1: a %TAG directive was found" in held(later, tmp_path)


@pytest.mark.parametrize("rounding", ["{places: 2}", "{places: 2, when: each-step}"])
def test_powers_without_end_are_told_by_their_figures(rounding: str, tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    given = f"queries: [[1e400]]\nkeys: [[1], [2]]\nvalues: [[1], [2]]\nscaling: none\nrounding: {rounding}\n"
    path.write_text(given, encoding="utf-8")
    done = run(["solve", str(path)])
    assert (done.code, done.complaint()) == (0, "")
    assert "3.71766×10^4342944819032518" in done.out  # 10^400/ln 10 = 4.342944819032518…×10^399


SATURATED = "queries: [[1]]\nkeys: [[{}], [0]]\nvalues: [[1], [2]]\nscaling: none\n"
"""The second weight is e^(−{}), or about 10^(−3,040,061,374) for seven thousand million."""


def test_a_weight_of_billions_of_zeros_is_compared_with_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text(SATURATED.format(7 * 10**9) + "answers: {weights: [[0.5, 0.5]]}\n", encoding="utf-8")
    done = run(["check", str(path), "--format", "text"])
    assert (done.code, done.complaint()) == (1, "")
    assert re.search(r"a₁,₂ +0\.5 +0\.45 to 0\.55 +4\.756×10\^−3040061374 +wrong", done.out)


def test_a_weight_of_billions_of_zeros_is_compared_with_a_rounded_one(tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    rounding = "rounding: {places: {scores: 0}, when: each-step}\n"
    path.write_text(SATURATED.format("0.4").replace("none", "1/17500000000") + rounding, encoding="utf-8")
    done = run(["solve", str(path), "--format", "text"])
    assert (done.code, done.complaint()) == (0, "")
    assert "a₁,₁ is 0.5 here, but about 1.000 without rounding, a difference of 0.50" in " ".join(done.out.split())


def test_what_follows_from_an_answer_is_shown_however_many_zeros_it_has(tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    answers = "answers: {scores: [[-7e9, 0]], context: [[3.1]]}\ntolerance: {scores: {abs: 1e10}}\n"
    path.write_text(SATURATED.format(1) + answers, encoding="utf-8")
    done = run(["check", str(path), "--format", "text"])
    assert (done.code, done.complaint()) == (1, "")
    assert "4.75595×10^−3040061374·1 + " in done.out


@pytest.mark.parametrize("name", ["a[" + " " * 3000 + "x", "a_" * 2000 + ",1", "head " + "1" * 3000 + ":" * 3000])
def test_a_name_that_takes_long_to_read_is_told_to_mean_nothing(name: str, tmp_path: Path) -> None:
    """No time is measured here, but the matching of such names once took as long as a file may."""
    with changed(seconds=1):
        assert "is not the name of anything in this problem" in held(f"? {name!r}\n: 1\n", tmp_path, "check")


def test_a_message_is_no_longer_than_a_person_would_read(tmp_path: Path) -> None:
    many = held(f"weights: {{{', '.join(f'W_{i}: 1' for i in range(20_000))}}}\n", tmp_path)
    assert "more faults like these" in many
    assert len(many) < 30_000
    assert len(held(f"? {'k' * 100_000}\n: 1\n", tmp_path)) < 5_000
