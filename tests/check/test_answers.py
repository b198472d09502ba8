"""Answer files: matrices, rows, cells and blanks; what can't be read is said, and the rest is marked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.check.marking import Marking
from attnsolve.key import Key

P = "causal-mask"
Q = "Q: [[1, 1], [0, 2], [1, 3], [2, 0]]"
Faults = Callable[[str, str], list[str]]
Verdicts = Callable[..., dict[str, str]]


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        (Q, "ee/ee/ee/ee"),
        ("q_1: [1, 1]\nq_3: [1, 3]", "ee/ee"),
        ("q_{1,2}: 1\nqueries[4,1]: 3", "e/w"),
        ("Q: [[1, _], [null, ~], ['', '-'], ['?', 0]]", "eb/bb/bb/be"),
        ("Q: _", "bb/bb/bb/bb"),
        ("q_2: null", "bb"),
        ("q_1: [[1], [1]]", "ee"),
        ("q_1: [[1, 1]]", "ee"),
        ("q_{1,1}: [[1]]", "e"),
        ("Q: [[_, 1], [0, 2], [1, 3], [2, 0]]\nq_{1,1}: 1", "ee/ee/ee/ee"),
        ("q_1: [+1, 1.]\nq_2: ['−0', 2.0]", "ee/ee"),
    ],
)
def test_matrices_rows_cells_and_blanks_are_read(answers: str, found: str, verdicts: Verdicts) -> None:
    assert verdicts(P, answers) == {"queries": found}


def test_heads_may_be_answered_under_their_name(verdicts: Verdicts) -> None:
    sheet = "head 0:\n  Q: [[7, 8, 9], [15.8, 18.4, 21]]\n'head 1: q_1': [8, 9, 11]\n"
    assert verdicts("two-heads-thinking-machine", sheet) == {"head 0: queries": "eee/eee", "head 1: queries": "eew/bbb"}


def test_a_vector_may_lie_or_stand(verdicts: Verdicts) -> None:
    lying, standing = "[1.04, 1.412, 1.784]", "[[1.04], [1.412], [1.784]]"
    for vector in (lying, standing, f"[{lying}]"):
        assert verdicts("seq2seq-multiplicative", f"e: {vector}") == {"scores": "e/e/e"}


def test_columns_are_tokens_where_the_sheet_says_so(marked: Callable[..., Marking]) -> None:
    marking = marked("column-layout", "q_1: [0, 0, 0, 0]")
    assert [(cell.row, cell.column) for cell in marking.answers.wanted] == [(0, 0), (1, 0), (2, 0), (3, 0)]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ("Q: [1, 2]",
         "1:4: Q must be 4×2, but it is 1×2\n"
         "    one row only? name it, as in 'q_1', or write [_, _] for each row left blank"),
        ("A: [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]]",
         "1:4: A must be 4×4, but it is 4×3\n    mixed up? that is the shape of the values and context"),
        ("A: [[1, 0], [0, 1]]", "1:4: A must be 4×4, but it is 2×2"),
        ("Q: hello", "1:4: Q must be 4×2, but 'hello' was found\n    write every entry, _ for those left blank"),
        ("q_1: 3", "1:6: q_1 must be 1×2, but '3' was found\n    write every entry, _ for those left blank"),
        ("Q: []", "1:4: Q must be 4×2, but it is empty"),
        ("Q: {a: 1}", "1:4: Q must be 4×2, but a mapping was found"),
        ("Q: [[1, 2], [3], [4, 5], [6, 7]]", "1:4: Q must be 4×2, but row 2 has 1 number, row 1 has 2"),
        ("Q: [[1, 2], 3, [4, 5], [6, 7]]", "1:4: Q must be 4×2, but row 2 is not a list of numbers"),
        ("q_{1,1}: [1, 2]", "1:10: q_{1,1} must be one number, but it is 1×2"),
        ("q_1: [one, 1]", "1:7: in q_1: 'one' is not a number: 'one' is not known\n"
         "    write a number, or _ to leave it blank"),
        ("q_1: ['1,500', 1]", "1:7: in q_1: '1,500' is ambiguous: its comma may group thousands\n"
         "    write 1500 or 1.500"),
        ("q_1: [50%, 1]", "1:7: in q_1: '50%' is a percentage, but only weights may be written as percentages\n"
         "    write 0.5"),
        ("q_1: [0,5, 1,5]", "1:6: q_1 must be 1×2, but it is 1×4\n"
         "    the comma in 0,5 makes two numbers of it: write 0.5"),
        ("Q: [[0,5, 1,5], [3, 4], [5, 6], [7, 8]]", "1:4: Q must be 4×2, but row 2 has 2 numbers, row 1 has 4\n"
         "    the comma in 0,5 makes two numbers of it: write 0.5"),
        ("q_{1,1}: [0,5]", "1:10: q_{1,1} must be one number, but it is 1×2\n"
         "    the comma in 0,5 makes two numbers of it: write 0.5"),
        ("q_1: [1 1/2, 1]", "1:7: in q_1: '1 1/2' is not a number: '1' was not expected\n    write 1 + 1/2"),
        ("q_1: [nan, 1]", "1:7: in q_1: 'nan' is not a finite number\n    write a finite number"),
        ("q_1: [1/0, 1]", "1:7: in q_1: '1/0' divides by zero"),
        ("q_1: [[1, [1]]]", "1:11: in q_1: a number was expected, but a list was found"),
        ("X: [[1, 0]]", "1:1: 'X' is given by the problem, with a different value\n    leave it out"),
        ("W_Q: 1", "1:1: 'W_Q' is given by the problem, with a different value\n    leave it out"),
        ("x_1: [9, 9]", "1:1: 'x_1' is given by the problem, with a different value\n    leave it out"),
        ("queris: 1", "1:1: 'queris' is not the name of anything in this problem\n    did you mean queries?"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said_and_the_rest_is_marked(
    answers: str, said: str, faults: Faults, marked: Callable[..., Marking]
) -> None:
    assert faults(P, answers) == [f"answers.yaml:{said}"]
    marking = marked(P, f"{answers}\nk_2: [1, 1]\n")
    keys = [m for m in marking.marks.values() if m.cell.key.id == "keys"]
    assert [m.verdict for m in keys] == ["exact", "exact"]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (f"{Q}\nq_1: [9, 9]", "2:6: q_1 already has a different answer on line 1"),
        ("q_1: [1, 1]\nQ: [[9, 9], [0, 2], [1, 3], [2, 0]]",
         "2:4: entry 1,1 (and 1 more) of Q already has a different answer on line 1"),
        ("q_{1,1}: 1\nq_1: [2, 1]", "2:6: entry 1,1 of q_1 already has a different answer on line 1"),
    ],
)  # fmt: skip
def test_two_answers_for_one_cell_are_told_and_the_first_is_marked(
    answers: str, said: str, faults: Faults, marked: Callable[..., Marking]
) -> None:
    assert faults(P, answers) == [f"answers.yaml:{said}\n    the earlier one is marked; keep only one of the two"]
    assert {m.verdict for m in marked(P, answers).marks.values()} == {"exact"}


def test_saying_the_same_again_is_no_fault(verdicts: Verdicts) -> None:
    again = f"{Q}\n{Q}\nq_1: [1, 1.0]\nq_{{1,1}}: 2/2\n"
    given = "X: [[1, 0], [0, 1], [1, 1], [2, -1]]\nW_Q: [[1, 1], [0, 2]]\nx_1: [1, 0]\n"
    assert verdicts(P, again + given) == {"queries": "ee/ee/ee/ee"}


HEADS = "inputs: [[1, 0], [0, 1]]\nweights: [{W_Q: identity, W_K: identity, W_V: identity},\n" + (
    "  {W_Q: [[2, 0], [0, 2]], W_K: identity, W_V: identity}]\n"
)


def test_heads_may_be_answered_all_at_once_as_given_takes_them(verdicts: Verdicts, faults: Faults) -> None:
    both = {"head 1: scores": "ee/ee", "head 2: scores": "ee/ew"}
    assert verdicts(HEADS, "scores: [[[1, 0], [0, 1]], [[2, 0], [0, 3]]]") == both
    assert verdicts(HEADS, "S: [[[1, 0], [0, 1]], [[2, 0], [0, 3]]]") == both
    assert verdicts(HEADS, "S: [_, [[2, 0], [0, 3]]]") == {"head 1: scores": "bb/bb", "head 2: scores": "ee/ew"}
    assert verdicts(HEADS, "S: _") == {"head 1: scores": "bb/bb", "head 2: scores": "bb/bb"}
    for sheet in ("S: [[1, 0], [0, 1]]", "S: [[[1, 0], [0, 1]]]", "S: [[[1]], [[1]], [[1]]]"):
        (said,) = faults(HEADS, sheet)
        assert "it belongs to several heads" in said


def test_a_matrix_written_transposed_is_read_and_said_to_be_that(marked: Callable[..., Marking]) -> None:
    marking = marked(
        P, "Q: [[1, 0, 1, 2], [1, 2, 3, 9]]\nS: [[1, 2, 3, 1], [0, 2, 2, 2], [1, 4, 5, 1], [2, 2, 4, 2]]\n"
    )
    assert marking.answers.faults == []
    queries = {m.judgement.why for m in marking.of(Key("queries")).values()}
    assert {m.verdict for m in marking.of(Key("queries")).values()} == {"wrong"}
    assert queries == {"you wrote the matrix transposed", ""}  # the 9 is wrong in any case


def test_answers_that_are_no_mapping_are_refused(faults: Faults) -> None:
    said = "answers.yaml:1:1: the answers must be a mapping such as {Q: [[1, 2]]}"
    assert faults(P, "- 1") == faults(P, "12") == [said]
