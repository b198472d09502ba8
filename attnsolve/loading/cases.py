"""A problem with cases (`compare:`) as several problems: the file itself, and each case with what differs merged in."""

from __future__ import annotations

from collections.abc import Iterator

from attnsolve.bounds import allowed, raises
from attnsolve.loading.shared import Spare, size, spare_entries
from attnsolve.spec import reader
from attnsolve.spec.compare import COMPARE, WrittenCase
from attnsolve.spec.fields import Faults, is_empty
from attnsolve.spec.header import HEADER
from attnsolve.spec.keys import Kind
from attnsolve.spec.spelling import spelled

NUMERIC = ("kind", "numbers", "symbols", "notation")
"""Keys of every kind that say how the numbers of a case are read."""


def spare_of(node: reader.Mapping, *, symbols: bool = False) -> Spare:
    """What the file itself and each of its cases may do without, if another needs it."""
    fixed = {COMPARE.name, *HEADER} - ({"symbols"} if symbols else set())
    kept = tuple(entry for entry in node.entries if entry[0].text not in fixed)
    return spare_entries(reader.Mapping(kept, node.at))


def case_nodes(node: reader.Mapping, cases: list[WrittenCase], kind: Kind, faults: Faults) -> list[reader.Mapping]:
    """Every case as a problem by itself; what can't be merged is noted."""
    needed, most = (1 + len(cases)) * size(node), allowed().nodes
    if needed > most:
        message = f"with its cases it comes to more than {most:,} values, counted once for every case"
        faults.add(node, message, raises("nodes", 2 * needed))
    if faults.found:
        return []
    alone = spelled(_without_questions(node), kind, Faults(faults.file))
    return [_merged(alone, _changes(case, kind, faults), case.name, faults) for case in cases]


def _without_questions(node: reader.Mapping) -> reader.Mapping:
    kept = tuple(e for e in node.entries if e[0].text not in (COMPARE.name, *HEADER) or e[0].text in NUMERIC)
    return reader.Mapping(kept, node.at)


def _changes(case: WrittenCase, kind: Kind, faults: Faults) -> reader.Mapping:
    """What a case changes, in the names that are read."""
    for key, _ in case.changes.entries:
        if key.text in HEADER or key.text == COMPARE.name:
            message = f"the case {case.name} can't change {key.text}, which all cases have in common"
            faults.add(key, message, "leave it out, or write a problem of its own after ---")
    changes = spelled(case.changes, kind, faults)
    return reader.Mapping(tuple(e for e in changes.entries if e[0].text not in HEADER), changes.at)


def _merged(base: reader.Mapping, changes: reader.Mapping, case: str, faults: Faults) -> reader.Mapping:
    """A mapping with some entries changed, mappings within it likewise; an empty value takes an entry away."""
    entries = {key.text: (key, value) for key, value in base.entries}
    for key, value in changes.entries:
        _, mine = entries.get(key.text, (key, None))
        if is_empty(value):
            if entries.pop(key.text, None) is None:
                fix = faults.nearest(key.text, entries)
                faults.add(key, f"the case {case} takes {key.text} away, which is not there", fix)
        elif isinstance(value, reader.Mapping) and isinstance(mine, reader.Mapping):
            entries[key.text] = key, _merged(mine, value, case, faults)
        else:
            entries[key.text] = key, value
    return reader.Mapping(tuple(entries.values()), base.at)


HOMES = ("given", "formulas", "weights", "repeat", "for", "start", "each")
"""Keys under which things have names of their own."""


def differs(changes: reader.Mapping, before: str = "") -> Iterator[tuple[str, str]]:
    """What a case changes, and to what as far as that is short; nothing for what it takes away."""
    for key, value in changes.entries:
        name = before + key.text
        if isinstance(value, reader.Mapping):
            yield from differs(value, "" if key.text in HOMES else f"{name} ")
        elif isinstance(value, reader.Scalar):
            yield name, "" if is_empty(value) else " ".join(value.text.split())
