"""The JSON Schema of a problem file, made from the tables that read it; editors use it for completion and checking."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any, get_args

from attnsolve.loader import DEFAULT_KIND, KINDS
from attnsolve.spec import inner, parts, problem, shapes
from attnsolve.spec.shapes import Shape
from attnsolve.spec.spelling import spellings

MATRICES: Shape = {"anyOf": [shapes.MATRIX_REF, {"type": "array", "items": shapes.MATRIX_REF}, {"const": "causal"}]}
"""What a letter may stand for: a matrix, or one for each head; or a mask."""
PLACES: Shape = {"type": "integer", "minimum": 0}


def schema() -> Shape:
    """One schema for all kinds: `kind` decides which keys there are, each with its description."""
    kinds = {name: import_module(path) for name, path in KINDS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "attnsolve problem",
        "type": "object",
        "properties": {"kind": {"description": problem.HEADER["kind"], "enum": list(KINDS)}},
        "allOf": [{"if": _is_kind(name), "then": {"$ref": f"#/$defs/{name}"}} for name in kinds],
        "$defs": {
            "number": shapes.NUMBER,
            "matrix": shapes.MATRIX,
            **{name: _kind(name, module) for name, module in kinds.items()},
            **{f"{name}-quantity": _names(module, module.QUANTITIES) for name, module in kinds.items()},
            **{f"{name}-stated": _names(module, module.GIVABLE) for name, module in kinds.items() if module.GIVABLE},
        },
    }


def _is_kind(name: str) -> Shape:
    says: Shape = {"properties": {"kind": {"const": name}}}
    return says if name == DEFAULT_KIND else {**says, "required": ["kind"]}


def _kind(name: str, module: Any) -> Shape:
    described = {key: text for key, text in problem.HEADER.items() if key not in module.UNUSED} | module.KEYS
    known = {**_header(name, module), **module.shapes_of_keys()}
    properties = {key: {"description": text, **known[key]} for key, text in described.items()}
    letters = spellings(module, (*module.GIVABLE, *module.LETTERS, *module.PARAMETERS), words=False)
    pattern = f"^({'|'.join(letter for letter in letters if letter not in described)})$"
    others = {"patternProperties": {pattern: MATRICES}} if letters else {}
    return {"type": "object", "properties": properties, **others, "additionalProperties": False}


def _names(module: Any, ids: Iterable[str]) -> Shape:
    """Ids, letters and words for some quantities and weights."""
    names: Shape = {"enum": spellings(module, ids)}
    return {"anyOf": [names, inner.spellings()]} if module.GIVABLE else names


def _header(kind: str, module: Any) -> dict[str, Shape]:
    quantity: Shape = {"$ref": f"#/$defs/{kind}-quantity"}
    return {
        "title": {"type": "string"},
        "source": {"type": "string"},
        "kind": {"const": kind},
        "numbers": {"enum": list(get_args(problem.Numbers))},
        "digits": {"type": "integer", "minimum": 1},
        "notation": {
            "type": "object",
            "propertyNames": _names(module, module.NAMES),
            "additionalProperties": {"type": "string"},
        },
        "symbols": {
            "anyOf": [
                {"type": "object", "additionalProperties": {"enum": list(problem.ASSUMPTIONS)}},
                {"type": "array", "items": {"type": "string"}},
            ]
        },
        "limit": {"type": "object", "additionalProperties": {"$ref": "#/$defs/number"}},
        "answers": {"type": "object"},
        "tolerance": _tolerance(module, quantity),
        "exact": {"anyOf": [{"type": "boolean"}, {"type": "array", "items": quantity}]},
        "text": {"type": "string"},
        "parts": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"anyOf": [_part(module, quantity), {"type": "string"}]},
        },
        "rounding": {
            "type": "object",
            "properties": {
                "places": {"anyOf": [PLACES, shapes.mapping(module.QUANTITIES, PLACES, quantity)]},
                "when": {"enum": ["shown", "each-step"]},
            },
            "required": ["places"],
            "additionalProperties": False,
        },
    }


def _tolerance(module: Any, quantity: Shape) -> Shape:
    size: dict[str, Shape] = {"abs": {"$ref": "#/$defs/number"}, "rel": {"$ref": "#/$defs/number"}}
    one: Shape = {"type": "object", "properties": size, "additionalProperties": False}
    names: Shape = {"anyOf": [{"enum": list(size)}, quantity]}
    some = shapes.mapping(module.QUANTITIES, one, names)
    return {**some, "properties": {**size, **some["properties"]}}


def _part(module: Any, quantity: Shape) -> Shape:
    known: dict[str, Shape] = {
        "find": {"anyOf": [quantity, {"type": "array", "minItems": 1, "items": quantity}]},
        "by": {"enum": ["token", "matrix", "cell"]},
        "for": {"anyOf": [{"type": ["string", "number"]}, shapes.WORDS]},
        **({"show": {"enum": list(module.CLAIMS)}} if module.CLAIMS else {}),
        "text": {"type": "string"},
        "marks": {"$ref": "#/$defs/number"},
    }
    return {
        "type": "object",
        "properties": {key: {"description": text, **known[key]} for key, text in parts.KEYS.items() if key in known},
        "anyOf": [{"required": ["find"]}, {"required": ["show"]}],
        "additionalProperties": False,
    }
