"""Rows, columns, lists and whole matrices taken down to one number each: sums, means, variances, maxima, lengths."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, Balls
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import M
from attnsolve.operations.context import Mistake, Sentence, Shapes
from attnsolve.operations.formula import AlongAxis, EntryByEntry, Formula, Transpose
from attnsolve.operations.letters import letter
from attnsolve.operations.slips import PossibleSlip, number_text
from attnsolve.operations.staged import INNER, InStages, Staged
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.where import Where


@record
class ReducedInStages(AlongAxis, InStages):
    """One number for each row (`down`: each column); `alone`, of the only one."""

    inner: Formula
    down: bool = False
    alone: bool = False

    called: ClassVar[str] = ""
    """What is taken, in a word: mean, sum."""
    titles: ClassVar[str] = ""
    """What several of them are called."""
    function: ClassVar[str] = ""
    """The end of its name in formulas: rowmean, colmean."""

    @property
    def title(self) -> str:
        return self.called.capitalize() if self.alone else self.titles

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """rowmean(A), colmean(A); of a list, one number."""
        return cls(call.values[0], call.name.startswith("col") and not call.alone, call.alone)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        return self.reduced(inner.T).T if self.down else self.reduced(inner)

    @abstractmethod
    def reduced(self, rows: M) -> M:
        """The same for rows."""

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        along = "col" if self.down else "row"
        return n.Call(f"{along}{self.function or self.called}", (self.inner.notation(write),))

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        if not self.alone:
            along, across = ("column", "row") if self.down else ("row", "column")
            description = f"the {self.called} of each {across} was taken instead of the {self.called} of each {along}"
            yield Mistake(
                f"{self.function or self.called}-wrong-axis", description, Transpose(replace(self, down=not self.down))
            )

    def _size(self, cells: Shapes) -> int:
        return self.inner.shape(cells)[0 if self.down else 1]


@record
class Sums(ReducedInStages):
    """The sum of each row."""

    part_of_gradient = "sums"
    letters_for_part = ("r", "s", "t")
    titles = "Sums"
    does = "Add up each {row}."
    called = "sum"

    why_backward = "Every entry of a {row} gets the gradient of its sum."

    def reduced(self, rows: M) -> M:
        return rows.reduce("sum")

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return upstream

    def possible_slips(
        self, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball
    ) -> Iterator[PossibleSlip]:
        table = self.inner.evaluate(values, Balls)
        terms = table.T.rows[place[1]] if self.down else table.rows[place[0]]
        for term in terms if len(terms) > 1 else ():
            if term.is_finite() and not term.contains(0):
                yield PossibleSlip(
                    "left-out-of-sum", 3, right - term, partial("{} was left out of the sum".format, number_text(term))
                )

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        if self._size(where) > 1:
            yield Mistake(
                "mean-for-sum", "the mean was taken instead of the sum", Means(self.inner, self.down, self.alone)
            )


@record
class Means(ReducedInStages):
    """The mean of each row."""

    stage = "means"
    part_of_gradient = "means"
    letters_for_part = ("m", "r", "t")
    titles = "Means"
    does = "Add up each {row} and divide by the number of entries."
    called = "mean"

    why_backward = "Every entry gets the gradient of its mean, divided by the number of entries."

    def reduced(self, rows: M) -> M:
        return rows.reduce("sum") / rows.constant(PlainNumber(rows.shape[1]))

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.over(upstream, use.number(self._size(use.shapes)))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.not_divided(upstream, use.shape(self.inner)[0 if self.down else 1])

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        if (size := self._size(where)) > 1:
            description = f"the sum was not divided by the number of entries, {size}"
            yield Mistake("sum-for-mean", description, Sums(self.inner, self.down, self.alone))


@record
class MeanSquares(ReducedInStages):
    """The mean of the squares of each row; with `less`, their sum over so many fewer than there are entries."""

    less: int = 0

    stage = "mean_squares"
    titles = "Mean squares"
    does = "Square every entry, add up each {row} and divide by the number of entries."
    called = "mean square"
    function = "meansquare"
    summed: ClassVar[bool] = False
    divided_by_zero = "a variance with n − 1 needs at least two entries"

    why_backward = "The derivative of a square is twice the entry."

    def reduced(self, rows: M) -> M:
        return (rows * rows).reduce("sum") / rows.constant(PlainNumber(rows.shape[1] - self.less))

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        share = use.over(use.number(2), use.number(self._size(use.shapes) - self.less))
        return use.times(upstream, use.times(share, self.inner))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        size = use.shape(self.inner)[0 if self.down else 1]
        yield from use.not_doubled(use.times(upstream, use.over(self.inner, use.number(size - self.less))))


@record
class SquaresSum(ReducedInStages):
    """The sum of the squares of each row."""

    stage = "squares"
    titles = "Sums of squares"
    called = "sum of squares"

    why_backward = "The derivative of a square is twice the entry."

    def reduced(self, rows: M) -> M:
        return (rows * rows).reduce("sum")

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.times(use.number(2), self.inner))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield from use.not_doubled(use.times(upstream, self.inner))


@record
class Variance(MeanSquares):
    """The same of entries less their mean."""

    stage = "variances"
    called = "variance"
    function = "var"
    does = "Add up the squares of the centred entries of each {row}, and divide."

    @property
    def phrase(self) -> str:
        return (
            "the variance, the mean of their squares"
            if not self.less
            else (f"the variance, the sum of their squares divided by n − {self.less}")
        )

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        if (size := self._size(where)) > 1 and not self.less:
            description = f"the variance was divided by n − 1 = {size - 1} instead of n = {size}"
            yield Mistake("layernorm-variance-corrected", description, replace(self, less=1))


@record
class Maxima(ReducedInStages):
    """The greatest entry of each row."""

    titles = "Maxima"
    does = "Take the largest entry of each {row}."
    called = "maximum"
    function = "max"

    why_backward = "Only the largest entry of each {row} gets the gradient; equal ones share it."

    @property
    def needs_numbers(self) -> str:
        return "the largest entry was asked for, but entries with symbols can't be compared"

    def reduced(self, rows: M) -> M:
        return rows.reduce("max")

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.name(use.largest(self.inner, use.value, self.down)))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.to_all(upstream, "largest")


@record
class RowNorms(ReducedInStages):
    """The length of each row: the root of the sum of its squares."""

    titles = "Lengths"
    does = "The length of each {row} is the square root of the sum of its squares."
    called = "length"
    function = "norm"

    why_backward = "The derivative of a length is the vector divided by its length."

    def reduced(self, rows: M) -> M:
        return (rows * rows).reduce("sum").apply("sqrt")

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.name(use.over(self.inner, use.value)))

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        description = "the square root of the sum of squares was not taken"
        yield Mistake("root-forgotten", description, SquaresSum(self.inner, self.down, self.alone))


@record
class Centred(EntryByEntry, InStages):
    """Each entry less the mean of its row."""

    left: Formula
    right: Formula

    stage = "centred"
    title = "Centred entries"
    does = "Subtract the mean of its {row} from each entry."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.left, self.right

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left - right

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Sum((self.left.notation(write), n.negated(self.right.notation(write))))


@record
class Variances(Staged):
    """The variance of each row: the mean of the squared differences from the mean; with `less`, their sum over so many
    fewer than there are entries."""

    inner: Formula
    down: bool = False
    alone: bool = False
    less: int = 0

    does = "Square each entry's difference from the mean of its {row}, add up the squares, and divide."
    divided_by_zero = MeanSquares.divided_by_zero

    why_backward = "The derivative of the variance is twice the distance from the mean, divided as the variance is."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """rowvar(A, ddof=1)."""
        return cls(call.values[0], call.name.startswith("col") and not call.alone, call.alone, call.whole("ddof"))

    @property
    def title(self) -> str:
        return "Variance" if self.alone else "Variances"

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        return {
            "means": Means(INNER, down, alone),
            "centred": Centred(INNER, letter("means")),
            "": Variance(letter("centred"), down, alone, self.less),
        }

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        centred = use.name(use.minus(self.inner, use.name(use.means(self.inner, self.down))))
        size = use.shape(self.inner)[0 if self.down else 1]
        return use.times(upstream, use.times(use.number(Fraction(2, size - self.less)), centred))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        name = "rowvar" if self.alone or not self.down else "colvar"
        ddof = (n.Chain(n.Word("ddof"), (("=", n.Num(str(self.less))),)),) if self.less else ()
        return n.Call(name, (self.inner.notation(write), *ddof))

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        row, size = ("column", 0) if self.down else ("row", 1)
        count = self.inner.shape(cells)[size] - self.less
        return [(f"The variance of each {row} is the sum of squared differences from its mean, divided by {count}.",)]

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        size = self.inner.shape(where)[0 if self.down else 1]
        if size > 1:
            used, meant = ("n − 1", "n") if not self.less else ("n", f"n − {self.less}")
            description = f"the variance was divided by {used} instead of {meant}, where n = {size}"
            yield Mistake("variance-divisor", description, replace(self, less=0 if self.less else 1))
        if not self.alone:
            along, across = ("column", "row") if self.down else ("row", "column")
            description = f"the variance of each {across} was taken instead of the variance of each {along}"
            yield Mistake("var-wrong-axis", description, Transpose(replace(self, down=not self.down)))


@record
class Overall(Formula):
    """A whole matrix to one number."""

    inner: Formula

    fills = False
    opens = "letters"
    called: ClassVar[str] = ""

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """total(A), mean(A), max(A)."""
        return cls(*call.values)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call(self.called, (self.inner.notation(write),))


@record
class GrandTotal(Overall):
    """The sum of all entries."""

    title = "Sum of all entries"
    does = "Add up all entries."
    called = "total"

    why_backward = "Every entry gets the gradient of the sum."

    def define(self, *matrices: M) -> M:
        return _flat(matrices[0]).reduce("sum")

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return upstream

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield Mistake("mean-for-sum", "the mean was taken instead of the sum", Mean(self.inner))


@record
class Mean(Overall):
    """The mean of all entries."""

    title = "Mean"
    does = "Add up all entries and divide by the number of entries."
    called = "mean"

    why_backward = "Every entry gets the gradient of the mean, divided by the number of entries."

    def define(self, *matrices: M) -> M:
        entries = _flat(matrices[0])
        return entries.reduce("sum") / entries.constant(PlainNumber(entries.shape[1]))

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        rows, columns = use.shape(self.inner)
        return use.over(upstream, use.number(rows * columns))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        rows, columns = use.shape(self.inner)
        yield use.not_divided(upstream, rows * columns)

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        rows, columns = self.inner.shape(where)
        if rows * columns > 1:
            description = f"the sum was not divided by the number of entries, {rows * columns}"
            yield Mistake("sum-for-mean", description, GrandTotal(self.inner))


@record
class Maximum(Overall):
    """The greatest of all entries."""

    title = "Largest entry"
    does = "Take the largest of all entries."
    called = "max"

    why_backward = "The gradient goes to the entry that was taken."

    @property
    def needs_numbers(self) -> str:
        return "the largest entry was asked for, but entries with symbols can't be compared"

    def define(self, *matrices: M) -> M:
        return _flat(matrices[0]).reduce("max")

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.name(use.chosen(self.inner, use.value, ">=")))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.to_all(upstream, "largest")


@record
class Minimum(Overall):
    """The least of all entries."""

    title = "Smallest entry"
    does = "Take the smallest of all entries."
    called = "min"

    why_backward = "The gradient goes to the entry that was taken."

    @property
    def needs_numbers(self) -> str:
        return "the smallest entry was asked for, but entries with symbols can't be compared"

    def define(self, *matrices: M) -> M:
        return -_flat(-matrices[0]).reduce("max")

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.name(use.chosen(self.inner, use.value, "<=")))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.to_all(upstream, "smallest")


def _flat(matrix: M) -> M:
    """All entries in one row, row by row."""
    turned = matrix.T
    rows = [turned.columns(i, i + 1).T for i in range(matrix.shape[0])]
    return rows[0].beside(rows[1:]) if len(rows) > 1 else rows[0]
