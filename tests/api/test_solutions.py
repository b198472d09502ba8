"""What can be done with a solution, which is what the command line does."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shared.program import run

import attnsolve
from attnsolve.api.pages import CheckedAnswers
from attnsolve.errors import AttnsolveError, FileProblem, ProblemError, RequestError

SHEET = "discussion-10-qkv"
RIGHT = {"Z": [[-17, -5, 23], [4, -2, 2], [2, 8, -20]]}


@pytest.fixture(scope="module")
def solution() -> attnsolve.Solution:
    return attnsolve.solve(SHEET)


def mistakes(found: CheckedAnswers) -> int:
    """How many entries are not as they should be; blank ones don't count."""
    return sum(found.verdicts.get(verdict, 0) for verdict in ("wrong", "slip", "follows"))


def test_it_says_what_it_is(solution: attnsolve.Solution) -> None:
    assert repr(solution).startswith("<attnsolve.Solution of 'Query, key and value")
    assert repr(solution).endswith(": attention, exact>")
    assert repr(attnsolve.solve("discussion-10-scaling")).endswith(": derivation>")
    assert repr(attnsolve.attention(np.eye(70), np.eye(70))) == (
        "<attnsolve.Solution of a problem without a title: attention, float>"
    )


def test_it_is_a_collection_of_names(solution: attnsolve.Solution) -> None:
    assert {"queries", "keys", "scores", "weights", "context"} <= {*solution}
    assert "A" in solution
    assert "nothing" not in solution
    heads = attnsolve.solve("two-heads-thinking-machine")
    assert ["weights" in heads, ("weights", 1) in heads, ("weights", "0") in heads, ("weights", 2) in heads] == [
        True
    ] * 3 + [False]
    assert ["A.exponentials" in solution, "scores[9,9].products" in solution] == [True, False]
    assert ["variance" in (argument := attnsolve.solve("discussion-10-scaling")), "A" in argument] == [True, False]
    assert solution._ipython_key_completions_() == [*solution]


@pytest.mark.parametrize(
    "name", [None, 0, ("weights",), ("weights", 1, 2), (1, "weights"), slice(1), ["weights"], b"A"]
)
def test_anything_but_a_name_is_refused(solution: attnsolve.Solution, name: Any) -> None:
    with pytest.raises(RequestError, match=r"as in solution\['weights'\], or with its head"):
        solution[name]
    assert name not in solution


def test_it_is_shown_as_on_the_command_line(solution: attnsolve.Solution) -> None:
    assert solution.to_markdown() == run(["solve", SHEET, "--format", "markdown"]).out.rstrip("\n") + "\n"
    assert solution.explain("A[2,1]").to_markdown().strip() == (
        run(["explain", SHEET, "A[2,1]", "--format", "markdown"]).out.strip()
    )
    assert solution.lint().data == json.loads(run(["lint", SHEET, "--format", "json"]).out)
    assert str(solution.lint()) == run(["lint", SHEET]).out.rstrip("\n")
    with pytest.raises(RequestError, match=r"math must be .* but 'githib' was found\n    did you mean github"):
        solution.to_markdown("githib")  # type: ignore[arg-type]


# ── answers ─────────────────────────────────────────────────────────────────────────────────────


def test_answers_of_a_mapping_are_marked_as_those_of_a_file(solution: attnsolve.Solution, tmp_path: Path) -> None:
    answers = {"Z": [[-17, -5, 23], [4, 2, 2], ["2", "8", "_"]], "a_3": [0.002, Fraction(1, 3), "0"]}
    path = tmp_path / "answers.yaml"
    path.write_text("Z: [[-17, -5, 23], [4, 2, 2], [2, 8, _]]\na_3: [0.002, 1/3, 0]\n", encoding="utf-8")
    by_file = json.loads(run(["check", SHEET, str(path), "--format", "json"]).out)
    assert solution.check(path).data == by_file
    assert solution.check(str(path)).data == by_file
    assert solution.check(answers).data == by_file | {"file": "answers"}
    assert solution.check(answers).first_slip == "z₂,₂: 2 instead of −2"
    assert solution.check(answers, follow=False).verdicts["exact"] == 7


def test_everything_right_is_all_right(solution: attnsolve.Solution) -> None:
    found = solution.check(RIGHT)
    assert (found.first_slip, found.cause, mistakes(found)) == ("", "", 0)
    assert (found.all_right, found.marks, found.out_of) == (False, 9.0, 35.0)  # some parts are not answered
    own = attnsolve.attention([[1, 0]], [[1, 0], [0, 1]], scaling="none").check({"scores": [1, 0]})
    assert (own.all_right, own.marks, own.out_of) == (True, 2.0, 2.0)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, list])
def test_what_numpy_computes_is_right(solution: attnsolve.Solution, kind: Any) -> None:
    """Digits that no float can be held to are not: those at its end, and all of a number that is nothing beside the
    others."""
    arrays = {name: solution[name].array for name in ("weights", "context")}
    off = {name: array * (1 + 1e-15) + 1e-17 for name, array in arrays.items()}
    answers = {name: array.tolist() if kind is list else array.astype(kind) for name, array in off.items()}
    assert mistakes(solution.check(answers)) == 0
    wrong = {"weights": answers["weights"], "context": (arrays["context"] + 0.01).astype(np.float64)}
    assert mistakes(solution.check(wrong)) == arrays["context"].size


def test_an_array_that_somebody_rounded_is_taken_at_its_digits(solution: attnsolve.Solution) -> None:
    rounded = solution["context"].array.round(3)
    assert mistakes(solution.check({"context": rounded})) == 0
    rounded[2, 0] += 0.002
    assert mistakes(solution.check({"context": rounded})) == 1


