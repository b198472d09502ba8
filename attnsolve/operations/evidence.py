"""What an operation's laws and remarks may ask about its result, whether that was worked out exactly or in float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from attnsolve.key import Key

if TYPE_CHECKING:
    from attnsolve.operations.formula import Formula


class Evidence(Protocol):
    """The entries of a solution, as far as laws are about them."""

    def sum_to(self, key: Key, totals: Sequence[int]) -> tuple[bool, str]:
        """Whether every token's entries sum to their total; and how nearly, where that is not exactly."""

    def fully_masked(self, key: Key, scores: Key) -> Sequence[bool]:
        """Of every token of a quantity, whether all its scores are −∞."""

    def has_zero(self, key: Key) -> bool:
        """Whether one of its entries is exactly 0."""

    def has_other(self, key: Key, numbers: Sequence[int]) -> bool:
        """Whether one of its entries is none of some numbers."""

    def has_hidden(self, key: Key) -> bool:
        """Whether −∞ is among its entries."""

    def zero_where_hidden(self, key: Key, scores: Key) -> bool:
        """Whether an entry is exactly 0 wherever the score there is −∞."""

    def hidden_where_hidden(self, key: Key, mask: Key) -> bool:
        """Whether an entry is −∞ wherever the mask is."""

    def within(self, key: Key, least: int, greatest: int | None = None) -> bool | None:
        """Whether no entry lies outside an interval; None where that hangs on symbols."""

    def ordered(self, key: Key, down: bool) -> Sequence[Sequence[Sequence[int]]]:
        """Of every row (`down`: column), its places from the largest entry down, equal ones together."""

    def keeps_lengths(self, key: Key, other: Key) -> bool:
        """Whether every vector is as long as that of the other quantity."""

    def called(self, key: Key, tokens: Sequence[int]) -> list[str]:
        """The names of some tokens in running text."""


class GradientNumbers(Protocol):
    """What an operation may ask about numbers when it says why nothing of a gradient comes through."""

    def rows(self, formula: Formula) -> Sequence[Sequence[float]]:
        """A formula in float64."""

    def text_of(self, formula: Formula) -> str:
        """A formula in the sheet's symbols."""

    def is_even(self, formula: Formula, down: bool) -> bool:
        """Whether each row (`down`: column) has the same number everywhere."""

    def why_even(self, upstream: Formula, down: bool) -> str:
        """Why a gradient is the same all over each row, where that can be told."""
