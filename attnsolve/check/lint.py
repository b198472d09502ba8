"""Could this sheet detect the mistake? Each one is made on purpose, and the answers asked for are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

from attnsolve import notation as n
from attnsolve.check.marking import requested_cells
from attnsolve.check.rerun import FAILURES, FLOATS_A_MULTIPLICATION, Cases
from attnsolve.check.vanishing import Dead, Vanishing, dead, vanishing
from attnsolve.document import Block, Document, Inline, Note, Paragraph, Section, Table, joined, listed
from attnsolve.errors import count
from attnsolve.graph import Cell, Graph, Quantity, run
from attnsolve.graph.mistakes import Slip, told_apart
from attnsolve.guard import bounded
from attnsolve.key import Key
from attnsolve.kinds import refuse_beyond
from attnsolve.narrate.narrator import title_of
from attnsolve.numbers.floats import Floats
from attnsolve.operations.formula import Given
from attnsolve.record import Record, record
from attnsolve.solution.exact import Solution

SAME = 5e-4
"""Answers to three places look the same when they are no further apart."""
SATURATED = 0.999
LONG = 4
"""Digits of a given number beyond which it is a nuisance to work with."""
MOST_ENTRIES = 60
"""Given entries that are changed in the search for a better problem."""

FACTORS = (Fraction(1, 2), Fraction(1, 10))
"""By which a whole matrix is multiplied in that search."""

Rows = tuple[tuple[Any, ...], ...]
Answers = tuple[float, ...]
Values = Mapping[Key, Any]


@record
class Change(Record):
    """One entry of what is given, changed, or (no entry) all of them multiplied; how many mistakes then still go
    unnoticed."""

    key: Key
    entry: tuple[int, int] | None
    value: Fraction
    unnoticed: int


@record
class Findings(Record):
    """What a sheet can't tell."""

    solution: Solution
    tried: tuple[Slip, ...]
    unnoticed: tuple[Slip, ...]
    alike: tuple[tuple[Slip, ...], ...]
    """Mistakes that lead to the same answers, and so can't be told apart."""
    saturated: tuple[tuple[Key, int], ...]
    """Tokens nearly all of whose weight goes to one key."""
    ties: tuple[tuple[Key, int], ...]
    """Tokens with two equal scores at the top."""
    ugly: tuple[Key, ...]
    vanishing: tuple[Vanishing, ...]
    """Gradients that are 0, or next to nothing."""
    dead: tuple[Dead, ...]
    change: Change | None


def lint(solution: Solution) -> Findings:
    """Make every mistake, and see which of them the answers give away."""
    with bounded(solution.problem.file):
        return _findings(solution)


