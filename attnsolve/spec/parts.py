"""The questions a sheet asks (`parts:`) and how it rounds (`rounding:`), for problems of any kind."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Literal, get_args

from attnsolve.bounds import allowed
from attnsolve.errors import Mark
from attnsolve.language.parser import as_gradient, parse_relations
from attnsolve.language.syntax import Node
from attnsolve.language.tokens import LanguageError
from attnsolve.library.words import unavailable
from attnsolve.record import Record, record
from attnsolve.spec import reader
from attnsolve.spec.compare import BASE, COMPARE, cases_in
from attnsolve.spec.fields import Faults, Fields, read_text
from attnsolve.spec.keys import DocumentedKey, Kind
from attnsolve.spec.names import quantity_of
from attnsolve.spec.shapes import NUMBER_REF, WORDS, Shape

By = Literal["", "token", "matrix", "cell"]

ADDED = "compare: {masked: {mask: causal}}"
BY = tuple(word for word in get_args(By) if word)


def _find_shape(kind: Kind) -> Shape:
    quantity = quantity_of(kind)
    return {"anyOf": [quantity, {"type": "array", "minItems": 1, "items": quantity}]}


KEYS = (
    DocumentedKey("find", "One quantity, or a list of them.", _find_shape),
    DocumentedKey(
        "by",
        "How the answer is worked out: token by token, as one matrix product, or cell by cell.",
        {"enum": list(BY)},
    ),
    DocumentedKey(
        "for",
        "One token, or a list of them; all of them if left out.",
        {"anyOf": [{"type": ["string", "number"]}, WORDS]},
    ),
    DocumentedKey("of", "The case that is meant, of those under compare.", {"type": "string"}),
    DocumentedKey("compare", "One quantity, or a list of them, of all cases side by side.", _find_shape),
    DocumentedKey(
        "show",
        "A claim to prove, or a relation to check, instead of a quantity to find.",
        lambda kind: _shows_shape(kind),
    ),
    DocumentedKey("text", "The question, in the sheet's words or your own.", {"type": "string"}),
    DocumentedKey("marks", "How many marks the part is worth.", NUMBER_REF),
)
"""The keys of one part."""
CLAIMS = {
    "projections-are-products": "why Q = X W_Q, with its dimensions",
    "scores-are-dot-products": "that entry (i, j) of the scores is the dot product of query i and key j",
    "context-rows-are-weighted-sums": "that row i of the context is the weighted sum of the values",
    "softmax-is-a-distribution": "that the weights of a softmax are a probability distribution",
    "softmax-shift-invariance": "that adding the same number to every score does not change the weights",
    "permutation-equivariance": "that reordering the tokens reorders the output and changes nothing else",
}
"""What a part may ask to be shown."""


@record
class AskedRelation(Record):
    """Formulas of a sheet's quantities with =, <= or >= between them: what a part asks to be shown of its numbers."""

    text: str
    terms: tuple[Node, ...]
    signs: tuple[str, ...]
    at: Mark


@record
class Part(Record):
    """One question: a few quantities to find, or a claim to show."""

    letter: str
    at: Mark
    text: str = ""
    marks: Fraction | None = None
    find: tuple[str, ...] = ()
    by: By = ""
    tokens: tuple[str, ...] = ()
    show: str = ""
    relation: AskedRelation | None = None
    case: str = ""
    """The case that is meant; empty for the problem itself."""
    compares: bool = False
    """Whether what is to be found is wanted of all cases, side by side."""


@record
class Rounding(Record):
    """To how many decimal places, and whether each step goes on from the rounded result of the one before."""

    places: int | None
    """Of every result; None where only some are rounded."""
    each_step: bool
    some: Mapping[str, int] = field(default_factory=dict)
    """Of these quantities, by id; any other is carried on as it is."""

    def places_of(self, quantity: str, *, inner: bool) -> int | None:
        """To how many places a quantity is rounded, None for one that is not: what is `inner` to a step is rounded
        only where the sheet says so of that very quantity."""
        return self.some.get(quantity, None if inner else self.places)


