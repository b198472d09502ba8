"""The sheet's own questions, answered in its order. What an earlier part found is referred to, not derived again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.document import BlankLines, Block, Document, Inline, Paragraph, Section, joined, listed, walk
from attnsolve.errors import Fault, ProblemError, RequestError, in_running_text, nearest
from attnsolve.graph import Graph, Quantity
from attnsolve.graph.places import suggestion
from attnsolve.key import Key
from attnsolve.narrate.cases import asked, found_by, heading, opening, side_by_side
from attnsolve.narrate.conventions import conventions, going
from attnsolve.narrate.narrator import title_of
from attnsolve.narrate.questions import question_for, statement, title
from attnsolve.narrate.steps import Narration, narrate, position, positions
from attnsolve.spec.parts import Part

if TYPE_CHECKING:
    from attnsolve.narrate.narrated import NarratedQuantities

LEAST_ROOM, MOST_ROOM = 4, 16
"""Lines left blank for an answer."""


def answer(solution: NarratedQuantities, narration: Narration | None = None, only: str | None = None) -> Document:
    """The problem's parts answered, or the one asked for; a problem without parts is told step by step."""
    narration = narration or Narration()
    if only is not None and not solution.problem.parts:
        raise RequestError(f"--part {only}: this problem has no parts")
    step_by_step = narration.only or narration.tokens or narration.detail != "normal"
    if not solution.problem.parts or (step_by_step and only is None):
        return narrate(solution, narration)
    return _Answers(solution, narration).document(only)


def question(solution: NarratedQuantities) -> Document:
    """The blank sheet: what is given, what is asked, and room to write."""
    check_parts(solution)
    narrator = solution.narrator(Narration())
    problem, results = solution.problem, [q for q in solution.graph.results if not q.key.case]
    wanted = [q for part in problem.parts for q in asked(part, solution.graph)]
    blocks: list[Block] = [*statement(problem.text), narrator.given(whole=True)]
    blocks += [Section((heading(case),), tuple(opening(narrator, case))) for case in problem.cases]
    if not problem.parts:
        ids = dict.fromkeys(quantity.key.id for quantity in results)
        wanted = [q for case in ("", *solution.graph.cases) for id in ids for q in solution.graph.named_in(case, id)]
    blocks += conventions(solution, narrator, wanted, problem.parts)
    for part in problem.parts:
        task = (Paragraph(_asks(part, solution.graph)), BlankLines(_room(solution, part)))
        blocks.append(Section(title(part), task, part=True))
    if results and not problem.parts:
        called = _results(solution.graph, results)
        whom = " in every case" if problem.cases else ""
        blocks += [Paragraph(("Find ", *called, f"{whom}, showing every step.")), BlankLines(MOST_ROOM)]
    if ways := going(solution):
        where = (*listed(ways, ", then "), "?")
        blocks.append(
            Section(("In the limit",), (Paragraph(("What do the results tend to as ", *where)), BlankLines(LEAST_ROOM)))
        )
    return Document(title_of(problem), problem.source, tuple(blocks))


def _asks(part: Part, graph: Graph) -> Inline:
    return question_for(part, {name: _called(found_by(part, graph, name)) for name in part.find})


def _called(found: Sequence[Quantity]) -> Inline:
    """What a quantity is called in a question: the weights A; with heads, the weights A₀, A₁; with a name of the
    sheet's own, that name alone."""
    title = "" if found[0].name.as_typed else found[0].title
    symbols = dict.fromkeys(q.name.matrix for q in found)
    return (f"the {in_running_text(title)} " if title else "", *listed(symbols))


def _results(graph: Graph, results: Sequence[Quantity]) -> Inline:
    """What is asked for where a sheet has no parts."""
    if results[0].name.as_typed:
        return joined([quantity.name.matrix for quantity in results])
    return _called(graph.named_in("", results[-1].key.id))


