"""A given number misread: named once, with the number and what it was read as."""

from __future__ import annotations

from check.conftest import Marker, solution_of

from attnsolve.check.diagnose import diagnose
from attnsolve.check.misread import Misread
from attnsolve.check.report import report
from attnsolve.check.run import Checked, as_data
from attnsolve.graph import run
from attnsolve.numbers.floats import Floats
from attnsolve.render.text import render

PLAIN = """
inputs: [[1.2, 2.5], [0.5, -1.7], [2, 0.3]]
weights: {W_Q: [[1.1, 0.4], [-3, 1]], W_K: [[0.7, 1.6], [1, 0.2]], W_V: [[1.3, 2.1], [0.3, 1.7]]}
"""


def answers(problem: str, *wanted: str) -> str:
    values = run(solution_of(problem).graph, Floats)
    found = {key.id: value for key, value in values.items() if key.id in wanted and value is not None}
    return "\n".join(f"{id}: {[[round(x, 4) for x in row] for row in value.rows]}" for id, value in found.items())


def misread(old: str, new: str, *wanted: str) -> str:
    return answers(PLAIN.replace(old, new), *wanted)


def test_a_sign_that_was_misread_is_named_with_its_entry(marked: Marker) -> None:
    marking = marked(PLAIN, misread("[-3, 1]", "[3, 1]", "queries", "scores", "context"))
    (found,) = diagnose(marking)
    ((one,),) = found.mistakes
    assert isinstance(one, Misread)
    assert (one.id, one.key.id, one.place, one.value) == ("given-misread", "W_Q", (1, 0), "3")
    text = render(report(marking, [found]), 100, True)
    assert "as 3 instead of −3." in text
    assert "This explains all 6 of your queries." in text


def test_so_is_a_digit(marked: Marker) -> None:
    (found,) = diagnose(marked(PLAIN, misread("2.1]", "2.7]", "values")))
    assert [(slip.id, slip.key.id) for group in found.mistakes for slip in group] == [("given-misread", "W_V")]
    assert found.confidence > 0.9


def test_nothing_is_said_of_a_number_where_only_the_result_was_written(marked: Marker) -> None:
    found = diagnose(marked(PLAIN, misread("2.1]", "2.7]", "context")))
    assert all(slip.id != "given-misread" for one in found for group in one.mistakes for slip in group)


def test_one_number_that_changes_several_quantities_is_named_once(marked: Marker) -> None:
    marking = marked(PLAIN, misread("[0.5, -1.7]", "[0.5, -7.1]", "queries", "keys", "values"))
    assert all(m.verdict != "wrong" for m in marking.marks.values()) is False
    marking = marked(PLAIN, misread("[0.5, -1.7]", "[0.5, 1.7]", "queries", "keys", "values"))
    found = diagnose(marking)
    assert {slip.key.id for one in found for group in one.mistakes for slip in group} == {"X"} or all(
        "inputs" in {slip.key.id for group in one.mistakes for slip in group} for one in found
    )
    assert " ".join(render(report(marking, found), 100, True).split()).count("as 1.7 instead of −1.7.") == 3


def test_other_programs_are_told_the_entry_and_the_value(marked: Marker) -> None:
    marking = marked(PLAIN, misread("[-3, 1]", "[3, 1]", "queries"))
    (found,) = as_data(Checked(marking, tuple(diagnose(marking))))["diagnoses"]
    ((one,),) = found["mistakes"]
    assert (one["in"], one["entry"], one["value"]) == ("W_Q", [2, 1], "3")
    assert found["explains"] == 6
    assert found["confidence"] > 0.9
