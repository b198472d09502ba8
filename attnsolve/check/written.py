"""A number as somebody wrote it: its value, and how precisely it was meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from attnsolve.language.tokens import trimmed
from attnsolve.record import Record, record
from attnsolve.spec.number import MINUS_INFINITY, Numeral, infinity, parse_number

FORBIDDING = -(10**4)
"""In a masked score, this and anything below it stands for −∞: the sheets of many courses write −10⁹ there."""
WHOLE_PLACES = 2
"""A whole number is judged to so many places where nothing else says how precisely it was meant."""


@record
class Written(Record):
    """What stands in one cell of an answer."""

    text: str
    value: Any
    """A Fraction, a sympy expression, or MINUS_INFINITY."""
    places: int | None
    """Decimal places that it was written to (negative: tens, hundreds); None for an exact expression."""
    whole: bool = False
    """Whether it was written without decimals: 2, or 2. as NumPy prints it."""
    numeral: Numeral | None = field(default=None, compare=False)
    """Its digits, where it is a decimal and no expression."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """How it was understood, where something else could have been meant."""

    @property
    def infinite(self) -> bool:
        """Whether it is −∞, what stands where a mask forbids."""
        return isinstance(self.value, float)

    @property
    def forbids(self) -> bool:
        """Whether it stands for −∞ where that is the truth."""
        return self.infinite or (isinstance(self.value, Fraction) and self.value <= FORBIDDING)

    @cached_property
    def unit(self) -> Fraction:
        """One in its last place."""
        assert self.places is not None
        return Fraction(10) ** -self.places

    @cached_property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The numbers that round to it."""
        half = self.unit / 2
        return self.value - half, self.value + half


def read_written(text: str, symbols: Mapping[str, Any] | None = None, *, share: bool = False) -> Written:
    """Read a number of an answer; raises NumberError like any other number. A `share` may be written in percent.

    >>> read_written("0.330").places, read_written("6.90×10⁻¹³").places, read_written("1/3").places
    (3, 15, None)
    """
    text = trimmed(text)
    if infinity(text) < 0:
        return Written(text, MINUS_INFINITY, None)
    read = parse_number(text, symbols, answer=True, share=share)
    if read.numeral is None:
        return Written(text, read.value, None, notes=read.notes)
    decimals = read.numeral.digits.partition(".")[2]
    exponent = read.numeral.exponent - 2 * read.numeral.percent
    if read.value == 0:
        exponent = min(exponent, 0)  # 0e2 is no less zero than 0, and no less precise
    whole = not decimals and not exponent
    places = WHOLE_PLACES if whole else len(decimals) - exponent
    return Written(text, read.value, places, whole, read.numeral, read.notes)


def at_places(written: Written, places: int) -> Written:
    """A whole number among decimals, meant as precisely as they are: 0 beside 0.99 is 0.00."""
    if not written.whole or written.places is None:
        return written
    return replace(written, places=max(places, 0))
