"""A second implementation of attention, in float64 NumPy and from the definitions, held against every solution.

Problems are drawn at random over all options together and written as the YAML that a person would write. Everything
here is kept with tokens as rows; `layout: columns` is only a matter of writing the transposes down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
import sympy
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import attnsolve
from attnsolve.errors import UnsolvableError
from attnsolve.measured import Measured, MeasuredValue
from attnsolve.numbers import closed
from attnsolve.numbers.balls import at_precision, ball
from attnsolve.operations.formula import Key
from attnsolve.solution import Solution, Value
from attnsolve.spec.load import parse

Array = NDArray[np.float64]
DIGITS = 6


class Number(NamedTuple):
    """What is written in the file, and what it is worth."""

    text: str
    value: float


Matrix = tuple[tuple[Number, ...], ...]

BLOCKED = Number("-inf", -math.inf)


def worth(matrix: Matrix) -> Array:
    return np.array([[number.value for number in row] for row in matrix])


def turned(matrix: Matrix) -> Matrix:
    return tuple(zip(*matrix, strict=True))


# ── a problem ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Problem:
    """One attention problem, tokens as rows."""

    given: Mapping[str, Sequence[Matrix]]
    """Quantities that the file states: one matrix, or one a head."""
    projections: Sequence[Mapping[str, Matrix]] = ()
    """W_Q, b_Q and so on: one mapping, or one a head."""
    identity: bool = False
    split: int = 0
    """How many heads wide matrices are cut into."""
    output: Mapping[str, Matrix] = field(default_factory=dict)
    scaling: str | Number | None = None
    d_k: int | None = None
    mask: str | Matrix | None = None
    softmax: str = "e"
    """e, sum, or the base."""
    columns: bool = False
    numbering: int = 1
    flat: bool = False
    """A single query, written as one plain list."""
    stable: bool = False

    @property
    def heads(self) -> int:
        return max(self.split, len(self.projections), *(len(parts) for parts in self.given.values()))

    # ── as a file ──

    def yaml(self) -> str:
        lines = [f"numbering: {self.numbering}", f"digits: {DIGITS}"]
        lines += ["layout: columns"] if self.columns else []
        inside = [f"{name}: {self._parts(name, parts)}" for name, parts in self.given.items() if name in LATER]
        lines += [f"{name}: {self._parts(name, parts)}" for name, parts in self.given.items() if name not in LATER]
        lines += [f"given: {{{', '.join(inside)}}}"] if inside else []
        lines += ["weights: identity"] if self.identity else []
        if self.projections:
            lines.append("weights:")
            for projection in self.projections:
                texts = ", ".join(f"{name}: {self._parameter(name, matrix)}" for name, matrix in projection.items())
                lines.append(f"  {'- ' if len(self.projections) > 1 else ''}{{{texts}}}")
            if len(self.projections) == 1:
                lines[-2:] = [f"weights: {lines[-1].strip()}"]
        lines += [f"heads: {self.split}"] if self.split else []
        lines += [f"{name}: {self._parameter(name, matrix)}" for name, matrix in self.output.items()]
        if self.scaling is not None:
            lines.append(f"scaling: {self.scaling if isinstance(self.scaling, str) else self.scaling.text}")
        lines += [f"d_k: {self.d_k}"] if self.d_k else []
        if self.mask is not None:
            lines.append(f"mask: {self.mask if isinstance(self.mask, str) else self._matrix(self.mask, self.flat)}")
        if self.softmax != "e":
            lines.append("softmax: sum" if self.softmax == "sum" else f"softmax: {{base: {self.softmax}}}")
        lines += ["stable: true"] if self.stable else []
        return "\n".join(lines) + "\n"

    def _parts(self, name: str, parts: Sequence[Matrix]) -> str:
        texts = [self._matrix(part, self.flat and name in OF_QUERIES) for part in parts]
        return f"[{', '.join(texts)}]" if len(texts) > 1 else texts[0]

    def _parameter(self, name: str, matrix: Matrix) -> str:
        return self._matrix(matrix, flat=name.startswith("b"))

    def _matrix(self, matrix: Matrix, flat: bool) -> str:
        if flat:
            return row_text(matrix[0])
        return f"[{', '.join(map(row_text, turned(matrix) if self.columns else matrix))}]"

    # ── as NumPy works it out ──

    def solve(self) -> dict[Key, Array]:
        """Every quantity that is asked for, by its id and the label of its head."""
        return {
            Key(name, None if head is None else str(head + self.numbering)): self._written(name, array)
            for (name, head), array in Attention(self).work().items()
        }

    def _written(self, name: str, array: Array) -> Array:
        if self.flat and name in OF_QUERIES:
            return array.ravel()
        return array.T if self.columns else array


LATER = ("scores", "scaled", "masked", "weights")
OF_QUERIES = ("inputs", "queries", *LATER, "context", "concat", "output")


def row_text(row: Iterable[Number]) -> str:
    return f"[{', '.join(number.text for number in row)}]"


class Attention:
    """softmax(Q Kᵀ / √d_k + M) V, head by head."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.found: dict[tuple[str, int | None], Array] = {}

    def work(self) -> dict[tuple[str, int | None], Array]:
        problem, found = self.problem, self.found
        for name in ("inputs", "memory"):
            if name in problem.given:
                found[name, None] = worth(problem.given[name][0])
        heads = range(problem.heads) if problem.heads > 1 else [None]
        for head in heads:
            if not problem.given.keys() & set(LATER):
                self.project("queries", head)
                self.project("keys", head)
            if self.valued:
                self.project("values", head)
            self.attend(head)
        if self.valued:
            self.put_together(list(heads))
        return found

    @property
    def valued(self) -> bool:
        return "values" in self.problem.given or bool(self.problem.projections) or self.problem.identity

    def project(self, name: str, head: int | None) -> None:
        if not self.problem.split:
            self.found[name, head] = self.projected(name, head or 0)
            return
        wide = self.found.setdefault((name, None), self.projected(name, 0))
        self.found[name, head] = np.split(wide, self.problem.split, axis=1)[head or 0]

    def projected(self, name: str, head: int) -> Array:
        problem = self.problem
        if name in problem.given:
            return worth(problem.given[name][head])
        cross = name != "queries" and "memory" in problem.given
        source = self.found["memory" if cross else "inputs", None]
        if problem.identity:
            return source
        letter = name[0].upper()
        projection = problem.projections[head]
        product = source @ worth(projection[f"W_{letter}"])
        return product + worth(projection[f"b_{letter}"]) if f"b_{letter}" in projection else product

    def attend(self, head: int | None) -> None:
        """From scores, or from whatever later thing is given, to the context."""
        problem, found = self.problem, self.found
        stated = {name: worth(problem.given[name][head or 0]) for name in LATER if name in problem.given}
        found.update({(name, head): array for name, array in stated.items()})
        if not stated:
            found["scores", head] = found["queries", head] @ found["keys", head].T
        latest = found.get(("scores", head), next(iter(stated.values()), None))
        if not stated.keys() - {"scores"} and problem.scaling != "none":
            latest = found["scaled", head] = latest / self.divisor(head)
        if not stated.keys() & {"masked", "weights"} and problem.mask is not None:
            latest = found["masked", head] = latest + self.added(latest.shape)
        if "weights" not in stated:
            latest = found["weights", head] = self.shares(latest)
        if self.valued:
            found["context", head] = latest @ found["values", head]

    def divisor(self, head: int | None) -> float:
        scaling = self.problem.scaling
        if isinstance(scaling, Number):
            return scaling.value
        return math.sqrt(self.problem.d_k or self.found["keys", head].shape[1])

    def added(self, shape: tuple[int, ...]) -> Array:
        mask = self.problem.mask
        if isinstance(mask, str):
            return np.where(np.tri(*shape, dtype=bool), 0.0, -np.inf)
        array = worth(mask)
        return np.where(array == 1, 0.0, -np.inf) if np.isin(array, (0, 1)).all() else array

    def shares(self, scores: Array) -> Array:
        allowed = np.isfinite(scores)
        if self.problem.softmax == "sum":
            powers = np.where(allowed & (np.abs(scores) > 1e-12), scores, 0.0)
        else:
            base = {"e": math.e, "3/2": 1.5}.get(self.problem.softmax) or float(self.problem.softmax)
            top = np.max(np.where(allowed, scores, -1e300), axis=1, keepdims=True)
            powers = np.where(allowed, np.exp(np.where(allowed, scores - top, 0.0) * math.log(base)), 0.0)
        total = powers.sum(axis=1, keepdims=True)
        scale = np.abs(powers).max(axis=1, keepdims=True)
        if np.any((np.abs(total) <= 1e-12 * scale) & (scale > 0)):
            raise ZeroDivisionError
        return powers / np.where(scale > 0, total, 1.0)

    def put_together(self, heads: list[int | None]) -> None:
        found, output = self.found, self.problem.output
        joined = np.hstack([found["context", head] for head in heads])
        if len(heads) > 1:
            found["concat", None] = joined
        if output:
            found["output", None] = joined @ worth(output["W_O"]) + (worth(output["b_O"]) if "b_O" in output else 0)


