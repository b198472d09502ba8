"""Every rule of the way back, proved: with a letter for every entry, what an operation says of its arguments' gradients
is the derivative that the algebra of claims takes of its definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain

import pytest
from shared.examples import EXAMPLES, ONE, ROW, SHAPES, A, named

from attnsolve.algebra import scalars
from attnsolve.algebra.derivatives import slope_of
from attnsolve.algebra.letters import Letter
from attnsolve.algebra.scalars import Field, FieldElement
from attnsolve.algebra.scopes import ExactScope
from attnsolve.algebra.table import ElementMatrix
from attnsolve.key import Key
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import at_precision
from attnsolve.numbers.matrix import Operation
from attnsolve.numbers.surds import EULER
from attnsolve.operations.arithmetic import Unary
from attnsolve.operations.backward import Backward
from attnsolve.operations.context import NoDerivative
from attnsolve.operations.formula import Formula, Given, Ref
from attnsolve.operations.function import Function
from attnsolve.operations.layernorm import RmsNorm
from attnsolve.operations.loss import Losses
from attnsolve.operations.mask import Mask
from attnsolve.operations.number import Number
from attnsolve.operations.softmax import Softmax
from attnsolve.operations.stages import Powers
from attnsolve.operations.tanh import Tanh

UPSTREAM = Key("upstream")
BEYOND = {"Absolute", "Exceeds", "Gelu", "GeluTanh", "Larger", "Maxima", "Maximum", "Minimum", "Relu", "Rotary"}
BEYOND |= {"Sinusoidal", "Slope", "Smaller", "Taken"}
"""What compares, turns, masks or has an error function in it, which the field of exponentials does not hold. Elsewhere
these are held to differences at many digits."""
OPEN = {"Raised", "RmsNorm", "RootPower"}
"""Powers and roots of powers that have several normal forms: their two sides must agree at a point instead."""
REFUSED = {"ArgMax", "Nucleus", "Rank", "Sorted", "Top"}
ENTRIES = 14
"""Roots and logarithms that a field has room for: one for each entry of the largest example."""


class NoSigns:
    """Letters of which nothing is known but that they are positive."""

    def of(self, scalar: FieldElement) -> int:
        raise Unavailable


class Definitions(ExactScope):
    """Operations by their definitions alone, and not by the rules that claims have for some."""

    def perform(self, operation: Operation, matrices: Sequence[ElementMatrix]) -> ElementMatrix:
        return operation.define(*matrices)


class Leaves:
    """Shapes of the leaves, and of the gradient that comes in."""

    def __init__(self, upstream: tuple[int, int]) -> None:
        self.shapes = {**SHAPES, UPSTREAM: upstream}

    def shape(self, key: Key) -> tuple[int, int]:
        return self.shapes[key]


def lettered(key: Key, shape: tuple[int, int]) -> list[list[Letter]]:
    rows, columns = shape
    return [[Letter(f"{key.id}{i}{j}", "positive") for j in range(columns)] for i in range(rows)]


def differentiable() -> Iterator[Formula]:
    """The examples whose arguments are quantities and numbers, and that have a rule."""
    for formula in EXAMPLES:
        plain = formula.arguments and all(isinstance(part, Ref | Number | Given) for part in formula.arguments)
        if plain and type(formula).backward is not Formula.backward and not is_mistaken(formula):
            alone = ONE if isinstance(formula, Unary | Tanh) else ROW if isinstance(formula, RmsNorm) else A
            yield formula.put({Key("a"): alone})


def is_beyond(formula: Formula) -> bool:
    """Whether the field can't hold it, in a form that it has."""
    function = isinstance(formula, Function) and formula.name in ("sin", "cos", "abs")
    maximum = getattr(formula, "stable", False) or getattr(formula, "how", "") == "max"
    base = isinstance(formula, Softmax | Powers) and formula.base is not EULER
    masked = isinstance(formula, Mask) and not isinstance(formula.right, Ref)
    return function or maximum or base or masked or type(formula).__name__ in BEYOND


def is_mistaken(formula: Formula) -> bool:
    """Whether it is a norm as only people who make a mistake have it."""
    flags = (
        {"base": 0}
        if isinstance(formula, Losses)
        else {"corrected": False, "outside": False, "rooted": True, "summed": False}
    )
    return any(getattr(formula, flag, right) != right for flag, right in flags.items())


def proved(formula: Formula) -> bool:
    """Whether every share of a formula is the derivative of its definition; an error where one is not."""
    leaves = Leaves(formula.shape(Leaves((1, 1))))
    letters = {key: lettered(key, leaves.shape(key)) for key in (*formula.leaves(), UPSTREAM)}
    field = Field([x for rows in letters.values() for row in rows for x in row])
    values = {key.id: ElementMatrix([[field.symbol(x) for x in row] for row in rows]) for key, rows in letters.items()}
    scope = Definitions(values, {}, 1, {}, field, NoSigns())  # type: ignore[arg-type]
    weighted = scope.evaluate(formula) * values[UPSTREAM.id]
    loss = sum(weighted.entries, field.zero)
    use = Backward(leaves, formula, None, lambda part: part)
    for key in formula.leaves():
        found: ElementMatrix | None = None
        for place, argument in enumerate(formula.arguments):
            if argument != Ref(key):
                continue
            passed = formula.backward(place, Ref(UPSTREAM), use)
            if formula.repeats:
                passed = use.total_of(passed, leaves.shape(UPSTREAM), leaves.shape(key))
            table = scope.evaluate(use.whole(passed, leaves.shape(key)))
            found = table if found is None else found + table
        assert found is not None
        for share, wanted in zip(found.entries, chain.from_iterable(letters[key]), strict=True):
            off = share - slope_of(loss, field.place(field.generators[wanted]))
            assert not off.over or (type(formula).__name__ in OPEN and is_zero_at_a_point(off, letters)), wanted
    return True


def is_zero_at_a_point(scalar: FieldElement, letters: Mapping[Key, list[list[Letter]]]) -> bool:
    every = [letter for rows in letters.values() for row in rows for letter in row]
    with at_precision(256):
        value = scalar.at({letter: Fraction(3 + place, 7) for place, letter in enumerate(every)})
        return bool(value.contains(0)) and bool(value.rad() < 1e-50)


@pytest.mark.parametrize("formula", [*differentiable()], ids=named)
def test_a_rule_is_the_derivative_of_the_definition(formula: Formula, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scalars, "SPARE", ENTRIES)
    if type(formula).__name__ in REFUSED:
        with pytest.raises(NoDerivative):
            formula.backward(0, Ref(UPSTREAM), Backward(Leaves((1, 1)), formula, None, lambda part: part))
    elif is_beyond(formula):
        with pytest.raises((Unavailable, OverflowError)):
            proved(formula)
    else:
        assert proved(formula)
