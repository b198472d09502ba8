"""Scaling: every score divided by the same number, most often √d_k."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, Balls
from attnsolve.numbers.constant import Constant
from attnsolve.numbers.matrix import M
from attnsolve.numbers.surds import Number as Finite
from attnsolve.operations.context import Mistake, Shapes
from attnsolve.operations.formula import Binary, EntryByEntry, Formula, Ref
from attnsolve.operations.number import Number
from attnsolve.operations.slips import PossibleSlip
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.where import Where


@record
class Divide(EntryByEntry, Binary):
    """left / right; the divisor is most often one number."""

    holds = "terms"
    scales = True
    title = "Quotient"
    does = "Divide every entry by the same number."

    why_backward = "What was divided by a number has its gradient divided by the same number."

    @property
    def by(self) -> Constant:
        """The number that is divided by, which is written in the formula."""
        assert isinstance(self.right, Number)
        return self.right.constant

    @property
    def divisor(self) -> Finite:
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
    def is_partial(self) -> bool:
        return not isinstance(self.right, Number)

    def define(self, *matrices: M) -> M:
        over, under = matrices
        return over / under

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        if place == 0:
            return use.over(upstream, self.right)
        return use.negated(use.over(use.times(upstream, use.value), self.right))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        if place == 1:
            return
        what, by = use.shown(upstream), use.text_of(self.right)
        yield Mistake("gradient-scale-forgotten", f"{what} was not divided by {by}", upstream)
        said = f"{what} was multiplied by {by} instead of divided by it"
        yield Mistake("gradient-scale-multiplied", said, use.times(upstream, self.right))
        twice = use.over(use.over(upstream, self.right), self.right)
        yield Mistake("gradient-scale-twice", f"{what} was divided by {by} twice", twice)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Frac(self.left.notation(write), self.right.notation(write))

    def filled(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Product((n.Frac(n.Num("1"), self.number), self.left.filled(write)))

    def shapes(self, cells: Shapes) -> n.Notation:
        return self.left.shapes(cells)

    def possible_slips(
        self, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball
    ) -> Iterator[PossibleSlip]:
        before = self.left.evaluate(values, Balls).table[place]
        yield PossibleSlip("step-left-out", 2, before, lambda: "this entry was not divided")

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        right, of_scores = where.text(self.number), isinstance(self.left, Ref) and self.left.key.id == "scores"
        what = "the scores were" if of_scores else f"{where.text_of(self.left)} was"
        missing = "the scores were not scaled" if of_scores else f"{what} not divided by {right}"
        yield Mistake("scale-missing", missing, self.left)
        times = Times(self.left, self.by)
        yield Mistake("scale-multiplied", f"{what} multiplied by {right} instead of divided by it", times)


@record
class Times(EntryByEntry):
    """factor · inner, entry by entry."""

    inner: Formula
    by: Constant

    why_backward = "What was multiplied by a number has its gradient multiplied by the same number."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        return inner * inner.constant(self.by)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, Number(self.by))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.passed_on(upstream, f"the factor {use.where.text(self.by.symbol)}", "gradient-factor-forgotten")

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Product((self.by.symbol, self.inner.notation(write)))
