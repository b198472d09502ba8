"""Right figures in the wrong place: a sheet that calls the weights "scores", a matrix written transposed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from attnsolve.check.answers import Answers
from attnsolve.check.judge import judge_real
from attnsolve.check.written import Written
from attnsolve.graph import Cell, Quantity
from attnsolve.key import Key
from attnsolve.record import Record, record
from attnsolve.solution.exact import Solution

Place = tuple[int, int]


@record
class Recognised(Record):
    """What was written for one quantity is exactly another, or the same one transposed."""

    key: Key
    """Where it was written."""
    meant: Key
    """Whose figures they are."""
    moved: bool = False
    """Whether they are marked as what they are."""

    @property
    def transposed(self) -> bool:
        """Whether it is the right matrix, the wrong way round."""
        return self.key == self.meant


def recognise(solution: Solution, answers: Answers) -> tuple[Answers, list[Recognised]]:
    """The answers with every matrix under the name it has here, and what was recognised.

    Only figures of a later quantity are moved: those of an earlier one are what a step that was left out leads to, and
    that is a mistake.
    """
    found: list[Recognised] = []
    for quantity in solution.graph:
        written = answers.of(quantity.key)
        if len({w.value for w in written.values()}) < 2:
            continue
        if _holds(solution, quantity.key, written):
            if quantity.key in answers.transposed:
                found.append(Recognised(quantity.key, quantity.key))
            continue
        if _holds(solution, quantity.key, {(j, i): w for (i, j), w in written.items()}):
            found.append(Recognised(quantity.key, quantity.key))
            continue
        if len({w.value for w in written.values()} - {0, 1}) < 2:
            continue  # zeros and ones are found in many places
        meant = next((q.key for q in _later(solution, quantity) if _holds(solution, q.key, written)), None)
        if meant is not None:
            moved = not answers.of(meant)
            found.append(Recognised(quantity.key, meant, moved))
            answers = _moved(answers, quantity.key, meant) if moved else answers
    return answers, found


def _later(solution: Solution, quantity: Quantity) -> Iterator[Quantity]:
    """The quantities of the same size that rest on one, in the same head."""
    for other in solution.graph:
        alike = other.shape == quantity.shape and other.key.head in (None, quantity.key.head)
        alike = alike and other.key.case in ("", quantity.key.case)
        if alike and other.key != quantity.key and quantity.key in solution.graph.ancestors(other.key):
            yield other


def _holds(solution: Solution, key: Key, written: Mapping[Place, Written]) -> bool:
    """Whether everything written is right for a quantity."""
    rows, columns = solution.graph.shape(key)
    if any(row >= rows or column >= columns for row, column in written):
        return False
    truths = {solution, solution.unrounded}
    return any(
        all(judge_real(w, truth.real(key, *place)).verdict in ("exact", "right") for place, w in written.items())
        for truth in truths
    )


def _moved(answers: Answers, key: Key, meant: Key) -> Answers:
    def there(cell: Cell) -> Cell:
        return cell._replace(key=meant) if cell.key == key else cell

    return replace(
        answers,
        cells={there(cell): w for cell, w in answers.cells.items()},
        wanted={there(cell): at for cell, at in answers.wanted.items()},
        unread={there(cell) for cell in answers.unread},
    )
