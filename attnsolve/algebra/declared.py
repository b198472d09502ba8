"""What a name of a claim may stand for, and the settings in which a claim is tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from attnsolve.algebra.matrices import Rows
from attnsolve.operations.formula import Formula
from attnsolve.operations.number import ONE
from attnsolve.record import Record, record


@record
class Declared(Record):
    """Anything that a name may stand for."""


@record
class Unknown(Declared):
    """A number nobody knows: real, positive … and perhaps at least so much."""

    assumption: str = "real"
    least: int | None = None


@record
class WholeNumber(Declared):
    """A whole number, at least `least`."""

    least: int = 1


@record
class Index(Declared):
    """A place, from 1 to a size; it may be told to differ from others."""

    size: Formula
    unlike: tuple[str, ...] = ()


@record
class Free(Declared):
    """A matrix of any entries; a vector has one column."""

    rows: Formula
    columns: Formula
    assumption: str = "real"
    is_matrix: bool = False
    """Whether it is no vector even where it happens to have a single row or column: its rows are counted, and not its
    entries."""

    @property
    def is_row(self) -> bool:
        """Whether it is a row vector."""
        return self.rows == ONE and not self.is_matrix

    @property
    def is_column(self) -> bool:
        """Whether it is a vector."""
        return self.columns == ONE and not self.is_matrix


@record
class Permutation(Declared):
    """A permutation matrix."""

    size: Formula


@record
class Orthonormal(Declared):
    """A square matrix whose rows are orthonormal."""

    size: Formula


@record
class Normal(Declared):
    """A vector of independent normal entries with one mean and one standard deviation."""

    mean: Formula
    deviation: Formula
    size: Formula


@record
class Fixed(Declared):
    """Given numbers."""

    rows: Rows


@record
class Defined(Declared):
    """What a term says."""

    term: Formula


@record
class Setting(Record):
    """Sizes and indices, and the matrices that are picked and not left free."""

    places: Mapping[str, int]
    selected: Mapping[str, Rows] = field(default_factory=dict)
    letters: tuple[str, ...] = ()
    """Which of the places are sizes."""
