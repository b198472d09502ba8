"""Solve attention problems and show the work.

>>> import attnsolve
>>> solution = attnsolve.solve(attnsolve.load("discussion-10-qkv"))
>>> solution["scores"].exact.row(2)
Matrix([[2, 8, -20]])

Importing this package is instant; sympy, numpy and flint are loaded by the first call that needs them.
"""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any

    from attnsolve.narrate.narrated import Narrated
    from attnsolve.spec.problem import Problem

__version__ = "0.1.0"
__all__ = ["load", "load_all", "problem", "solve"]


def load(path: str | PathLike[str]) -> Problem:
    """Read the one problem in a file (or a bundled problem, by name)."""
    from attnsolve.guard import bounded
    from attnsolve.loading.files import load_one

    with bounded(fspath(path)):
        return load_one(path)


def load_all(path: str | PathLike[str]) -> tuple[Problem, ...]:
    """Read every problem in a file; problems are separated by ``---``."""
    from attnsolve.guard import bounded
    from attnsolve.loading.files import load_all as read

    with bounded(fspath(path)):
        return read(path)


def problem(data: Mapping[str, Any]) -> Problem:
    """A problem from the keys of a problem file, as Python values: lists, words, numbers, and NumPy arrays, with which
    it is worked out in float64. What is wrong is told as for a file.

    >>> given = problem({"queries": [[1, 0]], "keys": [[1, 0], [0, 1]], "scaling": "none"})
    >>> solve(given)["scores"].exact
    Matrix([[1, 0]])
    """
    from attnsolve.guard import bounded
    from attnsolve.loading.from_python import NAME, read

    with bounded(NAME):
        return read(data)


def solve(problem: Problem) -> Narrated:
    """Work a problem out: ``solution["queries"]`` is then the exact matrix, its decimals and its floats."""
    from attnsolve.guard import bounded
    from attnsolve.pipeline import solve as work_out

    with bounded(problem.file):
        return work_out(problem)
