"""One cell, traced back to the numbers of the problem."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attnsolve import notation as n
from attnsolve.document import Block, Document, Gallery, Lines, Section
from attnsolve.errors import RequestError
from attnsolve.graph import Cell, Quantity
from attnsolve.narrate import prose
from attnsolve.narrate.view import SolutionView
from attnsolve.solution import Solution
from attnsolve.spec.typography import as_typed

_HEAD = r"(?:(?:head|(?:decoder )?step)\s+(?P<head>\w+)\s*:\s*)?"
_BRACKETS = re.compile(_HEAD + r"(?P<name>[^\[\]{}]+?)\s*\[(?P<index>[^\[\]]+)\]")
_BRACES = re.compile(_HEAD + r"(?P<name>[^\[\]{}_]+'*(?:_\w+)??)_\{?(?P<index>\d+(?:,\d+)?)\}?")


def explain(solution: Solution, request: str, digits: int | None = None) -> Document:
    """The work behind one cell, such as `scores[3,1]`, `head 0: scores[2,1]`, `Q_0[1,2]` or `z_{3,1}`."""
    target = find_cell(solution, request)
    view = SolutionView(solution, solution.figures(digits))
    needed = view.trace([target])
    symbol = view.cell(*target)
    used = [q for q in reversed([*solution.graph]) if q.key in needed]
    blocks: list[Block] = [_section(view, q, needed[q.key]) for q in used if not q.given]
    stated = tuple(n.Chain(q.name.matrix, (("=", view.labelled(q.key)),)) for q in reversed(used) if q.given)
    if stated:
        blocks.append(Section(("Given",), (Gallery(stated),)))
    title = f"Where {_plain(symbol)} comes from"
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
        raise RequestError("\n".join([f"no problem of this file has {request!r}", *refused]))
    if len(found) > 1:
        which = ", ".join(map(str, found))
        raise RequestError(f"several problems of this file have {request!r} ({which}): add --problem {found[0]}")
    return solutions[found[0]]


def _plain(symbol: n.Notation) -> str:
    from attnsolve.notation.text import TextPrinter

    return TextPrinter().print(symbol)


def _section(view: SolutionView, quantity: Quantity, cells: list[Cell]) -> Section:
    formula = n.Chain(quantity.name.matrix, (("=", quantity.formula.notation(view.matrix)),))
    lines = tuple(quantity.formula.worked(view, *cell) for cell in cells)
    return Section((f"{prose.TITLES[quantity.key.id]}: ", formula), (Lines(lines),), quantity.key.id, quantity.key.head)


def find_cell(solution: Solution, request: str) -> Cell:
    """The cell that a request means."""
    typed = as_typed(request.strip())
    match = _BRACKETS.fullmatch(typed) or _BRACES.fullmatch(typed)
    if match is None:
        raise RequestError(f"{request!r} does not name a cell: write a quantity and a place, such as 'scores[3,1]'")
    quantity = _find_quantity(solution, match["name"].strip(), match["head"])
    parts = [part.strip() for part in match["index"].split(",")]
    if quantity.is_vector and len(parts) == 1:
        parts = [parts[0], "1"] if quantity.shape[1] == 1 else ["1", parts[0]]
    if len(parts) != 2:
        raise RequestError(f"{request!r}: {quantity.key.id} needs a row and a column, such as {quantity.key.id}[1,1]")
    row = _index(parts[0], quantity.rows.labels, quantity.shape[0], f"{quantity.key.id} has", "row")
    column = _index(parts[1], quantity.columns.labels, quantity.shape[1], f"{quantity.key.id} has", "column")
    return Cell(quantity.key, row, column)


def _find_quantity(solution: Solution, name: str, head: str | None) -> Quantity:
    found = [q for q in solution.graph.named(name) if head is None or q.key.head == head]
    if not found and head is not None and solution.graph.named(name):
        known = ", ".join(dict.fromkeys(q.key.head for q in solution.graph if q.key.head is not None))
        group = solution.graph.group
        raise RequestError(f"{name!r} has no {group} {head}" + (f"; the {group}s are {known}" if known else ""))
    if not found:
        raise RequestError(f"this problem has no quantity {name!r}; {solution.graph.suggest(name)}")
    whole = [q for q in found if q.key.head is None]
    if len(found) > 1 and len(whole) != 1:
        heads = [q.key.head for q in found]
        group, said = solution.graph.group, ", ".join(map(str, heads))
        raise RequestError(f"{name!r} belongs to the {group}s {said}: write '{group} {heads[0]}: {name}[1,1]'")
    return (whole or found)[0]


def _index(text: str, labels: tuple[str, ...], size: int, owner: str, what: str) -> int:
    if text in labels:
        return labels.index(text)
    if text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= size:
        return int(text) - 1
    raise RequestError(f"{owner} {what}s 1 to {size}, but {text!r} was asked for")
