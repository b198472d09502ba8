"""Problems handed over from Python: a mapping with the keys of a problem file, read by what reads the file."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Rational
from typing import TYPE_CHECKING, Any

from attnsolve.bounds import allowed, raises
from attnsolve.errors import Fault, Mark, ProblemError, plain
from attnsolve.loading.files import read_nodes
from attnsolve.loading.shared import Documents
from attnsolve.spec import reader

if TYPE_CHECKING:
    from attnsolve.spec.problem import Problem

NOWHERE = Mark(0, 0)
"""Where there is no file."""
NAME = "problem"
"""What messages call it, in place of a file."""


def read(data: Mapping[str, Any]) -> Problem:
    """The problem; with an array anywhere in it, its numbers are float unless it says otherwise."""
    values = _Values(NAME)
    node = values.node(data)
    if values.has_array and isinstance(node, reader.Mapping) and "numbers" not in data:
        numbers = (reader.Scalar("numbers", NOWHERE), reader.Scalar("float", NOWHERE))
        node = reader.Mapping((*node.entries, numbers), NOWHERE)
    (problem,) = read_nodes(Documents((node,)), NAME)
    return problem


def node_of(data: Any, name: str) -> reader.Node:
    """Python values as what the reader would have made of them; `name` is what messages call them."""
    return _Values(name).node(data)


class _Values:
    """Reads Python values within the bounds of files."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.has_array = False
        self.count = self.places = 0

    def node(self, value: Any, depth: int = 0) -> reader.Node:
        """One value, and those in it."""
        bounds = allowed()
        self.count += 1
        at = self._place()
        if self.count > bounds.nodes:
            raise self._refused(f"it has more than {bounds.nodes:,} values", raises("nodes", 2 * bounds.nodes))
        if depth > bounds.nesting:
            raise self._refused(f"lists and mappings may be nested at most {bounds.nesting} deep")
        if isinstance(value, Mapping):
            entries = (
                (reader.Scalar(self._text(key), self._place()), self.node(inner, depth + 1))
                for key, inner in value.items()
            )
            return reader.Mapping(tuple(entries), at)
        if isinstance(value, list | tuple):
            return reader.Sequence(tuple(self.node(inner, depth + 1) for inner in value), at)
        if hasattr(value, "__array__"):
            self.has_array = True
            return self._array(value, at)
        return reader.Scalar(self._text(value), at)

    def _place(self) -> Mark:
        """A place of its own for every key and value, though there is no file."""
        self.places += 1
        return Mark(0, self.places)

    def _array(self, value: Any, at: Mark) -> reader.Node:
        """One or two dimensions are numbers; of three, the first counts heads; a number alone is one."""
        import numpy as np

        try:
            array = np.asarray(value)
        except Exception as error:  # every library of arrays has errors of its own
            reason = plain(" ".join(str(error).split())) or type(error).__name__
            raise self._refused(f"an array in it can't be read: {reason}") from None
        if array.ndim == 0:
            return reader.Scalar(str(array), at)
        if array.ndim <= 2:
            return reader.Numbers(array, at)
        return reader.Sequence(tuple(self._array(one, at) for one in array), at)

    def _text(self, value: Any) -> str:
        """A word or a number as a file would have it."""
        parts = (value.numerator, value.denominator) if isinstance(value, Rational) else ()
        if any(abs(int(part)) >> allowed().number_bits for part in parts):
            raise self._refused("a number in it has too many digits")
        try:
            return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        except Exception:  # somebody's own class
            raise self._refused(f"a {type(value).__name__} in it can't be read as text") from None

    def _refused(self, message: str, fix: str = "") -> ProblemError:
        return ProblemError([Fault(self.name, NOWHERE, message, fix)])
