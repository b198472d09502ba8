"""The keys of the topics on gradients, and what is read from them: the numbers on which each is seen."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from attnsolve.errors import count, there_are
from attnsolve.record import Record, record
from attnsolve.spec import shapes
from attnsolve.spec.fields import Fields, GivenMatrix
from attnsolve.spec.given import SCORES
from attnsolve.spec.keys import declare
from attnsolve.spec.readings import Rows, fraction, plain_matrix, read_scores

TARGET = declare(
    "target",
    "Which score belongs to the right answer, counted from 1.",
    shapes.SIZE,
    lambda fields, name: fields.integer(name, None, 1, 10**6),
)
UPSTREAM = declare("upstream", "The derivatives of the loss in the weights, the output or y.", shapes.MATRIX_REF)
QUERIES = declare("queries", "Queries to use as an example, one row each.", shapes.MATRIX_REF, plain_matrix)
KEYS = declare("keys", "Their keys, one row each.", shapes.MATRIX_REF, plain_matrix)
VALUES = declare("values", "Their values, one row each.", shapes.MATRIX_REF, plain_matrix)
VECTOR = declare("vector", "The vector that is normalised, as one list.", shapes.ROW, read_scores)
EPSILON = declare(
    "epsilon",
    "The small number that a layer norm adds to the variance (default: 0).",
    shapes.NUMBER_REF,
    partial(fraction, above=-1),
)
SOFTMAX = (SCORES, UPSTREAM)
CROSS_ENTROPY = (SCORES, TARGET)
ATTENTION = (QUERIES, KEYS, VALUES, UPSTREAM)
LAYER_NORM = (VECTOR, EPSILON, UPSTREAM)


@record
class ScoresAndUpstream(Record):
    """Scores to see it on, and perhaps the derivatives of a loss in their weights."""

    scores: GivenMatrix | None
    upstream: Rows | None


def read_softmax(fields: Fields) -> ScoresAndUpstream:
    """Read what is given."""
    scores = SCORES.read(fields)
    return ScoresAndUpstream(scores, _upstream(fields, scores))


@record
class ScoresAndTarget(Record):
    """Scores to see it on, and which of them should be the highest, counted from 1."""

    scores: GivenMatrix | None
    target: int


def read_cross_entropy(fields: Fields) -> ScoresAndTarget:
    """Read what is given: both, or neither."""
    scores, target = SCORES.read(fields), TARGET.read(fields)
    if scores is not None and fields.get("target") is None:
        fields.faults.add(scores.at, "scores without a target have no loss", "add target: 1, or another place")
    if fields.get("target") is not None and fields.get("scores") is None:
        fields.faults.add(fields.marks["target"], "target without scores has no meaning", "add scores: [...]")
    if scores is not None and target is not None and target > scores.shape[1]:
        message = f"target is {target} but {there_are(scores.shape[1], 'score')}"
        fields.faults.add(fields.marks["target"], message)
    return ScoresAndTarget(scores, target or 1)


@record
class Attended(Record):
    """Queries, keys and values to see it on, and the derivatives of a loss in the output."""

    queries: Rows
    keys: Rows
    values: Rows
    upstream: Rows


def read_attention(fields: Fields) -> Attended | None:
    """Read what is given: all four, or none."""
    names = ("queries", "keys", "values", "upstream")
    given = [QUERIES.read(fields), KEYS.read(fields), VALUES.read(fields), plain_matrix(fields, "upstream")]
    present = [name for name in names if fields.get(name) is not None]
    if not present:
        return None
    for name in names:
        if name not in present:
            fields.faults.add(
                fields.marks[present[0]], f"{present[0]} without {name} is no example", f"add {name}: [[...]]"
            )
    queries, keys, values, upstream = given
    if queries is None or keys is None or values is None or upstream is None:
        return None
    for matrix in (queries, keys, values, upstream):
        if matrix.identity:
            fields.faults.add(matrix.at, f"{matrix.name} must be written out, row by row")
            return None
    _agree(fields, (keys, "column", keys.shape[1]), (queries, "column", queries.shape[1]))
    _agree(fields, (values, "row", values.shape[0]), (keys, "row", keys.shape[0]))
    _agree(fields, (upstream, "row", upstream.shape[0]), (queries, "row", queries.shape[0]))
    _agree(fields, (upstream, "column", upstream.shape[1]), (values, "column", values.shape[1]))
    return None if fields.faults.found else Attended(queries.rows, keys.rows, values.rows, upstream.rows)


def _agree(fields: Fields, one: tuple[GivenMatrix, str, int], other: tuple[GivenMatrix, str, int]) -> None:
    """Refuse sides that don't fit together."""
    (matrix, side, has), (beside, other_side, needs) = one, other
    if has != needs:
        sides = f"{matrix.name} has {count(has, side)} but {beside.name} has {count(needs, other_side)}"
        fields.faults.add(matrix.at, sides)


@record
class NormExample(Record):
    """A vector to see it on, what is added to its variance, and the derivatives of a loss in the result."""

    vector: Rows
    epsilon: Fraction
    upstream: Rows


def read_layer_norm(fields: Fields) -> NormExample | None:
    """Read what is given: a vector and what comes from upstream, or neither."""
    vector, epsilon = VECTOR.read(fields), EPSILON.read(fields)
    upstream = _upstream(fields, vector, "vector")
    if epsilon is not None and epsilon < 0:
        fields.faults.add(fields.marks["epsilon"], "epsilon must not be negative")
    if vector is None:
        if fields.get("epsilon") is not None and fields.get("vector") is None:
            fields.faults.add(fields.marks["epsilon"], "epsilon without a vector has no meaning", "add vector: [...]")
        return None
    if upstream is None:
        if fields.get("upstream") is None:
            fields.faults.add(vector.at, "a vector without upstream has no gradient", "add upstream: [...]")
        return None
    (row,) = vector.rows
    if len(set(row)) == 1:
        fields.faults.add(vector.at, "the entries of the vector are all alike, so there is nothing to normalise")
        return None
    return NormExample(vector.rows, epsilon or Fraction(0), upstream)


def _upstream(fields: Fields, beside: GivenMatrix | None, name: str = "scores") -> Rows | None:
    """One list, as long as another."""
    given = read_scores(fields, "upstream")
    if given is None:
        return None
    if fields.get(name) is None:
        fields.faults.add(given.at, f"upstream without {name} has no meaning", f"add {name}: [...]")
    if beside is not None and beside.shape != given.shape:
        have = count(given.shape[1], "entry", "entries")
        fields.faults.add(given.at, f"upstream has {have} but {name} has {count(beside.shape[1], 'entry', 'entries')}")
    return given.rows
