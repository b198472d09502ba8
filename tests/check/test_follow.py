"""Error carried forward: one slip costs one cell, whatever follows from it; nothing follows from an empty answer."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from attnsolve.check.answers import Answers
from attnsolve.check.follow import is_bare
from attnsolve.check.marking import Marking, mark
from attnsolve.check.written import read_written
from attnsolve.errors import Mark
from attnsolve.graph import Cell
from attnsolve.key import Key
from attnsolve.loading.files import load_one, parse
from attnsolve.numbers.floats import Floats
from attnsolve.pipeline import solve
from attnsolve.solution.exact import Solution

Verdicts = Callable[..., dict[str, str]]
PLACES = 4
SOMEWHERE = Mark(1, 1)

ADDITIVE = """
kind: seq2seq
score: additive
states: [[0.5, 1], [1, -0.5], [2, 0.5]]
state: [1, 0.5]
weights: {W_1: [[1, 0.5], [0, 1]], W_2: [[0.5, 0], [1, 1]], v: [1, -1]}
"""
CROSS = """
inputs: [[1, 2], [0.5, -1]]
memory: [[1, 0], [0.5, 1], [-1, 2]]
weights:
  - {W_Q: [[1, 0], [0.5, 1]], W_K: [[0.5, 1], [1, 0]], W_V: [[1, 2], [0, 1]], b_Q: [1, 0.5]}
  - {W_Q: [[0, 1], [1, 0.5]], W_K: [[1, 1], [0.5, 0]], W_V: [[2, 1], [1, 0]]}
