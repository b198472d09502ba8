"""What is told about a marked sheet: signs, the first slip and its arithmetic, what follows, marks and reasons."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from attnsolve.check.diagnose import diagnose
from attnsolve.check.marking import Marking
from attnsolve.check.report import report
from attnsolve.render.github import traps
from attnsolve.render.markdown import render as render_markdown
from attnsolve.render.text import render as render_text

Marker = Callable[..., Marking]

LAYER = """
title: A small layer
tokens: [tea, cup]
inputs: [[1, 2], [3, 1]]
weights: {W_Q: [[1, 0], [1, 1]], W_K: [[1, 1], [0, 1]], W_V: [[2, 0], [0, 1]]}
parts:
  a: {find: [queries, keys], marks: 4}
  b: {find: scores, for: cup, marks: 2}
  c: {find: context, marks: 3}
  d: {show: softmax-is-a-distribution, marks: 2}
"""
SHEET = "Q: [[3, 2], [4, -1]]\nK: [[1, 3], [3, _]]\ns_2: [1, 8]\nA: [[0.003, 0.996], [1/2, 0.99]]\n"


def told(marking: Marking, width: int = 80, unicode: bool = True) -> str:
    return render_text(report(marking, diagnose(marking)), width, unicode)


def test_the_whole_report(marked: Marker, golden: Callable[[str, str], None]) -> None:
    golden("check.txt", told(marked(LAYER, SHEET)))


def test_the_signs_are_explained_where_they_are_counted(marked: Marker) -> None:
    text = " ".join(told(marked(LAYER, SHEET)).split())
    assert (
        "18 entries: 6 exact (=), 1 correct to the digits given (✓), 1 rounding slip (≈), 3 consistent "
        "with your earlier answers (→), "
        "2 wrong (✗), 5 blank (○)." in text
    )
    assert "You left C blank." in text


def test_the_first_slip_is_shown_with_its_own_arithmetic(marked: Marker) -> None:
    text = told(marked(LAYER, SHEET))
    assert "The first slip: q₂,₂" in text
    assert "q₂,₂ = 3·0 + 1·1 = 1" in text
    assert "You wrote −1." in text
    said = "The entries marked → in S and A are wrong only because of an earlier slip and get full credit."
    assert said in " ".join(text.split())


def test_the_arithmetic_uses_what_was_written_before(marked: Marker) -> None:
    text = told(marked(LAYER, "A: [[0.01, 0.99], [_, _]]\nc_1: [6.5, 1.02]"))
    assert "a₁,₁ = e^(9/√2)/(e^(9/√2) + e^(17/√2)) ≈ 0.003481" in text
    text = told(marked(LAYER, "a_1: [0.00, 1.00]\nc_1: [6.5, 1.00]"))
    assert "c₁,₁ ≈ 0.00·2 + 1.00·6 = 6" in text
    text = told(marked(LAYER, "Q: [[3, 2], [4, 1]]\nS: [[9, 17], [7, 18]]\nS': [[6, 12], [5, 13]]"))
    assert "s₂,₂ = 4·3 + 1·4 = 16" in text


@pytest.mark.parametrize(
    ("problem", "sheet", "line"),
    [
        ("causal-mask", "a_3: [0.5, 0.3, 0.2, 0]", "a₃,₁ = e^(1/√2)/(e^(1/√2) + e^(2√2) + e^(5/√2) + e^(−∞))"),
        ("causal-mask", "s''_{1,2}: 5", "s″₁,₂ = √2 + (−∞) = −∞"),
        ("causal-mask", "s''_{1,1}: -inf", "s″₁,₁ = 1/√2 + 0 = 1/√2 ≈ 0.7071"),
        ("causal-mask", "s'_{1,1}: 9", "s′₁,₁ = 1/√2 ≈ 0.7071"),
        ("causal-mask", "a_3: [0.04, 0.32, 0.64, 0]\nc_3: [1.36, 2, _]", "≈ 0.04·0 + 0.32·3 + 0.64·3 + 0·(−3) = 2.88"),
        ("causal-mask", "a_3: [1/25, 8/25, 16/25, 0]\nc_3: [9, _, _]", "a₃,₁ = e^(1/√2)/("),
        ("two-heads-thinking-machine", "Q_0: [[7, 8, 9], [15.8, 18.4, 20]]", "q⁽⁰⁾₂,₃ = 5·0.3 + 6·0.6 + 7·0.9 + 8·1.2"),
        ("seq2seq-dot", "e: [0.6, 0.82, 1.1]", "e₃ = 0.4·0.3 + 0.5·0.4 + 0.6·0.5 + 0.7·0.6 = 1.04"),
        ("column-layout", "q_1: [1, 0, 1, 5]", "q₄,₁ = 0·1 + 0·0 = 0"),
    ],
)  # fmt: skip
def test_every_operation_shows_the_cell_that_went_wrong(problem: str, sheet: str, line: str, marked: Marker) -> None:
    assert line in told(marked(problem, sheet), 100)


def test_a_true_value_is_shown_apart_from_what_was_accepted(marked: Marker) -> None:
    text = told(marked("self-attention-q1", "scaled: [[3.69, _, _], [_, _, 7.14], [_, _, _]]"))
    assert re.search(r"7\.14 +7\.135 to 7\.145 +7\.1349 +off by one in the last place", text)
    assert re.search(r"3\.69 +3\.685 to 3\.695 +3\.6975 +truncated instead of rounded", text)


def test_a_true_value_has_two_digits_more_than_the_answer_beside_it(marked: Marker) -> None:
    problem = "given: {scores: [[0, 1]]}\nscaling: none\n"  # softmax: 0.268941421369995, 0.731058578630005
    for written, true in (("0.26", "0.2689"), ("0.26893", "0.2689414"), ("0.268941422", "0.26894142137")):
        marking = marked(problem, f"A: [[{written}, _]]")
        text = " ".join(told(marking, 120).split())
        assert re.search(rf" {re.escape(written)} [^ ]+ to [^ ]+ {re.escape(true)} ", text), text


def test_what_follows_is_compared_with_what_it_follows_from(marked: Marker) -> None:
    problem = "given: {scores: [[0, 1]]}\nscaling: 2\n"  # S' = [0, 1/2] by a slip [0, 2]: 0.1192, 0.8808
    text = told(marked(problem, "S': [[0, 2]]\nA: [[0.119, 0.881]]"), 120)
    assert re.search(r"0\.119 +0\.1185 to 0\.1195 +0\.11920 +follows from earlier answers", text)
    assert "0.377" not in text  # the true weight has nothing to do with it


def test_marks_are_rounded_for_people(marked: Marker) -> None:
    problem = LAYER.replace("find: scores, for: cup, marks: 2", "find: [queries, scores], for: cup, marks: 7")
    text = told(marked(problem, "q_2: [4, 1]\ns_2: [7, 9]"))
    assert re.search(r"\(b\) +5\.25 of 7", text)
    thirds = LAYER.replace("a: {find: [queries, keys], marks: 4}", "a: {find: values, marks: 17/3}")
    assert re.search(r"\(a\) +4\.25 of 5\.67", told(marked(thirds, "V: [[2, 2], [6, 9]]")))


def test_one_wrong_entry_keeps_from_full_marks(marked: Marker) -> None:
    side = 16
    problem = f"given: {{scores: {[[i * side + j for j in range(side)] for i in range(side)]}}}\nscaling: 2\n"
    sheet = [[f"{i * side + j}/2" for j in range(side)] for i in range(side)]
    sheet[3][3] = "-77"
    text = told(marked(f"{problem}parts: {{a: {{find: scaled, marks: 1}}}}\n", f"scaled: {sheet}".replace("'", "")))
    assert re.search(r"\(a\) +0\.99 of 1 +credit for 255 of 256 entries", text)


def test_an_answer_of_any_length_can_be_reported(marked: Marker) -> None:
    problem = "given: {scores: [[1, 2]]}\nd_k: 2\n"
    for weight in ("1e-60", "0." + "3" * 75):
        assert "wrong" in told(marked(problem, f"scaled: [0.71, 1.42]\nA: [{weight}, 0.5]"))


def test_a_row_that_follows_before_rounding_shows_the_range_it_was_compared_with(marked: Marker) -> None:
    problem = "inputs: [[1, 0], [0, 1]]\nweights: {W_Q: identity, W_K: identity, W_V: [[30, 7], [-20, 11]]}\n"
    text = told(marked(problem, "A: [[0.73, 0.27], [_, _]]\nC: [[16.55, _], [_, _]]"), 120)
    # 30·(0.725 … 0.735) − 20·(0.265 … 0.275)
    assert re.search(r"16\.55 +16\.545 to 16\.555 +16\.25 to 16\.75 +follows from earlier answers", text)


def test_only_what_something_comes_after_is_said_not_to_be_followed(marked: Marker) -> None:
    problem = "given: {scores: [[0, 1], [2, 0]], values: [[1, 2], [3, 5]]}\nscaling: none\n"
    assert "get no credit" not in told(marked(problem, "C: [[0, 0], [0, 0]]"))
    assert "Later answers get no credit for following from A" in told(
        marked(problem, "A: [[0, 0], [0, 0]]\nC: [[0, 0], [0, 0]]")
    )


def test_marks_have_reasons(marked: Marker) -> None:
    marking = marked(LAYER, SHEET)
    assert [score.marks for score in marking.scores] == [3, 2, 0]
    text = told(marking)
    assert re.search(r"\(a\) +3 of 4 +credit for 6 of 8 entries: 1 wrong, 1 blank", text)
    assert re.search(r"\(b\) +2 of 2 +full credit: 2 consistent with your earlier answers", text)
    assert re.search(r"\(c\) +0 of 3 +credit for 0 of 4 entries: 4 blank", text)
    assert re.search(r"all +5 of 9", text)
    assert "(d) asks for an argument, which a person has to mark." in text


def test_without_marks_parts_have_results(marked: Marker) -> None:
    text = told(marked(re.sub(r", marks: \d", "", LAYER), SHEET))
    assert "Parts ──" in text
    assert re.search(r"part  result\n.*\n +\(a\)   credit for 6 of 8 entries: 1 wrong, 1 blank", text)


def test_without_following_only_what_is_true_counts(marked: Marker) -> None:
    marking = marked(LAYER, SHEET, follow=False)
    assert [score.marks for score in marking.scores] == [3, 0, 0]
    assert "follow" not in told(marking)


def test_what_is_not_followed_is_told(marked: Marker) -> None:
    text = " ".join(told(marked(LAYER, "Q: [[0, 0], [0, 0]]\nS: [[0, 0], [0, 0]]")).split())
    assert (
        "Later answers get no credit for following from Q: what you wrote there leaves too little to compute." in text
    )


def test_an_empty_sheet_says_so(marked: Marker) -> None:
    assert "There is nothing to mark: no answer could be read." in told(marked("causal-mask", "Z: 1"))


def test_one_cell_stands_where_it_belongs(marked: Marker) -> None:
    text = told(marked("causal-mask", "s_{3,2}: 4"))
    assert "S: [ …    4 =  …    …   ] sat" in text


ANSWERS = {
    LAYER: SHEET,
    "causal-mask": "masked: [[0.71, -inf, _, 3], [-1e-5, 6.9e-13, -2/3, -√2], [1, 2, 3, 4], [0, 0, 0, 1]]\nq_1: [1, 2]",
    "two-heads-thinking-machine": "Q_0: [[7, 8, 9], [15.8, 18.4, 20]]\nO: [[1, 2, 3, 4], [-5, 6, 7, 8]]",
    "seq2seq-multiplicative": "alpha: [0.1, 0.2, 0.7]\nc_t: [1, 2, 3, 4]",
    "column-layout": "Q: [[1, 1, 3], [0, 1, 1], [1, 0, 2], [0, 0, -1]]",
}


@pytest.mark.parametrize("problem", ANSWERS)
def test_every_width_alphabet_and_format_can_show_it(problem: str, marked: Marker) -> None:
    marking = marked(problem, ANSWERS[problem])
    assert marking.answers.faults == []
    document = report(marking, diagnose(marking))
    for width in (40, 60, 80, 200):
        text = render_text(document, width)
        assert max(map(len, text.splitlines())) <= width
        assert re.search(r"(?<![\w-])-\d", text) is None  # minus signs are typographic
        assert render_text(document, width, False).isascii()
    markdown = render_markdown(document)
    assert traps(markdown) == []
    assert markdown.startswith("# Answers to: ")


def test_chance_explanations_of_a_wrong_matrix_are_kept_back(marked: Marker) -> None:
    few = told(marked("causal-mask", "S: [[1, 2, 3, 0], [0, 2, 2, 2], [1, 4, 5, -2], [2, 2, 4, 9]]"))
    assert "The first slip: s₂,₄" in few
    many = told(marked("causal-mask", "S: [[7, 9, 1, 1], [1, 7, 9, 2], [8, 8, 8, 2], [9, 9, 0, 1]]"))
    after = many[many.index("Scores S") :]
    assert "it looks" not in after
    assert "perhaps" not in after
