"""Newcomers' spellings: read as meant, or answered with what to write, which then is a formula."""

from __future__ import annotations

import re

import pytest

from attnsolve.language.parser import parse_formula
from attnsolve.language.shapes import ShapeScope
from attnsolve.language.syntax import written
from attnsolve.language.tokens import LanguageError

KNOWN = ShapeScope({"A": (2, 2), "B": (2, 2), "x": (2,), "v": (2,), "W_Q": (2, 2), "d_k": ()}, {"i": 1})


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("A ⊙ B", "A .* B"),
        ("A ∘ B", "A .* B"),
        ("A.T*B", "A^T*B"),
        ("A^{T}", "A^T"),
        ("A^⊤", "A^T"),
        ("A⊤", "A^T"),
        ("Aᵀ", "A^T"),
        (r"A^\top", "A^T"),
        ("σ(A)", "sigmoid(A)"),
        ("ReLU(A)", "relu(A)"),
        ("LayerNorm(A)", "layernorm(A)"),
        ("layer_norm(A)", "layernorm(A)"),
        ("Softmax(A)", "softmax(A)"),
        ("swish(A)", "silu(A)"),
        ("gelu_tanh(A)", "gelu_tanh(A)"),
    ],
)
def test_is_read_as_meant(text: str, meant: str) -> None:
    assert written(parse_formula(text)) == meant
    assert KNOWN.of(parse_formula(text), text) == (2, 2)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("softmax(A B)", "write softmax(A*B)"),
        ("A B", "write A*B"),
        ("2 A", "write 2*A"),
        ("sqrt d_k", "write sqrt(d_k)"),
        ("A/sqrt d_k", "write A/sqrt(d_k)"),
        ("softmax(exp A)", "write softmax(exp(A))"),
        ("sin 30° + 1", "write sin(30°) + 1"),
        ("ReLU A", "write relu(A)"),
        ("x_1", "write x[1]"),
        ("x₁ + v", "write x[1] + v"),
        ("x_i", "write x[i]"),
        ("A₁₂", "write A[1,2]"),
        ("np.exp(A)", "write exp(A)"),
        ("A + torch.softmax(B)", "write A + softmax(B)"),
        ("nn.functional.relu(A)", "write relu(A)"),
        ("A.exp()", "write exp(A)"),
        ("A.sum()", "write total(A)"),
        ("A ** 2 + B", "write A .^ 2 + B"),
        ("softmax(A, dim=1)", "write softmax(A, by=rows)"),
        ("softmax(A, dim=-1)", "write softmax(A, by=rows)"),
        ("softmax(A, axis=0)", "write softmax(A, by=columns)"),
        ("A - mean(A, axis=1)", "write A - rowmean(A)"),
        ("sum(A, axis=0)", "write colsum(A)"),
        ("var(A, dim=-1)", "write rowvar(A)"),
        ("relu(A, dim=1)", "write relu(A)"),
        ("sum(x)", "write total(x), or sum(i=1..n, x[i])"),
        ("e^A", "write exp(A)"),
        ("1 + e^(A*B)", "write 1 + exp(A*B)"),
        ("d_k^x", "write d_k .^ x"),
        ("concat(A; B)", "write concat(A, B)"),
        ("[A; B]", "write stack(A, B)"),
        ("x/||x||", "write x/norm(x)"),
        ("‖x‖", "write norm(x)"),
        ("|x|", "write abs(x)"),
        ("A*W^Q", "write A*W_Q"),
        ("log_softmax(x)", "write ln(softmax(x))"),
        ("A/std(A)", "write A/sqrt(rowvar(A))"),
        ("matmul(A, B)", "write A*B"),
        ("log2(x)", "write ln(x)/ln(2)"),
        ("cos_sim(x, v)", "write dot(x, v)/(norm(x)*norm(v))"),
        ("x^T*v", "write dot(x, v), or say vectors: rows or vectors: columns"),
        ("x*v^T", "write outer(x, v), or say vectors: rows or vectors: columns"),
        ("A . B", "write A*B"),
        ("A'", "a transpose is written A^T"),
        ("A[0,1]", "rows, columns and entries are counted from 1"),
        ("A[-1]", "rows, columns and entries are counted from 1"),
        ("A[0:1,:]", "rows, columns and entries are counted from 1, both ends included"),
        ("A[1..2,:]", "write : for a range, as in A[1:2,:]"),
        ("A[3,1]", ""),
    ],
)
def test_is_answered_with_what_to_write(text: str, fix: str) -> None:
    with pytest.raises(LanguageError) as refused:
        KNOWN.of(parse_formula(text), text)
    assert refused.value.fix == fix
    if formula := re.fullmatch("write (.+?)(, or .*)?", fix):
        assert ":" in fix or KNOWN.of(parse_formula(formula[1]), formula[1]) is not None


def test_what_no_fix_is_known_for_is_not_guessed_at() -> None:
    for text in ("A $ B", "(A + B", "A and", "frobnicate(A)", "A.shape"):
        with pytest.raises(LanguageError) as refused:
            KNOWN.of(parse_formula(text), text)
        assert not refused.value.fix.startswith("write")
