"""What a softmax is made of, as operations of their own: the maximum, what is left above it, the powers, their sum, and
each power over the sum. `softmax` puts them together, and its own definition runs them, so that a stage that somebody
asks for can't differ from the step that it is a stage of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers import written
from attnsolve.numbers.balls import Ball, Balls
from attnsolve.numbers.closed import Base
from attnsolve.numbers.matrix import M
from attnsolve.numbers.surds import EULER
from attnsolve.operations.context import Law, Mistake, Sentence, Shapes, View, Work, general
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import AlongAxis, EntryByEntry, Formula, Ref, Transpose
from attnsolve.operations.slips import PossibleSlip, number_text
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.evidence import Evidence
    from attnsolve.operations.where import Where

MOST_TERMS = 6
"""A row longer than this has its sum written as Σ and not term by term."""
NOTHING_SEEN = "everything is masked, so every weight is 0"

Place = tuple[int, int]


def run(formula: Formula, values: Mapping[Key, M]) -> M:
    """The value of a stage whose definition is put together from others, in whichever tier the values are."""
    if isinstance(formula, Ref):
        return values[formula.key]
    return formula.define(*(run(argument, values) for argument in formula.arguments))


def _stands_alone(formula: Formula, where: Where) -> bool:
    """Whether it is all that makes a quantity. Inside a longer formula the mistakes are those of the whole."""
    return where.formula(where.key) == formula


@record
class Powers(EntryByEntry):
    """base^x for every entry: a softmax left half done."""

    inner: Formula
    base: Base = EULER

    keeps_masked = False
    title = "Exponentials"
    inline = True

    why_backward = "The derivative of an exponential is the exponential itself, times the logarithm of its base."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """exp(X)."""
        return cls(*call.values)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        return matrices[0].exp(self.base)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        slope = use.times(upstream, use.value)
        return slope if self.base is EULER else use.times(use.logarithm_of(self.base), slope)

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.passed_on(upstream, "the derivative of the exponential, which is the exponential itself")

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        exponent = self.inner.notation(write)
        if self.base is EULER:
            return n.Power(n.Sym("e"), exponent) if _is_short(exponent) else n.Call("exp", (exponent,))
        return n.Power(written.write(self.base, "fraction"), exponent)


def _is_short(exponent: n.Notation) -> bool:
    """Whether an exponent is short enough to be raised: β, −β, 2β, −x/2."""
    factors = exponent.factors if isinstance(exponent, n.Product) else (exponent,)
    return all(isinstance(factor, n.Num | n.Sym) for factor in factors)


@record
class Exponentials(Powers):
    """The same as a stage, in which a sheet may ask for it."""

    why = (
        "Each score is replaced by its exponential: no exponential is negative, and larger scores have much larger"
        " ones."
    )
    fills = False
    opens = "letters"

    @property
    def needs_numbers(self) -> str:
        return self.inner.needs_numbers

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        if self.base is EULER:
            return n.Call("exp", (self.inner.notation(write),))
        return n.Power(written.write(self.base, "fraction"), self.inner.notation(write))

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        if not _stands_alone(self, where):
            return
        yield other_base(where, self.base, replace(self, base=other_than(self.base)))
        if (scaled := where.without(self.inner, Divide)) is not None:
            by = where.text(scaled[0].number)
            description = f"the exponentials were taken of scores that had not been divided by {by}"
            yield Mistake("softmax-of-unscaled", description, replace(self, inner=scaled[1]))
        yield Mistake("softmax-sum", "the scores were used as they are, without taking exponentials", Seen(self.inner))


def other_than(base: Base) -> Base:
    """The base that is taken for another."""
    return Fraction(2) if base is EULER else EULER


def other_base(where: Where, base: Base, formula: Formula) -> Mistake:
    """Powers of another base than the sheet's."""
    id, used = ("softmax-base-2", "2") if base is EULER else ("softmax-base-e", "e")
    description = f"powers of {used} were used instead of powers of {where.text(written.write(base, 'fraction'))}"
    return Mistake(id, description, formula)


