"""Heads on random keys: what they reach, how likely, and the same by drawing keys ourselves."""

from __future__ import annotations

import re
from functools import cache
from math import erf, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from attnsolve.derivations.derivation import Derivation
from attnsolve.document import Chart, Gallery, Table, walk
from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse
from attnsolve.notation import Grid, Num
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.solution.solved import Narration

Array = NDArray[np.float64]
VALUES = [[2, 0], [0, 2], [-1, -1], [1, 1]]
KIND = f"kind: random-keys\nmeans: identity\nvalues: {VALUES}\n"
SHEET = "[beta*(mu_a + mu_b), beta*(mu_a - mu_b)]"
THREE = f"queries:\n  single: [beta*(mu_a + mu_b)]\n  sheet: {SHEET}\n  heads: [beta*mu_a, beta*mu_b]\n"


@cache
def derived(text: str, kind: str = KIND) -> Derivation:
    (problem,) = parse(kind + text, "p.yaml")
    worked = solve(problem)
    assert isinstance(worked, Derivation)
    return worked


def told(worked: Derivation, only: str, label: str = "") -> str:
    narration = Narration(only=(only,), tokens=(label,) if label else ())
    return " ".join(render(worked.steps(narration), 200).split())


def value(worked: Derivation, label: str, name: str) -> float:
    (result,) = (r for p in worked.passages for r in p.results if p.label == label and r.id == name)
    assert result.real is not None
    return result.real.nearest_float()


def test_nothing_is_said_of_how_large_a_given_variance_is() -> None:
    text = told(derived("alpha: 5\nqueries: [beta*mu_a]\n"), "setting")
    assert "has variance α in every direction" in text
    assert "little" not in text


# ── what is reached ───────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def three() -> Derivation:
    return derived(THREE)


def test_the_sheets_own_two_heads_do_not_reach_the_mean_and_are_called_out(three: Derivation) -> None:
    text = told(three, "steady", "sheet")
    assert "c → 3/4 v_a + 1/4 v_b" in text
    assert "This is not the output we want: it is 3/4 v_a + 1/4 v_b instead of 1/2 (v_a + v_b)." in text
    assert "✓ does not reach the output we want" in text


@pytest.mark.parametrize("label", ["single", "heads"])
def test_one_query_for_both_and_one_for_each_reach_it_on_steady_keys(three: Derivation, label: str) -> None:
    text = told(three, "steady", label)
    assert "c → 1/2 v_a + 1/2 v_b This is the output we want" in text
    assert "✓ reaches the output we want" in text


def test_the_single_query_jumps_when_key_a_varies(three: Derivation) -> None:
    text = told(three, "stretched", "single")
    assert "= 1/(1 + exp(−β (γ − 1)) + (n − 2) e^(−β γ)) divided through by the numerator" in text
    assert "α_a ≈ 1/(1 + exp(−β (γ − 1)))" in text
    assert "γ < 1 0.5 v_b γ > 1 0.5 v_a" in text
    assert "The output is never the 1/2 (v_a + v_b) that we want: from one draw to the next it jumps" in text


def test_two_heads_reach_it_whenever_key_a_points_its_own_way(three: Derivation) -> None:
    below = (1 + erf(-1)) / 2
    assert value(three, "heads", "probability") == pytest.approx(1 - below)
    assert value(three, "sheet", "probability") == pytest.approx(0.5 - below)
    assert "that we want with probability 0.9214" in told(three, "stretched", "heads")


def test_mean_squared_distances_are_those_of_the_outputs_told(three: Derivation) -> None:
    p = (1 + erf(-1)) / 2
    V, wanted = np.array(VALUES, dtype=float), np.array([1.0, 1.0])

    def square(*shares: float) -> float:
        return float(((np.array(shares) @ V - wanted) ** 2).sum())

    assert value(three, "single", "distance") == 2
    assert value(three, "heads", "distance") == pytest.approx(p * square(0, 2 / 3, 1 / 6, 1 / 6))
    sheet = p * square(0, 1 / 2, 1 / 4, 1 / 4) + square(1, 0, 0, 0) / 2
    assert value(three, "sheet", "distance") == pytest.approx(sheet)


def test_all_of_them_stand_side_by_side(three: Derivation) -> None:
    text = told(three, "comparison")
    assert "single 1/2 v_a + 1/2 v_b yes 0 2" in text
    assert "sheet 3/4 v_a + 1/4 v_b no 0.4214 1.079" in text
    assert "heads 1/2 v_a + 1/2 v_b yes 0.9214 0.08739" in text