def read_rounding(fields: Fields, quantities: tuple[str, ...]) -> Rounding | None:
    """`rounding: {places: 2, when: each-step}`, or places of some quantities only: `{places: {weights: 2}}`."""
    node, faults = fields.get("rounding"), fields.faults
    if node is None:
        return None
    if not isinstance(node, reader.Mapping):
        faults.expected(node, "rounding", "a mapping such as {places: 2, when: each-step}")
        return None
    inner = Fields(node, ("places", "when"), faults, " in rounding")
    when = inner.choice("when", ("shown", "each-step"), "shown")
    if when == "each-step" and faults.symbols:
        message = f"rounding each step can't go with symbols: {next(iter(faults.symbols))} has no digits to round"
        faults.add(node, message, "give every letter a value, or write when: shown")
    if isinstance(some := inner.get("places"), reader.Mapping):
        return _round_some(some, when, quantities, faults)
    places = inner.integer("places", None, 0, allowed().places, "places")
    if places is None:
        if inner.get("places") is None:
            faults.add(node, "rounding does not say how many places to round to", "write rounding: {places: 2}")
        return None
    return Rounding(places, when == "each-step")


def _round_some(node: reader.Mapping, when: str, quantities: tuple[str, ...], faults: Faults) -> Rounding | None:
    fields = Fields(node, quantities, faults, " in places")
    read = {name: fields.integer(name, None, 0, allowed().places, "places") for name in quantities}
    if when != "each-step":
        faults.add(
            node, "places for single quantities need results that are rounded at each step", "add when: each-step"
        )
    some = {name: places for name, places in read.items() if places is not None}
    return Rounding(None, True, some) if some else None


def read_parts(
    fields: Fields, quantities: tuple[str, ...], claims: Collection[str] = tuple(CLAIMS), *, related: bool = False
) -> tuple[Part, ...]:
    """`parts:`, a mapping from a letter to a question; `claims` are those that this kind can show, and relations of its
    quantities where they can be `related`."""
    node, faults = fields.get("parts"), fields.faults
    if node is None:
        return ()
    if not isinstance(node, reader.Mapping) or not node.entries:
        fix = "give each part its letter: parts: {a: scores, b: weights}" if isinstance(node, reader.Sequence) else ""
        faults.expected(node, "parts", "a mapping such as {a: {find: queries}}", fix)
        return ()
    cases = cases_in(fields)
    read = (_part(key, value, quantities, claims, cases, faults, related) for key, value in node.entries)
    return tuple(part for part in read if part is not None)


def part_shape(kind: Kind) -> Shape:
    """One part, in the JSON Schema of a kind."""
    known = [key for key in KEYS if key.name != "show" or kind.CLAIMS or "formulas" in kind.KEYS]
    known = [key for key in known if _is_for(key.name, kind)]
    return {
        "type": "object",
        "properties": {key.name: key.schema(kind) for key in known},
        "anyOf": [{"required": [name]} for name in ("find", "show", "compare") if _is_for(name, kind)],
        "additionalProperties": False,
    }


def _is_for(name: str, kind: Kind) -> bool:
    """Whether a key of a part says anything in a kind: only some have cases."""
    return name not in ("of", COMPARE.name) or COMPARE.name in kind.KEYS


def _part(
    key: reader.Scalar,
    node: reader.Node,
    quantities: tuple[str, ...],
    claims: Collection[str],
    cases: Sequence[str],
    faults: Faults,
    related: bool,
) -> Part | None:
    letter = read_text(key, "a part's letter", faults, "letter_characters")
    name = f"part {letter}"
    if isinstance(node, reader.Scalar) and node.text:
        node = reader.Mapping(((reader.Scalar("find", node.at), node),), node.at)
    if not isinstance(node, reader.Mapping):
        faults.expected(node, name, "a mapping with find or show")
        return None
    fields = Fields(node, [key.name for key in KEYS], faults, f" in {name}")
    find, across = _words(fields, "find", name, faults), _words(fields, COMPARE.name, name, faults)
    case = _case(fields, name, cases, bool(across))
    relation = _relation(fields, name) if related else None
    show = "" if relation is not None else _claim(fields, name, claims)
    for word, at in find + across:
        if word not in quantities:
            fix = unavailable(word) or _instead(word, quantities) or faults.nearest(word, quantities)
            faults.add(at, f"{name} asks for {word!r}, which is not a quantity", fix)
    if find and across:
        faults.add(key, f"{name} has both find and compare", "split it into two parts")
    if not find and not across and fields.get("show") is None:
        faults.add(key, f"{name} asks for nothing", "add find: scores, or show: scores-are-dot-products")
    if (find or across) and (show or relation is not None):
        faults.add(key, f"{name} has both {'find' if find else 'compare'} and show", "split it into two parts")
    by = fields.choice("by", BY, "")
    return Part(
        letter=letter,
        at=key.at,
        text=fields.text("text"),
        marks=_marks(fields, name, faults),
        find=tuple(word for word, _ in find or across),
        by="token" if by == "token" else "matrix" if by == "matrix" else "cell" if by == "cell" else "",
        tokens=tuple(word for word, _ in _words(fields, "for", name, faults)),
        show=show,
        relation=relation,
        case=case,
        compares=bool(across),
    )


