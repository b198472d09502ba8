"""The bundled problems against figures worked out by hand, with mpmath where a hand can't.

Where a printed key errs, the test has what is right and says what the sheet prints.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import sympy

import attnsolve
from attnsolve.solution.exact import Solution


@cache
def solved(name: str) -> Solution:
    return attnsolve.solve(attnsolve.load(name))


def exact(name: str, quantity: str, head: int | None = None) -> list[list[sympy.Expr]]:
    solution = solved(name)
    return (solution[quantity] if head is None else solution[quantity, head]).exact.tolist()


def decimals(digits: int, name: str, quantity: str, head: int | None = None) -> list[Any]:
    solution = solved(name)
    return (solution[quantity] if head is None else solution[quantity, head]).decimals(digits)


def numbers(text: str) -> list[list[sympy.Rational]]:
    """`1 2; 1/3 0.5` as exact rows."""
    return [[sympy.Rational(number) for number in row.split()] for row in text.split(";")]


def rows(text: str) -> list[list[str]]:
    return [row.split() for row in text.split(";")]


# ── Discussion 10, problem 1 ──────────────────────────────────────────────────────────────────────

D10 = "discussion-10-qkv"


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [
        ("queries", "2 3 -5; -1 0 -2; 1 -2 8"),  # the key prints q_2 as [-1, 0, 2]: 2·(-1) - 3·0 is -2
        ("keys", "-6 0 1; 0 0 1; 4 0 -3"),
        ("values", "16 27; -8 0; 8 -18"),
        ("scores", "-17 -5 23; 4 -2 2; 2 8 -20"),
    ],
)
def test_discussion_10_up_to_the_scores_is_whole_numbers(quantity: str, expected: str) -> None:
    assert exact(D10, quantity) == numbers(expected)


def test_discussion_10_the_third_token_attends_as_the_sheet_prints() -> None:
    first, second, third = range(3)
    assert decimals(3, D10, "weights")[2][first] == "0.00247"
    assert decimals(5, D10, "weights")[2][second] == "0.99753"
    assert decimals(3, D10, "weights")[2][third] == "6.90e-13"


def test_discussion_10_weights_have_these_twelve_digits() -> None:
    assert decimals(12, D10, "weights") == rows(
        "4.24835425529e-18 6.91440010694e-13 0.999999999999;"
        "0.878878242732 0.00217852135720 0.118943235911;"
        "0.00247262315663 0.997527376843 6.89730340112e-13"
    )


def test_discussion_10_the_weights_of_the_third_token_are_this_quotient() -> None:
    total = sympy.exp(2) + sympy.exp(8) + sympy.exp(-20)
    assert exact(D10, "weights")[2] == [sympy.exp(2) / total, sympy.exp(8) / total, sympy.exp(-20) / total]


def test_discussion_10_the_context_of_the_third_token_is_the_sheet_s() -> None:
    assert decimals(3, D10, "context")[2] == ["-7.94", "0.0668"]
    assert decimals(2, D10, "context")[2][1] == "0.067"
    assert decimals(12, D10, "context")[1:] == rows("14.9961696001 21.5887343074; -7.94065704423 0.0667608252167")


def test_discussion_10_the_context_of_the_first_token_is_not_quite_its_value() -> None:
    assert decimals(4, D10, "context")[0] == ["8.000", "-18.00"]
    assert decimals(15, D10, "context")[0][0] == "7.99999999998894"
    assert exact(D10, "context")[0][0] != 8


# ── Attention in Seq2Seq, question 1 ──────────────────────────────────────────────────────────────

Q1 = "self-attention-q1"


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [
        ("queries", "0.5 1.7 1.49; 1 3.05 2.65; 1.4 3.01 1.4"),
        ("keys", "2.18 1.75 1.57; 3.4 3.25 2.75; 1.7 2 1.72"),
        ("values", "2 2.2 1.08; 3.5 3.95 1.8; 3.1 2.59 2.28"),
        ("scores", "6.4043 11.3225 6.8128; 11.678 20.6 12.358; 10.5175 18.3925 10.808"),
    ],
)
def test_self_attention_q1_up_to_the_scores_is_terminating_decimals(quantity: str, expected: str) -> None:
    assert exact(Q1, quantity) == numbers(expected)
    assert solved(Q1)[quantity].exact_text == rows(expected)


def test_self_attention_q1_is_scaled_by_the_root_of_three() -> None:
    scores = exact(Q1, "scores")
    assert exact(Q1, "scaled") == [[score * sympy.sqrt(3) / 3 for score in row] for row in scores]
    # The key prints 3.69 for 3.6975 and 7.14 for 7.1349.
    assert decimals(3, Q1, "scaled") == rows("3.70 6.54 3.93; 6.74 11.9 7.13; 6.07 10.6 6.24")


def test_self_attention_q1_weights() -> None:
    assert decimals(6, Q1, "weights") == rows(
        "0.0516166 0.883038 0.0653457; 0.00571085 0.985832 0.00845675; 0.0103630 0.977382 0.0122554"
    )


def test_self_attention_q1_output() -> None:
    # The key works on with weights of two places: it prints 4.0 for 3.9285.
    assert decimals(2, Q1, "context") == rows("3.4 3.8 1.8; 3.5 3.9 1.8; 3.5 3.9 1.8")
    assert decimals(6, Q1, "context") == rows(
        "3.39644 3.77080 1.79420; 3.48805 3.92850 1.79995; 3.47955 3.91520 1.79842"
    )


# ── Two heads on "Thinking Machine" ───────────────────────────────────────────────────────────────

HEADS = "two-heads-thinking-machine"


@pytest.mark.parametrize(
    ("quantity", "head", "expected"),
    [
        ("queries", 0, "7 8 9; 15.8 18.4 21"),
        ("keys", 0, "9 8 7; 21 18.4 15.8"),
        ("values", 0, "7 8 9; 17 19.6 22.2"),
        ("scores", 0, "190 436.4; 436.4 1002.16"),
        ("queries", 1, "8 9 10; 18.4 21 23.6"),
        ("keys", 1, "10 9 8; 23.6 21 18.4"),
        ("values", 1, "8.6 9.6 10.6; 21.4 24 26.6"),
        ("scores", 1, "241 561.8; 561.8 1309.48"),
    ],
)
def test_two_heads_up_to_the_scores_is_terminating_decimals(quantity: str, head: int, expected: str) -> None:
    assert exact(HEADS, quantity, head) == numbers(expected)


@pytest.mark.parametrize(
    ("head", "scaled", "small"),
    [
        (0, "109.697 251.956; 251.956 578.597", ["1.65065e-62", "1.38458e-142"]),
        (1, "139.141 324.355; 324.355 756.029", ["3.65255e-81", "3.36271e-188"]),
    ],
)
def test_two_heads_look_at_the_second_word_but_for_a_vanishing_rest(head: int, scaled: str, small: list[str]) -> None:
    assert decimals(6, HEADS, "scaled", head) == rows(scaled)
    assert decimals(6, HEADS, "weights", head) == [[rest, "1.00000"] for rest in small]


def test_two_heads_the_smallest_weight_of_head_0_is_1_65e_62() -> None:
    assert decimals(3, HEADS, "weights", 0)[0][0] == "1.65e-62"
    below_one = decimals(70, HEADS, "weights", 0)[0][1]
    assert below_one.startswith("0." + "9" * 61)
    assert below_one != decimals(70, HEADS, "weights", 0)[1][1]


def test_two_heads_context_is_the_value_of_the_second_word_to_many_digits() -> None:
    assert decimals(40, HEADS, "context", 0)[0] == [f"{value:0<41}" for value in ("17.", "19.6", "22.2")]
    assert decimals(6, HEADS, "concat") == rows("17.0000 19.6000 22.2000 21.4000 24.0000 26.6000; " * 2)[:2]


def test_two_heads_output() -> None:
    assert decimals(6, HEADS, "output") == rows("155.960 169.040 182.120 195.200; 155.960 169.040 182.120 195.200")


# ── our own problems ──────────────────────────────────────────────────────────────────────────────


def test_base_2_softmax_is_rational_throughout() -> None:
    assert exact("base-2-softmax", "scores") == numbers("1 2 0; 2 0 2; 2 2 1")
    assert exact("base-2-softmax", "weights") == numbers("2/7 4/7 1/7; 4/9 1/9 4/9; 2/5 2/5 1/5")
    assert exact("base-2-softmax", "context") == numbers("17/7 33/7; 44/9 3; 17/5 19/5")
    assert decimals(4, "base-2-softmax", "weights") == rows("0.2857 0.5714 0.1429; 0.4444 0.1111 0.4444; 0.4 0.4 0.2")


def test_causal_mask_up_to_the_scores_is_whole_numbers() -> None:
    assert exact("causal-mask", "queries") == numbers("1 1; 0 2; 1 3; 2 0")
    assert exact("causal-mask", "keys") == numbers("1 0; 1 1; 2 1; 1 -1")
    assert exact("causal-mask", "values") == numbers("2 0 1; 0 3 1; 2 3 2; 4 -3 1")
    assert exact("causal-mask", "scores") == numbers("1 2 3 0; 0 2 2 -2; 1 4 5 -2; 2 2 4 2")


def test_causal_mask_hides_what_lies_ahead() -> None:
    root, hidden = sympy.sqrt(2), -sympy.oo
    assert exact("causal-mask", "masked") == [
        [root / 2, hidden, hidden, hidden],
        [0, root, hidden, hidden],
        [root / 2, 2 * root, 5 * root / 2, hidden],
        [root, root, 2 * root, root],
    ]
    weights = exact("causal-mask", "weights")
    assert [[j for j, weight in enumerate(row) if weight == 0] for row in weights] == [[1, 2, 3], [2, 3], [3], []]
    assert weights[0][0] == 1
    assert weights[1][:2] == [1 / (1 + sympy.exp(root)), sympy.exp(root) / (1 + sympy.exp(root))]


def test_causal_mask_weights_and_context() -> None:
    assert decimals(6, "causal-mask", "weights") == rows(
        "1 0 0 0; 0.195570 0.804430 0 0; 0.0380793 0.317663 0.644257 0; 0.140583 0.140583 0.578252 0.140583"
    )
    assert decimals(6, "causal-mask", "context") == rows(
        "2 0 1; 0.391141 2.41329 1; 1.36467 2.88576 1.64426; 2 1.73476 1.57825"
    )


def test_causal_mask_finds_the_whole_numbers_among_the_exponentials() -> None:
    context = exact("causal-mask", "context")
    assert context[0] == [2, 0, 1]
    assert context[1][2] == 1
    assert context[3][0] == 2  # (2a + 0a + 2b + 4a) / (3a + b)


def test_column_layout_up_to_the_scaled_scores() -> None:
    assert exact("column-layout", "queries") == numbers("1 1 3; 0 1 1; 1 0 2; 0 0 0")
    assert exact("column-layout", "keys") == numbers("1 0 2; 1 1 3; 0 1 1; 1 1 3")
    assert exact("column-layout", "values") == numbers("2 0 4; 1 -1 1")
    assert exact("column-layout", "scores") == numbers("1 2 4; 1 1 3; 3 5 11")
    assert exact("column-layout", "scaled") == numbers("1/2 1 2; 1/2 1/2 3/2; 3/2 5/2 11/2")


def test_column_layout_takes_the_softmax_down_each_column() -> None:
    assert decimals(6, "column-layout", "weights") == rows(
        "0.211942 0.164252 0.0288002; 0.211942 0.0996236 0.0174682; 0.576117 0.736125 0.953732"
    )
    assert decimals(6, "column-layout", "context") == rows("2.72835 3.27300 3.87253; 0.576117 0.800753 0.965064")


def test_given_scores_are_halved_and_shared_out() -> None:
    assert exact("given-scores", "scaled") == numbers("2 0 1; 1/2 3/2 -1/2; 0 0 0")
    assert decimals(6, "given-scores", "weights")[:2] == rows(
        "0.665241 0.0900306 0.244728; 0.244728 0.665241 0.0900306"
    )
    assert decimals(6, "given-scores", "context")[:2] == rows("0.787605 0.212395; 0.289744 0.710256")


def test_given_scores_that_are_equal_get_exactly_a_third_each() -> None:
    assert exact("given-scores", "weights")[2] == numbers("1/3 1/3 1/3")[0]
    assert exact("given-scores", "context")[2] == numbers("1/2 1/2")[0]


# ── Attention in Seq2Seq, examples 1 and 2 ────────────────────────────────────────────────────────


def flat(name: str, quantity: str) -> list[sympy.Expr]:
    return [x for row in exact(name, quantity) for x in row]


@pytest.mark.parametrize("name", ["seq2seq-dot", "seq2seq-dot-rounded"])
def test_seq2seq_dot_products_are_the_sheet_s(name: str) -> None:
    assert [flat(name, "scores")] == numbers("0.6 0.82 1.04")


def test_seq2seq_dot_weights_sum_to_one_and_the_second_is_not_the_sheet_s() -> None:
    # The sheet prints 0.26, 0.32, 0.41, which sum to 0.99: e^0.82 has the share 0.3280 of the sum, so 0.33.
    assert decimals(4, "seq2seq-dot", "weights") == ["0.2632", "0.3280", "0.4087"]
    assert [flat("seq2seq-dot-rounded", "weights")] == numbers("0.26 0.33 0.41")


def test_seq2seq_dot_context_from_rounded_weights() -> None:
    # With 0.32 the sheet finds 0.213, 0.312, 0.411, 0.51; with 0.33 it is what it prints for its second example.
    assert [flat("seq2seq-dot-rounded", "context")] == numbers("0.215 0.315 0.415 0.515")
    assert [flat("seq2seq-dot-rounded", "joined")] == numbers("0.215 0.315 0.415 0.515 0.4 0.5 0.6 0.7")
    assert decimals(4, "seq2seq-dot", "context") == ["0.2145", "0.3145", "0.4145", "0.5145"]


def test_seq2seq_multiplicative_products() -> None:
    # The sheet has W h_2 = 0.4, 0.5, 0.6, 0.7 and W h_3 = 0.5, 0.6, 0.7, 0.8: 0.2·0.2 + 0.3·0.3 + 0.4·0.4 + 0.5·0.5
    # is 0.54. Its scores 1.26 and 1.48, and all that follows, rest on that.
    projected = "0.3 0.4 0.5 0.6; 0.4 0.54 0.68 0.82; 0.5 0.68 0.86 1.04"
    assert exact("seq2seq-multiplicative", "projected") == numbers(projected)
    assert [flat("seq2seq-multiplicative", "scores")] == numbers("1.04 1.412 1.784")


def test_seq2seq_multiplicative_weights_and_context() -> None:
    assert decimals(4, "seq2seq-multiplicative", "weights") == ["0.2195", "0.3185", "0.4620"]
    assert [flat("seq2seq-multiplicative-rounded", "weights")] == numbers("0.22 0.32 0.46")
    assert [flat("seq2seq-multiplicative-rounded", "context")] == numbers("0.224 0.324 0.424 0.524")
