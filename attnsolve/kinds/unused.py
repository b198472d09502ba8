"""What a file states and the problem never uses. The graph decides: a matrix is used if the last result rests on it,
an option if some step on the way there has it. So nothing can be dropped in silence, whoever reads or builds it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, TypeGuard

from attnsolve.graph import Graph, Quantity
from attnsolve.graph.places import suggestion
from attnsolve.key import Key
from attnsolve.library import Feeds, Library
from attnsolve.operations.formula import Ref
from attnsolve.spec import reader
from attnsolve.spec.unused import report_unused

if TYPE_CHECKING:
    from attnsolve.spec.fields import Fields, GivenMatrix
    from attnsolve.spec.problem import Problem

GivenMatrices = Sequence[tuple[Key, "GivenMatrix"]]
"""Every matrix that a file states, under the key it has in the graph."""


def report(
    problem: Problem, graph: Graph, fields: Fields, given_matrices: GivenMatrices, feeds: Feeds, library: Library
) -> None:
    """Note what the file states and nothing uses."""
    needed = _needed(graph, library)
    on_the_way = [quantity for quantity in graph if quantity.key in needed]
    report_unused(_unused(needed, given_matrices), {key.id for key, _ in given_matrices}, feeds, fields.faults)
    if not fields.faults.found:
        _options(problem, on_the_way, fields, library)
        _names(graph, fields)
        _symbols(problem, fields)


def _needed(graph: Graph, library: Library) -> set[Key]:
    """The last results, those of the sheet's own formulas, and all that they rest on."""
    *_, last = (quantity.key.id for quantity in graph if quantity.key.id in library.ids)
    own = {quantity.key for quantity in graph if quantity.key.id not in library.names}
    ends = {quantity.key for quantity in graph if quantity.key.id == last} | own
    return ends.union(*map(graph.ancestors, ends))


def _unused(needed: Collection[Key], given_matrices: GivenMatrices) -> dict[str, GivenMatrix]:
    """Matrices that no result rests on, by name."""
    return {key.id: matrix for key, matrix in reversed(given_matrices) if key not in needed}


# ── options ─────────────────────────────────────────────────────────────────────────────────────


def _options(problem: Problem, used: Sequence[Quantity], fields: Fields, library: Library) -> None:
    formulas = {quantity.key: quantity.formula for quantity in used}
    labels = {axis.labels for quantity in used for axis in (quantity.rows, quantity.columns)}
    ids = {quantity.key.id for quantity in used}
    made = {quantity.key.id for quantity in used if not quantity.given}
    by_head = any(key.head is not None for key in formulas)
    divided = any(formula.scales for formula in formulas.values())
    rooted = divided and (fields.get("scaling") is None or _is_set_to(fields, "scaling", "sqrt_dk"))
    softmax = [formula for formula in formulas.values() if formula.shares]
    rows: dict[str, tuple[bool, str]] = {
        **{
            name: (_makes(library, made, name) or _is_set_to(fields, name, "none"), why)
            for name, why in reasons(library)
        },
        "d_k": (bool(ids & {"queries", "keys"}) or rooted, "nothing is divided by its root, and no key has that width"),
        "softmax": (bool(softmax), "no softmax is taken on the way to the result"),
        "stable": (
            any(formula.takes_powers for formula in softmax) or _is_set_to(fields, "stable", "false"),
            "it concerns exponentials, and none are taken",
        ),
        "heads": (by_head or _is_set_to(fields, "heads", "1"), "nothing is computed separately for each head"),
        "key_heads": (by_head, "nothing is computed separately for each head"),
        "weights": (
            not _is_set_to(fields, "weights", "identity") or any(isinstance(f, Ref) for f in formulas.values()),
            "queries, keys and values are not computed from inputs",
        ),
        "score": ("scores" in made or "scaled" in made, "the scores are given, or what follows from them"),
        "tokens": (getattr(problem.body, "tokens", None) in labels, "it names no row or column"),
        "memory_tokens": (getattr(problem.body, "memory_tokens", None) in labels, "keys come from the same tokens"),
        "steps": (getattr(problem.body, "steps", None) in labels, "it names no row or column"),
    }
    for key, (is_used, why) in rows.items():
        if fields.get(key) is not None and not is_used:
            fields.faults.report_unused(fields.marks[key], f"{key} is never used: {why}", "leave it out")


def reasons(library: Library) -> Iterator[tuple[str, str]]:
    """Every key that steps depend on, with what is said where none of them is made."""
    for step in library.steps:
        for name in step.conditions:
            yield name, library.unused.get(name, f"no {step.title.lower()} are made on the way to the result")


def _makes(library: Library, made: Collection[str], name: str) -> bool:
    """Whether a step that depends on a key is made."""
    return any(name in step.conditions and step.id in made for step in library.steps)


def _is_set_to(fields: Fields, key: str, word: str) -> bool:
    node = fields.get(key)
    return isinstance(node, reader.Scalar) and node.text == word


# ── names ───────────────────────────────────────────────────────────────────────────────────────


def _names(graph: Graph, fields: Fields) -> None:
    """Results that some option is about: the problem must have them. (`notation` and `numbering` say how things are
    written if they occur, and may be the same for a whole course.)"""
    places = fields.get("rounding")
    rounded = next((v for k, v in places.entries if k.text == "places"), None) if _is_mapping(places) else None
    there = {quantity.key.id for quantity in graph}
    made = {quantity.key.id for quantity in graph if not quantity.given}
    for option, node, known in (
        ("tolerance", fields.get("tolerance"), {*made, "abs", "rel"}),
        ("exact", fields.get("exact"), made),
        ("rounding", rounded, made),
    ):
        for name in _named(node):
            if name.text not in known:
                lacks = "is given" if name.text in there else "is not in this problem"
                fix = "leave it out" if name.text in there else suggestion(graph, name.text)
                fields.faults.report_unused(name, f"{option} names {name.text}, which {lacks}", fix)


def _is_mapping(node: reader.Node | None) -> TypeGuard[reader.Mapping]:
    return isinstance(node, reader.Mapping)


def _named(node: reader.Node | None) -> Iterator[reader.Scalar]:
    """The words in a list, or the keys of a mapping."""
    if isinstance(node, reader.Mapping):
        yield from (key for key, _ in node.entries)
    elif isinstance(node, reader.Sequence):
        yield from (item for item in node.items if isinstance(item, reader.Scalar))


def _symbols(problem: Problem, fields: Fields) -> None:
    for name in _named(fields.get("symbols")):
        if name.text in problem.symbols and name.text not in fields.faults.letters:
            message = f"the symbol {name.text} is declared but never used"
            fields.faults.report_unused(name, message, "leave it out")
