"""What is printed can be typed in again: every exact form and every decimal of a solution is a right answer to it.

The bundled problems and some hundred others in an ordinary run;
`ATTNSOLVE_EXAMPLES=2000 pytest tests/check/test_what_we_print.py` tries more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from shared.drawn import combined, encoder_decoders
from shared.effort import tries
from shared.exactly import solve
from shared.worksheets import worked

from attnsolve.check.answers import read_answers
from attnsolve.check.marking import mark
from attnsolve.contract.json import render as render_json
from attnsolve.errors import UnsolvableError
from attnsolve.graph import Quantity
from attnsolve.loading.files import load_all
from attnsolve.loading.sources import bundled
from attnsolve.narrate.steps import narrate
from attnsolve.notation.latex import LatexPrinter
from attnsolve.notation.text import ASCII, TextPrinter
from attnsolve.numbers.written import Shown
from attnsolve.solution.exact import Solution
from attnsolve.spec import reader

Grid = list[list[str]]
GRAPHS = ("attention", "seq2seq")
"""The kinds of problems that answers are checked of."""

LETTERS = """
symbols: {beta: positive, D_k: positive}
inputs: [[1, beta], [-2, 1/2]]
weights: identity
scaling: sqrt(D_k)
"""
CONSTANTS = """
inputs: [[pi, e], [sqrt(2), 1/3]]
weights: identity
"""
NESTED_ROOTS = """
kind: seq2seq
score: cosine
states: [[1 + sqrt(2), 1], [sqrt(3), 2]]
state: [1, sqrt(2)]
"""
LARGE = """
given: {scores: [[3000, -2000, 0], [3000, 0, 1]]}
scaling: none
values: [[1], [2], [5/7]]
"""
SMALL_BASE = """
given: {scores: [[900, 0, 1/3], [1/2, 2/3, 5/4], [sqrt(2), 700, -3]]}
softmax: {base: 3/2}
scaling: none
values: [[1/3], [2], [5/7]]
"""
COARSE = """
inputs: [[12.3, 5], [1.5, 77]]
weights: {W_Q: [[1.1, 0], [0, 1]], W_K: [[1, 0], [0, 1]], W_V: [[1.01, 1/7], [3, 1]]}
digits: 1
"""
LONG = f"""
inputs: [[{"*".join(["7^64"] * 7)}/11^64]]
weights: {{W_Q: [[{"*".join(["3^64"] * 10)}]], W_K: [[{"*".join(["7^64"] * 7)}]], W_V: [[1]]}}
"""
WORKSHEETS = {"letters": LETTERS, "constants": CONSTANTS, "roots": NESTED_ROOTS, "large": LARGE, "base": SMALL_BASE}
WORKSHEETS |= {"coarse": COARSE, "long": LONG}


def in_rows(quantity: Quantity, cells: list[str] | Grid) -> Grid:
    """Entries of JSON as rows, of a vector too."""
    flat = [cell for cell in cells if isinstance(cell, str)]
    if not flat:
        return [list(row) for row in cells]
    return [flat] if quantity.shape[0] == 1 else [[cell] for cell in flat]


def printed(solution: Solution) -> Iterator[tuple[Quantity, str, Grid]]:
    """Every matrix of results in every form that it is printed in: JSON, and the page in Unicode, ASCII and LaTeX."""
    data = json.loads(render_json(solution, narrate(solution)))
    found = {(q["id"], q["head"]): q for q in data["quantities"]}
    figures = solution.figures()
    for quantity in solution.graph:
        if quantity.given or quantity.parameter:
            continue
        for form in ("exact", "decimal"):
            if (cells := found[quantity.key.id, quantity.key.head][form]) is not None:
                yield quantity, form, in_rows(quantity, cells)
        rows, columns = quantity.shape
        reals = [[solution.real(quantity.key, i, j) for j in range(columns)] for i in range(rows)]
        for show in (figures.show, figures.decimal):
            shown: list[list[Shown]] = [[show(real) for real in row] for row in reals]
            for printer in (TextPrinter(), TextPrinter(ASCII), LatexPrinter()):
                text = [[printer.print(cell.notation) for cell in row] for row in shown]
                yield quantity, f"{show.__name__} {type(printer).__name__}", text


def assert_accepted(solution: Solution) -> int:
    """Give every printed form back as an answer, through the same file as anybody's; how many there were."""
    count = 0
    for quantity, form, cells in printed(solution):
        name = "" if quantity.key.head is None else f"{solution.graph.group} {quantity.key.head}: "
        sheet = json.dumps({f"{name}{quantity.key.id}": cells}, ensure_ascii=False)
        (node,) = reader.read_documents(sheet, "answers.yaml")
        answers = read_answers(node, solution.graph, "answers.yaml", solution.problem.symbols)
        assert answers.faults == [], (quantity.key, form)
        for one in mark(solution, answers, follow=False).of(quantity.key).values():
            right = ("exact",) if form == "exact" else ("exact", "right")
            assert one.verdict in right, (quantity.key, form, one)
            count += 1
    return count


@pytest.mark.parametrize("name", [name for name in bundled() if load_all(name, check=False)[0].kind in GRAPHS])
def test_whatever_a_bundled_solution_prints_is_a_right_answer(name: str) -> None:
    solution = worked(name)
    assert isinstance(solution, Solution)
    assert assert_accepted(solution) > 0


@pytest.mark.parametrize("text", WORKSHEETS.values(), ids=WORKSHEETS)
def test_whatever_is_printed_of_unusual_numbers_is_a_right_answer(text: str) -> None:
    assert assert_accepted(solve(text)) > 0


@tries(60)
@given(st.one_of(combined(), encoder_decoders()).map(lambda problem: problem.yaml()))
def test_whatever_any_solution_prints_is_a_right_answer(text: str) -> None:
    try:
        solution = solve(text)
    except UnsolvableError:
        assume(False)
    assert_accepted(solution)
