"""How closely an answer must agree: `tolerance:` and `exact:`, for a problem or for some of its quantities."""

from __future__ import annotations

from fractions import Fraction

from attnsolve.record import Record, record
from attnsolve.spec import reader
from attnsolve.spec.fields import Fields, read_text


@record
class Rule(Record):
    """How closely an answer must agree; without anything, to the digits it is written in."""

    absolute: Fraction | None = None
    relative: Fraction | None = None
    exact: bool = False


def read_rules(fields: Fields, quantities: tuple[str, ...]) -> dict[str, Rule]:
    """The rules by quantity, "" for all that have none of their own."""
    rules = _tolerances(fields, quantities)
    node = fields.get("exact")
    if node is None or (isinstance(node, reader.Scalar) and node.text == "false"):
        return rules
    if isinstance(node, reader.Scalar) and node.text == "true":
        return {**rules, "": Rule(exact=True)}
    if not isinstance(node, reader.Sequence):
        fields.faults.expected(node, "exact", "true, false or a list of quantities")
        return rules
    for item in node.items:
        name = read_text(item, "a quantity under exact", fields.faults)
        if name not in quantities:
            fields.faults.add(
                item, f"exact names {name!r}, which is not a quantity", fields.faults.nearest(name, quantities)
            )
        rules[name] = Rule(exact=True)
    return rules


def _tolerances(fields: Fields, quantities: tuple[str, ...]) -> dict[str, Rule]:
    node = fields.get("tolerance")
    if node is None:
        return {}
    if not isinstance(node, reader.Mapping):
        fields.faults.expected(node, "tolerance", "a mapping such as {abs: 0.01} or {scores: {rel: 1/100}}")
        return {}
    names = [key.text for key, _ in node.entries if key.text not in ("abs", "rel")]
    inner = Fields(node, (*quantities, "abs", "rel"), fields.faults, " in tolerance")
    rules = {"": _rule(inner, "tolerance")} if len(names) < len(node.entries) else {}
    for name in names:
        value = inner.get(name)
        if isinstance(value, reader.Mapping):
            what = f"the tolerance of {name}"
            rules[name] = _rule(Fields(value, ("abs", "rel"), fields.faults, f" in {what}"), what)
        elif value is not None:
            fields.faults.expected(value, f"the tolerance of {name}", "a mapping such as {abs: 0.01}")
    return rules


def _rule(fields: Fields, what: str) -> Rule:
    found: dict[str, Fraction | None] = {}
    for name in ("abs", "rel"):
        value, at = fields.number(name), fields.get(name)
        if at is not None and (not isinstance(value, Fraction) or value < 0):
            fields.faults.expected(at, f"{name} of {what}", "a number that is not negative")
            value = None
        found[name] = value if isinstance(value, Fraction) else None
    return Rule(found["abs"], found["rel"])
