"""Functions of every entry that have nothing else to say, and the length of a vector."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.operations.arithmetic import Unary
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call


@record
class Function(Unary):
    """ln, √, sin, cos or the absolute value of every entry."""

    name: Literal["ln", "sqrt", "sin", "cos", "abs"]

    inline = True

    why_backward = "The gradient is multiplied by the derivative of the function."

    @property
    def title(self) -> str:
        return {"ln": "Logarithm", "sqrt": "Square root", "sin": "Sine", "cos": "Cosine", "abs": "Absolute value"}[
            self.name
        ]

    @property
    def does(self) -> str:
        return f"Take the {self.title.lower()} of every entry."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """ln(X)."""
        return cls(call.values[0], call.name)  # type: ignore[arg-type]

    @property
    def is_partial(self) -> bool:
        return self.name in ("ln", "sqrt")

    @property
    def depends_on_signs(self) -> bool:
        return self.name == "sqrt"

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        return inner.maximum(-inner) if self.name == "abs" else inner.apply(self.name)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        match self.name:
            case "ln":
                return use.over(upstream, self.inner)
            case "sqrt":
                return use.over(upstream, use.times(use.number(2), use.value))
            case "sin":
                return use.times(upstream, use.name(Function(self.inner, "cos")))
            case "cos":
                return use.negated(use.times(upstream, use.name(Function(self.inner, "sin"))))
        return use.times(upstream, use.sign(self.inner, "|x|"))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.passed_on(upstream, f"the derivative of the {self.title.lower()}")
        right = self.backward(place, upstream, use)
        if self.name == "cos":
            yield Mistake(
                "gradient-sign", "the minus sign of the derivative of the cosine was left out", use.negated(right)
            )
        if self.name == "sqrt":
            twice = use.times(use.number(2), right)
            yield Mistake("gradient-factor-forgotten", "the 2 in the derivative 1/(2√x) was left out", twice)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        inner = self.inner.notation(write)
        match self.name:
            case "sqrt":
                return n.Root(inner)
            case "abs":
                return n.Abs(inner)
        return n.Call(self.name, (inner,))


@record
class Absolute(Unary):
    """|x| of every entry."""

    kernel = "absolute"
    title = "Absolute values"
    does = "Drop the sign of every entry."
    inline = True

    why_backward = "The derivative of |x| is the sign of x."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """abs(X)."""
        return cls(*call.values)

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        return inner.maximum(-inner)

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.sign(self.inner, "|x|"))

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        yield use.passed_on(upstream, "the sign of the entries")

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Abs(self.inner.notation(write))


@record
class Norm(Formula):
    """The root of the sum of all squares, a number."""

    inner: Formula

    fills = False
    opens = "letters"
    title = "Length"
    does = "The length is the square root of the sum of the squares."

    why_backward = "The derivative of a length is the vector divided by its length."

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """norm(X)."""
        return cls(*call.values)

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        return (inner * inner).reduce("sum").T.reduce("sum").apply("sqrt")

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        return use.times(upstream, use.over(self.inner, use.value))

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Norm(self.inner.notation(write))
