"""What had to be interpreted in an answer is said in the report, in every format."""

from __future__ import annotations

from collections.abc import Callable

import jsonschema
import pytest

from attnsolve.check.diagnose import diagnose
from attnsolve.check.marking import Marking
from attnsolve.check.report import report
from attnsolve.check.run import Checked, as_data
from attnsolve.contract.schemas import contracts
from attnsolve.render.github import traps
from attnsolve.render.markdown import render as render_markdown
from attnsolve.render.text import render as render_text

P = "scaling: none\ninputs: [[1], [2]]\nweights: identity\n"
EULER = "2e+1 was read as 20; write 2*e + 1 if e is Euler's number"
Marked = Callable[..., Marking]


@pytest.mark.parametrize(
    ("answers", "note"),
    [
        ("S: [[1, 2e+1], [2, 4]]", EULER),
        ("S: [['1,0', 2], [2, 4]]", "1,0 was read as 1.0"),
        ("A: [[26.9%, 0.731], [0.119, 0.881]]", "26.9% was read as 0.269"),
    ],
)
def test_a_note_stands_in_text_markdown_and_json(answers: str, note: str, marked: Marked) -> None:
    marking = marked(P, answers)
    document = report(marking, diagnose(marking))
    assert f": {note}." in " ".join(render_text(document, 120).split())
    page = render_markdown(document)
    assert f": {note.replace('*', chr(92) + '*')}." in page
    assert traps(page) == []
    data = as_data(Checked(marking, ()))
    jsonschema.validate(data, contracts()["check"])
    assert [cell["note"] for cell in data["cells"] if "note" in cell] == [note]


def test_a_sheet_without_anything_to_interpret_has_no_notes(marked: Marked) -> None:
    marking = marked(P, "S: [[1, 2], [2, 4.0]]\nA: [[1/(1+e), e/(e+1)], [0.119, 8.81e-1]]")
    assert "read as" not in render_text(report(marking, ()), 120)
    assert not any("note" in cell for cell in as_data(Checked(marking, ()))["cells"])


def test_many_notes_are_counted(marked: Marked) -> None:
    marking = marked(P, "A: [[27%, 73%], [12%, 88%]]\nS: [[1, 2], [2, x]]")
    text = render_text(report(marking, ()), 120)
    assert text.count(" was read as ") == 3
    assert "1 more entry like these." in text
    assert "? ○" in text
