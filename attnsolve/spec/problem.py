"""The frozen Problem: what every kind shares, with the kind's own data in `body`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from attnsolve.errors import Mark
from attnsolve.numbers import Style
from attnsolve.record import Record, record
from attnsolve.spec import reader
from attnsolve.spec.parts import Part, Rounding
from attnsolve.spec.rules import Rule

if TYPE_CHECKING:
    import sympy

    from attnsolve.graph import Graph
    from attnsolve.spec.formulas import Formulas

Numbers = Literal["exact", "float"]


@record
class Tendency(Record):
    """A symbol and the value it tends to (a sympy expression, possibly ±oo)."""

    symbol: sympy.Symbol
    to: Any


@record
class ProblemCase(Record):
    """The same problem with something changed."""

    name: str
    at: Mark
    problem: Problem
    """It by itself, without the questions."""
    differs: tuple[tuple[str, str], ...]
    """What was changed, and to what; to nothing where it was taken away."""
    swept: str = ""
    """The number of which it is another value."""

    def styled(self, style: Style) -> ProblemCase:
        """The same with its numbers written in a style."""
        return self.replaced(problem=self.problem.replaced(style=style))


@record
class Problem(Record):
    """A validated problem. Every number in it is exact (unless `numbers` are float), and knows where it was written."""

    file: str
    at: Mark
    kind: str
    title: str
    source: str
    digits: int
    style: Style
    notation: Mapping[str, str]
    symbols: Mapping[str, sympy.Symbol]
    limits: tuple[Tendency, ...]
    text: str
    parts: tuple[Part, ...]
    rounding: Rounding | None
    answers: reader.Node | None
    """Somebody's answers, to be read once the problem's names are known."""
    rules: Mapping[str, Rule]
    """How closely answers must agree, by quantity; "" is for all others."""
    body: Any
    build: Callable[[Problem], Graph] | None = None
    """How its kind makes a graph of it; None where only its heading was read."""
    numbers: Numbers = "exact"
    formulas: Formulas | None = None
    """The formulas with which a file extends its kind."""
    cases: tuple[ProblemCase, ...] = ()
    """What it is compared with."""

    @cached_property
    def graph(self) -> Graph:
        """Its quantities and their formulas, made once: they are looked at when it is read, and then worked out."""
        assert self.build is not None
        return self.build(self)
