"""The names of what is inside a step, as a problem file has them: `A.exponentials`, `row sums`, `scores[2,1].products`;
and what follows where one of the stages of the softmax is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from attnsolve.language.parser import parse_place
from attnsolve.library.inside import BY_TOKEN as BY_TOKEN
from attnsolve.library.inside import GIVABLE as GIVABLE
from attnsolve.library.inside import STAGES, STEP
from attnsolve.library.inside import STARTS as STARTS
from attnsolve.library.words import INNER, meant_inside
from attnsolve.spec import reader
from attnsolve.spec.fields import Fields, GivenMatrix
from attnsolve.spec.shapes import Shape, typed

_INSIDE = re.compile(r"(\w+)(\[[^\[\]]+\])?\.\w+")
ASKING = ("parts", "rounding", "tolerance", "exact", "notation")
"""Keys under which quantities are named."""


def canonical(text: str, id_of: Callable[[str], str]) -> str:
    """The id that a name of something inside a step stands for, by the ids of the steps; empty for any other name.

    >>> canonical("A.exps", {"A": "weights"}.__getitem__), canonical("row sums", str), canonical("scores", str)
    ('weights.exponentials', 'weights.sums', '')
    """
    place = parse_place(text)
    if place.path or place.within:
        return ""
    if not place.inner:
        name = meant_inside(place.name)
        return f"{STEP}.{name}" if name in STAGES and not place.indices else ""
    index = f"[{','.join(place.indices)}]" if place.indices else ""
    return f"{id_of(place.name)}{index}.{meant_inside(place.inner) or place.inner}"


def names_in(fields: Fields, quantities: Collection[str]) -> tuple[str, ...]:
    """The names of inner quantities that a file has anywhere, as far as they belong to a quantity of its kind."""
    words = (word for key in ASKING for word in _words(fields.get(key)))
    found = ((word, _INSIDE.fullmatch(word)) for word in words)
    return tuple(dict.fromkeys(word for word, match in found if match and match[1] in quantities))


def hints(node: reader.Mapping) -> dict[str, str]:
    """What to write in place of keys that name something else inside a step."""
    others = (key.text for key, _ in node.entries if _INSIDE.fullmatch(key.text) and key.text not in GIVABLE)
    return dict.fromkeys(others, f"of {STEP}, these can be given: {', '.join(x.partition('.')[2] for x in GIVABLE)}")


def _words(node: reader.Node | None) -> Iterator[str]:
    if isinstance(node, reader.Scalar):
        yield node.text
    elif isinstance(node, reader.Sequence):
        for item in node.items:
            yield from _words(item)
    elif isinstance(node, reader.Mapping):
        for key, value in node.entries:
            yield key.text
            yield from _words(value)


def lying(matrix: GivenMatrix, name: str) -> GivenMatrix:
    """One number for each token as a plain list; anything else as it is."""
    return matrix.flattened() if name in BY_TOKEN and not matrix.identity and 1 in matrix.shape else matrix


def spellings() -> Shape:
    """The names of inner quantities in the JSON Schema."""
    words = [word for name in STAGES for word in (name, *INNER[name])]
    known = "|".join(word for name in INNER for word in (name, *INNER[name]) if word.isalpha())
    return {"anyOf": [{"enum": typed(words)}, {"pattern": rf"^.+\.({known})$"}]}
