"""The keys of `kind: random-keys`: one query, or several heads, on keys that are drawn round orthonormal means."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from attnsolve.errors import count, nearest, there_are
from attnsolve.numbers import Unavailable
from attnsolve.record import Record, record
from attnsolve.spec import reader, shapes
from attnsolve.spec.fields import Fields, read_text
from attnsolve.spec.keys import by_name, declare
from attnsolve.spec.readings import (
    Rows,
    Simulation,
    check_orthonormal,
    fraction,
    plain_matrix,
    read_pair,
    read_simulation,
    refuse_long_draws,
)

if TYPE_CHECKING:
    from attnsolve.algebra.declared import Declared
    from attnsolve.operations.formula import Formula

KIND = "random-keys"
MEANS = declare(
    "means", "The means of the keys, one row each, orthonormal; or identity.", shapes.MATRIX_REF, plain_matrix
)
VALUES = declare("values", "The values, one row each.", shapes.MATRIX_REF, plain_matrix)
PAIR = declare("pair", "Keys a and b, whose values are to be averaged (default: [1, 2]).", shapes.PAIR)
QUERIES = declare(
    "queries",
    "The query of each head, in terms of the means: [beta*(mu_a + mu_b)]; or several such lists by name.",
    {"anyOf": [*shapes.LINES["anyOf"], {"type": "object", "minProperties": 1, "additionalProperties": shapes.LINES}]},
)
BETA = declare(
    "beta",
    "How strong the queries are in the simulation (default: 20).",
    shapes.NUMBER_REF,
    partial(fraction, above=0),
)
ALPHA = declare(
    "alpha",
    "The variance of every key in every direction (default: 0.0001).",
    shapes.NUMBER_REF,
    partial(fraction, above=0),
)
STRETCH = declare(
    "stretch",
    "The extra variance of key a along its own mean (default: 1/2; 0 for none).",
    shapes.NUMBER_REF,
    fraction,
)
SIMULATE = declare(
    "simulate",
    "{samples: 100000, seed: 0} draws keys at random and measures the output.",
    shapes.SIMULATION,
    read_simulation,
)
KEYS = by_name(MEANS, VALUES, PAIR, QUERIES, BETA, ALPHA, STRETCH, SIMULATE)
TASKS = {
    "setting": "State what is assumed about keys and values.",
    "steady": "Find the scores and weights with every key near its mean, and the limit of the output.",
    "stretched": "Find the limit of the output when the length of key a varies.",
    "comparison": "Compare the constructions.",
    "simulation": "Check the results by simulation.",
}
"""What a part may ask for, and how that is asked."""
QUANTITIES = tuple(TASKS)
CLAIMS: tuple[str, ...] = ("softmax-is-a-distribution", "softmax-shift-invariance")
NAMES: tuple[str, ...] = ()
GIVABLE: tuple[str, ...] = ()
PARAMETERS: tuple[str, ...] = ()
LETTERS: dict[str, str] = {}
SOURCES: dict[str, str] = {}
UNUSED = ("numbers", "notation", "symbols", "limit", "rounding", "answers", "tolerance", "exact")
ELSEWHERE = dict.fromkeys(UNUSED, "this kind of problem has its own letters, and does no rounding") | {
    "mu": "write the means under means:, one row each",
    "keys": "the keys are random: give their means instead, under means:",
}
MOST_CONSTRUCTIONS, MOST_HEADS = 6, 8


@record
class Query(Record):
    """A query: as it is written, and its coordinates in the means, each a multiple of β."""

    term: Formula
    multiples: tuple[Fraction, ...]


@record
class Construction(Record):
    """Some heads, whose outputs are averaged."""

    label: str
    queries: tuple[Query, ...]


@record
class RandomKeys(Record):
    """What the problem gives."""

    means: Rows
    values: Rows
    pair: tuple[int, int]
    """Counted from 1."""
    constructions: tuple[Construction, ...]
    beta: Fraction
    alpha: Fraction
    stretch: Fraction
    simulate: Simulation | None


def read(fields: Fields) -> RandomKeys | None:
    """Read the means, the values and the constructions."""
    faults = fields.faults
    means, values = MEANS.read(fields), VALUES.read(fields)
    for name, matrix in (("means", means), ("values", values)):
        if matrix is None and fields.get(name) is None:
            faults.add(fields.node, f"there are no {name}", f"add {name}: [[...]], one row each")
    if means is None or values is None:
        return None
    if not means.rows and not values.rows:
        faults.add(means.at, "means and values can't both be identity: nothing says how many there are")
        return None
    means, values = means.sized(len(values.rows)), values.sized(len(means.rows))
    if len(means.rows) != len(values.rows):
        message = f"{there_are(len(values.rows), 'value')} but {count(len(means.rows), 'mean')}"
        faults.add(values.at, message, "write one row per value, and one value per mean")
    if len(means.rows) < 2:
        faults.add(means.at, "there must be at least two keys, each with its mean")
    check_orthonormal(fields, "means", means.rows)
    pair = read_pair(PAIR.read(fields), len(means.rows), faults)
    beta, alpha, stretch = BETA.read(fields), ALPHA.read(fields), STRETCH.read(fields)
    if stretch is not None and stretch < 0:
        faults.add(fields.marks["stretch"], "stretch is a variance, so it can't be negative")
    constructions = _constructions(fields, len(means.rows), pair)
    simulate = SIMULATE.read(fields)
    draws = 2 * (len(means.rows) * len(means.rows[0]) + 1) * max(len(constructions), 1)
    refuse_long_draws(fields, simulate, draws)
    if faults.found:
        return None
    return RandomKeys(
        means.rows,
        values.rows,
        pair,
        constructions,
        beta or Fraction(20),
        alpha or Fraction(1, 10_000),
        Fraction(1, 2) if stretch is None else stretch,
        simulate,
    )


def _constructions(fields: Fields, size: int, pair: tuple[int, int]) -> tuple[Construction, ...]:
    node, faults = QUERIES.read(fields), fields.faults
    if node is None:
        faults.add(fields.node, "there are no queries", "add queries: [beta*(mu_a + mu_b)]")
        return ()
    named = node.entries if isinstance(node, reader.Mapping) else ((None, node),)
    if not 1 <= len(named) <= MOST_CONSTRUCTIONS:
        faults.expected(node, "queries", f"1 to {MOST_CONSTRUCTIONS} lists of queries")
        return ()
    found = []
    for key, value in named:
        label = "" if key is None else read_text(key, "a name under queries", faults)
        if key is not None and not label:
            faults.add(key, "these queries have no name", "write a name before the colon")
        items = value.items if isinstance(value, reader.Sequence) else (value,)
        if not 1 <= len(items) <= MOST_HEADS:
            faults.expected(value, f"queries {label}".strip(), f"1 to {MOST_HEADS} queries, one per head")
            continue
        queries = [_query(fields, item, size, pair) for item in items]
        found.append(Construction(label, tuple(query for query in queries if query is not None)))
    return tuple(found)


def _query(fields: Fields, node: reader.Node, size: int, pair: tuple[int, int]) -> Query | None:
    text = read_text(node, "a query", fields.faults, "query_characters")
    if isinstance(node, reader.Scalar) and not text:
        fields.faults.add(node, "a query is missing", "write beta*(mu_a + mu_b)")
    from attnsolve.algebra.grammar import parse_term
    from attnsolve.algebra.table import TermError

    try:
        term = parse_term(text) if text else None
        multiples = None if term is None else _multiples(term, size, pair)
    except TermError as error:
        fields.faults.add(node, f"in the query {text!r}: {error}", error.fix)
        return None
    return None if term is None or multiples is None else Query(term, multiples)


def mean_names(size: int, pair: tuple[int, int]) -> dict[str, int]:
    """The names of the means, and which of them each is, counted from 0."""
    named = {f"mu_{i}": i - 1 for i in range(1, size + 1)}
    return {"mu_a": pair[0] - 1, "mu_b": pair[1] - 1, **named}


def _multiples(term: Formula, size: int, pair: tuple[int, int]) -> tuple[Fraction, ...]:
    """The coordinates of a query in the means, divided by β."""
    from attnsolve.algebra.declarations import Declarations
    from attnsolve.algebra.declared import Fixed, Unknown
    from attnsolve.algebra.table import TermError
    from attnsolve.operations.formula import Ref

    known = mean_names(size, pair)
    for part in term.walk():
        if isinstance(part, Ref) and part.name not in (*known, "beta"):
            hint = nearest(part.name, ["beta", "mu_a", "mu_b", *known])
            raise TermError(f"{part.name!r} is not known", f"a query is made of beta and the means; {hint}")
    names: dict[str, Declared] = {"beta": Unknown("positive")}
    for name, place in known.items():
        names[name] = Fixed(tuple((Fraction(int(i == place)),) for i in range(size)))
    declared = Declarations(names)
    scope = declared.exact(next(declared.settings()))
    try:
        table = scope.evaluate(term)
        beta = scope.values["beta"].number
        found = [(x / beta).function.constant for x in table.entries]
    except Unavailable:
        found = []
    multiples = tuple(multiple for multiple in found if multiple is not None)
    if not found or len(multiples) < len(found) or table.shape != (size, 1):
        raise TermError("it must be beta times a sum of multiples of the means", "write beta*(mu_a + mu_b)")
    if not any(multiples):
        raise TermError("it is 0, so every score is 0 and all keys have the same weight", "write beta*(mu_a + mu_b)")
    return multiples
