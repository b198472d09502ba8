"""Answers that are off only since results were rounded on the way: one habit for the whole sheet, which leads to every
figure of a quantity. They are rounding slips then, and not wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite, log10
from typing import TYPE_CHECKING

from attnsolve.check.evidence import as_float, digits_of
from attnsolve.check.judge import WIDE, Judgement
from attnsolve.check.rerun import Cases
from attnsolve.check.rounding import HABITS, Habit, Predicted, Predictions, predict
from attnsolve.check.written import Written
from attnsolve.graph import Quantity
from attnsolve.key import Key
from attnsolve.numbers.balls import Balls
from attnsolve.numbers.floats import Floats, to_float

if TYPE_CHECKING:
    from attnsolve.check.marking import MarkedCell, Marking

Place = tuple[int, int]

ENOUGH = 0.3
"""By so many digits the figures must say more than it takes to single out a habit."""


def credit_rounding(marking: Marking, *, follow: bool) -> None:
    """Change the verdict on what is explained by one habit of rounding on the way."""
    sheet = _Sheet(marking, follow)
    if not sheet.wrong:
        return
    best: dict[Key, str] = {}
    habits = [habit for habit in HABITS if sheet.is_consistent(habit)]
    for habit in habits[: Cases.of(marking.solution).affordable]:
        if best and not sheet.is_left(best):
            break
        for predictions in sheet.predictions(habit):
            explained = sheet.explained(habit, predictions, len(habits))
            if len(explained) > len(best):
                best = dict.fromkeys(explained, habit.said)
    if best:
        sheet.credit(best)
        marking.rounded = next(iter(best.values()))


class _Sheet:
    def __init__(self, marking: Marking, follow: bool) -> None:
        self.marking = marking
        self.follow = follow
        self.graph = marking.solution.graph
        self.written = {key: marking.answers.of(key) for key in marking.answers.keys}
        self.wrong = {quantity.key: cells for quantity in self.graph if (cells := self._wrong(quantity))}
        """The quantities in which something is wrong that rounding may have led to, and where."""
        self.last = {quantity.key for quantity in self.graph.results}

    def is_left(self, explained: Mapping[Key, str]) -> bool:
        """Whether something wrong has no explanation yet."""
        return len(explained) < len(self.wrong)

    def _wrong(self, quantity: Quantity) -> list[Place]:
        """The wrong cells of a quantity; none where one of them can't have come from rounding."""
        answers, key = self.marking.answers, quantity.key
        if quantity.given or key not in self.written or key in answers.transposed or key in self.marking.refused:
            return []
        marks = {place: mark for place, mark in self.marking.of(key).items() if mark.verdict == "wrong"}
        if not all(map(_may_be_rounded, marks.values())):
            return []
        base = self.marking.followed.get(key)
        return list(marks) if isinstance(base, Balls) and self._is_near(key, base, marks) else []

    def _is_near(self, key: Key, base: Balls, marks: Mapping[Place, MarkedCell]) -> bool:
        """Whether the wrong cells are off by no more than rounding may do."""
        numbers = {(i, j): to_float(x.mid()) for i, row in enumerate(base.rows) for j, x in enumerate(row)}
        most = float(WIDE) * max((abs(x) for x in numbers.values() if isfinite(x)), default=0.0)
        values = ((numbers[place], mark.written) for place, mark in marks.items())
        return all(w is not None and abs(number - as_float(w.value)) <= most for number, w in values)

    def is_consistent(self, habit: Habit) -> bool:
        """Whether what was printed on the way has no more digits than are carried on."""
        if habit.mode == "figures":  # zeros before the first digit are written to fewer places than others
            return True
        for key, cells in self.written.items():
            if key not in self.last:
                places = (w.places for w in cells.values() if w.places is not None and not w.whole)
                if max(places, default=0) > habit.count:
                    return False
        return True

    def predictions(self, habit: Habit) -> Iterator[Predictions]:
        """What a habit leads to: from the givens, and from what was printed on the way."""
        yield Predicted.of(self.marking.solution).by(habit)
        if self.follow and len(self.written) > 1:
            yield predict(self.graph, habit, self.graph.quantities, {}, printed=self._printed)

    def _printed(self, key: Key, value: Floats) -> Floats:
        cells = self.written.get(key)
        if not cells:
            return value
        rows = [list(row) for row in value.rows]
        for (i, j), written in cells.items():
            rows[i][j] = as_float(written.value)
        return Floats(rows)

    def explained(self, habit: Habit, predictions: Predictions, tried: int) -> list[Key]:
        """The wrong quantities that a habit leads to in every figure, if that says enough."""
        found = [
            key
            for key in self.wrong
            if (prediction := predictions.get(key)) is not None and prediction.explains(self.written[key])
        ]
        digits = sum(digits_of(self.graph[key], self.written[key], self.wrong[key]) for key in found)
        if habit.inside:
            digits = min(digits, sum(self._digits_off(key) for key in found))
        return found if digits - log10(tried) >= ENOUGH else []

    def _digits_off(self, key: Key) -> float:
        """How many units the figures are off, in digits: what is off by two may be so for many reasons."""
        base, total = self.marking.followed[key], 0.0
        assert isinstance(base, Balls)
        for i, j in self.wrong[key]:
            written = self.written[key][i, j]
            off = abs(to_float(base.rows[i][j].mid()) - as_float(written.value))
            total += log10(max(1.0, 2 * off / (as_float(written.unit) or 1.0)))
        return total

    def credit(self, explained: Mapping[Key, str]) -> None:
        """Mark what was explained, in the order of the solution."""
        for quantity in self.graph:
            if quantity.key not in explained:
                continue
            for mark in list(self.marking.of(quantity.key).values()):
                if mark.verdict != "wrong":
                    continue
                clean = self.marking.leads_cleanly(mark.cell)
                if clean or self.follow:
                    judgement = Judgement("slip" if clean else "follows", explained[quantity.key])
                    self.marking.marks[mark.cell] = replace(mark, judgement=judgement)


def _may_be_rounded(mark: MarkedCell) -> bool:
    written: Written | None = mark.written
    return not mark.judgement.why and written is not None and written.places is not None and not written.infinite
