"""Masking: −∞ is added wherever a token may not look, so that its weight becomes e^(−∞) = 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.numbers.surds import Entry
from attnsolve.operations.add import Add
from attnsolve.operations.context import Law, Mistake
from attnsolve.operations.evidence import Evidence
from attnsolve.operations.formula import Binary, EntryByEntry, Formula, Given, Ref, Sides
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.call import Call
    from attnsolve.operations.where import Where

FREE, BLOCKED = Fraction(0), float("-inf")
"""What a mask adds where a token may look, and where it may not."""

Rows = tuple[tuple[Entry, ...], ...]


@record
class Mask(Add):
    """scores + mask, entry by entry."""

    title = "Masked scores"
    does = "The mask adds −∞ to every score that must not count, so that its weight becomes exactly 0."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """masked(S, causal)."""
        (scores,) = call.values
        rows, columns = (1, *call.shapes[0]) if call.alone else call.shapes[0]
        return cls(scores, call.sheet.mask(call.others["mask"], (rows, columns)))

    def token_sides(self, of: Callable[[Key], Sides]) -> Sides:
        return self.left.token_sides(of)

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        (mask,) = self.right.leaves()
        holds = found.hidden_where_hidden(target, mask)
        return [Law("blocked-where-masked", "masked entries are −∞", holds)]

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield Mistake("mask-forgotten", "the mask was not applied", self.left)
        rows = self.rows(where)
        if not any(map(is_blocked, sum(rows, ()))):
            return
        inverted = tuple(tuple(FREE if is_blocked(x) else BLOCKED for x in row) for row in rows)
        description = "the mask was inverted: what it allows was blocked, and what it blocks was allowed"
        yield Mistake("mask-inverted", description, Mask(self.left, OtherMask(inverted, "inverted mask")))
        for back in (False, True):
            shifted = OtherMask(_shifted(rows, back, where.down), "shifted mask")
            description = f"the mask was shifted by one: each token could see one key too {'few' if back else 'many'}"
            yield Mistake("mask-shifted", description, Mask(self.left, shifted))
        description = "masked scores were set to 0 instead of −∞"
        yield Mistake("mask-zero", description, Hide(self if _adds(rows) else self.left, pattern(rows)))

    def rows(self, where: Where) -> Rows:
        """The numbers of the mask."""
        mask = where.formula(self.right.key) if isinstance(self.right, Ref) else self.right
        assert isinstance(mask, Given)
        return mask.rows


@record
class OtherMask(Given):
    """A mask that isn't the sheet's, and what it is called."""

    called: str

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Word(self.called)


@record
class Hide(EntryByEntry, Binary):
    """left, with 0 wherever the mask on the right forbids, or −∞ stands already."""

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return (left + right).finite()

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("hide", (self.left.notation(write), self.right.notation(write)))


def is_blocked(entry: Entry) -> bool:
    """Whether an entry of a mask is −∞."""
    return isinstance(entry, float)


def has_blocked(rows: Rows) -> bool:
    """Whether −∞ stands anywhere in some given numbers, exact or float64."""
    array = getattr(rows, "array", None)
    if array is not None:
        return bool((array == BLOCKED).any())
    return any(is_blocked(entry) for row in rows for entry in row)


def pattern(rows: Rows) -> Formula:
    """Where a mask forbids, and nothing else that it may add."""
    return OtherMask(tuple(tuple(BLOCKED if is_blocked(x) else FREE for x in row) for row in rows), "mask")


def _adds(rows: Rows) -> bool:
    """Whether a mask adds anything to what it allows."""
    return any(not is_blocked(x) and x != 0 for row in rows for x in row)


def _shifted(rows: Rows, back: bool, down: bool) -> Rows:
    """A mask in which each key has what its neighbour has; a causal one stays a triangle."""
    if down:
        return tuple(zip(*_shifted(tuple(zip(*rows, strict=True)), back, False), strict=True))
    moved = [(*row[1:], BLOCKED) if back else (row[0], *row[:-1]) for row in rows]
    return tuple(
        tuple(
            BLOCKED if is_blocked(new) else FREE if is_blocked(own) else own for own, new in zip(row, to, strict=True)
        )
        for row, to in zip(rows, moved, strict=True)
    )
