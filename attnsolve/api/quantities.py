"""One quantity of a solution: its numbers in every form, and how it shows itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from textwrap import dedent
from typing import TYPE_CHECKING

from attnsolve.api.calls import asked, figures_of
from attnsolve.api.pages import WIDTH
from attnsolve.errors import AttnsolveError, RequestError

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    import sympy
    from numpy.typing import DTypeLike

    from attnsolve.derivations.writing import Result
    from attnsolve.document import Block
    from attnsolve.numbers.floats import Array
    from attnsolve.solution.exact import Value
    from attnsolve.solution.floats import FloatValue
    from attnsolve.spec.problem import Problem

    MaybeNone: TypeAlias = Any
    """None in a few cases only: an editor completes what is there in all others, and nobody has to ask first."""

Texts = list[list[str]] | list[str] | str
"""Entries as text, row by row; of a vector, as one list; of a single number, the text itself."""


class SolvedQuantity(ABC):
    """One quantity, such as the weights: ``solution["weights"]``.

    It prints itself as a matrix, and a notebook shows it as a table.

    >>> import attnsolve
    >>> scores = attnsolve.solve("causal-mask")["scores"]
    >>> scores.shape
    (4, 4)
    >>> scores.exact.row(2)
    Matrix([[1, 4, 5, -2]])
    >>> scores.decimals(3)[2]
    ['1', '4', '5', '-2']
    >>> scores.array[2].tolist()
    [1.0, 4.0, 5.0, -2.0]
    """

    problem: Problem
    """The problem that it belongs to."""
    id: str
    """Its public name, such as weights."""
    head: str | None
    """The head, or the decoder step, that it belongs to; None where there is only one."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Rows and columns; of a vector its length, of a single number ()."""

    @property
    @abstractmethod
    def exact(self) -> sympy.ImmutableMatrix | MaybeNone:
        """The exact entries as a sympy matrix (of a derivation, an expression); None where some entry has no closed
        form, and for floats."""

    @property
    @abstractmethod
    def exact_text(self) -> Texts | MaybeNone:
        """The exact entries as text; None where some entry has no closed form that can be read."""

    @abstractmethod
    def decimals(self, digits: int | None = None) -> Texts | MaybeNone:
        """Every entry to so many significant digits (default: those of the problem), all proven unless the problem is
        solved in floats; None for what depends on a letter."""

    @property
    def decimal(self) -> Texts | MaybeNone:
        """Every entry to the problem's number of digits."""
        return self.decimals()

    @property
    @abstractmethod
    def array(self) -> Array:
        """The entries as a NumPy array of float64, each the nearest to the true value."""

    @abstractmethod
    def _blocks(self) -> Iterator[Block]:
        """How it is written."""

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        """What ``numpy.asarray(quantity)`` makes of it."""
        array: Array = self.array if dtype is None else self.array.astype(dtype)
        return array.copy() if copy else array

    def _shown(self) -> tuple[Block, ...]:
        from attnsolve.document import Paragraph

        try:
            with asked(self.problem):
                return tuple(self._blocks())
        except AttnsolveError as error:
            return (Paragraph((str(error),)),)

    def __repr__(self) -> str:
        from attnsolve.render.box import plain
        from attnsolve.render.text import TextRenderer

        lines = TextRenderer(WIDTH).blocks(self._shown(), 0)
        return dedent("\n".join(plain(line).rstrip() for line in lines).strip("\n"))

    def _repr_html_(self) -> str:
        from attnsolve.render.notebook import html

        return html(self._shown())

    def _repr_latex_(self) -> str | None:
        from attnsolve.render.notebook import latex

        return latex(self._shown())

    def _repr_markdown_(self) -> str:
        from attnsolve.render.markdown import MarkdownRenderer

        return "\n\n".join(MarkdownRenderer("dollar").blocks(self._shown(), 2))


class ComputedQuantity(SolvedQuantity):
    """A quantity of a problem with numbers."""

    def __init__(self, value: Value | FloatValue) -> None:
        self.problem = value.solution.problem
        self.quantity = value.quantity
        self.id, self.head = value.quantity.key.id, value.quantity.key.head
        self._value = value

    @property
    def shape(self) -> tuple[int, ...]:
        return self._value.shape

    @property
    def exact(self) -> sympy.ImmutableMatrix | MaybeNone:
        with asked(self.problem):
            return self._value.exact

    @property
    def exact_text(self) -> Texts | MaybeNone:
        with asked(self.problem):
            return self._value.exact_text

    def decimals(self, digits: int | None = None) -> Texts | MaybeNone:
        with asked(self.problem):
            return self._value.decimals(figures_of(digits, "decimals"))

    @property
    def array(self) -> Array:
        with asked(self.problem):
            return self._value.array

    def _blocks(self) -> Iterator[Block]:
        from attnsolve.narrate.narrated import NarratedQuantities
        from attnsolve.solution.solved import Narration

        solution = self._value.solution
        assert isinstance(solution, NarratedQuantities)
        return iter(solution.narrator(Narration()).result(self.quantity))


class DerivedResult(SolvedQuantity):
    """A number or a formula that a derivation arrives at."""

    head = None

    def __init__(self, problem: Problem, result: Result) -> None:
        self.problem = problem
        self.id = result.id
        self._result = result

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def exact(self) -> sympy.ImmutableMatrix | MaybeNone:
        return self._result.exact

    @property
    def exact_text(self) -> Texts | MaybeNone:
        from attnsolve.numbers.written import exact_text

        return None if self._result.exact is None else exact_text(self._result.exact, self.problem.style)

    def decimals(self, digits: int | None = None) -> Texts | MaybeNone:
        figures, real = figures_of(digits, "decimals") or self.problem.digits, self._result.real
        if real is None or real.is_symbolic:
            return None
        with asked(self.problem):
            return str(real.decimal(figures))

    @property
    def array(self) -> Array:
        import numpy as np

        real = self._result.real
        if real is None or real.is_symbolic:
            raise RequestError(f"{self.id} is a formula and has no numbers")
        with asked(self.problem):
            return np.array(real.nearest_float())

    def _blocks(self) -> Iterator[Block]:
        from attnsolve import notation as n
        from attnsolve.document import Equation
        from attnsolve.numbers.written import Figures, Real

        real = self._result.real
        if real is None and self._result.exact is not None:
            real = Real.of(self._result.exact)
        if real is not None:
            shown = Figures(self.problem.digits, self.problem.style).show(real)
            yield Equation(n.Chain(self._result.symbol, (("=" if shown.exact else "≈", shown.notation),)))
