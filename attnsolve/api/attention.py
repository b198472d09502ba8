"""Attention for people with arrays: queries, keys and values go in, a solution comes out."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from attnsolve.api.calls import described, unexpected
from attnsolve.api.numbers import as_array, each, entries, is_array, is_zero, nested, shortest
from attnsolve.bounds import allowed
from attnsolve.errors import RequestError

if TYPE_CHECKING:
    from attnsolve.spec.problem import Problem

MOST_EXACT = 4096
"""Entries of a matrix up to which the arithmetic is exact."""
NAMES = {"queries": "Q", "keys": "K", "values": "V", "mask": "mask"}
MATRIX = "a list of rows, or an array of one, two or three dimensions"


def read(given: dict[str, Any], mask: Any, scaling: Any, heads: Any) -> Problem:
    """The problem of some queries, keys and values, exact or in floats by their size."""
    from attnsolve.loading.from_python import read as read_mapping

    data = {name: _matrix(value, NAMES[name]) for name, value in given.items() if value is not None or name != "values"}
    if mask is not None:
        data["mask"] = mask if isinstance(mask, str) else _mask(mask)
    if (number := _count(heads)) > 1:
        data["heads"] = number
    data["scaling"] = shortest(scaling)
    data["numbers"] = "exact" if _is_small(data, number) else "float"
    if data["numbers"] == "exact":
        data = {name: each(nested(value, name), shortest) for name, value in data.items()}
    return read_mapping(data)


def _count(heads: Any) -> int:
    try:
        number = 0 if isinstance(heads, bool) else index(heads)
    except TypeError:
        number = 0
    if number < 1:
        raise unexpected("heads", "a whole number, 1 or more", heads)
    return number


def _matrix(value: Any, what: str) -> Any:
    """A matrix in lists or as an array of NumPy's."""
    if is_array(value):
        array = as_array(value, what)
        if array.dtype.kind not in "biufO" or not 1 <= array.ndim <= 3 or 0 in array.shape:
            found = f"one of shape {array.shape} and type {array.dtype} was found"
            fix = "\n    convert it to float32 first" if array.dtype.kind == "V" else ""
            message = f"{what} must be an array of real numbers, of one, two or three dimensions, but {found}"
            raise RequestError(message + fix)
        return array
    if not isinstance(value, list | tuple) or not value:
        found = "an empty list" if isinstance(value, list | tuple) else described(value)
        raise RequestError(f"{what} must be {MATRIX}, but {found} was found")
    return nested(value, what)


def _mask(value: Any) -> Any:
    """A mask; one of nothing but 0s, which allows nothing or adds nothing, depending on who reads it, is refused."""
    mask = _matrix(value, "mask")
    if all(map(is_zero, entries(mask))) if isinstance(mask, list) else mask.dtype.kind in "iuf" and not mask.any():
        fix = "leave it out to allow everything; write booleans where nothing is allowed"
        raise RequestError(f"mask has nothing but 0s\n    {fix}")
    return mask


def _is_small(data: dict[str, Any], heads: int) -> bool:
    """Whether all matrices are small enough to be worked out exactly, the scores among them."""
    sizes = {name: _size(data[name]) for name in ("queries", "keys", "values") if name in data}
    (rows, _, copies), (keys, _, _) = sizes["queries"], sizes["keys"]
    sides = [side for size in sizes.values() for side in size[:2]]
    most = max([heads * copies * rows * keys, *(rows * columns * copies for rows, columns, copies in sizes.values())])
    return most <= MOST_EXACT and max(sides) <= allowed().side


def _size(value: Any) -> tuple[int, int, int]:
    """Rows, columns and copies (one per head) of a matrix, as far as its first rows tell."""
    if is_array(value):
        shape = value.shape
    else:
        shape, inner = [], value
        while isinstance(inner, list) and inner and len(shape) < 3:
            shape.append(len(inner))
            inner = inner[0]
    copies, rows, columns = (1,) * (3 - len(shape)) + tuple(shape)
    return rows, columns, copies
