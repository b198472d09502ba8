"""Every catalogued mistake is made on purpose in problems drawn at random, and the checker has to name it.

`python tests/check/test_recall.py 400` prints the recall of every mistake over so many problems; the tests hold fewer
to the same standard. What is written down are three decimals of everything, or of some quantities only.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations

from attnsolve.check.answers import Answers
from attnsolve.check.diagnose import Diagnosis, diagnose
from attnsolve.check.marking import MarkedCell, Marking, mark
from attnsolve.check.written import read_written
from attnsolve.errors import Mark, UnsolvableError
from attnsolve.graph import Cell, Graph, run
from attnsolve.graph.mistakes import Slip, slipped
from attnsolve.loading.files import parse
from attnsolve.numbers.balls import Ball, Balls, at_precision, ball
from attnsolve.pipeline import solve
from attnsolve.solution.exact import Solution
from attnsolve.spec.seq2seq import SCORES

PLACES = 3
SHEETS: dict[str, tuple[str, ...]] = {
    "everything": (),
    "weights and context": ("weights", "context"),
    "the end": ("output", "attentional", "joined", "concat", "context"),
}
"""Which quantities are written down; of the end, the first of them that there is."""


# ── problems at random ────────────────────────────────────────────────────────────────────────────


def matrix(chance: random.Random, height: int, width: int) -> list[list[float]]:
    """Whole numbers, or numbers with one decimal."""
    scale = chance.choice((1, 10))
    most = 3 * scale if scale == 1 else 15
    return [[chance.randint(-most, most) / scale for _ in range(width)] for _ in range(height)]


def attention(chance: random.Random) -> str:
    """Inputs and weights, or queries, keys and values; heads, mask, bias, scaling, softmax and layout."""
    tokens, d_model, d_k, d_v, heads = (chance.randint(2, 4), *(chance.randint(1, 3) for _ in range(3)), 1)
    heads = chance.choice((1, 1, 2, 3))
    columns, split = chance.random() < 0.25, heads > 1 and chance.random() < 0.5
    each, lines = (heads if split else 1), ["layout: columns"] if columns else []

    def grid(height: int, width: int) -> str:
        return str(matrix(chance, width, height) if columns else matrix(chance, height, width))

    def listed(texts: list[str]) -> str:
        return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"

    copies = 1 if split else heads
    lines += [f"heads: {heads}"] if split else []
    sizes = {"Q": d_k * each, "K": d_k * each, "V": d_v * each}
    if chance.random() < 0.75:
        d_model = chance.choice((d_model, 2, 3)) * (heads if split else 1)
        biased = chance.random() < 0.3
        weights = []
        for _ in range(copies):
            texts = [f"W_{x}: {grid(d_model, size)}" for x, size in sizes.items()]
            texts += [f"b_{x}: {matrix(chance, 1, size)[0]}" for x, size in sizes.items() if biased]
            weights.append(f"{{{', '.join(texts)}}}")
        lines += [f"inputs: {grid(tokens, d_model)}", f"weights: {listed(weights)}"]
    else:
        for name, letter in (("queries", "Q"), ("keys", "K"), ("values", "V")):
            lines.append(f"{name}: {listed([grid(tokens, sizes[letter]) for _ in range(copies)])}")
    if chance.random() < 0.4:
        lines.append(f"W_O: {grid(d_v * heads, chance.choice((d_v * heads, 2)))}")
    lines += chance.choice((["scaling: none"], ["scaling: 3"], [], [], []))
    lines += chance.choice((["softmax: sum"], ["softmax: {base: 2}"], [], [], [], []))
    lines += chance.choice((["mask: causal"], [], []))
    return "\n".join(lines)


def seq2seq(chance: random.Random) -> str:
    """Any score, one decoder state or several, lying or upright."""
    score = chance.choice(list(SCORES))
    states, width, hidden = chance.randint(2, 4), chance.randint(1, 3), chance.randint(1, 3)
    own = width if score in ("dot", "scaled-dot", "cosine") else chance.randint(1, 3)
    shapes = {
        "general": {"W": (own, width)},
        "additive": {"W_1": (hidden, width), "W_2": (hidden, own), "v": (1, hidden)},
        "concat": {"W": (hidden, width + own), "v": (1, hidden)},
        "location": {"W": (states, own)},
    }.get(score, {})
    if chance.random() < 0.6:
        shapes["W_c"] = (2, width + own)
    weights = {name: matrix(chance, *shape) for name, shape in shapes.items()}
    texts = ", ".join(f"{name}: {rows[0] if name == 'v' else rows}" for name, rows in weights.items())
    steps = chance.randint(0, 2)
    S = matrix(chance, steps or 1, own)
    lines = ["kind: seq2seq", f"score: {score}", f"vectors: {chance.choice(('rows', 'columns'))}"]
    lines += [f"states: {matrix(chance, states, width)}", f"state: {S if steps else S[0]}"]
    return "\n".join([*lines, f"weights: {{{texts}}}"])


def problems(seed: int, number: int) -> Iterator[tuple[str, Solution]]:
    chance = random.Random(seed)
    while number:
        text = (attention if chance.random() < 0.65 else seq2seq)(chance)
        try:
            (problem,) = parse(text, "problem.yaml")
            solution = solve(problem)
            assert isinstance(solution, Solution)
            solution.balls(192)
        except UnsolvableError:  # scores that sum to 0, or a vector without a direction
            continue
        number -= 1
        yield text, solution


# ── answers with a mistake in them ────────────────────────────────────────────────────────────────


def answered(graph: Graph, sheet: str) -> dict[Cell, str]:
    """What somebody writes who works this graph out: three places of some quantities."""
    with at_precision(192):
        values = run(graph, Balls)
    wanted = SHEETS[sheet]
    ids = {q.key.id for q in graph if not q.given}
    if sheet == "the end":
        wanted = next((id,) for id in wanted if id in ids)
    cells: dict[Cell, str] = {}
    for quantity in graph:
        table = values[quantity.key]
        if table is None:
            raise UnsolvableError("no numbers")
        if quantity.given or (wanted and quantity.key.id not in wanted):
            continue
        for i, row in enumerate(table.rows):
            for j, value in enumerate(row):
                if value.is_finite():
                    cells[Cell(quantity.key, i, j)] = rounded(value)
                elif value != float("-inf"):
                    raise UnsolvableError("no number")
    return cells


def rounded(value: Ball) -> str:
    """A ball to three places."""
    with at_precision(400):
        nearest = (value.mid() * 10**PLACES + ball(Fraction(1, 2))).floor().unique_fmpz()
    if nearest is None or abs(nearest) > 10**30:
        raise UnsolvableError("nobody writes such a number out")
    whole, decimals = divmod(abs(int(nearest)), 10**PLACES)
    return f"{'-' if nearest < 0 else ''}{whole}.{decimals:0{PLACES}}"


def marked(solution: Solution, cells: Mapping[Cell, str]) -> Marking:
    wanted = dict.fromkeys(cells, Mark(1, 1))
    answers = Answers("a.yaml", cells={cell: read_written(text) for cell, text in cells.items()}, wanted=wanted)
    return mark(solution, answers)


def is_seen(marking: Marking, right: Mapping[Cell, str]) -> bool:
    """Whether some answer is further off than by rounding, be it what was rounded before and carried on."""
    off = (
        abs(Fraction(m.written.text) - Fraction(right[m.cell])) for m in wrong(marking) if m.written and m.cell in right
    )
    return any(wrong(marking)) and max(off, default=Fraction(1)) > Fraction(3, 2 * 10**PLACES)


def wrong(marking: Marking) -> list[MarkedCell]:
    return [m for m in marking.marks.values() if m.verdict == "wrong"]


@dataclass
class Tally:
    """How often each mistake was named, missed, or could not be seen in three places."""

    named: Counter[str]
    missed: Counter[str]
    unseen: Counter[str]
    examples: list[str]

    def table(self) -> str:
        lines = [f"{'mistake':34} {'named':>6} {'missed':>6} {'unseen':>6} {'recall':>7}"]
        for id in sorted({*self.named, *self.missed}):
            lines.append(_line(id, self.named[id], self.missed[id], self.unseen[id]))
        lines.append(_line("all", self.named.total(), self.missed.total(), self.unseen.total()))
        return "\n".join(lines)


def _line(id: str, named: int, missed: int, unseen: int) -> str:
    return f"{id:34} {named:6} {missed:6} {unseen:6} {named / (named + missed):7.1%}"


def recall(some: Iterable[tuple[str, Solution]]) -> Tally:
    """Make every mistake in every problem, on every sort of sheet."""
    tally = Tally(Counter(), Counter(), Counter(), [])
    for text, solution in some:
        rights = {sheet: answered(solution.graph, sheet) for sheet in SHEETS}
        for slip in solution.slips:
            for sheet, right in rights.items():
                try:
                    cells = answered(slipped(solution.graph, slip), sheet)
                except UnsolvableError:
                    continue
                marking = marked(solution, cells)
                if not is_seen(marking, right):
                    tally.unseen[slip.id] += 1
                elif names(diagnose(marking), slip):
                    tally.named[slip.id] += 1
                else:
                    tally.missed[slip.id] += 1
                    tally.examples.append(f"{slip.id} ({sheet}): {slip.key}: {slip.mistake.description}\n{text}")
    return tally


def names(diagnoses: list[Diagnosis], *made: Slip) -> bool:
    """Whether these very mistakes are among what is said."""
    return any(set(group) == set(made) for diagnosis in diagnoses for group in diagnosis.mistakes)


SAMPLES = [
    """
