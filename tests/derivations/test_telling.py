"""Arguments asked for in parts, from the command line, and as files."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch
from xml.etree import ElementTree

import pytest
import sympy
from typer.testing import CliRunner

from attnsolve import cli
from attnsolve.api import solving
from attnsolve.check import sheet
from attnsolve.derivations.derivation import Derivation
from attnsolve.errors import AttnsolveError, ProblemError, RequestError
from attnsolve.loading.files import parse
from attnsolve.loading.sources import bundled
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.solution.solved import Narration

AVERAGING = """\
kind: derivation
topic: averaging
text: Two at once.
beta: 5
within: 0.01
keys: identity
values: [[1, 0], [0, 1], [4, 4]]
"""
HEADS = """\
kind: random-keys
means: identity
values: [[2, 0], [0, 2], [-1, -1]]
queries: {'one|*two*': [beta*(mu_a + mu_b)], heads: [beta*mu_a, beta*mu_b]}
simulate: {samples: 300, seed: 0}
"""
TOPICS = (
    "topic: scaled-dot-product\nsigma: 1/2\nvariance: 3\nsimulate: {samples: 200}\n",
    "topic: softmax-is-a-distribution\nscores: [1, -1/2, 3]\n",
    "topic: softmax-shift-invariance\nscores: [1, -1/2, 3]\n",
    "topic: softmax-jacobian\nscores: [1, -1/2, 3]\nupstream: [1, 2, 0]\n",
    "topic: softmax-cross-entropy-gradient\nscores: [1, -1/2, 3]\ntarget: 2\n",
    "topic: attention-gradient\nqueries: [[1]]\nkeys: [[1], [2]]\nvalues: [[1], [3]]\nupstream: [[2]]\n",
    "topic: layer-norm-gradient\nvector: [1, 3, 4]\nupstream: [1, 0, 2]\nepsilon: 1\n",
    "topic: copying\nkeys: identity\nvalues: [[1], [2], [5]]\nquery: [3, 1, -1/2]\naccuracy: 0.99\n",
    "topic: averaging\nkeys: identity\nvalues: [[1], [2], [5]]\nwithin: 0.01\nbeta: 4\n",
    "topic: permutation-equivariance\n",
    "topic: claim\ngiven: {S: 'matrix(2, 2)', P: permutation(2)}\nclaim: softmax(P*S) = softmax(S)*P\n",
)
PARTS = """\
parts:
  a: {find: steady, for: heads, marks: 2}
  b: {find: [steady, stretched], for: heads}
  c: {show: softmax-is-a-distribution}
