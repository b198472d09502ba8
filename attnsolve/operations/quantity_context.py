"""What an operation is told about the quantity it stands in, so that it can say which mistakes are possible there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.operations.context import Mistake, Shapes
from attnsolve.operations.formula import Formula, Ref

Step = TypeVar("Step", bound=Formula)


class QuantityContext(Shapes, Protocol):
    """A quantity and what is at hand there: whatever is given, and whatever was worked out before."""

    @property
    def key(self) -> Key:
        """The quantity."""

    @property
    def down(self) -> bool:
        """Whether its tokens are columns."""

    def ref(self, id: str) -> Ref | None:
        """A quantity or parameter of the same head (or of all heads) that is at hand."""

    def elsewhere(self, key: Key) -> list[Ref]:
        """What is the same quantity at the other places of its kind: other heads."""

    def width(self, id: str, *, of_all_heads: bool = False) -> int | None:
        """How many entries one token has in a quantity that is at hand; of all heads before they are split."""

    def formula(self, key: Key) -> Formula:
        """How a quantity is made."""

    def without(self, formula: Formula, kind: type[Step]) -> tuple[Step, Formula] | None:
        """The step of a kind on the way to a formula, and the formula with that step left out; None without one."""

    def mistakes(self, formula: Formula) -> Iterator[Mistake]:
        """What people do in place of an operation here."""

    def text_of(self, formula: Formula) -> str:
        """A formula in the sheet's symbols: Q Kᵀ."""

    def text(self, notation: n.Notation) -> str:
        """A notation on one line."""
