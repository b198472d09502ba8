"""Numbers as Python programs have them, in lists and in whatever array library: to lists of numbers, and to the text
that a problem file would have.

A float is taken for the shortest decimal that stands for it: 0.1 is 1/10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from attnsolve.bounds import allowed
from attnsolve.errors import RequestError, plain

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SupportsDLPack(Protocol):
    """An array that other libraries can read, such as a tensor of PyTorch or JAX."""

    def __dlpack__(self, *, stream: Any = ...) -> Any:
        """Hand over the numbers."""


def is_array(value: object) -> bool:
    """Whether a value is an array of some library, rather than a list or a number."""
    return not isinstance(value, type | float) and (hasattr(value, "__array__") or hasattr(value, "__dlpack__"))


def as_array(value: Any, what: str) -> NDArray[Any]:
    """An array of any library as one of NumPy's; what its library refuses is said in its own words."""
    import numpy as np

    try:
        array: NDArray[Any] = np.asarray(value) if hasattr(value, "__array__") else np.from_dlpack(value)
    except Exception as error:  # every library has errors of its own
        reason = plain(" ".join(str(error).split())) or type(error).__name__
        raise RequestError(f"{what} can't be read as an array of numbers: {reason}") from None
    return array


def nested(value: Any, what: str, depth: int = 0) -> Any:
    """Arrays as lists of their numbers, wherever they stand."""
    if depth > allowed().nesting:
        raise RequestError(f"{what}: lists may be nested at most {allowed().nesting} deep")
    if isinstance(value, Mapping):
        return {name: nested(inner, what, depth + 1) for name, inner in value.items()}
    if is_array(value):
        return _rows(as_array(value, what))
    return [nested(inner, what, depth + 1) for inner in value] if isinstance(value, list | tuple) else value


def _rows(array: NDArray[Any]) -> Any:
    """Lists of the array's own scalars, whose text is the shortest of their type."""
    if array.ndim == 0:
        return array[()]
    return [_rows(row) for row in array] if array.ndim > 1 else [*array]


def each(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same lists with every number changed."""
    if isinstance(value, Mapping):
        return {name: each(inner, change) for name, inner in value.items()}
    return [each(inner, change) for inner in value] if isinstance(value, list) else change(value)


def entries(value: Any) -> Iterator[Any]:
    """Every number of some lists."""
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else None
    if inside is None:
        yield value
    else:
        for inner in inside:
            yield from entries(inner)


def bytes_of(value: object) -> int:
    """The size of a float, by which it is known how precise it is; 0 for anything else."""
    dtype = getattr(value, "dtype", None)
    if getattr(dtype, "kind", "") == "f":
        return int(dtype.itemsize)  # type: ignore[union-attr]
    return 8 if isinstance(value, float) else 0


def is_zero(value: Any) -> bool:
    """Whether a value is the number 0, and not what says no."""
    number = bytes_of(value) or isinstance(value, int) or getattr(getattr(value, "dtype", None), "kind", "") in "iu"
    return bool(number) and not isinstance(value, bool) and not value


def shortest(value: Any) -> Any:
    """A float as the shortest decimal that stands for it, other scalars of NumPy's as text; the rest as it is."""
    return str(value) if bytes_of(value) or hasattr(value, "dtype") else value
