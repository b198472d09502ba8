"""Right figures in the wrong place are said to be what they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.check.diagnose import diagnose
from attnsolve.check.marking import Marking
from attnsolve.check.report import report
from attnsolve.render.text import render

Marker = Callable[..., Marking]

# S = [[2, 4], [6, 2]], S' = [[1, 2], [3, 1]], A = [[0.2689, 0.7311], [0.8808, 0.1192]], C = A
GIVEN = "given: {scores: [[2, 4], [6, 2]], values: [[1, 0], [0, 1]]}\nscaling: 2\n"
PROJECTED = "inputs: [[1, 2], [3, 1]]\nweights: {W_Q: [[1, 0], [1, 1]], W_K: [[1, 1], [0, 1]], W_V: [[2, 0], [0, 1]]}\n"
# Q = [[3, 2], [4, 1]], S = [[9, 17], [7, 16]]
SCALED = "[[6.364, 12.021], [4.950, 11.314]]"
WEIGHTS = "[[0.00348, 0.99652], [0.00172, 0.99828]]"


def told(marking: Marking) -> str:
    return " ".join(render(report(marking, diagnose(marking)), 100).split())


@pytest.mark.parametrize(
    ("sheet", "meant", "said"),
    [
        (
            f"scores: {WEIGHTS}",
            "weights",
            "What you wrote for S is exactly the attention weights A, and is marked as such.",
        ),
        (f"scores: {SCALED}", "scaled", "What you wrote for S is exactly the scaled scores S′, and is marked as such."),
        ("s_1: [6.364, 12.021]", "scaled", "What you wrote for S is exactly the scaled scores S′"),
    ],
)
def test_figures_of_a_later_quantity_are_marked_as_that(sheet: str, meant: str, said: str, marked: Marker) -> None:
    marking = marked(PROJECTED, sheet)
    assert said in told(marking)
    assert {(m.cell.key.id, m.verdict) for m in marking.marks.values()} == {(meant, "right")}
    assert marking.all_right


def test_they_stay_where_they_are_if_that_quantity_was_answered_too(marked: Marker) -> None:
    marking = marked(PROJECTED, f"scores: {SCALED}\nscaled: {SCALED}\n")
    assert "What you wrote is exactly the scaled scores S′." in told(marking)
    assert marking.counts() == {"right": 4, "wrong": 4}


def test_a_step_that_was_left_out_is_a_mistake_and_no_other_name(marked: Marker) -> None:
    marking = marked(GIVEN, "scaled: [[2, 4], [6, 2]]\nweights: [[0.119, 0.881], [0.982, 0.018]]")
    assert marking.recognised == []
    assert "the scores were not scaled" in told(marking)
    assert marking.counts() == {"follows": 4, "wrong": 4}


@pytest.mark.parametrize("sheet", ["scores: [[1, 1], [1, 1]]", "scores: [[0.5, 0.9], [0.1, 0.2]]", "s_{1,1}: 6.364"])
def test_nothing_is_recognised_in_one_number_or_in_other_figures(sheet: str, marked: Marker) -> None:
    assert marked(PROJECTED, sheet).recognised == []


def test_a_square_matrix_written_transposed_is_said_to_be_that(marked: Marker) -> None:
    marking = marked(PROJECTED, "Q: [[3, 4], [2, 1]]\nS: [[9, 17], [7, 16]]")
    assert "This is Qᵀ: you wrote the matrix transposed." in told(marking)
    assert marking.counts() == {"exact": 6, "wrong": 2}


def test_a_matrix_of_another_shape_written_transposed_is_said_to_be_that(marked: Marker) -> None:
    marking = marked("causal-mask", "Q: [[1, 0, 1, 2], [1, 2, 3, 0]]")
    assert "This is Qᵀ: you wrote the matrix transposed." in told(marking)
    assert marking.counts() == {"wrong": 8}
    follows = marked("causal-mask", "Q: [[1, 0, 1, 2], [1, 2, 3, 0]]\ns_1: [1, 2, 3, 0]")
    assert follows.counts() == {"exact": 4, "wrong": 8}


def test_junk_of_the_transposed_shape_is_wrong_and_not_recognised(marked: Marker) -> None:
    marking = marked("causal-mask", "Q: [[9, 8, 7, 6], [5, 4, 3, 9]]")
    assert marking.recognised == []
    assert marking.counts() == {"wrong": 8}
    assert marked("causal-mask", "Q: [[_, _, _, _], [_, _, _, _]]").recognised == []


def test_the_same_matrix_again_and_transposed_is_no_fault(marked: Marker) -> None:
    marking = marked("causal-mask", "Q: [[1, 1], [0, 2], [1, 3], [2, 0]]\nqueries: [[1, 0, 1, 2], [1, 2, 3, 0]]")
    assert marking.answers.faults == []
    assert marking.counts() == {"exact": 8}


def test_the_first_slip_of_a_transposed_matrix_is_that(marked: Marker) -> None:
    text = told(marked("causal-mask", "Q: [[1, 0, 1, 2], [1, 2, 3, 0]]"))
    assert "The first slip: Q ─" in text
    assert "You wrote Q transposed, with its rows and columns swapped." in text
    assert "it looks" not in text.lower()


def test_zeros_and_ones_are_not_recognised_as_weights(marked: Marker) -> None:
    assert marked("causal-mask", "s_1: [1, 0, 0, 0]").recognised == []
