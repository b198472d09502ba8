"""The numbers that most sheets are made of: fractions, and c√d, which is what √d_k brings in.

Exact numbers have one form each: a Fraction while they are rational, a Surd while they are a fraction times one root,
a sympy expression beyond that. So sympy, which takes longer to load than a worksheet to solve, is loaded only for what
needs it. Arithmetic is written with the usual operators; `closed.tidy` brings results of sympy back to the one form.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING, Final, TypeGuard

from attnsolve.numbers.untyped import Expression

if TYPE_CHECKING:
    import sympy

ZERO, ONE = Fraction(0), Fraction(1)
MINUS_INFINITY: Final = float("-inf")
"""The only float among exact numbers: what a mask adds to a score."""
LARGEST_PRIME = 2**15
"""Squares of larger primes are not looked for inside a root, unless they are all that is left of it."""


class Euler:
    """e as the base of a softmax."""

    def _sympy_(self) -> sympy.Expr:
        import sympy

        return sympy.E

    def __str__(self) -> str:
        return "e"


EULER: Final = Euler()


@dataclass(frozen=True, slots=True)
class Surd:
    """factor · √inside, where the factor isn't 0 and no square but 1 divides what is inside."""

    factor: Fraction
    inside: int

    def __neg__(self) -> Surd:
        return Surd(-self.factor, self.inside)

    def __mul__(self, other: Number | int) -> Number:
        if isinstance(other, Fraction | int):
            return Surd(self.factor * other, self.inside) if other else ZERO
        if isinstance(other, Surd):
            return self.factor * other.factor * square_root(Fraction(self.inside * other.inside))
        return self._sympy_() * other

    __rmul__ = __mul__

    def __add__(self, other: Number | int) -> Number:
        if isinstance(other, Surd) and other.inside == self.inside:
            factor = self.factor + other.factor
            return Surd(factor, self.inside) if factor else ZERO
        if isinstance(other, Fraction | int | Surd):
            return total((self, other))
        return self._sympy_() + other

    __radd__ = __add__

    def __sub__(self, other: Number | int) -> Number:
        return self + -other

    def __rsub__(self, other: Number | int) -> Number:
        return other + -self

    def __truediv__(self, other: Number | int) -> Number:
        return self * inverse(other) if isinstance(other, Surd) else self * (ONE / other)

    def __rtruediv__(self, other: Number | int) -> Number:
        return other * inverse(self)

    def __pow__(self, exponent: int) -> Fraction | Surd:
        squares = Fraction(self.factor * self.factor * self.inside) ** (exponent // 2)
        return self * squares if exponent % 2 else squares

    def _sympy_(self) -> sympy.Expr:
        """What sympy takes it for wherever it meets one."""
        import sympy

        return sympy.Rational(self.factor.numerator, self.factor.denominator) * sympy.sqrt(self.inside)

    def __str__(self) -> str:
        """As sympy writes it: 2*sqrt(3)/3."""
        over, under = digits_of(self.factor.numerator), digits_of(self.factor.denominator)
        sign = {"1": "", "-1": "-"}.get(over, f"{over}*")
        return f"{sign}sqrt({digits_of(self.inside)})" + (f"/{under}" if under != "1" else "")


Number = Fraction | Surd | Expression
"""A finite number, in the simplest form it has."""
Entry = Number | float
"""A number that a problem states, or MINUS_INFINITY."""
Rows = Sequence[Sequence[Entry]]


def digits_of(number: int) -> str:
    """A whole number in digits, however many there are: Python by itself refuses more than 4,300."""
    from flint import fmpz  # reading a problem loads this module, and nothing that computes

    return str(fmpz(number))


FRACTION_OR_SURD = (Surd, Fraction)


def is_fraction_or_surd(number: object) -> TypeGuard[Fraction | Surd]:
    """Whether a number is a Fraction or a Surd."""
    return isinstance(number, FRACTION_OR_SURD)


def inverse(number: Fraction | Surd) -> Fraction | Surd:
    """1 / number."""
    if isinstance(number, Fraction):
        return 1 / number
    return Surd(1 / (number.factor * number.inside), number.inside)


def is_negative(number: Fraction | Surd) -> bool:
    """Whether a number lies below 0."""
    return (number.factor if isinstance(number, Surd) else number) < 0


def total(numbers: Iterable[Fraction | int | Surd]) -> Number:
    """The sum of light numbers: light again unless several roots are left in it."""
    factors: defaultdict[int, Fraction] = defaultdict(Fraction)
    for number in numbers:
        if isinstance(number, Surd):
            factors[number.inside] += number.factor
        else:
            factors[1] += number
    parts = [factor if inside == 1 else Surd(factor, inside) for inside, factor in factors.items() if factor]
    if len(parts) < 2:
        return parts[0] if parts else ZERO
    import sympy

    return sympy.Add(*parts)


def square_root(number: Fraction | int) -> Fraction | Surd:
    """√number, for a number that isn't negative.

    >>> str(square_root(Fraction(4, 3)))
    '2*sqrt(3)/3'
    """
    value = Fraction(number)
    outside, inside = _split(value.numerator * value.denominator)
    factor = Fraction(outside, value.denominator)
    return factor if inside in (0, 1) else Surd(factor, inside)


@lru_cache(maxsize=1024)
def _split(number: int) -> tuple[int, int]:
    """The a and b with a²·b the number, and b as free of squares as can be told."""
    outside, inside, prime = 1, 1, 2
    rest = number
    while prime <= LARGEST_PRIME and prime * prime <= rest:
        while rest % (prime * prime) == 0:
            rest //= prime * prime
            outside *= prime
        if rest % prime == 0:
            rest //= prime
            inside *= prime
        prime += 1 if prime == 2 else 2
    root = isqrt(rest)
    return (outside * root, inside) if root * root == rest else (outside, inside * rest)
