"""Float64 results told: the same sentences and formulas as of exact ones, the corners of large matrices, and what is
to be known of the rest. Nothing is said to equal a float: it is ≈ throughout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from attnsolve import notation as n
from attnsolve.document import Block, Equation, Gallery, Note, Paragraph
from attnsolve.graph import COST_OF_SHOWING, Graph, Quantity
from attnsolve.key import Key
from attnsolve.kinds import refuse_beyond
from attnsolve.narrate.corners import COLUMNS, ROWS, corner, kept, labels_kept
from attnsolve.narrate.narrated import NarratedQuantities, Proofs
from attnsolve.narrate.narrator import Narrator
from attnsolve.narrate.steps import positions
from attnsolve.narrate.view import labels_across, labels_of
from attnsolve.notation.text import called
from attnsolve.numbers.arrays import MOST_DIGITS, Array, round_float
from attnsolve.numbers.decimals import round_to_places
from attnsolve.numbers.summary import Extreme, summarise
from attnsolve.numbers.written import write_decimal
from attnsolve.operations.context import Law
from attnsolve.solution.floats import FloatSolution
from attnsolve.solution.solved import Narration
from attnsolve.spec.problem import Problem

MOST_ROWS, MOST_COLUMNS = 8, 6
"""A larger matrix is shown by its corners."""
MOST_SHOWN = 20_000
"""A sheet has no more given numbers than this."""
MOST_ATTENDED = 3
"""So many of the tokens that one attends to are named."""


class NarratedFloats(NarratedQuantities, FloatSolution):
    """Float64 quantities, told."""

    def __init__(self, problem: Problem, graph: Graph, proofs: Proofs) -> None:
        super().__init__(problem, graph)
        self.proofs = proofs

    def narrator(self, narration: Narration, *, parts: bool = False) -> Narrator:
        """What tells its quantities."""
        if narration.detail == "full":
            written = [q for name in narration.only for q in self.graph.named(name)] or list(self.graph)
            cells = sum(q.shape[0] * q.shape[1] for q in written)
            refuse_beyond(self.problem, COST_OF_SHOWING * cells, "use --format json to get every entry")
        return FloatNarrator(self, narration)


class FloatNarrator(Narrator):
    """Tells quantities of one problem worked out in float64."""

    def __init__(self, solution: FloatSolution, narration: Narration) -> None:
        super().__init__(solution.graph)
        self.solution = solution
        self.tokens = narration.tokens
        self.whole = narration.detail == "full"
        rounding = solution.problem.rounding
        self.digits = min(narration.digits or solution.problem.digits, MOST_DIGITS)
        self.places = rounding.places if rounding and not narration.digits else None

    def preface(self) -> list[Block]:
        """What float64 is worth."""
        sentence = "Computed in float64: the digits are not proven."
        if self.whole:
            return [Note((sentence,))]
        return [Note((f"{sentence} Only the corners of large matrices are shown.",), "--format json has every entry")]

    # ── numbers ─────────────────────────────────────────────────────────────────────────────────

    def number(self, value: float) -> n.Notation:
        """A float as it is shown."""
        if np.isneginf(value):
            return n.Infinity()
        if self.places is None:
            return write_decimal(round_float(value, self.digits))
        return write_decimal(round_to_places(Fraction(value), self.places))

    def grid(self, quantity: Quantity, *, whole: bool = False) -> n.Grid:
        """A quantity with its labels: whole, or its corners and the tokens asked for."""
        array = self.solution.arrays[quantity.key]
        wanted = positions(quantity, self.tokens)
        most = quantity.shape if whole or self.whole else (MOST_ROWS, MOST_COLUMNS)
        rows = kept(quantity.shape[0], most[0], ROWS, () if quantity.token_axis else wanted)
        columns = kept(quantity.shape[1], most[1], COLUMNS, wanted if quantity.token_axis else ())
        beside, above = labels_of(quantity)
        entries = corner(lambda i, j: self.number(float(array[i, j])), rows, columns)
        return n.Grid(entries, labels_kept(beside, rows), labels_kept(above, columns))

    def vector(self, quantity: Quantity, token: int) -> n.Grid:
        """One token's vector, a column or a row as the sheet has it."""
        entries = self._token_entries(quantity, token)
        as_columns = self.graph.vectors == "columns"
        most, before = (MOST_ROWS, ROWS) if as_columns else (MOST_COLUMNS, COLUMNS)
        places = kept(entries.size, entries.size if self.whole else most, before)
        names = labels_kept(labels_across(quantity), places)
        if as_columns:
            return n.Grid(corner(lambda i, _: self.number(float(entries[i])), places, [0]), names)
        return n.Grid(corner(lambda _, j: self.number(float(entries[j])), [0], places), (), names)

    def _token_entries(self, quantity: Quantity, token: int) -> Array:
        array = self.solution.arrays[quantity.key]
        entries: Array = array[:, token] if quantity.token_axis else array[token]
        return entries

    def _approximately(self, quantity: Quantity, *, whole: bool = False) -> n.Chain:
        grid = self.grid(quantity, whole=whole)
        return n.Chain(quantity.name.matrix, (("≈", grid.rows[0][0] if quantity.name.single else grid),))

    # ── what is told ────────────────────────────────────────────────────────────────────────────

    def given_blocks(self, quantities: Sequence[Quantity], *, whole: bool = False) -> Iterator[Block]:
        """Given quantities and their numbers; of large ones the shapes, since the corners don't show them."""
        large = [q for q in quantities if is_large(q)]
        if large:
            sentence = [part for q in large for part in (", ", q.name.matrix, " is ", n.Shape(*q.shape))]
            yield Paragraph((*sentence[1:], "."))
        fits = sum(q.shape[0] * q.shape[1] for q in quantities) <= MOST_SHOWN
        yield Gallery(tuple(self._approximately(q, whole=whole and fits) for q in quantities))
        if whole and not fits:
            yield Note(
                ("These are too large for a sheet, so only the corners are shown. The numbers come separately.",)
            )

    def filled(self, quantity: Quantity) -> Iterable[Block]:
        """Float64 numbers are not put in: nobody would work with them by hand."""
        return ()

    def work(self, quantity: Quantity, tokens: Sequence[int], *, all_shown: bool = False) -> Iterator[Block]:
        """Of the tokens that were asked for, what each attends to most; all else stands in the matrix."""
        across = quantity.rows if quantity.token_axis else quantity.columns
        for token in positions(quantity, self.tokens) if quantity.key.id == "weights" and across.labels else ():
            weights = self._token_entries(quantity, token)
            sentence: list[str | n.Notation] = [f"{called(quantity.labels[token])} attends most to "]
            for place in weights.argsort()[: -MOST_ATTENDED - 1 : -1].tolist():
                sentence += [f"{called(across.labels[place])} (", self.number(float(weights[place])), "), "]
            yield Paragraph((*sentence[:-1], ")."))

    def token_work(self, quantity: Quantity, token: int, by: str) -> Iterable[Block]:
        """Nothing but the result is shown."""
        return ()

    def ends_in_result(self, quantity: Quantity, tokens: Sequence[int], by: str) -> bool:
        """There is no work that could end in it."""
        return False

    def result(self, quantity: Quantity) -> Iterator[Block]:
        """The matrix, and what its corners don't show."""
        yield Equation(self._approximately(quantity))
        if is_large(quantity):
            yield self._summary(quantity)

    def cells(self, quantity: Quantity) -> n.Grid:
        """Its entries, of a large matrix the corners."""
        return self.grid(quantity)

    def result_for(self, quantity: Quantity, tokens: Sequence[int]) -> Iterator[Block]:
        """The results of some tokens only, each as its vector."""
        for token in tokens:
            yield Equation(n.Chain(quantity.name.token(token + 1), (("≈", self.vector(quantity, token)),)))

    def _summary(self, quantity: Quantity) -> Paragraph:
        found = summarise(self.solution.arrays[quantity.key])
        sentence: list[str | n.Notation] = []
        if found.least is not None and found.greatest is not None:
            mean = n.Chain(n.Word("mean"), (("≈", self.number(found.mean)),))
            least, greatest = (self._extreme(quantity, extreme) for extreme in (found.least, found.greatest))
            sentence += ["Smallest ", least, ", largest ", greatest, ", ", mean, "."]
        for number, what in ((found.infinite, "−∞"), (found.zeros, "0")):
            if number:
                sentence.append(f" {number:,} of {found.size:,} entries are {what} ({_percent(number, found.size)}).")
        return Paragraph(tuple(sentence))

    def _extreme(self, quantity: Quantity, extreme: Extreme) -> n.Chain:
        symbol = quantity.name.entry(extreme.row + 1, extreme.column + 1)
        return n.Chain(symbol, (("≈", self.number(extreme.value)),))

    def remarks(self, quantity: Quantity) -> Iterator[Block]:
        """What is worth knowing of this result."""
        remarks = quantity.formula.remarks(self.solution.evidence, quantity.key)
        yield from (Note((remark,)) for remark in remarks)

    def laws(self, quantity: Quantity) -> list[Law]:
        """What was verified."""
        return self.solution.laws(quantity)

    def needed(self, wanted: Mapping[Key, Sequence[int]]) -> dict[Key, list[int]]:
        """What is asked for, and all of every quantity that it rests on."""
        found = {key: list(tokens) for key, tokens in wanted.items()}
        waiting = list(wanted)
        while waiting:
            quantity = self.graph[waiting.pop()]
            for key in () if quantity.given else quantity.formula.leaves():
                if len(found.get(key, ())) < self.graph[key].token_count:
                    found[key] = list(range(self.graph[key].token_count))
                    waiting.append(key)
        return found


def is_large(quantity: Quantity) -> bool:
    """Whether only its corners are shown."""
    return quantity.shape[0] > MOST_ROWS or quantity.shape[1] > MOST_COLUMNS


def _percent(number: int, size: int) -> str:
    share = round_float(100 * number / size, 4)
    return f"{'' if share.exact else 'about '}{share} %"
