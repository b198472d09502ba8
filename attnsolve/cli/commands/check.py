"""attnsolve check: answers marked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from attnsolve.cli.options import Bound, Digits, Format, Math, Name, Which, Width
from attnsolve.cli.printing import numbered, print_document, print_json
from attnsolve.cli.progress import progressing
from attnsolve.cli.streams import printable, say
from attnsolve.errors import AttnsolveError, FileProblem, ProblemError, RequestError, plain
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
    digits: Digits = None,
    width: Width = None,
    bound: Bound = None,
) -> None:
    """Mark answers: give credit for what follows from a slip, and name the mistake.

    A file with several problems takes answers in the same order, separated by ---, or each with its problem: or title:.
    Exit code 0: everything is right; 1: something is wrong; 2: bad input.
    """
    with _in_order(problem, answers or []):
        if answers and (len(answers) > 1 or shown is Report.csv or os.path.isdir(answers[0])):
            raise typer.Exit(_check_many(problem, chosen, answers, not no_follow, shown))
        _check_one(problem, chosen, answers[0] if answers else None, not no_follow, shown, digits, width)


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
    problem: str, chosen: str | None, answers: str | None, follow: bool, shown: Report, digits: int | None,
    width: int | None,
) -> None:  # fmt: skip
    """One answer sheet: a full report."""
    with Watch(named(problem)):
        from attnsolve.check import run

        sheet = run.load_problems(problem, chosen)
        found = run.check_sheet(sheet, answers, follow=follow)
        for checked in found if shown is not Report.csv else ():
            _print_checked(checked, shown, digits, width)
        if shown is Report.csv:
            print(printable(run.as_csv([run.total(found)])), end="")
        elif shown is not Report.json and len(found) > 1:
            print(run.total_line(found))
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


def _check_many(problem: str, chosen: str | None, paths: list[str], follow: bool, shown: Report) -> int:
    """A class: one line a file (or a table, CSV, JSON)."""
    from attnsolve.check import run
    from attnsolve.check.files import answer_files

    paths = answer_files(paths, problem)
    rows, worst = [], 0
    for row, code in progressing(run.check_many(problem, paths, follow=follow, chosen=chosen), len(paths), "checking"):
        worst = max(worst, code)
        rows.append(row)
        if shown is Report.json:
            print_json(row)
        elif shown in (Report.terminal, Report.text):
            print(printable(run.line(row)), flush=True)
    if shown is Report.csv:
        print(printable(run.as_csv(rows)), end="")
    elif shown is Report.markdown:
        print(printable(run.as_markdown(rows)), end="")
    return worst
