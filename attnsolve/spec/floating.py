"""Reading for `numbers: float`: float64 arrays that are written out, drawn at random, or handed over from Python."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any, cast
from zlib import crc32

import numpy as np

from attnsolve.bounds import allowed, raises
from attnsolve.errors import count
from attnsolve.numbers.arrays import Array, Arrays
from attnsolve.numbers.floats import to_float
from attnsolve.numbers.sampling import generator
from attnsolve.record import record
from attnsolve.spec import reader
from attnsolve.spec.fields import Faults, Fields, GivenMatrix, Rows, is_drawn, read_decorated, read_written
from attnsolve.spec.number import Number, multiply

if TYPE_CHECKING:
    from attnsolve.spec.parts import Part, Rounding

_PLAIN = re.compile(r"[-+]?\d{1,20}(\.\d{0,20})?([eE][-+]?\d{1,2})?")
"""The numbers that Python's own float() may read; anything else goes through the strict grammar."""
SEEDS = 2**32


@record
class FloatMatrix(GivenMatrix):
    """A matrix whose rows are an array."""

    @property
    def array(self) -> Array:
        """The entries."""
        return cast(Arrays, self.rows).array

    @property
    def has_infinite(self) -> bool:
        """Whether −∞ stands anywhere in it."""
        return bool(np.isneginf(self.array).any())

    def transposed(self) -> GivenMatrix:
        """The transpose; a plain list stays known as one."""
        return replace(self, rows=as_rows(self.array.T))

    def repeated(self, times: int, *, columns: bool = False) -> GivenMatrix:
        """Its one row for each of several tokens, or its one column (`columns`)."""
        return replace(self, rows=as_rows(self.array.repeat(times, axis=int(columns))), flat=False)

    def flattened(self) -> GivenMatrix:
        """All entries as one plain list."""
        return replace(self, rows=as_rows(self.array.reshape(1, -1)), flat=True)

    def scaled(self, times: Number) -> GivenMatrix:
        """Every entry times a number."""
        with np.errstate(over="ignore"):
            return replace(self, times=multiply(times, self.times), rows=as_rows(self.array * to_float(times)))

    def sized(self, side: int) -> GivenMatrix:
        """Give an identity its size; any other matrix stays as it is."""
        if not self.identity or self.shape[0]:
            return self
        return replace(self, rows=as_rows(np.eye(side) * to_float(self.times)))


def as_rows(array: Array) -> Rows:
    """An array where rows of numbers are expected."""
    return cast(Rows, Arrays(array))


def read_floats(node: reader.Node, name: str, faults: Faults, infinite: bool = False) -> GivenMatrix | None:
    """A matrix as float64."""
    if isinstance(node, reader.Numbers):
        return _from_array(node, name, faults, infinite)
    if isinstance(node, reader.Mapping):
        return _drawn(node, name, faults) if is_drawn(node) else read_decorated(node, name, faults, infinite)
    quick = _plain(node) if isinstance(node, reader.Sequence) else None
    if quick is None:
        matrix = read_written(node, name, faults, infinite=infinite)
        if matrix is None:
            return None
        values = np.array([[to_float(x) for x in row] for row in matrix.rows]).reshape(matrix.shape)
        flat, identity = matrix.flat, matrix.identity
    else:
        values, flat, identity = quick, values_are_flat(node), False
    if np.isposinf(np.abs(values)[~np.isneginf(values)]).any() or (not infinite and np.isinf(values).any()):
        faults.add(node, f"{name} has a number beyond the range of float64", "write numbers: exact")
        return None
    if not _affordable(node, name, faults, values.shape):
        return None
    return FloatMatrix(name, as_rows(values), node.at, flat, identity)


def values_are_flat(node: reader.Node) -> bool:
    """Whether a list holds numbers, and no lists of them."""
    return isinstance(node, reader.Sequence) and isinstance(node.items[0], reader.Scalar)


def _plain(node: reader.Sequence) -> Array | None:
    """Numbers in the common spelling, read at once; None where anything else is to be seen."""
    rows = (node,) if node.items and values_are_flat(node) else node.items
    values: list[list[float]] = []
    for row in rows:
        if (
            not isinstance(row, reader.Sequence)
            or not row.items
            or len(row.items) != len(values[0] if values else row.items)
        ):
            return None
        texts = [item.text for item in row.items if isinstance(item, reader.Scalar) and _PLAIN.fullmatch(item.text)]
        if len(texts) < len(row.items):
            return None
        values.append(list(map(float, texts)))
    return np.array(values) if values else None


