"""Arithmetic that can't be done is refused with its reason and its place; a bug of our own stays one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sympy
from shared.program import completed

import attnsolve
from attnsolve.cli import main
from attnsolve.errors import ProblemError, UnsolvableError
from attnsolve.guard import Watch
from attnsolve.narrate.exact import ExactNarrator
from attnsolve.narrate.explain import explain
from attnsolve.numbers import Unavailable
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution
from attnsolve.unsolvable import reason

Solve = Callable[[str], Solution]

LETTERS = "symbols: {x: real, t: positive}\nqueries: [[x, t]]\nkeys: [[1, x], [t, 2]]\nvalues: [[1], [x]]\n"
EACH_STEP = "symbols: [x]\nqueries: [[x]]\nkeys: [[1], [2]]\nvalues: [[1], [x]]\n"


# ── refused where it is known ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("places", ["2", "{weights: 2}", "{scores: 1, context: 2}"])
def test_letters_are_not_rounded_at_each_step(solved: Solve, places: str) -> None:
    with pytest.raises(ProblemError) as caught:
        solved(f"{EACH_STEP}rounding: {{places: {places}, when: each-step}}\n")
    assert "problem.yaml:5:11: rounding each step can't go with symbols: x has no digits to round" in str(caught.value)
    assert "when: shown" in str(caught.value)


def test_letters_may_be_shown_rounded(solved: Solve) -> None:
    context = solved(f"{EACH_STEP}rounding: {{places: 2}}\n")["context"].exact
    x = sympy.Symbol("x", real=True)
    assert (
        sympy.simplify(context[0, 0] - (sympy.exp(x) + x * sympy.exp(2 * x)) / (sympy.exp(x) + sympy.exp(2 * x))) == 0
    )


@pytest.mark.parametrize("number", ["sqrt(x^2)", "(x^2)^(1/2)", "sqrt(x^2*t)", "sqrt(4*x^2)"])
def test_the_root_of_a_square_needs_a_sign(solved: Solve, number: str) -> None:
    with pytest.raises(ProblemError, match=r"problem\.yaml:2:11: .* depends on the sign of its symbol"):
        solved(f"symbols: {{x: real, t: positive}}\ninputs: [[{number}]]\nweights: identity\n")


def test_the_root_of_a_square_is_taken_where_the_sign_is_known(solved: Solve) -> None:
    scores = solved("symbols: {t: positive}\ninputs: [[sqrt(t^2)]]\nweights: identity\n")["scores"].exact
    assert scores[0, 0] == sympy.Symbol("t", positive=True) ** 2


@pytest.mark.parametrize("way", ["solve", "explain", "export", "lint", "json"])
def test_a_stable_softmax_of_letters_is_refused_with_its_place(way: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text(f"{LETTERS}stable: true\n", encoding="utf-8")
    ways = {
        "solve": ["solve", str(path), "--detail", "brief"],
        "explain": ["explain", str(path), "scores[1,1]"],
        "export": ["export", str(path), "-", "--solutions", "none"],
        "lint": ["lint", str(path)],
        "json": ["solve", str(path), "--format", "json"],
    }
    run = completed(tmp_path, *ways[way])
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"{path}:1:1: stable: true needs the largest score")


def test_a_stable_softmax_of_numbers_beside_letters_is_worked_out(solved: Solve) -> None:
    solution = solved("symbols: [x]\nqueries: [[2]]\nkeys: [[1], [2]]\nvalues: [[x], [1]]\nstable: true\n")
    assert "max" in solution.to_markdown()


@pytest.mark.parametrize(
    ("rest", "claim"),
    [
        ("given: {scores: [[1, 2]]}\nscaling: none\n", "scores-are-dot-products"),
        ("queries: [[1]]\nkeys: [[1]]\nvalues: [[1]]\n", "projections-are-products"),
        ("inputs: [[1], [2]]\nweights: identity\nmask: causal\n", "permutation-equivariance"),
    ],
)
def test_a_proof_that_a_problem_has_no_place_for_is_refused_at_its_part(solved: Solve, rest: str, claim: str) -> None:
    with pytest.raises(ProblemError, match=rf"problem\.yaml:2:3: {claim} can't be shown: "):
        solved(f"parts:\n  a: {{show: {claim}}}\n{rest}").to_document()


SPLIT = (
    "title: The limit\nsymbols: {beta: positive, x: real}\nscaling: none\nlimit: {beta: oo}\n"
    "given: {scores: [[beta*(x^2-2), 0]], values: [[1], [2]]}\n"
)
"""Its limit depends on whether x is below −√2, above √2 or between them, which no case here says."""
REFUSED = "the limit as beta tends to ∞ depends on x in a way"


@pytest.mark.parametrize("way", ["solve", "json", "export", "separate", "stdout"])
def test_a_limit_that_is_not_found_is_refused_with_its_place(way: str, tmp_path: Path) -> None:
    path, output = tmp_path / "sheet.yaml", str(tmp_path / "out.md")
    path.write_text(f"title: The first\ninputs: [[1]]\nweights: identity\n---\n{SPLIT}", encoding="utf-8")
    ways = {
        "solve": ["solve", str(path)],
        "json": ["solve", str(path), "--format", "json"],
        "export": ["export", str(path), output],
        "separate": ["export", str(path), output, "--solutions", "separate"],
        "stdout": ["export", str(path), "-"],
    }
    run = completed(tmp_path, *ways[way])
    assert run.returncode == 2
    assert run.stderr.startswith(f"{path}:5:1: {REFUSED}")
    assert run.stderr.count(str(path)) == 1
    assert ("The first" in run.stdout) == (ways[way][0] == "solve")


def test_a_limit_that_is_not_found_is_refused_with_its_place_in_a_notebook(solved: Solve) -> None:
    with pytest.raises(UnsolvableError, match=rf"^problem\.yaml:1:1: {REFUSED}"):
        solved(SPLIT).to_markdown()


def test_what_one_of_several_problems_does_not_have_is_refused_with_its_file(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("one.yaml", "two.yaml")]
    for path, given in zip(paths, ("inputs: [[1]]\nweights: identity\n", "given: {weights: [[1]]}\n"), strict=True):
        path.write_text(given, encoding="utf-8")
    run = completed(tmp_path, "export", *map(str, paths), "-", "--only", "keys")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"{paths[1]}: --only keys: this problem has no such quantity")


# ── worked out after all ──────────────────────────────────────────────────────────────────────────


def test_a_row_that_is_masked_throughout_has_no_sum_to_divide_by(solved: Solve) -> None:
    solution = solved("given: {scores: [[1, 2], [2, 3]]}\nscaling: none\nmask: [[0, 0], [1, 1]]\nsoftmax: sum\n")
    assert solution["weights"].exact == sympy.Matrix([[0, 0], [sympy.Rational(2, 5), sympy.Rational(3, 5)]])
    assert "a₁,₁ = 0\n" in render(explain(solution, "weights[1,1]"), 80)


def test_lint_of_a_problem_in_which_all_is_given_tries_no_mistake() -> None:
    from attnsolve.check.lint import as_data, lint

    worked = attnsolve.solve(attnsolve.problem({"given": {"weights": [[1, 0]]}}))
    assert isinstance(worked, Solution)
    assert as_data(lint(worked))["tried"] == 0


def test_a_letter_under_the_root_that_scales_is_no_number_of_entries(solved: Solve) -> None:
    solution = solved("symbols: {t: positive}\nqueries: [[1, 2]]\nkeys: [[1, 0], [0, 1]]\nscaling: sqrt(t)\n")
    divided = [slip.mistake for slip in solution.slips if slip.mistake.id == "scale-by-dk"]
    assert ["= 2 instead" in mistake.description for mistake in divided] == [True]


# ── the boundary ──────────────────────────────────────────────────────────────────────────────────


def failing_in_sympy() -> Any:
    return sympy.Poly(sympy.exp(sympy.Symbol("x")) + 1 / sympy.Symbol("x"), sympy.Symbol("x"))


def dividing_in_sympy() -> Any:
    return sympy.Integer(1) % 0


def undecided_in_sympy() -> Any:
    return sympy.limit(sympy.Symbol("x"), sympy.Symbol("x"), 0, "?")


@pytest.mark.parametrize("fail", [failing_in_sympy, dividing_in_sympy, undecided_in_sympy])
def test_what_sympy_gives_up_is_refused_with_the_place_of_the_problem(
    solved: Solve, monkeypatch: pytest.MonkeyPatch, fail: Callable[[], Any]
) -> None:
    monkeypatch.setattr("attnsolve.numbers.closed.tidy", lambda number: fail())
    with pytest.raises(UnsolvableError, match=r"^problem\.yaml:1:1: the exact arithmetic can't compute this \(.+\)\n"):
        solved(LETTERS)


def test_what_a_tier_does_not_hold_is_refused_wherever_it_comes_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_number(*_: object) -> None:
        raise Unavailable

    path = tmp_path / "sheet.yaml"
    path.write_text(LETTERS, encoding="utf-8")
    monkeypatch.setattr("attnsolve.narrate.exact.ExactNarrator.result", no_number)
    monkeypatch.setattr("sys.argv", ["attnsolve", "solve", str(path)])
    with pytest.raises(SystemExit) as end:
        main()
    told = capsys.readouterr().err
    assert end.value.code == 2
    assert told.startswith(f"{path}:1:1: this can't be computed")
    assert "bug" not in told


def test_the_next_problem_is_solved_where_arithmetic_gives_up_on_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text(f"{LETTERS}---\ntitle: The second\ninputs: [[1]]\nweights: identity\n", encoding="utf-8")
    result = ExactNarrator.result

    def fail_once(narrator: ExactNarrator, *arguments: Any) -> Any:
        return result(narrator, *arguments) if narrator.solution.problem.title else failing_in_sympy()

    monkeypatch.setattr(ExactNarrator, "result", fail_once)
    monkeypatch.setattr("sys.argv", ["attnsolve", "solve", str(path)])
    with pytest.raises(SystemExit) as end:
        main()
    told = capsys.readouterr()
    assert end.value.code == 2
    assert told.err.startswith(f"{path}:1:1: the exact arithmetic can't compute this")
    assert "The second" in told.out


@pytest.mark.parametrize(
    "error",
    [ValueError("ours"), TypeError("ours"), AssertionError(), NotImplementedError(), KeyError("x"), RecursionError()],
)
def test_a_mistake_of_our_own_stays_a_bug(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, Watch("sheet.yaml"):
        raise error
    assert caught.value is error


def test_sympy_called_in_a_wrong_way_stays_a_bug() -> None:
    with pytest.raises(TypeError) as caught:
        sympy.Symbol(5)
    assert reason(caught.value) == ""