@record
class Seen(EntryByEntry):
    """The entries that are not masked; 0 in place of the others."""

    inner: Formula

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        return matrices[0].finite()

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return self.inner.notation(write)


@record
class Reduced(AlongAxis):
    """Each row (`down`: each column) to one number; `alone` where there is only one."""

    inner: Formula
    down: bool = False
    alone: bool = False

    fills = False
    opens = "letters"
    called = ""

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    @property
    def needs_numbers(self) -> str:
        return self.inner.needs_numbers

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        return self.reduced(inner.T).T if self.down else self.reduced(inner)

    @abstractmethod
    def reduced(self, rows: M) -> M:
        """The same for rows."""

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        along = "" if self.alone else "col" if self.down else "row"
        return n.Call(f"{along}{self.called}", (self.inner.notation(write),))

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        if _stands_alone(self, where) and not self.alone:
            along, across = ("column", "row") if self.down else ("row", "column")
            description = f"the {self.called} of each {across} was taken instead of the {self.called} of each {along}"
            yield Mistake("softmax-wrong-axis", description, Transpose(replace(self, down=not self.down)))


@record
class Greatest(Reduced):
    """The largest entry of each row."""

    why = "First find the largest score of each {row}; it will be subtracted from the whole {row}."
    called = "max"

    @property
    def needs_numbers(self) -> str:
        return "stable: true needs the largest score, but scores with symbols can't be compared"

    def reduced(self, rows: M) -> M:
        return rows.reduce("max")


