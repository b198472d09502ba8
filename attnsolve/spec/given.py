"""What the topics of `kind: derivation` read from a problem; the topic `claim` is read in a module of its own."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from attnsolve.errors import count
from attnsolve.spec import reader
from attnsolve.spec.fields import Fields
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


@dataclass(frozen=True)
class DotProduct:
    """What the problem fixes; None is a letter."""

    mu: Fraction | None
    sigma: Fraction | None
    d_k: int | None
    variance: Fraction | None
    simulate: Simulation | None

    @property
    def values(self) -> dict[str, Fraction]:
        """The letters that have a value."""
        stated = {"mu": self.mu, "sigma": self.sigma, "D_k": self.d_k, "v": self.variance}
        return {name: Fraction(value) for name, value in stated.items() if value is not None}


def read_dot_product(fields: Fields) -> DotProduct:
    """Read what is given."""
    given = DotProduct(
        mu=fraction(fields, "mu"),
        sigma=fraction(fields, "sigma", above=0),
        d_k=fields.integer("d_k", None, 1, 10**6),
        variance=fraction(fields, "variance", above=0),
        simulate=read_simulation(fields),
    )
    refuse_long_draws(fields, given.simulate, 2 * (given.d_k or 1))
    return given


@dataclass(frozen=True)
class Copying:
    """Vectors to see it on, which key is copied, and how well."""

    vectors: Vectors | None
    index: int | None
    accuracy: Fraction | None


def read_copying(fields: Fields) -> Copying:
    """Read what is given."""
    vectors = read_vectors(fields, with_query=True)
    most = len(vectors.keys) if vectors is not None else 512
    return Copying(
        vectors,
        fields.integer("index", None, 1, most),
        fraction(fields, "accuracy", above=0, below=1),
    )


@dataclass(frozen=True)
class Averaging:
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
    vectors = read_vectors(fields, with_query=False)
    count = fields.integer("n", None, 2, 10**6)
    if vectors is not None:
        check_orthonormal(fields, "keys", vectors.keys)
        if count is not None and count != len(vectors.keys):
            fields.faults.add(fields.marks["n"], f"n is {count} but there are {len(vectors.keys)} keys")
    tolerance = fraction(fields, "within", above=0)
    if tolerance is not None and tolerance >= Fraction(1, 2):
        fields.faults.add(fields.marks["within"], "within must be below 1/2: no weight is further from 1/2 than that")
    beta = fraction(fields, "beta", above=0)
    return Averaging(
        count, beta, tolerance, vectors, read_pair(fields, len(vectors.keys) if vectors is not None else None)
    )


@dataclass(frozen=True)
class Reordering:
    """Tokens, weights and an order to see it on."""

    inputs: Rows
    weights: Mapping[str, Rows]
    order: tuple[int, ...]
    """Counted from 0."""
    drawn: bool


def read_reordering(fields: Fields) -> Reordering | None:
    """Read the example, and draw what is missing of it."""
    rng = random.Random(fields.integer("seed", 0, 0, 2**31 - 1))
    inputs = plain_matrix(fields, "inputs")
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
    node = fields.get("weights")
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
        said = ", ".join(f"{name} has {count(len(rows), 'row')}" for name, rows in found.items())
        fields.faults.add(node, f"all three are multiplied with the same tokens, but {said}")
    if len(found) == 3 and len(found["W_Q"][0]) != len(found["W_K"][0]):
        wide = len(found["W_K"][0]), len(found["W_Q"][0])
        fields.faults.add(node, f"W_K has {count(wide[0], 'column')} but W_Q has {wide[1]}")
    return found


def _order(fields: Fields, size: int, rng: random.Random) -> tuple[int, ...]:
    node = fields.get("permutation")
    if node is None:
        order = list(range(size))
        while order == list(range(size)):
            rng.shuffle(order)
        return tuple(order)
    texts = [x.text for x in node.items if isinstance(x, reader.Scalar)] if isinstance(node, reader.Sequence) else []
    if sorted(texts) != sorted(map(str, range(1, size + 1))):
        said = f"each of the numbers 1 to {size} once, such as [{', '.join(map(str, (size, *range(1, size))))}]"
        found = f"[{', '.join(texts)}]" if texts else reader.describe(node)
        fields.faults.add(node, f"permutation must be {said}, but {found} was found")
        return ()
    return tuple(int(text) - 1 for text in texts)


READERS = {
    "scaled-dot-product": read_dot_product,
    "softmax-is-a-distribution": read_scores,
    "softmax-shift-invariance": read_scores,
    "copying": read_copying,
    "averaging": read_averaging,
    "permutation-equivariance": read_reordering,
}
"""Every topic that needs no algebra to be read."""
