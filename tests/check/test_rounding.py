"""Results rounded on the way: recognised as such, on problems drawn at random and by hand, and nothing else."""

from __future__ import annotations

import random

import pytest
from check.conftest import Marker, answers_to, solution_of

from attnsolve.check.diagnose import diagnose
from attnsolve.check.marking import mark
from attnsolve.check.report import report
from attnsolve.check.rounding import HABITS, Habit, predict
from attnsolve.render.text import render

PLAIN = """
inputs: [[1.25, 2.5], [0.5, -1.75], [2, 0.3]]
weights: {W_Q: [[1.13, 0.44], [0.27, 1]], W_K: [[0.71, 1.16], [1, 0.23]], W_V: [[1.31, 2.17], [0.37, 1.73]]}
"""


def carried(problem: str, habit: Habit, *wanted: str, places: int) -> str:
    """The answers of somebody who rounds on the way, written to so many places."""
    graph = solution_of(problem).graph
    found = predict(graph, habit, graph.quantities, {})
    lines = []
    for key, prediction in found.items():
        if key.id in wanted and prediction is not None:
            kept = prediction.rounded if places == habit.count else prediction.found
            rows = [[f"{x:.{places}f}" for x in row] for row in kept.rows]
            lines.append(f"{key.id}: {rows}".replace("'", ""))
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("x", "habit", "rounded"),
    [
        (2.345, Habit("places", 2), 2.35),
        (-2.345, Habit("places", 2), -2.35),
        (2.345, Habit("even", 2), 2.34),
        (2.355, Habit("even", 2), 2.36),
        (-2.349, Habit("cut", 2), -2.34),
        (0.0034567, Habit("figures", 3), 0.00346),
        (1234.5, Habit("figures", 2), 1200.0),
        (0.0, Habit("figures", 2), 0.0),
    ],
)
def test_a_number_is_rounded_as_on_paper(x: float, habit: Habit, rounded: float) -> None:
    assert habit.number(x) == pytest.approx(rounded, abs=1e-12)


@pytest.mark.parametrize("places", [1, 2, 3])
def test_a_result_that_was_rounded_on_the_way_is_rounding(marked: Marker, places: int) -> None:
    answers = carried(PLAIN, Habit("places", places), "context", places=places)
    marking = marked(PLAIN, answers)
    verdicts = {mark.verdict for mark in marking.marks.values()}
    assert "wrong" not in verdicts
    assert diagnose(marking) == []


@pytest.mark.parametrize("habit", [Habit("cut", 2), Habit("figures", 2), Habit("places", 2, inside=True)])
def test_so_is_one_that_was_cut_off_or_has_so_many_digits(marked: Marker, habit: Habit) -> None:
    answers = carried(PLAIN, habit, "context", places=4)
    assert all(mark.verdict != "wrong" for mark in marked(PLAIN, answers).marks.values())


def test_the_report_says_how(marked: Marker) -> None:
    marking = marked(PLAIN, carried(PLAIN, Habit("places", 1), "context", places=1))
    assert marking.rounded == "rounded to 1 place at each step"
    assert "rounded to 1 place at each step" in render(report(marking, []), 100, True)


def test_results_printed_on_the_way_count(marked: Marker) -> None:
    """What was printed has no more digits than were carried on."""
    answers = carried(PLAIN, Habit("places", 1), "queries", "keys", "values", "context", places=1)
    assert all(mark.verdict != "wrong" for mark in marked(PLAIN, answers).marks.values())


def test_a_number_that_is_far_off_is_no_rounding(marked: Marker) -> None:
    for text in ("context: [[1, 2], [3, 4], [5, 6]]", "context: [[9.5, 9.5], [9.5, 9.6], [9.5, 9.5]]"):
        assert "wrong" in {mark.verdict for mark in marked(PLAIN, text).marks.values()}


def test_chance_is_not_credited() -> None:
    """Answers to two places that are off by a few hundredths at random."""
    solution = solution_of(PLAIN)
    chance, credited = random.Random(5), 0
    true = solution.floats(next(q.key for q in solution.graph if q.key.id == "context"))
    for _ in range(60):
        rows = [[f"{x + chance.choice((-1, 1)) * chance.uniform(0.02, 0.2):.2f}" for x in row] for row in true]
        marking = mark(solution, answers_to(solution, f"context: {rows}".replace("'", "")))
        credited += all(m.verdict != "wrong" for m in marking.marks.values())
    assert credited == 0


def test_every_habit_is_different() -> None:
    assert len(set(HABITS)) == len(HABITS)


def test_right_sheets_pay_nothing(marked: Marker, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("attnsolve.check.marking.credit_rounding", refused)
    marked(PLAIN, carried(PLAIN, Habit("places", 6), "context", places=4))
