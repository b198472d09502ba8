"""Which cells of a problem a name means, in an answer file or on the command line: an id, or the sheet's own symbol for
a matrix, a token's vector or one entry, typed or copied from the page."""

from __future__ import annotations

import re
from dataclasses import replace

from attnsolve.bounds import allowed
from attnsolve.errors import nearest
from attnsolve.graph import Cell, Graph, Quantity, spellings
from attnsolve.language.parser import parse_place
from attnsolve.language.syntax import PlaceName
from attnsolve.library.words import instead
from attnsolve.notation.text import ASCII, TextPrinter

Grid = list[list[Cell]]
Path = tuple[tuple[str, str], ...]


def find_place(graph: Graph, text: str) -> tuple[Quantity, Grid] | str:
    """The quantity that a name means and its cells, as rows; or a hint where it means nothing."""
    if len(text) > (most := allowed().name_characters):
        return _hint(graph, PlaceName(text[:most]))
    place = parse_place(text)
    if place.inner:  # no quantity has any by itself; but a word may have a point in it, as attn.weights
        place = PlaceName(str(place), path=place.path)
    found = _find(graph, place)
    if found is None and place.name[:1].isupper():
        # S for s, where there is but one query and no matrix of scores
        found = _find(graph, replace(place, name=place.name[0].lower() + place.name[1:]))
        found = found if found is not None and found[0].is_vector else None
    return _hint(graph, place) if found is None else found


def find_quantities(graph: Graph, text: str) -> list[Quantity]:
    """The quantities that a name means: of every head where it says none, of the one that it says otherwise."""
    place = parse_place(text[: allowed().name_characters])
    if not place.path and not place.indices and (found := graph.named(place.name)):
        return found
    one = find_place(graph, text)
    return [] if isinstance(one, str) or len(one[1]) * len(one[1][0]) < one[0].shape[0] * one[0].shape[1] else [one[0]]


def _find(graph: Graph, place: PlaceName) -> tuple[Quantity, Grid] | None:
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
        place = _index(first, quantity.labels, quantity.lanes)
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


# ── names that mean nothing ─────────────────────────────────────────────────────────────────────


def _hint(graph: Graph, place: PlaceName) -> str:
    """What may have been meant."""
    name = str(place)
    base = name.partition("[")[0]
    letter = re.split("[_,]", base)[0]
    head = place.path[-1][1] if place.path else None
    if len(place.path) > max(len(q.key.at) for q in graph) > 0:
        outer, number = place.path[0]
        return f"there is no {outer or 'layer'} {number}: there is but one"
    groups = list(dict.fromkeys(q.key.head for q in graph if q.key.head is not None))
    if head is not None and head not in groups:
        return f"there is no {graph.group} {head}: " + (f"known: {', '.join(groups)}" if groups else "there is but one")
    several = [q for q in graph if q.key.head in groups and {base, letter} & {q.key.id, *_headless(q)}]
    if head is None and several:
        return f"it belongs to several {graph.group}s: write '{graph.group} {several[0].key.head}: {name}'"
    named = (_named(graph, x, place.path) for x in (base, letter, letter.upper()))
    if (meant := next((q for q in named if q is not None), None)) is not None:
        return f"{meant.key} has {_size(meant)}"
    if other := instead(base, {q.key.id for q in graph}):
        return other
    asked = [q for q in graph if not q.given and q.key.head in (head, groups[0] if groups else None, None)]
    printer = TextPrinter(ASCII)
    close = nearest(base, {word: None for q in asked for word in (q.key.id, printer.print(q.name.matrix))})
    if close.startswith("did you mean"):
        return close
    return "known: " + ", ".join(f"{q.key} ({printer.print(q.name.matrix)})" for q in asked)


def _size(quantity: Quantity) -> str:
    rows, columns = quantity.shape
    if quantity.is_vector:
        return f"entries 1 to {rows * columns}"
    return f"rows 1 to {rows} and columns 1 to {columns}"
