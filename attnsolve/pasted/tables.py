"""Matrices as tables: Markdown, or cells between tabs or spaces, with or without headings."""

from __future__ import annotations

import re
from dataclasses import replace

from attnsolve.pasted.matrix import Pasted, checked_entry, is_number, rectangle
from attnsolve.pasted.scanner import Scanner

_LINE = re.compile(r"[^\n]*\n?")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:[|+]\s*:?-+:?\s*)*\|?\s*")
_NAME = re.compile(r"[A-Z]\w{0,2}(?:[_^]\w+)?")
_OTHER = re.compile(r"[^\s|]+\s*(?::=|=|:|<-)|\\|```|#")
"""What begins something else than another row."""
_WORD = re.compile(r"\S+")

Row = list[tuple[str, int]]
"""The cells of a line, with their places."""


def read_table(scanner: Scanner) -> Pasted:
    """The lines from here to the next empty one."""
    at = scanner.position
    lines, ruled = _lines(scanner)
    if not lines:
        raise scanner.fault(f"a matrix was expected, but {scanner.found()} was found", "", at)
    numbers = [[is_number(text) for text, _ in row] for row in lines]
    if not any(any(row) for row in numbers):
        scanner.go_to(at)
        fix = "write Q = and then the matrix, such as [[1, 0], [1/2, 1]]"
        raise scanner.fault(f"a matrix or its name was expected, but {scanner.found()} was found", fix)
    heading = lines[0] if ruled or not any(numbers[0]) else []
    rows = lines[1:] if heading else lines
    labelled = bool(rows) and all(row and _is_label(row[0][0]) for row in rows)
    _check_heading(scanner, heading, ruled=ruled, labelled=labelled)
    cells = [row[1:] for row in rows] if labelled else rows
    entries = [[checked_entry(scanner, text, place) for text, place in row] for row in cells]
    matrix = rectangle(scanner, entries, at=at)
    labels = tuple(row[0][0] for row in rows) if labelled else ()
    corner = heading[0][0] if heading and labelled else ""
    return replace(matrix, labels=labels, name=corner if _NAME.fullmatch(corner) else "")


def _is_label(text: str) -> bool:
    """Whether a cell is a word, and no number that was mistyped."""
    return text[:1].isalpha() and not is_number(text)


def _check_heading(scanner: Scanner, heading: Row, *, ruled: bool, labelled: bool) -> None:
    """Refuse a heading that may be a row of the matrix."""
    cells = heading[1:] if labelled else heading
    counted = [text for text, _ in cells] in ([str(i + first) for i in range(len(cells))] for first in (0, 1))
    for text, place in cells if ruled and not (labelled and counted) else ():
        if text and is_number(text):
            fix = "leave the heading empty, as in | | |, if its numbers are a row of the matrix"
            raise scanner.fault(f"the heading of the table has a number, {text}", fix, place)


def _lines(scanner: Scanner) -> tuple[list[Row], bool]:
    """The lines of a table as cells, and whether Markdown's rule stands under the first."""
    lines: list[Row] = []
    ruled = False
    while not scanner.is_at_end:
        line = scanner.looking_at(_LINE)
        assert line is not None
        if not line[0].strip() or (lines and _OTHER.match(line[0].lstrip())):
            break
        if len(lines) == 1 and not ruled and _RULE.fullmatch(line[0]):
            ruled = True
        else:
            lines.append(_cells(line[0].rstrip("\n"), scanner.position))
        scanner.go_to(line.end())
    return lines, ruled


def _cells(line: str, start: int) -> Row:
    """The cells between |, tabs or spaces."""
    separator = "|" if "|" in line else "\t"
    if separator not in line.strip():
        return [(word[0], start + word.start()) for word in _WORD.finditer(line)]
    found: Row = []
    for cell in line.split(separator):
        found.append((cell.strip(), start + len(cell) - len(cell.lstrip())))
        start += len(cell) + 1
    outer = separator == "|" and not found[0][0] and line.lstrip().startswith("|")
    return found[1 if outer else 0 : -1 if not found[-1][0] else None]
