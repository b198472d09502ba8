"""Gradients on answer sheets: slips followed through the way back, conventions, right answers, and what lint says."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from check.conftest import Marker, answers_to, solution_of
from check.test_never_wrong import MODES, answer_sheet, attention, half_even, says_something, unhurried
from check.test_recall import answered, names
from check.test_recall import marked as marked_cells
from check.test_recall_of_gradients import SAMPLES, backward_slips, solved
from hypothesis import assume, given
from hypothesis import strategies as st

from attnsolve.check.answers import read_answers
from attnsolve.check.diagnose import diagnose
from attnsolve.check.lint import Findings, as_data, lint, to_document
from attnsolve.check.marking import mark
from attnsolve.check.report import report
from attnsolve.check.run import Checked
from attnsolve.check.run import as_data as checked_data
from attnsolve.contract.schemas import contracts
from attnsolve.errors import UnsolvableError
from attnsolve.graph.mistakes import Slip, slipped
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution
from attnsolve.spec import reader

Solve = Callable[[str], Solution]
QKV = "queries: {Q}\nkeys: [[1, 0], [0, 1], [1, 1]]\nvalues: {V}\ngradient: {{upstream: {{C: {C}}}, to: [Q, K, V]}}\n"
EVEN = QKV.format(Q="[[1, 0], [0, 1]]", V="[[1, 0], [0, 1], [0.5, 0.5]]", C="[[1, 1], [1, 1]]")
FEED = """
kind: formulas
given:
  X: [[1, 2], [0.5, 1], [2, 0.3]]
  W: {W}
  T: [[1, 2], [0.5, 1], [2, 0.3]]
formulas:
  S: X*W
  H: relu(S)
  D: (H - T).^2
  L: mean(D)
