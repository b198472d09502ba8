"""The names that a file may use for quantities and weights: their ids, and the letters and words for them."""

from __future__ import annotations

from collections.abc import Iterable

from attnsolve.library.words import CALLED
from attnsolve.notation.letters import GREEK_NAMES
from attnsolve.spec import inner_names
from attnsolve.spec.fields import Fields
from attnsolve.spec.keys import Kind
from attnsolve.spec.shapes import Shape, typed


def spellings(kind: Kind, ids: Iterable[str], *, words: bool = True) -> list[str]:
    """The ids and the usual other names, as they are typed, under which some quantities or weights are understood."""
    found: list[str] = []
    for id in ids:
        letter = kind.LETTERS.get(id, id)
        found += [id, letter, GREEK_NAMES.get(letter, letter), *(CALLED.get(id, ()) if words else ())]
        found += [f"{letter}_t"] if len(letter) == 1 and letter.islower() else []
    return typed(found)


def names_of(kind: Kind, ids: Iterable[str]) -> Shape:
    """Ids, letters and words for some quantities and weights, in the JSON Schema."""
    if not kind.NAMES and not kind.CLAIMS:  # whatever the file itself defines
        return {"type": "string"}
    names: Shape = {"enum": spellings(kind, ids)}
    return {"anyOf": [names, inner_names.spellings()]} if kind.GIVABLE else names


def quantity_of(kind: Kind) -> Shape:
    """One quantity of a kind, by any of its names."""
    return {"$ref": f"#/$defs/{kind.KIND}-quantity"}


def with_inner(ids: tuple[str, ...], fields: Fields, kind: Kind) -> tuple[str, ...]:
    """Some ids, and the names of inner quantities that a file has anywhere."""
    return (*ids, *inner_names.names_in(fields, kind.GIVABLE or kind.QUANTITIES))
