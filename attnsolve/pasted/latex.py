r"""Matrices in LaTeX: bmatrix and its relatives, and array."""

from __future__ import annotations

import re

from attnsolve.pasted.matrix import Pasted, PastedNumber, checked_entry, rectangle
from attnsolve.pasted.scanner import Scanner

OPENING = re.compile(
    r"(?:\\left\s*\\?[\[({|.]\s*)?\\begin\{(?P<environment>[a-zA-Z]*matrix\*?|array)\}"
    r"(?:\[[^\]\n]*\])?(?:(?<=array\})\s*\{[^}\n]*\})?"
)
_RIGHT = re.compile(r"\s*\\right\s*\\?[\])}|.]")
_SKIPPED = re.compile(r"(?:\s|%.*|\\hline(?![A-Za-z])|\\(?:displaystyle)(?![A-Za-z]))+")
_PIECE = re.compile(r"\\\\(?:\[[^\]\n]*\])?|\\?[^\\&]|\\[A-Za-z]+|&|\\.", re.DOTALL)


def read_latex(scanner: Scanner) -> Pasted:
    r"""\begin{bmatrix} 1 & \frac{1}{2} \\ 0 & 1 \end{bmatrix}."""
    at = scanner.position
    opening = scanner.take(OPENING)
    assert opening is not None
    closing = rf"\end{{{opening['environment']}}}"
    end = scanner.text.find(closing, scanner.position)
    if end < 0:
        raise scanner.fault(f"{opening['environment']} is not closed", f"add {closing}", at)
    rows: list[list[PastedNumber]] = [[]]
    while True:
        scanner.take(_SKIPPED)
        if scanner.position >= end and not rows[-1]:  # after the last \\
            break
        entry, separator = _entry(scanner, end)
        rows[-1].append(entry)
        if not separator:
            break
        if separator != "&":
            rows.append([])
    scanner.go_to(end + len(closing))
    scanner.take(_RIGHT)
    return rectangle(scanner, rows if rows[-1] else rows[:-1], at=at)


def _entry(scanner: Scanner, end: int) -> tuple[PastedNumber, str]:
    r"""One entry, and what ends it: &, \\, or nothing at the end."""
    start, separator = scanner.position, ""
    stop = start
    while scanner.position < end:
        piece = scanner.take(_PIECE)
        assert piece is not None
        if piece[0] == "&" or piece[0].startswith("\\\\"):
            separator = piece[0]
            break
        stop = scanner.position
    text = scanner.text[start:stop].rstrip()
    if not text:
        raise scanner.fault(f"a number was expected before {separator or 'the end of the matrix'}", "", start)
    return checked_entry(scanner, text, start), separator
