"""A problem worked out by the other convention, where there is no derivative to begin with: that of ReLU at 0, which
some take to be 0 and some 1."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

from attnsolve.errors import AttnsolveError
from attnsolve.operations.formula import Formula
from attnsolve.record import Record, record
from attnsolve.solution.exact import Solution


@record
class Otherwise(Record):
    """A solution by the other convention, and what that is."""

    solution: Solution
    said: str


_kept: WeakKeyDictionary[Solution, list[Otherwise]] = WeakKeyDictionary()


def by_other_convention(solution: Solution) -> Otherwise | None:
    """The other solution, where it has other numbers; kept for all the answer sheets to a problem."""
    if solution.graph.gradients is None:
        return None
    if solution not in _kept:
        _kept[solution] = [found] if (found := _worked_out(solution)) is not None else []
    return next(iter(_kept[solution]), None)


def _worked_out(solution: Solution) -> Otherwise | None:
    graph, said = solution.graph, ""
    changed = {}
    for quantity in graph:
        others = [part.other_convention for part in quantity.formula.walk()]
        said = said or next((other[1] for other in others if other is not None), "")
        if any(other is not None for other in others):
            changed[quantity.key] = replace(quantity, formula=_otherwise(quantity.formula))
    if not changed:
        return None
    try:
        other = Solution(solution.problem, replace(graph, quantities={**graph.quantities, **changed}))
    except AttnsolveError:
        return None
    same = all(solution.exact[key].rows == other.exact[key].rows for key in changed)
    return None if same else Otherwise(other, said)


def _otherwise(formula: Formula) -> Formula:
    other = formula.other_convention
    return formula.changed(_otherwise) if other is None else other[0]
