"""What the tests of marking share: a problem and an answer sheet, both as text, marked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.check.answers import Answers, named, read_answers
from attnsolve.check.marking import Marking, mark
from attnsolve.loading.files import load_one, parse
from attnsolve.pipeline import solve
from attnsolve.solution.exact import Solution
from attnsolve.spec import reader

Marker = Callable[..., Marking]


def solution_of(problem: str) -> Solution:
    """A bundled problem by its name, or the one of a YAML text."""
    worked = solve(parse(problem, "problem.yaml")[0] if "\n" in problem else load_one(problem))
    assert isinstance(worked, Solution)
    return worked


def answers_to(solution: Solution, answers: str) -> Answers:
    (node,) = reader.read_documents(answers, "answers.yaml", repeats=True)
    return read_answers(node, solution.graph, "answers.yaml", solution.problem.symbols)


@pytest.fixture
def marked() -> Marker:
    """Mark answers to a problem."""

    def from_text(problem: str, answers: str, *, follow: bool = True) -> Marking:
        solution = solution_of(problem)
        (node,) = reader.read_documents(answers, "answers.yaml", repeats=True)
        solution = solution.opened(named(node))
        return mark(solution, answers_to(solution, answers), follow=follow)

    return from_text


@pytest.fixture
def verdicts(marked: Marker) -> Callable[..., dict[str, str]]:
    """The verdicts on the quantities that were answered, a letter a cell: {"queries": "ee/rw"}."""

    def from_text(problem: str, answers: str, *, follow: bool = True) -> dict[str, str]:
        marking = marked(problem, answers, follow=follow)
        assert marking.answers.faults == []
        found: dict[str, str] = {}
        for quantity in marking.quantities:
            if quantity.key in {cell.key for cell in marking.answers.wanted}:
                rows: dict[int, str] = {}
                for (row, _), one in sorted(marking.of(quantity.key).items()):
                    rows[row] = rows.get(row, "") + one.verdict[0]
                found[str(quantity.key)] = "/".join(rows.values())
        return found

    return from_text


@pytest.fixture
def faults() -> Callable[[str, str], list[str]]:
    """What is said about an answer sheet that can't be read."""

    def from_text(problem: str, answers: str) -> list[str]:
        return [str(fault) for fault in answers_to(solution_of(problem), answers).faults]

    return from_text
