"""What can be asked of a problem worked out, whatever it became: to be told as a document, or as Markdown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, Self

from attnsolve.kinds import refuse_beyond
from attnsolve.narrate import parts, steps
from attnsolve.narrate.exact import ExactNarrator, cost_of_writing
from attnsolve.solution.computed import Computed
from attnsolve.solution.exact import Solution
from attnsolve.solution.solved import Narration, Solved

if TYPE_CHECKING:
    from attnsolve.document import Block, Document
    from attnsolve.graph import Graph
    from attnsolve.narrate.narrator import Narrator
    from attnsolve.render.markdown import Flavour
    from attnsolve.spec.problem import Problem


class Proofs(Protocol):
    """Proves what a part asks to be shown. Proofs show solutions as examples, so they are written above this package,
    and whoever makes a solution says where they are."""

    def prove(self, claim: str, narrator: ExactNarrator) -> list[Block]:
        """The proof of a claim, about the quantities of a problem."""

    def unprovable(self, claim: str, graph: Graph) -> str:
        """Why a claim can't be shown for a problem; empty where it can."""


class Narrated(Solved, ABC):
    """A problem worked out that tells how."""

    @abstractmethod
    def to_document(self, narration: Narration | None = None, part: str | None = None) -> Document:
        """The problem's parts answered (or the one asked for); without parts, all of it."""

    @abstractmethod
    def steps(self, narration: Narration | None = None) -> Document:
        """All of it, whatever the parts ask."""

    @abstractmethod
    def blank(self) -> Document:
        """The sheet without its answers: what is given, what is asked, and room to write."""

    def to_markdown(self, math: Flavour = "github") -> str:
        """The worked solution as Markdown: the problem's parts answered, or every step told."""
        from attnsolve.guard import bounded
        from attnsolve.render.markdown import render
        from attnsolve.unsolvable import refusing

        with bounded(self.problem.file), refusing(self.problem.file, self.problem.at):
            return render(self.to_document(), math)

    def _repr_markdown_(self) -> str:
        """What a notebook shows."""
        return self.to_markdown("dollar")


class NarratedQuantities(Narrated, Computed[Any]):
    """Quantities that were worked out, exactly or in float64."""

    proofs: Proofs

    def of_graph(self, graph: Graph) -> Self:
        """The same problem told with another graph."""
        make: Callable[[Problem, Graph, Proofs], Self] = type(self)
        return make(self.problem, graph, self.proofs)

    @abstractmethod
    def narrator(self, narration: Narration, *, parts: bool = False) -> Narrator:
        """What tells its quantities: as steps, or to answer the problem's parts."""

    def to_document(self, narration: Narration | None = None, part: str | None = None) -> Document:
        """The problem's parts answered; without parts, every step."""
        return parts.answer(self, narration, part)

    def steps(self, narration: Narration | None = None) -> Document:
        """Every step."""
        return steps.narrate(self, narration)

    def blank(self) -> Document:
        """The sheet with room to write."""
        return parts.question(self)


class NarratedSolution(NarratedQuantities, Solution):
    """Exact quantities, told."""

    def __init__(self, problem: Problem, graph: Graph, proofs: Proofs) -> None:
        super().__init__(problem, graph)
        self.proofs = proofs

    def narrator(self, narration: Narration, *, parts: bool = False) -> Narrator:
        """What tells its quantities."""
        if parts or narration.detail == "full":
            refuse_beyond(self.problem, cost_of_writing(self, narration, parts), "ask for less with --only or --for")
        return ExactNarrator(self, narration, everything=parts)