gradient: {{of: L, to: [W]}}
update: {{rate: 0.1}}
"""
CORNER = FEED.format(W="[[2, -0.4], [-1, 1]]")


def text_of(findings: Findings) -> str:
    return " ".join(render(to_document(findings), 80, True).split())


# ── lint ──────────────────────────────────────────────────────────────────────────────────────────


def test_gradients_that_vanish_are_pointed_out_with_their_cause() -> None:
    findings = lint(solution_of(EVEN))
    text = text_of(findings)
    assert (
        "dS′, dS, dK and dQ are exactly 0: every row of V has the same sum, so dA is the same all over each row" in text
    )
    assert "No mistake in dS, dK or dQ can show." in text
    (found,) = as_data(findings)["vanishing"]
    assert found["ids"] == ["d_scaled", "d_scores", "d_keys", "d_queries"]
    assert {("d_scores", "gradient-scale-forgotten")} <= {(slip.key.id, slip.id) for slip in findings.unnoticed}


def test_in_columns_it_is_the_columns_that_have_the_same_sum() -> None:
    columns = EVEN.replace("keys: [[1, 0], [0, 1], [1, 1]]", "keys: [[1, 0, 1], [0, 1, 1]]\nlayout: columns")
    text = text_of(lint(solution_of(columns.replace("[[1, 0], [0, 1], [0.5, 0.5]]", "[[1, 0, 0.5], [0, 1, 0.5]]"))))
    assert "every column of V has the same sum, so dA is the same all over each column" in text


@pytest.mark.parametrize(
    ("values", "upstream"),
    [("[[1, 0], [0, 1], [0.5, 0.5]]", "[[1, 2], [0, 1]]"), ("[[1, 0], [0, 2], [0.5, 0.5]]", "[[1, 1], [1, 1]]")],
)
def test_nothing_is_said_where_nothing_vanishes(values: str, upstream: str) -> None:
    findings = lint(solution_of(QKV.format(Q="[[1, 0.5], [0, 1]]", V=values, C=upstream)))
    assert not findings.vanishing
    assert not findings.dead


def test_a_cause_that_is_not_known_is_not_made_up() -> None:
    findings = lint(solution_of(QKV.format(Q="[[1, 0.5], [0, 1]]", V="[[1, 0], [0, 2], [1, 1]]", C="[[0, 0], [0, 0]]")))
    assert {found.why for found in findings.vanishing} <= {"", findings.vanishing[-1].why}
    assert "has the same sum" not in text_of(findings)


def test_a_saturated_softmax_lets_hardly_anything_through() -> None:
    text = QKV.format(Q="[[40, 0], [0, 40]]", V="[[1, 0], [0, 1], [2, 2]]", C="[[1, 2], [1, 1]]")
    said = text_of(lint(solution_of(text.replace("[1, 1]]\nv", "[0.2, 0.4]]\nv"))))
    assert "dS′ is tiny beside dA, since the softmax is saturated; mistakes in dS, dK and dQ hardly show." in said


def test_dead_units_are_pointed_out() -> None:
    findings = lint(solution_of(FEED.format(W="[[2, -1], [1, -1]]")))
    assert "No entry in column 2 of S is positive: ReLU is dead there" in text_of(findings)
    text = text_of(lint(solution_of(FEED.format(W="[[-2, -1], [-1, -1]]"))))
    assert "dS and dW are exactly 0: no entry of S is positive, so ReLU passes nothing on." in text


def test_what_is_found_keeps_to_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for text in (EVEN, FEED.format(W="[[2, -1], [1, -1]]")):
        jsonschema.validate(json.loads(json.dumps(as_data(lint(solution_of(text))))), contracts()["lint"])


# ── check ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_derivative_of_relu_at_zero_may_be_one(marked: Marker) -> None:
    marking = marked(CORNER, "dS: [[-0.33333, -0.13333], [-0.16667, -0.06667], [0.56667, 0.0]]\n"
                             "dW: [[0.71667, -0.16667], [-0.66333, -0.33333]]\n")  # fmt: skip
    assert {one.verdict for one in marking.marks.values()} <= {"exact", "right"}
    text = " ".join(render(report(marking, diagnose(marking)), 80, True).split())
    assert "In your answers the derivative of ReLU at 0 was taken to be 1, not 0: a convention that is accepted" in text
    assert checked_data(Checked(marking, ()))["convention"]


def test_our_own_convention_is_not_spoken_of(marked: Marker) -> None:
    right = "dS: [[0, -0.13333], [0, -0.06667], [0.56667, 0.0]]\n"
    assert not marked(CORNER, right).convention
    assert not marked(CORNER, right.replace("0.5", "0.7")).convention
    assert "convention" not in checked_data(Checked(marked(CORNER, right), ()))


TIES = """
kind: formulas
given: {X: [[1, 1, 0], [0, 2, 2]], v: [1, 2]}
formulas: {m: rowmax(X), k: "max(v, [1, 1])", L: "total(m .* [[1], [3]]) + total(k .* k)"}
gradient: {of: L, to: [X, v]}
"""


@pytest.mark.parametrize("answers", ["dX: [[1, 0, 0], [0, 3, 0]]\ndv: [2, 4]\n", "dX: [[1, 0, 0], [0, 3, 0]]\n"])
def test_the_first_of_equal_entries_may_get_the_whole_gradient(marked: Marker, answers: str) -> None:
    marking = marked(TIES, answers)
    assert {mark.verdict for mark in marking.marks.values()} == {"exact"}
    assert marking.convention == "the first of equal entries got the whole gradient"


def test_all_of_the_equal_entries_may_not(marked: Marker) -> None:
    marking = marked(TIES, "dX: [[1, 1, 0], [0, 3, 3]]\n")
    assert [mark.verdict for mark in marking.marks.values()].count("wrong") == 2


def test_a_mistake_beside_the_other_convention_is_still_named(marked: Marker) -> None:
    marking = marked(CORNER, "dS: [[-0.33333, -0.13333], [-0.16667, -0.06667], [0.56667, 0.0]]\n"
                             "new_W: [[2.07167, -0.41667], [-1.06633, 0.96667]]\n")  # fmt: skip
    assert marking.convention
    assert [slip.id for d in diagnose(marking) for group in d.mistakes for slip in group] == ["update-added"]


@pytest.mark.parametrize(
    "id", ["update-added", "update-parameter-forgotten", "update-rate-forgotten", "update-rate-divided"]
)
def test_what_goes_wrong_in_a_step_of_training_is_named(id: str) -> None:
    solution = solution_of(CORNER)
    (slip,) = (slip for slip in solution.slips if slip.id == id)
    marking = marked_cells(solution, answered(slipped(solution.graph, slip), "everything"))
    assert names(diagnose(marking), slip)


def slip_of(solution: Solution, key: str, id: str) -> Slip:
    return next(slip for slip in solution.slips if (slip.key.id, slip.id) == (key, id))


@pytest.mark.parametrize(
    ("key", "id"),
    [
        ("scaled", "scale-missing"),
        ("scores", "queries-times-queries"),
        ("d_weights", "gradient-transposed"),
        ("d_masked", "softmax-jacobian-forgotten"),
        ("d_scores", "gradient-scale-forgotten"),
    ],
)
def test_what_follows_from_a_slip_counts(key: str, id: str) -> None:
    """Whoever goes on from a mistake, in the forward or the backward pass, loses that step only."""
    solution = solved(SAMPLES[0])
    slip = slip_of(solution, key, id)
    marking = marked_cells(solution, answered(slipped(solution.graph, slip), "everything"))
    wrong = {mark.cell.key for mark in marking.marks.values() if mark.verdict == "wrong"}
    assert wrong == {slip.key}
    assert any(m.verdict == "follows" and solution.graph[m.cell.key].gradient_of for m in marking.marks.values())
    assert names(diagnose(marking), slip)


@st.composite
def with_gradient(draw: st.DrawFn) -> str:
    """An attention problem whose last result has a gradient."""
    text = draw(attention())
    assume("each-step" not in text)
    (problem,) = parse(text, "problem.yaml")
    solution = solve(problem)
    assert isinstance(solution, Solution)
    quantity = solution.graph.results[-1]
    rows, columns = quantity.shape
    entries = [[draw(st.integers(-20, 20)) / 10 for _ in range(columns)] for _ in range(rows)]
    return f"{text}gradient: {{upstream: {{{quantity.key.id}: {json.dumps(entries)}}}}}\n"


@unhurried
@given(with_gradient(), st.integers(2, 6), st.sampled_from(list(MODES)))
def test_a_right_gradient_is_never_marked_wrong(problem: str, places: int, mode: Callable[..., object]) -> None:
    try:
        solution = solve(*parse(problem, "problem.yaml"))
        assert isinstance(solution, Solution)
        sheet = answer_sheet(solution, places, mode)  # type: ignore[arg-type]
    except UnsolvableError:
        assume(False)
    (node,) = reader.read_documents(sheet, "answers.yaml")
    answers = read_answers(node, solution.graph, "answers.yaml")
    assert answers.faults == []
    marking = mark(solution, answers)
    bad = [m for m in marking.marks.values() if m.verdict == "wrong"]  # what follows from coarse digits is credited
    assert not [m for m in bad if says_something(solution, m.cell.key, places)]


@pytest.mark.parametrize("text", SAMPLES, ids=lambda text: " ".join(text.split()[:6]))
def test_nothing_right_is_wrong_on_the_sheets_of_formulas(text: str) -> None:
    solution = solved(text)
    marking = mark(solution, answers_to(solution, answer_sheet(solution, 5, half_even)))
    assert {m.verdict for m in marking.marks.values()} <= {"exact", "right"}
    assert backward_slips(solution)