inputs: [[1, 2], [0.5, -1], [2, 0.3]]
weights:
  {W_Q: [[1, 0.4], [0, 1]], W_K: [[0.7, 1], [0.4, 0.2]], W_V: [[0, 1], [1.3, 1]], b_Q: [1, 2], b_K: [0, 1], b_V: [1, 1]}
W_O: [[1, 2], [0.5, -1]]
b_O: [1, 0.2]
mask: causal
""",
    "queries: [[1, 2, 0, 1], [0, 1, 2, 2]]\nkeys: [[1, 0, 2, 1], [0, 0.5, 0.2, 1]]\n"
    "values: [[2, 1, 3, 1], [1, 0, -1, 4]]\nheads: 2\nscaling: 8\nW_O: [[1, 0], [0, 1], [2, 0], [1, 1]]\n",
    "queries: [[1, 2], [2, 0.5]]\nkeys: [[1, 0], [2, 1]]\nvalues: [[1, 0], [2, 1]]\nsoftmax: sum\nscaling: none\n",
    "queries: [[1, 2], [2, 0.5]]\nkeys: [[1, 0], [2, 1]]\nvalues: [[1, 0], [2, 1]]\nsoftmax: {base: 2}\n",
    "kind: seq2seq\nscore: general\nstates: [[1, 2], [0.3, -0.4]]\nstate: [1, 0.2]\nweights: {W: [[1, 2], [0, 1]]}\n",
    "kind: seq2seq\nscore: cosine\nstates: [[1, 2], [0.3, 4]]\nstate: [1, 0.2]\nweights: {W_c: [[1, 0.2, 0, 0.1]]}\n",
    "kind: seq2seq\nscore: dot\nstates: [[1, 2], [0.3, -0.4]]\nstate: [[1, 0.2], [0.4, -1]]\n",
]
"""Sheets on which every mistake of the catalogue can be made."""
OF_HEADS = [
    "inputs: [[1, 0.2], [0, 1], [0.4, 1]]\nweights: [{W_Q: [[1, 0.3], [0, 1]], W_K: [[1, 0.1], [0.2, 0]], W_V: [[0, 1],"
    " [3, 1]]}, {W_Q: [[0.2, 2], [0, 1]], W_K: [[1, 0.3], [0.2, 0]], W_V: [[0.5, 1], [1, 0.1]]}]\n"
    "mask: [[1, 1, 0], [1, 1, 1], [1, 1, 1]]\n",
]
"""Those that need heads with matrices of their own: too many for all pairs of them to be tried."""


def samples(texts: Iterable[str] = SAMPLES) -> Iterator[tuple[str, Solution]]:
    for text in texts:
        (problem,) = parse(text, "problem.yaml")
        solution = solve(problem)
        assert isinstance(solution, Solution)
        yield text, solution


def test_every_catalogued_mistake_is_named() -> None:
    tally = recall(chain(samples([*SAMPLES, *OF_HEADS]), problems(seed=5, number=2)))
    print(f"\n{tally.table()}")
    assert not tally.missed, tally.examples[0]
    assert tally.named.keys() >= {slip.id for _, solution in samples([*SAMPLES, *OF_HEADS]) for slip in solution.slips}


def test_two_mistakes_at_once_are_named_unless_something_plainer_explains_them() -> None:
    chance, named = random.Random(3), 0
    for text, solution in chain(samples(), problems(seed=8, number=3)):
        right = answered(solution.graph, "the end")
        pairs = chance.sample(list(combinations(solution.slips, 2)), 4)
        for made in pairs:
            try:
                marking = marked(solution, answered(slipped(solution.graph, *made), "the end"))
            except (UnsolvableError, ValueError):  # no numbers, or the two exclude each other
                continue
            if is_seen(marking, right):
                (found,) = diagnose(marking)
                assert found.mistakes or len(found.cells) == len(wrong(marking)), (text, made)
                named += names([found], *made)
                plainer = bool(found.cells) or any(len({slip.id for slip in group}) == 1 for group in found.mistakes)
                assert plainer or names([found], *made), (text, made)
    assert named > 15


if __name__ == "__main__":
    tally = recall(problems(int(sys.argv[2]) if len(sys.argv) > 2 else 1, int(sys.argv[1])))
    print(tally.table(), *tally.examples[:5], sep="\n\n")
