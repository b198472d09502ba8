"""The worked solution: its order, its signs, and what was asked for."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from attnsolve.document import Document, Equation, Lines, Note, Paragraph, Section, Verdict, sections, walk
from attnsolve.errors import RequestError
from attnsolve.graph import Quantity
from attnsolve.narrate.steps import Narration, narrate
from attnsolve.notation.text import TextPrinter
from attnsolve.operations.context import Law
from attnsolve.render.text import render
from attnsolve.solution.checks import Checks
from attnsolve.solution.exact import Solution

Solve = Callable[[str], Solution]

D10 = """
tokens: [x_1, x_2, x_3]
inputs: [[2, 3], [-1, 0], [1, -2]]
weights:
  W_Q: [[1, 0, 2], [0, 1, -3]]
  W_K: [[0, 0, -1], [-2, 0, 1]]
  W_V: [[8, 0], [0, 9]]
scaling: none
notation: {scores: z}
"""


GUARDED = ("In the calculations, rounded numbers carry two extra digits.",)


def lines_of(solution: Solution, quantity: str, **narration: Any) -> list[str]:
    """Every line of a step's working, as text."""
    document = narrate(solution, Narration(**narration))
    (section,) = [s for s in sections(document) if s.id == quantity]
    chains = [chain for block in section.blocks if isinstance(block, Lines) for chain in block.chains]
    return [TextPrinter().print(chain) for chain in chains]


def test_a_step_tells_why_then_formula_numbers_work_and_result(solved: Solve) -> None:
    document = narrate(solved(D10))
    (scores,) = [s for s in sections(document) if s.id == "scores"]
    kinds = [type(block) for block in scores.blocks]
    assert kinds == [Paragraph, Equation, Equation, Lines, Note, Equation]
    first = scores.blocks[1]
    assert isinstance(first, Equation)
    assert TextPrinter().print(first.chain) == "Z = Q Kᵀ"
    assert first.aside is not None
    assert TextPrinter().print(first.aside) == "(3×3)(3×3) → 3×3"


def test_each_cell_of_the_asked_for_token_is_worked(solved: Solve) -> None:
    assert lines_of(solved(D10), "scores", tokens=("x_3",)) == [
        "z₃,₁ = q₃·k₁ = 1·(−6) + (−2)·0 + 8·1 = 2",
        "z₃,₂ = q₃·k₂ = 1·0 + (−2)·0 + 8·1 = 8",
        "z₃,₃ = q₃·k₃ = 1·4 + (−2)·0 + 8·(−3) = −20",
    ]


def test_softmax_shows_exponentials_sum_closed_form_and_decimals(solved: Solve) -> None:
    assert lines_of(solved(D10), "weights", tokens=("3",)) == [
        "e^z₃,₁ = e² ≈ 7.38906",
        "e^z₃,₂ = e⁸ ≈ 2980.96",
        "e^z₃,₃ = e⁻²⁰ ≈ 2.06115×10⁻⁹",
        "Σⱼ e^z₃,ⱼ ≈ 7.38906 + 2980.96 + 2.06115×10⁻⁹ ≈ 2988.35",
        "a₃,₁ = e²/(e² + e⁸ + e⁻²⁰) ≈ 7.38906/2988.35 ≈ 0.002473",
        "a₃,₂ = e⁸/(e² + e⁸ + e⁻²⁰) ≈ 2980.96/2988.35 ≈ 0.9975",
        "a₃,₃ = e⁻²⁰/(e² + e⁸ + e⁻²⁰) ≈ 2.06115×10⁻⁹/2988.35 ≈ 6.897×10⁻¹³",
    ]


def test_both_views_of_a_projection_are_shown(solved: Solve) -> None:
    columns = render(narrate(solved(D10), Narration(only=("queries",))))
    assert "Q = X W_Q" in columns
    assert "q₁ = W_Qᵀ x₁" in columns
    rows = render(narrate(solved(D10 + "vectors: rows\n"), Narration(only=("queries",))))
    assert "q₁ = x₁ W_Q = [2  3]" in rows