# ── problems at random ────────────────────────────────────────────────────────────────────────────

WHOLE = [Number(str(n), n) for n in range(-3, 4)]
DECIMAL = [Number(f"{n / 10}", n / 10) for n in range(-20, 21, 3)]
FRACTION = [Number(f"{n}/{d}", n / d) for d in (2, 3, 7) for n in (-5, -2, -1, 1, 3, 4)]
SURD = [Number("sqrt(2)", 2**0.5), Number("-sqrt(3)/2", -(3**0.5) / 2), Number("1 + sqrt(2)", 1 + 2**0.5)]
STYLES = [WHOLE, WHOLE, DECIMAL + WHOLE, FRACTION + WHOLE, SURD + WHOLE]
DIVISORS = [Number("2", 2), Number("0.5", 0.5), Number("3/4", 0.75), Number("sqrt(3)", 3**0.5), Number("8", 8)]
ADDED = [BLOCKED, Number("0", 0), Number("-1", -1), Number("1/2", 0.5), Number("2", 2)]
ALLOWED = [Number("0", 0), Number("1", 1)]
STARTS = ["inputs"] * 4 + ["identity"] + ["queries"] * 2 + [*LATER]
side = st.integers(1, 3)


def matrices(rows: int, columns: int, numbers: Sequence[Number]) -> st.SearchStrategy[Matrix]:
    row = st.lists(st.sampled_from(numbers), min_size=columns, max_size=columns).map(tuple)
    return st.lists(row, min_size=rows, max_size=rows).map(tuple)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Any problem that can be written, every option drawn by itself."""
    start, numbers = draw(st.sampled_from(STARTS)), draw(st.sampled_from(STYLES))
    queries, keys = draw(side), draw(side)
    shape = draw(st.sampled_from(("one", "list", "wide")))
    if start in LATER and shape == "wide":
        shape = "one"
    heads = 1 if shape == "one" else draw(st.integers(2, 3))
    flat = queries == 1 and shape != "list" and draw(st.booleans())
    own = start in ("inputs", "identity") and not flat and draw(st.booleans())
    keys = queries if own else keys
    if start in ("inputs", "identity"):
        problem = draw(from_tokens(start, queries, keys, own, shape, heads, numbers))
    elif start == "queries":
        problem = draw(from_queries(queries, keys, shape, heads, numbers))
    else:
        problem = draw(from_scores(start, queries, keys, heads, numbers))
    problem = replace(problem, flat=flat, columns=draw(st.booleans()), numbering=draw(st.integers(0, 1)))
    problem = draw(with_scaling(problem))
    if start not in ("masked", "weights"):
        problem = replace(problem, mask=draw(masks(queries, keys)))
    if start != "weights":
        softmax = draw(st.sampled_from(("e", "e", "2", "3", "10", "3/2", "sum")))
        problem = replace(problem, softmax=softmax, stable=draw(st.booleans()))
    return draw(with_output(problem, numbers))


@st.composite
def from_tokens(
    draw: st.DrawFn, start: str, queries: int, keys: int, own: bool, shape: str, heads: int, numbers: Sequence[Number]
) -> Problem:
    """Inputs, perhaps a memory, and weights (or none: the tokens serve as they are)."""
    width, other = draw(side), draw(side)
    if start == "identity":
        width = other = width * heads
        shape = "wide" if heads > 1 else "one"
    given = {"inputs": [draw(matrices(queries, width, numbers))]}
    if not own:
        given["memory"] = [draw(matrices(keys, other, numbers))]
    split = heads if shape == "wide" else 0
    if start == "identity":
        return Problem(given, identity=True, split=split)
    projections = []
    for _ in range(heads if shape == "list" else 1):
        d_k, d_v = (draw(side) * (split or 1) for _ in range(2))
        projection = {}
        for letter, rows, columns in (
            ("Q", width, d_k),
            ("K", width if own else other, d_k),
            ("V", width if own else other, d_v),
        ):
            projection[f"W_{letter}"] = draw(matrices(rows, columns, numbers))
            if draw(st.booleans()):
                projection[f"b_{letter}"] = draw(matrices(1, columns, numbers))
        projections.append(projection)
    return Problem(given, projections, split=split)


@st.composite
def from_queries(
    draw: st.DrawFn, queries: int, keys: int, shape: str, heads: int, numbers: Sequence[Number]
) -> Problem:
    """Queries and keys are stated, and perhaps values."""
    split = heads if shape == "wide" else 0
    given: dict[str, list[Matrix]] = {"queries": [], "keys": [], "values": []}
    for _ in range(heads if shape == "list" else 1):
        d_k, d_v = (draw(side) * (split or 1) for _ in range(2))
        given["queries"].append(draw(matrices(queries, d_k, numbers)))
        given["keys"].append(draw(matrices(keys, d_k, numbers)))
        given["values"].append(draw(matrices(keys, d_v, numbers)))
    if not split and draw(st.booleans()):
        del given["values"]
    return Problem(given, split=split)


@st.composite
def from_scores(draw: st.DrawFn, start: str, queries: int, keys: int, heads: int, numbers: Sequence[Number]) -> Problem:
    """Scores are stated, or what is made from them."""
    entries = numbers if start == "weights" else [*numbers, BLOCKED]
    given = {start: [draw(matrices(queries, keys, entries)) for _ in range(heads)]}
    if draw(st.booleans()):
        given["values"] = [draw(matrices(keys, draw(side), numbers)) for _ in range(heads)]
    return Problem(given)


@st.composite
def with_scaling(draw: st.DrawFn, problem: Problem) -> Problem:
    scaling = draw(st.sampled_from([None, "none", "sqrt_dk", *DIVISORS]))
    if "scores" in problem.given and scaling in (None, "sqrt_dk"):
        return replace(problem, scaling=scaling, d_k=draw(st.sampled_from((1, 2, 3, 4, 64))))
    return replace(problem, scaling=scaling)


def masks(queries: int, keys: int) -> st.SearchStrategy[str | Matrix | None]:
    sorts = [st.none(), matrices(queries, keys, ALLOWED)]
    sorts.append(matrices(queries, keys, ADDED).filter(lambda mask: not {n for row in mask for n in row} <= {*ALLOWED}))
    if queries == keys:
        sorts.append(st.just("causal"))
    return st.one_of(sorts)


@st.composite
def with_output(draw: st.DrawFn, problem: Problem, numbers: Sequence[Number]) -> Problem:
    if not Attention(problem).valued or draw(st.booleans()):
        return problem
    if "values" in problem.given:
        width = sum(len(part[0]) for part in problem.given["values"])
    elif problem.identity:
        width = len(problem.given["memory" if "memory" in problem.given else "inputs"][0][0])
    else:
        width = sum(len(projection["W_V"][0]) for projection in problem.projections)
    columns = draw(side)
    output = {"W_O": draw(matrices(width, columns, numbers))}
    if draw(st.booleans()):
        output["b_O"] = draw(matrices(1, columns, numbers))
    return replace(problem, output=output)


# ── holding the two against each other ────────────────────────────────────────────────────────────


def solve(text: str) -> Any:
    (problem,) = parse(text, "p.yaml")
    return attnsolve.solve(problem)


def quantities(solution: Solution | Measured) -> dict[Key, Value | MeasuredValue]:
    return {q.key: solution.value(q) for q in solution.graph if not q.parameter}


def reference(problem: Problem) -> dict[Key, Array] | None:
    """What NumPy finds; None where it divides by a sum of zero. 0/0 of allowed scores, and sums so near to zero that
    float64 can't tell, are not asked about."""
    try:
        found = problem.solve()
    except ZeroDivisionError:
        return None
    if problem.softmax == "sum":
        for key in found:
            if key.id == "weights":
                assume(np.abs(found[key]).max() < 1e3)
                sums = found[key].sum(axis=0 if problem.columns and not problem.flat else -1)
                before = next(
                    found[k] for k in (Key(i, key.head) for i in ("masked", "scaled", "scores")) if k in found
                )
                empty = ~np.isfinite(before).any(axis=0 if problem.columns and not problem.flat else -1)
                assume(np.all(np.isclose(sums, 1) | empty))
    return found


