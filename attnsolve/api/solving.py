"""From whatever says a problem to its solution."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from attnsolve.api.attention import read as read_attention
from attnsolve.api.calls import path_of, unexpected
from attnsolve.api.solutions import Solution, published
from attnsolve.guard import bounded
from attnsolve.loading.files import load_one
from attnsolve.loading.from_python import NAME, read
from attnsolve.pipeline import solve as work_out
from attnsolve.spec.problem import Problem

PROBLEM = "a file, the name of a bundled problem, a mapping with the keys of a file, or a Problem"


def solve(given: str | os.PathLike[str] | Mapping[str, Any] | Problem) -> Solution:
    """The solution of a problem, however it is given."""
    problem = _problem(given)
    with bounded(problem.file):
        return _solved(problem)


def attention(given: dict[str, Any], mask: Any, scaling: Any, heads: Any) -> Solution:
    """The solution of queries, keys and values."""
    with bounded(NAME):
        return _solved(read_attention(given, mask, scaling, heads))


def _solved(problem: Problem) -> Solution:
    solution = work_out(problem, published)
    assert isinstance(solution, Solution)
    return solution


def _problem(given: Any) -> Problem:
    if isinstance(given, Problem):
        return given
    if isinstance(given, Mapping):
        with bounded(NAME):
            return read(given)
    if isinstance(given, str | os.PathLike):
        name = path_of(given, "the problem to solve")
        with bounded(name):
            return load_one(name)
    raise unexpected("the problem to solve", PROBLEM, given)
