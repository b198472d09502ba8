"""Files with several problems: every command takes them, and one that fails leaves the others."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from shared.program import run

from attnsolve.cli.each_problem import Batch
from attnsolve.contract.schemas import contracts
from attnsolve.errors import TooCostly

FIRST = "title: First\ninputs: [[1, 0], [0, 1]]\nweights: identity\nscaling: none\n"
SECOND = "title: Second\nqueries: [[1, 2]]\nkeys: [[3, 4], [1, 1]]\nscaling: none\n"
ARGUMENT = "title: Argument\nkind: derivation\ntopic: softmax-is-a-distribution\n"
BROKEN = "title: Broken\ninputs: [[1, what]]\nweights: identity\n"
ZERO = "title: Zero\ngiven: {scores: [[1, -1]]}\nscaling: none\nsoftmax: sum\n"
RIGHT = ("S: [[1, 0], [0, 1]]\n", "S: [[11, 3]]\n")
"""By hand: 1·3 + 2·4 = 11 and 1·1 + 2·1 = 3."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, *documents: str) -> str:
    Path(name).write_text("---\n".join(documents), encoding="utf-8")
    return name


# ── solve and export ────────────────────────────────────────────────────────────────────────────


def test_solve_goes_on_when_a_problem_fails() -> None:
    write("sheet.yaml", FIRST, BROKEN, SECOND, ZERO, FIRST)
    done = run(["solve", "sheet.yaml", "missing.yaml", "given-scores", "--format", "json"])
    assert done.code == 2
    titles = [json.loads(line)["title"] for line in done.out.splitlines()]
    assert titles[:3] == ["First", "Second", "First"]
    assert len(titles) == 4
    messages = [line for line in done.err.splitlines() if not line.startswith("    ")]
    assert [message.partition(": ")[0] for message in messages] == [
        "sheet.yaml:7:14",
        "sheet.yaml:15:1",
        "missing.yaml",
    ]


def test_what_is_printed_keeps_the_order_of_the_problems() -> None:
    write("sheet.yaml", FIRST, BROKEN, SECOND)
    done = run(["solve", "sheet.yaml", "--detail", "brief"])
    assert (done.code, done.out.index("First") < done.out.index("Second")) == (2, True)
    assert "Broken" not in done.out


def test_a_request_that_one_problem_can_not_fulfil_leaves_the_others() -> None:
    write("sheet.yaml", FIRST + "parts: {a: {find: scores}}\n", SECOND, FIRST + "parts: {a: {find: weights}}\n")
    done = run(["solve", "sheet.yaml", "--part", "a"])
    assert (done.code, done.out.count("First")) == (2, 2)
    assert done.err == "sheet.yaml: --part a: this problem has no parts\n"


def test_text_that_is_not_yaml_is_one_failure_and_other_files_are_solved() -> None:
    write("bad.yaml", "inputs: [[1\n")
    done = run(["solve", "bad.yaml", "given-scores"])
    assert (done.code, done.err.count("bad.yaml:")) == (2, 1)
    assert done.out.strip()


def test_export_writes_all_problems_or_nothing() -> None:
    write("sheet.yaml", FIRST, BROKEN, ZERO)
    done = run(["export", "sheet.yaml", "missing.yaml", "out.md"])
    assert (done.code, done.out, Path("out.md").exists()) == (2, "", False)
    assert [said in done.err for said in ("sheet.yaml:7:14", "sheet.yaml:10:1", "missing.yaml")] == [True] * 3


def test_a_file_that_takes_too_long_leaves_the_others() -> None:
    """Its time is over at once; what is left of it is not begun, and the next file has time of its own."""
    many = write("many.yaml", *[f"numbers: float\n{FIRST}"] * 3)
    ended = Batch()
    found = []
    for problem in ended.problems([many, "given-scores"]):
        with ended:
            found.append(problem.file)
            if problem.file == many:
                raise TooCostly("many.yaml: gave up")
    assert (found, ended.failed) == ([many, "given-scores"], True)


