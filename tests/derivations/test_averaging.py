"""When attention averages: formula, limit and strength against NumPy on exactly orthonormal keys."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations

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

TOPIC = "kind: derivation\ntopic: averaging\n"
Rows = list[list[Fraction]]


@cache
def derived(text: str) -> Derivation:
    (problem,) = parse(TOPIC + text, "p.yaml")
    worked = solve(problem)
    assert isinstance(worked, Derivation)
    return worked


def told(text: str, *only: str) -> str:
    return " ".join(render(derived(text).to_document(Narration(only=only)), 200).split())


def value(worked: Derivation, name: str) -> float:
    real = worked[name].real
    assert real is not None
    return real.nearest_float()


def written(rows: Rows) -> str:
    return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows) + "]"


@st.composite
def orthonormal(draw: st.DrawFn) -> Rows:
    """Rows of a signed permutation matrix, two of them turned by 3/5 and 4/5: exact, and not all zeros and ones."""
    size = draw(st.integers(2, 5))
    order = draw(st.sampled_from(list(permutations(range(size)))))
    signs = draw(st.lists(st.sampled_from((-1, 1)), min_size=size, max_size=size))
    rows = [
        [Fraction(sign if j == place else 0) for j in range(size)] for place, sign in zip(order, signs, strict=True)
    ]
    c, s = Fraction(3, 5), Fraction(4, 5)
    first, second = rows[0], rows[1]
    rows[0] = [c * x + s * y for x, y in zip(first, second, strict=True)]
    rows[1] = [c * y - s * x for x, y in zip(first, second, strict=True)]
    return rows


@settings(max_examples=10, deadline=None)
@given(orthonormal(), st.integers(1, 8), st.data())
def test_weights_and_output_agree_with_numpy_on_any_orthonormal_keys(
    keys: Rows, beta: int, data: st.DataObject
) -> None:
    n = len(keys)
    a, b = data.draw(st.sampled_from(list(permutations(range(1, n + 1), 2))))
    values = [[Fraction(data.draw(st.integers(-5, 5))), Fraction(i * i)] for i in range(n)]
    worked = derived(f"keys: {written(keys)}\nvalues: {written(values)}\nbeta: {beta}\npair: [{a}, {b}]\n")
    K, V = np.array(keys, dtype=float), np.array(values, dtype=float)
    powers = np.exp(K @ (beta * (K[a - 1] + K[b - 1])))
    weights = powers / powers.sum()
    assert worked.holds
    assert value(worked, "weight-value") == pytest.approx(weights[a - 1])
    error = np.linalg.norm(weights @ V - (V[a - 1] + V[b - 1]) / 2)
    assert value(worked, "error") == pytest.approx(error, rel=1e-6, abs=1e-12)


def test_the_argument_has_scores_weights_and_limits() -> None:
    text = told("")
    assert "= β·1 + β·0 orthonormal keys = β multiplied out" in text
    assert "α_a = eᵝ/(n − 2 + 2eᵝ) softmax of the scores" in text
    assert "αᵢ = 1/(n − 2 + 2eᵝ) for every other key i" in text
    assert "= 1/2 e⁻ᵝ tends to 0" in text
    assert "β ≥ ln((n − 2) (1 − 2ε)/(4ε))" in text
    assert derived("").holds


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("n: 5\n", "α_a = eᵝ/(5 − 2 + 2eᵝ) = eᵝ/(3 + 2eᵝ)"),
        ("beta: 2\n", "α_a = e²/(n − 2 + 2e²)"),
        ("n: 5\nbeta: 2\n", "α_a = e²/(5 − 2 + 2e²) ≈ 0.4156"),
        ("n: 2\nbeta: 2\n", "α_a = e²/(2 − 2 + 2e²) = 1/2"),
    ],
)
def test_whatever_is_given_is_put_in(text: str, shown: str) -> None:
    assert shown in told(text, "weights")
    assert np.exp(2) / (3 + 2 * np.exp(2)) == pytest.approx(0.4156, abs=5e-5)


@pytest.mark.parametrize(("n", "tolerance"), [(3, 0.01), (10, 0.001), (100, 0.2)])
def test_the_strength_that_an_accuracy_takes_gives_that_accuracy(n: int, tolerance: float) -> None:
    beta = value(derived(f"n: {n}\nwithin: {tolerance}\n"), "needed")
    assert 0.5 - np.exp(beta) / (n - 2 + 2 * np.exp(beta)) == pytest.approx(tolerance)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("n: 3\nwithin: 0.4\n", "With 3 keys and a tolerance of 0.4, any positive β will do."),
        ("n: 2\nwithin: 0.1\n", "With only two keys both weights are ½, whatever β is."),
        ("within: 0.02\n", "With a tolerance of 0.02: β ≥ ln(12 (n − 2))"),
        ("within: 1/6\n", "With a tolerance of 1/6: β ≥ ln(n − 2)"),
        ("n: 5\n", "With 5 keys: β ≥ ln(3 (1 − 2ε)/(4ε))"),
        ("n: 3\n", "With 3 keys: β ≥ ln((1 − 2ε)/(4ε))"),
    ],
)
def test_the_strength_is_told_with_what_is_known(text: str, says: str) -> None:
    assert says in told(text, "needed")


def test_two_keys_are_averaged_exactly() -> None:
    text = "keys: identity\nvalues: [[1], [2]]\nbeta: 3\n"
    assert derived(text).holds
    assert "‖c − (v₁ + v₂)/2‖ = 0" in told(text, "example")


def test_a_coordinate_that_cancels_to_zero_has_its_distance() -> None:
    worked = derived("beta: 1\nkeys: identity\nvalues: [[0, 0], [0, 1], [1, 4], [-1, 9]]\n")
    weights = np.exp([1, 1, 0, 0]) / (2 + 2 * np.e)
    assert value(worked, "error") == pytest.approx(abs(weights @ [0, 1, 4, 9] - 0.5))


def test_an_identity_is_as_large_as_values_or_n_say() -> None:
    assert "[0.4967 0.4967 0.003346 0.003346]" in told("keys: identity\nn: 4\nbeta: 5\n", "example")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "keys: [[1, 1], [0, 1]]\n",
            "p.yaml:3:7: keys must be orthonormal, but row 1 has the squared length 2\n    divide it by its length\n"
            "p.yaml:3:7: keys must be orthonormal, but rows 1 and 2 have the dot product 1 instead of 0",
        ),
        (
            "keys: [[3/5, 4/5], [-0.8, 0.61]]\n",
            "p.yaml:3:7: keys must be orthonormal, but row 2 has the squared length 10121/10000",
        ),
        (
            "keys: [[3/5, 4/5], [4/5, 3/5]]\n",
            "p.yaml:3:7: keys must be orthonormal, but rows 1 and 2 have the dot product 24/25 instead of 0",
        ),
        ("keys: identity\n", "p.yaml:3:7: there must be at least two keys, one per row"),
        ("keys: [[1, 0], [0, 1]]\nn: 3\n", "p.yaml:4:1: n is 3 but there are 2 keys"),
        (
            "keys: [[1, 0], [0, 1]]\npair: [1, 3]\n",
            "p.yaml:4:7: pair must be two different keys, counted from 1 to 2, but [1, 3] was found",
        ),
        ("pair: [2, 2]\n", "p.yaml:3:7: pair must be two different keys, counted from 1, but [2, 2] was found"),
        ("within: 1/2\n", "p.yaml:3:1: within must be below 1/2: no weight is further from 1/2 than that"),
        ("within: 0\n", "p.yaml:3:9: within must be a number above 0, but '0' was found"),
        ("beta: -1\n", "p.yaml:3:7: beta must be a number above 0, but '-1' was found"),
        ("n: 1\n", "p.yaml:3:4: n must be a whole number from 2 to 1000000, but '1' was found"),
        ("withn: 1\n", "p.yaml:3:1: unknown key 'withn'\n    did you mean within?"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(ProblemError) as error:
        derived(text)
    assert says in str(error.value)
