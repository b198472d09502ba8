"""What a number of a formula is to every tier; and whole numbers, which the operators of matrices need."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.numbers import Style
    from attnsolve.numbers.closed import Number


class Constant(Record):
    """A number of a formula."""

    style: Style

    @property
    @abstractmethod
    def value(self) -> Number:
        """The number."""

    @property
    def symbol(self) -> n.Notation:
        """How a formula in letters writes it."""
        return self.written

    @property
    @abstractmethod
    def written(self) -> n.Notation:
        """The number written out."""


@record
class Whole(Constant):
    """A whole number."""

    number: int
    style: Style = "fraction"

    @property
    def value(self) -> Number:
        return Fraction(self.number)

    @property
    def written(self) -> n.Notation:
        return n.Num(str(self.number))
