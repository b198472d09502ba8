"""Problems handed over from Python: a mapping with the keys of a problem file, read by what reads the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attnsolve.errors import Mark
from attnsolve.spec import reader
from attnsolve.spec.load import read_nodes

if TYPE_CHECKING:
    from attnsolve.spec.problem import Problem

NOWHERE = Mark(0, 0)
NAME = "problem"
"""What messages call it, in place of a file."""


def read(data: Mapping[str, Any]) -> Problem:
    """The problem; with an array anywhere in it, its numbers are float unless it says otherwise."""
    floats = {"numbers": "float"} if _has_array(data) and "numbers" not in data else {}
    (problem,) = read_nodes([_node({**data, **floats})], NAME)
    return problem


def _has_array(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_array, value.values()))
    return any(map(_has_array, value)) if isinstance(value, list | tuple) else hasattr(value, "__array__")


def _node(value: Any) -> reader.Node:
    """A Python value as what the reader would have made of it."""
    if isinstance(value, Mapping):
        entries = tuple((reader.Scalar(str(key), NOWHERE), _node(inner)) for key, inner in value.items())
        return reader.Mapping(entries, NOWHERE)
    if isinstance(value, list | tuple):
        return reader.Sequence(tuple(map(_node, value)), NOWHERE)
    if hasattr(value, "__array__"):
        return _array(value)
    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return reader.Scalar(text, NOWHERE)


def _array(value: Any) -> reader.Node:
    """One or two dimensions are numbers; of three, the first counts heads; a number alone is one."""
    import numpy as np

    array = np.asarray(value)
    if array.ndim == 0:
        return reader.Scalar(str(array), NOWHERE)
    if array.ndim <= 2:
        return reader.Numbers(array, NOWHERE)
    return reader.Sequence(tuple(map(_array, array)), NOWHERE)
