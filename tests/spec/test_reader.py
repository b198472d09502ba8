"""YAML to nodes: places, untouched text, and everything a hostile or mistaken file is refused for.

Every test runs on libyaml's parser and on PyYAML's own, which must tell the same tree and the same places.
"""

from contextlib import suppress

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnsolve.bounds import changed
from attnsolve.errors import Mark, ProblemError
from attnsolve.spec.reader import Mapping, Scalar, Sequence, describe, read_documents

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


@pytest.fixture(params=["libyaml", "pure"], autouse=True)
def parser(request, monkeypatch):
    monkeypatch.setattr(yaml, "__with_libyaml__", request.param == "libyaml" and yaml.__with_libyaml__)


def read(text):
    (document,) = read_documents(text, "sheet.yaml")
    return document


def faults(text):
    with pytest.raises(ProblemError) as caught:
        read_documents(text, "sheet.yaml")
    return [(fault.at, fault.message, fault.fix) for fault in caught.value.faults]


def plain(node):
    """A node as lists, dicts and strings."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key.text: plain(value) for key, value in node.entries}


# ── the tree ────────────────────────────────────────────────────────────────────────────────────


def test_every_node_knows_its_line_and_column_counted_from_one():
    text = "a: [1, 'two']\nlonger:\n  - x\n  -   y\n"
    assert read(text) == Mapping(
        (
            (
                Scalar("a", Mark(1, 1)),
                Sequence((Scalar("1", Mark(1, 5)), Scalar("two", Mark(1, 8), quoted=True)), Mark(1, 4), "[1, 'two']"),
            ),
            (Scalar("longer", Mark(2, 1)), Sequence((Scalar("x", Mark(3, 5)), Scalar("y", Mark(4, 7))), Mark(3, 3))),
        ),
        Mark(1, 1),
    )


def test_columns_count_characters_and_not_bytes():
    node = read("{é√π: 𝔸β, x: y}")
    assert [(key.at.column, value.at.column) for key, value in node.entries] == [(2, 7), (11, 14)]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_of_the_usual_ways(newline):
    node = read(newline.join(["# first", "a: 1", "b:", "  c: 2", ""]))
    assert plain(node) == {"a": "1", "b": {"c": "2"}}
    assert node.entries[1][1].entries[0][1].at == Mark(4, 6)


@pytest.mark.parametrize(
    "text",
    ["0.10", "1e3", "no", "yes", "true", "~", "null", "0o17", "0x1F", ".inf", "2001-01-01", "1:30", "="],
)
def test_a_scalar_stays_the_text_that_was_written(text):
    assert read(f"[{text}]").items == (Scalar(text, Mark(1, 2)),)


@pytest.mark.parametrize(
    ("written", "text"),
    [('"1"', "1"), ("'1'", "1"), ('""', ""), ("'it''s'", "it's"), ('"a\\tb"', "a\tb"), ('"\\u00e9"', "é")],
)
def test_a_quoted_scalar_is_known_as_one(written, text):
    assert read(f"[{written}]").items == (Scalar(text, Mark(1, 2), quoted=True),)


def test_block_text_counts_as_quoted():
    assert read("a: |\n  x\n  y\n").entries[0][1] == Scalar("x\ny\n", Mark(1, 4), quoted=True)


def test_a_key_without_a_value_has_an_empty_one():
    assert plain(read("a:\nb: 1\n")) == {"a": "", "b": "1"}


def test_comments_are_no_part_of_the_tree():
    assert plain(read("# top\na: 1   # after\n# end\n")) == {"a": "1"}


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("", []),
        ("# nothing but this\n", []),
        ("a: 1\n", [{"a": "1"}]),
        ("a: 1\n---\nb: 2\n", [{"a": "1"}, {"b": "2"}]),
        ("---\na: 1\n...\n---\n- 2\n", [{"a": "1"}, ["2"]]),
        ("---\n---\n", ["", ""]),
    ],
)
def test_documents_are_read_one_after_another(text, documents):
    assert [plain(node) for node in read_documents(text, "sheet.yaml")] == documents


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("7", "'7'"),
        ("''", "''"),
        ("[]", "a list"),
        ("{}", "a mapping"),
        ("x" * 40, repr("x" * 40)),
        ("x" * 41, repr("x" * 37 + "...")),
    ],
)
def test_a_node_is_described_as_a_person_would(text, said):
    assert describe(read(text)) == said


def test_a_missing_value_is_described_as_nothing():
    assert describe(read("a:").entries[0][1]) == "nothing"


# ── keys and tags ───────────────────────────────────────────────────────────────────────────────


def test_a_key_given_twice_is_refused_where_it_comes_again():
    assert faults("a: 1\nb: 2\na: 3\n") == [
        (Mark(3, 1), "the key 'a' was already given on line 1", "keep one of the two")
    ]


def test_quotes_do_not_make_a_key_another_one():
    ((at, message, _),) = faults('"a": 1\na: 2\n')
    assert (at, message) == (Mark(2, 1), "the key 'a' was already given on line 1")


def test_every_duplicate_key_at_every_level_is_told_at_once():
    assert [(at, message) for at, message, _ in faults("a: {x: 1, x: 2}\nb: 1\nb: 2\nb: 3\n")] == [
        (Mark(1, 11), "the key 'x' was already given on line 1"),
        (Mark(3, 1), "the key 'b' was already given on line 2"),
        (Mark(4, 1), "the key 'b' was already given on line 2"),
    ]


def test_the_same_key_may_stand_in_different_mappings_and_documents():
    documents = read_documents("a: {a: 1}\nb: {a: 2}\n---\na: 3\n", "sheet.yaml")
    assert [plain(node) for node in documents] == [{"a": {"a": "1"}, "b": {"a": "2"}}, {"a": "3"}]


@pytest.mark.parametrize(("text", "found"), [("? [1, 2]\n: 3\n", "a list"), ("? {a: 1}\n: 3\n", "a mapping")])
def test_a_key_must_be_a_word(text, found):
    assert faults(text) == [(Mark(1, 3), f"a key must be a word, but {found} was found", "")]


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("!!python/object/apply:os.system [ls]", "tag:yaml.org,2002:python/object/apply:os.system"),
        ("!!python/name:os.system x", "tag:yaml.org,2002:python/name:os.system"),
        ("!!str 1", "tag:yaml.org,2002:str"),
        ("!!float 0.1", "tag:yaml.org,2002:float"),
        ("!local {x: 1}", "!local"),
        ("! x", "!"),
    ],
)
def test_a_tag_is_refused_and_never_acted_on(written, tag):
    assert faults(f"a: {written}\n") == [
        (Mark(1, 4), f"a YAML tag, {tag!r}, was found, but tags are not supported", "write the plain value")
    ]


def test_a_tag_on_a_key_is_refused():
    ((at, message, _),) = faults("x: 1\n!!str a: 1\n")
    assert at == Mark(2, 1)
    assert "tags are not supported" in message


# ── aliases ─────────────────────────────────────────────────────────────────────────────────────


def test_an_alias_stands_for_the_value_it_names_at_the_place_that_was_written():
    first, second = (value for _, value in read("W_Q: &w [[1, 2]]\nW_K: *w\n").entries)
    assert second == first
    assert second.at == Mark(1, 6)


def test_an_alias_may_name_a_word_or_a_mapping_and_an_anchor_may_be_used_again():
    text = "a: &x one\nb: *x\nc: &x {k: two}\nd: *x\n"
    assert plain(read(text)) == {"a": "one", "b": "one", "c": {"k": "two"}, "d": {"k": "two"}}


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("a: *x\n", Mark(1, 4), "the alias *x refers to no anchor before it"),
        ("a: *x\nb: &x 1\n", Mark(1, 4), "the alias *x refers to no anchor before it"),
        ("a: &x 1\n---\nb: *x\n", Mark(3, 4), "the alias *x refers to no anchor before it"),
        ("a: &x [1, *x]\n", Mark(1, 11), "the alias *x is inside the value that it refers to"),
        ("a: &x {k: [*x]}\n", Mark(1, 12), "the alias *x is inside the value that it refers to"),
        ("&x [*x]\n", Mark(1, 5), "the alias *x is inside the value that it refers to"),
    ],
)
def test_an_alias_without_a_finished_value_is_refused(text, at, message):
    assert faults(text) == [(at, message, "")]


def _bomb(levels, width):
    lines = [f"l0: &l0 [{', '.join('1' * width)}]"]
    for level in range(1, levels):
        lines.append(f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * width)}]")
    return "\n".join(lines)


@pytest.mark.parametrize("shape", [(9, 10), (20, 2), (30, 30)])
def test_an_alias_bomb_is_stopped_before_it_is_written_out(shape):
    (_, message, _) = faults(_bomb(*shape))[-1]
    assert message == "the file has more than 400,000 values (with aliases expanded)"


def test_wide_rows_of_aliases_are_counted_too():
    row = ", ".join("1" * 512)
    ((_, message, _),) = faults(f"r: &r [{row}]\nm: [{', '.join(['*r'] * 800)}]\n")
    assert "more than 400,000 values" in message


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[1, 2, 3]", 4),
        ("{a: 1}", 3),
        ("[[1], [2]]", 5),
        ("[&x [1, 2], *x, *x]", 10),
    ],
)
def test_values_are_counted_with_aliases_written_out(text, values):
    with changed(nodes=values):
        read(text)
    with changed(nodes=values - 1):
        assert f"more than {values - 1} values" in faults(text)[0][1]


# ── depth and number ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("pair", [("[", "]"), ("{a: ", "}")])
def test_nesting_stops_one_level_beyond_the_bound(pair):
    opening, closing = pair
    read(opening * 12 + closing * 12)
    assert faults(opening * 13 + closing * 13) == [
        (Mark(1, 12 * len(opening) + 1), "lists and mappings may be nested at most 12 deep", "")
    ]


def test_block_lists_nest_no_deeper_than_flow_lists():
    ((at, message, _),) = faults("- " * 13 + "1\n")
    assert (at, message) == (Mark(1, 25), "lists and mappings may be nested at most 12 deep")


def test_a_hundred_thousand_brackets_are_refused_as_soon_as_they_are_too_deep():
    assert faults("[" * 100_000)[0][0] == Mark(1, 13)


def test_a_file_holds_two_hundred_problems_and_not_one_more():
    assert len(read_documents("--- 1\n" * 200, "sheet.yaml")) == 200
    fix = "--bound documents=400 raises it"
    assert faults("--- 1\n" * 201) == [(Mark(201, 1), "a file may hold at most 200 problems", fix)]


# ── syntax ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "at", "message", "fix"),
    [
        ("a: [1, 2\nb: 3\n", Mark(2, 2), "',' or ']'", "a list opened with [ needs a comma between its values"),
        ("a: [[1, 2], [3, 4]\nb: 3\n", Mark(2, 1), "',' or ']'", "and a closing ]"),
        ("a: [[1, 2] [3, 4]]\n", Mark(1, 12), "',' or ']'", "needs a comma between its values"),
        ("title: one: two\n", Mark(1, 11), "mapping values are not allowed", "put quotes around a text"),
        ("a:\n\t- 1\n", Mark(2, 1), "cannot start any token", "the line is indented with a tab: use spaces"),
        ("a:\n  b: 1\n\tc: 2\n", Mark(3, 1), "", "the line is indented with a tab: use spaces"),
        ("a: @x\n", Mark(1, 4), "cannot start any token", "brackets, quotes and indentation"),
        ("a: `x`\n", Mark(1, 4), "cannot start any token", "brackets, quotes and indentation"),
        ("a: - 1\n", Mark(1, 4), "sequence entries are not allowed", "brackets, quotes and indentation"),
        ("a: 1\n]\n", Mark(2, 1), "", "brackets, quotes and indentation"),
        ("a: [1]]\n", Mark(1, 7), "", "brackets, quotes and indentation"),
    ],
)
def test_a_syntax_error_is_told_with_its_place_and_a_likely_cause(text, at, message, fix):
    ((found_at, found_message, found_fix),) = faults(text)
    assert found_at == at
    assert found_message.startswith("this is not YAML: ")
    assert message in found_message
    assert fix in found_fix


@pytest.mark.parametrize(
    "text", ["a: 'x\n", 'a: "x\nb: 1\n', "a: {x: 1\n", "a: {x: 1\nb: 2\n", "a: [\n", "a: [1, {b: 2]\n"]
)
def test_what_is_opened_and_never_closed_is_not_yaml(text):
    ((_, message, fix),) = faults(text)
    assert message.startswith("this is not YAML: ")
    assert fix


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f"])
def test_a_control_character_is_refused_at_its_place(character):
    ((at, message, _),) = faults(f"a: 1\nb: x{character}y\n")
    assert at == Mark(2, 5)
    assert f"a control character, U+{ord(character):04X}, was found" == message


def test_a_message_names_the_file():
    with pytest.raises(ProblemError, match=r"^folder/sheet\.yaml:1:4: the alias"):
        read_documents("a: *x", "folder/sheet.yaml")


# ── properties ──────────────────────────────────────────────────────────────────────────────────

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff"), max_size=8)
data = st.recursive(
    words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


@unhurried
@given(data, st.booleans())
def test_what_a_yaml_writer_wrote_is_read_back(tree, flow):
    text = yaml.safe_dump(tree, default_style='"', default_flow_style=flow, allow_unicode=True, sort_keys=False)
    assert plain(read(text)) == tree


@unhurried
@given(st.text(max_size=60) | st.text("ab:-[]{},&*!?|>'\"#%@ \t\n", max_size=40))
def test_any_text_is_a_list_of_documents_or_a_problem_error(text):
    with suppress(ProblemError):
        assert all(isinstance(node, Scalar | Sequence | Mapping) for node in read_documents(text, "sheet.yaml"))


@unhurried
@given(st.text("ab:-[]{},&*!?'\"# \n", max_size=30))
def test_every_fault_lies_inside_the_text(text):
    text += "\n"
    lines = text.split("\n")
    try:
        read_documents(text, "sheet.yaml")
    except ProblemError as error:
        outside = [f for f in error.faults if f.at.line > len(lines) or f.at.column > len(lines[f.at.line - 1]) + 1]
    else:
        outside = []
    assert outside == []
