"""Answer files: whose names mean which cells of a problem, and what was written in each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from attnsolve.check.judge import BITS, judge_real
from attnsolve.check.spreadsheet import fitted
from attnsolve.check.written import Written, at_places, read_written
from attnsolve.errors import Fault, Mark, count
from attnsolve.graph import Cell, Graph, Quantity
from attnsolve.graph.places import Grid, find_place, in_case
from attnsolve.key import Key
from attnsolve.notation.text import ASCII, TextPrinter
from attnsolve.numbers.balls import at_precision
from attnsolve.numbers.written import Real
from attnsolve.operations.formula import Given
from attnsolve.spec import reader
from attnsolve.spec.number import NumberError

BLANKS = ("", "_", "~", "null", "?", "-", "−", "–", "—")
_GROUP = re.compile(r"(?:head|decoder step)\s+\w+", re.IGNORECASE)
_PART = re.compile(r"(?:part\s*)?\(?(\w+)[).]*", re.IGNORECASE)
_MIXED = re.compile(r"(\d+)\s+(\d+/\d+)")


@dataclass
class Answers:
    """What was written, cell by cell; blank cells are not in it."""

    file: str
    symbols: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    """What is asked for, by the letter of the part."""
    cells: dict[Cell, Written] = field(default_factory=dict)
    wanted: dict[Cell, Mark] = field(default_factory=dict)
    """Every cell that was spoken of, blank or not, with its place in the file."""
    unread: set[Cell] = field(default_factory=set)
    """Those of them in which something stands that is no number."""
    transposed: set[Key] = field(default_factory=set)
    """Matrices that lie the wrong way round in the file; `cells` has their entries where they belong."""
    faults: list[Fault] = field(default_factory=list)

    def of(self, key: Key) -> dict[tuple[int, int], Written]:
        """The cells of one quantity."""
        return {(cell.row, cell.column): written for cell, written in self.cells.items() if cell.key == key}

    @property
    def keys(self) -> set[Key]:
        """The quantities that something was written for."""
        return {cell.key for cell in self.cells}


def read_answers(
    node: reader.Node,
    graph: Graph,
    file: str,
    symbols: Mapping[str, Any] | None = None,
    parts: Mapping[str, str] | None = None,
) -> Answers:
    """Read a mapping from names to values. What is wrong is noted, and the rest read; `parts` says what each part of
    the problem asks for."""
    answers = Answers(file, symbols or {}, parts or {})
    if not isinstance(node, reader.Mapping):
        answers.faults.append(Fault(file, node.at, "the answers must be a mapping such as {Q: [[1, 2]]}"))
        return answers
    by_part = any(_of_part(answers, key.text) and _is_nothing(graph, key, value) for key, value in node.entries)
    for key, value in node.entries:
        if by_part and (fix := _of_part(answers, key.text)):
            answers.faults.append(Fault(file, key.at, f"{key.text!r} is a part of the problem, not a quantity", fix))
        elif isinstance(value, reader.Mapping) and is_group(graph, key.text):
            for inner, entry in _flat(value):
                _read_entry(answers, graph, reader.Scalar(f"{key.text.strip()}: {inner.text}", inner.at), entry)
        else:
            _read_entry(answers, graph, key, value)
    return answers


def is_group(graph: Graph, name: str) -> bool:
    """Whether answers that stand under a name are those of a head, or of a case."""
    return bool(_GROUP.fullmatch(name.strip())) or in_case(graph, f"{name}: A") is not None


def _flat(node: reader.Mapping) -> Iterator[tuple[reader.Scalar, reader.Node]]:
    """The answers of a case, those of its heads with the head before their name."""
    for key, value in node.entries:
        if isinstance(value, reader.Mapping) and _GROUP.fullmatch(key.text.strip()):
            for inner, entry in value.entries:
                yield reader.Scalar(f"{key.text.strip()}: {inner.text}", inner.at), entry
        else:
            yield key, value


def named(node: reader.Node) -> Iterator[str]:
    """The names under which something is answered."""
    for key, value in node.entries if isinstance(node, reader.Mapping) else ():
        if isinstance(value, reader.Mapping):
            yield from (f"{key.text.strip()}: {inner}" for inner in named(value))
        else:
            yield key.text


def _read_entry(answers: Answers, graph: Graph, key: reader.Scalar, value: reader.Node) -> None:
    place = find_place(graph, key.text)
    if not isinstance(place, str):
        _read_value(answers, graph, key, value, *place)
    elif heads := _per_head(graph, key, value):
        for name, item in heads:
            _read_entry(answers, graph, name, item)
    else:
        answers.faults.append(
            Fault(answers.file, key.at, f"{key.text!r} is not the name of anything in this problem", place)
        )


def _is_nothing(graph: Graph, key: reader.Scalar, value: reader.Node) -> bool:
    return isinstance(find_place(graph, key.text), str) and not _per_head(graph, key, value)


def _of_part(answers: Answers, name: str) -> str:
    """What to write where an answer is named after its part; empty for any other name."""
    wanted = answers.parts.get(_PART.sub(r"\1", name.strip()))
    return f"name the quantity instead: write {wanted}" if wanted else ""


def _per_head(graph: Graph, key: reader.Scalar, value: reader.Node) -> list[tuple[reader.Scalar, reader.Node]]:
    """An answer for all heads at once, as `given` takes it: one matrix per head, in their order (or one blank)."""
    case, name = in_case(graph, key.text) or ("", key.text)
    owners = dict.fromkeys(q.key.owner for q in graph if q.key.within and q.key.case == case)
    names = [reader.Scalar(f"{owner}: {name}", key.at) for owner in owners]
    places = [find_place(graph, name.text) for name in names]
    if isinstance(value, reader.Scalar) and is_blank(value):
        items: Sequence[reader.Node] = [value] * len(names)
    else:
        items = value.items if isinstance(value, reader.Sequence) else ()
        depth = min((1 if place[0].is_vector else 2 for place in places if not isinstance(place, str)), default=0)
        if any(_depth(item) < depth and not (isinstance(item, reader.Scalar) and is_blank(item)) for item in items):
            return []
    return list(zip(names, items, strict=True)) if len(items) == len(names) and _all_known(places) else []


def _all_known(places: Sequence[tuple[Quantity, Grid] | str]) -> bool:
    return not any(isinstance(place, str) for place in places)


def _depth(node: reader.Node) -> int:
    """How many brackets a value opens with."""
    return 1 + (_depth(node.items[0]) if node.items else 0) if isinstance(node, reader.Sequence) else 0


def _read_value(
    answers: Answers, graph: Graph, key: reader.Scalar, node: reader.Node, quantity: Quantity, cells: Grid
) -> None:
    nodes = _nodes(answers, graph, key, node, quantity, cells)
    if nodes is None:
        return
    read = [_read_cell(answers, key.text, item, quantity.formula.shares) for item in nodes]
    places = max(
        (w.places for w in read if w is not None and w.places is not None and w.places > 0 and not w.whole),
        default=None,
    )
    written = [w if w is None or places is None else at_places(w, places) for w in read]
    flat = [cell for row in cells for cell in row]
    if isinstance(quantity.formula, Given):
        _restate(answers, key, quantity.formula, {c: w for c, w in zip(flat, written, strict=True) if w is not None})
        return
    other = []
    for cell, one, item in zip(flat, written, nodes, strict=True):
        earlier = answers.cells.get(cell)
        if one is None:
            answers.wanted.setdefault(cell, item.at)
            if not isinstance(item, reader.Scalar) or not is_blank(item):
                answers.unread.add(cell)
        elif earlier is None:
            answers.cells[cell], answers.wanted[cell] = one, item.at
        elif earlier.value != one.value:
            other.append(cell)
    if other:
        which = key.text if len(other) == len(flat) else f"{_entries(other)} of {key.text}"
        message = f"{which} already has a different answer on line {answers.wanted[other[0]].line}"
        answers.faults.append(
            Fault(answers.file, node.at, message, "the earlier one is marked; keep only one of the two")
        )


def _nodes(
    answers: Answers, graph: Graph, key: reader.Scalar, node: reader.Node, quantity: Quantity, cells: Grid
) -> list[reader.Node] | None:
    """What was written, one for each of some cells; None (and a fault) where it does not fit."""
    shape = len(cells), len(cells[0])
    if isinstance(node, reader.Sequence) and node.padded:
        node = fitted(node, shape)
    if isinstance(node, reader.Scalar) and is_blank(node):
        return [node] * (shape[0] * shape[1])
    rows = _rows_of(node)
    if not isinstance(rows, str) and _fits(rows, shape):
        return [item for row in rows for item in row]
    if quantity.given:
        answers.faults.append(_differs(answers, key))
        return None
    if not isinstance(rows, str) and quantity.shape == shape == (len(rows[0]), len(rows)):
        if not answers.of(quantity.key):  # else it repeats what was written the right way round
            answers.transposed.add(quantity.key)
        return [item for row in zip(*rows, strict=True) for item in row]
    found = rows if isinstance(rows, str) else f"it is {_times(len(rows), len(rows[0]))}"
    found = f"{reader.describe(node)} was found" if isinstance(node, reader.Scalar) else found
    message = f"{key.text} must be {_times(*shape)}, but {found}"
    hint = reader.split_at_commas(node, shape[1])
    if not hint and not isinstance(rows, str):
        hint = _why(graph, quantity, shape, (len(rows), len(rows[0])))
    answers.faults.append(Fault(answers.file, node.at, message, hint))
    return None


def _restate(answers: Answers, key: reader.Scalar, given: Given, written: Mapping[Cell, Written]) -> None:
    """What the problem states may be written down again, but not otherwise."""
    with at_precision(BITS):
        judged = [judge_real(w, Real.of(given.rows[cell.row][cell.column])) for cell, w in written.items()]
    if any(found.verdict not in ("exact", "right") for found in judged):
        answers.faults.append(_differs(answers, key))


def _differs(answers: Answers, key: reader.Scalar) -> Fault:
    return Fault(answers.file, key.at, f"{key.text!r} is given by the problem, with a different value", "leave it out")


def _entries(cells: list[Cell]) -> str:
    first = f"entry {cells[0].row + 1},{cells[0].column + 1}"
    return first if len(cells) == 1 else f"{first} (and {len(cells) - 1} more)"


# ── shapes ──────────────────────────────────────────────────────────────────────────────────────


def _rows_of(node: reader.Node) -> list[list[reader.Node]] | str:
    """A value as rows: a number, one list or a list of lists."""
    if isinstance(node, reader.Scalar):
        return [[node]]
    if not isinstance(node, reader.Sequence) or not node.items:
        return "it is empty" if isinstance(node, reader.Sequence) else f"{reader.describe(node)} was found"
    if not any(isinstance(item, reader.Sequence) for item in node.items):
        return [list(node.items)]
    rows: list[list[reader.Node]] = []
    for number, item in enumerate(node.items, start=1):
        if not isinstance(item, reader.Sequence) or not item.items:
            return f"row {number} is not a list of numbers"
        rows.append(list(item.items))
    odd = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
    return rows if odd is None else f"row {odd + 1} has {count(len(rows[odd]), 'number')}, row 1 has {len(rows[0])}"


def _fits(rows: list[list[reader.Node]], shape: tuple[int, int]) -> bool:
    """Whether rows have a shape; a vector may lie or stand."""
    found = len(rows), len(rows[0])
    return found == shape or (1 in shape and 1 in found and max(found) == max(shape))


def _why(graph: Graph, quantity: Quantity, shape: tuple[int, int], found: tuple[int, int]) -> str:
    """The likeliest reason for a wrong shape."""
    if found == (1, 1):
        return "write every entry, _ for those left blank"
    if found == (1, shape[1]) and quantity.token_axis == 0 and quantity.token_count > 1:
        symbol = TextPrinter(ASCII).print(replace(quantity.name, head=None).token(1))
        head = f"{quantity.key.owner}: " if quantity.key.at else ""
        return f"one row only? name it, as in {head + symbol!r}, or write [_, _] for each row left blank"
    alike = [q for q in graph if q.shape == found and not q.parameter and q.key.head in (None, quantity.key.head)]
    alike = [q for q in alike if q.key.case in ("", quantity.key.case)]
    if alike and 1 not in found:
        names = " and ".join(dict.fromkeys(q.key.id for q in alike[:3]))
        return f"mixed up? that is the shape of the {names}"
    return ""


def _times(rows: int, columns: int) -> str:
    return "one number" if rows == columns == 1 else f"{rows}×{columns}"


# ── numbers ─────────────────────────────────────────────────────────────────────────────────────


def is_blank(node: reader.Scalar) -> bool:
    """Whether nothing was written."""
    return node.text.strip() in BLANKS


def _read_cell(answers: Answers, name: str, node: reader.Node, share: bool) -> Written | None:
    if not isinstance(node, reader.Scalar):
        answers.faults.append(Fault(answers.file, node.at, f"in {name}: a number was expected, but a list was found"))
        return None
    if is_blank(node):
        return None
    try:
        return read_written(node.text, answers.symbols, share=share)
    except NumberError as error:
        answers.faults.append(Fault(answers.file, node.at, f"in {name}: {error}", _mended(node.text.strip(), error)))
        return None


def _mended(text: str, error: NumberError) -> str:
    """How to write what was probably meant."""
    if match := _MIXED.fullmatch(text):
        return f"write {match[1]} + {match[2]}"
    return "write a number, or _ to leave it blank" if "is not known" in str(error) else error.fix
