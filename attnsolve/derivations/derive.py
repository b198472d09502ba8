"""Derivations: the topic's own room makes the argument."""

from __future__ import annotations

from attnsolve.derivations import room
from attnsolve.derivations.writing import Passage
from attnsolve.spec.derivation import Topical
from attnsolve.spec.problem import Problem
from attnsolve.spec.topics import STATED


def derive(problem: Problem) -> list[Passage]:
    """The argument of a topic."""
    body: Topical = problem.body
    passages: list[Passage] = room(body.topic).derive(problem, body.given)
    for passage in passages:
        passage.task = STATED[body.topic].passages[passage.id]
    return passages
