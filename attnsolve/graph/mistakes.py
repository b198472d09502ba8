"""The mistakes that can be made in a graph, and the graph with some of them made.

Each operation knows what people do in its place; here those rewrites are carried up into whole formulas, held against
the shape that the quantity has, and put into the graph. Nothing here computes: the graph does, as ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from attnsolve import notation as n
from attnsolve.graph import Graph, Quantity
from attnsolve.key import Key
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.matrix import ShapeError
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.quantity_context import QuantityContext, Step
from attnsolve.record import Record, record


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
    for quantity in graph:
        where = QuantityInGraph(graph, quantity)
        seen = {quantity.formula}
        for mistake in rewrites(quantity.formula, where):
            if mistake.formula not in seen and fits(mistake.formula, quantity.shape, where):
                seen.add(mistake.formula)
                found.append(Slip(quantity.key, mistake))
    return found


def told_apart(groups: Sequence[tuple[Slip, ...]]) -> list[tuple[Slip, ...]]:
    """Explanations, without a softmax of unscaled scores beside scores that were not scaled: it is the same mistake."""
    if any(slip.id == "scale-missing" for group in groups for slip in group):
        groups = [group for group in groups if {slip.id for slip in group} != {"softmax-of-unscaled"}]
    return list(groups)


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
    unique = (group for id, group in everywhere.items() if all(counts[slip.key, id] == 1 for slip in group))
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


@record
class QuantityInGraph(Record):
    """A quantity of a graph, as the operations in its formula see it: a `QuantityContext`."""

    graph: Graph
    quantity: Quantity

    @property
    def key(self) -> Key:
        """The quantity."""
        return self.quantity.key

    @property
    def down(self) -> bool:
        """Whether its tokens are columns."""
        return self.quantity.token_axis == 1

    @cached_property
    def _at_hand(self) -> set[Key]:
        keys = list(self.graph.quantities)
        return {*keys[: keys.index(self.key)], *(quantity.key for quantity in self.graph if quantity.given)}

    def ref(self, id: str) -> Ref | None:
        """A quantity or parameter of the same head (or of all heads) that is at hand; of the same case, or of all."""
        own = self.key.at[: len(self.key.at) - len(self.key.within)]
        for key in (Key(id, self.key.at), Key(id, own), Key(id, self.key.within), Key(id)):
            if key in self._at_hand:
                return Ref(key)
        return None

    def elsewhere(self, key: Key) -> list[Ref]:
        """What is the same quantity at the other places of its kind: other heads."""
        names = [name for name, _ in key.at]
        return [Ref(k) for k in self.graph.quantities if k.id == key.id and k != key and [n for n, _ in k.at] == names]

    def width(self, id: str, *, of_all_heads: bool = False) -> int | None:
        """How many entries one token has in a quantity that is at hand; of all heads before they are split."""
        if of_all_heads:
            own = self.key.at[: len(self.key.at) - len(self.key.within)]
            found = (self.graph.quantities.get(Key(id, at)) for at in (own, ()))
            wide = next(filter(None, found), None) if self.key.head is not None else None
            return None if wide is None else _width(wide)
        ref = self.ref(id)
        return None if ref is None else _width(self.graph[ref.key])

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of a quantity."""
        return self.graph.shape(key)

    def formula(self, key: Key) -> Formula:
        """How a quantity is made."""
        return self.graph[key].formula

    def without(self, formula: Formula, kind: type[Step]) -> tuple[Step, Formula] | None:
        """The step of a kind on the way to a formula, and the formula with that step left out; None without one."""
        if isinstance(formula, Ref):
            formula = self.formula(formula.key)
        if not formula.arguments:
            return None
        first, *rest = formula.arguments
        if isinstance(formula, kind):
            return formula, first
        found = self.without(first, kind)
        return None if found is None else (found[0], formula.made_from(found[1], *rest))

    def mistakes(self, formula: Formula) -> Iterator[Mistake]:
        """What people do in place of an operation here."""
        return formula.mistakes(self) if self.graph.mistakes is None else self.graph.mistakes(formula, self)

    def text_of(self, formula: Formula) -> str:
        """A formula in the sheet's symbols: Q Kᵀ."""
        return self.text(formula.notation(lambda key: self.graph[key].name.matrix))

    def text(self, notation: n.Notation) -> str:
        """A notation on one line."""
        return TextPrinter().print(notation)


def _width(quantity: Quantity) -> int:
    return quantity.shape[1 - quantity.token_axis]
