"""How claims are evaluated where that is stricter than in a problem: what is a vector by its nature, which shapes may
be put together, and what is said of those that may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from attnsolve.algebra.functions import MaskedSoftmax, Moment
from attnsolve.algebra.table import Element, ElementMatrix, TermError, shape_text
from attnsolve.numbers.matrix import DividedByZero
from attnsolve.operations.add import Add
from attnsolve.operations.arithmetic import Power
from attnsolve.operations.divide import Divide
from attnsolve.operations.entrywise import Multiply
from attnsolve.operations.formula import Formula
from attnsolve.operations.function import Function, Norm
from attnsolve.operations.letters import formula_text
from attnsolve.operations.place import Entry, Filled, Listed
from attnsolve.operations.product import Product
from attnsolve.operations.softmax import Softmax
from attnsolve.operations.stages import Powers
from attnsolve.operations.structure import Diagonal
from attnsolve.operations.tanh import Tanh

TURN = "is a transpose missing? it is written ^T"


class Functions(Protocol):
    """What a scope knows of single elements."""

    def apply(self, function: str, argument: Element) -> Element:
        """A function of one element."""


def _add(scope: Functions, added: Add, left: ElementMatrix, right: ElementMatrix) -> ElementMatrix:
    """Only what has the same shape."""
    if left.shape == right.shape:
        return left + right
    one, other = (added.left, right) if left.is_number else (added.right, left)
    every = f"to add a number to every entry, write {formula_text(one)}*ones(n), with the vector's own size"
    fix = every if (left.is_number or right.is_number) and other.column else TURN
    raise TermError(f"{_both(added.left, left, added.right, right)}: they can't be added", fix)


def _product(scope: Functions, product: Product, left: ElementMatrix, right: ElementMatrix) -> ElementMatrix:
    """Numbers, a number and a matrix, or two matrices whose inner sides are equal."""
    numbers = left.row and left.column, right.row and right.column
    if left.shape[1] == right.shape[0] and not any(numbers):
        return left @ right
    if left.is_number and not numbers[1]:
        return right.each(lambda x: left.number * x)
    if right.is_number:
        return left.each(lambda x: x * right.number)
    sides = f"({left.shape[1]} and {right.shape[0]} should be the same)"
    raise TermError(f"{_both(product.left, left, product.right, right)}: their product can't be formed {sides}", TURN)


def _both(one: Formula, left: ElementMatrix, other: Formula, right: ElementMatrix) -> str:
    return f"{formula_text(one)} is {shape_text(left)} but {formula_text(other)} is {shape_text(right)}"


def _entrywise(scope: Functions, product: Multiply, left: ElementMatrix, right: ElementMatrix) -> ElementMatrix:
    """Only what has the same shape."""
    if left.shape == right.shape:
        return left * right
    raise TermError(f"{_both(product.left, left, product.right, right)}: they can't be multiplied entry by entry", TURN)


def _diagonal(scope: Functions, diagonal: Diagonal, table: ElementMatrix) -> ElementMatrix:
    """Of a vector, however it stands."""
    if 1 not in table.shape:
        raise TermError(f"{formula_text(diagonal.inner)} is {shape_text(table)}, but diag(v) takes a vector")
    return ElementMatrix(diagonal.define(table if table.shape[0] == 1 else table.T).rows)


def _divide(scope: Functions, divided: Divide, over: ElementMatrix, under: ElementMatrix) -> ElementMatrix:
    """By numbers only."""
    if not under.is_number:
        raise TermError(f"{formula_text(divided.right)} is {shape_text(under)}: the divisor must be a number")
    try:
        return over.divide(under)
    except DividedByZero:
        raise TermError(f"{formula_text(divided.right)} is 0, so nothing can be divided by it") from None


def _power(scope: Functions, power: Power, base: ElementMatrix) -> ElementMatrix:
    """Of numbers only."""
    if not base.is_number:
        raise TermError(f"{formula_text(power.inner)} is {shape_text(base)}: only a number can be raised to a power")
    try:
        return base.raised(power.exponent)
    except DividedByZero:
        raise TermError(f"{formula_text(power.inner)} is 0, so nothing can be divided by it") from None


def _entry(scope: Functions, entry: Entry, table: ElementMatrix) -> ElementMatrix:
    """Of a row its entries are counted, of any other matrix its rows."""
    if table.row and entry.column is None:
        table = table.T
    first, _ = entry.span(entry.row, table.shape[0])
    row = table.rows[first]
    if entry.column is not None:
        place, _ = entry.span(entry.column, table.shape[1])
        return ElementMatrix.of_number(row[place])
    return ElementMatrix([[x] for x in row], row=table.column, column=True)


def _listed(scope: Functions, listed: Listed, *tables: ElementMatrix) -> ElementMatrix:
    """Numbers only."""
    for entry, table in zip(listed.entries, tables, strict=True):
        if not table.is_number:
            raise TermError(f"{formula_text(entry)} is {shape_text(table)}: only numbers can be listed")
    return ElementMatrix([[table.number for table in tables]], row=True)


def _filled(scope: Functions, filled: Filled, table: ElementMatrix) -> ElementMatrix:
    """Ones are a vector by their nature."""
    return ElementMatrix(table.rows, column=filled.name == "ones")


def _softmax(scope: Functions, softmax: Softmax, scores: ElementMatrix) -> ElementMatrix:
    """Of each row, or of a vector however it stands."""
    return scores.over_vectors(softmax.stages)


def _masked(scope: Functions, masked: MaskedSoftmax, scores: ElementMatrix, allowed: ElementMatrix) -> ElementMatrix:
    if scores.shape != allowed.shape:
        raise TermError(f"the mask is {shape_text(allowed)} but the scores are {shape_text(scores)}")
    powers = scores.each(lambda x: scope.apply("exp", x)) * allowed
    try:
        return powers.over_vectors(lambda rows: rows.divide(rows.reduce("sum")))
    except DividedByZero:
        raise TermError("the weights of one row add up to 0, so they can't be divided by their sum") from None


def _norm(scope: Functions, norm: Norm, table: ElementMatrix) -> ElementMatrix:
    """The root of the sum of all squares."""
    squares = (table * table).reduce("sum").T.reduce("sum")
    return ElementMatrix.of_number(scope.apply("sqrt", squares.number))


def _moment(scope: Functions, moment: Moment, table: ElementMatrix) -> ElementMatrix:
    mean = table.each(lambda x: scope.apply("E", x))
    if moment.name == "E":
        return mean
    return (table * table).each(lambda x: scope.apply("E", x)) - mean * mean


def _each(function: str) -> Callable[[Functions, Formula, ElementMatrix], ElementMatrix]:
    return lambda scope, _, table: table.each(lambda x: scope.apply(function, x))


def _function(scope: Functions, function: Function, table: ElementMatrix) -> ElementMatrix:
    return table.each(lambda x: scope.apply(function.name, x))


RULES: dict[type[Formula], Callable[..., ElementMatrix]] = {
    Add: _add,
    Product: _product,
    Divide: _divide,
    Multiply: _entrywise,
    Diagonal: _diagonal,
    Power: _power,
    Entry: _entry,
    Listed: _listed,
    Filled: _filled,
    Softmax: _softmax,
    MaskedSoftmax: _masked,
    Powers: _each("exp"),
    Tanh: _each("tanh"),
    Function: _function,
    Norm: _norm,
    Moment: _moment,
}
"""The operations that claims have rules of their own for."""
