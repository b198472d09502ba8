"""What is told about a marked answer sheet: the first slip and its cause, what follows from it, every cell, marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from attnsolve import notation as n
from attnsolve.check.diagnose import Diagnosis
from attnsolve.check.judge import GLYPHS, WORDS, accepted
from attnsolve.check.marking import Mark, Marking, true_value
from attnsolve.check.slips import CellSlip
from attnsolve.document import Block, Document, Inline, Lines, Marked, Note, Paragraph, Section, Table
from attnsolve.errors import count
from attnsolve.graph import Quantity
from attnsolve.mistakes import Slip
from attnsolve.narrate import prose
from attnsolve.narrate.view import Leaves, SolutionView
from attnsolve.numbers.balls import Balls, ball
from attnsolve.numbers.decimals import round_fraction
from attnsolve.numbers.written import Figures, Real, write_decimal
from attnsolve.operations.formula import Key

MOST_LISTED = 12
"""Cells that are listed one by one."""
MOST_GUESSES = 2
"""Slips that would explain one entry: more of them say nothing."""
MOST_TIES = 4
"""Explanations that are told where several would do."""


def report(marking: Marking, diagnoses: Sequence[Diagnosis], digits: int | None = None) -> Document:
    """The whole report."""
    return _Report(marking, diagnoses, digits).document()


class _Theirs(Leaves):
    """The numbers as whoever answered has them: what they wrote, and what follows elsewhere."""

    def __init__(self, marking: Marking, figures: Figures) -> None:
        super().__init__(marking.solution)
        self.marking = marking
        self.figures = figures

    def cell(self, key: Key, row: int, column: int) -> n.Notation:
        """What they wrote, or else what it comes to."""
        written = self.marking.answers.of(key).get((row, column))
        if written is not None and isinstance(written.value, Fraction):
            return (
                n.Num(written.text)
                if written.places is not None
                else Figures(6, "fraction").show(Real.of(_expression(written.value))).notation
            )
        values = self.marking.values.get(key)
        if values is None or self.solution.graph[key].given:
            return self.figures.show(self.solution.real(key, row, column)).notation
        return self.figures.show(_real(values, row, column, self.solution.real(key, row, column))).notation


def _expression(value: Fraction) -> object:
    from attnsolve.numbers.exact import to_expression

    return to_expression(value)


def _real(values: Balls, row: int, column: int, true: Real) -> Real:
    """A value that follows: the true one where it is that, else what its ball says."""
    found = values.table[row, column]
    if true.rational is not None and found.contains(ball(true.rational)):
        return true
    return Real(None, lambda bits: found)


class _Report:
    def __init__(self, marking: Marking, diagnoses: Sequence[Diagnosis], digits: int | None) -> None:
        self.marking = marking
        self.solution = marking.solution
        self.diagnoses = {diagnosis.quantity.key: diagnosis for diagnosis in diagnoses}
        self.figures = marking.solution.figures(digits)
        self.view = SolutionView(self.solution, self.figures)

    def document(self) -> Document:
        problem = self.solution.problem
        blocks: list[Block] = [Paragraph(self._summary())]
        if (first := self.marking.first_slip) is not None:
            blocks.append(self._first(first))
        blocks += [self._quantity(quantity) for quantity in self.marking.quantities]
        if self.marking.scores:
            blocks.append(self._scores())
        return Document(f"Answers to: {problem.title or 'Attention'}", self.marking.answers.file, tuple(blocks))

    def _summary(self) -> Inline:
        counts = self.marking.counts()
        total = sum(counts.values())
        said = ", ".join(f"{number} {WORDS[verdict]}" for verdict, number in counts.items())
        return (f"{count(total, 'entry', 'entries')}: {said}.",)

    # ── the first slip ──────────────────────────────────────────────────────────────────────────

    def _first(self, first: Mark) -> Section:
        quantity = self.solution.graph[first.cell.key]
        symbol = self.view.cell(*first.cell)
        assert first.written is not None
        blocks: list[Block] = [*self._arithmetic(first), Paragraph(("Written was ", self._as_written(first), "."))]
        if (diagnosis := self.diagnoses.get(quantity.key)) is not None:
            blocks += self._cause(diagnosis, (first.cell.row, first.cell.column))
        follows = [q.name.matrix for q in self.marking.quantities if self._any(q, "follows")]
        if follows:
            blocks.append(Paragraph(("Taken from there, these follow and count: ", *_listed(follows), ".")))
        for key in self.marking.refused:
            said = (
                "The answer for ",
                self.solution.graph[key].name.matrix,
                " is not followed: nothing would be left to compute.",
            )
            blocks.append(Note(said))
        return Section(("The first slip: ", symbol), tuple(blocks), quantity.key.id, quantity.key.head)

    def _as_written(self, mark: Mark) -> n.Notation:
        assert mark.written is not None
        return n.Num(mark.written.text) if mark.written.places is not None else n.Word(mark.written.text)

    def _arithmetic(self, mark: Mark) -> Iterator[Block]:
        """How this very cell is worked out, from what was written before."""
        quantity = self.solution.graph[mark.cell.key]
        theirs = _Theirs(self.marking, self.figures.guarded())
        worked = quantity.formula.cell(mark.cell.row, mark.cell.column, theirs)
        values = self.marking.values
        result: n.Notation = self.figures.show(true_value(self.solution, mark.cell)).notation
        exact = self.figures.show(true_value(self.solution, mark.cell)).exact
        if values:
            followed = quantity.formula.evaluate(values, Balls.of)
            shown = self.figures.show(
                _real(followed, mark.cell.row, mark.cell.column, true_value(self.solution, mark.cell))
            )
            result, exact = shown.notation, shown.exact
        formula = n.Chain(quantity.name.matrix, (("=", quantity.formula.notation(self.view.matrix)),))
        yield Paragraph(("It belongs to ", formula, ":"))
        links: list[tuple[str, n.Notation]] = [("=", worked)] if not isinstance(worked, n.Word) else []
        links.append(("=" if exact else "≈", result))
        yield Lines((n.Chain(self.view.cell(*mark.cell), tuple(links)),))

    def _cause(self, diagnosis: Diagnosis, place: tuple[int, int]) -> Iterator[Block]:
        if diagnosis.mistakes:
            yield Paragraph((_told(diagnosis.mistakes),))
        elif place in diagnosis.cells and len(diagnosis.cells[place]) <= MOST_GUESSES:
            yield Paragraph((_cell_told(diagnosis.cells[place]),))

    def _any(self, quantity: Quantity, verdict: str) -> bool:
        return any(mark.verdict == verdict for mark in self.marking.of(quantity.key).values())

    # ── quantity by quantity ────────────────────────────────────────────────────────────────────

    def _quantity(self, quantity: Quantity) -> Section:
        marks = self.marking.of(quantity.key)
        rows = sorted({row for row, _ in marks})
        columns = sorted({column for _, column in marks})
        cells = tuple(tuple(_shown(marks.get((i, j))) for j in columns) for i in rows)
        labels = [
            tuple(axis.labels[i] for i in places) if axis.labels else ()
            for axis, places in ((quantity.rows, rows), (quantity.columns, columns))
        ]
        blocks: list[Block] = [Marked(quantity.name.matrix, cells, labels[0], labels[1])]
        remarkable = [m for m in marks.values() if m.verdict in ("wrong", "slip", "follows")]
        if remarkable:
            blocks.append(self._listed(remarkable[:MOST_LISTED]))
            if len(remarkable) > MOST_LISTED:
                blocks.append(
                    Note((f"{count(len(remarkable) - MOST_LISTED, 'more entry', 'more entries')} like these.",))
                )
        diagnosis = self.diagnoses.get(quantity.key)
        if diagnosis is not None and (diagnosis.mistakes or diagnosis.cells):
            blocks += self._explained(diagnosis)
        called = prose.TITLES.get(quantity.key.id, quantity.key.id)
        return Section((f"{called} ", quantity.name.matrix), tuple(blocks), quantity.key.id, quantity.key.head)

    def _explained(self, diagnosis: Diagnosis) -> Iterator[Block]:
        if diagnosis.mistakes:
            yield Paragraph((_told(diagnosis.mistakes),))
            return
        first = self.marking.first_slip
        for (row, column), slips in list(diagnosis.cells.items())[:MOST_LISTED]:
            told = first is not None and first.cell == (diagnosis.quantity.key, row, column)
            if not told and len(slips) <= MOST_GUESSES:
                yield Paragraph((self.view.cell(diagnosis.quantity.key, row, column), ": ", _cell_told(slips)))

    def _listed(self, marks: Sequence[Mark]) -> Table:
        """The cells that are not simply right: written, what that stands for, the true value, why."""
        rows: list[tuple[Inline, ...]] = []
        for mark in marks:
            assert mark.written is not None
            interval = accepted(mark.written)
            stands = "that very number" if interval is None else f"{_plain(interval[0])} to {_plain(interval[1])}"
            true = self.figures.decimal(true_value(self.solution, mark.cell)).notation
            said = mark.judgement.why or mark.verdict
            rows.append(((self.view.cell(*mark.cell),), (mark.written.text,), (stands,), (true,), (said,)))
        return Table((("entry",), ("written",), ("right if it is",), ("true",), ("verdict",)), tuple(rows))

    def _scores(self) -> Section:
        rows: list[tuple[Inline, ...]] = []
        for score in self.marking.scores:
            marks = (
                ""
                if score.marks is None or score.part.marks is None
                else f"{_plain(score.marks)} of {_plain(score.part.marks)}"
            )
            said = (
                "all right"
                if score.right == score.cells
                else f"{score.right} of {count(score.cells, 'entry', 'entries')} count"
            )
            rows.append(((f"({score.part.letter})",), (marks,), (said,)))
        earned = [score.marks for score in self.marking.scores if score.marks is not None]
        if earned:
            possible = sum((s.part.marks for s in self.marking.scores if s.part.marks is not None), Fraction(0))
            rows.append((("all",), (f"{_plain(sum(earned, Fraction(0)))} of {_plain(possible)}",), ("",)))
        return Section(("Marks",), (Table((("part",), ("marks",), ("reason",)), tuple(rows)),))


def _plain(value: Fraction) -> str:
    """A short decimal."""
    if value.denominator == 1:
        return str(value)
    rounded = round_fraction(value, 6)
    return (
        rounded.plain()
        if rounded.is_plain
        else str(write_decimal(rounded).text) + f"e{write_decimal(rounded).exponent}"
    )


def _shown(mark: Mark | None) -> tuple[str, str, str]:
    if mark is None:
        return "", " ", ""
    return "_" if mark.written is None else mark.written.text, GLYPHS[mark.verdict], mark.verdict


def _listed(symbols: Sequence[n.Notation]) -> Inline:
    listed: list[str | n.Notation] = []
    for symbol in symbols:
        listed += [", ", symbol] if listed else [symbol]
    return tuple(listed)


def _told(mistakes: Sequence[tuple[Slip, ...]]) -> str:
    """One explanation, or several that can't be told apart."""
    said = [" and ".join(dict.fromkeys(slip.mistake.says for slip in group)) for group in mistakes]
    if len(said) == 1:
        return f"All of it would come out so if {said[0]}."
    more = f", or {len(said) - MOST_TIES} more" if len(said) > MOST_TIES else ""
    return f"It would come out so if {', or if '.join(said[:MOST_TIES])}{more}. These can't be told apart here."


def _cell_told(slips: Sequence[CellSlip]) -> str:
    if len(slips) == 1:
        return (
            f"It looks like {slips[0].says}."
            if slips[0].says.startswith(("a ", "an "))
            else f"Perhaps {slips[0].says}."
        )
    return f"It could be {', or '.join(slip.says for slip in slips[:MOST_TIES])}."
