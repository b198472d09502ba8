"""A sheet's own formulas: what they come to, held against NumPy; the order in which they are worked out; what is said
of those that can't be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from shared.effort import tries

from attnsolve.errors import ProblemError
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve

Array = NDArray[np.float64]


def solved(text: str) -> Any:
    (problem,) = parse(f"kind: formulas\n{text}", "sheet.yaml")
    return solve(problem)


def value(solution: Any, name: str, *at: tuple[str, int]) -> Array:
    """A quantity as floats, from balls that are narrower than a float."""
    key = Key(name, at)
    rows, columns = solution.graph[key].shape
    entries = [[solution.real(key, i, j) for j in range(columns)] for i in range(rows)]
    return np.array([[-np.inf if x.is_infinite else x.nearest_float() for x in row] for row in entries])


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    result: Array = powers / powers.sum(axis=-1, keepdims=True)
    return result


ROWS, COLUMNS = 2, 3
A = np.array([[1, -2, 0.5], [3, 0, 1]])
B = np.array([[0.25, 1, 2], [-1, 4, 2.5]])
ROW, COLUMN = np.array([[2, -1, 0.5]]), np.array([[3.0], [-0.5]])
GIVEN = """given:
  A: [[1, -2, 0.5], [3, 0, 1]]
  B: [[0.25, 1, 2], [-1, 4, 2.5]]
  v: [2, -1, 0.5]
  c: [[3], [-0.5]]
  t: 3/2
"""
LEAVES: list[tuple[str, Array]] = [
    ("A", A),
    ("B", B),
    ("A", A),
    ("B", B),
    ("v", ROW),
    ("c", COLUMN),
    ("t", np.array([[1.5]])),
]
Expression = tuple[str, Array]


def joined(draw: Callable[..., Any], depth: int) -> Expression:
    """A random formula with what NumPy makes of it; `v` and `c` go with every row and every column."""
    if depth == 0:
        chosen: Expression = draw(st.sampled_from(LEAVES))
        return chosen
    (left, x), (right, y) = joined(draw, depth - 1), joined(draw, depth - 1)
    sign = draw(st.sampled_from(["+", "-", ".*", "product", "negated", "scaled", "divided", "tanh", "relu", "exp"]))
    match sign:
        case "+" | "-" | ".*" | "divided" if {x.shape, y.shape} == {ROW.shape, COLUMN.shape}:
            return left, x  # a list goes with the rows of a matrix that is as wide as it is long
        case "+" | "-":
            return f"({left} {sign} {right})", x + y if sign == "+" else x - y
        case ".*":
            return f"({left} .* {right})", x * y
        case "product" if x.shape == y.shape == (ROWS, COLUMNS):
            return f"({left}*({right})^T*A)", x @ y.T @ A
        case "negated":
            return f"(-{left})", -x
        case "scaled":
            return f"(3*{left}/2)", 3 * x / 2
        case "divided":
            return f"({left}/(2 + {right} .* {right}))", x / (2 + y * y)
        case "exp" if np.abs(x).max() > 20:
            return left, x
        case "tanh" | "relu" | "exp":
            made = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0), "exp": np.exp}[sign](x)
            return f"{sign}({left})", made
    return left, x


@tries(60)
@given(st.data())
def test_any_formula_comes_to_what_numpy_makes_of_it(data: st.DataObject) -> None:
    text, expected = joined(data.draw, data.draw(st.integers(1, 3)))
    if not np.isfinite(expected).all() or np.abs(expected).max() > 1e200:
        return
    used = "  used: A + B + v + c + t\n"
    found = value(solved(f"{GIVEN}formulas:\n  Y: {text!r}\n{used}"), "Y")
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), rtol=1e-12, atol=1e-300)


def test_formulas_are_worked_out_after_what_they_read() -> None:
    solution = solved("given: {X: [[1, 2]]}\nformulas:\n  C: B + 1\n  A: 2*X\n  B: A - X\n")
    assert [key.id for key in solution.graph.quantities] == ["X", "A", "B", "C"]
    assert value(solution, "C").tolist() == [[2, 3]]


def test_what_takes_work_inside_a_formula_is_a_quantity_before_it() -> None:
    solution = solved("given: {X: [[1, 2], [0, 1]], W_Q: [[1, 0], [1, 1]]}\nformulas:\n  C: softmax(X*W_Q*X^T)*X\n")
    names = {key.id: quantity.name.matrix.name for key, quantity in solution.graph.quantities.items()}
    assert names == {"X": "X", "W_Q": "W", "C.inside": "Q", "C.inside2": "S", "C.softmax": "A", "C": "C"}


def test_an_identity_takes_the_size_that_fits() -> None:
    solution = solved("given: {X: [[1, 2, 3]], W: identity}\nformulas: {Y: X*W}\n")
    assert value(solution, "Y").tolist() == [[1, 2, 3]]


def test_a_list_has_no_orientation() -> None:
    solution = solved("given: {M: [[1, 2], [3, 4], [5, 6]], v: [1, 2], w: [1, 0, 1]}\nformulas:\n  a: M*v\n  b: w*M\n")
    assert value(solution, "a").tolist() == [[5, 11, 17]]
    assert value(solution, "b").tolist() == [[6, 8]]


def test_where_tokens_are_columns_a_list_goes_with_every_column() -> None:
    solution = solved("layout: columns\ngiven: {M: [[1, 2], [3, 4], [5, 6]], b: [1, 0, -1]}\nformulas: {Y: M + b}\n")
    assert value(solution, "Y").tolist() == [[2, 3], [3, 4], [4, 5]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A: softmax(Z)", "sheet.yaml:4:14: in A: there is no 'Z'\n    known: X, W"),
        ("A: X*X", "sheet.yaml:4:8: in A: X is 2×3 and X is 2×3: their product can't be formed"),
        ("A: B\n  B: A", "sheet.yaml:4:6: A and B depend on each other: A → B → A"),
        ("A: A + 1", "sheet.yaml:4:6: A depends on itself: A → A"),
        ("A: relu(X", "sheet.yaml:4:12: in A: ')' was expected after a term in brackets"),
        ("A: rellu(X)", "sheet.yaml:4:6: in A: there is no function 'rellu'\n    did you mean relu?"),
        ("A: X^2", "sheet.yaml:4:6: in A: X is 2×3: ^ raises numbers only\n    X .^ 2 or X*X?"),
        ("A: XW", "sheet.yaml:4:6: in A: there is no 'XW'\n    write X*W"),
        ("X: W", "sheet.yaml:4:3: X is defined twice: it was already defined on line 2"),
        ("2A: W", "sheet.yaml:4:3: '2A' can't be a name"),
        ("A: W*X^T", "sheet.yaml:4:8: in A: W is 3×1 and X^T is 3×2"),
        ("A: X", "W is given but never used"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_where_it_stands(text: str, message: str) -> None:
    with pytest.raises(ProblemError) as raised:
        parse(
            f"kind: formulas\ngiven: {{X: [[1, 0, 2], [0.1, 2, 3]], W: [[1], [2], [3]]}}\nformulas:\n  {text}\n",
            "sheet.yaml",
        )
    assert message in str(raised.value)


# ── repeats ─────────────────────────────────────────────────────────────────────────────────────

CACHE = """
given: {X: [[1, 0], [0, 1], [1, 1]], W_Q: [[1, 0], [0, 1]], W_K: [[1, 2], [0, 1]], W_V: [[1, 0], [1, 1]]}
repeat:
  for: {t: 1..3}
  start: {K: empty, V: empty}
  each:
    K: stack(prev(K), X[t,:]*W_K)
    V: stack(prev(V), X[t,:]*W_V)
    y: softmax(X[t,:]*W_Q*K^T/sqrt(2))*V
