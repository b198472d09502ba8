"""The keys of `kind: attention`, read into a frozen Attention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from attnsolve.bounds import allowed, raises
from attnsolve.errors import Mark, count, listed
from attnsolve.library.attention import ATTENTION
from attnsolve.record import Record, record
from attnsolve.spec import inner_names as inside
from attnsolve.spec import reader, shapes
from attnsolve.spec.compare import COMPARE
from attnsolve.spec.dimensions import Dimensions
from attnsolve.spec.fields import YES_OR_NO, Fields, GivenMatrix, read_given, read_number
from attnsolve.spec.fitting import AXES, PARAMETERS, PROJECTIONS, SOURCES, Fitting, Labels
from attnsolve.spec.keys import by_name, declare
from attnsolve.spec.layout import LAYOUT, TOKENS, VECTORS, Layout
from attnsolve.spec.number import Number
from attnsolve.spec.own_keys import OWN
from attnsolve.spec.parts import CLAIMS
from attnsolve.spec.shorthand_keys import POSITIONS, SCORE_BIAS, SHORTHANDS, SOFTCAP, TEMPERATURE
from attnsolve.spec.softmax import SOFTMAX, STABLE, Base, read_softmax
from attnsolve.spec.stacked import WEIGHTS, _depth, entries_of, has_sources, is_list_of_lists, is_stacked
from attnsolve.spec.unused import is_unused, report_unused

if TYPE_CHECKING:
    from attnsolve.spec.mask import AnyMask
    from attnsolve.spec.shorthands import Shorthand

__all__ = [
    "CLAIMS", "GIVABLE", "KEYS", "KIND", "LETTERS", "NAMES", "PARAMETERS", "QUANTITIES", "SOURCES", "UNUSED",
    "Attention", "read",
]  # fmt: skip

KIND = "attention"
QUANTITIES, NAMES, LETTERS = ATTENTION.ids, ATTENTION.names, ATTENTION.letters
PER_HEAD = frozenset({*(step.id for step in ATTENTION.steps if step.per == "head"), *inside.GIVABLE})
UNUSED: tuple[str, ...] = ()
"""Keys that other kinds have and that say nothing here."""
GIVABLE = ATTENTION.givable
SHARED = ("keys", "values")
"""What several heads may share."""
OUTSIDE = dict.fromkeys(("W_O", "b_O"), "it belongs to all heads together: write it beside weights, at the top level")
OUTSIDE |= {letter: f"did you mean W_{letter}?" for letter in "QKV"}
"""Where a key goes that was written for one head."""


_MATRIX = shapes.MATRIX_REF
_PER_HEAD: shapes.Shape = {"anyOf": [_MATRIX, {"type": "array", "items": _MATRIX}]}
_OF_A_HEAD = (*PARAMETERS, "W_O", "b_O")
_HEAD = shapes.mapping(_OF_A_HEAD, _MATRIX, {"enum": shapes.typed(_OF_A_HEAD)})

INPUTS = declare(
    "inputs",
    "The embeddings X, one row per token (one column with layout: columns); or, where queries, keys and "
    "values are made from different ones, {queries: [[1, 2]], keys: [[3, 4]], values: [[5, 6]]}.",
    {"anyOf": [_MATRIX, shapes.mapping(SOURCES, _MATRIX, {"enum": shapes.typed((*SOURCES, *"QKV"))})]},
)
MEMORY = declare("memory", "The other sequence that keys and values come from, in cross-attention.", _PER_HEAD)
MEMORY_TOKENS = declare("memory_tokens", "Names of the memory's tokens.", shapes.WORDS, Fields.labels)
PROJECTED = declare(
    "weights",
    "W_Q, W_K, W_V (and b_Q, b_K, b_V); a list of such mappings, one per head; or identity.",
    {"anyOf": [_HEAD, {"type": "array", "minItems": 1, "items": _HEAD}, {"const": "identity"}]},
)
W_O = declare("W_O", "The output projection, applied to the concatenated heads.", _PER_HEAD, Fields.given)
B_O = declare("b_O", "The bias added after W_O.", _PER_HEAD, Fields.given)
QUERIES = declare("queries", "Q, where the sheet gives it directly.", _PER_HEAD)
KEYS_GIVEN = declare("keys", "K, where the sheet gives it directly.", _PER_HEAD)
VALUES = declare("values", "V, where the sheet gives it directly.", _PER_HEAD)
GIVEN = declare(
    "given",
    "Any quantity by its id, given instead of computed: {scores: [[1, 2]]}.",
    shapes.mapping(QUANTITIES, _PER_HEAD, {"$ref": "#/$defs/attention-stated"}),
)
HEADS = declare(
    "heads",
    "How many heads the matrices are split into, by columns.",
    {"type": "integer", "minimum": 1},
    lambda fields, name: fields.integer(name, None, 1, allowed().heads, "heads"),
)
KEY_HEADS = declare(
    "key_heads",
    "How many heads keys and values have, where several heads of queries share them (1: all of them); W_K is then "
    "that many times d_k wide.",
    {"type": "integer", "minimum": 1},
    lambda fields, name: fields.integer(name, None, 1, allowed().heads, "heads"),
)
NUMBERING = declare(
    "numbering",
    "Whether heads are numbered from 0 or from 1 (default: 1).",
    {"enum": [0, 1]},
    lambda fields, name: int(fields.choice(name, ("0", "1"), "1")),
)
SCALING = declare(
    "scaling",
    "What scores are divided by: none, sqrt_dk (default) or a number.",
    {"anyOf": [{"enum": ["none", "sqrt_dk"]}, shapes.NUMBER_REF]},
)
D_K = declare(
    "d_k",
    "The number of entries in a key, where the problem does not show it.",
    {"type": "integer", "minimum": 1},
    lambda fields, name: fields.integer(name, None, 1, 10**6),
)
MASK = declare(
    "mask",
    "causal; a rule such as causal and within(2), first([2, 3]) or not first(1); a 0/1 matrix of what may be attended "
    "to (one list: by every query); or a matrix to add, with -inf entries. A list of these: one for each head.",
    {"anyOf": [{"type": "string"}, _MATRIX, {"type": "array", "items": {"type": ["array", "string", "object"]}}]},
)
DECLARED = (
    TOKENS, INPUTS, MEMORY, MEMORY_TOKENS, PROJECTED, W_O, B_O, QUERIES, KEYS_GIVEN, VALUES, GIVEN, HEADS, NUMBERING,
    SCALING, D_K, MASK, KEY_HEADS, POSITIONS, TEMPERATURE, SOFTCAP, SCORE_BIAS, SOFTMAX, STABLE, LAYOUT, VECTORS,
)  # fmt: skip
"""Every key of this kind, in the order in which they are documented."""
KEYS = by_name(*DECLARED, *OWN.values(), COMPARE)
STARTS = (INPUTS, MEMORY, QUERIES, KEYS_GIVEN, VALUES)
"""Where a problem may begin."""


@record
class Attention(Record):
    """An attention problem. Matrices stand as the sheet writes them; `layout` says which way that is."""

    layout: Layout
    vectors: Layout
    numbering: int
    tokens: Labels
    memory_tokens: Labels
    given: Mapping[tuple[str, int | None], GivenMatrix]
    """By quantity and head (None: not of one head)."""
    projections: tuple[Mapping[str, GivenMatrix], ...]
    """W_Q, b_Q and so on: one mapping a head, or one wide mapping when `split`."""
    identity: bool
    """`weights: identity`: Q = K = V = X."""
    heads: int
    key_heads: int
    """How many heads keys and values have: as many as there are, unless several share them."""
    split: bool
    W_O: GivenMatrix | None
    b_O: GivenMatrix | None
    scaling: Literal["none", "sqrt_dk"] | Number
    d_k: int | None
    mask: AnyMask | None
    """For all heads, or for the first."""
    masks: tuple[AnyMask, ...]
    """One for each head, where they have masks of their own."""
    shorthands: tuple[Shorthand, ...]
    """What its keys stand for, such as temperature and positions."""
    base: Base
    stable: bool
    sizes: Mapping[str, int]
    """The lengths and widths that the file settles: queries, keys, d_k, d_v and so on."""


def read(fields: Fields) -> Attention | None:
    """Read the body of an attention problem; None, with its faults noted, when it can't be."""
    return _AttentionFields(fields).attention()


