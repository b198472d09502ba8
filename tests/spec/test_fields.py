"""Typed readings: choices, whole numbers, texts, numbers and matrices, each with what is said when it is wrong."""

from fractions import Fraction as F

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsolve.errors import Mark
from attnsolve.spec.fields import Faults, Fields, GivenMatrix, read_matrix, read_number, read_text
from attnsolve.spec.number import MINUS_INFINITY
from attnsolve.spec.reader import Scalar, read_documents

ROOT2 = sympy.sqrt(2)
unhurried = settings(deadline=None)


def fields(text, *known):
    (node,) = read_documents(text, "sheet.yaml")
    return Fields(node, known or [key.text for key, _ in node.entries], Faults("sheet.yaml"))


def told(faults):
    return [(fault.at, fault.message, fault.fix) for fault in faults.found]


def matrix(text, *, infinite=False, symbols=None):
    """A matrix called M, and what was said of it."""
    (node,) = read_documents(f"M: {text}", "sheet.yaml")
    faults = Faults("sheet.yaml", symbols or {})
    return read_matrix(node.entries[0][1], "M", faults, infinite=infinite), told(faults)


# ── the mapping itself ──────────────────────────────────────────────────────────────────────────


def test_every_unknown_key_is_told_with_the_nearest_known_one():
    found = fields("titel: x\nzzz: 1\ntitle: y\n", "title", "source")
    assert told(found.faults) == [
        (Mark(1, 1), "unknown key 'titel'", "did you mean title?"),
        (Mark(2, 1), "unknown key 'zzz'", "known: title, source"),
    ]


def test_an_unknown_key_is_told_with_where_it_stands():
    (node,) = read_documents("bse: 2", "sheet.yaml")
    faults = Faults("sheet.yaml")
    Fields(node, ["base"], faults, " in softmax")
    assert told(faults) == [(Mark(1, 1), "unknown key 'bse' in softmax", "did you mean base?")]


@pytest.mark.parametrize("written", ["", "~", "null"])
def test_an_empty_value_counts_as_absent(written):
    assert fields(f"title: {written}\n").get("title") is None


@pytest.mark.parametrize("written", ["''", "'~'", '"null"', "0", "false"])
def test_a_value_that_only_looks_empty_is_there(written):
    assert isinstance(fields(f"title: {written}\n").get("title"), Scalar)


@pytest.mark.parametrize("take", ["choice", "integer", "boolean", "text", "number", "matrix"])
def test_an_absent_key_gives_its_default_and_no_fault(take):
    found = fields("other: 1")
    given_and_expected = {
        "choice": ((("a", "b"), "b"), "b"),
        "integer": ((7, 1, 9), 7),
        "boolean": ((), False),
        "text": ((), ""),
        "number": ((), None),
        "matrix": ((), None),
    }
    arguments, expected = given_and_expected[take]
    assert getattr(found, take)("key", *arguments) == expected
    assert told(found.faults) == []


# ── the small readings ──────────────────────────────────────────────────────────────────────────


def test_a_choice_is_one_of_its_words():
    found = fields("layout: columns")
    assert found.choice("layout", ("rows", "columns"), "rows") == "columns"
    assert told(found.faults) == []


@pytest.mark.parametrize(
    ("written", "shown", "fix"),
    [
        ("colums", "'colums'", "did you mean columns?"),
        ("Columns", "'Columns'", "did you mean columns?"),
        ("zzz", "'zzz'", "known: rows, columns"),
        ("[rows]", "a list", ""),
        ("{rows: 1}", "a mapping", ""),
    ],
)
def test_a_word_that_is_no_choice_falls_back_on_the_default_and_is_told(written, shown, fix):
    found = fields(f"layout: {written}")
    assert found.choice("layout", ("rows", "columns"), "rows") == "rows"
    assert told(found.faults) == [(Mark(1, 9), f"layout must be rows or columns, but {shown} was found", fix)]


@pytest.mark.parametrize(("written", "value"), [("1", 1), ("64", 64), ("007", 7), ("'8'", 8)])
def test_a_whole_number_within_its_bounds_is_read(written, value):
    found = fields(f"heads: {written}")
    assert found.integer("heads", None, 1, 64) == value
    assert told(found.faults) == []


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("0", "'0'"),
        ("65", "'65'"),
        ("-1", "'-1'"),
        ("+1", "'+1'"),
        ("2.0", "'2.0'"),
        ("1e1", "'1e1'"),
        ("two", "'two'"),
        ("٢", "'٢'"),
        ("²", "'²'"),
        ("9" * 30, repr("9" * 30)),
        ("[2]", "a list"),
        ("''", "''"),
    ],
)
def test_what_is_no_whole_number_within_its_bounds_is_told(written, shown):
    found = fields(f"heads: {written}")
    assert found.integer("heads", 3, 1, 64) == 3
    assert told(found.faults) == [(Mark(1, 8), f"heads must be a whole number from 1 to 64, but {shown} was found", "")]


