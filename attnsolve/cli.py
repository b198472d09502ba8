"""The command line: parse, call the library, print. Heavy imports wait until a command needs them."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from attnsolve import __version__, bounds
from attnsolve.attempts import Attempts, report_error
from attnsolve.errors import RequestError, TooCostly, nearest, plain
from attnsolve.guard import Watch, stop_cleanly
from attnsolve.options import (
    Bound,
    Described,
    Detail,
    Digits,
    For,
    Format,
    How,
    Math,
    MathOption,
    Names,
    Only,
    Report,
    Shown,
    Solutions,
    Which,
    Width,
)
from attnsolve.output import listened_to, markdown, prepare_streams, printable, progressing, say, speaks_unicode
from attnsolve.refusal import answering

if TYPE_CHECKING:
    from attnsolve.check.run import Checked
    from attnsolve.document import Document
    from attnsolve.narrate.narrated import Narrated
    from attnsolve.solved import Narration, Solved
    from attnsolve.spec.problem import Problem


class _Commands(TyperGroup):
    """The commands, whatever they print being printed while somebody listens."""

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        with listened_to():
            return super().make_context(*arguments, **settings)

    def invoke(self, ctx: Any) -> Any:
        with listened_to():
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Solve attention problems and show the work.",
    epilog="attnsolve guide is the reference: the problem format, claims, marking, Python and more.",
)

PIPED_WIDTH = 80


@app.callback(invoke_without_command=True)
def attnsolve(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Solve attention problems and show the work."""
    if version:
        typer.echo(f"attnsolve {__version__}")
        raise typer.Exit


@app.command()
def solve(
    problems: Names,
    chosen: Which = None,
    detail: How = Detail.normal,
    only: Only = None,
    token: For = None,
    part: Annotated[str | None, typer.Option(help="Answer only this part of the problem.")] = None,
    digits: Digits = None,
    shown: Shown = Format.terminal,
    width: Width = None,
    math: MathOption = Math.github,
    bound: Bound = None,
) -> None:
    """Solve problems and show every step; where a problem has parts, answer those.

    --detail, --only and --for show the whole solution step by step instead. A problem that can't be solved is reported,
    and the next one is tried; the exit code is then 2.
    """
    narration = _telling(detail, only, token, digits)
    attempts = Attempts()
    for problem in attempts.problems(problems, chosen):
        with attempts:
            worked = _solve(problem).opened(narration.only)
            by_step = shown is Format.json and part is None
            with answering(problem.file, problem.at):
                document = worked.steps(narration) if by_step else worked.to_document(narration, part)
            _print(worked, document, shown, digits, width, math, whole=not only and part is None)
    attempts.finish()


@app.command()
def explain(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="A problem file, or the name of a bundled one.")],
    cell: Annotated[str, typer.Argument(metavar="CELL", help="One cell, such as 'scores[3,1]'.")],
    chosen: Which = None,
    digits: Digits = None,
    shown: Shown = Format.terminal,
    width: Width = None,
    math: MathOption = Math.github,
    bound: Bound = None,
) -> None:
    """Trace one cell back to the given numbers."""
    with Watch(problem):
        from attnsolve.check.sheet import load_sheet
        from attnsolve.narrate.explain import explain as trace
        from attnsolve.narrate.explain import having

        sheet = load_sheet(problem, chosen, "explain traces a cell of a matrix of exact numbers")
        solution = having(cell, sheet.solutions).opened([cell])
        _print(solution, trace(solution, cell, digits), shown, digits, width, math, whole=False)


@app.command()
def check(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="A problem file, or the name of a bundled one.")],
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
        _print_json(run.as_data(checked))
        return
    document = _numbered(report(checked.marking, checked.diagnoses, digits), checked.number)
    _print(checked.marking.solution, document, Format(shown.value), digits, width, Math.github, whole=False)


@app.command()
def lint(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="A problem file, or the name of a bundled one.")],
    chosen: Which = None,
    shown: Shown = Format.terminal,
    width: Width = None,
    bound: Bound = None,
) -> None:
    """Find out which mistakes the answers to a problem would not reveal, and what change would reveal them."""
    with Watch(problem):
        from attnsolve.check.lint import as_data, told
        from attnsolve.check.lint import lint as look
        from attnsolve.check.run import load_problems

        sheet = load_problems(problem, chosen)
        for number, solution in sheet.solutions.items():
            findings = look(solution)
            if shown is Format.json:
                _print_json(as_data(findings))
            else:
                document = _numbered(told(findings), number if sheet.has_several else None)
                _print(solution, document, shown, None, width, Math.github, whole=False)
        for message in sheet.skipped:
            say(message)


