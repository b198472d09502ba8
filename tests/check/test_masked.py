"""Masked and blank cells: −10⁴ and below stand for −∞ where it is the truth, and text is a fault, never right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.check.marking import Marking, mark
from attnsolve.check.run import Checked

P = "scaling: none\ninputs: [[1], [2]]\nweights: identity\nmask: causal\n"
"""Scores [[1, 2], [2, 4]], of which the second is masked: weights [[1, 0], [1/(1 + e²), e²/(1 + e²)]]."""
Verdicts = Callable[..., dict[str, str]]
Marked = Callable[..., Marking]


@pytest.mark.parametrize(
    "written", ["-inf", "−∞", "-10000", "-10^4", "-1e4", "−1e9", "-10⁴", "-1e+09", "-65504", "'-10000,5'", "-10000.0"]
)
def test_minus_ten_thousand_and_below_stand_for_minus_infinity(written: str, verdicts: Verdicts) -> None:
    assert verdicts(P, f"masked: [[1, {written}], [2, 4]]") == {"masked": "ee/ee"}


@pytest.mark.parametrize("written", ["-9999", "-9999.99", "-100", "10000", "1e9", "0", "1"])
def test_other_numbers_do_not(written: str, verdicts: Verdicts) -> None:
    assert verdicts(P, f"masked: [[1, {written}], [2, 4]]") == {"masked": "ew/ee"}


def test_they_stand_for_it_only_where_it_is_the_truth(verdicts: Verdicts) -> None:
    assert verdicts(P, "masked: [[-1e9, -inf], [2, -1e9]]", follow=False) == {"masked": "we/ew"}
    assert verdicts(P, "scores: [[1, -1e9], [3, 4]]", follow=False) == {"scores": "ew/we"}


def test_masked_scores_under_another_name_are_recognised_by_them(verdicts: Verdicts) -> None:
    assert verdicts(P, "scores: [[1, -1e9], [2, 4]]") == {"masked": "ee/ee"}


def test_text_stays_unread_where_figures_are_recognised(marked: Marked) -> None:
    marking = marked(P, "scores: [[1, n/a], [2.0, 4]]")
    assert not marking.all_right
    assert len(marking.answers.faults) == 1


def test_weights_follow_from_them_as_from_minus_infinity(verdicts: Verdicts, marked: Marked) -> None:
    sheet = "masked: [[1, -1e9], [2, 5]]\nweights: [[1, 0], [0.0474, 0.9526]]\n"
    assert verdicts(P, sheet) == {"masked": "ee/ew", "weights": "ee/ff"}
    assert not marked(P, sheet).refused


def test_so_they_do_where_there_are_letters(verdicts: Verdicts) -> None:
    letters = "symbols: {b: positive}\nscaling: none\ninputs: [[1], [b]]\nweights: identity\nmask: causal\n"
    assert verdicts(letters, "masked: [[1, -1e9], [b, b^2]]") == {"masked": "ee/ee"}


@pytest.mark.parametrize(
    "text", ["masked", "x", "n/a", "none", "'-'' inf'", "[1]", "minus infinity", "−−", "∞∞", "nan"]
)
@pytest.mark.parametrize(("row", "place"), [("[{}, -inf]", (0, 0)), ("[1, {}]", (0, 1))], ids=["seen", "masked"])
def test_text_is_a_fault_and_never_right(text: str, row: str, place: tuple[int, int], marked: Marked) -> None:
    marking = marked(P, f"masked: [{row.format(text)}, [2, 4]]")
    (fault,) = marking.answers.faults
    assert fault.at == (1, 11 if place == (0, 0) else 14)
    found = marking.of(marking.solution.graph.named("masked")[0].key)
    assert found.pop(place).verdict == "blank"
    assert {one.verdict for one in found.values()} == {"exact"}
    assert not marking.all_right
    assert Checked(marking, ()).exit_code == 2


@pytest.mark.parametrize("blank", ["_", "''", "~", "'-'", "'–'", "'—'", "'−'", "'?'"])
def test_a_blank_is_right_only_where_the_mask_forbids(blank: str, verdicts: Verdicts) -> None:
    assert verdicts(P, f"masked: [[1, {blank}], [{blank}, 4]]") == {"masked": "er/be"}


# ── how answers were read ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ("weights: [[100%, 0%], [12%, 88%]]", {"weights": "ee/rr"}),
        ("weights: [[100 %, 0], [11.92%, '88,08 %']]", {"weights": "ee/rr"}),
        ("weights: [[1, 0], [11.9%, 88.2%]]", {"weights": "ee/rs"}),
        ("weights: [[1, 0], [21%, 79%]]", {"weights": "ee/ww"}),
        ("weights: [[1, 0], [1/(1+e²), e²/(e² + 1)]]", {"weights": "ee/ee"}),
        (r"weights: [[1, 0], ['\frac{1}{1+e^{2}}', '$e^2/(1+e^2)$']]", {"weights": "ee/ee"}),
        ("weights: [[1, 0], [≈0.119, ~0.881]]", {"weights": "ee/rr"}),
    ],
)  # fmt: skip
def test_shares_may_be_written_in_percent(answers: str, found: dict[str, str], verdicts: Verdicts) -> None:
    assert verdicts(P, answers) == found


def test_a_share_by_the_sum_is_a_share_too(verdicts: Verdicts) -> None:
    by_sum = "given: {scores: [[1, 3]]}\nscaling: none\nsoftmax: sum\n"
    assert verdicts(by_sum, "weights: [[25%, 75%]]") == {"weights": "ee"}


def test_marking_leaves_the_answers_as_they_were_read(marked: Marked) -> None:
    marking = marked(P, "masked: [[1, -1e9], [2, 4]]")
    written = next(w for w in marking.answers.cells.values() if w.infinite)
    assert written.text == "-1e9"
    assert mark(marking.solution, marking.answers).counts() == marking.counts()
