"""Cases as they are told, asked for, answered and exported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from shared.program import run

from attnsolve.contract.schemas import contracts
from attnsolve.document import Document, Paragraph, Section, Table, keyed, walk
from attnsolve.loading.files import parse
from attnsolve.narrate.narrated import NarratedQuantities
from attnsolve.notation.text import TextPrinter
from attnsolve.pipeline import solve
from attnsolve.solution.solved import Narration

SHEET = """\
tokens: [hot, tea]
inputs: [[1, 0], [1/2, -1]]
weights: {W_Q: [[1, 2], [0, 1]], W_K: [[1, 0], [1, 1]], W_V: [[2, 0], [0, 1]]}
compare:
  masked: {mask: causal}
  unscaled: {scaling: none}
"""
SWEEP = "kind: formulas\ngiven: {z: [2, 1, 0], T: 1}\nformulas: {p: softmax(z/T), m: max(p)}\n"
PARTS = """\
parts: {a: {find: A, of: masked, marks: 2}, b: {compare: [A, C], marks: 3}, c: {find: S}}
answers:
  A: [[0.922, 0.078], [0.63, 0.37]]
  masked: {A: [[1, 0], [0.6, 0.4]], C: [[2, 0], [1.6, -0.4]]}
  unscaled: {A: [[0.93, 0.07], [0.68, 0.32]]}
