"""Scaling: every score divided by the same number, most often √d_k."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attnsolve import notation as n
from attnsolve.numbers.balls import Ball, Balls
from attnsolve.numbers.closed import Number, tidy
from attnsolve.numbers.constant import Constant, RootOfSize, Size
from attnsolve.operations.formula import Formula, Key, Mistake, Ref
from attnsolve.operations.pen import PenSlip

if TYPE_CHECKING:
    from attnsolve.operations.where import Where

D_K, D_MODEL = n.Sym("d", ("k",)), n.Sym("d", ("model",))


@dataclass(frozen=True, eq=False, repr=False)
class Divide(Formula):
    """inner / by."""

    inner: Formula
    by: Constant

    @property
    def divisor(self) -> Number:
        """What runs."""
        return self.by.value

    @property
    def symbol(self) -> n.Notation:
        """How the formula writes the divisor."""
        return self.by.symbol

    @property
    def number(self) -> n.Notation:
        """How the numbers do."""
        return self.by.written

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: Any) -> Any:
        (inner,) = matrices
        return inner / inner.constant(self.by)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Frac(self.inner.notation(write), self.symbol)

    def filled(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Product((n.Frac(n.Num("1"), self.number), self.inner.filled(write)))

    def pen_slips(self, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball) -> Iterator[PenSlip]:
        before = self.inner.evaluate(values, Balls).table[place]
        yield PenSlip("step-left-out", 2, before, lambda: "this entry was not scaled")

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        right = where.text(self.number)
        yield Mistake("scale-missing", "the scores were not scaled", self.inner)
        times = Times(self.inner, self.by)
        yield Mistake("scale-multiplied", f"the scores were multiplied by {right} instead of divided by it", times)
        size, symbol = self._size(where)
        others: list[tuple[str, Constant]] = []
        if size is not None:
            others.append(("scale-by-dk", Size(symbol, size)))
            others.append(("scale-by-root-dk", RootOfSize(symbol, size)))
        if where.d_model is not None:
            others.append(("scale-by-root-dmodel", RootOfSize(D_MODEL, where.d_model)))
        for id, by in others:
            if by.symbol != self.symbol:
                shown = n.Chain(by.symbol, (("=", by.written),))
                said = f"the scores were divided by {where.text(shown)} instead of "
                said += where.text(self.symbol) if by.written == self.number else right
                yield Mistake(id, said, replace(self, by=by))

    def _size(self, where: Where) -> tuple[Fraction | None, n.Sym]:
        """d_k and its letter: from under the root; where the sheet divides by a number of its own, counted, or guessed
        to be the whole number that it is the root of."""
        if isinstance(self.by, RootOfSize):
            return Fraction(self.by.size), self.by.letter
        width, square = where.width("keys"), tidy(self.divisor**2)
        if width is not None:
            return Fraction(width), D_K
        whole = isinstance(square, Fraction) and square.denominator == 1
        return square if whole else None, D_K


def scaled_unasked(scores: Formula, where: Where) -> Divide | None:
    """Scores divided by √d_k where the sheet doesn't scale; None where it does, or where d_k can't be seen."""
    if not isinstance(scores, Ref) or scores.key.id != "scores" or where.ref("scaled") is not None:
        return None
    width, symbol = where.width("keys"), D_K
    if width is None:
        width, symbol = where.width("states"), n.Sym("d")
    if width is None:
        return None
    return Divide(scores, RootOfSize(symbol, width))


@dataclass(frozen=True, eq=False, repr=False)
class Times(Formula):
    """factor · inner, entry by entry."""

    inner: Formula
    by: Constant

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: Any) -> Any:
        (inner,) = matrices
        return inner * inner.constant(self.by)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Product((self.by.symbol, self.inner.notation(write)))
