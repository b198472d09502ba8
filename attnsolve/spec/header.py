"""The keys that any kind of problem may have, each with what it says, what may stand there, how it is read and what it
fills in a Problem."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, get_args

from attnsolve.bounds import allowed
from attnsolve.record import record
from attnsolve.spec import reader, shapes
from attnsolve.spec.fields import Fields, read_text
from attnsolve.spec.keys import DocumentedKey, Kind
from attnsolve.spec.letters import ASSUMPTIONS, read_limits, read_symbols
from attnsolve.spec.names import names_of, quantity_of, with_inner
from attnsolve.spec.parts import part_shape, read_parts, read_rounding
from attnsolve.spec.problem import Numbers
from attnsolve.spec.rules import read_rules
from attnsolve.spec.shapes import Shape

_SYMBOL = re.compile(r"[^\W\d_]{1,12}(_\w{1,12})?'*")
DEFAULT_DIGITS = 4
_PLACES: Shape = {"type": "integer", "minimum": 0}
_SIZES = {"abs": shapes.NUMBER_REF, "rel": shapes.NUMBER_REF}


@record
class HeaderKey(DocumentedKey):
    """A key of every kind; how it is read may depend on the names of the kind."""

    fills: str
    """The field of the Problem that it goes to; empty where it is read together with another key."""
    reads: Callable[[Fields, str, Kind], Any]


def read_keys(keys: Iterable[HeaderKey], fields: Fields, kind: Kind) -> dict[str, Any]:
    """The fields of a Problem that some keys fill; faults are noted."""
    return {key.fills: key.reads(fields, key.name, kind) for key in keys if key.fills}


def _text(fields: Fields, name: str, _: Kind) -> str:
    return fields.text(name)


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


def _notation_shape(kind: Kind) -> Shape:
    return {
        "type": "object",
        "propertyNames": names_of(kind, kind.NAMES),
        "additionalProperties": {"type": "string"},
    }


def _parts_shape(kind: Kind) -> Shape:
    return {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"anyOf": [part_shape(kind), {"type": "string"}]},
    }


def _rounding_shape(kind: Kind) -> Shape:
    some = shapes.mapping(kind.QUANTITIES, _PLACES, quantity_of(kind))
    return {
        "type": "object",
        "properties": {"places": {"anyOf": [_PLACES, some]}, "when": {"enum": ["shown", "each-step"]}},
        "required": ["places"],
        "additionalProperties": False,
    }


def _tolerance_shape(kind: Kind) -> Shape:
    one: Shape = {"type": "object", "properties": _SIZES, "additionalProperties": False}
    some = shapes.mapping(kind.QUANTITIES, one, {"anyOf": [{"enum": list(_SIZES)}, quantity_of(kind)]})
    return {**some, "properties": {**_SIZES, **some["properties"]}}


def _exact_shape(kind: Kind) -> Shape:
    return {"anyOf": [{"type": "boolean"}, {"type": "array", "items": quantity_of(kind)}]}


KIND = HeaderKey(
    "kind",
    "The kind of problem (default: attention).",
    lambda kind: {"const": kind.KIND},
    "kind",
    lambda fields, name, kind: kind.KIND,
)
NUMBERS = HeaderKey(
    "numbers",
    "exact (default), or float: computed in float64, for problems too large for proven digits.",
    {"enum": list(get_args(Numbers))},
    "numbers",
    lambda fields, name, kind: fields.choice(name, get_args(Numbers), "exact"),
)
SYMBOLS = HeaderKey(
    "symbols",
    "Letters that stand for numbers: {beta: positive}.",
    {
        "anyOf": [
            {"type": "object", "additionalProperties": {"enum": list(ASSUMPTIONS)}},
            {"type": "array", "items": {"type": "string"}},
        ]
    },
    "symbols",
    lambda fields, name, kind: read_symbols(fields),
)
FIRST = (KIND, SYMBOLS, NUMBERS)
"""What must be known before any number can be read."""
DECLARED = (
    HeaderKey("title", "What the problem is called.", {"type": "string"}, "title", _text),
    HeaderKey("source", "Where it comes from.", {"type": "string"}, "source", _text),
    KIND,
    NUMBERS,
    HeaderKey(
        "digits",
        "How many significant digits a rounded number is shown with (default: 4).",
        {"type": "integer", "minimum": 1},
        "digits",
        lambda fields, name, kind: fields.integer(name, DEFAULT_DIGITS, 1, allowed().digits, name),
    ),
    HeaderKey(
        "notation",
        "What this sheet calls things: {scores: z, weights: a}.",
        _notation_shape,
        "notation",
        lambda fields, name, kind: read_notation(fields, with_inner(kind.NAMES, fields, kind)),
    ),
    SYMBOLS,
    HeaderKey("text", "The problem statement.", {"type": "string"}, "text", _text),
    HeaderKey(
        "parts",
        "The questions the sheet asks, by letter: {a: {find: queries, by: token}}.",
        _parts_shape,
        "parts",
        lambda fields, name, kind: read_parts(
            fields, with_inner(kind.QUANTITIES, fields, kind), kind.CLAIMS, related="formulas" in kind.KEYS
        ),
    ),
    HeaderKey(
        "rounding",
        "{places: 2, when: each-step} rounds every result, as one does by hand; when: shown rounds only what is"
        " printed; {places: {weights: 2}, when: each-step} rounds those results only.",
        _rounding_shape,
        "rounding",
        lambda fields, name, kind: read_rounding(fields, with_inner(kind.QUANTITIES, fields, kind)),
    ),
    HeaderKey(
        "answers",
        "Answers to check, such as the published key, for attnsolve check: {Q: [[1, 2]], z_3: [2, 8, -20]}.",
        {"type": "object"},
        "answers",
        lambda fields, name, kind: fields.get(name),
    ),
    HeaderKey(
        "tolerance",
        "How far an answer may be off: {abs: 0.01}, {rel: 1/100}, or such a mapping for some quantities.",
        _tolerance_shape,
        "rules",
        lambda fields, name, kind: (
            {} if name in kind.UNUSED else read_rules(fields, with_inner(kind.QUANTITIES, fields, kind))
        ),
    ),
    HeaderKey(
        "exact",
        "true (or a list of quantities) where only exact answers count.",
        _exact_shape,
        "",
        lambda fields, name, kind: fields.get(name),
    ),
    HeaderKey(
        "limit",
        "The limit to take for a symbol, for the limiting weights and output: {beta: oo}.",
        {"type": "object", "additionalProperties": shapes.NUMBER_REF},
        "limits",
        lambda fields, name, kind: read_limits(fields),
    ),
)
"""Every key of a header, in the order in which they are documented."""
HEADER = {key.name: key for key in DECLARED}