"""


def test_a_cache_comes_to_what_attention_with_a_mask_does() -> None:
    x, w_k, w_v = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[1, 2], [0, 1]]), np.array([[1, 0], [1, 1]])
    scores = np.where(np.tri(3) > 0, x @ (x @ w_k).T / np.sqrt(2), -np.inf)
    expected = softmax(scores) @ (x @ w_v)
    solution = solved(CACHE)
    for t in (1, 2, 3):
        np.testing.assert_allclose(value(solution, "y", ("t", t)), expected[t - 1 : t], rtol=1e-14)
        assert solution.graph[Key("K", (("t", t),))].shape == (t, 2)


def test_layers_read_the_layer_before_them_and_their_own_weights() -> None:
    text = """
given: {X: [[1, 0], [0, 2]], W: [[[1, 1], [0, 1]], [[0, 1], [1, 0]]], b: [[1, 2], [3, 4]]}
repeat:
  for: {layer: 1..2}
  start: {H: X}
  each: {H: 'prev(H)*W[layer] + b[layer]'}
formulas: {Y: H@last - H@1}
"""
    solution = solved(text)
    first = np.array([[1, 0], [0, 2]]) @ np.array([[1, 1], [0, 1]]) + [1, 2]
    second = first @ np.array([[0, 1], [1, 0]]) + [3, 4]
    assert value(solution, "H", ("layer", 2)).tolist() == second.tolist()
    assert value(solution, "Y").tolist() == (second - first).tolist()


def test_a_repeat_may_stand_inside_another() -> None:
    text = """
given: {X: [[1, 0], [0, 2]], W: [[[1, 1], [0, 1]], [[0, 1], [1, 0]]]}
repeat:
  for: {layer: 1..2}
  start: {H: X}
  repeat:
    for: {head: 1..2}
    each: {C: 'prev(H)*W[head]'}
  each: {H: prev(H) + C@1 + C@2}
