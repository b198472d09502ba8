"""A problem whose quantities were worked out, exactly (a Solution) or in float64 (Measured): asked for by
name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Generic, TypeVar

from attnsolve.errors import RequestError, plain
from attnsolve.graph import Graph, Quantity
from attnsolve.graph.inner import expanded
from attnsolve.graph.places import find_quantities, in_case, suggestion
from attnsolve.solution.solved import Solved

if TYPE_CHECKING:
    from typing import Self

    from attnsolve.key import Key
    from attnsolve.solution.limits import LimitCase, Rows
    from attnsolve.spec.problem import Problem

Texts = list[str] | list[list[str]]
"""The entries of a quantity as text, row by row; of a vector, as one list."""
Found = TypeVar("Found")


class Computed(Solved, Generic[Found]):
    """The values of every quantity. `solution["queries"]`; with several heads, `solution["queries", "0"]`."""

    graph: Graph

    def __init__(self, problem: Problem, graph: Graph) -> None:
        self.problem = problem
        self.graph = graph
        self._expanded: dict[tuple[str, ...], Self] = {}

    def opened(self, names: Iterable[str]) -> Self:
        """The same problem with whatever inside its steps some names mean: `A.exponentials`, `scores[2,1].products`.
        Kept, since a whole class may be asked about the same ones."""
        graph = expanded(self.graph, names)
        if graph.expansion is None or graph is self.graph:
            return self
        wanted = graph.expansion.names
        if wanted not in self._expanded:
            self._expanded[wanted] = self.of_graph(graph)
            self._expanded[wanted].refuse_letters()
        return self._expanded[wanted]

    def of_graph(self, graph: Graph) -> Self:
        """The same problem worked out with another graph."""
        return type(self)(self.problem, graph)

    def refuse_letters(self) -> None:
        """Refuse letters where a formula needs numbers; floats have none."""

    def __getitem__(self, name: str | tuple[str, str | int]) -> Found:
        wanted, head = (name, None) if isinstance(name, str) else (name[0], str(name[1]))
        if (inside := self.opened([wanted])) is not self:
            return inside[name]
        found = [q for q in self.graph.named(wanted) if head is None or q.key.head == head]
        found = [q for q in found if not q.key.case] or found
        if head is not None and head in self.graph.cases:
            found = self.graph.named_in(head, wanted)
        elif in_case(self.graph, wanted) is not None:
            found = find_quantities(self.graph, wanted)
        if len(found) > 1 and len(whole := [q for q in found if q.key.head is None]) == 1:
            found = whole
        if len(found) == 1:
            return self.value(found[0])
        if not found:
            raise RequestError(self._missing(wanted, head))
        heads = ", ".join(str(q.key.head) for q in found)
        ask = f"ask for solution[{wanted!r}, {found[0].key.head!r}]"
        raise RequestError(f"{wanted!r} belongs to several {found[0].key.groups} ({heads}): {ask}")

    def _missing(self, wanted: str, head: str | None) -> str:
        """Why there is nothing of a name, or not in the head that was asked for."""
        named = self.graph.named(wanted)
        if not named or head is None:
            return f"there is no quantity {wanted!r}: {suggestion(self.graph, wanted)}"
        places = [q.key.at[-1] for q in named if q.key.at]
        if not places:
            return f"{wanted!r} belongs to no head: ask for solution[{wanted!r}]"
        known = ", ".join(str(number) for _, number in places)
        return f"there is no {places[0][0]} {plain(head)!r} of {wanted!r}; known: {known}"

    @abstractmethod
    def value(self, quantity: Quantity) -> Found:
        """A quantity in whichever form is wanted."""

    @property
    def limit_cases(self) -> tuple[LimitCase, ...]:
        """Where quantities go when the problem's symbols tend to their limits; several where that hangs on others."""
        return ()

    @property
    def limits(self) -> dict[Key, Rows]:
        """The same in one: what is different from case to case is None."""
        if not self.limit_cases:
            return {}
        first, *others = (case.rows for case in self.limit_cases)
        return {
            key: tuple(
                tuple(x if all(x == other[key][i][j] for other in others) else None for j, x in enumerate(row))
                for i, row in enumerate(rows)
            )
            for key, rows in first.items()
        }


def shape_of(quantity: Quantity) -> tuple[int, ...]:
    """Rows and columns; of a vector, its length."""
    rows, columns = quantity.shape
    return (rows * columns,) if quantity.is_vector else (rows, columns)
