"""One query or several heads on random keys: what each construction reaches, and how its output moves."""

from __future__ import annotations

from attnsolve.derivations.random_keys import comparison, queries, setting, steady, stretched
from attnsolve.derivations.regimes import regimes
from attnsolve.derivations.writing import Passage
from attnsolve.spec.problem import Problem
from attnsolve.spec.random_keys import TASKS, RandomKeys


def derive(problem: Problem) -> list[Passage]:
    """The setting; each construction on steady keys and with one that varies; all of them beside each other."""
    body: RandomKeys = problem.body
    passages = [setting(body)]
    a = body.pair[0] - 1
    for construction in body.constructions:
        heads = [query.multiples for query in construction.queries]
        about = [steady(body, construction)]
        if body.stretch:
            about.append(stretched(problem, body, construction, regimes(heads, a)))
        taken = queries(body, construction)
        for passage in about:
            passage.chosen.append(taken)
        passages += about
    if len(body.constructions) > 1:
        passages.append(comparison(problem, body))
    if body.simulate is not None:
        from attnsolve.derivations.random_keys_simulation import simulation

        passages.append(simulation(body, body.simulate))
    for passage in passages:
        passage.task = TASKS[passage.id]
    return passages
