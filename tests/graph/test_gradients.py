"""Whole problems, differentiated: attention of every shape, decoders, repeats. What comes back is held against central
differences of the same problem written as plain formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from shared.as_formulas import Attention, Sheet, decoder
from shared.drawn import encoder_decoders, problems
from shared.effort import tries
from shared.gradients import agree, assert_close, entries, solved
from shared.seq2seq import Seq2seq
from shared.sheet_reference import Reference
from shared.sheet_reference import Sheet as Worked
from shared.tape import Var
from shared.written import Problem

from attnsolve.errors import ProblemError, UnsolvableError
from attnsolve.key import Key
from attnsolve.solution.exact import Solution

UNSOLVABLE = ("divided by", "sum to 0", "neither a closed form", "length 0", "digits")


def laid(problem: Any, values: Any) -> Any:
    return np.transpose(values).tolist() if getattr(problem, "columns", False) else values


def same_as_formulas(problem: Problem | Seq2seq, sheet: Sheet, text: str) -> bool:
    """Whether it could be worked out; fails where a gradient is another one than that of the formulas."""
    end = [*sheet.formulas][-1]
    file = sheet.file(end, [])
    try:
        reference = Reference(file)
        given_floats = {name: Var(matrix.astype(float)) for name, matrix in reference.inputs.items()}
        with np.errstate(all="raise"):
            shape = Worked(reference.file, given_floats, float).named(end).shape
    except (FloatingPointError, ZeroDivisionError):
        return False
    upstream = ((np.arange(np.prod(shape)) * 5 + 3) % 11 - 4).reshape(shape).tolist()
    reference.upstream = {end: upstream}
    flat = getattr(problem, "flat", False)
    shown = upstream[0] if flat else laid(problem, upstream)
    text += f"gradient: {{upstream: {{{end}: {shown}}}}}\n"
    try:
        solution = solved(text)
    except (ProblemError, UnsolvableError) as error:
        if any(word in str(error) for word in UNSOLVABLE):
            return False
        raise
    assert isinstance(solution, Solution)
    expected = reference.precisely()
    start = getattr(problem, "numbering", 1)
    gradients = solution.graph.gradients
    assert gradients is not None
    compared = 0
    for name, (id, head) in sheet.means.items():
        own = Key(id, () if head is None else (("head", head + start),))
        if own not in gradients.keys:
            assert not np.any([abs(x) > 1e-20 for x in np.ravel(expected[name])]), (name, text)
            continue
        compared += 1
        found = entries(solution, gradients.keys[own])
        turn = getattr(problem, "columns", False) and not (flat and solution.graph[own].is_vector)
        found = found.T if turn else found
        if solution.graph[own].is_vector and found.shape != np.shape(np.atleast_2d(expected[name])):
            found = found.T  # a list, which the sheet writes upright
        assert_close(found, expected[name], (name, text))
    assert compared, text
    return True


def plain(problem: Any) -> Any:
    """Without what has to do with how it is told."""
    return replace(problem, rounding=None, notation={}, parts=(), digits=6)


@tries(60)
@given(problems())
def test_attention(problem: Problem) -> None:
    problem = plain(problem)
    sheet = Attention(problem).work()
    if sheet.formulas and (problem.valued or problem.heads == 1):
        same_as_formulas(problem, sheet, problem.yaml())


@tries(40)
@given(encoder_decoders())
def test_decoders(problem: Seq2seq) -> None:
    problem = plain(problem)
    same_as_formulas(problem, decoder(problem), problem.yaml())


REPEATS = {
    "layers": """
given: {X: [[2, 0], [1, 3]], W_V: [[[1, 0], [1/2, 1]], [[0, 1], [1, -1]]], b: [[0, 1], [1, 0]]}
repeat:
  for: {layer: 1..2}
  start: {H: X}
  each:
    N: layernorm(prev(H), eps=1/10)
    A: softmax(N*N^T/sqrt(2))
    R: prev(H) + A*N*W_V[layer]
    H: R + relu(R + b[layer])
formulas: {Y: "H@last + H@1", L: total(Y .* Y)}
gradient: {of: L, to: [X, b]}
""",
    "cache": """
given: {X: [[1, 0], [0, 1], [1, 1/2]], W_Q: [[1, 1], [0, 1]], W_K: [[1, 2], [0, 1]], W_V: [[1, 0], [1, -1]]}
repeat:
  for: {t: 1..3}
  start: {K: empty, V: empty}
  each:
    K: "stack(prev(K), X[t,:]*W_K)"
    V: "stack(prev(V), X[t,:]*W_V)"
    y: "softmax(X[t,:]*W_Q*K^T/sqrt(2))*V"
formulas: {Y: "stack(t=1..3, y@t)", L: total(Y .* Y)}
gradient: {of: L, to: [X, W_Q, W_K, W_V]}
""",
    "online softmax": """
given: {Q: [[1, 0], [0, 2]], K: [[1, 1], [0, 1], [2, 0], [1, -1]], V: [[1, 0], [0, 1], [1, 1], [2, 0]]}
repeat:
  for: {b: [1..2, 3..4]}
  start: {m: -oo, l: 0, O: 0}
  each:
    S: "Q*K[b,:]^T"
    m: "max(prev(m), rowmax(S))"
    r: exp(prev(m) - m)
    l: r .* prev(l) + rowsum(exp(S - m))
    O: "r .* prev(O) + exp(S - m)*V[b,:]"
formulas: {Y: O@last/l@last, L: total(Y .* Y)}
gradient: {of: L, to: [Q, K, V]}
""",
    "recurrence": """
given: {x: [1, 2], W: [[1, 0], [1, 1/2]], a: 1/3}
repeat: {for: {t: 1..3}, start: {h: x}, each: {h: "tanh(prev(h)*W + a)"}}
formulas: {L: "total(h@last .* h@1)"}
gradient: {of: L, to: [x, W, a]}
""",
    "experts": """
given: {X: [[1, 2], [-1, 1]], W_g: [[1, 0, -1], [0, 1, 1]], W: [[[1, 0], [0, 1]], [[2, 0], [1, 1]], [[0, 1], [1, 0]]]}
formulas:
  G: share(softmax(X*W_g) .* [1, 0, 1])
  Y: "sum(i=1..3, G[:,i] .* relu(X*W[i]))"
  L: total(Y .* Y)
gradient: {of: L, to: [X, W_g]}
""",
    "targets twice": """
vocabulary: [the, cat, sat]
given: {E: [[1, 0], [1/2, 1], [-1, 2]], W: [[1, 1/3], [0, 1]]}
formulas:
  X: lookup(E, [the, cat, the])
  P: softmax(X*W*E^T)
  L: crossentropy(P, [cat, sat, cat])
gradient: {of: L, to: [E, W]}
""",
}


@pytest.mark.parametrize("name", REPEATS)
@pytest.mark.parametrize("fused", ["", ", fused: false"])
def test_sheets_with_steps(name: str, fused: str) -> None:
    text = REPEATS[name]
    if fused:
        head, _, tail = text.rpartition("]}")
        text = f"{head}]{fused}}}{tail}"
    agree(f"kind: formulas{text}")
