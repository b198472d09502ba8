"""Answer files to fill in: every number that a sheet asks for, each left blank, under the names that `check` reads."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from attnsolve.check.marking import requested_cells
from attnsolve.check.sheet import Sheet
from attnsolve.check.spreadsheet import as_rows
from attnsolve.errors import plain
from attnsolve.graph import Cell, Quantity
from attnsolve.graph.places import find_place
from attnsolve.notation.text import ASCII, TextPrinter
from attnsolve.record import Record, record
from attnsolve.solution.exact import Solution

BLANK = "_"


@record
class Blank(Record):
    """A matrix, or one token's part of it, that somebody is to fill in."""

    name: str
    rows: int
    columns: int
    title: str = ""
    labels: tuple[str, ...] = ()
    """Of its rows."""
    part: str = ""
    """The part of the sheet that asks for it."""

    @property
    def about(self) -> str:
        """What it is, in a comment."""
        part = f"({self.part}) " if self.part else ""
        title = f"{self.title[:1].lower()}{self.title[1:]}, " if self.title else ""
        return f"{part}{title}{self.rows}x{self.columns}"


def blanks(solution: Solution) -> list[Blank]:
    """What a problem asks for, part by part; without parts, every quantity that is worked out, inner ones left out."""
    parts = [part for part in solution.problem.parts if part.find]
    if not parts:
        wanted = [q for q in solution.graph if not q.given and not q.parameter and "." not in q.key.id]
        return [blank for quantity in wanted for blank in _blanks(solution, quantity, set(_all(quantity)), "")]
    found: dict[str, Blank] = {}
    for part in parts:
        cells = list(requested_cells(solution, part))
        for key in dict.fromkeys(cell.key for cell in cells):
            mine = {cell for cell in cells if cell.key == key}
            for blank in _blanks(solution, solution.graph[key], mine, part.letter):
                found.setdefault(blank.name, blank)
    return list(found.values())


def _all(quantity: Quantity) -> Iterator[Cell]:
    rows, columns = quantity.shape
    yield from (Cell(quantity.key, i, j) for i in range(rows) for j in range(columns))


def _blanks(solution: Solution, quantity: Quantity, cells: set[Cell], part: str) -> Iterator[Blank]:
    """All of a quantity, or the vector of each token that is asked for."""
    rows, columns = quantity.shape
    title = quantity.title
    if len(cells) == rows * columns:
        labels = quantity.rows.labels if quantity.rows.tokens else ()
        yield Blank(_named(solution, quantity, None), rows, columns, title, labels, part)
        return
    for token in range(quantity.token_count):
        if set(quantity.cells(token)) <= cells:
            name = _named(solution, quantity, token)
            yield Blank(name, 1, len(quantity.cells(token)), title, quantity.labels[token : token + 1], part)


def _named(solution: Solution, quantity: Quantity, token: int | None) -> str:
    """A name that means this quantity, or the vector of one token: its letter as it is typed, unless that means
    another."""
    wanted = set(_all(quantity) if token is None else quantity.cells(token))
    candidates = list(_spellings(quantity, token))
    for name in candidates:
        place = find_place(solution.graph, name)
        if not isinstance(place, str) and {cell for row in place[1] for cell in row} == wanted:
            return name
    return candidates[-1]


def _spellings(quantity: Quantity, token: int | None) -> Iterator[str]:
    """The ways to write its name: by its letter or its id, in its head or at its step."""
    name, key = replace(quantity.name, head=None), quantity.key
    letter = TextPrinter(ASCII).print(name.matrix if token is None else name.token(token + 1))
    index = "" if token is None else f"[{token + 1}]"
    if not key.at:
        yield from (letter, f"{key.id}{index}")
        return
    path = ".".join(str(number) for _, number in key.at)
    yield from (
        f"{key.owner}: {letter}",
        f"{letter}@{path}",
        f"{key.owner}: {key.id}{index}",
        f"{key.id}@{path}{index}",
    )


# ── as files ────────────────────────────────────────────────────────────────────────────────────


def as_yaml(sheet: Sheet, file: str) -> str:
    """An answer file in YAML."""
    several = sheet.has_several
    documents = [_document(solution, number if several else None) for number, solution in sheet.solutions.items()]
    return "".join(_comments(sheet, file, f"Put a number in place of each {BLANK}")) + "---\n".join(documents)


def _comments(sheet: Sheet, file: str, how: str) -> Iterator[str]:
    yield f"# {how}: 2, -1/3, 0.25 or sqrt(2).\n"
    yield "# What stays blank is not marked wrong.\n"
    yield f"# Then: {_command(sheet, file)}\n"


def _command(sheet: Sheet, file: str) -> str:
    return plain(shlex.join(["attnsolve", "check", sheet.file, file]))


def _document(solution: Solution, number: int | None) -> str:
    head = f"problem: {number}\n" if number is not None else ""
    return f"# Answers to: {plain(solution.problem.title)}\n{head}" + "".join(map(_entry, blanks(solution)))


def _entry(blank: Blank) -> str:
    name = blank.name if re.fullmatch(r"\w+", blank.name) else "'{}'".format(blank.name.replace("'", "''"))
    row = "[" + ", ".join([BLANK] * blank.columns) + "]"
    if blank.rows == 1:
        return f"\n# {blank.about}\n{name}: {row if blank.columns > 1 else BLANK}\n"
    labels: Sequence[str] = blank.labels or [""] * blank.rows
    lines = [f"  - {row}  # {plain(label)}".rstrip(" #") + "\n" for label in labels]
    return f"\n# {blank.about}\n{name}:\n{''.join(lines)}"


def as_csv(sheet: Sheet, file: str) -> str:
    """An answer file for a spreadsheet: the name of a matrix in front of its first row."""
    how = "Fill in the empty cells (a fraction as =1/3 in a spreadsheet) and save as CSV."
    rows: list[list[str]] = [[f"# {how}"], [f"# Then: {_command(sheet, file)}"]]
    for number, solution in sheet.solutions.items():
        rows += [[f"# Answers to: {plain(solution.problem.title)}"]]
        rows += [["problem", str(number)]] if sheet.has_several else []
        for blank in blanks(solution):
            names = [blank.name, *[""] * (blank.rows - 1)]
            rows += [[f"# {blank.about}"], *([name, *[""] * blank.columns] for name in names)]
    return as_rows(rows)