class _Answers:
    def __init__(self, solution: NarratedQuantities, narration: Narration) -> None:
        self.solution = solution
        self.graph = solution.graph
        self.narration = narration
        self.narrator = solution.narrator(narration, parts=True)
        self.found: dict[Key, dict[int, str]] = defaultdict(dict)
        """Which tokens of a quantity have been found, and in which part."""
        self.shown: set[tuple[Key, str]] = set()
        self.opened: set[str] = set()
        """The cases of which it was said what they change."""
        check_parts(solution)

    def document(self, only: str | None) -> Document:
        problem = self.solution.problem
        sections = {part.letter: self._section(part) for part in problem.parts}
        if only is not None:
            if only not in sections:
                raise RequestError(f"--part {only}: there is no such part; {nearest(only, sections)}")
            blocks: tuple[Block, ...] = (*self.narrator.preface(), sections[only])
        else:
            blocks = (*statement(problem.text), *self.narrator.preface(), self.narrator.given(), *sections.values())
        inside = () if only is None else sections[only].blocks
        shown = (
            None
            if only is None
            else {one.key for one in walk(inside) if isinstance(one, Section) and one.key is not None}
        )
        blocks += tuple(self.narrator.closing(shown))
        return Document(title_of(problem), problem.source, blocks)

    def _section(self, part: Part) -> Section:
        if part.relation is not None:
            from attnsolve.narrate.relations import shown

            body = list(shown(self.solution, self.graph.claims[part.letter], self.narration))
        elif part.show:
            from attnsolve.narrate.exact import ExactNarrator

            narrator = alone(self.solution).narrator(self.narration, parts=True) if self.graph.cases else self.narrator
            assert isinstance(narrator, ExactNarrator)
            body = self.solution.proofs.prove(part.show, narrator)
        else:
            body = self._find(part)
        return Section(title(part), (Paragraph(_asks(part, self.graph)), *body), part=True)

    def _find(self, part: Part) -> list[Block]:
        wanted = {q.key: _tokens(q, part) for q in asked(part, self.graph) if not q.given}
        needed = self.narrator.needed(wanted)
        blocks: dict[str, list[Block]] = {"": []}
        known: list[tuple[Quantity, list[int]]] = []
        shown: list[Quantity] = []
        for quantity in self.graph:
            if quantity.given or quantity.key not in needed:
                continue
            fresh = [token for token in needed[quantity.key] if token not in self.found[quantity.key]]
            own = blocks.setdefault(quantity.key.case, [])
            if quantity.key in wanted:
                own.append(self._requested(quantity, part, wanted[quantity.key], fresh))
            elif fresh:
                own.append(self._on_the_way(quantity, fresh))
            else:
                known.append((quantity, needed[quantity.key]))
                continue
            shown.append(quantity)
            for token in fresh:
                self.found[quantity.key][token] = part.letter
        used = {key for quantity in shown for key in quantity.formula.leaves()}
        recalled = self._recalled([pair for pair in known if pair[0].key in used])
        beside = asked(part, self.graph) if part.compares else []
        return [*recalled, *self._by_case(blocks), *side_by_side(self.narrator, beside)]

    def _by_case(self, blocks: Mapping[str, list[Block]]) -> Iterator[Block]:
        """What was found, that of a case under its heading; the first time with what the case changes."""
        yield from blocks[""]
        for case in self.solution.problem.cases:
            if own := blocks.get(case.name):
                told = [] if case.name in self.opened else opening(self.narrator, case)
                self.opened.add(case.name)
                yield Section((heading(case),), (*told, *own))

    def _recalled(self, known: Sequence[tuple[Quantity, list[int]]]) -> Iterator[Block]:
        """From part (a): q₃, k₁, k₂, k₃."""
        by_part: dict[str, list[n.Notation]] = defaultdict(list)
        for quantity, tokens in known:
            whole = len(tokens) == quantity.token_count
            for token in tokens[:1] if whole else tokens:
                symbol = quantity.name.matrix if whole else quantity.name.token(token + 1)
                by_part[self.found[quantity.key][token]].append(symbol)
        for letter, symbols in by_part.items():
            yield Paragraph((f"From part ({letter}): ", *listed(symbols), "."))

    def _requested(self, quantity: Quantity, part: Part, tokens: list[int], fresh: list[int]) -> Section:
        narrator = self.narrator
        by = part.by or "step"
        again = not fresh
        if again and ((quantity.key, by) in self.shown or not part.by):
            earlier = ", ".join(dict.fromkeys(self.found[quantity.key][token] for token in tokens))
            blocks: list[Block] = [Paragraph((f"Found in part ({earlier}):",)), *self._result(quantity, tokens)]
        else:
            blocks = [] if again else narrator.why(quantity)
            blocks += narrator.formula(quantity)
            if by in ("step", "matrix") and len(tokens) == quantity.token_count:
                blocks += narrator.filled(quantity)
            if by != "matrix":
                blocks += self._work(quantity, tokens, by)
            if not narrator.ends_in_result(quantity, tokens, by):
                blocks += self._result(quantity, tokens)
            blocks += narrator.pictures(quantity, tokens if fresh else ())
            blocks += [*narrator.remarks(quantity), *narrator.verdict(quantity)]
        self.shown.add((quantity.key, by))
        return Section(narrator.title(quantity), tuple(blocks), quantity.key)

    def _work(self, quantity: Quantity, tokens: list[int], by: str) -> Iterator[Block]:
        for token in tokens:
            yield from self.narrator.token_work(quantity, token, by)

    def _on_the_way(self, quantity: Quantity, tokens: list[int]) -> Section:
        """Something nobody asked for, but that is needed for what they did."""
        narrator = self.narrator
        blocks: list[Block] = [*narrator.why(quantity), *narrator.formula(quantity)]
        blocks += self._work(quantity, tokens, "step")
        if not narrator.ends_in_result(quantity, tokens, "step"):
            blocks += self._result(quantity, tokens)
        blocks += narrator.pictures(quantity, tokens)
        blocks += [*narrator.remarks(quantity), *narrator.verdict(quantity)]
        return Section(narrator.title(quantity), tuple(blocks), quantity.key)

    def _result(self, quantity: Quantity, tokens: list[int]) -> Iterable[Block]:
        whole = len(tokens) == quantity.token_count
        return self.narrator.result(quantity) if whole else self.narrator.result_for(quantity, tokens)


