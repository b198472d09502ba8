"""A graph run again and again with a few formulas changed: only what rests on a changed one is worked out anew."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice
from typing import ClassVar, NamedTuple
from weakref import WeakKeyDictionary

from attnsolve.bounds import allowed
from attnsolve.errors import AttnsolveError
from attnsolve.graph import Graph, Quantity, Tier, run
from attnsolve.graph.mistakes import Slip, composed, together
from attnsolve.key import Key
from attnsolve.numbers import Unavailable
from attnsolve.numbers.matrix import Arithmetic
from attnsolve.operations.context import Inputs
from attnsolve.operations.formula import Formula
from attnsolve.solution.exact import Solution

FAILURES = (Unavailable, AttnsolveError, ArithmeticError, ValueError)
"""What a graph with a mistake in it may come to in place of numbers."""

MOST_PAIRS = 10_000
"""Pairs of mistakes that are tried where no single one will do."""

FLOATS_A_MULTIPLICATION = 5
"""Multiplications of floats, one by one, that take as long as an exact one with all that is around it."""

Group = tuple[Slip, ...]
Changed = Mapping[Key, Formula]


class Case(NamedTuple):
    """Mistakes made together, and the formulas that they lead to."""

    group: Group
    changed: Changed


class Cases:
    """The mistakes of one graph, and what is needed to make them quickly; kept for all the answer sheets to it."""

    _kept: ClassVar[WeakKeyDictionary[Solution, Cases]] = WeakKeyDictionary()

    def __init__(self, graph: Graph, slips: Sequence[Slip]) -> None:
        self.graph = graph
        self.slips = slips
        self.leaves = {quantity.key: frozenset(quantity.formula.leaves()) for quantity in graph}
        """What each quantity is made from."""
        self._few: dict[frozenset[Key], list[Case]] = {}
        self._pairs: dict[frozenset[Key], list[Case]] = {}

    @property
    def affordable(self) -> int:
        """How many mistakes may be tried within the bound on work, each as a run of the whole graph in floats."""
        return FLOATS_A_MULTIPLICATION * allowed().work // self.cost

    @cached_property
    def cost(self) -> int:
        """Multiplications of floats, and as many again as there are entries, that one run takes."""
        shapes = (quantity.shape for quantity in self.graph)
        return sum(map(self.graph.products, self.graph.quantities)) + sum(i * j for i, j in shapes)

    @classmethod
    def of(cls, solution: Solution) -> Cases:
        """Those of a solution, made once."""
        if solution not in cls._kept:
            cls._kept[solution] = cls(solution.graph, solution.slips)
        return cls._kept[solution]

    def made_in(self, keys: Collection[Key]) -> list[Case]:
        """The mistakes that can be made in some quantities: each by itself, then the same one in every head."""
        wanted = frozenset(keys)
        if wanted not in self._few:
            groups = together([slip for slip in self.slips if slip.key in wanted])
            self._few[wanted] = [Case(group, {slip.key: slip.mistake.formula for slip in group}) for group in groups]
        return self._few[wanted]

    def pairs_in(self, keys: Collection[Key]) -> list[Case]:
        """Two mistakes at once."""
        wanted = frozenset(keys)
        if wanted not in self._pairs:
            self._pairs[wanted] = list(islice(self._both(self.made_in(wanted)), MOST_PAIRS))
        return self._pairs[wanted]

    def _both(self, cases: list[Case]) -> Iterator[Case]:
        for first, second in combinations(cases, 2):
            shared = first.changed.keys() & second.changed.keys()
            if not shared:
                yield Case(first.group + second.group, {**first.changed, **second.changed})
            elif first.changed.keys() == second.changed.keys():
                pairs = list(zip(first.group, second.group, strict=True))
                both = {one.key: composed(self.graph, one, other) for one, other in pairs if one.key == other.key}
                found = {key: formula for key, formula in both.items() if formula is not None}
                if len(found) == len(pairs):
                    yield Case(first.group + second.group, found)

    def rerun(
        self,
        changed: Changed,
        path: Sequence[Key],
        base: Mapping[Key, Tier | None],
        tier: Arithmetic[Tier],
        holds: Callable[[Key, Tier], bool] = lambda key, value: True,
    ) -> dict[Key, Tier | None] | None:
        """The values along a path of quantities with some formulas changed; `base` has them with none changed. None as
        soon as one of them doesn't hold."""

        def held(quantity: Quantity, value: Tier | None, before: Inputs[Tier]) -> Tier:
            if value is None or not holds(quantity.key, value):
                raise _Differs
            return value

        try:
            only = self._touched(changed, path)
            return run(self.graph, tier, only=only, base=base, formulas=changed, after=held, refusals=())
        except _Differs:
            return None

    def _touched(self, changed: Changed, path: Sequence[Key]) -> list[Key]:
        """What of a path rests on something that is changed."""
        touched: dict[Key, None] = {}
        for key in path:
            if key in changed or not touched.keys().isdisjoint(self.leaves[key]):
                touched[key] = None
        return list(touched)


class _Differs(Exception):
    """A value isn't what was looked for."""
