"""Formulas that only make sense about letters: limits, derivatives, means of what is random; and the softmax over
allowed places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from attnsolve import notation as n
from attnsolve.errors import TermError
from attnsolve.key import Key
from attnsolve.numbers import Unavailable
from attnsolve.numbers.matrix import Arithmetic, M
from attnsolve.numbers.surds import EULER
from attnsolve.operations.arithmetic import Unary
from attnsolve.operations.context import Inputs
from attnsolve.operations.formula import Binary, Formula
from attnsolve.record import record


@record
class Infinity(Formula):
    """Where a symbol may go."""

    negative: bool = False

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        """It is no number."""
        raise TermError("infinity is not a number: it may appear only as the target of a limit, lim(beta -> oo, ...)")

    def define(self, *matrices: M) -> M:
        raise Unavailable

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Infinity(self.negative)


@record
class Limit(Formula):
    """The limit of a body as a symbol goes somewhere."""

    symbol: str
    to: Formula
    body: Formula

    is_partial = True
    depends_on_signs = True

    @property
    def binds(self) -> str:  # type: ignore[override]
        return self.symbol

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        """What a scope with letters says that it is; nothing else knows limits."""
        limit = getattr(values, "limit", None)
        if limit is None:
            raise Unavailable
        found: M = limit(self.symbol, self.to, self.body)
        return found

    def define(self, *matrices: M) -> M:
        raise Unavailable

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Limit(write(Key(self.symbol)), self.to.notation(write), self.body.notation(write))


@record
class Derivative(Formula):
    """The derivative of a body in a letter, or in every entry of a vector or matrix."""

    body: Formula
    by: Formula

    is_partial = True

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        """What a scope says that it is; nothing else knows derivatives."""
        derivative = getattr(values, "derivative", None)
        if derivative is None:
            raise Unavailable
        found: M = derivative(self)
        return found

    def define(self, *matrices: M) -> M:
        raise Unavailable

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Derivative(self.body.notation(write), self.by.notation(write))


@record
class Moment(Unary):
    """E, the mean over what is random, or Var, the variance."""

    name: Literal["E", "Var"]

    def define(self, *matrices: M) -> M:
        raise Unavailable

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call(self.name, (self.inner.notation(write),), square=self.name == "E")


@record
class MaskedSoftmax(Binary):
    """The softmax of rows, or of a vector, over those places where a matrix of 0 and 1 on the right allows it."""

    def define(self, *matrices: M) -> M:
        scores, allowed = matrices
        powers = scores.exp(EULER) * allowed
        return powers.divide(powers.reduce("sum"))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("masked", (self.left.notation(write), self.right.notation(write)))
