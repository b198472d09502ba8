"""A mistake made for one token only: one row (or column) of what is wrong, and all others of what is right."""

from __future__ import annotations

from collections.abc import Callable

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.operations.formula import Binary
from attnsolve.record import record


@record
class InOneToken(Binary):
    """left, which is right, with one row (`down`: one column) of right, which is wrong; counted from 0."""

    number: int
    down: bool = False

    def define(self, *matrices: M) -> M:
        kept, wrong = matrices if self.down else (matrix.T for matrix in matrices)
        width = kept.shape[1]
        parts = [kept.columns(0, self.number)] if self.number else []
        parts.append(wrong.columns(self.number, self.number + 1))
        parts += [kept.columns(self.number + 1, width)] if self.number + 1 < width else []
        joined = parts[0].beside(parts[1:]) if len(parts) > 1 else parts[0]
        return joined if self.down else joined.T

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return self.left.notation(write)
