"""The `mask:` of a problem: causal, allowed entries, or a matrix to add."""

from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsolve.errors import Mark
from attnsolve.loading.files import parse

BODY = "inputs: [[1, 2], [3, 4], [5, 6]]\nweights: identity\n"
"""Three tokens on two lines: the mask stands on the third."""

unhurried = settings(deadline=None)


def mask(text):
    (problem,) = parse(text, "sheet.yaml")
    return problem.body.mask


def test_without_a_mask_nothing_is_masked():
    assert mask(BODY) is None
    assert mask(f"{BODY}mask: none\n") is None


def test_a_causal_mask_lets_a_token_look_at_itself_and_back():
    found = mask(f"{BODY}mask: causal\n")
    assert found.allowed == ((True, False, False), (True, True, False), (True, True, True))
    assert found.added == ((0, 0, 0), (0, 0, 0), (0, 0, 0))
    assert found.causal


def test_a_causal_mask_is_turned_with_the_layout():
    found = mask("layout: columns\ninputs: [[1, 2, 3]]\nweights: identity\nmask: causal\n")
    assert found.allowed == ((True, True, True), (False, True, True), (False, False, True))


@pytest.mark.parametrize(
    "written",
    [
        "[[1, 0, 1], [0, 1, 1], [1, 1, 0]]",
        "[[true, false, true], [false, true, true], [true, true, false]]",
        "[[True, False, 1], [0, TRUE, true], [1, 1, FALSE]]",
        "{matrix: [[1, 0, 1], [0, 1, 1], [1, 1, 0]], transposed: true}",
        "{matrix: [[2, 0, 2], [0, 2, 2], [2, 2, 0]], times: 1/2}",
    ],
)
def test_zeros_and_ones_say_what_may_be_attended_to(written):
    found = mask(f"{BODY}mask: {written}\n")
    assert found.allowed == ((True, False, True), (False, True, True), (True, True, False))
    assert {x for row in found.added for x in row} == {F(0)}
    assert not found.causal


def test_an_identity_mask_lets_each_token_see_itself():
    found = mask(f"{BODY}mask: {{matrix: identity}}\n")
    assert found.allowed == ((True, False, False), (False, True, False), (False, False, True))


def test_a_matrix_to_add_forbids_where_it_is_minus_infinity():
    found = mask(f"{BODY}mask: [[0, -inf, -inf], [1/2, 0, -oo], [-1.5, 2, −∞]]\n")
    assert found.allowed == ((True, False, False), (True, True, False), (True, True, False))
    assert found.added == ((0, 0, 0), (F(1, 2), 0, 0), (F(-3, 2), 2, 0))
    assert not found.causal


def test_a_mask_of_zeros_and_minus_infinity_is_a_matrix_to_add():
    found = mask(f"{BODY}mask: [[0, -inf, -inf], [0, 0, -inf], [0, 0, 0]]\n")
    assert found.allowed == ((True, False, False), (True, True, False), (True, True, True))


def test_a_mask_for_one_query_may_be_one_plain_list():
    text = "queries: [1, 0]\nkeys: [[1, 2], [3, 4], [5, 6]]\nmask: [1, 0, 1]\n"
    assert mask(text).allowed == ((True, False, True),)


def test_one_plain_list_is_a_column_where_tokens_are_columns():
    text = "layout: columns\nqueries: [1, 0]\nkeys: [[1, 2, 3], [4, 5, 6]]\nmask: [1, 0, 1]\n"
    assert mask(text).allowed == ((True,), (False,), (True,))


@pytest.mark.parametrize(
    ("written", "column", "message", "fix"),
    [
        ("casual", 7, "mask must be causal, none or a matrix, but 'casual' was found", "did you mean causal?"),
        ("lowly", 7, "mask must be causal, none or a matrix, but 'lowly' was found", "known: causal, none"),
        ("[]", 7, "mask is empty", ""),
        ("[[1, 0, 1], [1, 0], [1, 1, 1]]", 19, "row 2 of mask has 2 numbers, but row 1 has 3", ""),
        ("[[1, 0, 1], [1, x, 1], [1, 1, 1]]", 23, "in mask[2,2]: 'x' is not a number", "must be declared first"),
        (
            "[[1, 0, 1], [1, inf, 1], [1, 1, 1]]",
            23,
            "in mask[2,2]: 'inf' is not a finite number",
            "write a finite number",
        ),
        ("[[1, 0], [1, 0], [1, 1]]", 7, "mask has 2 columns but the inputs have 3 rows", ""),
        ("[[1, 0, 1], [1, 1, 1]]", 7, "mask has 2 rows but the inputs have 3 rows", ""),
        ("[[1, 0, 1]]", 7, "mask has 1 row but the inputs have 3 rows", ""),
        ("{matrx: [[1]]}", 7, "mask is a mapping without its matrix", "write {matrix: "),
    ],
)
def test_what_is_wrong_with_a_mask_is_told_at_its_place(faults, written, column, message, fix):
    found = faults(f"{BODY}mask: {written}\n")[0]
    assert found.at == Mark(3, column)
    assert message in found.message
    assert fix in found.fix


