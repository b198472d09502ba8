"""What a problem file asks for inside the steps of its graph, and what it gives of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from attnsolve.errors import Fault, ProblemError, count
from attnsolve.graph import Graph, Quantity, spellings
from attnsolve.graph.inner import Expansion, expand, expanded
from attnsolve.graph.places import suggestion
from attnsolve.key import Key
from attnsolve.operations.formula import Formula, Given
from attnsolve.spec.inner_names import BY_TOKEN

if TYPE_CHECKING:
    from attnsolve.spec.fields import GivenMatrix
    from attnsolve.spec.problem import Problem


def with_requested(problem: Problem, graph: Graph, given_matrices: Sequence[tuple[Key, GivenMatrix]]) -> Graph:
    """The graph with what the file asks for or gives inside its steps."""
    given = {key: _formula(problem, graph, key, matrix) for key, matrix in given_matrices if "." in key.id}
    letters = {id: letter for id, letter in problem.notation.items() if "." in id}
    if given:
        graph = expand(Expansion(graph, (), given, letters))
    elif letters:
        graph = replace(graph, expansion=Expansion(graph, letters=letters))
    _refuse_clashes(problem, graph, letters)
    return expanded(graph, _requested(problem))


def _refuse_clashes(problem: Problem, graph: Graph, letters: Mapping[str, str]) -> None:
    """Refuse a letter that the sheet chooses for something inside a step, and that is another quantity's already."""
    for id, letter in letters.items():
        for quantity in graph:
            if "." not in quantity.key.id and letter in spellings(quantity):
                message = f"{quantity.key.id} and {id} would both be written {letter}"
                fix = f"give one of them another letter: notation: {{{id}: ...}}"
                raise ProblemError([Fault(problem.file, problem.at, message, fix)])


def _requested(problem: Problem) -> Iterator[str]:
    """Every name under which the file asks for a quantity."""
    for part in problem.parts:
        yield from part.find
    if problem.rounding is not None:
        yield from problem.rounding.some
    yield from (name for name in problem.rules if name)


def _formula(problem: Problem, graph: Graph, key: Key, matrix: GivenMatrix) -> Formula:
    """What is given of a stage, standing as the step does."""
    id, _, name = key.id.partition(".")
    steps = [q for q in graph if q.key.id == id and (not key.at or q.key.at == key.at)]
    if not any(name in step.formula.inside() for step in steps):
        message = f"{key.id} is given, which this problem does not have"
        raise ProblemError([Fault(problem.file, matrix.at, message, suggestion(graph, key.id))])
    if key.id not in BY_TOKEN:
        return graph[key].formula
    return Given(_standing(problem, steps[0], key, matrix).rows)


def _standing(problem: Problem, step: Quantity, key: Key, matrix: GivenMatrix) -> GivenMatrix:
    """One number for each token, as a column beside rows and as a row below columns."""
    if 1 not in matrix.shape or max(matrix.shape) != step.token_count:
        wanted = (
            f"one number for each {'column' if step.token_axis else 'row'} of {step.key.id}, {step.token_count} in all"
        )
        rows, columns = matrix.shape
        found = count(columns, "number") if rows == 1 else f"{rows}×{columns}"
        message = f"{key.id} must be {wanted}, but {found} {'was' if (rows, columns) == (1, 1) else 'were'} found"
        raise ProblemError([Fault(problem.file, matrix.at, message)])
    flat = matrix.flattened()
    return flat if step.token_axis else flat.transposed()
