"""What was found out about a claim: that it holds, and how that is known, or a counterexample."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from attnsolve.algebra.cases import Condition
from attnsolve.algebra.declared import Setting
from attnsolve.numbers.balls import Ball
from attnsolve.record import Record, record

PLAIN, VISIBLE = 0.05, 1e-4
"""How far apart the sides are, as a share of the greater one: of a good counterexample, and where digits show it."""

Status = Literal["proved", "refuted", "tried", "undecided"]


@record
class Counterexample(Record):
    """Values at which the two sides differ, and the first entry in which they do."""

    setting: Setting
    values: Mapping[str, tuple[tuple[Fraction, ...], ...]]
    place: tuple[int, int]
    left: Ball
    right: Ball
    shape: tuple[int, int]
    gap: Ball
    """left − right."""

    @property
    def is_plain(self) -> bool:
        """Whether a reader sees the difference in the first digits."""
        return self._apart(PLAIN)

    @property
    def is_visible(self) -> bool:
        """Whether some digits are enough to tell the sides apart."""
        return self._apart(VISIBLE)

    def _apart(self, share: float) -> bool:
        return bool(abs(self.gap) > share * abs(self.left) and abs(self.gap) > share * abs(self.right))


@record
class Finding(Record):
    """What was found out about a claim."""

    status: Status
    settings: tuple[Setting, ...] = ()
    """Where it was worked out with symbols."""
    points: int = 0
    """At how many points it was tried."""
    tried: tuple[Setting, ...] = ()
    """Where these points lie."""
    close: int = 0
    """At how many of these points the sides only agree to AGREED_DIGITS digits, and nothing more is proven."""
    conditions: tuple[tuple[Condition, ...], ...] = ()
    """Where it was proved, if one side has no value elsewhere: one of these groups of conditions holds."""
    counterexample: Counterexample | None = None

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        return self.status in ("proved", "tried")
