"""What the text and the picture of a chart have in common: how its numbers are written, and where its ticks stand."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from math import ceil, floor, log10

from attnsolve.document import Chart

LONGEST = 9
"""An edge with more characters than this is written with an exponent."""


def edge_labels(edges: tuple[float, ...]) -> list[str]:
    """The edges of bins as numerals with equally many places, as few as tell what they are.

    >>> edge_labels((0.0, 0.5, 1.0))
    ['0.0', '0.5', '1.0']
    """
    narrow = min(b - a for a, b in pairwise(edges))
    rough = max(ceil(-log10(narrow)) + 1, 0) if narrow > 0 else 3
    places = next((p for p in range(rough) if all(abs(round(e, p) - e) <= narrow / 1000 for e in edges)), rough)
    texts = [f"{round(edge, places) + 0.0:.{places}f}" for edge in edges]
    return texts if max(map(len, texts)) <= LONGEST else [f"{edge:.3g}" for edge in edges]


def top(chart: Chart) -> float:
    """The greatest height of all series, which share one scale so that they can be compared."""
    return max((height for _, heights in chart.series for height in heights), default=0)


def height_text(chart: Chart, height: float) -> str:
    """A share in percent, or a count."""
    if top(chart) > 1:
        return f"{height:.10g}"
    return f"{100 * height:.1f} %" if height >= 0.0005 or height == 0 else "<0.1 %"


def bin_of(chart: Chart, place: float) -> int:
    """The bin that a value falls in, or the nearest one."""
    return min(max(bisect_right(chart.edges, place) - 1, 0), len(chart.edges) - 2)


def ticks(greatest: float) -> list[float]:
    """Round numbers from 0 to at least the greatest value, five or so.

    >>> ticks(0.37)
    [0.0, 0.1, 0.2, 0.3, 0.4]
    """
    if greatest <= 0:
        return [0.0, 1.0]
    unit = float(10 ** floor(log10(greatest / 4)))
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times * 6 >= greatest)
    return [round(step * i, 12) for i in range(ceil(greatest / step - 1e-9) + 1)]
