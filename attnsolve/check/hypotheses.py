"""What else may have led to the answers of one quantity, besides a mistake by itself: a given number misread, a mistake
with results rounded on the way. Both are looked up among predictions that are made once for a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnsolve.check.evidence import digits_of, holds_in_floats
from attnsolve.check.misread import Misread, Misreads
from attnsolve.check.rerun import Case, Group
from attnsolve.check.rounding import OF_MISTAKES, Habit, Predicted, Prediction, predict
from attnsolve.graph import Quantity
from attnsolve.key import Key
from attnsolve.numbers.floats import Floats
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.check.diagnose import Search, SheetReadings


@record
class Found(Record):
    """Numbers that were misread, any of which explains the most, and how much that says."""

    found: tuple[Misread, ...] = ()
    digits: float = 0.0
    tried: int = 0


def misreads(sheet: SheetReadings, quantity: Quantity) -> Found:
    """The misread numbers that lead to what was written of a quantity, and to all else that is wrong and rests on them;
    those that explain most. What changes a single figure is a slip of the pen just as well; and where nothing was
    written of what the number goes into first, many another mistake leads to the same figures."""
    if sheet.tier.symbolic:
        return Found()
    seen = {key for written in sheet.written for key in sheet.graph[written].formula.leaves()}
    behind = sheet.graph.ancestors(quantity.key)
    known = Misreads.of(sheet.marking.solution, sheet.rough).all
    best: dict[Misread, float] = {}
    for one, values in known:
        if one.key in behind and one.key in seen and _holds(sheet, quantity.key, values.get(quantity.key)):
            explained = _explained(sheet, values)
            if explained is not None:
                best[one] = explained
    most = max(best.values(), default=0.0)
    return Found(tuple(one for one, digits in best.items() if digits == most), most, len(known))


def _holds(sheet: SheetReadings, key: Key, value: Floats | None) -> bool:
    if value is None:
        return False
    return all(holds_in_floats(w, value.rows[i][j]) for (i, j), w in sheet.written[key].items())


def _explained(sheet: SheetReadings, values: dict[Key, Floats | None]) -> float | None:
    """The digits of all wrong quantities that a misread number leads to; None where it should change one, and that is
    wrong in another way."""
    total, count = 0.0, 0
    for key in sheet.wrong_keys:
        if key not in values:
            continue
        if not _holds(sheet, key, values[key]):
            return None
        places = sheet._wrong(key)
        count += len(places)
        total += digits_of(sheet.graph[key], sheet.written[key], places, sheet.rough[key])
    return total if count > 1 else None


def rounded_mistakes(sheet: SheetReadings, search: Search) -> tuple[str, list[Group], int]:
    """The mistakes that lead to what was written where results were rounded on the way, to the same places all of
    them; how these were rounded, and how many were tried."""
    cases = sheet.cases.made_in(search.open)
    tried = len(cases) * len(OF_MISTAKES)
    for habit in OF_MISTAKES:
        sheet.tries -= len(cases)
        if sheet.tries < 0:
            return "", [], tried
        found: list[Group] = []
        for case in cases:
            prediction = _mistaken(sheet, search, habit, case)
            if prediction is None or not prediction.explains(search.written):
                continue
            if not any(set(group) <= set(case.group) for group in found):
                found.append(case.group)
        if found:
            return habit.said, found, tried
    return "", [], tried


def _mistaken(sheet: SheetReadings, search: Search, habit: Habit, case: Case) -> Prediction | None:
    """A quantity as a mistake leads to it with rounded results; kept where nothing was printed on the way."""
    key = search.quantity.key
    if not any(other in sheet.written for other in search.path[:-1]):
        kept = Predicted.of(sheet.marking.solution).mistaken
        place = habit, case.group, key
        if place not in kept:
            kept[place] = predict(sheet.graph, habit, search.path, sheet.rough, formulas=case.changed).get(key)
        return kept[place]
    _, rough = search.readings[-1]
    return predict(sheet.graph, habit, search.open, rough, formulas=case.changed).get(key)
