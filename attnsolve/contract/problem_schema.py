"""The JSON Schema of a problem file, made from the declarations that it is read by; editors use it for
completion and checking."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from attnsolve.loading.files import DEFAULT_KIND, KINDS
from attnsolve.loading.shared import SHARED
from attnsolve.spec import shapes
from attnsolve.spec.header import HEADER
from attnsolve.spec.names import names_of, spellings
from attnsolve.spec.shapes import Shape

MATRICES: Shape = {"anyOf": [shapes.MATRIX_REF, {"type": "array", "items": shapes.MATRIX_REF}, {"const": "causal"}]}
"""What a letter may stand for: a matrix, or one for each head; or a mask."""
EXTENDED = "with-formulas"


def schema() -> Shape:
    """One schema for all kinds: `kind` decides which keys there are, each with its description."""
    kinds = {name: import_module(path) for name, path in KINDS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "attnsolve problem",
        "type": "object",
        "properties": {"kind": {"description": HEADER["kind"].description, "enum": list(KINDS)}},
        "if": {"required": [SHARED]},
        "then": {"$ref": f"#/$defs/{SHARED}"},
        "else": {"allOf": [{"if": _is_kind(name), "then": _of_kind(module)} for name, module in kinds.items()]},
        "$defs": {
            SHARED: _shared(kinds),
            "number": shapes.NUMBER,
            "matrix": shapes.MATRIX,
            **{name: _kind(module) for name, module in kinds.items()},
            **{f"{name}-{EXTENDED}": _extended(module) for name, module in kinds.items() if _may_be_extended(module)},
            **{f"{name}-quantity": names_of(module, module.QUANTITIES) for name, module in kinds.items()},
            **{f"{name}-stated": names_of(module, module.GIVABLE) for name, module in kinds.items() if module.GIVABLE},
        },
    }


def _shared(kinds: dict[str, Any]) -> Shape:
    """The first document of a file, with what the others have in common: any key of theirs."""
    keys = dict.fromkeys(key for module in kinds.values() for key in (*HEADER, *module.KEYS))
    properties: dict[str, Shape] = {key: {} for key in keys if key not in ("kind", "title")}
    inside = {"type": "object", "minProperties": 1, "properties": {"kind": {"enum": list(kinds)}, **properties}}
    described = {"description": "What every problem below has: its own entry goes before one of the same name."}
    return {"type": "object", "properties": {SHARED: {**described, **inside}}, "additionalProperties": False}


def _is_kind(name: str) -> Shape:
    condition: Shape = {"properties": {"kind": {"const": name}}}
    return condition if name == DEFAULT_KIND else {**condition, "required": ["kind"]}


def _may_be_extended(module: Any) -> bool:
    return "formulas" in module.KEYS and bool(module.NAMES)


def _of_kind(module: Any) -> Shape:
    """A file of a kind, which may state formulas of its own."""
    usual: Shape = {"$ref": f"#/$defs/{module.KIND}"}
    if not _may_be_extended(module):
        return usual
    stated: Shape = {"anyOf": [{"required": [key]} for key in ("formulas", "repeat", "gradient")]}
    return {"if": stated, "then": {"$ref": f"#/$defs/{module.KIND}-{EXTENDED}"}, "else": usual}


def _extended(module: Any) -> Shape:
    """A file with formulas of its own: the names that these define are known besides."""
    shape: Shape = _with_own_names(_kind(module), module)
    return shape


def _with_own_names(shape: Any, module: Any) -> Any:
    """The same with any name where it has those of a kind's quantities."""
    listed = ({"$ref": f"#/$defs/{module.KIND}-quantity"}, {"$ref": f"#/$defs/{module.KIND}-stated"})
    if shape in (*listed, names_of(module, module.NAMES)):
        return {"type": "string"}
    if isinstance(shape, dict):
        return {key: _with_own_names(value, module) for key, value in shape.items()}
    return [_with_own_names(value, module) for value in shape] if isinstance(shape, list) else shape


def _kind(module: Any) -> Shape:
    header = {name: key for name, key in HEADER.items() if name not in module.UNUSED}
    properties = {name: key.schema(module) for name, key in {**header, **module.KEYS}.items()}
    letters = spellings(module, (*module.GIVABLE, *module.LETTERS, *module.PARAMETERS), words=False)
    pattern = f"^({'|'.join(letter for letter in letters if letter not in properties)})$"
    others = {"patternProperties": {pattern: MATRICES}} if letters else {}
    return {"type": "object", "properties": properties, **others, "additionalProperties": False}
