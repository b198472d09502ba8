"""Mistakes made in NumPy, by somebody who has not seen what the package looks for, on random problems of all kinds."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from shared.effort import tries
from shared.injected.problems import KINDS

from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.solution.exact import Solution


@pytest.mark.parametrize("kind", KINDS)
def test_numpy_agrees_with_every_problem(kind: str) -> None:
    for seed in range(tries(12).max_examples):
        problem = KINDS[kind](Random(seed))
        solution = solve(*parse(problem.text, "problem.yaml"))
        assert isinstance(solution, Solution)
        true = problem.solve()
        names = [str(quantity.key) for quantity in solution.graph if str(quantity.key) in problem.names]
        assert names == problem.names
        for quantity in solution.graph:
            if str(quantity.key) in names:
                found = np.array(solution.floats(quantity.key))
                expected = true[str(quantity.key)].T if problem.columns else true[str(quantity.key)]
                assert np.allclose(found.reshape(expected.shape), expected, atol=1e-9), problem.text
