"""The JSON Schema of a problem file, made from the tables that read it; editors use it for completion and checking."""

from __future__ import annotations

from typing import Any

from attnsolve.spec import attention, fitting, parts, problem

NUMBER: dict[str, Any] = {
    "description": "A number: 2, 0.1, 1/3, -2*sqrt(3)/3, pi, e, 1e-3, or an expression in declared symbols.",
    "type": ["number", "string"],
}
ROW: dict[str, Any] = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/number"}}
ROWS: dict[str, Any] = {"type": "array", "minItems": 1, "items": ROW}
MATRIX: dict[str, Any] = {
    "description": "A list of rows, one flat row, identity, or {matrix, times, transposed}.",
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
    ],
}
WORDS: dict[str, Any] = {"type": "array", "minItems": 1, "items": {"type": ["string", "number", "boolean"]}}


def schema() -> dict[str, Any]:
    """The schema of `kind: attention`, with every key's description."""
    described = {**problem.HEADER, **attention.KEYS}
    shapes = {**_header(), **_attention()}
    properties = {key: {"description": text, **shapes[key]} for key, text in described.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "attnsolve problem",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "$defs": {"number": NUMBER, "matrix": MATRIX},
    }


def _header() -> dict[str, dict[str, Any]]:
    return {
        "title": {"type": "string"},
        "source": {"type": "string"},
        "kind": {"enum": ["attention"]},
        "digits": {"type": "integer", "minimum": 1},
        "notation": {
            "type": "object",
            "propertyNames": {"enum": list(attention.NAMES)},
            "additionalProperties": {"type": "string"},
        },
        "symbols": {
            "anyOf": [
                {"type": "object", "additionalProperties": {"enum": list(problem.ASSUMPTIONS)}},
                {"type": "array", "items": {"type": "string"}},
            ]
        },
        "limit": {"type": "object", "additionalProperties": {"$ref": "#/$defs/number"}},
        "text": {"type": "string"},
        "parts": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"anyOf": [_part(), {"type": "string"}]},
        },
        "rounding": {
            "type": "object",
            "properties": {"places": {"type": "integer", "minimum": 0}, "when": {"enum": ["shown", "each-step"]}},
            "required": ["places"],
            "additionalProperties": False,
        },
    }


def _part() -> dict[str, Any]:
    quantity = {"enum": list(attention.QUANTITIES)}
    shapes: dict[str, dict[str, Any]] = {
        "find": {"anyOf": [quantity, {"type": "array", "minItems": 1, "items": quantity}]},
        "by": {"enum": ["token", "matrix", "cell"]},
        "for": {"anyOf": [{"type": ["string", "number"]}, WORDS]},
        "show": {"enum": list(parts.CLAIMS)},
        "text": {"type": "string"},
        "marks": {"$ref": "#/$defs/number"},
    }
    return {
        "type": "object",
        "properties": {key: {"description": text, **shapes[key]} for key, text in parts.KEYS.items()},
        "anyOf": [{"required": ["find"]}, {"required": ["show"]}],
        "additionalProperties": False,
    }


def _attention() -> dict[str, dict[str, Any]]:
    matrix = {"$ref": "#/$defs/matrix"}
    head = {
        "type": "object",
        "properties": dict.fromkeys((*fitting.PARAMETERS, "W_O", "b_O"), matrix),
        "additionalProperties": False,
    }
    per_head = {"anyOf": [matrix, {"type": "array", "items": matrix}]}
    choices: dict[str, dict[str, Any]] = {
        "numbering": {"enum": [0, 1]},
        "layout": {"enum": ["rows", "columns"]},
        "vectors": {"enum": ["rows", "columns"]},
        "stable": {"type": "boolean"},
        "heads": {"type": "integer", "minimum": 1},
        "d_k": {"type": "integer", "minimum": 1},
        "tokens": WORDS,
        "memory_tokens": WORDS,
        "scaling": {"anyOf": [{"enum": ["none", "sqrt_dk"]}, {"$ref": "#/$defs/number"}]},
        "mask": {"anyOf": [{"enum": ["causal", "none"]}, matrix, {"type": "array", "items": {"type": "array"}}]},
        "softmax": {
            "anyOf": [
                {"enum": ["sum", "exp", "e"]},
                {
                    "type": "object",
                    "properties": {"base": {"$ref": "#/$defs/number"}, "stable": {"type": "boolean"}},
                    "additionalProperties": False,
                },
            ]
        },
        "weights": {"anyOf": [head, {"type": "array", "minItems": 1, "items": head}, {"const": "identity"}]},
        "given": {
            "type": "object",
            "properties": dict.fromkeys(attention.QUANTITIES, per_head),
            "additionalProperties": False,
        },
    }
    return {key: choices.get(key, per_head) for key in attention.KEYS}
