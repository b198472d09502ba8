"""What the first document of a file shares with those after it (`shared: {given: ..., formulas: ...}`): merged into
each, and left out again where a problem has no use for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field

from attnsolve.bounds import allowed, raises
from attnsolve.errors import Fault, Mark, ProblemError
from attnsolve.record import Record, record
from attnsolve.spec import reader
from attnsolve.spec.own_keys import FORMULAS

SHARED = "shared"
GIVEN = "given"
Spare = Mapping[Mark, tuple[reader.Scalar, ...]]
"""Entries that a problem may do without, by the places of key and value: the key, or those of the mapping under it."""


@record
class Documents(Record):
    """The problems of a file as they are read, and what of them they have in common."""

    nodes: tuple[reader.Node, ...]
    spare: Spare = field(default_factory=dict)


def sharing(documents: Sequence[reader.Node], file: str) -> Documents:
    """The documents of a file, each with what the first one shares."""
    for number, node in enumerate(documents):
        for key, value in node.entries if isinstance(node, reader.Mapping) else ():
            if key.text == SHARED:
                shared = _shared(documents, number, key, value, file)
                nodes = tuple(merged(other, shared) for other in documents[1:])
                return Documents(nodes, spare_entries(shared))
    return Documents(tuple(documents))


def _shared(
    documents: Sequence[reader.Node], number: int, key: reader.Scalar, value: reader.Node, file: str
) -> reader.Mapping:
    """What is shared, if it stands where it should."""
    here = documents[number]
    assert isinstance(here, reader.Mapping)
    fault = None
    if number:
        fault = Fault(file, key.at, "shared must stand in the first document of the file", "move it to the top")
    elif len(here.entries) > 1:
        other = next(other for other, _ in here.entries if other.text != SHARED)
        message = f"shared must stand alone in the first document, but {other.text!r} stands beside it"
        fault = Fault(file, other.at, message, "write a line with --- between what is shared and the first problem")
    elif not isinstance(value, reader.Mapping) or not value.entries:
        message = f"shared must be a mapping such as {{given: {{W: [[1, 0], [0, 1]]}}}}, but {_found(value)} was found"
        fault = Fault(file, value.at, message)
    elif len(documents) == 1:
        message = "there is no problem that could use what is shared"
        fault = Fault(file, key.at, message, "write the problems below it, each after a line with ---")
    else:
        needed, most = len(documents) * size(value), allowed().nodes
        if needed <= most:
            return value
        message = f"what is shared comes to more than {most:,} values, counted once for every problem"
        fault = Fault(file, key.at, message, raises("nodes", 2 * needed))
    raise ProblemError([fault])


def _found(node: reader.Node) -> str:
    return "an empty one" if isinstance(node, reader.Mapping) else reader.describe(node)


def size(node: reader.Node) -> int:
    """How many values it has."""
    match node:
        case reader.Mapping(entries=entries):
            return 1 + sum(1 + size(value) for _, value in entries)
        case reader.Sequence(items=items):
            return 1 + sum(map(size, items))
    return 1


def merged(own: reader.Node, shared: reader.Mapping) -> reader.Node:
    """A problem with what is shared; where both have a name, its own entry stands."""
    return _merged(own, shared, frozenset(_defined(own))) if isinstance(own, reader.Mapping) else own


def _merged(own: reader.Mapping, shared: reader.Mapping, defined: frozenset[str] = frozenset()) -> reader.Mapping:
    there = {key.text: value for key, value in own.entries}
    more = {}
    for key, value in shared.entries:
        if key.text in (GIVEN, FORMULAS.name) and isinstance(value, reader.Mapping):
            value = reader.Mapping(tuple(entry for entry in value.entries if entry[0].text not in defined), value.at)
        mine = there.get(key.text)
        if isinstance(mine, reader.Mapping) and isinstance(value, reader.Mapping):
            there[key.text] = _merged(mine, value)
        elif mine is None:
            more[key] = value
    return reader.Mapping((*((key, there[key.text]) for key, _ in own.entries), *more.items()), own.at)


def _defined(node: reader.Mapping) -> Iterator[str]:
    """The names that a problem gives or defines itself: given here and a formula there, they would clash."""
    for key, value in node.entries:
        if key.text in (GIVEN, FORMULAS.name) and isinstance(value, reader.Mapping):
            yield from (name.text for name, _ in value.entries)


# ── what nobody needs ───────────────────────────────────────────────────────────────────────────


def spare_entries(node: reader.Mapping) -> Spare:
    """Every entry of a mapping, and of the mappings in it."""
    found: dict[Mark, tuple[reader.Scalar, ...]] = {}
    for key, value in node.entries:
        inside = spare_entries(value) if isinstance(value, reader.Mapping) else {}
        keys = tuple(dict.fromkeys(key for keys in inside.values() for key in keys)) or (key,)
        found |= {value.at: keys, key.at: keys, **inside}
    return found


def without(node: reader.Mapping, marks: Collection[Mark]) -> reader.Mapping:
    """The same without the entries whose keys or values stand at some places; nothing is left of a mapping that loses
    all."""
    entries = []
    for key, value in node.entries:
        kept = without(value, marks) if isinstance(value, reader.Mapping) else value
        emptied = isinstance(kept, reader.Mapping) and not kept.entries and kept != value
        if not {key.at, value.at} & {*marks} and not emptied:
            entries.append((key, kept))
    return reader.Mapping(tuple(entries), node.at)


def left_out(node: reader.Node, spare: Spare, unused: Mapping[Mark, Fault], file: str) -> dict[Mark, Fault]:
    """The entries that a problem does without, with what to say if they all do: why it was left out, or that there is
    another in its place."""
    there = spare_entries(node) if spare and isinstance(node, reader.Mapping) else {}
    unknown = {key.at: f for at, f in unused.items() if f.message.startswith("unknown") for key in spare[at]}
    found = {}
    for key in dict.fromkeys(key for keys in spare.values() for key in keys):
        if key.at not in there:
            fault = Fault(file, key.at, f"{key.text} is shared, but no problem uses it", "leave it out")
            found[key.at] = unknown.get(key.at, fault)
    return found


def unused_entries(spare: Spare, unneeded: Sequence[Mapping[Mark, Fault]]) -> list[Fault]:
    """What is shared and no problem uses, from what each does without."""
    places = dict.fromkeys(key.at for keys in spare.values() for key in keys)
    return [unneeded[0][at] for at in places if all(at in own for own in unneeded)]
