"""Problems worked out in float64: the numbers against NumPy, and how they are told, written and refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import attnsolve
from attnsolve import notation as n
from attnsolve.cli import main
from attnsolve.contract.json import pieces, render
from attnsolve.document import Block, Document, Equation, Gallery, Lines, Section, walk
from attnsolve.errors import UnsolvableError
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.narrate.corners import corner, kept
from attnsolve.numbers.arrays import Arrays, decimal_text, round_float
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.decimals import round_fraction
from attnsolve.numbers.summary import BLOCK, summarise
from attnsolve.numbers.surds import EULER
from attnsolve.render.github import traps
from attnsolve.render.markdown import render as render_markdown
from attnsolve.render.text import render as render_text
from attnsolve.solution.floats import FloatSolution
from attnsolve.solution.solved import Narration

Array = NDArray[np.float64]

PROBLEM = (
    f"tokens: [{', '.join(f't{i}' for i in range(1, 31))}]"
    + """
title: A layer
numbers: float
inputs: {random: [30, 16], seed: 1}
weights:
  W_Q: {random: [16, 16], seed: 2}
  W_K: {random: [16, 16], seed: 3}
  W_V: {random: [16, 16], seed: 4}
  b_V: {random: 16, seed: 5}
heads: 2
W_O: {random: [16, 10], seed: 6}
mask: causal
parts:
  a: {find: weights, for: t7}
  b: {find: output, by: token}
  c: {find: [queries, scores]}
