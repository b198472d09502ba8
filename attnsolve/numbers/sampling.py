"""Drawing at random: what is float by nature. Draws come from numpy's RandomState, whose stream is frozen for good, so
the same seed gives the same figures everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from attnsolve import notation as n
from attnsolve.numbers.decimals import round_fraction
from attnsolve.numbers.written import write_decimal
from attnsolve.record import Record, record

Array = NDArray[np.float64]
BATCH = 1 << 20
"""Numbers drawn at once."""


@record
class Moments(Record):
    """Mean and variance of a sample, each with its standard error."""

    mean: float
    mean_error: float
    variance: float
    variance_error: float

    @classmethod
    def of(cls, values: Array) -> Moments:
        """Of one-dimensional data."""
        centred = values - values.mean()
        second, fourth = float((centred**2).mean()), float((centred**4).mean())
        size = len(values)
        return cls(float(values.mean()), sqrt(second / size), second, sqrt(max(fourth - second**2, 0.0) / size))


def generator(seed: int) -> np.random.RandomState:
    """A stream of draws."""
    return np.random.RandomState(seed)


def batches(samples: int, width: int) -> Iterator[int]:
    """How many samples to draw at once, so that memory stays small."""
    most = max(1, BATCH // max(width, 1))
    while samples > 0:
        yield min(most, samples)
        samples -= most


def shares(values: Array, edges: Sequence[float]) -> tuple[float, ...]:
    """Which share of some values lies in each bin; what lies outside counts to the outermost ones."""
    inside = np.clip(values, edges[0], edges[-1])
    counts, _ = np.histogram(inside, bins=np.asarray(edges))
    return tuple(float(x) / len(values) for x in counts)


def shown(value: float, digits: int = 4) -> n.Notation:
    """A measured number, rounded."""
    if not isfinite(value):
        return n.Word("—")
    rounded = write_decimal(round_fraction(Fraction(value), digits))
    return n.Num(rounded.text, rounded.exponent, rounded=True)
