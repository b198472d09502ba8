"""Typed readings of YAML nodes: a matrix, a choice, a label. What is wrong is noted and reading goes on, so that
one run tells every fault of a file."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve.bounds import allowed, raises
from attnsolve.errors import MOST_LISTED, Fault, Mark, count, nearest
from attnsolve.record import Fillable, Record, filled, record
from attnsolve.spec import reader
from attnsolve.spec.number import MINUS_INFINITY, Number, NumberError, WrittenNumber, infinity, multiply, parse_number

if TYPE_CHECKING:
    import sympy

YES_OR_NO = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
"""Words of YAML, of any case, that say whether something is so."""

Rows = tuple[tuple[Number, ...], ...]


@record
class GivenMatrix(Record):
    """A matrix as a problem gives it, and where. `flat` when it was written as one plain list.

    `identity` matrices are empty until `sized` tells how large they must be.
    """

    name: str
    rows: Rows
    at: Mark
    flat: bool = False
    identity: bool = False
    times: Number = Fraction(1)
    commas: str = ""
    """What to write instead, where every row may be half as long and its commas decimal points."""
    unread: bool = False
    """It is there but could not be read: one fault says so, and nothing else is said about it."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows[0]) if self.rows else 0

    def turned(self) -> GivenMatrix:
        """The transpose; a plain list stays known as one."""
        return replace(self, rows=tuple(zip(*self.rows, strict=True)))

    def repeated(self, times: int, *, columns: bool = False) -> GivenMatrix:
        """Its one row for each of several tokens, or its one column (`columns`)."""
        rows = tuple(row * times for row in self.rows) if columns else self.rows * times
        return replace(self, rows=rows, flat=False)

    def flattened(self) -> GivenMatrix:
        """All entries as one plain list."""
        return GivenMatrix(self.name, (tuple(x for row in self.rows for x in row),), self.at, flat=True)

    def scaled(self, times: Number) -> GivenMatrix:
        """Every entry times a number; −∞ stays what it is."""
        rows = tuple(tuple(x if x == MINUS_INFINITY else multiply(times, x) for x in row) for row in self.rows)
        return replace(self, times=multiply(times, self.times), rows=rows)

    @property
    def has_infinite(self) -> bool:
        """Whether −∞ stands anywhere in it."""
        return any(x == MINUS_INFINITY for row in self.rows for x in row)

    def sized(self, side: int) -> GivenMatrix:
        """Give an identity its size; any other matrix stays as it is."""
        if not self.identity or self.rows:
            return self
        zero = Fraction(0)
        return replace(
            self, rows=tuple(tuple(self.times if i == j else zero for j in range(side)) for i in range(side))
        )


ReadsFloats = Callable[[reader.Node, str, "Faults", bool], "GivenMatrix | None"]
"""Reads a matrix of that name as float64; whether −∞ may stand in it is said last."""


@filled
class Faults(Fillable):
    """Collects what is wrong in one file, and the style its numbers are written in."""

    file: str
    symbols: Mapping[str, sympy.Symbol] = field(default_factory=dict)
    found: list[Fault] = field(default_factory=list)
    decimals: int = 0
    fractions: int = 0
    letters: set[str] = field(default_factory=set)
    """The symbols that stand in the numbers read so far."""
    floats: ReadsFloats | None = None
    """What reads matrices as float64; None unless the problem says `numbers: float`."""
    cells: int = 0
    """How many entries the matrices read so far have."""
    in_vain: dict[Mark, Fault] = field(default_factory=dict)
    """The faults that would be none without an entry, by the place of its key or its value."""

    def nearest(self, word: str, known: Iterable[str]) -> str:
        """The likeliest intended word, as long as faults are told and not only counted: looking for it takes time."""
        return nearest(word, known) if len(self.found) < MOST_LISTED else ""

    def add(self, at: Mark | reader.Node, message: str, fix: str = "") -> None:
        """Note one fault."""
        self.found.append(Fault(self.file, at if isinstance(at, Mark) else at.at, message, fix))

    def vain(self, at: Mark | reader.Node, message: str, fix: str = "", others: Iterable[Mark] = ()) -> None:
        """Note an entry that the problem does nothing with, and such `others` as the same message is about."""
        self.add(at, message, fix)
        for mark in (self.found[-1].at, *others):
            self.in_vain.setdefault(mark, self.found[-1])

    def expected(self, node: reader.Node, name: str, what: str, fix: str = "") -> None:
        """Note that a value is of the wrong sort."""
        self.add(node, f"{name} must be {what}, but {reader.describe(node)} was found", fix)


