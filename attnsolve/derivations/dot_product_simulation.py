"""The dot product of random vectors, drawn many times: its mean and variance beside the derived ones, and what scaling
does to a softmax."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import sqrt

import numpy as np

from attnsolve import notation as n
from attnsolve.algebra.grammar import parse_term
from attnsolve.derivations.argument import Argument
from attnsolve.derivations.comparing import real_of
from attnsolve.derivations.names import names
from attnsolve.derivations.writing import Passage
from attnsolve.document import Chart, Inline, Table
from attnsolve.numbers.arrays import Arrays
from attnsolve.numbers.sampling import Array, Moments, batches, generator, shares, shown
from attnsolve.numbers.surds import EULER
from attnsolve.numbers.written import Figures
from attnsolve.spec.given import DotProduct
from attnsolve.spec.readings import Simulation

USUAL = {"mu": Fraction(0), "sigma": Fraction(1), "D_k": Fraction(64), "v": Fraction(1)}
BINS = 13
KEYS, QUERIES = 8, 1000
"""Keys that a query is compared with, and queries, where entropies are measured."""
WIDTHS = (1, 4, 16, 64, 256)
FAR = 4
"""Standard errors beyond which a sample would speak against the derivation."""


@lru_cache(maxsize=8)
def simulation(wanted: Simulation, given: DotProduct, variance: str) -> Passage:
    """Draw, compare with the derived variance, and look at the softmax. Letters take their usual values.
    The same seed gives the same numbers, so they are drawn once."""
    numbers = USUAL | given.values
    mean, deviation, width, target = (
        float(numbers["mu"]),
        float(numbers["sigma"]),
        int(numbers["D_k"]),
        float(numbers["v"]),
    )
    writing = Argument("simulation", "A check by simulation", names(f"s: sqrt({variance}/v)", **numbers))
    spread = width * (deviation**4 + 2 * mean**2 * deviation**2)
    scale = sqrt(spread / target)
    values = dict(zip(("mu", "sigma", "D_k", "s"), (mean, deviation, width, scale), strict=True))
    phrase = ", ".join(f"{{{name}}}" for name in values)
    letters = "" if numbers == given.values else " (letters that the problem leaves open have their usual values)"
    writing.paragraph(
        f"{wanted.samples:,} pairs of vectors are drawn (seed {wanted.seed}), with {phrase}{letters}. Each sampled"
        " figure is given with its standard error, the size of the chance fluctuations to expect:",
        **{name: writing.measured(name, value) for name, value in values.items()},
    )
    products = _products(wanted, mean, deviation, width)
    _compare(writing, products, width * mean**2, spread, scale)
    writing.add(_chart(products, scale, width * mean**2, sqrt(spread)))
    _entropies(writing, wanted.seed, mean, deviation, target)
    return writing.finish()


def _products(wanted: Simulation, mean: float, deviation: float, width: int) -> Array:
    rng = generator(wanted.seed)
    parts = []
    for size in batches(wanted.samples, 2 * width):
        q, k = rng.standard_normal((2, size, width)) * deviation + mean
        parts.append(np.einsum("ij,ij->i", q, k))
    return np.concatenate(parts)


DOT = n.Product((n.Transposed(n.Sym("q", vector=True)), n.Sym("k", vector=True)))
SCALED = n.Frac(DOT, n.Sym("s"))


def _compare(writing: Argument, products: Array, mean: float, variance: float, scale: float) -> None:
    """A table of derived and sampled figures; each must be within a few standard errors."""
    rows: list[tuple[Inline, ...]] = []
    for symbol, values, factor in ((DOT, products, 1.0), (SCALED, products / scale, scale)):
        found = Moments.of(values)
        pairs = (
            (n.Call("E", (symbol,), square=True), mean / factor, found.mean, found.mean_error),
            (n.Call("Var", (symbol,)), variance / factor**2, found.variance, found.variance_error),
        )
        for name, derived, sampled, error in pairs:
            derived = float(f"{derived:.12g}")
            rows.append(((name,), (_figure(derived),), (_figure(sampled),), (shown(error, 2),)))
            near = abs(sampled - derived) <= FAR * error
            what = "the mean" if sampled == found.mean else "the variance"
            which = "" if factor == 1.0 else " after scaling"
            writing.holds(f"{what}{which} agrees with the derived one within {FAR} standard errors", near)
    writing.add(Table((("quantity",), ("derived",), ("sampled",), ("standard error",)), tuple(rows)))


def _figure(value: float) -> n.Notation:
    return n.Num(f"{value:g}") if value == round(value) and abs(value) < 1e6 else shown(value)


def _chart(products: Array, scale: float, mean: float, deviation: float) -> Chart:
    width = 3 * deviation + abs(mean)
    edges = tuple(float(x) for x in np.linspace(-width, width, BINS + 1))
    series = (("q·k", shares(products, edges)), ("q·k/s", shares(products / scale, edges)))
    return Chart(
        "How dot products spread, before and after scaling",
        "spread",
        edges,
        series,
        ("q·k, and q·k/s; values further out are counted in the outermost bars",),
    )


def _entropies(writing: Argument, seed: int, mean: float, deviation: float, target: float) -> None:
    """How even the weights of a softmax are, with and without scaling, as vectors grow longer."""
    most = f"ln({KEYS})"
    writing.paragraph(
        f"The effect on the softmax: {QUERIES:,} queries are each compared with {KEYS} keys. The entropy of the"
        f" weights is {{most}} when all are equal, and 0 when one key has all the weight.",
        most=writing.found(most, real_of(parse_term(most)), Figures(4, "decimal")),
    )
    rng = generator(seed + 1)
    rows: list[tuple[Inline, ...]] = []
    for width in WIDTHS:
        scores = np.concatenate(
            [_scores(rng, size, width, mean, deviation) for size in batches(QUERIES, (KEYS + 1) * width)]
        )
        scale = sqrt(width * (deviation**4 + 2 * mean**2 * deviation**2) / target)
        figures = [f(Arrays(s).softmax(EULER).array) for s in (scores, scores / scale) for f in (_entropy, _largest)]
        rows.append(((n.Num(str(width)),), *((shown(figure, 3),) for figure in figures)))
    header: tuple[Inline, ...] = (
        (n.Sym("D", ("k",)),),
        ("entropy",),
        ("largest weight",),
        ("entropy, scaled",),
        ("largest, scaled",),
    )
    writing.add(Table(header, tuple(rows)))
    writing.paragraph(
        "Without scaling, the scores spread further and further apart as {D_k} grows, and the softmax saturates: in"
        " the end one key takes nearly all the weight, and hardly any gradient flows back to any score. With"
        " scaling, the spread of the scores, and with it the softmax, stays much the same whatever {D_k} is.",
        D_k=n.Sym("D", ("k",)),
    )


def _scores(rng: np.random.RandomState, size: int, width: int, mean: float, deviation: float) -> Array:
    vectors = rng.standard_normal((size, KEYS + 1, width)) * deviation + mean
    scores: Array = np.einsum("id,ijd->ij", vectors[:, 0], vectors[:, 1:])
    return scores


def _entropy(weights: Array) -> float:
    logs = np.log(np.maximum(weights, 1e-300))
    return float(-(weights * logs).sum(axis=1).mean())


def _largest(weights: Array) -> float:
    return float(weights.max(axis=1).mean())
