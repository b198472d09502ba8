"""Letters that stand for numbers in an argument, with what is assumed of them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attnsolve.record import Record, record

if TYPE_CHECKING:
    import sympy


@record
class Letter(Record):
    """A letter, or one entry of a matrix: X[1,2]. It answers as sympy's symbols do, and is one to sympy."""

    name: str
    assumption: str = "real"
    """real, positive, nonnegative or negative."""

    @property
    def is_positive(self) -> bool:
        """Whether it is known to be above 0."""
        return self.assumption == "positive"

    @property
    def is_nonnegative(self) -> bool:
        """Whether it is known not to be below 0."""
        return self.assumption in ("positive", "nonnegative")

    @property
    def is_negative(self) -> bool:
        """Whether it is known to be below 0."""
        return self.assumption == "negative"

    def _sympy_(self) -> sympy.Symbol:
        import sympy

        return sympy.Symbol(self.name, **{self.assumption: True})

    def __str__(self) -> str:
        return self.name


Symbol = Letter | Any
"""A Letter, or a symbol of sympy's."""
Point = dict[Letter, Fraction]
"""A value for every letter."""


def symbol_of(letter: Symbol) -> sympy.Symbol:
    """A letter as sympy has it."""
    return letter._sympy_() if isinstance(letter, Letter) else letter
