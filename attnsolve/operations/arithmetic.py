"""Signs, brackets and powers: the small operations of formulas that people write themselves."""

from __future__ import annotations

from collections.abc import Callable

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.numbers.surds import EULER
from attnsolve.operations.formula import Binary, EntryByEntry, Formula
from attnsolve.record import record


@record
class Unary(EntryByEntry):
    """An operation on every entry of one formula."""

    inner: Formula

    working_starts_with = "letters"

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)


@record
class Negate(Unary):
    """−inner."""

    def define(self, *matrices: M) -> M:
        return -matrices[0]

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.negated(self.inner.notation(write))


@record
class Grouped(Unary):
    """A product in brackets, kept as it was written: (Π X) W."""

    has_work = False

    def define(self, *matrices: M) -> M:
        return matrices[0]

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("", (self.inner.notation(write),))


@record
class Power(Unary):
    """inner to a whole power."""

    exponent: int

    @property
    def is_partial(self) -> bool:
        return self.exponent < 0

    def define(self, *matrices: M) -> M:
        return matrices[0].raised(self.exponent)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Power(self.inner.notation(write), n.Num(str(self.exponent)))


@record
class RootPower(Unary):
    """inner to half of an odd number: a whole power of its root."""

    exponent: int

    is_partial = True

    def define(self, *matrices: M) -> M:
        return matrices[0].apply("sqrt").raised(self.exponent)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Power(self.inner.notation(write), n.Frac(n.Num(str(self.exponent)), n.Num("2")))


@record
class Raised(EntryByEntry, Binary):
    """left to the power of right, entry by entry: e to the power of right · ln left, so that left must be positive."""

    working_starts_with = "letters"
    title = "Powers"
    does = "Raise each entry to the power in the same position."
    is_partial = True

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return (right * left.apply("ln")).exp(EULER)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Power(self.left.notation(write), self.right.notation(write))
