"""The JSON Schema of a problem file, made from the tables that read it; editors use it for completion and checking."""

from __future__ import annotations

from importlib import import_module
from typing import Any, get_args

from attnsolve.spec import parts, problem, shapes
from attnsolve.spec.load import DEFAULT_KIND, KINDS
from attnsolve.spec.shapes import Shape

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
        },
    }


def _is_kind(name: str) -> Shape:
    says: Shape = {"properties": {"kind": {"const": name}}}
    return says if name == DEFAULT_KIND else {**says, "required": ["kind"]}


def _kind(name: str, module: Any) -> Shape:
    described = {key: text for key, text in problem.HEADER.items() if key not in module.UNUSED} | module.KEYS
    known = {**_header(name, module), **module.shapes_of_keys()}
    properties = {key: {"description": text, **known[key]} for key, text in described.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _header(kind: str, module: Any) -> dict[str, Shape]:
    return {
        "title": {"type": "string"},
        "source": {"type": "string"},
        "kind": {"const": kind},
        "numbers": {"enum": list(get_args(problem.Numbers))},
        "digits": {"type": "integer", "minimum": 1},
        "notation": {
            "type": "object",
            "propertyNames": {"enum": list(module.NAMES)},
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
        "tolerance": _tolerance(module),
        "exact": {"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"enum": list(module.QUANTITIES)}}]},
        "text": {"type": "string"},
        "parts": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"anyOf": [_part(module), {"type": "string"}]},
        },
        "rounding": {
            "type": "object",
            "properties": {
                "places": {"anyOf": [PLACES, shapes.mapping(module.QUANTITIES, PLACES)]},
                "when": {"enum": ["shown", "each-step"]},
            },
            "required": ["places"],
            "additionalProperties": False,
        },
    }


def _tolerance(module: Any) -> Shape:
    size: dict[str, Shape] = {"abs": {"$ref": "#/$defs/number"}, "rel": {"$ref": "#/$defs/number"}}
    one: Shape = {"type": "object", "properties": size, "additionalProperties": False}
    return {**one, "properties": {**size, **dict.fromkeys(module.QUANTITIES, one)}}


def _part(module: Any) -> Shape:
    quantity = {"enum": list(module.QUANTITIES)}
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
