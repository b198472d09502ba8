"""What went wrong: the graph is run again with each mistake people make, with a given number misread, with results
rounded besides, and with pairs of mistakes, from the answers written before. A cause is named only if it leads to every
cell that was written, and chance does not explain as much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attnsolve.check import hypotheses
from attnsolve.check.arithmetic import Tier, bounds, tier_of
from attnsolve.check.evidence import Support, digits_of
from attnsolve.check.judge import BITS
from attnsolve.check.marking import Marking
from attnsolve.check.rerun import FAILURES, Case, Cases, Changed, Group
from attnsolve.check.slips import CellSlip, cell_slips
from attnsolve.check.written import Written
from attnsolve.graph import Quantity, run
from attnsolve.key import Key
from attnsolve.numbers.balls import at_precision
from attnsolve.numbers.floats import Floats
from attnsolve.record import Record, record

Place = tuple[int, int]
Values = dict[Key, Any]


@record
class Diagnosis(Record):
    """What would lead to the answers of one quantity: a mistake (several are a tie), or slips in single cells."""

    quantity: Quantity
    mistakes: tuple[Group, ...]
    """Each explains all that was written of the quantity, alone or (two of them) together."""
    cells: Mapping[Place, tuple[CellSlip, ...]]
    confidence: float = 0.0
    """How likely one of its causes is the cause, 0 to 1: what chance and the other causes leave."""
    explains: int = 0
    """How many written figures it leads to."""
    rounded: str = ""
    """How results were rounded on the way, where that is needed to explain the figures."""
    known: bool = True
    """Whether what it rests on was written down, so that the slip is here and not somewhere before."""

    @property
    def is_certain(self) -> bool:
        """Whether one mistake explains it and nothing else does."""
        return len(self.mistakes) == 1


def diagnose(marking: Marking) -> list[Diagnosis]:
    """For every quantity with wrong cells, in the order of the solution."""
    if not any(mark.verdict == "wrong" for mark in marking.marks.values()):
        return []
    with at_precision(BITS):
        return list(SheetReadings(marking).diagnoses())


class SheetReadings:
    """One answer sheet, with two readings of every quantity as whoever wrote it has it: what they wrote, and what that
    was rounded from, as far as it can be seen."""

    def __init__(self, marking: Marking) -> None:
        self.marking = marking
        self.graph = marking.solution.graph
        self.cases = Cases.of(marking.solution)
        self.tries = self.cases.affordable
        """Runs of the graph that are left: where they give out, no mistake is named rather than one of several."""
        self.tier = tier_of(marking.solution)
        self.written = {key: marking.answers.of(key) for key in marking.answers.keys}
        self.bounds = {key: [(*place, *bounds(w)) for place, w in cells.items()] for key, cells in self.written.items()}
        self.true = self.tier.true
        self.unrounded: Values = {}
        self.as_written: Values = {}

    def diagnoses(self) -> Iterator[Diagnosis]:
        for quantity in sorted(self.graph, key=lambda q: not q.given):  # a mistake may use what is given early
            self._read(quantity)
            if self._wrong(quantity.key):
                found = Search(self, quantity).diagnosis()
                if found is not None:
                    yield found

    def _wrong(self, key: Key) -> dict[Place, Written]:
        if key not in self.written or key in self.marking.answers.transposed:
            return {}
        marks = self.marking.of(key)
        return {place: m.written for place, m in marks.items() if m.verdict == "wrong" and m.written is not None}

    @cached_property
    def wrong_keys(self) -> list[Key]:
        """The quantities in which something is wrong."""
        return [quantity.key for quantity in self.graph if self._wrong(quantity.key)]

    def off(self, key: Key) -> list[Place]:
        """The cells that are not right in themselves."""
        return [place for place, mark in self.marking.of(key).items() if mark.verdict in ("wrong", "follows")]

    @cached_property
    def rough(self) -> Values:
        """The right values in floats."""
        return _rough(dict(self.true))

    def _read(self, quantity: Quantity) -> None:
        """Take a quantity over into both readings."""
        key, cells = quantity.key, self.written.get(quantity.key, {})
        if quantity.given:
            self.unrounded[key] = self.as_written[key] = self.true[key]
            return
        for values in (self.unrounded, self.as_written):
            values[key] = self._computed(quantity, values)
        if not cells:
            return
        self.as_written[key] = self.put_in(self.as_written[key], key, {place: w.value for place, w in cells.items()})
        computed, true = self.unrounded[key], self.true[key]
        own: dict[Place, Any] = {}
        for place, written in cells.items():
            if computed is not None and self.tier.reproduces(written, self.tier.cell(computed, place)):
                continue
            known = true is not None and self.tier.reproduces(written, self.tier.cell(true, place))
            own[place] = self.tier.cell(true, place) if known else written.value
        self.unrounded[key] = self.put_in(computed, key, own)

    def _computed(self, quantity: Quantity, values: Values) -> Any:
        return run(self.graph, self.tier.kind, only=[quantity.key], base=values, refusals=FAILURES)[quantity.key]

    def put_in(self, matrix: Any, key: Key, cells: Mapping[Place, Any]) -> Any:
        """A matrix with some entries as they were written; None where others have no value."""
        rows, columns = self.graph.shape(key)
        if not cells or (matrix is None and len(cells) < rows * columns):
            return matrix
        old: Any = [[None] * columns for _ in range(rows)] if matrix is None else matrix.rows
        try:
            return self.tier.matrix([[cells.get((i, j), old[i][j]) for j in range(columns)] for i in range(rows)])
        except FAILURES:
            return matrix

    def may_hold(self, key: Key, value: Floats) -> bool:
        """Whether floats may be what was written of a quantity."""
        return all(low <= value.rows[i][j] <= high for i, j, low, high in self.bounds.get(key, ()))

    def holds(self, key: Key, value: Any) -> bool:
        """Whether a value is what was written of a quantity."""
        cells = self.written.get(key, {})
        if value is None:
            return not cells
        return all(self.tier.reproduces(w, self.tier.cell(value, place)) for place, w in cells.items())


class Search:
    """The search for what led to the answers of one quantity."""

    def __init__(self, sheet: SheetReadings, quantity: Quantity) -> None:
        self.sheet = sheet
        self.tier: Tier = sheet.tier
        self.quantity = quantity
        self.written = sheet.written[quantity.key]
        behind = sheet.graph.ancestors(quantity.key)
        self.path = [q.key for q in sheet.graph if q.key == quantity.key or (q.key in behind and not q.given)]
        """What is computed on the way to this answer."""
        self.open = [key for key in self.path if key == quantity.key or self._is_open(sheet.graph[key])]
        """What of it was not (wholly) written down."""
        apart = any(key in sheet.written for key in self.path[:-1])
        readings = [dict(reading) for reading in (sheet.unrounded, sheet.as_written)[: 1 + apart]]
        for reading in readings:
            reading[quantity.key] = sheet._computed(quantity, reading)
        self.readings = [(reading, _rough(reading)) for reading in readings]

    def _is_open(self, quantity: Quantity) -> bool:
        rows, columns = quantity.shape
        return not quantity.given and len(self.sheet.written.get(quantity.key, ())) < rows * columns

    def diagnosis(self) -> Diagnosis | None:
        if any(self.sheet.holds(self.quantity.key, exact[self.quantity.key]) for exact, _ in self.readings):
            return None  # it follows from an earlier mistake, before that was rounded
        for find in (self._singly, self._misread, self._rounded):
            if found := find():
                return found
        cells = self._cells()
        if len(cells) < len(self.wrong) and (found := self._told(self.sheet.cases.pairs_in(self.open))):
            return found
        cells = cells if self._is_pen(cells) else {}
        most = max(map(len, cells.values()), default=0)
        return self._made((), cells, 0.5 / most if most else 0.0, len(cells))

    def _made(
        self, groups: Iterable[Group], cells: Mapping[Place, tuple[CellSlip, ...]], confidence: float, explains: int
    ) -> Diagnosis:
        return Diagnosis(
            self.quantity, tuple(groups), cells, confidence, explains, known=self.open == [self.quantity.key]
        )

    @property
    def wrong(self) -> dict[Place, Written]:
        """Its wrong cells."""
        return self.sheet._wrong(self.quantity.key)

    def _singly(self) -> Diagnosis | None:
        """One mistake, in what was not written or else anywhere."""
        cases = self.sheet.cases
        return self._told(cases.made_in(self.open)) or self._told(cases.made_in(self.path))

    def _misread(self) -> Diagnosis | None:
        """One given number misread."""
        best = hypotheses.misreads(self.sheet, self.quantity)
        cases = [Case((one,), {one.key: one.mistake.formula}) for one in best.found]
        found = [case.group for case in cases if self._take(case, [case.group[0].key, *self.path])]
        evidence = Support(best.digits, best.tried)
        if not found or not evidence.is_enough:
            return None
        return self._made(found, {}, evidence.confidence(len(found)), len(self.written))

    def _rounded(self) -> Diagnosis | None:
        """A mistake, and results rounded on the way."""
        if self.tier.symbolic or self.open == [self.quantity.key]:
            return None
        said, groups, tried = hypotheses.rounded_mistakes(self.sheet, self)
        found = self._weighed(groups, tried)
        return None if found is None else found.replaced(rounded=said)

    def _told(self, cases: Sequence[Case]) -> Diagnosis | None:
        before = dict(self.sheet.unrounded)
        found = self._weighed(self._explaining(cases), len(cases))
        if found is None:
            self.sheet.unrounded = before
        return found

    def _weighed(self, groups: Sequence[Group], tried: int) -> Diagnosis | None:
        """Mistakes that lead to what was written, unless chance explains as much."""
        if not groups:
            return None
        key = self.quantity.key
        evidence = Support(digits_of(self.quantity, self.written, self.sheet.off(key), self.sheet.rough[key]), tried)
        if not evidence.is_enough:
            return None
        return self._made(groups, {}, evidence.confidence(len(groups)), len(self.written))

    def _is_pen(self, cells: Mapping[Place, tuple[CellSlip, ...]]) -> bool:
        """Whether slips in single cells are to be thought of: the rest is right, or all slipped in the same way."""
        wrong = len(self.wrong)
        alike = set.intersection(*({slip.id for slip in slips} for slips in cells.values())) if cells else set()
        return wrong <= 1 or 2 * wrong <= len(self.written) or (len(cells) == wrong and bool(alike - {"digit-slip"}))

    def _take(self, case: Case, path: Sequence[Key]) -> bool:
        """Whether a cause leads to what was written, for certain; its value is what follows, then."""
        for exact, _ in self.readings:
            try:
                values = self.sheet.cases.rerun(case.changed, path, exact, self.tier.kind, self.sheet.holds)
            except FAILURES:
                continue
            if values is not None:
                self.sheet.unrounded[self.quantity.key] = values[self.quantity.key]
                return True
        return False

    def _explaining(self, cases: Iterable[Case]) -> list[Group]:
        """The mistakes that lead to all that was written; of two that hold, not one that is in the other."""
        found: list[Group] = []
        for case in cases:
            self.sheet.tries -= len(self.readings)
            if self.sheet.tries < 0:
                return []
            value = self._explains(case.changed)
            if value is None or any(set(group) <= set(case.group) for group in found):
                continue
            if not found:  # what follows was worked out before this was rounded
                self.sheet.unrounded[self.quantity.key] = value
            found.append(case.group)
        return found

    def _explains(self, changed: Changed) -> Any:
        """The value that mistakes lead to, if it is what was written; floats tell quickly, the tier for certain. What
        was written on the way must be what they lead to, too."""
        sheet = self.sheet
        for exact, rough in self.readings:
            try:
                if sheet.cases.rerun(changed, self.path, rough, Floats, sheet.may_hold) is None:
                    continue
                values = sheet.cases.rerun(changed, self.path, exact, self.tier.kind, sheet.holds)
            except FAILURES:
                continue
            if values is not None and sheet.holds(self.quantity.key, values[self.quantity.key]):
                return values[self.quantity.key]
        return None

    def _cells(self) -> dict[Place, tuple[CellSlip, ...]]:
        """Slips that explain single cells."""
        found: dict[Place, tuple[CellSlip, ...]] = {}
        if self.tier.symbolic:
            return found
        for place in self.sheet._wrong(self.quantity.key):
            for exact, _ in self.readings:
                grid = exact[self.quantity.key]
                if grid is None or place in found:
                    continue
                try:
                    here = cell_slips(self.quantity.formula, exact, place, self.written, grid)
                except FAILURES:
                    continue
                if here:
                    found[place] = tuple(here)
        return found


def _rough(values: Values) -> Values:
    return {key: None if value is None else _floats(value) for key, value in values.items()}


def _floats(value: Any) -> Floats | None:
    try:
        return Floats.of(value.rows)
    except (*FAILURES, TypeError):
        return None
