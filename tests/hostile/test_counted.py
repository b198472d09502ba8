"""What can be counted is refused before it is begun: without a clock, timers or /proc, and whoever calls."""

from __future__ import annotations

import difflib
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from shared.program import run

import attnsolve
from attnsolve import errors
from attnsolve.bounds import DEFAULT, changed
from attnsolve.check import run as checking
from attnsolve.check.lint import lint
from attnsolve.check.rerun import Cases
from attnsolve.errors import AttnsolveError, ProblemError, RequestError, UnsolvableError
from attnsolve.guard import Watch
from attnsolve.loading.files import parse


def ones(rows: int, columns: int) -> str:
    return str([[1] * columns] * rows)


def square(side: int) -> str:
    return f"queries: {ones(side, side)}\nkeys: {ones(side, side)}\nvalues: {ones(side, side)}\n"


CLAIM = "kind: derivation\ntopic: claim\ngiven: {x: number, y: positive}\nclaim: "
HOSTILE = {
    "a large problem": (square(150), "--bound work="),
    "many problems": ("---\n".join([square(20)] * 100), "--bound work="),
    "letters": (
        f"symbols: {{a: real}}\n{square(30).replace('1', 'a')}",
        "--bound work=",
    ),
    "many heads": (f"inputs: {ones(300, 64)}\nweights: identity\nheads: 64\n", "--bound work="),
    "too many heads": (f"inputs: {ones(2, 65)}\nweights: identity\nheads: 65\n", "64"),
    "a large float problem": ("numbers: float\nqueries: {random: [9000, 9000]}\nkeys: identity\n", "--bound cells="),
    "a wide matrix": (f"inputs: {ones(1, 600)}\nweights: identity\n", "--bound side="),
    "a tower": ("inputs: [[9**9**9]]\nweights: identity\n", "a power must be"),
    "an exponent": ("inputs: [[1e999999999]]\nweights: identity\n", "beyond ±400"),
    "nothing to a power": ("inputs: [[0e-3000000000]]\nweights: identity\n", "beyond ±400"),
    "a fine tolerance": ("inputs: [[1]]\nweights: identity\ntolerance: {abs: 1e-999999999}\n", "beyond ±400"),
    "many places": ("inputs: [[1]]\nweights: identity\nrounding: {places: 999999999}\n", "places"),
    "many digits": ("inputs: [[1]]\nweights: identity\ndigits: 999999999\n", "digits"),
    "a sum of many terms": (
        "inputs: [['(sqrt(2)+sqrt(3)+sqrt(5)+sqrt(7)+pi)^60']]\nweights: identity\n",
        "may have at most",
    ),
    "brackets": ("inputs: " + "[" * 50_000, "nested at most 12 deep"),
    "aliases": (f"r: &r {[1] * 5000}\ninputs: [{'*r,' * 5000}]\nweights: identity\n", "more than 400,000 values"),
    "many problems of nothing": ("---\na\n" * 300, "at most 200 problems"),
    "symbols": (f"symbols: [{', '.join(f's{i}' for i in range(99))}]\ninputs: [[1]]\n", "at most 8 symbols"),
    "samples": (
        "kind: derivation\ntopic: scaled-dot-product\nd_k: 4\nsimulate: {samples: 999999999, seed: 0}\n",
        "--bound samples=",
    ),
    "draws": (
        "kind: derivation\ntopic: scaled-dot-product\nd_k: 1000000\nsimulate: {samples: 2000000, seed: 0}\n",
        "--bound draws=",
    ),
    "a long claim": (f"{CLAIM}'{'x + ' * 900}x = 1'\n", "characters"),
    "a deep claim": (f"{CLAIM}'{'(' * 30}x{')' * 30} = 1'\n", "nested at most 24 deep"),
    "a sum without end": (
        f"{CLAIM}'sum(i=1..10^12, i) = 1'\n",
        "10^12 can't count rows or entries: only whole numbers, sizes, indices, and their sums and differences can",
    ),
    "a sum of too many terms": (f"{CLAIM}'sum(i=1..1000000000000, i) = 1'\n", "a sum may have at most 64 terms"),
    "a sum up to a fraction": (f"{CLAIM}'sum(i=1..7/2, i) = 1'\n", "7/2 is not a whole number"),
}
"""Files, and what is said of each."""


