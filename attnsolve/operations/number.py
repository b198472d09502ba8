"""A number in a formula: one that is written there, a size with a letter, or the root of one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.constant import Constant, PlainNumber, Size
from attnsolve.numbers.matrix import Arithmetic, M
from attnsolve.operations.context import Inputs
from attnsolve.operations.formula import Formula
from attnsolve.record import record

LARGEST_POWER = 64
"""Powers of numbers are worked out up to this one."""


@record
class Number(Formula):
    """What is shown of it comes from what runs."""

    constant: Constant

    has_work = False
    working_starts_with = "letters"

    @property
    def rational(self) -> Fraction | None:
        """The fraction that it is, if it is one."""
        value = self.constant.value
        return value if isinstance(value, Fraction) else None

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        return tier.constant(self.constant)

    def define(self, *matrices: M) -> M:
        """A number is not computed."""
        raise NotImplementedError

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return self.constant.symbol

    def transposed(self, as_columns: Collection[Key]) -> Formula:
        return self


def numeral(value: Fraction | int, *, decimal: bool = False) -> Number:
    """A fraction, written as a decimal where `decimal` says so."""
    return Number(PlainNumber(Fraction(value), "decimal" if decimal else "fraction"))


ONE = numeral(1)


def raised_number(base: Formula, power: Fraction) -> Number | None:
    """A fraction to a whole power as one number."""
    if not isinstance(base, Number) or base.rational is None or power.denominator > 1 or abs(power) > LARGEST_POWER:
        return None
    return numeral(base.rational ** int(power)) if base.rational or power >= 0 else None


def combined_number(left: Formula, sign: str, right: Formula) -> Number | None:
    """Two fractions as one number."""
    if not (isinstance(left, Number) and isinstance(right, Number)):
        return None
    a, b = left.rational, right.rational
    if a is None or b is None or isinstance(left.constant, Size) or isinstance(right.constant, Size):
        return None
    if sign == "/":
        return numeral(a / b) if b else None
    return numeral({"+": a + b, "-": a - b, "*": a * b}[sign])
