"""Derivations, one room a topic: what may be given, what can be asked, and the argument, every line of it verified.

A topic's module has KEYS (what a problem may state, with a description of each), PASSAGES (the ids of what can be
asked), read(fields) and derive(problem, body).
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

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


def room(topic: str) -> ModuleType:
    """The module of a topic."""
    return import_module(f"{__name__}.{TOPICS[topic]}")
