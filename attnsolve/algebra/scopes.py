"""The arithmetics in which terms are worked out: whole numbers for sizes, exact scalars, balls at a point."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from attnsolve.algebra.moments import is_random
from attnsolve.algebra.scalars import Field
from attnsolve.algebra.table import Element, TermError
from attnsolve.algebra.terms import Scope, Term, said, shape_said
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import ball


class Places(Scope):
    """The least of a scope: sizes and indices."""

    def number(self, value: Fraction | int) -> Element:
        """A rational number."""
        return value


@dataclass
class ExactScope(Scope):
    """Terms worked out with symbols."""

    home: Field

    def number(self, value: Fraction | int) -> Element:
        """A rational number."""
        return self.home.number(Fraction(value))

    def apply(self, function: str, argument: Element) -> Element:
        """A function of a scalar."""
        return _call(argument, {**_FUNCTIONS, "E": "expectation"}.get(function))

    def draw(self, name: str, symbols: list[list[Any]], mean: Term, deviation: Term) -> None:
        """Tell the field of normal variables, so that it knows their means."""
        given = []
        for what, term in (("mean", mean), ("standard deviation", deviation)):
            table = term.evaluate(self)
            if not table.is_number:
                raise TermError(f"the {what} of {name} must be a number, but {said(term)} is {shape_said(table)}")
            if is_random(self.home, table.number.function):
                raise TermError(f"the {what} of {name} is itself random")
            given.append(table.number.function)
        self.home.normal |= {row[0]: (given[0], given[1]) for row in symbols}

    def limit(self, symbol: str, to: Term, value: Element) -> Element:
        """The limit that sympy finds."""
        from attnsolve.algebra.limits import limit

        return limit(self, symbol, to, value)


class PointScope(Scope):
    """Terms worked out in balls."""

    def number(self, value: Fraction | int) -> Element:
        """A rational number."""
        return ball(Fraction(value))

    def apply(self, function: str, argument: Element) -> Element:
        """A function of a ball, where it is defined."""
        result = _call(argument, {**_FUNCTIONS, "abs": "__abs__"}.get(function))
        if not result.is_finite():
            raise Unavailable
        return result


_FUNCTIONS = {"exp": "exp", "ln": "log", "sqrt": "sqrt", "tanh": "tanh"}


def _call(argument: Element, method: str | None) -> Element:
    if method is None:
        raise Unavailable
    return getattr(argument, method)()
