"""The mean, the variance and the scale of a dot product: against formulas by hand, and against draws of our own."""

from __future__ import annotations

import re
from functools import cache
from itertools import product

import numpy as np
import pytest
import sympy

from attnsolve.derivations.derivation import Derivation
from attnsolve.document import Chart, Table, walk
from attnsolve.loading.files import parse
from attnsolve.notation import Num
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.solution.solved import Narration

TOPIC = "kind: derivation\ntopic: scaled-dot-product\n"
GIVEN = {"mu": "-1/2", "sigma": "3/2", "d_k": "6", "variance": "5/4"}
LETTERS = {"mu": "mu", "sigma": "sigma", "d_k": "D_k", "variance": "v"}


@cache
def derived(text: str) -> Derivation:
    (problem,) = parse(TOPIC + text, "p.yaml")
    worked = solve(problem)
    assert isinstance(worked, Derivation)
    return worked


def told(worked: Derivation, *only: str, width: int = 100) -> str:
    return render(worked.to_document(Narration(only=only)), width)


# ── exact ─────────────────────────────────────────────────────────────────────────────────────────


STATED = [set(names) - {""} for names in product(*(("", name) for name in GIVEN))]


@pytest.mark.parametrize("stated", STATED, ids=lambda names: " ".join(sorted(names)))
def test_results_are_the_formulas_with_what_is_given_put_in(stated: set[str]) -> None:
    worked = derived("".join(f"{name}: {GIVEN[name]}\n" for name in GIVEN if name in stated))
    values = {k: sympy.Rational(GIVEN[k]) if k in stated else sympy.Symbol(LETTERS[k]) for k in GIVEN}
    if not stated:
        values["variance"] = sympy.Integer(1)
    mu, sigma, d, v = values["mu"], values["sigma"], values["d_k"], values["variance"]
    spread = d * (sigma**4 + 2 * mu**2 * sigma**2)
    assert same(worked["expectation"].exact, d * mu**2)
    assert same(worked["variance"].exact, spread)
    scale = worked["scale"].exact
    assert scale is not None
    usual = {sympy.Symbol("mu"): 0, sympy.Symbol("sigma"): 1} if not stated else {}
    assert same(scale**2, (spread / v).subs(usual))
    assert worked.holds


def same(found: sympy.Expr | None, expected: sympy.Expr) -> bool:
    """Letters are the same by their names, whatever the tool assumes of them."""
    assert found is not None
    plain = found.subs({letter: sympy.Symbol(letter.name) for letter in found.free_symbols})
    return bool(sympy.simplify(plain - expected) == 0)


def test_the_scale_is_the_root_of_the_width_in_the_usual_case() -> None:
    scale = derived("")["scale"].exact
    assert scale == sympy.sqrt(sympy.Symbol("D_k", positive=True))
    assert derived("mu: 0\nsigma: 1\nd_k: 64\nvariance: 1\n")["scale"].exact == 8


@pytest.mark.parametrize(("mu", "sigma", "d_k"), [(0, 1, 16), (-0.5, 1.5, 6), (2, 0.5, 3)])
def test_results_agree_with_draws_of_our_own(mu: float, sigma: float, d_k: int) -> None:
    worked = derived(f"mu: {mu}\nsigma: {sigma}\nd_k: {d_k}\nvariance: 2\n")
    rng = np.random.default_rng(11)
    q, k = rng.normal(mu, sigma, (2, 200_000, d_k))
    scores = (q * k).sum(axis=1)
    mean, variance, scale = (float(sympy.N(worked[name].exact)) for name in ("expectation", "variance", "scale"))
    spread = (scores - scores.mean()) ** 2
    assert abs(scores.mean() - mean) < 4 * scores.std() / np.sqrt(len(scores))
    assert abs(spread.mean() - variance) < 4 * spread.std() / np.sqrt(len(scores))
    assert np.var(scores / scale) == pytest.approx(2, rel=0.03)


# ── told ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_argument_gives_the_general_variance_both_roots_and_why_one_is_taken() -> None:
    text = told(derived(""))
    for line in (
        "= Dₖ μ²                         Dₖ equal terms",
        "Var(qᵀ k) = Dₖ (σ⁴ + 2μ² σ²)",
        "s = ±√(Dₖ (σ⁴ + 2μ² σ²)/v)",
        "s = ±√Dₖ",
        "linearity of expectation",
        "qᵢ and kᵢ are independent",
    ):
        assert line in text
    assert "We take the positive one, since a negative divisor would reverse the ranking" in " ".join(text.split())


