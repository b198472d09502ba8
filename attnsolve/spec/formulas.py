"""The keys of `kind: formulas`: what is given, and the formulas that a sheet states itself.

What a file may ask for depends on the names in it, so the kind is made anew for each file (`of_file`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Literal

from attnsolve.bounds import allowed, raises
from attnsolve.errors import Mark
from attnsolve.language.expression_shapes import CONSTANTS
from attnsolve.language.parser import parse_formula
from attnsolve.language.syntax import NameNode, Node, RangeNode, SliceNode
from attnsolve.language.tokens import LanguageError
from attnsolve.record import Record, record
from attnsolve.spec import reader, shapes
from attnsolve.spec.compare import COMPARE
from attnsolve.spec.fields import Faults, Fields, GivenMatrix, read_given, read_number
from attnsolve.spec.keys import AnyKey, by_name, declare
from attnsolve.spec.layout import LAYOUT, TOKENS, VECTORS, Layout
from attnsolve.spec.own_keys import FORMULAS, IDS_FROM, REPEAT, TRAINING, VOCABULARY

if TYPE_CHECKING:
    from attnsolve.spec.gradient import Training

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
KEYS = by_name(TOKENS, GIVEN, FORMULAS, REPEAT, LAYOUT, VECTORS, VOCABULARY, IDS_FROM, *TRAINING, COMPARE)


@record
class GivenValue(Record):
    """What stands under a name of `given`: a number, a plain list, a matrix, or a family of matrices."""

    name: str
    at: Mark
    shape: tuple[int, ...]
    """As the language has it: () a number, (n,) a list, (n, m) a matrix, (k, n, m) a family; (0, 0) for an identity
    whose size follows from its use."""
    members: tuple[GivenMatrix, ...]


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

    @property
    def said_of(self) -> str:
        """What a message about it begins with."""
        return self.name


@record
class Repeat(Record):
    """Formulas that are worked out for every value of an index, in order."""

    index: str
    values: tuple[Node, ...]
    """Whole numbers, or slices; a range of numbers is one RangeNode."""
    at: Mark
    start: Mapping[str, WrittenFormula]
    each: Mapping[str, WrittenFormula]
    inner: tuple[Repeat, ...] = ()

    @property
    def names(self) -> list[str]:
        """What it defines, inner repeats included."""
        return [*self.each, *(name for repeat in self.inner for name in repeat.names)]


@record
class Formulas(Record):
    """What a sheet gives and defines."""

    layout: Layout
    vectors: Layout | Literal[""]
    tokens: tuple[str, ...]
    given: Mapping[str, GivenValue]
    formulas: Mapping[str, WrittenFormula]
    repeats: tuple[Repeat, ...] = ()
    vocabulary: tuple[str, ...] = ()
    ids_from: int = 1
    override: tuple[str, ...] = ()
    """Names of the library's quantities that may be replaced by something else altogether."""
    training: Training | None = None
    """The derivatives that are asked for."""


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
    names = dict.fromkeys(names_stated(node))
    return SheetKind((*names, *names_made(node, {name: name for name in names})))


def names_made(node: reader.Mapping, names: Mapping[str, str]) -> tuple[str, ...]:
    """The names of what a training step makes of some quantities, each with its letter."""
    if not any(key.text == training.name for key, _ in node.entries for training in TRAINING):
        return ()
    from attnsolve.spec.gradient import made_names

    return tuple(made_names(node, names))


