"""Signs and the inequalities behind them: what is called impossible or certain is so at every point of a grid."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnsolve.algebra.letters import Letter
from attnsolve.algebra.linear import Inequality, impossible
from attnsolve.algebra.scalars import Field, FieldElement
from attnsolve.algebra.signs import Fact, Signs, UnknownSign

GRID = [Fraction(k, 2) for k in range(-8, 9)]
CONSTANT, X, Y = (0, 0), (1, 0), (0, 1)
NUMBERS = st.integers(-3, 3).map(Fraction)
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, st.booleans()), min_size=1, max_size=5)


@given(ROWS)
def test_inequalities_that_exclude_each_other_share_no_point(
    rows: list[tuple[Fraction, Fraction, Fraction, bool]],
) -> None:
    made = [Inequality({k: v for k, v in ((CONSTANT, c), (X, a), (Y, b)) if v}, strict) for a, b, c, strict in rows]
    shared = [
        (x, y)
        for x, y in product(GRID, GRID)
        if all(a * x + b * y + c > 0 or (not strict and a * x + b * y + c == 0) for a, b, c, strict in rows)
    ]
    assert not (impossible(made) and shared)


@pytest.mark.parametrize(
    ("rows", "answer"),
    [
        ([(1, 0, 0), (-1, 0, 0)], True),  # x > 0 and x < 0
        ([(1, -1, 0), (0, 1, -1), (-1, 0, 1)], True),  # x > y > 1 > x
        ([(1, -1, 0), (0, 1, -1), (1, 0, -1)], False),
        ([(0, 0, -1)], True),
    ],
)
def test_elimination_finds_what_is_impossible(rows: list[tuple[int, int, int]], answer: bool) -> None:
    made = [Inequality({k: Fraction(v) for k, v in ((X, a), (Y, b), (CONSTANT, c)) if v}, True) for a, b, c in rows]
    assert impossible(made) is answer


# ── signs of polynomials ────────────────────────────────────────────────────────────────────────

ASSUMED = {
    "real": lambda v: True,
    "positive": lambda v: v > 0,
    "nonnegative": lambda v: v >= 0,
    "negative": lambda v: v < 0,
}
TERMS = st.dictionaries(
    st.tuples(st.integers(0, 2), st.integers(0, 2)), st.integers(-3, 3).filter(bool), min_size=1, max_size=4
)
Terms = dict[tuple[int, int], int]


def scalar(ring: Field, letters: tuple[Letter, Letter], terms: Terms) -> FieldElement:
    x, y = map(ring.symbol, letters)
    return sum((ring.number(c) * x**i * y**j for (i, j), c in terms.items()), ring.zero)


def value(terms: Terms, x: Fraction, y: Fraction) -> Fraction:
    return sum((c * x**i * y**j for (i, j), c in terms.items()), Fraction(0))


@given(wanted=TERMS, known=TERMS, signs=st.tuples(*[st.sampled_from([*ASSUMED])] * 2))
def test_a_sign_that_is_decided_is_that_of_every_point(wanted: Terms, known: Terms, signs: tuple[str, str]) -> None:
    letters = Letter("x", signs[0]), Letter("y", signs[1])
    ring = Field(letters)
    judge = Signs(ring, [Fact(scalar(ring, letters, known).function)])
    try:
        sign = judge.of(scalar(ring, letters, wanted))
    except UnknownSign:
        return
    for x, y in product(GRID, GRID):
        if ASSUMED[signs[0]](x) and ASSUMED[signs[1]](y) and value(known, x, y) > 0:
            found = value(wanted, x, y)
            assert (found > 0) - (found < 0) == sign


@pytest.mark.parametrize(
    ("terms", "sign"),
    [
        ({(2, 0): 1, (0, 0): 1}, 1),
        ({(2, 0): 1, (1, 0): 1, (0, 0): 1}, 1),
        ({(1, 1): -1, (0, 1): -2}, None),
        ({(0, 1): 3}, 1),
        ({(0, 2): -1, (2, 1): -1}, -1),
    ],
)
def test_what_can_be_decided_is(terms: Terms, sign: int | None) -> None:
    letters = Letter("x"), Letter("y", "positive")
    ring = Field(letters)
    if sign is None:
        with pytest.raises(UnknownSign):
            Signs(ring).of(scalar(ring, letters, terms))
    else:
        assert Signs(ring).of(scalar(ring, letters, terms)) == sign


def test_numbers_that_are_almost_equal_are_told_apart() -> None:
    """√2 + √3 = 3.14626…; (e^−1000 + 1) − 1 is no 0."""
    ring = Field([])
    roots = ring.number(2).sqrt() + ring.number(3).sqrt()
    assert Signs(ring).of(roots - ring.number(Fraction(314626, 100000))) == 1
    assert Signs(ring).of(roots - ring.number(Fraction(314627, 100000))) == -1
    assert Signs(ring).of(ring.number(-1000).exp() + ring.one - ring.one) == 1
    assert Signs(ring).of(roots * roots - ring.number(5) - ring.number(24).sqrt()) == 0
