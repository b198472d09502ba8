"""The `mask:` of a problem: causal, a rule such as `causal and within(2)`, a 0/1 matrix of what may be attended to, or
a matrix to add to the scores; one for all heads, or one for each."""

from __future__ import annotations

from fractions import Fraction

from attnsolve.errors import Mark, count, nearest
from attnsolve.language import masks
from attnsolve.language.parser import parse_formula
from attnsolve.language.syntax import ListedNode, NameNode, Node, NumberNode, written
from attnsolve.language.tokens import LanguageError
from attnsolve.library import names_in
from attnsolve.library.words import folded
from attnsolve.record import Record, record
from attnsolve.spec import reader
from attnsolve.spec.dimensions import Dimensions
from attnsolve.spec.fields import Faults, GivenMatrix, Rows, read_matrix
from attnsolve.spec.number import MINUS_INFINITY, Number, NumberError, infinity, parse_number

CAUSAL = ("true", "yes", "tril", "lower", "lowertriangular", "lookahead", "autoregressive", "future", "decoder")
"""Words for a causal mask that people try."""


@record
class GivenMask(Record):
    """`allowed[i][j]`: may query i attend to key j. `added` is what is added where it may."""

    allowed: tuple[tuple[bool, ...], ...]
    added: tuple[tuple[Number, ...], ...]
    causal: bool

    @property
    def rows(self) -> Rows:
        """What is added to the scores: −∞ where nothing may be attended to."""
        return tuple(
            tuple(x if free else MINUS_INFINITY for x, free in zip(added, allowed, strict=True))
            for added, allowed in zip(self.added, self.allowed, strict=True)
        )


@record
class FloatMask(Record):
    """A mask of float64: what is added to the scores, −∞ where nothing may be attended to."""

    rows: Rows
    causal: bool


@record
class RuleMask(Record):
    """A mask by what it says about query i and key j."""

    rows: Rows
    """What is added to the scores, as the sheet lays them out."""
    shown: str
    meaning: str
    others: tuple[tuple[str, str, Rows], ...]
    """Masks that are written for this one: an id, a sentence, and what they add."""
    causal: bool = False


AnyMask = GivenMask | FloatMask | RuleMask


def read_masks(node: reader.Node, heads: int, dims: Dimensions, faults: Faults) -> tuple[AnyMask, ...]:
    """One mask for all heads, or one for each; none where there is none, or where it is wrong."""
    node = _unquoted(node)
    if not isinstance(node, reader.Sequence) or not any(map(_is_whole_mask, node.items)):
        mask = read_mask(node, dims, faults)
        return () if mask is None else (mask,)
    if len(node.items) != heads:
        message = f"mask is written for {count(len(node.items), 'head')}, but there {_are(heads)}"
        faults.add(node, message, "write one mask for each head, or one for all of them")
        return ()
    read = [_no_mask(dims) if _word(item) == "none" else read_mask(item, dims, faults) for item in node.items]
    return tuple(mask for mask in read if mask is not None)


def _are(heads: int) -> str:
    return f"{'is' if heads == 1 else 'are'} {heads}"


def _unquoted(node: reader.Node) -> reader.Node:
    """A list of masks that stands in quotes, since YAML would not read the brackets in it."""
    try:
        listed = parse_formula(_word(node)) if _word(node).startswith("[") else None
    except LanguageError:
        return node
    if not isinstance(listed, ListedNode) or not any(map(masks.is_rule, listed.entries)):
        return node
    at = Mark(node.at.line, node.at.column + 1)
    items = (reader.Scalar(written(e), Mark(at.line, at.column + e.start)) for e in listed.entries)
    return reader.Sequence(tuple(items), node.at)


def _word(node: reader.Node) -> str:
    return node.text if isinstance(node, reader.Scalar) else ""


def _is_whole_mask(node: reader.Node) -> bool:
    """Whether what stands in a list is a mask by itself, and no row and no entry of one."""
    if isinstance(node, reader.Sequence):
        return any(isinstance(item, reader.Sequence) for item in node.items)
    return isinstance(node, reader.Mapping) or _word(node) == "none" or _rule(_word(node)) is not None


def _no_mask(dims: Dimensions) -> GivenMask:
    """What a head without a mask has, beside heads that have one."""
    queries, keys = dims.size("queries") or 0, dims.size("keys") or 0
    rows, columns = (keys, queries) if dims.columns else (queries, keys)
    return GivenMask(((True,) * columns,) * rows, ((Fraction(0),) * columns,) * rows, causal=False)


def read_mask(node: reader.Node, dims: Dimensions, faults: Faults) -> AnyMask | None:
    """One mask, its shape held against the numbers of queries and keys; None when there is none or it is wrong."""
    queries, keys = dims.size("queries") or 0, dims.size("keys") or 0
    if isinstance(node, reader.Scalar) and node.text != "identity":
        if node.text == "causal":
            return _causal(node, queries, keys, dims.columns, faults)
        if node.text != "none":
            return _by_rule(node, queries, keys, dims.columns, faults)
        return None
    matrix = read_matrix(_booleans_as_digits(node), "mask", faults, infinite=True)
    if matrix is None:
        return None
    if matrix.flat and dims.columns:
        matrix = matrix.transposed()
    matrix = _for_every_query(matrix.sized(queries or 1), queries, keys, dims.columns)
    dims.agree("queries", matrix, 0)
    dims.agree("keys", matrix, 1)
    if faults.floats is not None:
        from attnsolve.spec.floating import mask_rows

        return FloatMask(mask_rows(matrix), causal=False)
    return _mask_of(matrix)


