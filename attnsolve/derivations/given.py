"""Readings that several topics share: a plain number, a matrix of them, a wish for a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from attnsolve.bounds import allowed, raises
from attnsolve.spec import reader
from attnsolve.spec.fields import Fields, Matrix


@dataclass(frozen=True)
class Simulation:
    """How many samples are drawn, and from which seed."""

    samples: int
    seed: int


def fraction(fields: Fields, name: str, above: int | None = None, below: int | None = None) -> Fraction | None:
    """A rational number under a key, within bounds; None when it is left out."""
    node = fields.get(name)
    value = fields.number(name)
    if node is None or value is None:
        return None
    if not isinstance(value, Fraction):
        fields.faults.expected(node, name, "a plain number such as 2, 0.5 or 1/3")
        return None
    if not _is_short(value):
        fields.faults.add(node, f"{name} may have {allowed().derived_digits} digits at most")
        return None
    if (above is not None and value <= above) or (below is not None and value >= below):
        limits = [f"above {above}"] * (above is not None) + [f"below {below}"] * (below is not None)
        fields.faults.expected(node, name, f"a number {' and '.join(limits)}")
        return None
    return value


def plain_matrix(fields: Fields, name: str) -> Matrix | None:
    """A matrix of rational numbers under a key."""
    matrix = fields.matrix(name)
    if matrix is not None and not all(isinstance(x, Fraction) for row in matrix.rows for x in row):
        fields.faults.add(matrix.at, f"{name} must be a matrix of plain numbers")
        return None
    if matrix is not None and not all(_is_short(x) for row in matrix.rows for x in row):
        fields.faults.add(matrix.at, f"the numbers of {name} may have {allowed().derived_digits} digits at most")
        return None
    return matrix


def _is_short(value: Fraction) -> bool:
    """Whether a number can be sampled with and written out: as a float it is neither 0 nor infinite, nor its powers."""
    most: int = 10 ** allowed().derived_digits
    return -most < value.numerator < most and value.denominator < most


def read_simulation(fields: Fields) -> Simulation | None:
    """`simulate: {samples: 100000, seed: 0}`."""
    node = fields.get("simulate")
    if node is None:
        return None
    if not isinstance(node, reader.Mapping):
        fields.faults.expected(node, "simulate", "a mapping such as {samples: 100000, seed: 0}")
        return None
    inner = Fields(node, ("samples", "seed"), fields.faults, " in simulate")
    samples = inner.integer("samples", 100_000, 100, allowed().samples, "samples")
    seed = inner.integer("seed", 0, 0, 2**31 - 1)
    return Simulation(samples or 0, seed or 0)


def refuse_long_draws(fields: Fields, wanted: Simulation | None, width: int) -> None:
    """Refuse a simulation that would draw more numbers than anybody waits for; each sample takes `width` of them."""
    draws = wanted.samples * width if wanted is not None else 0
    if wanted is not None and draws > allowed().draws:
        most = f"at most {allowed().draws:,} are drawn"
        said = f"{wanted.samples:,} samples of {width:,} numbers each are too many: {most}"
        fields.faults.add(fields.marks["simulate"], said, f"take fewer samples, or {raises('draws', draws)}")


def read_pair(fields: Fields, most: int | None) -> tuple[int, int]:
    """`pair: [1, 2]`, two different keys; the first two if it is left out."""
    node = fields.get("pair")
    if node is None:
        return 1, 2
    texts = (
        [item.text for item in node.items if isinstance(item, reader.Scalar)]
        if isinstance(node, reader.Sequence)
        else []
    )
    places = [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 7]
    if len(places) != 2 or places[0] == places[1] or not all(1 <= p <= (most or 10**6) for p in places):
        found = f"[{', '.join(texts)}]" if texts else reader.describe(node)
        said = f"pair must be two different keys, counted from 1{f' to {most}' if most else ''}"
        fields.faults.add(node, f"{said}, but {found} was found")
        return 1, 2
    return places[0], places[1]


def check_orthonormal(fields: Fields, name: str, rows: tuple[tuple[Fraction, ...], ...]) -> None:
    """Refuse vectors that are not of length 1, or not orthogonal; say which and by how much."""
    node = fields.get(name)
    assert node is not None
    for i, row in enumerate(rows, start=1):
        square = sum((x * x for x in row), Fraction(0))
        if square != 1:
            said = f"{name} must be orthonormal, but row {i} has the squared length {square}"
            fields.faults.add(node, said, "divide it by its length")
        for j, other in enumerate(rows[: i - 1], start=1):
            dot = sum((x * y for x, y in zip(row, other, strict=True)), Fraction(0))
            if dot:
                said = f"{name} must be orthonormal, but rows {j} and {i} have the dot product {dot} and not 0"
                fields.faults.add(node, said)
