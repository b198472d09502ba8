"""Every formula of a Markdown page, and what KaTeX itself says of it; found here by reading the page, not from the
renderer."""

from __future__ import annotations

import re
from functools import cache

import pykatex

from attnsolve.render.markdown import Flavour

_CODE = re.compile(r"^(`{3,})text\n.*?\n\1$", re.MULTILINE | re.DOTALL)
_DISPLAY = {
    "github": r"^```math\n(.*?)\n```$",
    "dollar": r"^\$\$\n(.*?)\n\$\$$",
    "latex": r"^\\\[\n(.*?)\n\\\]$",
}
_INLINE = {
    "github": r"\$`(.*?)`\$",
    "dollar": r"(?<!\\)\$((?:\\\$|[^$])+?)(?<!\\)\$",
    "latex": r"(?<!\\)\\\((.*?)(?<!\\)\\\)",
}


def formulas(markdown: str, math: Flavour) -> list[tuple[str, bool]]:
    """Each formula of a page, and whether it is displayed on lines of its own."""
    if math == "none":
        return []
    text = _CODE.sub("", markdown)
    display = re.compile(_DISPLAY[math], re.MULTILINE | re.DOTALL)
    found = [(formula, True) for formula in display.findall(text)]
    return found + [(formula, False) for formula in re.findall(_INLINE[math], display.sub("", text))]


@cache
def complaint(formula: str, displayed: bool = True) -> str:
    """What KaTeX refuses a formula for, in its strict mode; "" where it renders it."""
    try:
        html = pykatex.renderToString(formula, displayMode=displayed, strict="error", throwOnError=True)
    except pykatex.ParseError as error:
        return str(error)
    return "red text" if "katex-error" in html else ""


def complaints(markdown: str, math: Flavour) -> list[tuple[str, str]]:
    """Every formula of a page that KaTeX refuses, with its reason."""
    found = {formula: complaint(formula, displayed) for formula, displayed in formulas(markdown, math)}
    return [(formula, reason) for formula, reason in found.items() if reason]
