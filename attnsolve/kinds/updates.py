"""What a training step makes of its gradients: the running means that a rule keeps, the new parameters, and the loss
that they lead to; one step, or several after each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from attnsolve.errors import Fault, ProblemError, listed
from attnsolve.graph import Gradients, Graph, Name, Quantity
from attnsolve.graph.gradients import UPDATED, Differentiation
from attnsolve.graph.places import find_quantities
from attnsolve.key import At, Key
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.surds import Number as Value
from attnsolve.operations.arithmetic import Negate, Power
from attnsolve.operations.descent import Descent
from attnsolve.operations.divide import Divide
from attnsolve.operations.entrywise import EntryQuotient, Plus, Scale
from attnsolve.operations.formula import Formula, Given, Ref
from attnsolve.operations.function import Function
from attnsolve.operations.number import ONE, Number
from attnsolve.spec.fields import GivenMatrix
from attnsolve.spec.gradient import AskedUpdate
from attnsolve.spec.problem import Problem

UPDATE = "update"
"""What the place of a quantity is called after a step, where there are several."""
WHY = {
    "plain": "A step against the gradient makes the loss smaller, as long as it is short enough.",
    "momentum": "The step follows a running sum of gradients, so that directions which keep their sign speed up.",
    "adam": "Each entry moves by its mean gradient, divided by the root of its mean square.",
    "adamw": "Each entry moves by its mean gradient, divided by the root of its mean square; and it decays a little.",
}
"""Why each rule does what it does."""
MEANS = {
    "m": (
        "Running mean of the gradients",
        "Most of the old mean is kept, and some of the new gradient added.",
    ),
    "v": ("Running mean of the squares", "The same for the squares of the gradients."),
    "mhat": ("Corrected mean", "The mean began at 0, and is divided by what that leaves out."),
    "vhat": ("Corrected mean of the squares", "The mean began at 0, and is divided by what that leaves out."),
}
"""The title of each running mean, and a sentence on it."""
LETTERS = {"m": "m", "v": "v", "mhat": "m̂", "vhat": "v̂"}


class Updated:
    """A graph of gradients with the parameters changed by a rule."""

    def __init__(self, problem: Problem, graph: Graph, asked: AskedUpdate) -> None:
        self.problem, self.asked = problem, asked
        self.before = graph
        assert graph.gradients is not None
        self.gradients: Gradients = graph.gradients
        self.quantities = dict(graph.quantities)
        self.parameters = [graph[key] for key in self.gradients.wanted if graph[key].given]
        self.states: dict[tuple[str, Key], Formula] = {}
        """The running means so far, by name and parameter."""

    def fault(self, message: str, fix: str = "") -> ProblemError:
        """What keeps the update from being made, to be raised."""
        return ProblemError([Fault(self.problem.file, self.asked.at, message, fix)])

    def graph(self) -> Graph:
        """Everything, in an order in which it can be computed."""
        if not self.parameters:
            known = listed([q.name.typed.name for q in self.before if q.given and q.gradient_of is None])
            raise self.fault("update changes what is given, but no gradient of that was asked for", f"known: {known}")
        self._give_states()
        gradients = {q.key: self.gradients.keys[q.key] for q in self.parameters}
        if self.asked.steps:
            return self._several(gradients)
        new = self._step({q.key: Ref(q.key) for q in self.parameters}, gradients, self.asked.step, ())
        if self.asked.after:
            self._after(new)
        return replace(self.before, quantities=self.quantities)

    # ── the rule ────────────────────────────────────────────────────────────────────────────────

    def _give_states(self) -> None:
        """The running means that the sheet states."""
        for name, states in self.asked.state.items():
            found = [q for q in find_quantities(self.before, name) if q in self.parameters]
            if len(found) != 1:
                raise self.fault(f"state names {name}, which is not a parameter that is updated", self._known())
            for state, matrix in states.items():
                key = Key(f"start_{state}_{found[0].key.id}", found[0].key.at)
                symbol = replace(self._named(found[0], state), before="old")
                self._add(key, found[0], symbol, Given(self._fitting(found[0], matrix, state)))
                self.states[state, found[0].key] = Ref(key)

    def _known(self) -> str:
        return f"known: {listed([q.key.id for q in self.parameters])}"

    def _fitting(self, quantity: Quantity, matrix: GivenMatrix, state: str) -> tuple[tuple[Value, ...], ...]:
        if matrix.identity and quantity.shape[0] == quantity.shape[1]:
            matrix = matrix.sized(quantity.shape[0])
        if matrix.shape != quantity.shape:
            (rows, columns), (height, width) = quantity.shape, matrix.shape
            message = f"the {state} of {quantity.key.id} must be {rows}×{columns}, but {height}×{width} was found"
            raise ProblemError([Fault(self.problem.file, matrix.at, message)])
        return matrix.rows

    def _step(self, old: Mapping[Key, Ref], gradients: Mapping[Key, Key], number: int, at: At) -> dict[Key, Ref]:
        """The parameters after a step, each made from itself and its gradient."""
        new = {}
        for parameter in self.parameters:
            direction = self._direction(parameter, old[parameter.key], Ref(gradients[parameter.key]), number, at)
            formula = Descent(old[parameter.key], Negate(self._scaled(self.asked.rate, direction)))
            key, name = self._new(parameter, at)
            new[parameter.key] = self._add(key, parameter, name, formula, UPDATED, WHY[self.asked.rule])
        return new

    def _direction(self, parameter: Quantity, old: Ref, gradient: Ref, number: int, at: At) -> Formula:
        """What the rate is multiplied with."""
        asked = self.asked
        own: Formula = gradient
        if asked.decay and asked.rule != "adamw":
            own = Plus(gradient, self._scaled(asked.decay, old))
        if asked.rule == "plain":
            return own
        if asked.rule == "momentum":
            return self._mean("m", parameter, self._kept("m", parameter, asked.betas[0], own, ONE), at)
        first, second = asked.betas
        means = [
            self._mean("m", parameter, self._kept("m", parameter, first, own, _less(first)), at),
            self._mean("v", parameter, self._kept("v", parameter, second, Power(own, 2), _less(second)), at),
        ]
        corrected = [
            self._mean(f"{name}hat", parameter, Divide(mean, _less(beta**number)), at)
            for name, mean, beta in zip("mv", means, asked.betas, strict=True)
        ]
        root: Formula = Function(corrected[1], "sqrt")
        below = Plus(root, _number(asked.eps)) if asked.eps else root
        step: Formula = EntryQuotient(corrected[0], below)
        return Plus(step, self._scaled(asked.decay, old)) if asked.rule == "adamw" and asked.decay else step

    def _kept(self, state: str, parameter: Quantity, beta: Value, new: Formula, share: Number) -> Formula:
        """β times the mean so far, and some of what is new."""
        added = new if share == ONE else Scale(share, new)
        before = self.states.get((state, parameter.key))
        return added if before is None else Plus(self._scaled(beta, before), added)

    def _scaled(self, number: Value, formula: Formula) -> Formula:
        return formula if number == 1 else Scale(_number(number), formula)

    def _mean(self, name: str, parameter: Quantity, formula: Formula, at: At) -> Ref:
        """A running mean as a quantity, which the next step goes on from."""
        title, why = MEANS[name]
        key = Key(f"{name}_{parameter.key.id}", (*at, *parameter.key.at))
        symbol = replace(self._named(parameter, name), head=_above(key))
        ref = self._add(key, parameter, symbol, formula, title, why)
        if not name.endswith("hat"):
            self.states[name, parameter.key] = ref
        return ref

    def _named(self, parameter: Quantity, name: str) -> Name:
        """How a running mean is written: with its parameter as index."""
        own = parameter.name.typed
        index = "_".join((own.name, *own.sub[:1])) if own.sub and not parameter.name.head else own.name
        return Name(LETTERS[name], index, _above(parameter.key), vector=parameter.name.vector, as_typed=True)

    def _new(self, parameter: Quantity, at: At) -> tuple[Key, Name]:
        """What a parameter is known by, and written as, after the step."""
        if not at:
            return Key(f"new_{parameter.key.id}", parameter.key.at), replace(parameter.name, updated=True)
        key = Key(parameter.key.id, (*at, *parameter.key.at))
        return key, replace(parameter.name, head=_above(key))

    def _add(self, key: Key, like: Quantity, name: Name, formula: Formula, title: str = "", why: str = "") -> Ref:
        if key in self.quantities:
            raise self.fault(f"{key.id} is what the update makes, but the sheet has a quantity of that name")
        self.quantities[key] = replace(
            like, key=key, name=name, formula=formula, parameter=False, remarks=(), title=title, why=why,
            aliases=frozenset(), gradient_of=None,
        )  # fmt: skip
        return Ref(key)

    # ── the forward pass again ──────────────────────────────────────────────────────────────────

    def _loss(self) -> Key:
        seeds = [*self.gradients.seeds]
        if len(seeds) != 1 or isinstance(self.gradients.seeds[seeds[0]], Given):
            raise self.fault(
                "there is no loss to work out again: the gradients start from given ones", "leave after out"
            )
        return seeds[0]

    def _after(self, new: Mapping[Key, Ref]) -> None:
        """The loss with the new parameters, and how far it has moved."""
        loss = self._loss()

        def placed(quantity: Quantity) -> tuple[Key, Name]:
            return Key(f"after_{quantity.key.id}", quantity.key.at), replace(quantity.name, updated=True)

        known = self._forward(new, placed)
        title, why = "Change of the loss", "Where the change is negative, the step made the loss smaller."
        name = replace(self.before[loss].name, before="Δ")
        formula = Plus(known[loss], Negate(Ref(loss)))
        self._add(Key(f"change_{loss.id}", loss.at), self.before[loss], name, formula, title, why)

    def _forward(self, new: Mapping[Key, Ref], placed: Callable[[Quantity], tuple[Key, Name]]) -> dict[Key, Formula]:
        """Whatever depends on the parameters on the way to the loss, made from the new ones."""
        loss = self._loss()
        behind = {loss, *self.before.ancestors(loss)}
        known: dict[Key, Formula] = dict(new)
        for quantity in self.before:
            on_the_way = quantity.key in behind and quantity.key not in known
            if on_the_way and not known.keys().isdisjoint(quantity.formula.leaves()):
                key, name = placed(quantity)
                formula = quantity.formula.put(known)
                self.quantities[key] = replace(quantity, key=key, name=name, formula=formula, aliases=frozenset())
                known[quantity.key] = Ref(key)
        known.setdefault(loss, Ref(loss))  # it may not depend on any of them
        return known

    def _several(self, gradients: Mapping[Key, Key]) -> Graph:
        """Several steps, each from where the one before has led."""
        loss = self._loss()
        old = {q.key: Ref(q.key) for q in self.parameters}
        keys, shares = dict(self.gradients.keys), dict(self.gradients.contributions)
        for number in range(1, self.asked.steps + 1):
            at: At = ((UPDATE, number),)
            new = self._step(old, gradients, self.asked.step + number - 1, at)

            def placed(quantity: Quantity, at: At = at) -> tuple[Key, Name]:
                key = Key(quantity.key.id, (*at, *quantity.key.at))
                return key, replace(quantity.name, head=_above(key))

            known = self._forward(new, placed)
            end = known[loss]
            assert isinstance(end, Ref)
            old = new
            if number < self.asked.steps:
                graph = replace(self.before, quantities=self.quantities, gradients=None)
                wanted = [ref.key for ref in new.values()]
                made = Differentiation(graph, {end.key: ONE}, wanted).graph()
                assert made.gradients is not None
                self.quantities = dict(made.quantities)
                gradients = {q.key: made.gradients.keys[new[q.key].key] for q in self.parameters}
                keys |= made.gradients.keys
                shares |= made.gradients.contributions
        whole = replace(self.gradients, keys=keys, contributions=shares)
        return replace(self.before, quantities=self.quantities, gradients=whole)


def _above(key: Key) -> str | None:
    return ",".join(str(number) for _, number in key.at) or None


def _number(value: Value) -> Number:
    decimal = isinstance(value, Fraction) and value.denominator > 1 and _is_decimal(value)
    return Number(PlainNumber(value, "decimal" if decimal else "fraction"))


def _is_decimal(value: Fraction) -> bool:
    """Whether it can be written with a point, in a few digits."""
    return 10**12 % value.denominator == 0


def _less(beta: Value) -> Number:
    """1 − β."""
    return _number(1 - beta)
