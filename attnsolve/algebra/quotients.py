"""Arithmetic of rational functions that refuses what would take too long; sums of exponentials are made of them."""

from __future__ import annotations

from math import prod

from attnsolve.algebra.rational import Polynomial, RationalFunction
from attnsolve.numbers import Unavailable
from attnsolve.record import Fillable, filled

MOST_MONOMIALS = 40_000
"""Products of polynomials longer than this are left to the points."""
MOST_CANCELLED = 300_000
"""And for those of quotients, in which common factors are looked for: over · under · letters²."""
MOST_BITS = 20_000
"""And for their coefficients."""
MOST_POWER = 1000
"""And for powers: e^(1000 ln x) is x^1000, but no more."""
MOST_WORK = 500_000
"""Monomials that may be multiplied for one claim."""


@filled
class Effort(Fillable):
    """How many monomials were multiplied for one claim."""

    spent: int = 0

    def spend(self, monomials: int) -> None:
        """Take note of more work, unless it is too much."""
        self.spent += monomials
        if self.spent > MOST_WORK:
            raise Unavailable


def added(left: RationalFunction, right: RationalFunction) -> RationalFunction:
    """left + right; unless common factors would be looked for in what is too long."""
    if not left or not right:
        return left or right
    if left.under != right.under:
        _check_length((left.over, right.under), (left.under, right.under))
        _check_length((right.over, left.under), (left.under, right.under))
    return left + right


def multiplied(left: RationalFunction, right: RationalFunction) -> RationalFunction:
    """left · right, unless that would be too long."""
    if left is left.home.one or right is left.home.one:
        return right if left is left.home.one else left
    if len(left.over) * len(right.over) > MOST_MONOMIALS or len(left.under) * len(right.under) > MOST_MONOMIALS:
        raise Unavailable
    if any(_bits(part) > MOST_BITS for f in (left, right) for part in (f.over, f.under)):
        raise Unavailable
    _check_length((left.over, right.over), (left.under, right.under))
    return left * right


def divided(left: RationalFunction, right: RationalFunction) -> RationalFunction:
    """left / right, under the same condition."""
    if right == 1:
        return left
    _check_length((left.over, right.under), (left.under, right.over))
    return left / right


def raised(function: RationalFunction, power: int) -> RationalFunction:
    """function^power, under the same condition."""
    if abs(power) > MOST_POWER:
        raise Unavailable
    if power < 0:
        return divided(function.home.one, raised(function, -power))
    result = function.home.one
    while power:
        result = multiplied(result, function) if power % 2 else result
        power //= 2
        function = multiplied(function, function) if power else function
    return result


def _check_length(over: tuple[Polynomial, Polynomial], under: tuple[Polynomial, Polynomial]) -> None:
    """Refuse to look for common factors of long products in many letters, which may take very long."""
    if all(polynomial.is_constant() for polynomial in under):
        return
    monomials = [monomial for polynomial in (*over, *under) for monomial in polynomial.monoms()]
    letters = sum(map(any, zip(*monomials, strict=True)))
    if prod(map(len, (*over, *under))) * letters**2 > MOST_CANCELLED:
        raise Unavailable


def _bits(polynomial: Polynomial) -> int:
    """The length of the longest coefficient."""
    return max((int(c.p).bit_length() for c in polynomial.coeffs()), default=0)
