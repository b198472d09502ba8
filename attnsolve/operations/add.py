"""Addition: a bias, the same for every token, or a mask of the same shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, Balls
from attnsolve.numbers.matrix import M, ShapeError
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.context import ByToken, Sentence, Shapes, View
from attnsolve.operations.formula import Binary, EntryByEntry, Formula, Ref
from attnsolve.operations.slips import PossibleSlip, number_text
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward


@record
class Add(EntryByEntry, Binary):
    """left + right; a single row (or column) on the right is added to every one on the left."""

    holds = "terms"
    why_backward = "A sum passes its gradient on to every term."

    @property
    def title(self) -> str:
        return "Difference" if self.is_difference else "Sum"

    @property
    def is_difference(self) -> bool:
        return isinstance(self.right, Negate)

    @property
    def does(self) -> str:
        """What is done with the two sides."""
        verb = "subtract" if isinstance(self.right, Negate) else "add"
        if all(side.is_at_hand or isinstance(side, Negate) for side in self.arguments):
            return f"{verb.capitalize()} corresponding entries."
        return f"Compute both sides, then {verb} corresponding entries."

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left + right

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return upstream

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        first, last = self.left.notation(write), self.right.notation(write)
        terms = first.terms if isinstance(first, n.Sum) else (first,)
        subtracted = isinstance(self.right, Negate)
        return n.Sum((*terms, *(last.terms if isinstance(last, n.Sum) and not subtracted else (last,))))

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        rows, columns = self.right.shape(cells)
        if (rows, columns) == self.shape(cells):
            return []
        return [(self.right.notation(write), f" is added to every {'row' if rows == 1 else 'column'}.")]

    def shape(self, cells: Shapes) -> tuple[int, int]:
        left = self.left.counts(cells)
        if super().shape(cells) != left.shape:
            raise ShapeError(f"{left.description} but {self.right.counts(cells).description}, which can't be added")
        return left.shape

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Sum((self.left.shapes(cells), n.Shape(*self.right.shape(cells))))

    def by_token(self, view: View, token: int) -> ByToken | None:
        inner = self.left.by_token(view, token)
        if inner is None or not isinstance(self.right, Ref):
            return None
        symbols, numbers = inner
        key = self.right.key
        return tuple(n.Sum((symbol, view.matrix(key))) for symbol in symbols), n.Sum((numbers, view.operand(key, 0)))

    def possible_slips(
        self, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball
    ) -> Iterator[PossibleSlip]:
        added = self.right.evaluate(values, Balls)
        term = added.table[place[0] % added.shape[0], place[1] % added.shape[1]]
        if term.is_finite() and not term.contains(0):
            yield PossibleSlip("term-left-out", 2, right - term, lambda: f"{number_text(term)} was not added here")
        if "products" in self.left.visible_terms:
            yield from self.left.possible_slips(values, place, right)
