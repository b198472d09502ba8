"""The errors people read: where, what, and what to do; all of a file's faults at once, in the order of its lines."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsolve.errors import (
    AttnsolveError,
    Fault,
    FileProblem,
    Mark,
    ProblemError,
    RequestError,
    UnsolvableError,
    count,
    nearest,
)
from attnsolve.loading.files import parse


def complaint(text):
    with pytest.raises(ProblemError) as caught:
        parse(text, "sheet.yaml")
    return str(caught.value)


# ── the tree ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("error", [FileProblem, UnsolvableError, RequestError])
def test_every_error_ends_the_program_with_code_two_and_says_its_message(error):
    assert issubclass(error, AttnsolveError)
    assert error.exit_code == 2
    assert str(error("what is wrong")) == "what is wrong"


def test_a_problem_error_is_one_of_them():
    assert issubclass(ProblemError, AttnsolveError)
    assert ProblemError.exit_code == 2


def test_a_fault_says_where_what_and_how_to_mend_it():
    assert str(Fault("a.yaml", Mark(3, 7), "this is wrong", "do that")) == "a.yaml:3:7: this is wrong\n    do that"
    assert str(Fault("a.yaml", Mark(3, 7), "this is wrong")) == "a.yaml:3:7: this is wrong"


def test_a_fault_told_twice_is_said_once():
    fault = Fault("a.yaml", Mark(1, 1), "wrong")
    assert ProblemError([fault, fault, Fault("a.yaml", Mark(1, 1), "wrong")]).faults == (fault,)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=8))
def test_faults_are_told_in_the_order_of_their_places(places):
    error = ProblemError([Fault("a.yaml", Mark(*place), f"at {place}") for place in places])
    assert [fault.at for fault in error.faults] == sorted(set(places))
    assert str(error) == "\n".join(map(str, error.faults))


def test_faults_at_one_place_keep_the_order_they_were_found_in():
    faults = [Fault("a.yaml", Mark(1, 1), message) for message in ("z", "a", "m")]
    assert [fault.message for fault in ProblemError(faults).faults] == ["z", "a", "m"]


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        ("wieghts", ["weights", "inputs"], "did you mean weights?"),
        ("WEIGHTS", ["weights", "inputs"], "did you mean weights?"),
        ("w_q", ["W_Q", "W_K"], "did you mean W_Q?"),
        ("input", ["weights", "inputs"], "did you mean inputs?"),
        ("zzz", ["weights", "inputs"], "known: weights, inputs"),
        ("", ["weights", "inputs"], "known: weights, inputs"),
    ],
)
def test_the_nearest_word_is_suggested_or_all_are_listed(word, known, said):
    assert nearest(word, iter(known)) == said


@pytest.mark.parametrize(
    ("call", "said"),
    [((0, "row"), "0 rows"), ((1, "row"), "1 row"), ((2, "row"), "2 rows"), ((2, "entry", "entries"), "2 entries")],
)
def test_things_are_counted_in_english(call, said):
    assert count(*call) == said


# ── several faults in one file ──────────────────────────────────────────────────────────────────


def test_every_fault_of_a_file_is_told_at_once_in_the_order_of_its_lines():
    text = """\
digits: none
tokens: [a, '']
inputs:
  - [1, 2]
  - [3, x]
  - [1/0, 6]
wieghts: identity
mask: casual
scaling: 0
softmax: {bas: 2}
numbering: 3
"""
    assert complaint(text) == (
        "sheet.yaml:1:9: digits must be a whole number from 1 to 200, but 'none' was found\n"
        "sheet.yaml:2:13: a token's name is empty\n"
        "sheet.yaml:5:9: in inputs[2,2]: 'x' is not a number: 'x' is not known\n"
        "    a letter must be declared first, with symbols: {x: real}\n"
        "sheet.yaml:6:6: in inputs[3,1]: '1/0' divides by zero\n"
        "sheet.yaml:7:1: unknown key 'wieghts'\n"
        "    did you mean weights?\n"
        "sheet.yaml:8:7: mask must be causal, none or a matrix, but 'casual' was found\n"
        "    did you mean causal?\n"
        "sheet.yaml:9:10: scaling: 0 would divide by zero\n"
        "    write none to leave the scores as they are\n"
        "sheet.yaml:10:11: unknown key 'bas' in softmax\n"
        "    did you mean base?\n"
        "sheet.yaml:11:12: numbering must be 0 or 1, but '3' was found\n"
        "    known: 0, 1"
    )


def test_the_order_of_the_keys_does_not_change_the_order_of_the_faults():
    lines = ["scaling: 0", "mask: casual", "title: [a]", "digits: 0", "inputs: [[1]]", "weights: identity"]
    for order in (lines, lines[::-1], sorted(lines)):
        told = [line.split(":")[1] for line in complaint("\n".join(order)).splitlines() if line.startswith("sheet")]
        assert told == [str(i) for i, line in enumerate(order, 1) if not line.startswith(("inputs", "weights"))]


def test_every_wrong_shape_is_told_at_once():
    text = """\
inputs: [[1, 2]]
weights:
  W_Q: [[1], [2], [3]]
  W_K: [[1], [2]]
  W_V: [[1], [2], [3], [4]]
tokens: [a, b]
"""
    told = [line for line in complaint(text).splitlines() if line.startswith("sheet")]
    assert told == [
        "sheet.yaml:3:8: W_Q has 3 rows but the inputs have 2 columns",
        "sheet.yaml:5:8: W_V has 4 rows but the inputs have 2 columns",
        "sheet.yaml:6:9: tokens has 2 names but the inputs have 1 row",
    ]


def test_the_faults_of_every_problem_of_a_file_are_told_at_once():
    good = "inputs: [[1]]\nweights: identity\n"
    assert complaint(f"{good}digits: 0\n---\n{good}---\n- 1\n---\n{good}scaling: 0\n").splitlines() == [
        "sheet.yaml:3:9: digits must be a whole number from 1 to 200, but '0' was found",
        "sheet.yaml:8:1: a problem must be a mapping with keys such as inputs and weights, but a list was found",
        "sheet.yaml:12:10: scaling: 0 would divide by zero",
        "    write none to leave the scores as they are",
    ]


def test_nothing_is_said_to_be_missing_that_could_only_not_be_read():
    assert complaint("inputs: [[1, x]]\nweights: identity\n").count("sheet.yaml:") == 1
    assert complaint("inputs: [[1, 2]]\nweigths: identity\n").count("sheet.yaml:") == 1


def test_a_fault_in_an_aliased_value_is_told_where_it_was_written():
    text = "inputs: [[1]]\nweights:\n  W_Q: &w [[1/0]]\n  W_K: [[1]]\n  W_V: *w\n"
    assert complaint(text) == (
        "sheet.yaml:3:13: in W_Q[1,1]: '1/0' divides by zero\nsheet.yaml:3:13: in W_V[1,1]: '1/0' divides by zero"
    )
