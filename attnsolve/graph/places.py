"""Which cells of a problem a name means, in an answer file or on the command line: an id, or the sheet's own symbol for
a matrix, a token's vector or one entry, typed or copied from the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from attnsolve.bounds import allowed
from attnsolve.errors import nearest
from attnsolve.graph import Cell, Graph, Quantity, spellings
from attnsolve.key import Key
from attnsolve.language.parser import parse_place
from attnsolve.language.syntax import PlaceName
from attnsolve.library.inside import STAGES
from attnsolve.library.words import instead, meant_inside
from attnsolve.notation.text import ASCII, TextPrinter

Grid = list[list[Cell]]
Path = tuple[tuple[str, str], ...]


def find_place(graph: Graph, text: str) -> tuple[Quantity, Grid] | str:
    """The quantity that a name means and its cells, as rows; or a hint where it means nothing."""
    if len(text) > (most := allowed().name_characters):
        return _hint(graph, PlaceName(text[:most]))
    if (split := in_case(graph, text)) is not None:
        return _find_in_case(graph, text, *split)
    place = parse_place(text)
    if place.inner and (not meant_inside(place.inner) or _is_id(graph, place)):  # as in attn.weights
        place = _as_one_name(place)
    found = _find(graph, place) or _find_inner(graph, text)
    if isinstance(found, str):
        return found
    if found is None and place.name[:1].isupper():
        # S for s, where there is but one query and no matrix of scores
        found = _find(graph, replace(place, name=place.name[0].lower() + place.name[1:]))
        found = found if found is not None and found[0].is_vector else None
    return _hint(graph, place) if found is None else found


def _is_id(graph: Graph, place: PlaceName) -> bool:
    """Whether a name with a point in it is that of a quantity."""
    return any(q.key.id == f"{place.name}.{place.inner}" for q in graph)


def in_case(graph: Graph, text: str) -> tuple[str, str] | None:
    """The case that a name says it is of, and the rest of the name: `masked: A`, `masked, head 1: A`, `A@masked`."""
    plain = " ".join(text.split())
    for name in sorted(graph.cases, key=len, reverse=True):
        before, after = plain[: len(name)], plain[len(name) :].lstrip()
        if before.casefold() == name.casefold() and after[:1] in (":", ",") and after[1:].strip():
            return name, after[1:].strip()
        before, found, after = plain.partition(f"@{name}")
        if found and before and after[:1] in ("", ".", "["):
            return name, before + (f"@{after[1:]}" if after[:1] == "." else after)
    return None


def _find_in_case(graph: Graph, text: str, case: str, rest: str) -> tuple[Quantity, Grid] | str:
    inner = _find_inner(graph, text)
    if inner is not None and not isinstance(inner, str):
        return inner
    found = find_place(graph.cases[case].graph, rest)
    if isinstance(found, str):
        return inner or found
    key = graph.cases[case].keys[found[0].key]
    return graph[key], [[cell._replace(key=key) for cell in row] for row in found[1]]


def _as_one_name(place: PlaceName) -> PlaceName:
    plain = PlaceName(place.name, place.indices, inner=place.inner)
    return PlaceName(str(plain), place.within, place.path)


def find_quantities(graph: Graph, text: str) -> list[Quantity]:
    """The quantities that a name means: of every head and case where it says none, of the one that it says
    otherwise."""
    split = in_case(graph, text)
    if split is not None and not parse_place(split[1]).inner:
        case = graph.cases[split[0]]
        return [graph[case.keys[q.key]] for q in find_quantities(case.graph, split[1])]
    place = parse_place(text[: allowed().name_characters])
    if not place.path and not place.indices and not place.inner and (found := graph.named(place.name)):
        return found
    inner = inner_of(graph, text)
    keys = [] if isinstance(inner, str) else [one.key for one in inner]
    if keys and all(key in graph.quantities for key in keys):
        return [] if place.within else [graph[key] for key in keys]
    one = find_place(graph, text)
    return [] if isinstance(one, str) or len(one[1]) * len(one[1][0]) < one[0].shape[0] * one[0].shape[1] else [one[0]]


def _find(graph: Graph, place: PlaceName) -> tuple[Quantity, Grid] | None:
    if place.inner:
        return None
    if place.indices:
        indexed = _named(graph, place.name, place.path)
        cells = None if indexed is None else _cells_at(indexed, *place.indices)
        return (indexed, cells) if indexed is not None and cells else None
    if (found := _named(graph, place.name, place.path)) is not None:
        return found, _all_cells(found)
    letter, indices = place.subscript
    for quantity in _with_letter(graph, letter, place.path) if indices else ():
        if cells := _cells_at(quantity, *indices):
            return quantity, cells
    before, _, last = place.name.rpartition(",")
    if "_" in before and last.isdecimal():
        vector = _named(graph, before, place.path)
        if vector is not None and vector.is_vector and (cells := _cells_at(vector, last)):
            return vector, cells
    return None


def _named(graph: Graph, name: str, path: Path) -> Quantity | None:
    """The one that is meant: of its head, or the one that belongs to no head."""
    if path:
        mine = [q for q in graph if q.key.stands(path)]
        found = [q for q in mine if name in (q.key.id, *_headless(q))]
        found += [q for q in mine if name[:1].isupper() and name in spellings(q)]  # q_1 of head 1 is its first token
        found += [q for q in graph.called(name) if q.key.stands(path)]
        return found[0] if len({q.key for q in found}) == 1 or (found and len(found[0].key.at) == len(path)) else None
    found = graph.named(name)
    if len(found) > 1:
        found = [q for q in found if not q.key.at]
    if not found:
        found = [q for q in graph if name == f"{q.key.id}_{q.key.head}"]
    if not found and "_" not in name:
        found = [q for q in _with_letter(graph, name, ()) if q.name.index and not q.parameter]
    return found[0] if len(found) == 1 else None


def _headless(quantity: Quantity) -> set[str]:
    """How its symbol is typed where the head was said already: Q of head 0."""
    return spellings(replace(quantity, name=replace(quantity.name, head=None)))


def _with_letter(graph: Graph, letter: str, path: Path) -> list[Quantity]:
    """The quantities whose vectors or entries are written with a letter: q of Q, z of Z."""
    primes = len(letter) - len(letter.rstrip("'"))
    found = []
    for quantity in graph:
        name = quantity.name
        spelled = {name.entry(1, 1).name, *(text.partition("_")[0].rstrip("'") for text in spellings(quantity))}
        there = quantity.key.stands(path) and bool(quantity.key.at) == bool(path)
        if letter.rstrip("'") in spelled and name.primes == primes and there:
            found.append(quantity)
    return sorted(found, key=lambda q: q.parameter)


def _all_cells(quantity: Quantity) -> Grid:
    rows, columns = quantity.shape
    return [[Cell(quantity.key, i, j) for j in range(columns)] for i in range(rows)]


def _cells_at(quantity: Quantity, first: str, second: str | None = None) -> Grid | None:
    """One token's cells, as a row; or with two indices one cell."""
    if second is None:
        if quantity.is_vector:
            flat = [cell for row in _all_cells(quantity) for cell in row]
            labels = quantity.rows.labels if quantity.shape[0] > 1 else quantity.columns.labels
            place = _index(first, labels, len(flat))
            return None if place is None else [[flat[place]]]
        place = _index(first, quantity.labels, quantity.token_count)
        return None if place is None else [quantity.cells(place)]
    if quantity.is_vector and first == quantity.name.index:
        return _cells_at(quantity, second)
    row = _index(first, quantity.rows.labels, quantity.shape[0])
    column = _index(second, quantity.columns.labels, quantity.shape[1])
    return None if row is None or column is None else [[Cell(quantity.key, row, column)]]