def is_relation(text: str) -> bool:
    """Whether what a part asks to be shown is a relation, and not the name of a claim."""
    return bool(set(text) & set("=<>≤≥≠"))


def _shows_shape(kind: Kind) -> Shape:
    """What a part of a kind may ask to be shown, in the JSON Schema."""
    named: Shape = {"enum": list(kind.CLAIMS)}
    related: Shape = {"type": "string", "pattern": "[=≤≥]"}
    if "formulas" not in kind.KEYS:
        return named
    return {"anyOf": [named, related]} if kind.CLAIMS else related


def _relation(fields: Fields, name: str) -> AskedRelation | None:
    """A relation that a part asks to be shown; None where it names a claim, or nothing."""
    node = fields.get("show")
    if not isinstance(node, reader.Scalar) or not is_relation(node.text):
        return None
    at = Mark(node.at.line, node.at.column + node.quoted)
    try:
        terms, signs = parse_relations(node.text)
    except LanguageError as error:
        fields.faults.add(Mark(at.line, at.column + error.column), f"in {name}: {error}", error.fix)
        terms, signs = [], []
    return AskedRelation(node.text, tuple(terms), tuple(signs), at)


def _case(fields: Fields, part: str, cases: Sequence[str], across: bool) -> str:
    """The case that a part is about."""
    node = fields.get("of")
    if across and not cases:
        fields.faults.add(fields.marks[COMPARE.name], f"{part} compares cases, but there are none", f"add {ADDED}")
    if node is None:
        return ""
    text = read_text(node, f"of in {part}", fields.faults)
    if across or fields.get("show") is not None:
        fields.faults.add(node, f"{part} has both of and {'compare' if across else 'show'}", "leave one of them out")
    elif text not in (*cases, BASE):
        fix = fields.faults.nearest(text, cases) if cases else f"add {ADDED}"
        fields.faults.add(node, f"{part} is about {text!r}, which is not a case of this problem", fix)
    return "" if text == BASE else text


def _claim(fields: Fields, name: str, claims: Collection[str]) -> str:
    node = fields.get("show")
    if node is not None and not claims:
        fields.faults.add(node, f"{name} asks for a proof, but this kind of problem has no proofs", "use find: instead")
        return ""
    return fields.choice("show", claims, "") if node is not None else ""


def _instead(word: str, quantities: Collection[str]) -> str:
    """What to write for one token's vector (`S[love]`, `q_2`), and for a formula in place of a name.

    >>> _instead("S[love]", ["scores"]), _instead("q_2", ["queries"])
    ('write {find: S, for: love}', 'write {find: Q, for: 2}')
    """
    one = re.fullmatch(r"(\w+?)(?:\[\s*(\w+)\s*\]|_(\d+))", word)
    if one and (len(one[1]) == 1 or one[1] in quantities):
        name = one[1].upper() if one[3] and one[1] not in quantities else one[1]
        return f"write {{find: {name}, for: {one[2] or one[3]}}}"
    if re.search(r"[(*+/^]", word):
        return f"give it a name under formulas, as in formulas: {{answer: {word}}}, and find that"
    return ""


def _words(fields: Fields, key: str, part: str, faults: Faults) -> list[tuple[str, Mark]]:
    """One word or a list of them, each with its place."""
    node = fields.get(key)
    if node is None:
        return []
    items = node.items if isinstance(node, reader.Sequence) else (node,)
    words = ((read_text(item, f"{key} of {part}", faults), item.at) for item in items)
    return [(word if key == "for" else as_gradient(word), at) for word, at in words]


def _marks(fields: Fields, name: str, faults: Faults) -> Fraction | None:
    marks, node = fields.number("marks"), fields.get("marks")
    if marks is None or node is None:
        return None
    if not isinstance(marks, Fraction) or not 0 <= marks <= allowed().marks:
        faults.expected(node, f"marks of {name}", f"a number from 0 to {allowed().marks:,}")
        return None
    return marks
