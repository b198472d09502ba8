"""Means of rational functions over normal variables, as polynomials in their means and deviations.

`scalars` asks for them; a field knows which of its symbols are normal.
"""

from __future__ import annotations

from collections.abc import Collection
from math import comb, prod
from typing import TYPE_CHECKING

from attnsolve.algebra.quotients import added, divided, multiplied, raised
from attnsolve.algebra.rational import Polynomial, RationalFunction
from attnsolve.numbers import Unavailable

if TYPE_CHECKING:
    from attnsolve.algebra.letters import Symbol
    from attnsolve.algebra.scalars import Field


def moment(ring: Field, symbol: Symbol, power: int) -> RationalFunction:
    """E[x^power] of a normal variable: Σ C(power, j) μ^(power − j) σ^j (j − 1)!! over even j."""
    mean, deviation = ring.normal[symbol]
    total = ring.functions.zero
    for j in range(0, power + 1, 2):
        double_factorial = prod(range(1, j, 2))
        times = ring.functions.number(comb(power, j) * double_factorial)
        powers = multiplied(raised(mean, power - j), raised(deviation, j))
        total = added(total, multiplied(times, powers))
    return total


def expected(ring: Field, function: RationalFunction) -> RationalFunction:
    """E[function]: polynomial in the normal variables, which are independent of each other."""
    drawn = [i for i, symbol in enumerate(ring.generators) if symbol in ring.normal]
    hidden = [i for i in _places(ring, ring.normal) if i not in drawn]
    if _holds(function.under, [*drawn, *hidden]) or _holds(function.over, hidden):
        raise Unavailable
    symbols = list(ring.generators)
    total = ring.functions.zero
    for exponents, coefficient in function.over.terms():
        kept = tuple(0 if i in drawn else e for i, e in enumerate(exponents))
        term = ring.functions.polynomial({kept: coefficient})
        for i in drawn:
            if exponents[i]:
                term = multiplied(term, moment(ring, symbols[i], exponents[i]))
        total = added(total, term)
    return divided(total, RationalFunction(ring.functions, function.under, ring.functions.unit))


def is_random(ring: Field, function: RationalFunction) -> bool:
    """Whether a normal variable stands in it, be it under a root or a logarithm."""
    return rests_on(ring, function, ring.normal)


def rests_on(ring: Field, function: RationalFunction, letters: Collection[Symbol]) -> bool:
    """Whether one of some letters stands in it, be it under a root or a logarithm."""
    places = _places(ring, letters)
    return _holds(function.over, places) or _holds(function.under, places)


def _places(ring: Field, letters: Collection[Symbol]) -> list[int]:
    """Where some letters stand among the generators, and the roots and logarithms of what holds them."""
    places = [i for i, symbol in enumerate(ring.generators) if symbol in letters]
    hiding = [(letter, [inner]) for letter, inner, _ in ring.letters]
    hiding += [(letter, scalar.functions) for letter, scalar in ring.sums]
    while found := [
        (letter, inside)
        for letter, inside in hiding
        if any(_holds(part, places) for inner in inside for part in (inner.over, inner.under))
    ]:
        places += [ring.place(letter) for letter, _ in found]
        hiding = [pair for pair in hiding if pair not in found]
    return places


def _holds(polynomial: Polynomial, places: list[int]) -> bool:
    degrees = polynomial.degrees()
    return any(degrees[i] > 0 for i in places)
