"""Readings that several topics share: a plain number, a matrix of them, keys and values, a wish for a simulation."""

from __future__ import annotations

from fractions import Fraction

from attnsolve.bounds import allowed, raises
from attnsolve.errors import count, there_are
from attnsolve.record import Record, record
from attnsolve.spec import reader
from attnsolve.spec.fields import Faults, Fields, GivenMatrix
from attnsolve.spec.keys import ProblemKey

Rows = tuple[tuple[Fraction, ...], ...]


@record
class Simulation(Record):
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
        fields.faults.add(node, f"{name} may have at most {allowed().derived_digits} digits")
        return None
    if (above is not None and value <= above) or (below is not None and value >= below):
        limits = [f"above {above}"] * (above is not None) + [f"below {below}"] * (below is not None)
        fields.faults.expected(node, name, f"a number {' and '.join(limits)}")
        return None
    return value


def plain_matrix(fields: Fields, name: str) -> GivenMatrix | None:
    """A matrix of rational numbers under a key."""
    matrix = fields.matrix(name)
    if matrix is not None and not all(isinstance(x, Fraction) for row in matrix.rows for x in row):
        fields.faults.add(matrix.at, f"{name} must be a matrix of plain numbers")
        return None
    if matrix is not None and not all(_is_short(x) for row in matrix.rows for x in row):
        fields.faults.add(matrix.at, f"the numbers of {name} may have at most {allowed().derived_digits} digits")
        return None
    return matrix


def _is_short(value: Fraction) -> bool:
    """Whether a number can be sampled with and written out: as a float it is neither 0 nor infinite, nor its powers."""
    most: int = 10 ** allowed().derived_digits
    return -most < value.numerator < most and value.denominator < most


def read_simulation(fields: Fields, name: str) -> Simulation | None:
    """`simulate: {samples: 100000, seed: 0}`."""
    node = fields.get(name)
    if node is None:
        return None
    if not isinstance(node, reader.Mapping):
        fields.faults.expected(node, name, "a mapping such as {samples: 100000, seed: 0}")
        return None
    inner = Fields(node, ("samples", "seed"), fields.faults, f" in {name}")
    samples = inner.integer("samples", 100_000, 100, allowed().samples, "samples")
    seed = inner.integer("seed", 0, 0, 2**31 - 1)
    return Simulation(samples or 0, seed or 0)


def refuse_long_draws(fields: Fields, wanted: Simulation | None, width: int) -> None:
    """Refuse a simulation that would draw more numbers than anybody waits for; each sample takes `width` of them."""
    draws = wanted.samples * width if wanted is not None else 0
    if wanted is not None and draws > allowed().draws:
        most = f"at most {allowed().draws:,} are allowed"
        message = f"{wanted.samples:,} samples of {width:,} numbers each are too many: {most}"
        fields.faults.add(fields.marks["simulate"], message, f"take fewer samples, or {raises('draws', draws)}")


def read_pair(node: reader.Node | None, most: int | None, faults: Faults) -> tuple[int, int]:
    """`pair: [1, 2]`, two different keys; the first two if it is left out."""
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
        message = f"pair must be two different keys, counted from 1{f' to {most}' if most else ''}"
        faults.add(node, f"{message}, but {found} was found")
        return 1, 2
    return places[0], places[1]


def check_orthonormal(fields: Fields, name: str, rows: tuple[tuple[Fraction, ...], ...]) -> None:
    """Refuse vectors that are not of length 1, or not orthogonal; say which and by how much."""
    node = fields.get(name)
    assert node is not None
    for i, row in enumerate(rows, start=1):
        square = sum((x * x for x in row), Fraction(0))
        if square != 1:
            message = f"{name} must be orthonormal, but row {i} has the squared length {square}"
            fields.faults.add(node, message, "divide it by its length")
        for j, other in enumerate(rows[: i - 1], start=1):
            dot = sum((x * y for x, y in zip(row, other, strict=True)), Fraction(0))
            if dot:
                message = f"{name} must be orthonormal, but rows {j} and {i} have the dot product {dot} instead of 0"
                fields.faults.add(node, message)


def read_scores(fields: Fields, name: str) -> GivenMatrix | None:
    """`scores: [1, 2, 3]`."""
    matrix = fields.matrix(name)
    if matrix is not None and (matrix.identity or len(matrix.rows) != 1):
        fields.faults.add(matrix.at, f"{name} must be one list of numbers, such as [1, 2, 3]")
        return None
    return matrix


@record
class Vectors(Record):
    """Given keys, and perhaps values and a query."""

    keys: Rows
    values: Rows | None
    query: Rows


MatrixKey = ProblemKey[GivenMatrix | None]


def read_vectors(
    fields: Fields, of_keys: MatrixKey, of_values: MatrixKey, of_query: MatrixKey | None = None
) -> Vectors | None:
    """`keys`, `values` and (where it is not constructed) `query`: widths and numbers that agree."""
    faults = fields.faults
    keys, values = of_keys.read(fields), of_values.read(fields)
    query = None if of_query is None else of_query.read(fields)
    if keys is None:
        for name in ("values", "query"):
            if fields.get(name) is not None and fields.get("keys") is None:
                faults.add(fields.marks[name], f"{name} without keys can't be attended to", "add keys: [[...]]")
        return None
    keys = keys.sized(_number_of_keys(fields, values, query))
    if len(keys.rows) < 2:
        faults.add(keys.at, "there must be at least two keys, one per row")
    if of_query is not None and query is None and fields.get(of_query.name) is None:
        faults.add(keys.at, "keys without a query have no scores", "add query: [...]")
    if query is not None and (len(query.rows) != 1 or query.shape[1] != keys.shape[1]):
        entries, columns = count(query.shape[1], "entry", "entries"), count(keys.shape[1], "column")
        message = f"the query has {entries} but the keys have {columns}"
        faults.add(query.at, message if len(query.rows) == 1 else "the query must be one list of numbers")
    if values is not None:
        values = values.sized(len(keys.rows))
        if len(values.rows) != len(keys.rows):
            message = f"{there_are(len(values.rows), 'value')} but {count(len(keys.rows), 'key')}"
            faults.add(values.at, message, "write one row per value, and one value per key")
    if faults.found:
        return None
    return Vectors(keys.rows, None if values is None else values.rows, () if query is None else query.rows)


def _number_of_keys(fields: Fields, values: GivenMatrix | None, query: GivenMatrix | None) -> int:
    """How many keys `identity` stands for: as many as there are values, or entries of the query, or as n says."""
    if values is not None and values.rows:
        return len(values.rows)
    if query is not None and query.rows:
        return len(query.rows[0])
    node = fields.get("n")
    text = node.text if isinstance(node, reader.Scalar) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 3 else 1
