"""Layer normalisation: each token's vector less its mean and over its standard deviation, then scaled and shifted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.closed import has_symbols
from attnsolve.numbers.constant import Constant, PlainNumber
from attnsolve.numbers.matrix import M
from attnsolve.operations.context import Mistake, Sentence, Shapes
from attnsolve.operations.formula import AlongAxis, Formula
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.call import Call
    from attnsolve.operations.where import Where

NO_EPSILON = PlainNumber(0)


@record
class LayerNorm(AlongAxis):
    """γ · (x − mean)/√(variance + ε) + β along each row (`down`: each column) of `inner`.

    The variance is the mean of the squared distances from the mean, over n entries; `corrected`, over n − 1. With
    `outside`, ε is added to the standard deviation and not to the variance. γ and β have one entry per feature.
    """

    inner: Formula
    gamma: Formula | None
    beta: Formula | None
    eps: Constant
    down: bool = False
    corrected: bool = False
    outside: bool = False

    fills = False
    title = "Layer norm"
    why = "Each {row} is normalised to mean 0 and variance 1; γ and β then scale and shift it."
    divided_by_zero = (
        "a vector whose entries are all the same has variance 0, and without ε that would be a division by 0"
    )

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """layernorm(X, gamma, beta, eps=1e-5)."""
        inner, *others = call.values
        gamma, beta = (*others, None, None)[:2]
        return cls(inner, gamma, beta, call.number("eps"), call.down)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return tuple(part for part in (self.inner, self.gamma, self.beta) if part is not None)

    def define(self, *matrices: M) -> M:
        inner, *others = matrices
        result = self._normalised(inner.T).T if self.down else self._normalised(inner)
        if self.gamma is not None:
            result = result * others[0]
        return result if self.beta is None else result + others[-1]

    def _normalised(self, rows: M) -> M:
        size = rows.shape[1]
        mean = rows.reduce("sum") / rows.constant(PlainNumber(size))
        centred = rows - mean
        variance = (centred * centred).reduce("sum") / rows.constant(PlainNumber(size - self.corrected))
        eps = rows.constant(self.eps)
        if self.outside:
            return centred / (variance.apply("sqrt") + eps)
        return centred / (variance + eps).apply("sqrt")

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("LayerNorm", tuple(argument.notation(write) for argument in self.arguments))

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        row_or_column, size = ("column", 0) if self.down else ("row", 1)
        count = self.inner.shape(cells)[size]
        return [
            (
                f"For each {row_or_column}, the variance is the sum of squared deviations divided by {count}, and ε = ",
                self.eps.written,
                " is added to it under the root.",
            ),
        ]

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        rows, columns = self.inner.shape(where)
        size, others = (rows, columns) if self.down else (columns, rows)
        if size > 1:
            description = f"the variance was divided by n − 1 = {size - 1} instead of n = {size}"
            yield Mistake("layernorm-variance-corrected", description, replace(self, corrected=True))
        if has_symbols(self.eps.value) or self.eps.value != 0:
            description = "ε was added to the standard deviation, outside the root, instead of to the variance"
            yield Mistake("layernorm-epsilon-outside", description, replace(self, outside=True))
            yield Mistake("layernorm-epsilon-forgotten", "ε was left out", replace(self, eps=NO_EPSILON))
        if others > 1:
            along, across = ("down each column", "along each row")[:: 1 if self.down else -1]
            description = f"the mean and the variance were taken {across} instead of {along}"
            yield Mistake("layernorm-wrong-axis", description, replace(self, down=not self.down))
