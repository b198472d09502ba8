"""Ids: rows of a table that they pick, and vectors with a single 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.errors import listed
from attnsolve.key import Key
from attnsolve.language.syntax import Node, written
from attnsolve.numbers.matrix import Arithmetic, M
from attnsolve.operations.context import Inputs, Mistake, Sentence, Shapes
from attnsolve.operations.formula import Formula, Sides, transpose_of
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.quantity_context import QuantityContext


def _picked(call: Call, most: int) -> tuple[int, ...]:
    """The ids of a call, counted from 1, as far as there are so many."""
    node, ids, start = call.others["ids"], call.sheet.ids(call.others["ids"]), call.sheet.ids_from
    wrong = [str(id - 1 + start) for id in ids if not 1 <= id <= most]
    if wrong:
        description = f"{listed(wrong)} {'is' if len(wrong) == 1 else 'are'} not between {start} and {most - 1 + start}"
        fix = "ids are counted from 1, unless the sheet says ids_from: 0" if "0" in wrong and start else ""
        raise call.refused(description, fix, node)
    return ids


def _shown(node: Node) -> str:
    return written(node)


def _shifted(ids: tuple[int, ...], start: int, most: int) -> tuple[int, ...] | None:
    """What somebody picks who counts from 0 instead of 1, or from 1 instead of 0; None where there is no such row."""
    moved = tuple(id + (1 if start else -1) for id in ids)
    return moved if all(1 <= id <= most for id in moved) else None


@record
class Lookup(Formula):
    """The rows of a table that have some ids, counted from 1; `start` is what the sheet counts from."""

    inner: Formula
    ids: tuple[int, ...]
    shown: str
    start: int = 1

    has_work = False
    working_starts_with = "letters"
    title = "Table lookup"
    does = "Each id selects its row of the table."

    why_backward = "Each row of the table gets the sum of the gradients of all places where it was looked up."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """lookup(E, [2, 1])."""
        (inner,) = call.values
        return cls(inner, _picked(call, call.shapes[0][0]), _shown(call.others["ids"]), call.sheet.ids_from)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    @property
    def is_at_hand(self) -> bool:
        return False

    def define(self, *matrices: M) -> M:
        transposed = matrices[0].T
        first, *rest = (transposed.columns(id - 1, id) for id in self.ids)
        return first.beside(rest).T

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        chosen = OneHot(self.ids, use.shape(self.inner)[0], self.shown, self.start)
        return use.product(use.transposed(use.name(chosen)), use.whole(upstream, use.shape(self)))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        """A row that was looked up several times gets the gradient of one place only."""
        for called, ids in (("last", self.ids[::-1]), ("first", self.ids)):
            kept = {id: place for place, id in reversed([*enumerate(ids)])}
            if len(kept) == len(self.ids):
                return
            places = sorted(place if called == "first" else len(ids) - 1 - place for place in kept.values())
            whole = use.whole(upstream, use.shape(self))
            rows = tuple(use.part(whole, (place, place + 1), (0, use.shape(whole)[1])) for place in places)
            chosen = OneHot(
                tuple(self.ids[place] for place in places), use.shape(self.inner)[0], self.shown, self.start
            )
            said = f"a row that was looked up several times got the gradient of its {called} place only, not their sum"
            share = use.product(use.transposed(chosen), use.joined(rows, True))
            yield Mistake("lookup-gradient-overwritten", said, share)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("lookup", (self.inner.notation(write), n.Word(self.shown)))

    def token_sides(self, of: Callable[[Key], Sides]) -> Sides:
        return True, False

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        height = self.inner.shape(where)[0]
        if (moved := _shifted(self.ids, self.start, height)) is not None:
            description = f"ids were counted from {1 - self.start} instead of {self.start}"
            yield Mistake("ids-from", description, replace(self, ids=moved))
        yield Mistake(
            "lookup-columns", "columns of the table were taken instead of rows", self.by(transpose_of(self.inner))
        )

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        return [(f"Ids are counted from {self.start}.",)]

    def by(self, table: Formula) -> Formula:
        """The same of another table."""
        return replace(self, inner=table)


@record
class OneHot(Formula):
    """For each id a row with a 1 in its place, and 0s."""

    ids: tuple[int, ...]
    size: int
    shown: str
    start: int = 1

    has_work = False
    working_starts_with = "letters"
    title = "One-hot vectors"
    does = "Each id becomes a row with a 1 in its position and 0s elsewhere."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """onehot([2, 1], 3)."""
        size = call.whole("n")
        return cls(_picked(call, size), size, _shown(call.others["ids"]), call.sheet.ids_from)

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        rows = tuple(tuple(Fraction(int(id == place + 1)) for place in range(self.size)) for id in self.ids)
        return tier.perform(self, [tier.of(rows)])

    def define(self, *matrices: M) -> M:
        return matrices[0]

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("onehot", (n.Word(self.shown), n.Num(str(self.size))))

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(len(self.ids), self.size)

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        return [(f"Ids are counted from {self.start}.",)]

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        if (moved := _shifted(self.ids, self.start, self.size)) is not None:
            description = f"ids were counted from {1 - self.start} instead of {self.start}"
            yield Mistake("ids-from", description, replace(self, ids=moved))
