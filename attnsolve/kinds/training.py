"""A problem's graph with the derivatives that its file asks for: gradients, a Jacobian, and parameters after a step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from attnsolve.errors import Fault, Mark, ProblemError, nearest
from attnsolve.graph import Graph, Quantity, spellings
from attnsolve.graph.gradients import Differentiation, Refused
from attnsolve.graph.places import find_quantities
from attnsolve.key import Key
from attnsolve.library.words import instead
from attnsolve.notation.text import TextPrinter
from attnsolve.operations.formula import Formula, Given
from attnsolve.operations.number import ONE
from attnsolve.spec.fields import GivenMatrix
from attnsolve.spec.gradient import AskedGradient, AskedName, Training
from attnsolve.spec.problem import Problem


def with_training(problem: Problem, graph: Graph, training: Training) -> Graph:
    """The graph with everything that is asked for of derivatives."""
    if training.gradient is not None:
        graph = _Gradient(problem, graph, training.gradient).graph()
    if training.jacobian is not None:
        from attnsolve.kinds.jacobians import with_jacobian

        asked = _Asked(problem, graph)
        of, to = (asked.one(named) for named in (training.jacobian.of, training.jacobian.to))
        graph = with_jacobian(problem, graph, training.jacobian, of, to)
    if training.update is not None:
        from attnsolve.kinds.updates import Updated

        graph = Updated(problem, graph, training.update).graph()
    return graph


class _Asked:
    """What a file asks for, found in the graph."""

    def __init__(self, problem: Problem, graph: Graph) -> None:
        self.problem = problem
        self.before = graph

    def fault(self, at: Mark, message: str, fix: str = "") -> ProblemError:
        """What keeps the derivatives from being worked out, to be raised."""
        return ProblemError([Fault(self.problem.file, at, message, fix)])

    def quantities(self, named: AskedName) -> list[Quantity]:
        """The quantities that a name means, of every head and step."""
        found = find_quantities(self.before, named.name) or self._of_every_head(named.name)
        if not found:
            known = dict.fromkeys(q.key.id for q in self.before if "." not in q.key.id)
            message = f"there is no {named.name} here"
            raise self.fault(named.at, message, instead(named.name, known) or nearest(named.name, known))
        return found

    def _of_every_head(self, name: str) -> list[Quantity]:
        """The quantities of all heads that are written with a letter: Q for Q_1 and Q_2."""
        alike = ((q, replace(q, name=replace(q.name, head=None))) for q in self.before if q.name.head is not None)
        return [q for q, plain in alike if name in spellings(plain)]

    def one(self, named: AskedName) -> Quantity:
        """The only quantity that a name means."""
        found = self.quantities(named)
        if len(found) > 1:
            message = f"{named.name} belongs to several {found[0].key.groups}"
            raise self.fault(named.at, message, f"name one of them, such as {named.name}@{found[0].key.head}")
        return found[0]

    def written(self, quantity: Quantity) -> str:
        """A quantity in its symbol."""
        return TextPrinter().print(quantity.name.matrix)


class _Gradient(_Asked):
    """The gradients of a loss, or from those that the sheet states."""

    def __init__(self, problem: Problem, graph: Graph, asked: AskedGradient) -> None:
        super().__init__(problem, graph)
        self.asked = asked

    def graph(self) -> Graph:
        """The graph with them."""
        if self.problem.rounding is not None and self.problem.rounding.each_step:
            message = "gradients can't be worked out where each step is rounded: a rounded result has no derivative"
            raise self.fault(self.asked.at, message, "write rounding: {when: shown}")
        seeds = self._seeds()
        wanted = self._wanted(seeds)
        try:
            made = Differentiation(self.before, seeds, wanted, fused=self.asked.fused).graph()
        except Refused as error:
            quantity = self.before[error.key]
            message = f"no gradient goes through {self.written(quantity)}: {error}"
            raise self.fault(self.asked.at, message) from None
        self._refuse_clashes(made)
        return made

    def _seeds(self) -> dict[Key, Formula]:
        """Where they start."""
        if self.asked.of is None:
            return dict(self._stated())
        found = self.quantities(self.asked.of)
        loss = found[0]
        if len(found) > 1:
            message = f"{self.asked.of.name} belongs to several {loss.key.groups}"
            raise self.fault(
                self.asked.of.at, message, f"name one of them, such as {self.asked.of.name}@{loss.key.head}"
            )
        if loss.shape != (1, 1):
            rows, columns = loss.shape
            message = f"a gradient is that of one number, but {self.written(loss)} is {rows}×{columns}"
            name = self.asked.of.name
            fix = f"add a formula such as L: total({name}), or give upstream: {{{name}: [[...]]}}"
            raise self.fault(self.asked.of.at, message, fix)
        return {loss.key: ONE}

    def _stated(self) -> Iterable[tuple[Key, Formula]]:
        for name, matrix in self.asked.upstream.items():
            quantity = self.one(AskedName(name, matrix.at))
            yield quantity.key, Given(self._fitting(quantity, matrix).rows)

    def _fitting(self, quantity: Quantity, matrix: GivenMatrix) -> GivenMatrix:
        if matrix.identity and quantity.shape[0] == quantity.shape[1]:
            matrix = matrix.sized(quantity.shape[0])
        if matrix.flat and quantity.is_vector and quantity.shape[1] == 1:
            matrix = matrix.turned()
        if not matrix.unread and matrix.shape != quantity.shape:
            (rows, columns), (height, width) = quantity.shape, matrix.shape
            message = (
                f"the gradient of {self.written(quantity)} must be {rows}×{columns}, but {height}×{width} was found"
            )
            raise self.fault(matrix.at, message)
        return matrix

    def _wanted(self, seeds: dict[Key, Formula]) -> list[Key]:
        """What they are wanted for; everything given that the loss rests on, where the file does not say."""
        behind = set[Key]().union(*map(self.before.ancestors, seeds))
        if not self.asked.to:
            return [q.key for q in self.before if q.given and q.key in behind]
        found = []
        for named in self.asked.to:
            for quantity in self.quantities(named):
                if quantity.key in seeds:
                    raise self.fault(named.at, f"the gradients start from {named.name}", "leave it out")
                found.append(quantity.key)
        return list(dict.fromkeys(found))

    def _refuse_clashes(self, made: Graph) -> None:
        """A gradient that would be written like something else of the sheet."""
        own = {q.name.matrix for q in self.before}
        assert made.gradients is not None
        for key in made.gradients.keys.values():
            if key in self.before.quantities or made[key].name.matrix in own:
                text = self.written(made[key])
                message = f"{text} is the gradient of {text[1:]}, but the sheet has a {text} of its own"
                raise self.fault(self.asked.at, message, "give that another name")