def alone(solution: NarratedQuantities) -> NarratedQuantities:
    """The problem without its cases, which is what claims are about."""
    if not solution.graph.cases:
        return solution
    return solution.of_graph(replace(solution.problem, cases=()).graph)


def check_parts(solution: NarratedQuantities) -> None:
    """Refuse parts that ask for what this very problem does not have, each with its place."""
    faults = []
    for part in solution.problem.parts:
        for name in part.find:
            if not found_by(part, solution.graph, name):
                message = f"part {part.letter} asks for {name}, which this problem does not have"
                faults.append(Fault(solution.problem.file, part.at, message, suggestion(solution.graph, name)))
        for token in part.tokens:
            if not any(position(q, token) is not None for q in solution.graph if not q.parameter):
                labels = dict.fromkeys(label for q in solution.graph for label in q.labels)
                message = f"part {part.letter} is for {token!r}, which is not a token"
                faults.append(Fault(solution.problem.file, part.at, message, nearest(token, labels)))
        if part.show and (message := solution.proofs.unprovable(part.show, alone(solution).graph)):
            faults.append(Fault(solution.problem.file, part.at, message, "use find: instead"))
    if faults:
        raise ProblemError(faults)


def _tokens(quantity: Quantity, part: Part) -> list[int]:
    return positions(quantity, part.tokens) or list(range(quantity.token_count))


def _room(solution: NarratedQuantities, part: Part) -> int:
    cells = sum(len(_tokens(q, part)) for q in asked(part, solution.graph))
    return max(LEAST_ROOM, min(MOST_ROOM, 2 + 2 * cells))
