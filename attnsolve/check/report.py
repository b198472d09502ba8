"""What is told about a marked answer sheet: the first slip and its cause, what follows from it, every cell, marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from attnsolve import notation as n
from attnsolve.check.diagnose import Diagnosis
from attnsolve.check.headline import headline
from attnsolve.check.judge import BITS, GLYPHS, WORDS, Verdict, accepted
from attnsolve.check.laws import broken_laws
from attnsolve.check.marking import (
    TRANSPOSED,
    MarkedCell,
    Marking,
    Score,
    requested_cells,
    rounded_marks,
    rule_of,
    true_value,
)
from attnsolve.check.misread import Misread
from attnsolve.check.recognise import Recognised
from attnsolve.check.sentences import mistakes_sentence, slips_sentence
from attnsolve.check.student import StudentCells, as_notation, as_text, beside, real_of
from attnsolve.check.written import Written
from attnsolve.document import Block, Document, Inline, Lines, Marked, Note, Paragraph, Section, Table
from attnsolve.errors import count, in_running_text, plain
from attnsolve.graph import Cell, Quantity
from attnsolve.key import Key
from attnsolve.narrate.narrator import title_of
from attnsolve.narrate.view import SolutionView
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.balls import Ball, Balls, at_precision, midpoint
from attnsolve.numbers.decimals import round_fraction
from attnsolve.numbers.written import Real, write_decimal

MOST_LISTED = 12
"""Cells that are listed one by one."""
MOST_NOTED = 3
"""Cells of one matrix of which it is said how they were read."""
MOST_DIGITS = 8
"""Digits that are added to a true value until it can be seen to lie where it does."""
LONGEST_END = 12
"""Digits of the ends of an interval."""
SEVERAL: dict[Verdict, str] = {
    "slip": "rounding slips",
}
"""Verdicts on several entries, where that reads otherwise."""
MOST_GUESSES = 2
"""Slips that would explain one entry: more of them say nothing."""
FEW_WRONG = 4
"""Where more entries than this are wrong, and not all of them in the same way, what would explain one does so by
chance."""


def report(marking: Marking, diagnoses: Sequence[Diagnosis], digits: int | None = None) -> Document:
    """The whole report."""
    with at_precision(BITS):
        return _Report(marking, diagnoses, digits).document()


class _Report:
    def __init__(self, marking: Marking, diagnoses: Sequence[Diagnosis], digits: int | None) -> None:
        self.marking = marking
        self.solution = marking.solution
        self.diagnoses = {diagnosis.quantity.key: diagnosis for diagnosis in diagnoses}
        self.figures = marking.solution.figures(digits)
        self.view = SolutionView(self.solution, self.figures)
        self.misread: dict[Misread, Key] = {}
        """The misread numbers that were named, and where."""

    def document(self) -> Document:
        problem = self.solution.problem
        blocks: list[Block] = [Paragraph(self._summary())]
        if self.marking.convention:
            blocks.append(Note((f"In your answers {self.marking.convention}: a convention that is accepted, too.",)))
        blocks += [Paragraph(law) for law in broken_laws(self.marking)]
        if (first := self.marking.first_slip) is not None:
            blocks.append(self._first(first))
        blank = [
            q for q in self.marking.quantities if all(m.verdict == "blank" for m in self.marking.of(q.key).values())
        ]
        blocks += [self._quantity(quantity) for quantity in self.marking.quantities if quantity not in blank]
        if blank:
            blocks.insert(1, Paragraph(("You left ", *_and(blank), " blank.")))
        blocks[1:1] = [Paragraph(self._moved(found)) for found in self.marking.recognised if found.moved]
        if self.marking.scores:
            blocks.append(self._scores())
        if said := headline(self.marking, [*self.diagnoses.values()]):
            blocks.insert(0, Paragraph(said))
        return Document(f"Answers to: {title_of(problem)}", plain(self.marking.answers.file), tuple(blocks))

    def _summary(self) -> Inline:
        counts = self.marking.counts()
        if not counts:
            return ("There is nothing to mark: no answer could be read.",)
        sentence = ", ".join(f"{number} {_worded(v, number)} ({GLYPHS[v]})" for v, number in counts.items())
        return (f"{count(sum(counts.values()), 'entry', 'entries')}: {sentence}.",)

    def _moved(self, found: Recognised) -> Inline:
        """Figures that were written under another name than the one they have here."""
        name = _called(self.solution.graph[found.key])
        return ("What you wrote for ", *name, " is ", *self._exactly(found.meant), ", and is marked as such.")

    def _exactly(self, key: Key) -> Inline:
        quantity = self.solution.graph[key]
        return (f"exactly the {in_running_text(quantity.title or key.id)} ", quantity.name.matrix)

    def _in_place_of(self, key: Key) -> Iterator[Block]:
        """What the figures of a quantity are instead, where they were recognised."""
        for found in self.marking.recognised:
            if found.key == key and found.transposed:
                yield Paragraph(
                    (
                        "This is ",
                        n.Transposed(self.view.matrix(key)),
                        ": you wrote the matrix transposed.",
                    )
                )
            elif found.key == key and not found.moved:
                yield Paragraph(("What you wrote is ", *self._exactly(found.meant), "."))

    # ── the first slip ──────────────────────────────────────────────────────────────────────────

    def _first(self, first: MarkedCell) -> Section:
        quantity = self.solution.graph[first.cell.key]
        if first.judgement.why == TRANSPOSED:
            exchanged = Paragraph(
                ("You wrote ", quantity.name.matrix, " transposed, with its rows and columns swapped.")
            )
            return Section(("The first slip: ", *_called(quantity)), (exchanged,), quantity.key)
        title: Inline = ("The first slip: ", self.view.cell(*first.cell), *_case(quantity))
        diagnosis = self.diagnoses.get(quantity.key)
        if diagnosis is not None and not diagnosis.known and not diagnosis.mistakes and not diagnosis.cells:
            title = ("Somewhere before ", *_called(quantity), ": ", self.view.cell(*first.cell))
        assert first.written is not None
        why = f" ({first.judgement.why})." if first.judgement.why else "."
        blocks: list[Block] = [*self._arithmetic(first)]
        blocks.append(Paragraph(("You wrote ", as_notation(first.written), why)))
        blocks += self._cause(first)
        follows = [mark.cell.key for mark in self.marking.marks.values() if mark.verdict == "follows"]
        if follows:
            places = _and([self.solution.graph[key] for key in dict.fromkeys(follows)])
            if len(follows) == 1:
                sentence = " is wrong only because of an earlier slip and gets full credit."
                blocks.append(Paragraph(("The entry marked → in ", *places, sentence)))
            else:
                sentence = " are wrong only because of an earlier slip and get full credit."
                blocks.append(Paragraph(("The entries marked → in ", *places, sentence)))
        graph, answered = self.solution.graph, self.marking.answers.keys
        bare = [key for key in self.marking.refused if any(key in graph.ancestors(later) for later in answered)]
        if bare:
            symbols = _and([graph[key] for key in bare])
            sentence = ": what you wrote there leaves too little to compute."
            blocks.append(Note(("Later answers get no credit for following from ", *symbols, sentence)))
        return Section(title, tuple(blocks), quantity.key)

    def _arithmetic(self, mark: MarkedCell) -> Iterator[Block]:
        """How this very cell is worked out, from what was written before."""
        quantity = self.solution.graph[mark.cell.key]
        student = StudentCells(self.marking, self.figures.guarded())
        working = student.symbols(quantity.formula).at(mark.cell.row, mark.cell.column)
        true = true_value(self.solution, mark.cell)
        real = self._led_to(mark.cell) or true
        figures = self.figures if real is true else replace(self.figures, style="decimal")
        shown = figures.show(real)
        if not shown.exact:
            shown = beside(real, mark.written, figures)
        formula = n.Chain(quantity.name.matrix, (("=", quantity.formula.notation(self.view.matrix)),))
        called = (
            f"This entry belongs to the {in_running_text(quantity.title)}{quantity.key.whose}, "
            if quantity.title
            else "It belongs to "
        )
        yield Paragraph((called, formula, ":"))
        links: list[tuple[str, n.Notation]] = []
        if not isinstance(working, n.Word):
            links.append(("≈" if n.has_rounded(working) else "=", working))
        if shown.notation != working:
            links.append(("=" if shown.exact else "≈", shown.notation))
        if figures.needs_decimal(real) and shown.exact:
            links.append(("≈", beside(real, mark.written, figures).notation))
        yield Lines((n.Chain(self.view.cell(*mark.cell), tuple(links)),))

    def _led_to(self, cell: Cell) -> Real | None:
        """What the answers before a cell lead to; None where they have no form."""
        matrix, true = self.marking.followed.get(cell.key), true_value(self.solution, cell)
        if isinstance(matrix, Balls):
            return real_of(matrix.table[cell.row, cell.column], true)
        return None if matrix is None else Real.of(matrix.rows[cell.row][cell.column])

    def _cause(self, first: MarkedCell) -> Iterator[Block]:
        """What led to the first slip, as far as that can be seen."""
        diagnosis = self.diagnoses.get(first.cell.key)
        slips = () if diagnosis is None else diagnosis.cells.get((first.cell.row, first.cell.column), ())
        if diagnosis is not None and diagnosis.mistakes:
            yield from self._named(diagnosis)
        elif 0 < len(slips) <= MOST_GUESSES:
            sentence = slips_sentence(slips)
            yield Paragraph((sentence[0].upper() + sentence[1:],))
        elif slips:
            yield Paragraph(("Several different slips would lead to this number.",))
        elif not first.judgement.why and all(found.key != first.cell.key for found in self.marking.recognised):
            yield Paragraph(("No single known mistake explains this.",))

    def _named(self, diagnosis: Diagnosis) -> Iterator[Block]:
        """The causes of a diagnosis, and how much they explain; a misread number is named once."""
        misread = [slip for group in diagnosis.mistakes for slip in group if isinstance(slip, Misread)]
        if len(misread) == 1:
            (one,) = misread
            if one in self.misread and diagnosis.quantity.key != self.misread[one]:
                yield Paragraph(("This follows from the same misread number.",))
                return
            self.misread[one] = diagnosis.quantity.key
            cell, matrix = self.view.cell(one.key, *one.place), self.solution.graph.letter(one.key)
            read, stated = (write_decimal(round_fraction(x, LONGEST_END)) for x in (one.read, one.stated))
            yield Paragraph(("You read ", cell, " of ", matrix, " as ", read, " instead of ", stated, "."))
        else:
            rounded = f", and results were {diagnosis.rounded}" if diagnosis.rounded else ""
            yield Paragraph((mistakes_sentence(diagnosis.mistakes, rounded),))
        if diagnosis.explains > 1:
            name = diagnosis.quantity.key.id
            noun = name if name.isalpha() and name.endswith("s") else "figures here"
            yield Paragraph((f"This explains all {diagnosis.explains} of your {noun}.",))

    # ── quantity by quantity ────────────────────────────────────────────────────────────────────

    def _quantity(self, quantity: Quantity) -> Section:
        marks = self.marking.of(quantity.key)
        named = quantity.rows.labels  # a row that has a name can stand without the others; nothing names a column
        rows = sorted({row for row, _ in marks}) if named else range(quantity.shape[0])
        columns = range(quantity.shape[1])
        cells = tuple(tuple(_shown(marks.get((i, j))) for j in columns) for i in rows)
        labels = tuple(named[i] for i in rows) if named else (), quantity.columns.labels
        blocks: list[Block] = [Marked(quantity.name.matrix, cells, labels[0], labels[1])]
        remarkable = [m for m in marks.values() if m.verdict in ("wrong", "slip", "follows")]
        if remarkable:
            blocks.append(self._listed(remarkable[:MOST_LISTED]))
            if len(remarkable) > MOST_LISTED:
                blocks.append(
                    Note((f"{count(len(remarkable) - MOST_LISTED, 'more entry', 'more entries')} like these.",))
                )
        blocks += self._notes(marks.values())
        diagnosis = self.diagnoses.get(quantity.key)
        instead = list(self._in_place_of(quantity.key))
        if diagnosis is not None and (diagnosis.mistakes or (diagnosis.cells and not instead)):
            blocks += self._explained(diagnosis)
        elif instead:
            blocks += instead
        return Section((f"{quantity.title or quantity.key.id} ", *_called(quantity)), tuple(blocks), quantity.key)

    def _notes(self, marks: Iterable[MarkedCell]) -> Iterator[Block]:
        """How answers were read that could have meant something else."""
        noted = [(m.cell, note) for m in marks if m.written is not None for note in m.written.notes]
        for cell, note in noted[:MOST_NOTED]:
            yield Note((self.view.cell(*cell), f": {plain(note)}."))
        if len(noted) > MOST_NOTED:
            yield Note((f"{count(len(noted) - MOST_NOTED, 'more entry', 'more entries')} like these.",))

    def _explained(self, diagnosis: Diagnosis) -> Iterator[Block]:
        if diagnosis.mistakes:
            yield from self._named(diagnosis)
            return
        first = self.marking.first_slip
        wrong = sum(mark.verdict == "wrong" for mark in self.marking.of(diagnosis.quantity.key).values())
        alike = set.intersection(*({slip.id for slip in slips} for slips in diagnosis.cells.values())) - {"digit-slip"}
        if wrong > FEW_WRONG and (wrong > len(diagnosis.cells) or not alike):
            return
        for (row, column), slips in list(diagnosis.cells.items())[:MOST_LISTED]:
            is_explained = first is not None and first.cell == (diagnosis.quantity.key, row, column)
            if not is_explained and len(slips) <= MOST_GUESSES:
                yield Paragraph((self.view.cell(diagnosis.quantity.key, row, column), ": ", slips_sentence(slips)))

    def _listed(self, marks: Sequence[MarkedCell]) -> Table:
        """The cells that are not simply right: written, what that stands for, what it is compared with, why."""
        rows: list[tuple[Inline, ...]] = []
        for mark in marks:
            assert mark.written is not None
            interval = accepted(mark.written, rule_of(self.solution, mark.cell.key))
            stands = "exactly this" if interval is None else f"{_plain(interval[0])} to {_plain(interval[1])}"
            follows = mark.verdict == "follows"
            real = (self._led_to(mark.cell) if follows else None) or true_value(self.solution, mark.cell)
            value: str | n.Notation = self._apart(real, mark.written, None if follows else interval)
            if mark.judgement.room is not None:
                value = _range(mark.judgement.room, mark.written)
            sentence = mark.judgement.why or mark.verdict
            if follows:
                why = f", {mark.judgement.why}" if mark.judgement.why else ""
                sentence = f"follows from earlier answers{why}"
            rows.append(((self.view.cell(*mark.cell),), (as_text(mark.written),), (stands,), (value,), (sentence,)))
        return Table((("entry",), ("you wrote",), ("stands for",), ("expected",), ("verdict",)), tuple(rows))

    def _apart(self, real: Real, written: Written, interval: tuple[Fraction, Fraction] | None) -> n.Notation:
        """A value with two digits more than the answer beside it, and as many more as it takes to see that it lies
        outside an interval."""
        figures = self.figures
        if interval is not None and not real.is_symbolic and not real.is_infinite:
            low, high = interval
            for more in range(MOST_DIGITS):
                figures = replace(self.figures, digits=self.figures.digits + more, places=None)
                if not real.decimal(figures.digits).is_within(low, high):
                    break
            else:
                figures = self.figures
        return beside(real, written, figures).notation

    def _scores(self) -> Section:
        scores = self.marking.scores
        marked = any(score.marks is not None for score in scores)
        rows: list[tuple[Inline, ...]] = []
        for score in scores:
            possible = score.part.marks
            earned = "" if score.marks is None or possible is None else _earned(score.marks, possible)
            letter, reason = (f"({score.part.letter})",), (self._reason(score),)
            rows.append((letter, (earned,), reason) if marked else (letter, reason))
        if marked and len(scores) > 1:
            whole = sum((s.part.marks for s in scores if s.part.marks is not None), Fraction(0))
            earned = _earned(sum((s.marks for s in scores if s.marks is not None), Fraction(0)), whole)
            rows.append((("all",), (earned,), ("",)))
        header: tuple[Inline, ...] = (("part",), ("marks",), ("reason",)) if marked else (("part",), ("result",))
        blocks: list[Block] = [Table(header, tuple(rows))]
        if proofs := [f"({part.letter})" for part in self.solution.problem.parts if not part.find]:
            question_for = "asks for an argument" if len(proofs) == 1 else "ask for arguments"
            sentence = f"{' and '.join(proofs)} {question_for}, which a person has to mark."
            blocks.append(Note((sentence,)))
        return Section(("Marks" if marked else "Parts",), tuple(blocks))

    def _reason(self, score: Score) -> str:
        """Why a part is worth what it is."""
        if not score.cells:
            return "nothing to mark"
        found = [self.marking.marks[cell].verdict for cell in requested_cells(self.solution, score.part)]
        notable: tuple[Verdict, ...] = ("slip", "follows", "wrong", "blank")
        tally = [f"{found.count(v)} {_worded(v, found.count(v))}" for v in notable if v in found]
        if score.right == score.cells:
            return f"full credit: {', '.join(tally)}" if tally else "all correct"
        return f"credit for {score.right} of {count(score.cells, 'entry', 'entries')}: {', '.join(tally)}"


def _and(quantities: Sequence[Quantity]) -> Inline:
    """Quantities as a sentence has them: S, A and C."""
    sentence: list[str | n.Notation] = []
    for number, quantity in enumerate(quantities):
        sentence += [" and " if number == len(quantities) - 1 else ", "] if number else []
        sentence += _called(quantity)
    return tuple(sentence)


def _called(quantity: Quantity) -> Inline:
    """A quantity with the case that it is of: A, or A (masked)."""
    return (quantity.name.matrix, *_case(quantity))


def _case(quantity: Quantity) -> tuple[str, ...]:
    return (f" ({quantity.key.case})",) if quantity.key.case else ()


def _worded(verdict: Verdict, number: int) -> str:
    """A verdict in running text, of one entry or several."""
    return WORDS[verdict] if number == 1 else SEVERAL.get(verdict, WORDS[verdict])


def _plain(value: Fraction) -> str:
    """A short decimal."""
    return TextPrinter().print(write_decimal(round_fraction(value, LONGEST_END)))


def _range(room: Ball, written: Written) -> str:
    """A ball by its ends, to two places more than an answer has."""
    low, high = midpoint(room.lower()), midpoint(room.upper())
    assert low is not None
    assert high is not None
    step = written.unit / 100
    return f"{_plain(round(low / step) * step)} to {_plain(round(high / step) * step)}"


def _earned(marks: Fraction, possible: Fraction) -> str:
    """Marks as a teacher writes them.

    >>> _earned(Fraction(17, 3), Fraction(6))
    '5.67 of 6'
    """
    return f"{_plain(rounded_marks(marks, possible))} of {_plain(Fraction(round(possible * 100), 100))}"


def _shown(mark: MarkedCell | None) -> tuple[str, str, str]:
    if mark is None:
        return "…", " ", "blank"
    if mark.written is None:
        unread = mark.verdict == "blank" and mark.judgement.why
        return "?" if unread else "_", GLYPHS[mark.verdict], mark.verdict
    return as_text(mark.written), GLYPHS[mark.verdict], mark.verdict
