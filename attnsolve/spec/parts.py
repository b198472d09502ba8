"""The questions a sheet asks (`parts:`) and how it rounds (`rounding:`), for problems of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from attnsolve.errors import Mark, nearest
from attnsolve.spec import bounds, reader
from attnsolve.spec.fields import Faults, Fields, read_text

By = Literal["", "token", "matrix", "cell"]

KEYS = {
    "find": "One quantity, or a list of them.",
    "by": "How the answer is worked: token by token, as one matrix product, or cell by cell.",
    "for": "One token, or a list of them; all of them if left out.",
    "show": "A claim to prove instead of a quantity to find.",
    "text": "The question, in the sheet's words or your own.",
    "marks": "What the part is worth.",
}
CLAIMS = {
    "projections-are-products": "why Q = X W_Q, with its dimensions",
    "scores-are-dot-products": "entry (i, j) of the scores is the dot product of query i and key j",
    "context-rows-are-weighted-sums": "row i of the context is the weighted sum of the values",
}
"""What a part may ask to be shown."""


@dataclass(frozen=True)
class Part:
    """One question: a few quantities to find, or a claim to show."""

    letter: str
    at: Mark
    text: str = ""
    marks: Fraction | None = None
    find: tuple[str, ...] = ()
    by: By = ""
    tokens: tuple[str, ...] = ()
    show: str = ""


@dataclass(frozen=True)
class Rounding:
    """To how many decimal places, and whether each step goes on from the rounded result of the one before."""

    places: int
    each_step: bool


def read_rounding(fields: Fields) -> Rounding | None:
    """`rounding: {places: 2, when: each-step}`."""
    node, faults = fields.get("rounding"), fields.faults
    if node is None:
        return None
    if not isinstance(node, reader.Mapping):
        faults.expected(node, "rounding", "a mapping such as {places: 2, when: each-step}")
        return None
    inner = Fields(node, ("places", "when"), faults, " in rounding")
    places = inner.integer("places", None, 0, bounds.PLACES)
    when = inner.choice("when", ("shown", "each-step"), "shown")
    if places is None:
        if inner.get("places") is None:
            faults.add(node, "rounding does not say to how many places", "write rounding: {places: 2}")
        return None
    return Rounding(places, when == "each-step")


def read_parts(fields: Fields, quantities: tuple[str, ...]) -> tuple[Part, ...]:
    """`parts:`, a mapping from a letter to a question."""
    node, faults = fields.get("parts"), fields.faults
    if node is None:
        return ()
    if not isinstance(node, reader.Mapping) or not node.entries:
        faults.expected(node, "parts", "a mapping such as {a: {find: queries}}")
        return ()
    return tuple(part for key, value in node.entries if (part := _part(key, value, quantities, faults)) is not None)


def _part(key: reader.Scalar, node: reader.Node, quantities: tuple[str, ...], faults: Faults) -> Part | None:
    letter = read_text(key, "a part's letter", faults, 12)
    name = f"part {letter}"
    if isinstance(node, reader.Scalar) and node.text:
        node = reader.Mapping(((reader.Scalar("find", node.at), node),), node.at)
    if not isinstance(node, reader.Mapping):
        faults.expected(node, name, "a mapping with find or show")
        return None
    fields = Fields(node, KEYS, faults, f" in {name}")
    find = _words(fields, "find", name, faults)
    show = fields.choice("show", CLAIMS, "") if fields.get("show") is not None else ""
    for word, at in find:
        if word not in quantities:
            faults.add(at, f"{name} asks for {word!r}, which is not a quantity", nearest(word, quantities))
    if not find and fields.get("show") is None:
        faults.add(key, f"{name} asks for nothing", "add find: scores, or show: scores-are-dot-products")
    if find and show:
        faults.add(key, f"{name} has both find and show", "make two parts of it")
    by = fields.choice("by", ("token", "matrix", "cell"), "")
    return Part(
        letter=letter,
        at=key.at,
        text=fields.text("text"),
        marks=_marks(fields, name, faults),
        find=tuple(word for word, _ in find),
        by="token" if by == "token" else "matrix" if by == "matrix" else "cell" if by == "cell" else "",
        tokens=tuple(word for word, _ in _words(fields, "for", name, faults)),
        show=show,
    )


def _words(fields: Fields, key: str, part: str, faults: Faults) -> list[tuple[str, Mark]]:
    """One word or a list of them, each with its place."""
    node = fields.get(key)
    if node is None:
        return []
    items = node.items if isinstance(node, reader.Sequence) else (node,)
    return [(read_text(item, f"{key} of {part}", faults, bounds.LABEL_CHARACTERS), item.at) for item in items]


def _marks(fields: Fields, name: str, faults: Faults) -> Fraction | None:
    marks, node = fields.number("marks"), fields.get("marks")
    if marks is None or node is None:
        return None
    if not isinstance(marks, Fraction) or marks < 0:
        faults.expected(node, f"marks of {name}", "a number that is not negative")
        return None
    return marks