@pytest.mark.parametrize(("written", "value"), [("true", True), ("false", False)])
def test_a_boolean_is_true_or_false(written, value):
    assert fields(f"stable: {written}").boolean("stable") is value


@pytest.mark.parametrize("written", ["yes", "no", "on", "1"])
def test_a_boolean_is_no_other_word(written):
    found = fields(f"stable: {written}")
    assert found.boolean("stable") is False
    ((at, message, _),) = told(found.faults)
    assert (at, message) == (Mark(1, 9), f"stable must be true or false, but {written!r} was found")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("A plain title", "A plain title"),
        ("'  much   space  '", "much space"),
        ('"two\\nlines\\tand a tab"', "two lines and a tab"),
        ('"\\e[31mred\\e[0m"', "[31mred[0m"),
        ('"a\\u202eb\\u200bc\\ufeffd"', "abcd"),
        ('"a\\u2028b"', "a b"),
        ('"bell\\a and nul\\0"', "bell and nul"),
        ('"é √ π 你好 👋"', "é √ π 你好 👋"),
        ("no", "no"),
        ("0.10", "0.10"),
    ],
)
def test_text_is_one_line_that_can_not_steer_a_terminal(written, text):
    found = fields(f"title: {written}")
    assert found.text("title") == text
    assert told(found.faults) == []


def test_text_must_be_text_of_a_bearable_length():
    found = fields(f"title: [a]\nsource: {'x' * 2001}\n")
    assert (found.text("title"), found.text("source")) == ("", "")
    fix = "--bound text_characters=2001 raises it"
    assert told(found.faults) == [
        (Mark(1, 8), "title must be a line of text, but a list was found", ""),
        (Mark(2, 9), "source may be at most 2000 characters long, but has 2001", fix),
    ]


def test_text_as_long_as_the_bound_is_kept():
    assert fields(f"title: {'x' * 2000}").text("title") == "x" * 2000


@unhurried
@given(st.text(max_size=50))
def test_no_text_brings_a_control_character_through(text):
    cleaned = read_text(Scalar(text, Mark(1, 1), quoted=True), "title", Faults("sheet.yaml"))
    assert not any(character in cleaned for character in "\x00\x07\x08\x1b\r\n\t\x7f\x9b\u2028\u2029\u202a\u202e\u2066")


# ── numbers ─────────────────────────────────────────────────────────────────────────────────────


def test_a_number_is_exact_and_its_style_is_counted():
    found = fields("a: 0.1\nb: 1/3\nc: 2\nd: 0.5/2\n")
    assert [found.number(name) for name in "abcd"] == [F(1, 10), F(1, 3), F(2), F(1, 4)]
    assert (found.faults.decimals, found.faults.fractions) == (2, 2)


def test_a_number_may_be_quoted():
    assert fields("a: '1/3'").number("a") == F(1, 3)


@pytest.mark.parametrize(
    ("written", "message", "fix"),
    [
        ("1/0", "in scaling: '1/0' divides by zero", ""),
        ("''", "in scaling: a number is missing", ""),
        ("' '", "in scaling: a number is missing", ""),
        ("x", "in scaling: 'x' is not a number: 'x' is not known", "a letter must be declared first"),
        ("[1]", "scaling must be a number, but a list was found", ""),
        ("{a: 1}", "scaling must be a number, but a mapping was found", ""),
    ],
)
def test_what_is_no_number_is_told_with_its_name(written, message, fix):
    found = fields(f"scaling: {written}")
    assert found.number("scaling") is None
    ((at, found_message, found_fix),) = told(found.faults)
    assert (at, found_message) == (Mark(1, 10), message)
    assert found_fix.startswith(fix)


def test_the_symbols_of_the_file_are_numbers():
    letter = sympy.Symbol("n", real=True)
    assert read_number(Scalar("2*n", Mark(1, 1)), "a", Faults("sheet.yaml", {"n": letter})) == 2 * letter


