"""Slips of the pen, made on purpose in products of numbers small enough to do in one's head."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from attnsolve.check.answers import read_answers
from attnsolve.check.diagnose import diagnose
from attnsolve.check.marking import mark
from attnsolve.check.run import check, load_solution
from attnsolve.check.slips import CellSlip
from attnsolve.loading.files import load_one, parse
from attnsolve.pipeline import solve
from attnsolve.solution.exact import Solution
from attnsolve.spec import reader

X, W = [[2, 3], [-1, 0.3]], [[1, 0.4], [-3, 2]]
"""X W = [[2·1 + 3·(−3), 2·0.4 + 3·2], [(−1)·1 + 0.3·(−3), (−1)·0.4 + 0.3·2]] = [[−7, 6.8], [−1.9, 0.2]]"""
SHEET = f"inputs: {X}\nweights: {{W_Q: {W}, W_K: [[1, 0], [0, 1]], W_V: [[1, 0], [0, 1]]}}\n"


def found(solution: Solution, answers: str, place: tuple[int, int]) -> list[CellSlip]:
    (node,) = reader.read_documents(answers, "a.yaml")
    (diagnosis, *_) = diagnose(mark(solution, read_answers(node, solution.graph, "a.yaml")))
    assert not diagnosis.mistakes
    return list(diagnosis.cells.get(place, ()))


def of(answers: str, place: tuple[int, int], text: str = SHEET) -> list[CellSlip]:
    (problem,) = parse(text, "p.yaml")
    solution = solve(problem)
    assert isinstance(solution, Solution)
    return found(solution, answers, place)


@pytest.mark.parametrize(
    ("cell", "id", "says"),
    [
        ("q_{1,1}: 7", "sign-slip", "a sign error: the number is right except for its sign"),
        ("q_{1,1}: 11", "product-sign", "a sign error in 3·(−3)"),
        ("q_{2,2}: 1", "product-sign", "a sign error in (−1)·0.4"),
        ("q_{1,2}: 0.8", "product-left-out", "3·2 was left out"),
        ("q_{1,2}: 6", "product-left-out", "2·0.4 was left out"),
        ("q_{1,2}: 5.8", "product-added", "3 + 2 was computed instead of 3·2"),
        ("q_{1,1}: 8", "entry-misread", "a misread entry: 3·2 instead of 3·(−3)"),
        ("q_{1,2}: 8.6", "digits-exchanged", "two digits were swapped"),
        ("q_{1,2}: 68", "point-slip", "the decimal point is one place off"),
        ("q_{1,2}: 6.3", "digit-slip", "you wrote the digit 3 instead of 8"),
    ],
)
def test_a_slip_is_said_with_the_numbers_of_its_product(cell: str, id: str, says: str) -> None:
    row, column = int(cell[3]) - 1, int(cell[5]) - 1
    slips = of(cell, (row, column))
    assert (id, says) == (slips[0].id, slips[0].description)


def test_exchanged_neighbours_are_seen_as_such() -> None:
    answers = "Q: [[6.8, -7], [-1.9, 0.2]]"
    assert of(answers, (0, 0))[0].id == "neighbours-swapped"
    assert of(answers, (0, 1))[0].description == "this entry and the one in row 1, column 1 were swapped"
    assert of("Q: [[6.8, 6.8], [-1.9, 0.2]]", (0, 0))[0].id == "neighbour"


def test_the_published_sign_slip_is_called_one() -> None:
    solution = solve(load_one("discussion-10-qkv"))
    assert isinstance(solution, Solution)
    assert [slip.id for slip in found(solution, "q_2: [-1, 0, 2]", (1, 2))] == ["sign-slip"]


SCORES = "queries: [[1, 2]]\nkeys: [[1, 0], [0, 1], [1, 1]]\nvalues: [[1], [2], [3]]\nscaling: sqrt_dk\n"


@pytest.mark.parametrize(
    ("answers", "place", "id"),
    [
        ("scaled: [[0.707, 2, 2.121]]", (0, 1), "step-left-out"),  # 2/√2 = 1.414
        ("weights: [[0.140, 0.284, 8.342]]", (0, 2), "not-divided"),  # e^2.1213 = 8.342
        ("weights: [[0.140, 0.330, 0.576]]", (0, 1), "left-out-of-sum"),  # 4.113/(4.113 + 8.342)
    ],
)
def test_slips_in_a_softmax_or_a_division_are_named(answers: str, place: tuple[int, int], id: str) -> None:
    assert of(answers, place, SCORES)[0].id == id


# ── at random ───────────────────────────────────────────────────────────────────────────────────────


def matrix(chance: random.Random) -> list[list[int]]:
    return [[chance.choice([-1, 1]) * chance.randint(1, 9) for _ in range(3)] for _ in range(3)]


SLIPS: dict[str, Callable[[list[int], list[int], Fraction], Fraction]] = {
    "sign-slip": lambda a, b, right: -right,
    "product-sign": lambda a, b, right: right - 2 * a[1] * b[1],
    "product-left-out": lambda a, b, right: right - a[2] * b[2],
    "product-twice": lambda a, b, right: right + a[0] * b[0],
    "product-added": lambda a, b, right: right - a[1] * b[1] + a[1] + b[1],
    "entry-misread": lambda a, b, right: right - a[1] * b[1] + a[0] * b[1],
    "point-slip": lambda a, b, right: 10 * right,
}


@pytest.mark.parametrize("id", SLIPS)
def test_a_slip_made_at_random_is_offered_unless_something_plainer_explains_it(id: str) -> None:
    chance = random.Random(id)
    offered = 0
    for _ in range(12):
        a, b = matrix(chance), matrix(chance)
        right = Fraction(sum(a[0][k] * b[k][0] for k in range(3)))
        wrong = SLIPS[id](a[0], [row[0] for row in b], right)
        if wrong == right:
            continue
        rest = [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
        answers = f"Q: {[[str(wrong), *rest[0][1:]], *rest[1:]]}"
        identity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        text = f"inputs: {a}\nweights: {{W_Q: {b}, W_K: {identity}, W_V: {identity}}}\nscaling: none\n"
        slips = of(answers, (0, 0), text)
        ranks = [slip.simple for slip in slips]
        assert ranks == sorted(ranks)
        assert slips
        offered += id in [slip.id for slip in slips]
    assert offered >= 8


def test_one_digit_is_no_evidence_of_anything(tmp_path: Path) -> None:
    problem, answers = tmp_path / "problem.yaml", tmp_path / "answers.yaml"
    problem.write_text("given: {scores: [[-0.76, 1.52, 0.76]]}\nscaling: none\n", encoding="utf-8")
    answers.write_text("A: [[0.2, 0.3, 0.5]]\n", encoding="utf-8")
    checked = check(load_solution(str(problem)), str(answers))
    assert [(d.mistakes, dict(d.cells)) for d in checked.diagnoses] == [((), {})]