"""
)


@pytest.fixture(scope="module")
def layer() -> FloatSolution:
    (problem,) = parse(PROBLEM, "layer.yaml")
    solution = attnsolve.solve(problem)
    assert isinstance(solution, FloatSolution)
    return solution


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Array = powers / powers.sum(axis=1, keepdims=True)
    return found


def test_a_layer_of_two_heads_is_what_numpy_makes_of_it(layer: FloatSolution) -> None:
    def drawn(seed: int, *shape: int) -> Array:
        return np.random.RandomState(seed).standard_normal(shape)

    X = drawn(1, 30, 16)
    Q, K, V = X @ drawn(2, 16, 16), X @ drawn(3, 16, 16), X @ drawn(4, 16, 16) + drawn(5, 16)
    hidden = np.triu(np.ones((30, 30), dtype=bool), k=1)
    contexts = []
    for head, block in enumerate((slice(0, 8), slice(8, 16)), start=1):
        scores = Q[:, block] @ K[:, block].T
        weights = softmax(np.where(hidden, -np.inf, scores / 8**0.5))
        contexts.append(weights @ V[:, block])
        np.testing.assert_allclose(layer["scores", head].array, scores, rtol=1e-12)
        np.testing.assert_allclose(layer["weights", head].array, weights, rtol=1e-9)
        assert (layer["weights", head].array[hidden] == 0).all()
    np.testing.assert_allclose(layer["output"].array, np.hstack(contexts) @ drawn(6, 16, 10), rtol=1e-9, atol=1e-12)


def test_what_is_given_is_not_written_over() -> None:
    rng = np.random.default_rng(1)
    arrays = {name: rng.normal(size=(5, 5)) for name in ("inputs", "W_Q", "W_K", "W_V")}
    before = {name: array.copy() for name, array in arrays.items()}
    weights = {name: array for name, array in arrays.items() if name != "inputs"}
    solution = attnsolve.solve(attnsolve.problem({"inputs": arrays["inputs"], "weights": weights, "mask": "causal"}))
    solution.to_document()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, before[name])
    np.testing.assert_allclose(solution["scaled"].array * 5**0.5, solution["scores"].array)


def test_values_in_every_form(layer: FloatSolution) -> None:
    value = layer["output"]
    assert value.shape == (30, 10)
    assert value.exact is None
    texts = value.decimals(3)
    assert float(texts[4][2]) == pytest.approx(value.array[4, 2], rel=5e-3)
    assert value.decimal == value.decimals(4)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("queries: [[1e200]]\nkeys: [[1e200]]\n", "scores"),
        ("queries: [[1e200]]\nkeys: [[-1e200]]\n", "scores"),
        ("queries: [[1, 0]]\nkeys: [[1, 0]]\nvalues: {matrix: [[1e308]], times: 100}\n", "context"),
    ],
)
def test_what_float64_cannot_hold_is_refused(body: str, what: str) -> None:
    (problem,) = parse(f"numbers: float\n{body}", "p.yaml")
    with pytest.raises(UnsolvableError, match=rf"p\.yaml:1:1: {what} has a number beyond the range of float64"):
        attnsolve.solve(problem)


def test_rows_that_may_see_nothing_have_weights_of_zero_and_are_named() -> None:
    mask = np.ones((30, 30))
    mask[2:20] = 0
    ones = np.ones((30, 2))
    solution = attnsolve.solve(attnsolve.problem({"queries": ones, "keys": ones, "mask": mask}))
    assert (solution["weights"].array[2:20] == 0).all()
    text = render_text(solution.to_document())
    assert "The mask leaves q₃, q₄, q₅, q₆, q₇, 13 others with nothing to attend to" in text
    said = "; each row of weights sums to 1 (to 0 where everything is masked); "
    assert said in " ".join(text.split())


# ── decimals ──────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=300, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 17))
def test_a_float_is_rounded_as_the_fraction_it_is(value: float, figures: int) -> None:
    assert str(round_float(value, figures)) == str(round_fraction(Fraction(value), figures))


@pytest.mark.parametrize(
    ("value", "text"), [(0.125, "0.13"), (-2.5, "-2.5"), (1 / 3, "0.33"), (1e-7, "1.0e-07"), (12, "12")]
)
def test_two_figures(value: float, text: str) -> None:
    assert decimal_text(value, 2) == text
    assert float(decimal_text(value)) == value


# ── corners ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("size", "also", "expected"),
    [
        (5, [], [0, 1, 2, 3, 4]),
        (6, [], [0, 1, 2, None, 5]),
        (9, [8], [0, 1, 2, None, 8]),
        (9, [3], [0, 1, 2, 3, None, 8]),
        (9, [5, 6], [0, 1, 2, None, 5, 6, None, 8]),
    ],
)
def test_the_first_the_last_and_those_asked_for_are_kept(
    size: int, also: list[int], expected: list[int | None]
) -> None:
    assert kept(size, 5, 3, also) == expected


def test_dots_point_where_entries_are_left_out() -> None:
    ((a, b), (c, d)) = corner(lambda i, j: n.Num(str(10 * i + j)), [4, None], [2, None])
    assert (a, b, c, d) == (n.Num("42"), n.Dots("⋯"), n.Dots("⋮"), n.Dots("⋱"))


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("digits", [1, 4, 17])
def test_no_line_is_wider_than_the_page(layer: FloatSolution, width: int, digits: int) -> None:
    for narration in (Narration(digits=digits, detail="brief"), Narration(digits=digits, tokens=("t7",))):
        lines = render_text(layer.steps(narration), width).splitlines()
        assert [line for line in lines if len(line) > width] == []
        assert [line for line in lines if re.search(r"columns? \d+( to \d+)? of \d", line)] == []


def test_a_wider_page_shows_more_columns(layer: FloatSolution) -> None:
    document = layer.steps(Narration(only=("queries",)))
    dots = {width: render_text(document, width).splitlines() for width in (50, 200)}
    rows = {width: next(line for line in lines if "⋯" in line) for width, lines in dots.items()}
    assert len(rows[50].split()) < len(rows[200].split())
    assert rows[50].split()[-2] == rows[200].split()[-2]


def chains(blocks: tuple[Block, ...]) -> list[n.Chain]:
    found: list[n.Chain] = []
    for block in walk(blocks):
        found += [block.chain] if isinstance(block, Equation) else []
        found += block.chains if isinstance(block, Gallery | Lines) else ()
    return found


def test_nothing_is_said_to_equal_a_float(layer: FloatSolution) -> None:
    told = [layer.steps(), layer.to_document(), layer.blank(), layer.steps(Narration(tokens=("t7",), detail="full"))]
    links = [link for document in told for chain in chains(document.blocks) for link in chain.links]
    assert {sign for sign, part in links if part.has_grid} == {"≈"}


def test_the_note_stands_first_whatever_is_told(layer: FloatSolution) -> None:
    for document in (
        layer.steps(),
        layer.to_document(),
        layer.to_document(part="a"),
        layer.steps(Narration(only=("weights",))),
    ):
        assert "the digits are not proven" in document.blocks[0].content[0]


def test_the_sentences_are_those_of_exact_solutions(layer: FloatSolution) -> None:
    text = render_text(layer.steps(), 120)
    assert "A query says what its token is looking for." in text
    assert "S⁽¹⁾ = Q⁽¹⁾ K⁽¹⁾ᵀ        (30×8)(8×30) → 30×30" in text
    assert "The mask is causal: each token may attend to itself and to earlier tokens, never to later ones." in text


def test_the_summary_says_where_the_extremes_are(layer: FloatSolution) -> None:
    scores = layer["scores", 1].array
    row, column = np.unravel_index(scores.argmax(), scores.shape)
    (section,) = [
        s for s in walk(layer.steps().blocks) if isinstance(s, Section) and s.key == Key("scores", (("head", 1),))
    ]
    text = render_text(Document("", "", (section,)))
    small = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    place = f"s⁽¹⁾{str(row + 1).translate(small)},{str(column + 1).translate(small)}"
    assert f"largest {place} ≈ {decimal_text(scores.max(), 4)}" in text


def test_a_token_asked_for_has_its_row_and_whom_it_attends_to(layer: FloatSolution) -> None:
    text = render_text(layer.steps(Narration(only=("weights",), tokens=("t7",))))
    weights = layer["weights", 1].array[6]
    most = f"t{weights.argmax() + 1}"
    assert f"“t7” attends most to “{most}” ({decimal_text(weights.max(), 4)})" in text
    assert re.search(r"⎥ t7$", text, re.MULTILINE)


def test_tokens_that_are_columns_have_their_column(layer: FloatSolution) -> None:
    drawn = np.random.default_rng(2).normal(size=(2, 20))
    solution = attnsolve.solve(attnsolve.problem({"layout": "columns", "queries": drawn, "keys": drawn}))
    assert re.search(r"q₁ .* q₁₂ .* q₂₀", render_text(solution.steps(Narration(tokens=("12",))), 200))


def test_weights_that_do_not_sum_to_one_are_found_out() -> None:
    ones = np.ones((3, 2))
    solution = attnsolve.solve(attnsolve.problem({"queries": ones, "keys": ones, "mask": "causal"}))
    quantity = solution["weights"].quantity
    assert all(law.holds for law in solution.laws(quantity))
    solution.arrays[quantity.key] = solution.arrays[quantity.key] + 1e-6
    assert [law.holds for law in solution.laws(quantity)] == [True, False, False]


def test_a_part_for_a_token_shows_its_vector_alone(layer: FloatSolution) -> None:
    text = render_text(layer.to_document(part="a"))
    assert "a⁽¹⁾₇ ≈ " in text
    assert "A⁽¹⁾ ≈ " not in text
    assert "S⁽¹⁾ ≈ " in text  # what it rests on is found as a whole
    assert "From part (a): K⁽¹⁾, K⁽²⁾." in render_text(layer.to_document())


def test_markdown_survives_github(layer: FloatSolution) -> None:
    for document in (layer.steps(), layer.to_document()):
        text = render_markdown(document)
        assert traps(text) == []
        assert r"\vdots & \vdots" in text
        assert r"\ddots" in text


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_a_summary_is_what_numpy_finds(rows: int, columns: int, seed: int, hidden: float) -> None:
    rng = np.random.default_rng(seed)
    array = rng.integers(-3, 4, (rows, columns)).astype(float)
    array[rng.random((rows, columns)) < hidden] = -np.inf
    found, finite = summarise(array), array[np.isfinite(array)]
    assert found.infinite == np.isneginf(array).sum()
    assert found.zeros == (array == 0).sum()
    if finite.size:
        assert found.mean == pytest.approx(finite.mean())
        for extreme, value in ((found.least, finite.min()), (found.greatest, finite.max())):
            assert extreme is not None
            assert extreme.value == array[extreme.row, extreme.column] == value
    else:
        assert found.least is found.greatest is None


def test_a_summary_of_several_blocks_has_the_places_of_the_whole() -> None:
    array = np.zeros((5, BLOCK // 2))
    array[3, 7], array[4, 9] = -2.0, 5.0
    found = summarise(array)
    assert (found.least.row, found.least.column, found.greatest.row, found.greatest.column) == (3, 7, 4, 9)


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────────


def test_json_has_every_entry_and_every_one_reads_back_as_the_same_float(layer: FloatSolution) -> None:
    data = json.loads(render(layer, layer.steps()))
    assert data["numbers"] == "float"
    assert [*data] == ["title", "kind", "numbers", "quantities", "parameters", "checks", "steps"]
    found = {(q["id"], q["head"]): q for q in data["quantities"] + data["parameters"]}
    assert {(q.key.id, q.key.head) for q in layer.graph} == found.keys()
    for q in layer.graph:
        entry = found[q.key.id, q.key.head]
        assert [*entry] == ["id", "head", "at", "symbol", "shape", "exact", "decimal"]
        assert entry["exact"] is None
        assert entry["shape"] == list(layer.value(q).shape)
        numbers = np.array([float(x) for x in np.ravel(entry["decimal"])])
        np.testing.assert_array_equal(numbers, layer.value(q).array.ravel())
        assert np.shape(entry["decimal"]) == layer.value(q).shape
    assert all(check["holds"] for check in data["checks"])
    assert {"weights-rows-sum-to-one", "weights-masked-weights-are-zero", "masked-blocked-where-masked"} <= {
        check["id"] for check in data["checks"]
    }


def test_json_to_so_many_digits_has_the_decimals_of_the_value(layer: FloatSolution) -> None:
    data = json.loads(render(layer, layer.steps(), 3))
    (output,) = [q for q in data["quantities"] if q["id"] == "output"]
    assert output["decimal"] == layer["output"].decimals(3)


def test_no_piece_of_json_holds_a_whole_matrix(layer: FloatSolution) -> None:
    numbers = [len(piece) for piece in pieces(layer, layer.steps(Narration(only=("output",))), whole=True)]
    scores = json.dumps(layer["scores", 1].array.astype(str).tolist())
    assert max(numbers) < len(scores) / 4


def test_a_vector_is_a_flat_list() -> None:
    solution = attnsolve.solve(attnsolve.problem({"queries": np.ones(2), "keys": np.ones((3, 2))}))
    data = json.loads(render(solution, solution.to_document()))
    assert data["quantities"][0]["decimal"] == ["1.0", "1.0"]
    assert data["quantities"][-1]["shape"] == [3]


# ── the command line ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Callable[..., tuple[Any, str, str]]:
    path = tmp_path / "layer.yaml"
    path.write_text(PROBLEM, encoding="utf-8")

    def command(name: str, *arguments: str) -> tuple[Any, str, str]:
        monkeypatch.setattr("sys.argv", ["attnsolve", name, str(path), *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        captured = capsys.readouterr()
        return end.value.code, captured.out, captured.err

    return command


def test_export_writes_what_is_printed(run: Callable[..., tuple[Any, str, str]], tmp_path: Path) -> None:
    assert run("export", str(tmp_path / "out.json"))[0] == 0
    assert run("export", str(tmp_path / "out.md"))[0] == 0
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    printed = json.loads(run("solve", "--format", "json")[1])
    assert written["quantities"] == printed["quantities"]
    assert r"\ddots" in (tmp_path / "out.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("arguments", [("explain", "scores[1,1]"), ("check",), ("lint",)])
def test_what_needs_exact_numbers_is_refused_in_one_sentence(
    run: Callable[..., tuple[Any, str, str]], arguments: tuple[str, ...]
) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "this problem is computed in float64: write numbers: exact" in err
    assert err.count("\n") == 1


def test_the_command_line_writes_every_format(run: Callable[..., tuple[Any, str, str]]) -> None:
    code, out, _ = run("solve", "--format", "json")
    assert (code, json.loads(out)["numbers"], out.count("\n")) == (0, "float", 1)
    assert r"\cdots" in run("solve", "--format", "markdown")[1]
    assert "a⁽²⁾₇ ≈" in run("solve", "--part", "a")[1]
    assert "A₂" not in run("solve", "--only", "A_1")[1]


# ── large exact matrices ──────────────────────────────────────────────────────────────────────────


def test_a_large_exact_matrix_is_shown_by_its_corners_unless_every_detail_is_wanted() -> None:
    rows = [[i + j for j in range(13)] for i in range(30)]
    solution = attnsolve.solve(attnsolve.problem({"queries": rows, "keys": [[1] * 13, [2] * 13], "scaling": "none"}))
    text = render_text(solution.to_document())
    assert "Q = ⎢ 2   3   4   5   6   7  ⋯  14⎥ q₃" in text
    assert text.count("Only the corners of large matrices are shown") == 1
    full = render_text(solution.to_document(Narration(detail="full")))
    assert "⋯" not in full
    assert "q₁₇" in full
    data = json.loads(render(solution, solution.steps()))
    assert len(data["quantities"][0]["decimal"]) == 30


def test_an_exact_corner_has_the_sign_that_its_entries_have() -> None:
    rows = [[1] * 13 for _ in range(13)]
    solution = attnsolve.solve(attnsolve.problem({"queries": rows, "keys": rows, "scaling": "none"}))
    ends = {
        sign
        for chain in chains(solution.to_document().blocks)
        for sign, part in chain.links
        if isinstance(part, n.Grid)
    }
    assert ends == {"=", "≈"}  # the weights are 1/13
    text = render_text(solution.to_document())
    assert re.search(r"S = ⎢ *13( +13){5} +⋯ +13 *⎥", text)
    assert re.search(r"A ≈ ⎢0\.07692( +0\.07692){5} +⋯ +0\.07692⎥", text)


def test_no_primitive_writes_over_what_it_was_given() -> None:
    stored, two = Arrays(np.ones((2, 2))), Arrays.constant(PlainNumber(2))
    made = stored @ stored
    for matrix, entries in ((stored, 1.0), (made, 2.0)):
        results = (matrix / two, matrix * two, matrix + two, matrix - two, matrix.maximum(two), matrix.exp(EULER))
        results += (matrix.apply("tanh"), matrix.finite(), matrix.softmax(EULER), matrix.share(), matrix.reduce("max"))
        assert all(result.array is not matrix.array for result in results)
        np.testing.assert_array_equal(matrix.array, np.full((2, 2), entries))
