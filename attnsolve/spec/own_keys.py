"""The keys under which a sheet states formulas of its own, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attnsolve.spec import shapes
from attnsolve.spec.fields import Fields
from attnsolve.spec.keys import by_name, declare

FORMULAS = declare(
    "formulas",
    "The formulas of the sheet, by the name of what each defines: {S: Q*K^T, A: softmax(S)}.",
    {"type": "object", "minProperties": 1, "additionalProperties": {"type": ["string", "number"]}},
)
_REPEATED: shapes.Shape = {
    "type": "object",
    "properties": {
        "for": {"type": "object", "minProperties": 1, "maxProperties": 1},
        "start": {"type": "object"},
        "each": {"type": "object", "minProperties": 1},
        "repeat": {"description": "A repeat within every step."},
    },
    "required": ["for", "each"],
    "additionalProperties": False,
}
REPEAT = declare(
    "repeat",
    "Formulas that are repeated, for layers or steps: {for: {t: 1..3}, start: {h: x}, each: {h: 2*prev(h)}}.",
    {"anyOf": [_REPEATED, {"type": "array", "minItems": 1, "items": _REPEATED}]},
)
OVERRIDE = declare(
    "override",
    "Quantities that formulas may replace by something of another shape, or made from other quantities.",
    shapes.WORDS,
    Fields.labels,
)
VOCABULARY = declare(
    "vocabulary",
    "Words that stand for ids, in their order: lookup(E, [the, cat]).",
    shapes.WORDS,
    lambda fields, name: fields.labels(name, "a word"),
)
IDS_FROM = declare(
    "ids_from",
    "What ids, targets and argmax are counted from: 1 (default) or 0. Slices are always counted from 1.",
    {"enum": [0, 1]},
    lambda fields, name: int(fields.choice(name, ("0", "1"), "1")),
)


def _training(reads: str) -> Callable[[Fields, str], Any]:
    """Reads a key of a training step, which few files have."""

    def read(fields: Fields, name: str) -> Any:
        if fields.get(name) is None:
            return None
        from attnsolve.spec import gradient

        return getattr(gradient, reads)(fields, name)

    return read


_NAMES: shapes.Shape = {"anyOf": [{"type": "string"}, shapes.WORDS]}
GRADIENT = declare(
    "gradient",
    "Which gradients to work out: {of: L, to: [W_Q, W_K]}; or {upstream: {C: [[1, 0]]}, to: [Q]} from a given dC.",
    {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {
                    "of": {"type": "string"},
                    "to": _NAMES,
                    "upstream": {"type": "object", "minProperties": 1},
                    "fused": {"type": "boolean"},
                },
                "additionalProperties": False,
            },
        ]
    },
    _training("read_gradient"),
)
JACOBIAN = declare(
    "jacobian",
    "The derivative of every entry of one list by every entry of another: {of: y, to: z}.",
    {
        "type": "object",
        "properties": {"of": {"type": "string"}, "to": {"type": "string"}},
        "required": ["of", "to"],
        "additionalProperties": False,
    },
    _training("read_jacobian"),
)
UPDATE = declare(
    "update",
    "How the parameters change: {rate: 0.1}, or {rule: adam, rate: 0.1, betas: [0.9, 0.999], after: true}.",
    {
        "type": "object",
        "properties": {
            "rule": {"enum": ["plain", "momentum", "adam", "adamw"]},
            "rate": shapes.NUMBER_REF,
            "betas": {"anyOf": [shapes.NUMBER_REF, {"type": "array", "minItems": 2, "maxItems": 2}]},
            "eps": shapes.NUMBER_REF,
            "decay": shapes.NUMBER_REF,
            "step": {"type": "integer", "minimum": 1},
            "state": {"type": "object"},
            "after": {"type": "boolean"},
            "steps": {"type": "integer", "minimum": 1},
        },
        "required": ["rate"],
        "additionalProperties": False,
    },
    _training("read_update"),
)
TRAINING = (GRADIENT, JACOBIAN, UPDATE)
OWN = by_name(FORMULAS, REPEAT, OVERRIDE, VOCABULARY, IDS_FROM, *TRAINING)
"""The keys of formulas in any other kind."""
