"""The keys under which a sheet states formulas of its own, whatever its kind."""

from __future__ import annotations

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
OWN = by_name(FORMULAS, REPEAT, OVERRIDE, VOCABULARY, IDS_FROM)
"""The keys of formulas in any other kind."""
