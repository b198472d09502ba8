"""Which characters of the page mean which plain ones: the only place that knows."""

from __future__ import annotations

import re

from attnsolve.notation.letters import GREEK_NAMES, SUBSCRIPTS, SUPERSCRIPTS

SIGNS = {
    "−": "-", "–": "-", "‐": "-", "‑": "-", "‒": "-", "—": "-", "﹣": "-",
    "·": "*", "×": "*", "⋅": "*", "∙": "*", "∗": "*", "÷": "/", "⁄": "/", "∕": "/",
}  # fmt: skip
"""Signs of arithmetic that have a plain form."""
ENTRYWISE = {"⊙": ".*", "∘": ".*"}
"""Signs of the product of entries."""
RELATIONS = {"≤": "<=", "≥": ">=", "≠": "!=", "→": "->"}
SYMBOLS = {"√": "sqrt", "π": "pi", "∞": "oo", "ℯ": "e"}
"""Names that are one character."""
DASHES = "".join(sign for sign, plain in SIGNS.items() if plain == "-")
VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5",
    "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8", "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip
COMMANDS = {"cdot": "*", "times": "*", "ast": "*", "div": "/", "dfrac": "frac", "tfrac": "frac", "cfrac": "frac",
            "infty": "oo"}  # fmt: skip
"""LaTeX commands that have a plain form."""
FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
ABOVE = "".join(SUPERSCRIPTS.values())
LOWERED = str.maketrans({small: plain for plain, small in SUPERSCRIPTS.items()})
SMALL = f"[{''.join(small for small in SUBSCRIPTS.values() if small != ',')}]"
"""One character below the line."""
LONGEST_QUOTED = 40
"""Characters of a text that a note repeats."""

_TYPED = str.maketrans({**{small: plain for plain, small in SUBSCRIPTS.items()}, "′": "'", "″": "''"})
_RUN_BELOW = f"{SMALL}+(,{SMALL}+)*"
_GROUP_ABOVE = "⁽.+?⁾"
_BRACES = re.compile(r"_?\{(\w+)\}$")


def quoted(text: str) -> str:
    """Text as a note repeats it."""
    return text if len(text) <= LONGEST_QUOTED else f"{text[: LONGEST_QUOTED // 2]}…{text[-LONGEST_QUOTED // 2 :]}"


def as_typed(text: str) -> str:
    """What a reader copies from the page, as it is typed: z⁽⁰⁾₃,₁ as z^(0)_3,1 and S′ as S'."""
    if text.isascii():
        return text
    text = re.sub(_GROUP_ABOVE, lambda run: "^" + run[0].translate(LOWERED), text)
    return re.sub(_RUN_BELOW, lambda run: "_" + run[0], text).translate(_TYPED)


def spelled_out(name: str) -> str:
    """A letter as it is declared: β as beta, D_{k} and Dₖ as D_k."""
    name = as_typed(_BRACES.sub(r"_\1", name))
    letter, _, index = name.partition("_")
    return GREEK_NAMES.get(letter, letter) + (f"_{index}" if index else "")
