"""A large matrix in a few numbers: where its smallest and largest entries are, its mean, how much of it is 0 or −∞."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnsolve.numbers.arrays import Array
from attnsolve.record import Record, record

BLOCK = 1 << 18
"""Entries looked at together: what a processor keeps close by."""


@record
class Extreme(Record):
    """An entry and its place, counted from 0."""

    value: float
    row: int
    column: int


@record
class Summary(Record):
    """Of the finite entries; `least` and `greatest` are None where there are none."""

    least: Extreme | None
    greatest: Extreme | None
    mean: float
    zeros: int
    infinite: int
    size: int


def blocks(array: Array) -> Iterator[tuple[int, Array]]:
    """An array in blocks of rows, each with the number of its first."""
    step = max(1, BLOCK // array.shape[1])
    for start in range(0, array.shape[0], step):
        yield start, array[start : start + step]


def summarise(array: Array) -> Summary:
    """In one pass, block by block."""
    least = greatest = None
    total, zeros, infinite = 0.0, 0, 0
    for start, block in blocks(array):
        low, high = block, block
        if block.min() == -np.inf:
            hidden = np.isneginf(block)
            infinite += int(np.count_nonzero(hidden))
            low, high = np.where(hidden, np.inf, block), block
            total += float(np.where(hidden, 0.0, block).sum())
        else:
            total += float(block.sum())
        zeros += block.size - int(np.count_nonzero(block))
        if (found := low.min()) < (np.inf if least is None else least.value):
            least = _place(low, int(low.argmin()), start, float(found))
        if (found := high.max()) > (-np.inf if greatest is None else greatest.value):
            greatest = _place(high, int(high.argmax()), start, float(found))
    finite = array.size - infinite
    return Summary(least, greatest, total / finite if finite else 0.0, zeros, infinite, array.size)


def _place(block: Array, index: int, start: int, value: float) -> Extreme:
    row, column = divmod(index, block.shape[1])
    return Extreme(value, start + row, column)