def test_time_that_was_spent_before_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    write("many.yaml", *[FIRST] * 3)
    attempts = Batch()
    found = []
    for problem in attempts.problems(["many.yaml", "given-scores"]):
        with attempts:
            found.append(problem.file)
            attempts._watch.spent += 9 * (problem.file == "many.yaml")
    assert found == ["many.yaml", "given-scores"]
    assert capsys.readouterr().err.count("gave up after 8 seconds") == 1


# ── check ───────────────────────────────────────────────────────────────────────────────────────

IN_EVERY_WAY = {
    "in order": RIGHT,
    "in order, with a last ---": (*RIGHT, ""),
    "by title": (f"title: second\n{RIGHT[1]}", f"title: First\n{RIGHT[0]}"),
    "by number": (f"problem: 2\nanswers: {{{RIGHT[1].strip()}}}\n", f"problem: 1\n{RIGHT[0]}"),
    "in one mapping": (f"Second: {{{RIGHT[1].strip()}}}\nFirst: {{{RIGHT[0].strip()}}}\n",),
    "in one mapping by number": (f"problem 1: {{{RIGHT[0].strip()}}}\n2: {{{RIGHT[1].strip()}}}\n",),
    "under answers": (f"answers: {{{RIGHT[0].strip()}}}\n", f"answers: {{{RIGHT[1].strip()}}}\n"),
}


@pytest.mark.parametrize("documents", IN_EVERY_WAY.values(), ids=IN_EVERY_WAY)
def test_answers_find_their_problems(documents: tuple[str, ...]) -> None:
    write("sheet.yaml", FIRST, SECOND)
    done = run(["check", "sheet.yaml", write("mine.yaml", *documents)])
    assert (done.code, done.err) == (0, "")
    assert "Problem 1. Answers to: First" in done.out
    assert "Problem 2. Answers to: Second" in done.out
    assert done.out.endswith("Total: 6 of 6 (problem 1: 4 of 4; problem 2: 2 of 2).\n")


def test_a_wrong_answer_counts_against_its_problem_only() -> None:
    write("sheet.yaml", FIRST, SECOND)
    done = run(["check", "sheet.yaml", write("mine.yaml", RIGHT[0], "S: [[11, 4]]\n")])
    assert (done.code, done.out.splitlines()[-1]) == (1, "Total: 5 of 6 (problem 1: 4 of 4; problem 2: 1 of 2).")


def test_json_has_one_line_for_each_problem() -> None:
    write("sheet.yaml", FIRST, SECOND)
    done = run(["check", "sheet.yaml", write("mine.yaml", *RIGHT), "--format", "json"])
    reports = [json.loads(line) for line in done.out.splitlines()]
    assert [(report["problem"], report["title"]) for report in reports] == [(1, "First"), (2, "Second")]
    for report in reports:
        jsonschema.Draft202012Validator(contracts()["check"]).validate(report)


def test_a_class_has_one_row_for_each_file() -> None:
    write("sheet.yaml", FIRST, SECOND)
    slip = write("slip.yaml", RIGHT[0], "S: [[11, 4]]\n")
    done = run(["check", "sheet.yaml", write("mine.yaml", *RIGHT), slip, write("half.yaml", RIGHT[0])])
    right, wrong, half, *_ = done.out.splitlines()
    assert (done.code, right) == (2, "mine.yaml: 6 of 6")
    assert wrong.startswith("slip.yaml: 5 of 6; problem 2: s₁,₂: 4 instead of 3")
    assert "half.yaml: can't be checked: half.yaml: sheet.yaml has 2 problems, but 1 set of answers was found" in half


def test_problems_may_carry_their_own_answers() -> None:
    own = f"answers: {{{RIGHT[1].strip()}}}\n"
    write("sheet.yaml", FIRST, SECOND + own, ARGUMENT, FIRST + "answers: {S: [[1, 0], [0, 2]]}\n")
    done = run(["check", "sheet.yaml"])
    assert (done.code, done.out.splitlines()[-1]) == (1, "Total: 5 of 6 (problem 2: 2 of 2; problem 4: 3 of 4).")
    write("none.yaml", FIRST, SECOND)
    message = "none.yaml has no answers of its own: name a file with answers\n"
    assert run(["check", "none.yaml"]).err.startswith(message)