"""


NOT_PATCHED = (sheet, solving)
"""Modules that keep the `solve` they import: they have to be there before it is another one for a while."""


@cache
def derived(text: str) -> Derivation:
    (problem,) = parse(text, "p.yaml")
    worked = solve(problem)
    assert isinstance(worked, Derivation)
    return worked


def run(folder: Path, text: str, *arguments: str) -> str:
    """What `attnsolve command p.yaml …` prints; an error of ours is raised as it is."""
    path = folder / "p.yaml"
    path.write_text(text, encoding="utf-8")
    command, *rest = arguments
    with patch(
        "attnsolve.pipeline.solve", lambda problem: derived(text)
    ):  # each argument takes long and is worked out once
        result = CliRunner().invoke(cli.app, [command, str(path), *rest])
    if isinstance(result.exception, AttnsolveError):
        raise result.exception
    assert result.exception is None, result.exception
    return result.stdout


# ── parts ─────────────────────────────────────────────────────────────────────────────────────────


def test_parts_are_answered_in_their_order_and_only_once() -> None:
    text = render(derived(HEADS + PARTS).to_document())
    flat = " ".join(text.split())
    assert text.index("(a) [2 marks]") < text.index("(b)") < text.index("(c)")
    assert "For heads: find the scores and weights with every key near its mean, and the limit of the output." in flat
    assert text.count("heads: when key a varies in length") == 1
    assert "See part (a)." in text
    assert "The weights sum to 1" in text


def test_what_no_part_asks_for_stands_around_them() -> None:
    text = render(derived(HEADS + PARTS).to_document())
    assert text.index("The setting") < text.index("(a)")
    assert text.index("(c)") < text.index("Side by side")


def test_a_question_is_a_sentence() -> None:
    text = (
        AVERAGING
        + "parts:\n  a: {find: limit}\n  b: {find: [scores, weights]}\n  c: {find: needed, text: How strong?}\n"
    )
    shown = render(derived(text).to_document())
    assert "Find the limits of the weights and the output as the query grows stronger." in shown
    assert "Find the scores. Find the weights." in shown
    assert "How strong?" in shown


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        (
            "{a: {find: steddy}}",
            "p.yaml:6:19: part a asks for 'steddy', which is not a quantity\n    did you mean steady?",
        ),
        (
            "{a: {find: steady, for: haeds}}",
            "part a is for 'haeds', which this problem does not have\n    did you mean heads?",
        ),
        ("{a: {show: softmax-is-distribution}}", "did you mean softmax-is-a-distribution?"),
    ],
)
def test_a_part_about_nothing_is_refused_with_the_nearest(parts: str, says: str) -> None:
    with pytest.raises(ProblemError) as error:
        derived(f"{HEADS}parts: {parts}\n")
    assert says in str(error.value)


def test_a_passage_that_this_problem_has_not_is_refused() -> None:
    with pytest.raises(
        ProblemError, match="part a asks for example, which this problem does not have\n    known: weight"
    ):
        derived("kind: derivation\ntopic: copying\nparts: {a: {find: example}}\n")


# ── the command line ──────────────────────────────────────────────────────────────────────────────


def test_only_and_for_choose_passages(tmp_path: Path) -> None:
    text = run(tmp_path, HEADS, "solve", "--only", "steady", "--for", "heads")
    assert "heads: every key near its mean" in text
    assert "one|*two*" not in text
    assert "The setting" not in text


@pytest.mark.parametrize("detail", ["brief", "full"])
def test_detail_tells_the_whole_argument_instead_of_parts(tmp_path: Path, detail: str) -> None:
    text = run(tmp_path, HEADS + PARTS, "solve", "--detail", detail)
    assert "(a)" not in text
    assert "one|*two*: every key near its mean" in text


def test_one_part_can_be_asked_for(tmp_path: Path) -> None:
    text = run(tmp_path, HEADS + PARTS, "solve", "--part", "c")
    assert "So they are a distribution" in text
    assert "every key near its mean" not in text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--only", "stedy"), "--only stedy: there is no such step; did you mean steady?"),
        (("--for", "haeds"), "--for haeds: did you mean heads?"),
        (("--part", "z"), "--part z: there is no such part; known: a, b, c"),
    ],
)
def test_what_is_not_there_is_refused_with_the_nearest(tmp_path: Path, arguments: tuple[str, str], says: str) -> None:
    path = tmp_path / "problem.yaml"
    path.write_text(HEADS + PARTS, encoding="utf-8")
    with patch("attnsolve.pipeline.solve", lambda problem: derived(HEADS + PARTS)):
        result = CliRunner().invoke(cli.app, ["solve", str(path), *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr


def test_explain_says_that_an_argument_has_no_cells(tmp_path: Path) -> None:
    with pytest.raises(
        RequestError, match="explain traces a cell of a matrix of exact numbers, but this problem asks for an argument"
    ):
        run(tmp_path, AVERAGING, "explain", "scores[1,1]")


def test_bundled_problems_are_listed_whatever_their_kind() -> None:
    result = CliRunner().invoke(cli.app, ["list"])
    assert result.exit_code == 0
    assert [line for line in result.stdout.splitlines() if not line.startswith(" ")] == list(bundled())


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────────


def as_json(folder: Path, text: str, *arguments: str) -> dict[str, Any]:
    printed = run(folder, text, "solve", "--format", "json", *arguments)
    assert printed.count("\n") == 1
    data: dict[str, Any] = json.loads(printed)
    return data


def test_json_has_results_with_their_exact_form_and_decimals(tmp_path: Path) -> None:
    text = "kind: derivation\ntopic: scaled-dot-product\nd_k: 12\nmu: 1/2\nsigma: 2\nvariance: 3\n"
    data = as_json(tmp_path, text)
    assert data["kind"] == "derivation"
    found = {q["id"]: q for q in data["quantities"]}
    assert found["variance"] == {
        "id": "variance", "head": None, "at": [], "symbol": "Var(q^T k)", "shape": [], "exact": "216", "decimal": "216",
    }  # fmt: skip
    assert sympy.sympify(found["scale"]["exact"]) == 6 * sympy.sqrt(2)
    assert found["scale"]["decimal"] == "8.485"


def test_json_of_letters_has_no_decimals(tmp_path: Path) -> None:
    data = as_json(tmp_path, "kind: derivation\ntopic: scaled-dot-product\n", "--only", "variance")
    (variance,) = data["quantities"]
    D, mu, sigma = sympy.symbols("D_k mu sigma")
    assert sympy.expand(sympy.sympify(variance["exact"]) - D * (sigma**4 + 2 * mu**2 * sigma**2)) == 0
    assert variance["decimal"] is None


def test_json_says_of_each_check_what_it_is_and_whether_it_holds(tmp_path: Path) -> None:
    data = as_json(tmp_path, HEADS)
    checks = [(c["head"], c["holds"]) for c in data["checks"] if c["says"] == "reaches the output we want"]
    assert checks == [("one|*two*", True), ("one|*two*", False), ("heads", True)]
    (probability,) = [q for q in data["quantities"] if (q["id"], q["head"]) == ("probability", "heads")]
    assert probability["decimal"] == "0.9214"
    assert [q["exact"] for q in data["quantities"] if q["id"] == "distance"] == ["2", None]


def test_json_has_steps_in_latex_and_text(tmp_path: Path) -> None:
    data = as_json(tmp_path, AVERAGING)
    steps = {step["id"]: step for step in data["steps"]}
    assert list(steps) == ["scores", "weights", "limit", "needed", "example"]
    assert r"\alpha_a = \frac{e^{\beta}}{n - 2 + 2 e^{\beta}}" in steps["weights"]["latex"]
    assert "α_a = eᵝ/(n − 2 + 2eᵝ)" in steps["weights"]["text"]


# ── files ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ending", ["md", "txt", "json"])
@pytest.mark.parametrize("text", [AVERAGING, HEADS + PARTS], ids=["derivation", "random-keys"])
def test_arguments_are_exported_in_every_format(tmp_path: Path, text: str, ending: str) -> None:
    run(tmp_path, text, "export", str(tmp_path / f"out.{ending}"))
    written = (tmp_path / f"out.{ending}").read_text(encoding="utf-8")
    assert "orthonormal" in written


@pytest.mark.parametrize("math", ["github", "dollar", "latex", "none"])
def test_names_are_escaped_in_markdown(tmp_path: Path, math: str) -> None:
    text = run(tmp_path, HEADS, "export", "-", "--math", math)
    assert r"one\|\*two\*" in text
    assert "*two*" not in text.replace(r"\*two\*", "").replace("one|*two*", "")


def test_a_sheet_without_answers_has_what_is_given_and_asked(tmp_path: Path) -> None:
    text = run(tmp_path, HEADS + PARTS, "export", "-", "--solutions", "none", "--math", "none")
    assert "The setting" in text
    assert "For heads: find the scores" in text
    assert "q₁ = β μ_a" in text
    assert "orthonormal means" not in text
    assert "output we want" not in text


def test_given_vectors_stand_on_a_sheet_without_parts(tmp_path: Path) -> None:
    text = run(tmp_path, AVERAGING, "export", "-", "--solutions", "none", "--math", "none")
    assert "Check this on the given vectors." in text
    assert "⎣4  4⎦ v₃" in text
    assert "≈" not in text


def test_sheet_and_key_are_two_files(tmp_path: Path) -> None:
    run(tmp_path, HEADS + PARTS, "export", str(tmp_path / "out.md"), "--solutions", "separate")
    assert "output we want" not in (tmp_path / "out.md").read_text(encoding="utf-8")
    assert "output we want" in (tmp_path / "out.solutions.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "name", "series"),
    [
        (HEADS, "outputs", ["one|*two*", "heads"]),
        ("kind: derivation\ntopic: scaled-dot-product\nsimulate: {samples: 200}\n", "spread", ["q·k", "q·k/s"]),
    ],
)
def test_charts_are_drawn_beside_the_document(tmp_path: Path, text: str, name: str, series: list[str]) -> None:
    run(tmp_path, text, "export", str(tmp_path / "out.md"), "--figures")
    assert f"(out.{name}.svg)" in (tmp_path / "out.md").read_text(encoding="utf-8")
    drawing = ElementTree.fromstring((tmp_path / f"out.{name}.svg").read_text(encoding="utf-8"))
    words = [element.text for element in drawing.iter() if element.tag.endswith("text")]
    assert set(series) <= set(words)


@pytest.mark.parametrize("math", ["github", "none"])
@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_can_be_exported_as_markdown(tmp_path: Path, topic: str, math: str) -> None:
    text = run(tmp_path, f"kind: derivation\n{topic}", "export", "-", "--math", math)
    mathematics = re.findall(r"```math(.*?)```", text, re.DOTALL)
    assert all(formula.isascii() for formula in mathematics)
    assert "−0 " not in text


# ── in plain characters ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("text", [HEADS, *(f"kind: derivation\n{body}" for body in TOPICS)])
def test_every_line_fits_its_width(text: str, unicode: bool, width: int) -> None:
    shown = render(derived(text).to_document(), width, unicode)
    assert max(map(len, shown.splitlines())) <= width
    if not unicode:
        assert shown.isascii()
        assert "?" not in shown.replace("wanted?", "")


def test_an_output_that_is_not_the_one_we_want_is_no_failure() -> None:
    shown = render(derived(HEADS).to_document(Narration(only=("stretched",))), 80, unicode=False)
    assert "  ok never reaches the output we want" in shown
    assert "not ok" not in shown
