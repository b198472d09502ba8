"""The formulas that a file of another kind has beside what its kind has: which of its keys only they read, and what
they give and define.
"""

from __future__ import annotations

import re

from attnsolve.spec import reader
from attnsolve.spec.fields import Faults, Fields
from attnsolve.spec.formulas import (
    GIVEN,
    Formulas,
    names_made,
    names_stated,
    plain_name,
    read_all_given,
    read_formulas,
    read_repeats,
    read_training,
)
from attnsolve.spec.keys import Kind
from attnsolve.spec.layout import Layout
from attnsolve.spec.own_keys import FORMULAS, IDS_FROM, OVERRIDE, OWN, VOCABULARY


class ExtendedKind:
    """A kind with the names of a file's own formulas beside its own."""

    def __init__(self, kind: Kind, names: tuple[str, ...]) -> None:
        self.kind = kind
        self.QUANTITIES = tuple(dict.fromkeys((*kind.QUANTITIES, *names)))
        self.NAMES = tuple(dict.fromkeys((*kind.NAMES, *names)))

    def __getattr__(self, name: str) -> object:
        return getattr(self.kind, name)


def extended(kind: Kind, node: reader.Mapping) -> ExtendedKind:
    """A kind for a file that has formulas of its own."""
    own = tuple(name for name in dict.fromkeys(names_stated(node)) if name not in kind.LETTERS.values())
    known = (*kind.QUANTITIES, *kind.PARAMETERS, *own)
    return ExtendedKind(kind, (*own, *names_made(node, {name: kind.LETTERS.get(name, name) for name in known})))


def own_part(node: reader.Mapping, kind: Kind) -> tuple[reader.Mapping, reader.Mapping]:
    """A file of another kind without what only its own formulas read, and that: formulas, repeats, given matrices."""
    rest: list[tuple[reader.Scalar, reader.Node]] = []
    own: list[tuple[reader.Scalar, reader.Node]] = []
    used = _read_names(node)
    for key, value in node.entries:
        if key.text in OWN:
            own.append((key, value))
        elif key.text == GIVEN.name and isinstance(value, reader.Mapping):
            mine = [e for e in value.entries if e[0].text not in kind.QUANTITIES and plain_name(e[0].text) in used]
            others = tuple(entry for entry in value.entries if entry not in mine)
            own += [(key, reader.Mapping(tuple(mine), value.at))] if mine else []
            rest += [(key, reader.Mapping(others, value.at))] if others else []
        else:
            rest.append((key, value))
    return reader.Mapping(tuple(rest), node.at), reader.Mapping(tuple(own), node.at)


def _read_names(node: reader.Mapping) -> set[str]:
    """Every word in the formulas of a file."""
    found: set[str] = set()
    waiting: list[reader.Node] = [value for key, value in node.entries if key.text in (*OWN, "parts")]
    while waiting:
        match waiting.pop():
            case reader.Scalar(text=text):
                found |= {plain_name(word) for word in _WORDS.findall(text)}
            case reader.Sequence(items=items):
                waiting += items
            case reader.Mapping(entries=entries):
                waiting += [value for _, value in entries]
    return found


_WORDS = re.compile(r"[^\W\d]\w*(?:_\{\w+\})?")


def read_own(node: reader.Mapping, body: object, faults: Faults) -> Formulas:
    """What a file of another kind gives and defines beside what its kind has."""
    fields = Fields(node, (*OWN, GIVEN.name), faults)
    given = dict(read_all_given(fields))
    formulas = dict(read_formulas(fields, FORMULAS.name, given))
    repeats = read_repeats(fields, {*given, *formulas})
    layout: Layout = getattr(body, "layout", "rows")
    vectors: Layout = getattr(body, "vectors", "rows")
    tokens = getattr(body, "tokens", ())
    words, first, override = VOCABULARY.read(fields), IDS_FROM.read(fields), OVERRIDE.read(fields)
    training = read_training(fields)
    return Formulas(layout, vectors, tokens, given, formulas, repeats, words, first, override, training)
