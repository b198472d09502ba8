"""What `--format json` prints is what the published schemas say, and the schemas say no less."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from attnsolve.check.judge import WORDS
from attnsolve.cli import app
from attnsolve.cli.commands.schema import Described
from attnsolve.contract.problem_schema import schema
from attnsolve.contract.schemas import VERDICTS, contracts, solution
from attnsolve.kinds import ARGUMENTS
from attnsolve.loading.files import KINDS, load_all
from attnsolve.loading.sources import bundled

VALIDATORS = {name: jsonschema.Draft202012Validator(shape) for name, shape in contracts().items()}
LIMITING = (
    "symbols: {beta: positive}\nlimit: {beta: oo}\nqueries: [[beta, 0]]\nkeys: [[1, 0], [0, 1]]\nvalues: [[1], [2]]"
)


def printed(*arguments: str) -> list[dict[str, Any]]:
    run = CliRunner().invoke(app, [*arguments, "--format", "json"])
    return [json.loads(line) for line in run.stdout.splitlines()]


def assert_keeps(name: str, data: dict[str, Any]) -> None:
    assert [f"{list(error.path)}: {error.message}" for error in VALIDATORS[name].iter_errors(data)] == []


@pytest.mark.parametrize("name", contracts())
def test_each_is_a_valid_schema_that_can_be_printed(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(contracts()[name])
    run = CliRunner().invoke(app, ["schema", "--of", name])
    assert json.loads(run.stdout) == contracts()[name]


def test_the_schema_of_problem_files_is_printed_unless_another_is_asked_for() -> None:
    assert json.loads(CliRunner().invoke(app, ["schema"]).stdout) == schema()
    assert [choice.value for choice in Described] == ["problem", *contracts()]


def test_the_words_are_those_of_the_product() -> None:
    assert list(VERDICTS) == list(WORDS)
    assert solution()["properties"]["kind"]["enum"] == list(KINDS)


@pytest.mark.parametrize("name", [name for name in bundled() if load_all(name, check=False)[0].kind not in ARGUMENTS])
def test_what_is_printed_of_a_bundled_problem_keeps_the_contract(name: str) -> None:
    """Arguments can only be solved; that is in test_every_problem.py, with all that is shown of them."""
    (solved,) = printed("solve", name)
    assert_keeps("solution", solved)
    for command in ("check", "lint"):
        for data in printed(command, name):
            assert_keeps(command, data)


def test_limits_with_cases_keep_it(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(LIMITING.replace("positive}", "positive, x: real}").replace("[beta, 0]", "[beta*x, 0]"), "utf-8")
    (limits,) = printed("solve", str(path))
    assert [case["if"] for case in limits["limits"][0]["cases"]] == [["x > 0"], ["x = 0"], ["x < 0"]]
    assert_keeps("solution", limits)


def test_limits_single_cells_and_parts_keep_it_too(tmp_path: Path) -> None:
    path = tmp_path / "limits.yaml"
    path.write_text(LIMITING, encoding="utf-8")
    (limits,) = printed("solve", str(path))
    assert limits["limits"]
    for data in (
        limits,
        *printed("explain", "causal-mask", "scores[1,1]"),
        *printed("solve", "causal-mask", "--only", "A"),
    ):
        assert_keeps("solution", data)


def test_the_rows_of_a_class_keep_it_even_where_a_file_can_not_be_read(tmp_path: Path) -> None:
    texts = {"right": "scores: [[1, 2]]", "blank": "A: [[_, _]]", "bad": "A: [[", "empty": ""}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    problem = tmp_path / "problem.yaml"
    problem.write_text("given: {scores: [[1, 2]]}\nscaling: none\nvalues: [[1], [2]]\n", encoding="utf-8")
    rows = printed("check", str(problem), *(str(tmp_path / name) for name in texts))
    assert len(rows) == len(texts)
    for row in rows:
        assert_keeps("check", row)
    assert rows[2]["marks"] == ""


def objects(data: Any) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict):
        yield data
    for inner in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from objects(inner)


@pytest.mark.parametrize("name", contracts())
def test_the_contract_is_closed_at_every_depth(name: str) -> None:
    """Whatever object a key is added to or taken from, somebody who validates hears of it."""
    command = "solve" if name == "solution" else name
    (data,) = printed(command, "self-attention-q1" if name == "check" else "causal-mask")
    optional = {"source", "limits", "says", *VERDICTS}
    found = {tuple(original): place for place, original in enumerate(objects(data))}
    for keys, place in found.items():
        for key in (key for key in keys if key not in optional or name == "lint"):
            missing = deepcopy(data)
            del [*objects(missing)][place][key]
            assert not VALIDATORS[name].is_valid(missing), key
        more = deepcopy(data)
        [*objects(more)][place]["unheard_of"] = 1
        assert not VALIDATORS[name].is_valid(more)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("shape", [1, 2, 3]),
        ("shape", [2]),
        ("exact", [1, 2]),
        ("exact", "1"),
        ("decimal", [[0.5]]),
        ("decimal", "0.5"),
        ("head", 1),
        ("symbol", None),
    ],
)
def test_a_quantity_of_another_form_is_refused(key: str, value: object) -> None:
    (data,) = printed("solve", "given-scores")
    assert_keeps("solution", data)
    data["quantities"][-1][key] = value
    assert not VALIDATORS["solution"].is_valid(data)
