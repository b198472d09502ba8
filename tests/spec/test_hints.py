"""What people try to write has one answer, which says what to write instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.errors import Fault, ProblemError
from attnsolve.pipeline import solve
from attnsolve.spec.problem import Problem

X = "inputs: [[1, 2], [3, 4]]\nweights: identity\n"
CLAIM = "kind: derivation\ntopic: claim\n"
V = CLAIM + "given: {x: vector(n)}\n"

HINTS = {
    "masked: true": (X + "masked: true\n", "unknown key 'masked'", "write mask: causal"),
    "position": (X + "position: [[1, 2]]\n", "unknown key 'position'", "write positions: sinusoidal"),
    "find at the top": (X + "find: scores\n", "unknown key 'find'", "write parts: {a: {find: weights}}"),
    "parts as a list": (X + "parts: [scores]\n", "a list was found", "parts: {a: scores, b: weights}"),
    "scaling: yes": (X + "scaling: yes\n", "but 'yes' was found", "did you mean sqrt_dk?"),
    "scaling: True": (X + "scaling: True\n", "but 'True' was found", "did you mean sqrt_dk?"),
    "scaling: no": (X + "scaling: no\n", "but 'no' was found", "did you mean none?"),
    "scaling: None": (X + "scaling: None\n", "but 'None' was found", "did you mean none?"),
    "no comma": ("inputs: [[1 2]]\nweights: identity\n", "'1 2' is not a number", "put a comma between two numbers"),
    "two points": ("X: [[1.0.0]]\nweights: identity\n", "'1.0.0'", "a number has at most one decimal point"),
    "c: real": (
        CLAIM + "given: {x: vector(n), c: real}\nclaim: softmax(x + c*ones(n)) = softmax(x)\n",
        "in c: 'real' is not declared", "did you mean number?",
    ),
    "max": (
        V + "claim: softmax(x - max(x)) = softmax(x)\n", "there is no function 'max'",
        "declare a number for it under given:, as in {m: number}, and write m*ones(n)",
    ),
    "matrix(n, n) in flow style": (
        CLAIM + "given: {A: matrix(n, n), B: matrix(n, n)}\nclaim: A = B\n",
        "a comma between brackets ends an entry here",
        "put quotes around it: A: \"matrix(n, n)\"",
    ),
    "sum without an index": (
        V + "claim: sum(softmax(x)) = 1\n", "sum needs an index and its range", "write sum(i=1..n, x[i])",
    ),
    ">": (V + "claim: exp(x) > 0\n", "'>' has no meaning", "write <= or >="),
    "==": (V + "claim: x == x\n", "'==' has no meaning", "write ="),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said", "fix"), HINTS.values(), ids=HINTS)
def test_what_people_try_has_one_answer(text: str, said: str, fix: str, fault: Callable[[str], Fault]) -> None:
    found = fault(text)
    assert (said in found.message, fix in found.fix) == (True, True), str(found)


@pytest.mark.parametrize(("sign", "written"), [("+", "c*ones(n)"), ("-", "c*ones(n)")])
def test_a_number_is_added_to_every_entry_by_ones(sign: str, written: str, problem: Callable[[str], Problem]) -> None:
    given = CLAIM + "given: {x: vector(n), c: number}\n"
    with pytest.raises(ProblemError, match=r"c\*ones\(n\)"):
        solve(problem(given + f"claim: softmax(x {sign} c) = softmax(x)\n")).to_document()
    assert solve(problem(given + f"claim: softmax(x {sign} {written}) = softmax(x)\n")).to_document()


def test_probabilities_are_the_weights(problem: Callable[[str], Problem]) -> None:
    (part,) = problem(X + "parts: {a: {find: probabilities}}\n").parts
    assert part.find == ("weights",)
