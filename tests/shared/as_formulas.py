"""Attention and seq2seq problems written as sheets of plain formulas, tokens as rows: for what is only worked out from
formulas a second time."""

from __future__ import annotations

from typing import Any, NamedTuple

from shared.seq2seq import Seq2seq
from shared.written import LATER, SOURCES, Matrix, Number, Problem


class Sheet(NamedTuple):
    """Formulas, what they read, and which quantity (id, head) each name of `given` stands for."""

    given: dict[str, Any]
    formulas: dict[str, str]
    means: dict[str, tuple[str, int | None]]

    def file(self, name: str, upstream: Any, softmax_only: bool = False) -> dict[str, Any]:
        gradient = {"upstream": {name: upstream}, "to": [*self.means]}
        return {"given": self.given, "formulas": self.formulas, "gradient": gradient}


def texts(matrix: Matrix) -> list[list[str]]:
    return [[number.text for number in row] for row in matrix]


class Attention:
    """One problem's formulas; what a head has is called Q_0, W_Q_1."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.sheet = Sheet({}, {}, {})

    def given(self, id: str, head: int | None, matrix: Matrix) -> str:
        name = id if head is None else f"{id}_{head}"
        self.sheet.given[name] = texts(matrix)
        self.sheet.means[name] = (id, head)
        return name

    def work(self) -> Sheet:
        problem, formulas = self.problem, self.sheet.formulas
        for name in ("inputs", "memory", *SOURCES.values()):
            if name in problem.given:
                self.given(name, None, problem.given[name][0])
        heads = [*range(problem.heads)] if problem.heads > 1 else [None]
        later = [name for name in LATER if name in problem.given]
        for head in heads:
            parts = {}
            for name in ("queries", "keys", "values"):
                if (name == "values" and problem.valued) or (name != "values" and not later):
                    parts[name] = self.part(name, head)
            self.attend(head, parts, later)
        if problem.valued:
            contexts = [f"context_{head}" if head is not None else "context" for head in heads]
            if len(heads) > 1:
                formulas["concat"] = f"concat({', '.join(contexts)})"
            if problem.output:
                bias = f" + {self.given('b_O', None, problem.output['b_O'])}" if "b_O" in problem.output else ""
                matrix = self.given("W_O", None, problem.output["W_O"])
                formulas["output"] = f"{'concat' if len(heads) > 1 else 'context'}*{matrix}{bias}"
        return self.sheet

    def part(self, name: str, head: int | None) -> str:
        """Queries, keys or values of a head."""
        problem, formulas = self.problem, self.sheet.formulas
        own = None if problem.split else head
        if name in problem.given:
            wide = self.given(name, own, problem.given[name][own or 0])
            width = len(problem.given[name][0][0])
        else:
            source = SOURCES[name]
            if source not in problem.given:
                source = "memory" if name != "queries" and "memory" in problem.given else "inputs"
            if problem.identity:
                wide, width = source, len(problem.given[source][0][0])
            else:
                projection = problem.projections[own or 0]
                letter = name[0].upper()
                matrix, bias = projection[f"W_{letter}"], projection.get(f"b_{letter}")
                width = len(matrix[0])
                wide = f"wide_{letter}" if own is None else f"wide_{letter}_{own}"
                text = f"{source}*{self.given(f'W_{letter}', own, matrix)}"
                formulas[wide] = text + (f" + {self.given(f'b_{letter}', own, bias)}" if bias else "")
        if not problem.split:
            return wide
        width //= problem.split
        return f"{wide}[:,{(head or 0) * width + 1}:{((head or 0) + 1) * width}]"

    def attend(self, head: int | None, parts: dict[str, str], later: list[str]) -> None:
        problem, formulas = self.problem, self.sheet.formulas
        end = "" if head is None else f"_{head}"
        latest = ""
        for name in later:
            latest = self.given(name, head, problem.given[name][head or 0])
        if not later:
            formulas[f"scores{end}"] = f"{parts['queries']}*({parts['keys']})^T"
            latest = f"scores{end}"
        if not {*later} - {"scores"} and problem.scaling != "none":
            formulas[f"scaled{end}"] = f"{latest}/{self.divisor(head)}"
            latest = f"scaled{end}"
        if not {*later} & {"masked", "weights"} and problem.mask is not None:
            mask = problem.mask if isinstance(problem.mask, str) else "mask"
            if not isinstance(problem.mask, str):
                self.sheet.given["mask"] = texts(problem.mask)
            formulas[f"masked{end}"] = f"masked({latest}, {mask})"
            latest = f"masked{end}"
        if "weights" not in later:
            base = "" if problem.softmax == "e" else f", base={problem.softmax}"
            formulas[f"weights{end}"] = f"share({latest})" if problem.softmax == "sum" else f"softmax({latest}{base})"
            latest = f"weights{end}"
        if problem.valued:
            formulas[f"context{end}"] = f"{latest}*{parts['values']}"

    def divisor(self, head: int | None) -> str:
        problem = self.problem
        if isinstance(problem.scaling, Number):
            return f"({problem.scaling.text})"
        if problem.d_k:
            return f"sqrt({problem.d_k})"
        own = None if problem.split else head
        if "keys" in problem.given:
            width = len(problem.given["keys"][own or 0][0])
        elif problem.identity:
            width = len(problem.given["memory" if "memory" in problem.given else "inputs"][0][0])
        else:
            width = len(problem.projections[own or 0]["W_K"][0])
        return f"sqrt({width // (problem.split or 1)})"


def decoder(problem: Seq2seq) -> Sheet:
    """The formulas of a decoder that attends to encoder states."""
    sheet = Sheet({}, {}, {})
    for name, matrix in {"states": problem.states, "state": problem.state, **problem.weights}.items():
        sheet.given[name] = [number.text for number in matrix[0]] if name == "v" else texts(matrix)
        sheet.means[name] = (name, None)
    formulas, steps = sheet.formulas, len(problem.state)
    match problem.score:
        case "general":
            formulas["scores"] = "state*(states*W^T)^T"
        case "location":
            formulas["scores"] = "state*W^T"
        case "cosine":
            formulas["scores"] = "state*states^T/(rownorm(state)*rownorm(states)^T)"
        case "additive":
            rows = [f"v*tanh(states*W_1^T + (state*W_2^T)[{t}])^T" for t in range(1, steps + 1)]
            formulas["scores"] = f"stack({', '.join(rows)})"
        case "concat":
            ones = f"ones({len(problem.states)}, 1)"
            rows = [f"v*tanh(concat(states, {ones}*state[{t}:{t},:])*W^T)^T" for t in range(1, steps + 1)]
            formulas["scores"] = f"stack({', '.join(rows)})"
        case _:
            formulas["scores"] = "state*states^T"
    latest = "scores"
    if problem.score == "scaled-dot":
        formulas["scaled"] = latest = f"scores/sqrt({len(problem.states[0])})"
        latest = "scaled"
    base = "" if problem.softmax == "e" else f", base={problem.softmax}"
    formulas["weights"] = f"share({latest})" if problem.softmax == "sum" else f"softmax({latest}{base})"
    formulas["context"] = "weights*states"
    formulas["joined"] = "concat(context, state)"
    if "W_c" in problem.weights:
        formulas["attentional"] = "tanh(joined*W_c^T)"
    return sheet
