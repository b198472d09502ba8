"""Which cells a name means: ids and symbols, typed or copied from the page."""

from __future__ import annotations

from functools import cache

import pytest

from attnsolve.graph import Graph
from attnsolve.graph.places import find_place
from attnsolve.kinds import build_graph
from attnsolve.loading.files import load_one

MASK, HEADS, SEQ = "causal-mask", "two-heads-thinking-machine", "seq2seq-multiplicative"


@cache
def graph_of(name: str) -> Graph:
    return build_graph(load_one(name))


@pytest.mark.parametrize(
    ("problem", "names", "key", "size", "first"),
    [
        (MASK, "queries|Q|q", "queries", 8, (0, 0)),
        (MASK, "q_2|q_{2}|Q_2|q₂|Q[2]|queries[2]|queries[cat]|q_cat", "queries", 2, (1, 0)),
        (MASK, "scores[3,1]|scores[ 3 , 1 ]|scores[sat,the]|s_{3,1}|s_3,1|s_{3, 1}|s₃,₁|S[3,1]", "scores", 1, (2, 0)),
        (MASK, "scaled|S'|S′|s'", "scaled", 16, (0, 0)),
        (MASK, "s'_3|s′₃|S'[3]", "scaled", 4, (2, 0)),
        (MASK, "masked|S''|S″", "masked", 16, (0, 0)),
        (MASK, "s''_{3,2}|s″₃,₂", "masked", 1, (2, 1)),
        ("discussion-10-qkv", "z_3|Z[3]|z₃|scores[x_3]", "scores", 3, (2, 0)),
        ("discussion-10-qkv", "z_{3,1}|z_3,1|z₃,₁|Z[3,1]", "scores", 1, (2, 0)),
        ("discussion-10-qkv", "a_3", "weights", 3, (2, 0)),
        (HEADS, "head 0: scores|Head 0: scores|head 0: S|S_0|S₀|S⁽⁰⁾|scores_0", "head 0: scores", 4, (0, 0)),
        (HEADS, "Q_0|Q₀|Q⁽⁰⁾|head 0: Q|head 0 : queries|queries_0", "head 0: queries", 6, (0, 0)),
        (HEADS, "Q_1|head 1: Q|head 1: Q_1", "head 1: queries", 6, (0, 0)),
        (HEADS, "head 0: q_2|q⁽⁰⁾₂|q^(0)_2|q^{(0)}_{2}|Q_0[2]|Q_0[Machine]", "head 0: queries", 3, (1, 0)),
        (HEADS, "head 1: s'_{1,2}|s′⁽¹⁾₁,₂|head 1: S'[1,2]|S'_1[1,2]", "head 1: scaled", 1, (0, 1)),
        (HEADS, "head 1: q_1|q⁽¹⁾₁", "head 1: queries", 3, (0, 0)),
        (HEADS, "Z|z|concat", "concat", 12, (0, 0)),
        (HEADS, "Z_0", "head 0: context", 6, (0, 0)),
        (SEQ, "alpha|α|weights", "weights", 3, (0, 0)),
        (SEQ, "alpha_2|α_2|α₂|alpha[2]|weights[h_2]|alpha_{2}", "weights", 1, (1, 0)),
        (SEQ, "c_t|c_{t}|cₜ|c|context", "context", 4, (0, 0)),
        (SEQ, "c_2|c_{t,2}|c_t,2|cₜ,₂|c_t[2]", "context", 1, (1, 0)),
        (SEQ, "e_3", "scores", 1, (2, 0)),
        (SEQ, "p_1|P[1]", "projected", 4, (0, 0)),
        ("column-layout", "q_2", "queries", 4, (0, 1)),
        (MASK, "QUERIES|Queries|query|query vectors", "queries", 8, (0, 0)),
        (MASK, "softmax|Softmax|attention weights|attention_weights|Attention-Weights|WEIGHTS", "weights", 16, (0, 0)),
        (MASK, "attention scores|Attention_Scores|logits", "scores", 16, (0, 0)),
        (MASK, "softmax[3,1]|attention weights[3,1]|Attention Weights[sat, the]", "weights", 1, (2, 0)),
        (HEADS, "head 1: softmax|head 1: attention weights|Head 1: Attention_Weights", "head 1: weights", 4, (0, 0)),
        (SEQ, "softmax|attention weights|Attention-Weights", "weights", 3, (0, 0)),
    ],
)
def test_a_name_means_its_cells(problem: str, names: str, key: str, size: int, first: tuple[int, int]) -> None:
    for name in names.split("|"):
        place = find_place(graph_of(problem), name)
        assert not isinstance(place, str), (name, place)
        quantity, rows = place
        cells = [cell for row in rows for cell in row]
        assert (str(quantity.key), len(cells), cells[0][1:]) == (key, size, first), name


KNOWN = "known: queries (Q), keys (K), values (V), scores (S), scaled (S'), masked (S''), weights (A), context (C)"


@pytest.mark.parametrize(
    ("problem", "name", "hint"),
    [
        (MASK, "queris", "did you mean queries?"),
        (MASK, "B", KNOWN),
        (MASK, "Z", "this problem does not use the letter Z; did you mean context?"),
        (MASK, "output", "without W_O there is no output; did you mean context?"),
        (MASK, "Gradients", "for gradients, add gradient: {of: L, to: [W_Q]} and ask for dW_Q"),
        ("self-attention-q1", "masked", "there is no mask here; did you mean scaled?"),
        (MASK, "Q[9,1]", "queries has rows 1 to 4 and columns 1 to 2"),
        (MASK, "q_9", "queries has rows 1 to 4 and columns 1 to 2"),
        (MASK, "q_{1,0}", "queries has rows 1 to 4 and columns 1 to 2"),
        (MASK, "Q[:,1]", "queries has rows 1 to 4 and columns 1 to 2"),
        (MASK, "head 0: Q", "there is no head 0: there is only one"),
        (HEADS, "scores", "it belongs to several heads: write 'head 0: scores'"),
        (HEADS, "Q", "it belongs to several heads: write 'head 0: Q'"),
        (HEADS, "scores[1,2]", "it belongs to several heads: write 'head 0: scores[1,2]'"),
        (HEADS, "head 2: scores", "there is no head 2: known: 0, 1"),
        (SEQ, "alpha_9", "weights has entries 1 to 3"),
        (SEQ, "b", "known: projected (P), scores (e), weights (alpha), context (c_t), joined (x_t)"),
    ],
)
def test_a_name_that_means_nothing_gets_a_hint(problem: str, name: str, hint: str) -> None:
    assert find_place(graph_of(problem), name) == hint
