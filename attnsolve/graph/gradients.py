"""Reverse mode: a graph with the gradients of one of its quantities, which are quantities like any other.

The graph is walked once from its end. Every use of a quantity adds its share to that quantity's gradient; the share is
what the operation that uses it says (`backward`), carried through whatever stands between. What takes work of its own
inside a gradient becomes a quantity too, before the one that it stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from attnsolve.errors import in_running_text
from attnsolve.graph import Axis, Contribution, Gradients, Graph, Name, Quantity
from attnsolve.key import At, Key
from attnsolve.operations.backward import Backward, is_zero
from attnsolve.operations.context import NoDerivative
from attnsolve.operations.formula import Formula, Given, Ref
from attnsolve.operations.mask import has_blocked
from attnsolve.operations.number import Number
from attnsolve.operations.structure import Constants

SIZES = ("k", "v", "ff", "model")
"""What d_k and its like are sizes of; the gradient of a quantity with such a name is written without a stroke."""
UPDATED = "Updated parameter"
"""The title of what a training step makes of a parameter."""
OTHERS = ("U", "G", "F", "D", "Y", "T", "J", "Z")
"""Letters for anything else; the last with an index."""


class Refused(Exception):
    """Something that has no derivative is in the way; `key` is the quantity that it makes."""

    def __init__(self, key: Key, reason: str) -> None:
        super().__init__(reason)
        self.key = key


def gradient_id(id: str) -> str:
    """The id of a gradient.

    >>> gradient_id("scores"), gradient_id("W_Q"), gradient_id("v")
    ('d_scores', 'd_W_Q', 'dv')
    """
    return f"d{id}" if id in SIZES else f"d_{id}"


class Differentiation:
    """The gradients of one graph. `seeds` are those that it starts from: 1 for a loss, or what the sheet gives."""

    def __init__(
        self,
        graph: Graph,
        seeds: Mapping[Key, Formula],
        wanted: Sequence[Key],
        *,
        fused: bool = True,
        at: At = (),
    ) -> None:
        """`at` is the place of the gradients, where there are several of one quantity."""
        self.before = graph
        self.seeds = seeds
        self.wanted = wanted
        self.fused = fused
        self.at = at
        self.quantities = dict(graph.quantities)
        self.active = self._between()
        self.reserved = set(map(self._key, graph.quantities))
        """The keys of gradients, which nothing inside of another may have."""
        self.found: dict[Key, list[Contribution]] = {}
        self.gradients: dict[Key, Key] = {}
        self.contributions: dict[Key, tuple[Contribution, ...]] = {}
        self.letters = _Letters(q.name for q in graph)
        self.home = Key("")
        """The gradient that is being made."""

    def graph(self) -> Graph:
        """Everything, in an order in which it can be computed."""
        self._give_seeds()
        for quantity in reversed([*self.before]):
            if quantity.key in self.active:
                self._pass_on(quantity)
        for key in self.wanted:
            if key not in self.gradients:
                self.home = self._key(key)
                self._add_gradient(self.before[key], Constants("zeros", *self.before.shape(key)), [])
        made = Gradients(dict(self.seeds), tuple(self.wanted), self.gradients, self.contributions)
        return replace(self.before, quantities=self.quantities, gradients=made)

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of a quantity."""
        return self.quantities[key].shape

    def _between(self) -> set[Key]:
        """What rests on something wanted, and has to do with the end."""
        resting = set(self.wanted)
        for quantity in self.before:
            if not resting.isdisjoint(quantity.formula.leaves()):
                resting.add(quantity.key)
        behind = {*self.seeds}.union(*map(self.before.ancestors, self.seeds))
        return resting & behind

    def _give_seeds(self) -> None:
        """The gradients that the sheet states."""
        for key, seed in self.seeds.items():
            if isinstance(seed, Given):
                self._add_gradient(self.before[key], seed, [])

    # ── one quantity ────────────────────────────────────────────────────────────────────────────

    def _pass_on(self, quantity: Quantity) -> None:
        """The gradient of a quantity, and from there the shares of what it is made from."""
        order = [*self.before.quantities]
        found = sorted(
            self.found.get(quantity.key, []),
            key=lambda share: (not share.formula.is_at_hand, order.index(share.user)),
        )
        seed = self.seeds.get(quantity.key)
        if not found and seed is None:
            return
        upstream = self._total(quantity, found, seed)
        if isinstance(same := quantity.formula, Ref):
            if same.key in self.active:
                why = "It is the same matrix under another name, so its gradient is the same."
                self._give(same, Contribution(upstream, same, 0, upstream, quantity.key, why), quantity)
        elif not quantity.given:
            self._through(quantity.formula, upstream, quantity)

    def _total(self, quantity: Quantity, found: list[Contribution], seed: Formula | None) -> Formula:
        """The gradient of a quantity: its shares added up. One number that stands for all entries of a list stays one
        until somebody asks for it."""
        self.home = self._key(quantity.key)
        use = self._use(quantity.formula, None)
        if isinstance(seed, Given):
            if found:
                raise Refused(quantity.key, "its gradient is given, but it is also used on the way")
            return Ref(self.gradients[quantity.key])
        shares = [*([] if seed is None else [seed]), *(contribution.formula for contribution in found)]
        total = use.added(shares)
        if isinstance(total, Number) and quantity.is_vector and quantity.key not in self.wanted:
            return total
        return self._add_gradient(quantity, use.whole(total, quantity.shape), found)

    def _through(self, node: Formula, upstream: Formula, quantity: Quantity, around: str = "") -> None:
        """The shares of what a node is made from; `around` is what was said of the formula that it stands in."""
        why, whole = node.why_backward or around, node == quantity.formula
        for place, argument in enumerate(node.arguments):
            leaves = [key for key in argument.leaves() if key in self.active]
            if not leaves:
                continue
            self.home = self._key(leaves[0])
            use = self._use(node, Ref(quantity.key) if whole else None)
            if (fused := self._fused(node, argument, upstream, use)) is not None:
                inner, share = fused
                through = node.why_backward_through
                together = Contribution(share, node, place, upstream, quantity.key, through, True, _down(node))
                self._give(inner, together, quantity)
                continue
            try:
                share = node.backward(place, upstream, use)
            except NoDerivative as error:
                raise Refused(quantity.key, str(error)) from None
            if node.repeats:
                share = use.total_of(share, use.shape(node), use.shape(argument))
            balanced = node.balances(place)
            given = Contribution(share, node, place, upstream, quantity.key, why, balanced, _down(node))
            self._give(argument, given, quantity)

    def _fused(
        self, node: Formula, argument: Formula, upstream: Formula, use: Backward
    ) -> tuple[Formula, Formula] | None:
        """Two steps in one: what the inner one is made from, and its share."""
        if not self.fused or not isinstance(argument, Ref) or argument.key in self.wanted:
            return None
        inner = self.before[argument.key].formula
        if len(inner.arguments) != 1:
            return None
        (source,) = inner.arguments
        self.home = self._key(source.leaves()[0]) if source.leaves() else self.home
        share = node.backward_through(inner, upstream, use)
        return None if share is None else (source, share)

    def _give(self, argument: Formula, share: Contribution, quantity: Quantity) -> None:
        """Hand a share on to what it belongs to, through whatever stands between."""
        if is_zero(share.formula):
            return
        if isinstance(argument, Ref):
            self.found.setdefault(argument.key, []).append(share)
        else:
            self._through(argument, share.formula, quantity, share.why)

    def _use(self, node: Formula, quantity: Ref | None) -> Backward:
        return Backward(self, node, quantity, self.named, self._is_masked)

    def _is_masked(self, formula: Formula) -> bool:
        """Whether −∞ may stand in a formula: where a mask was added to it or to what it is made from."""
        for key in formula.leaves():
            made_from = self.quantities[key].formula
            if made_from.forbids or (isinstance(made_from, Given) and has_blocked(made_from.rows)):
                return True
            if made_from.keeps_masked and self._is_masked(made_from):
                return True
        return False

    # ── quantities ──────────────────────────────────────────────────────────────────────────────

    def _key(self, key: Key) -> Key:
        return Key(gradient_id(key.id), (*self.at, *key.at))

    def _add_gradient(self, quantity: Quantity, formula: Formula, found: list[Contribution]) -> Ref:
        key = self._key(quantity.key)
        self.home = key
        settled = formula if isinstance(formula, Given) else self.settled(formula)
        self.quantities[key] = replace(
            quantity,
            key=key,
            name=replace(quantity.name, before="d", head=",".join(str(number) for _, number in key.at) or None),
            formula=settled,
            parameter=False,
            remarks=(),
            title=_title(quantity),
            why=_why(found),
            aliases=frozenset(),
            gradient_of=quantity.key,
        )
        self.gradients[quantity.key] = key
        self.contributions[key] = tuple(found)
        return Ref(key)

    def settled(self, formula: Formula) -> Formula:
        """A formula with whatever takes work of its own inside it made a quantity."""
        if not formula.arguments or isinstance(formula, Ref):
            return formula
        inside = {"quantities": self.named, "terms": self.settled, "factors": self._factor}
        holds = "terms" if formula.inline else formula.holds
        return formula.made_from(*map(inside[holds], formula.arguments))

    def _factor(self, formula: Formula) -> Formula:
        """What is multiplied entry by entry: a quantity, or a sum or product of such in brackets."""
        return self.named(formula) if formula.holds == "quantities" else self.settled(formula)

    def named(self, formula: Formula) -> Formula:
        """A formula as a quantity, unless it is one, or a part or the transpose of one, or a number."""
        if isinstance(formula, Number) or formula.is_at_hand:
            return formula
        formula = self.settled(formula)
        if formula.is_at_hand:
            return formula
        for key, quantity in self.quantities.items():
            if quantity.formula == formula and key.at == self.home.at[: len(key.at)]:
                return Ref(key)
        return self._add_inside(formula)

    def _add_inside(self, formula: Formula) -> Ref:
        key = self._free(formula.part_of_gradient)
        shape = formula.shape(self)
        name, rows, columns, axis = self._form(key, formula, shape)
        self.quantities[key] = Quantity(
            key, name, formula, shape, rows, columns, axis, title=formula.title, why=formula.does
        )
        return Ref(key)

    def _form(self, key: Key, formula: Formula, shape: tuple[int, int]) -> tuple[Name, Axis, Axis, int]:
        """How a step inside is written, and what its rows and columns count: as in what it is made from."""
        made_from = [self.quantities[leaf] for leaf in formula.leaves()]
        like = next((q for q in made_from if q.shape == shape), None)
        source = like or next(iter(made_from), None)
        letter = self.letters.of(key.id, formula.letters_for_part)
        head = key.head
        if source is None:
            return Name(letter, head=head, as_typed=True), Axis(), Axis(), 0
        rows, columns = (
            axis if size == other else Axis()
            for axis, size, other in zip((source.rows, source.columns), shape, source.shape, strict=True)
        )
        single = shape == (1, 1)
        by_token = like is None and formula.axis is not None and 1 in shape
        vector = single or by_token or (like is not None and like.is_vector)
        name = Name(letter, head=head, vector=vector, single=single, by_token=by_token, as_typed=True)
        return name, rows, columns, source.token_axis

    def _free(self, word: str) -> Key:
        id, number = f"{self.home.id}.{word}", 1
        while (key := Key(id, self.home.at)) in self.quantities or key in self.reserved:
            number += 1
            id = f"{self.home.id}.{word}{number}"
        return Key(id, self.home.at)


