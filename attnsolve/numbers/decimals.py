"""Decimals whose every digit is proven.

A rational is rounded by integer arithmetic; anything else from a ball that lies wholly inside one rounding interval.
Where a ball does not, the precision doubles and the ball is computed again. Exact ties round away from zero, as taught
at school.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import floor, inf, log10

from flint import arb

from attnsolve.errors import UnsolvableError
from attnsolve.numbers.balls import Ball, at_precision, whole
from attnsolve.numbers.surds import digits_of
from attnsolve.record import Record, record

HIGHEST_PRECISION = 4096
"""Bits beyond which a value is taken to be indistinguishable from a rounding tie, or from zero."""
LONGEST_INTEGER = 20
"""Integers with more digits than this are rounded like any other number."""
LONGEST_EXPANSION = 1_000_000
"""Digits that a power of ten is written out with: e^(-10^10) is printed, but is never a fraction."""
EARLY_PRECISION = 512
"""Bits beyond which a closed form, where there is one, is asked instead."""


@record
class Decimal(Record):
    """±d.ddd × 10^exponent, with `digits` the d's. `exact` when nothing was rounded away."""

    negative: bool
    digits: str
    exponent: int
    exact: bool

    def plain(self) -> str:
        """Written out: −0.002473, 1200."""
        point = self.exponent + 1
        if point <= 0:
            body = "0." + "0" * -point + self.digits
        elif point >= len(self.digits):
            body = self.digits + "0" * (point - len(self.digits))
        else:
            body = f"{self.digits[:point]}.{self.digits[point:]}"
        return ("-" if self.negative else "") + body

    def scientific(self) -> tuple[str, int]:
        """Mantissa and exponent: ("-6.895", -13)."""
        mantissa = self.digits[0] + ("." + self.digits[1:] if len(self.digits) > 1 else "")
        return ("-" if self.negative else "") + mantissa, self.exponent

    @property
    def fraction(self) -> Fraction:
        """Its value, exactly as printed; Undecided where that has more digits than are ever written out."""
        if abs(self.exponent) > LONGEST_EXPANSION:
            raise Undecided
        value = Fraction(int(self.digits)) * Fraction(10) ** (self.exponent + 1 - len(self.digits))
        return -value if self.negative else value

    @property
    def size(self) -> tuple[float, str]:
        """What its absolute value is compared by: the power of ten, then the digits."""
        digits = self.digits.strip("0")
        before = len(self.digits) - len(self.digits.lstrip("0"))
        return (self.exponent - before, digits) if digits else (-inf, "")

    def is_within(self, low: Fraction, high: Fraction) -> bool:
        """Whether it lies between two fractions or is one of them. Signs and powers of ten are compared first, so that
        neither side is written out unless they are alike."""
        return self._compared(low) >= 0 >= self._compared(high)

    def _compared(self, value: Fraction) -> int:
        """-1, 0 or 1, as it is less than a fraction, equal or more."""
        power, digits = self.size
        sign = 0 if not digits else -1 if self.negative else 1
        other = (value > 0) - (value < 0)
        if sign != other or not sign:
            return (sign > other) - (sign < other)
        decade = decade_of(value)
        if power != decade:
            return sign if power > decade else -sign
        return (self.fraction > value) - (self.fraction < value)

    @property
    def places(self) -> int:
        """Decimal places (negative: tens, hundreds)."""
        return len(self.digits) - 1 - self.exponent

    @property
    def is_plain(self) -> bool:
        """Whether a person would write it without a power of ten. A rounded number is never filled up with zeros: they
        would look like digits that were proven."""
        if not self.digits.strip("0"):
            return True
        longest = max(len(self.digits), 7) if self.exact else len(self.digits)
        return -5 <= self.exponent < longest

    def __str__(self) -> str:
        if self.is_plain:
            return self.plain()
        mantissa, exponent = self.scientific()
        return f"{mantissa}e{exponent:+03d}"


ZERO = Decimal(False, "0", 0, True)


