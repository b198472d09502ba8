"""Nothing that a file states is dropped in silence: it is used, or refused with its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.errors import Fault, Mark, ProblemError
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.spec.problem import Problem

Fails = Callable[[str], Fault]
QKV = "queries: [[1, 0]]\nkeys: [[1, 2], [0, 1]]\nvalues: [[3], [4]]\n"
X = "inputs: [[1, 0], [0, 2]]\n"
W = "weights: {W_Q: [[1, 0], [0, 1]], W_K: [[1, 0], [0, 1]], W_V: [[1, 0], [0, 1]]}\n"
SEQ = "kind: seq2seq\nstates: [[1, 0], [0, 1]]\nstate: [1, 2]\n"

IN_VAIN = {
    "weights beside Q, K and V": (
        QKV + W, (4, 16), "W_Q, W_K and W_V are never used: queries, keys and values are given",
        "write inputs: {queries: [[...]], keys: [[...]], values: [[...]]}",
    ),
    "W_Q beside queries": (
        X + W + "queries: [[1, 0]]\n", (2, 16), "W_Q is never used: queries are given", "write inputs: {queries:",
    ),
    "W_V beside values": (
        X + W + "values: [[1], [2]]\n", (2, 62), "W_V is never used: values are given", "write inputs: {",
    ),
    "b_Q beside queries": (
        X + "queries: [[1, 0]]\nweights: {b_Q: [1, 2], W_K: [[1, 0], [0, 1]], W_V: [[1], [1]]}\n",
        (3, 16), "b_Q is never used: queries are given", "",
    ),
    "inputs beside Q, K and V": (
        QKV + X, (4, 9), "inputs are never used: queries, keys and values are given", "leave them out",
    ),
    "memory beside K and V": (
        X + "memory: [[1, 1]]\nkeys: [[1, 1]]\nvalues: [[2]]\nweights: {W_Q: [[1, 0], [0, 1]]}\n",
        (2, 9), "memory is never used: keys and values are given", "leave it out",
    ),
    "identity beside Q, K and V": (
        QKV + "weights: identity\n", (4, 1), "weights is never used", "leave it out",
    ),
    "scores beside weights": (
        "given: {scores: [[1, 2]], weights: [[1/2, 1/2]]}\nvalues: [[1], [2]]\n",
        (1, 17), "scores are never used: weights are given", "leave out weights, to have them computed",
    ),
    "Q and K beside scores": (
        "Q: [[1, 0]]\nK: [[1, 2]]\nS: [[5]]\nV: [[1]]\nscaling: none\n", (1, 4), "queries are never used", "",
    ),
    "W_O without values": (
        "queries: [[1]]\nkeys: [[1]]\nW_O: [[1]]\n", (3, 6), "W_O is never used", "add values",
    ),
    "a scaling of given weights": (
        "given: {weights: [[1/2, 1/2]]}\nvalues: [[1], [2]]\nscaling: 2\n", (3, 1), "scaling is never used", "leave it",
    ),
    "a mask of given weights": (
        "given: {weights: [[1/2, 1/2], [1, 0]]}\nvalues: [[1], [2]]\nmask: causal\n", (3, 1), "mask is never used", "",
    ),
    "a softmax of given weights": (
        "given: {weights: [[1/2, 1/2]]}\nvalues: [[1], [2]]\nsoftmax: {base: 2}\n", (3, 1), "softmax is never used", "",
    ),
    "a stable sum": (
        X + "weights: identity\nsoftmax: sum\nstable: true\n", (4, 1), "stable is never used: it concerns expon", "",
    ),
    "a width that nothing is divided by": (
        "given: {scores: [[1, 2]]}\nscaling: 8\nd_k: 64\n", (3, 1), "d_k is never used", "",
    ),
    "heads of what is put together": (
        "given: {concat: [[1, 2]]}\nW_O: [[1], [2]]\nheads: 2\n", (3, 1), "heads is never used", "",
    ),
    "names of another sequence": (
        X + "weights: identity\nmemory_tokens: [a, b]\n", (3, 1), "memory_tokens is never used", "",
    ),
    "names beside names of the keys": (
        QKV + "tokens: [a, b]\nmemory_tokens: [c, d]\n", (4, 1), "tokens is never used", "",
    ),
    "a symbol": (
        X + "weights: identity\nsymbols: {beta: real}\n", (3, 11), "the symbol beta is declared but never used", "",
    ),
    "a symbol whose letter is part of another word": (
        "X: [[sqrt(2), 0], [0, 1]]\nweights: identity\nsymbols: {t: real}\n", (3, 11), "the symbol t is declared", "",
    ),
    "a tolerance for what is given": (
        X + "weights: identity\ntolerance: {inputs: {abs: 1}}\n", (3, 13), "tolerance names inputs, which is given", "",
    ),
    "a tolerance for what there is not": (
        X + "weights: identity\ntolerance: {output: {abs: 1}}\n", (3, 13),
        "tolerance names output, which is not in this problem", "without W_O there is no output; did you mean context?",
    ),
    "exactness of what there is not": (
        X + "weights: identity\nexact: [masked]\n", (3, 9), "exact names masked", "there is no mask here; did you mean",
    ),
    "rounding of what there is not": (
        X + "weights: identity\nscaling: none\nrounding: {places: {scaled: 2}, when: each-step}\n",
        (4, 21), "rounding names scaled", "the scores are not scaled here; did you mean scores?",
    ),
    "a score beside scores": (
        SEQ + "score: general\ngiven: {scores: [1, 2]}\n", (4, 1), "score is never used", "",
    ),
    "weights beside scores": (
        SEQ + "score: general\nweights: {W: identity}\ngiven: {scores: [1, 2]}\n",
        (5, 14), "W is never used: scores are given", "leave it out",
    ),
    "a state without states": (
        "kind: seq2seq\nstate: [1, 2]\ngiven: {weights: [1/2, 1/2]}\n", (2, 8), "state is never used", "add states",
    ),
    "weights of the wrong shape beside scores": (
        SEQ + "score: general\nweights: {W: [[1]]}\ngiven: {scores: [1, 2]}\n", (5, 14), "W is never used", "",
    ),
    "W_Q of the wrong shape beside queries": (
        "X: [[1, 2]]\nqueries: [[1, 2]]\nW_Q: [[1], [2]]\nW_K: [[1], [2]]\nW_V: [[1], [2]]\n",
        (3, 6), "W_Q is never used: queries are given", "queries are Q, already projected; to apply weights to them",
    ),
    "W_Q by itself beside Q and K": (
        "Q: [[1, 2]]\nK: [[1, 2]]\nW_Q: [[1], [2]]\n", (3, 6), "W_Q is never used: queries are given", "",
    ),
    "names of no steps": (
        "kind: seq2seq\nstates: [[1, 0], [0, 1]]\nsteps: [t]\ngiven: {weights: [[1/2, 1/2]]}\ntokens: [a, b]\n"
        "stable: true\n", (6, 1), "stable is never used", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "at", "said", "fix"), IN_VAIN.values(), ids=IN_VAIN)
def test_what_is_never_used_is_refused(
    text: str, at: tuple[int, int], said: str, fix: str, faults: Callable[[str], tuple[Fault, ...]]
) -> None:
    first, *_ = faults(text)
    assert (first.at, said in first.message, fix in first.fix) == (Mark(*at), True, True), str(first)


USED = {
    "queries of their own, keys and values from the inputs": (
        X + "queries: [[1, 0]]\nweights: {W_K: [[1, 0], [0, 1]], W_V: [[1], [1]]}\n"
    ),
    "given scores and what comes after them": (
        "given: {scores: [[1, 2], [3, 4]]}\nvalues: [[1], [2]]\nd_k: 4\nmask: causal\nstable: true\nW_O: [[1]]\n"
    ),
    "d_k where it can be seen": X + "weights: identity\nd_k: 2\nscaling: none\n",
    "what says that there is none": "given: {weights: [[1]]}\nvalues: [[1]]\nscaling: none\nmask: none\nheads: 1\n",
    "a symbol in the scaling": X + "weights: identity\nsymbols: {b: positive}\nscaling: b\nlimit: {b: oo}\n",
    "a symbol as it is printed": "X: [[β]]\nweights: identity\nsymbols: {beta: real}\n",
    "a symbol as LaTeX writes it": "X: [['D_{k}', '\\beta']]\nweights: identity\nsymbols: {D_k: real, beta: real}\n",
    "a symbol with a small index": "X: [[2Dₖ]]\nweights: identity\nsymbols: {D_k: real}\n",
    "how things are written, if they occur": X + "weights: identity\nnotation: {output: o}\nnumbering: 0\n",
    "weights alone": "given: {weights: [[1/2, 1/2]]}\n",
    "names of queries and keys": QKV + "tokens: [q]\nmemory_tokens: [a, b]\n",
    "a state for the end only": SEQ.replace("[1, 2]", "[1, 2, 3]") + "given: {scores: [1, 2]}\n",
}


@pytest.mark.parametrize("text", USED.values(), ids=USED)
def test_what_is_used_in_any_way_is_accepted(text: str, problem: Callable[[str], Problem]) -> None:
    assert problem(text)


# ── inputs of their own ─────────────────────────────────────────────────────────────────────────

SOURCES = "inputs: {queries: [[1, 2]], keys: [[1], [3]], values: [[1, 1], [0, 2]]}\n"
PROJECTED = SOURCES + "weights: {W_Q: [[1], [1]], W_K: [[2]], W_V: [[1], [5]]}\nscaling: none\n"


def test_queries_keys_and_values_may_have_inputs_of_their_own(problem: Callable[[str], Problem]) -> None:
    """By hand: Q = [3], K = [2, 6], V = [6, 10], S = [6, 18]."""
    solution = solve(problem(PROJECTED))
    assert solution["queries"].exact_text == [["3"]]
    assert solution["keys"].exact_text == [["2"], ["6"]]
    assert solution["values"].exact_text == [["6"], ["10"]]
    assert solution["scores"].exact_text == [["6", "18"]]
    assert [str(q.key) for q in solution.graph if q.given and not q.parameter] == [
        "query_inputs", "key_inputs", "value_inputs",
    ]  # fmt: skip


def test_they_may_be_columns_and_split_into_heads(problem: Callable[[str], Problem]) -> None:
    """The same tokens as columns, and each projection twice side by side: both heads have the scores 6 and 18."""
    columns = (
        "layout: columns\nheads: 2\ninputs: {queries: [[1], [2]], keys: [[1, 3]], values: [[1, 0], [1, 2]]}\n"
        "weights: {W_Q: [[1, 1], [1, 1]], W_K: [[2], [2]], W_V: [[1, 5], [1, 5]]}\nscaling: none\n"
    )
    solution = solve(problem(columns))
    assert [solution["scores", head].exact_text for head in (1, 2)] == [[["6"], ["18"]]] * 2


def test_without_weights_they_serve_as_they_are(problem: Callable[[str], Problem]) -> None:
    text = "inputs: {queries: [[1, 2]], keys: [[3, 4]], values: [[7]]}\nweights: identity\nscaling: none\n"
    assert solve(problem(text))["scores"].exact_text == [["11"]]


def test_one_of_them_may_be_missing_only_if_nothing_needs_it(fault: Fails) -> None:
    found = fault("inputs: {queries: [[1]], keys: [[1]]}\nweights: {W_Q: [[1]], W_K: [[1]], W_V: [[1]]}\n")
    assert (found.message, found.fix) == (
        "the values can't be computed: inputs has no values",
        "add values: [[...]] under inputs:",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PROJECTED.replace("keys: [[1], [3]]", "keys: [[1, 0], [3, 0]]"), "W_K has 1 row but the key_inputs have 2"),
        (PROJECTED.replace("values: [[1, 1], [0, 2]]", "values: [[1, 1]]"), "value_inputs have 1 row but the key"),
        (PROJECTED + "memory: [[1]]\n", "memory is never used: key_inputs and value_inputs are given"),
        (PROJECTED + "X_Q: [[1, 2]]\n", "query_inputs is given twice"),
        ("inputs: {queries: [[1]], kes: [[1]]}\nweights: identity\n", "unknown key 'kes' in inputs"),
    ],
)  # fmt: skip
def test_what_does_not_fit_them_is_told(text: str, said: str) -> None:
    with pytest.raises(ProblemError) as caught:
        parse(text, "sheet.yaml")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "own", ["formulas: {H: X .* 2}\n", "repeat: {for: {t: 1..2}, start: {h: X}, each: {h: prev(h) .* 2}}\n"]
)
def test_a_formula_beside_attention_leaves_attention_a_result(own: str) -> None:
    (problem,) = parse(X + W + "mask: causal\n" + own, "sheet.yaml")
    assert {"context", own.split("{")[-1][0]} <= {quantity.key.id for quantity in problem.graph}
