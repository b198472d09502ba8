"""The sheet's own questions, answered in its order."""

import re
from collections.abc import Callable

import pytest

from attnsolve.document import BlankLines, Equation, Section, walk
from attnsolve.errors import ProblemError, RequestError
from attnsolve.narrate.parts import answer, question
from attnsolve.narrate.steps import Narration
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution

Solve = Callable[[str], Solution]

SHEET = """
text: Three tokens.
tokens: [x_1, x_2, x_3]
inputs: [[2, 3], [-1, 0], [1, -2]]
weights: {W_Q: [[1, 0, 2], [0, 1, -3]], W_K: [[0, 0, -1], [-2, 0, 1]], W_V: [[8, 0], [0, 9]]}
scaling: none
notation: {scores: z}
parts:
"""
A = "  a: {find: [queries, keys, values], by: token, text: Compute them., marks: 3}\n"
B = "  b: {find: scores, for: x_3, by: cell}\n"
C = "  c: {find: context, for: x_3}\n"


def part(solution: Solution, letter: str) -> str:
    return render(answer(solution, only=letter))


def test_parts_come_in_the_order_of_the_sheet_with_their_marks(solved: Solve) -> None:
    document = answer(solved(SHEET + C + A + B))
    titles = [block.title[0] for block in document.blocks if isinstance(block, Section)]
    assert titles == ["Given", "(c)", "(a) [3 marks]", "(b)"]
    assert "Three tokens." in render(document)


def test_by_token_writes_one_vector_equation_a_token(solved: Solve) -> None:
    text = part(solved(SHEET + A), "a")
    for symbol in ("q₁ = W_Qᵀ x₁ =", "q₂ = W_Qᵀ x₂ =", "k₃ = W_Kᵀ x₃ =", "v₂ = W_Vᵀ x₂ ="):
        assert symbol in text
    assert "q₁,₁" not in text


def test_by_cell_writes_the_cells_of_the_asked_for_token(solved: Solve) -> None:
    text = part(solved(SHEET + A + B), "b")
    assert "z₃,₁ = q₃·k₁ = 1·(−6) + (−2)·0 + 8·1 = 2" in text
    assert "z₁,₁" not in text
    assert "z₂,₁" not in text


def test_by_matrix_writes_one_product(solved: Solve) -> None:
    text = part(solved(SHEET + "  a: {find: queries, by: matrix}\n"), "a")
    assert "Q = X W_Q        (3×2)(2×3) → 3×3" in text
    assert "q₁ =" not in text


def test_what_an_earlier_part_found_is_referred_to(solved: Solve) -> None:
    solution = solved(SHEET + A + B + C)
    assert "From part (a): q₃, K." in part(solution, "b")
    last = part(solution, "c")
    assert "From part (a): V." in last
    assert "From part (b): z₃." in last
    assert "q₃·k₁" not in last


def test_what_nobody_asked_for_is_found_on_the_way(solved: Solve) -> None:
    alone = part(solved(SHEET + C), "c")
    assert "From part" not in alone
    for needed in ("Queries Q", "Keys K", "Values V", "Scores Z", "Attention weights A", "Context C"):
        assert needed in alone
    assert "z₁,₁" not in alone


def test_a_quantity_asked_for_again_is_recalled(solved: Solve) -> None:
    text = part(solved(SHEET + B + "  c: {find: scores, for: x_3}\n"), "c")
    assert "Found in part (b):" in text
    assert "q₃·k₁" not in text


def test_a_problem_without_parts_is_told_step_by_step(solved: Solve) -> None:
    solution = solved(SHEET.replace("parts:", ""))
    assert "Step 1: Queries Q" in render(answer(solution))
    with pytest.raises(RequestError, match="has no parts"):
        answer(solution, only="a")


