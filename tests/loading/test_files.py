"""Files to problems: finding the file, reading its bytes, and the problems it holds."""

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsolve.bounds import DEFAULT
from attnsolve.errors import AttnsolveError, FileProblem, ProblemError
from attnsolve.loading.files import KINDS, load_all, load_one, parse
from attnsolve.loading.sources import bundled
from attnsolve.spec.header import HEADER

SHEET = "inputs: [[1, 2], [3, 4]]\nweights: identity\n"

unhurried = settings(deadline=None)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal(name):
    with pytest.raises(FileProblem) as caught:
        load_one(name)
    return str(caught.value)


# ── finding ─────────────────────────────────────────────────────────────────────────────────────


def test_a_file_is_read_by_its_path(folder):
    (folder / "sheet.yaml").write_text(SHEET)
    assert load_one("sheet.yaml").file == "sheet.yaml"
    assert load_one(folder / "sheet.yaml").file == str(folder / "sheet.yaml")


def test_a_file_needs_no_particular_ending(folder):
    (folder / "sheet").write_text(SHEET)
    assert load_one("sheet").body.identity


@pytest.mark.parametrize("name", ["discussion-10-qkv", "discussion-10-qkv.yaml"])
def test_a_bundled_problem_is_found_by_name_from_any_folder(name):
    found = load_one(name)
    assert found.title == "Query, key and value in transformer attention"
    assert found.file == name


def test_a_file_at_hand_goes_before_a_bundled_problem_of_its_name(folder):
    (folder / "discussion-10-qkv.yaml").write_text(f"title: mine\n{SHEET}")
    assert load_one("discussion-10-qkv.yaml").title == "mine"


def test_a_bundled_problem_is_not_looked_for_in_other_folders(folder):
    (folder / "sub").mkdir()
    assert refusal("sub/discussion-10-qkv").startswith("sub/discussion-10-qkv: no such file")


def test_the_bundled_problems_are_listed_by_name():
    found = bundled()
    assert {"discussion-10-qkv", "causal-mask", "two-heads-thinking-machine"} <= set(found)
    assert list(found) == sorted(found)
    assert all(path.is_file() and path.stem == name for name, path in found.items())


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("shet.yaml", "did you mean sheet.yaml?"),
        ("sheet.yml", "did you mean sheet.yaml?"),
        ("SHEET.YAML", "did you mean sheet.yaml?"),
        ("./shet.yaml", "did you mean sheet.yaml?"),
        ("discussion-10-qvk", "did you mean discussion-10-qkv?"),
        ("causal-msk", "did you mean causal-mask?"),
    ],
)
def test_a_missing_file_is_told_with_the_nearest_name(folder, name, fix):
    (folder / "sheet.yaml").write_text(SHEET)
    assert refusal(name) == f"{name}: no such file, and no bundled problem of that name\n    {fix}"


def test_the_nearest_name_is_looked_for_in_the_folder_that_was_named(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "other.yaml").write_text(SHEET)
    assert refusal("sub/othr.yaml").endswith("\n    did you mean other.yaml?")


@pytest.mark.parametrize("name", ["qqqqqq", "qqqqqq.yaml", "nowhere/qqqqqq.yaml"])
def test_a_missing_file_with_no_near_name_is_told_with_the_bundled_ones(name):
    told = refusal(name)
    assert told.startswith(f"{name}: no such file")
    assert all(bundled_name in told for bundled_name in bundled())


# ── reading ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", [".", "sub", "sub/"])
def test_a_folder_is_no_problem_file(folder, name):
    (folder / "sub").mkdir()
    assert refusal(name) == f"{name}: this is a folder; name a problem file in it"


def test_what_is_no_ordinary_file_is_not_read(folder):
    os.mkfifo(folder / "pipe")
    assert refusal("pipe") == "pipe: this is not an ordinary file"
    assert refusal("/dev/null") == "/dev/null: this is not an ordinary file"


def test_a_file_that_can_not_be_opened_says_why(folder):
    (folder / "sheet.yaml").write_text(SHEET)
    (folder / "loop").symlink_to("loop")
    assert refusal("loop").startswith("loop: can't be read: ")
    assert refusal("sheet.yaml/inside").startswith("sheet.yaml/inside: can't be read: ")
    assert refusal("nul\0nul").startswith("nul\\x00nul: can't be read: ")


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n# comments\n", "---\n", "---\n---\n", "# a\n---\n# b\n...\n"])
def test_a_file_without_a_problem_is_empty(folder, text):
    (folder / "sheet.yaml").write_text(text)
    assert refusal("sheet.yaml") == "sheet.yaml: the file is empty; a problem needs at least inputs and weights"


