"""When attention copies: bounds, gaps and factors against NumPy, and what is told where there is nothing to copy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsolve.derivations.derivation import Derivation
from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.solution.solved import Narration

TOPIC = "kind: derivation\ntopic: copying\n"


@cache
def derived(text: str) -> Derivation:
    (problem,) = parse(TOPIC + text, "p.yaml")
    worked = solve(problem)
    assert isinstance(worked, Derivation)
    return worked


def told(text: str, *only: str) -> str:
    return " ".join(render(derived(text).to_document(Narration(only=only)), 200).split())


def written(rows: Sequence[Sequence[Fraction]]) -> str:
    return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows) + "]"


numbers = st.builds(Fraction, st.integers(-6, 6), st.sampled_from((1, 2, 3, 4)))


def rows(number: int, width: int = 2) -> st.SearchStrategy[list[list[Fraction]]]:
    return st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=number, max_size=number)


@settings(max_examples=12, deadline=None)
@given(st.integers(2, 4).flatmap(lambda n: st.tuples(rows(n), rows(n), rows(1))))
def test_weight_and_output_keep_their_bounds_on_any_vectors(
    given_rows: tuple[list[list[Fraction]], list[list[Fraction]], list[list[Fraction]]],
) -> None:
    keys, values, (query,) = given_rows
    text = f"keys: {written(keys)}\nvalues: {written(values)}\nquery: {written([query])[1:-1]}\n"
    worked = derived(text)
    assert worked.holds
    K, V, q = (np.array(m, dtype=float) for m in (keys, values, query))
    scores = K @ q
    j = int(np.argmax(scores))
    gap = scores[j] - max(np.delete(scores, j))
    powers = np.exp(scores - scores[j])
    weights = powers / powers.sum()
    error = np.linalg.norm(weights @ V - V[j])
    bound = 1 / (1 + (len(K) - 1) * np.exp(-gap))
    assert weights[j] >= bound - 1e-12
    assert error <= (1 - bound) * max(np.linalg.norm(V - V[j], axis=1)) + 1e-12
    checks = [says for passage in worked.passages for says, _ in passage.checks]
    assert ("the weight is not below its bound" in checks) == (gap > 0)
    if gap > 0 and any(row != values[j] for row in values):
        real = worked["error"].real
        assert real is not None
        assert float(real.nearest_float()) == pytest.approx(error, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("keys", "accuracy"), [(2, 0.9), (3, 0.99), (5, 0.5), (4, 0.999)])
def test_the_gap_that_a_weight_takes_gives_that_weight(keys: int, accuracy: float) -> None:
    worked = derived(f"keys: identity\nquery: {[1] + [0] * (keys - 1)}\naccuracy: {accuracy}\n")
    needed = worked["gap"].real
    assert needed is not None
    gap = needed.nearest_float()
    assert gap == pytest.approx(np.log((keys - 1) * accuracy / (1 - accuracy)))
    assert 1 / (1 + (keys - 1) * np.exp(-gap)) == pytest.approx(accuracy)


def test_a_query_as_much_longer_as_told_has_the_wanted_weight() -> None:
    text = told("keys: [[1, 0], [0, 1], [1/2, 1/2]]\nquery: [3, 1]\naccuracy: 0.99\n", "example")
    match = re.search(r"A gap of ([\d.]+) is enough for a weight of 99/100: a query ([\d.]+) times as long", text)
    assert match is not None
    needed, factor = map(float, match.groups())
    scores = np.array([[1, 0], [0, 1], [0.5, 0.5]]) @ np.array([3, 1]) * factor
    assert sorted(scores)[-1] - sorted(scores)[-2] == pytest.approx(needed, rel=1e-3)
    assert np.exp(scores[0]) / np.exp(scores).sum() >= 0.989


def test_a_gap_that_is_there_already_asks_for_no_longer_query() -> None:
    text = told("keys: identity\nquery: [30, 0, 0]\naccuracy: 0.9\n", "example")
    assert "A gap of 2.890 is enough for a weight of 0.9, so this query is long enough for it." in text


def test_a_weight_that_needs_no_gap_is_told_so() -> None:
    given_text = "keys: identity\nquery: [3, 0]\naccuracy: 0.3\n"
    assert "A weight of 0.3 needs no gap at all." in told(given_text, "example")
    assert "No gap is needed" in told(given_text, "gap")


@pytest.mark.parametrize(
    ("accuracy", "gap"), [("0.9", "ln(9 (n − 1))"), ("2/7", "ln(2 (n − 1)/5)"), ("1/2", "ln(n − 1)")]
)
def test_without_keys_the_gap_depends_on_their_number(accuracy: str, gap: str) -> None:
    assert f"g ≥ {gap}" in told(f"accuracy: {accuracy}\n", "gap")


def test_with_two_keys_the_weight_is_its_bound_and_that_is_no_fault() -> None:
    worked = derived("keys: identity\nvalues: [[3, 0], [0, 4]]\nquery: [3, 0]\n")
    assert worked.holds
    assert "D = 5, so the output can be off by at most 0.2371; it is off by 0.2371" in told(
        "keys: identity\nvalues: [[3, 0], [0, 4]]\nquery: [3, 0]\n", "example"
    )


def test_equal_values_make_the_output_that_value() -> None:
    text = "keys: identity\nvalues: [[1, 1], [1, 1], [1, 1]]\nquery: [30, 0, 0]\n"
    assert derived(text).holds
    assert "All values are the same" in told(text, "example")


@pytest.mark.parametrize(("query", "index", "own", "other"), [("[-1/2, 0]", 1, "−1/2", "0"), ("[2, 2]", 2, "2", "2")])
def test_a_key_that_is_not_ahead_is_told_so(query: str, index: int, own: str, other: str) -> None:
    text = told(f"keys: identity\nvalues: [[1], [2]]\nquery: {query}\nindex: {index}\n", "example")
    assert (
        f"Key {index} is not ahead of the others: its score is {own}, and the highest of the others is {other}." in text
    )
    assert "must be at least" not in text


def test_the_argument_bounds_weight_and_output() -> None:
    text = told("")
    assert "≥ 1/(1 + Σ (i ≠ j) e^(−g)) no tᵢ is negative" in text
    assert "= 1/(1 + (n − 1) e^(−g)) n − 1 equal terms" in text
    assert "‖c − vⱼ‖ ≤ D (n − 1) e^(−g)/(1 + (n − 1) e^(−g))" in text
    assert "g ≥ ln((n − 1) a/(1 − a))" in text
    assert "not the length of the key" in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("keys: identity\nquery: [1, 2]\nindex: 3\n", "p.yaml:5:8: index must be a whole number from 1 to 2, but '3'"),
        ("keys: identity\nquery: [1, 2]\nindex: 0\n", "p.yaml:5:8: index must be a whole number from 1 to 2, but '0'"),
        ("accuracy: 1\n", "p.yaml:3:11: accuracy must be a number above 0 and below 1, but '1' was found"),
        ("keys: [[1, 0]]\nquery: [1, 2]\n", "p.yaml:3:7: there must be at least two keys, one per row"),
        ("keys: [[1, 0], [0, 1]]\nquery: [1]\n", "p.yaml:4:8: the query has 1 entry but the keys have 2 columns"),
        ("keys: [[1], [0]]\nquery: [1, 2]\n", "p.yaml:4:8: the query has 2 entries but the keys have 1 column"),
        ("keys: [[1], [0]]\n", "p.yaml:3:7: keys without a query have no scores"),
        ("query: [1, 2]\n", "p.yaml:3:1: query without keys can't be attended to"),
        ("keys: [[1, 0], [0, 1]]\nquery: [1, 2]\nvalues: [[1]]\n", "p.yaml:5:9: there is 1 value but 2 keys"),
        ("indeks: 2\n", "p.yaml:3:1: unknown key 'indeks'\n    did you mean index?"),
        ("beta: 2\n", "p.yaml:3:1: beta has no meaning for copying\n    it belongs to averaging"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(ProblemError) as error:
        derived(text)
    assert says in str(error.value)


def test_a_value_that_is_no_binary_fraction_is_copied_like_any_other() -> None:
    """Its distance from itself, or from another like it, is the root of a ball around 0."""
    text = told("keys: [[0], [1], [2]]\nvalues: [[1/3, 2/7], [1/3, 2/7], [5, 1]]\nquery: [-7]\n", "example")
    assert "✓ the output is within its bound" in text
    assert "All values are the same" in told("keys: identity\nvalues: [[1/3], [1/3]]\nquery: [1, 0]\n", "example")
