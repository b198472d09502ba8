"""The keys of the topics of `kind: derivation`, and what is read from them; what a claim says is read with the algebra,
in a module of its own."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from functools import partial

from attnsolve.errors import count, there_are
from attnsolve.record import Record, record
from attnsolve.spec import reader, shapes
from attnsolve.spec.fields import Fields
from attnsolve.spec.keys import declare
from attnsolve.spec.readings import (
    Rows,
    Simulation,
    Vectors,
    check_orthonormal,
    fraction,
    plain_matrix,
    read_pair,
    read_scores,
    read_simulation,
    read_vectors,
    refuse_long_draws,
)

WEIGHTS = ("W_Q", "W_K", "W_V")

MU = declare("mu", "The mean of every entry of q and k; a letter unless it is given.", shapes.NUMBER_REF, fraction)
SIGMA = declare(
    "sigma",
    "The standard deviation of every entry; a letter unless it is given.",
    shapes.NUMBER_REF,
    partial(fraction, above=0),
)
D_K = declare(
    "d_k",
    "How many entries q and k have; a letter unless it is given.",
    shapes.SIZE,
    lambda fields, name: fields.integer(name, None, 1, 10**6),
)
VARIANCE = declare(
    "variance",
    "The variance that the scaled score should have; a letter unless it is given.",
    shapes.NUMBER_REF,
    partial(fraction, above=0),
)
SIMULATE = declare(
    "simulate",
    "{samples: 100000, seed: 0} checks the result by drawing such vectors.",
    shapes.SIMULATION,
    read_simulation,
)
DOT_PRODUCT = (MU, SIGMA, D_K, VARIANCE, SIMULATE)

SCORES = declare("scores", "Scores to use as an example, as one list.", shapes.ROW, read_scores)


@record
class DotProduct(Record):
    """What the problem fixes; None is a letter."""

    mu: Fraction | None
    sigma: Fraction | None
    d_k: int | None
    variance: Fraction | None
    simulate: Simulation | None

    @property
    def values(self) -> dict[str, Fraction]:
        """The letters that have a value."""
        numbers = {"mu": self.mu, "sigma": self.sigma, "D_k": self.d_k, "v": self.variance}
        return {name: Fraction(value) for name, value in numbers.items() if value is not None}


def read_dot_product(fields: Fields) -> DotProduct:
    """Read what is given."""
    given = DotProduct(
        mu=MU.read(fields),
        sigma=SIGMA.read(fields),
        d_k=D_K.read(fields),
        variance=VARIANCE.read(fields),
        simulate=SIMULATE.read(fields),
    )
    refuse_long_draws(fields, given.simulate, 2 * (given.d_k or 1))
    return given


KEYS = declare("keys", "Keys to use as an example, one row each.", shapes.MATRIX_REF, plain_matrix)
VALUES = declare("values", "Their values, one row each.", shapes.MATRIX_REF, plain_matrix)
QUERY = declare("query", "The query, as one list.", shapes.ROW, plain_matrix)
INDEX = declare(
    "index", "Which key should be copied, counted from 1 (default: the one with the highest score).", shapes.SIZE
)
ACCURACY = declare(
    "accuracy",
    "The weight that the copied value should have, such as 0.99.",
    shapes.NUMBER_REF,
    partial(fraction, above=0, below=1),
)
COPYING = (KEYS, VALUES, QUERY, INDEX, ACCURACY)


@record
class Copying(Record):
    """Vectors to see it on, which key is copied, and how well."""

    vectors: Vectors | None
    index: int | None
    accuracy: Fraction | None


def read_copying(fields: Fields) -> Copying:
    """Read what is given."""
    vectors = read_vectors(fields, KEYS, VALUES, QUERY)
    most = len(vectors.keys) if vectors is not None else 512
    return Copying(vectors, fields.integer(INDEX.name, None, 1, most), ACCURACY.read(fields))


N = declare(
    "n",
    "How many keys there are; a letter unless it is given.",
    {"type": "integer", "minimum": 2},
    lambda fields, name: fields.integer(name, None, 2, 10**6),
)
BETA = declare(
    "beta", "How strong the query is; a letter unless it is given.", shapes.NUMBER_REF, partial(fraction, above=0)
)
WITHIN = declare(
    "within", "How far the weights may be from ½, such as 0.01.", shapes.NUMBER_REF, partial(fraction, above=0)
)
ORTHONORMAL = declare("keys", "Orthonormal keys to use as an example, one row each.", shapes.MATRIX_REF, plain_matrix)
PAIR = declare("pair", "Which two keys are averaged, such as [1, 2].", shapes.PAIR)
AVERAGING = (N, BETA, WITHIN, ORTHONORMAL, VALUES, PAIR)


@record
class Averaging(Record):
    """What the problem fixes; None is a letter."""

    n: int | None
    beta: Fraction | None
    within: Fraction | None
    vectors: Vectors | None
    pair: tuple[int, int]

    @property
    def size(self) -> int | None:
        """How many keys there are."""
        return self.n if self.vectors is None else len(self.vectors.keys)


def read_averaging(fields: Fields) -> Averaging:
    """Read what is given; keys that are not orthonormal are refused, with how far off they are."""
    vectors = read_vectors(fields, ORTHONORMAL, VALUES)
    count = N.read(fields)
    if vectors is not None:
        check_orthonormal(fields, "keys", vectors.keys)
        if count is not None and count != len(vectors.keys):
            fields.faults.add(fields.marks["n"], f"n is {count} but {there_are(len(vectors.keys), 'key')}")
    tolerance = WITHIN.read(fields)
    if tolerance is not None and tolerance >= Fraction(1, 2):
        fields.faults.add(fields.marks["within"], "within must be below 1/2: no weight is further from 1/2 than that")
    most = len(vectors.keys) if vectors is not None else None
    return Averaging(count, BETA.read(fields), tolerance, vectors, read_pair(PAIR.read(fields), most, fields.faults))


INPUTS = declare(
    "inputs", "Tokens to use as an example, one row each; drawn at random if left out.", shapes.MATRIX_REF, plain_matrix
)
PROJECTIONS = declare(
    "weights",
    "Their W_Q, W_K and W_V; drawn at random if left out.",
    shapes.mapping(WEIGHTS, shapes.MATRIX_REF),
)
PERMUTATION = declare(
    "permutation",
    "Which token comes first, second and so on, such as [3, 1, 2]; drawn at random if left out.",
    {"type": "array", "minItems": 2, "items": shapes.SIZE},
)
SEED = declare(
    "seed",
    "The seed of the random numbers (default: 0).",
    {"type": "integer", "minimum": 0},
    lambda fields, name: fields.integer(name, 0, 0, 2**31 - 1),
)
REORDERING = (INPUTS, PROJECTIONS, PERMUTATION, SEED)


@record
class Reordering(Record):
    """Tokens, weights and an order to see it on."""

    inputs: Rows
    weights: Mapping[str, Rows]
    order: tuple[int, ...]
    """Counted from 0."""
    drawn: bool


def read_reordering(fields: Fields) -> Reordering | None:
    """Read the example, and draw what is missing of it."""
    rng = random.Random(SEED.read(fields))
    inputs = INPUTS.read(fields)
    if inputs is not None and (inputs.identity or len(inputs.rows) < 2):
        fields.faults.add(inputs.at, "the inputs must be at least two tokens, one row each")
    weights = _weights(fields, None if inputs is None else inputs.shape[1])
    if fields.faults.found:
        return None
    rows = inputs.rows if inputs is not None else _drawn(3, 2 if not weights else len(weights["W_Q"]), rng)
    order = _order(fields, len(rows), rng)
    width = len(rows[0])
    full = {name: weights.get(name) or _drawn(width, width, rng) for name in WEIGHTS}
    return Reordering(rows, full, order, inputs is None) if order else None


def _drawn(rows: int, columns: int, rng: random.Random) -> Rows:
    return tuple(tuple(Fraction(rng.randint(-2, 2)) for _ in range(columns)) for _ in range(rows))


def _weights(fields: Fields, width: int | None) -> dict[str, Rows]:
    node = PROJECTIONS.read(fields)
    if node is None:
        return {}
    if not isinstance(node, reader.Mapping):
        fields.faults.expected(node, "weights", "a mapping with W_Q, W_K and W_V")
        return {}
    inner = Fields(node, WEIGHTS, fields.faults, " in weights")
    found: dict[str, Rows] = {}
    for name in WEIGHTS:
        matrix = plain_matrix(inner, name)
        if matrix is None:
            if inner.get(name) is None:
                fields.faults.add(node, f"{name} is missing", f"add {name}: [[...]]")
            continue
        matrix = matrix.sized(width or 2)
        if width is not None and matrix.shape[0] != width:
            have = count(matrix.shape[0], "row")
            fields.faults.add(matrix.at, f"{name} has {have} but the inputs have {count(width, 'column')}")
        found[name] = matrix.rows
    if width is None and len({len(rows) for rows in found.values()}) > 1:
        message = ", ".join(f"{name} has {count(len(rows), 'row')}" for name, rows in found.items())
        fields.faults.add(node, f"all three are multiplied with the same tokens, but {message}")
    if len(found) == 3 and len(found["W_Q"][0]) != len(found["W_K"][0]):
        wide = len(found["W_K"][0]), len(found["W_Q"][0])
        fields.faults.add(node, f"W_K has {count(wide[0], 'column')} but W_Q has {wide[1]}")
    return found


def _order(fields: Fields, size: int, rng: random.Random) -> tuple[int, ...]:
    node = PERMUTATION.read(fields)
    if node is None:
        order = list(range(size))
        while order == list(range(size)):
            rng.shuffle(order)
        return tuple(order)
    texts = [x.text for x in node.items if isinstance(x, reader.Scalar)] if isinstance(node, reader.Sequence) else []
    if sorted(texts) != sorted(map(str, range(1, size + 1))):
        message = f"each of the numbers 1 to {size} once, such as [{', '.join(map(str, (size, *range(1, size))))}]"
        found = f"[{', '.join(texts)}]" if texts else reader.describe(node)
        fields.faults.add(node, f"permutation must be {message}, but {found} was found")
        return ()
    return tuple(int(text) - 1 for text in texts)


GIVEN = declare(
    "given",
    "What the letters of the claim stand for: {X: 'matrix(n, d)', S: 'X*X^T'}.",
    {"type": "object", "additionalProperties": {"anyOf": [{"type": ["string", "number"]}, shapes.MATRIX_REF]}},
)
STATEMENT = declare(
    "claim",
    "An equality, an inequality or a chain of them: 'softmax(P*S*P^T) = P*softmax(S)*P^T'.",
    shapes.LINES,
)
CLAIM = (GIVEN, STATEMENT)