def _index(text: str, labels: tuple[str, ...], size: int) -> int | None:
    if text in labels:
        return labels.index(text)
    return int(text) - 1 if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= size else None


# ── what can be seen inside a quantity ──────────────────────────────────────────────────────────


class Inner(NamedTuple):
    """Something inside a step: a stage of it, or what is seen in some place of it (counted from 0)."""

    step: Quantity
    name: str
    places: tuple[int, ...] = ()

    @property
    def key(self) -> Key:
        """What it is known by: weights.exponentials, scores[2,1].products."""
        index = ",".join(str(place + 1) for place in self.places)
        return Key(f"{self.step.key.id}{f'[{index}]' if index else ''}.{self.name}", self.step.key.at)


def inner_of(graph: Graph, text: str) -> list[Inner] | str:
    """What a name means inside the steps of a graph (of every head where it says none); why it means nothing there; and
    nothing at all where it is no such name."""
    graph = graph if graph.expansion is None else graph.expansion.unexpanded
    text = text[: allowed().name_characters]
    if (split := in_case(graph, text)) is not None:
        case = graph.cases[split[0]]
        found = inner_of(case.graph, split[1])
        return found if isinstance(found, str) else [x._replace(step=graph[case.keys[x.step.key]]) for x in found]
    place = parse_place(text)
    if place.inner:
        return [] if _is_id(graph, place) else _inside_of(graph, place)
    name = meant_inside(place.name)
    if name not in STAGES or graph.named(place.name):
        return []
    steps = [q for q in graph if name in _stages(q) and q.key.stands(place.path)]
    lacking = [q for q in graph if q.formula.shares and q.key.stands(place.path)]
    return [Inner(q, name) for q in steps] or (_lacks(lacking[0], name) if lacking else "")


