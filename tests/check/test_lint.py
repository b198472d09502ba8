"""What a sheet can't tell: weights that hide a mistake, saturation, ties, long numbers, and a change that helps."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from attnsolve.check.lint import Change, Findings, as_data, lint, to_document
from attnsolve.kinds import KINDS
from attnsolve.loading.files import load_all
from attnsolve.operations.formula import Given
from attnsolve.pipeline import solve
from attnsolve.render.markdown import render as render_markdown
from attnsolve.render.text import render as render_text
from attnsolve.solution.exact import Solution

Solve = Callable[[str], Solution]
PROBLEMS = [
    path
    for path in sorted((Path(__file__).parents[2] / "problems").glob("*.yaml"))
    if "\nkind: derivation" not in f"\n{path.read_text(encoding='utf-8')}"
]
REST = "W_K: [[0.7, 1], [0.4, 0.2]], W_V: [[1, 2], [0.3, 1]]"
INPUTS = "inputs: [[1, 2], [0.5, -1], [2, 0.3]]\n"


def unnoticed(findings: Findings) -> set[tuple[str, str]]:
    return {(slip.key.id, slip.id) for slip in findings.unnoticed}


def text_of(findings: Findings) -> str:
    return render_text(to_document(findings), 80, True)


def test_an_identity_hides_that_it_was_transposed_or_left_out(solved: Solve) -> None:
    hidden = {("queries", "weight-transposed"), ("queries", "weight-left-out")}
    assert unnoticed(lint(solved(f"{INPUTS}weights: {{W_Q: [[1, 0], [0, 1]], {REST}}}"))) >= hidden
    assert not unnoticed(lint(solved(f"{INPUTS}weights: {{W_Q: [[1, 0.4], [0, 1]], {REST}}}"))) & hidden


def test_keys_as_wide_as_the_inputs_hide_the_wrong_root(solved: Solve) -> None:
    wrong_root = ("scaled", "scale-by-root-dmodel")
    same = lint(solved(f"{INPUTS}weights: {{W_Q: [[1, 0.4], [0, 1]], {REST}}}"))
    other = lint(solved(f"{INPUTS}weights: {{W_Q: [[1], [0.4]], W_K: [[0.7], [1]], W_V: [[1, 2], [0.3, 1]]}}"))
    assert wrong_root in unnoticed(same)
    assert wrong_root not in unnoticed(other)


SATURATED = "queries: [[30, 0], [0, 30]]\nkeys: [[3, 0], [0, 3]]\nvalues: [[1, 2], [3, 4]]\n"


def test_a_saturated_softmax_hides_much_and_smaller_numbers_show_it(solved: Solve) -> None:
    findings = lint(solved(SATURATED))
    assert unnoticed(findings) >= {
        ("scaled", "scale-missing"), ("scaled", "scale-by-dk"), ("weights", "softmax-base-2")
    }  # fmt: skip
    assert len(findings.saturated) == 2
    assert "saturated" in text_of(findings)
    calm = lint(solved(SATURATED.replace("30", "1")))
    assert len(calm.unnoticed) < len(findings.unnoticed)
    assert not calm.saturated


def test_equal_scores_and_long_numbers_are_pointed_out(solved: Solve) -> None:
    findings = lint(solved("queries: [[1, 1]]\nkeys: [[1, 2], [2, 1]]\nvalues: [[1.234567], [2]]\n"))
    assert [(key.id, token) for key, token in findings.ties] == [("scores", 0)]
    assert [key.id for key in findings.ugly] == ["values"]
    assert "occurs twice" in text_of(findings)
    assert "by hand" in text_of(findings)


def test_mistakes_that_lead_to_the_same_answers_are_grouped(solved: Solve) -> None:
    findings = lint(solved(f"{INPUTS}weights: {{W_Q: [[1, 0.4], [0, 1]], {REST}}}"))
    groups = [{(slip.key.id, slip.id) for slip in group} for group in findings.alike]
    assert {("scaled", "scale-missing"), ("weights", "softmax-of-unscaled")} in groups
    assert {("values", "weight-left-out"), ("context", "values-are-inputs")} in groups


def changed(solution: Solution, change: Change) -> Solution:
    """The problem with the change made that was proposed."""
    quantity = solution.graph[change.key]
    assert isinstance(quantity.formula, Given)
    rows = [list(row) for row in quantity.formula.rows]
    if change.entry is None:
        rows = [[change.value * x for x in row] for row in rows]
    else:
        rows[change.entry[0]][change.entry[1]] = change.value
    given = replace(quantity, formula=Given(tuple(map(tuple, rows))))
    graph = replace(solution.graph, quantities={**solution.graph.quantities, change.key: given})
    return Solution(solution.problem, graph)


@pytest.mark.parametrize(
    "text",
    [
        f"{INPUTS}weights: {{W_Q: [[1, 0], [0, 1]], {REST}}}",
        f"{INPUTS}weights: {{W_Q: [[1, 0], [0, 1]], W_K: [[1, 0], [0, 1]], W_V: [[1, 0], [0, 1]]}}",
        SATURATED,
        "kind: seq2seq\nscore: general\nstates: [[1, 2], [3, 1]]\nstate: [1, 2]\nweights: {W: [[1, 0], [0, 1]]}\n",
    ],
)
def test_the_proposed_change_exposes_as_much_as_was_promised(solved: Solve, text: str) -> None:
    solution = solved(text)
    findings = lint(solution)
    assert findings.change is not None
    again = lint(changed(solution, findings.change))
    assert len(again.unnoticed) == findings.change.unnoticed < len(findings.unnoticed)


def test_the_change_of_an_entry_is_told_with_its_symbol(solved: Solve) -> None:
    findings = lint(solved(f"{INPUTS}weights: {{W_Q: [[1, 0], [0, 1]], {REST}}}"))
    assert findings.change is not None
    assert findings.change.entry is not None
    assert "The smallest change that helps most" in text_of(findings)
    data = as_data(findings)["change"]
    assert data["times"] is None
    assert Fraction(data["value"]) == findings.change.value


def test_where_nothing_helps_that_is_said(solved: Solve) -> None:
    findings = lint(solved(f"{INPUTS}weights: {{W_Q: [[1, 0.4], [0, 1]], {REST}}}"))
    assert unnoticed(findings) == {("scaled", "scale-by-root-dmodel")}
    assert findings.change is None
    assert "No change to a single number" in text_of(findings)


@pytest.mark.parametrize(
    "text",
    [
        "symbols: {t: positive}\nqueries: [[t, 1]]\nkeys: [[1, 2], [2, t]]\nvalues: [[1, 0], [0, 2]]\n",
        "given: {scores: [[1, 2], [3, 4]], values: [[1], [2]]}\nd_k: 4\n",
        "given: {weights: [[1/4, 3/4]], values: [[1], [2]]}\n",
        "queries: [[1, 1]]\nkeys: [[0, 0], [1, -1]]\nvalues: [[1], [2]]\nmask: [[-inf, -inf]]\n",
        "kind: seq2seq\nscore: additive\nstates: [[1, 2], [3, 1]]\nstate: [1, 2]\n"
        "weights: {W_1: [[1, 0]], W_2: [[0, 1]], v: [2]}\n",
    ],
)
def test_any_sort_of_problem_can_be_looked_at(solved: Solve, text: str) -> None:
    assert_told(lint(solved(text)))


@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.stem)
def test_every_bundled_problem_can_be_looked_at(path: Path) -> None:
    for problem in load_all(path):
        if problem.kind in KINDS:
            solution = solve(problem)
            assert isinstance(solution, Solution)
            assert_told(lint(solution))


def assert_told(findings: Findings) -> None:
    assert max(map(len, text_of(findings).splitlines())) <= 80
    assert render_markdown(to_document(findings), "github").startswith("# What this sheet can detect")
    data = json.loads(json.dumps(as_data(findings)))
    assert data["tried"] == len(findings.tried)
    assert len(data["unnoticed"]) == len(findings.unnoticed)