class _Letters:
    """Letters for steps that a sheet has no name for; the same in every head."""

    def __init__(self, names: Iterable[Name]) -> None:
        self.used = {name.letter.casefold() for name in names}
        self.chosen: dict[str, str] = {}

    def of(self, id: str, wanted: Sequence[str]) -> str:
        """The first letter that is free; at the last one with an index."""
        if id not in self.chosen:
            free = (letter for letter in (*wanted, *OTHERS) if letter.casefold() not in self.used)
            number = 1
            while (letter := next(free, f"{OTHERS[-1]}_{number}")).casefold() in self.used:
                number += 1
            self.used.add(letter.casefold())
            self.chosen[id] = letter
        return self.chosen[id]


def _title(quantity: Quantity) -> str:
    """What the gradient of a quantity is called; just that, where the quantity has no name but its letter."""
    named = quantity.title and quantity.title not in (quantity.formula.title, UPDATED)
    return f"Gradient of the {in_running_text(quantity.title)}" if named else "Gradient"


def _why(found: Sequence[Contribution]) -> str:
    """Where it comes from, in a sentence."""
    if len(found) > 1:
        return f"It is used in {len(found)} places, so its gradient is the sum of what comes back from each."
    return found[0].why if found else ""


def _down(node: Formula) -> bool:
    """Whether an operation goes along columns."""
    return bool(getattr(node, "down", False))
