"""One quantity told: why, its formula, the numbers put in, the work, the result. Whole solutions and single questions
are put together from these."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.document import Block, Equation, Gallery, Inline, Lines, Note, Paragraph, Picture
from attnsolve.errors import count
from attnsolve.graph import Graph, Quantity
from attnsolve.key import Key
from attnsolve.narrate.cases import asked
from attnsolve.narrate.narrator import Narrator
from attnsolve.narrate.view import SolutionView
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.decimals import ZERO
from attnsolve.numbers.written import Figures, Real, write_decimal
from attnsolve.operations.context import Law, Work
from attnsolve.solution.checks import Checks
from attnsolve.solution.solved import Narration

if TYPE_CHECKING:
    from attnsolve.solution.exact import Solution

LARGEST_FILLED = 8
"""Matrices with a longer side than this are not repeated when the numbers are put in."""
MOST_ENTRIES = 8
"""Unless every detail is asked for, a token's work stops after so many entries."""
COST_OF_PRODUCT, COST_OF_CELL = 60, 300
"""How many multiplications it takes as long as to write one out, and to write out a cell with all that is around it."""


def cost_of_writing(solution: Solution, narration: Narration, parts: bool) -> int:
    """What it takes to write out every product in the cells that are asked for, in multiplications."""
    graph = solution.graph
    if parts:
        return sum(_cost_of(graph, asked(part, graph), part.tokens) for part in solution.problem.parts)
    names = narration.only or [q.key.id for q in graph]
    return _cost_of(graph, {q.key: q for name in names for q in graph.named(name)}.values(), narration.tokens)


def _cost_of(graph: Graph, quantities: Iterable[Quantity], tokens: Sequence[str]) -> int:
    made = (q for q in quantities if not q.given)
    return sum(_cost_of_token(graph, q) * min(len(tokens) or q.token_count, q.token_count) for q in made)


def _cost_of_token(graph: Graph, quantity: Quantity) -> int:
    rows, columns = quantity.shape
    return (COST_OF_PRODUCT * graph.products(quantity.key) + COST_OF_CELL * rows * columns) // quantity.token_count