def assert_close(ours: Array, theirs: Array) -> None:
    finite = theirs[np.isfinite(theirs)]
    scale = max(1.0, float(np.abs(finite).max(initial=0.0)))
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11 * scale)


def assert_decimals(texts: list[Any], theirs: Array) -> None:
    """Each decimal is the float, to within half a unit of its last place."""
    flat = [text for row in texts for text in row] if theirs.ndim == 2 else texts
    scale = max(1.0, float(np.abs(theirs[np.isfinite(theirs)]).max(initial=0.0)))
    for text, value in zip(flat, theirs.ravel().tolist(), strict=True):
        if value == -math.inf:
            assert text == "-inf"
            continue
        half = 0.5 * 10.0 ** (math.floor(math.log10(abs(value))) + 1 - DIGITS) if value else 0.0
        assert abs(float(text) - value) <= half * (1 + 1e-6) + 1e-11 * scale, (text, value)


@settings(max_examples=150, deadline=None)
@given(problems())
def test_every_quantity_is_what_numpy_makes_of_it(problem: Problem) -> None:
    assert_agrees(problem, problem.yaml())


@settings(max_examples=100, deadline=None)
@given(problems())
def test_every_float64_quantity_is_what_numpy_makes_of_it(problem: Problem) -> None:
    assert_agrees(problem, f"numbers: float\n{problem.yaml()}")


