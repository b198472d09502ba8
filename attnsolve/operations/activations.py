"""Smooth activations, entry by entry: the sigmoid, SiLU, and GELU in its exact form and in the one with tanh."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, log10
from typing import TYPE_CHECKING, ClassVar

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, Balls
from attnsolve.numbers.closed import cell_of
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import M
from attnsolve.numbers.surds import EULER, square_root
from attnsolve.numbers.written import Real
from attnsolve.operations.arithmetic import Negate, Unary
from attnsolve.operations.context import Law, Mistake
from attnsolve.operations.formula import Formula
from attnsolve.operations.letters import letter
from attnsolve.operations.number import Number
from attnsolve.operations.slips import PossibleSlip
from attnsolve.operations.staged import INNER, InStages, StagedEntries
from attnsolve.operations.stages import Powers
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.evidence import Evidence
    from attnsolve.operations.where import Where

ONE, HALF = PlainNumber(1), PlainNumber(Fraction(1, 2))
ROOT_2 = PlainNumber(square_root(2))
CUBED = PlainNumber(Fraction("0.044715"), "decimal")
"""How much of the cube goes into the tanh of a GELU."""


@record
class Activation(Unary, StagedEntries):
    """A function of every entry that is worked in stages."""

    called: ClassVar[str] = ""

    @property
    def subject(self) -> str:
        """What it is called in a sentence: GELU, but the sigmoid."""
        return f"the {self.called}" if self.called.islower() else self.called

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """gelu(X)."""
        return cls(*call.values)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call(self.called, (self.inner.notation(write),))

    @abstractmethod
    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        """Its stages."""

    def possible_slips(
        self, values: Mapping[Key, Balls], place: tuple[int, int], right: Ball
    ) -> Iterator[PossibleSlip]:
        before = self.inner.evaluate(values, Balls).table[place]
        yield PossibleSlip("step-left-out", 2, before, lambda: f"{self.subject} was not applied here")

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield Mistake(f"{self.called.lower()}-forgotten", f"{self.subject} was not applied", self.inner)


@record
class Exponential(Unary, InStages):
    """e^inner, as a stage."""

    stage = "powers"

    def define(self, *matrices: M) -> M:
        return matrices[0].exp(EULER)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("exp", (self.inner.notation(write),))


@record
class OverOneMore(Unary, InStages):
    """inner/(1 + inner)."""

    def define(self, *matrices: M) -> M:
        (powers,) = matrices
        return powers / (powers.constant(ONE) + powers)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        inner = self.inner.notation(write)
        return n.Frac(inner, n.Sum((n.Num("1"), inner)))


@record
class Sigmoid(Activation):
    """e^x/(1 + e^x), which is 1/(1 + e^(−x))."""

    stage = "sigmoids"
    kernel = "sigmoid"
    title = "Sigmoid"
    does = "The sigmoid, e^x/(1 + e^x) = 1/(1 + e^(−x)), squashes every entry into the range from 0 to 1."
    called = "sigmoid"

    why_backward = "The derivative of the sigmoid σ is σ(1 − σ)."

    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        return {"powers": Exponential(INNER), "": OverOneMore(letter("powers"))}

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.times(use.value, use.minus(use.number(1), use.value)))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        one = use.number(1)
        yield use.passed_on(upstream, "the derivative of the sigmoid, σ(1 − σ)")
        said = f"σ(1 − σ) was taken with the input {use.text_of(self.inner)} in place of σ"
        slope = use.times(self.inner, use.minus(one, self.inner))
        yield Mistake("derivative-at-input", said, use.times(upstream, slope))
        said = "σ alone was used for the derivative of the sigmoid, which is σ(1 − σ)"
        yield Mistake("derivative-factor-forgotten", said, use.times(upstream, use.value))

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        holds = found.within(target, 0, 1)
        return [] if holds is None else [Law("within-zero-and-one", "every entry lies between 0 and 1", holds)]

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        description = "the minus sign in 1/(1 + e^(−x)) was left out"
        yield Mistake("sigmoid-sign", description, Sigmoid(Negate(self.inner)))


@record
class TimesItself(InStages):
    """x times a function of it."""

    left: Formula
    right: Formula

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.left, self.right

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left * right

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Entrywise((self.left.notation(write), self.right.notation(write)))


@record
class Silu(Activation):
    """x · sigmoid(x)."""

    title = "SiLU"
    does = "SiLU multiplies each entry x by its own sigmoid: x · e^x/(1 + e^x)."
    called = "SiLU"

    why_backward = "The derivative of x σ(x) is σ(x) + x σ(x) (1 − σ(x))."

    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        return {"sigmoids": Sigmoid(INNER), "": TimesItself(INNER, letter("sigmoids"))}

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        sigmoid = use.name(Sigmoid(self.inner))
        slope = use.plus(sigmoid, use.times(use.value, use.minus(use.number(1), sigmoid)))
        return use.times(upstream, use.name(slope))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.passed_on(upstream, "the derivative of SiLU")
        said = "only the sigmoid was used for the derivative of SiLU, but x in x σ(x) has its own part in it"
        yield Mistake("product-rule-forgotten", said, use.times(upstream, Sigmoid(self.inner)))

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        description = "the sigmoid was taken, but not multiplied by the entry itself"
        yield Mistake("silu-not-multiplied", description, Sigmoid(self.inner))
        yield Mistake("gelu-for-silu", "GELU was used instead of SiLU", Gelu(self.inner))


@record
class ErrorFunction(Unary, InStages):
    """erf(x/√2), which is what a normal distribution is made of."""

    stage = "erfs"

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        return (inner / inner.constant(ROOT_2)).apply("erf")

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("erf", (n.Frac(self.inner.notation(write), ROOT_2.written),))


@record
class TanhOfCubic(Unary, InStages):
    """tanh(√(2/π) (x + 0.044715 x³))."""

    stage = "tanhs"

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        cubic = inner + inner.constant(CUBED) * inner.raised(3)
        return (inner.constant(_root_of_two_over_pi()) * cubic).apply("tanh")

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        inner = self.inner.notation(write)
        cube = n.Product((CUBED.written, n.Power(inner, n.Num("3"))))
        return n.Call("tanh", (n.Product((_root_of_two_over_pi().written, n.Sum((inner, cube)))),))


def _root_of_two_over_pi() -> PlainNumber:
    import sympy

    return PlainNumber(cell_of(sympy.sqrt(2 / sympy.pi)))


def _normal_density() -> PlainNumber:
    """The bell curve at 0: 1/√(2π)."""
    import sympy

    return PlainNumber(cell_of(1 / sympy.sqrt(2 * sympy.pi)))


def _cancelled(came: Sequence[Real], stages: Mapping[str, Sequence[Real]]) -> int:
    """What is lost where 1 + erf, or 1 + tanh, is nearly 0."""
    pairs = zip(came, stages[""], strict=True)
    shares = (2 * h.nearest_float() / x.nearest_float() for x, h in pairs if x.nearest_float() < 0)
    return max((ceil(-log10(share)) for share in shares if share > 0), default=0)


@record
class HalfTimesOnePlus(TimesItself):
    """½ x (1 + right)."""

    def define(self, *matrices: M) -> M:
        left, right = matrices
        return left.constant(HALF) * left * (right.constant(ONE) + right)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        left, right = self.left.notation(write), self.right.notation(write)
        return n.Product((HALF.written, left, n.Sum((n.Num("1"), right))))


@record
class Gelu(Activation):
    """x times the part of a normal distribution below it: ½ x (1 + erf(x/√2))."""

    title = "GELU"
    does = "GELU multiplies each entry x by the chance that a standard normal number is below x: ½ x (1 + erf(x/√2))."
    called = "GELU"

    why_backward = "The derivative of x Φ(x) is Φ(x) + x φ(x), with the bell curve φ."

    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        return {"erfs": ErrorFunction(INNER), "": HalfTimesOnePlus(INNER, letter("erfs"))}

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        below = use.over(use.plus(use.number(1), use.name(ErrorFunction(self.inner))), use.number(2))
        square = use.over(use.raised(self.inner, 2), use.number(2))
        density = use.times(Number(_normal_density()), use.name(Powers(use.negated(square))))
        return use.times(upstream, use.name(use.plus(below, use.times(self.inner, use.name(density)))))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.passed_on(upstream, "the derivative of GELU")
        below = use.over(use.plus(use.number(1), ErrorFunction(self.inner)), use.number(2))
        said = "only Φ(x) was used for the derivative of GELU, which is Φ(x) + x φ(x)"
        yield Mistake("product-rule-forgotten", said, use.times(upstream, below))

    def cancelled(self, came: Sequence[Real], stages: Mapping[str, Sequence[Real]]) -> int:
        return _cancelled(came, stages)

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        description = "the approximation with tanh was used instead of the exact GELU"
        yield Mistake("gelu-tanh-for-erf", description, GeluTanh(self.inner))


@record
class GeluTanh(Activation):
    """½ x (1 + tanh(√(2/π) (x + 0.044715 x³))), which comes close to GELU."""

    title = "GELU (tanh form)"
    does = "This approximation of GELU needs no error function: ½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))."
    called = "GELU"

    why_backward = (
        "The derivative of ½ x (1 + t) is ½ (1 + t) + ½ x t′, with t′ = (1 − t²) times the derivative of what "
        "tanh is taken of."
    )

    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        return {"tanhs": TanhOfCubic(INNER), "": HalfTimesOnePlus(INNER, letter("tanhs"))}

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        tanh = use.name(TanhOfCubic(self.inner))
        first = use.times(use.number(Fraction(1, 2)), use.plus(use.number(1), tanh))
        three = use.times(use.number(3), Number(CUBED))
        inside = use.plus(use.number(1), use.times(three, use.raised(self.inner, 2)))
        inside = use.times(Number(_root_of_two_over_pi()), use.name(inside))
        slope = use.times(use.name(use.minus(use.number(1), use.raised(tanh, 2))), use.name(inside))
        second = use.times(use.number(Fraction(1, 2)), use.times(self.inner, use.name(slope)))
        return use.times(upstream, use.name(use.plus(first, second)))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.passed_on(upstream, "the derivative of GELU")
        below = use.over(use.plus(use.number(1), TanhOfCubic(self.inner)), use.number(2))
        said = "only ½ (1 + t) was used for the derivative of GELU, but t changes with x, too"
        yield Mistake("product-rule-forgotten", said, use.times(upstream, below))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("GELU", (self.inner.notation(write),), "tanh")

    def cancelled(self, came: Sequence[Real], stages: Mapping[str, Sequence[Real]]) -> int:
        return _cancelled(came, stages)

    def mistakes(self, where: Where) -> Iterator[Mistake]:
        yield from super().mistakes(where)
        description = "the exact GELU with erf was used instead of its approximation with tanh"
        yield Mistake("gelu-erf-for-tanh", description, Gelu(self.inner))
