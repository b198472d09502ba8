"""Every option with every other: random problems, each quantity held against NumPy to within a proven float error.

Some hundred problems in an ordinary run; `PYTHONPATH=tests python tests/whole/test_every_combination.py 5000` tries
more of each kind, and prints the pairs of options that never stood in one problem.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from shared.attention import Attention
from shared.bounded import Bounded, Undecided, ZeroSum, assert_printed, last_half
from shared.drawn import combined, encoder_decoders, with_parts
from shared.effort import tries
from shared.options import ATTENTION, SEQ2SEQ, all_pairs, options, pairs, report, seq2seq_options
from shared.seq2seq import EncoderDecoder, Seq2seq
from shared.written import Problem

import attnsolve
from attnsolve import notation as n
from attnsolve.document import Document, Equation, sections
from attnsolve.errors import UnsolvableError
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.narrate.parts import answer
from attnsolve.narrate.steps import narrate
from attnsolve.narrate.view import SolutionView
from attnsolve.numbers.balls import at_precision, ball
from attnsolve.numbers.written import to_float
from attnsolve.solution.exact import Solution, Value

Found = dict[tuple[str, int | None], Bounded]


@dataclass(frozen=True)
class Case:
    """A problem and what NumPy finds; without results where a row sums to zero."""

    problem: Problem | Seq2seq
    found: Found | None


Solve = Callable[[Any], Found]
REFERENCES: dict[str, tuple[Callable[[], st.SearchStrategy[Any]], Solve]] = {
    "attention": (combined, lambda problem: Attention(problem).work()),
    "seq2seq": (encoder_decoders, lambda problem: EncoderDecoder(problem).work()),
}

OPTIONS: dict[str, tuple[Callable[[Any], dict[str, str]], Mapping[str, Sequence[str]]]] = {
    "attention": (options, ATTENTION),
    "seq2seq": (seq2seq_options, SEQ2SEQ),
}


@st.composite
def cases(draw: st.DrawFn, kind: str) -> Case | None:
    """None where float64 can't say what is right: a tie to be rounded, a difference of nearly equal numbers."""
    drawn, work = REFERENCES[kind]
    problem = draw(drawn())
    try:
        found = work(problem)
    except Undecided:
        return None
    except ZeroSum:
        return Case(problem, None)
    stated = {*getattr(problem, "given", ()), "states", "state"}
    results = list(dict.fromkeys(name for name, _ in found if name not in stated))
    tokens = max(len(bounded.value) for (name, _), bounded in found.items() if name in results) if results else 1
    return Case(draw(with_parts(problem, results, tokens)), found)


def assert_right(case: Case) -> int:
    """Hold a problem against NumPy; how many numbers were compared."""
    problem = case.problem
    (read,) = parse(problem.yaml(), "problem.yaml")
    if case.found is None:
        event("a row sums to zero")
        with pytest.raises(UnsolvableError, match="sum to 0"):
            attnsolve.solve(read)
        return 0
    solution = attnsolve.solve(read)
    assert isinstance(solution, Solution)
    first = getattr(problem, "numbering", 1)
    group = "decoder step" if isinstance(problem, Seq2seq) else "head"
    student = {Key(name, () if head is None else ((group, head + first),)): b for (name, head), b in case.found.items()}
    ours = {q.key: Value(solution, q) for q in solution.graph if not q.parameter}
    assert ours.keys() == student.keys()
    compared = 0
    for key, value in ours.items():
        compared += assert_digits(problem, key, value, student[key])
    shown = results(solution, narrate(solution))
    assert shown.keys() == {q.key for q in solution.graph if not q.given}
    for key, grids in shown.items():
        compared += assert_shown(problem, key, grids[-1], student[key])
    if problem.parts:
        assert_parts_agree(solution, shown)
    return compared


def assert_digits(problem: Problem | Seq2seq, key: Key, value: Value, student: Bounded) -> int:
    """The certified decimals, the float nearest to the exact value, and what the closed form is worth by itself."""
    true, error = (problem.lies(key.id, array) for array in (student.value, student.error))
    assert value.shape == true.shape, key
    texts, floats = value.decimals(problem.digits), value.array
    rows = texts if true.ndim == 2 else [texts]
    for text, near, ours, off in zip(
        [text for row in rows for text in row], true.ravel().tolist(), floats.ravel().tolist(), error.ravel().tolist(),
        strict=True,
    ):  # fmt: skip
        assert_printed(text, near, off, last_half(text, problem.digits))
        assert ours == near or abs(Fraction(ours) - Fraction(near)) <= Fraction(off) + abs(Fraction(ours)) / 2**53
    exact = value.solution.exact[key]
    cells = [cell for row in exact.rows for cell in row]
    with at_precision(200):
        worth = [None if cell is None else to_float(ball(cell)) for cell in cells]
    for ours, near, off in zip(worth, true.ravel().tolist(), error.ravel().tolist(), strict=True):
        if ours is not None and ours != near:
            assert abs(Fraction(ours) - Fraction(near)) <= Fraction(off) + abs(Fraction(ours)) / 2**53, key
    return true.size


