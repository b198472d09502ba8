"""Mutants of claims, each with one thing changed; and a second opinion on those that the verifier lets pass: whether
they are true after all, by float64 at random points, with none of the arithmetic that verifies claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from attnsolve.algebra.declared import (
    Declared,
    Defined,
    Fixed,
    Free,
    Index,
    Normal,
    Orthonormal,
    Permutation,
    Unknown,
    WholeNumber,
)
from attnsolve.algebra.functions import Derivative, Limit, MaskedSoftmax, Moment
from attnsolve.algebra.verify import Claim
from attnsolve.operations.add import Add
from attnsolve.operations.arithmetic import Grouped, Negate, Power
from attnsolve.operations.divide import Divide
from attnsolve.operations.entrywise import Multiply
from attnsolve.operations.formula import Formula, Ref, Transpose
from attnsolve.operations.function import Function, Norm
from attnsolve.operations.letters import letter
from attnsolve.operations.number import ONE, Number, numeral
from attnsolve.operations.place import Entry, Filled, Listed, Summed
from attnsolve.operations.product import Product
from attnsolve.operations.softmax import Softmax
from attnsolve.operations.stages import Powers
from attnsolve.operations.structure import Diagonal
from attnsolve.operations.tanh import Tanh

Array = np.ndarray[Any, np.dtype[np.float64]]
TURNED = {"≤": "≥", "≥": "≤"}
FAR = 60.0
"""Where a limit is looked up: what goes to it here does so exponentially."""
POINTS = 6
CLOSE = 1e-7
STEP = 2e-3
"""Of a difference that stands for a derivative: what it leaves out is of its fourth power."""
NODES = 4
"""Of each entry that is drawn at random."""


WORDS: dict[type, str] = {Softmax: "softmax", Powers: "exp", Tanh: "tanh", Norm: "norm"}


def mutants(claim: Claim) -> Iterator[Claim]:
    """The sign turned; and each side with one thing changed."""
    if claim.relation in TURNED:
        yield replace(claim, relation=TURNED[claim.relation])
    yield from (replace(claim, left=term) for term in changed(claim.left))
    yield from (replace(claim, right=term) for term in changed(claim.right))


def changed(term: Formula) -> Iterator[Formula]:
    """Terms with one number, sign, factor, index or bound changed."""
    match term:
        case Number(rational=rational):
            yield numeral((rational or 0) + 1)
        case Add(left=left, right=right):
            yield Add(left, Negate(right))
        case Negate(inner=inner):
            yield inner
        case Product(left=left, right=right):
            yield Product(right, left)
            yield left
        case Divide(left=over, right=under):
            yield Product(over, under)
        case Multiply(left=left, right=right):
            yield left
            yield Add(left, right)
        case Power(inner=base, exponent=exponent):
            yield Power(base, exponent + 1)
        case Transpose(inner=inner):
            yield inner
        case Entry(row=Ref(), column=None):
            yield replace(term, row=ONE)
        case Entry(column=Formula() as column, row=row):
            yield replace(term, row=column, column=row)
        case Summed(first=first, but=None):
            yield replace(term, first=Add(first, ONE))
        case Summed():
            yield replace(term, but=None)
        case Powers(inner=inner) | Softmax(inner=inner) | Norm(inner=inner):
            yield replace(term, inner=Negate(inner))
            yield replace(term, inner=Product(numeral(2), inner))
    for name, part in term.__dict__.items():
        if isinstance(part, Formula):
            yield from (replace(term, **{name: other}) for other in changed(part))  # type: ignore[type-var]


# ── a second opinion ──────────────────────────────────────────────────────────────────────────────


def is_true(claim: Claim, names: Mapping[str, Declared], seed: int = 0) -> bool:
    """Whether a claim holds at some random points."""
    rng = np.random.default_rng(seed)
    larger = 2 if any(isinstance(declared, Normal) for declared in names.values()) else 3
    return all(_holds_at(claim, Point(names, rng, point % larger)) for point in range(POINTS))


def _holds_at(claim: Claim, point: Point) -> bool:
    left, right = point.of(claim.left), point.of(claim.right)
    if left.shape != right.shape:
        return False
    slack = CLOSE * (1 + np.abs(left) + np.abs(right))
    gap = left - right
    return bool(np.all({"=": np.abs(gap) <= slack, "≤": gap <= slack, "≥": gap >= -slack}[claim.relation]))


class Point:
    """Numbers for all names of a claim, and its terms in float64. Everything is a matrix; a number is 1×1."""

    def __init__(self, names: Mapping[str, Declared], rng: np.random.Generator, more: int) -> None:
        self.names = names
        self.values: dict[str, Array] = {}
        self.random: dict[str, tuple[float, float]] = {}
        """The mean and the deviation of what is drawn from a normal distribution."""
        for name, declared in names.items():
            self.values[name] = self._draw(name, declared, rng, more)

    def _draw(self, name: str, declared: Declared, rng: np.random.Generator, more: int) -> Array:
        match declared:
            case WholeNumber(least=least):
                return _one(least + more)
            case Index(size=size, unlike=unlike):
                free = [i for i in range(1, self.whole(size) + 1) if i not in [self.whole(letter(x)) for x in unlike]]
                return _one(rng.choice(free) if free else float("nan"))
            case Unknown(assumption=assumption, least=least):
                low = least or (0.5 if assumption == "positive" else 0)
                return _one(rng.normal() if assumption == "real" else low + rng.exponential())
            case Free(rows=rows, columns=columns, assumption=assumption):
                drawn = rng.normal(size=(self.whole(rows), self.whole(columns)))
                return drawn if assumption == "real" else np.abs(drawn)
            case Permutation(size=size):
                return np.eye(self.whole(size))[rng.permutation(self.whole(size))]
            case Orthonormal(size=size):
                return np.linalg.qr(rng.normal(size=(self.whole(size),) * 2))[0]
            case Normal(mean=mean, deviation=deviation, size=size):
                self.random[name] = float(self.of(mean)[0, 0]), float(self.of(deviation)[0, 0])
                return rng.normal(*self.random[name], size=(self.whole(size), 1))
            case Fixed(rows=rows):
                return np.array([[float(x) for x in row] for row in rows])
            case Defined(term=term):
                return self.of(term)
        raise NotImplementedError(type(declared).__name__)

    def whole(self, term: Formula) -> int:
        return round(float(self.of(term)[0, 0]))

    def of(self, term: Formula) -> Array:
        """What a term comes to; nan where it can't be formed."""
        match term:
            case Number(rational=rational):
                return _one(float(rational or 0))
            case Ref(name=name):
                return self.values[name]
            case Add(left=left, right=right):
                return _shaped(self.of(left), self.of(right), lambda a, b: a + b)
            case Negate(inner=inner):
                return -self.of(inner)
            case Grouped(inner=inner):
                return self.of(inner)
            case Product(left=left, right=right):
                a, b = self.of(left), self.of(right)
                if a.size == 1 or b.size == 1:
                    return a * b if a.size == 1 or b.shape == (1, 1) else a @ b
                return a @ b if a.shape[1] == b.shape[0] else _one(float("nan"))
            case Divide(left=over, right=under):
                with np.errstate(all="ignore"):
                    return self.of(over) / self.of(under)
            case Power(inner=base, exponent=exponent):
                return self.of(base) ** float(exponent)
            case Multiply(left=left, right=right):
                return _shaped(self.of(left), self.of(right), lambda a, b: a * b)
            case Diagonal(inner=inner):
                return np.diag(self.of(inner).ravel())
            case Derivative():
                return self._derivative(term)
            case Transpose(inner=inner):
                return self.of(inner).T
            case Listed(entries=entries):
                return np.hstack([self.of(entry) for entry in entries])
            case Entry():
                return self._entry(term)
            case Summed():
                return self._sum(term)
            case Limit(symbol=symbol, body=body):
                return self.where({symbol: _one(FAR)}).of(body)
            case Filled(name=name, size=size):
                count = self.whole(size)
                return {"identity": np.eye(count), "ones": np.ones((count, 1)), "causal": np.tri(count)}[name]
            case MaskedSoftmax(left=inner, right=allowed):
                powers: Array = np.exp(self.of(inner)) * self.of(allowed)
                return powers / powers.sum(axis=1, keepdims=True)
            case Moment():
                return self._mean(term)
            case Softmax(inner=inner) | Powers(inner=inner) | Tanh(inner=inner) | Norm(inner=inner):
                return _applied(WORDS[type(term)], self.of(inner))
            case Function(name=name, inner=inner):
                return _applied(name, self.of(inner))
        raise NotImplementedError(type(term).__name__)

    def where(self, values: Mapping[str, Array]) -> Point:
        """The same with other values for some names, and what is defined with them; but for derivatives, of which no
        further one is taken."""
        other = Point({}, np.random.default_rng(), 0)
        other.names, other.random, other.values = self.names, self.random, {**self.values, **values}
        for name, declared in self.names.items():
            if not isinstance(declared, Defined) or not values or name in values or name not in self.values:
                continue
            if not _has_derivative(declared.term):
                other.values[name] = other.of(declared.term)
        return other

    def inside(self, index: str, place: int) -> Point:
        """The same inside a sum, whose index nothing is defined with."""
        other = self.where({})
        other.values[index] = _one(place)
        return other

    def _entry(self, term: Entry) -> Array:
        table, row = self.of(term.inner), self.whole(term.row) - 1
        if term.column is not None:
            return table[row : row + 1, self.whole(term.column) - 1 :][:, :1]
        if table.shape[0] == 1 and not isinstance(term.inner, Transpose):
            return table[:, row : row + 1]
        return table[row : row + 1].T

    def _sum(self, term: Summed) -> Array:
        left_out = None if term.but is None else self.whole(term.but)
        places = [i for i in range(self.whole(term.first), self.whole(term.last) + 1) if i != left_out]
        return sum((self.inside(term.index, i).of(term.body) for i in places), start=np.zeros((1, 1)))

    def _derivative(self, term: Derivative) -> Array:
        """By central differences, of which the error of the step is taken out once (Richardson)."""
        entry = term.by if isinstance(term.by, Entry) else None
        base = term.by.inner if entry is not None else term.by
        assert isinstance(base, Ref)
        if not isinstance(self.names.get(base.name), Free | Unknown) or base.name not in self.names:
            return _one(float("nan"))
        places = list(np.ndindex(self.values[base.name].shape))
        if entry is not None:
            row = self.whole(entry.row) - 1
            column = None if entry.column is None else self.whole(entry.column) - 1
            flat = 1 in self.values[base.name].shape and column is None
            places = [places[row]] if flat else [p for p in places if p[0] == row and column in (None, p[1])]
        slopes = [self._slope(term.body, base.name, place) for place in places]
        if len(places) == 1 and entry is not None:
            return slopes[0]
        if slopes[0].size == 1:
            shape = self.values[base.name].shape if entry is None else (len(places), 1)
            return np.array([slope[0, 0] for slope in slopes]).reshape(shape)
        return np.array([slope.ravel() for slope in slopes]).T

    def _slope(self, body: Formula, name: str, place: tuple[int, ...]) -> Array:
        found = []
        for step in (STEP, STEP / 2):
            ends = []
            for side in (step, -step):
                moved = self.values[name].copy()
                moved[place] += side
                ends.append(self.where({name: moved}).of(body))
            found.append((ends[0] - ends[1]) / (2 * step))
        slope: Array = (4 * found[1] - found[0]) / 3
        return slope

    def _mean(self, term: Moment) -> Array:
        """By Gauss–Hermite quadrature, which is exact for polynomials of degree 7 in each entry."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        weights = weights / weights.sum()
        entries = [(name, i) for name in self.random for i in range(self.values[name].size)]
        total, squares = np.zeros((1, 1)), np.zeros((1, 1))
        for drawn in product(range(NODES), repeat=len(entries)):
            values = {name: self.values[name].copy() for name in self.random}
            for (name, i), node in zip(entries, drawn, strict=True):
                mean, deviation = self.random[name]
                values[name][i, 0] = mean + deviation * nodes[node]
            value, weight = self.where(values).of(term.inner), np.prod(weights[list(drawn)])
            total, squares = total + weight * value, squares + weight * value**2
        return total if term.name == "E" else squares - total**2


def _has_derivative(term: Formula) -> bool:
    return any(isinstance(part, Derivative) for part in term.walk())


def _one(value: float) -> Array:
    return np.array([[float(value)]])


def _shaped(left: Array, right: Array, function: Any) -> Array:
    result: Array = function(left, right) if left.shape == right.shape else _one(float("nan"))
    return result


def _applied(name: str, table: Array) -> Array:
    with np.errstate(all="ignore"):
        match name:
            case "softmax":
                vector = table.T if table.shape[1] == 1 else table
                powers = np.exp(vector - vector.max(axis=1, keepdims=True))
                found: Array = powers / powers.sum(axis=1, keepdims=True)
                return found.T if table.shape[1] == 1 else found
            case "norm":
                return _one(float(np.sqrt((table**2).sum())))
            case "ln":
                return np.log(table)
        applied: Array = getattr(np, name)(table)
        return applied
