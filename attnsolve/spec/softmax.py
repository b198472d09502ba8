"""`softmax:` and `stable:`, for every kind that turns scores into weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from attnsolve.spec import reader
from attnsolve.spec.fields import Fields
from attnsolve.spec.keys import declare
from attnsolve.spec.number import Number

Base = Literal["e", "sum"] | Number
"""The base of the softmax; "sum" divides by the row sum without exponentials."""

MEANT = {"temperature": "write temperature: and the number, beside softmax:"}
"""Where a key goes that was written under softmax."""
SOFTMAX = declare(
    "softmax",
    "sum (divide by the row sum) or {base: 2}; default: base e.",
    {
        "anyOf": [
            {"enum": ["sum", "exp", "e"]},
            {
                "type": "object",
                "properties": {"base": {"$ref": "#/$defs/number"}, "stable": {"type": "boolean"}},
                "additionalProperties": False,
            },
        ]
    },
)
STABLE = declare("stable", "true to subtract each row's maximum first.", {"type": "boolean"}, Fields.boolean)


def read_softmax(fields: Fields) -> tuple[Base, bool]:
    """The base, and whether each row's maximum is taken off first."""
    node, stable = SOFTMAX.read(fields), STABLE.read(fields)
    if node is None:
        return "e", stable
    if isinstance(node, reader.Mapping):
        inner = Fields(node, ("base", "stable"), fields.faults, " in softmax", MEANT)
        base = inner.number("base")
        if base is not None and not _is_base(base):
            message = "the base of a softmax must be a number greater than 1, with at most three digits"
            fields.faults.add(inner.get("base") or node, message)
        return "e" if base is None else base, stable or inner.boolean("stable")
    if isinstance(node, reader.Scalar) and node.text in ("sum", "exp", "e"):
        return "sum" if node.text == "sum" else "e", stable
    fields.faults.expected(node, "softmax", "sum or a mapping such as {base: 2}")
    return "e", stable


def _is_base(base: Number) -> bool:
    if isinstance(base, Fraction):
        return 1 < base <= 1000 and base.denominator <= 1000
    return not base.free_symbols and bool((base - 1).is_positive)
