"""Numbers that stand in a formula: what is shown of one is made from what runs, so the two can't differ."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

from attnsolve import notation as n
from attnsolve.numbers import Style
from attnsolve.numbers.closed import cell_of
from attnsolve.numbers.surds import Number, square_root
from attnsolve.numbers.whole import Constant as Constant
from attnsolve.numbers.written import write
from attnsolve.record import record


class _WrittenOut:
    """A number that is written out as any result is."""

    style: Style

    @property
    @abstractmethod
    def value(self) -> Number:
        """The number."""

    @property
    def written(self) -> n.Notation:
        """The number written out."""
        return write(self.value, self.style)


@record
class PlainNumber(_WrittenOut, Constant):
    """A number by itself."""

    number: Number | int
    style: Style = "fraction"

    @property
    def value(self) -> Number:
        return cell_of(self.number)


@record
class Size(_WrittenOut, Constant):
    """A size that has a letter, such as d_k."""

    letter: n.Sym
    size: Fraction | int
    style: Style = "fraction"

    @property
    def value(self) -> Number:
        return Fraction(self.size)

    @property
    def symbol(self) -> n.Notation:
        return self.letter


@record
class RootOfSize(_WrittenOut, Constant):
    """The square root of a size that has a letter: √d_k."""

    letter: n.Sym
    size: Fraction | int
    style: Style = "fraction"

    @property
    def value(self) -> Number:
        return square_root(self.size)

    @property
    def symbol(self) -> n.Notation:
        return n.Root(self.letter)


@record
class Degrees(Constant):
    """An angle in degrees: 30°, which is π/6."""

    number: Fraction | int
    style: Style = "fraction"

    @property
    def value(self) -> Number:
        """In radians."""
        if not self.number:
            return Fraction(0)
        import sympy

        return cell_of(sympy.pi * sympy.Rational(Fraction(self.number) / 180))

    @property
    def written(self) -> n.Notation:
        return n.Degrees(write(Fraction(self.number), self.style))


MINUS_ONE = PlainNumber(-1)
