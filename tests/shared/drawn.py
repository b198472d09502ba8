"""Problems at random, every option drawn by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from shared.seq2seq import Seq2seq, weight_shapes
from shared.written import BLOCKED, LATER, Matrix, Number, Part, Problem, Rounding

from attnsolve.spec.seq2seq import SCORES

WHOLE = [Number(str(n), n) for n in range(-3, 4)]
DECIMAL = [Number(f"{n / 10}", n / 10) for n in range(-20, 21, 3)]
FRACTION = [Number(f"{n}/{d}", n / d) for d in (2, 3, 7) for n in (-5, -2, -1, 1, 3, 4)]
SURD = [Number("sqrt(2)", 2**0.5), Number("-sqrt(3)/2", -(3**0.5) / 2), Number("1 + sqrt(2)", 1 + 2**0.5)]
STYLES = [WHOLE, WHOLE, DECIMAL + WHOLE, FRACTION + WHOLE, SURD + WHOLE]
DIVISORS = [Number("2", 2), Number("0.5", 0.5), Number("3/4", 0.75), Number("sqrt(3)", 3**0.5), Number("8", 8)]
ADDED = [BLOCKED, Number("0", 0), Number("-1", -1), Number("1/2", 0.5), Number("2", 2)]
ALLOWED = [Number("0", 0), Number("1", 1)]
STARTS = ["inputs"] * 4 + ["sources"] * 2 + ["identity"] + ["queries"] * 2 + [*LATER]
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
    if start == "sources":
        problem = draw(from_sources(queries, keys, shape, heads, numbers))
    elif start in ("inputs", "identity"):
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
        softmax = draw(st.sampled_from(("e", "e", "2", "3", "4", "3/2", "9/4", "sum")))
        problem = replace(problem, softmax=softmax, stable=softmax != "sum" and draw(st.booleans()))
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
def from_sources(
    draw: st.DrawFn, queries: int, keys: int, shape: str, heads: int, numbers: Sequence[Number]
) -> Problem:
    """Queries, keys and values each made from inputs of their own."""
    problem = draw(from_tokens("inputs", queries, keys, False, shape, heads, numbers))
    width = draw(side)
    value_inputs = draw(matrices(keys, width, numbers))
    projections = []
    for projection in problem.projections:
        columns = len(projection["W_V"][0])
        projections.append({**projection, "W_V": draw(matrices(width, columns, numbers))})
    given = {
        "query_inputs": problem.given["inputs"],
        "key_inputs": problem.given["memory"],
        "value_inputs": [value_inputs],
    }
    return replace(problem, given=given, projections=projections)


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
    if problem.given.keys() & {"scaled", "masked", "weights"}:
        return replace(problem, scaling=draw(st.sampled_from((None, "none"))))
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
    if not problem.valued or draw(st.booleans()):
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


# ── how it is told ────────────────────────────────────────────────────────────────────────────────

WORDS = ["tea", "hot pot", "Straße", "x_1", "50% & more", "猫", "a|b", "-", "yes", "[CLS]"]
LETTERS = {"scores": "z", "weights": "a", "context": "t", "queries": "p", "state": "d", "states": "f"}


def words(count: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(WORDS), min_size=count, max_size=count, unique=True)


@st.composite
def combined(draw: st.DrawFn) -> Problem:
    """Any problem, told in any way."""
    problem = draw(problems())
    names: dict[str, Sequence[str]] = {}
    if draw(st.booleans()) and not problem.flat:
        rows = next(iter(problem.given.values()))
        names["tokens"] = draw(words(len(rows[0])))
    if draw(st.booleans()) and "memory" in problem.given:
        names["memory_tokens"] = draw(words(len(problem.given["memory"][0])))
    if draw(st.booleans()) and "key_inputs" in problem.given:
        names["memory_tokens"] = draw(words(len(problem.given["key_inputs"][0])))
    problem = replace(problem, names=names)
    return draw(told(problem, {key: LETTERS[key] for key in ("scores", "weights", "context", "queries")}))


@st.composite
def told(draw: st.DrawFn, problem: Any, letters: dict[str, str]) -> Any:
    """The options that have to do with how results are asked for, named, rounded and shown."""
    chosen = draw(st.dictionaries(st.sampled_from([*letters]), st.just(""), max_size=3))
    results = _results(problem)
    some = ("one quantity",) if results else ()
    rounding = draw(st.sampled_from(("none", "none", "shown", "each-step", *some)))
    places = draw(st.integers(0, 5))
    return replace(
        problem,
        digits=draw(st.integers(1, 12)),
        vectors=draw(st.sampled_from(("", "rows", "columns"))),
        notation={name: letters[name] for name in chosen},
        rounding={
            "none": None,
            "shown": Rounding(places),
            "each-step": Rounding(places, each_step=True),
            "one quantity": Rounding(places, each_step=True, only=draw(st.sampled_from(results or ("weights",)))),
        }[rounding],
    )


def _results(problem: Any) -> tuple[str, ...]:
    """Of scores and weights those that are worked out."""
    given = getattr(problem, "given", {})
    if "weights" in given:
        return ()
    return ("weights",) if given.keys() & set(LATER) else ("weights", "scores")


@st.composite
def with_parts(draw: st.DrawFn, problem: Any, found: Sequence[str], tokens: int) -> Any:
    """The same problem with questions about some of the results that it has."""
    if not found or draw(st.booleans()):
        return problem
    wanted = draw(st.lists(st.sampled_from(found), min_size=1, max_size=3, unique=True))
    by = st.sampled_from(("", "token", "matrix", "cell"))
    return replace(
        problem, parts=[Part(name, draw(by), draw(st.sampled_from((None, None, 1, tokens)))) for name in wanted]
    )


@st.composite
def encoder_decoders(draw: st.DrawFn) -> Seq2seq:
    """Any score, one decoder state or several, told in any way."""
    score, numbers = draw(st.sampled_from([*SCORES])), draw(st.sampled_from(STYLES))
    steps, states, width, hidden = (draw(side) for _ in range(4))
    own = width if score in ("dot", "scaled-dot", "cosine") else draw(side)
    shapes = weight_shapes(score, states, width, own, hidden)
    shapes |= {"W_c": (draw(side), width + own)} if draw(st.booleans()) else {}
    flat = steps == 1 and draw(st.booleans())
    names: dict[str, Sequence[str]] = {"tokens": draw(words(states))} if draw(st.booleans()) else {}
    names |= {"steps": draw(words(steps))} if not flat and draw(st.booleans()) else {}
    problem = Seq2seq(
        score,
        draw(matrices(states, width, numbers)),
        draw(matrices(steps, own, numbers)),
        {name: draw(matrices(*shape, numbers)) for name, shape in shapes.items()},
        flat,
        softmax := draw(st.sampled_from(("e", "e", "2", "4", "9/4", "3/2", "sum"))),
        softmax != "sum" and draw(st.booleans()),
        names=names,
    )
    return draw(told(problem, {key: LETTERS[key] for key in ("scores", "weights", "context", "state", "states")}))


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
        softmax=draw(st.sampled_from(("e", "2", "4", "3/2"))),
        mask=draw(st.none() | matrices(tokens, tokens, ALLOWED)),
    )
    return draw(with_output(problem, numbers))
