"""One cell, traced back to the numbers of the problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.document import Block, Document, Gallery, Lines, Section
from attnsolve.errors import RequestError
from attnsolve.graph import Cell, Quantity
from attnsolve.graph.places import find_place
from attnsolve.narrate.view import SolutionView

if TYPE_CHECKING:
    from attnsolve.solution.exact import Solution


def explain(solution: Solution, request: str, digits: int | None = None) -> Document:
    """The work behind one cell, such as `scores[3,1]`, `head 0: scores[2,1]`, `Q_0[1,2]` or `z_{3,1}`."""
    solution = solution.opened([request])
    target = find_cell(solution, request)
    view = SolutionView(solution, solution.figures(digits))
    needed = view.trace([target])
    symbol = view.cell(*target)
    used = [q for q in reversed([*solution.graph]) if q.key in needed]
    blocks: list[Block] = [_section(view, q, needed[q.key]) for q in used if not q.given]
    given = tuple(n.Chain(q.name.matrix, (("=", view.labelled(q.key)),)) for q in reversed(used) if q.given)
    if given:
        blocks.append(Section(("Given",), (Gallery(given),)))
    case = f" in the case {target.key.case}" if target.key.case else ""
    title = f"Where {_plain(symbol)} comes from{case}"
    return Document(title, solution.problem.title, tuple(blocks))


def having(request: str, solutions: Mapping[int, Solution]) -> Solution:
    """Of the problems of a file, by their numbers, the one that has a cell."""
    if len(solutions) == 1:
        return next(iter(solutions.values()))
    found, refused = [], []
    for number, solution in solutions.items():
        try:
            find_cell(solution, request)
            found.append(number)
        except RequestError as error:
            refused.append(f"problem {number}: {error}")
    if not found:
        raise RequestError("\n".join([f"no problem in this file has {request!r}", *refused]))
    if len(found) > 1:
        which = ", ".join(map(str, found))
        raise RequestError(f"several problems in this file have {request!r} ({which}): add --problem {found[0]}")
    return solutions[found[0]]


def _plain(symbol: n.Notation) -> str:
    from attnsolve.notation.text import TextPrinter

    return TextPrinter().print(symbol)


def _section(view: SolutionView, quantity: Quantity, cells: list[Cell]) -> Section:
    formula = n.Chain(quantity.name.matrix, (("=", quantity.formula.notation(view.matrix)),))
    lines = tuple(quantity.formula.traced(view, quantity.key, [(cell.row, cell.column) for cell in cells]))
    return Section((f"{quantity.title}: ", formula), (Lines(lines),), quantity.key)


def find_cell(solution: Solution, request: str) -> Cell:
    """The cell that a request means."""
    solution = solution.opened([request])
    place = find_place(solution.graph, request)
    if isinstance(place, str):
        raise RequestError(f"{request!r} does not name a cell of this problem; {place}")
    quantity, rows = place
    if len(rows) * len(rows[0]) > 1:
        head = f"{quantity.key.owner}: " if quantity.key.at else ""
        index = "1" if quantity.is_vector else "1,1"
        expected = "one entry" if quantity.is_vector else "a row and a column"
        raise RequestError(
            f"{request!r} is more than one cell: name {expected}, as in '{head}{quantity.key.id}[{index}]'"
        )
    return rows[0][0]
