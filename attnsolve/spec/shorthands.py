"""Keys that stand for formulas: `temperature: 1/2` is short for `scaled: scaled/(1/2)`, `positions: sinusoidal` for
`inputs: inputs + sinusoidal(3, 2)`.

Each is declared here with what it reads and which formulas it makes; these extend the library just as a sheet's own do
(`kinds.extended`). Several that change the same quantity go one after the other, in the order of the table below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction

from attnsolve.errors import Mark, count
from attnsolve.language.parser import parse_formula
from attnsolve.library.attention import ATTENTION
from attnsolve.record import Record, record
from attnsolve.spec import reader
from attnsolve.spec.dimensions import Dimensions
from attnsolve.spec.fields import Faults, Fields, GivenMatrix, read_given, read_number
from attnsolve.spec.formulas import GivenValue, WrittenFormula
from attnsolve.spec.keys import AnyKey
from attnsolve.spec.number import Number
from attnsolve.spec.shorthand_keys import POSITIONS, SCORE_BIAS, SOFTCAP, TEMPERATURE

_PLAIN = re.compile(r"\d+(\.\d+)?", re.ASCII)


@record
class ShortFormula(WrittenFormula):
    """A formula that a key stands for; what is wrong with it is said of the key, where that stands."""

    key: str = ""
    title: str = ""
    why: str = ""

    def place(self, column: int) -> Mark:
        """The key's own place."""
        return self.at

    @property
    def said_of(self) -> str:
        """What a message is about."""
        return self.key


@record
class Shorthand(Record):
    """What one key stands for."""

    key: str
    at: Mark
    formulas: tuple[ShortFormula, ...]
    given: Mapping[str, GivenValue] = field(default_factory=dict)
    letters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """How what is given is written: the first of these that is free."""


@record
class Context(Record):
    """What the readers of these keys must know of the rest of the file."""

    faults: Faults
    dims: Dimensions
    given: Mapping[tuple[str, int | None], GivenMatrix]
    heads: int
    numbering: int
    scaled: bool
    """Whether the scores are scaled."""

    @property
    def scores(self) -> str:
        """The scores before the mask."""
        return "scaled" if self.scaled or ("scaled", None) in self.given else "scores"

    @property
    def head(self) -> str:
        """The number of a head, counted from 1."""
        return "head + 1" if self.numbering == 0 else "head"


Reads = Callable[[str, reader.Node, Context], Iterator[Shorthand]]


def read_shorthands(fields: Fields, context: Context) -> tuple[Shorthand, ...]:
    """What the keys of a file stand for, in the order in which that is worked out."""
    found: list[Shorthand] = []
    for key, reads in TABLE:
        if (node := key.read(fields)) is not None:
            found += reads(key.name, node, context)
    return tuple(found)


def as_formulas(shorthands: Sequence[Shorthand], letters: Mapping[str, str]) -> str:
    """What some keys stand for, as one would type it in their place; `letters` are those of the quantities, by id."""
    given: dict[str, GivenValue] = {}
    formulas: dict[str, str] = {}
    for shorthand in shorthands:
        given |= shorthand.given
        for formula in shorthand.formulas:
            before = f"({formulas[formula.name]})" if formula.name in formulas else formula.name
            formulas[formula.name] = _with(formula.text, formula.name, before)
    lines = ["given:", *(f"  {name}: {_as_list(value)}" for name, value in given.items())] if given else []
    lines += ["formulas:"] if formulas else []
    for name in sorted(formulas, key=ATTENTION.ids.index):
        letter = letters.get(name, name)
        lines.append(f"  {letter}: {_with(formulas[name], name, letter)}")
    return "\n".join(lines)


def _with(text: str, name: str, other: str) -> str:
    """A formula with something else in place of a name."""
    return re.sub(rf"\b{name}\b", lambda _: other, text)


def _as_list(value: GivenValue) -> str:
    """A given number, list, matrix or family as it is typed."""
    matrices = ["[" + ", ".join(f"[{', '.join(map(str, row))}]" for row in each.rows) + "]" for each in value.members]
    if len(value.shape) == 3:
        return f"[{', '.join(matrices)}]"
    return matrices[0][1:-1] if len(value.shape) == 1 else matrices[0].strip("[]") if not value.shape else matrices[0]