def test_detail_tokens_and_only_tell_the_steps(solved: Solve) -> None:
    for narration in (Narration(detail="full"), Narration(tokens=("x_2",)), Narration(only=("scores",))):
        assert "Step 4: Scores Z" in render(answer(solved(SHEET + A), narration))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ("  a: {find: scroes}\n", "problem.yaml:9:13: part a asks for 'scroes', which is not a quantity"),
        ("  a: {find: masked}\n", "problem.yaml:9:3: part a asks for masked, which this problem does not have"),
        ("  a: {find: scores, for: x_9}\n", "problem.yaml:9:3: part a is for 'x_9', which is not a token"),
        ("  a: {text: Think.}\n", "problem.yaml:9:3: part a asks for nothing\n    add find: scores"),
        ("  a: {show: scores-are-dots}\n", "did you mean scores-are-dot-products?"),
        ("  a: {find: scores, by: row}\n", "by must be token or matrix or cell, but 'row' was found"),
        ("  a: {find: scores, show: scores-are-dot-products}\n", "part a has both find and show"),
        ("  a: {find: scores, marks: -1}\n", "marks of part a must be a number from 0 to 1,000,000"),
        ("  a: 7\n  b: [x]\n", "part b must be a mapping with find or show, but a list was found"),
    ],
)  # fmt: skip
def test_a_part_that_can_not_be_answered_is_refused(solved: Solve, parts: str, message: str) -> None:
    with pytest.raises(ProblemError) as caught:
        answer(solved(SHEET + parts))
    assert message in str(caught.value)


def test_an_unknown_part_is_refused(solved: Solve) -> None:
    with pytest.raises(RequestError, match="--part z: there is no such part; known: a"):
        answer(solved(SHEET + A), only="z")


def test_the_blank_sheet_has_questions_and_room_but_no_answers(solved: Solve) -> None:
    document = question(solved(SHEET + A + B + "  d: {show: projections-are-products}\n"))
    text = render(document)
    assert "Compute them." in text
    assert "Find the scores Z for x₃, cell by cell." in text
    assert "Show why Q = X W_Q, with its dimensions." in text
    assert "q₁ =" not in text
    rooms = [block for block in walk(document.blocks) if isinstance(block, BlankLines)]
    assert len(rooms) == 3
    assert all(room.lines >= 4 for room in rooms)


@pytest.mark.parametrize(
    ("claim", "lines"),
    [
        (
            "scores-are-dot-products",
            ("zᵢ,ⱼ = (Q Kᵀ)ᵢ,ⱼ ", "= Σₗ₌₁³ qᵢ,ₗ kⱼ,ₗ ", "= qᵢ,₁ kⱼ,₁ + qᵢ,₂ kⱼ,₂ + qᵢ,₃ kⱼ,₃ ", "= qᵢᵀ kⱼ "),
        ),
        (
            "context-rows-are-weighted-sums",
            ("(A V)ᵢ = [Σⱼ₌₁³ aᵢ,ⱼ vⱼ,₁  Σⱼ₌₁³ aᵢ,ⱼ vⱼ,₂]", "= Σⱼ₌₁³ aᵢ,ⱼ [vⱼ,₁  vⱼ,₂]", "= Σⱼ₌₁³ aᵢ,ⱼ vⱼᵀ"),
        ),
        ("projections-are-products", ("qᵢᵀ = (W_Qᵀ xᵢ)ᵀ ", "= xᵢᵀ W_Q ")),
    ],
)
def test_a_claim_is_written_in_the_problems_own_size(solved: Solve, claim: str, lines: tuple[str, ...]) -> None:
    text = part(solved(SHEET + f"  e: {{show: {claim}}}\n"), "e")
    places = [text.find(line) for line in lines]
    assert -1 not in places
    assert places == sorted(places)
    assert "verified symbolically" in text
    assert "In this problem's numbers:" in text


def test_claims_hold_for_tokens_as_columns(solved: Solve) -> None:
    columns = """
layout: columns
inputs: [[2, -1, 1], [3, 0, -2]]
weights: {W_Q: [[1, 0], [0, 1]], W_K: [[1, 1], [0, 1]], W_V: [[8, 0]]}
parts:
  a: {show: scores-are-dot-products}
  b: {show: context-rows-are-weighted-sums}
  c: {show: projections-are-products}
"""
    solution = solved(columns)
    scores, context, projections = (part(solution, letter) for letter in "abc")
    assert "sᵢ,ⱼ = (Kᵀ Q)ᵢ,ⱼ " in scores
    assert "= Σₗ₌₁² qₗ,ⱼ kₗ,ᵢ " in scores
    assert "= qⱼᵀ kᵢ " in scores
    assert "(V A)ᵢ = [Σⱼ₌₁³ aⱼ,ᵢ v₁,ⱼ] " in context
    assert "= Σⱼ₌₁³ aⱼ,ᵢ vⱼ " in context
    assert "qᵢ = W_Q xᵢ " in projections