def test_the_answers_of_the_problem_itself_are_marked() -> None:
    given = {"queries": [[1, 0]], "keys": [[1, 0], [0, 1]], "scaling": "none", "answers": {"scores": [[1, 0]]}}
    assert attnsolve.solve(given).check().all_right
    with pytest.raises(RequestError, match="has no answers of its own"):
        attnsolve.solve("causal-mask").check()


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (5, "the answers must be a mapping such as .*, but 5 was found"),
        ([[1]], "the answers must be a mapping"),
        ({"Y": [[1]]}, "answers: 'Y' is not the name of anything in this problem"),
        ({5: [[1]]}, "answers: '5' is not the name"),
        ({"Z": [[1, 2], [3]]}, "row 2 has 1 number"),
        ({"Z": None, "A": "x"}, "A must be 3×3, but 'x' was found"),
        ({"Z": [[float("nan")] * 3] * 3}, "answers: in Z: 'nan' is not a finite number"),
        ({"Z": [[object()] * 3] * 3}, "is not a number"),
        ({"Z": np.array([["a"] * 3] * 3)}, "'a' is not a number"),
        ("nowhere.yaml", "nowhere.yaml: no such file"),
    ],
)
def test_answers_that_cannot_be_read_are_one_message(solution: attnsolve.Solution, answers: Any, message: str) -> None:
    with pytest.raises(AttnsolveError, match=message):
        solution.check(answers)


def test_what_needs_exact_numbers_says_so() -> None:
    floats, argument = attnsolve.attention(np.eye(70), np.eye(70)), attnsolve.solve("discussion-10-scaling")
    for ask in (lambda s: s.check(RIGHT), lambda s: s.explain("A[1,1]"), lambda s: s.lint()):
        with pytest.raises(RequestError, match=r"exact numbers, but this problem is computed in float64"):
            ask(floats)
        with pytest.raises(RequestError, match=r"exact numbers, but this problem asks for an argument"):
            ask(argument)


@pytest.mark.parametrize("cell", [None, 5, ["A"], "A", "A[9,9]", "", "nothing[1,1]"])
def test_a_cell_that_is_none_is_refused(solution: attnsolve.Solution, cell: Any) -> None:
    with pytest.raises(RequestError):
        solution.explain(cell)


# ── files ───────────────────────────────────────────────────────────────────────────────────────


def test_files_are_those_of_the_command_line(solution: attnsolve.Solution, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    for name, options, words in (
        ("a.md", {}, []),
        ("b.txt", {"detail": "full", "width": 60}, ["--detail", "full", "--width", "60"]),
        ("c.json", {"digits": 6, "only": "A"}, ["--digits", "6", "--only", "A"]),
        ("d.md", {"solutions": "separate", "math": "dollar"}, ["--solutions", "separate", "--math", "dollar"]),
        ("e.md", {"figures": True}, ["--figures"]),
    ):
        solution.export(ours / name, **options)  # type: ignore[arg-type]
        assert run(["export", SHEET, str(theirs / name), *words]).code == 0
    written = {path.name: path.read_text(encoding="utf-8") for path in ours.iterdir()}
    assert written == {path.name: path.read_text(encoding="utf-8") for path in theirs.iterdir()}
    assert len(written) > 6


def test_a_file_that_is_there_is_kept_unless_forced(solution: attnsolve.Solution, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    assert solution.export(path) == [path]
    with pytest.raises(FileProblem, match="the file already exists"):
        solution.export(path)
    assert solution.export(str(path), solutions="none", force=True) == [path]


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        (None, {}, "the file to write must be the name of a file, but None was found"),
        ("a", {}, "the file's name has no ending"),
        ("a.docs", {}, "files that end in .docs can't be written"),
        ("nowhere/a.md", {}, "can't be written"),
        ("a.md", {"solutions": "seperate"}, "did you mean separate"),
        ("a.md", {"detail": None}, "detail must be brief, normal or full, but None was found"),
        ("a.md", {"only": "nothing"}, "--only nothing"),
        ("a.md", {"only": 5}, "only must be a name or a list of names, but 5 was found"),
        ("a.md", {"width": 3}, "width must be a whole number from 40 to 1000, but 3 was found"),
        ("a.md", {"digits": 0}, "digits"),
        ("a.json", {"solutions": "none"}, "a .json file contains all the answers"),
    ],
)
def test_a_file_that_cannot_be_is_one_message(
    solution: attnsolve.Solution, tmp_path: Path, path: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((RequestError, FileProblem, ProblemError), match=message):
        solution.export(path and tmp_path / path, **options)
    assert [*tmp_path.iterdir()] == []


def test_numbers_beyond_floats_are_shown_like_any_others(tmp_path: Path) -> None:
    large = [["1e400", "1e-400"], ["3e399", 1]]
    found = attnsolve.attention(large, [["1e400", 1], ["-1e400", 2]], large, scaling="none")
    sums = attnsolve.solve(
        {
            "given": {"scores": [["1e400", "-1e400", "2"]], "values": [[1], [2], [3]]},
            "softmax": "sum",
            "scaling": "none",
        }
    )
    assert sums["weights"].exact_text is not None
    for solution in (found, sums):
        for name in solution:
            quantity = solution[name]
            assert all((repr(quantity), quantity._repr_html_(), quantity._repr_latex_(), quantity.decimals(200)))
        assert solution.to_text()
        assert solution.explain("C[1,1]").to_markdown()
        assert solution.lint().tried
        assert len(solution.export(tmp_path / f"{len([*tmp_path.iterdir()])}.json")) == 1
