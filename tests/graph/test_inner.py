"""What is inside a step can be asked for: exponentials, sums, maxima, shifted scores, products and weighted values."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.program import run as from_shell

import attnsolve
from attnsolve.bounds import allowed
from attnsolve.contract.problem_schema import schema
from attnsolve.contract.schemas import contracts
from attnsolve.errors import ProblemError, RequestError
from attnsolve.graph import run
from attnsolve.graph.inner import expanded
from attnsolve.loading.from_python import read
from attnsolve.numbers.balls import Balls, at_precision, ball
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.floats import Floats

HEAD: dict[str, Any] = {
    "inputs": [[1, 0], [0, 2], [1, -1]],
    "weights": {"W_Q": [[1, 0], [1, 1]], "W_K": [[0, 1], [1, 0]], "W_V": [[1, 2], [3, 4]]},
}
KINDS: dict[str, dict[str, Any]] = {
    "plain": HEAD,
    "causal": {**HEAD, "mask": "causal"},
    "nothing seen": {**HEAD, "mask": [[0, 0, 0], [1, 1, 0], [1, 0, 1]]},
    "stable": {**HEAD, "stable": True, "mask": "causal"},
    "base 2": {**HEAD, "softmax": {"base": 2}},
    "columns": {**HEAD, "layout": "columns", "inputs": [[1, 0, 1], [0, 2, -1]]},
    "columns, stable": {**HEAD, "layout": "columns", "inputs": [[1, 0, 1], [0, 2, -1]], "stable": True},
    "sum": {"scores": [[1, 2], [3, 4], [5, 0]], "scaling": "none", "softmax": "sum"},
    "sum, masked": {"scores": [[1, 2], [3, 4]], "scaling": "none", "softmax": "sum", "mask": [[1, 0], [0, 0]]},
    "heads": {**HEAD, "heads": 2},
    "one query": {"scores": [1, 2, 3], "scaling": "none"},
    "seq2seq": {"kind": "seq2seq", "states": [[1, 0], [0, 2], [1, 1]], "state": [1, 2]},
    "seq2seq, steps": {"kind": "seq2seq", "states": [[1, 0], [0, 2]], "state": [[1, 2], [0, 1]], "stable": True},
}
STAGES = ("weights.maxima", "weights.shifted", "weights.exponentials", "weights.sums")


def solved(data: dict[str, Any], *names: str) -> Any:
    return attnsolve.solve(read(data)).opened(names)


def stages(data: dict[str, Any]) -> tuple[str, ...]:
    """Those that a problem has."""
    if data.get("softmax") == "sum":
        return STAGES[3:]
    return STAGES if data.get("stable") else STAGES[2:]


def command(*arguments: str) -> tuple[object, str, str]:
    done = from_shell(arguments)
    return done.code, done.out, done.err


def written(folder: Path, data: dict[str, Any], name: str = "problem.yaml") -> str:
    path = folder / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return str(path)


# ── values ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tier", [Exact, Balls, Floats])
def test_an_expanded_step_comes_to_what_the_whole_one_does(kind: str, tier: Any) -> None:
    """Whichever of its stages are expanded."""
    closed = solved(KINDS[kind]).graph
    with at_precision(128):
        right = run(closed, tier)
        for names in (stages(KINDS[kind]), *((name,) for name in stages(KINDS[kind]))):
            found = run(expanded(closed, names), tier)
            for key, value in right.items():
                ours = found[key]
                assert ours is not None
                assert value is not None
                for row, other in zip(ours.rows, value.rows, strict=True):
                    assert all(same(x, y) for x, y in zip(row, other, strict=True)), key


def same(x: Any, y: Any) -> bool:
    """Whether two cells are the same number; forms of one number may differ."""
    if x is None or y is None or x == y:
        return True
    if isinstance(x, float):
        return bool(x == pytest.approx(y, abs=1e-13))
    one, other = (cell if isinstance(cell, type(ball(0))) else ball(cell) for cell in (x, y))
    return bool(one.overlaps(other)) and bool(one.rad() < 1e-30)


@pytest.mark.parametrize("kind", KINDS)
def test_stages_are_what_numpy_finds(kind: str) -> None:
    data = KINDS[kind]
    solution = solved(data, *stages(data))
    for weights in [q for q in solution.graph if q.key.id == "weights"]:
        closed = solution.graph.expansion.unexpanded[weights.key]
        scores = np.array(solution.floats(closed.formula.leaves()[0]))
        axis = 0 if weights.token_axis else 1
        finite = np.where(np.isinf(scores), -np.inf, scores)
        tops = np.where(np.isinf(finite.max(axis, keepdims=True)), 0, finite.max(axis, keepdims=True))
        shifted = finite - tops if data.get("stable") else finite
        base = 2.0 if isinstance(data.get("softmax"), dict) else np.e
        powers = np.where(np.isinf(finite), 0, finite) if data.get("softmax") == "sum" else base**shifted
        expected = {"maxima": tops, "shifted": shifted, "exponentials": powers, "sums": powers.sum(axis, keepdims=True)}
        for name in stages(data):
            key = weights.key._replace(id=name)
            np.testing.assert_allclose(np.array(solution.floats(key)), expected[name.split(".")[1]], rtol=1e-12)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("sum", "sum, masked", "one query")])
def test_products_and_weighted_values_add_up_to_the_cell_and_the_token(kind: str) -> None:
    closed = solved(KINDS[kind])
    at = closed.graph["weights" and next(q.key for q in closed.graph if q.key.id == "scores")].key.at
    head = f"head {at[0][1]}: " if at else ""
    single = closed.graph[next(q.key for q in closed.graph if q.key.id == "context")].is_vector
    cell, token = ("scores[2]", "context") if single else ("scores[2,1]", "context[2]")
    solution = closed.opened([f"{head}{cell}.products", f"{head}{token}.weighted"])
    products, weighted = (
        next(q for q in solution.graph if q.key.id.endswith(end)) for end in (".products", ".weighted")
    )
    scores, context = (next(q for q in solution.graph if q.key.id == id) for id in ("scores", "context"))
    table, rows = np.array(solution.floats(scores.key)), np.array(solution.floats(context.key))
    score = table.ravel()[1] if single else table[1, 0]
    result = rows.ravel() if single else rows[:, 1] if context.token_axis else rows[1]
    assert np.array(solution.floats(products.key)).sum() == pytest.approx(score)
    np.testing.assert_allclose(np.array(solution.floats(weighted.key)).sum(1 if context.token_axis else 0), result)


def test_exact_forms_are_closed() -> None:
    solution = attnsolve.solve(attnsolve.load("discussion-10-qkv"))
    assert str(solution["A.exponentials"].exact[2, 1]) == "exp(8)"
    assert solution["A.sums"].exact_text[2] == "exp(-20) + exp(2) + exp(8)"
    assert solution["scores[2,1].products"].exact_text == ["6", "0", "-2"]


@given(st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=3), min_size=1, max_size=3).filter(
    lambda rows: len({len(row) for row in rows}) == 1
), st.booleans(), st.sampled_from([2, 3, Fraction(5, 2)]))  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_exponentials_over_sums_are_the_weights(rows: list[list[int]], stable: bool, base: Fraction) -> None:
    data = {"scores": rows, "scaling": "none", "softmax": {"base": str(base), "stable": stable}}
    solution = solved(data, "exponentials", "sums")
    powers, sums, weights = (solution[name].array for name in ("exponentials", "sums", "weights"))
    np.testing.assert_allclose(np.atleast_2d(powers) / sums.reshape(-1, 1), np.atleast_2d(weights), rtol=1e-13)
    np.testing.assert_allclose(weights, solved(data)["weights"].array, rtol=1e-13)


# ── asking ──────────────────────────────────────────────────────────────────────────────────────


def test_parts_find_them_and_the_weights_then_come_from_them(tmp_path: Path) -> None:
    problem = written(tmp_path, {**HEAD, "parts": {"a": {"find": ["A.exponentials", "row sums"]}, "b": {"find": "A"}}})
    code, out, _ = command("solve", problem)
    assert code == 0
    assert "Find the exponentials E and the sums Z." in out
    assert "a₁,₁ = E₁,₁/Z₁" in out
    assert "From part (a): E, Z." in out


@pytest.mark.parametrize("name", ["weights.exponentials", "A.exps", "exponentials", "A.exponentials"])
def test_json_lists_them_only_where_they_are_asked_for(tmp_path: Path, name: str) -> None:
    problem = written(tmp_path, HEAD)
    _, out, _ = command("solve", problem, "--format", "json", "--only", name)
    found = json.loads(out)
    assert [q["id"] for q in found["quantities"]] == ["weights.exponentials"]
    jsonschema.validate(found, contracts()["solution"])
    _, out, _ = command("solve", problem, "--format", "json")
    assert not [q["id"] for q in json.loads(out)["quantities"] if "." in q["id"]]


def test_inner_quantities_stand_where_their_step_does() -> None:
    solution = solved(KINDS["heads"], "A@2.sums", "head 1: scores[2,1].products")
    found = {(str(q.key), q.key.at) for q in solution.graph if "." in q.key.id}
    assert found == {
        ("head 2: weights.sums", (("head", 2),)),
        ("head 1: scores[2,1].products", (("head", 1),)),
    }


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        ("A.exponentials[3,1]", "E₃,₁ = e^z₃,₁ = e² ≈ 7.389"),
        ("A.sums[2]", "D₂ = e^z₂,₁ + e^z₂,₂ + e^z₂,₃ = e⁴ + e⁻² + e² ≈ 62.12"),
        ("z[2,1].products[1]", "p₂,₁,₁ = q₂,₁·k₁,₁ = (−1)·(−6) = 6"),
        ("context[3].weighted[2,1]", "u⁽³⁾₂,₁ = a₃,₂·v₂,₁ ≈ 0.997527·(−8) ≈ −7.980"),
    ],
)
def test_a_cell_of_them_is_explained(request_: str, line: str) -> None:
    code, out, _ = command("explain", "discussion-10-qkv", request_)
    assert code == 0
    assert line in out


# ── giving and rounding ─────────────────────────────────────────────────────────────────────────


def test_given_exponentials_need_no_scores() -> None:
    solution = solved({"values": [[1, 2], [3, 4]], "given": {"exponentials": [[1, 3], [2, 2]]}})
    assert [str(q.key) for q in solution.graph] == ["weights.exponentials", "values", "weights", "context"]
    assert solution["weights"].exact_text == [["1/4", "3/4"], ["1/2", "1/2"]]


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_given_sums_are_divided_by(layout: str) -> None:
    data = {"scores": [[0, 0], [0, 0]], "scaling": "none", "layout": layout, "given": {"A.sums": [4, 5]}}
    exact = solved(data)["weights"].exact_text
    rows = exact if layout == "rows" else [list(column) for column in zip(*exact, strict=True)]
    assert rows == [["1/4", "1/4"], ["1/5", "1/5"]]


def test_each_head_may_have_its_own() -> None:
    solution = solved({**KINDS["heads"], "given": {"A.sums": [[4, 5, 6], [7, 8, 9]]}})
    assert [solution["weights.sums", head].exact_text for head in (1, 2)] == [["4", "5", "6"], ["7", "8", "9"]]


def test_given_shifted_scores_are_gone_on_with() -> None:
    data = {"stable": True, "given": {"A.shifted": [[0, -1], [-2, 0]]}}
    solution = solved(data, "A.exponentials")
    assert [q.name.letter for q in solution.graph] == ["S", "E", "A"]
    assert solution["exponentials"].exact_text == [["1", "exp(-1)"], ["exp(-2)", "1"]]


def test_what_comes_before_a_given_stage_is_not_there() -> None:
    solution = solved({"stable": True, "given": {"A.exponentials": [[1, 3], [2, 2]]}})
    said = r"weights starts from its exponentials here, which are given, so there are no maxima"
    with pytest.raises(RequestError, match=said):
        solution["A.maxima"]
    assert solution["A.sums"].exact_text == ["4", "4"]


def test_what_is_given_makes_what_comes_before_it_idle() -> None:
    with pytest.raises(ProblemError, match=r"scores are never used: weights\.exponentials are given"):
        read({"scores": [[1, 2], [3, 4]], "given": {"exponentials": [[1, 3], [2, 2]]}})


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"A.sums": [4, 5]}, "one number for each row of weights, 3 in all, but 2 numbers were found"),
        ({"A.maxima": [4, 5, 6]}, "weights has maxima only with stable: true"),
        ({"A.foo": [4]}, "of weights, these can be given: exponentials, shifted, sums, maxima"),
    ],
)
def test_what_cannot_be_given_is_said(given_: dict[str, Any], said: str) -> None:
    with pytest.raises(ProblemError) as caught:
        read({**HEAD, "given": given_})
    assert said in str(caught.value)


def test_they_are_rounded_where_the_sheet_says_so() -> None:
    rounding = {"places": {"A.exponentials": 1, "A.sums": 1}, "when": "each-step"}
    solution = solved({"scores": [[0, 1]], "scaling": "none", "rounding": rounding})
    assert solution["exponentials"].exact_text == [["1", "2.7"]]
    assert solution["weights"].exact_text == [["10/37", "27/37"]]


def test_rounding_every_result_leaves_what_is_inside_a_step_alone() -> None:
    data = {"scores": [[0, 1]], "scaling": "none", "rounding": {"places": 1, "when": "each-step"}}
    assert solved(data)["exponentials"].exact_text == [["1", "E"]]
    assert solved(data, "exponentials")["weights"].exact_text == solved(data)["weights"].exact_text


# ── answers ─────────────────────────────────────────────────────────────────────────────────────

SHEET = {"scores": [[0, 1], [1, 2]], "scaling": "none"}


def checked(folder: Path, answers: dict[str, Any]) -> dict[str, Any]:
    _, out, err = command("check", written(folder, SHEET), written(folder, answers, "answers.yaml"), "--format", "json")
    assert not err
    found: dict[str, Any] = json.loads(out)
    jsonschema.validate(found, contracts()["check"])
    return found


def test_what_follows_from_wrong_exponentials_counts(tmp_path: Path) -> None:
    """The slip is named where it was made."""
    answers = {"A.exponentials": [[1, 2], [2, 4]], "A.sums": [3, 6], "A": [["1/3", "2/3"], ["1/3", "2/3"]]}
    found = checked(tmp_path, answers)
    assert found["counts"] == {"exact": 1, "follows": 6, "wrong": 3}
    (diagnosis,) = found["diagnoses"]
    assert diagnosis["id"] == "weights.exponentials"
    assert [[slip["id"] for slip in group] for group in diagnosis["mistakes"]] == [["softmax-base-2"]]


def test_a_term_left_out_of_a_sum_is_named(tmp_path: Path) -> None:
    found = checked(tmp_path, {"A.sums": [3.718, 2.718]})
    (diagnosis,) = found["diagnoses"]
    assert diagnosis["id"] == "weights.sums"
    assert [slip["id"] for slip in diagnosis["entries"][0]["slips"]] == ["left-out-of-sum"]


def test_weights_that_were_not_divided_are_named_beside_right_exponentials(tmp_path: Path) -> None:
    answers = {"A.exponentials": [[1, 2.718], [2.718, 7.389]], "A": [[1, 2.718], [2.718, 7.389]]}
    found = checked(tmp_path, answers)
    (diagnosis,) = found["diagnoses"]
    assert diagnosis["id"] == "weights"
    assert [[slip["id"] for slip in group] for group in diagnosis["mistakes"]] == [["softmax-not-normalised"]]


# ── names ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("A.foo", "weights has exponentials, sums"),
        ("A.exponntials", "did you mean exponentials?"),
        ("A.maxima", "weights has maxima only with stable: true"),
        ("scores.products", "say for which entry: scores[2,1].products"),
        ("queries.sums", "queries has products (as queries[2,1].products)"),
    ],
)
def test_a_name_that_means_nothing_is_answered_with_what_there_is(tmp_path: Path, name: str, said: str) -> None:
    problem = written(tmp_path, HEAD)
    for arguments in (("solve", problem, "--only", name), ("explain", problem, f"{name}[1]")):
        code, _, err = command(*arguments)
        assert code == 2
        assert said in err or name == "scores.products"


def test_letters_do_not_clash() -> None:
    """E and Z give way to letters that the sheet uses; entries of E are not written like Euler's number."""
    plain = solved(SHEET, "exponentials", "sums").graph
    assert {q.name.letter for q in plain if "." in q.key.id} == {"E", "Z"}
    taken = solved({**SHEET, "notation": {"scores": "z", "weights": "e"}}, "exponentials", "sums").graph
    assert {q.name.letter for q in taken if "." in q.key.id} == {"P", "D"}
    chosen = solved({**SHEET, "notation": {"A.sums": "N"}}, "sums").graph
    assert [q.name.letter for q in chosen if "." in q.key.id] == ["N"]
    with pytest.raises(ProblemError, match=r"scores and weights\.sums would both be written S"):
        read({**SHEET, "notation": {"A.sums": "S"}})


def test_the_schema_of_problems_knows_them() -> None:
    data = {
        **HEAD,
        "parts": {"a": {"find": ["A.exponentials", "sums", "scores[2,1].products"]}},
        "rounding": {"places": {"A.sums": 2}, "when": "each-step"},
        "given": {"A.maxima": [1, 2]},
    }
    jsonschema.validate(data, schema())
    data["parts"] = {"a": {"find": "A.nothing"}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema())


def test_any_length_of_name_is_answered() -> None:
    assert solved(HEAD, "A." + "x" * 2 * allowed().name_characters).graph.expansion is None
