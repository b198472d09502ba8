"""Checking files: one with a full report, or a whole class, file by file over all cores."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from math import isfinite
from typing import Any

from attnsolve.bounds import Bounds, allowed, use
from attnsolve.check.answers import named, read_answers
from attnsolve.check.diagnose import Diagnosis, diagnose
from attnsolve.check.headline import headline, in_text
from attnsolve.check.judge import WORDS, accepted
from attnsolve.check.marking import MarkedCell, Marking, mark, rounded_marks, rule_of, true_value
from attnsolve.check.misread import Misread
from attnsolve.check.sheet import Nodes, Sheet, answers_in, load_sheet, own_answers
from attnsolve.check.student import as_text, beside
from attnsolve.check.summary import figures, part_cells, part_columns
from attnsolve.errors import AttnsolveError, ProblemError, RequestError, TooCostly, plain
from attnsolve.graph.mistakes import Slip, told_apart
from attnsolve.guard import Watch, bounded, uninterrupted
from attnsolve.loading import sources
from attnsolve.narrate.view import SolutionView
from attnsolve.notation.text import ASCII, TextPrinter
from attnsolve.numbers.floats import to_float
from attnsolve.record import Record, record
from attnsolve.solution.exact import Solution

MOST_PROCESSES = 61
"""No system takes more."""
FEW = 4
"""Up to so many files are checked without starting other processes."""
COLUMNS = ("file", "marks", "of", *(verdict for verdict in WORDS), "first slip", "cause", "problem with the file")


FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the start of a formula."""
TOLD = ("file", "marks", "of", "first slip", "cause", "problem with the file")
"""The columns of a table that is read."""


@record
class Checked(Record):
    """One answer sheet, checked."""

    marking: Marking
    diagnoses: tuple[Diagnosis, ...]
    number: int | None = None
    """Of its problem, in a file with several."""

    @property
    def faults(self) -> ProblemError | None:
        """What could not be read of it."""
        return ProblemError(self.marking.answers.faults) if self.marking.answers.faults else None

    @property
    def has_marks(self) -> bool:
        """Whether the sheet says what its parts are worth."""
        return any(score.marks is not None for score in self.marking.scores)

    @property
    def exit_code(self) -> int:
        """0 all right, 1 something wrong, 2 something unreadable."""
        return 2 if self.faults is not None else 0 if self.marking.all_right else 1


def load_solution(name: str) -> Solution:
    """The one problem of a file that answers are held against."""
    solutions = load_problems(name).solutions
    if len(solutions) != 1:
        raise RequestError(f"{plain(name)}: it has {len(solutions)} problems, but one was expected")
    return next(iter(solutions.values()))


def load_problems(name: str, chosen: str | None = None) -> Sheet:
    """The problems that answers are held against."""
    with bounded(name):
        return load_sheet(name, chosen, "checking answers takes exact numbers")


def check(solution: Solution, path: str | None, *, follow: bool = True) -> Checked:
    """Check one answer file, or (None) the answers that stand in the problem's own file."""
    sheet = Sheet(solution.problem.file, (solution.problem.title,), {1: solution})
    with bounded(path or solution.problem.file):
        (checked,) = check_sheet(sheet, path, follow=follow)
    return checked


def check_sheet(sheet: Sheet, path: str | None, *, follow: bool = True) -> list[Checked]:
    """Check the answers to every problem, those of a file or (None) those that the problems carry themselves."""
    nodes = own_answers(sheet) if path is None else answers_in(sheet, path)
    return check_nodes(sheet, nodes, path, follow=follow)


def check_nodes(sheet: Sheet, nodes: Nodes, path: str | None, *, follow: bool = True) -> list[Checked]:
    """Check answers that were read already; `path` is what messages call them."""
    file = "" if path is None else sources.named(path)
    found = []
    for number, node in nodes.items():
        solution = sheet.solutions[number].opened(named(node))
        problem = solution.problem
        wanted = {part.letter: " and ".join(part.find) for part in problem.parts}
        answers = read_answers(node, solution.graph, file or problem.file, problem.symbols, wanted)
        marking = mark(solution, answers, follow=follow)
        found.append(Checked(marking, tuple(diagnose(marking)), number if sheet.has_several else None))
    return found


# ── a whole class ───────────────────────────────────────────────────────────────────────────────

Row = dict[str, Any]
Tell = Callable[[Sequence["Checked"]], str]
"""What is told of one answer sheet beside its row, such as a report."""
_sheet: Sheet | None = None
_follow = True
_tell: Tell | None = None


def _prepare(name: str, follow: bool, bounds: Bounds, chosen: str | None = None, tell: Tell | None = None) -> None:
    """What each process does once. An interrupt is for the one that started it to deal with."""
    global _sheet, _follow, _tell
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use(bounds)
    _sheet, _follow, _tell = _sheet or load_problems(name, chosen), follow, tell


def _row(path: str) -> tuple[Row, int, str]:
    assert _sheet is not None
    return row_of(_sheet, path, _follow, _tell)


