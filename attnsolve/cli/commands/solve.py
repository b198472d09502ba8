"""attnsolve solve: problems worked out, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from attnsolve.cli.each_problem import Batch
from attnsolve.cli.options import (
    Bound,
    Detail,
    Digits,
    For,
    Format,
    How,
    Math,
    MathOption,
    Names,
    Only,
    Shown,
    Which,
    Width,
)
from attnsolve.cli.printing import narration_of, print_document
from attnsolve.cli.progress import waiting
from attnsolve.errors import plain
from attnsolve.unsolvable import answering

if TYPE_CHECKING:
    from attnsolve.spec.problem import Problem


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
    formulas: Annotated[
        bool, typer.Option("--formulas", help="Print the formulas that keys such as positions stand for.")
    ] = False,
    bound: Bound = None,
) -> None:
    """Solve problems and show every step; where a problem has parts, answer those.

    --detail, --only and --for show the whole solution step by step instead. A problem that can't be solved is reported,
    and the next one is tried; the exit code is then 2.
    """
    narration = narration_of(detail, only, token, digits)
    batch = Batch()
    for problem in batch.problems(problems, chosen):
        from attnsolve.pipeline import solve as work_out

        if formulas:
            _print_formulas(problem)
            continue
        with batch:
            by_step = shown is Format.json and part is None
            with waiting(f"solving {plain(problem.file)}"):
                solution = work_out(problem).opened(narration.only)
                with answering(problem.file, problem.at):
                    document = solution.steps(narration) if by_step else solution.to_document(narration, part)
            print_document(solution, document, shown, digits, width, math, whole=not only and part is None)
    batch.finish()


def _print_formulas(problem: Problem) -> None:
    """What the keys of a problem stand for, as it could be typed in their place."""
    from attnsolve.library.attention import ATTENTION
    from attnsolve.spec.shorthands import as_formulas

    text = as_formulas(getattr(problem.body, "shorthands", ()), {**ATTENTION.letters, **problem.notation})
    typer.echo(text or f"# no key of {problem.file} stands for formulas")