def _check_many(problem: str, chosen: str | None, paths: list[str], follow: bool, shown: Report) -> int:
    """A class: one line a file (or a table, CSV, JSON), and a progress bar where somebody watches."""
    from attnsolve.check import run

    rows, worst = [], 0
    for row, code in progressing(run.check_many(problem, paths, follow=follow, chosen=chosen), len(paths)):
        worst = max(worst, code)
        rows.append(row)
        if shown is Report.json:
            _print_json(row)
        elif shown in (Report.terminal, Report.text):
            print(printable(run.line(row)), flush=True)
    if shown is Report.csv:
        print(printable(run.as_csv(rows)), end="")
    elif shown is Report.markdown:
        print(printable(run.as_markdown(rows)), end="")
    return worst


@app.command()
def export(
    paths: Annotated[
        list[str], typer.Argument(metavar="PROBLEM... OUTPUT", help="Problems, then the file to write (- for stdout).")
    ],
    chosen: Which = None,
    solutions: Annotated[
        Solutions, typer.Option(help="Worked solutions inline, none (a blank sheet), or in a separate file.")
    ] = Solutions.inline,
    math: MathOption = Math.github,
    figures: Annotated[bool, typer.Option("--figures", help="Also draw the attention weights, as SVG files.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    detail: How = Detail.normal,
    only: Only = None,
    token: For = None,
    digits: Digits = None,
    width: Width = None,
    bound: Bound = None,
) -> None:
    """Write worked solutions to a file; its ending (.md, .txt, .json) chooses the format."""
    if len(paths) < 2:
        raise RequestError("export needs at least one problem, followed by the file to write, such as solution.md")
    from dataclasses import replace
    from pathlib import Path

    from attnsolve.export import as_files, as_text
    from attnsolve.export.formats import Options
    from attnsolve.publish import write_all

    *names, output = paths
    ending = ".md" if output == "-" else Path(output).suffix
    wanted = {
        "--solutions": solutions is not Solutions.inline,
        "--math": math is not Math.github,
        "--figures": figures,
        "--width": width is not None,
    }
    _name_idle(ending, [option for option, is_asked in wanted.items() if is_asked], output)
    narration = replace(_telling(detail, only, token, digits), figures=figures and output != "-")
    options = Options(Path(output).stem, math.value, digits, width or PIPED_WIDTH)
    watch = Watch(names[0] if len(names) == 1 else output, files=len(names))
    solved = [worked.opened(narration.only) for worked in _all_solved(names, chosen, watch)]
    with watch:
        if output == "-":
            sys.stdout.writelines(map(markdown, as_text(solved, ending, narration, options, solutions.value)[0].pieces))
            return
        files = as_files(solved, Path(output), narration, options, solutions.value)
    if narration.figures and ending == ".md" and not any(path.suffix == ".svg" for path, _ in files):
        say("--figures has no effect here: there are no weights or charts to draw")
    write_all(files, force=force)
    for path, _ in files:
        say(f"wrote {plain(str(path))}")


def _name_idle(ending: str, wanted: list[str], output: str) -> None:
    """Name the options that make no difference to a file of this sort."""
    from attnsolve.export.formats import idle

    for option in idle(ending, wanted):
        say(f"{option} has no effect on a {ending} file")
    if "--figures" in wanted and output == "-":
        say("--figures has no effect on standard output: pictures are written to files")


def _all_solved(names: list[str], chosen: str | None, watch: Watch) -> list[Narrated]:
    """Every problem worked out; where one fails the command ends, since a worksheet is written whole or not at all."""
    attempts, solved = Attempts(watch), []
    for problem in attempts.problems(names, chosen):
        with attempts:
            solved.append(_solve(problem))
    attempts.finish()
    return solved


@app.command(name="list")
def list_problems() -> None:
    """List the bundled problems: name, title, kind, source and parts."""
    from attnsolve.loader import bundled, load_all

    for name in bundled():
        for problem in load_all(name, check=False):
            letters = ", ".join(part.letter for part in problem.parts)
            print(f"{name}\n    {problem.title} ({problem.kind}; {problem.source})")
            if letters:
                print(f"    parts {letters}")


@app.command()
def schema(
    of: Annotated[Described, typer.Option("--of", help="What the schema describes.")] = Described.problem,
) -> None:
    """Print a JSON Schema: that of a problem file, for editors, or of the JSON that solve, check and lint print."""
    import json

    from attnsolve.contract.schemas import contracts
    from attnsolve.schema import schema as of_problem

    shape = of_problem() if of is Described.problem else contracts()[of.value]
    print(json.dumps(shape, indent=2, ensure_ascii=not speaks_unicode()))


@app.command()
def new(
    path: Annotated[str, typer.Argument(metavar="NAME.yaml", help="The file to write.")],
    kind: Annotated[str, typer.Option(help="The kind of problem.")] = "attention",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented problem file to start from."""
    from pathlib import Path

    from attnsolve.publish import write_all
    from attnsolve.spec.starters import STARTERS

    if kind not in STARTERS:
        raise RequestError(f"--kind {plain(kind)}: there is no such kind; {nearest(kind, STARTERS)}")
    write_all([(Path(path), [STARTERS[kind]])], force=force)
    say(f"wrote {plain(path)}\n    now: attnsolve solve {plain(path)}")


@app.command()
def guide(
    page: Annotated[str | None, typer.Argument(metavar="[PAGE]", help="Which page; without it, the list.")] = None,
    width: Width = None,
) -> None:
    """Read the guide: the reference, one page per subject."""
    from attnsolve import guide as reference

    if page is None:
        print(printable(reference.listing(width or PIPED_WIDTH)))
        return
    text = reference.page(page)
    if not sys.stdout.isatty():
        print(markdown(text), end="")
        return
    from rich.console import Console

    from attnsolve.guide.terminal import print_page

    print_page(text, Console(width=width))


@app.command(name="bounds")
def list_bounds(bound: Bound = None) -> None:
    """List the bounds on the size and the cost of a file."""
    for name, value, meaning in bounds.described():
        print(f"{name:<18} {value:>17,}  {meaning}{' (fixed)' if name in bounds.FIXED else ''}")


def _numbered(document: Document, number: int | None) -> Document:
    """A document that says which problem of its file it is about, where there are several."""
    from dataclasses import replace

    return document if number is None else replace(document, title=f"Problem {number}. {document.title}")


def _solve(problem: Problem) -> Narrated:
    from attnsolve.pipeline import solve as work_out

    return work_out(problem)


def _telling(detail: Detail, only: list[str] | None, token: list[str] | None, digits: int | None) -> Narration:
    from attnsolve.solved import Narration

    return Narration(detail.value, tuple(only or ()), tuple(token or ()), digits)


def _print(
    worked: Solved, document: Document, shown: Format, digits: int | None, width: int | None, math: Math, *,
    whole: bool,
) -> None:  # fmt: skip
    """Print in the wanted format."""
    if shown is Format.json:
        from attnsolve.contract.json import pieces

        sys.stdout.writelines(pieces(worked, document, digits, whole=whole, ascii_only=not speaks_unicode()))
        print()
    elif shown is Format.markdown:
        from attnsolve.render.markdown import render as render_markdown

        print(markdown(render_markdown(document, math.value)))
    else:
        _print_text(document, shown, width)
    sys.stdout.flush()


def _print_json(data: dict[str, Any]) -> None:
    import json

    text = json.dumps(data, ensure_ascii=False)
    print(text if speaks_unicode() and text.isprintable() else json.dumps(data), flush=True)


def _print_text(document: Document, shown: Format, width: int | None) -> None:
    unicode = speaks_unicode()
    if shown is Format.terminal and sys.stdout.isatty():
        from rich.console import Console

        from attnsolve.render.terminal import WIDEST, print_document

        console = Console(width=width)
        print_document(document, console, width or min(console.width, WIDEST), unicode)
        return
    from attnsolve.render.text import render as render_text

    print(render_text(document, width or PIPED_WIDTH, unicode, hints=True))


def main() -> None:
    """Run the program: errors become one message on stderr and an exit code, never a traceback."""
    gc.set_threshold(200_000, 20, 20)  # imports make much and drop little: collecting would cost a seventh of the run
    sys.set_int_max_str_digits(0)  # exact numbers may be longer; what it costs is bounded elsewhere
    prepare_streams()
    stop_cleanly()
    try:
        app()
    except (Exception, TooCostly) as error:
        report_error(error)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