class ExactNarrator(Narrator):
    """Tells quantities of one exact solution; `everything` works out every entry of a token."""

    def __init__(self, solution: Solution, narration: Narration | None = None, *, everything: bool = False) -> None:
        super().__init__(solution.graph)
        narration = narration or Narration()
        full = narration.detail == "full"
        self.solution = solution
        self.figures = narration.figures
        most = None if everything or full else MOST_ENTRIES
        self.view = SolutionView(solution, solution.figures(narration.digits), most, abridged=not full)
        self.checks = Checks(solution, self.view)
        self.hinted = self.guarded = self.shortened = False

    def example(self, quantity: Quantity) -> int:
        """The token that attends to the most others: behind a mask, the first may see nothing but itself."""
        labels, chosen = self._widest
        return chosen if quantity.labels == labels and chosen < quantity.token_count else 0

    @cached_property
    def _widest(self) -> tuple[tuple[str, ...], int]:
        """Which token has the most finite scores, in all heads together, and the tokens that it is one of."""
        finite: dict[int, int] = defaultdict(int)
        labels: tuple[str, ...] = ()
        for quantity in self.graph:
            if quantity.formula.shares:
                scored = quantity.formula.scored()
                labels = quantity.labels
                for token, places in enumerate(self.view.places(quantity.key)):
                    scores = (self.view.real(scored, *place) for place in places)
                    finite[token] += sum(not score.is_infinite for score in scores)
        return labels, max(finite, key=lambda token: finite[token], default=0)

    def filled(self, quantity: Quantity) -> Iterator[Block]:
        """The formula with the numbers put in."""
        formula = quantity.formula
        leaves = [self.graph[key] for key in formula.leaves()]
        if not (leaves and formula.has_work and formula.fills) or any(max(q.shape) > LARGEST_FILLED for q in leaves):
            return
        if all(q.name.single for q in leaves):
            return
        exact = all(self.view.shown_exactly(q.key, token) for q in leaves for token in range(q.token_count))
        grid = self.view.numbers_for(formula).grid
        filled = formula.filled(lambda key: _alone(self.graph[key], grid(key)))
        if quantity.is_vector and self._appears_anyway(quantity, filled):
            return
        yield Equation(n.Chain(quantity.name.matrix, (("=" if exact else "≈", filled),)))

    def _appears_anyway(self, quantity: Quantity, filled: n.Notation) -> bool:
        """Whether a single vector's own work begins with the same numbers, or there is no work but to look at it."""
        vectors = quantity.formula.by_token(self.view, 0)
        if vectors is not None:
            return vectors[1] == filled
        return not quantity.formula.working(self.view, quantity.key, 0)

    def work(self, quantity: Quantity, tokens: Sequence[int], *, all_shown: bool = False) -> Iterator[Block]:
        """The work for some tokens, and how many more there are unless `all_shown`."""
        if not quantity.formula.has_work:
            return
        works: list[Block] = []
        for token in tokens:
            works = list(self.token_work(quantity, token, "step"))
            yield from works
        if works and self.view.most is not None and (missing := len(quantity.cells(0)) - self.view.most) > 0:
            yield Note((f"{_others(missing, 'entry', 'entries')} of this {quantity.noun} in the same way.",))
        left = quantity.token_count - len(set(tokens))
        if works and left and not all_shown:
            hint = "" if self.hinted else "--detail full shows them all"
            self.hinted = True
            yield Note((f"{_others(left, quantity.noun)} in the same way.",), hint)

    def _for(self, quantity: Quantity, token: int) -> str:
        return "" if quantity.token_count == 1 else f"for {self.view.called(quantity.key, token)}"

    def _lines(self, work: Work, first: str) -> Iterator[Block]:
        sentence = ", ".join(part for part in (first, work.description) if part)
        intro: Inline = (f"{sentence[0].upper()}{sentence[1:]}:",) if sentence else ()
        if any(line.has_grid for line in work.lines):
            if intro:
                yield Paragraph(intro)
            yield from (Equation(chain) for chain in work.lines)
        else:
            yield Lines(work.lines, intro)

    def token_work(self, quantity: Quantity, token: int, by: str) -> Iterator[Block]:
        """The work for one token: as a vector (`token`), entry by entry (`cell`), or both."""
        if not quantity.formula.has_work:
            return
        works = quantity.formula.working(self.view, quantity.key, token)
        vectors = [work for work in works if any(line.has_grid for line in work.lines)]
        if by == "token" and vectors:
            works = vectors
        elif by == "cell":
            works = [work for work in works if work not in vectors]
        for number, work in enumerate(works):
            yield from self._lines(work, self._for(quantity, token) if number == 0 else "")
        first = self.view.places(quantity.key)[token][0]
        if works and not self.guarded and not self.view.exact_inputs(quantity.key, *first):
            self.guarded = True
            yield Note(("In the calculations, rounded numbers carry two extra digits.",))

    def result(self, quantity: Quantity) -> Iterator[Block]:
        """The exact matrix, and its decimals where the exact one doesn't tell them."""
        key, symbol = quantity.key, quantity.name.matrix
        places = self.view.written(key)
        shaded = quantity.is_weights
        exact = all(self.view.plain.shown(key, *place).exact for place in places)
        reached = exact and not any(self.solution.was_rounded(key, *place) for place in places)
        unclear = any(self.view.figures.needs_decimal(self.view.real(key, *place)) for place in places)
        if quantity.name.single:
            yield Equation(n.Chain(symbol, self.view.result(key, *places[0])))
            return
        if exact:
            grid = self.view.labelled(key, shaded=shaded and not unclear)
            yield Equation(n.Chain(symbol, (("=" if reached else "≈", _alone(quantity, grid)),)))
        if not exact or unclear:
            grid = self.view.labelled(key, decimal=True, shaded=shaded)
            rounded = any(isinstance(cell, n.Num) and cell.rounded for row in grid.rows for cell in row)
            yield Equation(n.Chain(symbol, (("≈" if rounded else "=", _alone(quantity, grid)),)))
        yield from self._left_out([quantity])

    def cells(self, quantity: Quantity) -> n.Grid:
        """Its entries, as decimals where the exact ones don't tell their size."""
        key, places = quantity.key, self.view.written(quantity.key)
        exact = all(self.view.plain.shown(key, *place).exact for place in places)
        unclear = any(self.view.figures.needs_decimal(self.view.real(key, *place)) for place in places)
        return self.view.labelled(key, decimal=not exact or unclear)

    def _left_out(self, quantities: Sequence[Quantity]) -> Iterator[Block]:
        """How to see the rest, the first time that something is left out."""
        if not self.shortened and any(len(self.view.written(q.key)) < q.shape[0] * q.shape[1] for q in quantities):
            self.shortened = True
            yield Note(("Only the corners of large matrices are shown.",), "--detail full shows every entry")

    def pictures(self, quantity: Quantity, tokens: Sequence[int]) -> Iterator[Picture]:
        """Weights as a heat map: the rows (or columns) of some tokens, each picture under a name of its own."""
        key, whole = quantity.key, len(tokens) == quantity.token_count
        if not tokens or not quantity.is_weights or not self.figures or self.solution.is_symbolic(key):
            return
        symbols = [quantity.name.matrix] if whole else [quantity.name.token(token + 1) for token in tokens]
        title = f"{quantity.title} {', '.join(map(TextPrinter().print, symbols))}"
        places = () if whole else (f"of-{'-'.join(str(token + 1) for token in tokens)}",)
        case = re.sub(r"[^\w-]+", "-", key.case)
        name = "-".join((key.id, *((case,) if case else ()), *(() if key.head is None else (key.head,)), *places))
        grid = self.view.labelled(key, decimal=True, shaded=True, whole=True)
        rows, columns = map(range, quantity.shape)
        across, down = (rows, tokens) if quantity.token_axis else (tokens, columns)
        texts = [[TextPrinter().print(grid.rows[i][j]) for j in down] for i in across]
        shades = [[grid.shades[i][j] for j in down] for i in across]
        labels = [
            tuple(names[place] for place in places) if names else ()
            for names, places in ((grid.row_labels, across), (grid.column_labels, down))
        ]
        yield Picture(title, name, tuple(map(tuple, shades)), tuple(map(tuple, texts)), *labels)

    def result_for(self, quantity: Quantity, tokens: Sequence[int]) -> Iterator[Block]:
        """The results of some tokens only, each as its vector."""
        for token in tokens:
            symbol = self.view.token(quantity.key, token + 1)
            sign = "=" if self.view.reached_exactly(quantity.key, token) else "≈"
            yield Equation(n.Chain(symbol, ((sign, self.view.named_vector(quantity.key, token)),)))

    def remarks(self, quantity: Quantity) -> Iterator[Block]:
        """What is worth knowing of this result, and how far rounding has moved it."""
        yield from (Note((remark,)) for remark in quantity.formula.remarks(self.checks.evidence, quantity.key))
        if (moved := departure(self.view, quantity)) is not None:
            yield moved

    def laws(self, quantity: Quantity) -> list[Law]:
        """What was verified."""
        return self.checks.of(quantity)

    def equals(self, quantity: Quantity, *, whole: bool = False) -> n.Chain:
        """A given quantity and its numbers."""
        grid = self.view.labelled(quantity.key, whole=whole)
        return n.Chain(quantity.name.matrix, (("=", _alone(quantity, grid)),))

    def given_blocks(self, quantities: Sequence[Quantity], *, whole: bool = False) -> Iterator[Block]:
        """Given quantities and their numbers."""
        yield Gallery(tuple(self.equals(quantity, whole=whole) for quantity in quantities))
        if not whole:
            yield from self._left_out(quantities)

    def ends_in_result(self, quantity: Quantity, tokens: Sequence[int], by: str) -> bool:
        """Whether the work for some tokens has already ended in their vectors."""
        if by == "step" and len(tokens) < quantity.token_count:
            return quantity.formula.by_token(self.view, 0) is not None
        return by == "token"

    def needed(self, wanted: Mapping[Key, Sequence[int]]) -> dict[Key, list[int]]:
        """Which tokens of which quantities those asked for rest on, traced entry by entry."""
        cells = [cell for key, tokens in wanted.items() for token in tokens for cell in self.graph[key].cells(token)]
        traced = self.view.trace(cells)
        axes = {key: self.graph[key].token_axis for key in traced}
        return {
            key: sorted({cell.column if axes[key] else cell.row for cell in cells}) for key, cells in traced.items()
        }


