"""Derivations, one module per topic: what may be given, what can be asked, and the argument, every line of it verified.

A topic's module has derive(problem, given), and argument() if a part of another problem may ask for it; what may stand
in its problem files is read in `spec/given.py`. What is the same in every problem of a topic is worked out once.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attnsolve.derivations.writing import Passage
    from attnsolve.document import Block
    from attnsolve.graph import Graph
    from attnsolve.narrate.exact import ExactNarrator
    from attnsolve.spec.problem import Problem

TOPICS = {
    "scaled-dot-product": "scaled_dot_product",
    "softmax-is-a-distribution": "distribution",
    "softmax-shift-invariance": "shift",
    "softmax-jacobian": "softmax_jacobian",
    "softmax-cross-entropy-gradient": "cross_entropy",
    "attention-gradient": "attention_gradient",
    "layer-norm-gradient": "layer_norm_gradient",
    "copying": "copying",
    "averaging": "averaging",
    "permutation-equivariance": "permutation",
    "claim": "claim",
}
"""Every topic and its module."""


def derive(problem: Problem) -> list[Passage]:
    """The argument that a problem asks for, each passage with its question."""
    from attnsolve.spec.derivation import DerivationBody
    from attnsolve.spec.random_keys import TASKS
    from attnsolve.spec.topics import TOPIC_FORMS

    body = problem.body
    if isinstance(body, DerivationBody):
        module, given, tasks = module_of(body.topic), body.given, TOPIC_FORMS[body.topic].passages
    else:
        module, given, tasks = import_module(f"{__name__}.random_keys"), body, TASKS
    passages: list[Passage] = module.derive(problem, given)
    for passage in passages:
        passage.task = tasks[passage.id]
    return passages


def module_of(topic: str) -> ModuleType:
    """The module of a topic."""
    return import_module(f"{__name__}.{TOPICS[topic]}")


def shown(topic: str) -> list[Block]:
    """The argument of a topic that needs nothing given, for a part of another problem that asks for it."""
    passages: list[Passage] = module_of(topic).argument()
    return [passage.section for passage in passages]


def prove(claim: str, narrator: ExactNarrator) -> list[Block]:
    """The proof of a claim: the argument of a topic, or about the quantities of a problem."""
    from attnsolve.derivations import proofs

    return shown(claim) if claim in TOPICS else proofs.prove(claim, narrator)


def unprovable(claim: str, graph: Graph) -> str:
    """Why a claim can't be shown for a problem; empty where it can."""
    from attnsolve.derivations import proofs

    if claim == "permutation-equivariance" and any(q.key.id == "masked" for q in graph):
        return f"{claim} can't be shown: it does not hold for a problem with a mask"
    return "" if claim in TOPICS else proofs.unprovable(claim, graph)
