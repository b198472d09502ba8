"""attnsolve export: worked solutions as files."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from attnsolve.cli.colours import PIPED_WIDTH
from attnsolve.cli.each_problem import Batch
from attnsolve.cli.options import (
    Bound,
    Detail,
    Digits,
    For,
    How,
    Math,
    MathOption,
    Only,
    Which,
    Width,
    found,
)
from attnsolve.cli.printing import narration_of
from attnsolve.cli.streams import markdown, say
from attnsolve.errors import RequestError, plain
from attnsolve.guard import Watch

if TYPE_CHECKING:
    from attnsolve.narrate.narrated import Narrated


class Solutions(StrEnum):
    """What a worksheet holds."""

    inline = "inline"
    none = "none"
    separate = "separate"


def export(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PROBLEM... [OUTPUT]", help="Problems, then the file to write (- for stdout), or -o."),
    ],
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")] = None,
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
    names, output = _named(paths, output)
    from dataclasses import replace
    from pathlib import Path

    from attnsolve.export import as_files, as_text
    from attnsolve.export.formats import Options
    from attnsolve.publish import write_all

    ending = ".md" if output == "-" else Path(output).suffix.lower()
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


def _named(paths: list[str], output: str | None) -> tuple[list[str], str]:
    """The problems, and the file to write: the last word unless --output gives it."""
    if output is None and len(paths) < 2:
        example = f"attnsolve export {plain(paths[0])} -o solution.md"
        raise RequestError(f"export needs the file to write, after the problems or as -o FILE\n    {example}")
    *names, output = paths if output is None else (*paths, output)
    return [found(name) for name in names], output


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
