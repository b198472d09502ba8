"""Answer files: whose names mean which cells of a problem, and what was written in each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from attnsolve.check.written import Written, at_places, read_written
from attnsolve.errors import Fault, Mark, nearest
from attnsolve.graph import Cell, Graph, Quantity, spellings
from attnsolve.narrate.view import as_typed
from attnsolve.operations.formula import Key
from attnsolve.spec import reader
from attnsolve.spec.number import NumberError

BLANKS = ("", "_", "~", "null", "?", "-")
_HEAD = re.compile(r"(?:head|decoder step)\s+(\w+)\s*:\s*(.+)")
_INDEXED = re.compile(r"(.+?)\s*\[\s*([^\[\],]+?)\s*(?:,\s*([^\[\],]+?)\s*)?\]")
_SUBSCRIPT = re.compile(r"([^\W\d_]+'*)_\{?\s*(\d+)\s*(?:,\s*(\d+)\s*)?\}?")


@dataclass
class Answers:
    """What was written, cell by cell; blank cells are not in it."""

    file: str
    symbols: Mapping[str, Any] = field(default_factory=dict)
    cells: dict[Cell, Written] = field(default_factory=dict)
    asked: dict[Cell, Mark] = field(default_factory=dict)
    """Every cell that was spoken of, blank or not, with its place in the file."""
    faults: list[Fault] = field(default_factory=list)

    def of(self, key: Key) -> dict[tuple[int, int], Written]:
        """The cells of one quantity."""
        return {(cell.row, cell.column): written for cell, written in self.cells.items() if cell.key == key}

    @property
    def keys(self) -> set[Key]:
        """The quantities that something was written for."""
        return {cell.key for cell in self.cells}


def read_answers(node: reader.Node, graph: Graph, file: str, symbols: Mapping[str, Any] | None = None) -> Answers:
    """Read a mapping from names to values. What is wrong is noted, and the rest read."""
    answers = Answers(file, symbols or {})
    if not isinstance(node, reader.Mapping):
        answers.faults.append(Fault(file, node.at, "the answers must be a mapping such as {Q: [[1, 2]]}"))
        return answers
    for key, value in node.entries:
        place = find_place(graph, key.text)
        if isinstance(place, str):
            answers.faults.append(Fault(file, key.at, f"{key.text!r} names nothing in this problem", place))
        elif place[0].given:
            said = f"{key.text!r} is given, so there is nothing to answer"
            answers.faults.append(Fault(file, key.at, said, "leave it out"))
        else:
            _read_value(answers, key, value, *place)
    return answers


# ── names ───────────────────────────────────────────────────────────────────────────────────────


def find_place(graph: Graph, text: str) -> tuple[Quantity, list[list[Cell]]] | str:
    """The quantity that a name means and its cells, as rows; or a hint where it means nothing."""
    typed = as_typed(text.strip())
    head, name = None, typed
    if match := _HEAD.fullmatch(typed):
        head, name = match[1], match[2].strip()
    if found := _only(graph.named(name), head):
        return found, _all_cells(found)
    if match := _INDEXED.fullmatch(name):
        found = _only(graph.named(match[1].strip()), head)
        cells = found and _cells_at(found, match[2], match[3])
        return (found, cells) if found and cells else _hint(graph, name, head)
    if match := _SUBSCRIPT.fullmatch(name):
        for quantity in _with_letter(graph, match[1], head):
            if cells := _cells_at(quantity, match[2], match[3]):
                return quantity, cells
    return _hint(graph, name, head)


def _only(found: list[Quantity], head: str | None) -> Quantity | None:
    """The one that is meant: of its head, or the one that belongs to no head."""
    chosen = [q for q in found if q.key.head == head] if head is not None or len(found) > 1 else found
    return chosen[0] if len(chosen) == 1 else None


def _with_letter(graph: Graph, letter: str, head: str | None) -> list[Quantity]:
    """The quantities whose vectors or entries are written with a letter: q of Q, z of Z."""
    primes = len(letter) - len(letter.rstrip("'"))
    found = []
    for quantity in graph:
        name = quantity.name
        small = name.entry(1, 1).name
        spelled = {small, *(text.partition("_")[0].rstrip("'") for text in spellings(quantity))}
        if letter.rstrip("'") in spelled and name.primes == primes and quantity.key.head == head:
            found.append(quantity)
    return sorted(found, key=lambda q: q.parameter)


def _all_cells(quantity: Quantity) -> list[list[Cell]]:
    rows, columns = quantity.shape
    return [[Cell(quantity.key, i, j) for j in range(columns)] for i in range(rows)]


def _cells_at(quantity: Quantity, first: str, second: str | None) -> list[list[Cell]] | None:
    """One token's cells, as a row; or with two indices one cell."""
    if second is None:
        if quantity.is_vector:
            place = _index(first, (), quantity.shape[0] * quantity.shape[1])
            flat = [cell for row in _all_cells(quantity) for cell in row]
            return None if place is None else [[flat[place]]]
        place = _index(first, quantity.labels, quantity.lanes)
        return None if place is None else [quantity.cells(place)]
    row = _index(first, quantity.rows.labels, quantity.shape[0])
    column = _index(second, quantity.columns.labels, quantity.shape[1])
    return None if row is None or column is None else [[Cell(quantity.key, row, column)]]