def row_of(sheet: Sheet, path: str, follow: bool, tell: Tell | None = None) -> tuple[Row, int, str]:
    """One file as one row, its exit code, and what is told of it; a file that can't be read is a row too."""
    try:
        with Watch(path):
            found = check_sheet(sheet, path, follow=follow)
            row = {**total(found), **figures(found)}
            return row, max(checked.exit_code for checked in found), "" if tell is None else tell(found)
    except (AttnsolveError, TooCostly) as error:
        message = str(error)
    except Exception as error:  # the rest of the class must not wait for a bug to be mended
        if "ATTNSOLVE_DEBUG" in os.environ:
            raise
        message = f"attnsolve has a bug: {type(error).__name__}: {error}"
    return {**dict.fromkeys(COLUMNS, ""), "file": path, "problem with the file": message}, 2, ""


def check_many(
    name: str, paths: Sequence[str], *, follow: bool = True, chosen: str | None = None, tell: Tell | None = None
) -> Iterator[tuple[Row, int, str]]:
    """Every file in the order given."""
    cores = min(os.cpu_count() or 1, MOST_PROCESSES)
    with Watch(name):
        sheet = load_problems(name, chosen)  # what is wrong with the problem is said once, here
    if len(paths) <= FEW or cores == 1 or sources.STDIN in (name, *paths):  # which can be read once only
        yield from (row_of(sheet, path, follow, tell) for path in paths)
        return
    global _sheet
    _sheet = sheet  # a process that is a copy of this one need not solve the problem again
    with ProcessPoolExecutor(cores, initializer=_prepare, initargs=(name, follow, allowed(), chosen, tell)) as pool:
        with uninterrupted():
            rows = pool.map(_row, paths, chunksize=max(1, min(32, len(paths) // (4 * cores))))
        yield from rows


def summary(checked: Checked) -> Row:
    """One answer sheet as a row of figures."""
    marking = checked.marking
    counts = marking.counts()
    scores = [score for score in marking.scores if score.marks is not None]
    if scores:
        earned = sum((score.marks for score in scores if score.marks is not None), Fraction(0))
        possible = sum((score.part.marks for score in scores if score.part.marks is not None), Fraction(0))
    else:
        earned = Fraction(sum(m.credited for m in marking.marks.values()))
        possible = Fraction(len(marking.marks))
    return {
        "file": marking.answers.file,
        "marks": float(rounded_marks(earned, possible)),
        "of": float(round(possible, 2)),
        **{verdict: counts.get(verdict, 0) for verdict in WORDS},
        "first slip": first_slip(marking),
        "cause": cause(checked),
        "problem with the file": str(checked.faults or ""),
    }


def total(found: Sequence[Checked]) -> Row:
    """The answers to all problems of a sheet as one row: figures added up, the first slip and its cause."""
    rows = [summary(checked) for checked in found]
    if len(rows) == 1:
        return rows[0]
    marked = [row for checked, row in zip(found, rows, strict=True) if checked.has_marks] or rows
    slipped = next((place for place, row in enumerate(rows) if row["first slip"]), 0)
    slip = rows[slipped]["first slip"]
    bad = [row["problem with the file"] for row in rows if row["problem with the file"]]
    return {
        **rows[0],
        **{name: sum(row[name] for row in rows) for name in WORDS},
        **{name: round(sum(row[name] for row in marked), 2) for name in ("marks", "of")},
        "first slip": f"problem {found[slipped].number}: {slip}" if slip else "",
        "cause": rows[slipped]["cause"],
        "problem with the file": "\n".join(bad),
    }


def total_line(found: Sequence[Checked]) -> str:
    """What all problems of a sheet come to, and each of them; those without marks where none have any."""
    counted = [checked for checked in found if checked.has_marks] or found
    rows = [(checked.number, summary(checked)) for checked in counted]
    each = "; ".join(f"problem {number}: {row['marks']:g} of {row['of']:g}" for number, row in rows)
    whole = total(found)
    return f"Total: {whole['marks']:g} of {whole['of']:g} ({each})."


def first_slip(marking: Marking) -> str:
    """The first wrong entry, as it is written: q₂,₃: 2 instead of −2."""
    first = marking.first_slip
    if first is None or first.written is None:
        return ""
    view = SolutionView(marking.solution, marking.solution.figures())
    true = beside(true_value(marking.solution, first.cell), first.written, view.figures).notation
    printer = TextPrinter()
    return f"{printer.print(view.cell(*first.cell))}: {as_text(first.written)} instead of {printer.print(true)}"


def cause(checked: Checked) -> str:
    """What the first slip was, where that is known."""
    if not checked.diagnoses or checked.marking.first_slip is None:
        return ""
    first = checked.diagnoses[0]
    if first.mistakes:
        return " or ".join(
            "+".join(dict.fromkeys(slip.id for slip in group)) for group in told_apart(first.mistakes)[:4]
        )
    place = checked.marking.first_slip.cell.row, checked.marking.first_slip.cell.column
    return " or ".join(slip.id for slip in first.cells.get(place, ())[:4])


def line(row: Row) -> str:
    """One file on one line."""
    return " ".join(_line(row).split())


def _line(row: Row) -> str:
    if not row["of"] and row["problem with the file"]:
        return f"{plain(row['file'])}: can't be checked: {row['problem with the file'].splitlines()[0]}"
    slip = f"; {row['first slip']}" if row["first slip"] else ""
    why = f" ({row['cause']})" if row["cause"] else ""
    bad = f"; {row['problem with the file'].splitlines()[0]}" if row["problem with the file"] else ""
    return f"{plain(row['file'])}: {row['marks']:g} of {row['of']:g}{slip}{why}{bad}"


def as_markdown(rows: Sequence[Row]) -> str:
    """Rows as a table to be read."""
    lines = [TOLD, ["---"] * len(TOLD), *([_cell(row[name]) for name in TOLD] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: Any) -> str:
    """Text that stays inside its cell and is taken as it stands."""
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return re.sub(r"([\\`*_{}\[\]<>|~$&#])", r"\\\1", plain(" ".join(text.split())))


def as_csv(rows: Sequence[Row]) -> str:
    """Rows as CSV, with a header: what every sheet has, and what was earned for each part."""
    import csv
    import io

    out = io.StringIO()
    columns = [*COLUMNS, *part_columns(rows)]
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: _safe(value) for name, value in (row | part_cells(row)).items()} for row in rows)
    return out.getvalue()


def _safe(value: Any) -> Any:
    """Text that no spreadsheet takes for a formula, nor for the end of a row."""
    if not isinstance(value, str):
        return value
    text = "\n".join(map(plain, value.replace("\r", " ").split("\n")))
    return f"'{text}" if value.lstrip(" ")[:1] in FORMULA else text


def as_data(checked: Checked) -> dict[str, Any]:
    """One answer sheet for other programs."""
    marking = checked.marking
    return {
        "file": marking.answers.file,
        "title": marking.solution.problem.title,
        **({} if checked.number is None else {"problem": checked.number}),
        "says": in_text(headline(marking, checked.diagnoses)),
        "counts": marking.counts(),
        "cells": [_marked(marking, m) for m in marking.marks.values()],
        "first_slip": first_slip(marking) or None,
        "not_followed": [str(key) for key in marking.refused],
        "recognised": [
            {**r.key.data, "as": r.meant.id, "transposed": r.transposed, "moved": r.moved} for r in marking.recognised
        ],
        "diagnoses": [_diagnosis(diagnosis) for diagnosis in checked.diagnoses],
        "parts": [
            {
                "part": score.part.letter,
                "right": score.right,
                "of": score.cells,
                "marks": None if score.marks is None else float(score.marks),
                "possible": None if score.part.marks is None else float(score.part.marks),
            }
            for score in marking.scores
        ],
        "faults": [str(fault) for fault in marking.answers.faults],
        **({"convention": marking.convention} if marking.convention else {}),
        **({"rounded": marking.rounded} if marking.rounded else {}),
    }


def _marked(marking: Marking, mark: MarkedCell) -> dict[str, Any]:
    interval = None if mark.written is None else accepted(mark.written, rule_of(marking.solution, mark.cell.key))
    true = beside(true_value(marking.solution, mark.cell), mark.written, marking.solution.figures()).notation
    return {
        **mark.cell.key.data,
        "entry": [mark.cell.row + 1, mark.cell.column + 1],
        "written": None if mark.written is None else mark.written.text,
        "accepted": _within_floats(interval),
        "true": TextPrinter(ASCII).print(true),
        "verdict": mark.verdict,
        "why": mark.judgement.why,
        **({"note": "; ".join(mark.written.notes)} if mark.written is not None and mark.written.notes else {}),
    }


def _within_floats(interval: tuple[Fraction, Fraction] | None) -> list[float] | None:
    """An interval in numbers as JSON knows them; None beyond their range."""
    ends = [] if interval is None else [to_float(end) for end in interval]
    return ends if ends and all(map(isfinite, ends)) else None


def _made(slip: Slip) -> dict[str, Any]:
    """A mistake; of a number that was misread, which and as what."""
    found = {"id": slip.id, "in": slip.key.id, **slip.key.place, "says": slip.mistake.description}
    if isinstance(slip, Misread):
        found |= {"entry": [slip.place[0] + 1, slip.place[1] + 1], "value": slip.value}
    return found


def _diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        **diagnosis.quantity.key.data,
        "certain": diagnosis.is_certain,
        "confidence": diagnosis.confidence,
        "explains": diagnosis.explains,
        **({"rounded": diagnosis.rounded} if diagnosis.rounded else {}),
        "mistakes": [[_made(slip) for slip in group] for group in diagnosis.mistakes],
        "entries": [
            {"entry": [row + 1, column + 1], "slips": [{"id": slip.id, "says": slip.description} for slip in slips]}
            for (row, column), slips in diagnosis.cells.items()
        ],
    }