@pytest.mark.parametrize("documents", [RIGHT, (RIGHT[0], "", RIGHT[1]), (RIGHT[0], "# nothing\n", RIGHT[1])])
def test_a_problem_without_numbers_may_be_passed_over(documents: tuple[str, ...]) -> None:
    write("sheet.yaml", FIRST, ARGUMENT, SECOND)
    done = run(["check", "sheet.yaml", write("mine.yaml", *documents)])
    assert (done.code, done.out.splitlines()[-1]) == (0, "Total: 6 of 6 (problem 1: 4 of 4; problem 3: 2 of 2).")
    assert done.err.startswith("sheet.yaml, problem 2: checking answers takes exact numbers, but")


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ((RIGHT[0],), "sheet.yaml has 2 problems, but 1 set of answers was found"),
        ((*RIGHT, RIGHT[0]), "but 3 sets of answers were found"),
        ((f"title: Third\n{RIGHT[0]}",), "mine.yaml:1:8: these answers are for 'Third', which is not a problem in"),
        ((f"title: First\n{RIGHT[0]}", f"problem: 1\n{RIGHT[0]}"), "mine.yaml:4:10: problem 1 is answered twice"),
        ((f"title: First\n{RIGHT[0]}", RIGHT[1]), "some of these answers name their problem and some do not"),
    ],
)
def test_answers_that_belong_nowhere_are_refused(documents: tuple[str, ...], said: str) -> None:
    write("sheet.yaml", FIRST, SECOND)
    done = run(["check", "sheet.yaml", write("mine.yaml", *documents)])
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize("chosen", ["2", "Second", "second", "problem 2"])
def test_one_problem_may_be_chosen(chosen: str) -> None:
    write("sheet.yaml", FIRST, SECOND)
    answers = write("mine.yaml", RIGHT[1])
    done = run(["check", "sheet.yaml", answers, "--problem", chosen])
    assert (done.code, done.err, done.out.splitlines()[0]) == (0, "", "Problem 2. Answers to: Second")
    whole = run(["check", "sheet.yaml", write("all.yaml", *RIGHT), "--problem", chosen])
    assert (whole.code, whole.out.replace("all.yaml", "mine.yaml")) == (0, done.out)


# ── explain and lint ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("chosen", ["3", "problem 3", "second"])
@pytest.mark.parametrize("command", [["solve"], ["lint"], ["check"], ["explain", "S[1,1]"], ["export", "-"]])
def test_faults_of_other_problems_do_not_matter_to_the_chosen_one(command: list[str], chosen: str) -> None:
    write("sheet.yaml", FIRST, BROKEN, SECOND + "answers: {S: [[11, 3]]}\n", ZERO)
    name, *rest = command
    done = run([name, "sheet.yaml", *rest, "--problem", chosen])
    assert (done.code, done.err, "First" in done.out) == (0, "", False)
    assert "11" in done.out or "Second" in done.out


@pytest.mark.parametrize("command", [["solve"], ["lint"], ["check"], ["explain", "S[1,1]"], ["export", "-"]])
def test_a_chosen_problem_that_is_broken_has_its_own_faults_told(command: list[str]) -> None:
    write("sheet.yaml", FIRST, BROKEN, SECOND, BROKEN)
    name, *rest = command
    done = run([name, "sheet.yaml", *rest, "--problem", "2"])
    assert (done.code, done.out) == (2, "")
    assert [line[:15] for line in done.err.splitlines() if line.startswith("sheet")] == ["sheet.yaml:7:14"]


def test_explain_finds_the_problem_that_has_the_cell() -> None:
    write("sheet.yaml", FIRST, SECOND)
    assert "s₂,₁" in run(["explain", "sheet.yaml", "scores[2,1]"]).out
    several = run(["explain", "sheet.yaml", "scores[1,1]"])
    assert (several.code, several.out) == (2, "")
    assert several.err == "several problems in this file have 'scores[1,1]' (1, 2): add --problem 1\n"
    assert "= 11" in run(["explain", "sheet.yaml", "scores[1,1]", "--problem", "Second"]).out
    none = run(["explain", "sheet.yaml", "scores[9,9]"])
    assert (none.code, none.err.count("problem ")) == (2, 3)