@pytest.mark.parametrize("claim", ["softmax-is-a-distribution", "softmax-shift-invariance", "permutation-equivariance"])
def test_what_holds_of_any_attention_is_derived_as_in_a_derivation(solved: Solve, claim: str) -> None:
    text = part(solved(SHEET + f"  e: {{show: {claim}}}\n"), "e")
    assert "verified symbolically at n = " in text
    assert "✗" not in text


@pytest.mark.parametrize(("layout", "formula"), [("rows", "Q = X W_Q + b_Q"), ("columns", "Q = W_Q X + b_Q")])
def test_a_projection_with_a_bias_is_not_shown_to_have_none(solved: Solve, layout: str, formula: str) -> None:
    weights = "{W_Q: [[1, 2], [0, 1]], b_Q: [1, 1], W_K: [[1, 0], [0, 1]], W_V: [[1, 0], [0, 1]]}"
    parts = "{a: {show: projections-are-products}}"
    text = f"inputs: [[1, 2], [3, 4]]\nweights: {weights}\nlayout: {layout}\nparts: {parts}\n"
    shown = render(answer(solved(text)))
    assert f"{formula}        (2×2)(2×2) + " in shown
    assert {"rows": "= xᵢᵀ W_Q + b_Q", "columns": "qᵢ = W_Q xᵢ + b_Q"}[layout] in shown
    assert "Q = X W_Q  " not in shown


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize(
    "given",
    [
        "inputs: [[1, 2]]\nweights: {W_Q: [[1, 2], [0, 1]], W_K: [[1, 0], [0, 1]], W_V: [[1, 0], [0, 3]]}\n",
        "inputs: [[2]]\nweights: {W_Q: [[1]], W_K: [[3]], W_V: [[1]], b_Q: [5]}\n",
    ],
)
def test_a_single_token_is_a_matrix_with_one_row(solved: Solve, given: str, layout: str) -> None:
    text = given if layout == "rows" else given.replace("[[1, 2]]\nw", "[[1], [2]]\nw")
    shows = ("scores-are-dot-products", "context-rows-are-weighted-sums", "projections-are-products")
    parts = ", ".join(f"{letter}: {{show: {claim}}}" for letter, claim in zip("abc", shows, strict=True))
    shown = render(answer(solved(f"{text}layout: {layout}\nparts: {{{parts}}}\n")))
    assert shown.count("verified symbolically") == 5
    assert "not verified" not in shown


def test_one_query_has_dot_products_too(solved: Solve) -> None:
    text = "queries: [[1, 2, 3]]\nkeys: [[1, 0, 1], [0, 1, 1]]\nparts: {a: {show: scores-are-dot-products}}\n"
    assert "the dot product" in render(answer(solved(text)))


def test_equivariance_is_not_shown_of_a_problem_with_a_mask(solved: Solve) -> None:
    text = SHEET.replace("parts:", "mask: causal\nparts:") + "  e: {show: permutation-equivariance}\n"
    with pytest.raises(ProblemError, match="it does not hold for a problem with a mask"):
        answer(solved(text))


def test_a_claim_about_what_is_given_can_not_be_shown(solved: Solve) -> None:
    text = "given: {scores: [[1, 2]], values: [[1], [2]]}\nscaling: none\nparts: {a: {show: scores-are-dot-products}}\n"
    with pytest.raises(ProblemError, match="this problem has no scores to show it for"):
        answer(solved(text))


ROUNDED = """
inputs: [[1, 0.3, 0.4], [1.5, 0.5, 1], [0.3, 1, 0.8]]
weights:
  W_Q: [[0, 0.7, 1], [1, 2, 0.3], [0.5, 1, 1]]
  W_K: [[1.8, 1, 1], [1, 0.5, 0.7], [0.2, 1.5, 0.9]]
  W_V: [[1, 1.3, 0.4], [2, 1, 2], [1, 1.5, 0.2]]
rounding: {places: 2, when: each-step}
"""