# ── matrices ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "rows", "flat"),
    [
        ("[[1, 2], [3, 4]]", ((F(1), F(2)), (F(3), F(4))), False),
        ("[[0.1, 1/3, -2]]", ((F(1, 10), F(1, 3), F(-2)),), False),
        ("[[1], [2]]", ((F(1),), (F(2),)), False),
        ("[1, 2, 3]", ((F(1), F(2), F(3)),), True),
        ("[7]", ((F(7),),), True),
        ("[[sqrt(2), 1]]", ((ROOT2, F(1)),), False),
        ("\n  - [1, 2]\n  - [3, 4]", ((F(1), F(2)), (F(3), F(4))), False),
        ("\n  - 1\n  - 2", ((F(1), F(2)),), True),
        ("{matrix: [[1, 2], [3, 4]]}", ((F(1), F(2)), (F(3), F(4))), False),
        ("{matrix: [[1, 2], [3, 4]], times: 1/2}", ((F(1, 2), F(1)), (F(3, 2), F(2))), False),
        ("{matrix: [[1, 2], [3, 4]], transposed: true}", ((F(1), F(3)), (F(2), F(4))), False),
        ("{matrix: [[1, 2]], times: -3, transposed: true}", ((F(-3),), (F(-6),)), False),
        ("{matrix: [[1, 2]], transposed: false}", ((F(1), F(2)),), False),
        ("{matrix: [1, 2]}", ((F(1), F(2)),), True),
        ("{matrix: [1, 2], transposed: true}", ((F(1),), (F(2),)), False),
        ("{matrix: [[sqrt(2), 1]], times: sqrt(2)}", ((F(2), ROOT2),), False),
        ("{matrix: {matrix: [[1, 2]], times: 2}, times: 3}", ((F(6), F(12)),), False),
    ],
)
def test_a_matrix_is_read_exactly(text, rows, flat):
    found, said = matrix(text)
    assert said == []
    assert (found.rows, found.flat, found.name) == (rows, flat, "M")
    assert found.shape == (len(rows), len(rows[0]))


def test_a_matrix_knows_where_it_stands():
    assert matrix("[[1, 2]]")[0].at == Mark(1, 4)
    assert matrix("\n  - [1]\n  - [2]")[0].at == Mark(2, 3)


def test_minus_infinity_is_an_entry_only_where_it_may_be():
    text = "[[-inf, -.inf, -oo, -∞, −∞, 1]]"
    found, said = matrix(text, infinite=True)
    assert (found.rows, said) == (((*[MINUS_INFINITY] * 5, F(1)),), [])
    found, said = matrix(text)
    assert found is None
    assert [at.column for at, _, _ in said] == [6, 12, 19, 24, 28]


def test_plus_infinity_is_never_an_entry():
    found, said = matrix("[[inf]]", infinite=True)
    assert found is None
    assert said == [(Mark(1, 6), "in M[1,1]: 'inf' is not a finite number", "write a finite number")]


def test_minus_infinity_stays_itself_when_a_matrix_is_scaled_up():
    found, said = matrix("{matrix: [[-inf, 1]], times: 2}", infinite=True)
    assert (found.rows, said) == (((MINUS_INFINITY, F(2)),), [])


@pytest.mark.parametrize(
    ("text", "side", "rows"),
    [
        ("identity", 1, ((1,),)),
        ("identity", 3, ((1, 0, 0), (0, 1, 0), (0, 0, 1))),
        ("{matrix: identity}", 2, ((1, 0), (0, 1))),
        ("{matrix: identity, times: 1/2}", 2, ((F(1, 2), 0), (0, F(1, 2)))),
        ("{matrix: identity, transposed: true}", 2, ((1, 0), (0, 1))),
    ],
)
def test_an_identity_takes_the_size_it_must_have(text, side, rows):
    found, said = matrix(text)
    assert (found.identity, found.rows, said) == (True, (), [])
    assert found.sized(side).rows == rows
    assert found.sized(side).sized(side + 1).rows == rows