def test_a_causal_mask_needs_as_many_queries_as_keys(fault):
    found = fault("queries: [[1, 2]]\nkeys: [[1, 2], [3, 4]]\nmask: causal\n")
    assert str(found) == (
        "sheet.yaml:3:7: mask: causal needs as many queries as keys, but there are 1 and 2\n"
        "    write the mask out as a 0/1 matrix"
    )


INF = float("-inf")


def test_a_rule_says_which_keys_each_query_sees():
    found = mask(f"{BODY}mask: causal and within(2)\n")
    assert found.rows == ((0, INF, INF), (0, 0, INF), (INF, 0, 0))
    assert (found.shown, found.meaning) == ("causal and within(2)", "j ≤ i and |i − j| < 2")


@pytest.mark.parametrize(
    ("written", "allowed"),
    [
        ("first([2, 3, 1])", "110 111 100"),
        ("first(2)", "110 110 110"),
        ("not first(1)", "011 011 011"),
        ("causal and not first(1)", "000 010 011"),
        ("causal or within(2)", "110 111 111"),
        ("causal and [1, 1, 0]", "100 110 110"),
        ("'[[0, 1, 1], [1, 0, 1], [1, 1, 0]] and within(2)'", "010 101 010"),
        ("[1, 1, 0]", "110 110 110"),
    ],
)
@pytest.mark.parametrize("columns", [False, True])
def test_rules_are_about_queries_and_keys_in_either_layout(written, allowed, columns):
    body = f"layout: columns\ninputs: [[1, 2, 3]]\nweights: identity\nmask: {written}\n"
    rows = mask(body if columns else f"{BODY}mask: {written}\n").rows
    rows = tuple(zip(*rows, strict=True)) if columns else rows
    assert " ".join("".join("01"[x == 0] for x in row) for row in rows) == allowed


def test_a_matrix_in_a_rule_lies_as_the_sheet_does():
    body = "layout: columns\ninputs: [[1, 2]]\nweights: identity\nmask: '[[1, 1], [0, 1]] and within(5)'\n"
    assert mask(body).rows == ((0, 0), (INF, 0))


def test_a_list_of_masks_is_one_for_each_head():
    (problem,) = parse(
        "inputs: [[1, 2, 3], [3, 4, 5]]\nweights: identity\nheads: 3\nmask: [causal, within(1), none]\n", "sheet.yaml"
    )
    found = problem.body.masks
    assert [found[0].causal, found[1].shown, found[2].rows] == [True, "within(1)", ((0, 0), (0, 0))]


def test_a_list_of_masks_may_stand_in_quotes():
    text = 'inputs: [[1, 2], [3, 4]]\nweights: identity\nheads: 2\nmask: "[causal, first([1, 1])]"\n'
    (problem,) = parse(text, "sheet.yaml")
    assert [one.rows for one in problem.body.masks] == [((0, INF), (0, 0)), ((0, INF), (0, INF))]


def test_matrices_for_each_head_may_stand_among_rules():
    text = "inputs: [[1, 2], [3, 4]]\nweights: identity\nheads: 2\nmask: [[[1, 0], [1, 1]], causal]\n"
    (problem,) = parse(text, "sheet.yaml")
    assert [one.allowed for one in problem.body.masks] == [((True, False), (True, True))] * 2


@pytest.mark.parametrize(
    ("written", "column", "message", "fix"),
    [
        ("first([2, 3])", 13, "first needs one length for each of the 3 queries", "one number for all of them"),
        ("within(w)", 14, "in mask: w must be a whole number", ""),
        ("casual and within(2)", 7, "casual can't be combined with other masks", "masks are causal"),
        ("window(2)", 7, "but 'window(2)' was found", "rules are causal, within(2) and first([2, 3])"),
        ("within(2", 15, "')' was expected", ""),
        ("causal and [[1, 0], [1, 1]]", 18, "is 2×2, but there are 3 queries and 3 keys", ""),
        ("'[[1, 0, 1], [1, 1]] and causal'", 8, "have different lengths", ""),
        ("[causal, within(2)]", 7, "mask is written for 2 heads, but there is 1", "one for all of them"),
    ],
)
def test_what_is_wrong_with_a_rule_is_told_at_its_place(fault, written, column, message, fix):
    found = fault(f"{BODY}mask: {written}\n")
    assert found.at == Mark(3, column)
    assert message in found.message
    assert fix in found.fix


def test_causal_in_a_rule_needs_as_many_queries_as_keys(fault):
    found = fault("queries: [[1, 2]]\nkeys: [[1, 2], [3, 4]]\nmask: causal and within(2)\n")
    assert found.message == "mask: causal needs as many queries as keys, but there are 1 and 2"


@unhurried
@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=3, max_size=3))
def test_a_boolean_mask_is_read_back(allowed):
    as_digits = str([[int(x) for x in row] for row in allowed])
    expected = tuple(map(tuple, allowed))
    assert mask(f"{BODY}mask: {allowed}\n").allowed == expected
    assert mask(f"{BODY}mask: {as_digits}\n").allowed == expected
