"""The JSON contract."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import sympy

from attnsolve.contract.json import render
from attnsolve.loading.files import load_one
from attnsolve.narrate.steps import Narration, narrate
from attnsolve.pipeline import solve
from attnsolve.solution.exact import Solution

Solve = Callable[[str], Solution]


def as_json(solution: Solution, narration: Narration | None = None) -> dict[str, Any]:
    narration = narration or Narration()
    text = render(solution, narrate(solution, narration), narration.digits, whole=not narration.only)
    assert "\n" not in text
    data: dict[str, Any] = json.loads(text)
    return data


@pytest.fixture(scope="module")
def discussion() -> dict[str, Any]:
    return as_json(solve(load_one("discussion-10-qkv")))


def test_quantities_come_by_their_public_ids_in_order(discussion: dict[str, Any]) -> None:
    ids = [quantity["id"] for quantity in discussion["quantities"]]
    assert ids == ["inputs", "queries", "keys", "values", "scores", "weights", "context"]
    assert [parameter["id"] for parameter in discussion["parameters"]] == ["W_Q", "W_K", "W_V"]


def test_a_quantity_is_as_the_contract_says(discussion: dict[str, Any]) -> None:
    assert discussion["title"] == "Query, key and value in transformer attention"
    assert discussion["kind"] == "attention"
    assert discussion["quantities"][1] == {
        "id": "queries",
        "head": None,
        "at": [],
        "symbol": "Q",
        "shape": [3, 3],
        "exact": [["2", "3", "-5"], ["-1", "0", "-2"], ["1", "-2", "8"]],
        "decimal": [["2", "3", "-5"], ["-1", "0", "-2"], ["1", "-2", "8"]],
    }


def test_closed_forms_are_given_as_text_that_sympy_reads(discussion: dict[str, Any]) -> None:
    (weights,) = [q for q in discussion["quantities"] if q["id"] == "weights"]
    expected = sympy.exp(2) / (sympy.exp(2) + sympy.exp(8) + sympy.exp(-20))
    assert sympy.sympify(weights["exact"][2][0]) == expected
    assert weights["decimal"][2] == ["0.002473", "0.9975", "6.897e-13"]


def test_steps_carry_latex_and_text(discussion: dict[str, Any]) -> None:
    step = next(step for step in discussion["steps"] if step["id"] == "scores")
    assert step["title"] == "Step 4: Scores Z"
    assert step["latex"][0] == r"Z = Q K^{\top}"
    assert "z₁,₁ = q₁·k₁ = 2·(−6) + 3·0 + (−5)·1 = −17" in step["text"]


def test_checks_have_ids_and_hold(discussion: dict[str, Any]) -> None:
    ids = {check["id"] for check in discussion["checks"]}
    assert {"weights-rows-sum-to-one", "scores-has-its-shape", "context-agrees-with-float64"} <= ids
    assert all(check["holds"] is True for check in discussion["checks"])


def test_digits_decide_the_length_of_every_decimal() -> None:
    data = as_json(solve(load_one("discussion-10-qkv")), Narration(digits=12, only=("weights",)))
    (weights,) = data["quantities"]
    assert weights["decimal"][2] == ["0.00247262315663", "0.997527376843", "6.89730340112e-13"]


def test_heads_are_labelled_as_on_the_sheet() -> None:
    data = as_json(solve(load_one("two-heads-thinking-machine")))
    scores = [q for q in data["quantities"] if q["id"] == "scores"]
    assert [(q["head"], q["symbol"]) for q in scores] == [("0", "S_0"), ("1", "S_1")]
    (concat,) = [q for q in data["quantities"] if q["id"] == "concat"]
    assert (concat["head"], concat["symbol"], concat["shape"]) == (None, "Z", [2, 6])


def test_a_vector_is_flat(solved: Solve) -> None:
    data = as_json(solved("queries: [1, 2]\nkeys: [[1, 0], [0, 1]]\nvalues: [[1, 0], [0, 2]]\nsoftmax: {base: 2}\n"
                          "scaling: none\n"))  # fmt: skip
    by_id = {q["id"]: q for q in data["quantities"]}
    assert by_id["queries"]["shape"] == [2]
    assert by_id["weights"]["exact"] == ["1/3", "2/3"]
    assert by_id["context"]["exact"] == ["1/3", "4/3"]
    assert by_id["keys"]["shape"] == [2, 2]


def test_minus_infinity_is_text(solved: Solve) -> None:
    data = as_json(solved("inputs: [[1], [2]]\nweights: identity\nmask: causal\n"))
    masked = next(q for q in data["quantities"] if q["id"] == "masked")
    assert masked["decimal"] == [["1", "-inf"], ["2", "4"]]
    assert masked["exact"] == [["1", "-oo"], ["2", "4"]]


def test_a_symbolic_quantity_has_no_decimals(solved: Solve) -> None:
    data = as_json(solved("symbols: [t]\ninputs: [[t], [1]]\nweights: identity\nlimit: {t: oo}\n"))
    scores = next(q for q in data["quantities"] if q["id"] == "scores")
    assert scores["exact"] == [["t**2", "t"], ["t", "1"]]
    assert scores["decimal"] is None
    weights = next(entry for entry in data["limits"] if entry["id"] == "weights")
    assert weights["exact"] == [["1", "0"], ["1", "0"]]
