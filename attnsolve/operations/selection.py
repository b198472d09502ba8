"""Choosing among the entries of a row (or column): the largest k, the fewest that reach a share p, the place of the
largest; and entries in the order of their size, or added up one after the other. Of equal entries the first counts as
the larger."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.errors import listed
from attnsolve.key import Key
from attnsolve.numbers.constant import Constant, PlainNumber
from attnsolve.numbers.matrix import M
from attnsolve.numbers.order import grouped
from attnsolve.numbers.surds import ZERO
from attnsolve.numbers.written import Real
from attnsolve.operations.context import Mistake, NoDerivative, Sentence, Shapes, View, Work
from attnsolve.operations.formula import AlongAxis, Formula
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward
    from attnsolve.operations.call import Call
    from attnsolve.operations.evidence import Evidence
    from attnsolve.operations.quantity_context import QuantityContext

Place = tuple[int, int]
ONE, NOTHING = PlainNumber(1), PlainNumber(0)
HALF = Fraction(1, 2)


def _ahead(rows: M, own: int, other: int) -> M:
    """A column of 1s and 0s: whether the entry in one place comes before that in another."""
    mine, yours = (rows.columns(place, place + 1) for place in (own, other))
    return mine.constant(ONE) - yours.exceeds(mine) if own < other else mine.exceeds(yours)


def _side_by_side(columns: Sequence[M]) -> M:
    return columns[0].beside(columns[1:]) if len(columns) > 1 else columns[0]


def ranks(rows: M) -> M:
    """Which place each entry of a row has when they are sorted from the largest down, counted from 1."""
    places = range(rows.shape[1])
    first = _nothing(rows) + rows.constant(ONE)
    return _side_by_side([reduce(add, [first, *(_ahead(rows, j, i) for j in places if j != i)]) for i in places])


def _nothing(rows: M) -> M:
    """A column of zeros."""
    return rows.columns(0, 1).finite() * rows.constant(NOTHING)


@record
class RankedRows(AlongAxis):
    """What is done along each row of one quantity; with `down`, along each column."""

    inner: Formula
    down: bool = False

    working_starts_with = "letters"
    shows_substitution = False

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        return self.along(inner.T).T if self.down else self.along(inner)

    @abstractmethod
    def along(self, rows: M) -> M:
        """The definition, for vectors that are rows."""

    @property
    def source(self) -> Key:
        """The quantity it is about."""
        return self.inner.leaves()[0]

    @property
    def goes_down(self) -> bool:
        return self.down

    def axis_word(self, cells: Shapes) -> str:
        """Row or column; nothing where there is only one."""
        single = self.inner.shape(cells)[1 if self.down else 0] == 1
        return "" if single else "column" if self.down else "row"

    def vector_places(self, view: View, place: Place) -> list[Place]:
        """The places of the row or column that a place is in."""
        rows, columns = self.inner.shape(view)
        return [(i, place[1]) for i in range(rows)] if self.down else [(place[0], j) for j in range(columns)]

    def wrong_axis(self, where: QuantityContext, id: str, what: str) -> Iterator[Mistake]:
        """The same along the other axis."""
        if self.axis_word(where):
            along, across = ("down each column", "along each row")[:: 1 if self.down else -1]
            yield Mistake(id, f"{what} {across} instead of {along}", replace(self, down=not self.down))


def from_largest(view: View, key: Key, vector: Sequence[Place]) -> list[Place]:
    """The places of a vector from the largest entry down."""
    return [vector[k] for group in grouped([view.real(key, *place) for place in vector]) for k in group]


class Chosen(RankedRows):
    """1 for entries that are chosen, 0 for the others."""

    decides = True
    marks = True

    @property
    def needs_numbers(self) -> str:
        return "entries with symbols can't be compared"

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        raise NoDerivative("which entries are chosen jumps where two entries change their order")

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        """The entries from the largest down, as far as they are chosen and one further."""
        vector = self.vector_places(view, view.places(target)[token][0])
        ordered = from_largest(view, self.source, vector)[: view.most]
        lines = [n.Chain(view.cell(self.source, *place), view.result(self.source, *place)) for place in ordered]
        return [Work("from the largest down", tuple(lines))]

    def tied(self, found: Evidence, chosen: Callable[[int], int]) -> list[str]:
        """Where entries are chosen, or not, among equal ones; `chosen` says how many of a vector are."""
        description = []
        vectors = found.ordered(self.source, self.down)
        for number, groups in enumerate(vectors):
            end = 0
            for group in groups:
                before, end = end, end + len(group)
                taken = chosen(number)
                if before < taken < end:
                    where = f"In {'column' if self.down else 'row'} {number + 1}, e" if len(vectors) > 1 else "E"
                    few = taken - before
                    some = "; the first of them counts" if few == 1 else f"; the first {few} of them count"
                    description.append(f"{where}ntries {listed([str(place + 1) for place in group])} are equal{some}.")
        return description


@record
class Top(Chosen):
    """1 for the k largest entries of each row, 0 for the others."""

    count: int = 1

    title = "Largest entries"

    @property
    def does(self) -> str:
        largest = "the largest entry" if self.count == 1 else f"the {self.count} largest entries"
        return f"1 marks {largest} of each {{row}}, 0 the others."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """top(P, 2)."""
        count, size = call.whole("k"), call.size
        if not 1 <= count <= size:
            raise call.refused(f"k must be from 1 to {size}, but it is {count}", node=call.others["k"])
        return cls(call.values[0], call.down, count)

    def along(self, rows: M) -> M:
        return rows.constant(PlainNumber(self.count + HALF)).exceeds(ranks(rows))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("top", (self.inner.notation(write), n.Num(str(self.count))))

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        return self.tied(found, lambda number: self.count)

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        size = self.inner.shape(where)[0 if self.down else 1]
        for count in (self.count - 1, self.count + 1):
            if 1 <= count <= size:
                description = f"{count} {'entry was' if count == 1 else 'entries were'} kept instead of {self.count}"
                yield Mistake("top-count", description, replace(self, count=count))
        yield from self.wrong_axis(where, "top-wrong-axis", "the largest entries were taken")


@record
class Nucleus(Chosen):
    """1 for the fewest entries of each row that together reach p, taken from the largest down; `short`, without the one
    with which they reach it."""

    least: Constant = ONE
    short: bool = False

    title = "Nucleus"
    does = "In each {row}, take the largest entries until their sum reaches p: 1 marks those taken, 0 the others."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """nucleus(P, 0.9)."""
        least = call.number("p")
        if not (isinstance(least.value, Fraction) and 0 < least.value <= 1):
            raise call.refused("p must be a fraction above 0 and up to 1", node=call.others["p"])
        return cls(call.values[0], call.down, least)

    def along(self, rows: M) -> M:
        places, least = range(rows.shape[1]), rows.constant(self.least)
        kept = []
        for i in places:
            own = rows.columns(i, i + 1)
            before = _nothing(rows)
            for j in places:
                if j != i:
                    before = before + rows.columns(j, j + 1) * _ahead(rows, j, i)
            kept.append(own.constant(ONE) - (before + own).exceeds(least) if self.short else least.exceeds(before))
        return _side_by_side(kept)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("nucleus", (self.inner.notation(write), self.least.symbol))

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        """The entries from the largest down, and what they add up to so far."""
        vector = self.vector_places(view, view.places(target)[token][0])
        ordered = from_largest(view, self.source, vector)
        kept = sum(view.real(target, *place).rational == 1 for place in view.places(target)[token])
        lines = [self._added(view, ordered[:count]) for count in range(2, min(kept, view.most or kept) + 1)]
        works = super().working(view, target, token)
        return [*works, Work("added up", tuple(lines))] if lines else works

    def _added(self, view: View, taken: Sequence[Place]) -> n.Chain:
        """The sum of some entries: symbols, numbers, and what they come to."""
        reals = [view.real(self.source, *place) for place in taken]
        rationals = [real.rational for real in reals]
        known = [x for x in rationals if x is not None]
        total = Real.of(sum(known, ZERO)) if len(known) == len(reals) else view.sum_of(self.source, taken)
        shown, summed = [view.put_in(real) for real in reals], view.show(total)
        sign = "=" if all(x.exact for x in shown) else "≈"
        symbols = n.Sum(tuple(view.cell(self.source, *place) for place in taken))
        numbers = n.Sum(tuple(x.notation for x in shown))
        return n.Chain(symbols, ((sign, numbers), (sign if summed.exact else "≈", summed.notation)))

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        return [("The nucleus is the smallest set of entries with a sum of at least ", self.least.written, ".")]

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        marked = [len(groups[0]) for groups in found.ordered(target, self.down)]
        return self.tied(found, lambda number: marked[number])

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        description = "the entry with which the sum reaches p was left out"
        yield Mistake("nucleus-without-crossing", description, replace(self, short=True))
        yield from self.wrong_axis(where, "nucleus-wrong-axis", "the entries were added up")


@record
class ArgMax(Chosen):
    """The place of the largest entry of each row, counted from 1 (`start`: from 0), as a list."""

    start: int = 1
    vocabulary: tuple[str, ...] = ()

    marks = False
    title = "Positions of the largest entries"
    does = "Find the position of the largest entry of each {row}."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """argmax(P)."""
        return cls(call.values[0], call.down, call.sheet.ids_from, call.sheet.words_of(call.values[0]))

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        return self.along(inner.T if self.down else inner).T

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        raise NoDerivative("a position is a whole number, which jumps where two entries change their order")

    def along(self, rows: M) -> M:
        """1 + how many entries come before the first that none is ahead of: the sum of places, each times whether it is
        the largest."""
        size = rows.shape[1]
        largest = rows.constant(PlainNumber(1 + HALF)).exceeds(ranks(rows))
        places = [largest.columns(i, i + 1) * rows.constant(PlainNumber(i + self.start)) for i in range(size)]
        return reduce(add, places)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("argmax", (self.inner.notation(write),))

    def transposed(self, as_columns: object) -> Formula:
        return Formula.transposed(self, as_columns)  # type: ignore[arg-type]

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        return []

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        return [(f"Positions are counted from {self.start}.",)]

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        vectors = found.ordered(self.source, self.down)
        description = self.tied(found, lambda number: 1)
        if self.vocabulary:
            words = [self.vocabulary[groups[0][0]] for groups in vectors if groups[0][0] < len(self.vocabulary)]
            description.append(f"In the vocabulary: {', '.join(words)}.")
        return description

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        other = 1 - self.start
        description = f"positions were counted from {other} instead of {self.start}"
        yield Mistake("places-from", description, replace(self, start=other))


@record
class Sorted(RankedRows):
    """Each row from its largest entry down; `up`, from its smallest up."""

    up: bool = False
    vocabulary: tuple[str, ...] = ()

    reorders = True
    title = "Sorted entries"
    does = "Sort the entries of each {row}, from the largest down."

    @property
    def needs_numbers(self) -> str:
        return "entries with symbols can't be sorted"

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        raise NoDerivative("which entry comes first, second and so on is not differentiated")

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """sorted(P)."""
        return cls(call.values[0], call.down, vocabulary=call.sheet.words_of(call.values[0]))

    def along(self, rows: M) -> M:
        """Each entry is put into its place among those before it: the larger of two goes on to the left."""
        found: list[M] = []
        for i in range(rows.shape[1]):
            entry = rows.columns(i, i + 1)
            for k, other in enumerate(found):
                found[k], entry = other.maximum(entry), other.minimum(entry)
            found.append(entry)
        return _side_by_side(found[::-1] if self.up else found)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("sorted", (self.inner.notation(write),))

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        """Each entry by the name that it had."""
        places = view.places(target)[token]
        ordered = from_largest(view, self.source, self.vector_places(view, places[0]))
        lines = []
        for place, source in list(zip(places, ordered, strict=True))[: view.most]:
            symbol = view.cell(self.source, *source)
            lines.append(n.Chain(view.cell(target, *place), (("=", symbol), *view.result(target, *place))))
        return [Work("", tuple(lines))]

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        return [("Entries are sorted from the largest down.",)]

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        vectors = [[place for group in groups for place in group] for groups in found.ordered(self.source, self.down)]
        if len(vectors) > 1 or not vectors or len(vectors[0]) != len(self.vocabulary):
            return []
        return [f"In the vocabulary: {', '.join(self.vocabulary[place] for place in vectors[0])}."]

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        description = "the entries were sorted from the smallest up instead of from the largest down"
        yield Mistake("sorted-upwards", description, replace(self, up=not self.up))
        yield from self.wrong_axis(where, "sorted-wrong-axis", "the entries were sorted")


@record
class RunningSum(RankedRows):
    """Each entry and all before it, added up; `open`, without the entry itself."""

    open: bool = False

    title = "Running sums"
    does = "Each entry is the sum of the entries of its {row} up to and including that position."

    why_backward = "Each entry went into its own sum and all later ones."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """cumsum(P)."""
        return cls(call.values[0], call.down)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        size = use.shape(self.inner)[0 if self.down else 1]
        whole, causal = use.whole(upstream, use.shape(self)), use.causal(size)
        return use.product(use.transposed(causal), whole) if self.down else use.product(whole, causal)

    def along(self, rows: M) -> M:
        sums, total = [], rows.columns(0, 1)
        for i in range(1, rows.shape[1] + 1):
            sums.append(total)
            if i < rows.shape[1]:
                total = total + rows.columns(i, i + 1)
        return _side_by_side([_nothing(rows), *sums[:-1]] if self.open else sums)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("cumsum", (self.inner.notation(write),))

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        description = "each sum stopped before the entry itself"
        yield Mistake("cumsum-without-own", description, replace(self, open=True))
        yield from self.wrong_axis(where, "cumsum-wrong-axis", "the entries were added up")
