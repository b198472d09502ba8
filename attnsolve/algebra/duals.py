"""Balls that know how fast they change with one letter: what is worked out with them comes to its derivative too.

These are the derivatives at a point, found without those of `derivatives`: the one speaks for the other.
"""

from __future__ import annotations

from typing import Any

from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import Ball, ball

ZERO, ONE = ball(0), ball(1)


class Dual:
    """value + slope·h, for a small change h of the letter. Both may themselves be such, for a second letter."""

    __slots__ = ("slope", "value")

    def __init__(self, value: Any, slope: Any) -> None:
        self.value = value
        self.slope = slope

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __add__(self, other: Any) -> Dual:
        return Dual(self.value + _value(other), self.slope + slope(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dual:
        return Dual(self.value - _value(other), self.slope - slope(other))

    def __rsub__(self, other: Any) -> Dual:
        return Dual(_value(other) - self.value, slope(other) - self.slope)

    def __mul__(self, other: Any) -> Dual:
        value = _value(other)
        return Dual(self.value * value, self.slope * value + self.value * slope(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        value = _value(other)
        quotient = self.value / value
        return Dual(quotient, (self.slope - quotient * slope(other)) / value)

    def __rtruediv__(self, other: Any) -> Dual:
        return Dual(other, ZERO) / self

    def __pow__(self, power: int) -> Any:
        result: Any = ONE
        for _ in range(abs(power)):
            result = self * result
        return ONE / result if power < 0 else result

    def __abs__(self) -> Dual:
        """|x|, which has no derivative at 0."""
        sign = _innermost(self)
        if sign > 0:
            return self
        if sign < 0:
            return -self
        raise Unavailable

    def exp(self) -> Dual:
        """e to its power."""
        power = self.value.exp()
        return Dual(power, power * self.slope)

    def log(self) -> Dual:
        """Its natural logarithm."""
        return Dual(self.value.log(), self.slope / self.value)

    def sqrt(self) -> Dual:
        """Its square root."""
        root = self.value.sqrt()
        return Dual(root, self.slope / (root + root))

    def tanh(self) -> Dual:
        """Its hyperbolic tangent."""
        value = self.value.tanh()
        return Dual(value, self.slope * (ONE - value * value))

    def is_finite(self) -> bool:
        """Whether it has a value and a derivative."""
        return bool(self.value.is_finite() and self.slope.is_finite())


def slope(number: Any) -> Any:
    """How fast a number changes: nothing else than these does."""
    return number.slope if isinstance(number, Dual) else ZERO


def _value(number: Any) -> Any:
    return number.value if isinstance(number, Dual) else number


def _innermost(number: Any) -> Ball:
    return _innermost(number.value) if isinstance(number, Dual) else number
