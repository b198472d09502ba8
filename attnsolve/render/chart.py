"""A histogram in characters: a row a bin, a column of bars a series, all of them on one scale."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from attnsolve.document import Chart
from attnsolve.render import scale
from attnsolve.render.box import Line, Span, width_of

EIGHTHS = " ▏▎▍▌▋▊▉█"
SHORTEST, LONGEST = 8, 40
"""Columns of the longest bar: with less than the shortest, series are drawn one below the other."""
BETWEEN = 2


def bar(share: float, columns: int, unicode: bool) -> str:
    """A bar that fills its share of some columns, to the eighth of one where there are such characters."""
    if not unicode:
        return "#" * round(share * columns)
    eighths = max(round(share * columns * 8), 1 if share > 0 else 0)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


class Drawing:
    """One chart fitted to a width: whether its series and the notes on its marks fit side by side."""

    def __init__(self, chart: Chart, axis: str, width: int, unicode: bool) -> None:
        self.chart, self.axis, self.width, self.unicode = chart, axis, width, unicode
        self.top = scale.top(chart) or 1.0
        self.bins = self._bins()
        self.margin = max(map(width_of, self.bins)) + 1
        heights = [height for _, series in chart.series for height in series]
        self.number = max((len(scale.height_text(chart, height)) for height in heights), default=0)
        self.notes = self._notes()
        self.noted = max(map(width_of, self.notes))

    def lines(self) -> Iterator[Line]:
        """The drawing: all series side by side if their bars can be told apart, else one below the other."""
        if self.axis and width_of(self.axis) >= self.margin:
            yield (Span(self._cut(self.axis, self.width), "note"),)
        series = self.chart.series
        for aside in (True, False):
            if self._bar(len(series), aside) >= SHORTEST and self._named(len(series), aside):
                yield from self._rows(tuple(range(len(series))), aside)
                return
        aside = self._bar(1, True) >= SHORTEST
        for number in range(len(series)):
            yield from [()] if number else []
            yield from self._rows((number,), aside)

    def _rows(self, shown: tuple[int, ...], aside: bool) -> Iterator[Line]:
        columns = max(min(self._bar(len(shown), aside), LONGEST), 1)
        cell = columns + 1 + self.number
        names = [self.chart.series[s][0] for s in shown]
        axis = self.axis if width_of(self.axis) < self.margin else ""
        if axis or any(names):
            room = cell if len(shown) > 1 else self.width - self.margin - 1
            heads = [_padded(self._cut(name, room), cell + BETWEEN) for name in names]
            yield (Span(_padded(axis, self.margin + 1), "note"), Span(" ".join(heads), "label"))
        edge = "│" if self.unicode else "|"
        for i, label in enumerate(self.bins):
            line = [Span(_padded(label, self.margin))]
            for s in shown:
                height = self.chart.series[s][1][i]
                drawn = bar(height / self.top, columns, self.unicode)
                number = _padded(f" {scale.height_text(self.chart, height)}", cell - width_of(drawn) + BETWEEN)
                line += [Span(edge, "rule"), Span(drawn, f"bars{s % 3}"), Span(number)]
            if aside and self.notes[i]:
                line.append(Span(self.notes[i], "note"))
            yield tuple(line)
            if not aside and self.notes[i]:
                yield (Span(" " * self.margin), Span(self._cut(self.notes[i], self.width - self.margin), "note"))

    def _bar(self, series: int, aside: bool) -> int:
        """Columns left for each series' bars."""
        noted = self.noted if aside else 0
        return (self.width - self.margin - noted) // series - 2 - self.number - BETWEEN if series else 0

    def _named(self, series: int, aside: bool) -> bool:
        room = min(self._bar(series, aside), LONGEST) + 1 + self.number
        return series == 1 or all(width_of(name) <= room for name, _ in self.chart.series)

    def _bins(self) -> list[str]:
        labels = scale.edge_labels(self.chart.edges)
        if self.unicode:
            labels = [label.replace("-", "−") for label in labels]
        wide = max(map(len, labels))
        dots = "…" if self.unicode else ".."
        return [f"{a:>{wide}} {dots} {b:>{wide}}" for a, b in pairwise(labels)]

    def _notes(self) -> list[str]:
        """What is marked at each bin; a mark outside of all bins says so."""
        marked: list[list[str]] = [[] for _ in self.bins]
        for name, place in self.chart.marks:
            outside = not self.chart.edges[0] <= place <= self.chart.edges[-1]
            marked[scale.bin_of(self.chart, place)].append(f"{name} (outside)" if outside else name)
        sign = "◂" if self.unicode else "<"
        return [f"{sign} {', '.join(names)}" if names else "" for names in marked]

    def _cut(self, text: str, width: int) -> str:
        if width_of(text) <= width:
            return text
        while width_of(text) >= width:
            text = text[:-1]
        return text + ("…" if self.unicode else "~")


def _padded(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))
