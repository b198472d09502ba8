"""Reverse mode in a few lines: arrays that remember what they were made from. The entries are float64, or mpmath
numbers of any precision; central differences of the latter need no derivative at all.

Nothing here is the program's: what it says of gradients is held against this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import mpmath
import numpy as np

Array = Any
PLACES = 50
STEP = mpmath.mpf(10) ** -20
"""How far central differences go to either side: the error is that squared, the rounding 10⁻⁵⁰ divided by it."""


class Var:
    """An array, and of each array that it was made from how a gradient goes back."""

    def __init__(self, value: Array, parents: Sequence[tuple[Var, Callable[[Array], Array]]] = ()) -> None:
        self.value = np.asarray(value)
        self.literal = bool(parents) and all(parent.literal for parent, _ in parents)
        self.parents = [(parent, _fitting(back, parent.value.shape)) for parent, back in parents]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.value.shape)

    @property
    def ndim(self) -> int:
        return int(self.value.ndim)

    @property
    def plain(self) -> Array:
        """The numbers as floats, which are good enough to compare."""
        return self.value.astype(float)

    @property
    def T(self) -> Var:
        return Var(self.value.T, [(self, lambda g: g.T)])

    def __getitem__(self, place: Any) -> Var:
        def back(g: Array) -> Array:
            whole = np.zeros(self.shape, self.value.dtype)
            np.add.at(whole, place, g)
            return whole

        return Var(self.value[place], [(self, back)])

    def __add__(self, other: Any) -> Var:
        other = as_var(other)
        return Var(self.value + other.value, [(self, lambda g: g), (other, lambda g: g)])

    def __neg__(self) -> Var:
        return Var(-self.value, [(self, lambda g: -g)])

    def __sub__(self, other: Any) -> Var:
        return self + -as_var(other)

    def __rsub__(self, other: Any) -> Var:
        return -self + other

    def __mul__(self, other: Any) -> Var:
        other = as_var(other)
        return Var(self.value * other.value, [(self, lambda g: g * other.value), (other, lambda g: g * self.value)])

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Any) -> Var:
        other = as_var(other)
        return Var(
            self.value / other.value,
            [(self, lambda g: g / other.value), (other, lambda g: -g * (self.value / other.value) / other.value)],
        )

    def __rtruediv__(self, other: Any) -> Var:
        return as_var(other) / self

    def __matmul__(self, other: Var) -> Var:
        a, b = self.value, other.value
        rows, columns = (a if a.ndim > 1 else a[None, :]), (b if b.ndim > 1 else b[:, None])
        made = rows @ columns
        shape = (*a.shape[:-1], *b.shape[1:])

        def left(g: Array) -> Array:
            return (g.reshape(made.shape) @ columns.T).reshape(a.shape)

        def right(g: Array) -> Array:
            return (rows.T @ g.reshape(made.shape)).reshape(b.shape)

        return Var(made.reshape(shape), [(self, left), (other, right)])

    def reshape(self, *shape: int) -> Var:
        return Var(self.value.reshape(shape), [(self, lambda g: g.reshape(self.shape))])

    def sum(self, axis: int | None = None) -> Var:
        """Over everything, or along an axis, which stays with a side of 1."""
        if axis is None:
            return Var(self.value.sum(), [(self, lambda g: g * self._ones())])
        return Var(self.value.sum(axis, keepdims=True), [(self, lambda g: g * self._ones())])

    def _ones(self) -> Array:
        return np.ones(self.shape, self.value.dtype) if self.value.dtype != object else self.value * 0 + 1

    def each(self, function: str) -> Var:
        """A function of every entry."""
        value = _of_each(function, self.value)
        slopes: dict[str, Callable[[], Array]] = {
            "exp": lambda: value,
            "ln": lambda: 1 / self.value,
            "sqrt": lambda: 1 / (2 * value),
            "sin": lambda: _of_each("cos", self.value),
            "cos": lambda: -_of_each("sin", self.value),
            "tanh": lambda: 1 - value**2,
            "below": lambda: _of_each("exp", -(self.value**2) / 2) / _of_each("sqrt", 2 * _pi(self.value)),
        }
        return Var(value, [(self, lambda g: g * slopes[function]())])

    def whole(self, numbers: Array) -> Var:
        """Numbers of the same kind."""
        return Var(np.asarray(numbers).astype(self.value.dtype))


def as_var(x: Any) -> Var:
    """A number stands for itself, and nobody asks for its gradient."""
    if isinstance(x, Var):
        return x
    found = Var(x)
    found.literal = True
    return found


def choose(mask: Array, yes: Var, no: Var) -> Var:
    """Entries of one array where the mask holds, of the other elsewhere."""
    return Var(
        np.where(mask, yes.value, no.value),
        [(yes, lambda g: np.where(mask, g, 0 * g)), (no, lambda g: np.where(mask, 0 * g, g))],
    )


def join(parts: Sequence[Var], axis: int) -> Var:
    ends = np.cumsum([0, *(part.shape[axis] for part in parts)])

    def back(i: int) -> Callable[[Array], Array]:
        return lambda g: np.take(g, range(ends[i], ends[i + 1]), axis)

    return Var(np.concatenate([part.value for part in parts], axis), [(part, back(i)) for i, part in enumerate(parts)])


def _fitting(back: Callable[[Array], Array], shape: tuple[int, ...]) -> Callable[[Array], Array]:
    """The same, added up where an array was repeated to fit."""

    def fitted(g: Array) -> Array:
        found = np.asarray(back(g))
        while found.ndim > len(shape):
            found = np.asarray(found.sum(0))
        for axis, side in enumerate(shape):
            if side == 1 < found.shape[axis]:
                found = found.sum(axis, keepdims=True)
        return found

    return fitted


def _pi(like: Array) -> Any:
    return mpmath.pi + 0 if like.dtype == object else np.pi


def _of_each(function: str, x: Array) -> Array:
    """exp, ln, sqrt, sin, cos, tanh, and the area `below` the bell curve, of every entry."""
    x = np.asarray(x)
    if x.dtype == object or function == "below":
        named = {"ln": mpmath.log, "below": mpmath.ncdf}
        kind = object if x.dtype == object else float
        of = named.get(function) or getattr(mpmath, function)
        return np.asarray(np.frompyfunc(of, 1, 1)(x)).astype(kind)
    return np.asarray(getattr(np, {"ln": "log"}.get(function, function))(x))


def back_from(end: Var, upstream: Array, of: Iterable[Var]) -> list[Array]:
    """The gradients of some arrays, from that of what was made from them."""
    order: list[Var] = []
    seen: set[int] = set()
    waiting = [(end, False)]
    while waiting:
        var, done = waiting.pop()
        if done:
            order.append(var)
        elif id(var) not in seen:
            seen.add(id(var))
            waiting.append((var, True))
            waiting.extend((parent, False) for parent, _ in var.parents)
    gradients: dict[int, Array] = {id(end): np.asarray(upstream)}
    for var in reversed(order):
        if id(var) in gradients:
            for parent, back in var.parents:
                if parent.literal:
                    continue
                share = back(gradients[id(var)])
                gradients[id(parent)] = gradients[id(parent)] + share if id(parent) in gradients else share
    return [gradients.get(id(var), np.zeros(var.shape)) for var in of]


def differences(
    function: Callable[[Mapping[str, Array]], Any], inputs: Mapping[str, Array], of: Iterable[str]
) -> dict[str, Array]:
    """The gradients of a number by central differences, each entry moved by itself, in PLACES digits. `inputs` are
    arrays of mpmath's numbers."""
    found = {}
    for name in of:
        matrix = inputs[name]
        found[name] = np.empty(matrix.shape, dtype=object)
        for place in np.ndindex(*matrix.shape):
            ends = []
            for sign in (1, -1):
                moved = matrix.copy()
                moved[place] = matrix[place] + sign * STEP
                ends.append(function({**inputs, name: moved}))
            found[name][place] = (ends[0] - ends[1]) / (2 * STEP)
    return found
