"""A class at a glance, for its teacher: how each question went, which mistakes were made and by whom, and what to
explain again. Each answer sheet becomes a few plain figures; the summary is made of nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from attnsolve.check.judge import Verdict
from attnsolve.check.marking import MarkedCell, Marking, requested_cells
from attnsolve.document import Block, Document, Inline, Paragraph, Section, Table
from attnsolve.errors import count, plain
from attnsolve.graph.mistakes import told_apart
from attnsolve.notation.text import TextPrinter
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.check.run import Checked

Row = Mapping[str, Any]
Asked = tuple[int | None, str]
"""A question: the number of its problem, if there are several, and its name."""
RESULTS = ("right", "follows", "wrong", "blank")
"""How one student did on one question."""
CREDITED = ("right", "follows")
SHARED = 2
"""A mistake that fewer students than this made needs no word to the class."""
MOST_EXPLAINED = 3
"""What is explained to a class again."""
MOST_NAMED = 12
"""Students who are named beside one mistake."""
MOST_TIES = 4


# ── one student ─────────────────────────────────────────────────────────────────────────────────


def figures(found: Sequence[Checked]) -> dict[str, Any]:
    """What a summary needs to know of one student: the questions, and the mistakes in words."""
    return {
        "questions": [question for checked in found for question in _questions(checked)],
        "mistakes": list(dict.fromkeys(sentence for checked in found for sentence in _mistakes(checked))),
    }


def _questions(checked: Checked) -> Iterator[dict[str, Any]]:
    """The parts of a sheet; where it has none, the quantities that were answered."""
    marking = checked.marking
    which = {} if checked.number is None else {"problem": checked.number}
    for score in marking.scores:
        cells = [marking.marks[c] for c in requested_cells(marking.solution, score.part) if c in marking.marks]
        possible = score.part.marks
        yield {
            **which,
            "part": score.part.letter,
            "name": f"({score.part.letter})",
            "result": _result(cells),
            "right": score.right,
            "of": score.cells,
            "marks": None if score.marks is None else float(score.marks),
            "possible": None if possible is None else float(possible),
        }
    if not marking.scores:
        for name, cells in _by_quantity(marking).items():
            right, of = sum(mark.credited for mark in cells), len(cells)
            result = _result(cells)
            yield {**which, "part": None, "name": name, "result": result, "right": right, "of": of,
                   "marks": None, "possible": None}  # fmt: skip


def _by_quantity(marking: Marking) -> dict[str, list[MarkedCell]]:
    printer, found = TextPrinter(), dict[str, list[MarkedCell]]()
    for quantity in marking.quantities:
        case = f" ({quantity.key.case})" if quantity.key.case else ""
        name = printer.print(quantity.name.matrix) + case
        found.setdefault(name, []).extend(marking.of(quantity.key).values())
    return found


def _result(cells: Sequence[MarkedCell]) -> str:
    """Wrong if anything is; else blank if anything is missing; else right, perhaps but for an earlier slip."""
    verdicts: set[Verdict] = {mark.verdict for mark in cells}
    if "wrong" in verdicts:
        return "wrong"
    if "blank" in verdicts or not verdicts:
        return "blank"
    return "follows" if "follows" in verdicts else "right"


def _mistakes(checked: Checked) -> Iterator[str]:
    """Each mistake that explains a quantity; those that can't be told apart are one sentence."""
    for diagnosis in checked.diagnoses:
        groups = told_apart(diagnosis.mistakes)
        causes = [" and ".join(dict.fromkeys(slip.mistake.description for slip in group)) for group in groups]
        if causes:
            yield ", or ".join(dict.fromkeys(causes[:MOST_TIES]))


# ── the class ───────────────────────────────────────────────────────────────────────────────────


@record
class Question(Record):
    """How a class did on one question."""

    name: str
    part: str | None
    problem: int | None
    results: Mapping[str, int]

    @property
    def has_nobody(self) -> bool:
        """Whether nobody got it."""
        return not any(self.results[result] for result in CREDITED)


@record
class Misconception(Record):
    """A mistake in words, and who made it."""

    says: str
    students: tuple[str, ...]


@record
class ClassSummary(Record):
    """A whole class."""

    students: tuple[str, ...]
    """Those whose answers could be read."""
    unread: tuple[str, ...]
    questions: tuple[Question, ...]
    misconceptions: tuple[Misconception, ...]
    """The most frequent first."""

    @property
    def unsolved(self) -> list[Question]:
        """The questions that nobody got."""
        return [question for question in self.questions if self.students and question.has_nobody]

    @property
    def to_explain(self) -> list[Misconception]:
        """The mistakes that most students share."""
        return [m for m in self.misconceptions if len(m.students) >= SHARED][:MOST_EXPLAINED]