def assert_agrees(problem: Problem, text: str) -> None:
    theirs = reference(problem)
    if theirs is None:
        event("a row sums to zero")
        with pytest.raises(UnsolvableError, match="sum to 0"):
            solve(text)
        return
    ours = quantities(solve(text))
    assert ours.keys() == theirs.keys()
    for key, value in ours.items():
        assert value.shape == theirs[key].shape, key
        assert_close(value.array, theirs[key])
        assert_decimals(value.decimals(DIGITS), theirs[key])


@settings(max_examples=60, deadline=None)
@given(problems())
def test_every_closed_form_is_worth_what_numpy_finds(problem: Problem) -> None:
    theirs = reference(problem)
    assume(theirs is not None)
    solution = solve(problem.yaml())
    for key, array in theirs.items():
        exact = solution.exact[key]
        if exact is not None:
            with at_precision(200):
                values = np.array([[float(ball(cell)) for cell in row] for row in exact.rows])
            assert_close(values.reshape(array.shape), array)


@settings(max_examples=25, deadline=None)
@given(problems())
def test_the_weights_of_each_token_sum_to_one_and_are_zero_where_masked(problem: Problem) -> None:
    assume(reference(problem) is not None and not problem.given.keys() & {"weights"})
    problem = replace(problem, columns=False, flat=False)
    solution = solve(problem.yaml())
    for key, exact in solution.exact.items():
        if key.id == "weights":
            before = next(solution.exact[k] for k in solution.graph[key].formula.leaves())
            for weights, scores in zip(exact.rows, before.rows, strict=True):
                blocked = [isinstance(score, float) for score in scores]
                assert all(weight == 0 for weight, hidden in zip(weights, blocked, strict=True) if hidden)
                assert closed.add(weights) == (0 if all(blocked) else 1)


