"""Encoder-decoder problems told: the words, the work, the questions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.errors import ProblemError, RequestError
from attnsolve.narrate.explain import explain
from attnsolve.narrate.parts import answer, question
from attnsolve.narrate.steps import Narration, narrate
from attnsolve.render.markdown import render as render_markdown
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution
from attnsolve.spec.seq2seq import SCORES

Solved = Callable[[str], Solution]

WEIGHTS = {
    "general": "W: [[1, 2], [0, 1]]",
    "additive": "W_1: [[1, 2], [0, 1]], W_2: identity, v: [1, -1]",
    "concat": "W: [[1, 2, 0, 1], [0, 1, 1, 1]], v: [1, -2]",
    "location": "W: [[1, 2], [0, 1], [1, 1]]",
}
ONE, SEVERAL = "state: [1, 1/2]", "state: [[1, 1/2], [0, 3]]"
STATES = "kind: seq2seq\nstates: [[1, 0], [1/2, 1], [-1, 2]]\n"


def text_of(score: str, state: str, more: str = "") -> str:
    weights = ", ".join(filter(None, (WEIGHTS.get(score, ""), "W_c: [[1, 0, 0, 1]]")))
    return f"{STATES}{state}\nscore: {score}\nweights: {{{weights}}}\n{more}"


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("state", [ONE, SEVERAL])
@pytest.mark.parametrize("vectors", ["rows", "columns"])
def test_every_score_can_be_told_in_every_way(solved: Solved, score: str, state: str, vectors: str) -> None:
    solution = solved(text_of(score, state, f"vectors: {vectors}\n"))
    for width in (60, 80, 200):
        told = render(narrate(solution, Narration(detail="full")), width)
        assert "✗" not in told
        assert "head" not in told.casefold().replace("heading", "")
        assert max(map(len, told.splitlines())) <= width
    assert "Attentional state" in render_markdown(narrate(solution), "github")
    assert "Attentional state" in render(narrate(solution, Narration(detail="brief")))


@pytest.mark.parametrize(
    ("score", "lines"),
    [
        ("dot", ["e = H sₜ        (3×2)(2×1) → 3×1", "e₃ = sₜ·h₃ = 1·(−1) + 1/2·2 = 0", "exp(e₁) = e¹ ≈ 2.718"]),
        ("scaled-dot", ["e′ = e/√d        3×1 → 3×1", "Each state has d = 2 entries. The divisor is √d = √2"]),
        ("general", ["P = H Wᵀ", "p₁ = W h₁ = ⎡1  2⎤ ⎡1⎤ = ⎡1⎤", "e₂ = sₜ·p₂ = 1·5/2 + 1/2·1 = 3"]),
        ("additive", ["qₜ = W₂ sₜ = ⎡1  0⎤ ⎡1  ⎤ = ⎡1  ⎤", "Z = P + qₜᵀ", "u₁,₁ = tanh(z₁,₁) = tanh(2) ≈ 0.9640"]),
        ("concat", ["G = [H | sₜᵀ]", "p₁,₁ = 1·1 + 0·2 + 1·0 + 1/2·1 = 3/2", "e₁ = v·u₁ ≈ 1·0.905148 + (−2)·0.905148"]),
        ("cosine", ["rₜ = √(sₜ·sₜ) = √(1² + (1/2)²) = √5/2 ≈ 1.118", "= (1·1/2 + 1/2·1)/(√5/2·√5/2) = 4/5"]),
        ("location", ["e = W sₜ        (3×2)(2×1) → 3×1", "e₃ = 1·1 + 1·1/2 = 3/2"]),
    ],
)
def test_the_work_reads_as_in_a_textbook(solved: Solved, score: str, lines: list[str]) -> None:
    told = render(narrate(solved(text_of(score, ONE))))
    assert [line for line in lines if line not in told] == []
    assert "cₜ = Σⱼ αⱼ hⱼ = α₁ h₁ + α₂ h₂ + α₃ h₃" in told
    assert "xₜ = [cₜ; sₜ]        [2×1; 2×1] → 4×1" in told
    assert "oₜ = tanh(yₜ)" in told


def test_a_rounded_score_goes_into_the_softmax_with_guard_digits(solved: Solved) -> None:
    told = render(narrate(solved(text_of("additive", ONE))))
    assert "≈ e^0.501910 ≈ 1.65187" in told


def test_steps_with_hidden_vectors_of_their_own(solved: Solved) -> None:
    told = render(narrate(solved(text_of("additive", SEVERAL))))
    assert "━━ Decoder step 2 ━" in told
    assert "Z⁽²⁾ = P + q₂ᵀ" in told
    assert "E = [vᵀ U⁽¹⁾ᵀ; vᵀ U⁽²⁾ᵀ]        [1×3; 1×3] → 2×3" in told
    assert "The other 2 states are done in the same way" in told
    assert "The other step is done in the same way" in told


def test_one_cell_is_traced_back_through_its_step(solved: Solved) -> None:
    solution = solved(text_of("additive", SEVERAL))
    told = render(explain(solution, "scores[2,1]"))
    assert "u⁽²⁾₁,₁ = tanh(z⁽²⁾₁,₁)" in told
    assert "u⁽¹⁾" not in told
    for request in ("decoder step 2: hidden[1,1]", "step 2: hidden[1,1]", "U_2[h_1,1]"):
        assert "Where u⁽²⁾₁,₁ comes from" in render(explain(solution, request))
    with pytest.raises(RequestError, match="several decoder steps: write 'decoder step 1: hidden"):
        explain(solution, "hidden[1,1]")


def test_parts_answer_the_sheet_and_refer_back(solved: Solved) -> None:
    parts = "parts: {a: {find: projected, for: h_2, by: token}, b: {find: scores, by: cell}, c: {find: context}}\n"
    told = render(answer(solved(text_of("general", ONE, parts))))
    assert "p₂ = W h₂" in told
    assert "From part (b): e." in told
    assert "p₁ = W h₁" in told.split("(b)")[1]


def test_parts_for_one_step_work_out_that_step_alone(solved: Solved) -> None:
    parts = "steps: [go, stop]\nparts: {a: {find: weights, for: stop}}\n"
    told = render(answer(solved(text_of("additive", SEVERAL, parts))))
    assert "For “stop”, the exponentials" in told
    assert "Z⁽²⁾" in told
    assert "Z⁽¹⁾" not in told


def test_a_part_for_nobody_is_refused(solved: Solved) -> None:
    solution = solved(text_of("dot", ONE, "parts: {a: {find: hidden}, b: {find: scores, for: h_9}}\n"))
    with pytest.raises(ProblemError) as caught:
        answer(solution)
    assert [fault.message for fault in caught.value.faults] == [
        "part a asks for hidden, which this problem does not have",
        "part b is for 'h_9', which is not a token",
    ]


def test_the_blank_sheet_asks_in_words(solved: Solved) -> None:
    sheet = render(question(solved(text_of("cosine", ONE, "parts: {a: {find: [norms, scores]}, b: joined}\n"))))
    assert "Find the encoder lengths n and the scores e." in sheet
    assert "Find the concatenated context and state xₜ." in sheet
    assert "√5" not in sheet


def test_only_what_is_named_is_rounded(solved: Solved) -> None:
    more = "rounding: {places: {weights: 1}, when: each-step}\n"
    solution = solved(f"{STATES}{ONE}\n{more}")
    assert solution["weights"].exact_text == ["0.4", "0.4", "0.2"]
    assert solution["context"].exact_text == ["0.4", "0.8"]
    assert "cₜ,₁ is 0.4 here, but about 0.4781 without rounding" in render(narrate(solution), 200)


def test_the_sheet_s_own_letters(solved: Solved) -> None:
    told = render(narrate(solved(text_of("dot", ONE, "notation: {context: a_t, state: S_t, weights: w, scores: z}\n"))))
    assert "aₜ = Σⱼ wⱼ hⱼ" in told
    assert "z₁ = sₜ·h₁" in told
    assert "e^z₁ = e¹" in told


def test_a_limit_names_the_states_beside_its_rows(solved: Solved) -> None:
    told = render(narrate(solved(
        "kind: seq2seq\nsymbols: {b: positive}\nstates: [[b], [1]]\nstate: [1]\nlimit: {b: oo}\n"
    )))  # fmt: skip
    assert "α → ⎡1⎤ h₁" in told
    assert "s_t" not in told
