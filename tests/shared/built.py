"""A graph put together by hand and everything that is done with a problem done with it: what an operation brings."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

from attnsolve import derivations
from attnsolve.check.answers import read_answers
from attnsolve.check.diagnose import diagnose
from attnsolve.check.marking import Marking, mark
from attnsolve.contract.json import render as render_json
from attnsolve.derivations.examples import ExampleBuilder
from attnsolve.graph import Graph, Name, run
from attnsolve.graph.mistakes import slipped
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.narrate.explain import explain
from attnsolve.narrate.narrated import NarratedSolution
from attnsolve.narrate.steps import narrate
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.floats import Floats
from attnsolve.operations.formula import Ref
from attnsolve.operations.layernorm import LayerNorm
from attnsolve.operations.product import Projection
from attnsolve.operations.relu import Relu
from attnsolve.render.text import render
from attnsolve.solution.exact import Solution
from attnsolve.solution.floats import FloatSolution
from attnsolve.spec import reader

TITLES = {"normed": "Normalised inputs", "mixed": "Mixed", "hidden": "Hidden vectors"}
"""What a library would say of its quantities."""
EPSILON = Fraction(1, 3)


def rows(text: str) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(x) for x in row.split()) for row in text.split(";"))


def layer(inputs: str = "1 2 6; -1 0 5", gamma: str = "1 2 1", beta: str = "0 1 0") -> NarratedSolution:
    """H = ReLU(LayerNorm(X) W)."""
    builder, ref = ExampleBuilder(), lambda id: Ref(Key(id))
    builder.given("inputs", Name("x"), rows(inputs), tokens=True)
    builder.given("W", Name("W"), rows("1 -1; 0 1; -1 1"))
    builder.given("gamma", Name("gamma", vector=True), rows(gamma))
    builder.given("beta", Name("beta", vector=True), rows(beta))
    builder.add("normed", Name("n"), LayerNorm(ref("inputs"), ref("gamma"), ref("beta"), PlainNumber(EPSILON)))
    builder.add("mixed", Name("m"), Projection(ref("normed"), ref("W")))
    builder.add("hidden", Name("h"), Relu(ref("mixed")))
    (problem,) = parse("inputs: [[1]]\nweights: identity\n", "p.yaml")
    made = {
        q.key: replace(q, title=TITLES.get(q.key.id, ""), why=f"{TITLES.get(q.key.id, '')}.")
        for q in builder.quantities.values()
    }
    return NarratedSolution(problem, replace(builder.solution(problem).graph, quantities=made), derivations)


def told(solution: NarratedSolution) -> str:
    return render(narrate(solution))


def explained(solution: Solution, cell: str) -> str:
    return render(explain(solution, cell))


def as_json(solution: NarratedSolution) -> dict[str, Any]:
    """The quantities of the JSON, by their ids."""
    found = json.loads(render_json(solution, narrate(solution)))
    return {quantity["id"]: quantity for quantity in found["quantities"]}


def in_float64(solution: Solution) -> FloatSolution:
    return FloatSolution(solution.problem, solution.graph)


def answers_with(solution: Solution, id: str, *wanted: str) -> str:
    """The answers, to four places, of somebody who makes one mistake and goes on from it."""
    (slip,) = (slip for slip in solution.slips if slip.id == id)
    return sheet(slipped(solution.graph, slip), *wanted)


def sheet(graph: Graph, *wanted: str) -> str:
    values = run(graph, Floats)
    lines = []
    for id in wanted:
        table = values[Key(id)]
        assert table is not None
        lines.append(f"{id}: [{', '.join('[' + ', '.join(f'{x:.4f}' for x in row) + ']' for row in table.rows)}]")
    return "\n".join(lines)


def marked(solution: Solution, answers: str) -> Marking:
    (node,) = reader.read_documents(answers, "a.yaml")
    read = read_answers(node, solution.graph, "a.yaml", {})
    assert not read.faults
    return mark(solution, read)


def verdicts(marking: Marking, id: str) -> set[str]:
    return {found.verdict for found in marking.of(Key(id)).values()}


def causes(marking: Marking) -> list[tuple[str, list[tuple[str, ...]]]]:
    return [
        (found.quantity.key.id, [tuple(slip.id for slip in group) for group in found.mistakes])
        for found in diagnose(marking)
    ]
