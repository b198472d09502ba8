"""The JSON Schema of a problem file, made from the declarations that it is read by; editors use it for
completion and checking."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from attnsolve.loading.files import DEFAULT_KIND, KINDS
from attnsolve.spec import shapes
from attnsolve.spec.header import HEADER
from attnsolve.spec.names import names_of, spellings
from attnsolve.spec.shapes import Shape

MATRICES: Shape = {"anyOf": [shapes.MATRIX_REF, {"type": "array", "items": shapes.MATRIX_REF}, {"const": "causal"}]}
"""What a letter may stand for: a matrix, or one for each head; or a mask."""


def schema() -> Shape:
    """One schema for all kinds: `kind` decides which keys there are, each with its description."""
    kinds = {name: import_module(path) for name, path in KINDS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "attnsolve problem",
        "type": "object",
        "properties": {"kind": {"description": HEADER["kind"].description, "enum": list(KINDS)}},
        "allOf": [{"if": _is_kind(name), "then": {"$ref": f"#/$defs/{name}"}} for name in kinds],
        "$defs": {
            "number": shapes.NUMBER,
            "matrix": shapes.MATRIX,
            **{name: _kind(module) for name, module in kinds.items()},
            **{f"{name}-quantity": names_of(module, module.QUANTITIES) for name, module in kinds.items()},
            **{f"{name}-stated": names_of(module, module.GIVABLE) for name, module in kinds.items() if module.GIVABLE},
        },
    }


def _is_kind(name: str) -> Shape:
    condition: Shape = {"properties": {"kind": {"const": name}}}
    return condition if name == DEFAULT_KIND else {**condition, "required": ["kind"]}


def _kind(module: Any) -> Shape:
    header = {name: key for name, key in HEADER.items() if name not in module.UNUSED}
    properties = {name: key.schema(module) for name, key in {**header, **module.KEYS}.items()}
    letters = spellings(module, (*module.GIVABLE, *module.LETTERS, *module.PARAMETERS), words=False)
    pattern = f"^({'|'.join(letter for letter in letters if letter not in properties)})$"
    others = {"patternProperties": {pattern: MATRICES}} if letters else {}
    return {"type": "object", "properties": properties, **others, "additionalProperties": False}
