"""A matrix that was pasted: its entries as they were written, with their places."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from attnsolve.bounds import allowed
from attnsolve.errors import count
from attnsolve.record import Record, record
from attnsolve.spec.number import NumberError, infinity, parse_number

if TYPE_CHECKING:
    from attnsolve.pasted.scanner import Scanner

_MODULE = re.compile(r"\b(?:np|numpy|math|jnp|torch|sympy|sp)\.(?=[a-zA-Z])")
_FLOAT = re.compile(r"""float\(\s*["'](-?)inf(?:inity)?["']\s*\)""")
_FRACTION = re.compile(r"(-?)(?:\w+\.)*(?:Fraction|Rational)\(\s*(-?\d+)\s*,\s*(\d+)\s*\)")
_DOTS = re.compile(r"\.\.\.|…|\\(?:[cldv]dots|ddots|dots)(?![A-Za-z])")


@record
class PastedNumber(Record):
    """One number, as it was written."""

    text: str
    at: int
    """Its place in the text."""


@record
class Pasted(Record):
    """One matrix, or a vector where the brackets were those of one plain list."""

    rows: tuple[tuple[PastedNumber, ...], ...]
    flat: bool = False
    name: str = ""
    at: int = 0
    """Where it begins in the text, its name included."""
    labels: tuple[str, ...] = ()
    """Of the rows, in a table that has them."""

    def called(self, name: str, at: int) -> Pasted:
        """The same under a name, unless it has one of its own."""
        return replace(self, name=name or self.name, at=at)

    @property
    def shape(self) -> str:
        """Its size, as one says it."""
        rows, columns = len(self.rows), len(self.rows[0])
        return count(columns, "number") if self.flat else f"{rows}×{columns}"


def checked_entry(scanner: Scanner, text: str, at: int) -> PastedNumber:
    """An entry that is a number, or −∞ as masks have it."""
    if not text:
        scanner.go_to(at)
        raise scanner.fault(f"a number was expected, but {scanner.found()} was found")
    if _DOTS.search(text):
        fix = "write all the entries (NumPy prints them after np.set_printoptions(threshold=np.inf))"
        raise scanner.fault("entries are left out here", fix, at)
    if text[0] in "=≈<>~":
        raise scanner.fault(f"a number was expected, but {text[0]!r} was found", "", at)
    if text in ("True", "False"):
        fix = "write 1 where a query may attend and 0 where it may not"
        raise scanner.fault(f"a number was expected, but {text} was found", fix, at)
    number = _as_number(text)
    if infinity(number) != -1:
        _check_number(scanner, number, at)
    return PastedNumber(number, at)


def _check_number(scanner: Scanner, text: str, at: int) -> None:
    """Refuse what is no number, and what may be another one than it seems."""
    try:
        number = parse_number(text)
    except NumberError as error:
        fix = "only numbers can be read" if "is not known" in str(error) else error.fix
        raise scanner.fault(f"a number was expected: {error}", fix, at) from None
    if re.search(r"\d,\d", text):
        fix = "put spaces or tabs between numbers, and a point in decimals"
        raise scanner.fault(f"{text} may be one number or several", fix, at)
    if number.notes:
        raise scanner.fault(f"{text} may be misread: {number.notes[0]}", "write the number that is meant", at)


def _as_number(text: str) -> str:
    """A number as a problem file has it, where a program has it otherwise: -np.inf, Fraction(1, 2)."""
    if len(text) > allowed().number_characters:  # it is refused anyway
        return text
    text = _MODULE.sub("", text)
    text = _FRACTION.sub(lambda match: f"{match[1]}{match[2]}/{match[3]}", text)
    return _FLOAT.sub(lambda match: f"{match[1]}inf", text)


def is_number(text: str) -> bool:
    """Whether a cell of a table is a number."""
    number = _as_number(text)
    if infinity(number):
        return True
    try:
        parse_number(number)
    except NumberError:
        return False
    return True


def rectangle(scanner: Scanner, rows: list[list[PastedNumber]], *, flat: bool = False, at: int) -> Pasted:
    """Rows that are all as long as the first."""
    if not rows or not rows[0]:
        raise scanner.fault("the matrix is empty", "", at)
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            message = f"row {number} has {count(len(row), 'number')}, but row 1 has {len(rows[0])}"
            raise scanner.fault(message, "", row[0].at if row else at)
    return Pasted(tuple(map(tuple, rows)), flat)
