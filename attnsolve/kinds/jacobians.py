"""The Jacobian of one list for another: the derivative of every entry of the one by every entry of the other."""

from __future__ import annotations

from dataclasses import replace

from attnsolve.errors import Fault, Mark, ProblemError
from attnsolve.graph import Graph, Name, Quantity
from attnsolve.graph.gradients import Differentiation, Refused
from attnsolve.key import Key
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.surds import EULER
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.concatenate import Concatenate
from attnsolve.operations.entrywise import Plus
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.lookup import OneHot
from attnsolve.operations.structure import Diagonal
from attnsolve.operations.vectors import Outer
from attnsolve.spec.gradient import AskedJacobian
from attnsolve.spec.problem import Problem

ID, LETTERS, OUTPUT = "jacobian", ("J", "D", "G"), "output"
TITLE = "Jacobian"
ROWS = "Row i says how entry i of the result changes with each entry of what it is made from."
OF_SOFTMAX = "The derivative of weight i for score j is aᵢ(1 − aᵢ) where j = i, and −aᵢaⱼ elsewhere."


def with_jacobian(problem: Problem, graph: Graph, asked: AskedJacobian, of: Quantity, to: Quantity) -> Graph:
    """The graph with the Jacobian; that of a softmax at once, any other row by row, each a gradient of its own."""
    for quantity, named in ((of, asked.of), (to, asked.to)):
        if 1 not in quantity.shape:
            rows, columns = quantity.shape
            message = f"a Jacobian is of one list for another, but {named.name} is {rows}×{columns}"
            raise _fault(problem, named.at, message, f"write {named.name}[1,:] under formulas, and name that")
    if to.key not in graph.ancestors(of.key):
        raise _fault(problem, asked.at, f"{asked.of.name} does not depend on {asked.to.name}")
    formula = of.formula
    if formula.takes_powers and formula.options == (EULER,) and formula.arguments == (Ref(to.key),) and of.is_vector:
        return _added(graph, _of_softmax(of), of, to, OF_SOFTMAX)
    return _by_rows(problem, graph, asked, of, to)


def _of_softmax(of: Quantity) -> Formula:
    """diag(a) − a aᵀ."""
    row = Ref(of.key)
    return Plus(Diagonal(row), Negate(Outer(row, row)))


def _by_rows(problem: Problem, graph: Graph, asked: AskedJacobian, of: Quantity, to: Quantity) -> Graph:
    count, rows = max(of.shape), []
    for number in range(count):
        seed: Formula = OneHot((number + 1,), count, str(number + 1))
        made = Differentiation(graph, {of.key: seed}, [to.key], at=((OUTPUT, number + 1),))
        try:
            graph = replace(made.graph(), gradients=graph.gradients)
        except Refused as error:
            text = TextPrinter().print(graph[error.key].name.matrix)
            raise _fault(problem, asked.at, f"no derivative goes through {text}: {error}") from None
        rows.append(Ref(made.gradients[to.key]))
    return _added(graph, Concatenate(tuple(rows), down=True), of, to, ROWS)


def _added(graph: Graph, formula: Formula, of: Quantity, to: Quantity, why: str) -> Graph:
    used = {q.name.letter for q in graph}
    letter = next((letter for letter in LETTERS if letter not in used), LETTERS[0])
    key, shape = Key(ID), (max(of.shape), max(to.shape))
    quantity = Quantity(key, Name(letter, as_typed=True), formula, shape, title=TITLE, why=why)
    return replace(graph, quantities={**graph.quantities, key: quantity})


def _fault(problem: Problem, at: Mark, message: str, fix: str = "") -> ProblemError:
    return ProblemError([Fault(problem.file, at, message, fix)])
