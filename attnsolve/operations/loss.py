"""How far predictions are from their targets: −ln of the probability of each target, and the mean of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.errors import there_are
from attnsolve.key import Key
from attnsolve.language.syntax import CallNode
from attnsolve.numbers.balls import Ball, Balls
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import M
from attnsolve.numbers.surds import EULER
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.context import Mistake, Sentence, Shapes
from attnsolve.operations.formula import Formula, Sides
from attnsolve.operations.lookup import OneHot
from attnsolve.operations.reductions import GrandTotal, Mean
from attnsolve.operations.slips import PossibleSlip
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.where import Where


@record
class AtTargets(Formula):
    """The entry of each row (`down`: each column) that its target names, as a list. Targets are counted from 1."""

    inner: Formula
    targets: tuple[int, ...]
    down: bool = False

    opens = "letters"
    title = "Probabilities of the targets"
    does = "From each {row}, take the probability of its target."

    why_backward = "Only the entry of the target goes into the loss."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        turned = inner if self.down else inner.T
        rows = [turned.columns(k, k + 1).T.columns(target - 1, target) for k, target in enumerate(self.targets)]
        return rows[0].beside(rows[1:]) if len(rows) > 1 else rows[0]

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        column = upstream if self.down else use.turned(upstream)
        marks = use.name(self.chosen(use))
        return use.times(column, use.turned(marks) if self.down else marks)

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        column = upstream if self.down else use.turned(upstream)
        said = "every entry got the gradient, not only that of the target"
        yield Mistake("loss-gradient-to-all", said, use.whole(column, use.shape(self.inner)))

    def chosen(self, use: Backward) -> Formula:
        """A row with a 1 at its target for each of them."""
        classes = use.shape(self.inner)[0 if self.down else 1]
        return OneHot(self.targets, classes, f"[{', '.join(map(str, self.targets))}]")

    def token_sides(self, of: Callable[[Key], Sides]) -> Sides:
        return False, any(self.inner.token_sides(of))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call(type(self).__name__.lower(), (self.inner.notation(write), self._said))

    @property
    def _said(self) -> n.Notation:
        return n.Grid((tuple(n.Num(str(target)) for target in self.targets),))


@record
class Losses(AtTargets):
    """−ln of the probability that each row gives to its target; to another `base` than e where it isn't 0."""

    base: int = 0

    title = "Loss of each token"
    does = "Each token's loss is −ln of the probability assigned to its target."

    why_backward = "The derivative of −ln p is −1/p, at the probability of the target; the others do not count."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """nll(P, [2, 1])."""
        targets = call.sheet.ids(call.others["ids"])
        shape = call.shapes[0]
        rows, classes = (1, (1, *shape)[-1]) if call.alone else (shape[::-1] if call.down else shape)
        if len(targets) != rows:
            description = f"{call.name} needs one target per token, {rows} in all, but {len(targets)} were found"
            raise call.refused(description, node=call.others["ids"])
        for target in targets:
            if not 1 <= target <= classes:
                description = f"{target} can't be a target: {there_are(classes, 'class', 'classes')}, counted from 1"
                raise call.refused(description, node=call.others["ids"])
        return cls(call.values[0], targets, call.down)

    def define(self, *matrices: M) -> M:
        logarithms = -super().define(*matrices).apply("ln")
        if not self.base:
            return logarithms
        return logarithms / logarithms.constant(PlainNumber(self.base)).apply("ln")

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        taken = use.name(AtTargets(self.inner, self.targets, self.down))
        return AtTargets.backward(self, place, use.name(use.negated(use.over(upstream, taken))), use)

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        right = self.backward(place, upstream, use)
        yield Mistake("gradient-sign", "the minus sign of −ln was left out", use.negated(right))
        said = "the derivative of the logarithm, 1/p, was left out"
        yield Mistake("derivative-forgotten", said, AtTargets.backward(self, place, use.negated(upstream), use))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("nll", (self.inner.notation(write), self._said))

    why_backward_through = (
        "Through cross-entropy and softmax together, each score gets its probability, minus 1 at the target."
    )

    def backward_through(self, inner: Formula, upstream: Formula, use: Backward) -> Formula | None:
        """With the softmax before it: the weights less 1 at the target."""
        if self.base or not (inner.takes_powers and inner.options == (EULER,)):
            return None
        if (inner.goes_down or False) != self.down:
            return None
        marks = use.name(self.chosen(use))
        column = upstream if self.down else use.turned(upstream)
        return use.times(column, use.minus(self.inner, use.turned(marks) if self.down else marks))

    def backward_through_mistakes(self, inner: Formula, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        """P for P − Y, Y − P, and P − Y with other targets."""
        right = self.backward_through(inner, upstream, use)
        assert right is not None
        column = upstream if self.down else use.turned(upstream)
        weights = use.text_of(self.inner)
        said = f"the 1 at each target was not subtracted from {weights}"
        yield Mistake("loss-gradient-target-forgotten", said, use.times(column, self.inner))
        said = f"{weights} was subtracted from the targets, instead of the targets from {weights}"
        yield Mistake("gradient-sign", said, use.negated(right))
        classes = use.shape(self.inner)[0 if self.down else 1]
        for shift, counted in ((1, "counted from 0"), (-1, "each taken one too low")):
            moved = tuple(target + shift for target in self.targets)
            if all(1 <= target <= classes for target in moved):
                share = replace(self, targets=moved).backward_through(inner, upstream, use)
                assert share is not None
                said = (
                    f"the 1s were subtracted in other places: the targets were {counted}, but they are counted from 1"
                )
                yield Mistake("targets-shifted", said, share)

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        targets = f"counted from 1, the targets are {', '.join(map(str, self.targets))}"
        return [(f"The loss of a token is −ln of the probability of its target; {targets}.",)]

    def possible_slips(
        self, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball
    ) -> Iterator[PossibleSlip]:
        """Another class than the target."""
        table = self.inner.evaluate(values, Balls)
        row = (table.T if self.down else table).rows[max(place)]
        for number, probability in enumerate(row, 1):
            if number != self.targets[max(place)] and probability > 0:
                pattern = "the probability of class {} was taken, but the target is {}"
                description = partial(pattern.format, number, self.targets[max(place)])
                yield PossibleSlip("wrong-class", 2, -probability.log(), description)

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        for base in (10, 2):
            description = f"the logarithm to base {base} was used instead of the natural logarithm"
            yield Mistake(f"loss-log-{base}", description, replace(self, base=base))
        yield Mistake("loss-sign", "the minus sign before the logarithm was left out", Negate(self))
        description = "the probability of the target itself was used, without −ln"
        yield Mistake("loss-without-log", description, AtTargets(self.inner, self.targets, self.down))
        classes = self.inner.shape(where)[0 if self.down else 1]
        for shift, description in ((1, "counted from 0"), (-1, "each taken one too low")):
            moved = tuple(target + shift for target in self.targets)
            if all(1 <= target <= classes for target in moved):
                yield Mistake(
                    "targets-shifted",
                    f"the targets were {description}, but they are counted from 1",
                    replace(self, targets=moved),
                )


@record
class CrossEntropy(Mean):
    """The mean of the losses of all tokens."""

    title = "Cross-entropy"
    does = "The cross-entropy is the mean of the losses of all tokens."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """crossentropy(P, ids): the mean of nll(P, ids), which is a quantity of its own."""
        node = call.node
        losses = CallNode("nll", node.arguments, node.options, node.over, node.start)
        return cls(call.sheet.value(losses))

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        rows, columns = self.inner.shape(where)
        if rows * columns > 1:
            description = f"the losses were added up, but not divided by {rows * columns}"
            yield Mistake("loss-summed", description, GrandTotal(self.inner))
