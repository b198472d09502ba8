"""Scaling: every score divided by the same number, most often √d_k."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attnsolve import notation as n
from attnsolve.numbers.closed import Number, inverse, tidy
from attnsolve.numbers.light import square_root
from attnsolve.numbers.written import write
from attnsolve.operations.formula import Cells, Formula, Key, Mistake, Ref, Shapes

if TYPE_CHECKING:
    from attnsolve.operations.where import Where

D_K, D_MODEL = n.Sym("d", ("k",)), n.Sym("d", ("model",))


@dataclass(frozen=True, eq=False, repr=False)
class Divide(Formula):
    """inner / divisor. `symbol` is how the formula writes the divisor, `number` how the numbers do."""

    inner: Formula
    divisor: Number
    symbol: n.Notation
    number: n.Notation

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def compute(self, *matrices: Any) -> Any:
        return matrices[0].divided(self.divisor)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Frac(self.inner.notation(write), self.symbol)

    def filled(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Product((n.Frac(n.Num("1"), self.number), self.inner.filled(write)))

    def shape(self, cells: Shapes) -> tuple[int, int]:
        return self.inner.shape(cells)

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        return n.Frac(self.inner.cell(row, column, cells), self.number)

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        right = where.text(self.number)
        yield Mistake("scale-missing", "the scores were not scaled", self.inner)
        times = Times(self.inner, self.divisor, self.symbol)
        yield Mistake("scale-multiplied", f"the scores were multiplied by {right} instead of divided by it", times)
        size, symbol = self._size(where)
        others: list[tuple[str, Number, n.Notation]] = []
        if size is not None:
            others.append(("scale-by-dk", size, symbol))
            others.append(("scale-by-root-dk", square_root(size), n.Root(symbol)))
        if where.d_model is not None:
            others.append(("scale-by-root-dmodel", square_root(where.d_model), n.Root(D_MODEL)))
        for id, divisor, written in others:
            if written != self.symbol:
                number = write(divisor, "fraction")
                said = f"the scores were divided by {where.text(n.Chain(written, (('=', number),)))} instead of "
                said += where.text(self.symbol) if number == self.number else right
                yield Mistake(id, said, replace(self, divisor=divisor, symbol=written, number=number))

    def _size(self, where: Where) -> tuple[Number | None, n.Notation]:
        """d_k and its letter: from under the root; where the sheet divides by a number of its own, counted, or guessed
        to be the whole number that it is the root of."""
        width, square = where.width("keys"), tidy(self.divisor**2)
        if isinstance(self.symbol, n.Root) and isinstance(self.symbol.inner, n.Sym) and isinstance(square, Fraction):
            return square, self.symbol.inner
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
    root = square_root(width)
    return Divide(scores, root, n.Root(symbol), write(root, "fraction"))


@dataclass(frozen=True, eq=False, repr=False)
class Times(Formula):
    """factor · inner, entry by entry."""

    inner: Formula
    factor: Number
    symbol: n.Notation

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def compute(self, *matrices: Any) -> Any:
        return matrices[0].divided(inverse(self.factor))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Product((self.symbol, self.inner.notation(write)))

    def shape(self, cells: Shapes) -> tuple[int, int]:
        return self.inner.shape(cells)

    def cell(self, row: int, column: int, cells: Cells) -> n.Notation:
        return n.Product((self.symbol, self.inner.cell(row, column, cells)))
