"""What somebody wants to know of marked answers before anything else, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from attnsolve.check.diagnose import Diagnosis
from attnsolve.check.marking import MarkedCell, Marking, requested_cells
from attnsolve.document import Inline
from attnsolve.errors import count
from attnsolve.graph.mistakes import told_apart
from attnsolve.narrate.view import SolutionView
from attnsolve.notation.text import TextPrinter

CARRIED = "rounded values were carried forward"
"""How a judgement begins that blames rounding on the way."""


def headline(marking: Marking, diagnoses: Sequence[Diagnosis]) -> Inline:
    """Right throughout, right but for rounding, or how much is wrong and where that begins."""
    counts = marking.counts()
    first = marking.first_slip
    if first is not None:
        return _wrong(marking, first, diagnoses)
    written = sum(number for verdict, number in counts.items() if verdict != "blank")
    if not written:
        return ("Nothing is answered.",) if counts else ()
    blank = "" if "blank" not in counts else f"; {count(counts['blank'], 'entry', 'entries')} left blank"
    slips = [mark for mark in marking.marks.values() if mark.verdict == "slip"]
    if "follows" in counts:
        return (f"Right, but for what follows from an earlier slip{blank}.",)
    if not slips:
        return (f"Right as far as it goes{blank}." if blank else "Right throughout.",)
    if all(mark.judgement.why.startswith(CARRIED) for mark in slips):
        return (f"Right, but rounded on the way{blank}.",)
    return (f"Right, but for a slip in rounding in {count(len(slips), 'figure')}{blank}.",)


def _wrong(marking: Marking, first: MarkedCell, diagnoses: Sequence[Diagnosis]) -> Inline:
    view = SolutionView(marking.solution, marking.solution.figures())
    number = marking.counts()["wrong"]
    start = "1 figure is wrong: " if number == 1 else f"{number} figures are wrong; the first is "
    where: Inline = (view.cell(*first.cell), *_case(first), _part(marking, first))
    cause = _cause(first, diagnoses)
    return (start, *where, f", because {cause}." if cause else ".")


def in_text(inline: Inline) -> str:
    """Running text in letters alone."""
    printer = TextPrinter()
    return "".join(part if isinstance(part, str) else printer.print(part) for part in inline)


def _case(mark: MarkedCell) -> tuple[str, ...]:
    return (f" ({mark.cell.key.case})",) if mark.cell.key.case else ()


def _part(marking: Marking, mark: MarkedCell) -> str:
    """The part that asks for a cell."""
    parts = marking.solution.problem.parts
    asking = (part for part in parts if part.find and mark.cell in requested_cells(marking.solution, part))
    letter = next((part.letter for part in asking), "")
    return f" in part ({letter})" if letter else ""


def _cause(first: MarkedCell, diagnoses: Sequence[Diagnosis]) -> str:
    """The mistake, where it is certain."""
    diagnosis = next((d for d in diagnoses if d.quantity.key == first.cell.key), None)
    groups = () if diagnosis is None else tuple(told_apart(diagnosis.mistakes))
    if len(groups) != 1:
        return ""
    return " and ".join(dict.fromkeys(slip.mistake.description for slip in groups[0]))