class _AttentionFields:
    """One pass over the fields of one problem."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.faults = fields.faults
        before = len(self.faults.found)
        self.layout: Layout = "columns" if LAYOUT.read(fields) == "columns" else "rows"
        self.is_laid_out = len(self.faults.found) == before
        """Whether it is known which side of a matrix counts tokens."""
        self.dims = Dimensions(self.faults, self.layout == "columns", [name for name in AXES if name.endswith("s")])
        self.given: dict[tuple[str, int | None], GivenMatrix] = {}
        self.identity = False
        self.projections: tuple[dict[str, GivenMatrix], ...] = ()
        self.output: dict[str, GivenMatrix] = {}
        self.missing: list[tuple[str, reader.Mapping]] = []
        """Weights that aren't there, and the mapping that lacks them."""
        self.counts: dict[str, tuple[int, Mark]] = {}
        self.wrong_heads = False
        """Whether heads can't share keys as the file says, so that no width can be held against another."""
        self.numbering = NUMBERING.read(fields)

    def attention(self) -> Attention | None:
        fields = self.fields
        vectors = VECTORS.read(fields)
        base, stable = read_softmax(fields)
        scaling, d_k = self._scaling(), D_K.read(fields)
        tokens, memory_tokens = TOKENS.read(fields), MEMORY_TOKENS.read(fields)
        self._given()
        self._weights()
        for weight in (W_O, B_O):
            if (matrix := weight.read(fields)) is not None:
                self.output[weight.name] = matrix
        wanted = HEADS.read(fields)
        heads = self._heads(wanted, key_heads := KEY_HEADS.read(fields))
        key_heads = self._key_heads(key_heads, heads)
        split = bool(wanted) and heads > 1 and len(self.projections) <= 1 and self._is_wide()
        if not self._report_unused() and not self.wrong_heads:
            self._fit(heads, key_heads, split, tokens, memory_tokens, d_k)
        masks = self._masks(heads)
        shorthands = self._shorthands(heads, scaling != "none")
        self._start()
        if self.faults.found:
            return None
        return Attention(
            layout=self.layout,
            vectors="rows" if vectors == "rows" else "columns",
            numbering=self.numbering,
            tokens=tokens,
            memory_tokens=memory_tokens,
            given=self.given,
            projections=self.projections,
            identity=self.identity,
            heads=heads,
            key_heads=key_heads,
            split=split,
            W_O=self.output.get("W_O"),
            b_O=self.output.get("b_O"),
            scaling=scaling,
            d_k=d_k,
            mask=masks[0] if masks else None,
            masks=masks[1:] and masks,
            shorthands=shorthands,
            base=base,
            stable=stable,
            sizes={name: size for name, (size, _) in self.dims.known.items()},
        )

    # ── the small keys ──────────────────────────────────────────────────────────────────────────

    def _scaling(self) -> Literal["none", "sqrt_dk"] | Number:
        node = SCALING.read(self.fields)
        if node is None or (isinstance(node, reader.Scalar) and node.text == "sqrt_dk"):
            return "sqrt_dk"
        if isinstance(node, reader.Scalar) and node.text == "none":
            return "none"
        if isinstance(node, reader.Scalar) and (word := _scaling_meant(node.text, self.faults.symbols)):
            self.faults.expected(node, "scaling", "none, sqrt_dk or a number to divide by", f"did you mean {word}?")
            return "none"
        number = read_number(node, "scaling", self.faults)
        if number == 0:
            self.faults.add(node, "scaling: 0 would divide by zero", "write none to leave the scores as they are")
        elif number is not None and (number < 0 if isinstance(number, Fraction) else number.is_negative):
            self.faults.add(node, "scaling must be positive: a negative divisor would reverse the ranking")
        return "none" if number is None else number

    # ── the matrices ────────────────────────────────────────────────────────────────────────────

    def _given(self) -> None:
        for start in STARTS:
            self._take(start.name, start.read(self.fields))
        node = GIVEN.read(self.fields)
        if node is None:
            return
        if not isinstance(node, reader.Mapping):
            self.faults.expected(node, "given", "a mapping such as {scores: [[1, 2], [3, 4]]}")
            return
        known = (*QUANTITIES, *inside.GIVABLE)
        inner = Fields(node, known, self.faults, " in given", inside.hints(node))
        for key, value in node.entries:
            if any(name == key.text for name, _ in self.given):
                self.faults.add(key, f"{key.text} is given twice, here and at the top level", "keep one of the two")
            elif key.text in known and inner.get(key.text) is not None:
                self._take(key.text, value)

    def _take(self, name: str, node: reader.Node | None) -> None:
        if node is None:
            return
        if name == "inputs" and has_sources(node):
            sources = Fields(node, SOURCES, self.faults, " in inputs")
            for quantity, source in SOURCES.items():
                self._take(source, sources.get(quantity))
            return
        infinite = name in ("scores", "scaled", "masked")
        depth = 2 if is_list_of_lists(name, node) else 3
        heads = node.items if isinstance(node, reader.Sequence) and _depth(node) == depth else ()
        if heads and name not in PER_HEAD:
            self.faults.add(node, f"{name} is one matrix, not one for each head")
            self._store(name, None, GivenMatrix(name, (), node.at, unread=True))
        elif heads:
            self.counts[name] = (len(heads), node.at)
            for head, item in enumerate(heads):
                called = f"{name} of head {head + self.numbering}"
                self._store(name, head, read_given(item, called, self.faults, infinite=infinite))
        else:
            self._store(name, None, read_given(node, name, self.faults, infinite=infinite))

    def _store(self, name: str, head: int | None, matrix: GivenMatrix) -> None:
        matrix = inside.lying(matrix, name)
        self.given[name, head] = matrix.turned() if matrix.flat and self.layout == "columns" else matrix

    def _weights(self) -> None:
        node = PROJECTED.read(self.fields)
        if node is None:
            return
        if isinstance(node, reader.Scalar) and node.text == "identity":
            self.identity = True
            return
        nodes = node.items if isinstance(node, reader.Sequence) else (node,)
        if isinstance(node, reader.Scalar) or not nodes or not all(isinstance(n, reader.Mapping) for n in nodes):
            fix = (
                "attention weights themselves go under given: {weights: ...}"
                if not isinstance(node, reader.Scalar)
                else ""
            )
            self.faults.expected(node, "weights", "a mapping with W_Q, W_K and W_V, a list of them, or identity", fix)
            return
        if stacked := [key.text for n in nodes for key, value in entries_of(n) if is_stacked(key.text, value)]:
            message = f"{listed(stacked)} {'has' if len(stacked) == 1 else 'have'} one matrix for each head"
            fix = "write one mapping for each head: weights: [{W_Q: ..., W_K: ..., W_V: ...}, {W_Q: ...}]"
            self.faults.add(node, message, fix)
            return
        if isinstance(node, reader.Sequence):
            self.counts["weights list"] = (len(nodes), node.at)
        self.projections = tuple(self._projection(n, len(nodes) == 1) for n in nodes if isinstance(n, reader.Mapping))

    def _projection(self, node: reader.Mapping, alone: bool) -> dict[str, GivenMatrix]:
        known = (*PARAMETERS, "W_O", "b_O") if alone else PARAMETERS
        fields = Fields(node, known, self.faults, " in weights", OUTSIDE)
        found: dict[str, GivenMatrix] = {}
        for name in known:
            if (matrix := fields.given(name)) is not None:
                (self.output if name.endswith("O") else found)[name] = matrix
                if name.endswith("O") and self.fields.get(name) is not None:
                    self.faults.add(
                        matrix.at, f"{name} is given twice, here and at the top level", "keep one of the two"
                    )
            elif name in WEIGHTS and not self._is_given(name) and fields.values.keys() <= {*known}:
                self.missing.append((name, node))
        return found

    def _is_given(self, parameter: str) -> bool:
        quantity = next(q for q, names in PROJECTIONS.items() if parameter in names)
        later = () if quantity == "values" else ("scores", "scaled", "masked", *inside.STARTS, "weights")
        return any(name in (quantity, *later, "context", "concat", "output") for name, _ in self.given)

    # ── how they fit together ───────────────────────────────────────────────────────────────────

    def _fit(
        self, heads: int, key_heads: int, split: bool, tokens: Labels, memory_tokens: Labels, d_k: int | None
    ) -> None:
        """Hold what is stated against each other, and say what is missing among the weights."""
        for name, lacking in self.missing:
            self.faults.add(lacking, f"weights has no {name}", f"add {name}: [[...]] beside the others")
        if self.is_laid_out:
            matrices = self.given, self.projections, self.output, self.identity
            fitting = Fitting(self.fields, self.faults, self.dims, *matrices, key_heads if key_heads < heads else None)
            fitting.sizes(heads, split, tokens, memory_tokens, d_k)
            fitting.output_sizes(heads, split)

    def _heads(self, wanted: int | None, key_heads: int | None) -> int:
        heads = wanted or 1
        for name, (number, at) in self.counts.items():
            if key_heads is not None and name in SHARED:
                if number != key_heads:
                    there = f"key_heads is {key_heads}"
                    self.faults.add(at, f"{name} is written for {count(number, 'head')}, but {there}")
            elif wanted is None:
                wanted = heads = number
            elif number != heads:
                self.faults.add(at, f"{name} is written for {count(number, 'head')}, but there are {heads}")
        if heads > allowed().heads:
            message = f"a problem may have at most {allowed().heads} heads, but this one has {heads}"
            self.faults.add(self.fields.node, message, raises("heads", heads))
        return heads

    def _key_heads(self, wanted: int | None, heads: int) -> int:
        """How many heads keys and values have, which several heads of queries may share."""
        node = self.fields.get(KEY_HEADS.name)
        self.wrong_heads = node is not None
        if wanted is None or node is None:
            return heads
        if heads == 1 and wanted > 1:
            self.faults.add(node, "key_heads says how many heads share keys, but there is one head", "add heads: 4")
        elif "weights list" in self.counts:
            fix = "write weights: {W_Q: ..., W_K: ..., W_V: ...}, with the heads side by side"
            self.faults.add(node, "key_heads goes with wide matrices, but weights has one mapping for each head", fix)
        elif heads % wanted:
            fits = [str(number) for number in range(1, heads + 1) if heads % number == 0]
            message = f"{count(heads, 'head')} can't share {count(wanted, 'key head')} evenly"
            self.faults.add(node, message, f"key_heads may be {' or '.join(fits)}")
        else:
            self.wrong_heads = False
            return wanted
        return heads

    def _report_unused(self) -> bool:
        """Whether something is stated in vain. It would be held against what it has nothing to do with."""
        matrices = {name: matrix for (name, _), matrix in self.given.items()} | self.output
        matrices |= {name: matrix for projection in reversed(self.projections) for name, matrix in projection.items()}
        feeds = ATTENTION.feeds(matrices)
        unused = {name: matrix for name, matrix in matrices.items() if is_unused(name, matrices, feeds)}
        if not self.faults.found:
            report_unused(unused, matrices, feeds, self.faults)
        return bool(unused)

    def _is_wide(self) -> bool:
        wide = {"queries", "keys", "values"}
        return bool(self.projections) or self.identity or any(q in wide and h is None for q, h in self.given)

    def _masks(self, heads: int) -> tuple[AnyMask, ...]:
        node = MASK.read(self.fields)
        if node is None:
            return ()
        from attnsolve.spec.mask import read_masks

        return read_masks(node, heads, self.dims, self.faults)

    def _shorthands(self, heads: int, scaled: bool) -> tuple[Shorthand, ...]:
        if not SHORTHANDS.keys() & self.fields.values.keys():
            return ()
        from attnsolve.spec.shorthands import Around, read_shorthands

        around = Around(self.faults, self.dims, self.given, heads, self.numbering, scaled)
        return read_shorthands(self.fields, around)

    def _start(self) -> None:
        """There must be something to start from; what else is missing is seen when the graph is built."""
        named = [start.name for start in (*STARTS, GIVEN)]
        if not self.given and not self.faults.found:
            fix = "a problem needs inputs and weights, or queries, keys and values, or something under given:"
            message = (
                "there are no inputs" if not any(name in self.fields.values for name in named) else "nothing is given"
            )
            self.faults.add(self.fields.node, f"nothing to start from: {message}", fix)


def _scaling_meant(text: str, symbols: Iterable[str]) -> str:
    """The word for what people try to write, √d_k or none at all; empty for an expression in a declared letter."""
    if not set(re.findall(r"\w+", text)).isdisjoint(symbols):
        return ""
    if (is_so := YES_OR_NO.get(text.casefold())) is not None:
        return "sqrt_dk" if is_so else "none"
    plain = text.lower().replace("√", "sqrt").replace("1/", "").translate(str.maketrans("", "", "()_ "))
    return "none" if plain == "none" else "sqrt_dk" if plain in ("sqrtdk", "dk", "rootdk") else ""
