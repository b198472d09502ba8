"""A blank sheet says all that a student needs to get the same numbers, and none of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from attnsolve.errors import ProblemError
from attnsolve.render.markdown import render as render_markdown
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution

Solve = Callable[[str], Solution]
INPUTS = "inputs: [[1, 2], [0, 1], [3, 1]]\n"
WEIGHTS = "weights: {W_Q: [[1, 0], [1, 1]], W_K: [[2, 1], [0, 1]], W_V: [[1, 2], [3, 5]]}\n"
PLAIN = INPUTS + WEIGHTS
ENCODER = "kind: seq2seq\nstates: [[1, 2], [3, 4], [0, 1]]\nstate: [1, 2]\n"


def sheet(solution: object) -> str:
    return " ".join(render(solution.blank(), 200).split())


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (PLAIN, ["Q = X W_Q queries, 3×2", "S = Q Kᵀ scores, 3×3", "C = A V context, 3×2", "S′ = S/√dₖ scaled scores"]),
        (PLAIN, ["Each row of X stands for one token.", "√dₖ = √2 ≈ 1.414."]),
        (PLAIN, ["The softmax is taken over each row: powers of e ≈ 2.718, divided by their sum."]),
        (PLAIN, ["a₁,₁ = e^s′₁,₁/(e^s′₁,₁ + e^s′₁,₂ + e^s′₁,₃)", "Find the context C, showing every step."]),
        (PLAIN, ["Do not round intermediate results. Give each answer exactly, or to 4 significant digits."]),
        (PLAIN + "digits: 1\n", ["exactly, or to 1 significant digit."]),
        (PLAIN + "scaling: none\n", ["The scores are not scaled."]),
        (PLAIN + "scaling: 8\n", ["S′ = S/8", "The scores are divided by 8."]),
        (PLAIN + "softmax: {base: 2}\n", ["powers of 2, divided by their sum", "a₁,₁ = 2^s′₁,₁/("]),
        (PLAIN + "softmax: sum\n", ["No exponentials are taken: share divides each score by the sum of its row."]),
        (PLAIN + "stable: true\n", [
            "First subtract the largest score of each row, m, from the whole row; this does not change the weights."
        ]),
        (PLAIN + "softmax: sum\nmask: causal\n", ["A score of −∞ is left out of the sum and gets the weight 0"]),
        (PLAIN + "mask: causal\n", ["The mask is causal", "A score of −∞ gets the weight 0", "S″ = S′ + M"]),
        (PLAIN + "mask: [[1, 0, 1], [1, 1, 0], [0, 1, 1]]\n", ["A score of −∞ gets the weight 0"]),
        (PLAIN + "rounding: {places: 2}\n", ["Do not round intermediate results.", "exactly, or to 2 decimal places."]),
        (
            PLAIN + "rounding: {places: 1, when: each-step}\n",
            [
                "Round each of the results above to 1 decimal place, rounding halves away from zero,"
                " and continue with the rounded",
                "Do not round inside a step (the exponentials or their sum).",
            ],
        ),
        (PLAIN + "rounding: {places: 0, when: each-step}\n", ["to a whole number, rounding halves away from zero"]),
        (
            PLAIN + "rounding: {places: {weights: 3}, when: each-step}\n",
            ["Round A to 3 decimal places, rounding halves away from zero", "Do not round anything else."],
        ),
        (PLAIN + "numbers: float\n", ["Do not round intermediate results. Give each answer to 4 significant digits."]),
        (PLAIN + "notation: {scores: z}\nscaling: none\n", ["Z = Q Kᵀ scores", "A = softmax(Z)"]),
        (
            PLAIN + "heads: 2\nnumbering: 0\n",
            [
                "Q⁽⁰⁾ = column 1 of Q queries of head 0",
                "A⁽¹⁾ = softmax(S′⁽¹⁾) attention weights of head 1",
                "C = [C⁽⁰⁾ | C⁽¹⁾]",
            ],
        ),
        (PLAIN.replace("W_V", "b_V: [1, 2], W_V") + "W_O: [[1, 0], [0, 1]]\nb_O: [1, 1]\n",
         ["b_V is added to every row.", "b_O is added to every row.", "O = C W_O + b_O output"]),
        (INPUTS + "weights: identity\nlayout: columns\n", ["Each column of X stands for one token.", "S = Kᵀ Q"]),
        (INPUTS + "weights: identity\nlayout: columns\n", ["softmax is taken over each column", "e^s′₁,₁ + e^s′₂,₁"]),
        (PLAIN + "parts: {a: {find: weights, for: 2}}\n",
         ["Find the attention weights A for token 2.", "such as a₁, is written as a column"]),
        (PLAIN + "vectors: rows\nparts: {a: {find: queries, by: token}}\n", ["such as q₁, is written as a row."]),
        (PLAIN + "tokens: [cat, x_2, sat]\nparts: {a: {find: weights, for: [cat, x_2]}}\n", ["A for cat and x₂."]),
        ("queries: [1, 2]\nkeys: [[1, 2], [3, 4]]\n", ["a = softmax(s′)", "The softmax is taken over all the scores:"]),
        ("inputs: [[beta], [1]]\nweights: identity\nsymbols: {beta: positive}\nlimit: {beta: oo}\n",
         ["β is any positive number.", "What do the results tend to as β → ∞?"]),
        ("given: {scores: [[1, -inf]]}\nscaling: none\n", ["A score of −∞ gets the weight 0", "are not scaled."]),
        ("given: {masked: [[1, 2]]}\n", ["Find the attention weights A"]),
        (ENCODER,
         ["e = H sₜ scores, 3×1", "xₜ = [cₜ; sₜ] concatenated context and state",
          "α₁ = exp(e₁)/(exp(e₁) + exp(e₂) + exp(e₃))"]),
        (ENCODER, ["Each row of H stands for one encoder state.", "The scores are not scaled."]),
        (ENCODER + "score: scaled-dot\n", ["e′ = e/√d", "The divisor is √d = √2 ≈ 1.414."]),
        (ENCODER + "score: cosine\n", ["n₁ = √(h₁,₁² + h₁,₂²)", "e₁ = (sₜ,₁·h₁,₁ + sₜ,₂·h₁,₂)/(rₜ·n₁)"]),
        (ENCODER + "score: additive\nweights: {W_1: [[1, 0]], W_2: [[1, 1]], v: [1]}\n",
         ["Z = P + qₜᵀ sums", "qₜᵀ is added to every row.", "U = tanh(Z)", "e = U v scores"]),
    ],
)  # fmt: skip
def test_the_sheet_says(solved: Solve, text: str, sentences: list[str]) -> None:
    said = sheet(solved(text))
    assert [sentence for sentence in sentences if sentence not in said] == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (PLAIN, "not scaled"),
        (PLAIN, "−∞"),
        (PLAIN, "subtract"),
        (PLAIN + "softmax: sum\n", "powers of"),
        (PLAIN + "softmax: sum\nmask: causal\n", "a₁,₁ ="),
        ("given: {scaled: [[1, 2]]}\n", "not scaled"),
        (PLAIN + "parts: {a: {find: scores}}\n", "softmax"),
        (PLAIN + "parts: {a: {show: scores-are-dot-products}}\n", "Notation and conventions"),
    ],
)
def test_the_sheet_does_not_say(solved: Solve, text: str, sentence: str) -> None:
    assert sentence not in sheet(solved(text))


OPTIONS = [
    "", "scaling: none\n", "scaling: 2\n", "softmax: {base: 2}\n", "softmax: sum\n", "mask: causal\n",
    "mask: [[1, 0, 1], [1, 1, 1], [1, 1, 1]]\n", "rounding: {places: 1, when: each-step}\n",
    "rounding: {places: {weights: 1}, when: each-step}\n",
    "rounding: {places: {scores: 0, weights: 1}, when: each-step}\n",
    "heads: 2\n", "stable: true\n",
]  # fmt: skip


@pytest.mark.parametrize("whole", [True, False])
def test_sheets_that_lead_to_other_numbers_are_other_sheets(solved: Solve, whole: bool) -> None:
    """Whatever changes a result changes what the sheet says."""
    parts = "" if whole else "parts: {a: {find: weights, by: token}}\n"
    solutions = {option: solved(PLAIN + option + parts) for option in OPTIONS}
    sheets = {option: sheet(solution) for option, solution in solutions.items()}
    for one, other in combinations(OPTIONS, 2):
        assert sheets[one] != sheets[other], (one, other)


def test_how_a_vector_lies_is_said_where_one_is_asked_for(solved: Solve) -> None:
    wanted = PLAIN + "parts: {a: {find: keys, by: token}}\nvectors: "
    assert sheet(solved(wanted + "rows\n")) != sheet(solved(wanted + "columns\n"))


def test_the_first_entry_written_out_is_the_first_entry(solved: Solve) -> None:
    """The formula on the sheet, worked by NumPy from the sheet's own letters, gives the true weight."""
    solution = solved(PLAIN + "softmax: {base: 3}\n")
    (formula,) = re.findall(r"a₁,₁ = (\S.*?) Find", sheet(solution))
    scores = np.asarray(solution["scaled"].array)
    names = dict(zip(("s′₁,₁", "s′₁,₂", "s′₁,₃"), scores[0], strict=True))
    numerator, denominator = formula.split("/", 1)
    powers = [3 ** names[name] for name in re.findall(r"3\^(s′₁,.)", denominator)]
    assert len(powers) == 3
    assert 3 ** names[numerator[2:]] / sum(powers) == pytest.approx(solution["weights"].array[0, 0], rel=1e-12)


def test_a_sheet_can_not_ask_for_what_there_is_not(solved: Solve) -> None:
    with pytest.raises(ProblemError, match="part a asks for output, which this problem does not have"):
        solved(PLAIN + "parts: {a: {find: output}}\n").blank()


def test_long_rows_are_written_with_dots(solved: Solve) -> None:
    said = sheet(solved("given: {scores: [[1, 2, 3, 4, 5, 6, 7]]}\nscaling: none\n"))
    assert "a₁,₁ = e^s₁,₁/(e^s₁,₁ + e^s₁,₂ + ⋯ + e^s₁,₇)" in said


def test_tokens_are_named_beside_what_is_given(solved: Solve) -> None:
    text = PLAIN + "tokens: [cat, sat, mat]\nmask: causal\nparts: {a: {find: weights, for: cat}}\n"
    page = render_markdown(solved(text).blank())
    assert "\\text{cat} & 1 & 2 \\\\\n\\text{sat} & 0 & 1 \\\\\n\\text{mat} & 3 & 1\n" in page
    assert "& \\text{cat} & \\text{sat} & \\text{mat} \\\\\n\\hline\n\\text{cat} & 0 & -\\infty & -\\infty" in page
    assert "Find the attention weights $`A`$ for cat." in page
