"""A chain of equations on rows that fit a printed page: broken before a relation sign or, in a long sum, before a plus.

How wide mathematics will be drawn is only known where it is drawn; here it is measured in characters.
"""

from __future__ import annotations

from collections.abc import Iterator

from attnsolve import notation as n
from attnsolve.notation.text import TextPrinter
from attnsolve.render.box import width_of
from attnsolve.render.maths import MathsPrinter

PAGE_WIDTH = 66
"""How many characters wide mathematics may be."""
ANY_WIDTH = 10_000
RELATION = 3
"""What a sign takes with the space around it."""
Link = tuple[str, n.Notation]
_TEXT = TextPrinter()
_ABOVE = n.Word("")
"""Stands for the terms in the row above."""


def width(part: n.Notation) -> int:
    """The room that a formula takes, with fractions as tall as they are drawn and not as long as they are typed."""
    match part:
        case n.Frac(over=over, under=under):
            return max(width(over), width(under))
        case n.Derivative(of=of, by=by):
            return max(width(of), width(by)) + 1
        case n.Sum(terms=terms):
            return sum(map(width, terms)) + RELATION * (len(terms) - 1)
        case n.Product(factors=factors):
            return sum(map(width, factors)) + len(factors) - 1
        case n.Chain(left=left, links=links):
            return (width(left) if left is not None else 0) + sum(width(link) + RELATION for _, link in links)
        case n.Num(text=text, exponent=None):
            return len(text)
        case n.Grid(rows=rows):
            names = max(map(width_of, part.row_labels), default=-1) + 1
            return sum(max(map(width, column)) + 2 for column in zip(*rows, strict=True)) + names
    return MathsPrinter().box(part, ANY_WIDTH).width if part.has_grid else width_of(_TEXT.print(part))


def broken(chain: n.Chain) -> list[n.Chain]:
    """The chain, or its beginning and what goes on below: rows without a left side."""
    used = start = width(chain.left) if chain.left is not None else 0
    rows: list[list[Link]] = [[]]
    for link in chain.links:
        for number, piece in enumerate(_pieces(link, PAGE_WIDTH - start)):
            wide = width(piece[1]) + RELATION
            if number or (rows[-1] and link[0] and used + wide > PAGE_WIDTH):
                rows.append([])
                used = start
            rows[-1].append(piece)
            used += wide
    return [n.Chain(None if number else chain.left, tuple(row)) for number, row in enumerate(rows)]


def goes_on(row: n.Chain) -> bool:
    """Whether a row goes on with a sum that was begun above it."""
    _, first = row.links[0]
    return isinstance(first, n.Sum) and first.terms[0] == _ABOVE


def _pieces(link: Link, room: int) -> Iterator[Link]:
    """A link; a sum wider than the page in several pieces, all but the first with nothing before their plus."""
    sign, part = link
    if not isinstance(part, n.Sum) or width(part) + RELATION <= room:
        yield link
        return
    taken: list[n.Notation] = []
    for term in part.terms:
        if len(taken) > (not sign) and width(n.Sum((*taken, term))) + RELATION > room:
            yield sign, n.Sum(tuple(taken))
            sign, taken = "", [_ABOVE]
        taken.append(term)
    yield sign, n.Sum(tuple(taken))
