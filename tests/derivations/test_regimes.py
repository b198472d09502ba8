"""Which keys win as a query grows stronger: by brute force, where hardly anything is left to the others."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import erf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsolve.derivations.regimes import Multiples, Regime, holds_throughout, regimes, shares_at

rates = st.builds(Fraction, st.integers(-4, 4), st.sampled_from((1, 2, 3)))
heads = st.integers(2, 5).flatmap(
    lambda n: st.tuples(
        st.lists(st.lists(rates, min_size=n, max_size=n).map(tuple), min_size=1, max_size=3), st.integers(0, n - 1)
    )
)


def brute(queries: list[Multiples], a: int, gamma: float, beta: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The averaged weights of the heads, as a softmax gives them."""
    found = []
    for query in queries:
        scores = beta * np.array([float(rate) for rate in query])
        scores[a] *= gamma
        powers = np.exp(scores - scores.max())
        found.append(powers / powers.sum())
    mean: np.ndarray[tuple[int], np.dtype[np.float64]] = np.mean(found, axis=0)
    return mean


@settings(max_examples=60, deadline=None)
@given(heads)
def test_regimes_are_where_a_strong_softmax_ends_up(drawn: tuple[list[Multiples], int]) -> None:
    queries, a = drawn
    found = regimes(queries, a)
    edges = [regime.high for regime in found[:-1]]
    for gamma in np.linspace(-13, 13, 107):
        if any(edge is not None and abs(gamma - float(edge)) < 0.02 for edge in edges):
            continue
        regime = next(r for r in found if r.high is None or gamma < r.high)
        np.testing.assert_allclose(
            brute(queries, a, float(gamma), 20_000), [float(s) for s in regime.shares], atol=1e-9
        )


@settings(max_examples=60, deadline=None)
@given(heads)
def test_regimes_cover_the_line_and_differ_from_their_neighbours(drawn: tuple[list[Multiples], int]) -> None:
    found = regimes(*drawn)
    assert found[0].low is None
    assert found[-1].high is None
    for left, right in pairwise(found):
        assert left.high is not None
        assert left.high == right.low
        assert left.shares != right.shares
    for regime in found:
        assert sum(regime.shares) == 1
        assert regime.low is None or regime.high is None or regime.low < regime.high


@settings(max_examples=60, deadline=None)
@given(heads)
def test_a_regime_holds_in_its_range_and_in_no_wider_one(drawn: tuple[list[Multiples], int]) -> None:
    found = regimes(*drawn)
    assert all(holds_throughout(*drawn, regime) for regime in found)
    for left, right in pairwise(found):
        assert not holds_throughout(*drawn, Regime(left.low, right.high, left.shares))
        assert not holds_throughout(*drawn, Regime(left.low, left.high, right.shares))


def test_two_heads_that_change_places_leave_the_output_as_it_is() -> None:
    heads = [(Fraction(1), Fraction(1)), (Fraction(-1), Fraction(-1))]
    assert regimes(heads, 0) == [Regime(None, None, (Fraction(1, 2), Fraction(1, 2)))]
    assert holds_throughout(heads, 0, Regime(None, None, (Fraction(1, 2), Fraction(1, 2))))
    assert not holds_throughout(heads, 0, Regime(None, None, (Fraction(1), Fraction(0))))


@settings(max_examples=60, deadline=None)
@given(heads)
def test_keys_at_their_means_share_as_numpy_says(drawn: tuple[list[Multiples], int]) -> None:
    queries, a = drawn
    shares = [float(share) for share in shares_at(queries, a, 1)]
    np.testing.assert_allclose(brute(queries, a, 1.0, 200), shares, atol=1e-9)


@pytest.mark.parametrize("stretch", [Fraction(1, 2), Fraction(1, 10), Fraction(3)])
@pytest.mark.parametrize(
    ("low", "high"), [(None, 1), (1, None), (None, 0), (0, 1), (-1, 1), (Fraction(1, 3), Fraction(5, 2)), (None, None)]
)
def test_probabilities_are_those_of_a_normal_distribution(
    low: Fraction | None, high: Fraction | None, stretch: Fraction
) -> None:
    def below(bound: Fraction) -> float:
        return (1 + erf((float(bound) - 1) / sqrt(2 * float(stretch)))) / 2

    bounds = [None if x is None else Fraction(x) for x in (low, high)]
    expected = (1 if bounds[1] is None else below(bounds[1])) - (0 if bounds[0] is None else below(bounds[0]))
    found = Regime(bounds[0], bounds[1], ()).probability(stretch)
    assert found.nearest_float() == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_what_is_certain_or_even_is_known_exactly() -> None:
    assert Regime(None, None, ()).probability(Fraction(1, 2)).rational == 1
    assert Regime(None, Fraction(1), ()).probability(Fraction(7)).rational == Fraction(1, 2)
    assert Regime(Fraction(1), None, ()).probability(Fraction(7)).rational == Fraction(1, 2)


@settings(max_examples=20, deadline=None)
@given(heads)
def test_probabilities_sum_to_one(drawn: tuple[list[Multiples], int]) -> None:
    found = regimes(*drawn)
    assert sum(r.probability(Fraction(1, 2)).nearest_float() for r in found) == pytest.approx(1)
