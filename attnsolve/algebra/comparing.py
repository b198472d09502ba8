"""Both sides of a claim at a point: how they compare there is proven, by balls or exactly, or it is said to be open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from attnsolve.algebra.letters import Letter, Point
from attnsolve.algebra.table import ElementMatrix, TermError, shape_text
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import Ball, at_precision
from attnsolve.operations.formula import Formula
from attnsolve.operations.letters import formula_text
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.algebra.declarations import Declarations
    from attnsolve.algebra.declared import Setting
    from attnsolve.algebra.scalars import FieldElement

BITS = 256
HIGHER_BITS = (256, 1024, 4096)
"""Precisions at which a difference is looked for that is known, or suspected, not to be 0."""
LONGEST_BITS, LONGEST_EXPONENT = 20_000, 200_000
"""A number with more digits, or a rounded one with a larger exponent, is no good as an example."""
AGREED_DIGITS = 60
"""Digits in which the sides must agree, proven, where nothing tells them apart; else the point counts for nothing."""
CLOSE = arb(10) ** -(AGREED_DIGITS + 1)

Place = tuple[int, int]
Sides = tuple[ElementMatrix, ElementMatrix]


@record
class Claim(Record):
    """left = right (or ≤, ≥), for everything that the names may stand for."""

    left: Formula
    relation: str
    right: Formula


@record
class Observation(Record):
    """What both sides come to at a point, as balls."""

    left: ElementMatrix
    right: ElementMatrix
    broken: Place | None
    """Where it is proven that the relation does not hold."""
    gap: Ball | None
    """How far the sides are apart there."""
    settled: bool
    """Whether it is proven in every entry that the relation holds."""
    close: bool
    """Whether the sides agree to AGREED_DIGITS digits wherever that is not proven."""


class Comparison:
    """One claim, at any point."""

    def __init__(
        self,
        claim: Claim,
        names: Declarations,
        used: Collection[str],
        bound: Collection[str] | None,
        varied: Collection[str],
        sides_at: Callable[[Setting, Point], Sides],
    ) -> None:
        """`bound` names those over which a mean or a limit is taken: they stay letters, and balls won't do. If there is
        neither in the claim, it is None. `varied` names those in which a derivative is taken. `sides_at` works both
        sides out in balls at a point."""
        self.claim, self.names, self.used = claim, names, used
        self.bound, self.varied = bound, varied
        self.sides_at = sides_at
        self.faults: list[TermError] = []
        """Why there was no value at some points."""
        self.open = 0
        """At how many points it could not be worked out whether there is one."""

    def at(self, setting: Setting, point: Point, *, thoroughly: bool = True) -> Observation | None:
        """What is seen at a point, if both sides have a value there; unless `thoroughly`, as well as balls show it."""
        if self.bound is not None:
            return self._exactly(setting, point)
        with at_precision(BITS):
            seen = self._in_balls(setting, point)
        if thoroughly and seen is not None and seen.broken is None and not seen.settled:
            seen = self._exactly(setting, point) or self._precisely(setting, point) or seen
        return seen if seen is not None and (seen.broken is not None or seen.close) else None

    # ── in balls ────────────────────────────────────────────────────────────────────────────────

    def _in_balls(self, setting: Setting, point: Point, bits: int = BITS) -> Observation | None:
        try:
            left, right = (self.sides_at if bits == BITS else self._sides)(setting, point)
        except Unavailable:
            return None
        check_shapes(self.claim, left, right)
        if not all(map(_is_writable, (*left.entries, *right.entries))):
            return None
        gaps = left.zipped(right, lambda x, y: x - y)
        settled = left.zipped(right, lambda x, y: _holds(self.claim.relation, x, y))
        return self._seen(left, right, gaps, settled.entries)

    def _sides(self, setting: Setting, point: Point) -> Sides:
        scope = self.names.at_point(setting, point, self.used)
        return scope.evaluate(self.claim.left), scope.evaluate(self.claim.right)

    def _precisely(self, setting: Setting, point: Point) -> Observation | None:
        """In balls of more and more digits, as long as these decide nothing."""
        for bits in HIGHER_BITS[1:]:
            with at_precision(bits):
                seen = self._in_balls(setting, point, bits)
            if seen is not None and (seen.broken is not None or seen.settled):
                return seen
        return None

    def _seen(self, left: ElementMatrix, right: ElementMatrix, gaps: ElementMatrix, settled: list[bool]) -> Observation:
        broken: dict[Place, float] = {}
        for i, row in enumerate(gaps.rows):
            for j, gap in enumerate(row):
                if {"=": gap > 0 or gap < 0, "≤": gap > 0, "≥": gap < 0}[self.claim.relation]:
                    broken[i, j] = float(abs(gap))
        place = max(broken, key=lambda place: broken[place]) if broken else None
        sides = zip(settled, gaps.entries, left.entries, strict=True)
        close = all(holds or abs(gap) < CLOSE * (1 + abs(x)) for holds, gap, x in sides)
        gap = None if place is None else gaps.rows[place[0]][place[1]]
        return Observation(left, right, place, gap, all(settled), close)

    # ── exactly ─────────────────────────────────────────────────────────────────────────────────

    def _exactly(self, setting: Setting, point: Point) -> Observation | None:
        """With numbers in the place of letters from the beginning, so that nothing is taken from other points."""
        bound = (*(self.bound or ()), *self.varied)
        rest = {letter: value for letter, value in point.items() if letter.name.partition("[")[0] in bound}
        given = {letter: value for letter, value in point.items() if letter not in rest}
        try:
            scope = self.names.exact(setting, self.names.case.at(given), self.used)
            left, right = scope.evaluate(self.claim.left), scope.evaluate(self.claim.right)
            gaps = left.zipped(right, lambda x, y: x - y) if left.shape == right.shape else left
            found = gaps.each(lambda x: _apart(x, rest))
            with at_precision(BITS):
                balls = [side.each(lambda x: x.at(rest)) for side in (left, right)]
        except Unavailable:
            self.open += 1
            return None
        except TermError as fault:
            self.faults.append(fault)
            return None
        check_shapes(self.claim, left, right)
        if not all(_is_writable(x) for side in balls for x in side.entries):
            return None
        settled = [_fits(self.claim.relation, gap) for gap in found.entries]
        return self._seen(balls[0], balls[1], found, settled)


def _apart(gap: FieldElement, rest: Mapping[Letter, Fraction]) -> Ball:
    """A difference as a ball: exactly 0, or as many digits of it as tell it from 0."""
    if gap.ring.is_zero(gap.over):
        return gap.ring.zero.at({})
    for bits in HIGHER_BITS:
        with at_precision(bits):
            value = gap.at(rest)
        if value > 0 or value < 0:
            break
    return value


def _fits(relation: str, gap: Ball) -> bool:
    """Whether a difference is proven to be as the relation says."""
    return bool({"=": gap == 0, "≤": gap <= 0, "≥": gap >= 0}[relation])


def _holds(relation: str, left: Ball, right: Ball) -> bool:
    """Whether two balls prove a relation."""
    return bool({"=": left == right, "≤": left <= right, "≥": left >= right}[relation])


def _is_writable(value: Ball) -> bool:
    """Whether a ball is a number that can be shown: of no more than some thousand digits, if all are shown."""
    longest = LONGEST_BITS if value.is_exact() else LONGEST_EXPONENT
    return bool(value.is_finite()) and abs(int(value.mid().man_exp()[1])) < longest


def check_shapes(claim: Claim, left: ElementMatrix, right: ElementMatrix) -> None:
    """Refuse to compare what has different shapes."""
    if left.shape != right.shape:
        raise TermError(
            f"{formula_text(claim.left)} is {shape_text(left)} but {formula_text(claim.right)} is {shape_text(right)}: "
            "they can't be compared",
            "is a transpose missing? it is written ^T",
        )