@pytest.mark.parametrize(
    ("queries", "rates", "reached"),
    [
        ("[beta*(mu_a/2 + mu_3/2)]", [[0.5, 0, 0.5, 0]], "1/2 v_a + 1/2 v₃"),
        (
            "['beta*(1/2*mu_a - 3*mu_b)', '-2*beta*mu_a', 'beta*mu_4/3']",
            [[0.5, -3, 0, 0], [-2, 0, 0, 0], [0, 0, 0, 1 / 3]],
            "1/3 v_a + 1/9 v_b + 1/9 v₃ + 4/9 v₄",
        ),
        ("[beta*mu_b]", [[0, 1, 0, 0]], "v_b"),
        ("['-beta*mu_a']", [[-1, 0, 0, 0]], "1/3 v_b + 1/3 v₃ + 1/3 v₄"),
        ("[2*beta*mu_3 + beta*mu_a, beta*mu_b]", [[1, 0, 2, 0], [0, 1, 0, 0]], "1/2 v_b + 1/2 v₃"),
        (SHEET, [[1, 1, 0, 0], [1, -1, 0, 0]], "3/4 v_a + 1/4 v_b"),
    ],
)
def test_any_multiples_of_the_means_lead_to_what_numpy_has_at_a_strength_of_200(
    queries: str, rates: list[list[float]], reached: str
) -> None:
    found = re.search(r"c → (.*?) This is not the output we want", told(derived(f"queries: {queries}\n"), "steady"))
    assert found is not None
    assert found[1] == reached
    shares = np.zeros(4)
    for share, place in re.findall(r"(?:(\d/\d) )?v_?(.)", found[1]):
        over, _, under = (share or "1/1").partition("/")
        shares["ab₃₄".index(place)] = int(over) / int(under)
    scores = 200 * np.array(rates)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(shares, (powers / powers.sum(axis=1, keepdims=True)).mean(axis=0), atol=1e-9)


def test_a_head_without_a_share_in_a_does_not_move_with_it() -> None:
    text = told(derived("queries: [beta*mu_b]\n"), "stretched")
    assert "q = β μ_b has no component along μ_a, so γ changes nothing." in text
    assert "the output does not depend on γ: range probability output" in text
    assert "any γ 1 v_b The output is never the 1/2 (v_a + v_b) that we want. The mean" in text


def test_fractions_of_a_strength_are_written_below_it() -> None:
    text = told(derived("queries: ['beta*mu_a/2']\n"), "stretched")
    assert "= 1/(1 + (n − 1) exp(−β γ/2))" in text


def test_with_two_keys_there_are_no_others() -> None:
    worked = derived(f"queries: {SHEET}\n", "kind: random-keys\nmeans: identity\nvalues: [[2, 0], [0, 2]]\n")
    assert "every other key" not in told(worked, "steady")
    assert "γ < −1 0.002339 v_b −1 < γ < 1 0.4977 1/2 v_a + 1/2 v_b γ > 1 0.5 v_a" in told(worked, "stretched")
    assert (1 + erf(-2)) / 2 == pytest.approx(0.002339, rel=1e-3)


def test_values_that_agree_make_other_shares_reach_the_same_output() -> None:
    kind = "kind: random-keys\nmeans: identity\nvalues: [[1], [1], [5]]\n"
    assert "This is the output we want" in told(derived("queries: [beta*mu_a]\n", kind), "steady")


def test_without_a_stretch_nothing_is_told_of_it() -> None:
    worked = derived("queries: {one: [beta*mu_a], two: [beta*mu_b]}\nstretch: 0\nsimulate: {samples: 200}\n")
    assert [p.id for p in worked.passages] == ["setting", "steady", "steady", "comparison", "simulation"]
    text = render(worked.to_document(), 200)
    assert "γ" not in text
    assert "varying" not in text


@pytest.mark.parametrize("stretch", ["1/10", "2"])
def test_a_stretch_decides_how_likely_each_output_is(stretch: str) -> None:
    worked = derived(f"queries: [beta*mu_a, beta*mu_b]\nstretch: {stretch}\n")
    variance = {"1/10": 0.1, "2": 2.0}[stretch]
    assert value(worked, "", "probability") == pytest.approx(1 - (1 + erf(-1 / sqrt(2 * variance))) / 2)
    assert f"γ ∼ N(1, {stretch})" in told(worked, "stretched")


def test_keys_a_and_b_may_be_any_two() -> None:
    worked = derived("queries: [beta*(mu_2 + mu_4)]\npair: [4, 2]\n")
    text = told(worked, "steady")
    assert "q = β (μ₂ + μ₄)" in text
    assert "This is the output we want" in text


# ── drawn ─────────────────────────────────────────────────────────────────────────────────────────

