"""Pictures as SVG, written as text: heat maps of weights, and histograms."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import pairwise

from attnsolve.document import Chart, Picture
from attnsolve.notation.text import TextPrinter
from attnsolve.render import scale

CELL, MARGIN, LINE = 56, 8, 16
LETTER = 8
"""Pixels a letter of a label takes."""


COLOURS = ("#0072b2", "#e69f00", "#009e73")
"""Blue, orange and green that colour-blind readers tell apart (Okabe and Ito)."""
WIDTH, PLOT, SWATCH = 640, 240, 10


def drawing(figure: Picture | Chart) -> str:
    """The SVG of anything that has a file of its own."""
    return heat_map(figure) if isinstance(figure, Picture) else histogram(figure)


def heat_map(picture: Picture) -> str:
    """The SVG of a heat map: darker is more weight; every cell also says its number."""
    rows = [_label(label) for label in picture.row_labels]
    columns = [_label(label) for label in picture.column_labels]
    left = MARGIN + LETTER * max((len(label) for label in rows), default=0) + MARGIN
    top = MARGIN + LINE + MARGIN
    width = left + CELL * len(picture.values[0]) + MARGIN
    height = top + CELL * len(picture.values) + MARGIN
    parts = _opening(picture.title, width, height)
    for j, label in enumerate(columns):
        parts.append(_text(left + CELL * j + CELL / 2, top - MARGIN, label, "middle"))
    for i, row in enumerate(picture.values):
        middle = top + CELL * i + CELL / 2 + 4
        if rows:
            parts.append(_text(left - MARGIN, middle, rows[i], "end"))
        for j, weight in enumerate(row):
            x, y = left + CELL * j, top + CELL * i
            colour = "white" if weight > 0.5 else "black"
            parts.append(
                f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="#1f4e9c" '
                f'fill-opacity="{weight:.3f}" stroke="#888"/>'
            )
            parts.append(_text(x + CELL / 2, middle, picture.texts[i][j], "middle", colour))
    return "\n".join([*parts, "</svg>"]) + "\n"


def histogram(chart: Chart) -> str:
    """The SVG of a histogram: bars side by side in each bin, on one scale, and dashed lines at the marks."""
    return _Plot(chart).svg()


class _Plot:
    """Where everything in a histogram stands: title, legend and the names of marks above the bars, ticks below."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        shares = scale.top(chart) <= 1
        self.levels = scale.ticks(scale.top(chart))
        self.heights = [f"{100 * level:g} %" if shares else f"{level:.10g}" for level in self.levels]
        self.left = MARGIN + LETTER * max(map(len, self.heights)) + MARGIN
        self.right = WIDTH - 2 * MARGIN
        places = [place for _, place in chart.marks]
        self.least, self.most = min(*chart.edges, *places), max(*chart.edges, *places)
        self.legend = self._legend()
        self.notes = self._notes()
        rows = [max((row for _, _, row in placed), default=0) for placed in (self.legend, self.notes)]
        self.top = MARGIN + LINE * (1 + sum(rows)) + MARGIN
        self.bottom = self.top + PLOT

    def svg(self) -> str:
        axis = "".join(part if isinstance(part, str) else TextPrinter().print(part) for part in self.chart.axis)
        height = self.bottom + MARGIN + LINE * (2 if axis else 1) + MARGIN
        middle, room = (self.left + self.right) / 2, WIDTH - 2 * MARGIN
        parts = _opening(self.chart.title, WIDTH, height)
        parts.append(_text(WIDTH / 2, MARGIN + 12, _cut(self.chart.title, room), "middle"))
        parts += [*self._grid(), *self._bars(), *self._ticks(), *self._named(), *self._marked()]
        if axis:
            parts.append(_text(middle, height - MARGIN - 2, _cut(axis, self.right - self.left), "middle"))
        return "\n".join([*parts, "</svg>"]) + "\n"

    def x(self, value: float) -> float:
        """Where a value stands."""
        return self.left + (self.right - self.left) * (value - self.least) / ((self.most - self.least) or 1)

    def _grid(self) -> Iterator[str]:
        for level, label in zip(self.levels, self.heights, strict=True):
            y = self.bottom - PLOT * level / self.levels[-1]
            yield _line(self.left, y, self.right, y, "#ddd" if level else "black")
            yield _text(self.left - MARGIN, y + 4, label, "end")

    def _bars(self) -> Iterator[str]:
        for number, (_, heights) in enumerate(self.chart.series):
            for (a, b), height in zip(pairwise(self.chart.edges), heights, strict=True):
                gap = min(2.0, (self.x(b) - self.x(a)) / 8)
                wide = (self.x(b) - self.x(a) - 2 * gap) / len(self.chart.series)
                tall = PLOT * height / self.levels[-1]
                yield (
                    f'<rect class="bar" x="{self.x(a) + gap + wide * number:.2f}" y="{self.bottom - tall:.2f}" '
                    f'width="{wide:.2f}" height="{tall:.2f}" fill="{_colour(number)}"/>'
                )

    def _ticks(self) -> Iterator[str]:
        """A tick at every edge, and a number wherever there is room for one."""
        used = 0.0
        for edge, label in zip(self.chart.edges, scale.edge_labels(self.chart.edges), strict=True):
            half = LETTER * len(label) / 2
            yield _line(self.x(edge), self.bottom, self.x(edge), self.bottom + 4, "black")
            if self.x(edge) - half >= used:
                yield _text(self.x(edge), self.bottom + LINE, label.replace("-", "−"), "middle")
                used = self.x(edge) + half + LETTER

    def _legend(self) -> list[tuple[float, str, int]]:
        """Each series' place, name and row, as many in a row as fit."""
        placed: list[tuple[float, str, int]] = []
        x, row = float(self.left), 1
        for name, _ in self.chart.series if any(name for name, _ in self.chart.series) else ():
            text = _cut(name, self.right - self.left - 2 * SWATCH)
            wide = 2 * SWATCH + LETTER * len(text)
            if x > self.left and x + wide > self.right:
                x, row = float(self.left), row + 1
            placed.append((x, text, row))
            x += wide + 2 * SWATCH
        return placed

    def _named(self) -> Iterator[str]:
        for number, (x, name, row) in enumerate(self.legend):
            y = MARGIN + LINE * row
            yield f'<rect x="{x:g}" y="{y + 3}" width="{SWATCH}" height="{SWATCH}" fill="{_colour(number)}"/>'
            yield _text(x + SWATCH + 5, y + 12, name, "start")

    def _notes(self) -> list[tuple[float, str, int]]:
        """Each mark's place, name and row above the bars; names that would run together stand in different rows."""
        ends: list[float] = []
        placed = []
        for name, place in sorted(self.chart.marks, key=lambda mark: mark[1]):
            text = _cut(name, self.right - self.left)
            half = LETTER * len(text) / 2
            middle = min(max(self.x(place), self.left + half), self.right - half)
            row = next((row for row, end in enumerate(ends) if middle - half > end), len(ends))
            ends[row : row + 1] = [middle + half + LETTER]
            placed.append((place, text, row + 1))
        return placed

    def _marked(self) -> Iterator[str]:
        for place, name, row in self.notes:
            x, y, half = self.x(place), self.top - LINE * row, LETTER * len(name) / 2
            yield _line(x, y + LINE - 2, x, self.bottom, "black", ' stroke-dasharray="4 3"')
            yield _text(min(max(x, self.left + half), self.right - half), y + 10, name, "middle")


def _opening(title: str, width: int, height: int) -> list[str]:
    """The first lines of a picture: its size, its title for those who can't see it, a white page."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]


def _colour(series: int) -> str:
    return COLOURS[series % len(COLOURS)]


def _cut(text: str, room: float) -> str:
    most = int(room // LETTER)
    return text if len(text) <= most else text[: most - 1] + "…"


def _line(x: float, y: float, to_x: float, to_y: float, colour: str, dashes: str = "") -> str:
    return f'<line x1="{x:.2f}" y1="{y:.2f}" x2="{to_x:.2f}" y2="{to_y:.2f}" stroke="{colour}"{dashes}/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str = "black") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _label(label: str) -> str:
    return TextPrinter().label(label)
