"""Histograms: bars as long as their data, in characters and in SVG."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnsolve import notation as n
from attnsolve.document import Chart, Document, Section, pictures
from attnsolve.export import _numbered
from attnsolve.export.formats import Options, Worksheet
from attnsolve.export.formats.md import export
from attnsolve.render.box import width_of
from attnsolve.render.chart import EIGHTHS, bar
from attnsolve.render.github import traps
from attnsolve.render.markdown import FLAVOURS, Flavour
from attnsolve.render.markdown import render as render_markdown
from attnsolve.render.scale import edge_labels, ticks
from attnsolve.render.svg import COLOURS, histogram
from attnsolve.render.text import render

SHARES = Chart(
    "Largest weight",
    "largest",
    (0.0, 0.25, 0.5, 0.75, 1.0),
    (("scaled", (0.1, 0.4, 0.3, 0.2)), ("unscaled", (0.0, 0.0001, 0.1999, 0.8))),
    ("weight ", n.Sym("a", ("i",))),
    (("mean", 0.55), ("median", 0.5)),
)
COUNTS = Chart("Scores", "scores", (-2, -1, 0, 1), (("", (10, 40, 25)),), (), (("σ", 7.5),))


def body(chart: Chart, width: int, unicode: bool = True) -> list[str]:
    return render(Document("T", "", (chart,)), width, unicode).splitlines()[3:]


def test_series_stand_side_by_side_on_one_scale() -> None:
    assert body(SHARES, 80) == [
        "  Largest weight",
        "  weight aᵢ    scaled                    unscaled",
        "  0.00 … 0.25 │██ 10.0 %                │ 0.0 %",
        "  0.25 … 0.50 │████████ 40.0 %          │▏ <0.1 %",
        "  0.50 … 0.75 │██████ 30.0 %            │████ 20.0 %              ◂ mean, median",
        "  0.75 … 1.00 │████ 20.0 %              │████████████████ 80.0 %",
    ]


def test_ascii_has_its_own_bars_and_signs() -> None:
    assert body(COUNTS, 60, unicode=False) == [
        "  Scores",
        "  -2 .. -1 |###### 10",
        "  -1 ..  0 |" + "#" * 26 + " 40",
        "   0 ..  1 |" + "#" * 16 + " 25            < sigma (outside)",
    ]


def test_on_a_narrow_page_series_stand_below_each_other() -> None:
    shown = body(SHARES, 40)
    assert [line.strip() for line in shown if "scaled" in line] == ["weight aᵢ    scaled", "weight aᵢ    unscaled"]
    assert sum("◂ mean, median" in line for line in shown) == 2


heights = st.lists(st.floats(0, 1), min_size=3, max_size=3).map(tuple)
names = st.text(st.characters(categories=("L", "N", "P")), max_size=30)


@given(st.lists(st.tuples(names, heights), min_size=1, max_size=3), names, st.integers(40, 120), st.booleans())
def test_no_chart_is_wider_than_the_page(series: list[tuple[str, Any]], name: str, width: int, unicode: bool) -> None:
    chart = Chart("T", "t", (-1e7, 0.123, 1.5, 2e12), tuple(series), ("axis " * 20,), ((name, 1.0),))
    for fitted in (chart, Chart("T", "t", (0, 1, 2, 3), tuple(series), (), ((name, 1.0),))):
        text = render(Document("T", "", (fitted,)), width, unicode)
        assert max(map(width_of, text.splitlines())) <= width
        if not unicode:
            text.encode("ascii")


@given(st.floats(0, 1), st.integers(1, 60))
def test_a_bar_fills_its_share_to_the_eighth(share: float, columns: int) -> None:
    drawn = bar(share, columns, unicode=True)
    eighths = sum(EIGHTHS.index(block) for block in drawn)
    assert abs(eighths - share * columns * 8) <= 1
    assert all(block == "█" for block in drawn[:-1])
    assert (eighths == 0) == (share == 0)
    assert abs(len(bar(share, columns, unicode=False)) - share * columns) <= 0.5


def test_bars_in_the_text_are_proportional() -> None:
    lines = body(COUNTS, 80)[1:]
    lengths = [sum(EIGHTHS.index(c) for c in line if c in EIGHTHS[1:]) for line in lines]
    assert [round(length / lengths[1], 2) for length in lengths] == [0.25, 1.0, 0.62]


@pytest.mark.parametrize(
    ("edges", "labels"),
    [
        ((0.0, 0.1, 0.2), ["0.0", "0.1", "0.2"]),
        ((0, 5, 10), ["0", "5", "10"]),
        ((-0.0001, 0.5), ["0.0", "0.5"]),
        ((-1 / 3, 0.0, 1 / 3), ["-0.33", "0.00", "0.33"]),
        ((0.0, 1e-12), ["0", "1e-12"]),
        ((1.0, 1.0), ["1", "1"]),
    ],
)
def test_edges_have_as_few_places_as_tell_them(edges: tuple[float, ...], labels: list[str]) -> None:
    assert edge_labels(edges) == labels


@pytest.mark.parametrize("greatest", [0, 1e-6, 0.013, 0.37, 1, 7, 99, 12345])
def test_ticks_are_few_and_reach_the_top(greatest: float) -> None:
    found = ticks(greatest)
    assert found[0] == 0
    assert found[-1] >= greatest * (1 - 1e-9)
    assert 2 <= len(found) <= 7


NAMESPACE = {"s": "http://www.w3.org/2000/svg"}


def bars(svg: str) -> list[ET.Element]:
    return [rect for rect in ET.fromstring(svg).findall("s:rect", NAMESPACE) if rect.get("class") == "bar"]


@pytest.mark.parametrize("chart", [SHARES, COUNTS])
def test_the_picture_has_bars_as_tall_as_the_data(chart: Chart) -> None:
    found = bars(histogram(chart))
    data = [height for _, series in chart.series for height in series]
    tall = [float(rect.get("height", "")) for rect in found]
    scale = max(tall) / max(data)
    assert tall == pytest.approx([height * scale for height in data], abs=0.011)
    feet = {round(float(rect.get("y", "")) + float(rect.get("height", "")), 1) for rect in found}
    assert len(feet) == 1
    assert {rect.get("fill") for rect in found} == set(COLOURS[: len(chart.series)])


def test_bars_of_a_picture_do_not_overlap() -> None:
    spans = sorted((float(r.get("x", "")), float(r.get("width", ""))) for r in bars(histogram(SHARES)))
    assert all(x + wide <= other + 0.011 for (x, wide), (other, _) in pairwise(spans))


def test_the_picture_says_what_it_shows() -> None:
    root = ET.fromstring(histogram(SHARES))
    texts = [element.text for element in root.findall("s:text", NAMESPACE)]
    assert {"Largest weight", "scaled", "unscaled", "mean", "median", "weight aᵢ", "0.25", "80 %"} <= set(texts)
    assert root.findtext("s:title", "", NAMESPACE) == "Largest weight"
    dashed = [line for line in root.findall("s:line", NAMESPACE) if line.get("stroke-dasharray")]
    assert len(dashed) == 2
    width, height = (float(root.get(side, "")) for side in ("width", "height"))
    for rect in root.findall("s:rect", NAMESPACE):
        assert 0 <= float(rect.get("x", "0")) <= width
        assert 0 <= float(rect.get("y", "0")) <= height


def test_strangers_words_are_escaped_in_the_picture() -> None:
    evil = "</text><script>&\"'"
    svg = histogram(Chart(evil, "x", (0, 1), ((evil, (1,)),), (evil,), ((evil, 0.5),)))
    assert "<script" not in svg
    assert [e.text for e in ET.fromstring(svg).findall("s:text", NAMESPACE)].count(evil) == 4


def test_a_chart_of_nothing_is_drawn() -> None:
    empty = Chart("T", "t", (0, 1, 2), (("none", (0, 0)),))
    assert body(empty, 60)[-1] == "  1 … 2 │ 0.0 %"
    assert {rect.get("height") for rect in bars(histogram(empty))} == {"0.00"}


@pytest.mark.parametrize("math", FLAVOURS)
@pytest.mark.parametrize("chart", [SHARES, COUNTS])
def test_markdown_shows_the_characters_unless_it_is_drawn(chart: Chart, math: Flavour) -> None:
    text = render_markdown(Document("T", "", (chart,)), math)
    assert re.search(r"\n```text\n.*│█.*\n```\n$", text, re.DOTALL)
    assert traps(text) == []


def test_a_fence_can_not_be_closed_by_a_name() -> None:
    chart = Chart("```", "x", (0, 1), (("```", (1,)),), ("```",), (("```", 0.5),))
    text = render_markdown(Document("T", "", (chart,)))
    assert traps(text) == []
    assert text.endswith("\n````\n")
    assert text.count("\n````") == 2


def test_a_drawn_chart_is_a_file_beside_the_markdown() -> None:
    drawn = Chart("A [title]", "draws", (0, 1), (("", (1,)),), drawn=True)
    sections = tuple(Section((f"Problem {i}",), _numbered((drawn, SHARES), i)) for i in (1, 2))
    whole = Document("T", "", sections)
    assert [figure.name for figure in pictures(whole)] == ["1.draws", "2.draws"]
    sheet, *files = export(Worksheet((), (), whole), Options(stem="w"))
    assert [file.name for file in files] == ["w.1.draws.svg", "w.2.draws.svg"]
    assert "![A \\[title\\]](w.2.draws.svg)" in sheet.text
    assert sheet.text.count("```text") == 2
    assert bars(files[0].text)
