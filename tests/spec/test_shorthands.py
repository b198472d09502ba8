"""temperature, softcap, score_bias and positions as they are read, and what is said of those that can't be."""

from __future__ import annotations

from collections.abc import Callable

import jsonschema
import pytest
from typer.testing import CliRunner

from attnsolve.cli import app
from attnsolve.contract.problem_schema import schema
from attnsolve.errors import Fault, Mark
from attnsolve.spec.problem import Problem

BODY = "inputs: [[1, 2], [3, 4], [5, 6]]\nweights: identity\n"
"""Three tokens on two lines: the key stands on the third."""
Reads = Callable[[str], Problem]


def written(problem: Problem) -> list[tuple[str, str]]:
    return [(f.name, f.text) for short in problem.body.shorthands for f in short.formulas]


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("temperature: 1/2", [("scaled", "scaled/(1/2)")]),
        ("temperature: 0.5", [("scaled", "scaled/0.5")]),
        ("temperature: ½\nscaling: none", [("scores", "scores/(1/2)")]),
        ("temperature: √2", [("scaled", "scaled/temperature")]),
        ("softcap: 5", [("scaled", "5*tanh(scaled/5)")]),
        ("score_bias: [[0, 1, 0], [0, 0, 0], [0, 0, 0]]", [("scaled", "scaled + score_bias")]),
        ("positions: none", []),
        ("positions: sinusoidal", [("inputs", "inputs + sinusoidal(3, 2)")]),
        ("positions: {sinusoidal: {base: 10^2}}", [("inputs", "inputs + sinusoidal(3, 2, base=100)")]),
        ("positions: [[0, 1], [1, 0], [1, 1]]", [("inputs", "inputs + positions")]),
        ("positions: rope", [("queries", "rope(queries)"), ("keys", "rope(keys)")]),
        ("positions: {rope: }", [("queries", "rope(queries)"), ("keys", "rope(keys)")]),
        ("positions: {alibi: {slopes: [1/2]}}", [("scaled", "scaled + alibi(3, 1/2)")]),
        ("positions: {alibi: {slopes: 1/2}}", [("scaled", "scaled + alibi(3, 1/2)")]),
        ("heads: 2\npositions: {alibi: {slopes: [1/2, 1/4]}}", [("scaled", "scaled + alibi(3, slopes[head])")]),
        (
            "softcap: 5\npositions: sinusoidal\ntemperature: 2",
            [("scaled", "scaled/2"), ("scaled", "5*tanh(scaled/5)"), ("inputs", "inputs + sinusoidal(3, 2)")],
        ),
    ],
)
def test_a_key_stands_for_formulas(text: str, formulas: list[tuple[str, str]], problem: Reads) -> None:
    assert written(problem(f"{BODY}{text}\n")) == formulas


def test_sizes_are_those_of_the_layout(problem: Reads) -> None:
    text = "layout: columns\ninputs: [[1, 2, 3], [4, 5, 6]]\nweights: identity\npositions: sinusoidal\n"
    assert written(problem(text)) == [("inputs", "inputs + sinusoidal(3, 2)")]


@pytest.mark.parametrize(
    ("text", "column", "message", "fix"),
    [
        ("temperature: 0", 14, "temperature must be positive, but '0' was found", "leave it out"),
        ("temperature: hot", 14, "in temperature: 'hot' is not a number", "declared first"),
        ("temperature: [1]", 14, "temperature must be a number, but a list was found", ""),
        ("softcap: -2", 10, "softcap must be positive", "leave it out"),
        ("score_bias: 5", 13, "score_bias must be a matrix", "write score_bias: "),
        ("score_bias: [[1, 2]]", 13, "score_bias has 1 row but the inputs have 3 rows", ""),
        ("score_bias: [[[1]], [[2]]]", 13, "score_bias is written for 2 heads, but there is 1", ""),
        (
            "positions: sinusoid",
            12,
            "positions must be sinusoidal, rope, alibi or a matrix",
            "did you mean sinusoidal?",
        ),
        ("positions: 3", 12, "positions must be sinusoidal, rope, alibi or a matrix", ""),
        ("positions: {sinus: {}}", 13, "but 'sinus' was found", "did you mean sinusoidal?"),
        ("positions: [[1, 2], [3, 4]]", 12, "positions has 2 rows but the inputs have 3 rows", ""),
        ("positions: {rope: {}, sinusoidal: {}}", 23, "positions can't be both rope and sinusoidal", "keep one"),
        ("positions: {rope: 3}", 19, "rope must be a mapping such as {rope: {base: ...}}", ""),
        ("positions: {rope: {bas: 3}}", 20, "unknown key 'bas' in rope", "did you mean base?"),
        ("positions: {rope: {base: 2π}}", 26, "base must be a fraction", "10000 is usual"),
        ("positions: {rope: {base: 0}}", 26, "base must be positive", "10000 is usual"),
        ("positions: {rope: {pairs: half}}", 27, "pairs must be adjacent or halves", "did you mean halves?"),
        ("positions: {sinusoidal: {start: -1}}", 33, "start must be a whole number", ""),
        ("positions: alibi", 12, "alibi has no slopes", "write {alibi: {slopes: [1/2]}}, one slope for each head"),
        ("positions: {alibi: {slopes: [1, 2]}}", 29, "slopes is written for 2 heads, but there is 1", ""),
    ],
)
def test_what_is_wrong_with_a_key_is_told_at_its_place(
    text: str, column: int, message: str, fix: str, fault: Callable[[str], Fault]
) -> None:
    found = fault(f"{BODY}{text}\n")
    assert found.at == Mark(3, column)
    assert message in found.message
    assert fix in found.fix


