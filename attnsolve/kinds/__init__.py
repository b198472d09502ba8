"""Problems of each kind to graphs: which quantities there are, and the formula of each."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attnsolve.graph import Graph
    from attnsolve.spec.problem import Problem

KINDS = {"attention": "attnsolve.kinds.attention", "seq2seq": "attnsolve.kinds.seq2seq"}
"""Where each kind's graph is built: a module with build()."""


def build_graph(problem: Problem) -> Graph:
    """The graph of a problem, by its kind."""
    graph: Graph = import_module(KINDS[problem.kind]).build(problem)
    return graph