formulas: {Y: H@last - C@2.1}
"""
    solution = solved(text)
    weights = [np.array([[1, 1], [0, 1]]), np.array([[0, 1], [1, 0]])]
    h = [np.array([[1, 0], [0, 2]])]
    for _ in range(2):
        h.append(h[-1] + sum(h[-1] @ w for w in weights))
    assert value(solution, "C", ("layer", 2), ("head", 2)).tolist() == (h[1] @ weights[1]).tolist()
    assert value(solution, "Y").tolist() == (h[2] - h[1] @ weights[0]).tolist()


@pytest.mark.parametrize(
    ("each", "after", "message"),
    [
        ("H: 2*prev(H)", "Y: H", "Y: H has a value for every t\n    write H@last"),
        ("H: 2*prev(H)", "Y: H@4", "there is no H@4\n    it has 1, 2, 3 and last"),
        ("H: 2*prev(H)", "Y: prev(H)", "prev only has a meaning in a repeat"),
        ("H: 2*prev(G)\n    G: X", "Y: X", "prev(G) has no first value\n    add start: {G: ...}"),
        ("H: G\n    G: H", "Y: X", "G and H depend on each other"),
        ("X: 2*prev(H)\n    H: X", "Y: X", "X is defined both in this repeat and outside it"),
        ("G: 2*prev(H)", "Y: X", "H has a start, but each has no formula for it"),
    ],
)
def test_what_is_wrong_with_a_repeat_is_said(each: str, after: str, message: str) -> None:
    text = f"kind: formulas\ngiven: {{X: [[1]]}}\nrepeat:\n  for: {{t: 1..3}}\n  start: {{H: X}}\n  each:\n    {each}\n"
    with pytest.raises(ProblemError) as raised:
        parse(f"{text}formulas: {{{after}}}\n", "sheet.yaml")
    assert message in str(raised.value)


def test_what_a_repeat_makes_is_bounded() -> None:
    text = (
        "kind: formulas\ngiven: {x: 1}\nrepeat:\n  for: {t: 1..500}\n  start: {a: x}\n  repeat:\n    for: {u: 1..500}\n"
    )
    with pytest.raises(ProblemError, match="quantities"):
        parse(f"{text}    each: {{b: x + 1}}\n  each: {{a: prev(a) + 1}}\n", "sheet.yaml")


def test_a_choice_among_rounded_numbers_is_made_of_the_rounded_ones() -> None:
    """Two of them are equal: a tie that balls never part."""
    given = "given: {X: [[1, 2], [-1, 1]], W: [[1, 0, -1], [0, 1, 1]]}\n"
    solution = solved(f"{given}formulas:\n  G: topk(softmax(X*W), 2)\nrounding: {{places: 2, when: each-step}}\n")
    assert solution["G"].exact_text == [["0.27", "0.73", "0"], ["0", "0.27", "0.73"]]


def test_a_softmax_of_one_number_can_be_worked() -> None:
    """e²/e² = 1."""
    solution = solved("given: {z: 2}\nformulas: {p: softmax(z)}")
    assert value(solution, "p").tolist() == [[1]]
    assert "Their sum" in solution.to_markdown()


def test_a_formula_of_the_sheet_leaves_the_library_s_result_a_result() -> None:
    text = "queries: [1, 0]\nkeys: [[1, 1], [0, 1]]\nvalues: [[1, 0], [0, 1]]\nformulas: {most: argmax(A)}\n"
    (problem,) = parse(text, "sheet.yaml")
    assert solve(problem)["most"].exact_text == ["1"]


@pytest.mark.parametrize(("word", "place"), [("cat", 2), ("the", 1)])
def test_an_entry_goes_by_its_word(word: str, place: int) -> None:
    given = "given: {p: [1/2, 1/4, 1/4]}\n"
    for names in ("vocabulary: [the, cat, sat]\n", "tokens: [the, cat, sat]\n"):
        (problem,) = parse(f"kind: formulas\n{names}{given}formulas: {{y: 'p[{word}]', z: 'p[{place}]'}}\n", "s.yaml")
        assert solve(problem)["y"].exact_text == solve(problem)["z"].exact_text


def test_what_was_sorted_is_no_longer_in_the_order_of_the_vocabulary() -> None:
    text = "kind: formulas\nvocabulary: [the, cat, sat]\ngiven: {p: [1/4, 1/2, 1/8]}\nformulas:\n"
    text += "  s: sorted(p)\n  y: argmax(cumsum(s) > 1/2)\n  z: argmax(p)\n"
    (problem,) = parse(text, "s.yaml")
    remarks = {key.id: solve(problem)[key.id].exact_text for key in solve(problem).graph.quantities}
    assert (remarks["y"], remarks["z"]) == (["2"], ["2"])
    formulas = {key.id: quantity.formula for key, quantity in solve(problem).graph.quantities.items()}
    assert [formulas[name].vocabulary for name in ("s", "y", "z")] == [("the", "cat", "sat"), (), ("the", "cat", "sat")]  # type: ignore[attr-defined]
