"""A solution as one JSON object on one line: the contract that other programs read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from attnsolve import notation as n
from attnsolve.document import Block, Document, Equation, Gallery, Lines, Section, keyed
from attnsolve.graph import Graph, Quantity
from attnsolve.key import Key
from attnsolve.narrate.view import SolutionView
from attnsolve.notation.latex import LatexPrinter
from attnsolve.notation.text import ASCII, TextPrinter
from attnsolve.numbers.written import exact_text
from attnsolve.render.text import render_section
from attnsolve.solution.checks import Checks
from attnsolve.solution.computed import shape_of
from attnsolve.solution.exact import Solution, Value
from attnsolve.solution.solved import Solved

if TYPE_CHECKING:
    from attnsolve.derivations.derivation import Derivation
    from attnsolve.derivations.writing import Passage, Result

TEXT_WIDTH = 100
Narrated = set[Key] | None
"""The quantities to tell of; None for all."""


def render(
    solution: Solved,
    document: Document,
    digits: int | None = None,
    *,
    whole: bool = True,
    ascii_only: bool = False,
) -> str:
    """The JSON of a problem and of the document that tells it; unless `whole`, only of what the document is about."""
    return "".join(pieces(solution, document, digits, whole=whole, ascii_only=ascii_only))


def pieces(
    solution: Solved,
    document: Document,
    digits: int | None = None,
    *,
    whole: bool = True,
    ascii_only: bool = False,
) -> Iterator[str]:
    """The same in pieces, so that millions of numbers need not be held as text all at once."""
    selected = None if whole else {key for _, key in keyed(document)}
    problem = solution.problem
    start: dict[str, Any] = {"title": problem.title, "kind": problem.kind}
    end: dict[str, Any] = {"steps": [_step(section, key) for section, key in keyed(document)]}
    if problem.source:
        end["source"] = problem.source
    if problem.numbers == "float":
        yield from _measured(solution, start, end, digits, selected, ascii_only)
        return
    middle = (
        _solved(solution, digits, selected) if isinstance(solution, Solution) else _derived(solution, digits, selected)
    )
    yield json.dumps(start | middle | end, ensure_ascii=ascii_only)


def _measured(
    solution: Solved,
    start: dict[str, Any],
    end: dict[str, Any],
    digits: int | None,
    selected: Narrated,
    ascii_only: bool,
) -> Iterator[str]:
    """Float64 results, row by row: to so many digits, or else whatever reads back as the same float."""
    from attnsolve.solution.floats import FloatSolution

    assert isinstance(solution, FloatSolution)
    quantities = _selected(solution.graph, selected)
    laws = [(q, law) for q in quantities if not q.given for law in solution.laws(q)]
    checks = [{"id": law.id, "holds": law.holds, **q.key.place} for q, law in laws]
    yield json.dumps(start | {"numbers": "float"}, ensure_ascii=ascii_only)[:-1]
    parameters = [q for q in solution.graph if q.parameter]
    for name, listed in (("quantities", quantities), ("parameters", parameters)):
        yield f', "{name}": ['
        for number, quantity in enumerate(listed):
            head = {**_named(quantity), "exact": None}
            yield (", " if number else "") + json.dumps(head, ensure_ascii=ascii_only)[:-1] + ', "decimal": '
            yield from solution.value(quantity).written(digits)
            yield "}"
        yield "]"
    yield ", " + json.dumps({"checks": checks} | end, ensure_ascii=ascii_only)[1:]


def _selected(graph: Graph, selected: Narrated) -> list[Quantity]:
    return [q for q in graph if not q.parameter and (selected is None or q.key in selected)]


def _solved(solution: Solution, digits: int | None, selected: Narrated) -> dict[str, Any]:
    quantities = _selected(solution.graph, selected)
    checks = Checks(solution, SolutionView(solution, solution.figures(digits)))
    data: dict[str, Any] = {
        "quantities": [_quantity(solution, q, digits) for q in quantities],
        "parameters": [_quantity(solution, q, digits) for q in solution.graph if q.parameter],
        "checks": [
            {"id": law.id, "holds": law.holds, **q.key.place} for q in quantities if not q.given for law in checks.of(q)
        ],
    }
    if solution.limit_cases:
        data["limits"] = [_limit(solution, key) for key in solution.limits]
    return data


def _limit(solution: Solution, key: Key) -> dict[str, Any]:
    """Where a quantity goes; what depends on the case is null, and stands among the cases."""

    def texts(rows: Sequence[Sequence[Any]]) -> list[list[str | None]]:
        return [[None if x is None else exact_text(x, solution.problem.style) for x in row] for row in rows]

    data: dict[str, Any] = {**key.data, "exact": texts(solution.limits[key])}
    if len(solution.limit_cases) > 1:
        from attnsolve.algebra.conditions import typed

        data["cases"] = [
            {
                "if": [typed(condition, solution.problem.style) for condition in case.conditions],
                "exact": texts(case.rows[key]),
            }
            for case in solution.limit_cases
        ]
    return data


def _derived(solution: Solved, digits: int | None, selected: Narrated) -> dict[str, Any]:
    """An argument's results are numbers or formulas: their shape is empty, their exact form one text."""
    from attnsolve.derivations.derivation import Derivation

    assert isinstance(solution, Derivation)
    passages = [p for p in solution.passages if selected is None or p.key in selected]
    return {
        "quantities": [_result(solution, r, p, digits) for p in passages for r in p.results],
        "parameters": [],
        "checks": [
            {"id": f"{passage.id}-{number}", "holds": holds, **passage.key.place, "says": description}
            for passage in passages
            for number, (description, holds) in enumerate(passage.checks, start=1)
        ],
    }


def _result(derivation: Derivation, result: Result, passage: Passage, digits: int | None) -> dict[str, Any]:
    style = derivation.problem.style
    symbolic = result.real is None or result.real.is_symbolic
    return {
        "id": result.id,
        **passage.key.place,
        "symbol": TextPrinter(ASCII).print(result.symbol),
        "shape": [],
        "exact": None if result.exact is None else exact_text(result.exact, style),
        "decimal": None
        if symbolic or result.real is None
        else str(result.real.decimal(digits or derivation.problem.digits)),
    }


def _quantity(solution: Solution, quantity: Quantity, digits: int | None) -> dict[str, Any]:
    value = Value(solution, quantity)
    return {**_named(quantity), "exact": value.exact_text, "decimal": value.decimals(digits)}


def _named(quantity: Quantity) -> dict[str, Any]:
    """Which quantity it is; its symbol as it is typed: Q, Q_0, W_Q."""
    return {
        **quantity.key.data,
        "symbol": TextPrinter(ASCII).print(quantity.name.typed),
        "shape": list(shape_of(quantity)),
    }


def _step(section: Section, key: Key) -> dict[str, Any]:
    latex = LatexPrinter()
    title = "".join(part if isinstance(part, str) else TextPrinter().print(part) for part in section.title)
    return {
        **key.data,
        "title": title.strip(),
        "latex": [latex.print(chain) for block in section.blocks for chain in _chains(block)],
        "text": dedent(render_section(section, TEXT_WIDTH)),
    }


def _chains(block: Block) -> tuple[n.Chain, ...]:
    if isinstance(block, Equation):
        return (block.chain,)
    return block.chains if isinstance(block, Lines | Gallery) else ()
