"""A problem that asks for an argument, worked out: its passages, each verified, told as the parts ask for them."""

from __future__ import annotations

from collections.abc import Sequence

from attnsolve.derivations.writing import Passage, Result
from attnsolve.document import Block, Document, Inline, Paragraph, Room, Section
from attnsolve.errors import Fault, ProblemError, RequestError, nearest
from attnsolve.narrate.asked import asks, statement, title
from attnsolve.spec.parts import Part
from attnsolve.spec.problem import Problem
from attnsolve.worked import Telling, Worked

ROOM = 12
"""Lines left blank for an answer."""


class Derivation(Worked):
    """The passages of an argument. `derivation["variance"]` is the result of that name."""

    def __init__(self, problem: Problem, passages: Sequence[Passage]) -> None:
        self.problem = problem
        self.passages = {passage.id: passage for passage in passages}
        faults = []
        for part in problem.parts:
            for name in part.find:
                if name not in self.passages:
                    said = f"part {part.letter} asks for {name}, which this derivation does not have"
                    faults.append(Fault(problem.file, part.at, said, nearest(name, self.passages)))
        if faults:
            raise ProblemError(faults)

    def __getitem__(self, name: str) -> Result:
        results = {result.id: result for result in self.results}
        if name not in results:
            raise RequestError(f"there is no result {name!r}: {nearest(name, results)}")
        return results[name]

    @property
    def results(self) -> list[Result]:
        """Everything that was found."""
        return [result for passage in self.passages.values() for result in passage.results]

    @property
    def holds(self) -> bool:
        """Whether everything in it was verified."""
        return all(holds for passage in self.passages.values() for _, holds in passage.checks)

    def tell(self, telling: Telling | None = None, part: str | None = None) -> Document:
        """The parts answered, or the whole argument."""
        telling = telling or Telling()
        if part is None and (telling.only or not self.problem.parts):
            return self.steps(telling)
        if part is not None and not self.problem.parts:
            raise RequestError(f"--part {part}: {self.problem.file} has no parts")
        told: dict[str, str] = {}
        sections = {asked.letter: self._answer(asked, told) for asked in self.problem.parts}
        if part is not None:
            if part not in sections:
                raise RequestError(f"--part {part}: there is no such part; {nearest(part, sections)}")
            return self._document((sections[part],))
        left = [p.section for p in self.passages.values() if p.id not in told]
        return self._document((*statement(self.problem.text), *left[:1], *sections.values(), *left[1:]))

    def _answer(self, part: Part, told: dict[str, str]) -> Section:
        blocks: list[Block] = [Paragraph(self._asks(part))]
        if part.show:
            from attnsolve.derivations import shown

            blocks += shown(part.show)
        for name in part.find:
            passage = self.passages[name]
            if name in told:
                blocks.append(Paragraph((f"See part ({told[name]}).",)))
            else:
                blocks += passage.blocks if len(part.find) == 1 else [passage.section]
            told.setdefault(name, part.letter)
        return Section(title(part), tuple(blocks), part.find[0] if part.find else part.show)

    def _asks(self, part: Part) -> Inline:
        return asks(part, {name: self.passages[name].title for name in part.find})

    def steps(self, telling: Telling | None = None) -> Document:
        """Every passage, or those asked for."""
        telling = telling or Telling()
        if telling.tokens:
            raise RequestError("--for: this problem has no tokens to work for")
        for name in telling.only:
            if name not in self.passages:
                raise RequestError(f"--only {name}: there is no such step; {nearest(name, self.passages)}")
        chosen = [p for p in self.passages.values() if not telling.only or p.id in telling.only]
        opening = () if telling.only else statement(self.problem.text)
        return self._document((*opening, *(passage.section for passage in chosen)))

    def blank(self) -> Document:
        """What is asked, with room to write."""
        first = next(iter(self.passages.values()))
        blocks: list[Block] = [*statement(self.problem.text)]
        if not self.problem.parts:
            blocks += [Paragraph((*first.title, ".")), Room(ROOM)]
        for part in self.problem.parts:
            blocks.append(Section(title(part), (Paragraph(self._asks(part)), Room(ROOM))))
        return self._document(tuple(blocks))

    def _document(self, blocks: tuple[Block, ...]) -> Document:
        return Document(self.problem.title or "Derivation", self.problem.source, blocks)
