"""Operations whose results can't leave the interval from −1 to 1."""

from __future__ import annotations

from attnsolve.numbers.balls import at_precision
from attnsolve.numbers.written import Real
from attnsolve.operations.formula import Formula, Key, Law, View

BITS = 128


class Bounded(Formula):
    """A formula whose every entry lies between −1 and 1."""

    def laws(self, view: View, target: Key) -> list[Law]:
        reals = [view.real(target, *place) for lane in view.places(target) for place in lane]
        if any(real.is_symbolic for real in reals):
            return []
        return [Law("within-one", "every entry lies between −1 and 1", all(map(_within_one, reals)))]


def _within_one(real: Real) -> bool:
    """Whether a number may be in [−1, 1]: no ball of it lies outside."""
    with at_precision(BITS):
        return not abs(real.ball_at(BITS)) > 1