def _others(number: int, noun: str, plural: str = "") -> str:
    """The rest of something, as the subject of a sentence about how it is worked out."""
    return f"The other {noun} is done" if number == 1 else f"The other {count(number, noun, plural)} are done"


def _alone(quantity: Quantity, grid: n.Grid) -> n.Notation:
    """A matrix; a single number without brackets."""
    return grid.rows[0][0] if quantity.name.single else grid


def departure(view: SolutionView, quantity: Quantity) -> Note | None:
    """Where carrying rounded values has led away from the true ones, and how far at the most."""
    solution = view.solution
    if solution.unrounded is solution:
        return None
    places = [place for vector in view.places(quantity.key) for place in vector]
    moved = [(drift, place) for place in places if (drift := _drift(solution, quantity, place)) is not None]
    if not moved:
        return None
    drift, (row, column) = max(moved, key=lambda pair: pair[0].decimal(12).size)
    symbol = view.cell(quantity.key, row, column)
    true = Figures(view.figures.digits, "decimal").decimal(solution.unrounded.real(quantity.key, row, column))
    carried = view.plain.cell(quantity.key, row, column)
    off = write_decimal(drift.decimal(2))
    others = len(moved) - 1
    more = "" if not others else f" ({count(others, 'other entry', 'other entries')} changed too)"
    sentence = (
        "Rounding at each step has changed this result: ",
        symbol,
        " is ",
        carried,
        " here, but about ",
        true.notation,
    )
    return Note((*sentence, " without rounding, a difference of ", off, f"{more}."))


def _drift(solution: Solution, quantity: Quantity, place: tuple[int, int]) -> Real | None:
    """How far an entry lies from the true value, where that is more than its own rounding explains."""
    assert solution.problem.rounding is not None
    carried = solution.real(quantity.key, *place).rational
    true = solution.unrounded.real(quantity.key, *place)
    if carried is None or true.is_infinite:
        return None
    inner = solution.graph.is_inner(quantity.key)
    places = solution.problem.rounding.places_of(quantity.key.id, inner=inner)
    if carried == (true.rational if places is None else true.to_places(places).fraction):
        return None
    off = true.away_from(carried)
    return off if off.decimal(12).size > ZERO.size else None
