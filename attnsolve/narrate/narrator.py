"""What telling a quantity has in common, whatever its numbers are: why it is made, its formula, what it is called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.document import Block, Equation, Inline, Paragraph, Section
from attnsolve.graph import Graph, Quantity
from attnsolve.key import Key
from attnsolve.narrate.checked import Verification
from attnsolve.operations.context import Law

if TYPE_CHECKING:
    from attnsolve.spec.problem import Problem
ONLY_VECTOR = {"Each {row}": "The vector", "each {row}": "the vector", "its {row}": "the vector"}
"""What a sentence says where there is nothing but one vector."""


def title_of(problem: Problem) -> str:
    """What stands at the head of a problem: its title, or else what it is about."""
    return problem.title or ("Formulas" if problem.kind == "formulas" else "Attention")


class Narrator(ABC):
    """Tells the quantities of one problem. Whole solutions and single questions are put together from these."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.checked = Verification()

    def preface(self) -> list[Block]:
        """What the reader should know before anything else."""
        return []

    def why(self, quantity: Quantity) -> list[Block]:
        """One sentence on why the step is done, where there is something to say."""
        formula = quantity.formula
        down = getattr(formula, "down", quantity.token_axis)
        words = {"row": "column" if down else "row", "across": "rows" if down else "columns"}
        sentence = (quantity.why if quantity.gradient_of else formula.why) or quantity.why
        if all(self.graph[key].is_vector for key in formula.leaves()):
            for each, only in ONLY_VECTOR.items():
                sentence = sentence.replace(each, only)
        return [Paragraph((sentence.format(**words),))] if sentence else []

    def definition(self, quantity: Quantity) -> n.Chain:
        """The quantity and its formula in letters."""
        formula = quantity.formula.notation(self.graph.letter)
        return n.Chain(quantity.name.matrix, (("=", formula),))

    def formula(self, quantity: Quantity) -> list[Block]:
        """The formula with its shapes, and what the reader should know of it."""
        before, after = quantity.formula.shapes(self.graph), n.Shape(*quantity.shape)
        shapes = n.Chain(before, () if before == after and not quantity.formula.leaves() else (("→", after),))
        return [Equation(self.definition(quantity), shapes), *(Paragraph(remark) for remark in quantity.remarks)]

    def example(self, quantity: Quantity) -> int:
        """The token whose work stands for that of all, counted from 0."""
        return 0

    def title(self, quantity: Quantity, prefix: str = "") -> Inline:
        """What a step is called."""
        return (f"{prefix}{quantity.title} ".lstrip(), quantity.name.matrix)

    def given(self, *, whole: bool = False) -> Section:
        """Everything the problem states; `whole` leaves nothing of it out, for somebody who has nothing else."""
        given = [q for q in self.graph if q.given and not q.key.case]
        return Section(("Given",), tuple(self.given_blocks(given, whole=whole)))

    @abstractmethod
    def given_blocks(self, quantities: Sequence[Quantity], *, whole: bool = False) -> Iterable[Block]:
        """Given quantities and their numbers, large ones by their corners unless `whole`."""

    @abstractmethod
    def filled(self, quantity: Quantity) -> Iterable[Block]:
        """The formula with the numbers put in."""

    @abstractmethod
    def work(self, quantity: Quantity, tokens: Sequence[int], *, all_shown: bool = False) -> Iterable[Block]:
        """The work for some tokens, and how many more there are unless `all_shown`."""

    @abstractmethod
    def token_work(self, quantity: Quantity, token: int, by: str) -> Iterable[Block]:
        """The work for one token: as a vector (`token`), entry by entry (`cell`), or both."""

    @abstractmethod
    def ends_in_result(self, quantity: Quantity, tokens: Sequence[int], by: str) -> bool:
        """Whether the work for some tokens has already ended in their vectors."""

    @abstractmethod
    def result(self, quantity: Quantity) -> Iterable[Block]:
        """The matrix."""

    @abstractmethod
    def cells(self, quantity: Quantity) -> n.Grid:
        """Its entries as they stand in a table."""

    @abstractmethod
    def result_for(self, quantity: Quantity, tokens: Sequence[int]) -> Iterable[Block]:
        """The results of some tokens only, each as its vector."""

    def pictures(self, quantity: Quantity, tokens: Sequence[int]) -> Iterable[Block]:
        """The results of some tokens drawn, where drawings are asked for."""
        return ()

    @abstractmethod
    def remarks(self, quantity: Quantity) -> Iterable[Block]:
        """What is worth knowing of this result."""

    @abstractmethod
    def laws(self, quantity: Quantity) -> list[Law]:
        """What was verified."""

    def verdict(self, quantity: Quantity) -> list[Block]:
        """What is to be said beside a result of what was verified: nothing if it is what everybody expects."""
        return self.checked.add(quantity, self.laws(quantity))

    def closing(self, shown: Collection[Key] | None = None) -> list[Block]:
        """What was verified of all the results told."""
        return self.checked.closing(shown)

    @abstractmethod
    def needed(self, wanted: Mapping[Key, Sequence[int]]) -> dict[Key, list[int]]:
        """Which tokens of which quantities those asked for rest on, themselves included."""