SAMPLES = 20_000
QUERIES = {
    "single": [[1, 1, 0, 0]], "sheet": [[1, 1, 0, 0], [1, -1, 0, 0]], "heads": [[1, 0, 0, 0], [0, 1, 0, 0]],
}  # fmt: skip


def drawn(label: str, stretch: float, beta: float, alpha: float, means: Array) -> Array:
    """Outputs on keys of our own."""
    rng = np.random.default_rng(7)
    keys = means + rng.normal(0, sqrt(alpha), (SAMPLES, 4, 4))
    keys[:, 0] += rng.normal(0, sqrt(stretch), (SAMPLES, 1)) * means[0]
    outputs = []
    for rates in QUERIES[label]:
        scores = keys @ (beta * np.array(rates, dtype=float) @ means)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        outputs.append(powers / powers.sum(axis=1, keepdims=True) @ np.array(VALUES, dtype=float))
    mean: Array = np.mean(outputs, axis=0)
    return mean


def number(node: object) -> float:
    assert isinstance(node, Num)
    return float(f"{node.text}e{node.exponent or 0}")


@pytest.mark.parametrize("means", ["identity", "[[3/5, 4/5, 0, 0], [-4/5, 3/5, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]"])
def test_simulated_outputs_are_like_those_of_our_own_keys(means: str) -> None:
    text = f"{THREE}beta: 10\nalpha: 0.01\nsimulate: {{samples: {SAMPLES}, seed: 4}}\n"
    worked = derived(text, f"kind: random-keys\nmeans: {means}\nvalues: {VALUES}\n")
    turned = np.array([[0.6, 0.8, 0, 0], [-0.8, 0.6, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    (table,) = (b for b in walk(worked.steps(Narration(only=("simulation",))).blocks) if isinstance(b, Table))
    assert len(table.rows) == 6
    for label, how, mean, variance, distance in table.rows:
        stretch = 0.5 if how == ("varying",) else 0.0
        outputs = drawn(str(label[0]), stretch, 10, 0.01, np.eye(4) if means == "identity" else turned)
        (grid,) = mean
        assert isinstance(grid, Grid)
        error = outputs.std(axis=0) * sqrt(2 / SAMPLES)
        for entry, ours, tolerance in zip(grid.rows[0], outputs.mean(axis=0), error, strict=True):
            assert abs(number(entry) - ours) < 5 * tolerance + 0.005 * abs(ours)
        total = outputs.var(axis=0).sum()
        assert number(variance[0]) == pytest.approx(total, rel=0.1, abs=1e-4)
        away = ((outputs - 1) ** 2).sum(axis=1).mean()
        assert number(distance[0]) == pytest.approx(away, rel=0.1, abs=1e-4)


def test_a_seed_says_which_keys_are_drawn() -> None:
    def simulated(seed: int) -> str:
        return told(derived(f"{THREE}simulate: {{samples: 500, seed: {seed}}}\n"), "simulation")

    assert simulated(1) == simulated(1)
    assert simulated(1) != simulated(2)


def test_a_chart_shows_where_outputs_lie_between_the_two_values() -> None:
    worked = derived(f"{THREE}simulate: {{samples: 5000, seed: 0}}\n")
    (chart,) = (b for b in walk(worked.steps().blocks) if isinstance(b, Chart))
    assert [name for name, _ in chart.series] == ["single", "sheet", "heads"]
    assert chart.marks == (("wanted", 0.5),)
    middle = next(i for i, edge in enumerate(chart.edges) if edge > 0.5) - 1
    heights = dict(chart.series)
    assert heights["heads"][middle] > 0.8
    assert heights["single"][0] > 0.3
    assert heights["single"][-1] > 0.3
    for series in heights.values():
        assert sum(series) == pytest.approx(1)


def test_equal_values_have_no_line_between_them() -> None:
    kind = "kind: random-keys\nmeans: identity\nvalues: [[1], [1], [5]]\n"
    worked = derived("queries: [beta*mu_a]\nsimulate: {samples: 200}\n", kind)
    assert not [b for b in walk(worked.steps().blocks) if isinstance(b, Chart)]


# ── refused ───────────────────────────────────────────────────────────────────────────────────────

LINEAR = "it must be beta times a sum of multiples of the means"


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("beta*(mu_a + mu_c)", "'mu_c' is not known\n    a query is made of beta and the means; did you mean mu_b?"),
        ("betta*mu_a", "'betta' is not known\n    a query is made of beta and the means; did you mean beta?"),
        ("beta*mu_5", "'mu_5' is not known"),
        ("beta^2*mu_a", LINEAR),
        ("exp(beta)*mu_a", LINEAR),
        ("mu_a", LINEAR),
        ("beta", LINEAR),
        ("3", LINEAR),
        ("mu_a^T*mu_b*beta", LINEAR),
        ("beta*mu_a*mu_b", "their product can't be formed"),
        ("beta*(mu_a +", "a term was expected, but the end was found"),
        ("hello world", "'world' was not expected"),
        ("beta*(mu_a - mu_a)", "it is 0, so every score is 0 and all keys have the same weight"),
    ],
)
def test_a_query_that_is_none_is_refused_with_its_place(query: str, says: str) -> None:
    with pytest.raises(ProblemError) as error:
        derived(f"queries: ['{query}']\n")
    assert str(error.value).startswith(f"p.yaml:4:11: in the query '{query}'")
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("queries: {a: }\n", "p.yaml:4:14: a query is missing"),
        ("queries: {'': beta*mu_a}\n", "p.yaml:4:11: these queries have no name"),
        ("queries: []\n", "p.yaml:4:10: queries must be 1 to 8 queries, one per head"),
        ("queries: {}\n", "p.yaml:4:10: queries must be 1 to 6 lists of queries"),
        ("querys: [beta*mu_a]\n", "p.yaml:1:1: there are no queries"),
        ("querys: [beta*mu_a]\n", "p.yaml:4:1: unknown key 'querys'\n    did you mean queries?"),
        (
            "queries: [beta*mu_a]\npair: [1, 5]\n",
            "p.yaml:5:7: pair must be two different keys, counted from 1 to 4, but [1, 5] was found",
        ),
        (
            "queries: [beta*mu_a]\npair: 1\n",
            "p.yaml:5:7: pair must be two different keys, counted from 1 to 4, but '1'",
        ),
        ("queries: [beta*mu_a]\nbeta: 0\n", "p.yaml:5:7: beta must be a number above 0, but '0' was found"),
        ("queries: [beta*mu_a]\nalpha: -1\n", "p.yaml:5:8: alpha must be a number above 0, but '-1' was found"),
        ("queries: [beta*mu_a]\nstretch: -2\n", "p.yaml:5:1: stretch is a variance, so it can't be negative"),
        (
            "queries: [beta*mu_a]\nkeys: identity\n",
            "p.yaml:5:1: unknown key 'keys'\n    the keys are random: give their",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(ProblemError) as error:
        derived(text)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            "means: [[1, 1], [0, 1]]\nvalues: [[1], [2]]\n",
            "p.yaml:3:8: means must be orthonormal, but row 1 has the squared length 2\n    divide it by its length\n"
            "p.yaml:3:8: means must be orthonormal, but rows 1 and 2 have the dot product 1 instead of 0",
        ),
        ("means: [[1, 0], [0, 1]]\nvalues: [[1], [2], [3]]\n", "p.yaml:4:9: there are 3 values but 2 means"),
        ("means: identity\nvalues: identity\n", "p.yaml:3:8: means and values can't both be identity"),
        ("means: identity\nvalues: [[1]]\n", "p.yaml:3:8: there must be at least two keys, each with its mean"),
        ("values: [[1], [2]]\n", "p.yaml:1:1: there are no means"),
        ("means: [[1, 0], [0, 1]]\n", "p.yaml:1:1: there are no values"),
    ],
)
def test_means_are_orthonormal_with_a_value_each(given: str, says: str) -> None:
    with pytest.raises(ProblemError) as error:
        derived(given, "kind: random-keys\nqueries: [beta*mu_a]\n")
    assert says in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "kind: derivation\ntopic: scaled-dot-product\nd_k: 1000000\nsimulate: {samples: 1000}\n",
        f"kind: random-keys\nmeans: identity\nvalues: {[[1]] * 60}\nqueries: beta*mu_a\nsimulate: {{samples: 99999}}\n",
    ],
)
def test_a_simulation_that_would_not_end_is_refused(text: str) -> None:
    with pytest.raises(
        ProblemError, match=r"are too many: at most 100,000,000 are allowed\n    take fewer samples, or"
    ):
        derived(text, "")


def test_what_is_given_stands_in_the_setting() -> None:
    worked = derived("queries: [beta*mu_a]\n")
    (gallery,) = (b for b in walk(worked.steps(Narration(only=("setting",))).blocks) if isinstance(b, Gallery))
    grids = [chain.links[0][1] for chain in gallery.chains]
    found = [[[number(x) for x in row] for row in grid.rows] for grid in grids if isinstance(grid, Grid)]
    assert found == [np.eye(4).tolist(), VALUES]
    assert "There are n = 4 keys" in told(worked, "setting")