def test_rounding_at_each_step_carries_the_rounded_values(solved: Solve) -> None:
    """By hand: 0.5·2.18 + 1.7·1.75 + 1.49·1.57 = 6.4043 → 6.40; 6.40/√3 → 3.70; 0.05·2 + 0.88·3.5 + 0.06·3.1 → 3.37."""
    solution = solved(ROUNDED)
    assert solution["scores"].exact_text[0] == ["6.4", "11.32", "6.81"]
    assert solution["scaled"].exact_text[0] == ["3.7", "6.54", "3.93"]
    assert solution["weights"].exact_text[0] == ["0.05", "0.88", "0.06"]
    assert solution["context"].exact_text[0][0] == "3.37"
    assert solution.unrounded["context"].decimals(4)[0][0] == "3.396"


def test_rounding_says_where_it_has_led_astray(solved: Solve) -> None:
    text = render(answer(solved(ROUNDED), Narration(only=("context",))), width=200)
    assert (
        "c₂,₁ is 3.52 here, but about 3.488 without rounding, a difference of 0.032 (5 other entries changed too)."
        in text
    )
    assert "c₁,₁ = 0.05·2 + 0.88·3.5 + 0.06·3.1 ≈ 3.37" in text


def test_rounding_only_what_is_shown_changes_no_value(solved: Solve) -> None:
    shown = solved(ROUNDED.replace(", when: each-step", ""))
    plain = solved(ROUNDED.replace("rounding: {places: 2, when: each-step}", ""))
    assert shown["context"].exact == plain["context"].exact
    text = render(answer(shown, Narration(only=("weights",))))
    assert "a₁,₁ ≈ 40.3473/781.6725 ≈ 0.05\n" in text
    assert "0.05162" not in text


@pytest.mark.parametrize(
    ("rounding", "message"),
    [
        ("rounding: 2", "rounding must be a mapping such as {places: 2, when: each-step}"),
        ("rounding: {when: shown}", "rounding does not say how many places to round to"),
        ("rounding: {places: -1}", "places must be a whole number from 0 to 50"),
        ("rounding: {places: 2, when: always}", "when must be shown or each-step"),
    ],
)
def test_a_wrong_rounding_is_refused(solved: Solve, rounding: str, message: str) -> None:
    with pytest.raises(ProblemError) as caught:
        solved(ROUNDED.replace("rounding: {places: 2, when: each-step}", rounding))
    assert message in str(caught.value)


def test_pictures_are_drawn_only_when_asked_for(solved: Solve) -> None:
    from attnsolve.document import pictures

    solution = solved(SHEET.replace("parts:", ""))
    assert pictures(answer(solution)) == []
    (picture,) = pictures(answer(solution, Narration(figures=True)))
    assert picture.name == "weights"
    assert picture.values[1][0] == pytest.approx(0.8789, abs=1e-4)
    equations = [block for block in walk(answer(solution).blocks) if isinstance(block, Equation)]
    assert equations


@pytest.mark.parametrize("numbers", ["exact", "float"])
def test_the_weights_of_one_token_are_named_after_those_it_attends_to(solved: Solve, numbers: str) -> None:
    text = (
        f"inputs: [[0, 1, 3], [0, 0, 0], [0, 2, 1]]\ntokens: [the, cat, sat]\nweights: identity\nnumbers: {numbers}\n"
    )
    wanted = "parts: {a: {find: [queries, weights], for: cat}}\n"
    columns = text.replace("[0, 1, 3], [0, 0, 0], [0, 2, 1]", "[0, 0, 2], [1, 0, 2], [3, 0, 1]") + "layout: columns\n"
    for sheet in (text, columns):
        upright = part(solved(sheet + wanted), "a")
        assert re.search(r"⎡(1/3|0\.3333)⎤ the\n.*⎢\1⎥ cat\n.*⎣\1⎦ sat", upright)
    lying = part(solved(f"{text}vectors: rows\n{wanted}"), "a")
    assert re.search(r"the +cat +sat\n +a₂ [=≈] \[", lying)
    assert re.search(r"q₂ [=≈] \[0  0  0\]\n", lying)


def test_a_single_part_speaks_only_of_what_it_shows(solved: Callable[[str], Solution]) -> None:
    text = "parts: {a: {find: scores}, b: {find: weights}}\nqueries: [[1, 0]]\nkeys: [[1, 0], [0, 1]]\n"
    alone, whole = (render(answer(solved(text), only=only)) for only in ("a", None))
    assert "the weights sum to 1" not in alone
    assert "the weights sum to 1" in " ".join(whole.split())