"""


def solution(text: str) -> NarratedQuantities:
    (problem,) = parse(text, "sheet.yaml")
    found = solve(problem)
    assert isinstance(found, NarratedQuantities)
    return found


def told(text: str, **narration: Any) -> list[tuple[str, tuple[tuple[str, int | str], ...]]]:
    return [(key.id, key.at) for _, key in keyed(solution(text).to_document(Narration(**narration)))]


def tables(text: str, **narration: Any) -> list[list[list[str]]]:
    def cell(inline: Any) -> str:
        return "".join(part if isinstance(part, str) else TextPrinter().print(part) for part in inline)

    blocks = walk(solution(text).to_document(Narration(**narration)).blocks)
    found = [block for block in blocks if isinstance(block, Table)]
    return [[[cell(inline) for inline in row] for row in (table.header, *table.rows)] for table in found]


def test_the_base_is_told_in_full_and_of_a_case_what_differs() -> None:
    masked, unscaled = (("case", "masked"),), (("case", "unscaled"),)
    base = [(name, ()) for name in ("queries", "keys", "values", "scores", "scaled", "weights", "context")]
    cases = [("masked", masked), ("weights", masked), ("context", masked), ("weights", unscaled), ("context", unscaled)]
    assert told(SHEET) == [*base, *cases]
    headings = [b.title[0] for b in solution(SHEET).to_document().blocks if isinstance(b, Section)]
    assert headings[-3:] == ["Case masked", "Case unscaled", "Side by side"]


def test_the_results_stand_side_by_side() -> None:
    weights, context = tables(SHEET)
    assert weights[0] == ["", "base", "masked", "unscaled"]
    assert weights[1] == ["a₁,₁", "0.9224", "1", "0.9707"]
    assert context[1] == ["c₁,₁", "1.922", "2", "1.971"]


def test_a_sweep_has_a_row_for_every_value_and_none_for_a_base_that_is_one_of_them() -> None:
    probabilities, greatest = tables(SWEEP + "compare: {T: [1/2, 1, 2]}\n")
    assert probabilities == [
        ["", "p₁", "p₂", "p₃"],
        ["T = 1/2", "0.8668", "0.1173", "0.01588"],
        ["T = 1", "0.6652", "0.2447", "0.09003"],
        ["T = 2", "0.5065", "0.3072", "0.1863"],
    ]
    assert [row[0] for row in greatest] == ["", "T = 1/2", "T = 1", "T = 2"]
    assert [row[0] for row in tables(SWEEP + "compare: {T: [1/2, 2]}\n")[1]] == ["", "base", "T = 1/2", "T = 2"]


def test_only_one_quantity_is_shown_of_all_cases_or_of_one() -> None:
    every = [("weights", ()), ("weights", (("case", "masked"),)), ("weights", (("case", "unscaled"),))]
    assert told(SHEET, only=["A"]) == every
    assert [table[0][1:] for table in tables(SHEET, only=["A"])] == [["base", "masked", "unscaled"]]
    assert told(SHEET, only=["masked: A"]) == every[1:2]
    assert told(SHEET, only=["unscaled: A.sums"]) == [("weights.sums", (("case", "unscaled"),))]
    assert told(SHEET, only=["unscaled: S"]) == [("scores", ())]


def test_parts_are_about_the_file_one_case_or_all() -> None:
    document = solution(SHEET + PARTS).to_document()
    parts = [
        [key.at for _, key in keyed_in(block)] for block in document.blocks if isinstance(block, Section) and block.part
    ]
    masked, unscaled = (("case", "masked"),), (("case", "unscaled"),)
    assert parts[0] == [(), (), (), (), masked, masked]
    assert parts[1] == [(), (), (), masked, masked, unscaled, unscaled]
    assert parts[2] == [()]


def keyed_in(section: Section) -> list[tuple[Section, Any]]:
    return keyed(Document("", "", section.blocks))


@pytest.fixture
def sheet(tmp_path: Path) -> str:
    path = tmp_path / "sheet.yaml"
    path.write_text(SHEET + PARTS, encoding="utf-8")
    return str(path)


def test_explain_traces_a_cell_of_a_case(sheet: str) -> None:
    done = run(["explain", sheet, "masked: A[1,1]"])
    assert done.code == 0
    assert "in the case masked" in done.out
    assert "S″ = S′ + M" in done.out
    assert run(["explain", sheet, "masked: Q[1,1]"]).out == run(["explain", sheet, "Q[1,1]"]).out
    assert "a row and a column, as in 'masked: weights[1,1]'" in run(["explain", sheet, "masked: A"]).err


def test_answers_of_a_case_stand_under_its_name(sheet: str) -> None:
    done = run(["check", sheet])
    assert done.code == 1
    for line in ("Attention weights A (masked)", "Context C (masked)", "The first slip: a₁,₁ (unscaled)"):
        assert line in done.out
    assert "You left S, C and C (unscaled) blank." in done.out
    assert "(a)   2 of 2" in done.out
    data = json.loads(run(["check", sheet, "--format", "json"]).out)
    verdicts = {(tuple(map(tuple, cell["at"])), cell["verdict"]) for cell in data["cells"] if cell["id"] == "weights"}
    assert ((("case", "masked"),), "exact") in verdicts
    assert ((("case", "unscaled"),), "wrong") in verdicts


def test_a_mistake_in_a_case_is_named_and_followed(tmp_path: Path) -> None:
    """Under the mask the first weights are 1 and 0, and not those that see everything."""
    path, answers = tmp_path / "sheet.yaml", tmp_path / "answers.yaml"
    path.write_text(SHEET, encoding="utf-8")
    answers.write_text("masked: {A: [[0.9224, 0.0776], [0.6296, 0.3704]], C: [[1.9224, -0.0776], [1.6296, -0.3704]]}\n")
    done = run(["check", str(path), str(answers)])
    assert "the mask was not applied" in done.out
    assert "The entries marked → in C (masked) are wrong only because" in done.out


def test_the_json_says_which_case_is_meant(sheet: str) -> None:
    data = json.loads(run(["solve", sheet, "--only", "A", "--format", "json"]).out)
    jsonschema.validate(data, contracts()["solution"])
    assert [(q["id"], q["head"], q["at"]) for q in data["quantities"]] == [
        ("weights", None, []),
        ("weights", "masked", [["case", "masked"]]),
        ("weights", "unscaled", [["case", "unscaled"]]),
    ]


@pytest.mark.parametrize("arguments", [["--solutions", "none"], []])
def test_every_export_has_the_cases(sheet: str, tmp_path: Path, arguments: list[str]) -> None:
    for name in ("out.md", "out.txt"):
        assert run(["export", sheet, str(tmp_path / name), *arguments]).code == 0
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "Case masked" in text
        assert "What differs: mask: causal." in text


def test_pictures_of_cases_have_names_of_their_own(sheet: str, tmp_path: Path) -> None:
    assert run(["export", sheet, str(tmp_path / "out.md"), "--figures"]).code == 0
    names = sorted(path.name for path in tmp_path.rglob("*.svg"))
    assert len(names) == 3
    assert any("masked" in name for name in names)


def test_a_claim_is_about_the_file_itself() -> None:
    shown = "parts: {a: {show: permutation-equivariance}}\n"
    base = SHEET.partition("compare")[0] + shown
    assert solution(SHEET + shown).to_document() == solution(base).to_document()


def test_limits_say_which_case_is_meant() -> None:
    text = "queries: [[1, 0]]\nkeys: [[1, 0], [0, 1]]\nscaling: 1/beta\nsymbols: {beta: positive}\nlimit: {beta: oo}\n"
    found = solution(text + "compare: {other: {queries: [[0, 2]]}}\n")
    assert {key.case: rows for key, rows in found.limits.items()} == {"": ((1, 0),), "other": ((0, 1),)}
    (section,) = (b for b in found.to_document().blocks if isinstance(b, Section) and b.title == ("In the limit",))
    assert [block.content for block in section.blocks if isinstance(block, Paragraph)][1:] == [("In the case other:",)]


def test_one_part_closes_with_what_was_verified_of_its_case(sheet: str) -> None:
    assert "each row of weights sums to 1" in " ".join(run(["solve", sheet, "--part", "a"]).out.split())


def test_a_name_that_only_cases_have_is_answered_with_the_case(tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text(SHEET.replace("{scaling: none}", "{mask: [[1, 1], [1, 0]]}"), encoding="utf-8")
    done = run(["explain", str(path), "mask[1,2]"])
    assert "it belongs to a case: write 'masked: mask[1,2]'" in done.err


def test_answers_of_heads_in_a_case(tmp_path: Path) -> None:
    """Under the mask the first token sees only itself; identities have the same weights in both heads but for order."""
    path = tmp_path / "sheet.yaml"
    text = "inputs: [[1, 0], [0, 1]]\nweights: identity\nheads: 2\nscaling: none\ncompare: {masked: {mask: causal}}\n"
    for answers in (
        "masked: {head 1: {A: [[1, 0], [0.5, 0.5]]}, head 2: {A: [[1, 0], [0.27, 0.73]]}}",
        "masked: {A: [[[1, 0], [0.5, 0.5]], [[1, 0], [0.27, 0.73]]]}",
        "'masked, head 1: A': [[1, 0], [0.5, 0.5]]\nA@masked.2: [[1, 0], [0.27, 0.73]]",
    ):
        answered = "\n  ".join(answers.splitlines())
        path.write_text(f"{text}answers:\n  {answered}\n", encoding="utf-8")
        done = run(["check", str(path)])
        assert (done.code, "8 entries: " in done.out, "wrong" in done.out) == (0, True, False), answers


def test_a_blank_sheet_says_what_holds_in_which_case(sheet: str, tmp_path: Path) -> None:
    assert run(["export", sheet, str(tmp_path / "out.txt"), "--solutions", "none"]).code == 0
    text = " ".join((tmp_path / "out.txt").read_text(encoding="utf-8").split())
    assert "In the case unscaled: The scores are not scaled." in text
    assert "S″ = S′ + M masked scores in the case masked, 2×2" in text
    assert "Find the attention weights A in the case masked." in text
    assert "Compare the attention weights A and the context C in every case." in text


def test_what_is_the_same_in_every_case_is_said_so() -> None:
    document = solution(SHEET + "parts: {a: {compare: [S, A]}}\n").to_document()
    beside = next(b for b in walk(document.blocks) if isinstance(b, Section) and b.title == ("Side by side",))
    assert isinstance(first := beside.blocks[0], Paragraph)
    assert first.content[1:] == (" is the same in every case.",)
    assert isinstance(beside.blocks[1], Table)


def test_what_only_cases_have_is_compared_too() -> None:
    both = SHEET.replace("{scaling: none}", "{mask: [[1, 1], [1, 0]]}")
    (table,) = tables(both + "parts: {a: {compare: masked}}\n")
    assert [row[:3] for row in table[:2]] == [["", "base", "masked"], ["s″₁,₁", "–", "0.7071"]]
    assert tables(both, only=["masked"]) == [table]
    assert tables(both, only=["masked: masked"]) == []


def test_a_result_that_only_a_case_has_stands_beside_the_others() -> None:
    (found,) = tables(SWEEP + "compare: {more: {formulas: {D: p .* 2}}}\n")
    assert found[:2] == [["", "base", "more"], ["d₁", "–", "1.330"]]