# ── laws ──────────────────────────────────────────────────────────────────────────────────────────


@st.composite
def self_attention(draw: st.DrawFn, shapes: Sequence[str] = ("one", "list", "wide")) -> Problem:
    """Tokens that attend to each other, in a softmax of any base."""
    numbers, tokens = draw(st.sampled_from(STYLES)), draw(side)
    shape = draw(st.sampled_from(shapes))
    heads = 1 if shape == "one" else draw(st.integers(2, 3))
    problem = draw(from_tokens("inputs", tokens, tokens, True, shape, heads, numbers))
    problem = replace(
        problem,
        columns=draw(st.booleans()),
        scaling=draw(st.sampled_from([None, "none", *DIVISORS])),
        softmax=draw(st.sampled_from(("e", "2", "3/2"))),
        mask=draw(st.none() | matrices(tokens, tokens, ALLOWED)),
    )
    return draw(with_output(problem, numbers))


Cells = list[list[Any]]


def exactly(solution: Solution, columns: bool = False) -> dict[Key, Cells | None]:
    """The exact cells of every quantity, tokens as rows again."""
    found = {}
    for key in quantities(solution):
        exact = solution.exact[key]
        rows = None if exact is None else exact.rows
        found[key] = rows if rows is None else [list(row) for row in (zip(*rows, strict=True) if columns else rows)]
    return found


