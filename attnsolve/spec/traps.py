"""What YAML makes of formulas without quotes: `{P: sinusoidal(3, 4)}` is two keys to it, `y: *x` an alias, and
`y: [1, 0] .* v` no YAML at all. Only where something went wrong is it looked at, to say what to write instead."""

from __future__ import annotations

import re

from attnsolve.language.habits import without_signs
from attnsolve.language.parser import parse_formula
from attnsolve.language.tokens import LanguageError

_ENTRY = re.compile(r"([^\W\d][\w']*)\s*:(?=\s)[ \t]*")
_INDICATORS = "*&!|>@%`[{-?,]}#"
"""A value that begins with one of these is something else to YAML than text."""
_MEANINGS = {
    "*": "marks an alias",
    "&": "marks an anchor",
    "!": "marks a tag",
    **dict.fromkeys("|>", "begins a text of several lines"),
    **dict.fromkeys("@`%", "is reserved"),
}
"""What a sign means to YAML at the beginning of a value."""
_OPENING, _CLOSING = "([{", ")]}"


def in_quotes(line: str) -> str:
    """The entry of a line that is a formula and has to stand in quotes, written so; nothing where there is none.

    >>> in_quotes("formulas: {P: sinusoidal(3, 4), y: x}")
    'P: "sinusoidal(3, 4)"'
    >>> in_quotes("  y: [1, 0] .* v  # weighted")
    'y: "[1, 0] .* v"'
    """
    for entry in _ENTRY.finditer(line):
        flow = line[: entry.start()].count("{") > line[: entry.start()].count("}")
        value = _value(line[entry.end() :], flow)
        if value and _is_trap(value, flow) and _is_formula(value):
            return f'{entry[1]}: "{value}"'
    return ""


def without_indicator(line: str) -> str:
    """What is said of a formula that begins with a sign of YAML's, and how it is written; nothing where there is none.

    >>> without_indicator("  y: |x| + 1")
    'to YAML, | at the beginning of a value begins a text of several lines: write y: abs(x) + 1'
    >>> without_indicator("formulas: {y: *x}")
    'to YAML, * at the beginning of a value marks an alias: write y: x'
    """
    for entry in _ENTRY.finditer(line):
        flow = line[: entry.start()].count("{") > line[: entry.start()].count("}")
        value = _value(line[entry.end() :], flow)
        if not value or value[0] not in _MEANINGS or not (flow or line[0].isspace()):
            continue
        plain = without_signs(value, "|") if value[0] == "|" else value.lstrip("".join(_MEANINGS)).strip()
        if plain and _is_formula(plain):
            shown = f'"{plain}"' if _is_trap(plain, flow) else plain
            return f"to YAML, {value[0]} at the beginning of a value {_MEANINGS[value[0]]}: write {entry[1]}: {shown}"
    return ""


def _value(rest: str, flow: bool) -> str:
    """What stands after a colon, to the comma or the bracket that ends it, or to a comment."""
    depth = 0
    for place, sign in enumerate(rest):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        ends = (depth == 0 and sign == ",") or depth < 0 if flow else rest[place - 1 : place + 1] == " #"
        if ends:
            return rest[:place].strip()
    return rest.strip()


def _is_trap(value: str, flow: bool) -> bool:
    return value[0] in _INDICATORS or (flow and bool(re.search(r"[,\[\]{}]", value)))


def _is_formula(value: str) -> bool:
    if not any(map(str.isalpha, value)):
        return False
    try:
        parse_formula(value)
    except (LanguageError, RecursionError):
        return False
    return True
