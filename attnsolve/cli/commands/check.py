"""attnsolve check: answers marked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from attnsolve.cli.options import Bound, Digits, Format, Math, Name, Which, Width
from attnsolve.cli.printing import numbered, print_document, print_json, print_page
from attnsolve.cli.progress import progressing
from attnsolve.cli.streams import printable, say
from attnsolve.errors import AttnsolveError, FileProblem, ProblemError, RequestError, count, plain
from attnsolve.guard import Watch
from attnsolve.loading.sources import STDIN, find_source, named

if TYPE_CHECKING:
    from attnsolve.check.run import Checked


class Report(StrEnum):
    """What a check prints."""

    terminal = "terminal"
    text = "text"
    markdown = "markdown"
    json = "json"
    csv = "csv"


def check(
    problem: Name,
    answers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ANSWERS]...",
            help="Answer files, folders of them, or - for stdin. Default: the answers in the problem file.",
        ),
    ] = None,
    chosen: Which = None,
    no_follow: Annotated[
        bool, typer.Option("--no-follow", help="Don't give credit for what follows from a slip.")
    ] = False,
    shown: Annotated[Report, typer.Option("--format", help="What to print.")] = Report.terminal,
    feedback: Annotated[
        str | None,
        typer.Option("--feedback", metavar="FOLDER", help="Also write each student a report, into a folder."),
    ] = None,
    digits: Digits = None,
    width: Width = None,
    bound: Bound = None,
) -> None:
    """Mark answers: give credit for what follows from a slip, and name the mistake.

    A file with several problems takes answers in the same order, separated by ---, or each with its problem: or title:.
    Exit code 0: everything is right; 1: something is wrong; 2: bad input.
    """
    with _in_order(problem, answers or []):
        if feedback is not None and not answers:
            raise RequestError("--feedback needs the answers of somebody: name their files, or a folder of them")
        paths = answers or []
        if len(paths) > 1 or (paths and (shown is Report.csv or os.path.isdir(paths[0]))):
            raise typer.Exit(_check_many(problem, chosen, paths, not no_follow, shown, feedback, digits, width))
        _check_one(problem, chosen, answers[0] if answers else None, not no_follow, shown, feedback, digits, width)


@contextmanager
def _in_order(problem: str, answers: list[str]) -> Iterator[None]:
    """Refuse what can't be told apart, and name the command for a problem that stands after its answers."""
    if [problem, *answers].count(STDIN) > 1:
        raise RequestError("only one of the problem and the answers can come from standard input, -")
    try:
        yield
    except (ProblemError, FileProblem):
        if answers and os.path.exists(problem) and _is_problem(answers[-1]):
            last = find_source(answers[-1]).name
            words = ["attnsolve", "check", last, problem, *answers[:-1]]
            message = f"{plain(problem)} has no problem in it, but {plain(last)} has: the problem comes first"
            import shlex

            raise RequestError(f"{message}\n    {plain(shlex.join(words))}") from None
        raise


def _is_problem(name: str) -> bool:
    from attnsolve.loading.files import load_all

    try:
        with Watch(name):
            return bool(load_all(name))
    except AttnsolveError:
        return False


def _check_one(
    problem: str, chosen: str | None, answers: str | None, follow: bool, shown: Report, feedback: str | None,
    digits: int | None, width: int | None,
) -> None:  # fmt: skip
    """One answer sheet: a full report."""
    with Watch(named(problem)):
        from attnsolve.check import run
        from attnsolve.check.summary import figures

        sheet = run.load_problems(problem, chosen)
        found = run.check_sheet(sheet, answers, follow=follow)
        for checked in found if shown is not Report.csv else ():
            _print_checked(checked, shown, digits, width)
        if shown is Report.csv:
            print(printable(run.as_csv([run.total(found) | figures(found)])), end="")
        elif shown is not Report.json and len(found) > 1:
            print(run.total_line(found))
        if feedback is not None and answers is not None:
            from attnsolve.check.feedback import feedback as told

            _publish(feedback, problem, [answers], [told(found, digits)])
        for checked in found:
            if checked.faults is not None:
                say(checked.faults)
        for message in sheet.skipped:
            say(message)
        raise typer.Exit(max(checked.exit_code for checked in found))


def _print_checked(checked: Checked, shown: Report, digits: int | None, width: int | None) -> None:
    """The answers to one problem, in full."""
    from attnsolve.check import run
    from attnsolve.check.report import report

    if shown is Report.json:
        print_json(run.as_data(checked))
        return
    document = numbered(report(checked.marking, checked.diagnoses, digits), checked.number)
    print_document(checked.marking.solution, document, Format(shown.value), digits, width, Math.github, whole=False)


def _check_many(
    problem: str, chosen: str | None, paths: list[str], follow: bool, shown: Report, feedback: str | None,
    digits: int | None, width: int | None,
) -> int:  # fmt: skip
    """A class: one line a file (or a table, CSV, JSON), and a summary for the teacher."""
    from attnsolve.check import run
    from attnsolve.check.feedback import feedback as report
    from attnsolve.check.files import answer_files
    from attnsolve.check.summary import as_data, summarise, to_document

    paths = answer_files(paths, problem)
    if feedback is not None:
        _places(feedback, problem, paths)  # refused before a class is marked
    tell = None if feedback is None else partial(report, digits=digits)
    marked = run.check_many(problem, paths, follow=follow, chosen=chosen, tell=tell)
    rows, pages, worst = [], [], 0
    for row, code, page in progressing(marked, len(paths), "checking"):
        worst = max(worst, code)
        rows.append(row)
        pages.append(page)
        if shown is Report.json:
            print_json(row if len(rows) < len(paths) else {**row, "class": as_data(summarise(rows))})
        elif shown in (Report.terminal, Report.text):
            print(printable(run.line(row)), flush=True)
    if shown is Report.csv:
        print(printable(run.as_csv(rows)), end="")
    elif shown is not Report.json:
        print(printable(run.as_markdown(rows)) if shown is Report.markdown else "")
        print_page(to_document(summarise(rows)), Format(shown.value), width)
    if feedback is not None:
        _publish(feedback, problem, paths, pages)
    return worst


def _places(folder: str, problem: str, paths: list[str]) -> list[Path]:
    """Where the report on each answer file goes."""
    from attnsolve.check.feedback import feedback_files

    return feedback_files(folder, [named(path) for path in paths], problem)


def _publish(folder: str, problem: str, paths: list[str], pages: list[str]) -> None:
    """Write the reports on all answers that could be read, and say so."""
    from attnsolve.check.feedback import publish

    files = [(file, page) for file, page in zip(_places(folder, problem, paths), pages, strict=True) if page]
    publish(folder, files)
    unread = len(pages) - len(files)
    say(f"wrote {count(len(files), 'report')} to {plain(folder)}" + (f"; {unread} not read" if unread else ""))
