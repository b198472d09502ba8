"""Solve attention problems and show the work.

A problem is a file, the name of a bundled one, or a mapping with the keys of a file:

>>> import attnsolve
>>> solution = attnsolve.solve("discussion-10-qkv")
>>> solution["scores"].exact.row(2)
Matrix([[2, 8, -20]])
>>> solution["weights"].decimals(3)[2]
['0.00247', '0.998', '6.90e-13']

`solution.check` marks answers, `solution.explain` traces one entry, `solution.lint` finds the mistakes that a sheet
would miss, and `solution.export` writes a worksheet. `attention` takes arrays:

>>> attnsolve.attention([[1, 0]], [[1, 0], [0, 1]], scaling="none")["scores"]
     k₁  k₂
S = [1   0 ] q₁

In a notebook, solutions and quantities show themselves. ``help(attnsolve.Solution)`` and
``help(attnsolve.SolvedQuantity)`` say what can be asked of them.

What can go wrong is an AttnsolveError, and its text is what the user should read:

>>> try:
...     attnsolve.solve({"queries": [[1, 0]], "keys": [[1, "x"]]})
... except attnsolve.AttnsolveError as error:
...     print(error)
problem: in keys[1,2]: 'x' is not a number: 'x' is not known
    a letter must be declared first, with symbols: {x: real}

Importing this package is instant; sympy, numpy and flint are loaded by the first call that needs them. The guide has a
page on Python: ``attnsolve guide python``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from os import PathLike
    from typing import Any, Literal

    from numpy.typing import ArrayLike

    from attnsolve.api.numbers import SupportsDLPack
    from attnsolve.api.quantities import SolvedQuantity
    from attnsolve.api.solutions import Solution
    from attnsolve.errors import AttnsolveError
    from attnsolve.spec.problem import Problem

    Numbers = ArrayLike | SupportsDLPack | Sequence[Any]

__version__ = "0.1.0"
__all__ = [
    "AttnsolveError",
    "Problem",
    "Solution",
    "SolvedQuantity",
    "attention",
    "bounds",
    "load",
    "load_all",
    "problem",
    "solve",
]

_HOMES = {
    "AttnsolveError": "attnsolve.errors",
    "Problem": "attnsolve.spec.problem",
    "Solution": "attnsolve.api.solutions",
    "SolvedQuantity": "attnsolve.api.quantities",
}
"""Where the classes are, which are only loaded when somebody asks for them."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'attnsolve' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def load(path: str | PathLike[str]) -> Problem:
    """Read the one problem in a file (or a bundled problem, by name).

    >>> load("causal-mask").title
    'A causal mask on four tokens'
    """
    from attnsolve.api.calls import path_of
    from attnsolve.guard import bounded
    from attnsolve.loading.files import load_one

    name = path_of(path, "the problem to load")
    with bounded(name):
        return load_one(name)


def load_all(path: str | PathLike[str]) -> tuple[Problem, ...]:
    """Read every problem in a file; problems are separated by ``---``.

    >>> [problem.title for problem in load_all("causal-mask")]
    ['A causal mask on four tokens']
    """
    from attnsolve.api.calls import path_of
    from attnsolve.guard import bounded
    from attnsolve.loading.files import load_all as read

    name = path_of(path, "the problems to load")
    with bounded(name):
        return read(name)


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


def solve(problem: str | PathLike[str] | Mapping[str, Any] | Problem) -> Solution:
    """Work a problem out: a file (or a bundled problem, by name), the keys of a file as a mapping, or a Problem.

    ``solution["queries"]`` is then the exact matrix, its decimals and its floats.

    >>> solve({"queries": [[1, 0]], "keys": [["1/2", 0], [0, 1]], "scaling": "none"})["scores"].exact
    Matrix([[1/2, 0]])
    """
    from attnsolve.api.solving import solve as work_out

    return work_out(problem)


def attention(
    Q: Numbers,
    K: Numbers,
    V: Numbers | None = None,
    *,
    mask: Numbers | Literal["causal", "none"] | None = None,
    scaling: Literal["sqrt_dk", "none"] | float | str = "sqrt_dk",
    heads: int = 1,
) -> Solution:
    """Attention of queries to keys and values, one row per token: lists, NumPy arrays, and whatever has
    ``__array__`` or ``__dlpack__``, such as tensors of PyTorch and JAX. Of three dimensions the first counts heads.

    It is exact where no matrix has more than 4,096 entries (the scores of all heads together included) and no side is
    longer than 512; a float then stands for the shortest decimal that gives it, 0.1 for 1/10. Beyond that it is worked
    out in float64.

    `mask` is "causal", or a matrix with a row per query: of booleans, or of 0s and 1s, 1 is where a query may attend
    to a key; any other numbers are added to the scores. `scaling` is what the scores are divided by. With several
    `heads` the columns are split among them.

    >>> found = attention([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[0.1], [3]], mask="causal", scaling=1)
    >>> found["weights"].decimals(3)
    [['1', '0'], ['0.269', '0.731']]
    >>> found["context"].exact[0, 0]
    1/10
    """
    from attnsolve.api.solving import attention as work_out

    return work_out({"queries": Q, "keys": K, "values": V}, mask, scaling, heads)


def bounds(**values: int) -> AbstractContextManager[None]:
    """Other bounds on what a problem may hold and cost, for as long as a ``with`` lasts; ``attnsolve bounds`` lists
    them.

    >>> with bounds(seconds=60, work=50_000_000):
    ...     solution = solve("causal-mask")
    """
    from attnsolve.bounds import raised

    return raised(values)