def _short(key: str, node: reader.Node, name: str, text: str, title: str, why: str) -> ShortFormula:
    return ShortFormula(name, text, parse_formula(text), node.at, key, title, why)


# ── numbers: temperature, softcap ───────────────────────────────────────────────────────────────


def _positive(key: str, node: reader.Node, faults: Faults, fix: str = "leave it out") -> Number | None:
    number = read_number(node, key, faults)
    if number is None or not (number <= 0 if isinstance(number, Fraction) else number.is_nonpositive):
        return number
    faults.add(node, f"{key} must be positive, but {reader.describe(node)} was found", fix)
    return None


def _typed(node: reader.Node, number: Fraction) -> str:
    """A number as an operand: a decimal stays one."""
    if isinstance(node, reader.Scalar) and _PLAIN.fullmatch(node.text):
        return node.text
    return str(number) if number.denominator == 1 and number >= 0 else f"({number})"


def _given_number(key: str, node: reader.Node, number: Number, letters: tuple[str, ...]) -> _Operand:
    """A number as it stands in a formula; one that is no fraction is given, by the name of the key."""
    if isinstance(number, Fraction):
        return _Operand(_typed(node, number), {}, {})
    value = GivenValue(key, node.at, (), (GivenMatrix(key, ((number,),), node.at, flat=True),))
    return _Operand(key, {key: value}, {key: letters})


@record
class _Operand(Record):
    text: str
    given: Mapping[str, GivenValue]
    letters: Mapping[str, tuple[str, ...]]


def _temperature(key: str, node: reader.Node, context: Context) -> Iterator[Shorthand]:
    number = _positive(key, node, context.faults)
    if number is None:
        return
    by = _given_number(key, node, number, ("T", "tau"))
    why = "A temperature below 1 makes the largest scores stand out more; one above 1 evens the weights out."
    title = "Scores divided by the temperature"
    formula = _short(key, node, context.scores, f"{context.scores}/{by.text}", title, why)
    yield Shorthand(key, node.at, (formula,), by.given, by.letters)


def _softcap(key: str, node: reader.Node, context: Context) -> Iterator[Shorthand]:
    number = _positive(key, node, context.faults)
    if number is None:
        return
    cap = _given_number(key, node, number, ("kappa", "lambda"))
    why = "The cap keeps every score within its bounds, and hardly changes the small ones."
    text = f"{cap.text}*tanh({context.scores}/{cap.text})"
    formula = _short(key, node, context.scores, text, "Capped scores", why)
    yield Shorthand(key, node.at, (formula,), cap.given, cap.letters)


# ── matrices: score_bias, positions ─────────────────────────────────────────────────────────────


def _score_bias(key: str, node: reader.Node, context: Context) -> Iterator[Shorthand]:
    several = isinstance(node, reader.Sequence) and any(map(_is_matrix, node.items))
    nodes = node.items if several and isinstance(node, reader.Sequence) else (node,)
    if several and not _one_per_head(key, node, len(nodes), context):
        return
    made = [_laid(item, key, "queries", "keys", context) for item in nodes]
    matrices = tuple(matrix for matrix in made if matrix is not None)
    if len(matrices) < len(nodes):
        return
    shape = (len(matrices), *matrices[0].shape) if several else matrices[0].shape
    text = f"{context.scores} + {key}[{context.head}]" if several else f"{context.scores} + {key}"
    why = "The bias raises some scores and lowers others, whatever the tokens say."
    formula = _short(key, node, context.scores, text, "Biased scores", why)
    yield Shorthand(key, node.at, (formula,), {key: GivenValue(key, node.at, shape, matrices)}, {key: ("B", "D")})


def _is_matrix(node: reader.Node) -> bool:
    """Whether what stands in a list is a matrix, and no row of one."""
    rows = isinstance(node, reader.Sequence) and any(isinstance(item, reader.Sequence) for item in node.items)
    return rows or isinstance(node, reader.Mapping | reader.Numbers)


