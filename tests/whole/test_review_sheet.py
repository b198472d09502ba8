"""One sheet of three problems, as a teacher would type it, through everything that people have to be able to trust:
reading, solving, exporting, marking, limits and claims, and what a stranger may do with it. Every number was worked
out by hand: with X = 2·I and scaling 2, S′ = [[2, 0], [0, 2]] and A has 1/(1 + e⁻²) = 0.880797 on its diagonal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shared.katex import complaints
from shared.program import completed as run

from attnsolve.render.markdown import FLAVOURS, Flavour

SHEET = r"""
title: Two heads
tokens: [hot, tea]
X: [[2, 0], [0, √4]]
weights:
  - {Wq: identity, W_K: identity, W_V: [[1, 2], [3, 4]]}
  - {Wq: identity, W_K: identity, W_V: [['\frac{1}{2}', 0], [0, ½]]}
scaling: 2
parts:
  a: {find: softmax, marks: 4}
  b: {find: context, for: tea, marks: 7/3}
---
title: One query among keys that depend on x
symbols: {beta: positive, x: real}
Q: [[beta]]
K: [[x], [1]]
V: [[1], [3]]
limit: {beta: oo}
---
title: A limit with an exception
kind: derivation
topic: claim
given: {b: positive, x: number}
claim: lim(b -> oo, b*(x - 7)/(b*(x - 7) + 1)) = 1
"""
RIGHT = """
problem: 1
answers:
  softmax: [[[88.08%, 11.92%], [0.1192, '≈0.8808']], [[e²/(e² + 1), 1/(e²+1)], ['0,1192', 8.808×10⁻¹]]]
  context: [[[2.477, 4.477], [5.523, 7.523]], [[0.8808, 0.1192], [0.1192, 0.8808]]]
  X: [[2, 0], [0, 2]]
"""


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    (tmp_path / "sheet.yaml").write_text(SHEET, encoding="utf-8")
    return tmp_path


def check(folder: Path, answers: str) -> tuple[int, dict[tuple[str, str | None], str], str]:
    """The exit code, the verdicts on each quantity (a letter per cell), and what was said about the file."""
    (folder / "answers.yaml").write_text(answers, encoding="utf-8")
    done = run(folder, "check", "sheet.yaml", "answers.yaml", "--problem", "1", "--format", "json")
    verdicts: dict[tuple[str, str | None], str] = {}
    for cell in json.loads(done.stdout)["cells"] if done.stdout else ():
        key = cell["id"], cell["head"]
        verdicts[key] = verdicts.get(key, "") + cell["verdict"][0]
    return done.returncode, verdicts, done.stderr


@pytest.mark.parametrize("math", FLAVOURS)
def test_every_page_of_it_compiles_and_names_its_tokens(sheet: Path, math: Flavour) -> None:
    done = run(sheet, "export", "sheet.yaml", "key.md", "--solutions", "separate", "--math", math)
    assert done.returncode == 0
    pages = {path.name: path.read_text(encoding="utf-8") for path in sheet.glob("*.md")}
    assert len(pages) == 2
    for page in pages.values():
        assert complaints(page, math) == []
        assert "tea" in page
        assert "--" not in page.replace("---", "").replace("--:", "")


def test_the_blank_sheet_says_what_the_numbers_depend_on(sheet: Path) -> None:
    blank = run(sheet, "export", "sheet.yaml", "-", "--solutions", "none", "--math", "none").stdout
    for convention in ("S⁽¹⁾/2", "softmax(S′⁽¹⁾)", "divided by their sum", "Do not round intermediate results"):
        assert convention in blank, convention
    assert "0.88" not in blank


def test_right_answers_in_every_spelling_are_right(sheet: Path) -> None:
    code, verdicts, said = check(sheet, RIGHT)
    assert (code, said) == (0, "")
    assert verdicts == {("weights", "1"): "rrrr", ("weights", "2"): "eerr", ("context", "1"): "rrrr"} | {
        ("context", "2"): "rrrr"
    }


@pytest.mark.parametrize(
    ("answers", "verdicts"),
    [
        ("A: [[[0e2, 0e2], [0e2, 0e2]], _]", "wwww"),
        ("A: [[[1., 0.], [0., 1.]], _]", "wwww"),
        ("A: [[[0.89, 0.12], [0.12, 0.88]], _]", "srrr"),
        ("A: [[[0.5, 0.5], [0.5, 0.5]], _]\n'head 1: C': [[4, 6], [4, 6]]", "wwww"),
    ],
)
def test_answers_that_say_nothing_earn_nothing(sheet: Path, answers: str, verdicts: str) -> None:
    code, found, _ = check(sheet, answers)
    assert found["weights", "1"] == verdicts
    assert set(found["context", "1"]) <= {"w", "b"}
    assert code == 1


def test_the_limit_is_printed_in_cases(sheet: Path) -> None:
    limits = [json.loads(line) for line in run(sheet, "solve", "sheet.yaml", "--format", "json").stdout.splitlines()]
    context = next(entry for entry in limits[1]["limits"] if entry["id"] == "context")
    assert {tuple(case["if"]): case["exact"] for case in context["cases"]} == {
        ("x > 1",): [["1"]],
        ("x = 1",): [["2"]],
        ("x < 1",): [["3"]],
    }


def test_a_claim_that_fails_at_one_value_is_refuted_there(sheet: Path) -> None:
    text = run(sheet, "solve", "sheet.yaml").stdout
    assert "x = 7" in text[text.index("A limit with an exception") :]


def test_strangers_get_one_message(sheet: Path) -> None:
    code, _, said = check(sheet, "'head 1: A': [[1e-9999999999, 1], [1, 1]]")
    assert code == 2
    assert said.count("answers.yaml:") == 1
    (sheet / "sheet.yaml").write_text(SHEET.replace("scaling: 2", "scaling: 2\ndropout: 0.1"), encoding="utf-8")
    done = run(sheet, "solve", "sheet.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith("sheet.yaml:9:1: ")
    assert "One query among keys" in done.stdout


def test_an_export_never_overwrites(sheet: Path) -> None:
    assert run(sheet, "export", "sheet.yaml", "out.md").returncode == 0
    before = (sheet / "out.md").read_bytes()
    assert run(sheet, "export", "sheet.yaml", "out.md", "--solutions", "none").returncode == 2
    assert (sheet / "out.md").read_bytes() == before
