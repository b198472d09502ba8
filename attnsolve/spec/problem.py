"""The frozen Problem: what every kind shares, with the kind's own data in `body`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from attnsolve.bounds import allowed, raises
from attnsolve.errors import Mark
from attnsolve.numbers import Style
from attnsolve.spec import reader
from attnsolve.spec.fields import Faults, Fields, read_number, read_text
from attnsolve.spec.number import infinity
from attnsolve.spec.parts import Part, Rounding
from attnsolve.spec.rules import Rule

if TYPE_CHECKING:
    import sympy

    from attnsolve.graph import Graph

HEADER = {
    "title": "What the problem is called.",
    "source": "Where it comes from.",
    "kind": "The kind of problem (default: attention).",
    "numbers": "exact (default), or float: computed in float64, for problems too large for proven digits.",
    "digits": "How many significant digits a rounded number is shown with (default: 4).",
    "notation": "What this sheet calls things: {scores: z, weights: a}.",
    "symbols": "Letters that stand for numbers: {beta: positive}.",
    "text": "The problem statement.",
    "parts": "The questions the sheet asks, by letter: {a: {find: queries, by: token}}.",
    "rounding": "{places: 2, when: each-step} rounds every result, as one does by hand; when: shown rounds only what is"
    " printed; {places: {weights: 2}, when: each-step} rounds those results only.",
    "answers": "Answers to check, such as the published key, for attnsolve check: {Q: [[1, 2]], z_3: [2, 8, -20]}.",
    "tolerance": "How far an answer may be off: {abs: 0.01}, {rel: 1/100}, or such a mapping for some quantities.",
    "exact": "true (or a list of quantities) where only exact answers count.",
    "limit": "The limit to take for a symbol, for the limiting weights and output: {beta: oo}.",
}
"""The keys that any kind of problem may have, with what they are for."""

ASSUMPTIONS = ("real", "positive", "negative", "nonnegative")
_SYMBOL = re.compile(r"[^\W\d_]{1,12}(_\w{1,12})?'*")
DEFAULT_DIGITS = 4
Numbers = Literal["exact", "float"]


@dataclass(frozen=True)
class Tendency:
    """A symbol and the value it tends to (a sympy expression, possibly ±oo)."""

    symbol: sympy.Symbol
    to: Any


@dataclass(frozen=True)
class Problem:
    """A validated problem. Every number in it is exact (unless `numbers` are float), and knows where it was written."""

    file: str
    at: Mark
    kind: str
    title: str
    source: str
    digits: int
    style: Style
    notation: Mapping[str, str]
    symbols: Mapping[str, sympy.Symbol]
    limits: tuple[Tendency, ...]
    text: str
    parts: tuple[Part, ...]
    rounding: Rounding | None
    answers: reader.Node | None
    """Somebody's answers, to be read once the problem's names are known."""
    rules: Mapping[str, Rule]
    """How closely answers must agree, by quantity; "" is for all others."""
    body: Any
    build: Callable[[Problem], Graph] | None = None
    """How its kind makes a graph of it; None where only its heading was read."""
    numbers: Numbers = "exact"

    @cached_property
    def graph(self) -> Graph:
        """Its quantities and their formulas, made once: they are looked at when it is read, and then worked out."""
        assert self.build is not None
        return self.build(self)


def read_symbols(fields: Fields) -> dict[str, sympy.Symbol]:
    """`symbols: {beta: positive}` or `symbols: [beta]`."""
    node, faults = fields.get("symbols"), fields.faults
    if node is None:
        return {}
    if isinstance(node, reader.Sequence):
        pairs = [(item, "real") for item in node.items]
    elif isinstance(node, reader.Mapping):
        inner = Fields(node, [key.text for key, _ in node.entries], faults)
        pairs = [(key, inner.choice(key.text, ASSUMPTIONS, "real")) for key, _ in node.entries]
    else:
        faults.expected(node, "symbols", "a mapping such as {beta: positive}")
        return {}
    if len(pairs) > allowed().symbols:
        said = f"a problem may declare at most {allowed().symbols} symbols, but this one declares {len(pairs)}"
        faults.add(node, said, raises("symbols", len(pairs)))
        return {}
    return {name: symbol for pair in pairs if (named := _symbol(*pair, faults)) for name, symbol in [named]}


def _symbol(node: reader.Node, assumption: str, faults: Faults) -> tuple[str, sympy.Symbol] | None:
    if not isinstance(node, reader.Scalar) or not re.fullmatch(r"[^\W\d_]\w{0,19}", node.text):
        faults.expected(node, "a symbol", "a letter or a name such as beta")
        return None
    if node.text in ("pi", "e", "sqrt", "oo", "inf", "nan", "π"):
        faults.add(node, f"{node.text!r} has a meaning of its own and can't be declared as a symbol")
        return None
    import sympy

    return node.text, sympy.Symbol(node.text, **{assumption: True})


def read_limits(fields: Fields) -> tuple[Tendency, ...]:
    """`limit: {beta: oo}`; the symbol must have been declared."""
    node, faults = fields.get("limit"), fields.faults
    if node is None:
        return ()
    if not isinstance(node, reader.Mapping):
        faults.expected(node, "limit", "a mapping such as {beta: oo}")
        return ()
    import sympy

    from attnsolve.numbers.symbolic import to_expression

    limits = []
    for key, value in node.entries:
        if key.text not in faults.symbols:
            faults.add(
                key,
                f"limit names {key.text!r}, which is not declared",
                f"add symbols: {{{key.text}: positive}}",
            )
        elif isinstance(value, reader.Scalar) and (sign := infinity(value.text)):
            symbol = faults.symbols[key.text]
            if (symbol.is_nonnegative and sign < 0) or (symbol.is_negative and sign > 0):
                faults.add(
                    value, f"{key.text} is declared {'negative' if sign > 0 else 'positive'}, so it can't tend there"
                )
            limits.append(Tendency(symbol, sign * sympy.oo))
        elif (number := read_number(value, f"limit of {key.text}", faults)) is not None:
            target = to_expression(number)
            if target.free_symbols:
                faults.add(value, f"the limit of {key.text} must be a number or oo, not an expression in symbols")
            limits.append(Tendency(faults.symbols[key.text], target))
    return tuple(limits)


def read_notation(fields: Fields, names: tuple[str, ...]) -> dict[str, str]:
    """`notation: {scores: z}`: only ids of this kind, only plain symbols."""
    node, faults = fields.get("notation"), fields.faults
    if node is None:
        return {}
    if not isinstance(node, reader.Mapping):
        faults.expected(node, "notation", "a mapping such as {scores: z}")
        return {}
    chosen: dict[str, str] = {}
    for key, value in node.entries:
        if key.text not in names:
            faults.add(key, f"notation names {key.text!r}, which is not a quantity", faults.nearest(key.text, names))
            continue
        text = read_text(value, f"the symbol for {key.text}", faults)
        if text and not _SYMBOL.fullmatch(text):
            faults.add(value, f"{text!r} can't be a symbol", "write a letter, or a letter and an index such as W_Q")
        elif text:
            chosen[key.text] = text
    return chosen
