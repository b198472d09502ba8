"""The keys of `kind: formulas`: what is given, and the formulas that a sheet states itself.

What a file may ask for depends on the names in it, so the kind is made anew for each file (`of_file`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from attnsolve.bounds import allowed, raises
from attnsolve.errors import Mark
from attnsolve.language.parser import parse_formula
from attnsolve.language.shapes import CONSTANTS
from attnsolve.language.syntax import NameNode, Node
from attnsolve.language.tokens import LanguageError
from attnsolve.record import Record, record
from attnsolve.spec import reader, shapes
from attnsolve.spec.attention import LAYOUT, TOKENS, VECTORS
from attnsolve.spec.fields import Faults, Fields, StatedMatrix, read_number, read_stated
from attnsolve.spec.keys import AnyKey, by_name, declare

Layout = Literal["rows", "columns"]

KIND = "formulas"
QUANTITIES: tuple[str, ...] = ()
NAMES: tuple[str, ...] = ()
GIVABLE: tuple[str, ...] = ()
PARAMETERS: tuple[str, ...] = ()
LETTERS: dict[str, str] = {}
SOURCES: dict[str, str] = {}
CLAIMS: tuple[str, ...] = ()
UNUSED: tuple[str, ...] = ()

_FAMILY: shapes.Shape = {"type": "array", "minItems": 1, "items": shapes.MATRIX_REF}
GIVEN = declare(
    "given",
    "Numbers, lists, matrices and families of matrices, by name: {X: [[1, 0], [0, 1]], b: [0, 1], T: 2}.",
    {"type": "object", "additionalProperties": {"anyOf": [shapes.NUMBER_REF, shapes.MATRIX_REF, _FAMILY]}},
)
FORMULAS = declare(
    "formulas",
    "The formulas of the sheet, by the name of what each defines: {S: Q*K^T, A: softmax(S)}.",
    {"type": "object", "minProperties": 1, "additionalProperties": {"type": ["string", "number"]}},
)
KEYS = by_name(TOKENS, GIVEN, FORMULAS, LAYOUT, VECTORS)


@record
class GivenValue(Record):
    """What stands under a name of `given`: a number, a plain list, a matrix, or a family of matrices."""

    name: str
    at: Mark
    shape: tuple[int, ...]
    """As the language has it: () a number, (n,) a list, (n, m) a matrix, (k, n, m) a family; (0, 0) for an identity
    whose size follows from its use."""
    members: tuple[StatedMatrix, ...]


@record
class WrittenFormula(Record):
    """A formula of the sheet, as text and as the tree that was read."""

    name: str
    text: str
    node: Node
    at: Mark

    def place(self, column: int) -> Mark:
        """Where a column of the text stands in the file."""
        return Mark(self.at.line, self.at.column + column)


@record
class Formulas(Record):
    """What a sheet gives and defines."""

    layout: Layout
    vectors: Layout | Literal[""]
    tokens: tuple[str, ...]
    given: Mapping[str, GivenValue]
    formulas: Mapping[str, WrittenFormula]


class SheetKind:
    """The kind of one file: it has the names that stand in it."""

    KIND = KIND
    UNUSED, CLAIMS, GIVABLE, PARAMETERS = UNUSED, CLAIMS, GIVABLE, PARAMETERS
    LETTERS, SOURCES = LETTERS, SOURCES

    def __init__(self, names: tuple[str, ...]) -> None:
        self.KEYS: dict[str, AnyKey] = KEYS
        self.QUANTITIES = self.NAMES = names

    def read(self, fields: Fields) -> Formulas | None:
        """What the file gives and defines."""
        return read(fields)


def of_file(node: reader.Mapping) -> SheetKind:
    """The kind of a file, which may ask for what stands under `given` and `formulas`."""
    return SheetKind(tuple(dict.fromkeys(_names(node))))


def _names(node: reader.Mapping) -> Iterator[str]:
    for key, value in node.entries:
        if key.text in (GIVEN.name, FORMULAS.name) and isinstance(value, reader.Mapping):
            for name, _ in value.entries:
                yield plain_name(name.text) or name.text


def plain_name(text: str) -> str:
    """A name in the one way in which formulas have it: W_{Q} as W_Q; nothing for what is no name.

    >>> plain_name("W_{Q}"), plain_name("2x")
    ('W_Q', '')
    """
    try:
        node = parse_formula(text)
    except LanguageError:
        return ""
    return node.name if isinstance(node, NameNode) else ""


def read(fields: Fields) -> Formulas | None:
    """Read what a sheet gives and defines; None, with its faults noted, when that can't be."""
    layout, vectors = LAYOUT.read(fields), fields.get(VECTORS.name) and VECTORS.read(fields)
    tokens = TOKENS.read(fields)
    given = dict(_given(fields))
    formulas = dict(_formulas(fields, given))
    if not formulas and not fields.faults.found:
        fields.faults.add(fields.node, "there are no formulas", "add formulas: {A: softmax(S)}")
    if fields.faults.found:
        return None
    return Formulas(
        "columns" if layout == "columns" else "rows",
        "rows" if vectors == "rows" else "columns" if vectors else "",
        tokens,
        given,
        formulas,
    )


