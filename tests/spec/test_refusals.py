"""Problems that once passed the reader and broke further on, and honest ones that were once refused."""

from __future__ import annotations

import pytest

from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.spec.number import NumberError, parse_number

REFUSED = {
    "inputs without a value": ("inputs:\n", "nothing to start from"),
    "an empty given": ("given: {}\n", "nothing to start from: nothing is given"),
    "values that need inputs": (
        "weights: identity\nqueries: [[1, 2]]\nkeys: [[1, 2]]\n",
        "the values can't be computed: there are no inputs",
    ),
    "W_V without inputs": ("weights: {W_V: [[1]]}\ngiven: {weights: [[1]]}\n", "the values can't be computed"),
    "heads against one": (
        "queries: [[[1,2]],[[1,2]]]\nkeys: [[1,2,3,4]]\nvalues: [[1]]\n",
        "queries is 1×2 but keys is 4×1",
    ),
    "memory narrower than the query": (
        "memory: [[1,1],[1,1]]\nweights: identity\nqueries: [[2]]\nscaling: none\n",
        "memory has 2 columns but the queries have 1 column",
    ),
    "a limit that is no number": (
        "symbols: {beta: positive}\ninputs: [[beta]]\nweights: identity\nlimit: {beta: beta}\n",
        "must be a number or oo",
    ),
    "a limit the symbol can't reach": (
        "symbols: {b: positive}\ninputs: [[b]]\nweights: identity\nlimit: {b: -oo}\n",
        "b is declared positive",
    ),
    "W_O twice": (
        "inputs: [[1]]\nweights: {W_Q: [[1]], W_K: [[1]], W_V: [[1]], W_O: [[1]]}\nW_O: [[2]]\n",
        "W_O is given twice",
    ),
    "d_k that contradicts the keys": (
        "inputs: [[1, 2]]\nweights: identity\nd_k: 5\n",
        "d_k is 5 but the inputs have 2",
    ),
    "minus infinity times nothing": (
        "given: {masked: {matrix: [[1, -inf]], times: 0}}\nvalues: [[1], [2]]\n",
        "which can't be multiplied by 0",
    ),
    "two quantities with one letter": (
        "inputs: [[1]]\nweights: identity\nnotation: {scores: Q}\n",
        "queries and scores would both be written Q",
    ),
    "W_O for one head": (
        "inputs: [[1]]\nweights: [{W_Q: [[1]], W_K: [[1]], W_V: [[1]], W_O: [[1]]}, {W_Q: [[1]]}]\n",
        "write it beside weights, at the top level",
    ),
    "W_Q at the top level by itself": ("inputs: [[1]]\nW_Q: [[1]]\n", "weights has no W_K"),
    "scaling as people write it": ("inputs: [[1]]\nweights: identity\nscaling: 1/sqrt(d_k)\n", "did you mean sqrt_dk?"),
}


@pytest.mark.parametrize(("text", "says"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_with_a_reason(text: str, says: str) -> None:
    with pytest.raises(ProblemError) as caught:
        parse(text, "p.yaml")
    assert says in str(caught.value)


ACCEPTED = {
    "an identity before what sizes it": "given: {weights: identity, values: [[1,0],[0,1]]}\n",
    "identity queries": "queries: identity\nkeys: [[1,0],[0,1]]\nvalues: [[1],[2]]\n",
    "identity inputs": "inputs: identity\nweights: {W_Q: [[1],[2]], W_K: [[1],[2]], W_V: [[1],[2]]}\n",
    "only W_V, from masked scores": "inputs: [[1],[2]]\nweights: {W_V: [[1]]}\ngiven: {masked: [[1,-inf],[1,2]]}\n",
    "a symbol for d_k": "symbols: {D_k: positive}\ninputs: [[1]]\nweights: identity\nscaling: sqrt(D_k)\n",
    "heads that share values": (
        "given: {scores: [[[1,2]],[[1,2]]], values: [[1,2],[3,4]]}\nscaling: none\nW_O: identity\n"
    ),
    "a mask of booleans in a mapping": (
        "inputs: [[1],[2]]\nweights: identity\nmask: {matrix: [[true, false], [true, true]]}\n"
    ),
    "an identity mask": "inputs: [[1],[2]]\nweights: identity\nmask: identity\n",
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_it_is_solved(text: str) -> None:
    (problem,) = parse(text, "p.yaml")
    solution = solve(problem)
    last = [*solution.graph][-1]
    assert solution.exact[last.key].is_whole


def test_nested_factors_multiply() -> None:
    six = "{matrix: {matrix: identity, times: 2}, times: 3}"
    (problem,) = parse(f"inputs: [[1]]\nweights: {{W_Q: {six}, W_K: [[1]], W_V: [[1]]}}\n", "p.yaml")
    assert solve(problem)["queries"].exact_text == [["6"]]


@pytest.mark.parametrize("text", ["1/(1/(pi+1)+pi/(pi+1)-1)", "0*1/(1/(e+1)+e/(e+1)-1)"])
def test_a_hidden_zero_is_not_divided_by(text: str) -> None:
    with pytest.raises(NumberError, match="divides by zero"):
        parse_number(text)


@pytest.mark.parametrize(
    "text", ["((1+pi+e+sqrt(2))^8)^4", "(1+pi+e+sqrt(2))^64", "sqrt(2)*1e400*1e400*1e400*1e400", "(pi+e+1)*" * 9 + "1"]
)
def test_a_number_that_would_grow_too_long_is_refused_at_once(text: str) -> None:
    with pytest.raises(NumberError, match=r"at most|too many digits"):
        parse_number(text)


@pytest.mark.parametrize(("text", "value"), [("sqrt(2/pi)", "sqrt(2)/sqrt(pi)"), ("sqrt(pi*pi)", "pi")])
def test_roots_of_constants_are_read(text: str, value: str) -> None:
    assert str(parse_number(text).value) == value


def test_values_are_counted_over_the_whole_file() -> None:
    row = "a: &a [" + ", ".join("1" * 200) + "]\nb: [" + ", ".join(["*a"] * 300) + "]\n"
    with pytest.raises(ProblemError, match="more than 400,000 values"):
        parse("---\n".join([row] * 8), "p.yaml")
