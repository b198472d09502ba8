"""`attnsolve guide`: the list of its pages, and each of them on a terminal and through a pipe."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len
from shared.program import COLOURS, run

from attnsolve.guide import FOLDER, PAGES, page, summary


def shown(name: str, width: int) -> list[str]:
    """The lines of a page on a terminal, without colours."""
    done = run(["guide", name, "--width", str(width)], terminal=True)
    assert (done.code, done.err) == (0, "")
    return COLOURS.sub("", done.out).split("\n")


def test_every_page_is_listed_in_one_line_of_eighty_columns() -> None:
    assert {*PAGES} == {path.stem for path in FOLDER.glob("*.md")}
    lines = run(["guide"]).out.splitlines()
    assert [line.split()[0] for line in lines[: len(PAGES)]] == [*PAGES]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_with_one_sentence(name: str) -> None:
    title, opening, *_ = page(name).split("\n\n")
    assert title.startswith("# ")
    assert opening.endswith(".")
    assert opening.count(". ") == 0
    assert summary(name) in run(["guide"]).out


@pytest.mark.parametrize("name", PAGES)
def test_a_pipe_gets_the_markdown_as_it_is(name: str) -> None:
    assert run(["guide", name]).out == (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("name", PAGES)
def test_a_terminal_shows_all_of_a_page_within_its_width(name: str, width: int) -> None:
    lines = shown(name, width)
    assert max(map(cell_len, lines)) <= width
    assert [line for line in lines if line.endswith(" ")] == []
    squeezed = re.sub(r"\s", "", "".join(lines))
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page(name), flags=re.M | re.S), re.M):
        assert heading.replace(" ", "") in squeezed
    for code in re.findall(r"^```\w+\n(.*?)^```$", page(name), re.MULTILINE | re.DOTALL):
        assert re.sub(r"\s", "", code) in squeezed


@pytest.mark.parametrize("name", PAGES)
def test_code_fits_a_terminal(name: str) -> None:
    """Messages of the program may be longer: they are on one line wherever they are shown."""
    blocks = re.findall(r"^```(?:yaml|python|text)\n(.*?)^```$", page(name), re.MULTILINE | re.DOTALL)
    typed = [re.findall(r"^(?:>>>|\.\.\.) .*", block, re.MULTILINE) or block.splitlines() for block in blocks]
    assert [line for lines in typed for line in lines if cell_len(line) > 80] == []


def test_links_and_marks_are_not_shown_raw() -> None:
    text = "\n".join(shown("problems", 80))
    assert "](" not in text
    assert "| ---" not in text
    assert "# Problem files" not in text


def test_a_page_is_found_by_the_name_of_its_file_too() -> None:
    assert run(["guide", "Claims.md"]).out == page("claims")


def test_an_unknown_page_is_one_message_with_the_nearest_name() -> None:
    done = run(["guide", "markin"])
    assert (done.code, done.out) == (2, "")
    assert done.err == "guide markin: there is no such page; did you mean marking?\n"


def test_help_leads_to_the_guide() -> None:
    assert "attnsolve guide" in run(["--help"]).out
