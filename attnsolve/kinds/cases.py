"""The graph of a problem with cases: what each case makes differently stands in it too, at a place that has the name of
the case; what is the same stands in it once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from attnsolve.errors import Fault, ProblemError
from attnsolve.graph import CaseGraph, Graph, Quantity
from attnsolve.graph.inner import Expansion, expand
from attnsolve.key import CASE, Key
from attnsolve.operations.formula import Formula, Ref
from attnsolve.spec.problem import Problem, ProblemCase


def with_cases(problem: Problem, graph: Graph) -> Graph:
    """The graph of a problem with what its cases make."""
    unexpanded, given = _unexpanded(graph)
    quantities = dict(unexpanded.quantities)
    cases: dict[str, CaseGraph] = {}
    more = dict(given)
    for case in problem.cases:
        own, own_given = _unexpanded(case.problem.graph)
        keys = _added(case, own, own_given, quantities, given)
        cases[case.name] = CaseGraph(own, keys)
        more |= {_placed(key, case.name): formula for key, formula in own_given.items()}
        if (
            not case.swept
            and all(key == other for key, other in keys.items())
            and len(keys) == len(unexpanded.quantities)
        ):
            text = f"the case {case.name} changes nothing"
            raise ProblemError([Fault(problem.file, case.at, text, "leave it out, or change something in it")])
    whole = replace(unexpanded, quantities=quantities, cases=cases)
    if graph.expansion is None:
        return whole
    return expand(replace(graph.expansion, unexpanded=whole, given=more))


def _unexpanded(graph: Graph) -> tuple[Graph, Mapping[Key, Formula]]:
    """A graph before any of its steps was expanded, and what is given inside of them."""
    expansion = graph.expansion or Expansion(graph)
    return expansion.unexpanded, expansion.given


def _added(
    case: ProblemCase,
    own: Graph,
    own_given: Mapping[Key, Formula],
    quantities: dict[Key, Quantity],
    given: Mapping[Key, Formula],
) -> dict[Key, Key]:
    """Where each quantity of a case stands, those that differ added."""
    keys: dict[Key, Key] = {}
    for quantity in own:
        moved = {key: Ref(other) for key, other in keys.items() if key != other}
        formula = quantity.formula.put(moved) if moved else quantity.formula
        usual = quantities.get(quantity.key)
        inside = [{k: f for k, f in some.items() if _is_in(k, quantity.key)} for some in (own_given, given)]
        same = usual is not None and (usual.shape, usual.name) == (quantity.shape, quantity.name)
        if same and usual is not None and usual.formula.is_like(formula) and inside[0] == inside[1]:
            keys[quantity.key] = quantity.key
        else:
            key = keys[quantity.key] = _placed(quantity.key, case.name)
            quantities[key] = replace(quantity, key=key, formula=formula)
    return keys


def _is_in(inner: Key, key: Key) -> bool:
    return inner.id.startswith(f"{key.id}.") and inner.at in ((), key.at)


def _placed(key: Key, case: str) -> Key:
    return Key(key.id, ((CASE, case), *key.at))
