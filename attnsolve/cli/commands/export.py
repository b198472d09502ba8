"""attnsolve export: worked solutions as files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from attnsolve.cli.each_problem import Batch
from attnsolve.cli.options import Bound, Detail, Digits, For, How, Math, MathOption, Only, Solutions, Which, Width
from attnsolve.cli.printing import PIPED_WIDTH, narration_of
from attnsolve.cli.streams import markdown, say
from attnsolve.errors import RequestError, plain
from attnsolve.guard import Watch

if TYPE_CHECKING:
    from attnsolve.narrate.narrated import Narrated


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
    _report_ignored(ending, [option for option, is_given in wanted.items() if is_given], output)
    narration = replace(narration_of(detail, only, token, digits), figures=figures and output != "-")
    options = Options(Path(output).stem, math.value, digits, width or PIPED_WIDTH)
    watch = Watch(names[0] if len(names) == 1 else output, files=len(names))
    solved = [solution.opened(narration.only) for solution in _all_solved(names, chosen, watch)]
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


def _report_ignored(ending: str, wanted: list[str], output: str) -> None:
    """Name the options that make no difference to a file of this sort."""
    from attnsolve.export.formats import ignored_options

    for option in ignored_options(ending, wanted):
        say(f"{option} has no effect on a {ending} file")
    if "--figures" in wanted and output == "-":
        say("--figures has no effect on standard output: pictures are written to files")


def _all_solved(names: list[str], chosen: str | None, watch: Watch) -> list[Narrated]:
    """Every problem worked out; where one fails the command ends, since a worksheet is written whole or not at all."""
    batch, solved = Batch(watch), []
    for problem in batch.problems(names, chosen):
        from attnsolve.pipeline import solve

        with batch:
            solved.append(solve(problem))
    batch.finish()
    return solved