def _index(text: str, labels: tuple[str, ...], size: int) -> int | None:
    if text in labels:
        return labels.index(text)
    return int(text) - 1 if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= size else None


def _hint(graph: Graph, name: str, head: str | None) -> str:
    """What may have been meant."""
    several = [q for q in graph.named(name.partition("[")[0]) if q.key.head is not None]
    if several and head is None:
        return f"it belongs to several heads: write 'head {several[0].key.head}: {name}'"
    known: dict[str, None] = {}
    for quantity in graph:
        known |= dict.fromkeys((quantity.key.id, *spellings(quantity)))
    base = re.split(r"[_\[]", name)[0]
    if base in known or base.upper() in known:
        return "it has no such row, column or head"
    return nearest(name, known)


# ── values ──────────────────────────────────────────────────────────────────────────────────────


def _read_value(
    answers: Answers, key: reader.Scalar, node: reader.Node, quantity: Quantity, cells: list[list[Cell]]
) -> None:
    rows = _rows_of(node)
    shape = len(cells), len(cells[0])
    if isinstance(rows, str) or not _fits(rows, shape, quantity):
        found = rows if isinstance(rows, str) else f"it is {_shape(rows)}"
        turned = not isinstance(rows, str) and (len(rows[0]), len(rows)) == shape and len({*map(len, rows)}) == 1
        fix = "transposed? the tokens are the other way round" if turned else ""
        said = f"{key.text} must be {shape[0]}×{shape[1]}, but {found}"
        answers.faults.append(Fault(answers.file, node.at, said, fix))
        return
    flat = [cell for row in cells for cell in row]
    nodes = [item for row in rows for item in row]
    read = {cell: _read_cell(answers, key.text, item) for cell, item in zip(flat, nodes, strict=True)}
    places = max(
        (w.places for w in read.values() if w is not None and w.places is not None and not w.whole), default=None
    )
    for (cell, written), item in zip(read.items(), nodes, strict=True):
        if cell in answers.asked:
            earlier = answers.asked[cell]
            said = f"{key.text}: entry {cell.row + 1},{cell.column + 1} was already answered on line {earlier.line}"
            answers.faults.append(Fault(answers.file, item.at, said, "keep one of the two"))
            continue
        answers.asked[cell] = item.at
        if written is not None:
            answers.cells[cell] = written if places is None else at_places(written, places)


def _rows_of(node: reader.Node) -> list[list[reader.Node]] | str:
    """A value as rows: a number, one list or a list of lists."""
    if isinstance(node, reader.Scalar):
        return [[node]]
    if isinstance(node, reader.Mapping) or not node.items:
        return f"{reader.describe(node)} was found" if isinstance(node, reader.Mapping) else "it is empty"
    if not any(isinstance(item, reader.Sequence) for item in node.items):
        return [list(node.items)]
    rows: list[list[reader.Node]] = []
    for item in node.items:
        if not isinstance(item, reader.Sequence) or not item.items:
            return "its rows are of different sorts"
        rows.append(list(item.items))
    return rows if len({*map(len, rows)}) == 1 else "its rows have different lengths"


def _fits(rows: list[list[reader.Node]], shape: tuple[int, int], quantity: Quantity) -> bool:
    """Whether rows have a shape; a vector may lie or stand, and a blank stands for all that is left out."""
    found = len(rows), len(rows[0])
    return found == shape or (1 in shape and 1 in found and max(found) == max(shape))


def _shape(rows: list[list[reader.Node]]) -> str:
    return f"{len(rows)}×{len(rows[0])}"


def _read_cell(answers: Answers, name: str, node: reader.Node) -> Written | None:
    if not isinstance(node, reader.Scalar):
        answers.faults.append(Fault(answers.file, node.at, f"in {name}: a number was expected, but a list was found"))
        return None
    if node.text.strip() in BLANKS:
        return None
    try:
        return read_written(node.text, answers.symbols)
    except NumberError as error:
        answers.faults.append(Fault(answers.file, node.at, f"in {name}: {error}", error.fix))
        return None
