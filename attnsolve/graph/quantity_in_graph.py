"""A quantity of a graph as the operations in its formula see it, when they say which mistakes are possible there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from attnsolve import notation as n
from attnsolve.graph import Graph, Quantity
from attnsolve.key import Key
from attnsolve.notation.text import TextPrinter
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.quantity_context import Step
from attnsolve.record import Record, record


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
        if self.graph.mistakes is None or self.graph.is_inside_a_gradient(self.key):
            return formula.mistakes(self)
        return self.graph.mistakes(formula, self)

    def text_of(self, formula: Formula) -> str:
        """A formula in the sheet's symbols: Q Kᵀ."""
        return self.text(formula.notation(lambda key: self.graph[key].name.matrix))

    def text(self, notation: n.Notation) -> str:
        """A notation on one line."""
        return TextPrinter().print(notation)


def _width(quantity: Quantity) -> int:
    return quantity.shape[1 - quantity.token_axis]