def names_stated(node: reader.Mapping) -> Iterator[str]:
    """The names under which a file gives or defines something, in repeats and cases too."""
    for key, value in node.entries:
        if key.text in (GIVEN.name, FORMULAS.name, "each") and isinstance(value, reader.Mapping):
            for name, _ in value.entries:
                yield plain_name(name.text) or name.text
        elif key.text == REPEAT.name:
            for part in value.items if isinstance(value, reader.Sequence) else (value,):
                yield from names_stated(part) if isinstance(part, reader.Mapping) else ()
        elif key.text == COMPARE.name:
            for _, changes in value.entries if isinstance(value, reader.Mapping) else ():
                yield from names_stated(changes) if isinstance(changes, reader.Mapping) else ()


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
    tokens, vocabulary, ids_from = TOKENS.read(fields), VOCABULARY.read(fields), IDS_FROM.read(fields)
    if twice := next((word for word in vocabulary if vocabulary.count(word) > 1), ""):
        fields.faults.add(fields.get(VOCABULARY.name) or fields.node, f"vocabulary has {twice!r} twice")
    given = dict(read_all_given(fields))
    formulas = dict(read_formulas(fields, FORMULAS.name, given))
    repeats = read_repeats(fields, {*given, *formulas})
    training = read_training(fields)
    if not formulas and not repeats and not fields.faults.found:
        fields.faults.add(fields.node, "there are no formulas", "add formulas: {A: softmax(S)}")
    if fields.faults.found:
        return None
    return Formulas(
        "columns" if layout == "columns" else "rows",
        "rows" if vectors == "rows" else "columns" if vectors else "",
        tokens,
        given,
        formulas,
        repeats,
        vocabulary,
        ids_from,
        training=training,
    )


def read_training(fields: Fields) -> Training | None:
    """The derivatives that a file asks for."""
    gradient, jacobian, update = (key.read(fields) for key in TRAINING)
    if update is not None and gradient is None:
        fields.faults.add(update.at, "update needs gradients", "add gradient: {of: L, to: [W]}")
    if gradient is None and jacobian is None:
        return None
    from attnsolve.spec.gradient import Training

    return Training(gradient, jacobian, update)


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


def read_all_given(fields: Fields) -> Iterator[tuple[str, GivenValue]]:
    """Everything under `given`, by name."""
    seen: dict[str, Mark] = {}
    for name, key, node in _entries(fields, GIVEN.name):
        if name in seen:
            fields.faults.report_unused(key, f"{name} is given twice: it was already given on line {seen[name].line}")
        elif (value := _value(name, node, fields.faults)) is not None:
            yield name, value
        seen.setdefault(name, key.at)


def _value(name: str, node: reader.Node, faults: Faults) -> GivenValue | None:
    if isinstance(node, reader.Scalar) and node.text != "identity":
        number = read_number(node, name, faults)
        if number is None:
            return None
        return GivenValue(name, node.at, (), (GivenMatrix(name, ((number,),), node.at, flat=True),))
    if _depth(node) > 2 and isinstance(node, reader.Sequence):
        return _family(name, node, faults)
    matrix = read_given(node, name, faults, infinite=True)
    if matrix.unread:
        return None
    shape = matrix.shape[1:] if matrix.flat else matrix.shape
    return GivenValue(name, node.at, shape, (matrix,))


def _family(name: str, node: reader.Sequence, faults: Faults) -> GivenValue | None:
    if len(node.items) > allowed().heads:
        message = f"a family may have at most {allowed().heads} members, but {name} has {len(node.items)}"
        faults.add(node, message, raises("heads", len(node.items)))
        return None
    members = tuple(read_given(item, f"{name}[{i}]", faults, infinite=True) for i, item in enumerate(node.items, 1))
    if any(member.unread for member in members):
        return None
    sizes = list(dict.fromkeys(member.shape for member in members))
    if len(sizes) > 1:
        message = " and ".join(f"{rows}×{columns}" for rows, columns in sizes[:2])
        faults.add(node, f"the matrices of {name} have different shapes, {message}", "give each a name of its own")
        return None
    return GivenValue(name, node.at, (len(members), *sizes[0]), members)


def _depth(node: reader.Node) -> int:
    if not isinstance(node, reader.Sequence) or not node.items:
        return 0
    return 1 + min(map(_depth, node.items))


# ── formulas ────────────────────────────────────────────────────────────────────────────────────


