"""A file with one problem or several, each solved, and which of somebody's answers belong to which of them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from attnsolve.check import spreadsheet
from attnsolve.errors import FileProblem, Mark, RequestError, count, plain
from attnsolve.loading.files import is_blank, load_chosen, only_good
from attnsolve.loading.sources import named, read_text_file
from attnsolve.pipeline import solve
from attnsolve.record import Record, record
from attnsolve.solution.exact import Solution
from attnsolve.spec import reader
from attnsolve.spec.chosen import find_problem, known

Nodes = dict[int, reader.Node]
"""Answers by the number of their problem."""
NAMED_BY = ("problem", "title")
"""Keys of an answer file that say which problem the answers are for."""


@record
class Sheet(Record):
    """The problems of a file that have exact numbers, by their number in it, counted from 1."""

    file: str
    titles: tuple[str, ...]
    """Of every problem of the file."""
    solutions: Mapping[int, Solution]
    skipped: tuple[str, ...] = ()
    """Why the others are left out, a message each."""

    @property
    def has_several(self) -> bool:
        """Whether one must say which problem is meant."""
        return len(self.titles) > 1

    @property
    def is_chosen(self) -> bool:
        """Whether it is but one of several, which somebody asked for."""
        return len(self.solutions) + len(self.skipped) < len(self.titles)


def load_sheet(file: str, chosen: str | None, purpose: str) -> Sheet:
    """Every problem of a file, or the one chosen by number or title, worked out; `purpose` says what for."""
    titles, found = load_chosen(file, chosen)
    solutions: dict[int, Solution] = {}
    skipped = []
    for number, problem in zip(found, only_good(found.values()), strict=True):
        solution = solve(problem)
        if isinstance(solution, Solution):
            solutions[number] = solution
        else:
            which = f", problem {number}" if len(titles) > 1 else ""
            skipped.append(f"{plain(file)}{which}: {purpose}, but {solution.lacks}")
    if not solutions:
        raise RequestError("\n".join(skipped))
    return Sheet(file, titles, solutions, tuple(skipped))


# ── answers ─────────────────────────────────────────────────────────────────────────────────────


def own_answers(sheet: Sheet) -> Nodes:
    """The answers that the problems of a file carry themselves."""
    problems = {number: solution.problem for number, solution in sheet.solutions.items()}
    found = {number: problem.answers for number, problem in problems.items() if problem.answers is not None}
    if not found:
        form = plain(shlex.join(["attnsolve", "new", "answers.yaml", "--for", sheet.file]))
        message = f"{plain(sheet.file)} has no answers of its own: name a file with answers"
        raise RequestError(f"{message}\n    one to fill in: {form}")
    return found


def answers_in(sheet: Sheet, path: str) -> Nodes:
    """The answers of a file, each with the number of its problem: documents in the order of the problems, documents
    that name their problem, or one mapping from problems to answers. What is not answered is blank."""
    text, path = read_text_file(path), named(path)
    if path.endswith(spreadsheet.ENDING):
        documents = spreadsheet.read_spreadsheet(text, path)
    else:
        documents = reader.read_documents(text, path, repeats=True)
    while len(documents) > 1 and is_blank(documents[-1]):
        documents.pop()
    found = _by_name(sheet, documents, path)
    if found is None:
        found = _in_order(sheet, documents, path)
    for number, node in found.items():
        if number not in sheet.solutions and not sheet.is_chosen:
            message = f"problem {number} of {plain(sheet.file)} has no exact numbers to check answers against"
            raise FileProblem(f"{plain(path)}:{node.at.line}:{node.at.column}: {message}\n    leave these answers out")
    nothing = reader.Mapping((), Mark(1, 1))
    return {number: _inside(found[number]) if number in found else nothing for number in sheet.solutions}


def _by_name(sheet: Sheet, documents: Sequence[reader.Node], path: str) -> Nodes | None:
    """Answers that say which problem they are for; None where none does."""
    if not sheet.has_several:
        return None
    named = list(_names(documents)) or list(_entries(sheet, documents))
    if not named:
        return None
    if len(named) < sum(not is_blank(node) for node in documents):
        raise FileProblem(
            f"{plain(path)}: some of these answers name their problem and some do not\n    name the problem of each"
        )
    found: Nodes = {}
    for name, node in named:
        number = find_problem(sheet.titles, name.text)
        place = f"{plain(path)}:{name.at.line}:{name.at.column}"
        if number is None:
            message = f"these answers are for {plain(name.text)!r}, which is not a problem in {plain(sheet.file)}"
            raise FileProblem(f"{place}: {message}\n    {known(sheet.titles)}")
        if number in found:
            raise FileProblem(f"{place}: problem {number} is answered twice\n    keep one of the two")
        found[number] = node
    return found


def _names(documents: Sequence[reader.Node]) -> Iterator[tuple[reader.Scalar, reader.Node]]:
    """Documents with a `title:` or `problem:`."""
    for node in documents:
        entries = node.entries if isinstance(node, reader.Mapping) else ()
        title = next((value for key, value in entries if key.text in NAMED_BY), None)
        if isinstance(title, reader.Scalar):
            yield title, node


def _entries(sheet: Sheet, documents: Sequence[reader.Node]) -> Iterator[tuple[reader.Scalar, reader.Node]]:
    """One mapping whose keys are problems."""
    node = _inside(documents[0]) if len(documents) == 1 else None
    entries = node.entries if isinstance(node, reader.Mapping) else ()
    if any(isinstance(value, reader.Mapping) and find_problem(sheet.titles, key.text) for key, value in entries):
        yield from entries


def _in_order(sheet: Sheet, documents: Sequence[reader.Node], path: str) -> Nodes:
    """As many documents as there are problems (those that have no numbers may be passed over)."""
    if len(documents) == 1 and (not sheet.has_several or sheet.is_chosen):
        return dict(zip(sheet.solutions, documents, strict=True))
    if not sheet.has_several:
        raise FileProblem(f"{plain(path)}: one mapping of answers was expected, but {len(documents)} were found")
    numbers = range(1, len(sheet.titles) + 1)
    if len(documents) == len(sheet.titles):
        found = {number: node for number, node in zip(numbers, documents, strict=True) if not is_blank(node)}
    elif len(documents) == len(sheet.solutions):
        found = {n: node for n, node in zip(sheet.solutions, documents, strict=True) if not is_blank(node)}
    else:
        message = f"{plain(sheet.file)} has {len(sheet.titles)} problems, but {count(len(documents), 'set')} of answers"
        fix = "separate the answers to each problem by ---, or begin each with problem: 2 (or title: ...)"
        raise FileProblem(f"{plain(path)}: {message} {'was' if len(documents) == 1 else 'were'} found\n    {fix}")
    return found


def _inside(node: reader.Node) -> reader.Node:
    """What stands under `answers:`, where there is such a key; anything else without the name of its problem."""
    if not isinstance(node, reader.Mapping):
        return node
    rest = reader.Mapping(tuple(entry for entry in node.entries if entry[0].text not in NAMED_BY), node.at)
    return next((value for key, value in node.entries if key.text == "answers"), rest)