def test_the_weighted_sum_is_shown_as_vectors_and_as_cells(solved: Solve) -> None:
    text = render(narrate(solved(D10), Narration(only=("context",), tokens=("x_3",))))
    assert "c₃ = Σⱼ a₃,ⱼ vⱼ = a₃,₁ v₁ + a₃,₂ v₂ + a₃,₃ v₃" in text
    assert "≈ 0.00247262 ⎡16⎤ + 0.997527 ⎡−8⎤ + 6.89730×10⁻¹³ ⎡  8⎤ ≈ ⎡−7.941  ⎤" in text
    assert "c₃,₁ ≈ 0.00247262·16 + 0.997527·(−8) + 6.89730×10⁻¹³·8 ≈ −7.941" in text
    assert text.count("carry two extra digits") == 1


def test_the_numbers_put_in_lead_to_the_digits_shown(solved: Solve) -> None:
    """A reader with a calculator gets the result's digits from the numbers on the line: they have guard digits."""
    for line in lines_of(solved(D10), "context", detail="full"):
        put_in, result = line.replace("−", "-").split(" ≈ ")[1:]
        terms = [term.replace("(", "").replace(")", "").split("·") for term in put_in.split(" + ")]
        total = sum(_read(share) * _read(value) for share, value in terms)
        assert total == pytest.approx(_read(result), rel=1e-3)