def test_any_other_matrix_keeps_its_size():
    found, _ = matrix("[[1, 2]]")
    assert found.sized(5) is found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5", [(4, "M must be a matrix (a list of rows), but '5' was found", "write M: [[1, 2], [3, 4]]")]),
        ("''", [(4, "M must be a matrix (a list of rows), but '' was found", "write M: [[1, 2], [3, 4]]")]),
        ("[]", [(4, "M is empty", "")]),
        ("[[]]", [(5, "row 1 of M is empty", "")]),
        ("[[1], []]", [(10, "row 2 of M is empty", "")]),
        ("[[1, 2], 3]", [(13, "row 2 of M must be a list of numbers, but '3' was found", "")]),
        ("[1, [2, 3]]", [(5, "row 1 of M must be a list of numbers, but '1' was found", "")]),
        ("[[1], {a: 1}]", [(10, "row 2 of M must be a list of numbers, but a mapping was found", "")]),
        ("[[1, [2]]]", [(9, "M[1,2] must be a number, but a list was found", "")]),
        ("[[1, 2], [3]]", [(13, "row 2 of M has 1 number, but row 1 has 2", "")]),
        ("[[1], [2, 3], [4, 5]]", [(5, "row 1 of M has 1 number, but row 2 has 2", "")]),
        (
            "[[1, 2], [3], [4, 5], [6, 7, 8]]",
            [
                (13, "row 2 of M has 1 number, but row 1 has 2", ""),
                (26, "row 4 of M has 3 numbers, but row 1 has 2", ""),
            ],
        ),
        (
            "[[1, 1/0], [2, 1e999]]",
            [
                (9, "in M[1,2]: '1/0' divides by zero", ""),
                (19, "in M[2,2]: the exponent of '1e999' is beyond ±400", ""),
            ],
        ),
        ("[[1, '']]", [(9, "in M[1,2]: a number is missing", "")]),
        (
            "{times: 2}",
            [(4, "M is a mapping without its matrix", "write {matrix: [[1, 2], [3, 4]], times: 1/2}")],
        ),
        ("{matrix: [[1]], tims: 2}", [(20, "unknown key 'tims' in M", "did you mean times?")]),
        ("{matrix: [[1]], times: 1/0}", [(27, "in times: '1/0' divides by zero", "")]),
        ("{matrix: 5}", [(13, "M must be a matrix (a list of rows), but '5' was found", "write M: [[1, 2], [3, 4]]")]),
        (
            "{matrix: [[1, 2]], transposed: yes}",
            [(35, "transposed must be true or false, but 'yes' was found", "known: true, false")],
        ),
    ],
)
def test_what_is_wrong_with_a_matrix_is_told_at_its_place(text, said):
    _, found = matrix(text)
    assert found == [(Mark(1, column), message, fix) for column, message, fix in said]


@pytest.mark.parametrize("text", ["5", "[]", "[[1], []]", "[[1, 2], [3]]", "[[x]]", "{times: 2}", "{matrix: [[x]]}"])
def test_a_wrong_matrix_is_none(text):
    assert matrix(text)[0] is None


@pytest.mark.parametrize(("inside", "beyond"), [((512, 1), (513, 1)), ((1, 512), (1, 513))])
def test_a_matrix_has_512_rows_and_columns_at_most(inside, beyond):
    found, said = matrix(_ones(*inside))
    assert (found.shape, said) == (inside, [])
    found, said = matrix(_ones(*beyond))
    assert found is None
    assert said == [
        (Mark(1, 4), "M is too large: a matrix may have at most 512 rows and columns", "--bound side=513 raises it")
    ]


def _ones(rows, columns):
    return str([[1] * columns] * rows)


def test_a_flat_list_has_512_numbers_at_most():
    assert matrix(str([1] * 512))[0].shape == (1, 512)
    assert matrix(str([1] * 513))[0] is None


def test_turning_a_matrix_twice_gives_it_back():
    found, _ = matrix("[[1, 2, 3], [4, 5, 6]]")
    assert found.transposed().rows == ((1, 4), (2, 5), (3, 6))
    assert found.transposed().transposed() == found


rationals = st.fractions(-99, 99, max_denominator=99)
rows_of = {width: st.lists(rationals, min_size=width, max_size=width) for width in range(1, 5)}
tables = st.integers(1, 4).flatmap(lambda width: st.lists(rows_of[width], min_size=1, max_size=4))


@unhurried
@given(tables)
def test_a_matrix_of_fractions_is_read_back(rows):
    found, said = matrix(str([[str(x) for x in row] for row in rows]).replace("'", ""))
    assert said == []
    assert found.rows == tuple(map(tuple, rows))


@unhurried
@given(st.lists(st.lists(rationals, min_size=2, max_size=2), min_size=1, max_size=3), rationals)
def test_times_scales_every_entry(rows, times):
    written = str([[str(x) for x in row] for row in rows]).replace("'", "")
    found, _ = matrix(f"{{matrix: {written}, times: {times}, transposed: true}}")
    assert found.rows == tuple(zip(*([x * times for x in row] for row in rows), strict=True))


def test_an_empty_matrix_has_no_shape_yet():
    assert GivenMatrix("M", (), Mark(1, 1), identity=True).shape == (0, 0)
