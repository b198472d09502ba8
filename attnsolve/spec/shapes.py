"""What the values of a problem file look like, as JSON Schema: the pieces that the kinds put together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Shape = dict[str, Any]

NUMBER: Shape = {
    "description": "A number: 2, 0.1, 1/3, -2√3/3, ½, 2pi, e, \\frac{1}{2}, or an expression in declared symbols.",
    "type": ["number", "string"],
}
SIZE: Shape = {"type": "integer", "minimum": 1}
ROW: Shape = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/number"}}
ROWS: Shape = {"type": "array", "minItems": 1, "items": ROW}
MATRIX: Shape = {
    "description": "A list of rows, one flat row, identity, {matrix, times, transposed}, or (numbers: float) "
    "{random: [rows, columns], seed, scale}.",
    "anyOf": [
        ROW,
        ROWS,
        {"const": "identity"},
        {
            "type": "object",
            "properties": {
                "matrix": {"$ref": "#/$defs/matrix"},
                "times": {"$ref": "#/$defs/number"},
                "transposed": {"type": "boolean"},
            },
            "required": ["matrix"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "random": {"anyOf": [SIZE, {"type": "array", "minItems": 1, "maxItems": 2, "items": SIZE}]},
                "seed": {"type": "integer", "minimum": 0},
                "scale": {"$ref": "#/$defs/number"},
            },
            "required": ["random"],
            "additionalProperties": False,
        },
    ],
}
WORDS: Shape = {"type": "array", "minItems": 1, "items": {"type": ["string", "number", "boolean"]}}
PAIR: Shape = {"type": "array", "minItems": 2, "maxItems": 2, "items": SIZE}
LINES: Shape = {"anyOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": {"type": "string"}}]}
SIMULATION: Shape = {
    "type": "object",
    "properties": {"samples": {"type": "integer", "minimum": 100}, "seed": {"type": "integer", "minimum": 0}},
    "additionalProperties": False,
}
DIRECTION: Shape = {"enum": ["rows", "columns"]}

MATRIX_REF: Shape = {"$ref": "#/$defs/matrix"}
NUMBER_REF: Shape = {"$ref": "#/$defs/number"}


def mapping(keys: Iterable[str], shape: Shape, names: Shape | None = None) -> Shape:
    """A mapping with these keys, all of one shape; with no others, or with those that `names` allows."""
    known: Shape = {"type": "object", "properties": dict.fromkeys(keys, shape)}
    if names is None:
        return {**known, "additionalProperties": False}
    return {**known, "propertyNames": names, "additionalProperties": shape}


def typed(names: Iterable[str]) -> list[str]:
    """Names in the usual ways to type them: W_Q, w_q, WQ and Wq; attention weights and attention_weights."""
    forms = []
    for name in names:
        short = len(name) < 4
        forms += [name, name.replace(" ", "_")]
        forms += [name.lower(), name.replace("_", ""), name.replace("_", "").capitalize()] if short else []
    return list(dict.fromkeys(forms))
