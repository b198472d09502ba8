"""Laws that any two problems of a kind keep: equal exactly, in closed form and in every printed digit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from shared.drawn import ALLOWED, FRACTION, SURD, WHOLE, matrices, self_attention
from shared.effort import tries
from shared.exactly import forms, solve
from shared.written import BLOCKED, LATER, Matrix, Number, Problem, turned

from attnsolve.key import Key
from attnsolve.numbers import closed


@tries(10)
@given(self_attention(), st.randoms(use_true_random=False))
def test_permuting_the_tokens_permutes_every_result(problem: Problem, random: Any) -> None:
    tokens = len(problem.given["inputs"][0])
    order = random.sample(range(tokens), tokens)
    moved = replace(problem, given={"inputs": [permuted(problem.given["inputs"][0], order)]})
    if problem.mask is not None:
        moved = replace(moved, mask=tuple(zip(*permuted(turned(permuted(problem.mask, order)), order), strict=True)))
    before, after = (forms(solve(p.yaml()), p.columns) for p in (problem, moved))
    assert before.keys() == after.keys()
    for key, rows in before.items():
        expected = None if rows is None else permuted(rows, order)
        if expected is not None and key[0].id in LATER:
            expected = [permuted(row, order) for row in expected]
        assert after[key] == (None if expected is None else [list(row) for row in expected]), key


def permuted(rows: Sequence[Any], order: Sequence[int]) -> tuple[Any, ...]:
    return tuple(rows[i] for i in order)


@tries(10)
@given(self_attention())
def test_columns_and_rows_of_one_problem_are_transposes_of_each_other(problem: Problem) -> None:
    rows, columns = (solve(replace(problem, columns=down).yaml()) for down in (False, True))
    assert forms(rows, False) == forms(columns, True)


@tries(10)
@given(self_attention(shapes=["wide"]))
def test_heads_in_a_list_are_the_wide_matrices_cut_apart(problem: Problem) -> None:
    (wide,) = problem.projections
    width = {name: len(matrix[0]) // problem.split for name, matrix in wide.items()}
    heads = [
        {name: tuple(row[h * width[name] : (h + 1) * width[name]] for row in matrix) for name, matrix in wide.items()}
        for h in range(problem.split)
    ]
    listed = replace(problem, projections=heads, split=0)
    ours, student = (forms(solve(p.yaml()), p.columns) for p in (listed, problem))
    assert ours == {key: rows for key, rows in student.items() if key in ours}
    uncut = {Key("queries"), Key("keys"), Key("values")}
    assert {key for key, _ in student} - {key for key, _ in ours} == uncut


@pytest.mark.parametrize("numbers", [("1", "0"), ("0", "-inf")], ids=["allowed", "added"])
@tries(8)
@given(self_attention())
def test_the_causal_mask_is_the_lower_triangle(numbers: tuple[str, str], problem: Problem) -> None:
    tokens = len(problem.given["inputs"][0])
    assume(tokens > 1)
    past, future = (Number(text, math.nan) for text in numbers)
    triangle = tuple(tuple(past if j <= i else future for j in range(tokens)) for i in range(tokens))
    causal, written = (solve(replace(problem, mask=mask).yaml()) for mask in ("causal", triangle))
    assert forms(causal, False) == forms(written, False)


@tries(25)
@given(
    st.integers(1, 3).flatmap(lambda n: matrices(2, n, [*WHOLE, *FRACTION, BLOCKED])),
    st.sampled_from([*WHOLE, *FRACTION, *SURD]),
    st.sampled_from(("e", "2", "3/2", "4")),
)
def test_a_constant_added_to_the_scores_leaves_the_weights_exactly_as_they_are(
    scores: Matrix, constant: Number, softmax: str
) -> None:
    raised = tuple(
        tuple(x if x == BLOCKED else Number(f"{x.text} + {constant.text}", math.nan) for x in row) for row in scores
    )
    before, after = (solve(Problem({"scores": [s]}, scaling="none", softmax=softmax).yaml()) for s in (scores, raised))
    assert before["weights"].decimals(30) == after["weights"].decimals(30)
    ours, student = (solution.exact[Key("weights")].rows for solution in (before, after))
    for one, other in zip(sum(ours, ()), sum(student, ()), strict=True):
        assert closed.add([one, closed.multiply(other, Fraction(-1))]) == 0


@tries(10)
@given(self_attention())
def test_taking_the_maximum_off_first_changes_nothing(problem: Problem) -> None:
    plain, stable = (solve(replace(problem, stable=stable).yaml()) for stable in (False, True))
    assert forms(plain, False) == forms(stable, False)


@tries(10)
@given(self_attention(shapes=["one"]))
def test_starting_from_the_scores_leads_to_the_same_weights(problem: Problem) -> None:
    whole = solve(problem.yaml())
    texts = solve(problem.yaml())["scores"].exact_text
    stated = tuple(tuple(Number(text, math.nan) for text in row) for row in texts)
    stated = turned(stated) if problem.columns else stated
    d_k = len(problem.projections[0]["W_K"][0]) if problem.scaling is None else None
    middle = replace(problem, given={"scores": [stated]}, projections=(), output={}, d_k=d_k)
    assert forms(solve(middle.yaml()), False) == {
        key: rows for key, rows in forms(whole, False).items() if key[0].id in LATER
    }


@tries(10)
@given(self_attention(shapes=["one"]), st.data())
def test_a_token_that_nobody_may_look_at_has_no_say_in_the_others(problem: Problem, data: st.DataObject) -> None:
    (tokens,) = problem.given["inputs"]
    hidden = data.draw(st.integers(0, len(tokens) - 1))
    mask = tuple(tuple(ALLOWED[j != hidden] for j in range(len(tokens))) for _ in tokens)
    other = data.draw(matrices(1, len(tokens[0]), WHOLE))[0]
    changed = tuple(other if i == hidden else row for i, row in enumerate(tokens))
    results = [
        forms(solve(replace(problem, given={"inputs": [inputs]}, mask=mask).yaml()), problem.columns)
        for inputs in (tokens, changed)
    ]
    for form in ("exact", "printed"):
        before, after = (
            [row for i, row in enumerate(result[Key("context"), form]) if i != hidden] for result in results
        )
        assert before == after


@tries(10)
@given(self_attention())
def test_the_identity_as_an_output_projection_leaves_the_heads_as_they_are(problem: Problem) -> None:
    solution = solve(replace(problem, output={}).yaml() + "W_O: identity\n")
    joined = Key("concat") if problem.heads > 1 else Key("context")
    found = forms(solution, False)
    for form in ("exact", "printed"):
        assert found[Key("output"), form] == found[joined, form]
