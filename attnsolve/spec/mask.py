"""The `mask:` of a problem: causal, a 0/1 matrix of what may be attended to, or a matrix to add to the scores."""

from __future__ import annotations

from fractions import Fraction

from attnsolve.errors import nearest
from attnsolve.library.words import folded
from attnsolve.record import Record, record
from attnsolve.spec import reader
from attnsolve.spec.dimensions import Dimensions
from attnsolve.spec.fields import Faults, GivenMatrix, Rows, read_matrix
from attnsolve.spec.number import MINUS_INFINITY, Number

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


def read_mask(node: reader.Node, dims: Dimensions, faults: Faults) -> GivenMask | FloatMask | None:
    """The mask, its shape held against the numbers of queries and keys; None when there is none or it is wrong."""
    queries, keys = dims.size("queries") or 0, dims.size("keys") or 0
    if isinstance(node, reader.Scalar) and node.text != "identity":
        if node.text == "causal":
            return _causal(node, queries, keys, dims.columns, faults)
        if node.text != "none":
            is_causal = folded(node.text) in CAUSAL
            fix = "did you mean causal?" if is_causal else nearest(node.text, ("causal", "none"))
            faults.expected(node, "mask", "causal, none or a matrix", fix)
        return None
    matrix = read_matrix(_booleans_as_digits(node), "mask", faults, infinite=True)
    if matrix is None:
        return None
    if matrix.flat and dims.columns:
        matrix = matrix.turned()
    matrix = matrix.sized(queries or 1)
    dims.agree("queries", matrix, 0)
    dims.agree("keys", matrix, 1)
    if faults.floats is not None:
        from attnsolve.spec.floating import mask_rows

        return FloatMask(mask_rows(matrix), causal=False)
    return _mask_of(matrix)


def _causal(node: reader.Node, queries: int, keys: int, columns: bool, faults: Faults) -> GivenMask | FloatMask | None:
    if not queries or not keys:
        return None  # nothing to mask, or something that could not be read
    if queries != keys:
        message = f"mask: causal needs as many queries as keys, but there are {queries} and {keys}"
        faults.add(node, message, "write the mask out as a 0/1 matrix")
        return None
    if faults.floats is not None:
        from attnsolve.spec.floating import causal_rows

        return FloatMask(causal_rows(keys, columns), causal=True)
    allowed = tuple(tuple(i <= j if columns else j <= i for j in range(keys)) for i in range(queries))
    return GivenMask(allowed, tuple((Fraction(0),) * keys for _ in range(queries)), causal=True)


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
