"""The way from a file to what is shown: a problem becomes a graph, the graph a solution, the solution a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, TypeVar

from attnsolve import derivations
from attnsolve.kinds import ARGUMENTS, build_graph
from attnsolve.loading.files import load_all
from attnsolve.solution.solved import Narration
from attnsolve.unsolvable import refusing

if TYPE_CHECKING:
    from attnsolve.document import Document
    from attnsolve.graph import Graph
    from attnsolve.narrate.narrated import Narrated
    from attnsolve.spec.problem import Problem

    Kind = TypeVar("Kind", bound=Narrated)

    class Made(Protocol):
        """Makes a class of a class of solutions."""

        def __call__(self, kind: type[Kind]) -> type[Kind]:
            """One that is built in the same way."""


def pipeline(path: str, narration: Narration | None = None) -> Iterator[Document]:
    """Every problem of a file, from what is written to what is shown."""
    for problem in load_all(path):
        graph = build_graph(problem)
        solution = work_out(problem, graph)
        document = solution.to_document(narration)
        yield document


def solve(problem: Problem, made: Made = lambda kind: kind) -> Narrated:
    """Work a problem out; what is beyond the arithmetic is refused with the name of the file."""
    with refusing(problem.file, problem.at):
        return work_out(problem, build_graph(problem), made)


def work_out(problem: Problem, graph: Graph, made: Made = lambda kind: kind) -> Narrated:
    """Every quantity of a problem, exact (a Solution) or as floats; or the argument that it asks for (a Derivation).
    What calls this may want a class of its own `made` of each of these."""
    if problem.kind in ARGUMENTS:
        from attnsolve.derivations.derivation import Derivation

        return made(Derivation)(problem, derivations.derive(problem))
    if problem.numbers == "float":
        from attnsolve.narrate.floats import NarratedFloats

        return made(NarratedFloats)(problem, graph, derivations)
    from attnsolve.narrate.narrated import NarratedSolution

    solution = made(NarratedSolution)(problem, graph, derivations)
    solution.refuse_letters()
    return solution
