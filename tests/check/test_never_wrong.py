"""A correct answer set, rounded to 2 to 6 places, is never marked wrong, whatever the problem.

A few hundred problems in an ordinary run; `ATTNSOLVE_EXAMPLES=5000 pytest tests/check/test_never_wrong.py` tries more.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from fractions import Fraction
from math import floor, isfinite
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from shared.seq2seq import weight_shapes

from attnsolve.check.answers import read_answers
from attnsolve.check.diagnose import diagnose
from attnsolve.check.marking import mark
from attnsolve.check.report import report
from attnsolve.errors import UnsolvableError
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.numbers.written import Real
from attnsolve.pipeline import solve
from attnsolve.render.github import traps
from attnsolve.render.markdown import render as render_markdown
from attnsolve.render.text import render as render_text
from attnsolve.solution.exact import Solution
from attnsolve.spec import reader
from attnsolve.spec.seq2seq import SCORES

EXAMPLES = int(os.environ.get("ATTNSOLVE_EXAMPLES", "80"))
unhurried = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[*HealthCheck])

side = st.integers(1, 3)
tenths = st.integers(-30, 30).map(lambda x: x / 10)


def half_even(value: Fraction, places: int) -> Fraction:
    return Fraction(round(value * 10**places), 10**places)


def half_up(value: Fraction, places: int) -> Fraction:
    size = Fraction(floor(abs(value) * 10**places + Fraction(1, 2)), 10**places)
    return size if value >= 0 else -size


def cut_off(value: Fraction, places: int) -> Fraction:
    return Fraction(int(value * 10**places), 10**places)


MODES: dict[Callable[[Fraction, int], Fraction], tuple[str, ...]] = {
    half_even: ("exact", "right"),
    half_up: ("exact", "right"),
    cut_off: ("exact", "right", "slip"),
}


def matrix(draw: st.DrawFn, height: int, width: int, numbers: st.SearchStrategy[float] = tenths) -> list[list[float]]:
    return [[draw(numbers) for _ in range(width)] for _ in range(height)]


@st.composite
def rounding(draw: st.DrawFn) -> str:
    places = draw(st.one_of(st.none(), st.integers(2, 4)))
    return "" if places is None else f"rounding: {{places: {places}, when: each-step}}\n"


@st.composite
def attention(draw: st.DrawFn) -> str:
    """Self- and cross-attention, one head or several, biases, masks, bases, both layouts, rounded on the way or not."""
    queries, width, d_k, d_v, heads = (draw(side) for _ in range(5))
    columns, crossed, biased = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    keys = draw(side) if crossed else queries

    def given_(height: int, wide: int) -> str:
        return json.dumps(matrix(draw, wide, height) if columns else matrix(draw, height, wide))

    def weights() -> str:
        sizes = {"Q": d_k, "K": d_k, "V": d_v}
        texts = [f"W_{name}: {given_(width, size)}" for name, size in sizes.items()]
        texts += [f"b_{name}: {json.dumps(matrix(draw, 1, size)[0])}" for name, size in sizes.items() if biased]
        return f"{{{', '.join(texts)}}}"

    lines = ["layout: columns"] if columns else []
    lines += [f"inputs: {given_(queries, width)}"]
    lines += [f"memory: {given_(keys, width)}"] if crossed else []
    lines += [f"weights: {weights() if heads == 1 else '[' + ', '.join(weights() for _ in range(heads)) + ']'}"]
    lines += [f"W_O: {given_(d_v * heads, draw(side))}"] if draw(st.booleans()) else []
    lines += draw(st.sampled_from((["scaling: none"], ["scaling: 3"], ["scaling: sqrt_dk"])))
    lines += draw(st.sampled_from((["softmax: {base: 2}"], ["softmax: {base: 10}"], [], [])))
    if draw(st.booleans()):
        hidden = matrix(draw, *((keys, queries) if columns else (queries, keys)), st.sampled_from((0, 0, 1, -9)))
        lines += ["mask: " + json.dumps(hidden).replace("-9", "-inf")]
    elif not crossed and draw(st.booleans()):
        lines += ["mask: causal"]
    return "\n".join(lines) + "\n" + draw(rounding())


@st.composite
def seq2seq(draw: st.DrawFn) -> str:
    """Any score, one decoder state or several."""
    score, steps, states, width, hidden = draw(st.sampled_from(list(SCORES))), draw(side), *(draw(side) for _ in "abc")
    own = width if score in ("dot", "scaled-dot", "cosine") else draw(side)
    shapes = weight_shapes(score, states, width, own, hidden)
    numbers = st.integers(1, 9).map(lambda x: x / 10) if score == "cosine" else tenths
    weights = {name: matrix(draw, *shape) for name, shape in shapes.items()}
    texts = {name: rows[0] if name == "v" else rows for name, rows in weights.items()}
    state = matrix(draw, steps, own, numbers)
    lines = ["kind: seq2seq", f"score: {score}", f"vectors: {draw(st.sampled_from(('rows', 'columns')))}"]
    lines += [f"states: {matrix(draw, states, width, numbers)}", f"state: {state if steps > 1 else state[0]}"]
    lines += [f"weights: {json.dumps(texts)}".replace('"', "")] if texts else []
    return "\n".join(lines) + "\n" + draw(rounding())


def written(real: Real, places: int, rounded: Callable[[Fraction, int], Fraction]) -> str:
    """A number as somebody would write it."""
    if real.is_infinite:
        return "-inf"
    exact = real.rational if real.rational is not None else real.decimal(60).fraction
    value = rounded(exact, places)
    sign = "-" if value < 0 else ""
    whole, rest = divmod(int(abs(value) * 10**places), 10**places)
    return f"{sign}{whole}.{rest:0{places}}"


def answer_sheet(solution: Solution, places: int, rounded: Callable[[Fraction, int], Fraction]) -> str:
    lines = []
    for quantity in solution.graph:
        if not quantity.given:
            rows, columns = quantity.shape
            reals = [[solution.real(quantity.key, i, j) for j in range(columns)] for i in range(rows)]
            texts = [[written(real, places, rounded) for real in row] for row in reals]
            name = "" if quantity.key.head is None else f"{solution.graph.group} {quantity.key.head}: "
            lines.append(f"'{name}{quantity.key.id}': {json.dumps(texts)}".replace('"', ""))
    return "\n".join(lines)


def says_something(solution: Solution, key: Key, places: int) -> bool:
    """Whether so many places tell the numbers of a matrix from zero, and from each other, at all."""
    largest = max(abs(x) for row in solution.floats(key) for x in row if isfinite(x))
    return 10.0**-places / 2 <= largest / 6


def assert_right(problem: str, places: int, mode: Callable[[Fraction, int], Fraction], chain: bool) -> None:
    try:
        solution = solve(*parse(problem, "problem.yaml"))
        assert isinstance(solution, Solution)
        sheet = answer_sheet(solution if chain else solution.unrounded, places, mode)
    except UnsolvableError:
        assume(False)
    (node,) = reader.read_documents(sheet, "answers.yaml")
    answers = read_answers(node, solution.graph, "answers.yaml")
    assert answers.faults == []
    marking = mark(solution, answers)
    bad = [m for m in marking.marks.values() if m.verdict not in MODES[mode]]
    bad = [m for m in bad if says_something(solution, m.cell.key, places)]
    assert not bad, (bad[0], solution.real(*bad[0].cell).decimal(12), sheet)
    assert marking.refused == []


@pytest.mark.parametrize("kind", [attention, seq2seq], ids=["attention", "seq2seq"])
def test_a_correct_answer_is_never_marked_wrong(kind: Callable[[], st.SearchStrategy[str]]) -> None:
    @unhurried
    @given(kind(), st.integers(2, 6), st.sampled_from(list(MODES)), st.booleans())
    def holds(problem: str, places: int, mode: Callable[[Fraction, int], Fraction], chain: bool) -> None:
        assert_right(problem, places, mode, chain)

    holds()


ODD = ("0", "1", "-1", "0.5", "-inf", "1/3", "sqrt(2)", "e^2", "-2.75", "1e-9", "3e5", "_")


@settings(unhurried, max_examples=EXAMPLES // 5)
@given(st.one_of(attention(), seq2seq()), st.randoms(use_true_random=False), st.sampled_from((0.1, 0.5, 1.0)))
def test_whatever_is_written_can_be_reported(problem: str, chance: Random, share: float) -> None:
    solution = solve(*parse(problem, "problem.yaml"))
    assert isinstance(solution, Solution)
    try:
        sheet = answer_sheet(solution, 3, half_even)
    except UnsolvableError:
        assume(False)
    numbers = re.compile(r"-?\d+\.\d+|-inf")
    sheet = numbers.sub(lambda number: chance.choice(ODD) if chance.random() < share else number[0], sheet)
    (node,) = reader.read_documents(sheet, "answers.yaml")
    marking = mark(solution, read_answers(node, solution.graph, "answers.yaml"))
    assert marking.answers.faults == []
    document = report(marking, diagnose(marking))
    assert max(map(len, render_text(document, 40).splitlines())) <= 40
    assert render_text(document, 100, False).isascii()
    assert traps(render_markdown(document)) == []
