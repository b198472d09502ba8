"""The mistakes that can be made on the way back: each operation knows what people pass on in place of the right share
of a gradient; here that is carried on to the gradient it is a share of, and shares are added up as people add them.

The way back is walked again, through the formula of each quantity that another is used in. Where a share on the way is
a quantity of its own, the mistake is made there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from attnsolve.graph import Contribution, Gradients, Graph, Quantity
from attnsolve.graph.surroundings import Surroundings
from attnsolve.key import Key
from attnsolve.numbers.matrix import ShapeError
from attnsolve.operations.backward import Backward, Mistaken
from attnsolve.operations.context import Mistake, NoDerivative
from attnsolve.operations.formula import Formula, Given, Ref
from attnsolve.record import Record, record

MOST_TOLD_APART = 2
"""Of more shares than this, leaving one out is not the same as keeping one."""
Found = dict[Key, list[Mistake]]


def gradient_mistakes(graph: Graph) -> Found:
    """The mistakes of every gradient, and of what stands inside of them."""
    found: Found = {}
    for key in graph.gradients.contributions if graph.gradients is not None else ():
        for where, mistake in _One(graph, graph[key]).mistakes():
            found.setdefault(where, []).append(mistake)
    return found


@record
class Passing(Record):
    """One operation on the way back: from the gradient of a node to that of its argument in a place, or (`through`) to
    that of what the argument is made from."""

    node: Formula
    place: int
    value: Ref | None
    """The quantity that the node defines."""
    through: Formula | None = None

    def passed(self, upstream: Formula, use: Backward) -> Formula:
        """The share of a gradient that goes on."""
        if self.through is not None:
            share = self.node.backward_through(self.through, upstream, use)
            assert share is not None
            return share
        share = self.node.backward(self.place, upstream, use)
        if self.node.repeats:
            share = use.total_of(share, use.shape(self.node), use.shape(self.node.arguments[self.place]))
        return share

    def mistakes(self, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        """What people pass on in its place, not yet added up over what was repeated."""
        if self.through is not None:
            yield from self.node.backward_through_mistakes(self.through, upstream, use)
            return
        shape, wanted = use.shape(self.node), use.shape(self.node.arguments[self.place])
        for mistake in self.node.backward_mistakes(self.place, upstream, use):
            share = mistake.formula
            yield replace(mistake, formula=use.total_of(share, shape, wanted) if self.node.repeats else share)
        if self.node.repeats:
            yield from use.not_summed(self.node.backward(self.place, upstream, use), shape, wanted)


Way = tuple[Passing, ...]
Path = tuple[Formula, Way]


class _Walk:
    """The ways back through a graph."""

    def __init__(self, graph: Graph, before: Key) -> None:
        assert graph.gradients is not None
        self.graph = graph
        self.gradients: Gradients = graph.gradients
        keys = list(graph.quantities)
        self.known = {graph[key].formula: key for key in reversed(keys[: keys.index(before)]) if not graph[key].given}
        """What is worked out before the gradient, by its formula."""

    def named(self, formula: Formula) -> Formula:
        """The quantity that a formula makes; the formula itself where there is none."""
        key = self.known.get(formula)
        return formula if key is None else Ref(key)

    def to(self, shares: Sequence[Contribution], key: Key) -> list[Path | None]:
        """Where the way of each share begins, and the way; None where it is not found."""
        found: list[Path | None] = []
        for share in shares:
            start = self._start(share.user)
            paths = [] if start is None else [(start[0], start[1] + way) for way in self._ways(share, key)]
            paths = [path for path in paths if path not in found and self._leads_to(share.formula, *path)]
            found.append(paths[0] if paths else None)
        return found

    def _start(self, user: Key) -> tuple[Formula, Way] | None:
        """The gradient of a quantity, or what it comes from where it is one number that was not written down."""
        if user in self.gradients.keys:
            return Ref(self.gradients.keys[user]), ()
        if user in self.gradients.seeds:
            seed = self.gradients.seeds[user]
            return None if isinstance(seed, Given) else (seed, ())
        behind = {*self.gradients.seeds}.union(*map(self.graph.ancestors, self.gradients.seeds))
        users = [q for q in self.graph if q.key in behind and user in q.formula.leaves()]
        ways = [way for quantity in users for way in _down_to(quantity.formula, quantity, user)]
        start = self._start(users[0].key) if len(ways) == 1 else None
        return None if start is None else (start[0], start[1] + ways[0])

    def _ways(self, share: Contribution, key: Key) -> Iterator[Way]:
        quantity = self.graph[share.user]
        yield from _down_to(quantity.formula, quantity, key)
        argument = share.node.arguments[share.place]
        if isinstance(argument, Ref) and argument.key != key:
            inner = self.graph[argument.key].formula
            for way in _down_to(quantity.formula, quantity, argument.key):
                yield (*way[:-1], replace(way[-1], through=inner))

    def _leads_to(self, share: Formula, upstream: Formula, way: Way) -> bool:
        try:
            found = carried(self, upstream, way)
        except (ShapeError, NoDerivative, AssertionError):
            return False
        return found == share or self._written_out(found) == self._written_out(share)

    def _written_out(self, formula: Formula) -> Formula:
        """A formula with the steps inside of gradients written out in it."""
        inside = [key for key in formula.leaves() if self.graph.is_inside_a_gradient(key)]
        return formula.put({key: self._written_out(self.graph[key].formula) for key in inside}) if inside else formula

    def use(self, passing: Passing) -> Backward:
        """What an operation on the way may use."""
        return Backward(self.graph, passing.node, passing.value, self.named)


def _down_to(node: Formula, quantity: Quantity, key: Key) -> Iterator[Way]:
    """The ways from a formula to a quantity that it is made from."""
    value = Ref(quantity.key) if node == quantity.formula else None
    for place, argument in enumerate(node.arguments):
        passing = Passing(node, place, value)
        if isinstance(argument, Ref):
            if argument.key == key:
                yield (passing,)
        else:
            for way in _down_to(argument, quantity, key):
                yield (passing, *way)


def carried(walk: _Walk, upstream: Formula, way: Way) -> Formula:
    """What comes out at the end of a way back."""
    for passing in way:
        upstream = passing.passed(upstream, walk.use(passing))
    return upstream


class _One:
    """One gradient."""

    def __init__(self, graph: Graph, quantity: Quantity) -> None:
        assert graph.gradients is not None
        assert quantity.gradient_of is not None
        self.graph = graph
        self.quantity = quantity
        self.of = quantity.gradient_of
        self.shares = graph.gradients.contributions[quantity.key]
        self.walk = _Walk(graph, quantity.key)
        self.paths = self.walk.to(self.shares, self.of)
        self.where = Surroundings(graph, quantity)
        self.adding = Backward(graph, quantity.formula, None, self.walk.named)

    def mistakes(self) -> Iterator[tuple[Key, Mistake]]:
        """Where each is made, and the formula that it leads to there."""
        for number in range(len(self.shares)):
            yield from self._on_the_way(number)
        if len(self.shares) > 1:
            yield from ((self.quantity.key, mistake) for mistake in self._in_the_sum())

    def _on_the_way(self, number: int) -> Iterator[tuple[Key, Mistake]]:
        path = self.paths[number]
        if path is None:
            return
        upstream, way = path
        for place, passing in enumerate(way):
            rest = way[place + 1 :]

            def finish(share: Formula, rest: Way = rest) -> Formula:
                return carried(self.walk, share, rest)

            use = Mistaken(self.where, passing.node, passing.value, self.walk.named, finish)
            right = passing.passed(upstream, use)
            inside = self.walk.named(right) if rest else right
            alike = self._alike((path[0], way[: place + 1]))
            for mistake in passing.mistakes(upstream, use) if number == min(alike) else ():
                made = self._made(alike, right, mistake, inside)
                if made is not None:
                    yield made
            upstream = right

    def _alike(self, path: Path) -> dict[int, Way]:
        """The shares whose ways begin like this, with what comes after it."""
        start, way = path
        paths = {number: path for number, path in enumerate(self.paths) if path is not None}
        return {k: p[1][len(way) :] for k, p in paths.items() if p[0] == start and p[1][: len(way)] == way}

    def _made(
        self, alike: Mapping[int, Way], right: Formula, mistake: Mistake, inside: Formula
    ) -> tuple[Key, Mistake] | None:
        """A wrong share put in its place: in the step inside that it is, or in all that comes of it in the gradient."""
        try:
            if not _fits(self.graph, mistake.formula, right):
                return None
            if isinstance(inside, Ref) and inside != right:
                return inside.key, mistake
            shares = [share.formula for share in self.shares]
            for number, rest in alike.items():
                shares[number] = carried(self.walk, mistake.formula, rest)
            return self.quantity.key, replace(mistake, formula=self._whole(shares))
        except (ShapeError, NoDerivative):
            return None

    def _whole(self, shares: Sequence[Formula]) -> Formula:
        return self.adding.whole(self.adding.added([self._seed(), *shares]), self.quantity.shape)

    def _seed(self) -> Formula:
        assert self.graph.gradients is not None
        return self.graph.gradients.seeds.get(self.of, self.adding.number(0))

    # ── several shares ──────────────────────────────────────────────────────────────────────────

    def _in_the_sum(self) -> Iterator[Mistake]:
        """Shares that are not added up: one is left out, or only the first or the last is kept."""
        shares = [share.formula for share in self.shares]
        if any(share.is_block for share in shares):
            return
        whole = self.adding.whole
        for number, share in enumerate(self.shares):
            others = shares[:number] + shares[number + 1 :]
            by = self._written(share)
            if share.formula == Ref(self._upstream(share)):
                text = self.where.text_of(share.formula)
                said = f"{text}, which comes back along the residual connection, was not added"
                yield Mistake("residual-gradient-forgotten", said, self._whole(others))
            elif len(shares) > MOST_TOLD_APART:
                yield Mistake("gradient-share-forgotten", f"{by} was left out", self._whole(others))
        kept = range(len(shares)) if len(shares) <= MOST_TOLD_APART else (0, len(shares) - 1)
        for number in kept:
            by = self._written(self.shares[number])
            said = f"only {by} was kept, but what comes back from all {len(shares)} uses must be added"
            yield Mistake("gradient-overwritten", said, whole(shares[number], self.quantity.shape))

    def _upstream(self, share: Contribution) -> Key:
        assert self.graph.gradients is not None
        return self.graph.gradients.keys.get(share.user, share.user)

    def _written(self, share: Contribution) -> str:
        return self.where.text_of(share.formula)


def _fits(graph: Graph, share: Formula, right: Formula) -> bool:
    """Whether a share can stand in place of another."""
    shape, wanted = share.shape(graph), right.shape(graph)
    return shape == wanted or all(own in (1, other) for own, other in zip(shape, wanted, strict=True))
