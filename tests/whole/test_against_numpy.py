"""Closed forms held against a second implementation of attention in float64 NumPy (tests/shared/attention.py).

The certified digits of every quantity are in test_every_combination.py.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from shared.attention import Attention
from shared.bounded import Bounded, Undecided, ZeroSum
from shared.drawn import problems
from shared.effort import tries
from shared.written import Problem

import attnsolve
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.numbers import closed
from attnsolve.numbers.balls import at_precision, ball
from attnsolve.solution.exact import Solution
from attnsolve.solution.floats import FloatSolution


def solve(problem: Problem) -> Solution:
    (read,) = parse(problem.yaml(), "p.yaml")
    solution = attnsolve.solve(read)
    assert isinstance(solution, Solution)
    return solution


def reference(problem: Problem) -> dict[tuple[str, int | None], Bounded]:
    try:
        return Attention(problem).work()
    except (Undecided, ZeroSum):
        assume(False)
        raise


@tries(30)
@given(problems())
def test_every_closed_form_is_worth_what_numpy_finds(problem: Problem) -> None:
    student = reference(problem)
    solution = solve(problem)
    for (name, head), found in student.items():
        exact = solution.exact[Key(name, () if head is None else (("head", head + problem.numbering),))]
        true, error = (problem.lies(name, array).ravel().tolist() for array in (found.value, found.error))
        cells = [cell for row in exact.rows for cell in row]
        with at_precision(200):
            values = [None if cell is None else float(ball(cell)) for cell in cells]
        for value, near, off in zip(values, true, error, strict=True):
            if value is not None and value != near:
                assert abs(Fraction(value) - Fraction(near)) <= Fraction(off) + abs(Fraction(value)) / 2**52


@tries(15)
@given(problems())
def test_the_weights_of_each_token_sum_to_one_and_are_zero_where_masked(problem: Problem) -> None:
    assume(not problem.given.keys() & {"weights"})
    problem = replace(problem, columns=False, flat=False)
    reference(problem)
    solution = solve(problem)
    for key, exact in solution.exact.items():
        if key.id == "weights":
            before = next(solution.exact[k] for k in solution.graph[key].formula.leaves())
            for weights, scores in zip(exact.rows, before.rows, strict=True):
                blocked = [isinstance(score, float) for score in scores]
                assert all(weight == 0 for weight, hidden in zip(weights, blocked, strict=True) if hidden)
                assert closed.add(weights) == (0 if all(blocked) else 1)


@tries(30)
@given(problems())
def test_every_float64_quantity_is_what_numpy_finds(problem: Problem) -> None:
    student = reference(problem)
    (read,) = parse(f"numbers: float\n{problem.yaml()}", "p.yaml")
    measured = attnsolve.solve(read)
    assert isinstance(measured, FloatSolution)
    for (name, head), found in student.items():
        key = Key(name, () if head is None else (("head", head + problem.numbering),))
        expected = problem.lies(name, found.value)
        np.testing.assert_allclose(measured.arrays[key].ravel(), expected.ravel(), rtol=1e-9, atol=1e-9)
