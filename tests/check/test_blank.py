"""Answer files to fill in ask for what the sheet asks, and are read back blank or filled."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from attnsolve.check.blank import as_csv, as_yaml
from attnsolve.check.marking import requested_cells
from attnsolve.check.run import check_sheet, load_problems
from attnsolve.graph import Quantity
from attnsolve.kinds import ARGUMENTS
from attnsolve.loading.files import load_all
from attnsolve.loading.sources import bundled

WRITERS = {".yaml": as_yaml, ".csv": as_csv}
PROBLEM = "tokens: [hot, tea]\nqueries: [[1, 0], [0, 1]]\nkeys: [[1, 2], [3, 4]]\nvalues: [[1], [2]]\nscaling: none\n"


def asks_for(quantity: Quantity) -> bool:
    """Whether a sheet without parts asks for it: not for what is inside of a step."""
    return not quantity.given and "." not in quantity.key.id


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("name", [name for name in bundled() if load_all(name, check=False)[0].kind not in ARGUMENTS])
def test_every_answer_that_a_sheet_asks_for_is_read_back_as_blank(name: str, ending: str, tmp_path: Path) -> None:
    sheet = load_problems(name)
    path = tmp_path / f"answers{ending}"
    path.write_text(WRITERS[ending](sheet, path.name), encoding="utf-8")
    for checked, solution in zip(check_sheet(sheet, str(path)), sheet.solutions.values(), strict=True):
        marking = checked.marking
        asked = {cell for part in solution.problem.parts for cell in requested_cells(solution, part)}
        assert checked.faults is None
        assert {mark.verdict for mark in marking.marks.values()} == {"blank"}
        assert asked <= set(marking.answers.wanted)
        worked_out = {cell for quantity in solution.graph if asks_for(quantity) for cell in quantity.cells(0)}
        assert asked or worked_out <= set(marking.answers.wanted)


def problem_file(folder: Path, more: str = "") -> str:
    (folder / "problem.yaml").write_text(PROBLEM + more, encoding="utf-8")
    return str(folder / "problem.yaml")


def test_a_form_that_is_filled_in_is_marked(tmp_path: Path) -> None:
    sheet = load_problems(problem_file(tmp_path, "parts: {a: {find: scores}, b: {find: context, for: tea}}\n"))
    text = as_yaml(sheet, "answers.yaml")
    assert "# (a) scores, 2x2\nS:\n  - [_, _]  # hot\n  - [_, _]  # tea\n" in text
    filled = text.replace("[_, _]  # hot", "[1, 3]").replace("[_, _]  # tea", "[2, 5]")
    (tmp_path / "answers.yaml").write_text(filled, encoding="utf-8")
    (checked,) = check_sheet(sheet, str(tmp_path / "answers.yaml"))
    assert checked.marking.counts() == {"exact": 3, "wrong": 1, "blank": 1}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_spreadsheet_that_is_filled_in_is_marked(tmp_path: Path, delimiter: str) -> None:
    sheet = load_problems(problem_file(tmp_path, "parts: {a: {find: [scores, weights]}}\n"))
    rows = list(csv.reader(as_csv(sheet, "answers.csv").splitlines()))
    first = next(number for number, row in enumerate(rows) if row[0] == "S")
    rows[first][1:], rows[first + 1][1:] = ["1", "3"], ["2", ""]
    path = tmp_path / "answers.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:  # as spreadsheets save it
        csv.writer(stream, delimiter=delimiter).writerows([*row, "", ""] for row in rows)
    (checked,) = check_sheet(sheet, str(path))
    assert checked.faults is None
    assert checked.marking.counts() == {"exact": 3, "blank": 5}


def test_what_is_wrong_in_a_spreadsheet_has_its_place(tmp_path: Path) -> None:
    sheet = load_problems(problem_file(tmp_path))
    path = tmp_path / "answers.csv"
    path.write_text("S,1,x\n,2,4\nFoo,1\nQ,1,2,3\n", encoding="utf-8")
    (checked,) = check_sheet(sheet, str(path))
    places = [(fault.at.line, fault.at.column) for fault in checked.marking.answers.faults]
    assert places == [(1, 5), (3, 1), (4, 1)]


def test_several_problems_are_told_apart(tmp_path: Path) -> None:
    text = PROBLEM.replace("1, 2], [3", "5, 6], [7")
    sheet = load_problems(problem_file(tmp_path, f"---\n{text}"))
    for ending, write in WRITERS.items():
        path = tmp_path / f"answers{ending}"
        path.write_text(write(sheet, path.name), encoding="utf-8")
        found = check_sheet(sheet, str(path))
        assert [checked.number for checked in found] == [1, 2]
        assert all(checked.faults is None and len(checked.marking.marks) == 10 for checked in found)
