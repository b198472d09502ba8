"""Laws that tie one way of writing a problem to another: scale, source, repetition, base. Exact, and to 20 digits."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import sympy
from hypothesis import given
from hypothesis import strategies as st
from shared.drawn import DIVISORS, FRACTION, SURD, WHOLE, from_queries, matrices, self_attention
from shared.effort import tries
from shared.exactly import assert_same, exactly, forms, solve
from shared.written import BLOCKED, Matrix, Number, Problem

from attnsolve.key import Key
from attnsolve.numbers import closed
from attnsolve.numbers.surds import square_root

few = tries(6)
FACTORS = {"2": Fraction(2), "(-3/2)": Fraction(-3, 2), "sqrt(2)": square_root(2)}


def times(matrix: Matrix, text: str) -> Matrix:
    return tuple(tuple(Number(f"({number.text}){text}", float("nan")) for number in row) for row in matrix)


def projected(problem: Problem, text: str) -> Problem:
    """The same problem with W_Q (and b_Q) multiplied or divided."""
    heads = [
        {name: times(matrix, text) if name.endswith("Q") else matrix for name, matrix in projection.items()}
        for projection in problem.projections
    ]
    return replace(problem, projections=heads)


@few
@given(self_attention(), st.sampled_from([*FACTORS]))
def test_a_factor_of_the_queries_weights_is_a_factor_of_the_scores(problem: Problem, factor: str) -> None:
    before, after = (exactly(solve(p)) for p in (problem, projected(problem, f"*{factor}")))
    for key, rows in before.items():
        if key.id in ("scores", "scaled"):
            assert_same(after[key], [[closed.multiply(cell, FACTORS[factor]) for cell in row] for row in rows])


@few
@given(self_attention(), st.sampled_from(DIVISORS))
def test_dividing_the_scores_is_dividing_the_queries_weights(problem: Problem, divisor: Number) -> None:
    scaled = forms(solve(replace(problem, scaling=divisor)))
    divided = forms(solve(replace(projected(problem, f"/({divisor.text})"), scaling="none")))
    for (key, form), rows in scaled.items():
        if key.id in ("weights", "context", "concat", "output"):
            assert_same(divided[key, form], rows)
        if key.id == "scaled":
            assert_same(divided[Key("scores", key.at), form], rows)


@few
@given(self_attention(shapes=["one"]))
def test_identity_weights_are_the_inputs_given_as_queries_keys_and_values(problem: Problem) -> None:
    inputs = problem.given["inputs"]
    plain = replace(problem, projections=(), output={})
    through = forms(solve(replace(plain, identity=True)))
    straight = forms(solve(replace(plain, given=dict.fromkeys(("queries", "keys", "values"), inputs))))
    assert {place for place in through if place[0].id != "inputs"} == straight.keys()
    for place, rows in straight.items():
        assert_same(through[place], rows)


@few
@given(self_attention())
def test_attending_to_a_memory_that_is_the_inputs_is_self_attention(problem: Problem) -> None:
    alone = forms(solve(problem))
    crossed = forms(solve(replace(problem, given={**problem.given, "memory": problem.given["inputs"]})))
    for place, rows in alone.items():
        assert_same(crossed[place], rows)


@few
@given(st.tuples(st.integers(1, 3), st.integers(1, 3)).flatmap(lambda n: from_queries(*n, "one", 1, [*WHOLE, *SURD])))
def test_saying_every_key_and_value_twice_leaves_the_context(problem: Problem) -> None:
    keys = problem.given["keys"]
    values = problem.given.get("values", [tuple((WHOLE[i],) for i in range(len(keys[0])))])
    once = {**problem.given, "values": values}
    twice = {**once, "keys": [keys[0] * 2], "values": [values[0] * 2]}
    before, after = (forms(solve(replace(problem, given=given))) for given in (once, twice))
    for form in ("exact", "printed"):
        assert_same(before[Key("context"), form], after[Key("context"), form])
    halves = [[closed.add([row[j], row[j + len(keys[0])]]) for j in range(len(keys[0]))] for row in
              after[Key("weights"), "exact"]]  # fmt: skip
    assert_same(halves, before[Key("weights"), "exact"])


SCORES = st.integers(1, 3).flatmap(lambda n: matrices(2, n, [*WHOLE, *FRACTION, BLOCKED]))


def softmaxed(scores: Matrix, softmax: str) -> Any:
    return solve(Problem({"scores": [scores]}, scaling="none", softmax=softmax))


@few
@given(SCORES)
def test_base_4_is_base_2_with_the_scores_doubled(scores: Matrix) -> None:
    doubled = tuple(tuple(x if x == BLOCKED else Number(f"2*({x.text})", 0.0) for x in row) for row in scores)
    four, two = softmaxed(scores, "4"), softmaxed(doubled, "2")
    assert four["weights"].decimals(30) == two["weights"].decimals(30)
    assert_same(exactly(four)[Key("weights")], exactly(two)[Key("weights")])


@few
@given(SCORES, st.sampled_from(("2", "3", "10", "3/2")))
def test_any_base_is_base_e_with_the_scores_times_its_logarithm(scores: Matrix, base: str) -> None:
    with mpmath.workdps(80):
        logarithm = mpmath.log(mpmath.mpf(sympy.Rational(base).p) / sympy.Rational(base).q)
        texts = softmaxed(scores, base)["weights"].decimals(40)
        for row, printed in zip(scores, texts, strict=True):
            rationals = [None if x == BLOCKED else sympy.Rational(x.text) for x in row]
            powers = [0 if x is None else mpmath.exp(logarithm * x.p / x.q) for x in rationals]
            for power, text in zip(powers, printed, strict=True):
                share = power / sum(powers) if any(powers) else mpmath.mpf(0)
                assert abs(mpmath.mpf(text) - share) <= mpmath.mpf(10) ** -40
