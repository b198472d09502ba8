"""`compare:`, the cases of a problem: the same problem with some keys changed, each under a name of its own."""

from __future__ import annotations

from collections.abc import Iterator

from attnsolve.bounds import allowed, raises
from attnsolve.errors import Mark
from attnsolve.record import Record, record
from attnsolve.spec import reader, shapes
from attnsolve.spec.fields import Faults, Fields, is_empty, read_text
from attnsolve.spec.keys import declare

BASE = "base"
"""What the file itself is called beside its cases."""
EXAMPLE = "{masked: {mask: causal}}"
_SWEPT: shapes.Shape = {"type": "array", "minItems": 1, "items": {"type": ["string", "number"]}}
COMPARE = declare(
    "compare",
    "Cases to set beside the file itself, by name, each with what differs:"
    f" {EXAMPLE}; or values for a number that is given: {{T: [1/2, 1, 2]}}.",
    {"type": "object", "minProperties": 1, "additionalProperties": {"anyOf": [{"type": "object"}, _SWEPT]}},
)


@record
class WrittenCase(Record):
    """A case as a file has it."""

    name: str
    at: Mark
    changes: reader.Mapping
    """What differs, by key; an empty value takes a key away."""
    swept: str = ""
    """The number that has another value, and nothing else; empty for a case with a name of its own."""


def has_cases(node: reader.Node) -> bool:
    """Whether it says what it is to be compared with."""
    return isinstance(node, reader.Mapping) and any(key.text == COMPARE.name for key, _ in node.entries)


def names_of(node: reader.Node | None) -> list[str]:
    """The names of the cases under `compare:`."""
    return [case.name for case in _cases(node, Faults(""), {})]


def read_cases(node: reader.Mapping, faults: Faults) -> list[WrittenCase]:
    """The cases of a problem, as many as may be."""
    entries = {key.text: value for key, value in node.entries}
    written = entries[COMPARE.name]
    cases = list(_cases(written, faults, entries))
    if not cases and not faults.found and not is_empty(written):
        found = "an empty one" if isinstance(written, reader.Mapping) else reader.describe(written)
        faults.add(written, f"{COMPARE.name} must be a mapping such as {EXAMPLE}, but {found} was found")
    if len(cases) > allowed().cases:
        message = f"compare has {len(cases)} cases, but at most {allowed().cases} are allowed"
        faults.add(written, message, raises("cases", len(cases)))
    seen: set[str] = set()
    for case in cases:
        if case.name in seen:
            faults.add(case.at, f"compare has the case {case.name!r} twice", "leave one of the two out")
        seen.add(case.name)
    return cases


def _cases(node: reader.Node | None, faults: Faults, entries: dict[str, reader.Node]) -> Iterator[WrittenCase]:
    for key, value in node.entries if isinstance(node, reader.Mapping) else ():
        if isinstance(value, reader.Sequence):
            yield from _sweep(key, value, faults, entries)
        elif not isinstance(value, reader.Mapping) or not value.entries:
            what = "a mapping of what differs, such as {mask: causal}, or a list of values for a number that is given"
            word = value.text if isinstance(value, reader.Scalar) else ""
            fix = f"give the case a name: compare: {{other: {{{key.text}: {word}}}}}" if word else ""
            faults.expected(value, f"the case {key.text}", what, fix)
        elif name := _named(key, faults):
            yield WrittenCase(name, key.at, value)


def _named(key: reader.Scalar, faults: Faults) -> str:
    name = read_text(key, "the name of a case", faults)
    if name == BASE:
        faults.add(key, "base is the file itself", "give the case another name")
    elif any(sign in name for sign in ":,@[]"):
        faults.add(key, f"{name!r} can't be the name of a case", "write words, as in no scaling")
    elif not name:
        faults.add(key, "the name of a case is missing")
    return name


def _sweep(
    key: reader.Scalar, values: reader.Sequence, faults: Faults, entries: dict[str, reader.Node]
) -> Iterator[WrittenCase]:
    """A case for every value of a number."""
    given = entries.get("given")
    inside = {name.text: value for name, value in given.entries} if isinstance(given, reader.Mapping) else {}
    is_key = isinstance(entries.get(key.text), reader.Scalar)
    if entries and not is_key and not isinstance(inside.get(key.text), reader.Scalar):
        numbers = [name for name, value in inside.items() if isinstance(value, reader.Scalar)]
        fix = faults.nearest(key.text, numbers) if numbers else f"add {key.text}: 1, or given: {{{key.text}: 1}}"
        what = "given as a list" if key.text in inside else "not a given number"
        faults.add(key, f"compare lists values for {key.text}, which is {what}", fix)
        return
    for value in values.items:
        if not isinstance(value, reader.Scalar) or not value.text:
            faults.expected(value, f"a value of {key.text}", "a number")
            return
        changes = reader.Mapping(((key, value),), value.at)
        if not is_key:
            changes = reader.Mapping(((reader.Scalar("given", key.at), changes),), value.at)
        yield WrittenCase(f"{key.text} = {' '.join(value.text.split())}", value.at, changes, key.text)


def cases_in(fields: Fields) -> list[str]:
    """The names of the cases that stand beside a key."""
    return names_of(fields.values.get(COMPARE.name))