def suggestion(graph: Graph, name: str) -> str:
    """What may have been meant by a name that no quantity has, be it of one inside a step."""
    inner = inner_of(graph, name)
    return inner if inner and isinstance(inner, str) else graph.suggest(name)


def _inside_of(graph: Graph, place: PlaceName) -> list[Inner] | str:
    steps = _steps(graph, place)
    if not steps:
        return ""
    name = meant_inside(place.inner)
    found = []
    for step in steps:
        stage = name in _stages(step) and not place.indices
        seen = (
            places for places in _places(step, place.indices) if step.formula.terms_inside(name, places) is not None
        )
        places = () if stage or name not in step.formula.visible_terms else next(seen, ())
        if not stage and not places:
            return _lacks(step, name or place.inner)
        found.append(Inner(step, name, places))
    return found


def _steps(graph: Graph, place: PlaceName) -> list[Quantity]:
    """The quantities that a name before a point means."""
    if not place.path:
        return graph.named(place.name) or [q for q in graph if q.key.at and place.name in _headless(q)]
    one = _named(graph, place.name, place.path)
    return [] if one is None else [one]


def _places(step: Quantity, indices: tuple[str, ...]) -> Iterator[tuple[int, ...]]:
    """The cell, or the token, that some indices mean: of a single vector they mean a cell, and no index is needed for
    its only token."""
    cells = _cells_at(step, *indices) if indices else None
    if cells and (len(indices) == 2 or step.is_vector):
        yield cells[0][0].row, cells[0][0].column
    elif cells:
        yield ((cells[0][0].column if step.token_axis else cells[0][0].row),)
    if step.is_vector and indices in ((), ("1",)):
        yield (0,)


def _stages(step: Quantity) -> list[str]:
    """The names of the stages of a step; where one of them is given in place of its scores, from there on."""
    names = [name for name in step.formula.inside() if name]
    first = _given_first(step) if names else ""
    return names[names.index(first) :] if first in names else names


def _given_first(step: Quantity) -> str:
    """The stage that a step starts from, where it is given; empty where it starts from scores."""
    id, dot, name = step.formula.scored().id.partition(".")
    return name if dot and id == step.key.id else ""