def test_a_problem_that_is_not_there_can_not_be_chosen() -> None:
    write("sheet.yaml", FIRST, SECOND)
    for command in (["explain", "sheet.yaml", "S[1,1]"], ["lint", "sheet.yaml"], ["check", "sheet.yaml"]):
        done = run([*command, "--problem", "3"])
        assert (done.code, done.out) == (2, "")
        assert done.err == "--problem 3: sheet.yaml has no such problem; known: 1 (First), 2 (Second)\n"


def test_lint_reports_each_problem() -> None:
    write("sheet.yaml", FIRST, ARGUMENT, SECOND)
    done = run(["lint", "sheet.yaml", "--format", "json"])
    assert done.code == 0
    assert [json.loads(line)["title"] for line in done.out.splitlines()] == ["First", "Second"]
    assert done.err.startswith("sheet.yaml, problem 2:")
    assert run(["lint", "sheet.yaml", "--problem", "3"]).out.startswith("Problem 3. What this sheet can detect: Second")


def test_the_only_problem_of_a_file_takes_answers_under_any_title() -> None:
    write("one.yaml", FIRST)
    for text in (f"title: Mine\n{RIGHT[0]}", f"title: Mine\nanswers: {{{RIGHT[0].strip()}}}\n"):
        assert run(["check", "one.yaml", write("mine.yaml", text)]).code == 0


PARTS = "parts: {a: scores, b: {find: [weights, context]}}\n"


@pytest.mark.parametrize("names", ["ab", ("(a)", "part b")])
def test_answers_named_after_their_parts_are_told_the_quantity(names: tuple[str, str]) -> None:
    """Even where the letter of a part is that of a quantity, as `a` is of the weights."""
    write("problem.yaml", FIRST + PARTS)
    write("answers.yaml", f"{names[0]}: [[1, 0], [0, 1]]\n{names[1]}: [[1, 0], [0, 1]]\n")
    done = run(["check", "problem.yaml", "answers.yaml"])
    assert done.code == 2
    assert done.err == (
        f"answers.yaml:1:1: {names[0]!r} is a part of the problem, not a quantity\n"
        "    name the quantity instead: write scores\n"
        f"answers.yaml:2:1: {names[1]!r} is a part of the problem, not a quantity\n"
        "    name the quantity instead: write weights and context\n"
    )


def test_a_quantity_may_have_the_letter_of_a_part() -> None:
    write("problem.yaml", FIRST + PARTS)
    write("answers.yaml", "S: [[1, 0], [0, 1]]\na: [[0.73, 0.27], [0.27, 0.73]]\nC: [[0.73, 0.27], [0.27, 0.73]]\n")
    done = run(["check", "problem.yaml", "answers.yaml"])
    assert (done.code, done.err) == (0, "")


def test_a_vector_may_be_answered_under_a_capital_letter() -> None:
    """By hand: 1·1 + 2·0 = 1 and 1·0 + 2·1 = 2."""
    write("problem.yaml", "queries: [1, 2]\nkeys: [[1, 0], [0, 1]]\nscaling: none\n")
    write("answers.yaml", "S: [1, 2]\n'A_1': 0.27\n'A[2]': 0.73\n")
    done = run(["check", "problem.yaml", "answers.yaml"])
    assert (done.code, done.err) == (0, "")


MARKED = """
title: First
given: {scores: [[0, 1]]}
scaling: none
parts: {a: {find: weights, marks: 1/3}}
---
kind: derivation
topic: softmax-is-a-distribution
---
title: Third
given: {scores: [[2, 1]]}
scaling: none
"""


def test_the_total_adds_marks_and_nothing_else() -> None:
    sheet, first = write("sheet.yaml", MARKED), "problem: 1\nA: [0.27, 0.73]\n"
    for answers in ([first, "problem: 3\nA: [0.73, 0.27]\n"], [first]):
        done = run(["check", sheet, write("answers.yaml", *answers)])
        assert "Total: 0.33 of 0.33 (problem 1: 0.33 of 0.33)." in done.out


def test_answers_to_a_problem_without_numbers_are_not_dropped() -> None:
    done = run(["check", write("sheet.yaml", MARKED), write("answers.yaml", "problem: 2\nA: [0.27, 0.73]\n")])
    assert done.code == 2
    assert "has no exact numbers to check answers against" in done.err