@record
class Total(Reduced):
    """The sum of each row."""

    why = "Each entry will be divided by the sum of its {row}."
    called = "sum"

    def reduced(self, rows: M) -> M:
        return rows.reduce("sum")

    def entry_working(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        """Long sums are not written out."""
        rows, columns = self.inner.shape(view)
        if (rows if self.down else columns) <= MOST_TERMS:
            return super().entry_working(view, target, row, column)
        running = self.inner.notation(lambda key: general(view.cell(key, row, column), self.down))
        result = view.result(target, row, column)
        return n.Chain(view.cell(target, row, column), (("=", n.SumOver("j", running)), *result))

    def possible_slips(self, values: Mapping[Key, Balls], place: Place, right: Ball) -> Iterator[PossibleSlip]:
        """One of the terms left out."""
        table, (row, column) = self.inner.evaluate(values, Balls), place
        terms = table.T.rows[column] if self.down else table.rows[row]
        for term in terms if len(terms) > 1 else ():
            if not term.contains(0):
                describe = partial("{} was left out of the sum".format, number_text(term))
                yield PossibleSlip("left-out-of-sum", 3, right - term, describe)


@record
class Less(EntryByEntry):
    """Every score less the largest of its row."""

    left: Formula
    right: Formula

    why = (
        "Subtracting the same number from a whole {row} does not change the weights, and keeps exponentials from"
        " overflowing."
    )
    fills = False
    opens = "letters"

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.left, self.right

    @property
    def needs_numbers(self) -> str:
        return self.right.needs_numbers

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left - right

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Sum((self.left.notation(write), n.negated(self.right.notation(write))))

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        if _stands_alone(self, where):
            yield Mistake("maximum-not-subtracted", "the largest score was not subtracted", self.left)


@record
class Parts(EntryByEntry):
    """Each power over the sum of its row. `whole` is the same step in one go, as far as it is known: what it has to say
    is said here too."""

    over: Formula
    under: Formula
    whole: Formula | None = None

    why = "Dividing each exponential by the sum of its {row} makes the {row} sum to 1."
    shares = True
    takes_powers = True
    fills = False
    opens = "letters"

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.over, self.under

    def made_from(self, *arguments: Formula) -> Formula:
        over, under = arguments
        return replace(self, over=over, under=under)

    def of_whole(self, whole: Formula | None) -> Formula:
        return replace(self, whole=whole)

    @property
    def needs_numbers(self) -> str:
        return self.over.needs_numbers

    def define(self, *matrices: M) -> M:
        over, under = matrices
        return over.divide(under, empty=True)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Frac(self.over.notation(write), self.under.notation(write))

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        rows, columns = self.under.shape(cells)
        if rows == columns == 1:
            return []
        row_or_column = "column" if rows == 1 else "row"
        over, under = self.over.notation(write), self.under.notation(write)
        return [(f"Each {row_or_column} of ", over, " is divided by the matching entry of ", under, ".")]

    def scored(self) -> Key:
        """The quantity whose entries decide what is seen at all."""
        return (self.whole or self.over).scored()

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        places = view.places(target)[token]
        if all(self._is_hidden(view, place) for place in places):
            nothing = tuple(self._nothing(view, target, place) for place in places)
            return [Work(NOTHING_SEEN, nothing)]
        return super().working(view, target, token)

    def entry_working(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        places = next(places for places in view.places(target) if (row, column) in places)
        if all(self._is_hidden(view, place) for place in places):
            return self._nothing(view, target, (row, column))
        return super().entry_working(view, target, row, column)

    def _nothing(self, view: View, target: Key, place: Place) -> n.Chain:
        return n.Chain(view.cell(target, *place), (("=", n.Num("0")),))

    def _is_hidden(self, view: View, place: Place) -> bool:
        """Whether there is nothing to divide in a place."""
        real = view.real(self.scored(), *place)
        given_powers = self.takes_powers and self.whole is None and isinstance(self.over, Ref)
        return real.is_infinite or (given_powers and real.exact == 0)

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        return [] if self.whole is None else self.whole.laws(found, target)

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        return [] if self.whole is None else self.whole.remarks(found, target)

    def lost_digits(self, view: View) -> int:
        return 0 if self.whole is None else self.whole.lost_digits(view)

    def possible_slips(self, values: Mapping[Key, Balls], place: Place, right: Ball) -> Iterator[PossibleSlip]:
        """A share that was not divided by the sum, or by a sum without one of its terms."""
        over, under = (argument.evaluate(values, Balls) for argument in self.arguments)
        table, total = over.table, under.spread(over.shape).table[place]
        yield PossibleSlip("not-divided", 2, table[place], lambda: "this entry was not divided by the sum")
        for term in _others(over, under, place):
            describe = partial("the term {} was left out of the sum".format, number_text(term))
            yield PossibleSlip("left-out-of-sum", 3, table[place] / (total - term), describe)

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        """Those of the whole step; but what is done wrong in a stage that stands by itself is done wrong there."""
        elsewhere = OF_EXPONENTIALS if isinstance(self.over, Ref) else frozenset()
        for mistake in () if self.whole is None else where.mistakes(self.whole):
            if mistake.id not in elsewhere | {"softmax-not-normalised"}:
                yield mistake
        yield Mistake("softmax-not-normalised", "the exponentials were not divided by their sum", self.over)


OF_EXPONENTIALS = frozenset({"softmax-base-2", "softmax-base-e", "softmax-of-unscaled", "scale-unasked", "softmax-sum"})
"""Mistakes of a softmax that are made when its exponentials are taken."""


def _others(over: Balls, under: Balls, place: Place) -> Sequence[Ball]:
    """The other terms of a sum, where it has more than two."""
    row, column = place
    terms = over.rows[row] if under.shape[1] == 1 else over.T.rows[column]
    return [term for term in terms if not term.contains(0)] if len(terms) > 2 else []


@record
class Proportions(Parts):
    """The same of scores that are no powers: what is masked counts as nothing."""

    why = "Dividing each score by the sum of its {row} makes the {row} sum to 1."
    takes_powers = False
    divided_by_zero = "the scores of some row sum to 0, so they can't be divided by their sum"

    def define(self, *matrices: M) -> M:
        over, under = matrices
        return over.divide(under).finite()