def _one_per_head(key: str, node: reader.Node, number: int, context: Context) -> bool:
    if number != context.heads:
        there = f"there {'is' if context.heads == 1 else 'are'} {context.heads}"
        context.faults.add(node, f"{key} is written for {count(number, 'head')}, but {there}")
    return number == context.heads


def _laid(node: reader.Node, name: str, rows: str, columns: str, context: Context) -> GivenMatrix | None:
    """A matrix whose sides count what they should."""
    matrix, dims = read_given(node, name, context.faults), context.dims
    if matrix.unread:
        return None
    if matrix.flat and dims.columns:
        matrix = matrix.transposed()
    sized = dims.sized(matrix, dims.size(rows))
    if sized is None or not (dims.agree(rows, sized, 0) and dims.agree(columns, sized, 1)):
        return None
    return sized


def _positions(key: str, node: reader.Node, context: Context) -> Iterator[Shorthand]:
    """One of the words below, with or without options; or a matrix."""
    if isinstance(node, reader.Scalar) and node.text == "none":
        return
    entries = node.entries if isinstance(node, reader.Mapping) else ()
    named = [entry for entry in entries if entry[0].text in _KINDS]
    if len(named) > 1:
        context.faults.add(named[1][0], f"{key} can't be both {named[0][0].text} and {named[1][0].text}", "keep one")
    elif named and len(entries) == 1:
        yield from _by_word(key, *named[0], context)
    elif isinstance(node, reader.Scalar) and node.text in _KINDS:
        yield from _by_word(key, node, reader.Mapping((), node.at), context)
    elif isinstance(node, reader.Scalar) or (entries and not {"matrix", "random"} & {k.text for k, _ in entries}):
        wrong = node if isinstance(node, reader.Scalar) else entries[0][0]
        fix = context.faults.nearest(wrong.text, _KINDS)
        context.faults.expected(wrong, key, "sinusoidal, rope, alibi or a matrix to add", fix)
    else:
        yield from _given_positions(key, node, context)


def _by_word(key: str, word: reader.Scalar, node: reader.Node, context: Context) -> Iterator[Shorthand]:
    """sinusoidal, rope or alibi with options."""
    takes, made = _KINDS[word.text]
    if isinstance(node, reader.Scalar) and not node.text:
        node = reader.Mapping((), node.at)
    if not isinstance(node, reader.Mapping):
        context.faults.expected(node, word.text, f"a mapping such as {{{word.text}: {{{takes[0]}: ...}}}}")
        return
    before = len(context.faults.found)
    options = Fields(node, takes, context.faults, f" in {word.text}")
    if len(context.faults.found) == before:
        yield from made(key, word, options, context)


ADDED = "Attention alone does not see the order of its tokens: each position adds a pattern of its own."


def _inputs(key: str, node: reader.Node, context: Context) -> GivenMatrix | None:
    """The inputs, to which positions are added."""
    inputs = context.given.get(("inputs", None))
    if inputs is None and not context.faults.found:
        fix = "leave it out, or write positions: rope for queries and keys"
        context.faults.add(node, f"{key} are added to the inputs, and there are no inputs", fix)
    return None if inputs is None or inputs.unread else inputs


def _given_positions(key: str, node: reader.Node, context: Context) -> Iterator[Shorthand]:
    inputs = _inputs(key, node, context)
    if inputs is None:
        return
    tokens = "keys" if {("queries", None), ("query_inputs", None)} & context.given.keys() else "queries"
    matrix = _laid(node, key, tokens, "width", context)
    if matrix is not None:
        formula = _short(key, node, "inputs", f"inputs + {key}", "Inputs with positions", ADDED)
        given = {key: GivenValue(key, node.at, matrix.shape, (matrix,))}
        yield Shorthand(key, node.at, (formula,), given, {key: ("P", "E", "R")})


