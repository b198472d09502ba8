"""The keys of `kind: derivation`: the topic, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attnsolve.spec import shapes
from attnsolve.spec.fields import Fields
from attnsolve.spec.topics import STATED

__all__ = ["CLAIMS", "ELSEWHERE", "KEYS", "NAMES", "QUANTITIES", "UNUSED", "Topical", "read", "shapes_of_keys"]

KEYS: dict[str, str] = {"topic": f"What is derived: {', '.join(STATED)}."}
for _stated in STATED.values():
    KEYS |= _stated.keys
QUANTITIES = tuple(dict.fromkeys(passage for stated in STATED.values() for passage in stated.passages))
"""What a part may ask for: the passages of all topics."""
CLAIMS = ("softmax-is-a-distribution", "softmax-shift-invariance", "permutation-equivariance")
NAMES: tuple[str, ...] = ()
GIVABLE: tuple[str, ...] = ()
PARAMETERS = ("W_Q", "W_K", "W_V")
LETTERS = {"inputs": "X", "query": "q", "keys": "K", "values": "V", "scores": "S"}
SOURCES: dict[str, str] = {}
UNUSED = ("numbers", "notation", "symbols", "limit", "rounding", "answers", "tolerance", "exact")
"""Keys that other kinds have and that say nothing here."""
ELSEWHERE = dict.fromkeys(UNUSED, "a derivation has its own letters, and does no rounding")


@dataclass(frozen=True)
class Topical:
    """A topic, and what it is given."""

    topic: str
    given: Any


def read(fields: Fields) -> Topical | None:
    """Read the body of a derivation."""
    if fields.get("topic") is None:
        fields.faults.add(fields.node, "a derivation needs a topic", f"add topic: one of {', '.join(STATED)}")
        return None
    topic = fields.choice("topic", STATED, "")
    if not topic:
        return None
    known = STATED[topic].keys
    for name, at in fields.marks.items():
        if name in KEYS and name != "topic" and name not in known:
            users = ", ".join(other for other, stated in STATED.items() if name in stated.keys)
            fields.faults.add(at, f"{name} has no meaning for {topic}", f"it belongs to {users}")
    return Topical(topic, _given(topic, fields))


def _given(topic: str, fields: Fields) -> Any:
    if topic == "claim":
        from attnsolve.spec.claim import read_claim

        return read_claim(fields)
    from attnsolve.spec.given import READERS

    return READERS[topic](fields)


def shapes_of_keys() -> dict[str, shapes.Shape]:
    """What may stand under each key."""
    known: dict[str, shapes.Shape] = {"topic": {"enum": list(STATED)}}
    for stated in STATED.values():
        known |= stated.shapes
    return known