def printed(solution: Solution, columns: bool = False) -> dict[Key, Cells]:
    """The decimals of every quantity, tokens as rows again."""
    found = {key: value.decimals(20) for key, value in quantities(solution).items()}
    return {key: [list(row) for row in zip(*rows, strict=True)] if columns else rows for key, rows in found.items()}


@settings(max_examples=25, deadline=None)
@given(self_attention(), st.randoms(use_true_random=False))
def test_permuting_the_tokens_permutes_every_result(problem: Problem, random: Any) -> None:
    tokens = len(problem.given["inputs"][0])
    order = random.sample(range(tokens), tokens)
    moved = replace(problem, given={"inputs": [permuted(problem.given["inputs"][0], order)]})
    if problem.mask is not None:
        moved = replace(moved, mask=tuple(zip(*permuted(turned(permuted(problem.mask, order)), order), strict=True)))
    before, after = (forms(solve(p.yaml()), p.columns) for p in (problem, moved))
    assert before.keys() == after.keys()
    for key, rows in before.items():
        expected = None if rows is None else permuted(rows, order)
        if expected is not None and key[0].id in LATER:
            expected = [permuted(row, order) for row in expected]
        assert after[key] == (None if expected is None else [list(row) for row in expected]), key


def permuted(rows: Sequence[Any], order: Sequence[int]) -> tuple[Any, ...]:
    return tuple(rows[i] for i in order)


def forms(solution: Solution, columns: bool) -> dict[tuple[Key, str], Any]:
    """Exact cells and decimals together."""
    exact = {(key, "exact"): rows for key, rows in exactly(solution, columns).items()}
    return exact | {(key, "printed"): rows for key, rows in printed(solution, columns).items()}


@settings(max_examples=25, deadline=None)
@given(self_attention())
def test_columns_and_rows_of_one_problem_are_transposes_of_each_other(problem: Problem) -> None:
    rows, columns = (solve(replace(problem, columns=down).yaml()) for down in (False, True))
    assert forms(rows, False) == forms(columns, True)


