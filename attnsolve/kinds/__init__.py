"""Problems of each kind to graphs (which quantities there are, and the formula of each) or to arguments."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from attnsolve.bounds import allowed, raises
from attnsolve.errors import Fault, ProblemError

if TYPE_CHECKING:
    from attnsolve.graph import Graph
    from attnsolve.spec.fields import Fields
    from attnsolve.spec.problem import Problem

KINDS = {
    "attention": "attnsolve.kinds.attention",
    "seq2seq": "attnsolve.kinds.seq2seq",
    "formulas": "attnsolve.kinds.formulas",
}
"""Where each kind's graph is built: a module with build(), given_matrices() and report()."""


ARGUMENTS = ("derivation", "random-keys")
"""Kinds whose problems ask for an argument and not for numbers."""


FLOATS_AS_LONG = 10_000
"""How many multiplications of floats take about as long as an exact one."""


ALGEBRA_AS_LONG = 500
"""How many multiplications of fractions take about as long as one of terms with letters or several roots."""


def check(problem: Problem, fields: Fields) -> int:
    """Build a problem's graph once: what is missing, what doesn't fit and what is never used are noted.

    What it costs to work out is returned; arguments are held to bounds of their own."""
    if problem.kind in ARGUMENTS:
        return 0
    try:
        graph = build_graph(problem)
    except ProblemError as error:
        fields.faults.found += error.faults
        return 0
    module = import_module(KINDS[problem.kind])
    module.report(problem, graph, fields)
    return cost(problem, graph)


def builder_of(kind: str) -> Callable[[Problem], Graph]:
    """What makes a graph of a problem of a kind."""
    if kind in ARGUMENTS:
        return _without_quantities
    return partial(_build, kind)


def _build(kind: str, problem: Problem) -> Graph:
    from attnsolve.kinds.requested import with_requested

    module = import_module(KINDS[kind])
    graph = module.build(problem)
    if problem.formulas is not None or getattr(problem.body, "shorthands", None):
        from attnsolve.kinds.extended import extend

        graph = extend(problem, graph, module.LIBRARY.letters)
    own = problem.formulas if problem.formulas is not None else problem.body
    if (training := getattr(own, "training", None)) is not None:
        from attnsolve.kinds.training import with_training

        graph = with_training(problem, graph, training)
    graph = with_requested(problem, graph, module.given_matrices(problem))
    if problem.cases:
        from attnsolve.kinds.cases import with_cases

        graph = with_cases(problem, graph)
    return graph


def _without_quantities(problem: Problem) -> Graph:
    """The graph of a problem that asks for an argument."""
    from attnsolve.graph import Graph

    return Graph({}, "rows")


def build_graph(problem: Problem) -> Graph:
    """The graph of a problem, by its kind; one that would take too long to work out is refused."""
    graph = problem.graph
    less = "write numbers: float" if problem.numbers == "exact" else ""
    refuse_beyond(problem, cost(problem, graph), less)
    return graph


def cost(problem: Problem, graph: Graph) -> int:
    """What a problem takes to work out and to show, in exact multiplications."""
    from attnsolve.graph import work

    if problem.numbers != "exact":
        return work(graph) // FLOATS_AS_LONG
    products = sum(map(graph.products, graph.quantities))
    return work(graph) + (ALGEBRA_AS_LONG - 1) * products * needs_algebra(graph)


def needs_algebra(graph: Graph) -> bool:
    """Whether letters, π or sums of roots are given, which are multiplied term by term."""
    from attnsolve.operations.formula import Given

    tables = (q.formula.rows for q in graph if isinstance(q.formula, Given))
    others = {x for rows in tables for row in rows for x in row if not isinstance(x, Fraction | float)}
    if not others:
        return False
    from attnsolve.numbers.closed import cell_of
    from attnsolve.numbers.surds import Surd

    return any(not isinstance(cell_of(x), Fraction | Surd) for x in others)


def refuse_beyond(problem: Problem, needed: int, less: str = "") -> None:
    """Refuse what would take more multiplications than are allowed, before it is begun; `less` is another way out."""
    if needed > allowed().work:
        message = f"this takes as long as {needed:,} exact multiplications, but {allowed().work:,} are allowed"
        fix = f"{raises('work', needed)} (and --bound seconds={10 * allowed().seconds} the time)"
        raise ProblemError([Fault(problem.file, problem.at, message, f"{fix}, or {less}" if less else fix)])
