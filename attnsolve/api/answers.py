"""Answers that a Python program hands over, as a student would have written them."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, isfinite, log10
from os import PathLike
from typing import TYPE_CHECKING, Any

from attnsolve.api.calls import described, path_of, unexpected
from attnsolve.api.numbers import bytes_of, each, entries, nested, shortest
from attnsolve.check.run import Checked, check_nodes, check_sheet
from attnsolve.check.sheet import Sheet
from attnsolve.loading.from_python import node_of

if TYPE_CHECKING:
    from attnsolve.solution.exact import Solution

NAME = "answers"
"""What messages call them."""
PRECISION = {2: (3, 2), 4: (6, 5), 8: (12, 10)}
"""Of floats by their bytes: the most digits of one that somebody wrote, rather than computed; and to how many digits of
the largest entry those of a matrix are taken in which some were computed."""


def check(solution: Solution, answers: Mapping[str, Any] | str | PathLike[str] | None, *, follow: bool) -> Checked:
    """Mark answers; those that can't be read are refused."""
    problem = solution.problem
    sheet = Sheet(problem.file, (problem.title,), {1: solution})
    if answers is None:
        (checked,) = check_sheet(sheet, None, follow=follow)
    elif isinstance(answers, Mapping):
        node = node_of({name: _written(value, name) for name, value in answers.items()}, NAME)
        (checked,) = check_nodes(sheet, {1: node}, NAME, follow=follow)
    elif isinstance(answers, str | PathLike):
        (checked,) = check_sheet(sheet, path_of(answers, "the answers"), follow=follow)
    else:
        raise unexpected("the answers", "a mapping such as {'A': [[1, 0]]}, or the name of a file", answers)
    if checked.faults is not None:
        raise checked.faults
    return checked


def _written(value: Any, name: object) -> Any:
    """Arrays as lists, and floats as anybody would write them."""
    value = nested(value, f"the answer {described(name)}")
    floats = [x for x in entries(value) if bytes_of(x) and isfinite(x)]
    most, digits = PRECISION.get(min(map(bytes_of, floats), default=8), PRECISION[8])
    if all(_digits(shortest(x)) <= most for x in floats):
        return each(value, shortest)
    places = max(digits - 1 - floor(log10(max(abs(float(x)) for x in floats))), 0)
    return each(value, lambda x: f"{float(x):.{places}f}" if bytes_of(x) and isfinite(x) else shortest(x))


def _digits(text: str) -> int:
    """How many significant digits a decimal has.

    >>> _digits("-0.0120"), _digits("1e-05"), _digits("867000.0")
    (2, 1, 3)
    """
    return len(text.partition("e")[0].replace(".", "").strip("-+0"))
