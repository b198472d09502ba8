"""What is verified of gradients: sums that must be 0, and how the loss moves when everything is nudged a little."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve.graph import Graph, Quantity, run
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, Balls, at_precision, ball
from attnsolve.operations.context import Inputs, Law
from attnsolve.operations.evidence import Evidence
from attnsolve.operations.formula import Formula, Given

if TYPE_CHECKING:
    from attnsolve.solution.exact import Solution

BITS, STEP, SURE = 448, 96, 64
"""The precision of a central difference; 2 to the power of minus these are its step, and how far it may be off."""


def sums(found: Evidence, graph: Graph, quantity: Quantity) -> list[Law]:
    """A softmax does not see what all scores of a row have in common, so its gradient sums to 0 there."""
    assert graph.gradients is not None
    shares = graph.gradients.contributions.get(quantity.key, ())
    if not shares or not all(share.balanced and share.down == (quantity.token_axis == 1) for share in shares):
        return []
    holds, nearly = found.sum_to(quantity.key, [0] * quantity.token_count)
    return [Law("rows-sum-to-zero", f"each {'column' if quantity.token_axis else 'row'} sums to 0{nearly}", holds)]


def nudged(solution: Solution) -> Law | None:
    """A central difference along one direction, with every parameter moved at once; nothing where the loss has a
    corner, or no number."""
    graph = solution.graph
    assert graph.gradients is not None
    moved = {key: _direction(graph.shape(key), number) for number, key in enumerate(graph.gradients.wanted)}
    with at_precision(BITS):
        step, found = ball(Fraction(1, 2**STEP)), solution.balls(BITS)
        losses = [_loss(graph, found, moved, sign * step) for sign in (-1, 0, 1)]
        before, here, after = losses
        slope = _slope(graph, found, moved)
        if before is None or here is None or after is None or slope is None:
            return None
        near = (1 + abs(slope)) * ball(Fraction(1, 2**SURE))
        if not abs((after - here) - (here - before)) < near * step:
            return None  # a corner: the loss rises on one side as it does not on the other
        holds = bool(abs((after - before) / (2 * step) - slope) < near)
    description = "moving all parameters a little changes the loss as the gradients say"
    return Law("agrees-with-central-difference", description, holds)


def _direction(shape: tuple[int, int], number: int) -> Balls:
    """Small numbers without a pattern that a gradient could have."""
    rows, columns = shape
    return Balls.of(
        [[Fraction((7 * i + 5 * j + 3 * number + i * j) % 11 - 4, 8) for j in range(columns)] for i in range(rows)]
    )


def _loss(graph: Graph, found: Mapping[Key, Balls | None], moved: Mapping[Key, Balls], step: Ball) -> Ball | None:
    """The loss with everything moved so far."""
    assert graph.gradients is not None
    seeds = graph.gradients.seeds
    by = {key: direction * Balls.from_balls([[step]]) for key, direction in moved.items()}
    base = dict(found)
    for key, move in by.items():
        if graph[key].given and (value := found[key]) is not None:
            base[key] = value + move

    def after(quantity: Quantity, value: Balls | None, before: Inputs[Balls]) -> Balls | None:
        return value if value is None or quantity.key not in by else value + by[quantity.key]

    behind = {*seeds}.union(*map(graph.ancestors, seeds))
    made = [quantity.key for quantity in graph if quantity.key in behind and not quantity.given]
    values = run(graph, Balls, base=base, after=after, only=made)
    terms = [_against(seed, values[key]) for key, seed in seeds.items()]
    known = [term for term in terms if term is not None]
    return sum(known, ball(0)) if len(known) == len(terms) else None


def _against(seed: Formula, value: Balls | None) -> Ball | None:
    """What a quantity adds to the loss: itself, or its entries weighted with the gradients that are given."""
    if value is None:
        return None
    if isinstance(seed, Given):
        value = value * Balls.of(seed.rows)
    return sum((x for row in value.rows for x in row), ball(0))


def _slope(graph: Graph, found: Mapping[Key, Balls | None], moved: Mapping[Key, Balls]) -> Ball | None:
    """How fast the loss should move, by the gradients."""
    assert graph.gradients is not None
    total = ball(0)
    for key, direction in moved.items():
        gradient = found[graph.gradients.keys[key]]
        if gradient is None:
            return None
        total += sum((x for row in (gradient * direction).rows for x in row), ball(0))
    return total
