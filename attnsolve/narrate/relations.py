"""What a part asks to be shown of a sheet's quantities: both sides worked out, and compared entry by entry.

Equality is decided by normal forms, a difference by balls that part; where neither happens, nothing is claimed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from attnsolve import notation as n
from attnsolve.document import Block, Equation, Note, Paragraph, Verdict
from attnsolve.graph import Quantity, ShownRelation
from attnsolve.key import Key
from attnsolve.narrate.narrator import Narrator
from attnsolve.numbers import Unavailable, order
from attnsolve.operations.number import Number
from attnsolve.solution.exact import Solution
from attnsolve.solution.solved import Narration

if TYPE_CHECKING:
    from attnsolve.narrate.narrated import NarratedQuantities
    from attnsolve.numbers.written import Real

SIGNS = {"=": "=", "<=": "≤", ">=": "≥"}
HOLDS = {
    "=": "the two sides are the same in every entry, exactly",
    "<=": "every entry on the left is at most the one on the right",
    ">=": "every entry on the left is at least the one on the right",
}
AGREED = 30
"""Digits to which two sides that can't be told apart are compared."""


class ComparedEntry(NamedTuple):
    """A relation between two sides in one entry: whether it holds, None where that can't be decided."""

    row: int
    column: int
    holds: bool | None


def shown(solution: NarratedQuantities, claim: ShownRelation, narration: Narration) -> Iterator[Block]:
    """Both sides worked out, and what comparing them says."""
    graph = solution.graph
    whole = solution.of_graph(replace(graph, quantities={**graph.quantities, **claim.quantities}, claims={}))
    assert isinstance(whole, Solution)
    narrator = whole.narrator(replace(narration, only=()), parts=True)
    for quantity in claim.quantities.values():
        yield from _side(narrator, quantity)
    sides = [whole.graph[key] for key in claim.sides]
    for sign, (left, right) in zip(claim.signs, pairwise(sides), strict=True):
        yield from _verdict(whole, sign, left, right)


def _side(narrator: Narrator, quantity: Quantity) -> Iterator[Block]:
    """How a side, or what it is made from, is worked out."""
    if not isinstance(quantity.formula, Number):
        yield from narrator.formula(quantity)
    if quantity.formula.has_work:
        yield from narrator.filled(quantity)
        for token in range(quantity.token_count):
            yield from narrator.token_work(quantity, token, "step")
    yield from narrator.result(quantity)


def _verdict(solution: Solution, sign: str, left: Quantity, right: Quantity) -> Iterator[Block]:
    cells = list(compared(solution, sign, left.key, right.key))
    symbols = n.Chain(left.name.matrix, ((SIGNS[sign], right.name.matrix),))
    wrong = [cell for cell in cells if cell.holds is False]
    if wrong:
        yield Paragraph(("This does not hold:",))
        yield from (_counterexample(solution, left, right, cell) for cell in wrong[:1])
    elif all(cell.holds for cell in cells):
        yield Equation(symbols)
        yield Verdict(((True, f"shown: {HOLDS[sign]}"),))
    else:
        yield Equation(symbols)
        agree = f"The two sides agree to {AGREED} digits."
        yield Note((f"{agree} That is no proof: they have no closed form that would decide it.",))


def _counterexample(solution: Solution, left: Quantity, right: Quantity, cell: ComparedEntry) -> Block:
    place = cell.row, cell.column
    values = [(q.name.entry(cell.row + 1, cell.column + 1), solution.real(q.key, *place)) for q in (left, right)]
    parts: list[str | n.Notation] = []
    for symbol, real in values:
        parts += [" but " if parts else "", n.Chain(symbol, tuple(_links(solution, real)))]
    return Paragraph((*parts, "."))


def _links(solution: Solution, real: Real) -> Iterator[tuple[str, n.Notation]]:
    figures = solution.figures()
    found = figures.show(real)
    yield ("=" if found.exact else "≈"), found.notation
    if found.exact and figures.needs_decimal(real):
        yield "≈", figures.decimal(real).notation


def compared(solution: Solution, sign: str, left: Key, right: Key) -> Iterator[ComparedEntry]:
    """A relation between two quantities, entry by entry."""
    rows, columns = solution.graph.shape(left)
    for i in range(rows):
        for j in range(columns):
            yield ComparedEntry(i, j, _holds(sign, solution.real(left, i, j), solution.real(right, i, j)))


def _holds(sign: str, left: Real, right: Real) -> bool | None:
    one, other = left.exact, right.exact
    if one is not None and other is not None:
        try:
            if order.are_equal(one, other):
                return True
            return sign != "=" and order.is_greater(*((other, one) if sign == "<=" else (one, other)))
        except Unavailable:
            return None
    apart = order.apart(left, right)
    return None if apart is None else {"=": False, "<=": apart < 0, ">=": apart > 0}[sign]