def _for_every_query(matrix: GivenMatrix, queries: int, keys: int, columns: bool) -> GivenMatrix:
    """One plain list about the keys, which holds for every query: the padding of a batch."""
    if not matrix.flat or queries < 2 or matrix.shape[0] * matrix.shape[1] != keys:
        return matrix
    return matrix.repeated(queries, columns=columns)


# ── rules ───────────────────────────────────────────────────────────────────────────────────────


def _rule(text: str) -> Node | None:
    """A mask by what it says; None for anything else."""
    try:
        node = parse_formula(text)
    except LanguageError:
        return None
    return node if masks.is_rule(node) else None


def _by_rule(node: reader.Scalar, queries: int, keys: int, columns: bool, faults: Faults) -> RuleMask | None:
    """`causal and within(2)`, `not first(1)`, `first([2, 3])`."""
    at = Mark(node.at.line, node.at.column + node.quoted)
    try:
        rule = parse_formula(node.text) if any(sign in node.text for sign in " (") else NameNode(node.text)
        if not masks.is_rule(rule):
            _refuse(node, faults)
            return None
        if not queries or not keys:
            return None  # nothing to mask, or something that could not be read
        if "causal" in names_in(rule) and queries != keys:
            _refuse_causal(node, queries, keys, faults)
            return None
        words = _Words(columns)
        return RuleMask(
            _laid_out(masks.added(rule, queries, keys, words), columns),
            written(rule),
            masks.condition(rule),
            tuple(
                (id, said, _laid_out(masks.added(other, queries, keys, words), columns))
                for id, said, other in masks.mistaken(rule, words)
            ),
        )
    except LanguageError as error:
        faults.add(Mark(at.line, at.column + error.column), f"in mask: {error}", error.fix)
        return None


def _refuse(node: reader.Scalar, faults: Faults) -> None:
    is_causal = folded(node.text) in CAUSAL
    fix = "did you mean causal?" if is_causal else nearest(node.text, ("causal", "none"))
    if not node.text.isidentifier() and not is_causal:
        fix = "rules are causal, within(2) and first([2, 3]), combined by and, or, not"
    faults.expected(node, "mask", "causal, none or a matrix", fix)


def _laid_out(rows: masks.Rows, columns: bool) -> Rows:
    return tuple(zip(*rows, strict=True)) if columns else rows


class _Words:
    """What stands in a rule: whole numbers, and lists that are written out."""

    def __init__(self, columns: bool) -> None:
        self.columns = columns

    def whole(self, node: Node) -> int:
        """A whole number."""
        if isinstance(node, NumberNode) and node.text.isdigit() and len(node.text) < 10:
            return int(node.text)
        raise LanguageError(f"{written(node)} must be a whole number", "", node.start)

    def matrix(self, node: Node) -> masks.Rows | None:
        """A list or a matrix that is written out, queries as rows."""
        if not isinstance(node, ListedNode):
            return None
        listed = all(isinstance(entry, ListedNode) for entry in node.entries)
        if not listed:
            return (tuple(map(_entry, node.entries)),)
        rows = tuple(tuple(map(_entry, entry.entries)) for entry in node.entries if isinstance(entry, ListedNode))
        if len({len(row) for row in rows}) > 1:
            raise LanguageError(f"the rows of {written(node)} have different lengths", "", node.start)
        return _laid_out(rows, self.columns)


def _entry(node: Node) -> Number:
    text = written(node)
    if infinity(text) < 0:
        return MINUS_INFINITY
    try:
        return parse_number(text, {}).value
    except NumberError as error:
        raise LanguageError(str(error), error.fix, node.start) from None


# ── causal, and matrices ────────────────────────────────────────────────────────────────────────


def _causal(node: reader.Node, queries: int, keys: int, columns: bool, faults: Faults) -> GivenMask | FloatMask | None:
    if not queries or not keys:
        return None  # nothing to mask, or something that could not be read
    if queries != keys:
        _refuse_causal(node, queries, keys, faults)
        return None
    if faults.floats is not None:
        from attnsolve.spec.floating import causal_rows

        return FloatMask(causal_rows(keys, columns), causal=True)
    allowed = tuple(tuple(i <= j if columns else j <= i for j in range(keys)) for i in range(queries))
    return GivenMask(allowed, tuple((Fraction(0),) * keys for _ in range(queries)), causal=True)


def _refuse_causal(node: reader.Node, queries: int, keys: int, faults: Faults) -> None:
    message = f"mask: causal needs as many queries as keys, but there are {queries} and {keys}"
    faults.add(node, message, "write the mask out as a 0/1 matrix")


def _booleans_as_digits(node: reader.Node) -> reader.Node:
    if isinstance(node, reader.Sequence):
        return reader.Sequence(tuple(map(_booleans_as_digits, node.items)), node.at)
    if isinstance(node, reader.Mapping):
        return reader.Mapping(
            tuple((k, _booleans_as_digits(v) if k.text == "matrix" else v) for k, v in node.entries), node.at
        )
    if isinstance(node, reader.Scalar) and node.text.lower() in ("true", "false"):
        return reader.Scalar("1" if node.text.lower() == "true" else "0", node.at)
    return node


def _mask_of(matrix: GivenMatrix) -> GivenMask:
    """0s and 1s say what may be attended to; anything else is a matrix to add to the scores."""
    entries = {x for row in matrix.rows for x in row}
    if entries <= {Fraction(0), Fraction(1)}:
        zeros = tuple(tuple(Fraction(0) for _ in row) for row in matrix.rows)
        return GivenMask(tuple(tuple(x == 1 for x in row) for row in matrix.rows), zeros, causal=False)
    allowed = tuple(tuple(x != MINUS_INFINITY for x in row) for row in matrix.rows)
    added = tuple(tuple(Fraction(0) if x == MINUS_INFINITY else x for x in row) for row in matrix.rows)
    return GivenMask(allowed, added, causal=False)