def _options(options: Fields, words: Mapping[str, Sequence[str]]) -> str | None:
    """Options of a function as they are typed; None where one is wrong."""
    before, found = len(options.faults.found), ""
    for name, node in options.values.items():
        text = ""
        if name in words:
            text = options.choice(name, words[name], words[name][0])
        elif name == "start":
            text = str(options.integer(name, 0, 0, 10**6))
        elif (number := _positive(name, node, options.faults, "10000 is usual")) is not None:
            if isinstance(number, Fraction):
                text = _typed(node, number).strip("()")
            else:
                options.faults.expected(node, name, "a fraction", "10000 is usual")
        found += f", {name}={text}"
    return None if len(options.faults.found) > before else found


def _sinusoidal(key: str, node: reader.Node, options: Fields, context: Context) -> Iterator[Shorthand]:
    inputs = _inputs(key, node, context)
    chosen = _options(options, {"order": ("interleaved", "halves")})
    if inputs is None or chosen is None:
        return
    tokens, width = inputs.shape[:: -1 if context.dims.columns else 1]
    text = f"inputs + sinusoidal({tokens}, {width}{chosen})"
    yield Shorthand(key, node.at, (_short(key, node, "inputs", text, "Inputs with positions", ADDED),))


def _rope(key: str, node: reader.Node, options: Fields, context: Context) -> Iterator[Shorthand]:
    queries, keys = context.dims.size("queries"), context.dims.size("keys")
    if queries != keys and queries and keys:
        message = f"rope counts queries and keys from the same position, but there are {queries} and {keys} of them"
        fix = 'say where each begins: formulas: {Q: "rope(Q, start=2)", K: rope(K)}'
        context.faults.add(node, message, fix)
    chosen = _options(options, {"pairs": ("adjacent", "halves")})
    if chosen is None or queries != keys:
        return
    why = "Each pair of entries is turned by an angle that grows with the position, so that scores depend on distances."
    formulas = (
        _short(key, node, name, f"rope({name}{chosen})", f"Rotated {name}", why) for name in ("queries", "keys")
    )
    yield Shorthand(key, node.at, tuple(formulas))


def _alibi(key: str, node: reader.Node, options: Fields, context: Context) -> Iterator[Shorthand]:
    queries, keys = context.dims.size("queries"), context.dims.size("keys")
    written = options.get("slopes")
    if written is None:
        context.faults.add(node, "alibi has no slopes", "write {alibi: {slopes: [1/2]}}, one slope for each head")
        return
    if queries != keys:
        message = f"alibi needs as many queries as keys, but there are {queries} and {keys}"
        context.faults.add(node, message, "write score_bias: [[...]]")
        return
    nodes = written.items if isinstance(written, reader.Sequence) else (written,)
    slopes = [read_number(slope, "slopes", context.faults) for slope in nodes]
    numbers = tuple(slope for slope in slopes if slope is not None)
    if len(numbers) < len(slopes) or not _one_per_head("slopes", written, len(slopes), context):
        return
    given: dict[str, GivenValue] = {}
    slope = _typed(nodes[0], numbers[0]).strip("()") if isinstance(numbers[0], Fraction) else ""
    if len(numbers) > 1 or not slope:
        matrix = GivenMatrix("slopes", (numbers,), written.at, flat=True)
        given = {"slopes": GivenValue("slopes", written.at, (len(numbers),), (matrix,))}
        slope = f"slopes[{context.head if len(numbers) > 1 else 1}]"
    text = f"{context.scores} + alibi({keys}, {slope})"
    why = "A score loses more the further its key is from its query, so that near tokens count for more."
    formula = _short(key, node, context.scores, text, "Scores with linear biases", why)
    yield Shorthand(key, node.at, (formula,), given, dict.fromkeys(given, ("m", "mu")))


_KINDS: dict[str, tuple[tuple[str, ...], Callable[[str, reader.Node, Fields, Context], Iterator[Shorthand]]]] = {
    "sinusoidal": (("base", "start", "order"), _sinusoidal),
    "rope": (("base", "start", "pairs"), _rope),
    "alibi": (("slopes",), _alibi),
}
"""What positions may be, with the options of each."""

TABLE: tuple[tuple[AnyKey, Reads], ...] = (
    (TEMPERATURE, _temperature),
    (SOFTCAP, _softcap),
    (SCORE_BIAS, _score_bias),
    (POSITIONS, _positions),
)
"""Every shorthand, in the order in which those that change the scores go."""
