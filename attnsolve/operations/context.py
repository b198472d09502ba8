"""What a formula may look at when it is evaluated and shown, and the small records that it answers with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.counts import Counts
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.numbers.symbols import Symbols
    from attnsolve.numbers.written import Figures, Real, Shown
    from attnsolve.operations.formula import Formula


Value = TypeVar("Value", covariant=True)


class NoDerivative(Exception):
    """An operation that no gradient goes through; the message says why."""


class Shapes(Protocol):
    """The least that a formula is told of its leaves."""

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of a quantity."""


class Inputs(Protocol[Value]):
    """The values of what a formula reads; None for one that its tier can't hold."""

    def __getitem__(self, key: Key, /) -> Value | None:
        """The value of a quantity."""


class CellWriter(Shapes, Protocol):
    """What a formula is told of its leaves when one of its cells is written: symbols, or the numbers put in."""

    def cell(self, key: Key, row: int, column: int) -> n.Notation:
        """How one entry is written."""

    def symbols(self, formula: Formula) -> Symbols:
        """How every cell of a formula is written, from its definition."""


class View(CellWriter, Protocol):
    """What an operation may look at when it shows its work."""

    as_columns: bool
    """Whether the sheet writes a token's vector as a column."""
    most: int | None
    """How many entries of one token are worked out at most; None for all."""

    def numbers_for(self, formula: Formula) -> CellWriter:
        """The same leaves with their numbers put in, as a formula needs them."""

    def real(self, key: Key, row: int, column: int) -> Real:
        """The value of an entry."""

    def show(self, real: Real) -> Shown:
        """How a value is printed."""

    def put_in(self, real: Real) -> Shown:
        """How a value is printed where it is worked with further: with guard digits where it was rounded."""

    def dividing_by(self, total: Real, more: int) -> Figures:
        """How numbers are printed that are divided by their total: with guard digits and `more`."""

    def precisely(self, key: Key, row: int, column: int) -> n.Notation:
        """An entry as it is put into further work: with guard digits where it was rounded."""

    def decimal(self, real: Real) -> Shown:
        """How its decimal is printed."""

    def matrix(self, key: Key) -> n.Notation:
        """How a whole quantity is written."""

    def grid(self, key: Key) -> n.Grid:
        """A whole quantity with its numbers put in, guard digits where they were rounded."""

    def token(self, key: Key, number: int) -> n.Notation:
        """The symbol of one token's vector, tokens counted from 1."""

    def vector(self, key: Key, token: int) -> n.Grid:
        """One token's vector as a result, a column or a row as the sheet has it, tokens counted from 0."""

    def operand(self, key: Key, token: int) -> n.Grid:
        """The same as it is put into further work: with guard digits where it was rounded."""

    def reached_exactly(self, key: Key, token: int) -> bool:
        """Whether a token's vector is shown without rounding, and none was done to get it."""

    def result(self, key: Key, row: int, column: int) -> tuple[tuple[str, n.Notation], ...]:
        """The end of a chain: = the exact value, ≈ its decimal."""

    def exact_inputs(self, key: Key, row: int, column: int) -> bool:
        """Whether the numbers put in are shown without rounding."""

    def sum_of(self, key: Key, places: Sequence[tuple[int, int]]) -> Real:
        """The sum of some entries."""

    def places(self, key: Key) -> list[list[tuple[int, int]]]:
        """The places of a quantity, token by token."""

    def called(self, key: Key, token: int) -> str:
        """A token's name in running text."""


FirstLine = Literal["", "letters", "vectors"]
Sentence = tuple[str | n.Notation, ...]
"""A sentence with notation in it."""
ByToken = tuple[tuple[n.Notation, ...], n.Notation]
"""One token's vector: in symbols, perhaps in several ways, and with the numbers put in."""


def general(symbol: n.Notation, down: bool) -> n.Notation:
    """An entry with its running index made j: s₃,₁ as s₃,ⱼ, or (`down`) s₁,₃ as sⱼ,₃; a vector v₁ as vⱼ. A single
    number has none."""
    if isinstance(symbol, n.Sum):
        return n.Sum((general(symbol.terms[0], down), *symbol.terms[1:]))
    assert isinstance(symbol, n.Sym)
    if not symbol.sub:
        return symbol
    first, *rest = symbol.sub
    return replace(symbol, sub=("j", *rest) if down and first.isdigit() else (*symbol.sub[:-1], "j"))


@record
class Work(Record):
    """Some lines of working with a word on what they are."""

    description: str
    lines: tuple[n.Chain, ...]


@record
class Law(Record):
    """Something that must hold of a result, and whether it does. One that is `remarkable` is mentioned beside the
    result and not only at the end; `at` says at which values of symbols it was tried."""

    id: str
    description: str
    holds: bool
    remarkable: bool = False
    at: str = ""

    def is_about(self, what: str) -> bool:
        """Whether it is a law of this kind, of whichever quantity."""
        return self.id.endswith(f"-{what}")


@record
class Mistake(Record):
    """Something people do instead of what a formula says. `id` is public; `description` says what was done."""

    id: str
    description: str
    formula: Formula


@record
class Sizes(Record):
    """The leaves of a formula as shapes alone."""

    shapes: Shapes

    def __getitem__(self, key: Key) -> Counts:
        return Counts(self.shapes.shape(key), [str(key)])
