"""Answers that were filled in with a spreadsheet, as CSV: the name of a matrix in the first column of its first row,
its entries beside and below. The rest of the marking knows only the mapping that a YAML file would be."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from attnsolve.errors import Fault, Mark, ProblemError
from attnsolve.spec import reader

ENDING = ".csv"
_NUMBER_OF_PROBLEM = ("problem", "title")
Line = tuple[int, list[str]]


def as_rows(rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def read_spreadsheet(text: str, file: str) -> list[reader.Node]:
    """A document for each problem, as a YAML file has them."""
    documents: list[list[tuple[reader.Scalar, reader.Node]]] = [[]]
    for name, lines in _blocks(_lines(text, file), file):
        if name.text.strip().lower() in _NUMBER_OF_PROBLEM:
            if documents[-1]:
                documents.append([])
            value = next((cell for cell in lines[0][1][1:] if cell.strip()), "")
            documents[-1].append((reader.Scalar(name.text.strip().lower(), name.at), reader.Scalar(value, name.at)))
        else:
            documents[-1].append((name, _matrix(lines)))
    return [reader.Mapping(tuple(entries), Mark(1, 1)) for entries in documents]


def _lines(text: str, file: str) -> list[Line]:
    """The lines that say something, each with its number."""
    rows = csv.reader(io.StringIO(text), delimiter=_delimiter(text))
    try:
        found = [(rows.line_num, row) for row in rows]
    except csv.Error as error:
        raise ProblemError([Fault(file, Mark(rows.line_num, 1), f"this is not CSV: {error}")]) from None
    return [(number, row) for number, row in found if not row or not row[0].lstrip().startswith("#")]


def _delimiter(text: str) -> str:
    """What stands between cells, where a spreadsheet chooses that by language."""
    lines = [line for line in text.splitlines() if not line.lstrip(' "').startswith("#")]
    return max(",;\t", key=lambda sign: sum(line.count(sign) for line in lines))


def _blocks(lines: list[Line], file: str) -> list[tuple[reader.Scalar, list[Line]]]:
    """Each name with its lines: its own, and those after it that have none."""
    blocks: list[tuple[reader.Scalar, list[Line]]] = []
    for number, row in lines:
        if row and row[0].strip():
            blocks.append((reader.Scalar(row[0].strip(), Mark(number, 1)), [(number, row)]))
        elif blocks:
            blocks[-1][1].append((number, row))
        elif any(cell.strip() for cell in row):
            fix = "the first column has the name of a matrix, such as Q, in front of its first row"
            raise ProblemError([Fault(file, Mark(number, 1), "these answers have no name", fix)])
    return blocks


def _matrix(lines: list[Line]) -> reader.Sequence:
    rows = [_row(number, row) for number, row in lines]
    while len(rows) > 1 and not any(isinstance(item, reader.Scalar) and item.text for item in rows[-1].items):
        rows.pop()
    return rows[0] if len(rows) == 1 else reader.Sequence(tuple(rows), rows[0].at, padded=True)


def _row(number: int, row: list[str]) -> reader.Sequence:
    """The cells after the name, each with its place in the line."""
    items, column = [], 1 + len(row[0] if row else "") + 1
    for cell in row[1:]:
        items.append(reader.Scalar(cell.strip(), Mark(number, column)))
        column += len(cell) + 1
    return reader.Sequence(tuple(items), Mark(number, 1), padded=True)


def fitted(node: reader.Sequence, shape: tuple[int, int]) -> reader.Sequence:
    """Rows of a spreadsheet in the shape that is wanted: blank cells are cut off or added, others never."""
    inner = [item for item in node.items if isinstance(item, reader.Sequence)]
    rows = inner or [reader.Sequence(node.items, node.at)]
    is_vector = 1 in shape and len(rows) == 1
    height, width = (1, max(shape)) if is_vector else shape
    blank = reader.Sequence((), node.at)
    rows += [blank] * (height - len(rows))
    return reader.Sequence(tuple(_fitted_row(row, width) for row in rows), node.at)


def _fitted_row(row: reader.Sequence, width: int) -> reader.Sequence:
    items = list(row.items)
    while len(items) > width and isinstance(items[-1], reader.Scalar) and not items[-1].text:
        items.pop()
    items += [reader.Scalar("", row.at)] * (width - len(items))
    return reader.Sequence(tuple(items), row.at)