def summarise(rows: Sequence[Row]) -> ClassSummary:
    """The rows of a class, counted."""
    names = called([row["file"] for row in rows])
    read = [(name, row) for name, row in zip(names, rows, strict=True) if "questions" in row]
    unread = tuple(name for name, row in zip(names, rows, strict=True) if "questions" not in row)
    asked: list[Asked] = []
    parts: dict[Asked, str | None] = {}
    results: dict[Asked, Counter[str]] = {}
    who: dict[str, list[str]] = {}
    for name, row in read:
        place = 0  # in the order of the solution, though some leave questions out
        for question in row["questions"]:
            key = question.get("problem"), question["name"]
            if key not in parts:
                asked.insert(place, key)
            place = asked.index(key) + 1
            parts[key] = question["part"]
            results.setdefault(key, Counter())[question["result"]] += 1
        for sentence in row["mistakes"]:
            who.setdefault(sentence, []).append(name)
    for tally in results.values():
        tally["blank"] += len(read) - tally.total()
    questions = [
        Question(key[1], parts[key], key[0], {result: results[key][result] for result in RESULTS}) for key in asked
    ]
    mistakes = [Misconception(sentence, tuple(students)) for sentence, students in who.items()]
    mistakes.sort(key=lambda mistake: -len(mistake.students))
    return ClassSummary(tuple(name for name, _ in read), unread, tuple(questions), tuple(mistakes))


def called(files: Sequence[str]) -> list[str]:
    """What students are called: the name of their file without its ending, or all of it where that isn't clear.

    >>> called(["a/anna.yaml", "a/ben.csv", "b/ben.csv"])
    ['anna', 'a/ben.csv', 'b/ben.csv']
    """
    stems = [PurePath(file).stem for file in files]
    often = Counter(stems)
    return [stem if often[stem] == 1 else file for stem, file in zip(stems, files, strict=True)]


def part_columns(rows: Sequence[Row]) -> list[str]:
    """The columns of a table that parts have, one each."""
    return list(dict.fromkeys(_column(q) for row in rows for q in row.get("questions", ()) if q["part"] is not None))


def part_cells(row: Row) -> dict[str, float]:
    """What was earned for each part: marks where the sheet gives them, else the share that is right."""
    return {_column(q): _earned(q) for q in row.get("questions", ()) if q["part"] is not None}


def _column(question: Mapping[str, Any]) -> str:
    which = f"problem {question['problem']} " if "problem" in question else ""
    return f"{which}part {question['part']}"


def _earned(question: Mapping[str, Any]) -> float:
    if question["marks"] is not None:
        return float(round(question["marks"], 2))
    return float(round(question["right"] / question["of"], 2)) if question["of"] else 0.0


def as_data(summary: ClassSummary) -> dict[str, Any]:
    """A class for other programs."""
    return {
        "students": len(summary.students),
        "unread": list(summary.unread),
        "questions": [
            {**({} if q.problem is None else {"problem": q.problem}), "part": q.part, "name": q.name, **q.results}
            for q in summary.questions
        ],
        "misconceptions": [{"says": m.says, "students": list(m.students)} for m in summary.misconceptions],
        "nobody_got": [_titled(question) for question in summary.unsolved],
        "explain_again": [m.says for m in summary.to_explain],
    }


# ── to read ─────────────────────────────────────────────────────────────────────────────────────


def to_document(summary: ClassSummary) -> Document:
    """A summary as a page."""
    return Document("The class", "", tuple(_blocks(summary)))


def _blocks(summary: ClassSummary) -> Iterator[Block]:
    read, unread = len(summary.students), summary.unread
    sentence = f"{count(read, 'answer sheet')} marked."
    if unread:
        sentence += f" Not read: {_names(unread)}."
    yield Paragraph((sentence,))
    if summary.questions:
        header: tuple[Inline, ...] = tuple((word,) for word in ("question", *RESULTS))
        rows = [((plain(_titled(q)),), *((str(q.results[r]),) for r in RESULTS)) for q in summary.questions]
        yield Table(header, tuple(rows))
    if summary.unsolved:
        yield Paragraph((f"Nobody got {_and([plain(_titled(question)) for question in summary.unsolved])}.",))
    if summary.misconceptions:
        mistakes = [((plain(m.says),), (str(len(m.students)),), (_names(m.students),)) for m in summary.misconceptions]
        table = Table((("mistake",), ("students",), ("who",)), tuple(mistakes))
        yield Section(("Mistakes",), (table,))
    if summary.to_explain:
        again = (
            Paragraph((f"{_capital(plain(m.says))}: {len(m.students)} of {count(read, 'student')}.",))
            for m in summary.to_explain
        )
        yield Section(("What to explain again",), tuple(again))


def _titled(question: Question) -> str:
    return question.name if question.problem is None else f"problem {question.problem} {question.name}"


def _names(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    shown = ", ".join(map(plain, names[:MOST_NAMED]))
    return f"{shown} and {more} more" if more > 0 else shown


def _and(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
