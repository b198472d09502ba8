"""Operations whose results can't leave the interval from −1 to 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnsolve.key import Key
from attnsolve.operations.context import Law
from attnsolve.operations.formula import Formula

if TYPE_CHECKING:
    from attnsolve.operations.evidence import Evidence


class Bounded(Formula):
    """A formula whose every entry lies between −1 and 1."""

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        holds = found.within(target, -1, 1)
        return [] if holds is None else [Law("within-one", "every entry lies between −1 and 1", holds)]
