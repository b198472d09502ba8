"""A problem worked out: its graph run, exactly or in float64, or its argument made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnsolve.kinds import ARGUMENTS, build_graph, derive
from attnsolve.refusal import refusing

if TYPE_CHECKING:
    from attnsolve.spec.problem import Problem
    from attnsolve.worked import Worked


def solve(problem: Problem) -> Worked:
    """Work a problem out: every quantity of it (a Solution), or the argument it asks for (a Derivation)."""
    with refusing(problem.file, problem.at):
        return _work_out(problem)


def _work_out(problem: Problem) -> Worked:
    if problem.kind in ARGUMENTS:
        from attnsolve.derivation import Derivation

        return Derivation(problem, derive(problem))
    graph = build_graph(problem)
    if problem.numbers == "float":
        from attnsolve.measured import Measured

        return Measured(problem, graph)
    from attnsolve.solution import Solution

    solution = Solution(problem, graph)
    solution.refuse_letters()
    return solution
