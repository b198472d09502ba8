"""Signs, brackets and powers: the small operations of formulas that people write themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.numbers.surds import EULER
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Binary, EntryByEntry, Formula
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken


@record
class Unary(EntryByEntry):
    """An operation on every entry of one formula."""

    inner: Formula

    opens = "letters"

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)


@record
class Negate(Unary):
    """−inner."""

    holds = "terms"

    def define(self, *matrices: M) -> M:
        return -matrices[0]

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.negated(upstream)

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield Mistake("gradient-sign", f"the minus sign before {use.text_of(self.inner)} was left out", upstream)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.negated(self.inner.notation(write))


@record
class Grouped(Unary):
    """A product in brackets, kept as it was written: (Π X) W."""

    has_work = False

    def define(self, *matrices: M) -> M:
        return matrices[0]

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return upstream

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("", (self.inner.notation(write),))


@record
class Power(Unary):
    """inner to a whole power."""

    exponent: int

    holds = "factors"
    why_backward = "The derivative of x to the power n is n times x to the power n − 1."

    @property
    def is_partial(self) -> bool:
        return self.exponent < 0

    def define(self, *matrices: M) -> M:
        return matrices[0].raised(self.exponent)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        slope = use.times(use.number(self.exponent), use.raised(self.inner, self.exponent - 1))
        return use.times(upstream, slope)

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        power = use.raised(self.inner, self.exponent - 1)
        said = f"the factor {self.exponent} from the exponent was left out"
        yield Mistake("gradient-exponent-forgotten", said, use.times(upstream, power))
        yield use.passed_on(upstream, f"the derivative of the power {self.exponent}")
        if self.exponent % 2 == 0 and self.inner.is_difference:
            wrong = use.negated(self.backward(place, upstream, use))
            said = f"{use.text_of(self.inner)} was taken the other way round, which changes its sign"
            yield Mistake("gradient-sign", said, wrong)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Power(self.inner.notation(write), n.Num(str(self.exponent)))


@record
class RootPower(Unary):
    """inner to half of an odd number: a whole power of its root."""

    exponent: int

    is_partial = True

    why_backward = "The derivative of x to the power n is n times x to the power n − 1."

    def define(self, *matrices: M) -> M:
        return matrices[0].apply("sqrt").raised(self.exponent)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        less = self.exponent - 2
        root = use.name(RootPower(self.inner, less))
        return use.times(upstream, use.times(use.number(Fraction(self.exponent, 2)), root))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Power(self.inner.notation(write), n.Frac(n.Num(str(self.exponent)), n.Num("2")))


@record
class Raised(EntryByEntry, Binary):
    """left to the power of right, entry by entry: e to the power of right · ln left, so that left must be positive."""

    opens = "letters"
    title = "Powers"
    does = "Raise each entry to the power in the same position."
    is_partial = True

    why_backward = "The derivative of x^y is y x^(y − 1) for x, and x^y ln x for y."

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return (right * left.apply("ln")).exp(EULER)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        if place == 1:
            return use.times(upstream, use.times(use.value, use.name(use.logarithm(self.left))))
        less = use.name(Raised(self.left, use.minus(self.right, use.number(1))))
        return use.times(upstream, use.times(self.right, less))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Power(self.left.notation(write), self.right.notation(write))
