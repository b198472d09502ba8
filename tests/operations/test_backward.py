"""Every function of the language, differentiated: against central differences in fifty digits and float64 reverse mode,
which have no rule in common with it; in both layouts, of matrices, lists and numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest
from shared.gradients import agree
from shared.sheet_reference import Reference, Sheet
from shared.tape import Var

GIVEN = {
    "X": "[[1/2, -1, 2], [3/4, 1/3, -2/3]]",
    "W": "[[1, -2], [1/2, 3], [-1/3, 1]]",
    "S": "[[2, 1/2, -1], [1/3, -1/2, 1], [1, 3/2, -3/4]]",
    "Z": "[[1/2, -1, 2, 1], [3/4, 1/3, -2/3, 2], [1, -1/2, 1/5, 3]]",
    "D": "[[2, 3, 5/2], [1, 4, 3/2]]",
    "M": "[[1, 0, 1], [0, 0, 0], [1, 1, 1]]",
    "B": "[[0, -1/2, -inf], [1, 0, 2], [-inf, 1/3, 0]]",
    "E": "[[1, 2], [-1, 1/2], [1/3, 3], [2, -2]]",
    "F": "[[[1, 2], [0, 1]], [[3, -1], [1/2, 1]]]",
    "v": "[1/2, -2, 3]",
    "w": "[2, 1/3, -1]",
    "u": "[3/2, 1/4]",
    "p": "[1/2, 1/3, 1/6]",
    "g": "[2, -1, 1/2]",
    "b": "[1, 1/2, -3]",
    "h": "[2, -1/3]",
    "c": "[1, 1/2]",
    "r": "[[3/2], [-1/2]]",
    "q": "[[1, 2/3, 5/4]]",
    "a": "3/2",
    "t": "-2/3",
}
CONSTANT = {"M", "B", "F"}
"""What gradients are not asked for."""
ENTRIES = [
    "exp({x})", "ln({x}*{x}^T + 3)", "ln({x} .* {x} + 2)", "sqrt({x} .* {x} + 1)", "sin({x})", "cos({x})", "tanh({x})",
    "abs({x})", "sigmoid({x})", "relu({x})", "gelu({x})", "gelu_tanh({x})", "silu({x})", "{x} .^ 2", "{x} .^ 3",
    "{x} .^ (-2)", "({x} .* {x} + 1) .^ 0.5", "({x} .* {x} + 1) .^ 0.3", "2 .^ {x}", "1/{x}", "{x}/3", "-{x}", "3*{x}",
    "{x} - 2*{x} .* {x}", "max({x}, 1/4)", "min({x}, 1/4)", "max({x}, 2*{x})", "min(1/4, -{x})",
    "where({x} > 0, {x} .* {x}, 2*{x})", "where({x} > 0 and {x} < 1, {x}, 7)", "({x} > 0) .* {x}",
    "tanh(exp({x}/2) + sin({x}))", "relu(1 - {x}) .* sigmoid({x})", "({x} .* {x} + 1) .^ ({x}/2)",
]  # fmt: skip
REDUCTIONS = [
    "total({x})", "mean({x})", "max({x})", "min({x})", "norm({x})", "flat({x})",
    *(f"{along}{name}({{x}})" for along in ("row", "col") for name in ("sum", "mean", "max", "norm", "var")),
    "rowvar({x}, ddof=1)", "total({x} .* {x})", "norm({x} .* {x})^2", "{x}/norm({x})", "{x} - mean({x})",
]  # fmt: skip
PER_TOKEN = [
    "softmax({x}{by})", "softmax({x}, base=2{by})", "softmax({x}, base=sqrt(3){by})", "share({x} .* {x}{by})",
    "layernorm({x}{by})", "layernorm({x}, eps=1/3{by})", "rmsnorm({x}{by})", "rmsnorm({x}, eps=1/5{by})",
    "cumsum({x}{by})", "layernorm({x}, 2, 1{by})", "layernorm({x}, a, t{by})", "rmsnorm({x}, a{by})",
    "softmax(2*layernorm({x}{by}){by})",
]  # fmt: skip
MATRICES = [
    "X", "X^T", "(X)", "X[:,:]", "X*W", "S*S", "S*S^T*S", "(X*W)^T", "2*X*W/3",
    "X*v", "v*S", "a*X", "X*a", "t*(X*W)", "X*X^T", "X^T*X", "dot(v, w)",
    "outer(v, w)", "outer(u, v)", "dot(v, v)", "outer(v, v)", "v .* w", "v/w", "v*S .* w", "diag(v)", "diag(S)",
    "diag(v)*S", "diag(S*S)", "flat(X*W)", "a*t", "a/t", "a^3", "a .^ t", "X/a", "a/X", "X + a", "a - X", "X .* D",
    "X/D", "D .^ X", "X + D + X", "r .* X", "X/q", "r + q", "r .* q", "X/rowsum(D)", "X - colmean(X)", "X/r - q",
    "identity(3) + S", "S .* causal(3)", "ones(2, 3) .* X", "zeros(2, 3) .* X",
    "X[1,2]", "X[2,:]", "X[:,2]", "X[:,1:2]", "X[1:1,2:3]*W[2:3,:]", "X[2]", "v[3]", "v[1:2]", "v[1]*X/v[3]",
    "S[1,:] .* S[2,:]", "S[:,1]*S[2,:]", "X[2] .* X[1]", "lookup(E, [2, 1, 2])", "lookup(E, [4, 4])", "lookup(E, 3)",
    "rows(E, [1, 3])*X", "onehot([2, 1], 3)*W", "lookup(E, [2, 2])*lookup(E, [2, 3])^T",
    "concat(X, D)", "concat(v, w)", "concat(X, D, X)", "stack(X, D)", "stack(v, w)", "stack(a, t)", "concat(a, v)",
    "stack(X, v)", "concat(X, r)", "concat(X[:,1:1], X[:,2:3])", "concat(X[:,2:3], X[:,1:1])", "max(X, D - 1)",
    "max(r, X)", "min(q, X)", "max(a, X)", "where(X > 0, D, X)", "where(X > 0, a, X)", "where(X > D, r, q)",
    "where(causal, S, 7)", "where(within(2), S .* S, -S)", "exp(masked(S, causal))", "softmax(masked(S, causal))",
    "softmax(masked(S, M))", "softmax(masked(S, B))", "softmax(masked(S, first([1, 3, 2])))",
    "softmax(masked(S, causal and within(2)))", "softmax(masked(S, S > 0))", "softmax(masked(S, not first(2)))",
    "share(masked(S .* S, causal))", "softmax(masked(S, M), base=2)", "softmax(masked(S, causal))*S",
    "rowmax(S*S)", "layernorm(X*W*X)",
    "[a, t, a*t]", "[dot(v, w), v[1]]", "nll(softmax(S), [2, 1, 3])", "nll(softmax(S, base=2), [2, 1, 3])",
    "crossentropy(softmax(S), [2, 2, 3])", "crossentropy(softmax(v), 2)", "nll(softmax(v), 2)", "nll(p, 3)",
    "nll(share(S .* S), [2, 1, 3])", "crossentropy(softmax(S*S), [1, 1, 1])", "nll(sigmoid(S), [1, 2, 3])",
    "crossentropy(softmax(masked(S, causal)), [1, 1, 3])", "2*crossentropy(softmax(2*S), [3, 1, 2])^2",
    "rope(Z)", "rope(Z, base=10, start=2)", "rope(Z, pairs=halves)", "rotate(Z, 30°)", "rope([v[1], v[2]])",
    "softmax(rope(Z)*rope(Z)^T)", "sinusoidal(2, 3)^T*X*D^T", "alibi(3, 1/2) + S", "alibi(3, 1/2) .* S",
    "sum(i=1..3, v[i]^2)", "sum(i=1..2, S[i,:]*S[:,i])", "max(i=1..3, v[i]^2)", "max(i=1..2, S[i,:])",
    "list(i=1..3, v[i]^2*w[i])", "table(i=1..2, j=1..3, u[i]*v[j]^2)", "stack(i=1..2, S[i,:]*2)",
    "concat(i=1..2, S[:,i:i]/i)", "sum(i=1..3, j=1..2, v[i]*u[j])", "sum(i=1..3, i!=2, v[i]^i)", "X[:,2:3]*F[1]",
    "concat(k=1..2, X[:,1:2]*F[k])", "sum(k=1..2, X[:,1:2]*F[k]*u[k])", "softmax(X*W)*softmax(W)^T",
    "rowsum(S)*rowsum(S)^T", "colsum(S)*S", "total(S)*S", "norm(v)*v", "v/norm(v)", "dot(v, w)/(norm(v)*norm(w))",
    "mean(S .* S)*rowmean(S)", "S*v + v*S", "cumsum(v)", "softmax(v)", "softmax(v, base=2) .* w", "layernorm(v, g, b)",
    "rmsnorm(v, g, eps=1)", "softmax(v*S/sqrt(2))*S", "relu(X*W + c)*W^T", "X*W + u", "relu(S + a) .* S",
]  # fmt: skip
BY_FEATURE = ["layernorm({x}, {g}, {b})", "layernorm({x}, {g}, {b}, eps=1/3)", "rmsnorm({x}, {g})", "{x} + {g}"]
LAYOUTS = ["", "layout: columns\n"]


def sheet(formula: str, more: str = "") -> str:
    """The formula as Y, what it reads, and a stated gradient of Y with other numbers in every entry."""
    read = [name for name in GIVEN if re.search(rf"(?<![a-zA-Z]){name}(?![a-zA-Z(=])", formula)]
    given = ", ".join(f"{name}: {GIVEN[name]}" for name in read)
    to = [name for name in read if name not in CONSTANT]
    text = f'kind: formulas\n{more}given: {{{given}}}\nformulas:\n  Y: "{formula}"\n'
    reference = Reference(f"{text}gradient: {{of: Y, to: []}}\n")
    arrays = {name: Var(matrix.astype(float)) for name, matrix in reference.inputs.items()}
    shape = Sheet(reference.file, arrays, float).named("Y").shape
    if shape in ((), (1, 1)):
        return f"{text}gradient: {{of: Y, to: {to}}}\n".replace("'", "")
    upstream = ((np.arange(np.prod(shape)) * 5 + 3) % 11 - 4).reshape(shape).tolist()
    return f"{text}gradient: {{upstream: {{Y: {upstream}}}, to: {to}}}\n".replace("'", "")


@pytest.mark.parametrize("formula", ENTRIES)
def test_functions_of_entries(formula: str) -> None:
    for x in ("X", "v", "a"):
        if "^T" not in formula or x == "X":
            agree(sheet(formula.format(x=x)))


@pytest.mark.parametrize("formula", REDUCTIONS)
def test_reductions(formula: str) -> None:
    for x in ("S", "v"):
        agree(sheet(formula.format(x=x)))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("formula", PER_TOKEN)
def test_functions_of_tokens(formula: str, layout: str) -> None:
    for x, by in (("X", ""), ("S", ", by=rows"), ("S", ", by=columns"), ("v", "")):
        agree(sheet(formula.format(x=x, by=by), layout))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("formula", BY_FEATURE)
def test_lists_that_go_with_features(formula: str, layout: str) -> None:
    agree(sheet(formula.format(x="X", **({"g": "h", "b": "c"} if layout else {"g": "g", "b": "b"})), layout))


@pytest.mark.parametrize("formula", MATRICES)
def test_everything_else(formula: str) -> None:
    agree(sheet(formula))
