"""Layer normalisation: each token's vector less its mean and over its standard deviation, then scaled and shifted; and
its plainer cousin, which divides by the root of the mean square and takes no mean off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.closed import has_symbols
from attnsolve.numbers.constant import Constant, PlainNumber
from attnsolve.numbers.matrix import M
from attnsolve.operations.context import Law, Mistake, Sentence, Shapes
from attnsolve.operations.formula import EntryByEntry, Formula
from attnsolve.operations.letters import letter
from attnsolve.operations.norm_backward import mistakes_of_gamma, mistakes_of_norm, of_norm
from attnsolve.operations.reductions import Centred, Means, MeanSquares, SquaresSum, Variance
from attnsolve.operations.staged import INNER, LETTERS, InStages, Staged
from attnsolve.record import record

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken
    from attnsolve.operations.call import Call
    from attnsolve.operations.evidence import Evidence, GradientNumbers
    from attnsolve.operations.quantity_context import QuantityContext

NO_EPSILON = PlainNumber(0)
GAMMA, BETA = letter("gamma"), letter("beta")


def _is_zero(number: Constant) -> bool:
    return not has_symbols(number.value) and number.value == 0


@record
class Root(EntryByEntry, InStages):
    """√(inner + ε), or with ε added `outside` of the root; not `rooted`, what stands inside it."""

    inner: Formula
    eps: Constant
    outside: bool = False
    rooted: bool = True

    stage = "deviations"
    title = "Standard deviations"
    does = "Take the square root of the variance of each {row}."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,)

    @property
    def letter(self) -> n.Notation | None:
        return super().letter if _is_zero(self.eps) and self.rooted else None

    @property
    def phrase(self) -> str:
        return "the standard deviation" if self.letter else "the root"

    def define(self, *matrices: M) -> M:
        (inner,) = matrices
        if _is_zero(self.eps):
            return inner.apply("sqrt") if self.rooted else inner
        eps = inner.constant(self.eps)
        if self.outside:
            return inner.apply("sqrt") + eps
        return (inner + eps).apply("sqrt") if self.rooted else inner + eps

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        inner = self.inner.notation(write)
        return n.Root(inner if _is_zero(self.eps) else n.Sum((inner, self.eps.written)))


@record
class RootMeanSquare(Root):
    """The same of a mean of squares."""

    stage = "rms"
    title = "Root mean squares"
    does = "Take the square root of the mean square of each {row}."

    @property
    def letter(self) -> n.Notation | None:
        return LETTERS[self.stage] if self.rooted else None

    @property
    def phrase(self) -> str:
        return "its root, the root mean square"


@record
class Normalised(EntryByEntry, InStages):
    """Each entry over the root of its row. `whole_step` is the same step in one go, as far as it is known."""

    over: Formula
    under: Formula
    whole_step: Formula | None = None

    stage = "normalised"
    title = "Normalised entries"
    does = "Divide each entry by the root found for its {row}."

    @property
    def phrase(self) -> str:
        return f"divide each {'difference' if self.over == letter('centred') else 'entry'} by it"

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return self.over, self.under

    def made_from(self, *arguments: Formula) -> Formula:
        over, under = arguments
        return replace(self, over=over, under=under)

    def with_whole_step(self, whole_step: Formula | None) -> Formula:
        return replace(self, whole_step=whole_step)

    def define(self, *matrices: M) -> M:
        over, under = matrices
        return over / under

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Frac(self.over.notation(write), self.under.notation(write))

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        return [] if self.whole_step is None else self.whole_step.laws(found, target)

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield from () if self.whole_step is None else where.mistakes(self.whole_step)


@record
class Scaled(EntryByEntry, InStages):
    """inner · γ + β, either of which may be left out."""

    inner: Formula
    gamma: Formula | None = None
    beta: Formula | None = None
    whole_step: Formula | None = None

    title = "Scaled and shifted"
    does = "Multiply by γ and add β."

    @property
    def phrase(self) -> str:
        return {(True, True): "scale and shift", (True, False): "scale", (False, True): "shift"}[
            self.gamma is not None, self.beta is not None
        ]

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return tuple(part for part in (self.inner, self.gamma, self.beta) if part is not None)

    def made_from(self, *arguments: Formula) -> Formula:
        inner, *others = arguments
        gamma = others.pop(0) if self.gamma is not None else None
        return replace(self, inner=inner, gamma=gamma, beta=others[0] if others else None)

    def with_whole_step(self, whole_step: Formula | None) -> Formula:
        return replace(self, whole_step=whole_step)

    def define(self, *matrices: M) -> M:
        result, *others = matrices
        if self.gamma is not None:
            result = result * others[0]
        return result if self.beta is None else result + others[-1]

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        inner = self.inner.notation(write)
        scaled = inner if self.gamma is None else n.Entrywise((inner, self.gamma.notation(write)))
        return scaled if self.beta is None else n.Sum((scaled, self.beta.notation(write)))

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        return [] if self.whole_step is None else self.whole_step.laws(found, target)

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        yield from () if self.whole_step is None else where.mistakes(self.whole_step)


@record
class LayerNorm(Staged):
    """γ · (x − mean)/√(variance + ε) + β along each row (`down`: each column) of `inner`.

    The variance is the mean of the squared distances from the mean, over n entries; `corrected`, over n − 1. With
    `outside`, ε is added to the standard deviation and not to the variance; not `rooted`, no root is taken. γ and β
    have one entry per feature.
    """

    inner: Formula
    gamma: Formula | None
    beta: Formula | None
    eps: Constant
    down: bool = False
    corrected: bool = False
    outside: bool = False
    rooted: bool = True

    title = "Layer norm"
    divided_by_zero = "a vector whose entries are all equal has variance 0, and without ε this would be a division by 0"

    why_backward = (
        "The mean and the deviation of a {row} depend on every entry of it, so what all entries of the gradient "
        "have in common is subtracted."
    )

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """layernorm(X, gamma, beta, eps=1e-5)."""
        inner, *others = call.values
        gamma, beta = (*call.beside_vectors(others), None, None)[:2]
        return cls(inner, gamma, beta, call.number("eps"), call.down)

    @property
    def why(self) -> str:
        after = [", then scaled"] * (self.gamma is not None) + [" and shifted"] * (self.beta is not None)
        return f"Each {{row}} is normalised to mean 0 and variance 1{''.join(after)}."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return tuple(part for part in (self.inner, self.gamma, self.beta) if part is not None)

    @property
    def entering(self) -> dict[Key, Formula]:
        letters = {INNER.key: self.inner, GAMMA.key: self.gamma, BETA.key: self.beta}
        return {key: part for key, part in letters.items() if part is not None}

    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        stages: dict[str, Formula] = {
            "means": Means(INNER, down, alone),
            "centred": Centred(INNER, letter("means")),
            "variances": Variance(letter("centred"), down, alone, int(self.corrected)),
            "deviations": Root(letter("variances"), self.eps, self.outside, self.rooted),
        }
        normalised = Normalised(letter("centred"), letter("deviations"))
        if self.gamma is None and self.beta is None:
            return {**stages, "": normalised}
        gamma, beta = (None if part is None else name for part, name in ((self.gamma, GAMMA), (self.beta, BETA)))
        return {**stages, "normalised": normalised, "": Scaled(letter("normalised"), gamma, beta)}

    def balances(self, place: int) -> bool:
        return place == 0

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        plain = self.gamma is None and self.beta is None
        normalised = use.value if plain else use.name(replace(self, gamma=None, beta=None))
        which = ("inner", *["gamma"] * (self.gamma is not None), *["beta"] * (self.beta is not None))[place]
        if which == "beta":
            return upstream
        if which == "gamma":
            return use.times(upstream, normalised)
        return of_norm(self, normalised, "deviations", upstream, use, centred=True)

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        plain = self.gamma is None and self.beta is None
        normalised = use.value if plain else use.name(replace(self, gamma=None, beta=None))
        if place == 0:
            yield from mistakes_of_norm(self, normalised, "deviations", upstream, use, centred=True)
        elif place == 1 and self.gamma is not None:
            yield from mistakes_of_gamma(self, upstream, use)

    def why_vanishing(self, place: int, upstream: Formula, numbers: GradientNumbers) -> str:
        rows = numbers.rows(self.inner)
        size, row = len(rows) if self.down else len(rows[0]), "column" if self.down else "row"
        if place == 0 and size == len((1, -1)) and _is_zero(self.eps):
            return f"a layer norm of two entries without ε makes them 1 and −1, whatever the {row} is"
        return ""

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("LayerNorm", tuple(argument.notation(write) for argument in self.arguments))

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        row_or_column, size = ("column", 0) if self.down else ("row", 1)
        count = self.inner.shape(cells)[size]
        description = (
            f"For each {row_or_column}, the variance is the sum of squared deviations divided by {count}, and "
        )
        if _is_zero(self.eps):
            return [(f"{description}nothing is added to it under the root.",)]
        return [(f"{description}ε = ", self.eps.written, " is added to it under the root.")]

    def laws(self, found: Evidence, target: Key) -> list[Law]:
        if self.gamma is not None or self.beta is not None:
            return []
        holds, nearly = found.sum_to(target, [0] * len(found.fully_masked(target, target)))
        return [Law("mean-zero", f"each {'column' if self.down else 'row'} has mean 0{nearly}", holds)]

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        rows, columns = self.inner.shape(where)
        size, others = (rows, columns) if self.down else (columns, rows)
        if size > 1:
            description = f"the variance was divided by n − 1 = {size - 1} instead of n = {size}"
            yield Mistake("layernorm-variance-corrected", description, replace(self, corrected=True))
        if not _is_zero(self.eps):
            description = "ε was added to the standard deviation, outside the root, instead of to the variance"
            yield Mistake("layernorm-epsilon-outside", description, replace(self, outside=True))
            yield Mistake("layernorm-epsilon-forgotten", "ε was left out", replace(self, eps=NO_EPSILON))
        description = "the entries were divided by the variance, without taking its square root"
        yield Mistake("layernorm-root-forgotten", description, replace(self, rooted=False))
        if others > 1:
            along, across = ("down each column", "along each row")[:: 1 if self.down else -1]
            description = f"the mean and the variance were taken {across} instead of {along}"
            yield Mistake("layernorm-wrong-axis", description, replace(self, down=not self.down))
        yield from self._mistakes_after(where)

    def _mistakes_after(self, where: QuantityContext) -> Iterator[Mistake]:
        """What is forgotten, or taken for the other, once the entries are normalised."""
        gamma, beta = (part and where.text_of(part) for part in (self.gamma, self.beta))
        if gamma is not None:
            description = f"the normalised entries were not multiplied by {gamma}"
            yield Mistake("layernorm-gamma-forgotten", description, replace(self, gamma=None))
        if beta is not None:
            yield Mistake("layernorm-beta-forgotten", f"{beta} was not added", replace(self, beta=None))
        if gamma is not None and beta is not None:
            description = f"{gamma} and {beta} were swapped"
            yield Mistake("layernorm-exchanged", description, replace(self, gamma=self.beta, beta=self.gamma))


@record
class RmsNorm(Staged):
    """γ · x/√(mean of the squares + ε) along each row (`down`: each column); `summed`, over the root of their sum."""

    inner: Formula
    gamma: Formula | None
    eps: Constant
    down: bool = False
    outside: bool = False
    summed: bool = False
    rooted: bool = True

    title = "RMS norm"
    divided_by_zero = "a vector of zeros has mean square 0, and without ε this would be a division by 0"

    why_backward = (
        "The root mean square of a {row} depends on every entry of it, so what all entries of the gradient have "
        "in common is subtracted."
    )

    @classmethod
    def from_call(cls, call: Call) -> Formula:
        """rmsnorm(X, gamma, eps=1e-5)."""
        inner, *others = call.values
        gamma = next(iter(call.beside_vectors(others)), None)
        return cls(inner, gamma, call.number("eps"), call.down)

    @property
    def why(self) -> str:
        after = "" if self.gamma is None else " and then scaled"
        return f"Each {{row}} is divided by its root mean square{after}; unlike in layer norm, no mean is subtracted."

    @property
    def arguments(self) -> tuple[Formula, ...]:
        return (self.inner,) if self.gamma is None else (self.inner, self.gamma)

    @property
    def entering(self) -> dict[Key, Formula]:
        return dict(zip((INNER.key, GAMMA.key), self.arguments, strict=False))

    def inside(self, down: bool = False, alone: bool = False) -> dict[str, Formula]:
        squares = SquaresSum(INNER, down, alone) if self.summed else MeanSquares(INNER, down, alone)
        stages: dict[str, Formula] = {
            "mean_squares": squares,
            "rms": RootMeanSquare(letter("mean_squares"), self.eps, self.outside, self.rooted),
        }
        normalised = Normalised(INNER, letter("rms"))
        if self.gamma is None:
            return {**stages, "": normalised}
        return {**stages, "normalised": normalised, "": Scaled(letter("normalised"), GAMMA)}

    def backward(self, place: int, upstream: Formula, use: Backward) -> Formula:
        normalised = use.value if self.gamma is None else use.name(replace(self, gamma=None))
        if place == 1:
            return use.times(upstream, normalised)
        return of_norm(self, normalised, "rms", upstream, use, centred=False)

    def backward_mistakes(self, place: int, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
        normalised = use.value if self.gamma is None else use.name(replace(self, gamma=None))
        if place == 0:
            yield from mistakes_of_norm(self, normalised, "rms", upstream, use, centred=False)
        else:
            yield from mistakes_of_gamma(self, upstream, use)

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Call("RMSNorm", tuple(argument.notation(write) for argument in self.arguments))

    def conventions(self, write: Callable[[Key], n.Notation], cells: Shapes) -> list[Sentence]:
        row_or_column = "column" if self.down else "row"
        description = (
            f"RMSNorm divides each {row_or_column} by the root of the mean of its squares, without subtracting the mean"
        )
        if _is_zero(self.eps):
            return [(f"{description}.",)]
        return [(f"{description}; ε = ", self.eps.written, " is added to that mean under the root.")]

    def mistakes(self, where: QuantityContext) -> Iterator[Mistake]:
        rows, columns = self.inner.shape(where)
        size, others = (rows, columns) if self.down else (columns, rows)
        description = "the mean was subtracted first, as in a layer norm"
        yield Mistake("rmsnorm-centred", description, LayerNorm(self.inner, self.gamma, None, self.eps, self.down))
        if size > 1:
            description = f"the root of the sum of squares was taken, without dividing by {size}"
            yield Mistake("rmsnorm-sum", description, replace(self, summed=True))
        if not _is_zero(self.eps):
            description = "ε was added outside the root, instead of to the mean of the squares"
            yield Mistake("rmsnorm-epsilon-outside", description, replace(self, outside=True))
            yield Mistake("rmsnorm-epsilon-forgotten", "ε was left out", replace(self, eps=NO_EPSILON))
        description = "the entries were divided by the mean of the squares, without taking its square root"
        yield Mistake("rmsnorm-root-forgotten", description, replace(self, rooted=False))
        if others > 1:
            along, across = ("down each column", "along each row")[:: 1 if self.down else -1]
            description = f"the mean of the squares was taken {across} instead of {along}"
            yield Mistake("rmsnorm-wrong-axis", description, replace(self, down=not self.down))
        if self.gamma is not None:
            description = f"the normalised entries were not multiplied by {where.text_of(self.gamma)}"
            yield Mistake("rmsnorm-gamma-forgotten", description, replace(self, gamma=None))
