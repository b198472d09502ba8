"""A solution told step by step, each in the same order: why, the formula, the numbers put in, the work, the result,
and what was verified."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from attnsolve import notation as n
from attnsolve.checks import Checks
from attnsolve.document import (
    Block,
    Document,
    Equation,
    Gallery,
    Inline,
    Lines,
    Note,
    Paragraph,
    Section,
    Verdict,
)
from attnsolve.errors import RequestError, count, nearest
from attnsolve.graph import Quantity
from attnsolve.narrate import prose
from attnsolve.narrate.view import SolutionView
from attnsolve.numbers.written import write
from attnsolve.operations.formula import Work
from attnsolve.solution import Solution

Detail = Literal["brief", "normal", "full"]

LARGEST_FILLED = 8
"""Matrices with a longer side than this are not repeated when the numbers are put in."""


MOST_ENTRIES = 8
"""Unless every detail is asked for, a token's work stops after so many entries."""


@dataclass(frozen=True)
class Telling:
    """What the reader asked to be told."""

    detail: Detail = "normal"
    only: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    digits: int | None = None


def narrate(solution: Solution, telling: Telling | None = None) -> Document:
    """The whole worked solution."""
    return _Narrator(solution, telling or Telling()).document()


class _Narrator:
    def __init__(self, solution: Solution, telling: Telling) -> None:
        self.solution = solution
        self.graph = solution.graph
        self.telling = telling
        most = None if telling.detail == "full" else MOST_ENTRIES
        self.view = SolutionView(solution, solution.figures(telling.digits), most)
        self.checks = Checks(solution, self.view)
        self.steps = [q for q in self.graph if not q.given]
        self.wanted = self._wanted()
        self.hinted = False
        self._check_tokens()

    def document(self) -> Document:
        problem = self.solution.problem
        blocks: list[Block] = [] if self.telling.only else [self._given()]
        blocks += self._by_head()
        if self.solution.limits:
            blocks.append(self._limits())
        return Document(problem.title or "Attention", problem.source, tuple(blocks))

    # ── what was asked for ──────────────────────────────────────────────────────────────────────

    def _wanted(self) -> set[Quantity]:
        if not self.telling.only:
            return set(self.steps)
        wanted: set[Quantity] = set()
        for name in self.telling.only:
            found = self.graph.named(name)
            if not found:
                ids = dict.fromkeys(q.key.id for q in self.graph)
                raise RequestError(f"--only {name}: this problem has no such quantity; {nearest(name, ids)}")
            wanted |= set(found)
        return wanted

    def _check_tokens(self) -> None:
        for token in self.telling.tokens:
            if not any(_position(q, token) is not None for q in self.graph if not q.parameter):
                known = dict.fromkeys(label for q in self.graph for label in q.labels)
                raise RequestError(f"--for {token}: there is no such token; {nearest(token, known)}")

    def _tokens(self, quantity: Quantity) -> list[int]:
        """The tokens whose work is written out."""
        if self.telling.detail == "full" and not self.telling.tokens:
            return list(range(quantity.lanes))
        found = [_position(quantity, token) for token in self.telling.tokens]
        return [token for token in found if token is not None] or [0]

    # ── sections ────────────────────────────────────────────────────────────────────────────────

    def _given(self) -> Section:
        chains = [self._equals(q) for q in self.graph if q.given]
        return Section(("Given",), (Gallery(tuple(chains)),))

    def _equals(self, quantity: Quantity) -> n.Chain:
        return n.Chain(quantity.name.matrix, (("=", self.view.labelled(quantity.key)),))

    def _by_head(self) -> Iterator[Block]:
        """Steps numbered through, those of one head under its heading."""
        numbered = list(enumerate(self.steps, start=1))
        while numbered:
            head = numbered[0][1].key.head
            size = next((i for i, (_, q) in enumerate(numbered) if q.key.head != head), len(numbered))
            group, numbered = numbered[:size], numbered[size:]
            sections = tuple(self._step(number, q) for number, q in group if q in self.wanted)
            if head is None or not sections:
                yield from sections
            else:
                yield Section((f"Head {head}",), sections)
        yield from (Section(self._title(q), (Gallery((self._equals(q),)),), q.key.id, q.key.head)
                    for q in self.graph if self.telling.only and q in self.wanted and q.given)  # fmt: skip

    def _title(self, quantity: Quantity, number: int | None = None) -> Inline:
        title = prose.TITLES.get(quantity.key.id, quantity.key.id)
        prefix = f"Step {number}: " if number else ""
        return (f"{prefix}{title} ", quantity.name.matrix)

    def _step(self, number: int, quantity: Quantity) -> Section:
        blocks: list[Block] = [Paragraph((self._why(quantity),)), self._formula(quantity)]
        blocks += [Paragraph(remark) for remark in quantity.remarks]
        if self.telling.detail != "brief":
            blocks += self._filled(quantity)
            blocks += self._work(quantity)
        blocks += self._result(quantity)
        blocks += [Note((remark,)) for remark in quantity.formula.remarks(self.view, quantity.key)]
        blocks.append(Verdict(tuple((law.holds, law.says) for law in self.checks.of(quantity))))
        return Section(self._title(quantity, number), tuple(blocks), quantity.key.id, quantity.key.head)

    def _why(self, quantity: Quantity) -> str:
        words = {
            "lane": "column" if quantity.lane else "row",
            "across": "rows" if quantity.lane else "columns",
        }
        heads = any(q.key.id == "concat" for q in self.graph)
        why = prose.WHY if heads else prose.WHY | prose.WHY_ONE_HEAD
        return (quantity.formula.why or why[quantity.key.id]).format(**words)

    def _formula(self, quantity: Quantity) -> Equation:
        formula = quantity.formula
        chain = n.Chain(quantity.name.matrix, (("=", formula.notation(self.view.matrix)),))
        shapes = n.Chain(formula.shapes(self.view), (("→", n.Shape(*quantity.shape)),))
        return Equation(chain, shapes)

    def _filled(self, quantity: Quantity) -> Iterator[Block]:
        """The formula with the numbers put in."""
        leaves = [self.graph[key] for key in quantity.formula.leaves()]
        if not quantity.formula.has_work or any(max(q.shape) > LARGEST_FILLED for q in leaves):
            return
        exact = all(self.view.shown_exactly(q.key, token) for q in leaves for token in range(q.lanes))
        filled = quantity.formula.filled(self.view.grid)
        yield Equation(n.Chain(quantity.name.matrix, (("=" if exact else "≈", filled),)))

    def _work(self, quantity: Quantity) -> Iterator[Block]:
        if not quantity.formula.has_work:
            return
        tokens = self._tokens(quantity)
        works: list[Work] = []
        for token in tokens:
            works = quantity.formula.working(self.view, quantity.key, token)
            for number, work in enumerate(works):
                yield from self._lines(work, self._for(quantity, token) if number == 0 else "")
        if works and self.view.most is not None and (missing := len(quantity.cells(0)) - self.view.most) > 0:
            yield Note((f"{count(missing, 'more entry', 'more entries')} of this token in the same way.",))
        left = quantity.lanes - len(set(tokens))
        if works and left and self.telling.detail != "full":
            hint = "" if self.hinted else " (--detail full writes every one out)"
            self.hinted = True
            yield Note((f"{count(left, 'more token')} in the same way{hint}.",))

    def _for(self, quantity: Quantity, token: int) -> str:
        return "" if quantity.lanes == 1 else f"for {self.view.called(quantity.key, token)}"

    def _lines(self, work: Work, first: str) -> Iterator[Block]:
        said = ", ".join(part for part in (first, work.says) if part)
        intro: Inline = (f"{said[0].upper()}{said[1:]}:",) if said else ()
        if any(True for chain in work.lines for _ in n.grids(chain)):
            if intro:
                yield Paragraph(intro)
            yield from (Equation(chain) for chain in work.lines)
        else:
            yield Lines(work.lines, intro)

    def _result(self, quantity: Quantity) -> Iterator[Block]:
        """The exact matrix, and its decimals where the exact one doesn't tell them."""
        key, symbol = quantity.key, quantity.name.matrix
        rows, columns = quantity.shape
        reals = [self.view.real(key, i, j) for i in range(rows) for j in range(columns)]
        shaded = key.id == "weights"
        exact = all(self.view.shown_exactly(key, token) for token in range(quantity.lanes))
        unclear = any(map(self.view.figures.needs_decimal, reals))
        if exact:
            grid = self.view.labelled(key, shaded=shaded and not unclear)
            yield Equation(n.Chain(symbol, (("=", grid),)))
        if not exact or unclear:
            grid = self.view.labelled(key, decimal=True, shaded=shaded)
            rounded = any(isinstance(cell, n.Num) and cell.rounded for row in grid.rows for cell in row)
            yield Equation(n.Chain(symbol, (("≈" if rounded else "=", grid),)))

    def _limits(self) -> Section:
        problem = self.solution.problem
        going = [
            n.Chain(n.Sym(limit.symbol.name), (("→", write(limit.to, problem.style)),)) for limit in problem.limits
        ]
        blocks: list[Block] = [
            Paragraph(("As ", *_joined(going), ", the exponentials that grow fastest take all the weight:"))
        ]
        for key, rows in self.solution.limits.items():
            quantity = self.graph[key]
            grid = n.Grid(
                tuple(tuple(write(x, problem.style) for x in row) for row in rows),
                quantity.rows.labels,
                quantity.columns.labels,
            )
            blocks.append(Equation(n.Chain(quantity.name.matrix, (("→", grid),))))
        return Section(("In the limit",), tuple(blocks))


def _joined(parts: Sequence[n.Notation]) -> Inline:
    joined: list[str | n.Notation] = []
    for part in parts:
        joined += [", ", part] if joined else [part]
    return tuple(joined)


def _position(quantity: Quantity, token: str) -> int | None:
    """Which token a name or a number means, counted from 0."""
    labels = quantity.labels
    if token in labels:
        return labels.index(token)
    if token.isascii() and token.isdigit() and labels and 1 <= int(token) <= quantity.lanes:
        return int(token) - 1
    return None
