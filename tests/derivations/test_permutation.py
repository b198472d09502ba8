"""Reordered tokens: examples and counterexamples against NumPy."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from attnsolve.derivations.derivation import Derivation
from attnsolve.document import Gallery, Lines, walk
from attnsolve.errors import ProblemError
from attnsolve.loading.files import parse
from attnsolve.notation import Chain, Frac, Grid, Notation, Num, Subscripted
from attnsolve.notation.text import ASCII, TextPrinter
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.solution.solved import Narration

Array = NDArray[np.float64]
TOPIC = "kind: derivation\ntopic: permutation-equivariance\n"
X = [[1, 0], [0, 2], [-1, 1]]
WEIGHTS = {"W_Q": [[1, 0], [1, 1]], "W_K": [[0, 1], [1, 0]], "W_V": [[2, 0], [1, 3]]}
GIVEN = f"inputs: {X}\nweights: {{W_Q: [[1, 0], [1, 1]], W_K: [[0, 1], [1, 0]], W_V: [[2, 0], [1, 3]]}}\n"


@cache
def derived(text: str) -> Derivation:
    (problem,) = parse(TOPIC + text, "p.yaml")
    worked = solve(problem)
    assert isinstance(worked, Derivation)
    return worked


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: Array = powers / powers.sum(axis=1, keepdims=True)
    return result


def attention(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    result: Array = softmax(x @ w_q @ (x @ w_k).T / np.sqrt(w_k.shape[1])) @ (x @ w_v)
    return result


def number(node: Notation) -> float:
    if isinstance(node, Frac):
        return number(node.over) / number(node.under)
    assert isinstance(node, Num)
    return float(node.text) * 10.0 ** (node.exponent or 0)


def matrices(worked: Derivation, passage: str) -> list[tuple[str, Array]]:
    """Every matrix that a passage shows, by the name before it."""
    found = []
    for block in walk(worked.steps(Narration(only=(passage,))).blocks):
        for chain in block.chains if isinstance(block, Gallery) else ():
            grid = chain.links[-1][1]
            assert chain.left is not None
            assert isinstance(grid, Grid)
            name = TextPrinter(ASCII).print(chain.left)
            found.append((name, np.array([[number(x) for x in row] for row in grid.rows])))
    return found


# ── the argument ──────────────────────────────────────────────────────────────────────────────────


def test_every_step_on_the_way_is_told_with_its_reason() -> None:
    text = " ".join(render(derived("").to_document(), 100).split())
    for line in (
        "Q(Π X) = (Π X) W_Q by definition",
        "= Π Q definition of Q",
        "= Π S Πᵀ definition of S",
        "= Π softmax(S) Πᵀ row by row",
        "= Π A (Πᵀ Π) V associativity",
        "Attention(Π X) = Π Attention(X)",
    ):
        assert line in text
    assert derived("").holds


# ── the example ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("order", [order for order in permutations((1, 2, 3)) if order != (1, 2, 3)])
def test_given_numbers_agree_with_numpy(order: tuple[int, ...]) -> None:
    worked = derived(f"{GIVEN}permutation: {list(order)}\n")
    shown = dict(matrices(worked, "example"))
    inputs, weights = np.array(X, dtype=float), [np.array(w, dtype=float) for w in WEIGHTS.values()]
    moved = inputs[[i - 1 for i in order]]
    np.testing.assert_array_equal(shown["Pi"] @ inputs, moved)
    np.testing.assert_array_equal(shown["Pi X"], moved)
    np.testing.assert_allclose(shown["Attention(X)"], attention(inputs, *weights), rtol=1e-3)
    np.testing.assert_allclose(shown["Attention(Pi X)"], attention(moved, *weights), rtol=1e-3)
    assert worked.holds


@pytest.mark.parametrize("seed", range(4))
def test_drawn_numbers_agree_with_numpy(seed: int) -> None:
    worked = derived(f"seed: {seed}\n")
    shown = dict(matrices(worked, "example"))
    weights = [shown[name] for name in WEIGHTS]
    np.testing.assert_allclose(shown["Attention(X)"], attention(shown["X"], *weights), rtol=1e-3, atol=1e-12)
    np.testing.assert_allclose(shown["Attention(Pi X)"], shown["Pi"] @ shown["Attention(X)"], rtol=1e-9)
    assert not np.array_equal(shown["Pi"], np.eye(3))
    assert sorted(map(tuple, shown["Pi"])) == sorted(map(tuple, np.eye(3)))


def test_a_seed_says_what_is_drawn() -> None:
    def drawn(seed: int) -> str:
        return render(derived(f"seed: {seed}\n").to_document(Narration(only=("example",))))

    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(4)


def test_weights_need_not_be_square() -> None:
    worked = derived("inputs: [[1], [2]]\nweights: {W_Q: [[1, 2]], W_K: [[0, 1]], W_V: [[1, 2, 3]]}\n")
    shown = dict(matrices(worked, "example"))
    assert shown["Attention(X)"].shape == (2, 3)
    assert worked.holds


# ── what breaks it ────────────────────────────────────────────────────────────────────────────────


def test_three_things_break_it_each_with_a_counterexample_that_numpy_confirms() -> None:
    worked = derived("")
    text = render(worked.steps(Narration(only=("breaks",))), 100)
    for title in ("Positions.", "A causal mask.", "The permutation on the other side."):
        assert title in text
    shown = matrices(worked, "breaks")
    assert [name for name, _ in shown] == ["Pi", "X", "P", "Pi", "X", "Pi", "X", "W"]
    values = [matrix for _, matrix in shown]

    def f(x: Array) -> Array:
        result: Array = softmax(x @ x.T) @ x
        return result

    def causal(x: Array) -> Array:
        result: Array = softmax(np.where(np.tri(2) > 0, x @ x.T, -np.inf)) @ x
        return result

    (p1, x1, places), (p2, x2), (p3, x3, w) = values[:3], values[3:5], values[5:]
    sides = [
        (f(p1 @ x1 + places), p1 @ f(x1 + places)),
        (causal(p2 @ x2), p2 @ causal(x2)),
        (x3 @ p3 @ w, x3 @ w @ p3),
    ]
    differences = [b for b in walk(worked.steps(Narration(only=("breaks",))).blocks) if isinstance(b, Lines)]
    for (left, right), lines in zip(sides, differences, strict=True):
        first, second = (entry(chain) for chain in lines.chains)
        assert first[0] == second[0]
        assert abs(first[1] - second[1]) > 0.05
        assert left[first[0]] == pytest.approx(first[1], rel=1e-5)
        assert right[second[0]] == pytest.approx(second[1], rel=1e-5)


def entry(chain: Chain) -> tuple[tuple[int, ...], float]:
    """Which entry a line speaks of, and its value."""
    assert isinstance(chain.left, Subscripted)
    return tuple(int(i) - 1 for i in chain.left.sub), number(chain.links[-1][1])


def test_a_matrix_has_one_look_in_formulas_and_examples() -> None:
    markdown = derived("").to_markdown()
    assert r"\mathbf{X}" not in markdown
    assert r"\mathbf{P}" not in markdown


# ── refused ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "permutation: [1, 1, 2]\n",
            "p.yaml:3:14: permutation must be each of the numbers 1 to 3 once, such as [3, 1, 2], but [1, 1, 2] was",
        ),
        ("inputs: [[1], [2]]\npermutation: [2, 3]\n", "such as [2, 1], but [2, 3] was found"),
        ("permutation: 3\n", "p.yaml:3:14: permutation must be each of the numbers 1 to 3 once"),
        ("inputs: [[1, 2]]\n", "p.yaml:3:9: the inputs must be at least two tokens, one row each"),
        (
            "inputs: [[1, 2], [3, 4]]\nweights: {W_Q: identity, W_K: identity, W_V: [[1, 2, 3]]}\n",
            "p.yaml:4:46: W_V has 1 row but the inputs have 2 columns",
        ),
        (
            "inputs: [[1], [3]]\nweights: {W_Q: [[1]], W_K: [[1, 2]], W_V: [[1]]}\n",
            "p.yaml:4:10: W_K has 2 columns but W_Q has 1",
        ),
        (
            "weights: {W_Q: [[1], [2]], W_K: [[1], [2]], W_V: [[1, 2, 3]]}\n",
            "p.yaml:3:10: all three are multiplied with the same tokens, but W_Q has 2 rows, W_K has 2 rows, W_V has",
        ),
        ("weights: {W_Q: [[1]], W_K: [[1]]}\n", "p.yaml:3:10: W_V is missing\n    add W_V: [[...]]"),
        ("weights: {W_qq: [[1]]}\n", "p.yaml:3:11: unknown key 'W_qq' in weights\n    did you mean W_Q?"),
        ("seed: -1\n", "p.yaml:3:7: seed must be a whole number from 0 to 2147483647, but '-1' was found"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(ProblemError) as error:
        derived(text)
    assert says in str(error.value)
