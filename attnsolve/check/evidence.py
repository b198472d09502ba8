"""How much an explanation says: the digits that it gets right and that might have been others, held against the number
of explanations that were tried. What chance explains as well is no cause."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import inf, isfinite, log10
from typing import Any

from attnsolve.check.written import Written
from attnsolve.graph import Quantity
from attnsolve.numbers.floats import Floats, to_float
from attnsolve.record import Record, record

Place = tuple[int, int]

ENOUGH = 0.5
"""By so many digits an explanation must say more than it takes to single it out: chance explains one in three then."""
EXACT_DIGITS = 6.0
"""Digits that an exact form is worth."""
MOST_DIGITS = 12.0
"""Digits of one figure that are counted: floats have few more."""


@record
class Support(Record):
    """What speaks for an explanation."""

    digits: float
    """Of the figures that it explains and that are not right in themselves, as far as each could have been another."""
    tried: int
    """The explanations among which it was found."""

    @property
    def is_enough(self) -> bool:
        """Whether chance hardly explains as much."""
        return self.digits - log10(max(self.tried, 1)) >= ENOUGH

    def confidence(self, ties: int = 1) -> float:
        """How likely it is the cause, 0 to 1, where so many explain as much."""
        chance = min(1.0, max(self.tried, 1) * 10.0**-self.digits)
        return float(round((1 - chance) / max(ties, 1), 4))


def digits_of(
    quantity: Quantity, written: Mapping[Place, Written], places: Collection[Place], true: Floats | None = None
) -> float:
    """How many digits some figures of a quantity have that could have been others: to their last place, out of the
    range of the numbers around them (and of the `true` ones). Of shares that sum to 1, one follows from the
    others of its row."""
    known = [] if true is None else [x for row in true.rows for x in row if isfinite(x)]
    spread = max(1.0, _spread(written, [])) if quantity.formula.shares else _spread(written, known)
    if not quantity.formula.shares:
        return sum(_digits(written[place], spread) for place in places)
    total = 0.0
    for token in range(quantity.token_count):
        row = [(cell.row, cell.column) for cell in quantity.cells(token)]
        found = [_digits(written[place], spread) for place in row if place in places]
        whole = all(place in places or _is_nothing(written.get(place)) for place in row)
        total += sum(found) - (max(found) if whole and len(found) > 1 and _is_whole(row, written) else 0.0)
    return total


def _is_nothing(written: Written | None) -> bool:
    """Whether a share is none at all, as where a mask forbids it."""
    return written is not None and not written.infinite and written.value == 0


def _is_whole(row: Sequence[Place], written: Mapping[Place, Written]) -> bool:
    """Whether shares sum to 1, as far as their digits show it."""
    cells = [written[place] for place in row if place in written and not written[place].infinite]
    return abs(sum(as_float(w.value) for w in cells) - 1) <= sum(map(_unit, cells))


def _digits(written: Written, spread: float) -> float:
    if written.infinite:
        return 1.0
    if written.places is None:
        return EXACT_DIGITS
    unit = 1.0 if written.whole else to_float(written.unit)
    return min(MOST_DIGITS, max(0.0, log10(spread / unit))) if unit and spread else 0.0


def _spread(written: Mapping[Place, Written], known: Sequence[float]) -> float:
    """The range in which the numbers of a matrix lie, as far as they show it."""
    numbers = [*known, *(x for w in written.values() if not w.infinite and isfinite(x := as_float(w.value)))]
    if not numbers:
        return 1.0
    return max(max(numbers) - min(numbers), max(map(abs, numbers))) + max(_unit(w) for w in written.values())


def _unit(written: Written) -> float:
    return 0.0 if written.places is None else 1.0 if written.whole else to_float(written.unit)


def as_float(value: Any) -> float:
    """A number as a float, infinite beyond the range of those."""
    try:
        return to_float(value)
    except (ArithmeticError, TypeError, ValueError):
        return inf


def holds_in_floats(written: Written, value: float) -> bool:
    """Whether a float is what was written, to its last place."""
    if written.infinite:
        return value == -inf
    if not isinstance(written.value, Fraction):
        return False
    number = as_float(written.value)
    half = 0.0 if written.places is None else as_float(written.unit) / 2
    slack = half + 1e-9 * max(1.0, abs(number)) * (half or 1.0)
    return isfinite(value) and isfinite(number) and abs(value - number) <= slack