@lru_cache(maxsize=4096)
def terminating(value: Fraction) -> Decimal | None:
    """The whole decimal expansion, or None where it never ends.

    >>> str(terminating(Fraction(-3, 40)))
    '-0.075'
    """
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return None
    if value == 0:
        return ZERO
    places = max(twos, fives)
    digits = digits_of(abs(value.numerator) * 10**places // value.denominator)
    exponent = len(digits) - 1 - places
    return Decimal(value < 0, digits.rstrip("0") or "0", exponent, True)


def round_fraction(value: Fraction, figures: int) -> Decimal:
    """A rational to so many significant figures; one that needs no more is given whole, and so is an integer."""
    every = terminating(value)
    if every is not None and (
        len(every.digits) <= figures or (value.denominator == 1 and every.exponent < LONGEST_INTEGER)
    ):
        return every
    over, under, exponent = abs(value.numerator), value.denominator, decade_of(value)
    shift = figures - 1 - exponent
    top, bottom = over * 10 ** max(shift, 0), under * 10 ** max(-shift, 0)
    return _from_integer(value < 0, (2 * top + bottom) // (2 * bottom), figures, exponent)


def decade_of(value: Fraction) -> int:
    """The greatest n with 10^n ≤ |value|, for a value other than 0."""
    over, under = abs(value.numerator), value.denominator
    exponent = len(digits_of(over)) - len(digits_of(under))
    below = over * 10 ** max(-exponent, 0) < under * 10 ** max(exponent, 0)
    return exponent - 1 if below else exponent


def round_to_places(value: Fraction, places: int) -> Decimal:
    """A rational to so many decimal places, every one of them shown."""
    scaled = abs(value) * 10**places
    return _fixed(value < 0, (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator), places, value)


def _fixed(negative: bool, number: int, places: int, value: Fraction | None) -> Decimal:
    digits = digits_of(number).zfill(places + 1)
    exact = value is not None and Fraction(number, 10**places) == abs(value)
    return Decimal(negative and number != 0, digits, len(digits) - 1 - places, exact)


def _from_integer(negative: bool, number: int, figures: int, exponent: int) -> Decimal:
    if number == 10**figures:
        number, exponent = number // 10, exponent + 1
    return Decimal(negative, digits_of(number), exponent, False)


def round_ball(value: Ball, figures: int) -> Decimal | None:
    """A ball to so many significant figures, or None when it doesn't prove them all."""
    if value == 0:
        return ZERO
    if not (value > 0 or value < 0):
        return None
    size = abs(value)
    exponent = _decade(size.mid())
    for guess in (exponent, exponent - 1, exponent + 1) if exponent is not None else ():
        number = whole((size * _power_of_ten(figures - 1 - guess) + arb("0.5")).floor())
        if number is None:
            return None
        if 10 ** (figures - 1) <= number <= 10**figures:
            # A number just short of the next power of ten is one of its own decade only if it was not below this one.
            if number == 10 ** (figures - 1) and not size >= _power_of_ten(guess):
                continue
            return _from_integer(bool(value < 0), number, figures, guess)
    return None


def _decade(size: Ball) -> int | None:
    """The greatest n with 10^n ≤ size, or a neighbour of it; None where there is no telling."""
    near = float(size)
    if 0 < near < inf:
        return floor(log10(near))
    return whole((size.log() / arb(10).log()).mid().floor())


def _power_of_ten(exponent: int) -> Ball:
    return arb(10) ** exponent if exponent >= 0 else 1 / arb(10) ** -exponent


def first_precision(digits: int) -> int:
    """Bits to begin with: ample for the digits, in steps of 64, so that a few digits more use the same balls."""
    return 64 * (2 + digits // 16)


class Undecided(UnsolvableError):
    """No precision that is worth trying tells enough of a number."""

    def __init__(self) -> None:
        super().__init__(
            "a number can't be distinguished from zero or infinity at any precision, or its digits never end"
        )


def certify(ball_at: Callable[[int], Ball], figures: int, *, closed_form: bool = False) -> Decimal:
    """Round a real number that can be computed as a ball at any precision.

    A value that no precision tells from a tie is given with more figures (0.125 and not 0.13), and one that none tells
    from zero as a rounded zero: both are true of what was proven. Undecided is raised earlier when a `closed_form`
    is known that decides more quickly, and where the ball bounds nothing at all.
    """
    bits = first_precision(figures)
    while True:
        with at_precision(bits):
            value = ball_at(bits)
            rounded = round_ball(value, figures)
            if rounded is not None:
                return rounded
            _give_up(bits, closed_form)
            if bits > HIGHEST_PRECISION:
                return _undecided(value, figures)
        bits *= 2


def certify_places(ball_at: Callable[[int], Ball], places: int, *, closed_form: bool = False) -> Decimal:
    """Round a real number to so many decimal places. One that no precision tells from a tie is taken for the tie."""
    bits = first_precision(places)
    while True:
        with at_precision(bits):
            value = ball_at(bits)
            scaled = abs(value) * arb(10) ** places + arb("0.5")
            number = whole(scaled.floor())
            if number is None:
                _give_up(bits, closed_form)
            if number is None and bits > HIGHEST_PRECISION:
                number = whole(scaled.upper().floor())
                if number is None:
                    raise Undecided
            if number is not None:
                return _fixed(bool(value < 0), number, places, None)
        bits *= 2


def _give_up(bits: int, closed_form: bool) -> None:
    if closed_form and bits > EARLY_PRECISION:
        raise Undecided


def _undecided(value: Ball, figures: int) -> Decimal:
    if not value.is_finite():
        raise Undecided
    if not (value > 0 or value < 0):
        if not abs(value) < arb(2) ** -(HIGHEST_PRECISION // 2):
            raise Undecided
        return Decimal(False, "0", 0, False)
    for more in range(1, 40):
        rounded = round_ball(value, figures + more)
        if rounded is not None:
            return rounded
    raise Undecided