@pytest.mark.parametrize(
    ("data", "place", "byte"),
    [
        (b"title: caf\xe9\n", "1:11", "0xe9"),
        (b"# one\n# two\ntitle: \xff\n", "3:8", "0xff"),
        (b"\n\ntitle: \xff\n", "3:8", "0xff"),
        (SHEET.encode("utf-16"), "1:1", "0xff"),
        (SHEET.encode() + b"\xc3", "3:1", "0xc3"),
    ],
)
def test_a_file_that_is_not_utf8_is_told_with_the_place_of_the_byte(folder, data, place, byte):
    (folder / "sheet.yaml").write_bytes(data)
    assert refusal("sheet.yaml") == f"sheet.yaml:{place}: not UTF-8 text (byte {byte})\n    save the file as UTF-8"


def test_a_byte_order_mark_is_no_part_of_the_text(folder):
    (folder / "sheet.yaml").write_bytes(b"\xef\xbb\xbf" + SHEET.encode())
    assert load_one("sheet.yaml").at == (1, 1)
    (folder / "sheet.yaml").write_bytes(b"\xef\xbb\xbf")
    assert "the file is empty" in refusal("sheet.yaml")


def test_windows_line_ends_are_read(folder):
    (folder / "sheet.yaml").write_bytes(SHEET.replace("\n", "\r\n").encode())
    assert load_one("sheet.yaml").body.identity


def test_a_file_may_be_as_large_as_the_bound_and_no_larger(folder):
    padding = "#" * (DEFAULT.file_bytes - len(SHEET) - 1)
    (folder / "sheet.yaml").write_text(f"{padding}\n{SHEET}")
    assert load_one("sheet.yaml").body.identity
    (folder / "sheet.yaml").write_text(f"#{padding}\n{SHEET}")
    assert refusal("sheet.yaml") == (
        "sheet.yaml: the file is larger than 4,000,000 bytes\n    --bound file_bytes=4000001 raises it"
    )


# ── the problems of a file ──────────────────────────────────────────────────────────────────────


def test_a_file_may_hold_several_problems(folder):
    (folder / "sheet.yaml").write_text(f"title: one\n{SHEET}---\n# nothing here\n---\ntitle: two\n{SHEET}")
    found = load_all("sheet.yaml")
    assert [(problem.title, problem.at) for problem in found] == [("one", (1, 1)), ("two", (7, 1))]


@pytest.mark.parametrize("number", [2, 3])
def test_several_problems_are_refused_where_one_is_expected(folder, number):
    (folder / "sheet.yaml").write_text("---\n".join([SHEET] * number))
    assert refusal("sheet.yaml") == f"sheet.yaml: it has {number} problems, but one was expected"


@pytest.mark.parametrize(
    ("text", "found"), [("- 1\n- 2\n", "a list"), ("hello\n", "'hello'"), ("''\n", "''"), ("7\n", "'7'")]
)
def test_a_problem_is_a_mapping(text, found):
    with pytest.raises(ProblemError) as caught:
        parse(text, "sheet.yaml")
    assert str(caught.value) == (
        f"sheet.yaml:1:1: a problem must be a mapping with keys such as inputs and weights, but {found} was found"
    )


def test_a_fault_in_a_file_is_told_with_the_name_it_was_asked_for_by(folder):
    (folder / "sheet.yaml").write_text("inputs: [[1, 1/0]]\nweights: identity\n")
    with pytest.raises(ProblemError, match=r"^\./sheet\.yaml:1:14: in inputs\[1,2\]: '1/0' divides by zero$"):
        load_all("./sheet.yaml")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_reader_with_its_keys_and_names(kind):
    module = import_module(KINDS[kind])
    assert kind == module.KIND
    assert set(module.KEYS).isdisjoint(set(HEADER) - set(module.UNUSED))
    assert set(module.UNUSED) <= set(HEADER)
    assert ("scores" in module.NAMES) is (kind in ("attention", "seq2seq"))
    assert callable(module.read)


# ── properties ──────────────────────────────────────────────────────────────────────────────────

WORKSHEETS = [path.read_text(encoding="utf-8") for path in bundled().values()]
characters = st.sampled_from(list("0129.-+*/^()[]{},:#&*!?|>'\"~ \n\tabWQ_é√∞"))


@unhurried
@given(st.sampled_from(WORKSHEETS), st.lists(st.tuples(st.floats(0, 1), characters, st.integers(0, 3)), max_size=4))
def test_a_worksheet_with_slips_of_the_hand_is_read_or_refused_and_never_crashes(text, slips):
    for where, character, dropped in slips:
        at = int(where * len(text))
        text = text[:at] + character + text[at + dropped :]
    with suppress(AttnsolveError):
        assert parse(text, "sheet.yaml")


@unhurried
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_and_never_crash(data):
    path = Path("bytes.yaml")
    path.write_bytes(data)
    with suppress(AttnsolveError):
        assert load_all(path)
