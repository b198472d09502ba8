"""A whole answer sheet marked: every cell judged, slips followed, the first real one found, parts scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import floor

from attnsolve.bounds import allowed
from attnsolve.check.answers import Answers
from attnsolve.check.convention import by_other_convention
from attnsolve.check.credit import credit_rounding
from attnsolve.check.follow import carried_exactly, carried_forward
from attnsolve.check.judge import BITS, CREDITED, SLIGHT, Judgement, Verdict, judge, judge_real
from attnsolve.check.recognise import Recognised, recognise
from attnsolve.check.written import Written
from attnsolve.graph import Cell, Quantity
from attnsolve.key import Key
from attnsolve.narrate.cases import asked
from attnsolve.narrate.steps import positions
from attnsolve.numbers.balls import Ball, Balls, at_precision, ball, largest
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.written import Figures, Real
from attnsolve.record import Record, record
from attnsolve.solution.exact import Solution
from attnsolve.spec.number import MINUS_INFINITY
from attnsolve.spec.parts import Part
from attnsolve.spec.rules import Rule

MOST_ROOM = 4
"""Units of an answer's last place (or a slight share of it) that the digits left out before it may leave open, for
it to count as following."""
TRANSPOSED = "you wrote the matrix transposed"
ORDER: tuple[Verdict, ...] = ("exact", "right", "slip", "follows", "wrong", "blank")


@record
class MarkedCell(Record):
    """One cell: what was written, and what it is worth."""

    cell: Cell
    written: Written | None
    judgement: Judgement

    @property
    def verdict(self) -> Verdict:
        """Its verdict."""
        return self.judgement.verdict

    @property
    def credited(self) -> bool:
        """Whether it counts."""
        return self.verdict in CREDITED


@record
class Score(Record):
    """What one part is worth: its marks (None where the sheet gives none), and how many of its cells count."""

    part: Part
    right: int
    cells: int

    @property
    def share(self) -> Fraction:
        """The part of it that was got right."""
        return Fraction(self.right, self.cells) if self.cells else Fraction(0)

    @property
    def marks(self) -> Fraction | None:
        """The marks that were earned."""
        return None if self.part.marks is None else self.part.marks * self.share


def rounded_marks(earned: Fraction, possible: Fraction) -> Fraction:
    """Marks to a hundredth; full marks only where nothing was lost.

    >>> rounded_marks(Fraction(17, 3), Fraction(6)), rounded_marks(Fraction(255, 256), Fraction(1))
    (Fraction(567, 100), Fraction(99, 100))
    """
    nearest = Fraction(round(earned * 100), 100)
    return nearest if nearest < possible or earned >= possible else Fraction(floor(earned * 100), 100)


@dataclass
class Marking:
    """Everything found out about one answer sheet."""

    solution: Solution
    answers: Answers
    marks: dict[Cell, MarkedCell] = field(default_factory=dict)
    values: dict[Key, Balls] = field(default_factory=dict)
    """What each quantity is for whoever wrote the answers: theirs where they wrote it, what follows elsewhere."""
    followed: Mapping[Key, Balls | Exact | None] = field(default_factory=dict)
    """What the answers before each quantity lead to."""
    refused: list[Key] = field(default_factory=list)
    """Answers that were not followed, since they leave nothing to compute."""
    recognised: list[Recognised] = field(default_factory=list)
    """Right figures in the wrong place."""
    convention: str = ""
    """The convention of whoever wrote them, where it is not ours and as good."""
    rounded: str = ""
    """How results were rounded on the way, where only that explains some of them."""

    @property
    def off(self) -> int:
        """How many of the cells that were written are not right in themselves."""
        return sum(mark.verdict in ("follows", "wrong") for mark in self.marks.values())

    def of(self, key: Key) -> dict[tuple[int, int], MarkedCell]:
        """The marks of one quantity."""
        return {(mark.cell.row, mark.cell.column): mark for mark in self.marks.values() if mark.cell.key == key}

    @property
    def quantities(self) -> Iterator[Quantity]:
        """The quantities with anything marked in them, in the order of the solution."""
        keys = {cell.key for cell in self.marks}
        return (quantity for quantity in self.solution.graph if quantity.key in keys)

    def counts(self) -> dict[Verdict, int]:
        """How many cells got each verdict."""
        found = [mark.verdict for mark in self.marks.values()]
        return {verdict: found.count(verdict) for verdict in ORDER if verdict in found}

    def leads_cleanly(self, cell: Cell) -> bool:
        """Whether nothing that a cell rests on was wrong: then only rounding can have moved it."""
        bad = {m.cell for m in self.marks.values() if m.verdict in ("wrong", "follows")}
        return not bad or bad.isdisjoint(self.solution.behind(cell))

    @property
    def first_slip(self) -> MarkedCell | None:
        """The first cell that is wrong and does not follow from anything."""
        wrong = (mark for mark in self.marks.values() if mark.verdict == "wrong")
        return next(wrong, None)

    @property
    def all_right(self) -> bool:
        """Whether nothing is wrong and nothing asked for is missing."""
        return all(mark.credited for mark in self.marks.values())

    @property
    def scores(self) -> list[Score]:
        """Every part with what was earned for it."""
        return [self._score(part) for part in self.solution.problem.parts if part.find]

    def _score(self, part: Part) -> Score:
        cells = list(requested_cells(self.solution, part))
        return Score(part, sum(cell in self.marks and self.marks[cell].credited for cell in cells), len(cells))


def requested_cells(solution: Solution, part: Part) -> Iterator[Cell]:
    """The cells that a part asks for."""
    for quantity in asked(part, solution.graph):
        if not quantity.given:
            tokens = positions(quantity, part.tokens) or range(quantity.token_count)
            yield from (cell for token in tokens for cell in quantity.cells(token))


def mark(solution: Solution, answers: Answers, *, follow: bool = True) -> Marking:
    """Judge every cell that was written, or that the parts ask for; by another convention that is as good, where more
    of the answers are right by that."""
    marking = _mark(solution, answers, follow)
    if marking.off and (other := by_other_convention(solution)) is not None:
        otherwise = _mark(other.solution, answers, follow)
        if otherwise.off < marking.off:
            otherwise.convention = other.said
            return otherwise
    return marking


def _mark(solution: Solution, answers: Answers, follow: bool) -> Marking:
    with at_precision(BITS):
        answers, recognised = recognise(solution, answers)
        answers = _masked_alike(solution, answers)
        marking = Marking(solution, answers, recognised=recognised)
        judging = _Judging(solution, answers, follow)
        marking.refused = judging.refused
        marking.values = judging.values
        marking.followed = judging.leads_to or judging.exactly
        for cell in _cells(solution, answers):
            marking.marks[cell] = judging.mark(cell, marking)
        if not judging.exactly and any(mark.verdict == "wrong" for mark in marking.marks.values()):
            credit_rounding(marking, follow=follow)
    return marking


def _masked_alike(solution: Solution, answers: Answers) -> Answers:
    """The answers with −∞ wherever it is the truth and a number was written that stands for it, so that what follows
    follows from −∞."""
    meant = {
        cell: replace(written, value=MINUS_INFINITY, places=None, whole=False)
        for cell, written in answers.cells.items()
        if written.forbids and solution.real(*cell).is_infinite
    }
    return replace(answers, cells=answers.cells | meant)


def _cells(solution: Solution, answers: Answers) -> list[Cell]:
    """The cells to mark, in the order of the solution."""
    wanted = dict.fromkeys(
        [*answers.wanted, *(c for p in solution.problem.parts for c in requested_cells(solution, p))]
    )
    order = {quantity.key: place for place, quantity in enumerate(solution.graph)}
    return sorted(wanted, key=lambda cell: (order[cell.key], cell.row, cell.column))


class _Judging:
    def __init__(self, solution: Solution, answers: Answers, follow: bool) -> None:
        self.solution = solution
        self.answers = answers
        self.answered = answers.keys
        self.true = solution.balls(BITS)
        self.figures = [solution.figures(), Figures(solution.problem.digits, solution.problem.style)]
        self.truths = [solution] if solution.unrounded is solution else [solution, solution.unrounded]
        self.followed: list[dict[Key, Balls]] = []
        self.widely: dict[Key, Balls] = {}
        self.exactly: dict[Key, Exact | None] = {}
        self.leads_to: dict[Key, Balls] = {}
        self.values: dict[Key, Balls] = {}
        self.refused: list[Key] = []
        self.scales: dict[tuple[int, Key], Ball | None] = {}
        """By the identity of the values, all of which are kept here."""
        if any(value is None for value in self.true.values()):
            self.exactly, self.refused = carried_exactly(solution.graph, answers) if follow else ({}, [])
            return
        self.leads_to, self.values, self.refused = carried_forward(solution.graph, answers, self.true)
        if follow:
            self.followed = [self.leads_to]
            self.widely = carried_forward(solution.graph, answers, self.true, wide=True)[0]
        if follow and len(self.truths) > 1:
            rounding = solution.problem.rounding
            self.followed.append(carried_forward(solution.graph, answers, self.true, rounding)[0])

    def mark(self, cell: Cell, marking: Marking) -> MarkedCell:
        mark = self._judged(cell, marking)
        if cell.key in self.answers.transposed and mark.written is not None and mark.credited:
            return replace(mark, judgement=Judgement("wrong", TRANSPOSED))
        return mark

    def _judged(self, cell: Cell, marking: Marking) -> MarkedCell:
        written = self.answers.cells.get(cell)
        if written is None:
            if cell in self.answers.unread:
                return MarkedCell(cell, None, Judgement("blank", "it could not be read"))
            hidden = self.solution.real(*cell).is_infinite and cell.key in self.answered
            judgement = Judgement("right", "left blank where the entry is masked") if hidden else Judgement("blank")
            return MarkedCell(cell, None, judgement)
        rule = rule_of(self.solution, cell.key)
        scale = self._scale(cell, written, self.true)
        best = _best([judge_real(written, s.real(*cell), rule, scale) for s in self.truths])
        if best.verdict in ("exact", "right"):
            return MarkedCell(cell, written, best)
        if rule is None and any(self._printed(s.real(*cell), written) for s in self.truths):
            return MarkedCell(cell, written, Judgement("right"))
        student = self._judge_following(cell, written, rule)
        if student.verdict in ("exact", "right") or (student.verdict == "slip" and best.verdict == "wrong"):
            clean = marking.leads_cleanly(cell)
            if clean and best.verdict != "slip":
                why = "rounded values were carried forward" + (f", and {student.why}" if student.why else "")
                return MarkedCell(cell, written, Judgement("slip", why))
            if not clean:
                return MarkedCell(cell, written, Judgement("follows", student.why, student.room))
        return MarkedCell(cell, written, best)

    def _printed(self, real: Real, written: Written) -> bool:
        """Whether it is the very decimal that the solution shows: 1002 for 1002.4, to four digits."""
        if written.places is None or real.is_symbolic or real.is_infinite:
            return False
        shown = [d for f in self.figures if abs((d := f.rounded(real)).exponent) <= allowed().answer_exponent]
        fine = [d for d in shown if written.whole or written.places <= d.places]
        return any(d.fraction == written.value for d in fine)

    def _scale(self, cell: Cell, written: Written, values: Mapping[Key, Balls | None]) -> Ball | None:
        """The size of the largest number of a matrix, against which a coarse answer says nothing; None where the sheet
        itself asks for no more digits than were written."""
        rounding = self.solution.problem.rounding
        inner = self.solution.graph.is_inner(cell.key)
        places = None if rounding is None else rounding.places_of(cell.key.id, inner=inner)
        if places is not None and written.places is not None and written.places >= places:
            return None
        name = id(values), cell.key
        if name not in self.scales:
            balls = values[cell.key]
            self.scales[name] = None if balls is None else largest(x for row in balls.rows for x in row)
        return self.scales[name]

    def _judge_following(self, cell: Cell, written: Written, rule: Rule | None) -> Judgement:
        """An answer held against what the answers before it lead to."""
        exactly = self.exactly.get(cell.key)
        if exactly is not None:
            return judge_real(written, Real.of(exactly.rows[cell.row][cell.column]), rule)
        found = [
            judge(
                written, values[cell.key].table[cell.row, cell.column], None, rule, self._scale(cell, written, values)
            )
            for values in self.followed
        ]
        best = _best(found or [Judgement("wrong")])
        return self._unrounded(cell, written, rule) if best.verdict == "wrong" else best

    def _unrounded(self, cell: Cell, written: Written, rule: Rule | None) -> Judgement:
        """The same where the answers before it were carried on with more digits than they were written with; unless
        that would leave so much room that nearly anything would do. Nothing is forgiven on top of that room."""
        if written.places is None or cell.key not in self.widely:
            return Judgement("wrong")
        room = self.widely[cell.key].table[cell.row, cell.column]
        most = (MOST_ROOM * ball(written.unit), ball(SLIGHT) * abs(room.mid()))
        if not room.is_finite() or not any(room.rad() <= some for some in most):
            return Judgement("wrong")
        found = replace(judge(written, room, None, rule, self._scale(cell, written, self.widely)), room=room)
        return found if found.verdict in ("exact", "right") else Judgement("wrong")


def rule_of(solution: Solution, key: Key) -> Rule | None:
    """How closely the answers for a quantity must agree, where the problem says so."""
    return solution.problem.rules.get(key.id) or solution.problem.rules.get("")


def _best(judgements: list[Judgement]) -> Judgement:
    return min(judgements, key=lambda judgement: ORDER.index(judgement.verdict))


def true_value(solution: Solution, cell: Cell) -> Real:
    """What should stand in a cell."""
    return solution.unrounded.real(*cell)