def _lacks(step: Quantity, name: str) -> str:
    """What there is inside a step, for somebody who asks for something else."""
    id, there, visible_terms = step.key.id, _stages(step), step.formula.visible_terms
    if name in step.formula.inside():
        return f"{id} starts from its {_given_first(step)} here, which are given, so there are no {name}"
    if name in ("maxima", "shifted") and there:
        return f"{id} has {name} only with stable: true"
    if name in visible_terms:
        index = "2" if name == "weighted" else "2,1"
        return f"say for which {'token' if name == 'weighted' else 'entry'}: {id}[{index}].{name}"
    if not there and not visible_terms:
        return f"{id} {'is given' if step.given else 'has no steps inside it'}"
    known = [*there, *(f"{x} (as {id}[{'2' if x == 'weighted' else '2,1'}].{x})" for x in visible_terms)]
    close = nearest(name, [*there, *visible_terms])
    message = f"{id} has {', '.join(known)}"
    return f"{message}; {close}" if close.startswith("did you mean") else message


def _find_inner(graph: Graph, text: str) -> tuple[Quantity, Grid] | str | None:
    """The cells of an inner quantity that is in the graph."""
    found, place = inner_of(graph, text), parse_place(text)
    if isinstance(found, str):
        return found or None
    if not found:
        return None
    there = [graph[inner.key] for inner in found if inner.key in graph.quantities]
    if len(there) > 1:
        key = there[0].key
        return f"it belongs to several {key.groups}: write '{key.owner}: {place}'"
    if not there:
        return None
    indices = place.within if place.inner else place.indices
    cells = _cells_at(there[0], *indices) if indices else _all_cells(there[0])
    return (there[0], cells) if cells else f"{there[0].key} has {_size(there[0])}"


# ── names that mean nothing ─────────────────────────────────────────────────────────────────────


def _hint(graph: Graph, place: PlaceName) -> str:
    """What may have been meant."""
    name = str(place)
    base = name.partition("[")[0]
    letter = re.split("[_,]", base)[0]
    head = place.path[-1][1] if place.path else None
    if len(place.path) > max(len(q.key.within) for q in graph) > 0:
        outer, number = place.path[0]
        return f"there is no {outer or 'layer'} {number}: there is only one"
    groups = list(dict.fromkeys(q.key.head for q in graph if q.key.head is not None))
    if head is not None and head not in groups:
        return f"there is no {graph.group} {head}: " + (
            f"known: {', '.join(groups)}" if groups else ("there is only one")
        )
    several = [q for q in graph if q.key.head in groups and {base, letter} & {q.key.id, *_headless(q)}]
    if head is None and several:
        key = several[0].key
        return f"it belongs to several {key.groups}: write '{key.owner}: {name}'"
    in_cases = [q for q in graph if q.key.case and {base, letter} & {q.key.id, *spellings(q)}]
    if in_cases and not place.path and not any(q.key.id == in_cases[0].key.id and not q.key.case for q in graph):
        return f"it belongs to a case: write '{in_cases[0].key.owner}: {name}'"
    named = (_named(graph, x, place.path) for x in (base, letter, letter.upper()))
    if (meant := next((q for q in named if q is not None), None)) is not None:
        return f"{meant.key} has {_size(meant)}"
    if other := instead(base, {q.key.id for q in graph}):
        return other
    wanted = [q for q in graph if not q.given and q.key.head in (head, groups[0] if groups else None, None)]
    printer = TextPrinter(ASCII)
    close = nearest(base, {word: None for q in wanted for word in (q.key.id, printer.print(q.name.matrix))})
    if close.startswith("did you mean"):
        return close
    return "known: " + ", ".join(f"{q.key} ({printer.print(q.name.matrix)})" for q in wanted)


def _size(quantity: Quantity) -> str:
    rows, columns = quantity.shape
    if quantity.is_vector:
        return f"entries 1 to {rows * columns}"
    return f"rows 1 to {rows} and columns 1 to {columns}"
