"""Derivations, one room a topic: what may be given, what can be asked, and the argument, every line of it verified.

A topic's module has derive(problem, body); what may stand in its problem files is read in `spec/given.py`.
What is the same in every problem of a topic is worked out once.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attnsolve.derivations.writing import Passage
    from attnsolve.document import Block

TOPICS = {
    "scaled-dot-product": "scaled_dot_product",
    "softmax-is-a-distribution": "distribution",
    "softmax-shift-invariance": "shift",
    "copying": "copying",
    "averaging": "averaging",
    "permutation-equivariance": "permutation",
    "claim": "claim",
}
"""Every topic and the module that is its room."""


def shown(topic: str) -> list[Block]:
    """The argument of a topic that needs nothing given, for a part of another problem that asks for it."""
    passages: list[Passage] = room(topic).argument()
    return [passage.section for passage in passages]


def room(topic: str) -> ModuleType:
    """The module of a topic."""
    return import_module(f"{__name__}.{TOPICS[topic]}")
