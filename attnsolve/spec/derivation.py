"""The keys of `kind: derivation`: the topic, and what it is given."""

from __future__ import annotations

from typing import Any

from attnsolve.record import Record, record
from attnsolve.spec.fields import Fields
from attnsolve.spec.keys import by_name, declare
from attnsolve.spec.topics import TOPIC_FORMS

KIND = "derivation"
TOPIC = declare(
    "topic",
    f"What is derived: {', '.join(TOPIC_FORMS)}.",
    {"enum": list(TOPIC_FORMS)},
    lambda fields, name: fields.choice(name, TOPIC_FORMS, ""),
)
KEYS = by_name(TOPIC, *(key for form in TOPIC_FORMS.values() for key in form.keys))
QUANTITIES = tuple(dict.fromkeys(passage for form in TOPIC_FORMS.values() for passage in form.passages))
"""What a part may ask for: the passages of all topics."""
CLAIMS = ("softmax-is-a-distribution", "softmax-shift-invariance", "permutation-equivariance")
NAMES: tuple[str, ...] = ()
GIVABLE: tuple[str, ...] = ()
PARAMETERS = ("W_Q", "W_K", "W_V")
LETTERS = {"inputs": "X", "query": "q", "queries": "Q", "keys": "K", "values": "V", "scores": "S"}
SOURCES: dict[str, str] = {}
UNUSED = ("numbers", "notation", "symbols", "limit", "rounding", "answers", "tolerance", "exact")
"""Keys that other kinds have and that say nothing here."""
ELSEWHERE = dict.fromkeys(UNUSED, "a derivation has its own letters, and does no rounding")


@record
class DerivationBody(Record):
    """A topic, and what it is given."""

    topic: str
    given: Any


def read(fields: Fields) -> DerivationBody | None:
    """Read the body of a derivation."""
    if fields.get(TOPIC.name) is None:
        fields.faults.add(fields.node, "a derivation needs a topic", f"add topic: one of {', '.join(TOPIC_FORMS)}")
        return None
    topic = TOPIC.read(fields)
    if not topic:
        return None
    for name, at in fields.marks.items():
        users = [other for other, form in TOPIC_FORMS.items() if name in by_name(*form.keys)]
        if users and topic not in users:
            fields.faults.report_unused(at, f"{name} has no meaning for {topic}", f"it belongs to {', '.join(users)}")
    return DerivationBody(topic, TOPIC_FORMS[topic].read(fields))