W_O: [[1, 0, 1], [0, 1, 0.5], [1, 1, 0], [0.5, 0, 1]]
mask: [[0, -inf, 0], [0, 0, 0]]
"""
SHEETS = [
    "self-attention-q1", "causal-mask", "column-layout", "two-heads-thinking-machine", "seq2seq-dot",
    "seq2seq-multiplicative", "base-2-softmax", ADDITIVE, CROSS,
]  # fmt: skip


def solution_of(problem: str) -> Solution:
    worked = solve(parse(problem, "problem.yaml")[0] if "\n" in problem else load_one(problem))
    assert isinstance(worked, Solution)
    return worked


def worked_on(solution: Solution, slip: Key, off: float) -> Answers:
    """The sheet of somebody who made one slip and went on from it, writing every step to four places."""
    answers = Answers("answers.yaml")
    values: dict[Key, Floats] = {}
    for quantity in solution.graph:
        value = quantity.formula.evaluate(values, Floats)
        values[quantity.key] = value
        if not quantity.given:
            rows = [[x if math.isinf(x) else round(x, PLACES) for x in map(float, row)] for row in value.rows]
            if quantity.key == slip:
                rows[-1][0] = round(rows[-1][0] + off, PLACES)
            values[quantity.key] = Floats(rows)
            for i, row in enumerate(rows):
                for j, x in enumerate(row):
                    text = "-inf" if math.isinf(x) else f"{x:.{PLACES}f}"
                    cell = Cell(quantity.key, i, j)
                    answers.cells[cell], answers.wanted[cell] = read_written(text), SOMEWHERE
    return answers


@pytest.mark.parametrize("problem", SHEETS)
def test_one_slip_costs_one_cell_wherever_it_is_made(problem: str) -> None:
    solution = solution_of(problem)
    for quantity in solution.graph:
        if quantity.given:
            continue
        answers = worked_on(solution, quantity.key, 0.7)
        marking = mark(solution, answers)
        wrong = [m.cell for m in marking.marks.values() if m.verdict == "wrong"]
        slip = Cell(quantity.key, quantity.shape[0] - 1, 0)
        assert wrong == [slip], (str(quantity.key), wrong)
        assert marking.first_slip is not None
        assert marking.first_slip.cell == slip
        strict = mark(solution, answers, follow=False)
        assert "follows" not in strict.counts()
        lost = [m.cell for m in strict.marks.values() if m.verdict == "wrong"]
        assert set(lost) >= {m.cell for m in marking.marks.values() if m.verdict == "follows"} - rounded(strict)


def rounded(marking: Marking) -> set[Cell]:
    return {m.cell for m in marking.marks.values() if m.verdict == "slip"}


SMALL = "inputs: [[1, 2], [3, 1]]\nweights: {W_Q: [[1, 0], [1, 1]], W_K: [[1, 1], [0, 1]], W_V: [[2, 0], [0, 1]]}\n"
# Q = [[3, 2], [4, 1]], K = [[1, 3], [3, 4]], S = [[9, 17], [7, 16]]


def test_expressions_follow_exactly(verdicts: Verdicts) -> None:
    sheet = "S: [[9, 17], [7, 15]]\nS': [[9/sqrt(2), 17/√2], [7/2^0.5, 15/sqrt(2)]]"
    assert verdicts(SMALL, sheet) == {"scores": "ee/ew", "scaled": "ee/ef"}
    assert verdicts(SMALL, sheet.replace("15/", "14/")) == {"scores": "ee/ew", "scaled": "ee/ew"}


def test_only_what_rests_on_a_slip_follows_from_it(verdicts: Verdicts) -> None:
    sheet = "Q: [[3, 2], [4, -1]]\nS': [[6.36, 12.02], [0.71, 5.66]]\nA: [[0.003, 0.996], [0.01, 0.99]]"
    assert verdicts(SMALL, sheet) == {"queries": "ee/ew", "scaled": "rr/ff", "weights": "rs/ff"}
    carried = "given: {scores: [[0, 1], [0, 2]], values: [[-3], [99]]}\nscaling: none\n"
    assert verdicts(carried, "A: [[0.3, 0.7], [0.5, 0.5]]\nC: [[68.4], [48]]") == {"weights": "rr/ww", "context": "s/f"}


def test_what_is_right_stays_right_after_a_slip(verdicts: Verdicts) -> None:
    assert verdicts(SMALL, "Q: [[3, 2], [4, 9]]\nS: [[9, 17], [7, 16]]") == {"queries": "ee/ew", "scores": "ee/ee"}


def test_blank_cells_are_filled_from_what_follows(verdicts: Verdicts) -> None:
    sheet = "Q: [[3, 5], [_, _]]\nS: [[18, _], [7, 16]]\ns'_1: [12.73, 20.51]"
    assert verdicts(SMALL, sheet) == {"queries": "ew/bb", "scores": "fb/ee", "scaled": "ff"}


def test_a_slip_is_followed_through_a_step_that_was_left_out(verdicts: Verdicts) -> None:
    assert verdicts(SMALL, "Q: [[3, 5], [4, 1]]\ns'_1: [12.73, 20.51]") == {"queries": "ew/ee", "scaled": "ff"}


ZEROS, ONES = "[[0, 0], [0, 0]]", "[[1, 0], [0, 1]]"


@pytest.mark.parametrize(
    "sheet",
    [
        f"Q: {ZEROS}\nS: {ZEROS}",
        f"Q: [[0, 0], [0, _]]\nS: {ZEROS}",
        f"Q: {ONES}\nS: [[1, 3], [3, 4]]",
        f"S: {ONES}\nS': [[0.71, 0], [0, 0.71]]",
        f"S: {ZEROS}\nA: [[0.5, 0.5], [0.5, 0.5]]",
        "S: [[1, 1], [1, 1]]\nA: [[0.5, 0.5], [0.5, 0.5]]",
        "S: [[7.5, 7.5], [7.5, 7.5]]\nS': [[5.30, 5.30], [5.30, 5.30]]",
        "S: [[1e-9, 2e-9], [3e-9, 1e-9]]\nA: [[0.5, 0.5], [0.5, 0.5]]",
        "S: [[900, 0], [0, 900]]\nA: [[1, 0], [0, 1]]",
        "A: [[1, 0], [1, 0]]\nC: [[2, 2], [2, 2]]",
        "S: [[1, 1], [1, 1.001]]\nA: [[0.5, 0.5], [0.5, 0.5]]",
        "S: [[0.01, 0], [0, 0.02]]\nA: [[0.50, 0.50], [0.50, 0.50]]",
        "S: [[900, 0], [0, 901]]\nA: [[1, 0], [0, 1]]",
        "S: [[-inf, -inf], [-inf, -inf]]\nA: [[0, 0], [0, 0]]",
        "A: [[0.5, 0.5], [0.5, 0.5]]\nC: [[4, 1.5], [4, 1.5]]",
    ],
)
def test_nothing_follows_from_an_answer_that_leaves_nothing_to_compute(
    sheet: str, marked: Callable[..., Marking]
) -> None:
    marking = marked(SMALL, sheet)
    assert "follows" not in marking.counts()
    assert marking.refused[0] == marking.first_slip.cell.key if marking.first_slip else False


def test_zeros_and_the_identity_are_followed_where_they_are_true(marked: Callable[..., Marking]) -> None:
    plain = "inputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\n"
    marking = marked(plain, f"Q: {ONES}\nK: {ONES}\nS: [[1, 0], [0, 2]]\nA: [[0.73, 0.27], [0.12, 0.88]]")
    assert marking.refused == []
    assert marking.counts() == {"exact": 11, "right": 2, "follows": 2, "wrong": 1}


def test_weights_that_round_to_the_identity_are_no_empty_answer(marked: Callable[..., Marking]) -> None:
    sharp = "inputs: [[9, 0], [0, 9]]\nweights: identity\nscaling: none\n"
    marking = marked(sharp, f"A: {ONES}\nC: [[9, 0], [0, 9]]")
    assert marking.refused == []
    assert marking.counts() == {"right": 8}


def test_one_wrong_entry_is_a_slip_like_any_other(verdicts: Verdicts) -> None:
    assert verdicts(SMALL, "Q: [[0, 2], [4, 1]]\ns_1: [6, 8]") == {"queries": "we/ee", "scores": "ff"}
    single = "queries: [2, -2]\nkeys: [[1, 1], [0, 3]]\nvalues: identity\nscaling: none\n"  # e = [0, −6]
    assert verdicts(single, "scores: [-6, -6]\nweights: [0.5, 0.5]") == {"scores": "we", "weights": "ff"}


@pytest.mark.parametrize(
    ("cells", "bare"),
    [
        ({(0, 0): 7, (0, 1): 7, (1, 0): 7, (1, 1): 7}, True),
        ({(0, 0): 7, (0, 1): 7}, True),
        ({(0, 0): 7}, False),
        ({}, False),
        ({(0, 0): 1, (0, 1): 0, (1, 0): 0, (1, 1): 1}, True),
        ({(0, 0): 9, (0, 1): 0, (1, 0): 9, (1, 1): 0}, True),
        ({(0, 0): 9, (0, 1): 0, (1, 0): 0, (1, 1): 8}, False),
        ({(0, 0): 1, (0, 1): 0}, False),
        ({(0, 0): 1, (0, 1): 0, (1, 0): 1, (1, 1): 1}, False),
        ({(0, 0): 5, (0, 1): 0, (1, 0): 0, (1, 1): 0}, True),
        ({(0, 0): 1, (0, 1): 2, (1, 0): 1, (1, 1): 2}, False),  # two equal rows may be a slip
    ],
)
def test_bare_matrices_are_one_number_or_one_per_row(cells: dict[tuple[int, int], int], bare: bool) -> None:
    assert is_bare(cells, (2, 2)) is bare


def test_one_number_that_stands_out_in_each_row_of_a_large_matrix_is_no_work() -> None:
    assert is_bare({(i, j): 0 if i == j else -(10**5) for i in range(3) for j in range(3)}, (3, 3))
    assert not is_bare({(0, 0): 2, (0, 1): 1, (1, 0): 1, (1, 1): 2}, (2, 2))


def test_letters_are_not_multiplied_by_infinity(verdicts: Verdicts) -> None:
    problem = "symbols: {b: positive}\nqueries: [[b, 1]]\nkeys: [[1, 2], [2, 1]]\nvalues: [[1], [3]]\n"
    assert verdicts(problem, "A: [[1, -inf]]\nC: [[1]]") == {"weights": "ww", "context": "w"}


def test_three_equal_rows_or_columns_are_no_work() -> None:
    square = [(i, j) for i in range(3) for j in range(3)]
    assert is_bare({(i, j): j for i, j in square}, (3, 3))
    assert is_bare({(i, j): i for i, j in square}, (3, 3))
    assert not is_bare({(i, j): i + j for i, j in square}, (3, 3))
    assert is_bare({(0, 0): 0, (1, 0): 4, (2, 0): 0}, (3, 1))
    assert not is_bare({(0, 0): 1, (1, 0): 4, (2, 0): 0}, (3, 1))


def test_rounded_values_that_were_carried_are_a_rounding_slip(marked: Callable[..., Marking]) -> None:
    problem = "given: {scores: [[0, 1]], values: [[-3], [99]]}\nscaling: none\n"  # A = [0.269, 0.731], C = 71.6
    for written, why in (("68.4", ""), ("68.3", ""), ("68", "")):  # 0.3·(−3) + 0.7·99 is 68.4 and no other number
        (found,) = marked(problem, f"A: [[0.3, 0.7]]\nC: {written}").of(Key("context")).values()
        expected = ("wrong", "") if written != "68.4" else ("slip", "rounded values were carried forward" + why)
        assert (found.verdict, found.judgement.why) == expected


def test_masked_scores_may_be_written_or_left_blank(verdicts: Verdicts) -> None:
    sheet = "masked: [[0.71, -inf, −∞, _], [0, 1.41, _, _], [1/√2, 2.83, 3.54, -inf], [1.41, 1.41, 2.83, 1.41]]"
    assert verdicts("causal-mask", sheet) == {"masked": "reer/errr/erre/rrrr"}
    assert verdicts("causal-mask", "masked: _") == {"masked": "bbbb/bbbb/bbbb/bbbb"}


def test_a_mask_in_the_wrong_place_is_followed(verdicts: Verdicts) -> None:
    sheet = "masked: [[0.71, 1.41, -inf, -inf], _, _, _]".replace("_", "[_, _, _, _]")
    found = verdicts("causal-mask", f"{sheet}\na_1: [0.33, 0.67, 0, 0]")
    assert found == {"masked": "rwee/bbrr/bbbr/bbbb", "weights": "ffee"}


def test_letters_are_followed_too(verdicts: Verdicts, marked: Callable[..., Marking]) -> None:
    problem = "symbols: {b: positive}\ninputs: [[b, 0], [0, 1]]\nweights: identity\nscaling: none\n"
    sheet = "S: [[2*b, 0], [0, 1]]\nA: [[e^(2*b)/(1+e^(2*b)), 1/(1+e^(2*b))], [0.27, 0.73]]\n"
    assert verdicts(problem, sheet) == {"scores": "we/ee", "weights": "ff/rr"}
    assert verdicts(problem, sheet, follow=False) == {"scores": "we/ee", "weights": "ww/rr"}
    empty = marked(problem, f"S: {ZEROS}\nA: [[1/2, 1/2], [1/2, 1/2]]")
    assert empty.refused == [Key("scores"), Key("weights")]
    assert "follows" not in empty.counts()


def test_a_slip_is_followed_through_steps_that_round_on_the_way(verdicts: Verdicts) -> None:
    problem = "given: {scores: [[0, 1]], values: [[-30], [990]]}\nscaling: 2\nrounding: {places: 1, when: each-step}\n"
    # S' = [0, 1] by a slip: A = [0.2689, 0.7311], on the way [0.3, 0.7]; C = 715.7, from the rounded weights 684
    for context in ("684", "715.7"):
        assert verdicts(problem, f"S': [[0, 1]]\nC: {context}") == {"scaled": "ew", "context": "f"}
    assert verdicts(problem, "S': [[0, 1]]\nC: 700") == {"scaled": "ew", "context": "w"}


WIDE = """
inputs: [[1, 0], [0, 1]]
weights: {W_Q: identity, W_K: identity, W_V: [[30, 7], [-20, 11]]}
"""


def test_what_was_carried_on_with_more_digits_than_it_was_written_with_follows(verdicts: Verdicts) -> None:
    # without scaling A is e/(e + 1) = 0.7310…: written as 0.73, but 30·0.7310… − 20·0.2689… = 16.55 and not 16.5
    sheet = "A: [[0.73, 0.27], [0.27, 0.73]]\nC: [[{}, 8.08], [-6.55, 9.92]]\n"
    assert verdicts(WIDE, sheet.format("16.55"))["context"] == "ff/ff"
    assert verdicts(WIDE, sheet.format("17.55"))["context"] == "wf/ff"


def test_an_honest_saturated_softmax_is_followed_and_a_bare_one_is_not(verdicts: Verdicts) -> None:
    problem = "given: {scores: [[0, 8], [9, 0]], values: [[1, 2], [3, 4]]}\nscaling: 4\n"
    honest = "A: [[0.00, 1.00], [1.00, 0.00]]\nC: [[3, 4], [1, 2]]"  # whoever forgets to scale finds these
    assert verdicts(problem, honest) == {"weights": "ww/ww", "context": "ff/ff"}
    bare = "A: [[1.00, 0.00], [0.00, 1.00]]\nC: [[1, 2], [3, 4]]"
    assert verdicts(problem, bare) == {"weights": "ww/ww", "context": "ww/ww"}


def test_following_is_no_laxer_than_marking(verdicts: Verdicts) -> None:
    problem = "given: {scores: [[2, 4, 6]]}\nscaling: 2\n"  # the weights are 0.0900, 0.2447, 0.6652
    for scaled in ("[[1, 2, 3]]", "[[1., 2., 3.]]", "[[1.0, 2.0, 3.0]]", "[[2/2, 2, 3.00]]"):
        found = verdicts(problem, f"S': {scaled}\nA: [[0.10, 0.24, 0.67]]")
        assert found == {"scaled": "eee", "weights": "wrr"}
    assert verdicts(problem, "A: [[0.10, 0.24, 0.67]]") == {"weights": "wrr"}
    problem = "given: {scores: [[8, 8, 6]]}\nd_k: 2\n"  # 0.4458, 0.4458, 0.1084; from the rounded scores 0.4463
    assert verdicts(problem, "S': [[5.66, 5.66, 4.24]]\nA: [[0.43, 0.43, 0.11]]") == {"scaled": "rrr", "weights": "wwr"}
    assert verdicts(problem, "S': [[5.66, 5.66, 4.24]]\nA: [[0.45, 0.45, 0.11]]") == {"scaled": "rrr", "weights": "rrr"}