@pytest.mark.parametrize(
    ("text", "message", "fix"),
    [
        (
            "queries: [1, 2]\nkeys: [[1, 0], [0, 1]]\npositions: rope\n",
            "rope counts queries and keys from the same position, but there are 1 and 2 of them",
            'formulas: {Q: "rope(Q, start=2)", K: rope(K)}',
        ),
        (
            "queries: [1, 2]\nkeys: [[1, 0], [0, 1]]\npositions: {alibi: {slopes: [1]}}\n",
            "alibi needs as many queries as keys, but there are 1 and 2",
            "write score_bias: [[...]]",
        ),
        (
            "queries: [1, 2]\nkeys: [[1, 0], [0, 1]]\npositions: sinusoidal\n",
            "positions are added to the inputs, and there are no inputs",
            "positions: rope",
        ),
        (
            "queries: [[1, 2, 3]]\nkeys: [[1, 0, 1]]\npositions: rope\n",
            "in positions: pairs need an even number of entries, but there are 3",
            "",
        ),
        (
            "given: {weights: [[1, 0], [0, 1]]}\nvalues: [[1], [2]]\ntemperature: 2\n",
            "temperature is never used: there are no scaled scores here",
            "leave it out",
        ),
    ],
)
def test_what_does_not_go_with_the_rest_is_told_at_the_key(
    text: str, message: str, fix: str, fault: Callable[[str], Fault]
) -> None:
    found = fault(text)
    assert found.at.line == 3
    assert message in found.message
    assert fix in found.fix


def test_a_name_of_the_sheet_may_not_be_that_of_a_key(fault: Callable[[str], Fault]) -> None:
    found = fault(f"{BODY}score_bias: identity\nformulas:\n  score_bias: 2*X\n")
    assert (found.message, found.fix) == ("score_bias is already what score_bias stands for", "give it another name")


@pytest.mark.parametrize(
    ("weights", "heads", "at", "message", "fix"),
    [
        ("W_K: [[1, 2], [0, 1]]", "heads: 4\nkey_heads: 3", (4, 12), "4 heads can't share 3 key heads", "1 or 2 or 4"),
        ("W_K: [[1, 2], [0, 1]]", "key_heads: 2", (3, 12), "key_heads says how many heads share keys", "add heads: 4"),
        ("W_K: [[1, 2], [0, 1]]", "heads: 4\nkey_heads: 0", (4, 12), "key_heads must be a whole number from 1", ""),
        (
            "W_K: [[1, 2], [0, 1]]",
            "heads: 4\nkey_heads: 1",
            (2, 51),
            "W_K has 2 columns, 2 entries for each key head, but W_Q has 4 columns, 1 entry for each head",
            "W_K needs 1 column",
        ),
        (
            "W_K: [[1, 2, 3], [0, 1, 1]]",
            "heads: 4\nkey_heads: 2",
            (4, 12),
            "key_heads is 2 but W_K has 3 columns, which don't divide into 2 equal parts",
            "",
        ),
    ],
)
def test_widths_of_keys_go_by_key_heads(
    weights: str, heads: str, at: tuple[int, int], message: str, fix: str, fault: Callable[[str], Fault]
) -> None:
    text = f"inputs: [[1, 0], [0, 1]]\nweights: {{W_Q: [[1, 0, 2, 1], [0, 1, 1, 1]], {weights}}}\n{heads}\n"
    found = fault(f"{text}values: [[1, 2], [3, 4]]\n")
    assert found.at == Mark(*at)
    assert message in found.message
    assert fix in found.fix


def test_key_heads_need_wide_matrices(fault: Callable[[str], Fault]) -> None:
    one = "{W_Q: [[1], [0]], W_K: [[1], [0]], W_V: [[1], [0]]}"
    found = fault(f"inputs: [[1, 0], [0, 1]]\nweights: [{one}, {one}]\nkey_heads: 1\n")
    assert "key_heads goes with wide matrices" in found.message
    assert "with the heads side by side" in found.fix


VALIDATOR = jsonschema.Draft202012Validator(schema())


@pytest.mark.parametrize(
    ("key", "value", "is_valid"),
    [
        ("temperature", "1/2", True),
        ("temperature", [1], False),
        ("positions", "sinusoidal", True),
        ("positions", "sinusoid", False),
        ("positions", {"rope": {"base": 100, "start": 1, "pairs": "halves"}}, True),
        ("positions", {"rope": {"bas": 100}}, False),
        ("positions", {"alibi": {"slopes": ["1/2"]}}, True),
        ("positions", [[1, 2]], True),
        ("score_bias", [[[0, 1]], [[1, 0]]], True),
        ("mask", ["causal", "within(2)"], True),
        ("mask", "causal and within(2)", True),
    ],
)
def test_the_schema_knows_the_keys(key: str, value: object, is_valid: bool) -> None:
    assert VALIDATOR.is_valid({"inputs": [[1, 2]], "weights": "identity", key: value}) is is_valid


def test_the_formulas_can_be_asked_for(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("sheet") / "sheet.yaml"
    file.write_text(f"{BODY}positions: rope\nscore_bias: [[0, 1, 0], [0, 0, 0], [0, 0, 1/2]]\n", encoding="utf-8")
    found = CliRunner().invoke(app, ["solve", str(file), "--formulas"])
    assert found.output == (
        "given:\n  score_bias: [[0, 1, 0], [0, 0, 0], [0, 0, 1/2]]\n"
        "formulas:\n  Q: rope(Q)\n  K: rope(K)\n  scaled: scaled + score_bias\n"
    )
    file.write_text(BODY, encoding="utf-8")
    found = CliRunner().invoke(app, ["solve", str(file), "--formulas"])
    assert found.output == f"# no key of {file} stands for formulas\n"