# ── what is shown ─────────────────────────────────────────────────────────────────────────────────

Cells = tuple[tuple[n.Notation, ...], ...]


def equations(solution: Solution, document: Document) -> Iterator[tuple[Key, n.Notation | None, Cells]]:
    """Each displayed equation that ends in a matrix, by the quantity whose section it stands in."""
    for section in sections(document):
        key = section.key
        for block in section.blocks:
            if isinstance(block, Equation):
                last = block.chain.links[-1][1]
                single = solution.graph[key].name.single and len(block.chain.links) == 1
                if isinstance(last, n.Grid) or single:
                    yield key, block.chain.left, last.rows if isinstance(last, n.Grid) else ((last,),)


def results(solution: Solution, document: Document) -> dict[Key, list[Cells]]:
    """Each quantity as it is told: its exact matrix, its decimals, or both."""
    found: dict[Key, list[Cells]] = {}
    for key, left, cells in equations(solution, document):
        quantity = solution.graph[key]
        if left == quantity.name.matrix and (len(cells), len(cells[0])) == quantity.shape:
            found.setdefault(key, []).append(cells)
    return found


def assert_shown(problem: Problem | Seq2seq, key: Key, cells: Cells, student: Bounded) -> int:
    """The decimals of the document, to as many places or figures as the problem says."""
    compared = 0
    flat = [cell for row in cells for cell in row]
    true, error = (problem.lies(key.id, array).ravel().tolist() for array in (student.value, student.error))
    for cell, near, off in zip(flat, true, error, strict=True):
        if isinstance(cell, n.Num):
            text = cell.text if cell.exponent is None else f"{cell.text}e{cell.exponent}"
            unit = Fraction(10) ** (int(cell.exponent or 0) - len(cell.text.partition(".")[2]))
            assert_printed(text, near, off, unit / 2 if cell.rounded else Fraction(0))
            compared += 1
        assert isinstance(cell, n.Infinity) == (near == -float("inf"))
    return compared


def assert_parts_agree(solution: Solution, shown: dict[Key, list[Cells]]) -> None:
    """Parts show the numbers that the steps show: whole matrices, and the vectors of single tokens."""
    view = SolutionView(solution, solution.figures())
    for key, left, cells in equations(solution, answer(solution)):
        quantity = solution.graph[key]
        if left == quantity.name.matrix:
            if (len(cells), len(cells[0])) == quantity.shape and not is_formula(cells):
                assert cells in shown[key], key
            continue
        tokens = [token for token in range(quantity.token_count) if left == quantity.name.token(token + 1)]
        for token in tokens:
            vectors = [
                list(zip(*grid, strict=True))[token] if quantity.token_axis else grid[token] for grid in shown[key]
            ]
            entries = [cell for row in cells for cell in row]
            assert len(entries) == len(vectors[0])
            exact = [view.show(view.real(key, *place)).notation for place in view.places(key)[token]]
            for entry, *told in zip(entries, exact, *vectors, strict=True):
                assert entry in told, (key, token)


def is_formula(cells: Cells) -> bool:
    return any(isinstance(cell, n.Sym) for row in cells for cell in row)


# ── in an ordinary run, and for longer ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("kind", "most_unseen"), [("attention", 0.15), ("seq2seq", 0.1)])
def test_whatever_is_combined_every_number_is_what_numpy_finds(kind: str, most_unseen: float) -> None:
    """Of many problems those are worked out that bring two options together for the first time."""
    chosen, known = OPTIONS[kind]
    seen: Counter[Any] = Counter()

    @tries(200)
    @given(cases(kind))
    def holds(case: Case | None) -> None:
        if case is not None and not seen.keys() >= {*pairs(chosen(case.problem))}:
            assert_right(case)
            seen.update(pairs(chosen(case.problem)))

    holds()
    unseen = report(seen, known, say=lambda line: None)
    assert len(unseen) <= most_unseen * len([*all_pairs(known)])


def tried(kind: str, examples: int) -> tuple[Counter[Any], Counter[str]]:
    """Hold so many problems against NumPy: the pairs of options seen, and what there was to compare."""
    seen: Counter[Any] = Counter()
    totals: Counter[str] = Counter()

    @settings(tries(examples), max_examples=examples)
    @given(cases(kind))
    def holds(case: Case | None) -> None:
        if case is None:
            totals["not for float64 to decide"] += 1
            return
        totals["numbers"] += assert_right(case)
        totals["problems"] += 1
        totals["rows that sum to 0"] += case.found is None
        seen.update(pairs(OPTIONS[kind][0](case.problem)))

    holds()
    return seen, totals


if __name__ == "__main__":
    unseen = 0
    for kind, (_, known) in OPTIONS.items():
        seen, totals = tried(kind, int(sys.argv[1]))
        print(f"{kind}: {', '.join(f'{count:,} {what}' for what, count in totals.items())}")
        unseen += len(report(seen, known))
    sys.exit(unseen > 0)