def test_what_is_not_given_is_not_told_as_given() -> None:
    text = told(derived("variance: 4\n"), "expectation", "variance", "scale")
    assert re.findall(r"(With .*|In the usual case.*):", text) == [
        "In the usual case, μ = 0", "In the usual case, μ = 0, σ = 1", "In the usual case, μ = 0, σ = 1, v = 4",
    ]  # fmt: skip
    assert "s = ±√Dₖ/2" in text


def test_a_width_alone_is_put_in_and_the_usual_case_told_as_well() -> None:
    text = told(derived("d_k: 64\n"), "variance", "scale")
    assert "Var(qᵀ k) = Dₖ (σ⁴ + 2μ² σ²) = 64 (1⁴ + 2·0²·1²) = 64" in text
    assert "s = ±8" in text


def test_only_what_a_formula_speaks_of_is_put_into_it() -> None:
    text = told(derived("mu: 1/2\nsigma: 2\nd_k: 12\n"), "expectation")
    assert "With μ = 1/2, Dₖ = 12:" in text


@pytest.mark.parametrize("text", ["", "variance: 3\n", "mu: -1/2\n", "d_k: 3\n", "sigma: 2\nvariance: 3/2\n"])
def test_every_combination_can_be_exported_as_markdown(text: str) -> None:
    assert r"\sqrt{\frac" not in derived(text).to_markdown()


# ── drawn ─────────────────────────────────────────────────────────────────────────────────────────

DRAWN = "simulate: {{samples: 4000, seed: {seed}}}\nmu: {mu}\nsigma: 2\nd_k: 8\nvariance: 3\n"


def tables(worked: Derivation) -> list[list[list[float]]]:
    found = [block for block in walk(worked.steps().blocks) if isinstance(block, Table)]
    return [[[number(cell[0]) for cell in row if isinstance(cell[0], Num)] for row in t.rows] for t in found]


def number(node: object) -> float:
    assert isinstance(node, Num)
    return float(f"{node.text}e{node.exponent or 0}")


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_sampled_figures_lie_within_standard_errors_of_the_formulas(seed: int) -> None:
    figures, _ = tables(derived(DRAWN.format(seed=seed, mu="1/2")))
    variance = 8 * (16 + 2 * 4 / 4)
    expected = [8 / 4, variance, 2 / np.sqrt(variance / 3), 3]
    for (stated, sampled, error), value in zip(figures, expected, strict=True):
        assert stated == pytest.approx(value, rel=1e-3)
        assert abs(sampled - value) < 5 * error
    errors = [row[2] for row in figures]
    assert errors[0] == pytest.approx(np.sqrt(variance / 4000), rel=0.1)


def test_a_seed_says_which_numbers_are_drawn() -> None:
    once, again, other = (derived(DRAWN.format(seed=seed, mu=0)) for seed in (5, 5, 6))
    assert told(once) == told(again)
    assert tables(once) != tables(other)


def test_a_scaled_variance_is_shown_without_the_noise_of_floats() -> None:
    text = told(derived(DRAWN.format(seed=0, mu="1/2")), "simulation")
    assert re.search(r"Var\(qᵀ k/s\) +3 ", text)


def test_entropy_falls_without_scaling_and_stays_with_it() -> None:
    _, rows = tables(derived("simulate: {samples: 1000, seed: 0}\n"))
    widths, unscaled, largest, scaled, _ = (list(column) for column in zip(*rows, strict=True))
    assert widths == sorted(widths)
    assert unscaled == sorted(unscaled, reverse=True)
    assert unscaled[-1] < 0.2 < scaled[-1]
    assert largest[-1] > 0.9
    assert max(scaled) - min(scaled) < 0.15
    assert max(unscaled + scaled) < np.log(8)


def test_entropies_agree_with_draws_of_our_own() -> None:
    _, rows = tables(derived("simulate: {samples: 1000, seed: 0}\n"))
    rng = np.random.default_rng(3)
    for width, unscaled, _, scaled, _ in rows[1:4]:
        q, keys = rng.standard_normal((4000, int(width))), rng.standard_normal((4000, 8, int(width)))
        scores = np.einsum("id,ijd->ij", q, keys)
        for figure, z in ((unscaled, scores), (scaled, scores / np.sqrt(width))):
            powers = np.exp(z - z.max(axis=1, keepdims=True))
            weights = powers / powers.sum(axis=1, keepdims=True)
            entropy = -(weights * np.log(np.maximum(weights, 1e-300))).sum(axis=1)
            assert figure == pytest.approx(entropy.mean(), abs=0.08)


def test_both_spreads_are_drawn_in_one_chart() -> None:
    (chart,) = (b for b in walk(derived("simulate: {}\n").steps().blocks) if isinstance(b, Chart))
    assert [name for name, _ in chart.series] == ["q·k", "q·k/s"]
    for _, heights in chart.series:
        assert sum(heights) == pytest.approx(1)
