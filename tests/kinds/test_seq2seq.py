"""Encoder-decoder attention against NumPy, by hand, and by laws that need no numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from attnsolve.contract.json import render as render_json
from attnsolve.document import Section
from attnsolve.errors import UnsolvableError
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.narrate.steps import narrate
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution
from attnsolve.spec.seq2seq import SCORES

Array = NDArray[np.float64]
Rows = list[list[Fraction]]
Solved = Callable[[str], Solution]

WIDTH, OWN, STATES, HIDDEN, OUT = 3, 2, 4, 3, 2
"""Of an encoder state, of a decoder state, how many, of a hidden vector, of the attentional state: all told apart."""


def worth(rows: Sequence[Sequence[Fraction]]) -> Array:
    return np.array([[float(x) for x in row] for row in rows])


def written(rows: Sequence[Sequence[Fraction]]) -> str:
    return json.dumps([[str(x) for x in row] for row in rows]).replace('"', "")


# ── a second implementation ───────────────────────────────────────────────────────────────────────


def scores(score: str, H: Array, S: Array, w: dict[str, Array]) -> Array:
    """One row a decoder step, from the definitions, one score at a time."""
    ways: dict[str, Callable[[Array, Array, int], float]] = {
        "dot": lambda s, h, i: s @ h,
        "scaled-dot": lambda s, h, i: s @ h,
        "general": lambda s, h, i: s @ w["W"] @ h,
        "additive": lambda s, h, i: w["v"] @ np.tanh(w["W_1"] @ h + w["W_2"] @ s),
        "concat": lambda s, h, i: w["v"] @ np.tanh(w["W"] @ np.concatenate([h, s])),
        "cosine": lambda s, h, i: s @ h / (np.linalg.norm(s) * np.linalg.norm(h)),
        "location": lambda s, h, i: (w["W"] @ s)[i],
    }
    return np.array([[ways[score](s, h, i) for i, h in enumerate(H)] for s in S])


def reference(score: str, H: Array, S: Array, w: dict[str, Array]) -> dict[str, Array]:
    found = {"scores": scores(score, H, S, w)}
    exponents = found["scores"]
    if score == "scaled-dot":
        exponents = found["scaled"] = found["scores"] / np.sqrt(H.shape[1])
    powers = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    found["weights"] = powers / powers.sum(axis=1, keepdims=True)
    found["context"] = found["weights"] @ H
    found["joined"] = np.hstack([found["context"], S])
    found["attentional"] = np.tanh(found["joined"] @ w["W_c"].T)
    return found


def shapes(score: str) -> dict[str, tuple[int, int]]:
    own = WIDTH if score in ("dot", "scaled-dot", "cosine") else OWN
    needed = {
        "general": {"W": (OWN, WIDTH)},
        "additive": {"W_1": (HIDDEN, WIDTH), "W_2": (HIDDEN, OWN), "v": (1, HIDDEN)},
        "concat": {"W": (HIDDEN, WIDTH + OWN), "v": (1, HIDDEN)},
        "location": {"W": (STATES, OWN)},
    }
    return {"state": (1, own), **needed.get(score, {}), "W_c": (OUT, WIDTH + own)}


numbers = st.builds(Fraction, st.integers(-6, 6), st.sampled_from((1, 2, 5)))


def matrices(rows: int, columns: int, cells: st.SearchStrategy[Fraction] = numbers) -> st.SearchStrategy[Rows]:
    return st.lists(st.lists(cells, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@st.composite
def problems(draw: st.DrawFn, score: str) -> tuple[str, dict[str, Array]]:
    """A problem as a person writes it, and what it should come to."""
    steps, vectors = draw(st.sampled_from((0, 1, 3))), draw(st.sampled_from(("rows", "columns")))
    cells = numbers.filter(bool) if score == "cosine" else numbers
    sizes = shapes(score)
    H, S = draw(matrices(STATES, WIDTH, cells)), draw(matrices(steps or 1, sizes.pop("state")[1], cells))
    weights = {name: draw(matrices(*shape)) for name, shape in sizes.items()}
    lines = [f"{name}: {written(rows)[1:-1] if name == 'v' else written(rows)}" for name, rows in weights.items()]
    text = f"kind: seq2seq\nscore: {score}\nvectors: {vectors}\nstates: {written(H)}\n"
    text += f"state: {written(S) if steps else written(S)[1:-1]}\nweights: {{{', '.join(lines)}}}\n"
    floats = {name: worth(rows)[0] if name == "v" else worth(rows) for name, rows in weights.items()}
    expected = reference(score, worth(H), worth(S), floats)
    return text, expected if steps else {name: array[0] for name, array in expected.items()}


@pytest.mark.parametrize("tier", ["exact", "float"])
@pytest.mark.parametrize("score", SCORES)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_every_score_agrees_with_numpy(score: str, tier: str, data: st.DataObject) -> None:
    text, expected = data.draw(problems(score))
    (problem,) = parse(f"{text}numbers: {tier}\n", "p.yaml")
    solution = solve(problem)
    for name, array in expected.items():
        assert solution[name].array.shape == array.shape, name
        np.testing.assert_allclose(solution[name].array, array, rtol=1e-9, atol=1e-9, err_msg=name)
    data = json.loads(render_json(solution, narrate(solution)))
    assert [check for check in data["checks"] if not check["holds"]] == []


# ── by hand ───────────────────────────────────────────────────────────────────────────────────────

HAND = "kind: seq2seq\nstates: [[3, 4], [1, 0]]\nstate: [1, 2]\n"


def exact(solution: Solution, name: str) -> list[sympy.Expr]:
    return list(solution[name].exact)


def test_a_dot_product_by_hand(solved: Solved) -> None:
    assert exact(solved(HAND), "scores") == [11, 1]


def test_a_general_score_by_hand(solved: Solved) -> None:
    solution = solved(HAND + "score: general\nweights: {W: [[1, 1/2], [0, -1]]}\n")
    assert solution["projected"].exact == sympy.Matrix([[5, -4], [1, 0]])
    assert exact(solution, "scores") == [-3, 1]
    assert exact(solution, "weights") == [
        sympy.exp(-3) / (sympy.exp(-3) + sympy.E),
        sympy.E / (sympy.exp(-3) + sympy.E),
    ]


def test_cosines_are_exact_surds(solved: Solved) -> None:
    solution = solved(HAND + "score: cosine\n")
    assert exact(solution, "norms") == [5, 1]
    assert exact(solution, "state_norms") == [sympy.sqrt(5)]
    assert exact(solution, "scores") == [11 * sympy.sqrt(5) / 25, sympy.sqrt(5) / 5]


def test_scores_by_location_need_no_comparison(solved: Solved) -> None:
    assert exact(solved(HAND + "score: location\nweights: {W: [[1, 1], [1/3, 0]]}\n"), "scores") == [3, Fraction(1, 3)]


def test_weights_of_a_rational_base_give_a_rational_context(solved: Solved) -> None:
    solution = solved(HAND + "given: {scores: [1, 0]}\nsoftmax: {base: 2}\n")
    assert exact(solution, "weights") == [Fraction(2, 3), Fraction(1, 3)]
    assert exact(solution, "context") == [Fraction(7, 3), Fraction(8, 3)]
    assert exact(solution, "joined") == [Fraction(7, 3), Fraction(8, 3), 1, 2]


def test_a_hidden_vector_of_zeros_stays_exact_to_the_end(solved: Solved) -> None:
    weights = "{W_1: [[1, 0]], W_2: [[0, 0]], v: [2]}"
    solution = solved(f"kind: seq2seq\nscore: additive\nstates: [[0, 4], [0, 2]]\nstate: [1, 2]\nweights: {weights}\n")
    assert solution["hidden"].exact == sympy.zeros(2, 1)
    assert exact(solution, "context") == [0, 3]


def test_equal_states_share_the_attention_equally_whatever_the_score(solved: Solved) -> None:
    weights = "{W_1: identity, W_2: identity, v: [1, 2]}"
    solution = solved(f"kind: seq2seq\nscore: additive\nstates: [[1, 2], [1, 2]]\nstate: [1, 1]\nweights: {weights}\n")
    assert exact(solution, "weights") == [Fraction(1, 2)] * 2
    assert exact(solution, "context") == [1, 2]


def test_what_is_exact_in_a_joined_vector_is_shown_so(solved: Solved) -> None:
    weights = "{W_1: identity, W_2: identity, v: [1, 2]}"
    solution = solved(HAND + f"score: additive\nweights: {weights}\n")
    assert solution["context"].exact is None
    assert solution["joined"].decimals(4)[2:] == ["1", "2"]


# ── shapes and names ──────────────────────────────────────────────────────────────────────────────


def quantities(solution: Solution) -> dict[tuple[str, str | None], Any]:
    data = json.loads(render_json(solution, narrate(solution)))
    return {(q["id"], q["head"]): q for q in data["quantities"]}


def test_one_decoder_state_makes_vectors(solved: Solved) -> None:
    found = quantities(solved(HAND))
    assert {name: q["shape"] for (name, _), q in found.items()} == {
        "states": [2, 2], "state": [2], "scores": [2], "weights": [2], "context": [2], "joined": [4],
    }  # fmt: skip
    assert found["scores", None]["exact"] == ["11", "1"]
    assert [q["symbol"] for q in found.values()] == ["H", "s_t", "e", "alpha", "c_t", "x_t"]


def test_several_decoder_states_make_matrices(solved: Solved) -> None:
    found = quantities(solved("kind: seq2seq\nstates: [[3, 4], [1, 0], [0, 0]]\nstate: [[1, 2], [0, 1]]\n"))
    assert {name: q["shape"] for (name, _), q in found.items()} == {
        "states": [3, 2], "state": [2, 2], "scores": [2, 3], "weights": [2, 3], "context": [2, 2], "joined": [2, 4],
    }  # fmt: skip
    assert found["scores", None]["exact"] == [["11", "1", "0"], ["4", "0", "0"]]


def test_what_belongs_to_one_step_says_which(solved: Solved) -> None:
    weights = "{W_1: identity, W_2: identity, v: [1, 2]}"
    solution = solved(
        f"kind: seq2seq\nscore: additive\nstates: [[3, 4], [1, 0]]\nstate: [[1, 2], [0, 1]]\nweights: {weights}\n"
    )
    assert solution["summed", 2].exact == sympy.Matrix([[3, 5], [1, 1]])
    assert {head for name, head in quantities(solution) if name == "hidden"} == {"1", "2"}
    titles = ["".join(map(str, block.title)) for block in narrate(solution).blocks if isinstance(block, Section)]
    assert "Decoder step 1" in titles
    assert "Decoder step 2" in titles


# ── laws ──────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=20, deadline=None)
@given(matrices(2, 2, numbers.filter(bool)), st.integers(1, 9), st.integers(1, 9))
def test_a_cosine_does_not_change_with_the_lengths(rows: Rows, first: int, second: int) -> None:
    H, s = rows, [Fraction(1), Fraction(-2)]
    longer = [[x * first for x in row] for row in H]

    def cosines(states: Rows, state: list[Fraction]) -> list[sympy.Expr]:
        text = f"kind: seq2seq\nscore: cosine\nstates: {written(states)}\nstate: {written([state])[1:-1]}\n"
        return exact(solve(parse(text, "p.yaml")[0]), "scores")

    assert cosines(H, s) == cosines(longer, [x * second for x in s])


@settings(max_examples=20, deadline=None)
@given(matrices(3, 2), matrices(2, 2))
def test_an_identity_makes_the_general_score_a_dot_product(H: Rows, S: Rows) -> None:
    body = f"kind: seq2seq\nstates: {written(H)}\nstate: {written(S)}\n"
    plain = solve(parse(body, "p.yaml")[0])
    general = solve(parse(body + "score: general\nweights: {W: identity}\n", "p.yaml")[0])
    assert plain["scores"].exact == general["scores"].exact
    assert plain["context"].exact == general["context"].exact


@settings(max_examples=20, deadline=None)
@given(matrices(3, 2), matrices(1, 2), matrices(2, 2), matrices(2, 2), matrices(1, 2))
def test_concat_is_additive_with_its_matrices_side_by_side(H: Rows, S: Rows, W_1: Rows, W_2: Rows, v: Rows) -> None:
    body = f"kind: seq2seq\nstates: {written(H)}\nstate: {written(S)}\n"
    W = [a + b for a, b in zip(W_1, W_2, strict=True)]
    additive = f"score: additive\nweights: {{W_1: {written(W_1)}, W_2: {written(W_2)}, v: {written(v)[1:-1]}}}\n"
    concat = f"score: concat\nweights: {{W: {written(W)}, v: {written(v)[1:-1]}}}\n"
    one, other = (solve(parse(body + rest, "p.yaml")[0]) for rest in (additive, concat))
    assert one["hidden"].decimals(20) == other["hidden"].decimals(20)
    assert one["weights"].decimals(12) == other["weights"].decimals(12)


# ── what has no answer ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("score: cosine\ntokens: [hot, tea]\nstates: [[1, 0], [0, 0]]\nstate: [1, 2]\n", "tea is a vector of zeros"),
        ("score: cosine\nstates: [[1, 0]]\nstate: [[1, 2], [0, 0]]\n", "s_2 is a vector of zeros"),
        (
            "score: cosine\nstates: [[0.001, 0]]\nstate: [1, 2]\nrounding: {places: 2, when: each-step}\n",
            "a length rounds to 0",
        ),
        ("score: cosine\nsymbols: [b]\nstates: [[1, 0]]\nstate: [b, 0]\n", "depends on the sign of b"),
        (
            "score: additive\nsymbols: [b]\nstates: [[b]]\nstate: [1]\nweights: {W_1: [[1]], W_2: [[1]], v: [1]}\n",
            "the tanh of an expression with symbols",
        ),
        ("symbols: [b]\nstates: [[b], [1]]\nstate: [1]\nweights: {W_c: identity}\n", "the tanh of an expression"),
    ],
)
def test_what_can_not_be_worked_out_is_said_with_its_place(text: str, says: str) -> None:
    (problem,) = parse("kind: seq2seq\n" + text, "p.yaml")
    with pytest.raises(UnsolvableError, match=rf"^p\.yaml:1:1: .*{says}"):
        solve(problem)


def test_symbols_and_limits_work_up_to_the_context(solved: Solved) -> None:
    solution = solved(
        "kind: seq2seq\nsymbols: {b: positive}\nstates: [[b, 0], [0, 1]]\nstate: [1, 1]\nlimit: {b: oo}\n"
    )
    weights = next(rows for key, rows in solution.limits.items() if key.id == "weights")
    assert weights == ((1,), (0,))


def test_a_result_without_a_closed_form_is_rounded_before_it_is_carried_on(solved: Solved) -> None:
    """tanh leaves no closed form of the weights; 1/(1 + e^(tanh 3 − tanh 1)) = 0.442, so to no places it is 0 and 1."""
    text = "kind: seq2seq\nscore: concat\nstates: [[1], [3]]\nstate: [0]\nweights: {W: [[1, 0]], v: [1]}\n"
    carried = solved(text + "rounding: {places: {weights: 0}, when: each-step}\n")
    assert carried["weights"].decimals(4) == ["0", "1"]
    assert carried["context"].exact_text == ["3"]
    assert carried.was_rounded(Key("weights"), 0, 0)
    assert solved(text)["weights"].decimals(3) == ["0.442", "0.558"]
    told = render(carried.steps())
    assert "✗" not in told
    assert "every result agrees with an independent float64 computation" in told


def test_scores_alone_can_be_rounded_on_the_way(solved: Solved) -> None:
    """1/3 to one place is 0.3: the softmax of 0.3 and 0 then gives 0.574443."""
    text = "kind: seq2seq\nstates: [[1/3], [0]]\nstate: [1]\nrounding: {places: {scores: 1}, when: each-step}\n"
    solution = solved(text)
    assert solution["weights"].decimals(6) == ["0.574443", "0.425557"]
    assert "✗" not in render(solution.steps())
