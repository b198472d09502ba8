"""The mistakes that can be made in a graph, and the graph with some of them made.

Each operation knows what people do in its place; here those rewrites are carried up into whole formulas, held against
the shape that the quantity has, and put into the graph. Nothing here computes: the graph does, as ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from attnsolve.graph import Graph
from attnsolve.graph.quantity_in_graph import QuantityInGraph as QuantityInGraph
from attnsolve.key import Key
from attnsolve.numbers.matrix import ShapeError
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula
from attnsolve.operations.quantity_context import QuantityContext
from attnsolve.record import Record, record

SAME = {
    "softmax-of-unscaled": "scale-missing",
    "softmax-of-unmasked": "mask-forgotten",
    "scores-as-weights": "softmax-forgotten",
}
"""A mistake that is made later, and the one before it which it can't be told from where nothing between is written."""

OF_HEADS = frozenset({"head-weights-swapped", "head-block-swapped"})
"""Made everywhere, these only name two heads the other way round, which is a mistake of its own."""


@record
class Slip(Record):
    """A mistake made in a quantity."""

    key: Key
    mistake: Mistake

    @property
    def id(self) -> str:
        """The public name of the mistake."""
        return self.mistake.id


def slips(graph: Graph) -> list[Slip]:
    """Every single mistake that the graph allows, in the order of its quantities."""
    found: list[Slip] = []
    backward = _backward(graph)
    for quantity in graph:
        where = QuantityInGraph(graph, quantity)
        seen = {quantity.formula}
        own = rewrites(quantity.formula, where) if quantity.gradient_of is None else iter(())
        for mistake in chain(backward.get(quantity.key, ()), own):
            if mistake.formula not in seen and fits(mistake.formula, quantity.shape, where):
                seen.add(mistake.formula)
                found.append(Slip(quantity.key, mistake))
    return found


def _backward(graph: Graph) -> Mapping[Key, Sequence[Mistake]]:
    """The mistakes that people make on the way back, by the gradient or the step inside of one."""
    if graph.gradients is None:
        return {}
    from attnsolve.graph.gradient_mistakes import gradient_mistakes

    return gradient_mistakes(graph)


def told_apart(groups: Sequence[tuple[Slip, ...]]) -> list[tuple[Slip, ...]]:
    """Explanations, without a softmax of unscaled scores beside scores that were not scaled, and the like: it is the
    same mistake."""
    found = {slip.id for group in groups for slip in group}
    known = {same for same, plain in SAME.items() if plain in found}
    return [group for group in groups if len(ids := {slip.id for slip in group}) > 1 or not ids <= known]


def together(found: list[Slip]) -> list[tuple[Slip, ...]]:
    """Slips as people make them: each by itself; then the same one in every head; then, where a mistake can be made in
    one way only, in every quantity (all of W_Q, W_K and W_V transposed)."""
    heads: dict[tuple[str, str, int], list[Slip]] = {}
    everywhere: dict[str, list[Slip]] = {}
    counts: dict[tuple[Key, str], int] = {}
    for slip in found:
        place = slip.key, slip.id
        counts[place] = counts.get(place, 0) + 1
        heads.setdefault((slip.key.id, slip.id, counts[place]), []).append(slip)
        everywhere.setdefault(slip.id, []).append(slip)
    alone = {id: group for id, group in everywhere.items() if id not in OF_HEADS}
    unique = (group for id, group in alone.items() if all(counts[slip.key, id] == 1 for slip in group))
    groups = [(slip,) for slip in found], map(tuple, heads.values()), map(tuple, unique)
    return list(dict.fromkeys(group for some in groups for group in some))


def slipped(graph: Graph, *made: Slip) -> Graph:
    """The graph in which these mistakes were made. Two in one quantity are made one after the other, in either order.

    What is given and needed by a mistake comes first in it, since it may be used earlier than is right.
    """
    formulas: dict[Key, list[Slip]] = {}
    for slip in made:
        formulas.setdefault(slip.key, []).append(slip)
    changed = {
        key: replace(graph[key], formula=_composed(some, QuantityInGraph(graph, graph[key])))
        for key, some in formulas.items()
    }
    early = {key for quantity in changed.values() for key in quantity.formula.leaves() if graph[key].given}
    ordered = sorted(graph, key=lambda quantity: quantity.key not in early)
    return replace(graph, quantities={q.key: changed.get(q.key, q) for q in ordered})


def composed(graph: Graph, first: Slip, second: Slip) -> Formula | None:
    """The formula of one quantity with two mistakes in it, or None where they can't both be made."""
    where = QuantityInGraph(graph, graph[first.key])
    known = where.quantity.formula, first.mistake.formula, second.mistake.formula
    for one, other in ((first, second), (second, first)):
        for mistake in rewrites(one.mistake.formula, where):
            same = (mistake.id, mistake.description) == (other.mistake.id, other.mistake.description)
            if same and mistake.formula not in known and fits(mistake.formula, where.quantity.shape, where):
                return mistake.formula
    return None


def rewrites(formula: Formula, where: QuantityContext) -> Iterator[Mistake]:
    """The mistakes of every operation in a formula, each as the whole formula that it leads to."""
    yield from where.mistakes(formula)
    for place, argument in enumerate(formula.arguments):
        for mistake in rewrites(argument, where):
            arguments = list(formula.arguments)
            arguments[place] = mistake.formula
            yield replace(mistake, formula=formula.made_from(*arguments))


def fits(formula: Formula, shape: tuple[int, int], where: QuantityContext) -> bool:
    """Whether a formula can be worked out, and to this shape."""
    try:
        return formula.shape(where) == shape
    except ShapeError:
        return False


def _composed(made: list[Slip], where: QuantityInGraph) -> Formula:
    if len(made) == 1:
        return made[0].mistake.formula
    if len(made) == 2:
        both = composed(where.graph, *made)
        if both is not None:
            return both
    ids = " and ".join(slip.id for slip in made)
    raise ValueError(f"{ids} can't both be made in {where.key}")
