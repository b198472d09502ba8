"""attnsolve check: answers marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from attnsolve.cli.options import Bound, Digits, Format, Math, Name, Report, Which, Width
from attnsolve.cli.printing import numbered, print_document, print_json
from attnsolve.cli.progress import progressing
from attnsolve.cli.streams import printable, say
from attnsolve.guard import Watch

if TYPE_CHECKING:
    from attnsolve.check.run import Checked


def check(
    problem: Name,
    answers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ANSWERS]...", help="Answer files. Default: the answers in the problem file."),
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
    if answers is not None and (len(answers) > 1 or shown is Report.csv):
        raise typer.Exit(_check_many(problem, chosen, answers, not no_follow, shown))
    with Watch(problem):
        from attnsolve.check import run

        sheet = run.load_problems(problem, chosen)
        found = run.check_sheet(sheet, answers[0] if answers else None, follow=not no_follow)
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
    """A class: one line a file (or a table, CSV, JSON), and a progress bar where somebody watches."""
    from attnsolve.check import run

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
