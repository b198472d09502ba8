"""Rounded at each step: what somebody gets who carries every result on with a few digits, worked out in floats. Which
habit it was, one for a whole sheet, shows in the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import floor, isfinite, log10
from typing import Any, ClassVar, Literal
from weakref import WeakKeyDictionary

from attnsolve.check.evidence import as_float, holds_in_floats
from attnsolve.check.rerun import FAILURES, Changed, Group
from attnsolve.check.written import Written
from attnsolve.graph import Graph, Quantity, run
from attnsolve.key import Key
from attnsolve.numbers.closed import Base
from attnsolve.numbers.constant import Constant
from attnsolve.numbers.floats import Floats
from attnsolve.record import Record, record
from attnsolve.solution.exact import Solution

Mode = Literal["places", "even", "cut", "figures"]
Place = tuple[int, int]
Given = Mapping[Key, Floats | None]

MOST_PLACES = 6
SMALLEST, LARGEST = 1e-100, 1e15
"""Between these, a number is rounded."""
FUZZ = 1e-9
"""What floats may be off by, in units of the last place, without a half being taken for less."""


@record
class Habit(Record):
    """How somebody rounds: to so many places or digits, every result or (`inside`) the powers of a softmax and the
    roots in a formula as well."""

    mode: Mode
    count: int
    inside: bool = False

    @property
    def said(self) -> str:
        """It in words."""
        noun = {"places": "place", "even": "place", "cut": "place", "figures": "significant digit"}[self.mode]
        number = f"{self.count} {noun}{'s' * (self.count > 1)}"
        return f"cut off after {number} at each step" if self.mode == "cut" else f"rounded to {number} at each step"

    def places_at(self, x: float) -> int:
        """The places that it leaves a number."""
        if self.mode != "figures" or not isfinite(x):
            return self.count
        return self.count - 1 - floor(log10(abs(x) or 1.0))

    def writes(self, written: Written) -> bool:
        """Whether a number may be written by it: with no more digits than it leaves."""
        if written.whole or written.places is None or written.infinite:
            return False
        return written.places <= self.places_at(as_float(written.value))

    def number(self, x: float) -> float:
        """One number, rounded."""
        if not isfinite(x) or not SMALLEST < abs(x) < LARGEST:
            return x
        places = self.places_at(x)
        scale = 10.0**places
        size = abs(x) * scale
        fuzz = FUZZ * max(1.0, size * FUZZ)
        if self.mode == "cut":
            kept = float(floor(size + fuzz))
        elif self.mode == "even" and abs(size - floor(size) - 0.5) < fuzz:
            kept = float(floor(size) + floor(size) % 2)
        else:
            kept = float(floor(size + 0.5 + fuzz))
        return kept / scale if x > 0 else -kept / scale

    def matrix(self, value: Floats) -> Floats:
        """Every number of a matrix, rounded."""
        return Floats([self.number(x) for x in row] for row in value.rows)


def _habits() -> Iterator[Habit]:
    for inside in (False, True):
        for mode in ("places", "cut", "figures", "even"):
            for count in range(1, MOST_PLACES + 1):
                if (mode, count) != ("figures", 1) and not (inside and mode in ("cut", "even")):
                    yield Habit(mode, count, inside)


HABITS = tuple(_habits())
"""Every habit that is tried, plain ones first."""
OF_MISTAKES = tuple(Habit("places", count) for count in range(1, 5))
"""Those that are tried together with a mistake."""


class RoundedFloats:
    """Floats in which the inside of a formula is rounded as well."""

    def __init__(self, habit: Habit) -> None:
        self.habit = habit
        self.of = Floats.of

    def constant(self, constant: Constant) -> Floats:
        """A number of a formula, rounded where it is a root or the like."""
        value = Floats.constant(constant)
        return value if isinstance(constant.value, Fraction | int) else self.habit.matrix(value)

    def perform(self, operation: Any, matrices: Sequence[Floats]) -> Floats:
        """An operation; the powers of a softmax are rounded before they are divided."""
        if not operation.takes_powers:
            return Floats.perform(operation, matrices)

        def softmax(scores: Floats, base: Base) -> Floats:
            return self.habit.matrix(scores.exp(base)).share()

        result: Floats = operation.fuse(softmax, *matrices)
        return result


@record
class Prediction(Record):
    """A quantity as it is worked out from rounded numbers, and rounded itself."""

    habit: Habit
    found: Floats
    rounded: Floats

    def explains(self, written: Mapping[Place, Written]) -> bool:
        """Whether it is what was written, everywhere: before it is rounded, or after where so many digits stand."""
        found, kept = self.found.rows, self.rounded.rows
        return all(
            holds_in_floats(w, found[i][j]) or (self.habit.writes(w) and holds_in_floats(w, kept[i][j]))
            for (i, j), w in written.items()
        )


Predictions = dict[Key, Prediction | None]
Printed = Callable[[Key, Floats], Floats]
"""What a sheet has for a result, where that was printed."""


def predict(
    graph: Graph,
    habit: Habit,
    only: Iterable[Key],
    base: Given,
    *,
    formulas: Changed | None = None,
    printed: Printed | None = None,
) -> Predictions:
    """Some quantities, each from the rounded results before it (`printed` ones as they were printed)."""
    made: Predictions = {}

    def carried(quantity: Quantity, value: Floats | None, before: Any) -> Floats | None:
        if value is None:
            made[quantity.key] = None
            return None
        kept = habit.matrix(value)
        made[quantity.key] = Prediction(habit, value, kept)
        return kept if printed is None else printed(quantity.key, kept)

    tier: Any = RoundedFloats(habit) if habit.inside else Floats
    run(graph, tier, only=only, base=base, formulas=formulas, after=carried, refusals=FAILURES)
    return made


class Predicted:
    """The predictions of every habit from the givens of one problem; kept for all the answer sheets to it."""

    _kept: ClassVar[WeakKeyDictionary[Solution, Predicted]] = WeakKeyDictionary()

    def __init__(self, solution: Solution) -> None:
        self.graph = solution.graph
        self._of: dict[Habit, Predictions] = {}
        self.mistaken: dict[tuple[Habit, Group, Key], Prediction | None] = {}
        """The same with a mistake made as well, for single quantities."""

    @classmethod
    def of(cls, solution: Solution) -> Predicted:
        """Those of a solution, made once."""
        if solution not in cls._kept:
            cls._kept[solution] = cls(solution)
        return cls._kept[solution]

    def by(self, habit: Habit) -> Predictions:
        """What a habit leads to."""
        if habit not in self._of:
            self._of[habit] = predict(self.graph, habit, self.graph.quantities, {})
        return self._of[habit]
