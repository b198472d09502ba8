"""The keys of `kind: derivation`: the topic, and what its room reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attnsolve.derivations import TOPICS, room
from attnsolve.spec import shapes
from attnsolve.spec.fields import Fields

__all__ = ["CLAIMS", "ELSEWHERE", "KEYS", "NAMES", "QUANTITIES", "UNUSED", "Derivation", "read", "shapes_of_keys"]

_ROOMS = {topic: room(topic) for topic in TOPICS}
KEYS: dict[str, str] = {"topic": f"What is derived: {', '.join(TOPICS)}."}
for _room in _ROOMS.values():
    KEYS |= _room.KEYS
QUANTITIES = tuple(dict.fromkeys(passage for r in _ROOMS.values() for passage in r.PASSAGES))
"""What a part may ask for: the passages of all topics."""
CLAIMS = ("softmax-is-a-distribution", "softmax-shift-invariance", "permutation-equivariance")
NAMES: tuple[str, ...] = ()
UNUSED = ("numbers", "notation", "symbols", "limit", "rounding", "answers", "tolerance", "exact")
"""Keys that other kinds have and that say nothing here."""
ELSEWHERE = dict.fromkeys(UNUSED, "a derivation has its own letters, and rounds nothing on the way")


@dataclass(frozen=True)
class Derivation:
    """A topic, and what its room has read."""

    topic: str
    given: Any


def read(fields: Fields) -> Derivation | None:
    """Read the body of a derivation."""
    if fields.get("topic") is None:
        fields.faults.add(fields.node, "a derivation needs a topic", f"add topic: one of {', '.join(TOPICS)}")
        return None
    topic = fields.choice("topic", TOPICS, "")
    if not topic:
        return None
    known = _ROOMS[topic].KEYS
    for name, at in fields.marks.items():
        if name in KEYS and name != "topic" and name not in known:
            users = ", ".join(other for other, r in _ROOMS.items() if name in r.KEYS)
            fields.faults.add(at, f"{name} says nothing about {topic}", f"it belongs to {users}")
    return Derivation(topic, _ROOMS[topic].read(fields))


def shapes_of_keys() -> dict[str, shapes.Shape]:
    """What may stand under each key."""
    known: dict[str, shapes.Shape] = {"topic": {"enum": list(TOPICS)}}
    for each in _ROOMS.values():
        known |= each.SHAPES
    return known
