"""A sheet without answers says all that is given and asked, and nothing that it asks for."""

from __future__ import annotations

from attnsolve.render.text import render
from attnsolve.solution import solve
from attnsolve.spec.load import parse


def blank(text: str) -> str:
    (problem,) = parse(text, "p.yaml")
    return render(solve(problem).blank(), 200)


def test_a_claim_to_be_proved_is_stated() -> None:
    text = "kind: derivation\ntopic: claim\ngiven: {S: 'matrix(n, n)', P: permutation(n)}\nclaim: "
    sheet = blank(text + "softmax(P*S*P^T) = P*softmax(S)*P^T\n")
    assert "softmax(P S Pᵀ) = P softmax(S) Pᵀ" in sheet
    chain = blank(text + "['P*S*P^T', '= P*(S*P^T)', '= (P*S)*P^T']\nparts:\n  a: {find: claim}\n")
    assert chain.count("P S Pᵀ") == 1
    assert "= P (S Pᵀ)" in chain
    for text in (sheet, chain):
        assert "Prove or refute the claim." in text
        assert "Proved" not in text
