"""The tree that defines a quantity: written once, and then evaluated in any tier, printed, and worked cell by cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers import Unavailable
from attnsolve.numbers.counts import Counts
from attnsolve.numbers.matrix import Arithmetic, M, Numeric
from attnsolve.numbers.untyped import Kernel
from attnsolve.operations.context import (
    ByToken,
    FirstLine,
    Inputs,
    Law,
    Mistake,
    NoDerivative,
    Sentence,
    Shapes,
    Sizes,
    View,
    Work,
)
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.numbers.balls import Ball, Balls
    from attnsolve.numbers.closed import Base
    from attnsolve.numbers.surds import Entry
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.evidence import Evidence, GradientNumbers
    from attnsolve.operations.quantity_context import QuantityContext
    from attnsolve.operations.slips import PossibleSlip
Sides = tuple[object | None, ...]
"""What rows count, and what columns do; None for mere entries."""


class Formula(Record, ABC):
    """A node: an operation on other formulas, a reference to a quantity, or given numbers."""

    @property
    def why(self) -> str:
        """Why it is done, where that is more to the point than what the quantity says. `{row}` is row or column."""
        return ""

    @property
    def title(self) -> str:
        """What it is called as a step, where a sheet has no name for the step."""
        return ""

    @property
    def does(self) -> str:
        """A sentence on it, where nobody says why it is done. `{row}` is row or column."""
        return ""

    inline: ClassVar[bool] = False
    """Whether a function may stay inside of the formula that it stands in; any other is worked out by itself."""
    shares = False
    """Whether its entries are parts of a whole, which people also write in percent."""
    takes_powers = False
    """Whether they are shares of exponentials."""
    is_block = False
    """Whether it is a block of a matrix that is 0 everywhere else."""
    marks = False
    """Whether its entries are 1 for what is chosen and 0 for the rest, so that it can stand as a mask."""
    forbids = False
    """Whether it puts −∞ where a score must not count."""
    reorders = False
    """Whether its entries stand in another order than those it is made from."""
    decides = False
    """Whether its entries are whole numbers that hang on which of some numbers are larger."""
    scales = False
    """Whether it divides everything by one number."""
    has_work = True
    """Whether there is arithmetic to show."""
    shows_substitution = True
    """Whether it helps to see the whole formula with the numbers put in, before any entry is worked out."""
    working_starts_with: ClassVar[FirstLine] = "vectors"
    """What the working of an entry starts with, before numbers: its cell in letters, or vectors with names: q₃ · k₁."""
    kernel = ""
    """The name under which a tier may do it in one go (`Matrix.kernels`)."""
    divided_by_zero = "a number would be divided by 0"
    """What is said where that happens."""

    @property
    def arguments(self) -> tuple[Formula, ...]:
        """The formulas it is made from."""
        return ()

    @property
    def is_difference(self) -> bool:
        """Whether something is subtracted in it."""
        return False

    @property
    def needs_numbers(self) -> str:
        """Why no letters may stand in what it is made from; empty where they may."""
        return ""

    @property
    def goes_down(self) -> bool | None:
        """Whether it is worked out column by column, or row by row; None where that is no matter."""
        return None

    @property
    def options(self) -> tuple[Base, ...]:
        """What a kernel is told besides the matrices."""
        return ()

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        """Its value in one tier, with those of the quantities that it reads."""
        return tier.perform(self, [argument.evaluate(values, tier) for argument in self.arguments])

    @abstractmethod
    def define(self, *matrices: M) -> M:
        """The operation, in terms of the primitives that every tier has: the only place that says what it does."""

    def fuse(self, kernel: Kernel[M], *matrices: M) -> M:
        """The same by a tier's own way to do it in one go."""
        return kernel(*matrices, *self.options)

    def validate(self, result: Numeric) -> None:
        """Refuse numbers that can't be gone on with."""

    @abstractmethod
    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        """The formula, with each quantity written as `write` says: its symbol, or its numbers."""

    def filled(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        """The formula with the numbers put in, where that is written differently."""
        return self.notation(write)

    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        """The stages that it is made of, each in terms of what goes in and of those before it (as letters), the last
        one under ""; empty where there is nothing to see inside. Taken along rows (`down`: columns), of which there may
        be one `alone`."""
        return {}

    @property
    def entering(self) -> dict[Key, Formula]:
        """What goes in, by the letters that stand for it in `inside`."""
        return {Key("scores"): self.arguments[0]} if self.arguments else {}

    def with_whole_step(self, whole_step: Formula | None) -> Formula:
        """The last stage of a step, which knows what the step is in one go."""
        return self

    visible_terms: ClassVar[tuple[str, ...]] = ()
    """What can be seen inside one cell or one token of it, and nothing rests on."""

    def terms_inside(self, name: str, places: Sequence[int]) -> Formula | None:
        """What is seen inside one cell, or one token; None where so many places mean neither."""
        return None

    def scored(self) -> Key:
        """The quantity whose entries say what is masked, where it makes shares."""
        return self.leaves()[0]

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        """What somebody who works it out by hand must know, and its notation does not show."""
        return []

    holds: ClassVar[Literal["quantities", "terms", "factors"]] = "quantities"
    """What may stand inside it in a gradient: quantities alone; sums and products too; or these in brackets."""
    part_of_gradient: ClassVar[str] = "inside"
    """What it is called where it is worked out on the way to a gradient."""
    letters_for_part: ClassVar[tuple[str, ...]] = ()
    """How it is written there, with the first of these letters that is free."""
    keeps_masked = False
    """Whether −∞ in what it is made from is −∞ in it."""
    repeats = False
    """Whether an argument with a side of 1 is repeated to fit the others."""
    why_backward: ClassVar[str] = ""
    """One sentence on the gradients of its arguments. `{row}` is row or column."""

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        """The gradient of one argument, from that of the result."""
        raise NoDerivative(f"{type(self).__name__} has no derivative")

    def balances(self, place: int) -> bool:
        """Whether the gradient of an argument sums to 0 along each row (or column) that it works on: whether nothing
        changes when all of a row grows by the same."""
        return False

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        """What people take for the gradient of an argument; shapes that don't fit are left out by who asks."""
        yield from ()

    def why_vanishing(self, place: int, upstream: Formula, numbers: GradientNumbers) -> str:
        """Why the gradient of an argument is 0 everywhere, where these numbers make it so."""
        return ""

    def why_even(self, place: int, upstream: Formula, down: bool, numbers: GradientNumbers) -> str:
        """Why the gradient of an argument is the same all over each row (`down`: column), where they make it so."""
        return ""

    def blocks(self, place: int, numbers: GradientNumbers) -> str:
        """Where nothing of a gradient comes through with these numbers, in a sentence."""
        return ""

    @property
    def other_convention(self) -> tuple[Formula, str] | None:
        """The same by another convention that is as good, and what whoever follows it does."""
        return None

    why_backward_through: ClassVar[str] = ""
    """The same where that is done in one go with the step before."""

    def backward_through(self, inner: Formula, upstream: Formula, use: Backward) -> Formula | None:
        """The gradient of what its argument `inner` is made from, where both together have a simpler one than each by
        itself."""
        return None

    def backward_through_mistakes(self, inner: Formula, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        """What people take for that."""
        yield from ()

    def counts(self, cells: Shapes) -> Counts:
        """Its shape, and the work that it takes."""
        return self.evaluate(Sizes(cells), Counts)

    def shape(self, cells: Shapes) -> tuple[int, int]:
        """Rows and columns of the result."""
        return self.counts(cells).shape

    def shapes(self, cells: Shapes) -> n.Notation:
        """The shapes that go in: (3×2)(2×3)."""
        return n.Shape(*self.arguments[0].shape(cells)) if self.arguments else n.Shape(*self.shape(cells))

    def by_token(self, view: View, token: int) -> ByToken | None:
        """One token's vector made from other vectors, in symbols and with the numbers put in; None if it isn't so."""
        return None

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        """The work for one token: its vector, then each entry, from symbols to numbers to the result."""
        places = view.places(target)[token]
        works = [Work("", tuple(self.entry_working(view, target, *place) for place in places[: view.most]))]
        if len(places) <= (view.most or len(places)) and (vectors := self.by_token(view, token)) is not None:
            symbols, numbers = vectors
            exact = all(view.exact_inputs(target, *place) for place in places)
            sign = "=" if exact else "≈"
            result = view.vector(target, token)
            ending = "=" if exact and view.reached_exactly(target, token) else "≈"
            symbol_links = tuple(("=", symbol) for symbol in symbols)
            chain = n.Chain(view.token(target, token + 1), (*symbol_links, (sign, numbers), (ending, result)))
            works.insert(0, Work("", (chain,)))
        return works

    def entry_working(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        """The work for one entry."""
        first = self.before_numbers(view, row, column)
        links = [("=", first)] if first is not None else []
        sign = "=" if view.exact_inputs(target, row, column) else "≈"
        numbers = view.numbers_for(self).symbols(self).at(row, column)
        result = view.result(target, row, column)
        if sign == "≈":
            result = tuple(("≈", part) for _, part in result[-1:])
        if (sign, numbers) not in result and numbers != first:
            links.append((sign, numbers))
        return n.Chain(view.cell(target, row, column), (*links, *result))

    def traced(self, view: View, target: Key, places: Sequence[tuple[int, int]]) -> list[n.Chain]:
        """The work for some entries, for somebody who sees nothing else of it."""
        return [self.entry_working(view, target, *place) for place in places]

    def before_numbers(self, view: View, row: int, column: int) -> n.Notation | None:
        """An entry before any numbers are put in."""
        symbols = view.symbols(self)
        if self.working_starts_with == "letters":
            return symbols.at(row, column)
        return symbols.in_vectors(row, column) if self.working_starts_with == "vectors" else None

    def lost_digits(self, view: View) -> int:
        """How many leading digits of the numbers put in cancel, so that they must be written with as many more."""
        return 0

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        """What must hold of the result."""
        return []

    def remarks(self, found: Evidence, target: Key) -> list[str]:
        """What the reader should know of this result."""
        return []

    def possible_slips(
        self, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball
    ) -> Iterator[PossibleSlip]:
        """Slips of the pen that the arithmetic of one entry invites; `right` is what it should come to."""
        yield from ()

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        """What people do in place of this very operation; shapes that don't fit are left out by who asks."""
        yield from ()

    def made_from(self, *arguments: Formula) -> Formula:
        """The same operation on other arguments."""
        names = [name for name, value in self.__dict__.items() if isinstance(value, Formula)]
        return self.replaced(**dict(zip(names, arguments, strict=True)))

    binds = ""
    """The letter that runs through it, where it is a sum or a limit."""

    @property
    def counting(self) -> tuple[Formula, ...]:
        """The formulas inside that count rows, entries or terms: indices, bounds, sizes."""
        return ()

    @property
    def depends_on_signs(self) -> bool:
        """Whether the signs of what it is made from decide what it is, as they do for a limit or a root."""
        return False

    @property
    def is_partial(self) -> bool:
        """Whether it has a value only where something in it is not 0, or not negative, or has a limit."""
        return False

    @property
    def parts(self) -> tuple[Formula, ...]:
        """Every formula inside, also those that are no matrices to work with: indices, bounds of sums, sizes."""
        found: list[Formula] = []
        for value in self.__dict__.values():
            if isinstance(value, tuple):
                found += [part for part in value if isinstance(part, Record) and isinstance(part, Formula)]
            elif isinstance(value, Record) and isinstance(value, Formula):  # what is no record is told apart sooner
                found.append(value)
        return tuple(found)

    def walk(self) -> Iterator[Formula]:
        """Itself and every formula inside."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def changed(self, change: Callable[[Formula], Formula]) -> Formula:
        """The same with every part changed."""
        return self.replaced(**{name: _changed(value, change) for name, value in self.__dict__.items()})

    def put(self, others: Mapping[Key, Formula]) -> Formula:
        """The same formula with other things in place of some quantities."""
        return self.changed(lambda part: part.put(others))

    def substitute(self, letters: Mapping[str, Formula]) -> Formula:
        """The same with other things in place of letters."""
        return self.put({Key(name): formula for name, formula in letters.items()})

    def as_stored(self, as_columns: Collection[Key]) -> Formula:
        """The same value, where the quantities in `as_columns` are stored as their transposes."""
        return self.changed(lambda part: part.as_stored(as_columns))

    def transposed(self, as_columns: Collection[Key]) -> Formula:
        """The transpose of its value, as a sheet writes it that has the quantities in `as_columns` as columns."""
        return Transpose(self.as_stored(as_columns))

    def token_sides(self, of: Callable[[Key], Sides]) -> Sides:
        """What its rows and its columns count, where `of` says so of what it reads."""
        sides = [argument.token_sides(of) for argument in self.arguments]
        return tuple(next((side[axis] for side in sides if side[axis] is not None), None) for axis in (0, 1))

    @property
    def axis(self) -> int | None:
        """Along which axis it is worked out, 0 for rows and 1 for columns; None where either would do."""
        return None

    @property
    def is_at_hand(self) -> bool:
        """Whether it is a quantity, or a part or the transpose of one, which takes no work of its own."""
        return not self.has_work

    def is_like(self, other: Formula) -> bool:
        """Whether another one is the same, arrays of floats being so if their numbers are."""
        return self == other

    def leaves(self) -> list[Key]:
        """The quantities it reads, each once."""
        found: dict[Key, None] = {}
        for argument in self.arguments:
            found |= dict.fromkeys(argument.leaves())
        return list(found)


def _changed(value: object, change: Callable[[Formula], Formula]) -> object:
    if isinstance(value, tuple):
        if any(isinstance(part, Record) and isinstance(part, Formula) for part in value):
            return tuple(change(part) if isinstance(part, Formula) else part for part in value)
        return value
    return change(value) if isinstance(value, Record) and isinstance(value, Formula) else value


class EntryByEntry(Formula):
    """What is done to every entry by itself, so that the transpose is made from the transposes."""

    repeats = True
    keeps_masked = True

    def transposed(self, as_columns: Collection[Key]) -> Formula:
        """The same of the transposes."""
        return self.made_from(*(argument.transposed(as_columns) for argument in self.arguments))


class AlongAxis(EntryByEntry):
    """What is done along each vector: each row or, with `down`, each column."""

    keeps_masked = False

    if TYPE_CHECKING:
        down: bool

    @property
    def axis(self) -> int | None:
        return int(self.down)

    def transposed(self, as_columns: Collection[Key]) -> Formula:
        """The same of the transposes, along the other axis."""
        return super().transposed(as_columns).replaced(down=not self.down)


@record
class Binary(Formula):
    """An operation on two formulas."""

    left: Formula
    right: Formula

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.left, self.right


@record
class Given(Formula):
    """Numbers that the problem states."""

    rows: tuple[tuple[Entry, ...], ...]

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        """The numbers, in a tier."""
        return tier.of(self.rows)

    def define(self, *matrices: M) -> M:
        """Given numbers are not computed."""
        raise NotImplementedError

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        """It is given: there is no formula to show."""
        return n.Word("given")

    def is_like(self, other: Formula) -> bool:
        """Whether it states the same numbers."""
        if isinstance(self.rows, tuple) or not isinstance(other, Given):
            return self == other
        from attnsolve.numbers.arrays import Arrays

        return Arrays.of(self.rows).equals(Arrays.of(other.rows))

    def put(self, others: Mapping[Key, Formula]) -> Formula:
        """The same numbers."""
        return self

    def as_stored(self, as_columns: Collection[Key]) -> Formula:
        """The same numbers."""
        return self


@record
class Ref(Formula):
    """Another quantity."""

    key: Key

    why = "There is no weight matrix here: the tokens are used as they are."
    has_work = False
    working_starts_with = "letters"

    def evaluate(self, values: Inputs[M], tier: Arithmetic[M]) -> M:
        """The quantity's value."""
        value = values[self.key]
        if value is None:
            raise Unavailable
        return value

    def define(self, *matrices: M) -> M:
        """A quantity is looked up, not computed."""
        raise NotImplementedError

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        """The quantity."""
        return write(self.key)

    def token_sides(self, of: Callable[[Key], Sides]) -> Sides:
        """The quantity's."""
        return of(self.key)

    def shape(self, cells: Shapes) -> tuple[int, int]:
        """The quantity's shape."""
        return cells.shape(self.key)

    def put(self, others: Mapping[Key, Formula]) -> Formula:
        """What takes its place."""
        return others.get(self.key, self)

    def as_stored(self, as_columns: Collection[Key]) -> Formula:
        """The quantity, transposed back if it is stored as columns."""
        return Transpose(self) if self.key in as_columns else self

    def transposed(self, as_columns: Collection[Key]) -> Formula:
        """The quantity as it is stored if that is as columns."""
        return self if self.key in as_columns else Transpose(self)

    @property
    def name(self) -> str:
        """Its id: in a claim, the letter."""
        return self.key.id

    def leaves(self) -> list[Key]:
        """Itself."""
        return [self.key]


@record
class Transpose(Formula):
    """innerᵀ. Its numbers, once put in, are written already transposed."""

    inner: Formula

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        return matrices[0].T

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.transposed(upstream)

    def is_like(self, other: Formula) -> bool:
        """Whether the same is transposed."""
        return isinstance(other, Transpose) and self.inner.is_like(other.inner)

    @property
    def is_at_hand(self) -> bool:
        return self.inner.is_at_hand

    def token_sides(self, of: Callable[[Key], Sides]) -> Sides:
        rows, columns = self.inner.token_sides(of)
        return columns, rows

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        inner = self.inner.notation(write)
        if isinstance(inner, n.Grid):
            return n.Grid(tuple(zip(*inner.rows, strict=True)), inner.column_labels, inner.row_labels)
        return n.Transposed(inner)

    def as_stored(self, as_columns: Collection[Key]) -> Formula:
        return self.inner.transposed(as_columns)

    def transposed(self, as_columns: Collection[Key]) -> Formula:
        return self.inner.as_stored(as_columns)


def transpose_of(formula: Formula) -> Formula:
    """The transpose; that of a transpose is what it was made from."""
    return formula.inner if isinstance(formula, Transpose) else Transpose(formula)