def _affordable(node: reader.Node, name: str, faults: Faults, shape: tuple[int, ...]) -> bool:
    """Whether a matrix keeps within the bounds; its cells are counted."""
    side, cells = max(shape), prod(shape)
    faults.cells += cells
    bounds = allowed()
    if side > bounds.side:
        message = f"{name} is too large: a matrix may have at most {bounds.side} rows and columns"
        faults.add(node, message, raises("side", side))
    elif faults.cells > bounds.cells:
        message = f"with {name}, the problem's matrices have {faults.cells:,} entries, more than {bounds.cells:,}"
        faults.add(node, message, raises("cells", faults.cells))
    else:
        return True
    return False


def _drawn(node: reader.Mapping, name: str, faults: Faults) -> GivenMatrix | None:
    """`{random: [4096, 512], seed: 1, scale: 0.1}`: normal numbers round 0; without a seed, each name has its own."""
    fields = Fields(node, ("random", "seed", "scale"), faults, f" in {name}")
    size = fields.get("random")
    sides = size.items if isinstance(size, reader.Sequence) else (size,)
    numbers = [int(x.text) for x in sides if isinstance(x, reader.Scalar) and re.fullmatch("[1-9][0-9]{0,8}", x.text)]
    seed = fields.integer("seed", crc32(name.encode()), 0, SEEDS - 1)
    scale = fields.number("scale")
    if len(numbers) != len(sides) or len(numbers) not in (1, 2):
        faults.expected(size or node, f"random in {name}", "its rows and columns, such as [4096, 512]")
        return None
    flat = len(numbers) == 1
    shape = (1, *numbers) if flat else tuple(numbers)
    if seed is None or not _affordable(node, name, faults, shape):
        return None
    drawn = FloatMatrix(name, as_rows(generator(seed).standard_normal(shape)), node.at, flat)
    return drawn if scale is None else drawn.scaled(scale)


def _from_array(node: reader.Numbers, name: str, faults: Faults, infinite: bool) -> GivenMatrix | None:
    """An array: memory was found for it already, so that no bound is set to its size."""
    given: Any = node.array
    if given.dtype.kind not in "biuf" or 0 in given.shape:
        faults.expected(node, name, "an array of real numbers", f"it has shape {given.shape} and type {given.dtype}")
        return None
    values: Array = np.asarray(given, dtype=np.float64)
    wrong = ~np.isfinite(values)
    if infinite:
        wrong &= ~np.isneginf(values)
    if wrong.any():
        faults.add(
            node, f"{name} has {count(int(wrong.sum()), 'entry that is not a number', 'entries that are not numbers')}"
        )
        return None
    flat = values.ndim == 1
    return FloatMatrix(name, as_rows(values.reshape(1, -1) if flat else values), node.at, flat)


def causal_rows(tokens: int, columns: bool) -> Rows:
    """The causal mask: 0 at a token itself and before it, −∞ after."""
    before = np.tri(tokens, dtype=np.bool_)
    return as_rows(np.where(before.T if columns else before, 0.0, -np.inf))


def mask_rows(matrix: GivenMatrix) -> Rows:
    """A mask written out: 0s and 1s say what may be attended to; anything else is added to the scores as it is."""
    assert isinstance(matrix, FloatMatrix)
    values = matrix.array
    allows = ((values == 0) | (values == 1)).all()
    return as_rows(np.where(values == 1, 0.0, -np.inf)) if allows else matrix.rows


def refuse_exact(fields: Fields, parts: tuple[Part, ...], rounding: Rounding | None) -> None:
    """Note what can't go with `numbers: float`: it needs exact numbers."""
    faults, fix = fields.faults, "write numbers: exact"
    for key, message in (("symbols", "letters have no float64 value"), ("limit", "a limit needs a letter")):
        if key in fields.values:
            faults.add(
                fields.marks[key], f"{key} can't go with numbers: float: {message}", f"{fix}, or leave {key} out"
            )
    if rounding is not None and rounding.each_step:
        message = "rounding each step can't go with numbers: float: it needs exact numbers"
        faults.add(fields.marks["rounding"], message, f"{fix}, or when: shown")
    for part in parts:
        if part.show or part.relation is not None:
            message = f"part {part.letter} asks for a proof, which can't go with numbers: float"
            faults.add(part.at, message, f"{fix}, or use find: instead")
