"""What every problem becomes once it is worked out, be it numbers or an argument; and what a reader may ask of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from attnsolve.record import Record, record

if TYPE_CHECKING:
    from typing import Self

    from attnsolve.spec.problem import Problem

Detail = Literal["brief", "normal", "full"]


@record
class Narration(Record):
    """What the reader asked to be told."""

    detail: Detail = "normal"
    only: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    digits: int | None = None
    figures: bool = False


class Solved:
    """A problem worked out."""

    problem: Problem

    def opened(self, names: Iterable[str]) -> Self:
        """The same with whatever inside its steps some names mean; an argument has nothing inside."""
        return self

    lacks = ""
    """Why it has no exact cells to explain or to check, as a sentence goes on after `but`."""
