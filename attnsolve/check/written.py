"""A number as somebody wrote it: its value, and how precisely it was meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from attnsolve.spec.number import MINUS_INFINITY, parse_number

_DECIMAL = re.compile(
    r"[-+−–]?(?:\d+(?:\.(\d*))?|\.(\d+))(?:[eE]([-+]?\d+)|\s*[*×·]\s*10\s*(?:\^|\*\*)\s*\(?([-+−]?\d+)\)?)?"
)
_INFINITE = re.compile(r"[-−–]\s*(?:\.?inf(?:inity|ty)?|oo|∞)", re.IGNORECASE)
WHOLE_PLACES = 2
"""A whole number is judged to so many places where nothing else says how precisely it was meant."""


@dataclass(frozen=True)
class Written:
    """What stands in one cell of an answer."""

    text: str
    value: Any
    """A Fraction, a sympy expression, or MINUS_INFINITY."""
    places: int | None
    """Decimal places that it was written to (negative: tens, hundreds); None for an exact expression."""
    whole: bool = False
    """Whether it was written without decimals: 2, or 2. as NumPy prints it."""

    @property
    def infinite(self) -> bool:
        """Whether it is −∞, what stands where a mask forbids."""
        return isinstance(self.value, float)

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


def read_written(text: str, symbols: Mapping[str, Any] | None = None) -> Written:
    """Read a number of an answer; raises NumberError like any other number.

    >>> read_written("0.330").places, read_written("6.90e-13").places, read_written("1/3").places
    (3, 15, None)
    """
    if _INFINITE.fullmatch(text.strip()):
        return Written(text.strip(), MINUS_INFINITY, None)
    value = parse_number(text, symbols, exponentials=True).value
    match = _DECIMAL.fullmatch(text.strip())
    if match is None or not isinstance(value, Fraction):
        return Written(text.strip(), value, None)
    decimals = match[1] or match[2] or ""
    exponent = int((match[3] or match[4] or "0").replace("−", "-"))
    if value == 0:
        exponent = min(exponent, 0)  # 0e2 is no less zero than 0, and no less precise
    whole = not decimals and not exponent
    return Written(text.strip(), value, WHOLE_PLACES if whole else len(decimals) - exponent, whole)


def at_places(written: Written, places: int) -> Written:
    """A whole number among decimals, meant as precisely as they are: 0 beside 0.99 is 0.00."""
    if not written.whole or written.places is None:
        return written
    return Written(written.text, written.value, max(places, 0), whole=True)
