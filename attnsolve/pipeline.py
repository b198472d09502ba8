"""The way from a file to what is shown: a problem becomes a graph, the graph a solution, the solution a document."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from attnsolve.kinds import ARGUMENTS, build_graph
from attnsolve.loader import load_all
from attnsolve.refusal import refusing
from attnsolve.worked import Telling

if TYPE_CHECKING:
    from attnsolve.document import Document
    from attnsolve.narrate.told import Told
    from attnsolve.spec.problem import Problem


def pipeline(path: str, telling: Telling | None = None) -> Iterator[Document]:
    """Every problem of a file, worked out and told."""
    for problem in load_all(path):
        solution = solve(problem)
        yield solution.tell(telling)


def solve(problem: Problem) -> Told:
    """Work a problem out: every quantity of it (a Solution), or the argument it asks for (a Derivation)."""
    with refusing(problem.file, problem.at):
        return _argue(problem) if problem.kind in ARGUMENTS else _compute(problem)


def _compute(problem: Problem) -> Told:
    graph = build_graph(problem)
    if problem.numbers == "float":
        from attnsolve.narrate.measured import ToldMeasured

        return ToldMeasured(problem, graph)
    from attnsolve.narrate.told import ToldSolution

    solution = ToldSolution(problem, graph)
    solution.refuse_letters()
    return solution


def _argue(problem: Problem) -> Told:
    from attnsolve.derivation import Derivation

    passages = import_module(ARGUMENTS[problem.kind]).derive(problem)
    return Derivation(problem, passages)
