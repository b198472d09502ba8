"""Could this sheet detect the mistake? Each one is made on purpose, and the answers asked for are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from attnsolve import notation as n
from attnsolve.check.marking import asked_cells
from attnsolve.document import Block, Document, Note, Paragraph, Section, Table
from attnsolve.errors import AttnsolveError, count
from attnsolve.graph import Cell, Graph, Quantity, evaluate
from attnsolve.mistakes import Slip, slipped, slips
from attnsolve.numbers.floats import Floats
from attnsolve.operations.formula import Given, Key
from attnsolve.solution import Solution

SAME = 5e-4
"""Answers to three places look the same when they are no further apart."""
SATURATED = 0.999
LONG = 4
"""Digits of a given number beyond which it is a nuisance to work with."""
MOST_ENTRIES = 60
"""Given entries that are changed in the search for a better problem."""

Answers = tuple[float, ...]


@dataclass(frozen=True)
class Change:
    """One entry of what is given, changed; how many mistakes then still go unnoticed."""

    cell: Cell
    value: Fraction
    unnoticed: int


@dataclass(frozen=True)
class Findings:
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
    change: Change | None


def lint(solution: Solution) -> Findings:
    """Make every mistake, and see which of them the answers give away."""
    graph, cells = solution.graph, asked(solution)
    tried = tuple(slips(graph))
    right = _answers(graph, cells)
    made = {slip: _answers(_with(graph, slip), cells) for slip in tried}
    unnoticed = tuple(slip for slip in tried if made[slip] is not None and _same(made[slip], right))
    alike: list[list[Slip]] = []
    for slip in tried:
        if slip in unnoticed or made[slip] is None:
            continue
        group = next((g for g in alike if _same(made[g[0]], made[slip])), None)
        group.append(slip) if group is not None else alike.append([slip])
    groups = tuple(tuple(group) for group in alike if len(group) > 1)
    change = _better(solution, cells, len(unnoticed)) if unnoticed else None
    return Findings(
        solution,
        tried,
        unnoticed,
        groups,
        tuple(_saturated(solution)),
        tuple(_ties(solution)),
        tuple(_ugly(graph)),
        change,
    )


def asked(solution: Solution) -> list[Cell]:
    """The cells that the parts ask for; without parts, the last quantity."""
    cells = [cell for part in solution.problem.parts for cell in asked_cells(solution, part)]
    if cells:
        return list(dict.fromkeys(cells))
    last = [q for q in solution.graph if not q.given][-1]
    return [cell for token in range(last.lanes) for cell in last.cells(token)]


def _with(graph: Graph, slip: Slip) -> Graph:
    return slipped(graph, slip)


def _answers(graph: Graph, cells: Sequence[Cell]) -> Answers | None:
    """The answers asked for, in floats; None where a graph has none."""
    try:
        values: Mapping[Key, Floats | None] = evaluate(graph, Floats.of)
    except (AttnsolveError, ZeroDivisionError, OverflowError, ValueError):
        return None
    found = []
    for cell in cells:
        table = values[cell.key]
        if table is None:
            return None
        found.append(table.rows[cell.row][cell.column])
    return tuple(found)


def _same(left: Answers | None, right: Answers | None) -> bool:
    if left is None or right is None:
        return False
    return all(x == y or abs(x - y) <= SAME * max(1.0, abs(x), abs(y)) for x, y in zip(left, right, strict=True))


def _saturated(solution: Solution) -> Iterator[tuple[Key, int]]:
    for quantity in solution.graph:
        if quantity.key.id == "weights" and not quantity.given and not solution.is_symbolic(quantity.key):
            for token in range(quantity.lanes):
                row = [solution.real(*cell).nearest_float() for cell in quantity.cells(token)]
                if len(row) > 1 and max(row) > SATURATED:
                    yield quantity.key, token


def _ties(solution: Solution) -> Iterator[tuple[Key, int]]:
    for quantity in solution.graph:
        if quantity.key.id == "scores" and not solution.is_symbolic(quantity.key):
            for token in range(quantity.lanes):
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


def _better(solution: Solution, cells: Sequence[Cell], unnoticed: int) -> Change | None:
    """The one entry whose change would expose the most mistakes; of equals, the smallest change."""
    best: Change | None = None
    for cell, old in list(_entries(solution.graph))[:MOST_ENTRIES]:
        for step in (1, -1, 2, -2):
            graph = _changed(solution.graph, cell, old + step)
            left = _unnoticed(graph, cells)
            if left is not None and left < (unnoticed if best is None else best.unnoticed):
                best = Change(cell, old + step, left)
    return best


def _entries(graph: Graph) -> Iterator[tuple[Cell, Fraction]]:
    for quantity in graph:
        if isinstance(quantity.formula, Given) and quantity.key.id != "mask":
            for i, row in enumerate(quantity.formula.rows):
                for j, value in enumerate(row):
                    if isinstance(value, Fraction):
                        yield Cell(quantity.key, i, j), value


def _changed(graph: Graph, cell: Cell, value: Fraction) -> Graph:
    quantity = graph[cell.key]
    assert isinstance(quantity.formula, Given)
    rows: list[list[Any]] = [list(row) for row in quantity.formula.rows]
    rows[cell.row][cell.column] = value
    given = Given(tuple(tuple(row) for row in rows))
    return replace(graph, quantities={**graph.quantities, cell.key: replace(quantity, formula=given)})


def _unnoticed(graph: Graph, cells: Sequence[Cell]) -> int | None:
    right = _answers(graph, cells)
    if right is None:
        return None
    return sum(_same(_answers(_with(graph, slip), cells), right) for slip in slips(graph))


# ── told ────────────────────────────────────────────────────────────────────────────────────────


def told(findings: Findings) -> Document:
    """The findings as a document."""
    problem = findings.solution.problem
    noticed = len(findings.tried) - len(findings.unnoticed)
    blocks: list[Block] = [
        Paragraph(
            (f"{count(len(findings.tried), 'mistake')} tried; the answers asked for give {noticed} of them away.",)
        )
    ]
    if findings.unnoticed:
        rows = tuple(((_name(findings, slip),), (slip.mistake.says,)) for slip in findings.unnoticed)
        blocks.append(Section(("These go unnoticed",), (Table((("in",), ("what would not be seen",)), rows),)))
    if findings.alike:
        said = [Note((" · ".join(dict.fromkeys(slip.mistake.says for slip in group)),)) for group in findings.alike]
        blocks.append(Section(("These can't be told apart",), tuple(said)))
    remarks = list(_remarks(findings))
    if remarks:
        blocks.append(Section(("Worth knowing",), tuple(remarks)))
    if findings.change is not None:
        blocks.append(Section(("The smallest change that helps most",), (Paragraph(_change(findings)),)))
    return Document(f"What this sheet can tell: {problem.title or 'Attention'}", problem.source, tuple(blocks))


def as_data(findings: Findings) -> dict[str, Any]:
    """The findings for other programs."""

    def named(slip: Slip) -> dict[str, Any]:
        return {"id": slip.mistake.id, "in": slip.key.id, "head": slip.key.head, "says": slip.mistake.says}

    change = findings.change
    return {
        "title": findings.solution.problem.title,
        "tried": len(findings.tried),
        "unnoticed": [named(slip) for slip in findings.unnoticed],
        "alike": [[named(slip) for slip in group] for group in findings.alike],
        "saturated": [{"id": key.id, "head": key.head, "token": token + 1} for key, token in findings.saturated],
        "ties": [{"id": key.id, "head": key.head, "token": token + 1} for key, token in findings.ties],
        "ugly": [key.id for key in findings.ugly],
        "change": None
        if change is None
        else {
            "id": change.cell.key.id,
            "head": change.cell.key.head,
            "entry": [change.cell.row + 1, change.cell.column + 1],
            "value": str(change.value),
            "unnoticed": change.unnoticed,
        },
    }


def _name(findings: Findings, slip: Slip) -> n.Notation:
    return findings.solution.graph[slip.key].name.matrix


def _remarks(findings: Findings) -> Iterator[Block]:
    graph = findings.solution.graph
    for key, token in findings.saturated:
        said = (
            "The softmax is saturated for ",
            _called(graph[key], token),
            ": nearly all its weight goes to one place, whatever is done before.",
        )
        yield Note(said)
    for key, token in findings.ties:
        yield Note(("Two scores of ", _called(graph[key], token), " are equal, so exchanging them would not be seen."))
    for key in findings.ugly:
        yield Note((graph[key].name.matrix, " has numbers that are long to work with by hand."))


def _called(quantity: Quantity, token: int) -> n.Notation | str:
    from attnsolve.narrate.view import called

    return called(quantity.labels[token]) if quantity.labels else f"row {token + 1}"


def _change(findings: Findings) -> tuple[str | n.Notation, ...]:
    change = findings.change
    assert change is not None
    entry = findings.solution.graph[change.cell.key].name.entry(change.cell.row + 1, change.cell.column + 1)
    fewer = len(findings.unnoticed) - change.unnoticed
    return (
        "With ",
        n.Chain(entry, (("=", n.Num(str(change.value))),)),
        f", {count(fewer, 'more mistake')} would be seen ({count(change.unnoticed, 'mistake')} would still go"
        f" unnoticed).",
    )