def read_formulas(fields: Fields, key: str, given: Mapping[str, GivenValue]) -> Iterator[tuple[str, WrittenFormula]]:
    """The formulas under a key, by name; what is defined twice, or given, is a fault."""
    seen: dict[str, Mark] = {name: value.at for name, value in given.items()}
    for name, key_node, node in _entries(fields, key):
        if name in seen:
            message = f"{name} is defined twice: it was already defined on line {seen[name].line}"
            fields.faults.add(key_node, message, "give one of the two another name")
        elif name in ("oo", "T") or (name in CONSTANTS and name not in ("e",)):
            fields.faults.add(key_node, f"{name} has a meaning of its own", "give it another name")
        elif (formula := read_formula(name, node, fields.faults)) is not None:
            yield name, formula
        seen.setdefault(name, key_node.at)


def read_formula(name: str, node: reader.Node, faults: Faults) -> WrittenFormula | None:
    """The formula of one quantity; what is wrong with it is noted where it stands."""
    if isinstance(node, reader.Sequence) and node.source:
        node = reader.Scalar(node.source, node.at)
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


# ── repeats ─────────────────────────────────────────────────────────────────────────────────────


def read_repeats(fields: Fields, taken: Collection[str]) -> tuple[Repeat, ...]:
    """`repeat:`, one mapping or a list of them."""
    node = fields.get(REPEAT.name)
    if node is None:
        return ()
    parts = node.items if isinstance(node, reader.Sequence) else (node,)
    found = [_repeat(part, fields.faults, taken) for part in parts]
    return tuple(repeat for repeat in found if repeat is not None)


def _repeat(node: reader.Node, faults: Faults, taken: Collection[str]) -> Repeat | None:
    if not isinstance(node, reader.Mapping):
        faults.expected(node, "repeat", "a mapping with for, start and each")
        return None
    fields = Fields(node, ("for", "start", "each", "repeat"), faults, " in repeat")
    before = len(faults.found)
    index, values = _range(fields)
    each = dict(read_formulas(fields, "each", {}))
    start = dict(read_formulas(fields, "start", {}))
    inner = read_repeats(fields, {*taken, *each})
    if fields.get("each") is None and not inner and len(faults.found) == before:
        faults.add(node, "repeat has nothing to repeat", "add each: {X: 2*prev(X)}")
    for name, formula in each.items():
        if name in taken:
            faults.add(
                formula.at, f"{name} is defined both in this repeat and outside it", "give one of the two another name"
            )
    for name, formula in start.items():
        if name not in each:
            faults.add(formula.at, f"{name} has a start, but each has no formula for it", f"add {name}: under each:")
    return Repeat(index, values, node.at, start, each, inner) if len(faults.found) == before else None


def _range(fields: Fields) -> tuple[str, tuple[Node, ...]]:
    """The index and its values: {t: 1..3}, {b: [1..2, 3..4]}, {k: [1, 3]}."""
    node, faults = fields.get("for"), fields.faults
    if not isinstance(node, reader.Mapping) or len(node.entries) != 1:
        faults.add(node or fields.node, "repeat must say over which values it goes", "add for: {t: 1..3}")
        return "", ()
    ((key, value),) = node.entries
    name = plain_name(key.text)
    if not name or "_" in name:
        faults.add(key, f"{key.text!r} can't be an index", "write one letter or word, such as t")
    several = isinstance(value, reader.Sequence)
    items = value.items if isinstance(value, reader.Sequence) else (value,)
    return name, tuple(made for item in items if (made := _index_value(name, item, several, faults)) is not None)


def _index_value(index: str, node: reader.Node, sliced: bool, faults: Faults) -> Node | None:
    if not isinstance(node, reader.Scalar):
        faults.expected(node, f"a value of {index}", "a range such as 1..3")
        return None
    first, dots, last = node.text.partition("..")
    try:
        begin = parse_formula(first)
        if not dots:
            return begin
        end = parse_formula(last)
    except LanguageError as error:
        faults.add(node, f"in the range of {index}: {error}", error.fix or f"write {index}: 1..3")
        return None
    return SliceNode(begin, end) if sliced else RangeNode(index, begin, end)