@settings(max_examples=25, deadline=None)
@given(self_attention(shapes=["wide"]))
def test_heads_in_a_list_are_the_wide_matrices_cut_apart(problem: Problem) -> None:
    (wide,) = problem.projections
    width = {name: len(matrix[0]) // problem.split for name, matrix in wide.items()}
    heads = [
        {name: tuple(row[h * width[name] : (h + 1) * width[name]] for row in matrix) for name, matrix in wide.items()}
        for h in range(problem.split)
    ]
    listed = replace(problem, projections=heads, split=0)
    ours, theirs = (forms(solve(p.yaml()), p.columns) for p in (listed, problem))
    assert ours == {key: rows for key, rows in theirs.items() if key in ours}
    uncut = {Key("queries"), Key("keys"), Key("values")}
    assert {key for key, _ in theirs} - {key for key, _ in ours} == uncut


@pytest.mark.parametrize("numbers", [("1", "0"), ("0", "-inf")], ids=["allowed", "added"])
@settings(max_examples=20, deadline=None)
@given(self_attention())
def test_the_causal_mask_is_the_lower_triangle(numbers: tuple[str, str], problem: Problem) -> None:
    tokens = len(problem.given["inputs"][0])
    assume(tokens > 1)
    past, future = (Number(text, math.nan) for text in numbers)
    triangle = tuple(tuple(past if j <= i else future for j in range(tokens)) for i in range(tokens))
    causal, written = (solve(replace(problem, mask=mask).yaml()) for mask in ("causal", triangle))
    assert forms(causal, False) == forms(written, False)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 3).flatmap(lambda n: matrices(2, n, [*WHOLE, *FRACTION, BLOCKED])),
    st.sampled_from([*WHOLE, *FRACTION, *SURD]),
    st.sampled_from(("e", "2", "3/2", "4")),
)
def test_a_constant_added_to_the_scores_leaves_the_weights_exactly_as_they_are(
    scores: Matrix, constant: Number, softmax: str
) -> None:
    raised = tuple(
        tuple(x if x == BLOCKED else Number(f"{x.text} + {constant.text}", math.nan) for x in row) for row in scores
    )
    before, after = (solve(Problem({"scores": [s]}, scaling="none", softmax=softmax).yaml()) for s in (scores, raised))
    assert before["weights"].decimals(30) == after["weights"].decimals(30)
    ours, theirs = (solution.exact[Key("weights")].rows for solution in (before, after))
    for one, other in zip(sum(ours, ()), sum(theirs, ()), strict=True):
        assert closed.add([one, closed.multiply(other, sympy.S.NegativeOne)]) == 0


@settings(max_examples=25, deadline=None)
@given(self_attention())
def test_taking_the_maximum_off_first_changes_nothing(problem: Problem) -> None:
    plain, stable = (solve(replace(problem, stable=stable).yaml()) for stable in (False, True))
    assert forms(plain, False) == forms(stable, False)


@settings(max_examples=25, deadline=None)
@given(self_attention(shapes=["one"]))
def test_starting_from_the_scores_leads_to_the_same_weights(problem: Problem) -> None:
    whole = solve(problem.yaml())
    texts = solve(problem.yaml())["scores"].exact_text
    stated = tuple(tuple(Number(text, math.nan) for text in row) for row in texts)
    stated = turned(stated) if problem.columns else stated
    d_k = len(problem.projections[0]["W_K"][0])
    middle = replace(problem, given={"scores": [stated]}, projections=(), output={}, d_k=d_k)
    assert forms(solve(middle.yaml()), False) == {
        key: rows for key, rows in forms(whole, False).items() if key[0].id in LATER
    }


@settings(max_examples=25, deadline=None)
@given(self_attention(shapes=["one"]), st.data())
def test_a_token_that_nobody_may_look_at_has_no_say_in_the_others(problem: Problem, data: st.DataObject) -> None:
    (tokens,) = problem.given["inputs"]
    hidden = data.draw(st.integers(0, len(tokens) - 1))
    mask = tuple(tuple(ALLOWED[j != hidden] for j in range(len(tokens))) for _ in tokens)
    other = data.draw(matrices(1, len(tokens[0]), WHOLE))[0]
    changed = tuple(other if i == hidden else row for i, row in enumerate(tokens))
    results = [
        forms(solve(replace(problem, given={"inputs": [inputs]}, mask=mask).yaml()), problem.columns)
        for inputs in (tokens, changed)
    ]
    for form in ("exact", "printed"):
        before, after = (
            [row for i, row in enumerate(result[Key("context"), form]) if i != hidden] for result in results
        )
        assert before == after


@settings(max_examples=25, deadline=None)
@given(self_attention())
def test_the_identity_as_an_output_projection_leaves_the_heads_as_they_are(problem: Problem) -> None:
    solution = solve(replace(problem, output={}).yaml() + "W_O: identity\n")
    joined = Key("concat") if problem.heads > 1 else Key("context")
    found = forms(solution, False)
    for form in ("exact", "printed"):
        assert found[Key("output"), form] == found[joined, form]
