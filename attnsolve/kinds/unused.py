"""What a file states and the problem never uses. The graph decides: a matrix is used if the last result rests on it,
an option if some step on the way there has it. So nothing can be dropped in silence, whoever reads or builds it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeGuard

from attnsolve.graph import Graph, Quantity
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Key, Ref
from attnsolve.operations.softmax import Share, Softmax
from attnsolve.spec import reader

if TYPE_CHECKING:
    from attnsolve.spec.fields import Fields, Matrix
    from attnsolve.spec.problem import Problem

Stated = Sequence[tuple[Key, "Matrix"]]
"""Every matrix that a file states, under the key it has in the graph."""
Feeds = Mapping[str, tuple[str, ...]]
"""Which quantities each one goes into."""


def report(problem: Problem, graph: Graph, fields: Fields, stated: Stated, feeds: Feeds) -> None:
    """Note what the file states in vain."""
    needed = _needed(graph)
    on_the_way = [quantity for quantity in graph if quantity.key in needed]
    _matrices(on_the_way, fields, stated, feeds)
    if not fields.faults.found:
        _options(problem, on_the_way, fields)
        _names(graph, fields)
        _symbols(problem, fields)


def _needed(graph: Graph) -> set[Key]:
    """The last results, and all that they rest on."""
    *_, last = graph
    ends = {quantity.key for quantity in graph if quantity.key.id == last.key.id}
    return ends.union(*map(graph.ancestors, ends))


# ── matrices ────────────────────────────────────────────────────────────────────────────────────


def _matrices(used: Collection[Quantity], fields: Fields, stated: Stated, feeds: Feeds) -> None:
    needed = {quantity.key for quantity in used}
    given = {key.id for key, _ in stated}
    idle: dict[str, Matrix] = {}
    for key, matrix in stated:
        if key not in needed:
            idle.setdefault(key.id, matrix)
    weights = [name for name in idle if name.startswith(("W_", "b_")) and not name.endswith("_O")]
    for group in ([weights] if weights else []) + [[name] for name in idle if name not in weights]:
        instead_of = list(dict.fromkeys(name for one in group for name in _given_later(one, given, feeds)))
        why = f"{_listed(instead_of)} {_be(instead_of)} given" if instead_of else "no result rests on " + _it(group)
        said = f"{_listed(group)} {_be(group)} never used: {why}"
        fields.faults.add(idle[group[0]].at, said, _fix(group, instead_of, given))


def _given_later(name: str, given: Collection[str], feeds: Feeds) -> Iterator[str]:
    """The first given quantities on the ways from one to the last result: they stand in place of what it is for."""
    for later in feeds.get(name, ()):
        if later in given:
            yield later
        else:
            yield from _given_later(later, given, feeds)


def _fix(group: Sequence[str], instead_of: Sequence[str], given: Collection[str]) -> str:
    direct = [name for name in ("queries", "keys", "values") if name in instead_of]
    if direct and direct == list(instead_of) and all(name.startswith(("W_", "b_")) for name in group):
        themselves = _listed([name[0].upper() for name in direct])
        form = ", ".join(f"{name}: [[...]]" for name in ("queries", "keys", "values"))
        means = f"{_listed(direct)}: {'mean' if len(direct) > 1 else 'means'} {themselves}, after the projection"
        return f"{means}; what {_listed(group)} {_be(group)} applied to is written inputs: {{{form}}}"
    if group == ["state"] and "states" not in given:
        return "add states: [[...]], or leave it out"
    if not instead_of:
        return "add values: [[...]], or leave it out" if group == ["W_O"] else f"leave {_it(group)} out"
    return f"leave {_it(group)} out; or leave out {_listed(instead_of)}, to have {_it(instead_of)} worked out"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _is_plural(names: Sequence[str]) -> bool:
    return len(names) > 1 or names[0].endswith("s")


def _be(names: Sequence[str]) -> str:
    return "are" if _is_plural(names) else "is"


def _it(names: Sequence[str]) -> str:
    return "them" if _is_plural(names) else "it"


# ── options ─────────────────────────────────────────────────────────────────────────────────────


def _options(problem: Problem, used: Sequence[Quantity], fields: Fields) -> None:
    formulas = {quantity.key: quantity.formula for quantity in used}
    labels = {axis.labels for quantity in used for axis in (quantity.rows, quantity.columns)}
    ids = {quantity.key.id for quantity in used}
    made = {quantity.key.id for quantity in used if not quantity.given}
    by_head = any(key.head is not None for key in formulas)
    divided = any(isinstance(formula, Divide) for formula in formulas.values())
    rooted = divided and (fields.get("scaling") is None or _says(fields, "scaling", "sqrt_dk"))
    softmax = [formula for formula in formulas.values() if isinstance(formula, Softmax | Share)]
    rows: dict[str, tuple[bool, str]] = {
        "scaling": (divided or _says(fields, "scaling", "none"), "no scores are scaled on the way to the result"),
        "d_k": (bool(ids & {"queries", "keys"}) or rooted, "nothing is divided by its root, and no key is that wide"),
        "mask": ("mask" in ids or _says(fields, "mask", "none"), "no scores are masked on the way to the result"),
        "softmax": (bool(softmax), "no softmax is taken on the way to the result"),
        "stable": (
            any(isinstance(formula, Softmax) for formula in softmax) or _says(fields, "stable", "false"),
            "it is about exponentials, and none are taken",
        ),
        "heads": (by_head or _says(fields, "heads", "1"), "nothing is worked out for each head"),
        "weights": (
            not _says(fields, "weights", "identity") or any(isinstance(f, Ref) for f in formulas.values()),
            "queries, keys and values are not made from inputs",
        ),
        "score": ("scores" in made or "scaled" in made, "the scores are given, or what follows from them"),
        "tokens": (getattr(problem.body, "tokens", None) in labels, "no row or column is named by it"),
        "memory_tokens": (getattr(problem.body, "memory_tokens", None) in labels, "keys come from the same tokens"),
        "steps": (getattr(problem.body, "steps", None) in labels, "no row or column is named by it"),
    }
    for key, (is_used, why) in rows.items():
        if fields.get(key) is not None and not is_used:
            fields.faults.add(fields.marks[key], f"{key} is never used: {why}", "leave it out")


def _says(fields: Fields, key: str, word: str) -> bool:
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
                fix = "leave it out" if name.text in there else graph.suggest(name.text)
                fields.faults.add(name, f"{option} names {name.text}, which {lacks}", fix)


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
            said = f"the symbol {name.text} is declared, but stands in no number"
            fields.faults.add(name, said, "leave it out")
