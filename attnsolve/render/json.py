"""A solution as one JSON object on one line: the contract that other programs read."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

from attnsolve import notation as n
from attnsolve.checks import Checks
from attnsolve.document import Block, Document, Equation, Gallery, Lines, Section, sections
from attnsolve.graph import Quantity
from attnsolve.narrate.view import SolutionView
from attnsolve.notation.latex import LatexPrinter
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.written import exact_text
from attnsolve.render.text import render_section
from attnsolve.solution import Solution, Value

TEXT_WIDTH = 100


def render(
    solution: Solution,
    document: Document,
    digits: int | None = None,
    *,
    whole: bool = True,
    ascii_only: bool = False,
) -> str:
    """The JSON of a solution and of the document that tells it; unless `whole`, only of what the document is about."""
    told = {(section.id, section.head) for section in sections(document)}
    quantities = [q for q in solution.graph if not q.parameter and (whole or (q.key.id, q.key.head) in told)]
    view = SolutionView(solution, solution.figures(digits))
    checks = Checks(solution, view)
    problem = solution.problem
    data: dict[str, Any] = {
        "title": problem.title,
        "kind": problem.kind,
        "quantities": [_quantity(solution, q, digits) for q in quantities],
        "parameters": [_quantity(solution, q, digits) for q in solution.graph if q.parameter],
        "steps": [_step(section) for section in sections(document)],
        "checks": [
            {"id": law.id, "holds": law.holds, "head": q.key.head}
            for q in quantities
            if not q.given
            for law in checks.of(q)
        ],
    }
    if problem.source:
        data["source"] = problem.source
    if solution.limits:
        data["limits"] = [
            {
                "id": key.id,
                "head": key.head,
                "exact": [[exact_text(x, problem.style) for x in row] for row in rows],
            }
            for key, rows in solution.limits.items()
        ]
    return json.dumps(data, ensure_ascii=ascii_only)


def _quantity(solution: Solution, quantity: Quantity, digits: int | None) -> dict[str, Any]:
    value = Value(solution, quantity)
    return {
        "id": quantity.key.id,
        "head": quantity.key.head,
        "symbol": _symbol(quantity),
        "shape": list(value.shape),
        "exact": value.exact_text,
        "decimal": value.decimals(digits),
    }


def _symbol(quantity: Quantity) -> str:
    """The symbol as it is typed: Q, Q_0, W_Q."""
    from attnsolve.notation.text import ASCII

    return TextPrinter(ASCII).print(quantity.name.matrix)


def _step(section: Section) -> dict[str, Any]:
    latex = LatexPrinter()
    title = "".join(part if isinstance(part, str) else TextPrinter().print(part) for part in section.title)
    return {
        "id": section.id,
        "head": section.head,
        "title": title.strip(),
        "latex": [latex.print(chain) for block in section.blocks for chain in _chains(block)],
        "text": dedent(render_section(section, TEXT_WIDTH)),
    }


def _chains(block: Block) -> tuple[n.Chain, ...]:
    if isinstance(block, Equation):
        return (block.chain,)
    return block.chains if isinstance(block, Lines | Gallery) else ()