def _entries(fields: Fields, key: str) -> Iterator[tuple[str, reader.Scalar, reader.Node]]:
    """The entries of a mapping whose keys are names."""
    node = fields.get(key)
    if node is None:
        return
    if not isinstance(node, reader.Mapping):
        example = "{X: [[1, 0], [0, 1]]}" if key == GIVEN.name else "{A: softmax(S)}"
        fields.faults.expected(node, key, f"a mapping such as {example}")
        return
    for name, value in node.entries:
        if plain := plain_name(name.text):
            yield plain, name, value
        else:
            fix = "write a letter, or a letter and an index such as W_Q"
            fields.faults.add(name, f"{name.text!r} can't be a name", fix)


# ── what is given ───────────────────────────────────────────────────────────────────────────────


def _given(fields: Fields) -> Iterator[tuple[str, GivenValue]]:
    seen: dict[str, Mark] = {}
    for name, key, node in _entries(fields, GIVEN.name):
        if name in seen:
            fields.faults.add(key, f"{name} is given twice: it was already given on line {seen[name].line}")
        elif (value := _value(name, node, fields.faults)) is not None:
            yield name, value
        seen.setdefault(name, key.at)


def _value(name: str, node: reader.Node, faults: Faults) -> GivenValue | None:
    if isinstance(node, reader.Scalar) and node.text != "identity":
        number = read_number(node, name, faults)
        if number is None:
            return None
        return GivenValue(name, node.at, (), (StatedMatrix(name, ((number,),), node.at, flat=True),))
    if _depth(node) > 2 and isinstance(node, reader.Sequence):
        return _family(name, node, faults)
    matrix = read_stated(node, name, faults, infinite=True)
    if matrix.unread:
        return None
    shape = matrix.shape[1:] if matrix.flat else matrix.shape
    return GivenValue(name, node.at, shape, (matrix,))


def _family(name: str, node: reader.Sequence, faults: Faults) -> GivenValue | None:
    if len(node.items) > allowed().heads:
        said = f"a family may have at most {allowed().heads} members, but {name} has {len(node.items)}"
        faults.add(node, said, raises("heads", len(node.items)))
        return None
    members = tuple(read_stated(item, f"{name}[{i}]", faults, infinite=True) for i, item in enumerate(node.items, 1))
    if any(member.unread for member in members):
        return None
    sizes = list(dict.fromkeys(member.shape for member in members))
    if len(sizes) > 1:
        said = " and ".join(f"{rows}×{columns}" for rows, columns in sizes[:2])
        faults.add(node, f"the matrices of {name} have different shapes, {said}", "give each a name of its own")
        return None
    return GivenValue(name, node.at, (len(members), *sizes[0]), members)


def _depth(node: reader.Node) -> int:
    if not isinstance(node, reader.Sequence) or not node.items:
        return 0
    return 1 + min(map(_depth, node.items))


# ── formulas ────────────────────────────────────────────────────────────────────────────────────


def _formulas(fields: Fields, given: Mapping[str, GivenValue]) -> Iterator[tuple[str, WrittenFormula]]:
    seen: dict[str, Mark] = {name: value.at for name, value in given.items()}
    for name, key, node in _entries(fields, FORMULAS.name):
        if name in seen:
            said = f"{name} is defined twice: it was already there on line {seen[name].line}"
            fields.faults.add(key, said, "give one of the two another name")
        elif name in ("oo", "T") or (name in CONSTANTS and name not in ("e",)):
            fields.faults.add(key, f"{name} has a meaning of its own", "give it another name")
        elif (formula := read_formula(name, node, fields.faults)) is not None:
            yield name, formula
        seen.setdefault(name, key.at)


def read_formula(name: str, node: reader.Node, faults: Faults) -> WrittenFormula | None:
    """The formula of one quantity; what is wrong with it is noted where it stands."""
    if not isinstance(node, reader.Scalar):
        fix = f'put it in quotes: {name}: "..."'
        faults.add(node, f"{name} must be a formula, but YAML reads {reader.describe(node)} here", fix)
        return None
    at = Mark(node.at.line, node.at.column + node.quoted)
    try:
        return WrittenFormula(name, node.text, parse_formula(node.text), at)
    except LanguageError as error:
        faults.add(Mark(at.line, at.column + error.column), f"in {name}: {error}", error.fix)
        return None
