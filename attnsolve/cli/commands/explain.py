"""attnsolve explain: one cell traced back to the given numbers."""

from __future__ import annotations

from typing import Annotated

import typer

from attnsolve.cli.options import Bound, Digits, Format, Math, MathOption, Name, Shown, Which, Width
from attnsolve.cli.printing import print_document
from attnsolve.guard import Watch
from attnsolve.loading.sources import named


def explain(
    problem: Name,
    cell: Annotated[str, typer.Argument(metavar="CELL", help="One cell, such as 'scores[3,1]'.")],
    chosen: Which = None,
    digits: Digits = None,
    shown: Shown = Format.terminal,
    width: Width = None,
    math: MathOption = Math.github,
    bound: Bound = None,
) -> None:
    """Trace one cell back to the given numbers."""
    with Watch(named(problem)):
        from attnsolve.check.sheet import load_sheet
        from attnsolve.narrate.explain import explain as trace
        from attnsolve.narrate.explain import having

        sheet = load_sheet(problem, chosen, "explain traces a cell of a matrix of exact numbers")
        solution = having(cell, sheet.solutions).opened([cell])
        print_document(solution, trace(solution, cell, digits), shown, digits, width, math, whole=False)