def _read(text: str) -> float:
    mantissa, _, exponent = text.partition("×10")
    return float(mantissa) * 10.0 ** int(exponent.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")) or 0)


def test_full_detail_writes_out_every_cell(solved: Solve) -> None:
    solution = solved(D10)
    assert len(lines_of(solution, "scores")) == 3
    assert len(lines_of(solution, "scores", detail="full")) == 9
    assert lines_of(solution, "scores", detail="brief") == []


def test_the_reader_is_told_how_many_tokens_are_left(solved: Solve) -> None:
    told = [b for s in sections(narrate(solved(D10))) for b in s.blocks if isinstance(b, Note)]
    notes = [note.content for note in told]
    assert set(notes) - {GUARDED} == {("The other 2 tokens are done in the same way.",)}
    assert notes.count(GUARDED) == 1
    assert [note.hint for note in told if note.hint] == ["--detail full shows them all"]


def test_only_the_asked_for_quantities_are_told(solved: Solve) -> None:
    ids = [s.id for s in sections(narrate(solved(D10), Narration(only=("A", "values"))))]
    assert ids == ["values", "weights"]


def test_a_given_quantity_may_be_asked_for(solved: Solve) -> None:
    assert [s.id for s in sections(narrate(solved(D10), Narration(only=("inputs",))))] == ["inputs"]


@pytest.mark.parametrize(
    ("narration", "message"),
    [
        (Narration(only=("scroes",)), "--only scroes: this problem has no such quantity; did you mean scores?"),
        (Narration(tokens=("x_4",)), "--for x_4: there is no such token; did you mean x_3?"),
        (Narration(tokens=("9",)), "--for 9: there is no such token; known: x_1, x_2, x_3"),
    ],
)
def test_what_is_not_there_is_said_with_the_nearest_that_is(solved: Solve, narration: Narration, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        narrate(solved(D10), narration)
    assert str(caught.value) in (message, message.replace("x_3?", "x_1?"))


def test_a_token_that_a_step_is_not_worked_for_is_refused(solved: Solve) -> None:
    text = "tokens: [le]\ninputs: [[1]]\nmemory: [[1], [2]]\nmemory_tokens: [the, cat]\nweights: identity\n"
    with pytest.raises(RequestError, match="--for cat: what is shown is about other tokens; known: le"):
        narrate(solved(text), Narration(only=("scores",), tokens=("cat",)))
    assert narrate(solved(text), Narration(only=("keys",), tokens=("cat",))).blocks


def test_rounded_numbers_are_never_called_equal(solved: Solve) -> None:
    """After the first ≈ of a chain nothing is = again."""
    document = narrate(solved(D10), Narration(detail="full"))
    for section in sections(document):
        for block in section.blocks:
            chains = block.chains if isinstance(block, Lines) else (block.chain,) if isinstance(block, Equation) else ()
            for chain in chains:
                signs = "".join(sign for sign, _ in chain.links)
                assert "≈=" not in signs, TextPrinter().print(chain)


def test_the_mask_and_its_zeros_are_shown(solved: Solve) -> None:
    solution = solved("inputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\nmask: causal\n")
    first = Narration("normal", ("masked", "weights"), ("x_1",))
    told = render(narrate(solution, first))
    assert "s′₁,₁ = 1 + 0 = 1\n    s′₁,₂ = 0 + (−∞) = −∞" in told
    assert "e^s′₁,₂ = e^(−∞) = 0" in told


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_the_token_that_sees_most_is_worked_out(solved: Solve, layout: str) -> None:
    """Behind a causal mask the first token sees nothing but itself, and its work would show nothing."""
    solution = solved(f"inputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\nmask: causal\nlayout: {layout}\n")
    finite = (
        ("s′₂,₁ = 0 + 0 = 0", "s′₂,₂ = 1 + 0 = 1") if layout == "rows" else ("s′₁,₂ = 0 + 0 = 0", "s′₂,₂ = 1 + 0 = 1")
    )
    assert tuple(lines_of(solution, "masked")) == finite
    for name in ("queries", "keys", "values", "scores", "weights", "context"):
        told = render(narrate(solution, Narration(only=(name,))))
        assert "For x₁" not in told


def test_the_token_that_sees_most_may_stand_anywhere(solved: Solve) -> None:
    text = "inputs: [[1, 0], [0, 1], [1, 1]]\nweights: identity\nscaling: none\nmask: {}\n"
    seen = render(narrate(solved(text.format("[[0, 0, 1], [1, 0, 1], [1, 0, 0]]")), Narration(only=("weights",))))
    assert "For x₂" in seen
    tied = render(narrate(solved(text.format("[[1, 1, 0], [0, 1, 1], [1, 0, 1]]")), Narration(only=("weights",))))
    assert "For x₁" in tied


def test_of_keys_from_elsewhere_the_first_is_worked_out(solved: Solve) -> None:
    text = "inputs: [[1], [2]]\nmemory: [[3], [4], [5]]\nweights: identity\nmask: [[1, 0, 0], [1, 1, 0]]\n"
    solution = solved(text.replace("weights: identity", "weights: {W_Q: [[1]], W_K: [[1]], W_V: [[1]]}"))
    assert "For y₁" in render(narrate(solution, Narration(only=("keys",))))
    assert "For x₂" in render(narrate(solution, Narration(only=("queries",))))


def test_a_causal_mask_is_said_to_be_one(solved: Solve) -> None:
    said = "The mask is causal: each token may attend to itself and to earlier tokens, never to later ones."
    text = "inputs: [[1, 0], [0, 1]]\nweights: identity\nmask: {}\n"
    assert said in render(narrate(solved(text.format("causal"))), 120)
    assert said not in render(narrate(solved(text.format("[[1, 0], [1, 1]]"))), 120)


def test_a_token_with_nothing_to_attend_to_gets_zeros_and_a_note(solved: Solve) -> None:
    solution = solved("inputs: [[1, 0], [0, 1]]\nweights: identity\nmask: [[0, 0], [1, 1]]\n")
    text = render(narrate(solution))
    assert "The mask leaves x₁ with nothing to attend to" in text
    assert solution["weights"].exact_text == [["0", "0"], solution["weights"].exact_text[1]]
    assert solution["context"].decimal[0] == ["0", "0"]


def test_shares_of_nothing_are_zero_and_not_a_quotient(solved: Solve) -> None:
    solution = solved("inputs: [[3], [1]]\nweights: identity\nsoftmax: sum\nmask: [[0, 0], [1, 1]]\n")
    text = render(narrate(solution, Narration("full")))
    assert "a₁,₁ = 0\n" in text
    assert "The mask leaves x₁ with nothing to attend to" in text


def test_stable_softmax_takes_the_maximum_off_first(solved: Solve) -> None:
    solution = solved("given: {scores: [[1000, 1001]], values: [[1], [2]]}\nscaling: none\nstable: true\n")
    assert lines_of(solution, "weights")[:3] == [
        "m = max(1000, 1001) = 1001",
        "s₁,₁ − m = 1000 − 1001 = −1",
        "s₁,₂ − m = 1001 − 1001 = 0",
    ]


@pytest.mark.parametrize(
    ("scaling", "remark"),
    [
        ("", "Each key has dₖ = 3 entries: K has 3 columns. The divisor is √dₖ = √3 ≈ 1.732."),
        ("scaling: 8", "The scores are divided by 8."),
        ("scaling: sqrt(2)", "The scores are divided by √2 ≈ 1.414."),
    ],
)
def test_the_divisor_and_its_origin_are_told(solved: Solve, scaling: str, remark: str) -> None:
    text = D10.replace("scaling: none", scaling)
    shown = render(narrate(solved(text), Narration(only=("scaled",))), width=200)
    assert remark in shown


def test_heads_have_headings_and_steps_are_numbered_through(solved: Solve) -> None:
    text = "inputs: [[1, 0], [0, 1]]\nweights: identity\nheads: 2\nnumbering: 0\n"
    document = narrate(solved(text))
    titles = [block.title[0] for block in document.blocks if isinstance(block, Section)]
    assert titles[0] == "Given"
    assert [t for t in titles if t.startswith("Head ")] == ["Head 0", "Head 1"]
    numbers = [int(s.title[0].split()[1].rstrip(":")) for s in sections(document)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_symbols_are_carried_and_limits_taken(solved: Solve) -> None:
    solution = solved(
        "symbols: {beta: positive}\nqueries: [beta, beta, 0]\nkeys: identity\nvalues: [[1, 0], [0, 1], [5, 5]]\n"
        "scaling: none\nlimit: {beta: oo}\n"
    )
    assert solution["weights"].exact_text == [
        "exp(beta)/(2*exp(beta) + 1)",
        "exp(beta)/(2*exp(beta) + 1)",
        "1/(2*exp(beta) + 1)",
    ]
    assert solution["weights"].decimal is None
    text = render(narrate(solution))
    assert "a → [1/2  1/2  0 ]" in text
    assert "c → [1/2  1/2]" in text


def verdicts(document: Document) -> list[Verdict]:
    return [block for block in walk(document.blocks) if isinstance(block, Verdict)]


def test_what_was_verified_is_said_once_at_the_end(solved: Solve) -> None:
    document = narrate(solved(D10))
    assert isinstance(document.blocks[-1], Verdict)
    (verdict,) = verdicts(document)
    said = "every result agrees with an independent float64 computation; each row of weights sums to 1"
    assert verdict.checks == ((True, f"Checked: {said}."),)


@pytest.mark.parametrize("law", ["weights-rows-sum-to-one", "context-agrees-with-float64", "scores-has-its-shape"])
def test_a_check_that_fails_is_said_on_the_spot_and_not_claimed_at_the_end(
    solved: Solve, law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = Checks.of

    def one_fails(checks: Checks, quantity: Quantity) -> list[Law]:
        return [replace(found, holds=found.id != law) for found in true(checks, quantity)]

    monkeypatch.setattr(Checks, "of", one_fails)
    document = narrate(solved(D10))
    spot, end = verdicts(document)
    assert [holds for holds, _ in spot.checks] == [False]
    (section,) = [s for s in sections(document) if spot in s.blocks]
    assert law.startswith(f"{section.id}-")
    assert ("every other result" in end.checks[0][1]) == ("float64" in law)
    assert ("sums to 1" in end.checks[0][1]) == ("sum" not in law)


def test_a_float64_run_that_is_far_off_is_mentioned_beside_the_result(solved: Solve) -> None:
    """Scores of about 10⁶ leave float64 some eight digits after a softmax has cancelled them."""
    document = narrate(solved("given: {scores: [[123456.1, 123456.4]]}\nscaling: none\n"))
    spot, _ = verdicts(document)
    assert spot.checks[0][1].startswith("agrees with a float64 run (to ")
