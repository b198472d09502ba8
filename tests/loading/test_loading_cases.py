"""A problem with cases as several problems: what is merged, and what is said where that can't be."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
import yaml

from attnsolve import problem as from_python
from attnsolve.bounds import changed
from attnsolve.contract.problem_schema import schema
from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve

SHEET = """\
tokens: [hot, tea]
inputs: [[1, 0], [1/2, -1]]
weights: {W_Q: [[1, 2], [0, 1]], W_K: [[1, 0], [1, 1]], W_V: [[2, 0], [0, 1]]}
"""
SWEEP = "kind: formulas\ngiven: {z: [2, 1, 0], T: 1}\nformulas: {p: softmax(z/T)}\n"
MASKED = "compare: {masked: {mask: causal}}\n"


def faults(text: str) -> list[str]:
    with pytest.raises(ProblemError) as caught:
        parse(text, "sheet.yaml")
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("text", "message", "fix"),
    [
        (SHEET + "compare: {a: {mask: casual}}", "4:21: in the case a: mask must be causal", "did you mean causal?"),
        (SHEET + "compare: {a: {maks: causal}}", "4:15: in the case a: unknown key 'maks'", "did you mean mask?"),
        (SHEET + "compare: {a: {scaling: sqrt_dk}}", "4:11: the case a changes nothing", "leave it out"),
        (SHEET + "compare: {a: {mask: null}}", "4:15: the case a takes mask away, which is not there", "known"),
        (SHEET + "compare: {a: {weigths: null}}", "4:15: the case a takes weigths away", "did you mean weights?"),
        (SHEET + "compare: {base: {mask: causal}}", "4:11: base is the file itself", "give the case another name"),
        (SHEET + "compare: {'a: b': {mask: causal}}", "4:11: 'a: b' can't be the name of a case", "write words"),
        (SHEET + "compare: {a: causal}", "4:14: the case a must be a mapping of what differs", "give the case"),
        (SHEET + "compare: {scaling: [1, 2]}", "4:11: compare lists values for scaling", "add scaling: 1, or given:"),
        (SHEET + "compare: {a: {}}", "4:14: the case a must be a mapping of what differs", None),
        (SHEET + "compare: {}", "4:10: compare must be a mapping such as", None),
        (SHEET + "compare: [a]", "4:10: compare must be a mapping such as", None),
        (SHEET + "compare: {a: {title: x}}", "4:15: the case a can't change title", "leave it out"),
        (SHEET + "compare: {a: {weights: {W_V: null}}}", "3:10: in the case a: weights has no W_V", "add W_V"),
        (SWEEP + "compare: {t: [1, 2]}", "4:11: compare lists values for t, which is not a given number", "did you"),
        (SWEEP + "compare: {z: [1, 2]}", "4:11: compare lists values for z, which is given as a list", "known: T"),
        (SWEEP + "compare: {T: [1, x]}", "4:18: in the case T = x: in T: 'x' is not a number", "a letter must be"),
        (SWEEP + "compare: {T: [2, 2]}", "4:18: compare has the case 'T = 2' twice", "leave one of the two out"),
        (SWEEP + "compare: {T: [[1]]}", "4:15: a value of T must be a number, but a list was found", None),
        (SWEEP + "compare: {a: {given: {U: 3}}}", "4:26: in the case a: U is given but never used", "leave it out"),
        (SWEEP + "compare: {a: {formulas: {p: z*U}}}", "4:31: in the case a: in p: there is no 'U'", "known"),
        (SHEET + MASKED + "parts: {a: {find: A, of: maskd}}", "5:26: part a is about 'maskd'", "did you mean masked?"),
        (SHEET + MASKED + "parts: {a: {find: A, compare: A}}", "5:9: part a has both find and compare", "split it"),
        (SHEET + MASKED + "parts: {a: {compare: A, of: masked}}", "5:29: part a has both of and compare", "leave one"),
        (SHEET + MASKED + "parts: {a: {compare: Z}}", "5:22: part a asks for 'Z'", "known"),
        (SHEET + "parts: {a: {compare: A}}", "4:13: part a compares cases, but there are none", "add compare:"),
        (SHEET + "parts: {a: {find: A, of: x}}", "4:26: part a is about 'x', which is not a case", "add compare:"),
        (SHEET.replace("tokens", "tokns") + MASKED, "1:1: unknown key 'tokns'", "did you mean tokens?"),
        (
            "kind: derivation\ntopic: softmax-is-a-distribution\n" + MASKED,
            "3:1: unknown key 'compare'",
            "it belongs to",
        ),
    ],
)
def test_what_is_wrong_is_one_message_with_its_place(text: str, message: str, fix: str | None) -> None:
    found = faults(text)
    assert found[0].startswith(f"sheet.yaml:{message}")
    assert len(found) == (1 if fix is None else 2)
    assert fix is None or found[1].strip().startswith(fix)


def test_there_are_so_many_cases_and_no_more() -> None:
    values = ", ".join(map(str, range(1, 18)))
    assert faults(f"{SWEEP}compare: {{T: [{values}]}}") == [
        "sheet.yaml:4:10: compare has 17 cases, but at most 16 are allowed",
        "    --bound cases=17 raises it",
    ]
    with changed(cases=17):
        assert len(parse(f"{SWEEP}compare: {{T: [{values}]}}", "sheet.yaml")[0].cases) == 17
    with changed(nodes=60):
        assert "with its cases it comes to more than 60 values" in faults(f"{SWEEP}compare: {{T: [1, 2, 3, 4]}}")[0]


def test_all_cases_together_are_held_to_the_bound_on_work() -> None:
    with changed(work=2_500):
        parse(SWEEP, "sheet.yaml")
        assert "exact multiplications, but 2,500 are allowed" in faults(f"{SWEEP}compare: {{T: [2, 3, 4, 5, 6]}}")[0]


def test_what_only_a_case_needs_is_no_fault_and_what_nothing_needs_is() -> None:
    text = SWEEP.replace("T: 1", "T: 1, B: [1, 0, 0]")
    shifted = "compare: {shifted: {formulas: {p: softmax(z/T + B)}}}\n"
    (problem,) = parse(text + shifted, "sheet.yaml")
    solution: Any = solve(problem)
    assert solution["p"].decimal != solution["p", "shifted"].decimal
    assert faults(text + "compare: {T: [2]}\n") == [
        "sheet.yaml:2:32: B is given but never used",
        "    leave it out, or use it in a formula",
    ]


def test_letters_stand_for_ids_in_what_differs() -> None:
    (problem,) = parse(SHEET + "compare: {other: {X: [[1, 1], [0, 1]], Wv: identity}}", "sheet.yaml")
    solution: Any = solve(problem)
    assert solution["inputs", "other"].exact_text == solution["values", "other"].exact_text == [["1", "1"], ["0", "1"]]


def test_a_symbol_may_be_used_in_a_case_only() -> None:
    (problem,) = parse(SWEEP + "symbols: {beta: positive}\ncompare: {warm: {given: {T: 1/beta}}}\n", "sheet.yaml")
    solution: Any = solve(problem)
    assert solution["p", "warm"].decimal is None
    assert solution["p"].decimal == ["0.6652", "0.2447", "0.09003"]


def test_cases_of_shared_entries() -> None:
    text = "shared: {kind: formulas, given: {z: [2, 0], T: 1, U: 3}, formulas: {p: softmax(z/T)}}\n---\ntitle: One\n"
    text += "compare: {T: [1, 2], other: {formulas: {p: softmax(z/U)}}}\n---\ntitle: Two\n"
    one, two = parse(text, "sheet.yaml")
    assert [case.name for case in one.cases] == ["T = 1", "T = 2", "other"]
    assert not two.cases
    assert "U is shared, but no problem uses it" in faults(text.replace("z/U", "z .* 2"))[0]


def test_cases_from_python() -> None:
    given = {"queries": [[1, 0]], "keys": [[1, 0], [0, 1]], "scaling": "none"}
    solution: Any = solve(from_python({**given, "compare": {"other": {"queries": [[0, 2]]}}}))
    assert solution["scores", "other"].exact_text == [["0", "2"]]
    with pytest.raises(ProblemError, match="problem: the case same changes nothing"):
        from_python({**given, "compare": {"same": {"scaling": "none"}}})


def test_the_schema_takes_cases() -> None:
    valid = jsonschema.Draft202012Validator(schema()).is_valid
    sheet = yaml.safe_load(SHEET)
    parts = {"a": {"find": "weights", "of": "masked"}, "b": {"compare": ["weights", "context"]}}
    assert valid({**sheet, "compare": {"masked": {"mask": "causal"}}, "parts": parts})
    assert valid({**yaml.safe_load(SWEEP), "compare": {"T": ["1/5", 1, 2]}})
    assert not valid({**sheet, "compare": {"masked": "causal"}})
    assert not valid({**sheet, "compare": {}})
    assert not valid({"kind": "random-keys", "compare": {"T": [1]}})
