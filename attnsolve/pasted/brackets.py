"""Matrices in brackets: nested lists of Python, printed NumPy arrays, rows of MATLAB."""

from __future__ import annotations

import re

from attnsolve.pasted.matrix import Pasted, PastedNumber, checked_entry, rectangle
from attnsolve.pasted.scanner import Scanner

BRACKET = re.compile(r"[\[{]")
CALL = re.compile(r"(?:[A-Za-z_]\w*\.)*(?:array|asarray|matrix|mat|Matrix|[a-z]*tensor|[A-Z]?[a-z]*Tensor)\s*\(\s*")
"""A function that makes an array of nested lists."""
_ARGUMENT = re.compile(r"""\s*,\s*(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>[\w.]+|"[^"\n]*"|'[^'\n]*')""")
_CLOSING_CALL = re.compile(r"\s*,?\s*\)")
_SPACE = re.compile(r"(?:[ \t\r\n]|\#.*|(?<=\s)%.*)+")
_FLAT_SPACE = re.compile(rf"(?:{_SPACE.pattern}|\.\.\.[ \t]*\n)+")
_SAME_LINE = re.compile(r"(?:[ \t\r]|\.\.\.[ \t]*\n)+")
_COMMENT = re.compile(r"[#%].*")
_WORD = re.compile(r"[^\s\]]*")
_CLOSERS = {"[": "]", "{": "}"}
NUMPY_WIDTH = 75
"""Of a line that NumPy prints: only longer ones are broken."""


def read_call(scanner: Scanner) -> Pasted:
    """array([[1, 2]], dtype=float)."""
    scanner.take(CALL)
    if not scanner.looking_at(BRACKET):
        raise scanner.fault(f"a list in brackets was expected, but {scanner.found()} was found")
    matrix = read_brackets(scanner)
    while argument := scanner.take(_ARGUMENT):
        if argument["name"] == "dtype":
            _refuse_rounding(scanner, matrix, argument["value"], argument.start("value"))
    if not scanner.take(_CLOSING_CALL):
        scanner.take(_SPACE)
        raise scanner.fault(f"a closing ) was expected, but {scanner.found()} was found")
    return matrix


def _refuse_rounding(scanner: Scanner, matrix: Pasted, kind: str, at: int) -> None:
    whole = all(entry.text.lstrip("+-").isdigit() for row in matrix.rows for entry in row)
    if "bool" in kind or ("int" in kind and not whole):
        raise scanner.fault(
            f"dtype={kind} changes the numbers that are written", "write the numbers that are meant", at
        )


def read_brackets(scanner: Scanner) -> Pasted:
    """[[1, 2], [3, 4]], [[1 2] [3 4]], [1 2; 3 4] or [1, 2]."""
    at = scanner.position
    opening = scanner.next
    scanner.go_to(at + 1)
    scanner.take(_SPACE)
    separators = _Separators(scanner)
    if scanner.next == opening:
        return rectangle(scanner, _nested_rows(scanner, opening, separators), at=at)
    rows = _flat_rows(scanner, opening, separators)
    return rectangle(scanner, rows, flat=len(rows) == 1, at=at)


def _nested_rows(scanner: Scanner, opening: str, separators: _Separators) -> list[list[PastedNumber]]:
    rows = []
    while scanner.next == opening:
        scanner.go_to(scanner.position + 1)
        rows.append(_one_row(scanner, opening, separators))
        scanner.take(_SPACE)
        if scanner.next == ",":
            scanner.go_to(scanner.position + 1)
            scanner.take(_SPACE)
    _close(scanner, opening, "the next row or a closing")
    return rows


def _one_row(scanner: Scanner, opening: str, separators: _Separators) -> list[PastedNumber]:
    row: list[PastedNumber] = []
    scanner.take(_SPACE)
    if scanner.next == opening:
        fix = "give each head a name and a matrix of its own"
        raise scanner.fault("brackets are three deep, but a matrix was expected", fix)
    while scanner.next not in (_CLOSERS[opening], ""):
        row.append(_entry(scanner))
        before = scanner.position
        scanner.take(_SPACE)
        if scanner.next not in (_CLOSERS[opening], ""):
            separators.take(before)
            scanner.take(_SPACE)
    _close(scanner, opening, "a closing")
    return row


def _flat_rows(scanner: Scanner, opening: str, separators: _Separators) -> list[list[PastedNumber]]:
    """Rows that end with ; or, as in MATLAB, with their line."""
    rows: list[list[PastedNumber]] = [[]]
    while scanner.next not in (_CLOSERS[opening], ""):
        if scanner.next == ";":
            scanner.go_to(scanner.position + 1)
            scanner.take(_FLAT_SPACE)
            rows.append([])
            continue
        rows[-1].append(_entry(scanner))
        before = scanner.position
        scanner.take(_SAME_LINE)
        scanner.take(_COMMENT)
        if scanner.next == "\n":
            _end_line(scanner, opening, rows, before)
        elif scanner.next not in (";", _CLOSERS[opening], ""):
            separators.take(before)
            scanner.take(_FLAT_SPACE)
    _close(scanner, opening, "a closing")
    return rows if rows[-1] or len(rows) == 1 else rows[:-1]


def _end_line(scanner: Scanner, opening: str, rows: list[list[PastedNumber]], before: int) -> None:
    """The end of a line without a comma or semicolon: the end of a row, unless NumPy may have broken a long one."""
    start = scanner.text.rfind("\n", 0, before) + 1
    scanner.take(_SPACE)
    if scanner.next in (_CLOSERS[opening], ";", ""):
        return
    following = scanner.looking_at(_WORD)
    if before - start + 1 + len(following[0] if following else "") > NUMPY_WIDTH:
        fix = "put ; between rows, or commas between the entries of one row"
        raise scanner.fault("this line may begin a row, or go on with the one before", fix)
    rows.append([])


def _entry(scanner: Scanner) -> PastedNumber:
    """One entry: up to a space, comma, semicolon or bracket that is not inside round brackets."""
    start, depth = scanner.position, 0
    while (character := scanner.next) and character != "\n":
        if depth == 0 and character in " \t\r,;[]{})":
            break
        depth += (character == "(") - (character == ")")
        scanner.go_to(scanner.position + 1)
    return checked_entry(scanner, scanner.text[start : scanner.position], start)


def _close(scanner: Scanner, opening: str, expected: str) -> None:
    if scanner.next != _CLOSERS[opening]:
        raise scanner.fault(f"{expected} {_CLOSERS[opening]} was expected, but {scanner.found()} was found")
    scanner.go_to(scanner.position + 1)


class _Separators:
    """Commas or spaces between the entries of a matrix, not now one and now the other: 0,5 1,5 would be misread."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.commas: bool | None = None

    def take(self, before: int) -> None:
        """The separator after an entry that ended at `before`."""
        has_comma = self.scanner.next == ","
        if self.commas is not None and has_comma != self.commas:
            expected = "a comma" if self.commas else "a space"
            fix = "separate all entries with commas; a decimal point is a point"
            raise self.scanner.fault(f"{expected} was expected, as between the entries before", fix, before)
        self.commas = has_comma
        if has_comma:
            self.scanner.go_to(self.scanner.position + 1)
