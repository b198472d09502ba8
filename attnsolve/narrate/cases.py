"""The cases of a problem, told: what each changes, what it gives, and the same quantities of all side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attnsolve import notation as n
from attnsolve.document import Block, Gallery, Inline, Paragraph, Section, Table
from attnsolve.graph import Graph, Quantity
from attnsolve.key import CASE, Key
from attnsolve.narrate.narrator import Narrator
from attnsolve.spec.compare import BASE
from attnsolve.spec.parts import Part
from attnsolve.spec.problem import ProblemCase

MOST_ENTRIES = 16
"""The entries of larger matrices don't stand in a table, but the matrices beside each other."""
MISSING = "–"
SIDE_BY_SIDE: Inline = ("Side by side",)


def opening(narrator: Narrator, case: ProblemCase) -> list[Block]:
    """What a case changes, and the matrices that it gives."""
    graph = narrator.graph
    given = [q for q in graph if q.given and q.key.case == case.name and q.key.id != case.swept]
    changed = [f"{name}: {value}" if value else f"no {name}" for name, value in case.differs]
    blocks: list[Block] = []
    if changed and not case.swept:
        blocks.append(Paragraph((f"What differs: {'; '.join(changed)}.",)))
    return [*blocks, *(narrator.given_blocks(given) if given else ())]


def heading(case: ProblemCase) -> str:
    """What stands above all that is told of a case."""
    return Key("", ((CASE, case.name),)).heading


def found_by(part: Part, graph: Graph, name: str) -> list[Quantity]:
    """What a part means by a name: quantities of its case; of all cases, if it compares them."""
    if not part.compares:
        return graph.named_in(part.case, name)
    found = (q for case in ("", *graph.cases) for q in graph.named_in(case, name))
    return list({q.key: q for q in found}.values())


def asked(part: Part, graph: Graph) -> list[Quantity]:
    """Everything that a part asks for."""
    found = (q for name in part.find for q in found_by(part, graph, name))
    return list({q.key: q for q in found}.values())


def results(graph: Graph) -> list[Quantity]:
    """What is worth comparing where nobody says, of the problem itself and of each case: the weights of a softmax, and
    what nothing else is made from."""
    found = list(_results([q for q in graph if not q.key.case]))
    for case in graph.cases.values():
        found += (graph[case.keys[q.key]] for q in _results([*case.graph]))
    return found


def _results(quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    read = {key for q in quantities for key in q.formula.leaves()}
    return (q for q in quantities if not q.given and (q.formula.shares or q.key not in read))


def side_by_side(narrator: Narrator, quantities: Iterable[Quantity]) -> Iterator[Section]:
    """Some quantities of the problem itself beside those of each case."""
    keys = dict.fromkeys(Key(q.key.id, q.key.within) for q in quantities)
    blocks = [block for key in keys for block in _compared(narrator, _of_cases(narrator.graph, key))]
    if blocks:
        yield Section(SIDE_BY_SIDE, tuple(blocks))


def _of_cases(graph: Graph, key: Key) -> dict[str, Quantity | None]:
    """A quantity in every case, by the name of the case; the problem itself unless one of the cases is the same."""
    found: dict[str, Quantity | None] = {BASE: graph.quantities.get(key)}
    for name, case in graph.cases.items():
        found[name] = graph[case.keys[key]] if key in case.keys else None
    repeated = any(all(own == other for own, other in case.keys.items()) for case in graph.cases.values())
    return {name: q for name, q in found.items() if name != BASE or not repeated}


def _compared(narrator: Narrator, found: Mapping[str, Quantity | None]) -> Iterator[Block]:
    """A table of the entries, or the matrices one beside the other."""
    grids = {name: narrator.cells(q) for name, q in found.items() if q is not None}
    named = next(q for q in found.values() if q is not None)
    if {None if q is None else q.key for q in found.values()} == {named.key}:
        yield Paragraph((named.name.matrix, " is the same in every case."))
        return
    shapes = {q.shape for q in found.values() if q is not None}
    if named.shape[0] * named.shape[1] > MOST_ENTRIES or len(shapes) > 1:
        yield Paragraph((named.name.matrix, " in each case:"))
        yield Gallery(tuple(n.Chain(n.Word(name), (("", grid),)) for name, grid in grids.items()))
        return
    places = [(i, j) for i in range(named.shape[0]) for j in range(named.shape[1])]
    symbols: list[Inline] = [(named.name.entry(i + 1, j + 1),) for i, j in places]
    if len(places) == 1:
        symbols = [(named.name.matrix,)]
    columns: list[Sequence[Inline]] = [
        [(grids[name].rows[i][j],) for i, j in places] if name in grids else [(MISSING,)] * len(places)
        for name in found
    ]
    labels: list[Inline] = [(name,) for name in found]
    if len(places) <= len(found):
        rows = tuple((label, *column) for label, column in zip(labels, columns, strict=True))
        yield Table((("",), *symbols), rows)
    else:
        yield Table((("",), *labels), tuple(zip(symbols, *columns, strict=True)))