@contextmanager
def little_memory() -> Iterator[None]:
    """Room for a quarter of a gigabyte more, so that a number of a billion bits ends in a MemoryError."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


@pytest.fixture(autouse=True)
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """No clock is looked at and no memory: whatever ends, ends because it was counted."""
    monkeypatch.setattr(Watch, "look", lambda self: None)


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_ends_in_one_message(name: str, tmp_path: Path) -> None:
    text, said = HOSTILE[name]
    path = tmp_path / "sheet.yaml"
    path.write_text(text, encoding="utf-8")
    done = run(["solve", str(path)])
    assert (done.code, done.out) == (2, "")
    assert "attnsolve has a bug" not in done.err
    assert said in done.err


@pytest.mark.parametrize("name", [*HOSTILE][::2])
def test_a_hostile_file_ends_in_an_error_for_python(name: str, tmp_path: Path) -> None:
    text, said = HOSTILE[name]
    path = tmp_path / "sheet.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(AttnsolveError) as caught:
        [attnsolve.solve(problem) for problem in attnsolve.load_all(path)]
    assert said in str(caught.value)


SCORES = "scaling: none\ngiven: {values: [[1], [2]], scores: "
LETTER = f"symbols: {{x: real}}\n{SCORES}"
POWERS = {
    "2^(x - 10^9)": f"{LETTER}[[x, x], [x, 0]]}}\nsoftmax: {{base: 2}}\nmask: [[0, -1e9], [0, 0]]\n",
    "2^(-10^12)": f"{LETTER}[[x, -1e12]]}}\nsoftmax: {{base: 2}}\n",
    "1.01^(-10^9)": f"{LETTER}[[x, 0]]}}\nsoftmax: {{base: 1.01}}\nmask: [[0, -1e9]]\n",
    "2^(10^12 x)": f"{LETTER}[['10^12*x', 0]]}}\nsoftmax: {{base: 2}}\n",
    "sqrt(2)^(-10^9)": f"{SCORES}[[-1e9, 0]]}}\nsoftmax: {{base: sqrt(2)}}\n",
    "pi^(-10^12)": f"{SCORES}[[-1e12, 0]]}}\nsoftmax: {{base: pi}}\n",
}
"""Files whose powers have millions of digits: they stay powers."""


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("name", POWERS)
@pytest.mark.parametrize("how", [[], ["--format", "json"], ["--detail", "full"]])
def test_a_power_with_millions_of_digits_is_never_written_out(name: str, how: list[str], tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text(POWERS[name], encoding="utf-8")
    with little_memory():
        done = run(["solve", str(path), *how])
    assert (done.code, done.err) == (0, "")
    assert "differs" not in done.out
    assert '"holds": false' not in done.out


def test_terms_with_letters_are_counted_before_they_are_multiplied_out() -> None:
    """8 letters, 8×8: an entry of Q or K has dozens of terms, so that the scores would take a million products."""
    letters = [f"x{i}" for i in range(8)]
    rows = str([[f"{a}*{b}+{a}" for a in letters] for b in letters])
    weights = str([[f"{a}+{b}" if a != b else a for a in letters] for b in letters])
    text = f"symbols: {{{', '.join(f'{a}: real' for a in letters)}}}\ninputs: {rows}\n"
    (problem,) = parse(f"{text}weights: {{W_Q: {weights}, W_K: {weights}, W_V: identity}}\n", "sheet.yaml")
    with pytest.raises(UnsolvableError, match="too long to write out with letters"):
        attnsolve.solve(problem)


@pytest.mark.parametrize("score", ["1e12", "1e400", "-1e400"])
def test_exact_text_is_written_without_working_its_powers_out(score: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sympy

    def evaluated(self: sympy.Expr) -> complex:
        raise AssertionError(f"{str(self)[:40]} was worked out")

    monkeypatch.setattr(sympy.Expr, "__complex__", evaluated)
    (problem,) = parse(f"{SCORES}[['{score}', 0]]}}\n", "sheet.yaml")
    value: Any = attnsolve.solve(problem)
    x, text = sympy.Integer(int(Fraction(score))), value["weights"].exact_text[0][1]
    assert text in (f"1/(1 + exp({x}))", f"1/(exp({x}) + 1)")


@pytest.mark.usefixtures("bare")
def test_an_answer_is_marked_against_such_a_power(tmp_path: Path) -> None:
    sheet, answers = tmp_path / "sheet.yaml", tmp_path / "answers.yaml"
    sheet.write_text(POWERS["2^(-10^12)"], encoding="utf-8")
    answers.write_text("weights: [[1, 0]]\n", encoding="utf-8")
    with little_memory():
        assert run(["check", str(sheet), str(answers)]).code == 1


@pytest.mark.usefixtures("bare")
def test_a_limit_through_such_a_power_is_found_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text(POWERS["2^(-10^12)"] + "limit: {x: oo}\n", encoding="utf-8")
    with little_memory():
        done = run(["solve", str(path)])
    assert done.code in (0, 2)
    assert "attnsolve has a bug" not in done.err


def deep(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


def own() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        (deep(5000), "nested at most 12 deep"),
        (own(), "nested at most 12 deep"),
        ([[10**5000]], "too many digits"),
        ([[-(10**5000)]], "too many digits"),
        ([[Fraction(1, 10**50_000)]], "too many digits"),
        ([[Fraction(-(10**5000), 3)]], "too many digits"),
        ([[1] * 500] * 1000, "--bound nodes=800000"),
        ([["1e999999999"]], "beyond ±400"),
    ],
)
def test_hostile_values_end_in_an_error_too(inputs: list[object], said: str) -> None:
    with pytest.raises(ProblemError) as caught:
        attnsolve.problem({"inputs": inputs, "weights": "identity"})
    assert said in str(caught.value)


# ── what is done with a problem that may be solved ────────────────────────────────────────────────


def test_every_cell_written_out_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text(square(60), encoding="utf-8")
    refused = run(["solve", str(path), "--detail", "full"])
    assert (refused.code, refused.out) == (2, "")
    # Q Kᵀ and A V, at 60 for each of their products; S, S′, A and C, at 300 for each of their cells
    needed = 60 * 2 * 60**3 + 300 * 4 * 60**2
    assert f"takes as long as {needed:,} exact multiplications" in refused.err
    assert refused.err.endswith("or ask for less with --only or --for\n")
    assert run(["solve", str(path)]).code == 0
    assert run(["solve", str(path), "--detail", "full", "--only", "scores", "--for", "1"]).code == 0


def test_parts_that_write_every_cell_are_counted() -> None:
    (problem,) = parse(f"{square(60)}parts: {{a: {{find: context}}, b: {{find: scores, for: '1'}}}}\n", "sheet.yaml")
    with pytest.raises(ProblemError, match=f"{61 * (60 * 60**2 + 300 * 60):,} exact multiplications"):
        attnsolve.solve(problem).to_markdown()


def test_mistakes_are_counted_before_a_sheet_is_linted(tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text(f"inputs: {ones(20, 64)}\nweights: identity\nheads: 64\n", encoding="utf-8")
    solution = checking.load_solution(str(path))
    with pytest.raises(ProblemError, match="--bound work="):
        lint(solution)


def test_where_mistakes_can_not_all_be_tried_none_is_named(tmp_path: Path) -> None:
    """One of several that explain an answer would otherwise be named as the only one."""
    sheet, answers = tmp_path / "sheet.yaml", tmp_path / "answers.yaml"
    sheet.write_text("queries: [[1, 2]]\nkeys: [[1, 2], [3, 1]]\nvalues: [[1], [2]]\n", encoding="utf-8")
    answers.write_text("scaled: [[5, 5]]\n", encoding="utf-8")  # not divided by √2
    solution = checking.load_solution(str(sheet))
    named = [found.mistakes for found in checking.check(solution, str(answers)).diagnoses]
    assert any(named)
    cost = Cases.of(solution).cost
    with changed(work=cost // 5 + 1):
        checked = checking.check(solution, str(answers))
    assert not any(found.mistakes for found in checked.diagnoses)
    assert checked.exit_code == 1


def test_the_mistakes_of_a_worksheet_are_all_tried() -> None:
    for name in ("discussion-10-qkv", "two-heads-thinking-machine", "seq2seq-dot", "self-attention-q1"):
        assert Cases.of(checking.load_solution(name)).affordable > 20_000
    assert DEFAULT.work == 10_000_000


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"key{i}: 1\n" for i in range(5000)),
        f"{square(2)}notation: {{{', '.join(f'key{i}: K' for i in range(5000))}}}\n",
    ],
    ids=["keys", "notation"],
)
def test_words_are_suggested_only_for_the_faults_that_are_told(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[str] = []
    usual = difflib.get_close_matches

    def counted(word: str, *arguments: Any, **settings: Any) -> list[str]:
        wanted.append(word)
        return usual(word, *arguments, **settings)

    monkeypatch.setattr(errors, "get_close_matches", counted)
    with pytest.raises(ProblemError, match="more faults like these"):
        parse(text, "sheet.yaml")
    assert len(wanted) <= errors.MOST_LISTED


@pytest.mark.parametrize("numbers", ["exact", "float"])
@pytest.mark.parametrize("digits", [-1, 0, 10**5, 2.5])
def test_digits_are_counted_for_python_as_on_the_command_line(numbers: str, digits: Any) -> None:
    (problem,) = parse(f"{square(2)}numbers: {numbers}\n", "sheet.yaml")
    value: Any = attnsolve.solve(problem)
    with pytest.raises(RequestError, match=r"decimals\(.*\): a whole number from 1 to 200 was expected"):
        value["weights"].decimals(digits)
    assert value["weights"].decimals(1) == [["0.5", "0.5"], ["0.5", "0.5"]]