class Fields:
    """A mapping whose keys are known beforehand; unknown ones are faults with the nearest known key."""

    def __init__(
        self,
        node: reader.Mapping,
        known: Iterable[str],
        faults: Faults,
        where: str = "",
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        """`elsewhere` says of keys that are known, but not here, where they go."""
        self.node = node
        self.faults = faults
        self.values = {key.text: value for key, value in node.entries}
        self.marks = {key.text: key.at for key, _ in node.entries}
        names = dict.fromkeys(known)  # a mapping that may have any keys knows as many as it has
        advice: set[str] = set()
        for key, _ in node.entries:
            if key.text not in names:
                fix = (elsewhere or {}).get(key.text) or faults.nearest(key.text, names)
                faults.vain(key, f"unknown key {key.text!r}{where}", "" if fix in advice else fix)
                advice.add(fix)

    def get(self, name: str) -> reader.Node | None:
        """The node under a key, or None; an empty value (`title:` and nothing after it) counts as absent."""
        node = self.values.get(name)
        return None if node is None or is_empty(node) else node

    def choice(self, name: str, choices: Iterable[str], default: str, meant: Mapping[str, str] | None = None) -> str:
        """One word out of a few; `meant` has other words that people may try, and what they mean by them."""
        node, known = self.get(name), list(choices)
        if node is None:
            return default
        if isinstance(node, reader.Scalar) and node.text in known:
            return node.text
        fix = ""
        if isinstance(node, reader.Scalar):
            word = (meant or {}).get(node.text.casefold())
            fix = f"did you mean {word}?" if word else nearest(node.text, known)
        self.faults.expected(node, name, " or ".join(known), fix)
        return default

    def integer(self, name: str, default: int | None, low: int, high: int, bound: str = "") -> int | None:
        """A whole number between two ends; `bound` names the one that the upper end is."""
        node = self.get(name)
        if node is None:
            return default
        fix = ""
        if isinstance(node, reader.Scalar) and node.text.isascii() and node.text.isdigit() and len(node.text) < 10:
            value = int(node.text)
            if low <= value <= high:
                return value
            fix = raises(bound, value) if bound and value > high else fix
        self.faults.expected(node, name, f"a whole number from {low} to {high}", fix)
        return default

    def boolean(self, name: str) -> bool:
        """`true` or `false`; false when absent."""
        return self.choice(name, ("true", "false"), "false") == "true"

    def text(self, name: str) -> str:
        """A line of text, freed of control characters."""
        node = self.get(name)
        return "" if node is None else read_text(node, name, self.faults, "text_characters")

    def number(self, name: str) -> Number | None:
        """One number, or None when absent or wrong."""
        node = self.get(name)
        return None if node is None else read_number(node, name, self.faults)

    def labels(self, name: str, of: str = "a token") -> tuple[str, ...]:
        """A list of names, none when absent or wrong."""
        node = self.get(name)
        if node is None:
            return ()
        if not isinstance(node, reader.Sequence) or not node.items or len(node.items) > allowed().side:
            fix = raises("side", len(node.items)) if isinstance(node, reader.Sequence) and node.items else ""
            self.faults.expected(node, name, f"a list of 1 to {allowed().side} names", fix)
            return ()
        labels = []
        for item in node.items:
            label = read_text(item, f"{of}'s name", self.faults)
            if not label and isinstance(item, reader.Scalar) and len(item.text) <= allowed().label_characters:
                self.faults.add(item, f"{of}'s name is empty")
            labels.append(label)
        return tuple(labels)

    def matrix(self, name: str, *, infinite: bool = False) -> GivenMatrix | None:
        """A matrix, or None when absent or wrong."""
        node = self.get(name)
        return None if node is None else read_matrix(node, name, self.faults, infinite=infinite)

    def given(self, name: str) -> GivenMatrix | None:
        """A matrix, or None when absent; one that is wrong is there, but unread."""
        node = self.get(name)
        return None if node is None else read_given(node, name, self.faults)


def is_empty(node: reader.Node) -> bool:
    """Whether nothing stands there: `title:` and nothing after it, or null."""
    return isinstance(node, reader.Scalar) and not node.quoted and node.text in ("", "~", "null")


def read_text(node: reader.Node, name: str, faults: Faults, bound: str = "label_characters") -> str:
    """Text on one line: control and direction characters are dropped, so that no title can rewrite a terminal."""
    if not isinstance(node, reader.Scalar):
        faults.expected(node, name, "a line of text")
        return ""
    limit: int = getattr(allowed(), bound)
    if len(node.text) > limit:
        message = f"{name} may be at most {limit} characters long, but has {len(node.text)}"
        faults.add(node, message, raises(bound, len(node.text)))
        return ""
    kept = "".join(c for c in node.text if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co"))
    return " ".join(kept.split())


def read_number(node: reader.Node, name: str, faults: Faults) -> Number | None:
    """One exact number."""
    if not isinstance(node, reader.Scalar):
        faults.expected(node, name, "a number")
        return None
    try:
        written = parse_number(node.text, faults.symbols) if node.text.strip() else _missing(name)
    except NumberError as error:
        faults.add(node, f"in {name}: {error}", error.fix)
        return None
    faults.letters |= written.letters
    faults.decimals += written.decimal
    faults.fractions += written.fraction
    return written.value


def _missing(name: str) -> WrittenNumber:
    raise NumberError("a number is missing")


def read_matrix(node: reader.Node, name: str, faults: Faults, *, infinite: bool = False) -> GivenMatrix | None:
    """A list of rows, one flat row, `identity`, `{matrix, times, transposed}`; as floats, `{random, seed, scale}`."""
    if split := reader.split_at_commas(node):
        faults.add(node, f"{name} has decimal commas, which YAML takes for the end of an entry", split)
        return None
    if faults.floats is not None:
        return faults.floats(node, name, faults, infinite)
    if isinstance(node, reader.Numbers):
        message = f"{name} is an array of floats, but the numbers are exact"
        faults.add(node, message, "pass a list, or set numbers: float")
        return None
    if is_drawn(node):
        faults.add(node, f"{name} is drawn at random, but the numbers are exact", "write numbers: float")
        return None
    return read_written(node, name, faults, infinite=infinite)


def read_given(node: reader.Node, name: str, faults: Faults, *, infinite: bool = False) -> GivenMatrix:
    """A matrix; one that can't be read is remembered all the same, so that nobody says it is missing or misshapen."""
    matrix = read_matrix(node, name, faults, infinite=infinite)
    return GivenMatrix(name, (), node.at, unread=True) if matrix is None else matrix


def is_drawn(node: reader.Node) -> bool:
    """Whether a matrix is to be drawn at random."""
    return isinstance(node, reader.Mapping) and any(key.text == "random" for key, _ in node.entries)


def read_written(node: reader.Node, name: str, faults: Faults, *, infinite: bool = False) -> GivenMatrix | None:
    """A matrix whose every entry is written out, each an exact number."""
    if isinstance(node, reader.Mapping):
        return read_decorated(node, name, faults, infinite)
    if isinstance(node, reader.Scalar):
        if node.text == "identity":
            return GivenMatrix(name, (), node.at, identity=True)
        faults.expected(node, name, "a matrix (a list of rows)", f"write {name}: [[1, 2], [3, 4]]")
        return None
    assert isinstance(node, reader.Sequence)
    if not node.items:
        faults.add(node, f"{name} is empty")
        return None
    longest = max(len(node.items), *(len(r.items) for r in node.items if isinstance(r, reader.Sequence)), 0)
    if longest > allowed().side:
        message = f"{name} is too large: a matrix may have at most {allowed().side} rows and columns"
        faults.add(node, message, raises("side", longest))
        return None
    rows_of_lists = [item for item in node.items if isinstance(item, reader.Sequence) and item.items]
    if rows_of_lists and all(isinstance(entry, reader.Sequence) for row in rows_of_lists for entry in row.items):
        faults.add(node, f"{name} has lists where its numbers should be", f"write {name}: [[1, 2], [3, 4]]")
        return None
    lists = sum(isinstance(item, reader.Sequence) for item in node.items)
    flat = 2 * lists < len(node.items)  # one list among numbers is a wrong number, not a row
    nodes = [node] if flat else node.items
    rows = [_row(item, i, name, faults, infinite) for i, item in enumerate(nodes, start=1)]
    if any(row is None for row in rows) or _ragged(rows, nodes, name, faults):
        return None
    commas = reader.split_at_commas(node, len(rows[0] or ()) // 2)
    return GivenMatrix(name, tuple(row for row in rows if row is not None), node.at, flat, commas=commas)


def one_list(matrix: GivenMatrix, faults: Faults) -> GivenMatrix | None:
    """A matrix with a single row or column as one plain list; None, with the fault noted, where it has more."""
    if matrix.unread:
        return matrix
    if matrix.identity or 1 not in matrix.shape:
        faults.add(matrix.at, f"{matrix.name} must be one list of numbers, but a matrix was found")
        return None
    return matrix.flattened()


def _row(node: reader.Node, number: int, name: str, faults: Faults, infinite: bool) -> tuple[Number, ...] | None:
    if not isinstance(node, reader.Sequence):
        faults.expected(node, f"row {number} of {name}", "a list of numbers")
        return None
    if not node.items:
        faults.add(node, f"row {number} of {name} is empty")
        return None
    values: list[Number | None] = []
    for column, item in enumerate(node.items, start=1):
        if infinite and isinstance(item, reader.Scalar) and infinity(item.text) < 0:
            values.append(MINUS_INFINITY)
        else:
            values.append(read_number(item, f"{name}[{number},{column}]", faults))
    return None if any(value is None for value in values) else tuple(values)


def _ragged(rows: list[tuple[Number, ...] | None], nodes: Iterable[reader.Node], name: str, faults: Faults) -> bool:
    widths = [len(row) for row in rows if row is not None]
    usual = max(widths, key=widths.count)
    for number, (width, node) in enumerate(zip(widths, nodes, strict=True), start=1):
        if width != usual:
            others = f"row {widths.index(usual) + 1} has {usual}"
            fix = reader.split_at_commas(node, usual)
            faults.add(node, f"row {number} of {name} has {count(width, 'number')}, but {others}", fix)
    return len(set(widths)) > 1


def read_decorated(node: reader.Mapping, name: str, faults: Faults, infinite: bool) -> GivenMatrix | None:
    """`{matrix: [[1, 2]], times: 1/2, transposed: true}`."""
    fields = Fields(node, ("matrix", "times", "transposed"), faults, f" in {name}")
    inner = fields.get("matrix")
    if inner is None:
        faults.add(node, f"{name} is a mapping without its matrix", "write {matrix: [[1, 2], [3, 4]], times: 1/2}")
        return None
    matrix = read_matrix(inner, name, faults, infinite=infinite)
    times, transposed = fields.number("times"), fields.boolean("transposed")
    if matrix is None:
        return None
    if transposed and not matrix.identity:
        matrix = replace(matrix.turned(), flat=False)
    if times is not None:
        if matrix.has_infinite and not times > 0:
            faults.add(node, f"{name} has -inf entries, which can't be multiplied by {times}")
            return None
        matrix = matrix.scaled(times)
    return matrix
