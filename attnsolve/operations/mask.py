"""Masking: −∞ is added wherever a token may not look, so that its weight becomes e^(−∞) = 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import Arithmetic, M
from attnsolve.numbers.surds import Entry
from attnsolve.operations.add import Add
from attnsolve.operations.context import Inputs, Law, Mistake, Shapes, View, Work
from attnsolve.operations.formula import Binary, EntryByEntry, Formula, Given, Ref, Sides
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.evidence import Evidence
    from attnsolve.operations.quantity_context import QuantityContext

FREE, BLOCKED = Fraction(0), float("-inf")
"""What a mask adds where a token may look, and where it may not."""

Rows = tuple[tuple[Entry, ...], ...]


@record
class Mask(Add):
    """scores + mask, entry by entry."""

    forbids = True
    title = "Masked scores"
    why_backward = "The mask only adds constants, so the gradient passes; masked entries have weight 0 and get none."
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

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield Mistake("mask-forgotten", "the mask was not applied", self.left)
        rows = self.rows(where)
        if not any(map(is_blocked, sum(rows, ()))):  # or it is computed
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
        yield from self._of_square(rows, where)

    def _of_square(self, rows: Rows, where: QuantityContext) -> Iterator[Mistake]:
        """Where as many keys are as queries: queries taken for keys, and no token looking at itself."""
        rule = where.formula(self.right.key) if isinstance(self.right, Ref) else self.right
        if not 1 < len(rows) == len(rows[0]) or isinstance(rule, MaskRule):
            return
        transposed = tuple(zip(*rows, strict=True))
        if transposed != rows:
            description = "the mask was transposed, so queries and keys were swapped"
            yield Mistake("mask-transposed", description, Mask(self.left, OtherMask(transposed, "transposed mask")))
        hidden: Rows = tuple(tuple(BLOCKED if i == j else x for j, x in enumerate(row)) for i, row in enumerate(rows))
        if hidden not in (rows, _shifted(rows, True, where.down)):
            description = "the diagonal was masked, too: no token could see itself"
            yield Mistake("mask-hides-own", description, Mask(self.left, OtherMask(hidden, "mask with its diagonal")))

    def rows(self, where: QuantityContext) -> Rows:
        """The numbers of the mask; none where it is computed."""
        mask = where.formula(self.right.key) if isinstance(self.right, Ref) else self.right
        return mask.rows if isinstance(mask, Given | MaskRule) else ()


@record
class MaskRule(Formula):
    """A mask by what it says: 0 where a query may look, −∞ where not; what is added, where the sheet adds more. Or
    (`marked`) 1 where it may look, 0 where not."""

    rows: Rows
    shown: str
    """The rule as the sheet has it."""
    meaning: str
    """Which keys j a query i sees."""
    others: tuple[tuple[str, str, Rows], ...] = ()
    """Masks that are written for this one: an id, a sentence and the rows."""
    marked: bool = False

    forbids = True

    has_work = False
    working_starts_with = "letters"
    title = "Mask"

    @property
    def does(self) -> str:
        free, blocked = ("1", "0") if self.marked else ("0", "−∞")
        return f"Query i may attend to key j if {self.meaning}: such entries are {free}, all others {blocked}."

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        rows = tuple(tuple(Fraction(not is_blocked(x)) for x in row) for row in self.rows) if self.marked else self.rows
        return tier.perform(self, [tier.of(rows)])

    def define(self, *matrices: M) -> M:
        return matrices[0]

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Word(self.shown)

    def shapes(self, cells: Shapes) -> n.Notation:
        return n.Shape(len(self.rows), len(self.rows[0]))

    def token_sides(self, of: Callable[[Key], Sides]) -> Sides:
        return True, True

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        for id, said, rows in self.others:
            yield Mistake(id, said, self.replaced(rows=rows))
        transposed = tuple(zip(*self.rows, strict=True))
        if len(transposed) == len(self.rows):
            said = "the mask was transposed, so queries and keys were swapped"
            yield Mistake("mask-transposed", said, self.replaced(rows=transposed))


@record
class Forbid(EntryByEntry):
    """What a matrix of 1s and 0s that was computed adds to scores: nothing where it has 1, −∞ where it has 0."""

    inner: Formula

    forbids = True
    working_starts_with = "letters"
    title = "Mask"
    does = "Entries that are 1 become 0; entries that are 0 become −∞."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        return (inner.constant(PlainNumber(1)) - inner) * inner.of([[BLOCKED]])

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.number(0)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Product((n.Call("", (n.Sum((n.Num("1"), n.negated(self.inner.notation(write)))),)), n.Infinity()))

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        return []


@record
class Select(EntryByEntry):
    """where(mask, a, b): an entry of a where the mask has 1, of b where it has 0."""

    mask: Formula
    left: Formula
    right: Formula

    working_starts_with = "letters"
    shows_substitution = False
    title = "Choice"
    does = "Take each entry from the first matrix where the mask is 1, and from the second where it is 0."

    why_backward = "Each entry passes its gradient on to the matrix that it was taken from."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """where(causal, A, 0)."""
        shapes = [(1, *shape) if len(shape) == 1 else shape or (1, 1) for shape in call.shapes]
        height, width = (max(sides) for sides in zip(*shapes, strict=True))
        return cls(call.sheet.indicator(call.others["mask"], (height, width)), *call.values)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.mask, self.left, self.right

    def define(self, *matrices: M) -> M:
        mask, left, right = matrices
        return mask * left + (mask.constant(PlainNumber(1)) - mask) * right

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        if place == 0:
            return use.number(0)
        return use.times(upstream, self.mask if place == 1 else use.minus(use.number(1), self.mask))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        if place == 0:
            return
        yield Mistake(
            "mask-ignored-in-gradient", f"{use.shown(upstream)} was passed on everywhere, without the mask", upstream
        )

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("where", tuple(part.notation(write) for part in self.arguments))

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        said = "the mask was inverted: the first matrix was used for the second and vice versa"
        yield Mistake("mask-inverted", said, self.replaced(left=self.right, right=self.left))


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
