"""What the first document of a file shares with those after it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
import yaml
from shared.program import run

from attnsolve.bounds import changed
from attnsolve.contract.problem_schema import schema
from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve

SHEET = """\
shared:
  given: {W: [[1, 2], [0, 1]], b: [1, -1]}
  formulas: {H: relu(X*W + b)}
---
kind: formulas
title: One
given: {X: [[1, 1]]}
---
kind: formulas
title: Two
given: {X: [[1, 1], [0, -2]], b: [0, 0]}
---
kind: formulas
title: Three
given: {X: [[1, -4]]}
formulas: {H: X .* 2}
"""


def result(text: str, number: int, name: str) -> list[list[float]]:
    found: list[list[float]] = solve(parse(text, "sheet.yaml")[number])[name].array.tolist()
    return found


def faults(text: str) -> list[str]:
    with pytest.raises(ProblemError) as caught:
        parse(text, "sheet.yaml")
    return str(caught.value).splitlines()


def test_each_problem_has_what_is_shared_and_its_own_entry_goes_first() -> None:
    """By hand: (1, 1)·W = (1, 3)."""
    assert result(SHEET, 0, "H") == [[2, 2]]
    assert result(SHEET, 1, "H") == [[1, 3], [0, 0]]
    assert result(SHEET, 2, "H") == [[2, -8]]


def test_what_is_shared_is_no_problem_of_its_own() -> None:
    assert [problem.title for problem in parse(SHEET, "sheet.yaml")] == ["One", "Two", "Three"]
    assert [problem.title for problem in parse(SHEET, "sheet.yaml", check=False)] == ["One", "Two", "Three"]


def test_any_key_can_be_shared() -> None:
    text = "shared: {kind: seq2seq, weights: {W: identity}, states: [[1, 2]], digits: 6, tokens: [tea]}\n---\n"
    text += "state: [3, 4]\nscore: general\n---\nkind: attention\ninputs: [[1, 0]]\nweights: {W_Q: [[2], [3]], W_K: "
    text += "[[1], [1]], W_V: identity}\ndigits: 2\n"
    one, two = parse(text, "sheet.yaml")
    assert (one.kind, one.digits, solve(one)["scores"].array.tolist()) == ("seq2seq", 6, [11])
    assert (two.kind, two.digits, solve(two)["scores"].array.tolist()) == ("attention", 2, [[2]])


def test_a_problem_may_do_without_what_is_shared_but_one_must_use_it() -> None:
    one = SHEET.replace("b: [1, -1]", "b: [1, -1], U: [[1]]")
    assert faults(one) == ["sheet.yaml:2:44: U is shared, but no problem uses it", "    leave it out"]
    assert result(one + "---\nkind: formulas\nformulas: {Y: U + 1}\ngiven: {X: [[1, 1]]}\n", 3, "Y") == [[2]]


def test_an_unknown_key_is_answered_as_anywhere() -> None:
    assert faults(SHEET.replace("  given:", "  toknes: [a]\n  given:", 1)) == [
        "sheet.yaml:2:3: unknown key 'toknes'",
        "    did you mean tokens?",
    ]


def test_an_error_is_reported_once_where_it_stands(tmp_path: Path) -> None:
    wrong = SHEET.replace("[0, 1]]", "[0, what]]", 1)
    assert faults(wrong)[0].startswith("sheet.yaml:2:27: in W[2,2]: 'what'")
    path = tmp_path / "sheet.yaml"
    path.write_text(wrong, encoding="utf-8")
    done = run(["solve", str(path)])
    assert (done.code, done.err.count(":2:27:"), "Three" in done.out) == (2, 1, False)
    assert run(["solve", str(path), "--problem", "2"]).err.count(":2:27:") == 1


def test_a_chosen_problem_is_solved_whatever_others_use(tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text(SHEET.replace("b: [1, -1]", "b: [1, -1], U: [[1]]"), encoding="utf-8")
    done = run(["solve", str(path), "--problem", "Two", "--format", "json"])
    assert (done.code, json.loads(done.out)["title"]) == (0, "Two")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: x\nshared: {given: {W: 1}}\n", "1:1: shared must stand alone in the first document, but 'title'"),
        ("kind: formulas\n---\nshared: {given: {W: 1}}\n", "3:1: shared must stand in the first document"),
        ("shared: {given: {W: 1}}\n", "1:1: there is no problem that could use what is shared"),
        ("shared: 3\n---\nkind: formulas\n", "1:9: shared must be a mapping such as"),
        ("shared: {}\n---\nkind: formulas\n", "1:9: shared must be a mapping such as"),
    ],
)
def test_it_stands_alone_at_the_top(text: str, message: str) -> None:
    assert faults(text)[0].startswith(f"sheet.yaml:{message}")


def test_what_is_shared_counts_once_for_every_problem() -> None:
    with changed(nodes=200):
        assert "what is shared comes to more than 200 values" in faults(SHEET.replace("b: [1", f"b: [{'1, ' * 60}1"))[0]


def test_the_schema_takes_it() -> None:
    validator = jsonschema.Draft202012Validator(schema())
    first, *_ = yaml.safe_load_all(SHEET)
    valid: Callable[[object], bool] = validator.is_valid
    assert valid(first)
    assert not valid({**first, "title": "x"})
    assert not valid({"shared": {}})