def _findings(solution: Solution) -> Findings:
    cells, cases = wanted(solution), Cases.of(solution)
    tried = tuple(solution.slips)
    refuse_beyond(solution.problem, len(tried) * cases.cost // FLOATS_A_MULTIPLICATION)
    right = _right(solution.graph)
    made = {slip: _made(cases, right, slip, cells) for slip in tried} if right is not None else {}
    answers = _selected(right, cells) if right is not None else None
    unnoticed = tuple(slip for slip, found in made.items() if _same(found, answers))
    change = _better(cases, cells, unnoticed) if unnoticed else None
    seen = {slip: found for slip, found in made.items() if found is not None and not _same(found, answers)}
    return Findings(
        solution,
        tried,
        unnoticed,
        tuple(_alike(seen)),
        tuple(_saturated(solution)),
        tuple(_ties(solution)),
        tuple(_ugly(solution.graph)),
        tuple(vanishing(solution)),
        tuple(dead(solution)),
        change,
    )


def _alike(made: Mapping[Slip, Answers]) -> Iterator[tuple[Slip, ...]]:
    """Mistakes with the same answers."""
    groups: list[list[Slip]] = []
    for slip, answers in made.items():
        group = next((g for g in groups if _same(made[g[0]], answers)), None)
        if group is None:
            groups.append([slip])
        else:
            group.append(slip)
    return (tuple(group) for group in groups if len(group) > 1)


def wanted(solution: Solution) -> list[Cell]:
    """The cells that the parts ask for; without parts, the results."""
    cells = [cell for part in solution.problem.parts for cell in requested_cells(solution, part)]
    if cells:
        return list(dict.fromkeys(cells))
    return [cell for q in solution.graph.results for token in range(q.token_count) for cell in q.cells(token)]


def _right(graph: Graph) -> Values | None:
    """Every quantity in floats; None where some have none."""
    try:
        values = run(graph, Floats, refusals=())
    except FAILURES:
        return None
    return None if None in values.values() else values


def _made(cases: Cases, right: Values, slip: Slip, cells: Sequence[Cell]) -> Answers | None:
    """The answers asked for with a mistake made; None where it leads to no numbers."""
    path = [quantity.key for quantity in cases.graph if not quantity.given]
    try:
        values = cases.rerun({slip.key: slip.mistake.formula}, path, right, Floats)
    except FAILURES:
        return None
    return None if values is None else _selected(values, cells)


def _selected(values: Values, cells: Sequence[Cell]) -> Answers:
    return tuple(values[cell.key].rows[cell.row][cell.column] for cell in cells)


def _same(left: Answers | None, right: Answers | None) -> bool:
    if left is None or right is None:
        return False
    return all(x == y or abs(x - y) <= SAME * max(1.0, abs(x), abs(y)) for x, y in zip(left, right, strict=True))


def _saturated(solution: Solution) -> Iterator[tuple[Key, int]]:
    for quantity in solution.graph:
        if quantity.key.id == "weights" and not quantity.given and not solution.is_symbolic(quantity.key):
            for token in range(quantity.token_count):
                row = [solution.real(*cell).nearest_float() for cell in quantity.cells(token)]
                if len(row) > 1 and max(row) > SATURATED:
                    yield quantity.key, token


def _ties(solution: Solution) -> Iterator[tuple[Key, int]]:
    for quantity in solution.graph:
        if quantity.key.id == "scores" and not solution.is_symbolic(quantity.key):
            for token in range(quantity.token_count):
                row = sorted(solution.real(*cell).nearest_float() for cell in quantity.cells(token))
                if len(row) > 1 and row[-1] == row[-2]:
                    yield quantity.key, token


def _ugly(graph: Graph) -> Iterator[Key]:
    for quantity in graph:
        if isinstance(quantity.formula, Given):
            numbers = [x for row in quantity.formula.rows for x in row if isinstance(x, Fraction)]
            if any(len(str(abs(x.numerator))) > LONG or len(str(x.denominator)) > LONG for x in numbers):
                yield quantity.key


# ── a better problem ────────────────────────────────────────────────────────────────────────────


def _better(cases: Cases, cells: Sequence[Cell], unnoticed: Sequence[Slip]) -> Change | None:
    """The change that would expose the most mistakes; of equals, the smallest: an entry before a whole matrix."""
    best: Change | None = None
    slips = [*unnoticed, *(slip for slip in cases.slips if slip not in unnoticed)]
    for key, entry, value, rows in islice(_changes(cases.graph), cases.affordable // len(slips)):
        quantity = replace(cases.graph[key], formula=Given(rows))
        graph = replace(cases.graph, quantities={**cases.graph.quantities, key: quantity})
        left = _unnoticed(Cases(graph, slips), cells, len(unnoticed) if best is None else best.unnoticed)
        if left is not None:
            best = Change(key, entry, value, left)
    return best


def _changes(graph: Graph) -> Iterator[tuple[Key, tuple[int, int] | None, Fraction, Rows]]:
    """Every entry a little more or less; then whole matrices made smaller, which takes a softmax out of saturation."""
    tables = {q.key: q.formula.rows for q in graph if isinstance(q.formula, Given) and q.key.id != "mask"}
    entries = [
        (key, (i, j), old)
        for key, rows in tables.items()
        for i, row in enumerate(rows)
        for j, old in enumerate(row)
        if isinstance(old, Fraction)
    ]
    for step in (1, -1, 2, -2):
        for key, (i, j), old in entries[:: 1 + len(entries) // MOST_ENTRIES]:
            row = (*tables[key][i][:j], old + step, *tables[key][i][j + 1 :])
            yield key, (i, j), old + step, (*tables[key][:i], row, *tables[key][i + 1 :])
    for factor in FACTORS:
        for key, rows in tables.items():
            if all(isinstance(x, Fraction) for row in rows for x in row):
                yield key, None, factor, tuple(tuple(factor * x for x in row) for row in rows)


def _unnoticed(cases: Cases, cells: Sequence[Cell], fewer_than: int) -> int | None:
    """How many mistakes would go unnoticed, if they are fewer."""
    right = _right(cases.graph)
    if right is None:
        return None
    answers, found = _selected(right, cells), 0
    for slip in cases.slips:
        found += _same(_made(cases, right, slip, cells), answers)
        if found >= fewer_than:
            return None
    return found


# ── told ────────────────────────────────────────────────────────────────────────────────────────


def to_document(findings: Findings) -> Document:
    """The findings as a document."""
    problem = findings.solution.problem
    blocks: list[Block] = [Paragraph(_summary(findings))]
    if findings.unnoticed:
        rows = tuple((_places(findings, slips), (said,)) for said, slips in _by_sentence(findings.unnoticed))
        blocks.append(Section(("These would go unnoticed",), (Table((("in",), ("mistake",)), rows),)))
    groups = [", or ".join(said) for group in findings.alike if len(said := _told_apart(group)) > 1]
    if groups:
        blocks.append(Section(("These can't be told apart",), tuple(Note((group,)) for group in groups)))
    remarks = list(_remarks(findings))
    if remarks:
        blocks.append(Section(("Worth knowing",), tuple(remarks)))
    if findings.change is not None:
        blocks.append(Section(("The smallest change that helps most",), (Paragraph(_change(findings)),)))
    elif findings.unnoticed:
        blocks.append(
            Note(("No change to a single number, and no rescaling of a single matrix, would expose more of them.",))
        )
    return Document(f"What this sheet can detect: {title_of(problem)}", problem.source, tuple(blocks))


def as_data(findings: Findings) -> dict[str, Any]:
    """The findings for other programs."""

    def named(slip: Slip) -> dict[str, Any]:
        return {"id": slip.mistake.id, "in": slip.key.id, **slip.key.place, "says": slip.mistake.description}

    change = findings.change
    return {
        "title": findings.solution.problem.title,
        "tried": len(findings.tried),
        "unnoticed": [named(slip) for slip in findings.unnoticed],
        "alike": [[named(slip) for slip in group] for group in findings.alike],
        "saturated": [{**key.data, "token": token + 1} for key, token in findings.saturated],
        "ties": [{**key.data, "token": token + 1} for key, token in findings.ties],
        "ugly": [key.id for key in findings.ugly],
        "vanishing": [
            {**found.first.data, "zero": found.is_zero, "ids": [key.id for key in found.keys], "why": found.why}
            for found in findings.vanishing
        ],
        "dead": [{**found.key.data, "says": found.sentence} for found in findings.dead],
        "change": None
        if change is None
        else {
            **change.key.data,
            "entry": None if change.entry is None else [place + 1 for place in change.entry],
            "value": None if change.entry is None else str(change.value),
            "times": str(change.value) if change.entry is None else None,
            "unnoticed": change.unnoticed,
        },
    }


def _summary(findings: Findings) -> Inline:
    tried, noticed = len(findings.tried), len(findings.tried) - len(findings.unnoticed)
    was = f"{count(tried, 'common mistake')} {'was' if tried == 1 else 'were'} tried; "
    many = {0: "none of them", tried: "all of them"}.get(noticed, f"{noticed} of them") if tried else "none"
    if findings.solution.problem.parts:
        return (f"{was}the answers that this sheet asks for would reveal {many}.",)
    results = [quantity.name.matrix for quantity in findings.solution.graph.results]
    if len(results) == 1:
        return (f"{was}the result ", *joined(results), f" alone would reveal {many}.")
    return (f"{was}the results ", *joined(results), f" would reveal {many}.")


def _by_sentence(slips: Sequence[Slip]) -> Iterator[tuple[str, list[Slip]]]:
    """The same mistake in several heads or steps is one line."""
    for said in dict.fromkeys(slip.mistake.description for slip in slips):
        yield said, [slip for slip in slips if slip.mistake.description == said]


def _places(findings: Findings, slips: Sequence[Slip]) -> Inline:
    return listed(dict.fromkeys(findings.solution.graph[slip.key].name.matrix for slip in slips))


def _told_apart(group: Sequence[Slip]) -> list[str]:
    return list(dict.fromkeys(slip.mistake.description for (slip,) in told_apart([(slip,) for slip in group])))


def _remarks(findings: Findings) -> Iterator[Block]:
    graph = findings.solution.graph
    for key, tokens in _by_quantity(findings.saturated):
        sentence = (
            "The softmax that produces ",
            graph[key].name.matrix,
            " is saturated for ",
            *_called(graph[key], tokens),
            ": nearly all the weight goes to one place, so mistakes made before it hardly show.",
        )
        yield Note(sentence)
    for key, tokens in _by_quantity(findings.ties):
        sentence = ("The largest entry of ", graph[key].name.matrix, " occurs twice for ", *_called(graph[key], tokens))
        yield Note((*sentence, ", so swapping the two would go unnoticed."))
    for found in findings.vanishing:
        yield Note(_vanished(graph, found))
    for block in findings.dead:
        yield Note((f"{block.sentence}, so mistakes made before it do not show there.",))
    for key in findings.ugly:
        yield Note((graph[key].name.matrix, " has numbers that are tedious to work with by hand."))


def _vanished(graph: Graph, found: Vanishing) -> Inline:
    """Which gradients vanish, why, and what can't be seen then."""
    after = [graph[key].name.matrix for key in found.keys if key != found.first]
    if not found.is_zero:
        assert found.beside is not None
        first, beside = graph[found.first].name.matrix, graph[found.beside].name.matrix
        rests = ("; mistakes in ", *joined(after), " hardly show.") if after else (".",)
        return (first, " is tiny beside ", beside, ", since the softmax is saturated", *rests)
    names = joined([graph[key].name.matrix for key in found.keys])
    are = " are exactly 0" if after else " is exactly 0"
    why = f": {found.why}" if found.why else ""
    rests = (". No mistake in ", *joined(after, "or"), " can show.") if after else (".",)
    return (*names, f"{are}{why}", *rests)


def _by_quantity(found: Sequence[tuple[Key, int]]) -> Iterator[tuple[Key, list[int]]]:
    for key in dict.fromkeys(key for key, _ in found):
        yield key, [token for other, token in found if other == key]


def _called(quantity: Quantity, tokens: Sequence[int]) -> Iterator[n.Notation | str]:
    from attnsolve.notation.text import called

    for place, token in enumerate(tokens):
        if place:
            yield " and " if place == len(tokens) - 1 else ", "
        yield called(quantity.labels[token]) if quantity.labels else f"row {token + 1}"


def _change(findings: Findings) -> Inline:
    change = findings.change
    assert change is not None
    name, fewer = findings.solution.graph[change.key].name, len(findings.unnoticed) - change.unnoticed
    left = f"{count(change.unnoticed, 'mistake')} would still" if change.unnoticed else "none would"
    would = f" would expose {count(fewer, 'more mistake')}; {left} go unnoticed."
    if change.entry is None:
        return "Multiplying ", name.matrix, f" by {change.value}{would}"
    row, column = change.entry
    return "Changing ", name.entry(row + 1, column + 1), " to ", n.Num(str(change.value)), would
