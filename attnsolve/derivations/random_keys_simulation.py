"""Heads on keys that are drawn many times: how their output moves, construction by construction."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

import numpy as np

from attnsolve import notation as n
from attnsolve.derivations.argument import Argument
from attnsolve.derivations.heads import WANTED, value
from attnsolve.derivations.names import names
from attnsolve.derivations.writing import Passage
from attnsolve.document import Chart, Inline, Table
from attnsolve.numbers.arrays import Arrays
from attnsolve.numbers.sampling import Array, batches, generator, shares, shown
from attnsolve.numbers.surds import EULER
from attnsolve.spec.random_keys import Construction, RandomKeys
from attnsolve.spec.readings import Simulation

EDGES = tuple(i / 20 for i in range(-1, 23, 2))
"""Bins along the line from v_b (at 0) to v_a (at 1), those two and the middle in the middle of theirs."""


@lru_cache(maxsize=8)
def simulation(body: RandomKeys, wanted: Simulation) -> Passage:
    """Draw keys, steady ones and with key a varying; tell mean and variance of each construction's output. The same
    seed gives the same numbers, so they are drawn once."""
    writing = Argument("simulation", "A check by simulation", names("beta, alpha: positive"))
    numbers = {"beta": writing.value("beta", body.beta), "alpha": writing.value("alpha", body.alpha, "decimal")}
    writing.states_on_sheets("Draw the keys with {beta} and {alpha}.", **numbers)
    writing.paragraph(
        f"The keys are drawn {wanted.samples:,} times (seed {wanted.seed}), with {{beta}} and {{alpha}}. The variance"
        " is the total over all coordinates of the output; the last column is the mean squared distance from"
        f" {{wanted}}.",
        wanted=WANTED,
        **numbers,
    )
    rows: list[tuple[Inline, ...]] = []
    moving: dict[str, Array] = {}
    for stretch in dict.fromkeys((0.0, float(body.stretch))):
        for construction in body.constructions:
            outputs = draw(body, construction, wanted, stretch)
            rows.append(_row(body, construction, outputs, stretch))
            moving[construction.label] = outputs
    header = ("queries", "key a", "mean output", "variance", "squared distance")
    writing.add(Table(tuple((name,) for name in header), tuple(rows)))
    varying = " when key a varies" if body.stretch else ""
    if (chart := _chart(body, moving)) is not None:
        writing.paragraph(
            f"The chart shows where the output lies on the line from {{b}} (at 0) to {{a}} (at 1){varying}. We want"
            " it at ½. Values further out are counted in the outermost bars:",
            a=value("a"),
            b=value("b"),
        )
        writing.add(chart)
    return writing.finish()


def draw(body: RandomKeys, construction: Construction, wanted: Simulation, stretch: float) -> Array:
    """The averaged output of some heads, for each draw of the keys."""
    means, values = (np.array([[float(x) for x in row] for row in rows]) for rows in (body.means, body.values))
    queries = [
        float(body.beta) * means.T @ np.array([float(x) for x in query.multiples]) for query in construction.queries
    ]
    rng = generator(wanted.seed)
    a = body.pair[0] - 1
    parts = []
    for size in batches(wanted.samples, means.size + 1):
        keys = means + sqrt(float(body.alpha)) * rng.standard_normal((size, *means.shape))
        keys[:, a] += sqrt(stretch) * rng.standard_normal((size, 1)) * means[a]
        parts.append(np.mean([Arrays(keys @ query).softmax(EULER).array @ values for query in queries], axis=0))
    outputs: Array = np.concatenate(parts)
    return outputs


def _row(body: RandomKeys, construction: Construction, outputs: Array, stretch: float) -> tuple[Inline, ...]:
    a, b = (np.array([float(x) for x in body.values[place - 1]]) for place in body.pair)
    mean = outputs.mean(axis=0)
    variance = float(((outputs - mean) ** 2).sum(axis=1).mean())
    distance = float(((outputs - (a + b) / 2) ** 2).sum(axis=1).mean())
    entries = n.Grid((tuple(shown(float(x), 3) for x in mean),))
    how = "varying" if stretch else "steady"
    return (construction.label or "the query",), (how,), (entries,), (shown(variance, 3),), (shown(distance, 3),)


def _chart(body: RandomKeys, moving: dict[str, Array]) -> Chart | None:
    """Where the outputs lie between the two values, key a varying if it does."""
    a, b = (np.array([float(x) for x in body.values[place - 1]]) for place in body.pair)
    along = a - b
    length = float(along @ along)
    if not length:
        return None
    series = tuple(
        (label or "output", shares((outputs - b) @ along / length, EDGES)) for label, outputs in moving.items()
    )
    axis = ("from ", value("b"), " to ", value("a"))
    return Chart("Where the output lies", "outputs", EDGES, series, axis, (("wanted", 0.5),))
