"""Colours can be told from the page on every usual terminal: contrast computed as WCAG 2 does, from the palettes of
xterm, VS Code and Solarized."""

from __future__ import annotations

from itertools import pairwise

import pytest
from rich.color import Color, ColorType
from rich.style import Style

from attnsolve.notation import Grid, Num
from attnsolve.render.maths import LEVELS, MathsPrinter
from attnsolve.render.terminal import STYLES

Rgb = tuple[int, int, int]

PALETTES = {
    "xterm": (
        "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 "
        "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff"
    ),
    "VS Code": (
        "000000 cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd e5e5e5 "
        "666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db e5e5e5"
    ),
    "Solarized": (
        "073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5 "
        "002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3"
    ),
}
PAGES = {
    "xterm": ("000000", "ffffff"),
    "VS Code": ("1e1e1e", "ffffff"),
    "Solarized": ("002b36", "fdf6e3"),
}
"""The dark background and the light one."""
ACCENT, TEXT = 3.0, 4.5
"""What marks, lines and bars need at the least, and what numbers in a coloured cell need."""
HEAT = [f"shade{level}" for level in range(1, LEVELS + 1)]
ACCENTS = [name for name in STYLES if name not in HEAT and Style.parse(STYLES[name]).color is not None]


def rgb(text: str) -> Rgb:
    return int(text[:2], 16), int(text[2:4], 16), int(text[4:], 16)


def luminance(colour: Rgb) -> float:
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Rgb, other: Rgb) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def shown(colour: Color | None, palette: str) -> Rgb:
    """What a terminal makes of a colour: those with a number below 16 are the palette's own."""
    assert colour is not None
    if colour.type is ColorType.STANDARD:
        assert colour.number is not None
        return rgb(PALETTES[palette].split()[colour.number])
    return tuple(colour.get_truecolor())


def weakest(style: str) -> float:
    """The least contrast of a style on any page."""
    colour = Style.parse(style).color
    return min(contrast(shown(colour, name), rgb(page)) for name, pages in PAGES.items() for page in pages)


@pytest.mark.parametrize("name", ACCENTS)
def test_accents_stand_out_on_every_page(name: str) -> None:
    assert weakest(STYLES[name]) >= ACCENT


@pytest.mark.parametrize("style", ["yellow", "cyan", "green", "blue", "bright_white"])
def test_the_palettes_own_colours_would_not(style: str) -> None:
    assert weakest(style) < ACCENT


@pytest.mark.parametrize("name", ["symbol", "relation", "rounded", "note", "title"])
def test_text_and_numbers_have_the_terminals_own_foreground(name: str) -> None:
    style = Style.parse(STYLES[name])
    assert style.color is None
    assert not style.dim


@pytest.mark.parametrize("name", HEAT)
def test_numbers_can_be_read_on_every_shade(name: str) -> None:
    style = Style.parse(STYLES[name])
    assert contrast(shown(style.color, "xterm"), shown(style.bgcolor, "xterm")) >= TEXT


def test_more_weight_is_darker() -> None:
    fills = [luminance(shown(Style.parse(STYLES[name]).bgcolor, "xterm")) for name in HEAT]
    assert fills == sorted(fills, reverse=True)
    assert all(one > 1.4 * other for one, other in pairwise(fills))


@pytest.mark.parametrize(
    ("weight", "shade"), [(0, 0), (1e-9, 0), (0.005, 1), (0.05, 1), (0.25, 2), (0.5, 3), (0.79, 4), (0.99, 5), (1, 5)]
)
def test_small_weights_are_shaded_too(weight: float, shade: int) -> None:
    box = MathsPrinter().box(Grid(((Num("0.5"),),), shades=((weight,),)), 80)
    assert f"shade{shade}" in {span.style for line in box.lines for span in line}
