"""Derivatives of scalars, by the rules for sums, products, quotients and chains; and how those of several entries in
several letters are put into a matrix. No limit is taken: what is worked out is made of functions that have derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve.algebra.letters import Letter
from attnsolve.algebra.quotients import added, divided, multiplied
from attnsolve.algebra.rational import RationalFunction
from attnsolve.algebra.scalars import Field, FieldElement
from attnsolve.algebra.table import ElementMatrix, TermError, shape_text
from attnsolve.numbers.sums import Sum
from attnsolve.operations.letters import formula_text

if TYPE_CHECKING:
    from attnsolve.algebra.functions import Derivative


def arranged(term: Derivative, letters: ElementMatrix, slope: Callable[[Letter], ElementMatrix]) -> ElementMatrix:
    """The derivatives in some letters, of which `slope` knows those in each one.

    In a number, every entry has one; a number has one in every entry of a vector or matrix; and a vector in a vector
    has a row for each of its own entries.
    """
    if not all(isinstance(letter, Letter) for letter in letters.entries):
        raise TermError(f"{formula_text(term.by)} is not a declared letter here, so no derivative can be taken in it")
    slopes = [slope(letter) for letter in letters.entries]
    body = slopes[0]
    if letters.row and letters.column:
        return body
    if body.is_number:
        found = iter(slopes)
        return letters.each(lambda _: next(found).number)
    if 1 in body.shape and 1 in letters.shape:
        return ElementMatrix(zip(*(table.entries for table in slopes), strict=True))
    both = f"{formula_text(term.body)} is {shape_text(body)} and {formula_text(term.by)} is {shape_text(letters)}"
    raise TermError(f"{both}: their derivatives don't fit into one matrix", "take the derivative of one entry")


# ── exactly ─────────────────────────────────────────────────────────────────────────────────────


def slope_of(scalar: FieldElement, place: int) -> FieldElement:
    """The derivative of a scalar in the letter at a place: (f/g)′ = (f′ − (f/g)·g′)/g."""
    ring = scalar.ring
    over, under = (_of_sum(ring, terms, place) for terms in (scalar.over, scalar.under))
    divisor = FieldElement(ring, scalar.under, ring.unit)
    return (over - scalar * under if under.over else over) / divisor


def _of_sum(ring: Field, terms: Sum[RationalFunction], place: int) -> FieldElement:
    """Σ (c′ + c·p′)·e^p of a sum Σ c·e^p."""
    one = ring.functions.one
    return ring.total(
        (_of_function(ring, c, place) + ring.plain(c) * _of_function(ring, p, place))
        * FieldElement(ring, {p: one}, ring.unit)
        for p, c in terms.items()
    )


def _of_function(ring: Field, function: RationalFunction, place: int) -> FieldElement:
    """The derivative of a rational function, in which roots and logarithms are letters of their own."""
    found = ring.plain(_partial(function, place))
    for letter, change in _changing(ring, function, place):
        found = found + ring.plain(_partial(function, ring.place(letter))) * change
    return found


def _changing(ring: Field, function: RationalFunction, place: int) -> list[tuple[RationalFunction, FieldElement]]:
    """The roots and logarithms in a function that change with a letter, with the derivative of each: r′ = f′/(2r) where
    r² = f, and (ln f)′ = f′/f."""
    found = []
    for letter, inner, name in ring.letters:
        if ring.place(letter) in function.letters and (change := _of_function(ring, inner, place)).over:
            half = name == "sqrt"
            found.append(
                (letter, (ring.number(Fraction(1, 1 + half)) * change) / ring.plain(letter if half else inner))
            )
    for letter, scalar in ring.sums:
        if ring.place(letter) in function.letters and (change := slope_of(scalar, place)).over:
            found.append((letter, change / scalar))
    return found


def _partial(function: RationalFunction, place: int) -> RationalFunction:
    """The derivative where every other letter stays as it is."""
    whole = function.ring.whole
    over, under = whole(function.over), whole(function.under)
    risen = whole(function.over.derivative(place))
    if function.is_polynomial:
        return divided(risen, under)
    sunk = multiplied(over, whole(function.under.derivative(place)))
    return divided(added(multiplied(risen, under), -sunk), multiplied(under, under))
