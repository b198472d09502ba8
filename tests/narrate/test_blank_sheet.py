"""A sheet without answers says all that is given and asked, and nothing that it asks for."""

from __future__ import annotations

import pytest

from attnsolve.derivations import TOPICS
from attnsolve.errors import ProblemError
from attnsolve.loading.files import load_one, parse
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.solution.solved import Narration


def blank(text: str) -> str:
    (problem,) = parse(text, "p.yaml")
    return render(solve(problem).blank(), 200)


def test_a_claim_to_be_proved_is_stated() -> None:
    text = "kind: derivation\ntopic: claim\ngiven: {S: 'matrix(n, n)', P: permutation(n)}\nclaim: "
    sheet = blank(text + "softmax(P*S*P^T) = P*softmax(S)*P^T\n")
    assert "softmax(P S Pᵀ) = P softmax(S) Pᵀ" in sheet
    chain = blank(text + "['P*S*P^T', '= P*(S*P^T)', '= (P*S)*P^T']\nparts:\n  a: {find: claim}\n")
    assert chain.count("P S Pᵀ") == 1
    assert "= P (S Pᵀ)" in chain
    for text in (sheet, chain):
        assert "Prove or refute the claim." in text
        assert "Proved" not in text


def test_a_sheet_with_nothing_to_find_asks_for_nothing() -> None:
    sheet = blank("given: {weights: [[1]]}\n")
    assert "[1 ] q₁" in sheet
    assert "Find" not in sheet


def bundled_sheet(name: str) -> str:
    return render(solve(load_one(name)).blank(), 200)


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("assignment-2-averaging", ["kᵢᵀ kᵢ = 1", "n = 4", "β = 8", "ε = 1/1000", "3/5  4/5  0  0", "−3  5"]),
        ("assignment-2-copying", ["zᵢ = kᵢᵀ q", "α = softmax(z)", "n = 4", "a = 0.999", "−1  1   0", "[2  1  1]"]),
        ("assignment-2-heads", ["n = 4", "kᵢ ∼ N(μᵢ, α I)", "β = 20", "α = 0.0001", "M =", "V ="]),
        ("assignment-2-permutation", ["Q = X W_Q", "S = Q Kᵀ/√d", "A = softmax(S)", "Attention(X) = A V"]),
        ("discussion-10-scaling", ["qᵢ ∼ N(μ, σ²)", "s is the number", "v the variance"]),
    ],
)
def test_everything_that_is_given_is_stated(name: str, stated: list[str]) -> None:
    sheet = bundled_sheet(name)
    assert [given for given in stated if given not in sheet] == []


@pytest.mark.parametrize("name", ["assignment-2-averaging", "assignment-2-heads"])
def test_a_query_that_is_asked_for_is_not_stated(name: str) -> None:
    assert "β (" not in bundled_sheet(name)
    assert "β μ" not in bundled_sheet(name)


def test_a_query_that_scores_are_asked_of_is_stated() -> None:
    assert "q = β (k_a + k_b)" in blank("kind: derivation\ntopic: averaging\n")
    keys = "kind: random-keys\nmeans: identity\nvalues: [[1], [2]]\nqueries: [beta*(mu_a + mu_b)]\n"
    for parts in ("", "parts: {a: {find: steady}}\n"):
        assert "q = β (μ_a + μ_b)" in blank(keys + parts)


@pytest.mark.parametrize("topic", [topic for topic in TOPICS if topic != "claim"])
def test_every_topic_says_what_its_letters_stand_for(topic: str) -> None:
    assert "The setting ─" in blank(f"kind: derivation\ntopic: {topic}\n")


def test_numbers_for_the_letters_of_a_topic_are_stated() -> None:
    head = "kind: derivation\ntopic: "
    assert "v = 2" in blank(head + "scaled-dot-product\nvariance: 2\n")
    averaging = blank(head + "averaging\nwithin: 0.01\nbeta: 3\nn: 7\n")
    assert [fact for fact in ("ε = 0.01", "β = 3", "n = 7") if fact not in averaging] == []
    assert "a = 0.95" in blank(head + "copying\naccuracy: 0.95\n")
    scores = blank(head + "softmax-is-a-distribution\nscores: [5, 6]\nparts: {a: {find: sum}}\n")
    assert "z = [5  6]" in scores


def numbered(rows: int, columns: int) -> str:
    """A problem whose entries are all different: 1001, 1002, …"""
    table = [[1001 + i * columns + j for j in range(columns)] for i in range(rows)]
    return f"inputs: {table}\nweights: identity\nscaling: none\ngiven: {{scores: {[[0] * rows] * rows}}}\n"


@pytest.mark.parametrize("numbers", ["exact", "float\ndigits: 6"])
@pytest.mark.parametrize(("rows", "columns"), [(2, 30), (30, 2)])
def test_given_matrices_stand_on_the_sheet_whole(numbers: str, rows: int, columns: int) -> None:
    (problem,) = parse(f"{numbered(rows, columns)}numbers: {numbers}\n", "p.yaml")
    solution = solve(problem)
    for document in (solution.blank(), solution.steps(Narration("full"))):
        text = render(document, 80)
        missing = [x for x in range(1001, 1001 + rows * columns) if f"{x}" not in text]
        assert missing == []
        assert "corners" not in text
    assert "corners" in render(solution.steps(), 80)


def test_given_vectors_of_an_example_stand_on_the_sheet_whole() -> None:
    scores = ", ".join(map(str, range(1001, 1031)))
    sheet = blank(f"kind: derivation\ntopic: softmax-is-a-distribution\nscores: [{scores}]\n")
    assert [x for x in scores.split(", ") if x not in sheet] == []


def test_a_sheet_says_that_its_matrices_are_too_large_for_it() -> None:
    text = "numbers: float\ninputs: {random: [300, 100], seed: 1}\nweights: identity\n"
    assert "These are too large for a sheet, so only the corners are shown." in blank(text)
    (problem,) = parse(text, "p.yaml")
    with pytest.raises(ProblemError, match="--format json"):
        solve(problem).steps(Narration("full"))
