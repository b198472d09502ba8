"""Shapes of formulas, against those that NumPy gives; and what newcomers' spellings are answered with."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsolve.language.expression_shapes import Shape
from attnsolve.language.functions import FUNCTIONS
from attnsolve.language.parser import parse_formula
from attnsolve.language.shapes import _RULES, ShapeScope
from attnsolve.language.tokens import LanguageError

KNOWN = ShapeScope(
    {
        "X": (3, 2), "C": (3, 2), "W": (2, 4), "W_Q": (2, 2), "Q": (3, 2), "K": (5, 2), "V": (5, 4), "S": (3, 5),
        "b": (2,), "v": (3,), "w": (3,), "c": (), "o": (1, 1), "l": (3, 1), "r": (1, 2), "E": (6, 2), "F": (2, 3, 2),
        "ids": (3,), "M": (3, 5), "prev(X)": (3, 2), "X@2": (4, 2),
    },
    {"n": 3, "h": 1, "T": 4},
    words={"the": 1, "cat": 2, "sat": 3},
)  # fmt: skip


def shape(text: str, known: ShapeScope = KNOWN) -> Shape:
    return known.of(parse_formula(text), text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X + C", (3, 2)),
        ("X + b", (3, 2)),
        ("b + X", (3, 2)),
        ("X + 1", (3, 2)),
        ("X*W", (3, 4)),
        ("Q*K^T/sqrt(2)", (3, 5)),
        ("softmax(Q*K^T)*V", (3, 4)),
        ("v*X", (2,)),
        ("X*b", (3,)),
        ("2*X", (3, 2)),
        ("o*X", (3, 2)),
        ("X/l", (3, 2)),
        ("X .* r", (3, 2)),
        ("X .^ 2", (3, 2)),
        ("l*r", (3, 2)),
        ("X[2,1]", ()),
        ("X[2,:]", (1, 2)),
        ("X[:,2]", (3, 1)),
        ("S[:,2:4]", (3, 3)),
        ("S[1:2,:]", (2, 5)),
        ("X[2]", (2,)),
        ("v[1]", ()),
        ("v[1:2]", (2,)),
        ("F[h]", (3, 2)),
        ("rowsum(X)", (3, 1)),
        ("colsum(X)", (1, 2)),
        ("rowsum(v)", ()),
        ("rowvar(X, ddof=1)", (3, 1)),
        ("total(X) + mean(X) + norm(v) + max(X)", ()),
        ("max(X, C)", (3, 2)),
        ("layernorm(X, b, b, eps=1e-5)", (3, 2)),
        ("masked(S, causal and within(2) or not first([2, 6, 3]))", (3, 5)),
        ("masked(S, M)", (3, 5)),
        ("where(M, S, 0)", (3, 5)),
        ("dot(v, w)", ()),
        ("outer(v, b)", (3, 2)),
        ("concat(X, C)", (3, 4)),
        ("stack(X, r, b)", (5, 2)),
        ("lookup(E, [the, cat])", (2, 2)),
        ("rows(E, ids)", (3, 2)),
        ("onehot(ids, 6)", (3, 6)),
        ("diag(v)", (3, 3)),
        ("flat(X)", (6,)),
        ("identity(n)", (3, 3)),
        ("ones(n)", (3,)),
        ("zeros(n, 2)", (3, 2)),
        ("sinusoidal(n, 4)", (3, 4)),
        ("alibi(n, 1/2)", (3, 3)),
        ("nll(S, ids)", (3,)),
        ("argmax(S, by=columns)", (5,)),
        ("crossentropy(S, ids)", ()),
        ("topk(S, 2)", (3, 5)),
        ("sum(i=1..3, X[i])", (2,)),
        ("sum(i=1..3, i!=2, X[i,1])", ()),
        ("concat(i=1..2, F[i])", (3, 4)),
        ("stack(i=1..3, X[i])", (3, 2)),
        ("list(i=1..n, X[i,1])", (3,)),
        ("table(i=1..n, j=1..2, X[i,j])", (3, 2)),
        ("[[1, 2, 3], [4, 5, 6]]", (2, 3)),
        ("T*X^T", (2, 3)),
        ("prev(X)", (3, 2)),
        ("X@2*W", (4, 4)),
        ("rotate(X, [0°, 30°])", (3, 2)),
        ("v[cat]", ()),
        ("X[sat,1]", ()),
        ("X[the]", (2,)),
        ("X > 0", (3, 2)),
        ("X + 1 <= rowmax(X)", (3, 2)),
        ("where(v >= 1 .* w, v, 0)", (3,)),
        ("min(X, C) + min(v)", (3, 2)),
    ],
)
def test_a_formula_has_one_shape(text: str, expected: Shape) -> None:
    assert shape(text) == expected


def test_a_list_goes_with_every_column_in_layout_columns() -> None:
    columns = ShapeScope(KNOWN.shapes, KNOWN.sizes, layout="columns")
    assert shape("X + v", columns) == (3, 2)
    with pytest.raises(LanguageError, match="can't be added"):
        shape("X + b", columns)


@pytest.mark.parametrize(("vectors", "expected"), [("columns", (1, 3)), ("rows", (3, 1))])
def test_a_plain_list_is_transposed_only_where_its_orientation_is_said(vectors: str, expected: Shape) -> None:
    assert shape("v^T", ShapeScope(KNOWN.shapes, KNOWN.sizes, vectors=vectors)) == expected
    with pytest.raises(LanguageError, match="no orientation"):
        shape("v^T")


@pytest.mark.parametrize(
    ("text", "said", "fix"),
    [
        ("QK^T", "there is no 'QK'", "write Q*K^T"),
        ("X@W", "write products with *", "write X*W"),
        ("X*W^Q", "is a power", "write X*W_Q"),
        ("X^2", "^ raises numbers only", "X .^ 2 or X*X?"),
        ("v*w", "their product is ambiguous", "dot(v, w), outer(v, w) or v .* w?"),
        ("E(X + C)", "a name before ( is a function", "write E*(X + C)"),
        ("X*C", "2 and 3 should be the same", "is a transpose missing? it is written ^T"),
        ("X + S", "X is 3×2 but S is 3×5", ""),
        ("X[4,1]", "asks for entry 4, which is not between 1 and 3", ""),
        ("sofmax(X)", "there is no function 'sofmax'", "did you mean softmax?"),
        ("softmax(X, bas=2)", "softmax has no option 'bas'", "did you mean base?"),
        ("dot(v)", "dot can't have 1 argument", "write dot(v, w)"),
        ("sum(X)", "sum needs an index and its range", "write total(X), or sum(i=1..n, x[i])"),
        ("v[dog]", "there is no 'dog'", "known: the, cat, sat, n, h, T"),
        ("r[2]", "asks for entry 2", "r is 1×2: write r[1,2]"),
        ("r[1]*b", "their product is ambiguous", "r is 1×2: write r[1,1]"),
        ("l[4]", "asks for entry 4", "l is 3×1: write l[4,1]"),
        ("X < S", "X is 3×2 but S is 3×5: they can't be compared", ""),
        ("F*X", "a family has no product", "name a member, as in W_Q[h]"),
    ],
)
def test_what_has_no_shape_is_answered_with_the_likeliest_fix(text: str, said: str, fix: str) -> None:
    with pytest.raises(LanguageError) as refused:
        shape(text)
    assert said in str(refused.value)
    assert refused.value.fix == fix


def test_every_function_has_a_rule() -> None:
    over = {"summed", "gathered"}
    assert {line.shape for line in FUNCTIONS.values()} == _RULES.keys() | over


# ── against NumPy ────────────────────────────────────────────────────────────────────────────────

SIDES = st.sampled_from([1, 2, 3])
ARRAYS = st.one_of(st.just(()), st.tuples(SIDES, SIDES))
SIGNS = {"+": np.add, "-": np.subtract, ".*": np.multiply, "./": np.divide, "*": np.matmul}


def as_number(found: tuple[int, ...]) -> tuple[int, ...]:
    """1×1 counts as a number."""
    return () if found == (1, 1) else found


@given(ARRAYS, ARRAYS, st.sampled_from([*SIGNS]))
@settings(max_examples=300, deadline=None)
def test_operators_give_the_shapes_of_numpy(left: Shape, right: Shape, sign: str) -> None:
    a, b = np.ones(left), np.ones(right)
    number = as_number(left) == () or as_number(right) == ()
    function = np.multiply if sign == "*" and number else SIGNS[sign]
    try:
        expected: Shape | None = function(a, b).shape
    except ValueError:
        expected = None
    try:
        found: Shape | None = shape(f"a {sign} b", ShapeScope({"a": left, "b": right}))
    except LanguageError:
        found = None
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert as_number(found) == as_number(expected)


@given(st.tuples(SIDES, SIDES), st.data())
@settings(max_examples=200, deadline=None)
def test_slices_give_the_shapes_of_numpy(sides: tuple[int, int], data: st.DataObject) -> None:
    array, texts, taken = np.ones(sides), [], []
    for side in sides:
        first = data.draw(st.integers(1, side))
        last = data.draw(st.integers(first, side))
        text, one = data.draw(st.sampled_from([(f"{first}:{last}", slice(first - 1, last)), (":", slice(None)),
                                               (f"{first}", slice(first - 1, first))]))  # fmt: skip
        texts.append(text)
        taken.append(one)
    found = shape(f"A[{','.join(texts)}]", ShapeScope({"A": sides}))
    entry = all(":" not in text for text in texts)
    assert found == (() if entry else array[tuple(taken)].shape)
