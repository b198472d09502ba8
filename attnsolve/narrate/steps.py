"""A solution told step by step, each in the same order: why, the formula, the numbers put in, the work, the result,
and what was verified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.document import Block, Document, Equation, Paragraph, Section, listed
from attnsolve.errors import RequestError, nearest
from attnsolve.graph import Graph, Quantity
from attnsolve.graph.places import find_quantities, suggestion
from attnsolve.language.typography import as_typed
from attnsolve.narrate.cases import opening, results, side_by_side
from attnsolve.narrate.conventions import going
from attnsolve.narrate.narrator import title_of
from attnsolve.narrate.view import labels_of
from attnsolve.numbers.written import write
from attnsolve.solution.solved import Narration

if TYPE_CHECKING:
    from attnsolve.narrate.narrated import NarratedQuantities

__all__ = ["Narration", "check_token", "narrate", "position", "positions"]


def narrate(solution: NarratedQuantities, narration: Narration | None = None) -> Document:
    """The whole worked solution."""
    narration = narration or Narration()
    return _Narrator(solution.opened(narration.only), narration).document()


class _Narrator:
    def __init__(self, solution: NarratedQuantities, narration: Narration) -> None:
        self.solution = solution
        self.graph = solution.graph
        self.narration = narration
        self.narrator = solution.narrator(narration)
        self.steps = [q for q in self.graph if not q.given]
        self.wanted = self._wanted()
        self.opened: set[str] = set()
        """The cases of which it was said what they change."""
        for token in narration.tokens:
            check_token(self.graph, token, f"--for {token}")
            if not any(position(quantity, token) is not None for quantity in self.wanted):
                own = dict.fromkeys(label for q in self.steps if q in self.wanted for label in q.labels)
                raise RequestError(f"--for {token}: what is shown is about other tokens; {nearest(token, own)}")

    def document(self) -> Document:
        problem = self.solution.problem
        blocks = self.narrator.preface() + ([] if self.narration.only else [self.narrator.given()])
        blocks += self._by_head()
        if self.solution.limit_cases:
            blocks.append(_limits(self.solution))
        blocks += self.narrator.closing()
        return Document(title_of(problem), problem.source, tuple(blocks))

    def _wanted(self) -> set[Quantity]:
        if not self.narration.only:
            return set(self.steps)
        wanted: set[Quantity] = set()
        for name in self.narration.only:
            found = find_quantities(self.graph, name)
            if not found:
                message = f"--only {name}: this problem has no such quantity"
                raise RequestError(f"{message}; {suggestion(self.graph, name)}")
            wanted |= set(found)
        return wanted

    def _tokens(self, quantity: Quantity) -> list[int]:
        """The tokens whose work is written out."""
        if self.narration.detail == "full" and not self.narration.tokens:
            return list(range(quantity.token_count))
        return positions(quantity, self.narration.tokens) or [self.narrator.example(quantity)]

    def _by_head(self) -> Iterator[Block]:
        """Steps numbered through, those of one head under its heading."""
        numbered = list(enumerate(self.steps, start=1))
        while numbered:
            owner = numbered[0][1].key.owner
            size = next((i for i, (_, q) in enumerate(numbered) if q.key.owner != owner), len(numbered))
            group, numbered = numbered[:size], numbered[size:]
            sections = tuple(self._step(number, q) for number, q in group if q in self.wanted)
            if not owner or not sections:
                yield from sections
            else:
                yield Section((group[0][1].key.heading,), (*self._opening(group[0][1].key.case), *sections))
        if self.graph.cases:
            yield from side_by_side(self.narrator, self._compared())
        for q in self.graph:
            if self.narration.only and q in self.wanted and q.given:
                yield Section(self.narrator.title(q), tuple(self.narrator.given_blocks([q])), q.key)

    def _opening(self, case: str) -> list[Block]:
        """What is to be said of a case, once and unless only some of it is asked for."""
        if not case or case in self.opened or self.narration.only:
            return []
        self.opened.add(case)
        return opening(self.narrator, next(other for other in self.solution.problem.cases if other.name == case))

    def _compared(self) -> list[Quantity]:
        """Of those asked for, what the problem itself has; the results where everything is told."""
        if not self.narration.only:
            return results(self.graph)
        made = [q for q in self.graph if q in self.wanted and not q.given]
        several = {key for key, times in Counter((q.key.id, q.key.within) for q in made).items() if times > 1}
        return [q for q in made if not q.key.case or (q.key.id, q.key.within) in several]

    def _step(self, number: int, quantity: Quantity) -> Section:
        narrator = self.narrator
        blocks: list[Block] = [*narrator.why(quantity), *narrator.formula(quantity)]
        if self.narration.detail != "brief":
            blocks += narrator.filled(quantity)
            blocks += narrator.work(quantity, self._tokens(quantity), all_shown=self.narration.detail == "full")
        blocks += [*narrator.result(quantity), *narrator.pictures(quantity, range(quantity.token_count))]
        blocks += [*narrator.remarks(quantity), *narrator.verdict(quantity)]
        title = narrator.title(quantity, f"Step {number}: ")
        return Section(title, tuple(blocks), quantity.key)


def _limits(solution: NarratedQuantities) -> Section:
    from attnsolve.algebra.conditions import written

    problem, ways = solution.problem, going(solution)
    ordered = "First " if len(ways) > 1 else "As "
    sentence = (ordered, *listed(ways, ", then "), ":")
    blocks: list[Block] = [Paragraph(sentence)]
    for case in solution.limit_cases:
        if case.conditions:
            conditions = [written(condition, problem.style) for condition in case.conditions]
            blocks.append(Paragraph(("If ", *listed(conditions, " and "), f", {case.lacks}." if case.lacks else ":")))
        told = ""
        for key, rows in () if case.lacks else case.rows.items():
            quantity = solution.graph[key]
            if key.case != told:
                told = key.case
                blocks.append(Paragraph((f"In the case {told}:",)))
            cells = tuple(tuple(write(x, problem.style) for x in row) for row in rows)
            grid = n.Grid(cells, *labels_of(quantity))
            blocks.append(Equation(n.Chain(quantity.name.matrix, (("→", grid),))))
    return Section(("In the limit",), tuple(blocks))


def check_token(graph: Graph, token: str, wanted: str) -> None:
    """Refuse a token that no quantity has."""
    if not any(position(q, token) is not None for q in graph if not q.parameter):
        known = dict.fromkeys(label for q in graph for label in q.labels)
        raise RequestError(f"{wanted}: there is no such token; {nearest(token, known)}")


def positions(quantity: Quantity, tokens: Sequence[str]) -> list[int]:
    """The places of those tokens that a quantity has, counted from 0."""
    return list(dict.fromkeys(place for token in tokens if (place := position(quantity, token)) is not None))


def position(quantity: Quantity, token: str) -> int | None:
    """Which token a name or a number means, counted from 0."""
    labels = quantity.labels
    for name in (token, as_typed(token)):
        if name in labels:
            return labels.index(name)
    if token.isascii() and token.isdigit() and labels and 1 <= int(token) <= quantity.token_count:
        return int(token) - 1
    return None
